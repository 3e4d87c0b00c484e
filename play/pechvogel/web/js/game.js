// A game on the page: who we are there, what the server says of it, and what can be done besides deciding.
// How it is heard of is in `listening.js`, how it is shown in `showing.js`, how it is answered in `answers.js`;
// how it looks in `view.js`.

import { Answers } from "./answers.js";
import { ask, fixDice, forgetGame, games, keepGame, openRoom, Refusal, tryTo } from "./api.js";
import { Coach } from "./coach.js";
import { alarm, announce, h, openDialog } from "./dom.js";
import { seatName } from "./draw.js";
import { broken, keepPromise } from "./fair.js";
import { noteSeen, seenGames } from "./kept.js";
import { Listening } from "./listening.js";
import { collect } from "./memory.js";
import { drawWaiting } from "./missing.js";
import { shake } from "./motion.js";
import { CALL_PAUSE, CALLS, muted, notice, watching } from "./people.js";
import { showReview } from "./review.js";
import { actionWords, question } from "./sentences.js";
import { shelved } from "./shelf.js";
import { Showing } from "./showing.js";
import { play, tremble } from "./sound.js";
import { unsent } from "./unsent.js";
import { drawGame, drawGone } from "./view.js";
import { labelled, remember, say } from "./words.js";

export class GamePage {
  constructor(room, main, go) {
    this.room = room;
    this.main = main;
    this.go = go;
    const kept = games()[room];
    this.seat = kept?.seat ?? null;
    this.token = kept?.token ?? null;
    this.fresh = Boolean(kept?.token) && !kept.visited; // then its first events are worth watching
    this.state = null; // as the server said last
    this.seats = null;
    this.position = null; // as it is shown
    this.scores = null;
    this.view = null;
    this.listening = new Listening(this);
    this.showing = new Showing(this);
    this.coach = new Coach(this);
    this.answers = new Answers(this);
    this.tapped = [];
    this.takenBack = 0; // decisions, as told by the stream
    this.stopped = false;
    this.sure = false; // that the game is to be deleted
    this.name = null; // as typed so far by somebody who wants to join
    this.onlookers = 0;
    this.calledAt = -Infinity;
    this.noticed = false; // the title says that we are waited for
  }

