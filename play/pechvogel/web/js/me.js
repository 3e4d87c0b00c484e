// The page about oneself: how strong, what errors cost, luck, all games; and what is kept where. `memory.js` keeps it.

import { openRoom, Refusal } from "./api.js";
import { alarm, button, copyText, h, openDialog, svg } from "./dom.js";
import { agentName } from "./draw.js";
import * as memory from "./memory.js";
import { language, percent, recall, say, signed } from "./words.js";

const SHOWN = 10; // games at a time
const KINDS = 5; // of errors
// What the game calls them, see `summary.py`.
const ERRORS = [
  "target",
  ...["reduce", "frustrate", "join", "steal"].flatMap((what) => [`${what}_missed`, `${what}_needless`]),
  "steal_victim",
  "discard",
];

const number = (value, digits = 1) =>
  new Intl.NumberFormat(language(), { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
const plus = (value) =>
  new Intl.NumberFormat(language(), {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
    signDisplay: "exceptZero",
  }).format(value);
const day = (seconds) => new Date(1000 * seconds).toLocaleDateString(language());
const opponentName = (spec) => (spec === "person" ? say("me.person") : agentName(spec));
const kindName = (kind) => (ERRORS.includes(kind) ? say(`me.kind.${kind}`) : kind);
const levelWords = (level) => (level < 0.95 ? say("me.below") : say("me.level", { level: number(level) }));

export async function showMe(main, go) {
  const page = { main, go, shown: SHOWN };
  page.draw = () => draw(page);
  page.draw();
  const offered = memory.secretOf(location.hash);
  if (location.hash) history.replaceState(null, "", "/me"); // it is a secret: not for whoever looks at the address
  if (offered && offered !== memory.link()) await offer(page, offered);
  // What has happened since: games that ended elsewhere, and what other browsers have put under our link.
  if (!(await memory.sync())) alarm(say("me.link.gone"));
  await memory.collectAll();
  await memory.rate();
  if (location.pathname === "/me") page.draw();
}

/** Somebody has opened a private link. It may be another's: nothing is put there unless that is wanted. */
async function offer(page, token) {
  let games;
  try {
    games = await memory.under(token);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    alarm(error.status === 404 ? say("error.no_memory") : error.message);
    return;
  }
  const use = async () => {
    dialog.close();
    await memory.adopt(token);
    await memory.rate();
    page.draw();
  };
  const dialog = openDialog(
    say("me.offer"),
    say("me.offer.no"),
    h("p", {}, say("me.offer.text", { games: games.length, mine: memory.remembered().length })),
    h("p", {}, button(say("me.offer.yes"), use, { class: "main", id: "adopt" })),
  );
}

function draw(page) {
  const all = memory.remembered();
  const cards = all.length
    ? [strength(page), errors(all), kinds(all), luck(all), opponents(all), list(page, all)]
    : [empty(page)];
  page.main.replaceChildren(h("h1", {}, say("me.title")), h("div", { class: "me" }, cards, keeping(page)));
}

const card = (title, ...content) => h("section", { class: "card" }, h("h2", {}, title), content);

function playButton(page) {
  const spec = memory.evenOpponent();
  const play = async (event) => {
    event.target.disabled = true;
    const seats = [{ kind: "me" }, { kind: "agent", agent: spec }];
    const found = await openRoom("/api/rooms", { seats, name: recall("name", "") || say("lobby.guest") });
    if (found) page.go(`/game/${found.room}`);
    else event.target.disabled = false;
  };
  return h(
    "p",
    { class: "row" },
    button(say("me.play"), play, { class: "main", id: "play-even" }),
    h("span", { class: "soft" }, agentName(spec)),
  );
}

const empty = (page) => card(say("me.strength"), h("p", {}, say("me.none")), playButton(page));

// ------------------------------------------------------------------------------------------------ strength

function strength(page) {
  const rating = memory.rating();
  if (!rating?.together) return card(say("me.strength"), h("p", {}, say("me.uncounted")), counting(), playButton(page));
  const line = (name, estimate) =>
    h(
      "p",
      { class: "row small" },
      h("span", { class: `dot ${name}` }),
      h("span", {}, estimate ? estimateWords(name, estimate) : say(`me.${name}.none`)),
    );
  const path = rating.path.length > 1 && [
    h("h3", {}, say("me.path")),
    plot(rating.path, {
      least: Math.min(1, Math.floor(Math.min(...rating.path))),
      most: rating.levels,
      ticks: [1, 4, 7, 10].filter((level) => level <= rating.levels),
      word: String,
      label: say("me.path.label", { level: levelWords(rating.path.at(-1)), games: rating.path.length }),
    }),
  ];
  return card(
    say("me.strength"),
    h("p", { class: "headline" }, levelWords(rating.together.level)),
    h("p", {}, say("me.against", { share: percent(rating.against_best, 0) })),
    levelScale(rating),
    line("results", rating.results),
    line("costs", rating.costs),
    playButton(page),
    path,
    counting(),
  );
}

const estimateWords = (name, { level, low, high, games }) =>
  say(`me.${name}`, { level: levelWords(level), low: number(Math.max(0, low)), high: number(high), games });

const counting = () =>
  h("details", { class: "small" }, h("summary", {}, say("me.counts")), h("p", {}, say("me.counts.text")));

/** Levels from left to right, with how sure the two estimates are. */
function levelScale({ levels, results, costs }) {
  const [wide, high, side] = [320, 62, 12];
  const x = (level) => side + (Math.min(levels, Math.max(0, level)) / levels) * (wide - 2 * side);
  const ticks = Array.from({ length: levels }, (_, k) => k + 1).flatMap((level) => [
    svg("line", { class: "tick", x1: x(level), x2: x(level), y1: 6, y2: 42 }),
    svg("text", { x: x(level), y: 56, "text-anchor": "middle" }, String(level)),
  ]);
  const bar = (name, estimate, y) =>
    estimate
      ? [
          svg("line", { class: `range ${name}`, x1: x(estimate.low), x2: x(estimate.high), y1: y, y2: y }),
          svg("circle", { class: name, cx: x(estimate.level), cy: y, r: 6 }),
        ]
      : [];
  const label = [results && estimateWords("results", results), costs && estimateWords("costs", costs)];
  return svg(
    "svg",
    { viewBox: `0 0 ${wide} ${high}`, class: "figure", role: "img", "aria-label": label.filter(Boolean).join("; ") },
    ticks,
    bar("results", results, 16),
    bar("costs", costs, 32),
  );
}

// ------------------------------------------------------------------------------------------------ plots

/** Numbers over games, as a line; `dots` are drawn behind it. */
function plot(line, { least, most, ticks, word, label, dots = [] }) {
  const [wide, high, left, right, edge] = [320, 130, 40, 8, 8];
  const x = (k) => left + (line.length > 1 ? k / (line.length - 1) : 0.5) * (wide - left - right);
  const y = (value) => edge + ((most - Math.min(most, Math.max(least, value))) / (most - least)) * (high - 2 * edge);
  const grid = ticks.flatMap((value) => [
    svg("line", { class: "tick", x1: left, x2: wide - right, y1: y(value), y2: y(value) }),
    svg("text", { x: left - 5, y: y(value) + 4, "text-anchor": "end" }, word(value)),
  ]);
  return svg(
    "svg",
    { viewBox: `0 0 ${wide} ${high}`, class: "figure", role: "img", "aria-label": label },
    grid,
    dots.map((value, k) => svg("circle", { class: "game", cx: x(k), cy: y(value), r: 2.5 })),
    svg("polyline", { class: "line", points: line.map((value, k) => `${x(k)},${y(value)}`).join(" ") }),
  );
}

function errors(all) {
  const rates = memory.errorRates(all);
  if (!rates.length) return null;
  const most = Math.max(0.004, ...rates.map(({ rate }) => rate));
  const now = rates.at(-1).mean;
  return card(
    say("me.errors"),
    h("p", { class: "headline" }, percent(now, 2)),
    h("p", {}, say("me.errors.text", { games: Math.min(10, rates.length) })),
    plot(
      rates.map(({ mean }) => mean),
      {
        least: 0,
        most,
        ticks: [0, most / 2, most],
        word: (value) => percent(value, 1),
        label: say("me.errors.label", { rate: percent(now, 2) }),
        dots: rates.map(({ rate }) => rate),
      },
    ),
  );
}

function kinds(all) {
  const found = memory.byKind(all).slice(0, KINDS);
  if (!found.length) return null;
  const bars = found.map(({ kind, cost }) => {
    const bar = h("span", { class: "bar" });
    bar.style.width = `${(100 * cost) / found[0].cost}%`;
    return h(
      "li",
      {},
      h("span", { class: "row between" }, h("span", {}, kindName(kind)), h("span", {}, percent(cost))),
      bar,
    );
  });
  return card(say("me.kinds"), h("p", {}, say("me.kinds.text")), h("ul", { class: "bars" }, bars));
}

function luck(all) {
  let sum = 0;
  const path = [0, ...all.map((game) => (sum += game.luck))];
  const most = Math.max(1, ...path.map(Math.abs));
  return card(
    say("me.luck"),
    h("p", { class: "headline" }, plus(sum)),
    h("p", {}, say("me.luck.text", { games: all.length })),
    plot(path, { least: -most, most, ticks: [-most, 0, most], word: plus, label: say("me.luck.label") }),
  );
}

// ------------------------------------------------------------------------------------------------ tables

const head = (...columns) =>
  h(
    "tr",
    {},
    columns.map((column, k) => h("th", { scope: "col", class: k ? "number" : null }, column)),
  );

function opponents(all) {
  const rows = memory
    .byOpponent(all)
    .map(({ opponents: names, games, won, cost }) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, names.map(opponentName).join(", ")),
        h("td", { class: "number" }, String(games)),
        h("td", { class: "number" }, percent(won / games, 0)),
        h("td", { class: "number" }, percent(cost)),
      ),
    );
  const columns = ["me.opponent", "me.games", "me.won", "me.cost"].map((key) => say(key));
  return card(
    say("me.opponents"),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": say("me.opponents") },
      h("table", {}, h("thead", {}, head(...columns)), h("tbody", {}, rows)),
    ),
  );
}

