// Any position by link: set it up, look at it, analyse it, play from it.

import { ask, Refusal } from "./api.js";
import { alarm, button, h, range } from "./dom.js";
import { Editor, NAMES } from "./editor.js";
import { practise } from "./practice.js";
import { question, sourceWords } from "./sentences.js";
import { diceThrown, draftOf, hasThrow, positionOfDraft } from "./setup.js";
import { Table } from "./table.js";
import { explained, valuesTable } from "./values.js";
import { labelled, percent, say } from "./words.js";

/** A fresh game, as the form's first content. */
const FRESH = {
  num_players: 2,
  copies: 3,
  italian_reading: false,
  middle: [3, 3, 3, 3, 3],
  players: range(2).map(() => ({ markers: [0, 0, 0, 0, 0], frustrations: 0 })),
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
};

export async function showPosition(main, go) {
  const given = new URLSearchParams(location.search).get("p") ?? "";
  const line = h("input", { type: "text", id: "position", class: "wide", value: given });
  const result = h("div", { class: "result", "aria-live": "polite" });

  const analyse = async (text) => {
    try {
      const found = await ask("GET", `/api/analyse?${new URLSearchParams({ position: text })}`);
      line.value = found.text;
      history.replaceState(null, "", `/position?p=${encodeURIComponent(found.text)}`);
      result.replaceChildren(...report(found, go));
      return found.position;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const words = error.code?.startsWith("position_") ? wrongWords(error) : error.message;
      result.replaceChildren(h("p", { class: "card minus" }, words));
      return null;
    }
  };
  const load = async (event) => {
    event.preventDefault();
    const found = await analyse(line.value);
    if (found) editor.set(draftOf(found)); // else what somebody has set up stays
  };
  /** What was set up, unless dice are missing. */
  const whole = (draft) => {
    const due = diceThrown(draft);
    if (!hasThrow(draft) || draft.thrown.length === due) return positionOfDraft(draft);
    alarm(say("error.position_dice", { count: due, given: draft.thrown.length }));
    return null;
  };
  const submit = async (draft) => {
    const position = whole(draft);
    if (!position) return;
    await analyse(JSON.stringify(position));
    result.scrollIntoView({ block: "start" });
  };
  const playAt = (draft) => {
    const position = whole(draft);
    if (position) play(go, position, JSON.stringify(position));
  };
  const editor = new Editor(draftOf(FRESH), submit, [say("position.play"), playAt, { "data-key": "play" }]);

  main.replaceChildren(
    h(
      "form",
      { class: "card", submit: load },
      h("h1", {}, say("position.title")),
      h("label", { for: "position" }, say("position.text")),
      line,
      h("p", {}, h("button", { "data-key": "load" }, say("position.load"))),
    ),
    result,
    editor.element,
  );
  const found = given ? await analyse(given) : null;
  if (found) editor.set(draftOf(found));
}

/** What is wrong with a position, with the form's words for its fields. */
function wrongWords({ code, facts }) {
  const [, name, number, what] = /^(players|middle)\[(\d)\](?:\.(\w+).*)?$/.exec(facts.field) ?? [];
  const who = name === "players" ? NAMES[number] : say("middle");
  const field = name ? labelled(who, say(what === "frustrations" ? "frustrations" : "markers")) : facts.field;
  return `${say("position.wrong")} ${say(`error.${code}`, { ...facts, field })}`;
}

/** Against champions, at the place of whoever decides. */
function play(go, position, text, action = null) {
  const me = position.to_act ?? position.active;
  const seats = range(position.num_players).map((k) => (k === me ? "me" : "champion"));
  const { copies, italian_reading } = position;
  return practise(go, { seats, position: text, copies, italian_reading }, action);
}

function report(found, go) {
  const { position, advice, text } = found;
  const seats = range(position.num_players).map((k) => ({ kind: "person", name: NAMES[k], agent: null, wishes: [] }));
  const values = h("div", { class: "scroll", tabindex: "0" });
  const why = h("div", { class: "why" });
  const select = (action) => {
    const focused = values.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const tryIt = (one) => play(go, position, text, one);
    const rows = advice.actions;
    values.replaceChildren(valuesTable({ rows, position, seats, mine: null, selected: action, select, tryIt }));
    why.replaceChildren(...explained(advice, action, position, seats, null));
    if (focused) values.querySelector(`[data-key="${focused}"]`)?.focus();
  };
  if (advice) select(advice.actions[0].action);
  const table = new Table();
  table.show({ position, scores: found.scores, seats, mine: null, asked: position.to_act });
  return [
    h("div", { class: "scene" }, table.element),
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
      advice && [h("h2", {}, question(position, seats, null)), values, why],
    ),
    position.phase === "over"
      ? ""
      : h(
          "p",
          {},
          button(say("position.play"), () => play(go, position, text), { class: "main", "data-key": "play-found" }),
        ),
  ];
}
