// A game on the page: it listens to the room, shows one event after another at the chosen pace, and sends decisions.
// How it looks is in `view.js`.

import { ask, browserNumber, forgetGame, games, keepGame, openRoom, Refusal, sendNumber, tryTo } from "./api.js";
import { alarm, announce, byId, sleep } from "./dom.js";
import { showReview } from "./review.js";
import { actionWords, happened, question } from "./sentences.js";
import { drawGame, drawGone } from "./view.js";
import { labelled, recall, remember, say } from "./words.js";

const PACES = { slow: 1400, normal: 700, fast: 250, instant: 0 };
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
    this.advice = null;
    this.tapped = [];
    this.takenBack = 0; // decisions, as told by the stream
    this.skipping = false;
    this.stopped = false;
    this.sure = false; // that the game is to be deleted
    this.name = null; // as typed so far by somebody who wants to join
  }

  async start() {
    try {
      this.state = await ask("GET", this.path());
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status === 404) forgetGame(this.room);
      drawGone(this.main, error.message);
      return;
    }
    this.seats = this.state.seats;
    this.position = this.state.position;
    this.scores = this.state.scores;
    this.seen = -1;
    this.past = this.fresh ? 0 : this.state.events; // events up to here are only listed
    if (this.token) keepGame(this.room, { visited: true });
    const away = await ask("GET", "/api/agents").catch(() => ({}));
    this.awaySeconds = away.away_seconds ?? 120;
    this.listen();
    if (this.state.over && new URLSearchParams(location.search).has("review")) await showReview(this);
    else if (!this.fresh || !this.state.begun) this.draw();
    await sendNumber(this.room, this.state);
  }

  stop() {
    this.stopped = true;
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
    this.stream = new EventSource(this.path(`events?after=${this.seen}`));
    this.stream.onmessage = (message) => {
      const event = JSON.parse(message.data);
      if (event.number <= this.seen) return; // a reconnected stream may tell things twice
      this.seen = event.number;
      if (event.kind === "taken_back") this.takenBack += 1;
      if (event.number < this.past) {
        this.lines.push(...happened(event, event.seats ?? this.seats, this.seat));
        return;
      }
      this.queue.push(event);
      this.showQueue();
    };
    this.stream.addEventListener("state", (message) => {
      byId("alert").textContent = "";
      this.hear(JSON.parse(message.data));
      this.showQueue();
    });
    this.stream.addEventListener("gone", () => {
      this.stop();
      forgetGame(this.room);
      drawGone(this.main, say("over.deleted"));
    });
    this.stream.onerror = () => {
      alarm(say("error.offline"), 0);
      // A browser goes on trying after a lost connection, but not after an answer that is no stream.
      if (this.stream.readyState === EventSource.CLOSED) {
        this.retry = setTimeout(() => this.stopped || this.listen(), 2000);
      }
    };
  }

  /** A state from the server: answers and stream may overtake each other, so an older one is not news. */
  hear(state) {
    if (state.events >= this.state.events) this.state = state;
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

  /** One event, for as long as the pace says. */
  async show(event) {
    if (event.seats) this.seats = event.seats;
    const sentences = happened(event, this.seats, this.seat);
    for (const sentence of sentences) {
      this.lines.push(sentence);
      announce(sentence);
    }
    if (this.lines.length > 300) this.lines = this.lines.slice(-200);
    const before = this.position;
    if (event.scores) this.scores = event.scores;
    if (event.position) this.position = event.position;
    const wait = this.skipping || !["throw", "action", "end"].includes(event.kind) ? 0 : pace();
    const busy = { sentences, seat: event.seat ?? null };
    if (event.kind === "throw" && wait) {
      this.draw({ busy, rolling: wait, before });
      await sleep(wait);
      this.draw({ busy });
      await sleep(wait / 2);
      return;
    }
    if (event.turn && before) {
      // What ended the turn stays on the board for as long as it takes to see what that brought.
      const { active, target, targets, ravens, last_throw, frustraters } = before;
      this.position = { ...event.position, active, target, targets, ravens, last_throw, frustraters };
    }
    this.draw({ busy });
    if (event.turn) this.position = event.position;
    if (wait) await sleep(event.turn ? 1.5 * wait : event.forced ? wait / 2 : wait);
  }

  /** All of it; `busy` is what is being shown just now: its sentences, and whose doing it is. */
  draw({ busy = null, ...dice } = {}) {
    if (this.reviewing) return;
    if (this.state.dice_due && this.tapped.length > this.state.dice_due) this.tapped = [];
    drawGame(this, busy, dice);
    if (!busy) this.afterDrawing();
  }

  afterDrawing() {
    const { state } = this;
    const mine = state.begun && !state.over && state.to_act === this.seat && this.seat !== null;
    const now = mine ? state.played : null;
    if (mine && now !== this.announced) {
      this.announced = now;
      announce(labelled(say("ask.you"), question(this.position, this.seats, this.seat)));
      if (document.activeElement === document.body) {
        this.main.querySelector(".actions button")?.focus({ preventScroll: true });
      }
      this.main.querySelector(".ask")?.scrollIntoView({ block: "nearest" }); // on a phone it may be out of sight
    }
    if (mine && state.agreed.coach && this.advice?.played !== now) this.askCoach(now);
  }

  /** Whether the same decision has been waited for so long that an agent may stand in; else looks again later. */
  keptWaiting() {
    const { played } = this.state;
    if (this.waitingFor?.played !== played) this.waitingFor = { played, since: Date.now() };
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
    this.advice = { played, ...found };
    this.draw();
    announce(labelled(say("coach.best"), actionWords(found.actions[0].action, this.position, this.seats, this.seat)));
  }

  // ------------------------------------------------------------------ doing

  async send(what, body = undefined) {
    const content = body ?? (what === "return" ? undefined : {});
    const found = await tryTo("POST", this.path(what), content, this.token);
    if (!found) return;
    this.hear(found);
    this.showQueue();
  }

  async act(action) {
    if (this.sending) return;
    this.sending = true;
    this.asking?.abort(); // what the coach would say comes too late
    await this.send("act", { action, played: this.state.played });
    this.sending = false;
  }

  async join(name) {
    const number = browserNumber();
    const found = await tryTo("POST", this.path("join"), { name: name || say("lobby.guest"), number });
    if (!found) return;
    this.seat = found.seat;
    this.token = found.token;
    remember("name", name);
    keepGame(this.room, { seat: this.seat, token: this.token, promise: found.state.promise, number, visited: true });
    this.hear(found.state);
    this.showQueue();
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

  /** Digits choose actions, or tap in dice. */
  key(event) {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    const other = event.repeat || event.ctrlKey || event.metaKey || event.altKey;
    if (!/^\d$/.test(event.key) || typing || other || document.querySelector("dialog[open]")) return;
    const number = Number(event.key);
    const button = this.state?.dice_due
      ? this.main.querySelector(`[data-key="face-${number}"]`)
      : this.main.querySelectorAll(".actions button")[number - 1];
    if (button) {
      event.preventDefault();
      button.click();
    }
  }
}
