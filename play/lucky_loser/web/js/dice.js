// Ordinary dice, drawn by ourselves.

import { h, svg } from "/web/js/dom.js";

export const FACES = [1, 2, 3, 4, 5, 6];
const [LOW, MID, HIGH] = [22, 50, 78];
const CORNERS = [
  [LOW, LOW],
  [HIGH, HIGH],
];
const OTHERS = [
  [LOW, HIGH],
  [HIGH, LOW],
];
const SIDES = [
  [LOW, MID],
  [HIGH, MID],
];
const DOTS = {
  1: [[MID, MID]],
  2: CORNERS,
  3: [...CORNERS, [MID, MID]],
  4: [...CORNERS, ...OTHERS],
  5: [...CORNERS, ...OTHERS, [MID, MID]],
  6: [...CORNERS, ...OTHERS, ...SIDES],
};

const dots = (face) =>
  svg(
    "svg",
    { viewBox: "0 0 100 100", "aria-hidden": "true", focusable: "false" },
    DOTS[face].map(([cx, cy]) => svg("circle", { cx, cy, r: 10 })),
  );

/** A die on the table. */
export const die = (face) => h("span", { class: `dotted ${face === 1 ? "one" : ""}`, "data-face": face }, dots(face));

/** A die to tap on. */
export const dieButton = (face, attributes) =>
  h("button", { type: "button", class: "dotted", "aria-label": String(face), ...attributes }, dots(face));
