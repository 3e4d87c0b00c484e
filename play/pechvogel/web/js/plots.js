// What a finished game looks like as lines and bars over its moments. Each plot is drawn once; then only its cursor moves.

import { h, range, svg } from "./dom.js";
import { percent } from "./words.js";

const LINES = ["var(--main)", "var(--warm)", "var(--m5)", "var(--m6)", "var(--m4)"];
const DASHES = ["", "7 4", "2 3", "10 3 2 3", "5 2"];
const WIDE = () => (window.innerWidth < 560 ? 360 : 640); // so that words can be read on a phone
const LEFT = 40;
const RIGHT = 8;
const BARS = { "?!": "var(--m3)", "?": "var(--warm)", "??": "var(--bad)" };

/** A line as a plot draws it for a seat. */
export function sample(seat) {
  const line = svg("line", { x1: 0, y1: 5, x2: 26, y2: 5, "stroke-width": 3, "stroke-dasharray": DASHES[seat] });
  line.style.stroke = LINES[seat];
  return svg("svg", { width: 26, height: 10, "aria-hidden": "true" }, line);
}

const painted = (element, what, colour) => {
  element.style[what] = colour;
  return element;
};

/**
 * A frame with a scale: `ticks` are the values that have a line, and `turns` the moments at which a numbered turn begins.
 * `pick(moment)` is called for the moment that is clicked, or over which a finger or the mouse is drawn.
 */
class Plot {
  constructor({ count, high, least, most, ticks, turns, label, pick, wide = WIDE() }) {
    this.wide = wide;
    Object.assign(this, { count, high, least, most });
    this.bottom = turns.length ? 16 : 4;
    const lines = ticks.flatMap((value) => [
      painted(this.line(LEFT, this.y(value), this.wide - RIGHT, this.y(value)), "stroke", "var(--line)"),
      this.text(LEFT - 4, this.y(value) + 4, percent(value, 0), "end"),
    ]);
    const numbers = turns.map(([moment, number]) => this.text(this.x(moment), high - 3, number, "middle"));
    this.cursor = painted(this.line(0, 2, 0, high - this.bottom + 2), "stroke", "var(--focus)");
    this.cursor.setAttribute("stroke-width", 2);
    this.content = svg("g");
    this.element = svg(
      "svg",
      { viewBox: `0 0 ${this.wide} ${high}`, class: "plot", role: "img", "aria-label": label },
      [lines, numbers, this.content, this.cursor].flat(),
    );
    let drawn = false;
    const under = (event) => {
      const box = this.element.getBoundingClientRect();
      const along = ((event.clientX - box.left) * this.wide) / box.width - LEFT;
      const moment = Math.round((along * Math.max(1, count - 1)) / (this.wide - LEFT - RIGHT));
      pick(Math.min(count - 1, Math.max(0, moment)));
    };
    this.element.addEventListener("pointerdown", (event) => {
      drawn = true;
      this.element.setPointerCapture?.(event.pointerId);
      under(event);
    });
    this.element.addEventListener("pointermove", (event) => drawn && under(event));
    for (const end of ["pointerup", "pointercancel"]) this.element.addEventListener(end, () => (drawn = false));
  }

  x(moment) {
    return LEFT + ((this.wide - LEFT - RIGHT) * moment) / Math.max(1, this.count - 1);
  }

  y(value) {
    return 6 + ((this.high - this.bottom - 8) * (this.most - value)) / (this.most - this.least);
  }

  line(x1, y1, x2, y2) {
    return svg("line", { x1, y1, x2, y2, "stroke-width": 1 });
  }

  text(x, y, words, anchor) {
    return painted(svg("text", { x, y, "font-size": 11, "text-anchor": anchor }, words), "fill", "var(--soft)");
  }

