// The explorer of the solved game: figures of perfect play, which a command has computed from the exact solution.

import { button, h, range, select } from "./dom.js";
import * as draw from "./draw.js";
import { heatMap, heatTable } from "./heat.js";
import { labelled, language, percent, say } from "./words.js";

const SUBJECTS = ["first", "target", "frustrate", "reduce", "steal", "chances"];
const LEAST = 30; // decisions in a field, below which it says nothing
const DICE = 7;
const RAVENS = 3; // that end a turn at once

const count = (number) => new Intl.NumberFormat(language()).format(number);
const signed = (share) =>
  new Intl.NumberFormat(language(), {
    style: "percent",
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
    signDisplay: "exceptZero",
  }).format(share);

class Explorer {
  constructor(main, data) {
    Object.assign(this, { main, data });
    this.chosen = {}; // by subject: axes down and across, what is shown, and which classes only
    this.dice = [7, 7, 4, 4, 4, 0, 5];
    this.ravens = 0;
  }

  draw(subject, focus = null) {
    this.subject = subject;
    history.replaceState(null, "", `/explore?subject=${subject}`);
    const chips = SUBJECTS.map((name) =>
      button(say(`explore.${name}`), () => this.draw(name, `subject-${name}`), {
        class: "chip",
        "aria-pressed": String(name === subject),
        "data-key": `subject-${name}`,
      }),
    );
    this.main.replaceChildren(
      h(
        "section",
        { class: "card" },
        h("h1", {}, say("explore.title")),
        h("p", {}, say("explore.about", { games: count(this.data.games), copies: this.data.copies })),
        h("div", { class: "row", role: "group", "aria-label": say("explore.title") }, chips),
      ),
      h(
        "section",
        { class: "card explorer", "aria-labelledby": "subject-title" },
        h("h2", { id: "subject-title" }, say(`explore.${subject}`)),
        h("p", { class: "soft" }, say(`explore.of.${subject}`)),
        subject === "first" ? this.firstThrow() : this.map(subject),
      ),
    );
    if (focus) this.main.querySelector(`[data-key="${focus}"]`)?.focus();
  }

  // ------------------------------------------------------------------ first throws

  firstThrow() {
    const again = (focus) => this.draw("first", focus);
    const tap = (face) => {
      if (this.dice.length === DICE) this.dice = [];
      this.dice.push(face);
      again(`face-${face}`);
    };
    const faces = draw.FACES.map((face) =>
      draw.dieButton(face, { "data-key": `face-${face}`, click: () => tap(face) }),
    );
    const clear = () => {
      this.dice = [];
      again("clear");
    };
    const shares = this.data.first.flat(2).filter((share) => share !== null);
    return [
      h("p", {}, say("explore.dice")),
      h("p", { class: "row" }, faces, button(say("dice.clear"), clear, { "data-key": "clear" })),
      h(
        "p",
        { class: "dice" },
        this.dice.map((face) => draw.die(face)),
      ),
      h("div", { "aria-live": "polite" }, this.dice.length === DICE && this.thrown()),
      h("p", {}, say("explore.small", { least: percent(Math.min(...shares)), most: percent(Math.max(...shares)) })),
      this.grid(again),
    ];
  }

  /** What each target of the dice that were tapped in wins. */
  thrown() {
    const lying = (face) => this.dice.filter((one) => one === face).length;
    if (lying(0) >= RAVENS) return h("p", {}, say("explore.no_target"));
    const rows = draw.VALUES.filter(lying)
      .map((value) => ({ value, share: this.data.first[lying(0)][lying(value) - 1][value - 3] }))
      .sort((a, b) => b.share - a.share);
    const words = (row) => say("act.target", { value: row.value });
    return [
      h("p", {}, h("strong", {}, say("explore.best", { target: words(rows[0]), share: percent(rows[0].share, 2) }))),
      h(
        "ol",
        {},
        rows.map((row) =>
          h("li", {}, labelled(words(row), percent(row.share, 2)), " ", costs(rows[0].share - row.share)),
        ),
      ),
    ];
  }

  grid(again) {
    const shares = this.data.first[this.ravens];
    const all = this.data.first.flat(2).filter((share) => share !== null);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const rows = range(shares.length).filter((k) => shares[k].some((share) => share !== null));
    const choose = (number) => {
      this.ravens = Number(number);
      again("ravens");
    };
    const label = say("explore.grid", { ravens: this.ravens });
    const shown = {
      rows: rows.map((k) => String(k + 1)),
      columns: draw.VALUES.map(String),
      cells: rows.map((k) =>
        shares[k].map(
          (share) => share !== null && { level: (share - low) / (high - low), text: percent(share, 2), note: "" },
        ),
      ),
      corner: [say("explore.times"), say("target")],
      label,
    };
    return [
      h(
        "label",
        {},
        label,
        " ",
        select(
          [0, 1, 2].map((number) => [number, number]),
          this.ravens,
          choose,
          { "data-key": "ravens" },
        ),
      ),
      heatMap(shown),
      h("details", {}, h("summary", {}, say("explore.table")), heatTable(shown)),
    ];
  }

  // ------------------------------------------------------------------ what is counted

