// What this browser remembers of finished games, how strong that says somebody is; and, for those who want it, a private
// link under which the server remembers the same games. Nothing here knows which game is played.

import { ask, games, Refusal } from "./api.js";
import * as deck from "./deck.js";
import { ratedGames } from "./kept.js";
import { clearShelf } from "./shelf.js";
import { recall, remember } from "./words.js";

export const MOST = 2000; // games; then the oldest go
export const FORMAT = "pechvogel-memory-1";
const PIECE = 30; // games that are sent at once
const RATED = 300; // games that a rating is made from
const LARGEST = 5_000_000; // characters of a file

// ------------------------------------------------------------------------------------------------ games

const within = (low, high) => (value) => typeof value === "number" && value >= low && value <= high;
const whole = (low, high) => (value) => Number.isInteger(value) && value >= low && value <= high;
const like = (pattern) => (value) => typeof value === "string" && pattern.test(value);
const kind = like(/^[a-z][a-z_]{0,23}$/);
const FIELDS = {
  room: like(/^[A-Za-z0-9_-]{8,32}$/),
  at: whole(0, 2 ** 33 - 1),
  game: kind,
  players: whole(2, 10),
  opponents: (value) =>
    Array.isArray(value) && value.length > 0 && value.length < 10 && value.every(like(/^[a-z][a-z0-9_:=.]{0,39}$/)),
  result: within(0, 1),
  score: whole(-10_000, 10_000),
  decisions: whole(0, 5000),
  cost: within(0, 1000),
  luck: within(-1000, 1000),
  errors: (value) =>
    value !== null &&
    typeof value === "object" &&
    Object.keys(value).length <= 16 &&
    Object.entries(value).every(([name, cost]) => kind(name) && within(0, 1000)(cost)),
  judge: kind,
  counts: (value) => typeof value === "boolean",
};

/** A game as it is kept, from one that may come from anywhere; null if it is none. */
export function checked(found) {
  if (found === null || typeof found !== "object") return null;
  if (!Object.entries(FIELDS).every(([name, right]) => Object.hasOwn(found, name) && right(found[name]))) return null;
  return Object.fromEntries(Object.keys(FIELDS).map((name) => [name, found[name]]));
}

/** All games, the oldest first. */
export function remembered() {
  const kept = recall("memory", {});
  return (Array.isArray(kept.games) ? kept.games : []).map(checked).filter(Boolean);
}

/** Keep these games as well; how many were new. */
export function keep(more) {
  const all = new Map(remembered().map((game) => [game.room, game]));
  const before = all.size;
  for (const game of more) all.set(game.room, game);
  const sorted = [...all.values()].sort((a, b) => a.at - b.at);
  remember("memory", { ...recall("memory", {}), games: sorted.slice(-MOST) });
  return all.size - before;
}

/** Forget everything in this browser; games that are over stay forgotten. */
export function clear() {
  remember("memory", { games: [], forgotten: Object.keys(games()) });
  remember("rating", null);
  remember("memory.link", null);
  deck.forget(Object.keys(games()));
  clearShelf();
}

/** Remember a game of this browser that has just ended, or has ended while nobody looked. */
export async function collect(room) {
  const mine = games()[room];
  const known = [...remembered().map((game) => game.room), ...(recall("memory", {}).forgotten ?? [])];
  if (!mine?.token || known.includes(room)) return;
  const seats = await tried(() => ask("GET", `/api/rooms/${room}/summary`));
  const game = seats && checked({ ...seats[mine.seat], room, at: Math.floor(mine.at / 1000) });
  if (!game) return;
  keep([game]);
  await Promise.all([rate(), send([game])]);
}

/** The same for all games of this browser that are over. */
export async function collectAll() {
  const known = new Set(remembered().map((game) => game.room));
  for (const room of Object.keys(ratedGames()).filter((name) => !known.has(name))) {
    if ((await tried(() => ask("GET", `/api/rooms/${room}`)))?.over) await collect(room);
  }
}

/** What the server answers; null if it does not want to, or is not there: there will be another time. */
async function tried(request) {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return null;
  }
}

// ------------------------------------------------------------------------------------------------ files

export function exported() {
  return JSON.stringify({ format: FORMAT, games: remembered(), train: deck.kept() }, null, 1);
}

/** Games from a file; how many were new, and how many were none. null: it is no such file. */
export function imported(text) {
  if (text.length > LARGEST) return null;
  let found;
  try {
    found = JSON.parse(text);
  } catch {
    return null;
  }
  if (found?.format !== FORMAT || !Array.isArray(found.games)) return null;
  const right = found.games.map(checked).filter(Boolean);
  deck.adopt(found.train); // older files have none
  return { added: keep(right), refused: found.games.length - right.length };
}

