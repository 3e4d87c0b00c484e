// The form in which a position is set up: who has what, the moment, the board and the throw.

import { button, h, range, select } from "./dom.js";
import * as draw from "./draw.js";
import { token } from "./pieces.js";
import {
  asksOpponent,
  diceThrown,
  hasBoard,
  hasThrow,
  MOMENTS,
  opponents,
  withActive,
  withCopies,
  withFrustraters,
  withFrustrations,
  withMarkers,
  withMiddle,
  withMoment,
  withPlayers,
} from "./setup.js";
import { labelled, say } from "./words.js";

export const NAMES = ["A", "B", "C", "D", "E"];

export class Editor {
  /** `submit(draft)` gets what was set up. */
  constructor(draft, submit, ...more) {
    this.draft = draft;
    this.element = h("form", {
      class: "card editor",
      novalidate: true, // the server says what is wrong, in the reader's language
      submit: (event) => {
        event.preventDefault();
        submit(this.draft);
      },
    });
    this.more = more;
    this.draw();
  }

  set(draft) {
    this.draft = draft;
    this.draw();
  }

  /** A change of the draft as it is by then. */
  change(change, value) {
    this.set(change(this.draft, value));
  }

  /** All of it anew; the focus stays. */
  draw() {
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.element.replaceChildren(
      this.settings(),
      this.counts(),
      h("p", { class: "soft small" }, say("editor.middle")),
      this.moment(),
      h(
        "p",
        { class: "row" },
        h("button", { class: "main", "data-key": "analyse" }, say("position.analyse")),
        this.more.map(([words, click, attributes]) => button(words, () => click(this.draft), attributes)),
      ),
    );
    if (focused) this.element.querySelector(`[data-key="${focused}"]`)?.focus();
  }

  choice(label, key, options, now, change) {
    const chosen = (value) => this.change(change, value);
    return h("label", {}, label, select(options, now, chosen, { "data-key": key }));
  }

  tick(label, key, checked, change) {
    const ticked = (event) => this.change(change, event.target.checked);
    return h("label", {}, h("input", { type: "checkbox", "data-key": key, checked, change: ticked }), label);
  }

  settings() {
    const { num_players, copies, active, murphy, italian_reading } = this.draft;
    const numbers = (...options) => options.map((number) => [number, number]);
    const seats = range(num_players).map((k) => [k, NAMES[k]]);
    const holder = (draft, seat) => ({ ...draft, murphy: seat === "" ? null : Number(seat) });
    const italian = (draft, on) => ({ ...draft, italian_reading: on });
    return h(
      "div",
      { class: "row" },
      this.choice(say("position.players"), "players", numbers(2, 3, 4, 5), num_players, (draft, number) =>
        withPlayers(draft, Number(number)),
      ),
      this.choice(say("lobby.copies"), "copies", numbers(3, 2, 1), copies, (draft, number) =>
        withCopies(draft, Number(number)),
      ),
      this.choice(say("at_turn"), "active", seats, active, (draft, seat) => withActive(draft, Number(seat))),
      this.choice(say("murphy"), "murphy", [["", say("nobody")], ...seats], murphy ?? "", holder),
      this.tick(say("editor.italian"), "italian", italian_reading, italian),
    );
  }

  /** A number to type. The form is not drawn anew then: a click that follows at once must find its button. */
  field(label, key, most, read, write) {
    const input = (event) => {
      this.draft = write(this.draft, Math.trunc(Number(event.target.value)) || 0);
      for (const other of this.fields) {
        if (other.element !== event.target) other.element.value = other.read(this.draft);
      }
    };
    const attributes = { type: "number", inputmode: "numeric", min: 0, max: most, value: read(this.draft), input };
    const element = h("input", { ...attributes, "aria-label": label, "data-key": key });
    this.fields.push({ element, read });
    return element;
  }

