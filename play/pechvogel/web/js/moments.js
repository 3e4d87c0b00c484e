// The moments of a finished game at which an analysis stops: its beginning, every throw, every decision, and its end.

import { positionOf } from "./line.js";

/**
 * From a review: for each moment its step (null: the beginning), what happened up to the next one, the position that
 * shows it (after a throw, but before a decision, as that is what it was about) and everybody's chances afterwards.
 */
export function momentsOf(found) {
  const { start, steps, shares, decisions } = found;
  const chosen = new Map(decisions.map((row) => [row.step, row]));
  const stops = [...steps.keys()].filter((step) => steps[step].kind === "throw" || chosen.has(step));
  const ends = [...stops.slice(1), steps.length];
  const scoresBefore = (step) => (step > 0 ? steps[step - 1] : start).scores;
  const luck = shares[0].map(() => 0); // of the throws so far
  const along = stops.map((step, k) => {
    const decision = chosen.get(step) ?? null;
    const drift = summed(steps.slice(step, ends[k]).map((one) => one.drift));
    const own = shares[step + 1].map((share, seat) => share - shares[step][seat] - (steps[step].drift?.[seat] ?? 0));
    if (!decision) own.forEach((share, seat) => (luck[seat] += share));
    return {
      step,
      decision,
      events: steps.slice(step, ends[k]),
      position: positionOf(decision ? decision.position : steps[step].position),
      scores: decision ? scoresBefore(step) : steps[step].scores,
      seat: steps[step].seat,
      shares: shares[ends[k]],
      before: shares[step],
      own, // what this throw, or this decision, has moved
      drift,
      luck: [...luck],
    };
  });
  const edge = (step, position, scores, share) => ({
    step,
    decision: null,
    events: [],
    position: positionOf(position),
    scores,
    seat: null,
    shares: share,
    before: share,
    own: null,
    drift: null,
    luck: step === null ? share.map(() => 0) : [...luck],
  });
  const last = steps.at(-1) ?? start;
  return [
    edge(null, start.position, start.scores, shares[0]),
    ...along,
    edge(steps.length, last.position, last.scores, shares.at(-1)),
  ];
}

/** Rows of numbers, some of them missing, added up; null if all are. */
function summed(rows) {
  const given = rows.filter(Boolean);
  return given.length ? given[0].map((_, k) => given.reduce((sum, row) => sum + row[k], 0)) : null;
}

/** The moment that an address means by its step: the last that is not later. */
export function momentAt(moments, step) {
  const later = moments.findIndex((moment) => (moment.step ?? -1) > step);
  return later < 0 ? moments.length - 1 : Math.max(0, later - 1);
}
