// A map of numbers in rows and columns: coloured fields with the numbers in them, and the same as a table.
// Nothing here knows what the numbers are.

import { h, svg } from "./dom.js";

const HIGH = 44;
const HEAD = 52;
const STRONGEST = 0.4; // how opaque colours are at most, so that the ink on them can be read, by day and by night

/**
 * `cells[row][column]` is null or has a `level` from -1 to 1 (how strongly it is coloured: warm below 0), its `text` and
 * a `note` in small letters below it. `label` is what the map shows, in words.
 */
export function heatMap({ rows, columns, cells, corner, label }) {
  const side = 92;
  const wide = window.innerWidth < 560 ? 56 : 88;
  const width = side + wide * columns.length;
  const height = HEAD + HIGH * rows.length;
  const text = (x, y, words, more = {}) =>
    svg("text", { x, y, "text-anchor": "middle", "font-size": 12, class: "heat-text", ...more }, words);
  // Words that are longer than their place go on below.
  const broken = (words, x, y, letters, more) => {
    const lines = words.split(" ").reduce(
      (all, word) => {
        const joined = all.at(-1) ? `${all.at(-1)} ${word}` : word;
        return joined.length <= letters ? [...all.slice(0, -1), joined] : [...all, word];
      },
      [""],
    );
    return lines.map((line, k) => text(x, y + 13 * (k - (lines.length - 1) / 2), line, { "font-size": 11, ...more }));
  };
  const fields = rows.flatMap((_, r) =>
    columns.flatMap((__, c) => field(cells[r][c], side + wide * c, HEAD + HIGH * r, wide, text)),
  );
  const map = svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "heat", role: "img", "aria-label": label },
    broken(corner[1], side + (wide * columns.length) / 2, 12, 60, { class: "heat-soft" }),
    columns.map((words, c) => broken(words, side + wide * (c + 0.5), 36, wide > 60 ? 14 : 9)),
    broken(corner[0], side / 2 - 4, 30, 14, { class: "heat-soft" }),
    rows.map((words, r) => broken(words, side - 8, HEAD + HIGH * (r + 0.5) + 4, 13, { "text-anchor": "end" })),
    fields,
  );
  map.style.maxWidth = `${1.15 * width}px`;
  return map;
}

function field(cell, x, y, wide, text) {
  const box = { x: x + 1, y: y + 1, width: wide - 2, height: HIGH - 2, rx: 4 };
  const empty = svg("rect", { ...box, class: "heat-empty" });
  if (!cell) return [empty];
  const strength = STRONGEST * Math.min(1, Math.abs(cell.level));
  const colour = svg("rect", {
    ...box,
    class: cell.level < 0 ? "heat-warm" : "heat-main",
    "fill-opacity": strength.toFixed(3),
  });
  const size = cell.text.length > 6 && wide < 60 ? 10 : 13;
  return [
    empty,
    cell.text ? colour : null,
    cell.text
      ? text(x + wide / 2, y + (cell.note ? 20 : 27), cell.text, { "font-weight": 600, "font-size": size })
      : null,
    cell.note ? text(x + wide / 2, y + (cell.text ? 35 : 27), cell.note, { "font-size": 10 }) : null,
  ].filter(Boolean);
}

/** The same numbers for whoever does not see colours, or wants to copy them. */
export function heatTable({ rows, columns, cells, corner, label }) {
  const shown = (cell) =>
    cell ? [cell.text, cell.text ? " " : "", h("span", { class: "soft small" }, cell.note)] : "";
  return h(
    "div",
    { class: "scroll", tabindex: "0" },
    h(
      "table",
      { "aria-label": label },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, corner.join(" / ")),
          columns.map((words) => h("th", { scope: "col", class: "number" }, words)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((words, r) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, words),
            columns.map((_, c) => h("td", { class: "number" }, shown(cells[r][c]))),
          ),
        ),
      ),
    ),
  );
}
