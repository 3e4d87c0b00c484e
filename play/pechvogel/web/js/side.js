// The column at the side of a game: help, what happened, fair dice, and what else can be done with the game.

import { button, h, openDialog, select } from "./dom.js";
import { seatName } from "./draw.js";
import { numberOf } from "./fair.js";
import { habitsForm } from "./extras.js";
import { callButtons } from "./people.js";
import { coachStyle, STYLES } from "./tutor.js";
import { list, remember, say } from "./words.js";

const wide = () => window.matchMedia?.("(min-width: 56rem)").matches ?? true;

export class Side {
  constructor(page) {
    this.page = page;
    this.top = h("div", { class: "side-top" });
    this.foot = h("div", { class: "side-foot" });
    this.log = h("ol", { class: "log", tabindex: "0", "aria-label": say("log.title") });
    this.fold = h("details", { class: "log-fold", open: wide() }, h("summary", {}, say("log.title")), this.log);
    this.element = h("aside", { class: "side card" }, this.top, this.fold, this.foot);
    this.crowd = h("span");
    this.told = null;
  }

  draw() {
    this.drawLog();
    replaceIfNew(this.top, this.topKey(), () => this.topParts());
    replaceIfNew(this.foot, this.footKey(), () => this.footParts());
    this.drawCrowd();
  }

  /** How many look on. */
  drawCrowd() {
    const { onlookers } = this.page;
    this.crowd.className = onlookers ? "badge" : "";
    this.crowd.textContent = onlookers
      ? say(onlookers > 1 ? "people.onlookers" : "people.onlooker", { onlookers })
      : "";
  }

  drawLog() {
    const { lines, told } = this.page.showing;
    if (this.told === told) return;
    this.told = told;
    const atEnd = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 60; // somebody may be reading
    this.log.replaceChildren(...lines.slice(-80).map((line) => h("li", {}, line)));
    if (atEnd) this.log.scrollTop = this.log.scrollHeight;
  }

  topKey() {
    const { state, seats, token, seat } = this.page;
    return [state.practice, state.over, state.agreed, seats, Boolean(token), seat, coachStyle()];
  }

  topParts() {
    const { page } = this;
    const { state } = page;
    const takeBack = () => page.send("take_back", { played: page.state.played });
    const styled = (style) => {
      remember("coach", style);
      page.draw();
    };
    const styles = STYLES.map((style) => [style, say(`coach.style.${style}`)]);
    const label = say("coach.style");
    const off = state.over; // what can't be used any more stays where it is
    return [
      page.token && wish(page, "coach"),
      page.token &&
        state.agreed.coach &&
        select(styles, coachStyle(), styled, { "aria-label": label, "data-key": "coach-style", disabled: off }),
      page.token && wish(page, "take_back"),
      page.token &&
        state.agreed.take_back &&
        button(say("take_back"), takeBack, { "data-key": "take-back", disabled: off }),
      page.token && !page.alone() && callButtons(page),
      h(
        "p",
        { class: "noted" },
        state.series && h("span", { class: "badge whole" }, say("series.game", state.series)),
        state.practice && h("span", { class: "badge warm" }, say("practice")),
        this.crowd,
      ),
    ];
  }

  footKey() {
    const { page } = this;
    return [
      page.state.over,
      page.state.agreed,
      page.state.owner,
      page.seats,
      page.sure,
      Boolean(page.token),
      page.position,
    ];
  }

  footParts() {
    const { page } = this;
    const { state } = page;
    const alone = page.alone();
    const showFairness = () => openDialog(say("fair.title"), say("close"), fairness(page));
    const showHabits = () =>
      openDialog(
        say("habits.title"),
        say("close"),
        habitsForm(() => page.showQueue()),
      );
    const share = `/position?p=${encodeURIComponent(JSON.stringify(page.position))}`;
    return [
      page.token && button(say("habits.title"), showHabits, { class: "plain", "data-key": "habits" }),
      state.promise && button(say("fair.title"), showFairness, { class: "plain", "data-key": "fair" }),
      // The page of a position shows what the coach would say: at a table of several people, all must have agreed to it.
      (alone || state.over || state.agreed.coach) &&
        h("a", { href: share, "data-key": "share" }, say("position.share")),
      // Whoever opened the game; if they have gone, any player.
      page.token && (alone || state.over) && (state.owner ?? page.seat) === page.seat && deleting(page),
    ];
  }
}

/** What has not changed is not drawn anew: somebody may be using it. */
function replaceIfNew(element, facts, parts) {
  const key = JSON.stringify(facts);
  if (element.known === key) return;
  element.known = key;
  element.replaceChildren(...parts().filter(Boolean));
}

/** Something that everybody at the table has to agree to. */
function wish(page, what) {
  const wishes = (k) => page.seats[k].kind === "person" && page.seats[k].wishes.includes(what);
  const on = page.seat !== null && page.seats[page.seat].wishes.includes(what);
  const others = [...page.seats.keys()].filter((k) => k !== page.seat && wishes(k));
  const names = list(others.map((k) => seatName(page.seats, k)));
  const change = (event) => page.send("wish", { what, on: event.target.checked });
  return h(
    "label",
    {},
    h("input", { type: "checkbox", "data-key": `wish-${what}`, checked: on, change, disabled: page.state.over }),
    say(`wish.${what}`),
    on && !page.state.agreed[what] && h("span", { class: "soft small" }, say("wish.waiting")),
    !on && others.length > 0 && h("span", { class: "badge warm" }, say("wish.asked", { names })),
  );
}

/** The promise of the dice, and what this browser has given to them. */
export function fairness(page) {
  const number = numberOf(page.room, page.state);
  return h(
    "div",
    {},
    h("p", { class: "small soft" }, say("fair.text")),
    h("p", { class: "hash" }, page.state.promise),
    number && h("p", { class: "small soft" }, say("fair.number"), " ", h("span", { class: "hash" }, number)),
  );
}

/** A button that asks once more. */
function deleting(page) {
  return button(say(page.sure ? "over.delete_sure" : "over.delete"), () => page.remove(), { "data-key": "delete" });
}
