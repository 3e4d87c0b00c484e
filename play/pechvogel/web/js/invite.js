// Before a game begins: the link for the others, who is there, and a form for whoever comes by the link.

import { button, copyText, h } from "./dom.js";
import { seatName } from "./draw.js";
import { fairness } from "./side.js";
import { recall, say } from "./words.js";

export function invitation(page) {
  const { seats, promise } = page.state;
  return h(
    "section",
    { class: "card" },
    h("h1", {}, say("title")),
    page.token ? linkToCopy() : [h("p", {}, say("join.free")), joinForm(page)],
    h(
      "ul",
      {},
      seats.map((_, number) => guest(page, number)),
    ),
    seats.every((seat) => seat.kind !== "open") && h("p", {}, say("watching")),
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

/** A seat; one that is open can be given to an agent. */
function guest(page, number) {
  const open = page.state.seats[number].kind === "open";
  const fill = () => page.send("stand_in", { seat: number });
  return h(
    "li",
    { class: "row" },
    seatName(page.state.seats, number, page.seat),
    open && page.token && button(say("invite.fill"), fill),
  );
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
