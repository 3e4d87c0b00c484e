// The table: seats around it, the middle, the tray in which dice are thrown, the board. One set of pieces, which move.
// Nothing here knows a rule: a position says how many of what lie where, and what has to move for that, moves.

import { h, range } from "./dom.js";
import { counted, faceName, seatLine, seatName } from "./draw.js";
import { COLOURS, face } from "./faces.js";
import { animate, difference, glide, pulse, shake, still, tumble } from "./motion.js";
import * as pieces from "./pieces.js";
import { labelled, list, say, whole } from "./words.js";

const DICE = 7;
const TOKENS = 6; // that are drawn at a seat; a number says how many there are
const CALLED = 3500; // milliseconds for which a call is seen
const SUPPLY = "supply";
const BOX = "box";
const MIDDLE = "middle";
const BOARD = "board";
// Dice lie around the middle of the tray, however many are thrown.
const FROM_THE_MIDDLE = [3, 2, 4, 1, 5, 0, 6];
const traySlots = (count) => FROM_THE_MIDDLE.slice(0, count).sort((a, b) => a - b);

export class Table {
  /**
   * `choose(action, event)` is called when somebody clicks a piece that stands for an action, `click(seat)` when they
   * click anything else: somebody's face, or (null) the cloth.
   */
  constructor(choose = () => {}, click = () => {}) {
    this.element = h("div", { class: "felt" });
    this.element.addEventListener("click", (event) => {
      const found = event.target.closest("[data-do]");
      const seat = event.target.closest(".portrait")?.closest(".seat")?.dataset.seat ?? null;
      if (found) choose(Number(found.dataset.do), event);
      else click(seat === null ? null : Number(seat));
    });
    this.shape = "";
  }

  /**
   * A position as it is, or with `rolling` while its last throw is in the air: then nothing of it is on the board yet.
   * What moves takes so many milliseconds; `saying` is what somebody says of it: a seat and words.
   */
  show({ position, scores, seats, mine, asked, sums = null }, { takes = 0, rolling = false, saying = null } = {}) {
    const shape = `${position.num_players} ${position.copies} ${mine}`;
    const fresh = shape !== this.shape;
    if (fresh) this.build(position, mine);
    this.shape = shape;
    this.takes = fresh ? 0 : takes;
    this.moves = [];
    this.write(position, scores, seats, mine, asked, sums);
    this.placeMarkers(position);
    this.placeTokens(position);
    this.placeMurphy(position);
    this.placeDice(position, rolling);
    this.seats.forEach((seat, k) => {
      const speaks = saying?.seat === k;
      seat.bubble.classList.toggle("shown", speaks);
      if (speaks) seat.bubble.textContent = saying.words;
    });
    for (const move of this.moves) move(); // when all are where they belong
  }

  // ------------------------------------------------------------------ what does not move

