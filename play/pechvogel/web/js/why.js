// Why one action is better than another, in one line, and how the turn can end after an action. The terminal says the
// same (play/pechvogel/words.py).

import { h } from "./dom.js";
import { seatName } from "./draw.js";
import { actionWords, FRUSTRATE } from "./sentences.js";
import { language, percent, say } from "./words.js";

const number = (value, digits) =>
  new Intl.NumberFormat(language(), { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
const points = (value) =>
  new Intl.NumberFormat(language(), { maximumFractionDigits: 1, signDisplay: "exceptZero" }).format(value);

/** Two numbers, with as many digits as it takes to tell them apart. */
function apart([a, b], write, fewest) {
  const digits = [0, 1, 2].find((count) => count >= fewest && write(a, count) !== write(b, count)) ?? 3;
  return [write(a, digits), write(b, digits)];
}

/** The deciding reason for the best action, against that of `row` (or, if that is the best, against the second). */
export function reasonLine(row, _advice, position, seats, mine) {
  const { reason } = row;
  if (!reason) return "";
  const { chances, counts, values, shares } = reason;
  const [a, b] = chances
    ? apart(chances, percent, 0)
    : counts
      ? apart(counts, number, counts.every(Number.isInteger) ? 0 : 1)
      : (values ?? (shares ? apart(shares, percent, 1) : []));
  const [share, mean] = chances ? apart([reason.share, reason.mean], percent, 1) : [];
  const words = (action) => actionWords(action, position, seats, mine);
  const { key, name } = wording(reason, position, seats, mine);
  const end = reason.end && say(`case.${reason.end}`);
  const [best, other] = [words(reason.action), words(reason.other)];
  return say(`reason.${key}`, { ...reason, best, other, end, a, b, share, mean, name });
}

/** Some sentences speak of whoever decides, some of somebody else; both can be whoever reads it. */
function wording({ kind, seat, from }, position, seats, mine) {
  const { to_act, active } = position;
  const named = (who, key) => ({ key, name: seatName(seats, who, mine) });
  if (/^(over|mine)_/.test(kind)) return named(to_act, to_act === mine ? kind : `${kind}_of`);
  if (/^(likelier|rarer)/.test(kind)) {
    if (to_act === active) return { key: kind };
    return named(active, active === mine ? `${kind}_theirs_you` : `${kind}_theirs`);
  }
  const other = kind === "steal_more" ? undefined : (seat ?? from);
  const key = kind === "steal" && position.phase === "take" ? "steal_now" : kind; // no longer a mere chance
  return other === undefined ? { key } : named(other, other === mine ? `${key}_you` : key);
}

/** The exclusive ends of the turn after an action, each with its chance, points and win share. */
export function casesTable(row, position, seats, mine) {
  const { to_act, active } = position;
  const other = to_act !== active; // somebody who decides about the turn of another gains and loses by it, too
  const heading = (words) => h("th", { scope: "col", class: "number" }, words);
  const frustrated = row.cases.reduce((sum, found) => sum + found.chance * found.frustrated, 0);
  const already = row.action === FRUSTRATE || position.frustraters.length > 0;
  return h(
    "div",
    { class: "cases" },
    h(
      "table",
      { class: "small" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, say("case.end")),
          heading(say("case.chance")),
          other && heading(say("case.points_of", { name: seatName(seats, active, mine) })),
          heading(other ? say("case.points_of", { name: seatName(seats, to_act, mine) }) : say("case.points")),
          heading(say("case.share")),
        ),
      ),
      h(
        "tbody",
        {},
        row.cases.map((found) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, say(`case.${found.end}`)),
            h("td", { class: "number" }, percent(found.chance, 1)),
            other && h("td", { class: "number" }, points(found.active_points)),
            h("td", { class: "number" }, points(found.points)),
            h("td", { class: "number" }, percent(found.win_share, 1)),
          ),
        ),
      ),
    ),
    !already &&
      frustrated > 0.0005 &&
      h("p", { class: "small soft" }, say("case.frustrated", { chance: percent(frustrated, 0) })),
  );
}
