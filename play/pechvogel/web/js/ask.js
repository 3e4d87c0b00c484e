// The card below the table: what happens just now, what is asked, the dice to tap in, or how it ended.
// A card has a key: as long as that stays the same, its elements stay, so that nothing is taken from under a finger.

import { button, h, openDialog } from "./dom.js";
import * as draw from "./draw.js";
import { face } from "./faces.js";
import { ranking, seriesGoesOn, seriesLine } from "./people.js";
import { letting, marker, pip, token } from "./pieces.js";
import {
  actionWords,
  because,
  DISCARD,
  FRUSTRATE,
  PASS,
  question,
  REDUCE,
  robbed,
  sourceWords,
  TAKE,
} from "./sentences.js";
import { casesTable, reasonLine } from "./why.js";
import { labelled, list, percent, say } from "./words.js";

/** `busy` is what is being shown just now, if anything. */
export function askCard(page, busy) {
  if (busy) return happening(page, busy);
  if (page.state.over) return ending(page);
  if (page.state.dice_due) return realDice(page);
  if (page.asked()) return page.coach.doubt ? really(page) : decision(page);
  return waiting(page);
}

const still = (element) => ({ element });

/** Whose doing it is, and words. */
const speaker = (page, seat, ...words) =>
  h("div", { class: "speaker" }, seat === null ? null : face(page.seats, seat), h("div", { class: "words" }, words));

function happening(page, { sentences, seat }) {
  const skipping = page.showing.queue.length > 6;
  const skip = () => page.showing.skip();
  return {
    key: JSON.stringify(["happening", sentences, seat, skipping]),
    make: () =>
      still(
        h(
          "section",
          { class: "ask happening", "aria-busy": "true" },
          speaker(
            page,
            seat,
            (sentences.length ? sentences : ["…"]).map((sentence) => h("p", {}, sentence)),
          ),
          skipping && h("p", { class: "extras" }, button(say("skip_on"), skip, { "data-key": "skip" })),
        ),
      ),
  };
}

/** Somebody else decides. */
function waiting(page) {
  const { to_act } = page.state;
  const name = to_act === null ? "" : draw.seatName(page.seats, to_act, page.seat);
  const person = to_act !== null && page.seats[to_act].kind === "person" && !page.seats[to_act].agent;
  const replaced = page.seat !== null && page.seats[page.seat].agent;
  const standing = person && page.token && page.keptWaiting();
  const standIn = () => page.send("stand_in", { seat: to_act });
  return {
    key: JSON.stringify(["waiting", to_act, name, replaced, standing, page.seat]),
    make: () =>
      still(
        h(
          "section",
          { class: "ask" },
          speaker(
            page,
            to_act,
            h("h2", {}, say("ask.wait", { name })),
            page.seat === null && h("p", { class: "soft" }, say("watching")),
          ),
          h(
            "p",
            { class: "extras" },
            standing && button(say("stand_in", { name }), standIn, { "data-key": "stand-in" }),
            replaced && button(say("return"), () => page.send("return"), { class: "main", "data-key": "return" }),
          ),
        ),
      ),
  };
}

// ------------------------------------------------------------------ decisions

function decision(page) {
  const { state, position, seats, seat } = page;
  return {
    key: `decision ${state.played} ${state.events} ${seat}`,
    make: () => {
      const why = h("p", { class: "because soft small" });
      const buttons = state.legal.map((action, k) => actionButton(page, action, k + 1));
      const extras = h("p", { class: "extras" });
      const element = h(
        "section",
        { class: `ask phase-${position.phase}`, "aria-labelledby": "ask-title" },
        h("h2", { id: "ask-title" }, question(position, seats, seat)),
        why,
        h(
          "div",
          { class: `actions of-${state.legal.length}` },
          buttons.map(({ element: one }) => one),
        ),
        extras,
      );
      const update = () => {
        const advice = page.coach.shown();
        why.textContent = advice ? "" : because(position);
        why.title = why.textContent;
        element.classList.toggle("advised", Boolean(advice));
        for (const one of buttons) one.update(advice);
        replaceIfNew(extras, [Boolean(advice), advice?.source, page.coach.canHint()], () => extrasOf(page, advice));
      };
      update();
      return { element, update };
    },
  };
}

