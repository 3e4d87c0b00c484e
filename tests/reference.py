"""The API reference, from the docstrings: `python -m tests.reference build/docs`.

Whatever pdoc warns about is an error, and so is a name of ours in a docstring that leads nowhere.
"""

from __future__ import annotations

import pkgutil
import re
import sys
import typing
import warnings
from collections.abc import Iterator
from pathlib import Path

from pdoc import doc, extract, pdoc, render

import pechvogel

ROOMS = ("tabletop", "agents", "train", "play")
ENVIRONMENTS = ("pechvogel_env", "lucky_loser_env", "porca_miseria_env")
PACKAGES = (*ENVIRONMENTS, *[f"pechvogel.{room}" for room in ROOMS])
NAME = re.compile(rf"`((?:pechvogel|{'|'.join(ENVIRONMENTS + ROOMS)})(?:\.\w+)+)(?:\(\))?`")


def main(folder: Path) -> int:
    """Write all pages; what goes wrong is told, and counted."""
    warnings.simplefilter("error", UserWarning)
    modules = [doc.Module.from_name(name) for name in extract.walk_specs(PACKAGES)]
    for module in modules:
        _resolve_named_tuples(module)
    wrong = [f"{where}: `{name}` leads nowhere" for module in modules for where, name in _lost(module)]
    render.configure(docformat="markdown", footer_text=f"Pechvogel {pechvogel.__version__}")
    pdoc(*PACKAGES, output_directory=folder)
    print(*wrong, f"{len(modules)} pages in {folder}/index.html", sep="\n")
    return len(wrong)


def _resolve_named_tuples(module: doc.Module) -> None:
    """Pdoc does not find the types of their fields (github.com/mitmproxy/pdoc/issues/765)."""
    for thing in vars(module.obj).values():
        if isinstance(thing, type) and hasattr(thing, "_fields") and thing.__module__ == module.modulename:
            thing.__new__.__annotations__ = typing.get_type_hints(thing)


def _lost(thing: doc.Doc) -> Iterator[tuple[str, str]]:
    """Where a docstring names something of ours that is not there; GAME stands for any game."""
    for name in NAME.findall(thing.docstring):
        whole = name if name.startswith(("pechvogel", *ENVIRONMENTS)) else f"pechvogel.{name}"
        try:
            pkgutil.resolve_name(whole.replace("GAME", "pechvogel"))
        except (ImportError, AttributeError):
            yield thing.fullname, name
    for member in thing.own_members if isinstance(thing, doc.Namespace) else ():
        if not isinstance(member, doc.Module):
            yield from _lost(member)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