  build(position, mine) {
    const { num_players: count, copies } = position;
    const first = mine ?? 0; // onlookers see the table from the first seat
    const order = range(count - 1).map((k) => (first + 1 + k) % count);
    this.seats = range(count).map(seatPlace);
    this.middle = stacks();
    this.slots = range(DICE).map((k) =>
      h("span", { class: `slot ${k < 4 ? "for-target" : "for-raven"}` }, k < 4 ? "" : pieces.raven()),
    );
    this.tray = range(DICE).map((k) => h("span", { class: `spot spot-${k}` }));
    this.boardTokens = h("span", { class: "tokens" });
    this.supply = h("span", { class: "supply tokens" }, pieces.token());
    this.box = h("span", { class: "box" }, pieces.box());
    this.boxed = h("span", { class: "boxed" });
    this.shelf = h("span", { class: "perch" });
    this.trayTitle = h("h2", { class: "label" });
    this.targetLabel = h("span", { class: "label" });
    this.ravenLabel = h("span", { class: "label right" });
    this.told = h("p", { class: "unseen" });
    this.middleTold = h("p", { class: "unseen" });
    this.board = h(
      "section",
      { class: "board" },
      h("h2", { class: "unseen" }, say("board")),
      h("div", { class: "board-head", "aria-hidden": "true" }, this.targetLabel, this.boardTokens, this.ravenLabel),
      h("div", { class: "slots", "aria-hidden": "true" }, this.slots),
      this.told,
    );
    this.element.replaceChildren(
      h(
        "ul",
        { class: "seats others", "data-count": count - 1 },
        order.map((k) => this.seats[k].element),
      ),
      h(
        "div",
        { class: "center" },
        h(
          "section",
          { class: "middle" },
          h("h2", { class: "label" }, say("middle")),
          this.middleTold,
          h("div", { class: "stacks", "aria-hidden": "true" }, this.middle),
        ),
        h(
          "div",
          { class: "edge", "aria-hidden": "true" },
          h("span", { class: "place" }, this.shelf, h("span", { class: "label" }, say("murphy"))),
          h("span", { class: "place" }, this.supply, h("span", { class: "label" }, say("table.supply"))),
          h("span", { class: "place" }, this.box, h("span", { class: "label" }, say("table.box")), this.boxed),
        ),
        h("section", { class: "tray" }, this.trayTitle, h("div", { class: "spots", "aria-hidden": "true" }, this.tray)),
        this.board,
      ),
      h("ul", { class: "seats own" }, this.seats[first].element),
    );
    const found = (element, at) => Object.assign(element, { at });
    this.markers = pieces.VALUES.map((value) =>
      range(copies).map(() => {
        const element = found(pieces.marker(value), MIDDLE);
        element.classList.add("piece");
        return element;
      }),
    );
    this.tokens = [];
    this.murphy = found(pieces.murphy(), "shelf");
    this.murphy.classList.add("piece");
    this.dice = range(DICE).map(() => found(h("span", { class: "piece die away" }), null));
  }

  /** `sums` are the points of a series before this game. */
  write(position, scores, seats, mine, asked, sums) {
    const over = position.phase === "over";
    this.seats.forEach((seat, k) => {
      const { markers, frustrations } = position.players[k];
      const active = position.active === k && !over;
      const known = JSON.stringify([seats[k].kind, seats[k].name, seats[k].agent]);
      if (seat.known !== known) seat.face.replaceChildren(face(seats, k));
      seat.known = known;
      seat.name.textContent = seatName(seats, k, mine);
      const sum = sums && say("series.sum", { points: whole(sums[k]) });
      seat.line.textContent = [sum, seatLine(seats, k)].filter(Boolean).join(" · ");
      seat.points.replaceChildren(
        whole(scores[k]),
        h("span", { class: "unseen" }, ` ${say("score")}`),
        ...(sum ? [h("span", { class: "series-sum" }, sum)] : []),
      );
      seat.count.textContent = frustrations > 1 ? `×${frustrations}` : "";
      seat.told.textContent = [
        labelled(say("markers"), counted(markers)),
        labelled(say("frustrations"), frustrations),
        position.murphy === k && say("murphy"),
        active && say("at_turn"),
      ]
        .filter(Boolean)
        .join("; ");
      seat.element.classList.toggle("active", active);
      seat.element.classList.toggle("asked", asked === k);
      seat.element.classList.toggle("cursed", position.murphy === k);
      seat.element.dataset.frustrations = frustrations;
      seat.element.dataset.murphy = position.murphy === k;
    });
    this.middleTold.textContent = counted(position.middle);
    this.trayTitle.textContent = labelled(say("throw"), seatName(seats, position.active, mine));
  }

  // ------------------------------------------------------------------ pieces

  /** Move a piece into a place, as the so-many-th there. */
  put(element, place, number, { lift = 0, after = 0 } = {}) {
    element.style.setProperty("--n", number);
    if (element.parentNode === place) return;
    const from = element.isConnected && this.takes ? element.getBoundingClientRect() : null;
    place.append(element);
    if (from) this.moves.push(() => glide(element, from, { takes: this.takes, lift, after }));
  }