// ------------------------------------------------------------------------------------------------ the rating

/** What the server made of our games the last time; null before the first. */
export const rating = () => recall("rating", null);

/** The opponent of our strength; before the first game, one whom beginners can beat. */
export const evenOpponent = () => rating()?.opponent ?? "champion:level=3";

/** Ask how strong we are by now; the last answer stays if nobody is there. */
export async function rate() {
  const counted = remembered().filter((game) => game.counts);
  const rows = counted
    .slice(-RATED)
    .map(({ opponents, result, decisions, cost, judge }) => [opponents[0], result, decisions, cost, judge]);
  const found = rows.length && (await tried(() => ask("POST", "/api/rating", { games: rows })));
  if (found || !rows.length) remember("rating", found || null);
  return rating();
}

// ------------------------------------------------------------------------------------------------ the private link

/** The secret part of our link; null without one. It stands behind a #, so that no address that is sent contains it. */
export const link = () => recall("memory.link", null);

export const linkTo = (token) => `${location.origin}/me#${token}`;

export const secretOf = (hash) => /^#([A-Za-z0-9_-]{16,64})$/.exec(hash)?.[1] ?? null;

/** Make a link, and put all games there. */
export async function makeLink() {
  const made = await ask("POST", "/api/memory");
  remember("memory.link", made.token);
  await send(remembered());
  return made;
}

/** All games under a link. */
export async function under(token) {
  const found = [];
  let after = "";
  let answer;
  do {
    answer = await ask("GET", `/api/memory?after=${encodeURIComponent(after)}`, undefined, token);
    found.push(...answer.games.map(checked).filter(Boolean));
    after = answer.next;
  } while (after !== null && found.length < 2 * MOST);
  return found;
}

/** From now on this browser and that link remember the same games. */
export async function adopt(token) {
  remember("memory.link", token);
  await sync();
}

/** Bring both sides up to date. A link that is gone is forgotten, not what we remember: false then. */
export async function sync() {
  if (!link()) return true;
  try {
    const there = await under(link());
    const known = new Set(there.map((game) => game.room));
    keep(there);
    await send(remembered().filter((game) => !known.has(game.room)));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status !== 404) return true; // another time
    remember("memory.link", null);
    return false;
  }
  return true;
}

/** Put games there, if there is a link; what fails is put there when the page about oneself is opened. */
async function send(rows) {
  for (let at = 0; link() && at < rows.length; at += PIECE) {
    const body = { games: rows.slice(at, at + PIECE) };
    if (!(await tried(() => ask("POST", "/api/memory/games", body, link())))) return;
  }
}

/** Delete what the server remembers; and here too, if that is wanted. */
export async function forget(everywhere) {
  if (link()) {
    try {
      await ask("DELETE", "/api/memory", undefined, link());
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 404) throw error;
    }
    remember("memory.link", null);
  }
  if (everywhere) clear();
}

// ------------------------------------------------------------------------------------------------ what they say

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** Results by opponent, the most frequent first; tables of several are named by all of them. */
export function byOpponent(all) {
  const groups = new Map();
  for (const game of all) {
    const name = [...game.opponents].sort().join(" ");
    groups.set(name, [...(groups.get(name) ?? []), game]);
  }
  return [...groups.values()]
    .map((group) => ({
      opponents: group[0].opponents,
      games: group.length,
      won: sum(group.map((game) => game.result)),
      cost: sum(group.map((game) => game.cost)) / group.length,
    }))
    .sort((a, b) => b.games - a.games);
}

/** What errors of each kind cost per game, the dearest first. */
export function byKind(all) {
  const kinds = new Map();
  for (const game of all) {
    for (const [name, cost] of Object.entries(game.errors)) kinds.set(name, (kinds.get(name) ?? 0) + cost);
  }
  return [...kinds].map(([name, cost]) => ({ kind: name, cost: cost / all.length })).sort((a, b) => b.cost - a.cost);
}

/** What a decision cost on average, game by game, and the mean of the last few. */
export function errorRates(all, last = 10) {
  const played = all.filter((game) => game.decisions);
  return played.map((game, k) => {
    const recent = played.slice(Math.max(0, k - last + 1), k + 1);
    const mean = sum(recent.map((one) => one.cost)) / sum(recent.map((one) => one.decisions));
    return { rate: game.cost / game.decisions, mean };
  });
}

export const totalLuck = (all) => sum(all.map((game) => game.luck));
