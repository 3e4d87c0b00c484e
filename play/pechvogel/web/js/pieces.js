// The pieces of the game, drawn by ourselves: faces of dice, markers, frustrations, Murphy, and what lies beside them.

import { h, svg } from "./dom.js";

export const VALUES = [3, 4, 5, 6, 7];
export const FACES = [...VALUES, 0]; // 0 is a raven
const RAVEN =
  "M6 37 27 25C33 13 47 12 54 23 60 33 65 43 81 55L97 68 80 67C75 74 68 78 60 79L62 90 71 93 53 93 51 80 46 79 44 90 " +
  "52 93 33 93 36 91 39 76C31 69 29 57 30 42L22 38Z";

const picture = (attributes, ...parts) =>
  svg("svg", { "aria-hidden": "true", focusable: "false", ...attributes }, ...parts);

/** A raven, in the colour of what is around it; its eye is a hole. */
export const raven = () =>
  picture(
    { viewBox: "0 0 100 100", class: "raven" },
    svg("path", { d: RAVEN, fill: "currentColor" }),
    svg("circle", { cx: 39, cy: 27, r: 3.6, fill: "#fff8e6" }),
  );

/** What a die shows. */
export const pip = (face) =>
  face === 0 ? raven() : h("span", { class: `pip v${face}`, "aria-hidden": "true" }, String(face));

/** A bubble in which somebody speaks. */
export const speech = () =>
  picture(
    { viewBox: "0 0 24 24", class: "speech" },
    svg("path", {
      d: "M4 4h16a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-8l-5 4v-4H4a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2z",
      fill: "none",
      stroke: "currentColor",
      "stroke-width": 2,
      "stroke-linejoin": "round",
    }),
    svg("path", { d: "M7 9h10M7 12.5h6", stroke: "currentColor", "stroke-width": 2, "stroke-linecap": "round" }),
  );

/** A score marker: a disc with a rim, and its value. */
export function marker(value, { gone = false } = {}) {
  return h("span", { class: `marker v${value} ${gone ? "gone" : ""}`, "aria-hidden": "true" }, String(value));
}

/** A frustration: a cloud with a flash. */
export const token = () =>
  h(
    "span",
    { class: "token", "aria-hidden": "true" },
    picture(
      { viewBox: "0 0 40 40" },
      svg("circle", { cx: 20, cy: 20, r: 18.5, fill: "#4a2f5e", stroke: "#2c1a3b", "stroke-width": 2 }),
      svg("circle", {
        cx: 20,
        cy: 20,
        r: 15,
        fill: "none",
        stroke: "#8a6aa6",
        "stroke-width": 1.2,
        "stroke-dasharray": "3 2.4",
      }),
      svg("path", {
        d: "M12.5 22.5a4.3 4.3 0 0 1-.3-8.6 6 6 0 0 1 11-2.3 5 5 0 0 1 5.3 5.3 3.2 3.2 0 0 1-.6 5.6z",
        fill: "#e9e2f2",
      }),
      svg("path", {
        d: "m20.4 20.6-4.6 7h3.6l-1.8 6.2 7-8.4h-3.7l2.6-4.8z",
        fill: "#ffc93c",
        stroke: "#7a4d00",
        "stroke-width": 0.6,
      }),
    ),
  );

/** Murphy: whatever can go wrong looks forward to it. */
export const murphy = () =>
  h(
    "span",
    { class: "murphy", "aria-hidden": "true" },
    picture(
      { viewBox: "0 0 64 64" },
      svg("path", { d: "M10 60c0-14 9-22 22-22s22 8 22 22z", fill: "#2f3d2a" }),
      svg("path", { d: "m25 41 7 8 7-8-1 15-6 4-6-4z", fill: "#c9402f" }),
      svg("path", { d: "M8 28c-5-1-6-9-2-11 3 0 6 3 8 6zM56 28c5-1 6-9 2-11-3 0-6 3-8 6z", fill: "#7fb04f" }),
      svg("path", { d: "M12 26c0-12 9-18 20-18s20 6 20 18c0 13-9 20-20 20S12 39 12 26z", fill: "#93c75c" }),
      svg("path", {
        d: "M14 15c0-1 3-3 6-3.5L22 2.6C28 .6 38 .9 43 3.4L45 12c3 .7 5 2 5 3.4-10-3-26-3.6-36-.4z",
        fill: "#22252b",
      }),
      svg("path", { d: "M20 11.6c8-2 17-1.6 25 .3l-.7-3c-8-1.7-15-1.8-23.6-.1z", fill: "#c9402f" }),
      svg("circle", { cx: 24, cy: 24, r: 6, fill: "#fff" }),
      svg("circle", { cx: 41, cy: 23, r: 4.6, fill: "#fff" }),
      svg("circle", { cx: 25.5, cy: 24.6, r: 2.3, fill: "#1a1a1a" }),
      svg("circle", { cx: 40, cy: 24, r: 1.9, fill: "#1a1a1a" }),
      svg("path", {
        d: "M16 17.5 28 20M37 18.5l9-4",
        stroke: "#3c5a22",
        "stroke-width": 2.6,
        "stroke-linecap": "round",
      }),
      svg("path", { d: "M19 33c7 8 20 8 27-2-8 3-19 4-27 2z", fill: "#5b1a1a" }),
      svg("path", {
        d: "m22 34 3 3.2 2.6-2.6 3 3 3-3.2 3 2.6 2.8-3.6 2.6 1.6 2-2.4",
        stroke: "#fff",
        "stroke-width": 1.6,
        fill: "none",
      }),
      svg("path", {
        d: "M33 25c2 2 2 4-1 4.6",
        stroke: "#3c5a22",
        "stroke-width": 1.8,
        fill: "none",
        "stroke-linecap": "round",
      }),
    ),
  );

/** The box: what goes in there is out of the game. */
export const box = () =>
  picture(
    { viewBox: "0 0 64 64", class: "box-picture" },
    svg("path", { d: "M6 24 32 14 58 24 32 35z", fill: "#6e4a2a" }),
    svg("path", { d: "M6 24 32 35V58L6 46z", fill: "#b27f4c" }),
    svg("path", { d: "M58 24 32 35V58l26-12z", fill: "#98683b" }),
    svg("path", { d: "M12 24.4 32 17l20 7.4-20 8.2z", fill: "#2f1d10" }),
    svg("path", { d: "m6 24-4 7 26 11.4 4-7.4zM58 24l4 7-26 11.4-4-7.4z", fill: "#caa06c" }),
  );

/** Letting something be: a tick in a circle. */
export const letting = () =>
  picture(
    { viewBox: "0 0 40 40", class: "letting" },
    svg("circle", { cx: 20, cy: 20, r: 17, fill: "none", stroke: "currentColor", "stroke-width": 3, opacity: 0.55 }),
    svg("path", {
      d: "m12 21 6 6 11-13",
      fill: "none",
      stroke: "currentColor",
      "stroke-width": 4,
      "stroke-linecap": "round",
      "stroke-linejoin": "round",
    }),
  );

/** The sides of a cube, for a die that rolls. */
export function cube() {
  return h(
    "span",
    { class: "cube" },
    FACES.map((face) => h("span", { class: `side-of side-${face}` }, pip(face))),
  );
}

/** How a cube must be turned to show a face: around the horizontal and the vertical axis, in degrees. */
export const TURNED = { 0: [0, 0], 3: [0, 180], 4: [0, -90], 5: [0, 90], 6: [-90, 0], 7: [90, 0] };