function extrasOf(page, advice) {
  const { phase } = page.position;
  const letGo = ["frustrate", "join"].includes(phase);
  return [
    page.coach.canHint() && button(say("hint"), () => page.coach.hint(), { class: "plain", "data-key": "hint" }),
    letGo &&
      button(say("habits.turn"), (event) => page.answers.letTurnGo(event), { class: "plain", "data-key": "let-go" }),
    advice && button(say("coach.details"), () => showCases(page, advice), { class: "plain", "data-key": "cases" }),
    advice && h("span", { class: "soft small" }, labelled(say("coach.title"), sourceWords(advice.source))),
  ];
}

function replaceIfNew(element, facts, parts) {
  const key = JSON.stringify(facts);
  if (element.known === key) return;
  element.known = key;
  element.replaceChildren(...parts().filter(Boolean));
}

/** What an action is about, as a small picture. */
function icon(page, action) {
  const { position, seats } = page;
  if (action < PASS) return h("span", { class: "die small-die" }, h("span", { class: "top" }, pip(action + 3)));
  if (action === PASS) return letting();
  if (action === REDUCE || action === FRUSTRATE) return token();
  if (action === TAKE) return marker(position.target);
  if (action < DISCARD) return face(seats, robbed(position, action));
  return marker(action - DISCARD + 3);
}

/** An action with the key that chooses it, and with what the coach says of it. */
function actionButton(page, action, key) {
  const { position, seats, seat } = page;
  const share = h("span", { class: "share" });
  const advised = h("span", { class: "advice" });
  const element = button(
    [
      h("span", { class: "icon", "aria-hidden": "true" }, icon(page, action)),
      h("span", { class: "words" }, actionWords(action, position, seats, seat)),
      share,
      h("kbd", { "aria-hidden": "true" }, String(key)),
    ],
    (event) => page.answers.choose(action, event),
    { "data-key": `action-${action}`, "data-action": action },
  );
  const update = (advice) => {
    const row = advice?.actions.find((one) => one.action === action);
    const best = row && row === advice.actions[0];
    element.classList.toggle("best", Boolean(best));
    share.textContent = row ? percent(row.win_share) : "";
    if (row) {
      const costs = best ? say("coach.best") : say("coach.costs", { points: percent(row.costs) });
      const two = advice.actions.length === 2; // then both would say the same
      advised.textContent = best && two ? costs : `${costs}. ${whyOf(row, advice, page)}`;
      advised.title = advised.textContent;
      advised.dataset.share = share.textContent;
      if (!advised.isConnected) element.append(advised);
    } else {
      advised.remove();
    }
  };
  return { element, update };
}

/** Why an action is as good as it is. */
const whyOf = (row, advice, { position, seats, seat }) => reasonLine(row, advice, position, seats, seat);

/** How the turn can end after every action. */
function showCases(page, advice) {
  const { position, seats, seat } = page;
  const parts = advice.actions.map((row) => [
    h("h3", {}, `${actionWords(row.action, position, seats, seat)} · ${percent(row.win_share)}`),
    row.cases?.length ? casesTable(row, position, seats, seat) : null,
  ]);
  const source = h("p", { class: "soft small" }, labelled(say("coach.title"), sourceWords(advice.source)));
  openDialog(say("coach.details"), say("close"), h("div", { class: "all-cases" }, parts, source));
}

