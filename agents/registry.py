"""Agents by name: `make("heuristic")`, `make("champion:level=3")`, or anybody's own `make("module:Factory")`.

A specification is `name` or `name:key=value,...` for ours; where the first part is no such name, it is a module and
something in it that makes an agent when called without arguments. Modules are looked for in the current folder, too,
after everything that is installed.

Each game's folder beside this file lists the agents that play it (`AGENTS`); their options are the keyword-only
parameters of their classes.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pechvogel.agents.base import Agent
from pechvogel.agents.games import DEFAULT, kind_of
from pechvogel.tabletop.kind import Variant
from pechvogel.tabletop.untrusted import shown, shown_value


def names(game: str = DEFAULT) -> dict[str, str]:
    """Our agents that play a game, with where their classes are."""
    return _room(game).AGENTS  # type: ignore[no-any-return]


def _room(game: str) -> Any:
    """The folder of a game's agents."""
    kind_of(game)
    return importlib.import_module(f"pechvogel.agents.{game.replace('-', '_')}")


def judges(game: str) -> Any:
    """Who price decisions where a game is solved: a module with `find` and `make`; None where no game is."""
    name = _room(game).JUDGES
    return name and importlib.import_module(name)


def make(spec: str, game: str = DEFAULT) -> Agent:
    """The agent that a specification names; its `name` is the specification, unless it is somebody's own."""
    name, _, rest = spec.partition(":")
    ours = names(game)
    if name in ours:
        factory = _load(ours[name])
        options = _options(spec, factory, rest)
        try:
            agent = factory(**options)
        except TypeError as error:
            raise ValueError(f"agent {spec!r}: {error}") from None
        agent.name = spec
        return agent  # type: ignore[no-any-return]
    if not rest:
        raise ValueError(
            f"there is no agent {shown_value(spec)}; there are {', '.join(ours)}, or your own as module:Factory"
        )
    try:
        if str(Path.cwd()) not in sys.path:
            sys.path.append(str(Path.cwd()))
        agent = _load(spec)()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever somebody's own code does, even sys.exit(), is one sentence
        raise ValueError(f"agent {shown_value(spec)} can't be made: {type(error).__name__}: {shown(error)}") from error
    if not isinstance(agent, Agent) or not isinstance(agent.name, str):
        raise ValueError(f"agent {spec!r} must have `name` and `act(position, mask, rng)`")
    return agent


def _load(entry_point: str) -> Callable[..., Any]:
    module, _, attribute = entry_point.partition(":")
    return getattr(importlib.import_module(module), attribute)  # type: ignore[no-any-return]


def _options(spec: str, factory: Callable[..., Any], text: str) -> dict[str, Any]:
    """`key=value,...` as keyword arguments: true, false, numbers, else text."""
    parameters = inspect.signature(factory).parameters.values()
    known = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals or key not in known:
            takes = f"takes {', '.join(known)}" if known else "takes no options"
            raise ValueError(f"agent {spec!r}: {part!r} is no option; {spec.partition(':')[0]} {takes}")
        options[key] = _value(value)
    return options


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def is_legal(action: Any, mask: NDArray[np.int8]) -> bool:
    """Whether what an agent returned is a legal action."""
    whole = isinstance(action, (int, np.integer)) and not isinstance(action, bool)
    return bool(whole and 0 <= action < len(mask) and mask[action])


def prepare(agent: Agent, variant: Variant) -> None:
    """Ask for one decision, so that the agent loads and compiles what it needs; ValueError if it can't play this game.

    What somebody's own agent raises is not our business here: it will forfeit.
    """
    batch, first = kind_of(variant.game).batch(variant, 1), np.zeros(1, np.int64)
    masks, rng = batch.buffers.masks.copy(), np.random.default_rng(0)
    try:
        if hasattr(agent, "act_batch"):
            agent.act_batch(batch.shown(first), masks, [rng])
        else:
            agent.act(batch.view(0, int(batch.buffers.to_act[0])), masks[0], rng)
    except (Exception, SystemExit) as error:
        if agent.name.partition(":")[0] in names(variant.game):
            raise ValueError(f"agent {agent.name!r}: {error}") from error


def check(
    agent: Agent, num_players: int = 2, *, game: str = DEFAULT, games: int = 2, seed: int = 0, **settings: Any
) -> None:
    """Let an agent play whole games against itself; ValueError says what is wrong with it.

    Also checks, where they are there, `act_batch`, `action_probabilities` and `action_values`.
    """
    if not isinstance(agent, Agent):
        raise ValueError("an agent must have `name` and `act(position, mask, rng)`")
    kind = kind_of(game)
    batch = kind.batch(kind.variant(num_players, **settings), 1, max_turns=2000, auto_reset=False)
    only, actions = np.zeros(1, np.int64), np.zeros(1, np.int64)
    for number in range(games):
        batch.reset(seeds=np.array([seed + number], np.uint64))
        rng = np.random.default_rng(seed + number)
        while len(batch.live()):
            position, mask = batch.view(0, int(batch.buffers.to_act[0])), batch.buffers.masks[0].copy()
            where = f"agent {agent.name!r} at {position.to_text()}"
            try:
                action = agent.act(position, mask, rng)
            except (Exception, SystemExit) as error:
                raise ValueError(f"{where}: act failed: {type(error).__name__}: {error}") from error
            if not is_legal(action, mask):
                raise ValueError(f"{where}: act returned {action!r}; legal are {np.flatnonzero(mask).tolist()}")
            _check_optional(agent, position, batch.shown(only), mask, where, rng)
            actions[0] = action
            batch.step(actions)


def _check_optional(
    agent: Any, position: Any, states: NDArray[Any], mask: NDArray[np.int8], where: str, rng: np.random.Generator
) -> None:
    legal = mask.astype(bool)
    if hasattr(agent, "act_batch"):
        actions = np.asarray(agent.act_batch(states, mask[None, :], [rng]))
        if actions.shape != (1,) or not is_legal(actions[0], mask):
            raise ValueError(f"{where}: act_batch returned {actions!r}; legal are {np.flatnonzero(mask).tolist()}")
    if hasattr(agent, "action_probabilities"):
        chances = np.asarray(agent.action_probabilities(position, mask))
        wrong = chances.shape != mask.shape or not (chances >= 0).all() or chances[~legal].any()
        if wrong or abs(chances.sum() - 1) > 1e-6:
            raise ValueError(
                f"{where}: action_probabilities must be {len(mask)} chances of legal actions that add up to 1"
            )
    if hasattr(agent, "action_values"):
        values = np.asarray(agent.action_values(position))
        if values.shape != mask.shape or not (np.isnan(values) == ~legal).all():
            raise ValueError(
                f"{where}: action_values must be {len(mask)} numbers, NaN exactly where an action is illegal"
            )