  counts() {
    this.fields = [];
    const { copies, num_players } = this.draft;
    const row = (name, key, read, write, last) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, name),
        draw.VALUES.map((value, k) => {
          const now = (draft) => read(draft)[k];
          const type = (draft, number) => write(draft, k, number);
          return h("td", {}, this.field(`${name}: ${value}`, `${key}-${value}`, copies, now, type));
        }),
        h("td", {}, last),
      );
    const player = (seat) =>
      row(
        NAMES[seat],
        `markers-${seat}`,
        (draft) => draft.players[seat].markers,
        (draft, k, number) => withMarkers(draft, seat, k, number),
        this.field(
          `${NAMES[seat]}: ${say("frustrations")}`,
          `frustrations-${seat}`,
          99,
          (draft) => draft.players[seat].frustrations,
          (draft, number) => withFrustrations(draft, seat, number),
        ),
      );
    return h(
      "div",
      { class: "scroll", tabindex: "0" },
      h(
        "table",
        { class: "counts" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("td", {}),
            draw.VALUES.map((value) =>
              h("th", { scope: "col" }, draw.marker(value), h("span", { class: "unseen" }, String(value))),
            ),
            h("th", { scope: "col" }, token(), h("span", { class: "unseen" }, say("frustrations"))),
          ),
        ),
        h(
          "tbody",
          {},
          range(num_players).map(player),
          row(say("middle"), "middle", (draft) => draft.middle, withMiddle, ""),
        ),
      ),
    );
  }

  // ------------------------------------------------------------------ the turn

  moment() {
    const { draft } = this;
    const moments = MOMENTS.map((moment) => [moment, say(`editor.moment.${moment}`)]);
    const others = opponents(draft).map((seat) => [seat, NAMES[seat]]);
    const asked = (now, seat) => ({ ...now, to_act: Number(seat) });
    return h(
      "fieldset",
      {},
      h("legend", {}, say("editor.turn")),
      this.choice(say("editor.moment"), "moment", moments, draft.moment, withMoment),
      hasBoard(draft) && this.board(),
      hasThrow(draft) && this.dice(),
      asksOpponent(draft) && this.choice(say("editor.asked"), "asked", others, draft.to_act, asked),
    );
  }

  board() {
    const { moment, target, lying, active, frustraters, reduced, after_reduction, italian_reading } = this.draft;
    const numbers = (first, last) => range(last - first + 1).map((k) => [first + k, first + k]);
    const values = draw.VALUES.map((value) => [value, value]);
    const waiting = moment === "throw";
    const lies = (what) => (draft, number) => ({ ...draft, lying: { ...draft.lying, [what]: Number(number) } });
    const toggle = (seat) => (draft, on) =>
      withFrustraters(draft, [...draft.frustraters.filter((one) => one !== seat), ...(on ? [seat] : [])]);
    const began = (draft, seat) => withFrustraters(draft, draft.frustraters, Number(seat));
    const starters = frustraters.map((seat) => [seat, NAMES[seat]]);
    return h(
      "div",
      {},
      h("h3", {}, say(waiting ? "editor.board" : "editor.board_before")),
      h(
        "div",
        { class: "row" },
        this.choice(say("target"), "target", values, target, (draft, value) => ({ ...draft, target: Number(value) })),
        this.choice(say("editor.targets"), "targets", numbers(waiting ? 1 : 0, 3), lying.targets, lies("targets")),
        this.choice(say("ravens"), "ravens", numbers(0, 2), lying.ravens, lies("ravens")),
      ),
      h(
        "div",
        { class: "row", role: "group", "aria-label": say("editor.frustraters") },
        say("editor.frustraters"),
        opponents(this.draft).map((seat) =>
          this.tick(NAMES[seat], `frustrater-${seat}`, frustraters.includes(seat), toggle(seat)),
        ),
        starters.length > 1 && this.choice(say("editor.starter"), "starter", starters, frustraters[0], began),
      ),
      h(
        "div",
        { class: "row" },
        this.tick(say("editor.reduced", { name: NAMES[active] }), "reduced", reduced, (draft, on) => ({
          ...draft,
          reduced: on,
        })),
        reduced &&
          italian_reading &&
          this.tick(say("editor.repeats"), "repeats", after_reduction, (draft, on) => ({
            ...draft,
            after_reduction: on,
          })),
      ),
    );
  }

  dice() {
    const { thrown } = this.draft;
    const due = diceThrown(this.draft);
    const put = (faces) => this.set({ ...this.draft, thrown: faces });
    const tap = (face) => thrown.length < due && put([...thrown, face]);
    return h(
      "div",
      {},
      h("h3", {}, say("editor.throw", { count: due })),
      h(
        "p",
        { class: "row" },
        draw.FACES.map((face) => draw.dieButton(face, { "data-key": `face-${face}`, click: () => tap(face) })),
        button(say("dice.clear"), () => put([]), { "data-key": "clear" }),
      ),
      h(
        "p",
        { class: "dice thrown", "aria-live": "polite" },
        thrown.map((face, k) =>
          draw.dieButton(face, {
            "aria-label": labelled(draw.faceName(face), say("editor.off")),
            "data-key": `thrown-${k}`,
            click: () => put(thrown.filter((_, at) => at !== k)),
          }),
        ),
        range(Math.max(0, due - thrown.length)).map(() => h("span", { class: "slot", "aria-hidden": "true" })),
      ),
    );
  }
}