  placeMarkers(position) {
    const held = range(position.num_players);
    pieces.VALUES.forEach((_, k) => {
      const want = new Map([
        [MIDDLE, position.middle[k]],
        ...held.map((seat) => [seat, position.players[seat].markers[k]]),
      ]);
      allot(this.markers[k], want, BOX);
      const number = new Map();
      for (const element of this.markers[k]) {
        const n = number.get(element.at) ?? 0;
        number.set(element.at, n + 1);
        const place =
          element.at === BOX ? this.box : element.at === MIDDLE ? this.middle[k] : this.seats[element.at].stacks[k];
        this.put(element, place, n, { lift: 40 });
      }
    });
    const gone = this.markers.flat().filter(({ at }) => at === BOX).length;
    this.boxed.textContent = gone ? String(gone) : "";
  }

  placeTokens(position) {
    const shown = (count) => Math.min(count, TOKENS);
    const want = new Map(position.players.map(({ frustrations }, seat) => [seat, shown(frustrations)]));
    want.set(BOARD, position.frustraters.length);
    const all = [...want.values()].reduce((sum, count) => sum + count, 0);
    while (this.tokens.length < all) {
      const element = Object.assign(pieces.token(), { at: SUPPLY });
      element.classList.add("piece");
      this.supply.append(element);
      this.tokens.push(element);
    }
    allot(this.tokens, want, SUPPLY);
    const number = new Map();
    for (const element of [...this.tokens]) {
      const n = number.get(element.at) ?? 0;
      number.set(element.at, n + 1);
      const place =
        element.at === SUPPLY ? this.supply : element.at === BOARD ? this.boardTokens : this.seats[element.at].tokens;
      this.put(element, place, element.at === SUPPLY ? 0 : n, { lift: 24, after: this.takes ? 60 * n : 0 });
      const whose = element.at === BOARD ? COLOURS[position.frustraters[n]] : null;
      element.style.setProperty("--whose", whose ?? "transparent");
    }
    // The supply never runs out and never fills up: one that lies there is all that is drawn.
    const spare = this.tokens.filter(({ at }) => at === SUPPLY);
    this.tokens = this.tokens.filter(({ at }) => at !== SUPPLY);
    for (const element of spare) setTimeout(() => element.remove(), this.takes);
  }

  placeMurphy(position) {
    const { murphy } = position;
    this.put(this.murphy, murphy === null ? this.shelf : this.seats[murphy].perch, 0, { lift: 50 });
  }

  placeDice(position, rolling) {
    const { target, last_throw: thrown, active } = position;
    const count = (of) => (of === null ? 0 : thrown.filter((one) => one === of).length);
    const airborne = rolling ? thrown.length : 0;
    const hits = Math.max(0, position.targets - (airborne ? count(target) : 0));
    const ravens = Math.max(0, position.ravens - (airborne ? count(0) : 0));
    const hand = this.seats[active].face.getBoundingClientRect();
    this.targetLabel.textContent = labelled(say("target"), target !== null && (hits || !rolling) ? target : "–");
    this.ravenLabel.textContent = labelled(say("ravens"), `${ravens} / 3`);
    this.board.classList.toggle("full", hits > 3);
    this.board.classList.toggle("doomed", ravens > 2);
    this.slots.forEach((slot, k) => slot.classList.toggle("next", k === hits && hits < 4));
    if (!thrown.length && !hits && !ravens) {
      this.gather(hand);
      this.told.textContent = "";
      return;
    }
    // Where every die belongs: targets from the left, ravens from the right, the others lie where they fell.
    const spots = traySlots(thrown.length);
    const lying = thrown.map((shows, k) => ({ shows, place: this.tray[spots[k]], fresh: true }));
    const wanted = [
      ...range(hits).map((k) => ({ shows: target, place: this.slots[k], fresh: false })),
      ...range(ravens).map((k) => ({ shows: 0, place: this.slots[DICE - 1 - k], fresh: false })),
    ];
    if (airborne) {
      wanted.push(...lying);
    } else {
      // The last of those on the board are of the last throw.
      let [h1, r1] = [Math.min(hits, count(target)), Math.min(ravens, count(0))];
      for (const one of [...wanted].reverse()) {
        one.fresh = one.shows === 0 ? r1-- > 0 : h1-- > 0;
      }
      [h1, r1] = [hits, ravens];
      for (const one of lying) {
        if (one.shows === target && h1 > 0) h1 -= 1;
        else if (one.shows === 0 && r1 > 0) r1 -= 1;
        else wanted.push(one);
      }
    }
    this.allotDice(wanted, rolling, hand);
    this.tell(position, rolling);
  }

