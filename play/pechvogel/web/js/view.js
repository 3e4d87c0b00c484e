// How a game looks: the table with the card that asks and the column at its side, or the invitation to it.

import { askCard } from "./ask.js";
import { h } from "./dom.js";
import * as draw from "./draw.js";
import { invitation } from "./invite.js";
import { side } from "./side.js";
import { say } from "./words.js";

/** Draw it anew; focus and the end of the log stay where they are. */
export function drawGame(page, busy, dice) {
  const focused = document.activeElement?.dataset?.key;
  page.main.replaceChildren(page.state.begun && page.position ? table(page, busy, dice) : invitation(page));
  if (focused) page.main.querySelector(`[data-key="${focused}"]`)?.focus();
  const log = page.main.querySelector(".log");
  if (log) log.scrollTop = log.scrollHeight;
}

function table(page, busy, dice) {
  const asked = busy ? busy.seat : page.state.to_act;
  return h(
    "div",
    { class: "table" },
    draw.players(page.position, page.scores, page.seats, page.seat, asked),
    draw.board(page.position, page.seats, page.seat, dice),
    askCard(page, busy),
    draw.middle(page.position),
    side(page),
  );
}

/** There is no such game, or none any more. */
export function drawGone(main, words) {
  main.replaceChildren(
    h("section", { class: "card" }, h("h1", {}, words), h("a", { href: "/", class: "button" }, say("home"))),
  );
}