const resultWords = ({ result }) =>
  say(result === 1 ? "me.result.won" : result ? "me.result.shared" : "me.result.lost");

function list(page, all) {
  const newest = [...all].reverse();
  const items = newest
    .slice(0, page.shown)
    .map((game) =>
      h(
        "li",
        {},
        h(
          "span",
          { class: "row between" },
          h("a", { href: `/game/${game.room}?review` }, game.opponents.map(opponentName).join(", ")),
          h("strong", { class: game.result ? "plus" : "minus" }, resultWords(game)),
        ),
        h(
          "span",
          { class: "small soft" },
          [
            day(game.at),
            say("me.points", { points: game.score }),
            say("me.game.cost", { cost: percent(game.cost) }),
            say("me.game.luck", { luck: signed(game.luck) }),
            !game.counts && say("me.game.practice"),
          ]
            .filter(Boolean)
            .join(" · "),
        ),
      ),
    );
  const more = () => {
    page.shown += SHOWN;
    page.draw();
  };
  return card(
    say("me.list", { games: all.length }),
    h("ul", { class: "games" }, items),
    newest.length > page.shown && h("p", {}, button(say("me.more"), more)),
  );
}

// ------------------------------------------------------------------------------------------------ what is kept where

function keeping(page) {
  const busy = (work) => async (event) => {
    event.target.disabled = true;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      alarm(error.message);
    }
    page.draw();
  };
  const file = h("input", {
    type: "file",
    accept: "application/json,.json",
    class: "unseen",
    id: "import-file",
    tabindex: "-1",
    "aria-hidden": "true",
    change: busy(async () => {
      const found = file.files[0].size > 5_000_000 ? null : memory.imported(await file.files[0].text());
      alarm(found ? say("me.imported", found) : say("me.import.wrong"));
      if (found?.added) {
        await memory.sync();
        await memory.rate();
      }
    }),
  });
  return card(
    say("me.keep"),
    h("p", {}, say("me.keep.text", { most: memory.MOST })),
    memory.link()
      ? linkPart(busy)
      : h("p", {}, button(say("me.link.make"), busy(memory.makeLink), { id: "make-link" })),
    h("p", { class: "small soft" }, say("me.link.text")),
    h(
      "p",
      { class: "row" },
      button(say("me.export"), download, { id: "export" }),
      button(say("me.import"), () => file.click(), { id: "import" }),
      file,
      button(say("me.delete"), () => askToDelete(busy), { id: "delete-all" }),
    ),
  );
}

function linkPart(busy) {
  const field = h("input", {
    type: "text",
    class: "hash wide",
    readonly: true,
    value: memory.linkTo(memory.link()),
    "aria-label": say("me.link"),
    id: "private-link",
  });
  const copy = async (event) => {
    await copyText(field);
    event.target.textContent = say("invite.copied");
  };
  return [
    h("p", {}, field),
    h(
      "p",
      { class: "row" },
      button(say("me.link.copy"), copy),
      button(
        say("me.link.delete"),
        busy(() => memory.forget(false)),
        { id: "delete-link" },
      ),
    ),
  ];
}

function download() {
  const url = URL.createObjectURL(new Blob([memory.exported()], { type: "application/json" }));
  h("a", { href: url, download: "pechvogel-games.json" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function askToDelete(busy) {
  const really = busy(async () => {
    await memory.forget(true);
    dialog.close();
  });
  const dialog = openDialog(
    say("me.delete"),
    say("me.delete.no"),
    h("p", {}, say("me.delete.text")),
    h("p", {}, button(say("me.delete.yes"), really, { class: "main", id: "really-delete" })),
  );
}
