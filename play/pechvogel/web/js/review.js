// After the game: the analysis board, luck apart from skill, mistakes, and whether the dice were fair.

import { Analysis, markBadge } from "./analysis.js";
import { ask, games, Refusal, tryTo } from "./api.js";
import { alarm, button, h, sleep } from "./dom.js";
import * as draw from "./draw.js";
import { agrees } from "./fair.js";
import { sourceWords } from "./sentences.js";
import { shelve, shelved } from "./shelf.js";
import { labelled, percent, say, signed } from "./words.js";

const SHOWN = 5; // of somebody's mistakes

export async function showReview(page) {
  const found = await reviewOf(page);
  if (!found || page.stopped) return;
  const { seats, seat: mine } = page;
  const analysis = page.game.whole ? new Analysis(page, found, mine ?? 0) : null;
  page.reviewing = true; // what happens elsewhere must not wipe it away
  const title = h("h1", { tabindex: "-1" }, say("review.title"));
  const close = () => page.go(`/game/${page.room}`);
  const lists = h("div");
  const verdict = h("div");
  const look = (who) => {
    analysis?.look(who);
    lists.replaceChildren(whose(seats, mine, who, look), ...decisions(page, found, who, analysis));
    lists.querySelector("[aria-pressed='true']").focus({ preventScroll: true });
  };
  const who = mine ?? 0;
  lists.replaceChildren(whose(seats, mine, who, look), ...decisions(page, found, who, analysis));
  page.main.replaceChildren(
    h("div", { class: "row head" }, title, button(say("close"), close, { "data-key": "close" })),
    analysis?.element ?? "",
    h(
      "section",
      { class: "card" },
      h("h2", {}, say("analysis.sums")),
      h("p", { class: "small soft" }, say("review.summary")),
      summary(found, seats, mine),
      h(
        "p",
        { class: "small soft" },
        labelled(say("coach.title"), sourceWords(found.source)),
        ". ",
        say("analysis.drift"),
      ),
    ),
    lists,
    page.state.promise
      ? h(
          "section",
          { class: "card small fair" },
          h("h2", {}, say("review.promise")),
          h("p", { class: "hash" }, page.state.promise),
          verdict,
          h("p", {}, say("review.how")),
        )
      : "",
  );
  analysis?.showAddressed();
  title.focus({ preventScroll: true });
  verdict.replaceChildren(...[await kept(page)].filter(Boolean));
}

/** From the server, or as it was seen last; null, and a sentence, if there is none. */
async function reviewOf({ room, state }) {
  try {
    const review = await ask("GET", `/api/rooms/${room}/review`);
    shelve(room, { state, review });
    return review;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const seen = error.status ? null : await shelved(room);
    if (!seen) alarm(error.message);
    return seen?.review ?? null;
  }
}

/** Whether the file of the game has what this browser saw and gave before the first throw. */
async function kept(page) {
  const mine = games()[page.room];
  const record = mine?.token && page.state.promise ? await tryTo("GET", `/api/rooms/${page.room}/record`) : null;
  if (!record) return null;
  for (let tries = 0; !page.caughtUp() && tries < 100; tries++) await sleep(50);
  const same = agrees(mine, record, { takenBack: page.takenBack, round: page.state.round });
  return same === null ? null : h("p", { class: same ? "plus" : "minus" }, say(same ? "fair.kept" : "fair.differs"));
}

/** Whose decisions are listed, and have bars. */
function whose(seats, mine, who, look) {
  return h(
    "p",
    { class: "row", role: "group", "aria-label": say("review.whose") },
    say("review.whose"),
    seats.map((_, k) =>
      button(draw.seatName(seats, k, mine), () => look(k), { "aria-pressed": String(k === who), "data-whose": k }),
    ),
  );
}

/** How everybody's chances changed in all, and by what: what stands in a column adds up. */
function summary(found, seats, mine) {
  const cell = (value) =>
    h("td", { class: `number ${value < -0.0005 ? "minus" : value > 0.0005 ? "plus" : ""}` }, signed(value));
  const line = (word, values, kind = "") =>
    h("tr", { class: kind }, h("th", { scope: "row" }, say(word)), values.map(cell));
  const all = seats.map((_, k) => found.shares.at(-1)[k] - found.shares[0][k]);
  const names = seats.map((_, k) => h("th", { class: "number", scope: "col" }, draw.seatName(seats, k, mine)));
  return h(
    "div",
    { class: "scroll", tabindex: "0" },
    h(
      "table",
      { class: "sums" },
      h("thead", {}, h("tr", {}, h("td", {}), names)),
      h(
        "tbody",
        {},
        ["luck", "skill", "others", "drift"].map((part) => line(`review.${part}`, found[part])),
        line("analysis.sum", all, "all"),
      ),
    ),
  );
}

/** Somebody's dearest mistakes and all their decisions; what would have been better is told at the moment itself. */
function decisions(page, found, who, analysis) {
  const { seats, seat: mine } = page;
  const own = found.decisions.filter((row) => row.seat === who);
  const mistakes = own.filter((row) => row.mark).sort((a, b) => b.costs - a.costs);
  const heading = (word) => (who === mine ? say(word) : say(`${word}_of`, { name: draw.seatName(seats, who, mine) }));
  const visit = (row) => {
    analysis.showStep(row.step);
    analysis.element.scrollIntoView({ block: "start" });
  };
  const words = (row, action = row.action) => page.game.decided(row, action, seats, mine);
  const to = (row, text) =>
    analysis ? button(text, () => visit(row), { class: "plain", "data-step": row.step }) : h("span", {}, text);
  const dear = (row) => {
    const facts = { turn: row.turn + 1, action: words(row), points: percent(row.costs) };
    return analysis ? say("analysis.dear", facts) : say("review.mistake", { ...facts, best: words(row, row.best) });
  };
  const mistake = (row) => h("li", {}, markBadge(row.mark), " ", to(row, dear(row)));
  const line = (row) =>
    h(
      "tr",
      {},
      h("td", { class: "number" }, String(row.turn + 1)),
      h("td", {}, to(row, words(row))),
      h("td", {}, row.mark ? markBadge(row.mark) : ""),
      h("td", { class: `number ${row.mark ? "minus" : "soft"}` }, percent(row.costs)),
    );
  const heads = [say("turn"), draw.seatName(seats, who, mine), "", say("review.cost")].map((text, k) =>
    text ? h("th", { scope: "col", class: k === 0 || k === 3 ? "number" : "" }, text) : h("td", {}),
  );
  return [
    h(
      "section",
      { class: "card" },
      h("h2", {}, heading("review.mistakes")),
      mistakes.length
        ? h("ol", { class: "mistakes" }, mistakes.slice(0, SHOWN).map(mistake))
        : h("p", {}, say("review.no_mistakes")),
      h(
        "details",
        {},
        h("summary", {}, heading("review.decisions")),
        h(
          "div",
          { class: "scroll", tabindex: "0" },
          h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, own.map(line))),
        ),
      ),
    ),
  ];
}
