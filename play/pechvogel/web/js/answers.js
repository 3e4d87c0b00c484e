// How a person at the table answers: by a click or a key, by a habit that passes for them, or later, without a connection.

import { ask, Refusal } from "./api.js";
import { alarm, announce, sleep } from "./dom.js";
import { passes } from "./habits.js";
import { shake } from "./motion.js";
import { PASS } from "./sentences.js";
import { pace } from "./showing.js";
import { keepUnsent, unsent } from "./unsent.js";
import { say } from "./words.js";

const EARLY = 250; // milliseconds in which the second of two quick clicks is not taken for an answer to a new question
const NEAR = 30; // pixels: the same spot

export class Answers {
  constructor(page) {
    this.page = page;
    this.letGo = null; // the turn in which we don't want to be asked any more
    this.byHand = false; // a decision was taken back: nobody answers it for us
    this.passed = null; // why the page has passed for us last
    this.askedAt = 0;
    this.pressedAt = 0;
    this.sent = null; // the decision that is on its way
    this.last = null; // the last answer: where it was clicked, or the key
  }

  /** A new question is seen from now on. */
  begin() {
    this.askedAt = performance.now();
  }

  /** We have taken back a decision. */
  takenBack() {
    this.byHand = true;
    this.letGo = null;
  }

  /**
   * Somebody clicks an action, or a piece that stands for it. Only a click that begins on the spot of the last answer,
   * when a new question has hardly been seen, is none: it belongs to that answer.
   */
  async choose(action, event, { sure = false, letGo = this.letGo } = {}) {
    const spot = event?.detail ? [event.clientX, event.clientY] : null;
    if (spot && this.tooEarly(this.pressedAt, this.last?.spot, spot)) {
      shake(event.target.closest("[data-do], button") ?? event.target, 4, 260);
      return;
    }
    if (this.sending || !this.page.asked() || this.isUnsent()) return;
    this.sending = true;
    const done = this.mark(action);
    this.letGo = letGo;
    this.last = { ...this.last, spot };
    try {
      if (sure || !(await this.page.coach.doubts(action))) await this.act(action);
      else this.askBack();
    } finally {
      this.sending = false;
      done();
    }
  }

  /** What was chosen is seen at once, also while the tutor thinks or the server is far away. */
  mark(action) {
    const button = this.page.main.querySelector(`[data-action="${action}"]`);
    const card = button?.closest(".ask");
    button?.classList.add("chosen");
    card?.setAttribute("aria-busy", "true");
    return () => {
      button?.classList.remove("chosen");
      card?.removeAttribute("aria-busy");
    };
  }

  tooEarly(began, last, spot) {
    const near = last && Math.hypot(last[0] - spot[0], last[1] - spot[1]) < NEAR;
    return Boolean(near) && began - this.askedAt < EARLY;
  }

  /** The tutor doubts what was chosen. */
  askBack() {
    const { page } = this;
    this.begin();
    page.draw();
    announce(`${say("tutor.really")} ${page.main.querySelector(".really p")?.textContent ?? ""}`);
    page.main.querySelector("[data-key='again']")?.focus({ preventScroll: true });
  }

  chooseAgain() {
    const { page } = this;
    page.coach.doubt = null;
    this.letGo = null;
    this.begin();
    page.draw();
    page.main.querySelector(".actions button")?.focus({ preventScroll: true });
  }

  async act(action) {
    const { page } = this;
    page.coach.dismiss();
    this.byHand = false;
    const { played, events } = page.state;
    this.sent = played;
    try {
      page.hear(await ask("POST", page.path("act"), { action, played }, page.token));
      page.showQueue();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.sent = null;
      // It may have arrived, or not: it is sent again, and the server knows what it has already.
      const kept = !error.status && keepUnsent(page.room, { action, played, after: events });
      if (kept) page.draw();
      else alarm(error.message);
    }
  }

  /** Whether what we have decided waits for a connection. */
  isUnsent() {
    return this.page.asked() && unsent()[this.page.room]?.played === this.page.state.played;
  }

  // ------------------------------------------------------------------ not asked needlessly

  /** Whether the page answers for us, as we have told it to: with a pass, if the server lists that as legal. */
  passForMe() {
    const { page } = this;
    const { state, position } = page;
    if (!page.asked() || this.sent === state.played || !page.caughtUp() || page.showing.busy) return false;
    if (this.byHand || page.coach.doubt) return false;
    const why = passes(position, state.legal, this.letGo);
    if (!why) return false;
    if (this.passing === state.played) return true;
    this.passing = state.played;
    this.passed = why;
    // At a table of several people nobody shall tell a habit from a thought by how long it takes.
    const delay = page.alone() ? pace() / 2 : 600 + 1800 * Math.random();
    sleep(delay).then(() => this.pass(state.played));
    return true;
  }

  async pass(played) {
    const { page } = this;
    if (page.stopped || page.state.played !== played || !page.asked()) return;
    try {
      page.hear(await ask("POST", page.path("act"), { action: PASS, played }, page.token));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.byHand = true; // then we are asked after all
    }
    page.showQueue();
  }

  /** Pass now, and until this turn is over. */
  async letTurnGo(event) {
    await this.choose(PASS, event, { letGo: this.page.position.turn });
  }

  // ------------------------------------------------------------------ keys

  /** Digits choose actions, or tap in dice. */
  key(event) {
    const { main, state } = this.page;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    const other = event.repeat || event.ctrlKey || event.metaKey || event.altKey;
    if (!/^\d$/.test(event.key) || typing || other || document.querySelector("dialog[open]")) return;
    const number = Number(event.key);
    const early = !state?.dice_due && this.last?.key === event.key && performance.now() - this.askedAt < EARLY;
    const button = state?.dice_due
      ? main.querySelector(`[data-key="face-${number}"]`)
      : main.querySelectorAll(".actions button")[number - 1];
    if (!button) return;
    event.preventDefault();
    if (early) {
      shake(button, 4, 260);
      return;
    }
    this.last = { ...this.last, key: event.key };
    button.click();
  }
}
