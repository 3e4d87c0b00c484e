// A game on the page: it listens to the room, shows one event after another at the chosen pace, and sends decisions.
// How it looks is in `view.js`, what is heard in `sound.js`.

import { ask, fixDice, forgetGame, games, keepGame, openRoom, Refusal, tryTo } from "./api.js";
import { report } from "./connection.js";
import { alarm, announce, h, openDialog, sleep } from "./dom.js";
import { seatName } from "./draw.js";
import { broken, keepPromise } from "./fair.js";
import { passes } from "./habits.js";
import { collect } from "./memory.js";
import { drawWaiting } from "./missing.js";
import { shake } from "./motion.js";
import { CALL_PAUSE, CALLS, muted, notice, watching } from "./people.js";
import { showReview } from "./review.js";
import { actionWords, FRUSTRATE, happened, PASS, question, robbed, TAKE } from "./sentences.js";
import { shelved } from "./shelf.js";
import { play, tremble } from "./sound.js";
import { coachStyle, doubtful } from "./tutor.js";
import { keepUnsent, unsent } from "./unsent.js";
import { drawGame, drawGone, robs } from "./view.js";
import { labelled, recall, remember, say } from "./words.js";

const PACES = { slow: 1400, normal: 700, fast: 250, instant: 0 };
const EARLY = 250; // milliseconds in which the second of two quick clicks is not taken for an answer to a new question
const NEAR = 30; // pixels: the same spot
const PATIENCE = 1500; // milliseconds that a choice waits for the tutor
const pace = () => PACES[recall("pace", "normal")] ?? PACES.normal; // milliseconds between two events

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
    this.queue = []; // events that are not shown yet
    this.showing = false;
    this.lines = [];
    this.told = 0; // lines so far
    this.view = null;
    this.advice = null;
    this.doubt = null; // what the tutor asks back about: an action, and the coach's row
    this.letGo = null; // the turn in which we don't want to be asked any more
    this.byHand = false; // a decision was taken back: nobody answers it for us
    this.passed = null; // why the page has passed for us last
    this.askedAt = 0;
    this.pressedAt = 0;
    this.sent = null; // the decision that is on its way
    this.wake = null; // goes on at once with what is being shown
    this.answered = null; // the last answer: where it was clicked, or the key
    this.tapped = [];
    this.takenBack = 0; // decisions, as told by the stream
    this.skipping = false;
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
    this.seen = -1;
    this.past = this.fresh ? 0 : this.state.events; // events up to here are only listed
    if (this.token) keepGame(this.room, { visited: true });
    const away = await ask("GET", "/api/agents").catch(() => ({}));
    this.awaySeconds = away.away_seconds ?? 120;
    this.strength = away.strength ?? {};
    this.listen();
    if (this.state.over && new URLSearchParams(location.search).has("review")) await showReview(this);
    else if (!this.fresh || !this.state.begun) this.draw();
    await this.fixDice();
  }

  stop() {
    this.stopped = true;
    if (this.noticed) notice(false);
    this.stream?.close();
    clearTimeout(this.retry);
    clearTimeout(this.patience);
  }

  /** Where the server has this room, or something of it. */
  path(what = "") {
    return `/api/rooms/${this.room}${what && `/${what}`}`;
  }

  // ------------------------------------------------------------------ listening

  listen() {
    this.stream = new EventSource(this.path(`events?after=${this.seen}${this.token ? "" : "&looking=true"}`));
    this.stream.onmessage = (message) => {
      const event = JSON.parse(message.data);
      if (event.number <= this.seen) return; // a reconnected stream may tell things twice
      this.seen = event.number;
      if (event.kind === "taken_back") this.takenBack += 1;
      if (event.kind === "taken_back" && event.seat === this.seat) [this.byHand, this.letGo] = [true, null];
      if (event.number < this.past) {
        this.note(happened(event, event.seats ?? this.seats, this.seat));
        return;
      }
      this.queue.push(event);
      this.showQueue();
    };
    this.stream.addEventListener("state", (message) => {
      report(true);
      this.hear(JSON.parse(message.data));
      this.showQueue();
      this.fixDice();
    });
    this.stream.addEventListener("call", (message) => this.hearCall(JSON.parse(message.data)));
    this.stream.addEventListener("onlookers", (message) => {
      this.onlookers = JSON.parse(message.data);
      this.view?.side.drawCrowd();
    });
    this.stream.addEventListener("gone", () => {
      this.stop();
      forgetGame(this.room);
      drawGone(this.main, say("over.deleted"));
    });
    this.stream.onerror = () => {
      report(false);
      // A browser goes on trying after a lost connection, but not after an answer that is no stream.
      if (this.stream.readyState === EventSource.CLOSED) {
        this.retry = setTimeout(() => this.stopped || this.listen(), 2000);
      }
    };
  }

  listenAnew() {
    this.stream.close();
    clearTimeout(this.retry);
    this.listen();
  }

  /** A state from the server: answers and stream may overtake each other, so an older one is not news. */
  hear(state) {
    if (state.events >= this.state.events) this.state = state;
    // Everybody keeps seat and token in a rematch.
    if (state.rematch && this.token && !games()[state.rematch]) {
      keepGame(state.rematch, { seat: this.seat, token: this.token });
    }
  }

  /** What somebody calls out: at their seat for a moment, and as a word for whoever listens. */
  hearCall({ seat, what }) {
    if (!CALLS.includes(what) || !this.seats?.[seat] || this.reviewing || (muted() && seat !== this.seat)) return;
    const words = say(`call.${what}`);
    this.view?.table.callOut(seat, words);
    announce(labelled(seatName(this.seats, seat, this.seat), words));
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

  /** Whether all events have come that the newest state knows of, and no others. */
  caughtUp() {
    return this.state.events === this.seen + 1;
  }

  // ------------------------------------------------------------------ showing

  async showQueue() {
    if (this.showing) return;
    this.showing = true;
    while (this.queue.length && !this.stopped) {
      await this.show(this.queue.shift());
    }
    this.showing = false;
    this.skipping = false;
    if (this.stopped) return;
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

  /** Lines for the log. */
  note(sentences) {
    this.lines.push(...sentences);
    this.told += sentences.length;
    if (this.lines.length > 300) this.lines = this.lines.slice(-200);
  }

  /** What happened, for all to read and hear: when it can be seen, not before. */
  tell(sentences) {
    this.note(sentences);
    sentences.forEach(announce);
  }

  /** One event, for as long as the pace says. */
  async show(event) {
    if (event.seats) this.seats = event.seats;
    const sentences = happened(event, this.seats, this.seat);
    // Where nobody sees it, nothing is drawn out: so whoever is asked hears of it at once.
    const unseen = this.skipping || document.visibilityState === "hidden";
    const wait = unseen || !["throw", "action", "end"].includes(event.kind) ? 0 : pace();
    const before = this.position;
    const seat = event.seat ?? null;
    if (event.kind === "throw" && wait) {
      await this.showThrow(event, sentences, wait);
      return;
    }
    this.tell(sentences);
    if (event.scores) this.scores = event.scores;
    if (event.position) this.position = event.position;
    if (event.turn && before) {
      // What ended the turn stays on the board for as long as it takes to see what that brought.
      const { active, target, targets, ravens, last_throw } = before;
      this.position = { ...event.position, active, target, targets, ravens, last_throw };
    }
    const busy = { sentences, seat };
    this.draw({ busy, takes: 0.8 * wait, saying: this.saying(event) });
    this.underline(event, wait);
    if (event.turn) this.position = event.position;
    if (!wait) return;
    const passing = event.kind === "action" && event.action === PASS;
    await this.pause(event.turn ? 1.5 * wait : event.forced || passing ? wait / 2 : wait);
    if (event.turn && !this.stopped) this.draw({ busy, takes: wait / 2 }); // the dice go on
  }

  /** Dice fly and land; only then it is said what they show, and they move to the board. */
  async showThrow(event, sentences, wait) {
    const { seat } = event;
    const throwing = [say("table.throws", { name: seatName(this.seats, seat, this.seat) })];
    this.position = event.position;
    this.scores = event.scores ?? this.scores;
    play("throw", wait / 1000, event.faces.length);
    this.draw({ busy: { sentences: throwing, seat }, takes: wait, rolling: true });
    await this.pause(wait);
    if (this.stopped) return;
    this.tell(sentences);
    this.draw({ busy: { sentences, seat }, takes: wait / 2 });
    const { target, targets, ravens } = event.position;
    if (event.faces.includes(0)) play("raven");
    else if (event.faces.includes(target)) play("place");
    if (targets > 3 || ravens > 2) this.view?.table.lightBoard(ravens < 3);
    await this.pause(wait / 2);
  }

  /** Time to look; who has seen enough clicks the table. */
  async pause(milliseconds) {
    await Promise.race([sleep(milliseconds), new Promise((wake) => (this.wake = wake))]);
    this.wake = null;
  }

  /** What somebody says with an action. */
  saying({ kind, seat, action, asked }) {
    if (kind !== "action" || seat === this.seat) return null;
    return { seat, words: actionWords(action, asked, this.seats, this.seat) };
  }

  /** What is worth a sound or a shake. */
  underline(event, wait) {
    if (!wait) return;
    if (event.kind === "action" && robs(event.action)) {
      const victim = robbed(event.asked, event.action);
      this.view?.table.shakeSeat(victim);
      play("steal");
      if (victim === this.seat) tremble(60, 40, 60);
    } else if (event.action === TAKE) play("marker");
    else if (event.action === FRUSTRATE) {
      play("frustrate");
      if (event.asked.active === this.seat) tremble(40);
    } else if (event.turn?.murphy !== null && event.turn) play("murphy");
  }

  /** All of it; `busy` is what is being shown just now: its sentences, and whose doing it is. */
  draw({ busy = null, ...motion } = {}) {
    if (this.reviewing) return;
    if (this.state.dice_due && this.tapped.length > this.state.dice_due) this.tapped = [];
    if (!busy && this.isUnsent()) {
      const { action } = unsent()[this.room];
      const words = actionWords(action, this.position, this.seats, this.seat);
      busy = { sentences: [say("offline.kept", { action: words })], seat: this.seat };
    }
    if (!busy && this.passForMe()) busy = { sentences: [say(`habits.passed.${this.passed}`)], seat: this.seat };
    drawGame(this, busy, motion);
    if (!busy) this.afterDrawing();
  }

  /** Whether it is me who is asked now. */
  asked() {
    const { state } = this;
    const mine = this.seat !== null && state.begun && !state.over && state.to_act === this.seat;
    return mine && !this.seats[this.seat].agent;
  }

  afterDrawing() {
    const { state } = this;
    const mine = this.asked();
    const now = mine ? state.played : null;
    const waited = mine || (this.seat !== null && state.dice_due > 0 && this.position?.active === this.seat);
    if (waited !== this.noticed) notice(waited);
    this.noticed = waited;
    if (state.over && !this.ended) {
      this.ended = true;
      collect(this.room);
      this.celebrate(state.winners.includes(this.seat));
    }
    if (mine && now !== this.announced) {
      if (this.announced === null) {
        play("turn");
        tremble(25);
      }
      this.announced = now;
      this.askedAt = performance.now();
      announce(labelled(say("ask.you"), question(this.position, this.seats, this.seat)));
      if (document.activeElement === document.body) {
        this.main.querySelector(".actions button")?.focus({ preventScroll: true });
      }
      this.main.querySelector(".ask")?.scrollIntoView({ block: "nearest" }); // on a phone it may be out of sight
    }
    if (!mine) this.announced = null;
    if (mine && state.agreed.coach && this.advice?.played !== now) this.advising = this.askCoach(now);
  }

  celebrate(won) {
    if (this.seat === null || this.wasOver || !pace()) return;
    play(won ? "win" : "lose");
    if (won) this.view?.table.celebrate();
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

  // ------------------------------------------------------------------ the coach

  /** What the coach said about this decision, if it is to be seen: always, or because somebody wanted a hint. */
  shownAdvice() {
    const { advice, state } = this;
    if (advice?.played !== state.played || !advice.actions) return null;
    return advice.hinted || (state.agreed.coach && coachStyle() === "all") ? advice : null;
  }

  canHint() {
    return !this.shownAdvice() && (this.alone() || (this.state.agreed.coach && coachStyle() !== "all"));
  }

  async askCoach(played) {
    this.advice = { played, actions: null };
    this.asking = new AbortController();
    try {
      const found = await ask("GET", this.path("advice"), undefined, this.token, this.asking.signal);
      if (this.state.played !== played || this.stopped) return;
      this.advice = { played, ...found };
      this.draw();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error; // the moment has passed: nothing to show
    }
  }

  async hint() {
    const { played } = this.state;
    const found = await tryTo("POST", this.path("hint"), undefined, this.token);
    if (!found || this.state.played !== played || this.stopped) return;
    this.advice = { played, ...found, hinted: true };
    this.draw();
    announce(labelled(say("coach.best"), actionWords(found.actions[0].action, this.position, this.seats, this.seat)));
  }

  // ------------------------------------------------------------------ not asked needlessly

  /** Whether the page answers for us, as we have told it to: with a pass, if the server lists that as legal. */
  passForMe() {
    const { state, position } = this;
    if (!this.asked() || this.sent === state.played || !this.caughtUp() || this.showing) return false;
    if (this.byHand || this.doubt) return false;
    const why = passes(position, state.legal, this.letGo);
    if (!why) return false;
    if (this.passing === state.played) return true;
    this.passing = state.played;
    this.passed = why;
    // At a table of several people nobody shall tell a habit from a thought by how long it takes.
    const delay = this.alone() ? pace() / 2 : 600 + 1800 * Math.random();
    sleep(delay).then(() => this.pass(state.played));
    return true;
  }

  async pass(played) {
    if (this.stopped || this.state.played !== played || !this.asked()) return;
    try {
      this.hear(await ask("POST", this.path("act"), { action: PASS, played }, this.token));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.byHand = true; // then we are asked after all
    }
    this.showQueue();
  }

  /** Pass now, and until this turn is over. */
  async letTurnGo(event) {
    await this.choose(PASS, event, { letGo: this.position.turn });
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

  /**
   * Somebody clicks an action, or a piece that stands for it. Only a click that begins on the spot of the last answer,
   * when a new question has hardly been seen, is none: it belongs to that answer.
   */
  async choose(action, event, { sure = false, letGo = this.letGo } = {}) {
    const spot = event?.detail ? [event.clientX, event.clientY] : null;
    if (spot && this.tooEarly(this.pressedAt, this.answered?.spot, spot)) {
      shake(event.target.closest("[data-do], button") ?? event.target, 4, 260);
      return;
    }
    if (this.sending || !this.asked() || this.isUnsent()) return;
    this.sending = true;
    this.letGo = letGo;
    this.answered = { ...this.answered, spot };
    try {
      if (sure || !(await this.doubts(action))) await this.act(action);
    } finally {
      this.sending = false;
    }
  }

  tooEarly(began, last, spot) {
    const near = last && Math.hypot(last[0] - spot[0], last[1] - spot[1]) < NEAR;
    return Boolean(near) && began - this.askedAt < EARLY;
  }

  /** Whether the tutor asks back. */
  async doubts(action) {
    const { played } = this.state;
    if (!this.state.agreed.coach || coachStyle() === "all" || this.advice?.hinted) return false;
    await Promise.race([this.advising, sleep(PATIENCE)]);
    const row = this.advice?.played === played ? doubtful(this.advice, action) : null;
    if (!row || this.state.played !== played || this.stopped) return false;
    this.doubt = { action, row };
    this.askedAt = performance.now();
    this.draw();
    announce(`${say("tutor.really")} ${this.main.querySelector(".really p")?.textContent ?? ""}`);
    this.main.querySelector("[data-key='again']")?.focus({ preventScroll: true });
    return true;
  }

  chooseAgain() {
    this.doubt = null;
    this.letGo = null;
    this.askedAt = performance.now();
    this.draw();
    this.main.querySelector(".actions button")?.focus({ preventScroll: true });
  }

  async act(action) {
    this.doubt = null;
    this.byHand = false;
    this.asking?.abort(); // what the coach would say comes too late
    const { played, events } = this.state;
    this.sent = played;
    try {
      this.hear(await ask("POST", this.path("act"), { action, played }, this.token));
      this.showQueue();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.sent = null;
      // It may have arrived, or not: it is sent again, and the server knows what it has already.
      const kept = !error.status && keepUnsent(this.room, { action, played, after: events });
      if (kept) this.draw();
      else alarm(error.message);
    }
  }

  /** Whether what we have decided waits for a connection. */
  isUnsent() {
    return this.asked() && unsent()[this.room]?.played === this.state.played;
  }

  async join(name) {
    const found = await tryTo("POST", this.path("join"), { name: name || say("lobby.guest") });
    if (!found) return;
    this.seat = found.seat;
    this.token = found.token;
    remember("name", name);
    keepGame(this.room, { seat: this.seat, token: this.token, visited: true });
    keepPromise(this.room, this.promised);
    this.listenAnew(); // as a player: we look on no longer
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
    this.listenAnew();
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

  /** Show all that has happened at once. */
  skip() {
    this.skipping = true;
  }

  /** Digits choose actions, or tap in dice. */
  key(event) {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    const other = event.repeat || event.ctrlKey || event.metaKey || event.altKey;
    if (!/^\d$/.test(event.key) || typing || other || document.querySelector("dialog[open]")) return;
    const number = Number(event.key);
    const early = !this.state?.dice_due && this.answered?.key === event.key && performance.now() - this.askedAt < EARLY;
    const button = this.state?.dice_due
      ? this.main.querySelector(`[data-key="face-${number}"]`)
      : this.main.querySelectorAll(".actions button")[number - 1];
    if (!button) return;
    event.preventDefault();
    if (early) {
      shake(button, 4, 260);
      return;
    }
    this.answered = { ...this.answered, key: event.key };
    button.click();
  }
}
