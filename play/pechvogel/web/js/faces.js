// Who sits at the table: birds with names, faces and colours for agents, the first letter of their name for people.

import { h, svg } from "./dom.js";
import { percent, say } from "./words.js";

// An agent that sits at a table several times has a sibling at each place. `look`: feathers, front, beak, and what is special.
const CHARACTERS = {
  random: { names: ["Dodo", "Dudu", "Didi", "Dada"], look: ["#9aa3a8", "#d9dee0", "#d9a441", "dizzy", "tuft"] },
  heuristic: { names: ["Paula", "Pepe", "Pina", "Piet"], look: ["#a06a3f", "#e9d3b4", "#5b5147", "round", "cap"] },
  planner: { names: ["Otto", "Olga", "Oskar", "Odile"], look: ["#7b5f43", "#cdb08a", "#d8a13a", "glasses", "ears"] },
  ppo: { names: ["Mika", "Maja", "Milo", "Mina"], look: ["#27333d", "#f4f6f7", "#20262b", "round", "none"] },
  "champion:level=1": {
    names: ["Kiki", "Koko", "Kalle", "Kira"],
    look: ["#f0cf5a", "#fbeebc", "#ee8e2f", "round", "tuft"],
  },
  "champion:level=2": {
    names: ["Lulu", "Leo", "Lina", "Lasse"],
    look: ["#5b93c7", "#f6e58d", "#39424a", "round", "cap"],
  },
  "champion:level=3": {
    names: ["Bruno", "Berta", "Boris", "Bella"],
    look: ["#7d6a52", "#d9602f", "#3f362c", "round", "none"],
  },
  "champion:level=4": {
    names: ["Wanda", "Willi", "Wim", "Wilma"],
    look: ["#3a3f45", "#f1ece2", "#8b8f93", "round", "crest"],
  },
  "champion:level=5": {
    names: ["Hektor", "Hanna", "Hugo", "Hilde"],
    look: ["#8fa3b3", "#eef2f5", "#e0a63a", "keen", "plume"],
  },
  "champion:level=6": {
    names: ["Greta", "Gustav", "Gina", "Gero"],
    look: ["#e9e6df", "#ffffff", "#e9792b", "keen", "none"],
  },
  "champion:level=7": {
    names: ["Nero", "Nora", "Nils", "Nadja"],
    look: ["#3c3a44", "#5c5966", "#24232a", "keen", "tuft"],
  },
  "champion:level=8": {
    names: ["Falko", "Frida", "Fritz", "Fiona"],
    look: ["#5d6b78", "#e7dcc6", "#e3b23c", "stern", "cap"],
  },
  "champion:level=9": {
    names: ["Adela", "Adrian", "Alba", "Arno"],
    look: ["#6b4a2b", "#f3efe6", "#eab530", "stern", "white"],
  },
  champion: { names: ["Corvin", "Cora", "Casper", "Clara"], look: ["#1d2129", "#343b48", "#11141a", "stern", "crown"] },
  optimal: {
    names: ["Minerva", "Merlin", "Mira", "Magnus"],
    look: ["#6d6aa8", "#d8d5f2", "#e3b23c", "glasses", "laurel"],
  },
};
const STRANGER = { names: ["?"], look: ["#7a8a8a", "#dfe7e6", "#d9a441", "round", "none"] };
// Of seats, so that everybody is known by a colour, too.
export const COLOURS = ["#2f7f86", "#c0612b", "#4f6fb5", "#8a4f9e", "#5d7d2c"];

const character = (spec) => CHARACTERS[spec] ?? STRANGER;

/** The name of an agent, as the so-many-th of its kind at a table. */
export function characterName(spec, number = 0) {
  const { names } = character(spec);
  return names[number % names.length];
}

/** What an agent is: a kind, or a level of the champion. */
export function agentKind(spec) {
  const level = /^champion:level=(\d+)$/.exec(spec);
  return level ? say("agent.level", { level: level[1] }) : say(`agent.${spec}`);
}

/** One line about how an agent plays, and how strong it is; `strength` is by agent, as the server says. */
export function characterLine(spec, strength = {}) {
  const level = Number(/^champion:level=(\d+)$/.exec(spec)?.[1] ?? 0);
  const style = say(level ? `face.level_${Math.ceil(level / 3)}` : `face.${spec}`);
  const share = strength[spec];
  return share === undefined ? style : `${style} ${say("face.strength", { share: percent(share, 0) })}`;
}

const eye = (x, y, r, fill) => svg("circle", { cx: x, cy: y, r, fill });
const line = (d, stroke, width = 2) =>
  svg("path", { d, stroke, "stroke-width": width, fill: "none", "stroke-linecap": "round" });

function eyes(kind) {
  if (kind === "dizzy") {
    const spiral = (x) => line(`M${x} 28a2 2 0 1 1-2 2 4 4 0 1 1 4 4 6 6 0 0 1-6-4`, "#263033", 1.6);
    return [eye(23, 29, 7, "#fff"), eye(41, 29, 7, "#fff"), spiral(23), spiral(41)];
  }
  const base = [
    eye(23, 29, 5.6, "#fff"),
    eye(41, 29, 5.6, "#fff"),
    eye(24, 29.6, 2.8, "#14181b"),
    eye(40, 29.6, 2.8, "#14181b"),
  ];
  const shine = [eye(25, 28.5, 0.9, "#fff"), eye(41, 28.5, 0.9, "#fff")];
  const extra = {
    round: [],
    keen: [line("M16 24l11-1M48 24l-11-1", "#14181b", 2.4)],
    stern: [line("M15 21.5 28 26M49 21.5 36 26", "#14181b", 3)],
    glasses: [
      svg("circle", { cx: 23, cy: 29, r: 8, fill: "none", stroke: "#c9a03a", "stroke-width": 2 }),
      svg("circle", { cx: 41, cy: 29, r: 8, fill: "none", stroke: "#c9a03a", "stroke-width": 2 }),
      line("M31 28h2", "#c9a03a"),
    ],
  };
  return [...base, ...shine, ...extra[kind]];
}

