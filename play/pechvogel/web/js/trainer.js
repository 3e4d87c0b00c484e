// The trainer: the puzzle of the day, puzzles by theme, and one's own mistakes again.

import { ask, games, Refusal } from "./api.js";
import * as deck from "./deck.js";
import { alarm, announce, button, h, range, select } from "./dom.js";
import { agentKind } from "./faces.js";
import { drawWaiting } from "./missing.js";
import { actionWords, because, question, sourceWords } from "./sentences.js";
import { Table } from "./table.js";
import { valuesTable } from "./values.js";
import { casesTable, reasonLine } from "./why.js";
import { labelled, list, percent, say } from "./words.js";

export const THEMES = ["target", "reduce", "frustrate", "join", "take", "discard"];
const LEVELS = [1, 2, 3];
const GAMES = 3; // whose mistakes are gathered in one visit
const DEAR = 0.02; // share of the win that a mistake costs at least to come again
const PER_GAME = 5; // mistakes, the dearest
const CLOSE = 0.005; // share of the win: as good as right, where two actions may be nearly equal

export class TrainerPage {
  constructor(main, go) {
    this.main = main;
    this.go = go;
    this.stopped = false;
    this.asked = null; // what is asked: a name, a position, its legal actions
    this.chosen = null;
  }

  async start() {
    const query = new URLSearchParams(location.search);
    this.theme = THEMES.includes(query.get("theme")) ? query.get("theme") : null;
    this.level = Number(query.get("level")) || null;
    this.head = h("section", { class: "card train-head" });
    this.body = h("div", { class: "trainer" });
    this.foot = h("p", { class: "soft small" });
    this.main.replaceChildren(this.head, this.body, this.foot);
    try {
      this.puzzles = (await ask("GET", "/api/puzzles")).puzzles;
      await this.first(query);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!error.status && !this.stopped) {
        drawWaiting(this.main, error.message);
        return;
      }
      alarm(error.message);
    }
    if (!this.stopped) await this.gather();
  }

  stop() {
    this.stopped = true;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(input|select|textarea)$/i.test(event.target.tagName)) {
      return;
    }
    if (!this.asked) return;
    const action = this.asked.legal[Number(event.key) - 1];
    if (this.chosen === null && action !== undefined) this.choose(action);
    else if (this.chosen !== null && event.key.toLowerCase() === "n") this.next();
  }

  // ------------------------------------------------------------------ what comes

  get today() {
    return deck.dayOf();
  }

  get daily() {
    return this.puzzles[deck.ofDay(this.today, this.puzzles.length)].id;
  }

  async first(query) {
    if (query.has("p")) await this.showPuzzle(query.get("p"));
    else if (query.has("mine")) await this.nextMistake();
    else if (!this.theme && (query.has("daily") || deck.kept().days[this.today] === undefined)) {
      await this.showPuzzle(this.daily);
    } else await this.nextPuzzle();
  }

  next() {
    const repeating = this.asked?.card && deck.due().length;
    return repeating ? this.nextMistake() : this.nextPuzzle();
  }

  /** The first that was not tried; once all were, any. */
  async nextPuzzle() {
    const { tried } = deck.kept();
    const wanted = this.puzzles.filter(
      ({ theme, level, id }) =>
        (!this.theme || theme === this.theme) && (!this.level || level === this.level) && id !== this.asked?.name,
    );
    const fresh = wanted.find(({ id }) => tried[id] === undefined && id !== this.daily);
    const any = wanted[Math.floor(Math.random() * wanted.length)];
    if (fresh ?? any) await this.showPuzzle((fresh ?? any).id);
    else this.say(say("train.none"));
  }

  async nextMistake() {
    const name = deck.due().find((one) => one !== this.asked?.name) ?? deck.due()[0];
    const card = name && deck.kept().cards[name];
    if (!card) this.say(say(Object.keys(deck.kept().cards).length ? "train.nothing_due" : "train.no_mistakes"));
    else if (card.position) await this.showMistake(name, card);
    else await this.showPuzzle(name, true);
  }

  async showPuzzle(name, card = false) {
    const found = await this.load("GET", `/api/puzzles/${encodeURIComponent(name)}`);
    if (found === null && card) deck.remove(name); // an older version had it
    if (!found) return;
    const check = (action) => ask("POST", `/api/puzzles/${found.id}`, { action });
    this.show({ ...found, name: found.id, card, check });
  }

  /** One of somebody's own: what is right is known here, but shown to nobody before they have chosen. */
  async showMistake(name, card) {
    const found = await this.load("GET", `/api/analyse?position=${encodeURIComponent(card.position)}`);
    if (!found?.advice) {
      if (found !== undefined) deck.remove(name);
      return;
    }
    const { actions } = found.advice;
    const check = async (action) => ({
      right: actions.find((row) => row.action === action).costs <= CLOSE,
      actions,
      falls: [],
      text: found.text,
    });
    const legal = actions.map((row) => row.action).sort((a, b) => a - b);
    const judge = found.source.startsWith("exact") ? "exact" : "champion";
    const { position, scores } = found;
    this.show({ name, position, scores, legal, theme: position.phase, judge, card: true, own: card, check });
  }

  /** An answer, or a sentence and null if there is no such thing, undefined if it can't be had now. */
  async load(...request) {
    try {
      const found = await ask(...request);
      return this.stopped ? undefined : found;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.say(error.message);
      return [404, 422].includes(error.status) ? null : undefined;
    }
  }

  say(words) {
    this.asked = null;
    this.drawHead();
    const on = button(say("train.next"), () => this.nextPuzzle(), { class: "main", "data-key": "next" });
    this.body.replaceChildren(h("section", { class: "card" }, h("p", { role: "status" }, words), h("p", {}, on)));
  }

  /** Mistakes of finished games of this browser go into the deck; a few games in one visit, as the coach must think. */
  async gather() {
    const rooms = Object.entries(games())
      .filter(([room, game]) => game.token && !deck.isGathered(room))
      .sort(([, a], [, b]) => b.at - a.at);
    let left = GAMES;
    for (const [room, { seat }] of rooms) {
      if (this.stopped || left === 0) break;
      try {
        const found = await ask("GET", `/api/rooms/${room}/review`);
        const mine = found.decisions.filter((row) => row.seat === seat && row.costs >= DEAR);
        mine.sort((a, b) => b.costs - a.costs);
        for (const { position, action, costs, turn } of mine.slice(0, PER_GAME)) {
          deck.add(position, { position, action, costs, turn, room });
        }
        deck.gathered(room);
        left -= 1;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.status === 404) {
          deck.gathered(room);
        } // it is gone; one that is not over comes later
        else if (error.status !== 409) break;
      }
    }
    if (!this.stopped && left < GAMES) this.drawHead();
  }

  // ------------------------------------------------------------------ asking

  show(asked) {
    this.asked = asked;
    this.chosen = null;
    const { position, scores, legal } = asked;
    const mine = position.to_act;
    this.seats = range(position.num_players).map((k) =>
      k === mine
        ? { kind: "person", name: say("lobby.you"), agent: null, wishes: [] }
        : { kind: "agent", name: "", agent: "champion", wishes: [] },
    );
    const table = new Table();
    table.show({ position, scores, seats: this.seats, mine, asked: mine });
    const title = h("h2", { id: "puzzle-title", tabindex: "-1" }, question(position, this.seats, mine));
    const actions = legal.map((action, k) =>
      button(
        [h("span", {}, this.words(action)), h("kbd", { "aria-hidden": "true" }, String(k + 1))],
        () => this.choose(action),
        { "data-key": `action-${action}`, "data-action": action },
      ),
    );
    this.card = h(
      "section",
      { class: "card puzzle", "aria-labelledby": "puzzle-title" },
      h("p", { class: "soft small" }, this.kicker()),
      title,
      h("p", { class: "because soft small" }, because(position)),
      h("div", { class: "actions" }, actions),
    );
    this.drawHead();
    this.body.replaceChildren(table.element, this.card);
    if (this.focusing) title.focus();
    this.focusing = true; // not when the page is opened: reading begins at its top
    announce(title.textContent);
  }

  words(action) {
    return actionWords(action, this.asked.position, this.seats, this.asked.position.to_act);
  }

  kicker() {
    const { name, own, card, theme, level, position } = this.asked;
    const parts = own
      ? [say("train.own", { turn: own.turn + 1 })]
      : [name === this.daily ? say("train.daily") : card && say("train.again"), say(`train.level.${level}`)];
    const copies = position.copies < 3 && labelled(say("lobby.copies"), position.copies);
    return [...parts, say(`train.theme.${theme}`), say("train.players", { count: position.num_players }), copies]
      .filter(Boolean)
      .join(" · ");
  }

  async choose(action) {
    const { asked } = this;
    if (this.chosen !== null) return;
    this.chosen = action;
    let found;
    try {
      found = await asked.check(action);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.chosen = null;
      alarm(error.message);
      return;
    }
    if (this.stopped || this.asked !== asked) return;
    if (!asked.own) deck.note(asked.name, found.right, asked.name === this.daily ? this.today : null);
    if (asked.card) deck.answered(asked.name, found.right);
    else if (!found.right) deck.add(asked.name, {}, Date.now() + deck.AGAIN);
    this.reveal(found);
  }

  // ------------------------------------------------------------------ answering

  reveal({ right, actions, falls, text }) {
    const { position, judge, own, name } = this.asked;
    const mine = position.to_act;
    const best = actions[0];
    const chosen = actions.find((row) => row.action === this.chosen);
    const quoted = (row) => ({ action: this.words(row.action), share: percent(row.win_share) });
    const verdict = h(
      "h2",
      { class: right ? "plus" : "minus", tabindex: "-1" },
      say(right ? "train.right" : "train.wrong"),
    );
    const told = right
      ? say("train.right_text", quoted(best))
      : say("train.wrong_text", { ...quoted(best), chosen: this.words(chosen.action), points: percent(chosen.costs) });
    const advice = { seat: mine, source: judge, actions };
    const explain = h("div", { class: "why", "aria-live": "polite" });
    const values = h("div", { class: "scroll", tabindex: "0" });
    const pick = (action, first = false) => {
      const row = actions.find((one) => one.action === action);
      values.replaceChildren(
        valuesTable({
          rows: actions,
          position,
          seats: this.seats,
          mine,
          chosen: this.chosen,
          selected: action,
          select: pick,
        }),
      );
      explain.replaceChildren(
        h("p", {}, reasonLine(row, advice, position, this.seats, mine)),
        h(
          "details",
          {},
          h("summary", {}, say("coach.details")),
          h("div", { class: "scroll", tabindex: "0" }, casesTable(row, position, this.seats, mine)),
        ),
      );
      if (!first) values.querySelector(`[data-key="value-${action}"]`)?.focus();
    };
    pick((right ? best : chosen).action, true);
    const others = falls.map(agentKind);
    const content = [
      h("p", { class: "soft small" }, this.kicker()),
      verdict,
      h("p", {}, told),
      own &&
        own.action !== this.chosen &&
        h("p", { class: "soft" }, say("train.then", { action: this.words(own.action) })),
      h("h3", {}, say("train.why")),
      explain,
      values,
      others.length > 0 && h("p", { class: "soft small" }, say("train.falls", { names: list(others) })),
      h("p", { class: "soft small" }, say("train.judge", { source: sourceWords(judge) })),
      h(
        "p",
        { class: "row" },
        button(say("train.next"), () => this.next(), { class: "main", "data-key": "next" }),
        h("a", { class: "button", href: `/position?p=${encodeURIComponent(text)}` }, say("train.closer")),
        !own && h("a", { href: `/train?p=${name}` }, say("train.link")),
      ),
    ];
    this.card.replaceChildren(...content.filter(Boolean));
    this.drawHead();
    verdict.focus();
    announce(`${verdict.textContent} ${told}`);
  }

  // ------------------------------------------------------------------ the head

  drawHead() {
    const { days, run, best, cards, learned } = deck.kept();
    const { tried, right } = deck.score(this.puzzles.map(({ id }) => id));
    const done = days[this.today];
    const isDaily = this.asked?.name === this.daily;
    const waiting = deck.due().length;
    const link = (words, query, now, mark) =>
      h("a", { class: "button chip", href: `/train${query}`, "aria-current": now ? "true" : null }, words, mark);
    const themes = THEMES.filter((theme) => this.puzzles.some((puzzle) => puzzle.theme === theme)).map((theme) => {
      const names = this.puzzles.filter((puzzle) => puzzle.theme === theme).map(({ id }) => id);
      return [theme, `${say(`train.theme.${theme}`)} (${deck.score(names).right}/${names.length})`];
    });
    const levels = LEVELS.map((level) => [level, say(`train.level.${level}`)]);
    const pick = (theme, level) => {
      const query = new URLSearchParams({ theme: theme || "all" });
      if (level) query.set("level", level);
      this.go(`/train?${query}`);
    };
    const choice = (id, words, options, now, change) =>
      h("label", { for: id }, h("span", { class: "unseen" }, words), select(options, now ?? "", change, { id }));
    const mark = done === undefined ? null : h("span", { class: done ? "plus" : "minus" }, done ? " ✓" : " ✗");
    this.head.replaceChildren(
      h("h1", {}, say("train.title")),
      h(
        "nav",
        { class: "row", "aria-label": say("train.title") },
        link(say("train.daily"), "?daily", isDaily, mark),
        link(say("train.mine"), "?mine", Boolean(this.asked?.card), h("span", { class: "small" }, ` ${waiting}`)),
        choice("theme", say("train.theme"), [["", say("train.all")], ...themes], this.theme, (theme) =>
          pick(theme, this.level),
        ),
        choice("level", say("train.level"), [["", say("train.any_level")], ...levels], this.level, (level) =>
          pick(this.theme, level),
        ),
      ),
      h(
        "p",
        { class: "row small" },
        h("span", {}, say("train.score", { right, tried })),
        h("span", {}, say("train.run", { run, best })),
        h("span", {}, say("train.streak", { days: deck.streak(days, this.today) })),
      ),
    );
    const forget = (event) => {
      if (event.target.textContent !== say("train.forget_sure")) {
        event.target.textContent = say("train.forget_sure");
        return;
      }
      deck.forget(Object.keys(games()));
      this.drawHead();
    };
    this.foot.replaceChildren(
      say("train.about", { due: waiting, cards: Object.keys(cards).length, learned }),
      " ",
      button(say("train.forget"), forget, { class: "plain small", "data-key": "forget" }),
    );
  }
}
