// The table: six rows with their squares and stacks, bonus cards, the dice, and everybody's chips. Nothing here knows a
// rule: a position says what lies where, and what has to move for that, moves.

import { h, range } from "/web/js/dom.js";
import { seatLine, seatName } from "/web/js/draw.js";
import { COLOURS, face } from "/web/js/faces.js";
import { glide, pulse, shake, tumble } from "/web/js/motion.js";
import { labelled, list, say } from "/web/js/words.js";
import { die } from "./dice.js";
import { own } from "./sentences.js";

const SUMS = [5, 6, 7, 8, 9, 10];
const CARDS = [15, 12, 9, 6];
const GOLD = "#f2c14e";
const CALLED = 3500; // milliseconds for which a call is seen

export class Table {
  /** `click(seat)` is called when somebody clicks a face, or (null) the cloth. */
  constructor(_choose, click = () => {}) {
    this.element = h("div", { class: "felt rows-table" });
    this.element.addEventListener("click", (event) => {
      const seat = event.target.closest(".portrait")?.closest(".seat")?.dataset.seat ?? null;
      click(seat === null ? null : Number(seat));
    });
    this.shape = "";
    this.choices = [];
  }

  show({ position, scores, seats, mine, asked, sums = null }, { takes = 0, rolling = false, saying = null } = {}) {
    const shape = JSON.stringify([position.num_players, position.row_lengths, mine]);
    const fresh = shape !== this.shape;
    if (fresh) this.build(position, mine);
    this.shape = shape;
    this.mine = mine;
    this.moves = [];
    this.write(position, scores, seats, mine, asked, sums);
    this.placePieces(position, seats, mine, fresh ? 0 : takes);
    this.placeDice(position, rolling ? takes : 0);
    this.seats.forEach((seat, k) => {
      const speaks = saying?.seat === k;
      seat.bubble.classList.toggle("shown", speaks);
      if (speaks) seat.bubble.textContent = saying.words;
    });
    for (const move of this.moves) move();
  }

  // ------------------------------------------------------------------ what does not move

  build({ num_players: count, row_lengths: lengths }, mine) {
    const first = mine ?? 0; // whoever looks on sees the table from the first seat
    this.seats = range(count).map(seatPlace);
    this.rows = SUMS.map((sum, row) => rowPlace(sum, lengths[row]));
    this.cards = CARDS.map((points) => h("span", { class: "bonus-card" }, String(points)));
    this.cardsTold = h("span", { class: "unseen" });
    this.tray = h("div", { class: "spots", "aria-hidden": "true" });
    this.trayTitle = h("h2", { class: "label" });
    this.trayTold = h("p", { class: "unseen" });
    this.pieces = range(count).map((seat) => SUMS.map(() => coloured(h("span", { class: "disc" }), seat)));
    this.thrown = null;
    this.element.replaceChildren(
      h("h2", { class: "unseen" }, own("board")),
      h(
        "ul",
        { class: "rows" },
        this.rows.map(({ element }) => element),
      ),
      h(
        "div",
        { class: "beside" },
        h("section", { class: "thrown" }, this.trayTitle, this.tray, this.trayTold),
        h(
          "section",
          { class: "bonus" },
          h("h2", { class: "label" }, own("bonus")),
          h("div", { class: "cards", "aria-hidden": "true" }, this.cards),
          this.cardsTold,
        ),
      ),
      h(
        "ul",
        { class: "seats holders", "data-count": count },
        range(count).map((k) => this.seats[(first + k) % count].element),
      ),
    );
  }

  write(position, scores, seats, mine, asked, sums) {
    const over = position.phase === "over";
    this.seats.forEach((seat, k) => {
      const { chips, bonus } = position.players[k];
      const active = position.active === k && !over;
      const known = JSON.stringify([seats[k].kind, seats[k].name, seats[k].agent]);
      if (seat.known !== known) seat.face.replaceChildren(face(seats, k));
      seat.known = known;
      seat.name.textContent = seatName(seats, k, mine);
      const sum = sums && say("series.sum", { points: sums[k] });
      seat.line.textContent = [sum, seatLine(seats, k)].filter(Boolean).join(" · ");
      seat.points.replaceChildren(String(scores[k]), h("span", { class: "unseen" }, ` ${say("score")}`));
      seat.chips.forEach((chip, row) => {
        if (chip.lastChild.textContent && chip.lastChild.textContent !== String(chips[row])) pulse(chip, GOLD);
        chip.lastChild.textContent = String(chips[row]);
        chip.classList.toggle("none", !chips[row]);
      });
      seat.bonus.textContent = bonus ? `+${bonus}` : "";
      const held = chips.map((count, row) => (count ? `${count} × ${SUMS[row]}` : null)).filter(Boolean);
      seat.told.textContent = [
        own("table.holds", { chips: held.join(", ") || "–", points: bonus }),
        active ? say("at_turn") : "",
      ]
        .join(" ")
        .trim();
      seat.element.classList.toggle("active", active);
      seat.element.classList.toggle("asked", asked === k);
    });
    const left = position.bonus;
    this.cards.forEach((card, k) => card.classList.toggle("taken", !left.includes(CARDS[k])));
    this.cardsTold.textContent = left.length ? left.join(", ") : own("bonus.none");
    this.trayTitle.textContent = labelled(say("throw"), seatName(seats, position.active, mine));
  }

  // ------------------------------------------------------------------ what moves