  allotDice(wanted, rolling, hand) {
    const free = new Set(this.dice);
    const given = new Map();
    const take = (one, fits) => {
      const found = given.has(one) ? null : [...free].find((die) => fits(die, one));
      if (!found) return;
      given.set(one, found);
      free.delete(found);
    };
    const inPlace = (die, { place, shows }) => die.parentNode === place && die.shows === shows && !die.matches(".away");
    const inTray = (die, { shows }) =>
      die.shows === shows && this.tray.includes(die.parentNode) && !die.matches(".away");
    // What lies there stays; what was thrown goes from the tray to the board; any other die does for the rest.
    for (const one of wanted) if (!(rolling && one.fresh)) take(one, inPlace);
    for (const one of wanted) if (!(rolling && one.fresh)) take(one, inTray);
    for (const one of wanted) take(one, () => true);
    const fallen = { lift: 14 };
    for (const [one, die] of given) {
      const roll = rolling && one.fresh;
      die.classList.remove("away");
      die.classList.toggle("fresh", one.fresh);
      die.classList.toggle("rolling", roll);
      if (die.shows !== one.shows || !die.childElementCount) {
        die.shows = one.shows;
        die.dataset.face = one.shows;
        die.replaceChildren(h("span", { class: "top" }, pieces.pip(one.shows)));
      }
      die.querySelector(".cube")?.remove();
      if (!roll) {
        this.put(die, one.place, 0, fallen);
        continue;
      }
      if (die.parentNode !== one.place) one.place.append(die);
      const number = wanted.indexOf(one) % DICE;
      if (this.takes && !still()) this.moves.push(() => this.roll(die, hand, number));
    }
    for (const die of free) die.classList.add("away");
  }

  roll(die, hand, number) {
    const after = 0.03 * this.takes * number;
    const takes = this.takes - after;
    tumble(die, hand, { takes, after, turn: 0 });
    const turning = pieces.cube();
    die.append(turning);
    const [x, y] = pieces.TURNED[die.shows];
    const turns = (k) => 360 * (1 + ((number + k) % 2)) * (number % 2 ? 1 : -1);
    const rolled = animate(
      turning,
      [
        { transform: `rotateX(${x + turns(0) + 90}deg) rotateY(${y + turns(1) - 60}deg) rotateZ(120deg)` },
        { transform: `rotateX(${x}deg) rotateY(${y}deg) rotateZ(0deg)` },
      ],
      { duration: 0.86 * takes, delay: after, easing: "cubic-bezier(.2,.6,.4,1)", fill: "both" },
    );
    const done = () => turning.remove();
    rolled?.finished.then(done, done);
  }

  /** The dice go to whoever throws next. */
  gather(hand) {
    this.dice.forEach((die, k) => {
      if (die.matches(".away")) return;
      die.classList.add("away");
      die.classList.remove("fresh", "rolling");
      if (!this.takes || still() || !die.isConnected) return;
      const by = difference(hand, die.getBoundingClientRect());
      const there = `translate(${by.x.toFixed(1)}px, ${by.y.toFixed(1)}px) scale(.25)`;
      animate(
        die,
        [
          { opacity: 1, transform: "none" },
          { opacity: 0.9, offset: 0.8 },
          { opacity: 0, transform: there },
        ],
        {
          duration: 0.8 * this.takes,
          delay: 14 * k,
          easing: "ease-in",
        },
      );
    });
  }

  /** The board in words. */
  tell(position, rolling) {
    const { target, targets, ravens, last_throw: thrown, frustraters } = position;
    if (rolling) return;
    const names = frustraters.length
      ? labelled(say("frustrations"), list(frustraters.map((k) => this.seats[k].name.textContent)))
      : null;
    this.told.textContent = [
      labelled(say("throw"), thrown.map(faceName).join(", ")),
      labelled(say("target"), target === null ? "–" : `${targets} × ${target}`),
      labelled(say("ravens"), ravens),
      names,
    ]
      .filter(Boolean)
      .join("; ");
  }

