// How a position looks in a picture that does not move, and names. Nothing here knows a rule; it draws what the server says.

import { h, range } from "./dom.js";
import { agentKind, characterName, face as faceOf, siblings } from "./faces.js";
import { FACES, marker, pip, raven, token, VALUES } from "./pieces.js";
import { labelled, list, say } from "./words.js";

export { FACES, marker, VALUES };

export const faceName = (face) => (face === 0 ? say("raven") : String(face));

/** One die. */
export function die(face, { kind = "" } = {}) {
  return h(
    "span",
    { class: `die ${kind}`, role: "img", "aria-label": faceName(face), "data-face": face },
    h("span", { class: "top" }, pip(face)),
  );
}

/** A die to tap on. */
export function dieButton(face, attributes) {
  return h(
    "button",
    { type: "button", class: "die", "aria-label": faceName(face), ...attributes },
    h("span", { class: "top" }, pip(face)),
  );
}

/** Markers in words. */
export function counted(counts) {
  const parts = VALUES.map((value, k) => (counts[k] ? `${counts[k]} × ${value}` : null)).filter(Boolean);
  return parts.length ? parts.join(", ") : say("no_markers");
}

/** An agent's name for people, and what it is. */
export const agentName = (spec) => `${characterName(spec)} · ${agentKind(spec)}`;

export function seatName(seats, number, mine = null) {
  if (number === mine) return say("lobby.you");
  const seat = seats[number];
  if (seat.kind === "open") return say("agent.person");
  if (seat.kind === "person") return seat.name;
  return characterName(seat.agent, siblings(seats, number));
}

/** What is to be said of whoever sits there, beside the name. */
export function seatLine(seats, number) {
  const seat = seats[number];
  if (seat.kind === "person") return seat.agent ? say("away") : "";
  const level = /^champion:level=(\d+)$/.exec(seat.agent ?? "")?.[1];
  if (level) return say("face.level", { level });
  return seat.agent ? agentKind(seat.agent) : "";
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
      faceOf(seats, seat),
      h("span", { class: "name" }, seatName(seats, seat, mine)),
      h("span", { class: "points" }, `${scores[seat]} ${say("score")}`),
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

/** The last throw as far as it is not on the board, and the board: all seven dice, each once. */
export function board(position, seats, mine) {
  const { target, targets: hits, ravens, last_throw: thrown, frustraters } = position;
  let [ofTarget, ofRavens] = [hits, ravens];
  const loose = thrown.filter((one) => (one === 0 ? ofRavens-- <= 0 : one !== target || ofTarget-- <= 0));
  const fresh = (face, number, all) => {
    const thrownNow = thrown.filter((one) => one === face).length;
    return number >= all - thrownNow ? "fresh" : "";
  };
  const slot = (kind) => h("span", { class: `slot ${kind}`, "aria-hidden": "true" }, kind === "for-raven" && raven());
  const empty = Math.max(0, 7 - hits - ravens);
  const names = frustraters.map((seat) => seatName(seats, seat, mine));
  return h(
    "section",
    { class: "card picture", "aria-labelledby": "board-title" },
    h("h2", { id: "board-title" }, labelled(say("board"), seatName(seats, position.active, mine))),
    h(
      "div",
      { class: "dice throw" },
      loose.map((one) => die(one, { kind: "fresh" })),
    ),
    h(
      "div",
      { class: "dice on-board" },
      range(hits).map((k) => die(target, { kind: `hit ${fresh(target, k, hits)}` })),
      range(empty).map((k) => slot(hits + k < 4 ? "for-target" : "for-raven")),
      range(ravens)
        .reverse()
        .map((k) => die(0, { kind: `bad ${fresh(0, k, ravens)}` })),
    ),
    h(
      "p",
      { class: "row small" },
      h("span", {}, labelled(say("target"), target ?? "–")),
      h("span", {}, labelled(say("ravens"), ravens)),
      names.length > 0 && h("span", { class: "row" }, range(names.length).map(token), list(names)),
    ),
  );
}
