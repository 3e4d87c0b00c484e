"""The icons that are packaged are those that the drawing makes."""

from __future__ import annotations

import pytest
from PIL import Image, ImageChops, ImageStat

from tests.icons import FILES, FOLDER, draw, lines_of


@pytest.mark.parametrize("name", FILES)
def test_icons_are_drawn_from_the_drawing(name: str) -> None:
    size, full = FILES[name]
    with Image.open(FOLDER / name) as kept:
        assert kept.size == (size, size) and (FOLDER / name).stat().st_size < 20_000
        found, wanted = kept.convert("RGBA"), draw(size, full).convert("RGBA")
    assert max(ImageStat.Stat(ImageChops.difference(found, wanted)).mean) < 1, "make icons"
    corner, middle = found.getpixel((0, 0)), found.getpixel((size // 2, size // 2))
    assert corner[3] == (255 if full else 0) and middle[3] == 255
    if full:  # systems cut out a circle: all that is drawn must be within 40% of the middle
        ground = Image.new("RGB", (size, size), corner[:3])
        left, top, right, bottom = (
            ImageChops.difference(found.convert("RGB"), ground).point(lambda value: 255 if value > 40 else 0).getbbox()
        )
        assert min(left, top) > 0.1 * size and max(right, bottom) < 0.9 * size


def test_what_is_not_drawn_is_refused() -> None:
    assert lines_of("M0 0 4 0L4 4Z") == [[(0, 0), (4, 0), (4, 4)]]
    with pytest.raises(ValueError, match="'A'"):
        lines_of("M0 0A1 1 0 0 0 2 2")
