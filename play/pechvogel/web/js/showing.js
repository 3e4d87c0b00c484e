// What happens in a game is shown one event after another, at the chosen pace, and told when it can be seen.

import { announce, sleep } from "./dom.js";
import { seatName } from "./draw.js";
import { actionWords, FRUSTRATE, happened, PASS, robbed, TAKE } from "./sentences.js";
import { play, tremble } from "./sound.js";
import { robs } from "./view.js";
import { recall, say } from "./words.js";

const PACES = { slow: 1400, normal: 700, fast: 250, instant: 0 };
const WATCHED = ["throw", "action", "end"]; // kinds of events that take time

/** Milliseconds between two events. */
export const pace = () => PACES[recall("pace", "normal")] ?? PACES.normal;

export class Showing {
  constructor(page) {
    this.page = page;
    this.queue = []; // events that are not shown yet
    this.busy = false;
    this.lines = []; // of the log
    this.told = 0; // lines so far
    this.wake = null; // goes on at once with what is being shown
    this.skipping = false;
  }

  /** All that waits; false if somebody else is at it. */
  async run() {
    if (this.busy) return false;
    this.busy = true;
    while (this.queue.length && !this.page.stopped) {
      await this.show(this.queue.shift());
    }
    this.busy = false;
    this.skipping = false;
    return true;
  }

  /** Show all that has happened at once. */
  skip() {
    this.skipping = true;
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
    const { page } = this;
    if (event.seats) page.seats = event.seats;
    const sentences = happened(event, page.seats, page.seat);
    // Where nobody sees it, nothing is drawn out: so whoever is asked hears of it at once.
    const unseen = this.skipping || document.visibilityState === "hidden";
    const wait = unseen || !WATCHED.includes(event.kind) ? 0 : pace();
    const before = page.position;
    const seat = event.seat ?? null;
    if (event.kind === "throw" && wait) {
      await this.showThrow(event, sentences, wait);
      return;
    }
    this.tell(sentences);
    if (event.scores) page.scores = event.scores;
    if (event.position) page.position = event.position;
    if (event.turn && before) {
      // What ended the turn stays on the board for as long as it takes to see what that brought.
      const { active, target, targets, ravens, last_throw } = before;
      page.position = { ...event.position, active, target, targets, ravens, last_throw };
    }
    const busy = { sentences, seat };
    page.draw({ busy, takes: 0.8 * wait, saying: this.saying(event) });
    this.underline(event, wait);
    if (event.turn) page.position = event.position;
    if (!wait) return;
    const passing = event.kind === "action" && event.action === PASS;
    await this.pause(event.turn ? 1.5 * wait : event.forced || passing ? wait / 2 : wait);
    if (event.turn && !page.stopped) page.draw({ busy, takes: wait / 2 }); // the dice go on
  }

  /** Dice fly and land; only then it is said what they show, and they move to the board. */
  async showThrow(event, sentences, wait) {
    const { page } = this;
    const { seat } = event;
    const throwing = [say("table.throws", { name: seatName(page.seats, seat, page.seat) })];
    page.position = event.position;
    page.scores = event.scores ?? page.scores;
    play("throw", wait / 1000, event.faces.length);
    page.draw({ busy: { sentences: throwing, seat }, takes: wait, rolling: true });
    await this.pause(wait);
    if (page.stopped) return;
    this.tell(sentences);
    page.draw({ busy: { sentences, seat }, takes: wait / 2 });
    const { target, targets, ravens } = event.position;
    if (event.faces.includes(0)) play("raven");
    else if (event.faces.includes(target)) play("place");
    if (targets > 3 || ravens > 2) page.view?.table.lightBoard(ravens < 3);
    await this.pause(wait / 2);
  }

  /** Time to look; who has seen enough clicks the table. */
  async pause(milliseconds) {
    await Promise.race([sleep(milliseconds), new Promise((wake) => (this.wake = wake))]);
    this.wake = null;
  }

  /** What somebody says with an action. */
  saying({ kind, seat, action, asked }) {
    const { seats, seat: mine } = this.page;
    if (kind !== "action" || seat === mine) return null;
    return { seat, words: actionWords(action, asked, seats, mine) };
  }

  /** What is worth a sound or a shake. */
  underline(event, wait) {
    if (!wait) return;
    const { view, seat } = this.page;
    if (event.kind === "action" && robs(event.action)) {
      const victim = robbed(event.asked, event.action);
      view?.table.shakeSeat(victim);
      play("steal");
      if (victim === seat) tremble(60, 40, 60);
    } else if (event.action === TAKE) play("marker");
    else if (event.action === FRUSTRATE) {
      play("frustrate");
      if (event.asked.active === seat) tremble(40);
    } else if (event.turn?.murphy !== null && event.turn) play("murphy");
  }

  /** The end of a game that we have played. */
  celebrate(won) {
    if (!pace()) return;
    play(won ? "win" : "lose");
    if (won) this.page.view?.table.celebrate();
  }
}
