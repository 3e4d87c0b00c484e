// Any position by link: set it up, look at it, analyse it, play from it.

import { ask, openRoom, Refusal } from "./api.js";
import { alarm, button, h, range, select } from "./dom.js";
import * as draw from "./draw.js";
import { actionWords, question, reason, sourceWords } from "./sentences.js";
import { labelled, percent, say } from "./words.js";

const NAMES = ["A", "B", "C", "D", "E"];

/** A fresh game, as the form's first content. */
const fresh = (players, copies) => ({
  num_players: players,
  copies,
  italian_reading: false,
  middle: draw.VALUES.map(() => copies),
  players: range(players).map(() => ({ markers: [0, 0, 0, 0, 0], frustrations: 0 })),
  murphy: null,
  active: 0,
  target: null,
  targets: 0,
  ravens: 0,
  reduced: false,
  frustraters: [],
  last_throw: [],
  after_reduction: false,
  phase: "throw",
  to_act: null,
  turn: 0,
});

export async function showPosition(main, go) {
  const given = new URLSearchParams(location.search).get("p") ?? "";
  const line = h("input", { type: "text", id: "position", class: "wide", value: given });
  const result = h("div", { "aria-live": "polite" });
  const editor = h("div");

  const analyse = async (text, dice = []) => {
    const query = new URLSearchParams([["position", text], ...dice.map((face) => ["throw", String(face)])]);
    try {
      const found = await ask("GET", `/api/analyse?${query}`);
      line.value = found.text;
      history.replaceState(null, "", `/position?p=${encodeURIComponent(found.text)}`);
      result.replaceChildren(...report(found, go));
      return found.position;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      result.replaceChildren(h("p", { class: "minus" }, say("position.wrong"), " ", error.message));
      return null;
    }
  };
  const load = async (event) => {
    event.preventDefault();
    const found = await analyse(line.value);
    if (found) edit(found); // else what somebody has set up stays
  };
  const edit = (position) => editor.replaceChildren(form(position, edit, analyse));

  main.replaceChildren(
    h(
      "form",
      { class: "card", submit: load },
      h("h1", {}, say("position.title")),
      h("label", { for: "position" }, say("position.text")),
      line,
      h("p", {}, h("button", { "data-key": "load" }, say("position.load"))),
    ),
    editor,
    result,
  );
  let found = null;
  try {
    if (given) found = await analyse(given);
  } catch (error) {
    alarm(String(error));
  }
  edit(found ?? fresh(2, 3));
}

