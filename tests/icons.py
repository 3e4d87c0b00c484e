"""The page's icons as pixels, drawn from `icons/app.svg`: `python -m tests.icons` writes them anew (`make icons`).

It reads as much of SVG as that drawing uses: one group, `rect`, `circle`, and paths of straight lines and cubic curves.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from PIL import Image, ImageDraw

FOLDER = Path(__file__).parents[1] / "play" / "pechvogel" / "web" / "icons"
SOURCE = FOLDER / "app.svg"
# By file: pixels, and whether it fills the square to its corners, for systems that cut their own shape out of it.
FILES = {"app-192.png": (192, False), "app-512.png": (512, False), "maskable-512.png": (512, True)}
UNITS = 100.0  # the drawing's width
SUPERSAMPLING = 4
CURVE = 24  # straight pieces
COLORS = 32  # two, and what is between them at edges

Point = tuple[float, float]


def lines_of(path: str) -> list[list[Point]]:
    """A path's lines, curves cut into straight pieces; absolute coordinates only."""
    found: list[list[Point]] = []
    for command, numbers in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
        if command not in "MLCZ":
            raise ValueError(f"paths with {command!r} are not drawn")
        values = [float(number) for number in numbers.split()]
        points = list(zip(values[::2], values[1::2], strict=True))
        if command == "M":
            found.append(points)
        elif command == "L":
            found[-1] += points
        elif command == "C":
            for k in range(0, len(points), 3):
                found[-1] += _curve(found[-1][-1], *points[k : k + 3])
    return found


def _curve(a: Point, b: Point, c: Point, d: Point) -> list[Point]:
    def at(t: float, k: int) -> float:
        s = 1 - t
        return s**3 * a[k] + 3 * s * s * t * b[k] + 3 * s * t * t * c[k] + t**3 * d[k]

    return [(at(k / CURVE, 0), at(k / CURVE, 1)) for k in range(1, CURVE + 1)]


def draw(size: int, full: bool) -> Image.Image:
    """The icon, so many pixels wide."""
    root = ElementTree.fromstring(SOURCE.read_text(encoding="utf-8"))
    pixels = size * SUPERSAMPLING
    unit = pixels / UNITS
    image = Image.new("RGBA", (pixels, pixels))
    pen = ImageDraw.Draw(image)
    ground, group = root
    radius = 0 if full else float(ground.attrib["rx"]) * unit
    pen.rounded_rectangle((0, 0, pixels - 1, pixels - 1), radius, ground.attrib["fill"])
    moved = re.fullmatch(r"translate\(([\d.]+) ([\d.]+)\) scale\(([\d.]+)\)", group.attrib["transform"])
    assert moved is not None
    left, top, scale = (float(number) for number in moved.groups())

    def place(point: Point) -> Point:
        return (left + scale * point[0]) * unit, (top + scale * point[1]) * unit

    for shape in group:
        look = shape.attrib
        if shape.tag.endswith("circle"):
            x, y = place((float(look["cx"]), float(look["cy"])))
            r = float(look["r"]) * scale * unit
            pen.ellipse((x - r, y - r, x + r, y + r), look["fill"])
        elif "stroke" in look:
            wide = round(float(look["stroke-width"]) * scale * unit)
            for line in lines_of(look["d"]):
                pen.line([place(point) for point in line], look["stroke"], wide, "curve")
        else:
            for line in lines_of(look["d"]):
                pen.polygon([place(point) for point in line], look["fill"])
    small = image.resize((size, size), Image.Resampling.LANCZOS)
    return (small.convert("RGB") if full else small).quantize(COLORS, Image.Quantize.FASTOCTREE)


def write() -> None:
    """All files."""
    for name, (size, full) in FILES.items():
        draw(size, full).save(FOLDER / name, optimize=True)


if __name__ == "__main__":
    write()
