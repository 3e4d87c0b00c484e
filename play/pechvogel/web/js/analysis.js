// The analysis board: a finished game, moment by moment, with what every action was worth.

import { ask, Refusal } from "./api.js";
import { announce, button, copyText, h, svg } from "./dom.js";
import * as draw from "./draw.js";
import { momentAt, momentsOf } from "./moments.js";
import { chancesPlot, errorsPlot, luckPlot, sample, titled } from "./plots.js";
import { practise } from "./practice.js";
import { actionWords, happened, question } from "./sentences.js";
import { Table } from "./table.js";
import { explained, valuesTable } from "./values.js";
import { labelled, percent, recall, remember, say, signed } from "./words.js";

export const MARKS = { "?!": "inaccuracy", "?": "mistake", "??": "blunder" };
const GLIDE = 220; // milliseconds that pieces take from one moment to the next
const REST = 150; // milliseconds at a decision before the coach is asked for reasons

/** A triangle that points to where it leads, with a bar at an end, or a question mark at a mistake. */
const arrow =
  (path, mark = null) =>
  () =>
    svg(
      "svg",
      { viewBox: "0 0 24 24", width: 22, height: 22, "aria-hidden": "true", fill: "currentColor" },
      svg("path", { d: path }),
      mark === null ? [] : svg("text", { x: mark, y: 18, "font-size": 17, "font-weight": 700 }, "?"),
    );
const icons = {
  first: arrow("M5 5h3v14H5zM20 5v14L9 12z"),
  "mistake-back": arrow("M13 5v14L2 12z", 14),
  back: arrow("M17 4v16L5 12z"),
  on: arrow("M7 4v16l12-8z"),
  "mistake-on": arrow("M11 5v14l11-7z", 1),
  last: arrow("M16 5h3v14h-3zM4 5v14l11-7z"),
};

