// How a position looks: players, middle, board, dice. Nothing here knows a rule; it draws what the server says.

import { h, svg } from "./dom.js";
import { labelled, say } from "./words.js";

export const VALUES = [3, 4, 5, 6, 7];
export const FACES = [...VALUES, 0]; // 0 is a raven
const RAVEN = "M8 30 28 20C34 12 46 12 52 22 58 34 66 44 84 58L96 72 78 68C66 78 50 76 42 66 34 58 34 44 30 34Z";

export const faceName = (face) => (face === 0 ? say("raven") : String(face));

/** One die; `rolling` says when it falls, and how long that takes, in milliseconds; null that it lies. */
export function die(face, { kind = "", rolling = null } = {}) {
  const content =
    face === 0
      ? svg("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, svg("path", { d: RAVEN, fill: "currentColor" }))
      : String(face);
  const element = h(
    "span",
    { class: `die ${kind} ${rolling === null ? "" : "rolling"}`, role: "img", "aria-label": faceName(face) },
    content,
  );
  if (rolling) {
    element.style.animationDelay = `${rolling.after}ms`;
    element.style.animationDuration = `${rolling.takes}ms`;
  }
  return element;
}

/** A die to tap on. */
export function dieButton(face, attributes) {
  return h(
    "button",
    { type: "button", class: "die", "aria-label": faceName(face), ...attributes },
    die(face).firstChild,
  );
}

export function marker(value, { gone = false } = {}) {
  return h("span", { class: `marker v${value} ${gone ? "gone" : ""}`, "aria-hidden": "true" }, String(value));
}

function counted(counts) {
  const parts = VALUES.map((value, k) => (counts[k] ? `${counts[k]} × ${value}` : null)).filter(Boolean);
  return parts.length ? parts.join(", ") : say("no_markers");
}

/** An agent's name for people. */
export function agentName(spec) {
  const level = /^champion:level=(\d+)$/.exec(spec);
  return level ? say("agent.level", { level: level[1] }) : say(`agent.${spec}`);
}

export function seatName(seats, number, mine = null) {
  if (number === mine) return say("lobby.you");
  const seat = seats[number];
  if (seat.kind === "open") return say("agent.person");
  if (seat.kind === "person") return seat.name;
  const same = seats.filter((other) => other.kind === "agent" && other.agent === seat.agent);
  const name = agentName(seat.agent);
  return same.length > 1 ? `${name} ${"ABCDE"[same.indexOf(seat)]}` : name;
}

export function players(position, scores, seats, mine, asked) {
  const order = position.players.map((_, k) => ((mine ?? -1) + 1 + k) % position.num_players);
  return h(
    "ul",
    { class: "players" },
    order.map((seat) => player(position, scores, seats, seat, mine, asked)),
  );
}

function player(position, scores, seats, seat, mine, asked) {
  const { markers, frustrations } = position.players[seat];
  const active = position.active === seat && position.phase !== "over";
  const chips = VALUES.flatMap((value, k) => Array.from({ length: markers[k] }, () => marker(value)));
  return h(
    "li",
    { class: `player ${active ? "active" : ""} ${asked === seat ? "asked" : ""}`, "data-seat": seat },
    h(
      "div",
      { class: "who" },
      h("span", {}, seatName(seats, seat, mine)),
      h("span", {}, `${scores[seat]} ${say("score")}`),
    ),
    h("div", { class: "chips" }, h("span", { class: "unseen" }, labelled(say("markers"), counted(markers))), chips),
    h(
      "div",
      { class: "chips small" },
      frustrations > 0 && h("span", { class: "badge bad" }, labelled(say("frustrations"), frustrations)),
      position.murphy === seat && h("span", { class: "badge warm" }, say("murphy")),
      active && h("span", { class: "badge" }, say("at_turn")),
      seats[seat].kind === "person" && seats[seat].agent && h("span", { class: "badge" }, say("away")),
    ),
  );
}

export function middle(position) {
  const values = VALUES.map((value, k) =>
    h(
      "span",
      { class: "chips" },
      Array.from({ length: position.copies }, (_, c) => marker(value, { gone: c >= position.middle[k] })),
    ),
  );
  return h(
    "section",
    { class: "card", "aria-labelledby": "middle-title" },
    h("h2", { id: "middle-title" }, say("middle")),
    h("p", { class: "unseen" }, counted(position.middle)),
    h("div", { class: "middle-values", "aria-hidden": "true" }, values),
  );
}

/**
 * The board with the last throw. With `rolling`, its dice fall one after another within so many milliseconds, and the
 * rest of the board is still as it was in the position `before`.
 */
export function board(position, seats, mine, { rolling = null, before = null } = {}) {
  const { target, targets: hits, ravens } = before ?? position;
  const slots = (num, least, face, kind) => [
    ...Array.from({ length: num }, () => die(face, { kind })),
    ...Array.from({ length: Math.max(0, least - num) }, () => h("span", { class: "slot", "aria-hidden": "true" })),
  ];
  const targets = target === null ? slots(0, 4, 0, "") : slots(hits, 4, target, "hit");
  const throwOf = position.last_throw.map((face, k, all) =>
    die(face, {
      kind: face === 0 ? "bad" : face === position.target ? "hit" : "",
      rolling: rolling && { after: (0.7 * rolling * k) / all.length, takes: 0.3 * rolling },
    }),
  );
  const names = position.frustraters.map((seat) => seatName(seats, seat, mine));
  return h(
    "section",
    { class: "card board", "aria-labelledby": "board-title" },
    h("h2", { id: "board-title" }, labelled(say("board"), seatName(seats, position.active, mine))),
    h(
      "div",
      { class: "board-rows" },
      h("span", {}, say("throw")),
      h("div", { class: "dice throw" }, throwOf),
      h("span", {}, labelled(say("target"), target ?? "–")),
      h("div", { class: "dice" }, targets),
      h("span", {}, say("ravens")),
      h("div", { class: "dice" }, slots(ravens, 3, 0, "bad")),
      h("span", {}, say("frustrations")),
      h("div", {}, names.length ? names.join(", ") : say("none")),
    ),
  );
}