/** The tutor asks back. */
function really(page) {
  const { position, seats, seat } = page;
  const { doubt } = page.coach;
  const words = actionWords(doubt.action, position, seats, seat);
  const anyway = (event) => page.answers.choose(doubt.action, event, { sure: true });
  return {
    key: `really ${page.state.played} ${doubt.action}`,
    make: () =>
      still(
        h(
          "section",
          { class: "ask really", "aria-labelledby": "ask-title" },
          h("h2", { id: "ask-title" }, say("tutor.really")),
          h("p", {}, say("tutor.costs", { action: words, points: percent(doubt.row.costs) })),
          h("p", { class: "soft" }, whyOf(doubt.row, page.coach.advice, page)),
          h(
            "div",
            { class: "actions of-2" },
            button(
              [h("span", { class: "words" }, say("tutor.again")), h("kbd", { "aria-hidden": "true" }, "1")],
              () => page.answers.chooseAgain(),
              {
                class: "main",
                "data-key": "again",
              },
            ),
            button(
              [
                h("span", { class: "words" }, say("tutor.anyway", { action: words })),
                h("kbd", { "aria-hidden": "true" }, "2"),
              ],
              anyway,
              {
                "data-key": "anyway",
              },
            ),
          ),
          h("p", { class: "extras" }),
        ),
      ),
  };
}

// ------------------------------------------------------------------ real dice, and the end

function realDice(page) {
  const { tapped, token: seated } = page;
  const due = page.state.dice_due;
  const name = draw.seatName(page.seats, page.position.active, page.seat);
  const make = () => {
    const faces = draw.FACES.map((one) =>
      draw.dieButton(one, { "data-key": `face-${one}`, click: () => page.tap(one), disabled: !seated }),
    );
    const dice = tapped.map((one, k) =>
      draw.dieButton(one, {
        "aria-label": `${draw.faceName(one)}, ${say("dice.clear")}`,
        click: () => page.untap(k, 1),
      }),
    );
    const done = { class: "main", "data-key": "done", disabled: tapped.length !== due };
    return still(
      h(
        "section",
        { class: "ask" },
        h("h2", {}, labelled(name, say("dice.tap", { count: due }))),
        h("div", { class: "dice" }, faces),
        h("div", { class: "dice tapped", "aria-live": "polite" }, dice),
        h(
          "p",
          { class: "extras" },
          button(say("dice.done"), () => page.throwTapped(), done),
          button(say("dice.clear"), () => page.untap(), { "data-key": "clear" }),
        ),
      ),
    );
  };
  return { key: JSON.stringify(["dice", due, tapped, seated, name]), make };
}

function ending(page) {
  const { winners, rematch } = page.state;
  const names = list(winners.map((seat) => draw.seatName(page.seats, seat, page.seat)));
  const won = winners.includes(page.seat);
  const title = won ? say(winners.length > 1 ? "over.share" : "over.win") : say("over.lose", { names });
  const review = () => page.go(`/game/${page.room}?review`);
  const once = (open) => async (event) => {
    event.target.disabled = true;
    event.target.disabled = await open();
  };
  const again = once(() => page.rematch());
  const more = once(() => page.watchAgain());
  const next = seriesGoesOn(page.state) ? "series.next" : "over.rematch";
  const make = () =>
    still(
      h(
        "section",
        { class: "ask ending", "aria-labelledby": "over-title" },
        h("h2", { id: "over-title" }, title),
        ranking(page),
        page.state.series && h("p", { class: "series" }, seriesLine(page)),
        h(
          "p",
          { class: "row" },
          button(say("over.review"), review, { class: "main", "data-key": "review" }),
          page.token && !rematch && button(say(next), again, { "data-key": "rematch" }),
          page.state.unattended && button(say("watch.again"), more, { "data-key": "watch-again" }),
          page.token && h("a", { class: "button", href: "/", "data-key": "other" }, say("over.other")),
          h("a", { class: "button", href: page.path("record"), download: "" }, say("over.record")),
        ),
        rematch &&
          h("p", {}, say("over.rematch_open"), " ", h("a", { href: `/game/${rematch}` }, say("over.rematch_go"))),
      ),
    );
  return { key: JSON.stringify(["over", winners, rematch, page.scores]), make };
}