function special(kind, feathers) {
  const of = {
    none: [],
    tuft: [line("M32 13c-1-4-5-6-7-5M32 13c0-5 2-8 5-8M32 13c2-3 6-4 8-2", feathers, 3)],
    cap: [svg("path", { d: "M13 25c2-13 36-13 38 0-10-6-28-6-38 0z", fill: "#2b2b2b", opacity: 0.45 })],
    ears: [svg("path", { d: "M14 24 12 7l12 8zM50 24 52 7l-12 8z", fill: feathers })],
    crest: [svg("path", { d: "M20 16C22 6 30 4 34 2c0 4 4 3 8 3-2 3 2 5 4 8-8-2-18-1-26 3z", fill: "#d2362b" })],
    plume: [line("M40 15c8-2 14-8 20-8M38 14c6-4 10-10 16-12", "#2f3a44", 2.6)],
    white: [svg("path", { d: "M12 30c-1-16 8-21 20-21s21 5 20 21c-4-6-8-8-20-8s-16 2-20 8z", fill: "#f6f2e8" })],
    crown: [
      svg("path", {
        d: "M17 16 15 3l9 6 8-8 8 8 9-6-2 13c-9-3-21-3-30 0z",
        fill: "#f2c230",
        stroke: "#8f6a00",
        "stroke-width": 1,
      }),
      eye(32, 10, 2, "#c9402f"),
    ],
    laurel: [
      line("M12 24C10 14 18 7 27 6M52 24c2-10-6-17-15-18", "#3f7a35", 2.6),
      ...[13, 17, 23].map((x, k) =>
        svg("ellipse", {
          cx: x,
          cy: 18 - 5 * k,
          rx: 4.4,
          ry: 2,
          fill: "#5ba04b",
          transform: `rotate(-50 ${x} ${18 - 5 * k})`,
        }),
      ),
      ...[51, 47, 41].map((x, k) =>
        svg("ellipse", {
          cx: x,
          cy: 18 - 5 * k,
          rx: 4.4,
          ry: 2,
          fill: "#5ba04b",
          transform: `rotate(50 ${x} ${18 - 5 * k})`,
        }),
      ),
    ],
  };
  return of[kind];
}

function bird(spec, back, number) {
  const [feathers, front, beak, look, extra] = character(spec).look;
  const head = svg(
    "g",
    {},
    special(extra === "ears" ? "ears" : "none", feathers),
    svg("path", { d: "M6 70c0-20 10-26 26-26s26 6 26 26z", fill: feathers }),
    svg("path", { d: "M11 33c0-15 9-22 21-22s21 7 21 22-9 22-21 22-21-7-21-22z", fill: feathers }),
    svg("path", { d: "M17 36c0-8 6-11 15-11s15 3 15 11c0 12-6 18-15 18s-15-6-15-18z", fill: front }),
    special(extra === "ears" ? "none" : extra, feathers),
    eyes(look),
    svg("path", { d: "M25.5 36c3-3 10-3 13 0l-6.5 11z", fill: beak, stroke: "#0005", "stroke-width": 0.8 }),
    line("M27 38.5c3 1.4 7 1.4 10 0", "#0006", 1.2),
  );
  if (number % 2) head.setAttribute("transform", "translate(64 0) scale(-1 1)"); // siblings look the other way
  return svg(
    "svg",
    { viewBox: "0 0 64 64", "aria-hidden": "true", focusable: "false" },
    svg("circle", { cx: 32, cy: 32, r: 32, fill: back }),
    svg("circle", { cx: 32, cy: 26, r: 25, fill: "#ffffff", opacity: 0.16 }),
    head,
  );
}

const initial = (name, back) =>
  svg(
    "svg",
    { viewBox: "0 0 64 64", "aria-hidden": "true", focusable: "false" },
    svg("circle", { cx: 32, cy: 32, r: 32, fill: back }),
    svg("path", { d: "M6 72c2-16 12-20 26-20s24 4 26 20z", fill: "#ffffff", opacity: 0.22 }),
    svg("text", { x: 32, y: 42, "text-anchor": "middle", "font-size": 30, "font-weight": 700, fill: "#fff" }, name),
  );

/** How many of its kind sit before a seat. */
export function siblings(seats, number) {
  return seats.slice(0, number).filter((other) => other.kind === "agent" && other.agent === seats[number].agent).length;
}

/** The face of whoever sits there. */
export function face(seats, number) {
  const seat = seats[number];
  const back = COLOURS[number % COLOURS.length];
  const drawn =
    seat.kind === "agent"
      ? bird(seat.agent, back, siblings(seats, number))
      : initial(([...(seat.name ?? "")][0] ?? "?").toUpperCase(), back);
  return h("span", { class: "face", "aria-hidden": "true" }, drawn);
}

/** The face of an agent that nobody has sat down yet. */
export const agentFace = (spec, number = 0) =>
  h(
    "span",
    { class: "face", "aria-hidden": "true" },
    spec === "person" ? initial("?", COLOURS[number + 1]) : bird(spec, COLOURS[(number + 1) % COLOURS.length], 0),
  );
