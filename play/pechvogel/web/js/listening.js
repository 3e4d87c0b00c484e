// What the server tells of a room: its events, its state, calls, and who looks on.

import { forgetGame } from "./api.js";
import { report } from "./connection.js";
import { happened } from "./sentences.js";
import { drawGone } from "./view.js";
import { say } from "./words.js";

const AGAIN = 2000; // milliseconds after which a stream that was refused is asked for again

export class Listening {
  constructor(page) {
    this.page = page;
    this.seen = -1; // the last event that has come
    this.past = 0; // events up to here are only listed
  }

  begin() {
    const { page } = this;
    this.stream = new EventSource(page.path(`events?after=${this.seen}${page.token ? "" : "&looking=true"}`));
    this.stream.onmessage = (message) => this.hearEvent(JSON.parse(message.data));
    this.stream.addEventListener("state", (message) => {
      report(true);
      page.hear(JSON.parse(message.data));
      page.showQueue();
      page.fixDice();
    });
    this.stream.addEventListener("call", (message) => page.hearCall(JSON.parse(message.data)));
    this.stream.addEventListener("onlookers", (message) => {
      page.onlookers = JSON.parse(message.data);
      page.view?.side.drawCrowd();
    });
    this.stream.addEventListener("gone", () => {
      page.stop();
      forgetGame(page.room);
      drawGone(page.main, say("over.deleted"));
    });
    this.stream.onerror = () => {
      report(false);
      // A browser goes on trying after a lost connection, but not after an answer that is no stream.
      if (this.stream.readyState === EventSource.CLOSED) {
        this.retry = setTimeout(() => page.stopped || this.begin(), AGAIN);
      }
    };
  }

  beginAnew() {
    this.end();
    this.begin();
  }

  end() {
    this.stream?.close();
    clearTimeout(this.retry);
  }

  hearEvent(event) {
    const { page } = this;
    if (event.number <= this.seen) return; // a reconnected stream may tell things twice
    this.seen = event.number;
    if (event.kind === "taken_back") page.takenBack += 1;
    if (event.kind === "taken_back" && event.seat === page.seat) page.answers.takenBack();
    if (event.number < this.past) {
      page.showing.note(happened(event, event.seats ?? page.seats, page.seat));
      return;
    }
    page.showing.queue.push(event);
    page.showQueue();
  }
}
