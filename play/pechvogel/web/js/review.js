// After the game: a graph of everybody's chances, what decisions cost, luck apart from skill.

import { games, openRoom, tryTo } from "./api.js";
import { button, h, sleep, svg } from "./dom.js";
import * as draw from "./draw.js";
import { actionWords, reason, sourceWords } from "./sentences.js";
import { labelled, percent, say, signed } from "./words.js";

const LINES = ["var(--main)", "var(--warm)", "var(--m5)", "var(--m6)", "var(--m4)"];
const DASHES = ["", "7 4", "2 3", "10 3 2 3", "5 2"];

export async function showReview(page, who = page.seat ?? 0) {
  const found = await tryTo("GET", `/api/rooms/${page.room}/review`);
  if (!found) return;
  page.reviewing = true; // what happens elsewhere must not wipe it away
  const { seats, seat: mine } = page;
  const own = found.decisions.filter((row) => row.seat === who);
  const mistakes = own.filter((row) => row.mistake).sort((a, b) => b.costs - a.costs);
  const words = (row, action) => actionWords(action, row.asked, seats, mine);
  const heading = (word) => (who === mine ? say(word) : say(`${word}_of`, { name: draw.seatName(seats, who, mine) }));
  const mistakeCard = (row) =>
    h(
      "li",
      {},
      h(
        "p",
        {},
        say("review.mistake", {
          turn: row.turn + 1,
          action: words(row, row.action),
          best: words(row, row.best),
          points: percent(row.costs),
        }),
      ),
      h("p", { class: "soft small" }, reason(row.why)),
      h(
        "p",
        {},
        button(say("review.again"), () => playFrom(page, row)),
      ),
    );
  const title = h("h1", { tabindex: "-1" }, say("review.title"));
  const whose = seats.map((_, k) =>
    button(draw.seatName(seats, k, mine), () => showReview(page, k), {
      "aria-pressed": String(k === who),
      "data-whose": k,
    }),
  );
  const close = () => page.go(`/game/${page.room}`);
  page.main.replaceChildren(
    h(
      "section",
      { class: "card" },
      title,
      h("h2", {}, say("review.chances")),
      graph(found, seats, mine),
      h(
        "ul",
        { class: "row small keys" },
        seats.map((_, k) => h("li", { class: "row" }, key(k), draw.seatName(seats, k, mine))),
      ),
    ),
    h(
      "section",
      { class: "card" },
      h("p", { class: "small soft" }, say("review.summary")),
      summary(found, seats, mine),
    ),
    h("p", { class: "row", role: "group", "aria-label": say("review.whose") }, say("review.whose"), whose),
    h(
      "section",
      { class: "card" },
      h("h2", {}, heading("review.mistakes")),
      mistakes.length ? h("ol", {}, mistakes.map(mistakeCard)) : h("p", {}, say("review.no_mistakes")),
    ),
    h(
      "section",
      { class: "card" },
      h("h2", {}, heading("review.decisions")),
      decisions(own, words, draw.seatName(seats, who, mine)),
    ),
    h(
      "section",
      { class: "card small" },
      page.state.promise && [
        h("h2", {}, say("review.promise")),
        h("p", { class: "hash" }, page.state.promise),
        await kept(page),
        h("p", {}, say("review.how")),
      ],
      h("p", {}, labelled(say("coach.title"), sourceWords(found.source))),
      h("p", {}, button(say("close"), close, { class: "main" })),
    ),
  );
  title.focus();
}

/** Whether the file of the game has what this browser saw and gave before the first throw. */
async function kept(page) {
  const mine = games()[page.room];
  const record = mine?.number ? await tryTo("GET", `/api/rooms/${page.room}/record`) : null;
  if (!record) return null;
  for (let tries = 0; !page.caughtUp() && tries < 100; tries++) await sleep(50);
  const { promise, numbers, taken_back } = record.proof;
  const people = page.seats.every((seat, k) => (seat.kind === "person") === (numbers[k] !== null));
  const same =
    promise === mine.promise && numbers[mine.seat] === mine.number && people && taken_back === page.takenBack;
  return h("p", { class: same ? "plus" : "minus" }, say(same ? "fair.kept" : "fair.differs"));
}