/** The position as numbers to change: always one between two turns, with the dice of a first throw, if any. */
function form(position, edit, analyse) {
  const choice = (label, options, now, change) => h("label", {}, label, select(options, now, change));
  const numbers = (...options) => options.map((number) => [number, number]);
  const seats = range(position.num_players).map((k) => [k, NAMES[k]]);
  const between = {
    ...fresh(position.num_players, position.copies),
    italian_reading: position.italian_reading,
    middle: [...position.middle],
    murphy: position.murphy,
    active: position.active,
  };
  between.players = position.players.map((player) => ({
    markers: [...player.markers],
    frustrations: player.frustrations,
  }));
  const count = (label, now, change) =>
    h("input", {
      type: "number",
      min: 0,
      max: 99,
      value: now,
      "aria-label": label,
      input: (event) => change(Number(event.target.value)),
    });
  const row = (name, counts, more) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      draw.VALUES.map((value, k) =>
        h(
          "td",
          {},
          count(`${name}: ${value}`, counts[k], (number) => (counts[k] = number)),
        ),
      ),
      h("td", {}, more),
    );
  let dice = position.phase === "target" ? [...position.last_throw] : [];
  const thrown = h("span", { class: "dice" });
  const drawDice = () => thrown.replaceChildren(...dice.map((face) => draw.die(face)));
  drawDice();
  const tap = (face) => {
    if (dice.length < 7) dice.push(face);
    drawDice();
  };
  const clear = () => {
    dice = [];
    drawDice();
  };
  const submit = (event) => {
    event.preventDefault();
    if (dice.length % 7) alarm(say("dice.wrong", { count: 7 }));
    else analyse(JSON.stringify(between), dice);
  };
  return h(
    "form",
    { class: "card", submit },
    h(
      "div",
      { class: "row" },
      choice(say("position.players"), numbers(2, 3, 4, 5), position.num_players, (number) =>
        edit(fresh(Number(number), position.copies)),
      ),
      choice(say("lobby.copies"), numbers(3, 2, 1), position.copies, (number) =>
        edit(fresh(position.num_players, Number(number))),
      ),
      choice(
        say("murphy"),
        [["", say("nobody")], ...seats],
        between.murphy ?? "",
        (seat) => (between.murphy = seat === "" ? null : Number(seat)),
      ),
      choice(say("at_turn"), seats, between.active, (seat) => (between.active = Number(seat))),
    ),
    h(
      "div",
      { class: "scroll", tabindex: "0" },
      h(
        "table",
        { class: "counts" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("td", {}),
            draw.VALUES.map((value) =>
              h("th", { scope: "col" }, draw.marker(value), h("span", { class: "unseen" }, String(value))),
            ),
            h("th", { scope: "col", class: "small" }, say("frustrations")),
          ),
        ),
        h(
          "tbody",
          {},
          between.players.map((player, k) =>
            row(
              NAMES[k],
              player.markers,
              count(
                `${NAMES[k]}: ${say("frustrations")}`,
                player.frustrations,
                (number) => (player.frustrations = number),
              ),
            ),
          ),
          row(say("middle"), between.middle, ""),
        ),
      ),
    ),
    h("p", { class: "soft" }, say("position.throw")),
    h(
      "p",
      { class: "row" },
      draw.FACES.map((face) => draw.dieButton(face, { "data-key": `face-${face}`, click: () => tap(face) })),
      button(say("dice.clear"), clear),
    ),
    h("p", {}, thrown),
    h("p", {}, h("button", { class: "main", "data-key": "analyse" }, say("position.analyse"))),
  );
}

function report(found, go) {
  const { position, advice } = found;
  const seats = range(position.num_players).map((k) => ({ kind: "person", name: NAMES[k], agent: null, wishes: [] }));
  const rows = (advice?.actions ?? []).map((row) =>
    h(
      "tr",
      {},
      h("td", {}, actionWords(row.action, position, seats, null)),
      h("td", { class: "number" }, percent(row.win_share, 2)),
      h("td", { class: "number minus" }, row.costs ? percent(row.costs, 2) : ""),
      h("td", { class: "small" }, reason(row.why)),
    ),
  );
  const play = async () => {
    const me = position.to_act ?? position.active;
    const wish = {
      seats: seats.map((_, k) => (k === me ? { kind: "me" } : { kind: "agent", agent: "champion" })),
      position: found.text,
      coach: true,
      take_back: true,
      copies: position.copies,
      italian_reading: position.italian_reading,
    };
    const opened = await openRoom("/api/rooms", wish);
    if (opened) go(`/game/${opened.room}`);
  };
  return [
    draw.players(position, found.scores, seats, null, position.to_act),
    h("p", {}),
    draw.board(position, seats, null),
    draw.middle(position),
    h(
      "section",
      { class: "card" },
      h("h2", {}, say("review.chances")),
      h(
        "p",
        {},
        found.shares.map((share, k) => labelled(NAMES[k], percent(share))).join(" · "),
        h("span", { class: "soft small" }, ` (${sourceWords(found.source)})`),
      ),
      advice && [
        h("h2", {}, question(position, seats, null)),
        h("div", { class: "scroll", tabindex: "0" }, h("table", {}, h("tbody", {}, rows))),
      ],
    ),
    position.phase === "over" ? "" : h("p", {}, button(say("position.play"), play, { class: "main" })),
  ];
}