  /** Lines of a row per moment, with a value for each seat. */
  lines(rows, mine) {
    this.content.replaceChildren(
      ...rows[0].map((_, seat) => {
        const points = rows.map((row, moment) => `${this.x(moment).toFixed(1)},${this.y(row[seat]).toFixed(1)}`);
        const width = seat === mine ? 3 : 2;
        const line = {
          points: points.join(" "),
          fill: "none",
          "stroke-width": width,
          "stroke-dasharray": DASHES[seat],
        };
        return painted(svg("polyline", line), "stroke", LINES[seat]);
      }),
    );
  }

  /** Bars: moment, value, mark. */
  bars(rows) {
    const width = Math.max(3, Math.min(9, (this.wide - LEFT - RIGHT) / this.count));
    this.content.replaceChildren(
      ...rows.flatMap(([moment, value, mark]) => {
        const top = this.y(Math.min(value, this.most));
        const place = { x: this.x(moment) - width / 2, y: top, width, height: Math.max(1, this.y(0) - top) };
        const bar = painted(svg("rect", place), "fill", BARS[mark] ?? "var(--soft)");
        if (!mark) return [bar];
        return [bar, painted(this.text(this.x(moment), Math.max(11, top - 2), mark, "middle"), "fill", BARS[mark])];
      }),
    );
  }

  show(moment) {
    for (const end of ["x1", "x2"]) this.cursor.setAttribute(end, this.x(moment));
  }
}

/** The first moments of numbered turns: every tenth, in long games every twentieth, on phones half as many. */
function numbered(moments) {
  const turns = moments.at(-1).position.turn - moments[0].position.turn;
  const every = (turns > 60 ? 20 : 10) * (window.innerWidth < 560 && turns > 30 ? 2 : 1);
  const first = new Map();
  moments.forEach(({ position }, k) => first.has(position.turn) || first.set(position.turn, k));
  return [...first].filter(([turn]) => turn > 0 && (turn + 1) % every === 0).map(([turn, k]) => [k, String(turn + 1)]);
}

/** Round numbers around what is drawn, a few of them. */
function ticksUpTo(least, most) {
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2].find((size) => (most - least) / size <= 4) ?? 5;
  const first = Math.floor(least / step);
  return range(Math.max(2, Math.ceil(most / step) - first + 1)).map((k) => (first + k) * step);
}

/** Everybody's chances; `small` is one that stands beside the buttons, without words. */
export function chancesPlot(moments, mine, label, pick, small = false) {
  const ticks = small ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1];
  const turns = small ? [] : numbered(moments);
  const size = small ? { wide: 860, high: 84 } : { high: 150 };
  const plot = new Plot({ count: moments.length, ...size, least: 0, most: 1, ticks, turns, label, pick });
  plot.lines(
    moments.map(({ shares }) => shares),
    mine,
  );
  return plot;
}

export function luckPlot(moments, mine, label, pick) {
  const all = moments.flatMap(({ luck }) => luck);
  const ticks = ticksUpTo(Math.min(...all), Math.max(...all));
  const [least, most] = [ticks[0], ticks.at(-1)];
  const plot = new Plot({
    count: moments.length,
    high: 110,
    least,
    most,
    ticks,
    turns: numbered(moments),
    label,
    pick,
  });
  plot.lines(
    moments.map(({ luck }) => luck),
    mine,
  );
  return plot;
}

/** What each decision of a seat cost; the scale is the same for all seats. */
export function errorsPlot(moments, who, marks, label, pick) {
  const rows = moments.map(({ decision }, k) => [k, decision]).filter(([, decision]) => decision);
  const ticks = ticksUpTo(0, Math.max(marks["??"], ...rows.map(([, decision]) => decision.costs)));
  const facts = { count: moments.length, high: 80, least: 0, most: ticks.at(-1), ticks, turns: [], label, pick };
  const plot = new Plot(facts);
  plot.bars(rows.filter(([, row]) => row.seat === who).map(([k, row]) => [k, row.costs, row.mark]));
  return plot;
}

/** A plot with its title. */
export const titled = (title, plot, ...more) =>
  h("figure", { class: "titled" }, h("figcaption", {}, title, more), plot.element);
