// A game on the page: it listens to the room, shows one event after another at the chosen pace, and sends decisions.

import { ask, browserNumber, forgetGame, games, keepGame, openRoom, Refusal, sendNumber, tryTo } from "./api.js";
import { alarm, announce, byId, copyText, h, openDialog, sleep } from "./dom.js";
import * as draw from "./draw.js";
import { showReview } from "./review.js";
import { actionWords, because, happened, question, reason } from "./sentences.js";
import { labelled, list, percent, recall, remember, say } from "./words.js";

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
  }

  async start() {
    try {
      this.state = await ask("GET", `/api/rooms/${this.room}`);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status === 404) forgetGame(this.room);
      this.main.replaceChildren(
        h(
          "section",
          { class: "card" },
          h("h1", {}, error.message),
          h("a", { href: "/", class: "button" }, say("home")),
        ),
      );
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

  listen() {
    this.stream = new EventSource(`/api/rooms/${this.room}/events?after=${this.seen}`);
    this.stream.onmessage = (message) => {
      const event = JSON.parse(message.data);
      if (event.number <= this.seen) return; // a reconnected stream may tell things twice
      this.seen = event.number;
      this.takenBack += event.kind === "taken_back";
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
      this.main.replaceChildren(
        h(
          "section",
          { class: "card" },
          h("h1", {}, say("over.deleted")),
          h("a", { href: "/", class: "button" }, say("home")),
        ),
      );
    });
    this.stream.onerror = () => {
      alarm(say("error.offline"), 0);
      // A browser goes on trying after a lost connection, but not after an answer that is no stream.
      if (this.stream.readyState === EventSource.CLOSED) {
        this.retry = setTimeout(() => this.stopped || this.listen(), 2000);
      }
    };
  }

  /** Whether all events have come that the newest state knows of, and no others. */
  caughtUp() {
    return this.state.events === this.seen + 1;
  }

  stop() {
    this.stopped = true;
    this.stream?.close();
    clearTimeout(this.retry);
    clearTimeout(this.patience);
  }

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

  // ------------------------------------------------------------------ drawing

  /** All of it; `busy` is what is being shown just now: its sentences, and whose doing it is. */
  draw({ busy = null, ...dice } = {}) {
    if (this.reviewing) return;
    const { state } = this;
    const focused = document.activeElement?.dataset?.key;
    const parts = [];
    if (!state.begun || !this.position) parts.push(this.invitation());
    else {
      const asked = busy ? busy.seat : state.to_act;
      const view = h("div", { class: "table" });
      view.append(draw.players(this.position, this.scores, this.seats, this.seat, asked));
      view.append(draw.board(this.position, this.seats, this.seat, dice));
      view.append(busy ? this.waiting(busy) : state.over ? this.ending() : this.decision());
      view.append(draw.middle(this.position));
      view.append(this.side());
      parts.push(view);
    }
    this.main.replaceChildren(...parts);
    if (focused) this.main.querySelector(`[data-key="${focused}"]`)?.focus();
    const log = this.main.querySelector(".log");
    if (log) log.scrollTop = log.scrollHeight;
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

  async askCoach(played) {
    this.advice = { played, actions: null };
    this.asking = new AbortController();
    try {
      const found = await ask("GET", `/api/rooms/${this.room}/advice`, undefined, this.token, this.asking.signal);
      if (this.state.played !== played || this.stopped) return;
      this.advice = { played, ...found };
      this.draw();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error; // the moment has passed: nothing to show
    }
  }

  /** No other person is at the table, whose consent it would take. */
  alone() {
    return this.seats.filter((seat) => seat.kind === "person").length <= 1;
  }

  async hint() {
    const { played } = this.state;
    const found = await tryTo("POST", `/api/rooms/${this.room}/hint`, undefined, this.token);
    if (!found || this.state.played !== played || this.stopped) return;
    this.advice = { played, ...found };
    this.draw();
    announce(labelled(say("coach.best"), actionWords(found.actions[0].action, this.position, this.seats, this.seat)));
  }

  invitation() {
    const link = location.href;
    const field = h("input", {
      type: "text",
      class: "hash wide",
      readonly: true,
      value: link,
      "aria-label": say("invite.copy"),
      "data-key": "link",
    });
    const copy = h(
      "button",
      {
        type: "button",
        class: "main",
        "data-key": "copy",
        click: () => copyText(field).then(() => (copy.textContent = say("invite.copied"))),
      },
      say("invite.copy"),
    );
    const open = this.state.seats.map((seat, number) => ({ seat, number })).filter(({ seat }) => seat.kind === "open");
    return h(
      "section",
      { class: "card" },
      h("h1", {}, say("title")),
      this.token
        ? [h("p", {}, say("invite")), h("p", {}, field), h("p", { class: "row" }, copy)]
        : [h("p", {}, say("join.free")), this.joinForm()],
      h(
        "ul",
        {},
        this.state.seats.map((seat, number) =>
          h(
            "li",
            { class: "row" },
            draw.seatName(this.state.seats, number, this.seat),
            seat.kind === "open" &&
              this.token &&
              h("button", { type: "button", click: () => this.send("stand_in", { seat: number }) }, say("invite.fill")),
          ),
        ),
      ),
      open.length === 0 && h("p", {}, say("watching")),
      this.state.promise && this.fairness(),
    );
  }

  joinForm() {
    // The page may be drawn anew while somebody types: what is there stays.
    this.name ??= recall("name", "");
    const name = h("input", {
      type: "text",
      maxlength: 24,
      value: this.name,
      autocomplete: "nickname",
      id: "join-name",
      "data-key": "join-name",
      input: () => (this.name = name.value),
    });
    const join = async (event) => {
      event.preventDefault();
      const number = browserNumber();
      const found = await tryTo("POST", `/api/rooms/${this.room}/join`, {
        name: name.value || say("lobby.guest"),
        number,
      });
      if (!found) return;
      this.seat = found.seat;
      this.token = found.token;
      remember("name", name.value);
      keepGame(this.room, { seat: this.seat, token: this.token, promise: found.state.promise, number, visited: true });
      this.hear(found.state);
      this.showQueue();
    };
    return h(
      "form",
      { class: "row", submit: join },
      h("label", { for: "join-name" }, say("lobby.name"), name),
      h("button", { class: "main" }, say("join")),
    );
  }

  waiting({ sentences }) {
    const skip = () => (this.skipping = true);
    return h(
      "section",
      { class: "card ask", "aria-busy": "true" },
      (sentences.length ? sentences : ["…"]).map((sentence) => h("p", {}, sentence)),
      this.queue.length > 6 &&
        h("p", {}, h("button", { type: "button", "data-key": "skip", click: skip }, say("skip_on"))),
    );
  }

  decision() {
    const { state } = this;
    if (state.dice_due) return this.realDice();
    const mine = state.to_act === this.seat && this.seat !== null && !this.seats[this.seat].agent;
    if (!mine) {
      const name = state.to_act === null ? "" : draw.seatName(this.seats, state.to_act, this.seat);
      const person =
        state.to_act !== null && this.seats[state.to_act].kind === "person" && !this.seats[state.to_act].agent;
      const own = this.seat !== null && this.seats[this.seat].agent;
      return h(
        "section",
        { class: "card ask" },
        h("h2", {}, say("ask.wait", { name })),
        this.seat === null && h("p", { class: "soft" }, say("watching")),
        person &&
          this.token &&
          this.keptWaiting() &&
          h(
            "button",
            { type: "button", "data-key": "stand-in", click: () => this.send("stand_in", { seat: state.to_act }) },
            say("stand_in", { name }),
          ),
        own && h("button", { type: "button", class: "main", click: () => this.send("return") }, say("return")),
      );
    }
    const advised = this.advice?.played === state.played ? this.advice.actions : null;
    const buttons = state.legal.map((action, k) => {
      const found = advised?.find((row) => row.action === action);
      const best = found && found === advised[0];
      return h(
        "button",
        {
          type: "button",
          "data-key": `action-${action}`,
          "data-action": action,
          class: best ? "best" : "",
          click: (event) => event.detail < 2 && this.act(action),
        }, // the second of two quick clicks was meant for the last question
        h(
          "span",
          {},
          actionWords(action, this.position, this.seats, this.seat),
          found && ` · ${percent(found.win_share)}`,
        ),
        h("kbd", { "aria-hidden": "true" }, String(k + 1)),
        found &&
          h(
            "span",
            { class: "advice" },
            best ? `${say("coach.best")}. ` : `${say("coach.costs", { points: percent(found.costs) })}. `,
            reason(found.why),
          ),
      );
    });
    return h(
      "section",
      { class: "card ask", "aria-labelledby": "ask-title" },
      h("h2", { id: "ask-title" }, question(this.position, this.seats, this.seat)),
      h("p", { class: "soft small" }, because(this.position)),
      h("div", { class: "actions" }, buttons),
      !advised &&
        !state.agreed.coach &&
        this.alone() &&
        h(
          "p",
          {},
          h("button", { type: "button", class: "plain", "data-key": "hint", click: () => this.hint() }, say("hint")),
        ),
      advised &&
        h(
          "p",
          { class: "soft small" },
          labelled(
            say("coach.title"),
            this.advice.source.startsWith("exact") ? say("coach.exact") : say("coach.estimated"),
          ),
        ),
    );
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

  realDice() {
    const due = this.state.dice_due;
    if (this.tapped.length > due) this.tapped = [];
    const tap = (face) => {
      if (this.tapped.length < due) this.tapped.push(face);
      this.draw();
    };
    const faces = [3, 4, 5, 6, 7, 0].map((face) =>
      h(
        "button",
        {
          type: "button",
          class: "die",
          "data-key": `face-${face}`,
          "aria-label": draw.faceName(face),
          click: () => tap(face),
          disabled: !this.token,
        },
        draw.die(face).firstChild,
      ),
    );
    const done = async () => {
      const tapped = this.tapped;
      this.tapped = [];
      await this.send("throw", { faces: tapped, played: this.state.played });
    };
    return h(
      "section",
      { class: "card ask" },
      h(
        "h2",
        {},
        labelled(draw.seatName(this.seats, this.position.active, this.seat), say("dice.tap", { count: due })),
      ),
      h("div", { class: "dice" }, faces),
      h("p", {}),
      h(
        "div",
        { class: "dice", "aria-live": "polite" },
        this.tapped.map((face, k) =>
          h(
            "button",
            {
              type: "button",
              class: "die",
              "aria-label": `${draw.faceName(face)}, ${say("dice.clear")}`,
              click: () => {
                this.tapped.splice(k, 1);
                this.draw();
              },
            },
            draw.die(face).firstChild,
          ),
        ),
      ),
      h(
        "p",
        { class: "row" },
        h(
          "button",
          { type: "button", class: "main", "data-key": "done", click: done, disabled: this.tapped.length !== due },
          say("dice.done"),
        ),
        h(
          "button",
          {
            type: "button",
            "data-key": "clear",
            click: () => {
              this.tapped = [];
              this.draw();
            },
          },
          say("dice.clear"),
        ),
      ),
    );
  }

  ending() {
    const { state } = this;
    const names = list(state.winners.map((seat) => draw.seatName(this.seats, seat, this.seat)));
    const won = state.winners.includes(this.seat);
    const title = won ? say(state.winners.length > 1 ? "over.share" : "over.win") : say("over.lose", { names });
    const rematch = async (event) => {
      event.target.disabled = true;
      const found = await openRoom(`/api/rooms/${this.room}/rematch`, undefined, this.token);
      if (found) this.go(`/game/${found.room}`);
      else event.target.disabled = false;
    };
    return h(
      "section",
      { class: "card ask", "aria-labelledby": "over-title" },
      h("h2", { id: "over-title" }, title),
      h(
        "p",
        { class: "row" },
        h(
          "button",
          { type: "button", class: "main", "data-key": "review", click: () => this.go(`/game/${this.room}?review`) },
          say("over.review"),
        ),
        this.token &&
          !state.rematch &&
          h("button", { type: "button", "data-key": "rematch", click: rematch }, say("over.rematch")),
        h("a", { class: "button", href: `/api/rooms/${this.room}/record`, download: "" }, say("over.record")),
        this.token && this.deleting(),
      ),
      state.rematch &&
        h("p", {}, say("over.rematch_open"), " ", h("a", { href: `/game/${state.rematch}` }, say("over.rematch_go"))),
    );
  }

  /** A button that asks once more. */
  deleting() {
    const remove = async () => {
      if (!this.sure) {
        this.sure = true;
        this.draw();
      } else if (
        (await tryTo("DELETE", `/api/rooms/${this.room}`, undefined, this.token)) === null &&
        !byId("alert").textContent
      ) {
        forgetGame(this.room);
      }
    };
    return h(
      "button",
      { type: "button", "data-key": "delete", click: remove },
      say(this.sure ? "over.delete_sure" : "over.delete"),
    );
  }

  side() {
    const { state } = this;
    const playing = this.token && !state.over;
    const mineWishes = this.seat === null ? [] : this.seats[this.seat].wishes;
    const wish = (what) => {
      const on = mineWishes.includes(what);
      const waiting = on && !state.agreed[what];
      const others = this.seats
        .map((_, k) => k)
        .filter((k) => k !== this.seat && this.seats[k].kind === "person" && this.seats[k].wishes.includes(what));
      return h(
        "label",
        {},
        h("input", {
          type: "checkbox",
          "data-key": `wish-${what}`,
          checked: on,
          change: (event) => this.send("wish", { what, on: event.target.checked }),
        }),
        say(`wish.${what}`),
        waiting && h("span", { class: "soft small" }, say("wish.waiting")),
        !on &&
          others.length > 0 &&
          h(
            "span",
            { class: "badge warm" },
            say("wish.asked", { names: list(others.map((k) => draw.seatName(this.seats, k))) }),
          ),
      );
    };
    const alone = this.alone();
    return h(
      "aside",
      { class: "side card" },
      state.practice && h("p", {}, h("span", { class: "badge warm" }, say("practice"))),
      playing && [wish("coach"), wish("take_back")],
      playing &&
        state.agreed.take_back &&
        h(
          "p",
          {},
          h(
            "button",
            { type: "button", "data-key": "take-back", click: () => this.send("take_back", { played: state.played }) },
            say("take_back"),
          ),
        ),
      h("h2", {}, say("log.title")),
      h(
        "ol",
        { class: "log", tabindex: "0", "aria-label": say("log.title") },
        this.lines.slice(-80).map((line) => h("li", {}, line)),
      ),
      state.promise &&
        h(
          "p",
          {},
          h(
            "button",
            {
              type: "button",
              class: "plain",
              click: () => openDialog(say("fair.title"), say("close"), this.fairness()),
            },
            say("fair.title"),
          ),
        ),
      // The page of a position shows what the coach would say: at a table of several people, all must have agreed to that.
      (alone || state.over || state.agreed.coach) &&
        h(
          "p",
          {},
          h("a", { href: `/position?p=${encodeURIComponent(JSON.stringify(this.position))}` }, say("position.share")),
        ),
      playing && alone && h("p", {}, this.deleting()),
    );
  }

  fairness() {
    const number = games()[this.room]?.number;
    return h(
      "div",
      {},
      h("p", { class: "small soft" }, say("fair.text")),
      h("p", { class: "hash" }, this.state.promise),
      number && h("p", { class: "small soft" }, say("fair.number"), " ", h("span", { class: "hash" }, number)),
    );
  }

  // ------------------------------------------------------------------ sending

  async act(action) {
    if (this.sending) return;
    this.sending = true;
    this.asking?.abort(); // what the coach would say comes too late
    await this.send("act", { action, played: this.state.played });
    this.sending = false;
  }

  async send(what, body = undefined) {
    const found = await tryTo(
      "POST",
      `/api/rooms/${this.room}/${what}`,
      body ?? (what === "return" ? undefined : {}),
      this.token,
    );
    if (!found) return;
    this.hear(found);
    this.showQueue();
  }

  /** A state from the server: answers and stream may overtake each other, so an older one is not news. */
  hear(state) {
    if (state.events >= this.state.events) this.state = state;
  }

  key(event) {
    const number = Number(event.key);
    if (
      !/^\d$/.test(event.key) ||
      event.repeat ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) ||
      document.querySelector("dialog[open]")
    ) {
      return;
    }
    const button = this.state?.dice_due
      ? this.main.querySelector(`[data-key="face-${number}"]`)
      : this.main.querySelectorAll(".actions button")[number - 1];
    if (button) {
      event.preventDefault();
      button.click();
    }
  }
}