  placePieces(position, seats, mine, takes) {
    const names = seats.map((_, seat) => seatName(seats, seat, mine));
    const initials = initialsOf(names);
    SUMS.forEach((sum, row) => {
      const { squares, stack, told, element } = this.rows[row];
      const length = position.row_lengths[row];
      const open = position.stacks[row] > 0;
      element.classList.toggle("closed", !open);
      stack.lastChild.textContent = open ? `×${position.stacks[row]}` : own("closed");
      const where = [];
      position.players.forEach(({ places }, seat) => {
        const piece = this.pieces[seat][row];
        const name = names[seat];
        piece.textContent = initials[seat];
        piece.title = name;
        const place = places[row] ? squares[places[row] - 1].discs : null;
        if (piece.parentNode !== place) {
          const from = piece.isConnected && takes ? piece.getBoundingClientRect() : null;
          const start = from ?? (takes && place ? this.seats[seat].face.getBoundingClientRect() : null);
          if (place) place.append(piece);
          else piece.remove();
          if (start && place) this.moves.push(() => glide(piece, start, { takes, lift: 20 }));
        }
        if (!places[row]) return;
        const key = places[row] === length ? "table.at_x" : "table.at";
        where.push(own(key, { name, square: places[row] }));
      });
      const chips = open ? position.stacks[row] : own("closed");
      told.textContent = own("table.pieces", { sum, where: where.length ? list(where) : own("nobody"), chips });
    });
  }

  placeDice({ last_throw: thrown, active }, takes) {
    const key = thrown.join();
    if (key !== this.thrown) this.tray.replaceChildren(...thrown.map(die));
    this.thrown = key;
    this.trayTold.textContent = thrown.join(", ");
    if (!takes) return;
    const hand = this.seats[active].face.getBoundingClientRect();
    [...this.tray.children].forEach((one, k) =>
      this.moves.push(() => tumble(one, hand, { takes: 0.85 * takes, after: 0.04 * takes * k })),
    );
  }

  // ------------------------------------------------------------------ what can be chosen, and what is made plain

  /** What every action would do, as the server says. */
  offer(choices) {
    this.choices = choices;
    if (!choices.length) this.light(null);
  }

  /** Light up where an action leads. */
  light(action) {
    const found = action === null ? null : this.choices.find((one) => String(one.action) === String(action));
    for (const element of this.element.querySelectorAll(".goal")) element.classList.remove("goal");
    if (!found) return;
    const squares = (sum) => this.rows[SUMS.indexOf(sum)].squares;
    for (const [sum, square] of found.squares ?? []) squares(sum)[square - 1].element.classList.add("goal");
    for (const [sum] of found.chips ?? []) squares(sum).at(-1).element.classList.add("goal");
  }

  /** What somebody calls out, for a moment. */
  callOut(number, words) {
    const { call } = this.seats[number];
    call.textContent = words;
    call.classList.add("shown");
    clearTimeout(call.hiding);
    call.hiding = setTimeout(() => call.classList.remove("shown"), CALLED);
  }

  shakeSeat(number) {
    shake(this.seats[number].element);
  }

  /** For whoever has won. */
  celebrate() {
    pulse(this.seats[this.mine ?? 0].element, GOLD, 2400);
  }
}

/** A letter for everybody, two where one would stand for several. */
function initialsOf(names) {
  const first = names.map((name) => [...name][0] ?? "?");
  const shared = (letter) => first.filter((other) => other === letter).length > 1;
  return names.map((name, k) => (shared(first[k]) ? [...name].slice(0, 2).join("") : first[k]));
}

function rowPlace(sum, length) {
  const squares = range(length).map((k) => {
    const discs = h("span", { class: "discs" });
    const sign = h("span", { class: "sign" }, k === length - 1 ? "X" : String(k + 1));
    return { discs, element: h("span", { class: k === length - 1 ? "square x" : "square" }, sign, discs) };
  });
  const told = h("span", { class: "unseen" });
  const stack = h("span", { class: "stack" }, h("span", { class: `chip-disc r${sum}` }, String(sum)), h("span"));
  const element = h(
    "li",
    { class: `lane r${sum}`, "data-row": sum },
    h(
      "span",
      { class: "line", "aria-hidden": "true" },
      h("span", { class: `sum r${sum}` }, String(sum)),
      h(
        "span",
        { class: "squares" },
        squares.map((one) => one.element),
      ),
      stack,
    ),
    told,
  );
  return { element, squares, stack, told };
}

function seatPlace(number) {
  const made = {
    face: h("span", { class: "face-place" }),
    name: h("span", { class: "name" }),
    line: h("span", { class: "line" }),
    points: h("span", { class: "points" }),
    chips: SUMS.map((sum) => h("span", { class: `held r${sum}` }, h("span", { class: "of" }, String(sum)), h("span"))),
    bonus: h("span", { class: "bonus-points" }),
    told: h("span", { class: "unseen" }),
    bubble: h("span", { class: "bubble", "aria-hidden": "true" }),
    call: h("span", { class: "bubble call", "aria-hidden": "true" }),
  };
  made.element = h(
    "li",
    { class: "seat", "data-seat": number },
    h("span", { class: "portrait" }, made.face),
    h("span", { class: "who" }, made.name, made.line),
    made.points,
    h("span", { class: "chips-held", "aria-hidden": "true" }, made.chips, made.bonus),
    made.told,
    made.bubble,
    made.call,
  );
  coloured(made.element, number);
  return made;
}

function coloured(element, seat) {
  element.style.setProperty("--seat", COLOURS[seat]);
  return element;
}
