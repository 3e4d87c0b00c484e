// What a trainer remembers in this browser: what was tried, days in a row, and a deck of mistakes that come again.
// Nothing here knows which game is played.

import { recall, remember } from "./words.js";

export const DAY = 86_400_000;
/** A card that was right waits so many days, longer every time (Leitner's boxes); after the last it is learned. */
export const WAITS = [1, 3, 7, 16, 35];
export const AGAIN = 600_000; // milliseconds after which one that was wrong comes back
const MOST_CARDS = 300;
const MOST_ROOMS = 500;
const MOST_DAYS = 400;
const MOST_TRIED = 5000; // from a file

const empty = () => ({ tried: {}, days: {}, cards: {}, rooms: [], run: 0, best: 0, learned: 0 });

export const kept = () => ({ ...empty(), ...recall("train", {}) });
const keep = (all) => remember("train", all);

/** The number of a day, as the calendar on the wall has it. */
export const dayOf = (date = new Date()) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY;

/** Which of so many things belongs to a day: each once, then they begin again. */
export const ofDay = (day, count) => day % count;

/** Days in a row, up to this one or the one before, on which the thing of the day was right. */
export function streak(days, today) {
  let day = days[today] === undefined ? today - 1 : today;
  let count = 0;
  while (days[day]) {
    count += 1;
    day -= 1;
  }
  return count;
}

/** Note an answer to something with a name; only the first one counts. `day` says that it was that day's. */
export function note(name, right, day = null) {
  const all = kept();
  if (day !== null && all.days[day] === undefined) all.days[day] = right;
  const days = Object.entries(all.days).sort(([a], [b]) => Number(b) - Number(a));
  all.days = Object.fromEntries(days.slice(0, MOST_DAYS));
  if (all.tried[name] === undefined) {
    all.tried[name] = right;
    all.run = right ? all.run + 1 : 0;
    all.best = Math.max(all.best, all.run);
  }
  keep(all);
}

/** How many of those with these names were tried, and right at once. */
export function score(names) {
  const { tried } = kept();
  const answers = names.map((name) => tried[name]).filter((right) => right !== undefined);
  return { tried: answers.length, right: answers.filter(Boolean).length };
}

// ------------------------------------------------------------------ cards

/** Put something into the deck, due at once; what is there stays as it is. */
export function add(name, facts, now = Date.now()) {
  const all = kept();
  if (all.cards[name] || Object.keys(all.cards).length >= MOST_CARDS) return;
  all.cards[name] = { ...facts, box: 0, due: now };
  keep(all);
}

/** Names of what is due, the longest waiting first. */
export function due(now = Date.now()) {
  return Object.entries(kept().cards)
    .filter(([, card]) => card.due <= now)
    .sort(([, a], [, b]) => a.due - b.due)
    .map(([name]) => name);
}

/** A card was answered: it waits longer than before, or begins anew. */
export function answered(name, right, now = Date.now()) {
  const all = kept();
  const card = all.cards[name];
  if (!card) return;
  card.box = right ? card.box + 1 : 0;
  card.due = now + (right ? WAITS[card.box - 1] * DAY : AGAIN);
  if (card.box > WAITS.length) {
    delete all.cards[name];
    all.learned += 1;
  }
  keep(all);
}

/** Forget everything; mistakes of these games stay forgotten, too. */
export function forget(rooms) {
  keep({ ...empty(), rooms });
}

/** What a file may bring: as it is kept, from something that may come from anywhere; null if it is none. */
function checked(found) {
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const answers = (value) => isObject(value) && Object.values(value).every((right) => typeof right === "boolean");
  const count = (value) => Number.isInteger(value) && value >= 0;
  const card = (value) =>
    isObject(value) && count(value.box) && value.box <= WAITS.length && Number.isFinite(value.due) && value.due >= 0;
  const right =
    isObject(found) &&
    [found.tried, found.days].every(answers) &&
    isObject(found.cards) &&
    Object.values(found.cards).every(card) &&
    Array.isArray(found.rooms) &&
    found.rooms.every((room) => typeof room === "string") &&
    [found.run, found.best, found.learned].every(count);
  return right ? Object.fromEntries(Object.keys(empty()).map((name) => [name, found[name]])) : null;
}

/** Take over what was exported; what this browser knows itself stays. Whether it could be understood. */
export function adopt(found) {
  const more = checked(found);
  if (!more) return false;
  const all = kept();
  const first = (things, most) => Object.fromEntries(Object.entries(things).slice(0, most));
  keep({
    tried: first({ ...more.tried, ...all.tried }, MOST_TRIED),
    days: first({ ...more.days, ...all.days }, MOST_DAYS),
    cards: first({ ...more.cards, ...all.cards }, MOST_CARDS),
    rooms: [...new Set([...more.rooms, ...all.rooms])].slice(-MOST_ROOMS),
    run: all.run,
    best: Math.max(more.best, all.best),
    learned: Math.max(more.learned, all.learned),
  });
  return true;
}

export function remove(name) {
  const all = kept();
  delete all.cards[name];
  keep(all);
}

// ------------------------------------------------------------------ where cards come from

export const isGathered = (room) => kept().rooms.includes(room);

export function gathered(room) {
  const all = kept();
  all.rooms = [...all.rooms, room].slice(-MOST_ROOMS);
  keep(all);
}