function key(k) {
  const line = svg("line", { x1: 0, y1: 5, x2: 26, y2: 5, "stroke-width": 3, "stroke-dasharray": DASHES[k] });
  line.style.stroke = LINES[k];
  return svg("svg", { width: 26, height: 10, "aria-hidden": "true" }, line);
}

function graph(found, seats, mine) {
  const wide = window.innerWidth < 500 ? 340 : 640; // so that its words can be read on a phone
  const high = 220;
  const last = Math.max(1, found.shares.length - 1);
  const x = (step) => 36 + ((wide - 44) * step) / last;
  const y = (share) => 8 + (high - 28) * (1 - share);
  const parts = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => {
    const line = svg("line", { x1: 36, x2: wide - 8, y1: y(share), y2: y(share), "stroke-width": 1 });
    line.style.stroke = "var(--line)";
    const text = svg("text", { x: 2, y: y(share) + 4, "font-size": 11 }, percent(share, 0));
    text.style.fill = "var(--soft)";
    return [line, text];
  });
  const label = (place, words, anchor) => {
    const text = svg("text", { x: place, y: high - 4, "font-size": 11, "text-anchor": anchor }, words);
    text.style.fill = "var(--soft)";
    return text;
  };
  const every = found.turns.length > 60 ? 20 : 10;
  parts.push(label(2, say("turn"), "start"));
  found.turns.forEach((step, k) => (k + 1) % every === 0 && parts.push(label(x(step + 1), String(k + 1), "middle")));
  seats.forEach((_, k) => {
    const points = found.shares.map((shares, step) => `${x(step).toFixed(1)},${y(shares[k]).toFixed(1)}`).join(" ");
    const line = svg("polyline", {
      points,
      fill: "none",
      "stroke-width": k === mine ? 3 : 2,
      "stroke-dasharray": DASHES[k],
    });
    line.style.stroke = LINES[k];
    parts.push(line);
  });
  const text = seats
    .map((_, k) =>
      labelled(draw.seatName(seats, k, mine), `${percent(found.shares[0][k])} → ${percent(found.shares.at(-1)[k])}`),
    )
    .join("; ");
  return svg(
    "svg",
    { viewBox: `0 0 ${wide} ${high}`, class: "graph", role: "img", "aria-label": `${say("review.chances")}. ${text}` },
    parts,
  );
}

function summary(found, seats, mine) {
  const cell = (value) =>
    h("td", { class: `number ${value < -0.0005 ? "minus" : value > 0.0005 ? "plus" : ""}` }, signed(value));
  return h(
    "div",
    { class: "scroll", tabindex: "0" },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("td", {}),
          ["review.luck", "review.skill", "review.others"].map((word) =>
            h("th", { class: "number", scope: "col" }, say(word)),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        seats.map((_, k) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, draw.seatName(seats, k, mine)),
            cell(found.luck[k]),
            cell(found.skill[k]),
            cell(found.others[k]),
          ),
        ),
      ),
    ),
  );
}

function decisions(own, words, name) {
  const rows = own.map((row) => {
    const dear = row.costs > 0.0005;
    return h(
      "tr",
      {},
      h("td", { class: "number" }, String(row.turn + 1)),
      h("td", {}, words(row, row.action)),
      h("td", { class: dear ? "" : "soft" }, dear ? words(row, row.best) : "✓"),
      h("td", { class: `number ${dear ? "minus" : "soft"}` }, percent(dear ? row.costs : 0)),
    );
  });
  const heads = [say("turn"), name, say("coach.best"), say("review.cost")].map((text, k) =>
    h("th", { scope: "col", class: k === 0 || k === 3 ? "number" : "" }, text),
  );
  return h(
    "div",
    { class: "scroll", tabindex: "0" },
    h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows)),
  );
}

/** A new practice game from a decision, against the same agents. */
async function playFrom(page, row) {
  const seats = page.seats.map((seat, k) =>
    k === row.seat ? { kind: "me" } : { kind: "agent", agent: seat.agent ?? "champion" },
  );
  const { copies, italian_reading } = page.state;
  const found = await openRoom("/api/rooms", {
    seats,
    position: row.position,
    coach: true,
    take_back: true,
    copies,
    italian_reading,
  });
  if (found) page.go(`/game/${found.room}`);
}
