// The card in the middle of a game: what happens just now, what is asked, the dice to tap in, or how it ended.

import { button, h } from "./dom.js";
import * as draw from "./draw.js";
import { actionWords, because, question, reason, sourceWords } from "./sentences.js";
import { deleting } from "./side.js";
import { labelled, list, percent, say } from "./words.js";

/** `busy` is what is being shown just now, if anything. */
export function askCard(page, busy) {
  if (busy) return happening(page, busy);
  if (page.state.over) return ending(page);
  if (page.state.dice_due) return realDice(page);
  const { to_act } = page.state;
  const mine = page.seat !== null && to_act === page.seat && !page.seats[page.seat].agent;
  return mine ? decision(page) : waiting(page);
}

function happening(page, { sentences }) {
  const skip = () => (page.skipping = true);
  return h(
    "section",
    { class: "card ask", "aria-busy": "true" },
    (sentences.length ? sentences : ["…"]).map((sentence) => h("p", {}, sentence)),
    page.queue.length > 6 && h("p", {}, button(say("skip_on"), skip, { "data-key": "skip" })),
  );
}

/** Somebody else decides. */
function waiting(page) {
  const { to_act } = page.state;
  const name = to_act === null ? "" : draw.seatName(page.seats, to_act, page.seat);
  const person = to_act !== null && page.seats[to_act].kind === "person" && !page.seats[to_act].agent;
  const replaced = page.seat !== null && page.seats[page.seat].agent;
  const standIn = () => page.send("stand_in", { seat: to_act });
  return h(
    "section",
    { class: "card ask" },
    h("h2", {}, say("ask.wait", { name })),
    page.seat === null && h("p", { class: "soft" }, say("watching")),
    person &&
      page.token &&
      page.keptWaiting() &&
      button(say("stand_in", { name }), standIn, { "data-key": "stand-in" }),
    replaced && button(say("return"), () => page.send("return"), { class: "main" }),
  );
}

function decision(page) {
  const { state, position, seats, seat, advice } = page;
  const advised = advice?.played === state.played ? advice.actions : null;
  const hinting = !advised && !state.agreed.coach && page.alone();
  return h(
    "section",
    { class: "card ask", "aria-labelledby": "ask-title" },
    h("h2", { id: "ask-title" }, question(position, seats, seat)),
    h("p", { class: "soft small" }, because(position)),
    h(
      "div",
      { class: "actions" },
      state.legal.map((action, k) => actionButton(page, action, k + 1, advised)),
    ),
    hinting &&
      h(
        "p",
        {},
        button(say("hint"), () => page.hint(), { class: "plain", "data-key": "hint" }),
      ),
    advised && h("p", { class: "soft small" }, labelled(say("coach.title"), sourceWords(advice.source))),
  );
}

/** An action with the key that chooses it, and with what the coach says of it. */
function actionButton(page, action, key, advised) {
  const found = advised?.find((row) => row.action === action);
  const best = found && found === advised[0];
  const costs = found && (best ? say("coach.best") : say("coach.costs", { points: percent(found.costs) }));
  const words = actionWords(action, page.position, page.seats, page.seat);
  // The second of two quick clicks was meant for the last question.
  const choose = (event) => event.detail < 2 && page.act(action);
  return button(
    [
      h("span", {}, words, found && ` · ${percent(found.win_share)}`),
      h("kbd", { "aria-hidden": "true" }, String(key)),
      found && h("span", { class: "advice" }, `${costs}. `, reason(found.why)),
    ],
    choose,
    { "data-key": `action-${action}`, "data-action": action, class: best ? "best" : "" },
  );
}

function realDice(page) {
  const { tapped, token } = page;
  const due = page.state.dice_due;
  const name = draw.seatName(page.seats, page.position.active, page.seat);
  const faces = draw.FACES.map((face) =>
    draw.dieButton(face, { "data-key": `face-${face}`, click: () => page.tap(face), disabled: !token }),
  );
  const dice = tapped.map((face, k) =>
    draw.dieButton(face, {
      "aria-label": `${draw.faceName(face)}, ${say("dice.clear")}`,
      click: () => page.untap(k, 1),
    }),
  );
  const done = { class: "main", "data-key": "done", disabled: tapped.length !== due };
  return h(
    "section",
    { class: "card ask" },
    h("h2", {}, labelled(name, say("dice.tap", { count: due }))),
    h("div", { class: "dice" }, faces),
    h("p", {}),
    h("div", { class: "dice", "aria-live": "polite" }, dice),
    h(
      "p",
      { class: "row" },
      button(say("dice.done"), () => page.throwTapped(), done),
      button(say("dice.clear"), () => page.untap(), { "data-key": "clear" }),
    ),
  );
}

function ending(page) {
  const { winners, rematch } = page.state;
  const names = list(winners.map((seat) => draw.seatName(page.seats, seat, page.seat)));
  const won = winners.includes(page.seat);
  const title = won ? say(winners.length > 1 ? "over.share" : "over.win") : say("over.lose", { names });
  const review = () => page.go(`/game/${page.room}?review`);
  const again = async (event) => {
    event.target.disabled = true;
    event.target.disabled = await page.rematch();
  };
  return h(
    "section",
    { class: "card ask", "aria-labelledby": "over-title" },
    h("h2", { id: "over-title" }, title),
    h(
      "p",
      { class: "row" },
      button(say("over.review"), review, { class: "main", "data-key": "review" }),
      page.token && !rematch && button(say("over.rematch"), again, { "data-key": "rematch" }),
      h("a", { class: "button", href: page.path("record"), download: "" }, say("over.record")),
      page.token && deleting(page),
    ),
    rematch && h("p", {}, say("over.rematch_open"), " ", h("a", { href: `/game/${rematch}` }, say("over.rematch_go"))),
  );
}