  // ------------------------------------------------------------------ what can be clicked, and what is made plain

  /** Pieces that stand for actions, by action; what is not named stands for nothing. */
  offer(actions) {
    for (const element of this.element.querySelectorAll("[data-do]")) delete element.dataset.do;
    for (const [action, what] of actions) {
      for (const element of this.pieces(what)) element.dataset.do = action;
    }
  }

  pieces({ die, middle, seat, tokens }) {
    const inTray = (one) => this.tray.includes(one.parentNode) && !one.matches(".away");
    if (die !== undefined) return this.dice.filter((one) => one.shows === die && inTray(one));
    if (middle !== undefined) return this.markers[middle - 3].filter(({ at }) => at === MIDDLE);
    if (tokens !== undefined) return this.tokens.filter(({ at }) => at === tokens);
    return [this.seats[seat.number].face, ...this.markers[seat.value - 3].filter(({ at }) => at === seat.number)];
  }

  /** Light up what an action is about. */
  light(action) {
    for (const element of this.element.querySelectorAll("[data-do]")) {
      element.classList.toggle("lit", action !== null && element.dataset.do === String(action));
    }
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

  /** Feathers for whoever has won. */
  celebrate() {
    if (still()) return;
    for (const k of range(28)) {
      const feather = h("span", { class: "feather", "aria-hidden": "true" });
      feather.style.left = `${(k * 37) % 100}%`;
      feather.style.background = COLOURS[k % COLOURS.length];
      this.element.append(feather);
      const sway = (share) =>
        `translate(${30 * Math.sin(k + 5 * share)}px, ${share * 34}rem) rotate(${360 * share + 40 * k}deg)`;
      const falling = feather.animate(
        [0, 0.25, 0.5, 0.75, 1].map((share) => ({ transform: sway(share), opacity: share < 1 ? 1 : 0 })),
        { duration: 2400 + 90 * (k % 9), delay: 60 * k, fill: "both" },
      );
      falling.finished.then(
        () => feather.remove(),
        () => feather.remove(),
      );
    }
  }

  lightBoard(good) {
    pulse(this.board, good ? "#ffd86b" : "#ff5a4d");
  }
}

const stacks = () => pieces.VALUES.map((value) => h("span", { class: `stack s${value}` }));

function seatPlace(number) {
  const made = {
    face: h("span", { class: "face-place" }),
    perch: h("span", { class: "perch" }),
    name: h("span", { class: "name" }),
    line: h("span", { class: "line" }),
    points: h("span", { class: "points" }),
    stacks: stacks(),
    tokens: h("span", { class: "tokens" }),
    count: h("span", { class: "count" }),
    told: h("span", { class: "unseen" }),
    bubble: h("span", { class: "bubble", "aria-hidden": "true" }),
    call: h("span", { class: "bubble call", "aria-hidden": "true" }), // a screen reader hears it elsewhere
  };
  made.element = h(
    "li",
    { class: "seat", "data-seat": number },
    h("span", { class: "portrait" }, made.face, made.perch),
    h("span", { class: "who" }, made.name, made.line),
    made.points,
    h(
      "span",
      { class: "holdings", "aria-hidden": "true" },
      made.stacks,
      h("span", { class: "worries" }, made.tokens, made.count),
    ),
    made.told,
    made.bubble,
    made.call,
  );
  made.element.style.setProperty("--seat", COLOURS[number]);
  return made;
}

/** Say where each of some equal pieces is, so that as few as possible move; `rest` takes what nobody wants. */
function allot(elements, want, rest) {
  const left = new Map(want);
  const moving = [];
  for (const element of elements) {
    const room = left.get(element.at) ?? 0;
    if (room > 0) left.set(element.at, room - 1);
    else moving.push(element);
  }
  moving.sort((a, b) => Number(b.at === rest) - Number(a.at === rest)); // what lies apart comes last
  for (const [at, room] of left) for (let k = 0; k < room; k++) moving.pop().at = at;
  for (const element of moving) element.at = rest;
}
