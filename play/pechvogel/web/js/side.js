// The column at the side of a game: wishes, what happened, fair dice, and what else can be done with the game.

import { games } from "./api.js";
import { button, h, openDialog } from "./dom.js";
import { seatName } from "./draw.js";
import { list, say } from "./words.js";

export function side(page) {
  const { state } = page;
  const playing = page.token && !state.over;
  const alone = page.alone();
  const takeBack = () => page.send("take_back", { played: state.played });
  const showFairness = () => openDialog(say("fair.title"), say("close"), fairness(page));
  const share = `/position?p=${encodeURIComponent(JSON.stringify(page.position))}`;
  return h(
    "aside",
    { class: "side card" },
    state.practice && h("p", {}, h("span", { class: "badge warm" }, say("practice"))),
    playing && [wish(page, "coach"), wish(page, "take_back")],
    playing && state.agreed.take_back && h("p", {}, button(say("take_back"), takeBack, { "data-key": "take-back" })),
    h("h2", {}, say("log.title")),
    h(
      "ol",
      { class: "log", tabindex: "0", "aria-label": say("log.title") },
      page.lines.slice(-80).map((line) => h("li", {}, line)),
    ),
    state.promise && h("p", {}, button(say("fair.title"), showFairness, { class: "plain" })),
    // The page of a position shows what the coach would say: at a table of several people, all must have agreed to it.
    (alone || state.over || state.agreed.coach) && h("p", {}, h("a", { href: share }, say("position.share"))),
    playing && alone && h("p", {}, deleting(page)),
  );
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
    h("input", { type: "checkbox", "data-key": `wish-${what}`, checked: on, change }),
    say(`wish.${what}`),
    on && !page.state.agreed[what] && h("span", { class: "soft small" }, say("wish.waiting")),
    !on && others.length > 0 && h("span", { class: "badge warm" }, say("wish.asked", { names })),
  );
}

/** The promise of the dice, and what this browser has given to them. */
export function fairness(page) {
  const number = games()[page.room]?.number;
  return h(
    "div",
    {},
    h("p", { class: "small soft" }, say("fair.text")),
    h("p", { class: "hash" }, page.state.promise),
    number && h("p", { class: "small soft" }, say("fair.number"), " ", h("span", { class: "hash" }, number)),
  );
}

/** A button that asks once more. */
export function deleting(page) {
  return button(say(page.sure ? "over.delete_sure" : "over.delete"), () => page.remove(), { "data-key": "delete" });
}