export class Analysis {
  /** A review, looked at by a page of a game; `who` is the seat whose decisions matter most. */
  constructor(page, found, who) {
    Object.assign(this, { page, found, who });
    const { seats, seat: mine } = page;
    this.moments = momentsOf(found);
    this.now = 0;
    this.selected = null; // the action that is explained
    this.advice = new Map(); // by moment
    this.guessing = recall("guessing", false);
    this.seen = new Set(); // decisions that were guessed, or need not be
    const pick = (moment) => this.show(moment);
    const change = (k) =>
      labelled(draw.seatName(seats, k, mine), `${percent(found.shares[0][k])} → ${percent(found.shares.at(-1)[k])}`);
    const ends = seats.map((_, k) => change(k)).join("; ");
    const told = `${say("review.chances")}. ${ends}`;
    this.chances = chancesPlot(this.moments, mine, told, pick); // on a phone
    this.strip = chancesPlot(this.moments, mine, told, pick, true); // beside the buttons, where there is room
    this.luck = luckPlot(this.moments, mine, say("analysis.luck"), pick);
    this.table = new Table();
    this.scene = h("div", { class: "scene" }, this.table.element);
    this.panel = h("section", { class: "card panel" });
    this.why = h("div", { class: "why", "aria-live": "polite" });
    this.errorsPlace = h("div");
    this.place = h("output", { class: "where" });
    const go = (icon, words, step) =>
      button(icons[icon](), step, { "aria-label": words, title: words, "data-key": icon });
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: this.moments.length - 1,
      value: 0,
      "aria-label": say("analysis.moment"),
      input: (event) => this.show(Number(event.target.value)),
    });
    this.element = h(
      "div",
      { class: "analysis" },
      this.scene,
      this.panel,
      h(
        "nav",
        { class: "steps", "aria-label": say("analysis.steps") },
        go("first", say("analysis.first"), () => this.show(0)),
        go("mistake-back", say("analysis.mistake_back"), () => this.toMistake(-1)),
        go("back", say("analysis.back"), () => this.show(this.now - 1)),
        this.place,
        go("on", say("analysis.on"), () => this.show(this.now + 1)),
        go("mistake-on", say("analysis.mistake_on"), () => this.toMistake(1)),
        go("last", say("analysis.last"), () => this.show(this.moments.length - 1)),
        this.slider,
        h("div", { class: "strip" }, this.strip.element),
      ),
      h(
        "section",
        { class: "card plots" },
        h("div", { class: "large" }, titled(say("review.chances"), this.chances)),
        h(
          "ul",
          { class: "row small keys" },
          seats.map((_, k) => h("li", { class: "row" }, sample(k), draw.seatName(seats, k, mine))),
        ),
        this.errorsPlace,
        titled(say("analysis.luck"), this.luck),
        h("p", { class: "soft small" }, say("analysis.marks", this.thresholds()), " ", say("analysis.keys")),
      ),
    );
    this.look(who);
    const key = (event) => (this.element.isConnected ? this.key(event) : document.removeEventListener("keydown", key));
    document.addEventListener("keydown", key);
  }

  thresholds() {
    const { marks } = this.found;
    return { small: percent(marks["?!"], 0), middle: percent(marks["?"], 0), large: percent(marks["??"], 0) };
  }

  /** Whose decisions have bars, and are gone through by the buttons. */
  look(who) {
    this.who = who;
    const name = draw.seatName(this.page.seats, who, this.page.seat);
    const own = this.found.decisions.filter(({ seat }) => seat === who);
    const mean = own.length ? own.reduce((sum, row) => sum + row.costs, 0) / own.length : 0;
    const title = labelled(say("analysis.errors"), name);
    const told = say("analysis.per_decision", { points: percent(mean, 2), count: own.length });
    this.errors = errorsPlot(this.moments, who, this.found.marks, `${title}. ${told}`, (moment) => this.show(moment));
    this.errors.show(this.now);
    this.errorsPlace.replaceChildren(titled(title, this.errors, h("span", { class: "soft" }, ` ${told}`)));
  }

  // ------------------------------------------------------------------ going through it

  /** The moment that the address names. */
  showAddressed() {
    const step = parseInt(new URLSearchParams(location.search).get("step"), 10);
    this.show(Number.isNaN(step) ? 0 : momentAt(this.moments, step), { quiet: true });
  }

  /** A link to the moment that is shown. */
  address() {
    const { step } = this.moments[this.now];
    return `/game/${this.page.room}?review${step === null ? "" : `&step=${step}`}`;
  }

  showStep(step) {
    this.show(momentAt(this.moments, step));
  }

  show(number, { quiet = false } = {}) {
    const moment = this.moments[number];
    if (!moment) return;
    this.now = number;
    this.selected = moment.decision?.action ?? null;
    try {
      history.replaceState(null, "", this.address());
    } catch {
      // Safari allows a hundred of these in ten seconds; whoever holds a key down gets the address with a later step
    }
    for (const plot of [this.chances, this.strip, this.errors, this.luck]) plot.show(number);
    this.place.textContent = `${number + 1} / ${this.moments.length}`;
    this.slider.value = number;
    this.slider.setAttribute("aria-valuetext", this.told(moment));
    this.drawScene(moment);
    this.drawPanel(moment);
    if (!quiet && document.activeElement !== this.slider) announce(this.told(moment)); // which says it by itself
  }

  /** To the next decision with a mark, of whose decisions are looked at. */
  toMistake(way) {
    for (let k = this.now + way; k >= 0 && k < this.moments.length; k += way) {
      const { decision } = this.moments[k];
      if (decision?.mark && decision.seat === this.who) {
        this.show(k);
        return;
      }
    }
    announce(say("analysis.no_other"));
  }

  key(event) {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const steps = {
      ArrowLeft: () => (event.shiftKey ? this.toMistake(-1) : this.show(this.now - 1)),
      ArrowRight: () => (event.shiftKey ? this.toMistake(1) : this.show(this.now + 1)),
      Home: () => this.show(0),
      End: () => this.show(this.moments.length - 1),
    };
    if (!(event.key in steps)) return;
    event.preventDefault();
    steps[event.key]();
  }

  // ------------------------------------------------------------------ what is shown

  drawScene({ position, scores, decision }) {
    const { seats, seat: mine } = this.page;
    this.table.show({ position, scores, seats, mine, asked: decision?.seat ?? null }, { takes: GLIDE });
  }

  sentences(moment) {
    const { seats, seat: mine } = this.page;
    return moment.events.flatMap((event) => happened(event, seats, mine));
  }

  hides({ decision }) {
    return this.guessing && decision !== null && !this.seen.has(decision.step);
  }

  /** A moment in a line, for whoever can't see it. */
  told(moment) {
    const { seats, seat: mine } = this.page;
    const turn = `${say("turn")} ${moment.position.turn + 1}`;
    if (moment.step === null) return say("log.begin");
    if (moment.seat === null) return this.result();
    if (this.hides(moment)) {
      return `${turn}. ${draw.seatName(seats, moment.seat, mine)}: ${question(moment.position, seats, mine)}`;
    }
    const verdict = moment.decision ? ` ${this.verdict(moment)}` : "";
    return `${turn}. ${this.sentences(moment).join(" ")}${verdict}`;
  }

  result() {
    const { winners, scores } = this.page.state;
    return happened({ kind: "over", winners, scores }, this.page.seats, this.page.seat)[0];
  }

  verdict({ decision, position }) {
    const { seats, seat: mine } = this.page;
    const { best, costs, mark } = decision;
    if (costs < 0.00005) return say("analysis.best");
    const facts = { points: percent(costs, 2), best: actionWords(best, position, seats, mine) };
    return say(mark ? `analysis.${MARKS[mark]}_costs` : "analysis.costs", facts);
  }

  drawPanel(moment) {
    const { seats, seat: mine } = this.page;
    const { position, decision } = moment;
    const name = moment.seat === null ? null : draw.seatName(seats, moment.seat, mine);
    const turn = `${say("turn")} ${position.turn + 1}`;
    const title = moment.step === null ? say("log.begin") : moment.seat === null ? this.result() : `${turn} · ${name}`;
    const shares = moment.seat === null || decision ? null : this.moved(say("analysis.luck_of"), moment.own);
    clearTimeout(this.resting);
    this.asking?.abort();
    const focused = this.panel.contains(document.activeElement) ? document.activeElement : null;
    this.panel.replaceChildren(
      h("h2", { tabindex: "-1" }, title, decision?.mark && !this.hides(moment) && markBadge(decision.mark)),
      ...(decision ? this.decisionParts(moment) : [h("p", {}, this.sentences(moment).join(" "))]),
      ...(this.hides(moment) ? [] : [shares, this.driftOf(moment), this.chancesOf(moment)].filter(Boolean)),
      h(
        "p",
        { class: "row" },
        decision && button(say("review.again"), () => this.playFrom(decision), { "data-key": "play-from" }),
        this.linkButton(),
      ),
      decision ? this.guessBox() : "",
    );
    if (decision && !this.hides(moment)) this.explain(moment);
    if (!focused) return;
    const again = focused.dataset.key && this.panel.querySelector(`[data-key="${focused.dataset.key}"]`);
    (again || this.panel.querySelector("h2")).focus({ preventScroll: true });
  }

  decisionParts(moment) {
    const { seats, seat: mine } = this.page;
    const { position, decision } = moment;
    const asked = h("p", {}, question(position, seats, mine));
    if (this.hides(moment)) {
      const guess = (action) => {
        this.seen.add(decision.step);
        this.show(this.now);
        this.select(moment, action);
      };
      const actions = decision.actions.map(([action]) => action).sort((a, b) => a - b);
      return [
        asked,
        h("p", { class: "soft" }, say("analysis.guess")),
        h(
          "div",
          { class: "actions" },
          actions.map((action) =>
            button(actionWords(action, position, seats, mine), () => guess(action), { "data-key": `guess-${action}` }),
          ),
        ),
      ];
    }
    this.values = h("div", { class: "scroll", tabindex: "0" });
    return [
      asked,
      h("p", { class: "small soft" }, this.sentences(moment).join(" ")),
      h("p", { class: decision.mark ? "minus" : "" }, this.verdict(moment)),
      this.values,
      this.why,
    ];
  }

  drawValues({ position, decision }) {
    const { seats, seat: mine } = this.page;
    const best = decision.actions[0][1];
    const focused = document.activeElement?.dataset?.key;
    const rows = decision.actions.map(([action, share]) => ({ action, win_share: share, costs: best - share }));
    this.values.replaceChildren(
      valuesTable({
        rows,
        position,
        seats,
        mine,
        chosen: decision.action,
        selected: this.selected,
        select: (action) => this.select(this.moments[this.now], action),
        tryIt: (action) => this.playFrom(decision, action),
      }),
    );
    if (focused) this.values.querySelector(`[data-key="${focused}"]`)?.focus();
  }

  select(moment, action) {
    this.selected = action;
    this.explain(moment);
  }

  /** Values at once; reasons when somebody stays for a moment. */
  explain(moment) {
    this.drawValues(moment);
    const number = this.now;
    const known = this.advice.get(number);
    if (known) {
      const { seats, seat: mine } = this.page;
      this.why.replaceChildren(...explained(known, this.selected, moment.position, seats, mine));
      return;
    }
    this.why.replaceChildren();
    clearTimeout(this.resting);
    this.resting = setTimeout(async () => {
      this.asking = new AbortController();
      const query = new URLSearchParams({ position: moment.decision.position });
      try {
        const found = await ask("GET", `/api/analyse?${query}`, undefined, undefined, this.asking.signal);
        this.advice.set(number, found.advice);
        if (this.now === number) this.explain(moment);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (this.now === number && error.status) this.why.replaceChildren(h("p", { class: "soft" }, error.message));
      }
    }, REST);
  }

  /** By how much something has moved everybody's chances. */
  moved(title, row) {
    const { seats, seat: mine } = this.page;
    const parts = row.map((share, k) => labelled(draw.seatName(seats, k, mine), signed(share)));
    return h("p", { class: "small" }, h("b", {}, `${title} `), parts.join(" · "));
  }

  driftOf({ drift }) {
    const seen = drift?.some((share) => Math.abs(share) >= 0.0005);
    return seen ? this.moved(say("analysis.drift_of"), drift) : null;
  }

  chancesOf({ shares }) {
    const { seats, seat: mine } = this.page;
    const parts = shares.map((share, k) => labelled(draw.seatName(seats, k, mine), percent(share)));
    return h("p", { class: "small" }, h("b", {}, `${say("review.chances")} `), parts.join(" · "));
  }

  linkButton() {
    const copy = async (event) => {
      const field = h("input", {
        type: "text",
        class: "unseen",
        value: new URL(this.address(), location.href).href,
        tabindex: "-1",
      });
      const place = event.target;
      place.after(field);
      await copyText(field);
      field.remove();
      place.textContent = say("invite.copied");
      place.focus();
    };
    return button(say("analysis.link"), copy, { class: "plain", "data-key": "link" });
  }

  guessBox() {
    const change = (event) => {
      this.guessing = event.target.checked;
      remember("guessing", this.guessing);
      this.seen.clear();
      this.show(this.now, { quiet: true });
      this.panel.querySelector("[data-key='guessing']").focus();
    };
    const box = h("input", { type: "checkbox", checked: this.guessing, change, "data-key": "guessing" });
    return h("label", { class: "small" }, box, say("analysis.guessing"));
  }

  /** A new game from a decision, against the same agents. */
  playFrom({ seat: mine, position }, action = null) {
    const seats = this.page.seats.map((seat, k) => (k === mine ? "me" : (seat.agent ?? "champion")));
    const { copies, italian_reading } = this.page.state;
    return practise(this.page.go, { seats, position, copies, italian_reading }, action);
  }
}

/** A mark, with what it is called. */
export const markBadge = (mark) =>
  h("span", { class: `mark ${MARKS[mark]}`, role: "img", "aria-label": say(`analysis.${MARKS[mark]}`) }, mark);
