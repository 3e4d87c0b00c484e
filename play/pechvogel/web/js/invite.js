// Before a game begins: the link for the others, who is there, and a form for whoever comes by the link.

import { button, copyText, h } from "./dom.js";
import { seatName } from "./draw.js";
import { fairness } from "./side.js";
import { recall, say } from "./words.js";

export function invitation(page) {
  const { seats, promise } = page.state;
  const free = seats.some((seat) => seat.kind === "open");
  return h(
    "section",
    { class: "card" },
    h("h1", {}, page.game.title()),
    page.token && free && linkToCopy(),
    !page.token && (free ? [h("p", {}, say("join.free")), joinForm(page)] : h("p", {}, say("watching"))),
    h(
      "ul",
      {},
      seats.map((_, number) => guest(page, number)),
    ),
    promise && fairness(page),
  );
}

function linkToCopy() {
  const field = h("input", {
    type: "text",
    class: "hash wide",
    readonly: true,
    value: location.href,
    "aria-label": say("invite.copy"),
    "data-key": "link",
  });
  const copy = async (event) => {
    await copyText(field);
    event.target.textContent = say("invite.copied");
  };
  const copying = button(say("invite.copy"), copy, { class: "main", "data-key": "copy" });
  return [h("p", {}, say("invite")), h("p", {}, field), h("p", { class: "row" }, copying)];
}

/** A seat; one that is open can be given to an agent, and so can that of somebody who sends nothing for the dice. */
function guest(page, number) {
  const { seats, begun } = page.state;
  const seat = seats[number];
  const name = seatName(seats, number, page.seat);
  const fill = () => page.send("stand_in", { seat: number });
  const late = isLate(page, number);
  const back = !begun && number === page.seat && seat.agent;
  return h(
    "li",
    { class: "row" },
    name,
    seat.kind === "open" && page.token && button(say("invite.fill"), fill),
    late && h("span", { class: "badge" }, say("invite.dice")),
    late &&
      number !== page.seat &&
      mayReplace(page) &&
      page.keptWaiting() &&
      button(say("stand_in", { name }), fill, { "data-key": "stand-in" }),
    back && button(say("return"), () => page.send("return"), { "data-key": "return" }),
  );
}

const lacking = ({ missing_commitments: first = [], missing_numbers: then }) => (first.length ? first : then);
const isLate = (page, number) => lacking(page.state).includes(number);

/** Whoever has done their part may let an agent play for those who have not. */
function mayReplace(page) {
  const mine = page.seat === null ? null : page.state.seats[page.seat];
  return Boolean(page.token) && !isLate(page, page.seat) && !mine.agent;
}

function joinForm(page) {
  // The page may be drawn anew while somebody types: what is there stays.
  page.name ??= recall("name", "");
  const name = h("input", {
    type: "text",
    maxlength: 24,
    value: page.name,
    autocomplete: "nickname",
    id: "join-name",
    "data-key": "join-name",
    input: () => (page.name = name.value),
  });
  const join = (event) => {
    event.preventDefault();
    return page.join(name.value);
  };
  return h(
    "form",
    { class: "row", submit: join },
    h("label", { for: "join-name" }, say("lobby.name"), name),
    h("button", { class: "main" }, say("join")),
  );
}
