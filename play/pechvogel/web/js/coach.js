// The coach of a game: asked at every decision where all have agreed to it, shown if wanted, else a tutor who asks back.

import { ask, Refusal, tryTo } from "./api.js";
import { announce, sleep } from "./dom.js";
import { actionWords } from "./sentences.js";
import { coachStyle, doubtful } from "./tutor.js";
import { labelled, say } from "./words.js";

const PATIENCE = 1500; // milliseconds that a choice waits for the tutor

export class Coach {
  constructor(page) {
    this.page = page;
    this.advice = null;
    this.doubt = null; // what the tutor asks back about: an action, and the coach's row
  }

  /** What the coach said about this decision, if it is to be seen: always, or because somebody wanted a hint. */
  shown() {
    const { advice } = this;
    const { state } = this.page;
    if (advice?.played !== state.played || !advice.actions) return null;
    return advice.hinted || (state.agreed.coach && coachStyle() === "all") ? advice : null;
  }

  canHint() {
    return !this.shown() && (this.page.alone() || (this.page.state.agreed.coach && coachStyle() !== "all"));
  }

  /** Ask about the decision that is ours now, once. */
  prepare(played) {
    if (this.page.state.agreed.coach && this.advice?.played !== played) this.advising = this.consult(played);
  }

  async consult(played) {
    const { page } = this;
    this.advice = { played, actions: null };
    this.asking = new AbortController();
    try {
      const found = await ask("GET", page.path("advice"), undefined, page.token, this.asking.signal);
      if (page.state.played !== played || page.stopped) return;
      this.advice = { played, ...found };
      page.draw();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error; // the moment has passed: nothing to show
    }
  }

  /** It is decided: what the coach would say comes too late. */
  dismiss() {
    this.doubt = null;
    this.asking?.abort();
  }

  async hint() {
    const { page } = this;
    const { played } = page.state;
    const found = await tryTo("POST", page.path("hint"), undefined, page.token);
    if (!found || page.state.played !== played || page.stopped) return;
    this.advice = { played, ...found, hinted: true };
    page.draw();
    const best = actionWords(found.actions[0].action, page.position, page.seats, page.seat);
    announce(labelled(say("coach.best"), best));
  }

  /** Whether the tutor asks back. */
  async doubts(action) {
    const { page } = this;
    const { played } = page.state;
    if (!page.state.agreed.coach || coachStyle() === "all" || this.advice?.hinted) return false;
    await Promise.race([this.advising, sleep(PATIENCE)]);
    const row = this.advice?.played === played ? doubtful(this.advice, action) : null;
    if (!row || page.state.played !== played || page.stopped) return false;
    this.doubt = { action, row };
    return true;
  }
}