  map(subject) {
    const { axes } = this.data.subjects[subject];
    const chosen = (this.chosen[subject] ??= { down: axes[0], across: axes[1], measure: "share", only: {} });
    const set = (what, value, focus) => {
      // Both ways can't show the same: the other one takes the place that is left.
      if (what === "down" && value === chosen.across) chosen.across = chosen.down;
      if (what === "across" && value === chosen.down) chosen.down = chosen.across;
      chosen[what] = value;
      this.draw(subject, focus);
    };
    const pick = (what, words, options) =>
      h(
        "label",
        {},
        words,
        select(options, chosen[what], (value) => set(what, value, what), { "data-key": what }),
      );
    const names = axes.map((axis) => [axis, say(`explore.axis.${axis}`)]);
    const filter = (axis) =>
      h(
        "label",
        {},
        say("explore.only", { axis: say(`explore.axis.${axis}`) }),
        select(
          [["", say("explore.any")], ...this.data.axes[axis].map((_, k) => [k, this.className(axis, k)])],
          chosen.only[axis] ?? "",
          (value) => {
            chosen.only[axis] = value === "" ? undefined : Number(value);
            this.draw(subject, `only-${axis}`);
          },
          { "data-key": `only-${axis}` },
        ),
      );
    const measures = ["share", "gain"].map((measure) => [measure, say(`explore.${measure}`)]);
    return [
      h(
        "div",
        { class: "row choices" },
        pick("down", say("explore.rows"), names),
        pick("across", say("explore.columns"), names),
        subject !== "chances" && pick("measure", say("explore.measure"), measures),
        axes.filter((axis) => axis !== chosen.down && axis !== chosen.across).map(filter),
      ),
      this.counted(subject, chosen),
    ];
  }

  className(axis, number) {
    const [low, high] = this.data.axes[axis][number];
    if (axis === "murphy") return say(`explore.murphy.${low}`);
    const written = (value) => (value === null ? "" : String(value).replace("-", "−"));
    if (low === high) return written(low);
    if (low === null) return say("explore.up_to", { high: written(high) });
    return say(high === null ? "explore.from" : "explore.range", { low: written(low), high: written(high) });
  }

  counted(subject, { down, across, measure, only }) {
    const of = this.data.subjects[subject];
    const { cells, all } = sums(of, this.data.axes, { down, across, only });
    if (all.number < LEAST) return h("p", { role: "status" }, say("explore.nothing"));
    const value = (sum) => (subject !== "chances" && measure === "share" ? sum.best : sum.gain) / sum.number;
    const written = (share) => (measure === "gain" ? signed(share) : percent(share, 0));
    // The largest has the full colour.
    const known = cells.flat().filter((sum) => sum.number >= LEAST);
    const largest = Math.max(...known.map((sum) => Math.abs(value(sum)))) || 1;
    const shown = {
      rows: this.data.axes[down].map((_, k) => this.className(down, k)),
      columns: this.data.axes[across].map((_, k) => this.className(across, k)),
      cells: cells.map((row) =>
        row.map((sum) => {
          if (!sum.number) return null;
          const enough = sum.number >= LEAST;
          return {
            level: enough ? value(sum) / largest : 0,
            text: enough ? written(value(sum)) : "",
            note: count(sum.number),
          };
        }),
      ),
      corner: [say(`explore.axis.${down}`), say(`explore.axis.${across}`)],
    };
    const places = cells.flatMap((row, r) =>
      row.map((sum, c) => ({ sum, where: [shown.corner[0], shown.rows[r], shown.corner[1], shown.columns[c]] })),
    );
    const enough = places.filter(({ sum }) => sum.number >= LEAST).sort((a, b) => value(b.sum) - value(a.sum));
    const told = (key, { sum, where }) =>
      say(key, {
        value: written(value(sum)),
        number: count(sum.number),
        where: `${labelled(where[0], where[1])}, ${labelled(where[2], where[3])}`,
      });
    const facts = {
      number: count(all.number),
      share: percent((of.best ? all.best : all.gain) / all.number),
      gain: signed(all.gain / all.number),
    };
    const what = subject !== "chances" && say(`explore.what.${subject}`);
    const summary = [
      subject === "chances" ? say("explore.sum.chances", facts) : say("explore.sum.share", { ...facts, what }),
      enough.length > 1 && told("explore.most", enough[0]),
      enough.length > 1 && told("explore.least", enough.at(-1)),
    ].filter(Boolean);
    const whole = { ...shown, label: summary.join(" ") };
    return [
      h("p", { "aria-live": "polite" }, summary.join(" ")),
      heatMap(whole),
      h("p", { class: "soft small" }, say("explore.few", { least: LEAST })),
      h(
        "details",
        {},
        h("summary", {}, say("explore.table")),
        heatTable({ ...whole, label: say(`explore.${subject}`) }),
      ),
    ];
  }
}

export async function showExplorer(main) {
  const data = await (await fetch("/web/explorer.json")).json();
  const query = new URLSearchParams(location.search);
  const page = new Explorer(main, data);
  page.draw(SUBJECTS.includes(query.get("subject")) ? query.get("subject") : "first");
}

const costs = (share) => (share > 0 ? h("span", { class: "minus small" }, `−${percent(share, 2)}`) : null);

/** Add up the fields of a subject by two of its axes, those of other classes than the wanted ones left out. */
export function sums(subject, axes, { down, across, only }) {
  const sizes = subject.axes.map((axis) => axes[axis].length);
  const none = () => ({ number: 0, best: 0, gain: 0 });
  const cells = axes[down].map(() => axes[across].map(none));
  const all = none();
  subject.number.forEach((number, at) => {
    let rest = at;
    const place = {};
    for (let k = sizes.length - 1; k >= 0; k--) {
      place[subject.axes[k]] = rest % sizes[k];
      rest = Math.floor(rest / sizes[k]);
    }
    const free = (axis) => axis === down || axis === across;
    const wanted = subject.axes.every((axis) => free(axis) || only[axis] === undefined || only[axis] === place[axis]);
    if (!number || !wanted) return;
    for (const sum of [cells[place[down]][place[across]], all]) {
      sum.number += number;
      sum.best += subject.best?.[at] ?? 0;
      sum.gain += subject.gain[at];
    }
  });
  return { cells, all };
}