  async start() {
    try {
      this.state = await ask("GET", this.path());
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status === 404) forgetGame(this.room);
      this.state = error.status ? null : ((await shelved(this.room))?.state ?? null);
      if (!error.status && !this.state) drawWaiting(this.main, say("offline.game"));
      else if (!this.state) drawGone(this.main, error.message);
      if (!this.state) return;
    }
    this.promised = this.state; // what was shown before we sat down
    this.seats = this.state.seats;
    this.position = this.state.position;
    this.scores = this.state.scores;
    this.wasOver = this.state.over; // before we came
    this.listening.past = this.fresh ? 0 : this.state.events;
    if (this.token) keepGame(this.room, { visited: true });
    this.noteSeen();
    const away = await ask("GET", "/api/agents").catch(() => ({}));
    this.awaySeconds = away.away_seconds ?? 120;
    this.strength = away.strength ?? {};
    this.listening.begin();
    if (this.state.over && new URLSearchParams(location.search).has("review")) await showReview(this);
    else if (!this.fresh || !this.state.begun) this.draw();
    await this.fixDice();
  }

  /** For the list of games, where there is no connection. */
  noteSeen() {
    if (this.token) noteSeen({ ...seenGames(), [this.room]: this.state });
  }

  stop() {
    this.stopped = true;
    if (this.noticed) notice(false);
    this.listening.end();
    clearTimeout(this.patience);
  }

  /** Where the server has this room, or something of it. */
  path(what = "") {
    return `/api/rooms/${this.room}${what && `/${what}`}`;
  }

  // ------------------------------------------------------------------ what the server says

  /** A state from the server: answers and stream may overtake each other, so an older one is not news. */
  hear(state) {
    if (state.events >= this.state.events) this.state = state;
    // Everybody keeps seat and token in a rematch.
    if (state.rematch && this.token && !games()[state.rematch]) {
      keepGame(state.rematch, { seat: this.seat, token: this.token });
    }
  }

  /** Whether all events have come that the newest state knows of, and no others. */
  caughtUp() {
    return this.state.events === this.listening.seen + 1;
  }

  /** What somebody calls out: at their seat for a moment, and as a word for whoever listens. */
  hearCall({ seat, what }) {
    if (!CALLS.includes(what) || !this.seats?.[seat] || this.reviewing || (muted() && seat !== this.seat)) return;
    const words = say(`call.${what}`);
    this.view?.table.callOut(seat, words);
    announce(labelled(seatName(this.seats, seat, this.seat), words));
  }

  // ------------------------------------------------------------------ showing

  /** Show what has come, then how it stands. */
  async showQueue() {
    if (!(await this.showing.run()) || this.stopped || this.showing.busy) return;
    // Answers and stream overtake each other: only what belongs together is shown together.
    if (!this.caughtUp()) {
      this.draw({ busy: { sentences: [], seat: null } });
      return;
    }
    this.seats = this.state.seats;
    if (this.state.position) {
      this.position = this.state.position;
      this.scores = this.state.scores;
    }
    this.draw();
  }

  /** All of it; `busy` is what is being shown just now: its sentences, and whose doing it is. */
  draw({ busy = null, ...motion } = {}) {
    if (this.reviewing) return;
    if (this.state.dice_due && this.tapped.length > this.state.dice_due) this.tapped = [];
    if (!busy && this.answers.isUnsent()) {
      const { action } = unsent()[this.room];
      const words = actionWords(action, this.position, this.seats, this.seat);
      busy = { sentences: [say("offline.kept", { action: words })], seat: this.seat };
    }
    if (!busy && this.answers.passForMe()) {
      busy = { sentences: [say(`habits.passed.${this.answers.passed}`)], seat: this.seat };
    }
    drawGame(this, busy, motion);
    if (!busy) this.afterDrawing();
  }

  /** Whether it is me who is asked now. */
  asked() {
    const { state } = this;
    const mine = this.seat !== null && state.begun && !state.over && state.to_act === this.seat;
    return mine && !this.seats[this.seat].agent;
  }

  /** What a new question, or the end, brings with it. */
  afterDrawing() {
    const { state } = this;
    const mine = this.asked();
    const now = mine ? state.played : null;
    const waited = mine || (this.seat !== null && state.dice_due > 0 && this.position?.active === this.seat);
    if (waited !== this.noticed) notice(waited);
    this.noticed = waited;
    if (state.over && !this.ended) {
      this.ended = true;
      this.noteSeen();
      collect(this.room);
      if (this.seat !== null && !this.wasOver) this.showing.celebrate(state.winners.includes(this.seat));
    }
    if (mine && now !== this.announced) {
      if (this.announced === null) {
        play("turn");
        tremble(25);
      }
      this.announced = now;
      this.answers.begin();
      announce(labelled(say("ask.you"), question(this.position, this.seats, this.seat)));
      if (document.activeElement === document.body) {
        this.main.querySelector(".actions button")?.focus({ preventScroll: true });
      }
      this.main.querySelector(".ask")?.scrollIntoView({ block: "nearest" }); // on a phone it may be out of sight
    }
    if (!mine) this.announced = null;
    if (mine) this.coach.prepare(now);
  }

  /** Whether the same decision has been waited for so long that an agent may stand in; else looks again later. */
  keptWaiting() {
    const { played, begun, round, seats, missing_numbers: missing } = this.state;
    const people = seats.filter((seat) => seat.kind === "person").length;
    const what = [played, begun, round, missing.length > 0, people].join();
    if (this.waitingFor?.what !== what) this.waitingFor = { what, since: Date.now() };
    const left = 1000 * this.awaySeconds - (Date.now() - this.waitingFor.since);
    clearTimeout(this.patience);
    if (left > 0) this.patience = setTimeout(() => this.showQueue(), left + 50);
    return left <= 0;
  }

  /** No other person is at the table, whose consent it would take. */
  alone() {
    return this.seats.filter((seat) => seat.kind === "person").length <= 1;
  }

  // ------------------------------------------------------------------ doing

  async send(what, body = undefined) {
    const content = body ?? (what === "return" ? undefined : {});
    const found = await tryTo("POST", this.path(what), content, this.token);
    if (!found) return false;
    this.hear(found);
    this.showQueue();
    return true;
  }

  /** Call something out, but not too often. */
  async call(what, element) {
    if (performance.now() - this.calledAt < CALL_PAUSE) {
      shake(element, 4, 260);
      return;
    }
    this.calledAt = performance.now();
    await tryTo("POST", this.path("call"), { what }, this.token);
  }

  async join(name) {
    const found = await tryTo("POST", this.path("join"), { name: name || say("lobby.guest") });
    if (!found) return;
    this.seat = found.seat;
    this.token = found.token;
    remember("name", name);
    keepGame(this.room, { seat: this.seat, token: this.token, visited: true });
    keepPromise(this.room, this.promised);
    this.noteSeen();
    this.listening.beginAnew(); // as a player: we look on no longer
    this.hear(found.state);
    this.showQueue();
    await this.fixDice();
  }

  /** Send what the dice lack of us; but play no game whose dice are others than were promised. */
  async fixDice() {
    if (this.stopped || this.refuses() || this.seatIsLost()) return;
    const found = await fixDice(this.room, this.state);
    if (!found || this.stopped) return;
    this.hear(found);
    this.showQueue();
    this.refuses();
  }

  refuses() {
    if (!broken(this.room, this.state)) return false;
    this.stop();
    drawGone(this.main, say("fair.refused"));
    return true;
  }

  /** Whoever did not show their number in time is an onlooker from then on. */
  seatIsLost() {
    if (this.seat === null || this.state.seats[this.seat].kind === "person") return false;
    this.seat = this.token = null;
    forgetGame(this.room);
    this.listening.beginAnew();
    openDialog(say("fair.title"), say("close"), h("p", {}, say("fair.lost")));
    this.showQueue();
    return true;
  }

  /** A real die is tapped in. */
  tap(face) {
    if (this.tapped.length < this.state.dice_due) this.tapped.push(face);
    this.draw();
  }

  /** Real dice that were tapped in by mistake: all of them, or one. */
  untap(first = 0, count = this.tapped.length) {
    this.tapped.splice(first, count);
    this.draw();
  }

  async throwTapped() {
    const faces = this.tapped;
    this.tapped = [];
    await this.send("throw", { faces, played: this.state.played });
  }

  /** Whether it could be opened. */
  async rematch() {
    const found = await openRoom(this.path("rematch"), undefined, this.token);
    if (found) this.go(`/game/${found.room}`);
    return Boolean(found);
  }

  /** Let the same agents play each other again. */
  async watchAgain() {
    const { seats, copies, italian_reading } = this.state;
    const agents = seats.map(({ agent }) => agent);
    const found = await openRoom("/api/rooms", watching(agents, { copies, italian_reading }));
    if (found) this.go(`/game/${found.room}`);
    return Boolean(found);
  }

  /** Delete the game, when asked a second time. */
  async remove() {
    if (!this.sure) {
      this.sure = true;
      this.draw();
      return;
    }
    try {
      await ask("DELETE", this.path(), undefined, this.token);
      forgetGame(this.room);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      alarm(error.message);
    }
  }

  key(event) {
    this.answers.key(event);
  }
}
