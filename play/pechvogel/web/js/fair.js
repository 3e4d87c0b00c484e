// Dice that nobody can have chosen: what this browser keeps of a game's promises and commitments, what it sends for the
// dice, and whether the game's file agrees with that at the end. The server's `fair.py` says how it works.

import { games, keepGame } from "./kept.js";

/** A number of this browser's, mixed into the dice. */
export function browserNumber() {
  return hex(crypto.getRandomValues(new Uint8Array(16)));
}

const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** What holds us to a number. */
export const commitment = (promise, seat, number) =>
  sha256(new TextEncoder().encode(`pechvogel-number-1/${promise}/${seat}/${number}`));

// ------------------------------------------------------------------ before the first throw

/** What this browser has kept of a round: the promise it saw first, its number, everybody's commitments. */
function keptRound(game, round) {
  const before = game.promise && { promise: game.promise, number: game.number }; // as it was kept by older pages
  return game.dice?.[round] ?? (round === 0 && before ? before : null);
}

function keepRound(room, round, facts) {
  const game = games()[room];
  keepGame(room, { dice: { ...game.dice, [round]: { ...keptRound(game, round), ...facts } } });
}

/** Keep the promise that is shown, and whether the dice decide who begins, before anything is sent for the dice. */
export function keepPromise(room, { promise, round = 0, drawn }) {
  if (!promise || keptRound(games()[room], round)) return;
  keepRound(room, round, { promise });
  keepGame(room, { drawn });
}

/** This browser's number for the dice of a round, if it has chosen one. */
export function numberOf(room, { round = 0 }) {
  const game = games()[room];
  return game && keptRound(game, round)?.number;
}

/** Whether a state contradicts what this browser has kept: another promise, or other commitments. */
export function broken(room, { promise, round = 0, drawn, commitments = null, missing_numbers = [] }) {
  const game = games()[room];
  const kept = game && keptRound(game, round);
  if (!kept) return false;
  if (promise !== kept.promise || (game.drawn !== undefined && drawn !== game.drawn)) return true;
  if (kept.commitments && !same(kept.commitments, commitments)) return true;
  return Boolean(commitments) && missing_numbers.includes(game.seat) && !isThere(commitments, kept, game.seat);
}

const same = (some, others) => JSON.stringify(some) === JSON.stringify(others);

/** Whether our commitment is among all; only where nobody has committed, as there is one person, none is needed. */
function isThere(commitments, { promise, number }, seat) {
  const mine = commitments[seat];
  return mine === null ? commitments.every((one) => one === null) : mine === commitment(promise, seat, number);
}

/**
 * What the dice lack of us, as a request: first what holds us to our number, then the number itself, when everybody is
 * held to theirs; null if there is nothing to send. What others could deny later is kept before.
 */
export function nextForDice(room, state) {
  const game = games()[room];
  if (!game?.token || state.begun || !state.promise) return null;
  keepPromise(room, state);
  if (broken(room, state)) return null;
  const { promise, round = 0, commitments = null } = state;
  const number = numberOf(room, state) ?? browserNumber();
  if (state.missing_commitments?.includes(game.seat)) {
    keepRound(room, round, { number });
    return { what: "commitment", content: { commitment: commitment(promise, game.seat, number) } };
  }
  if (!state.missing_numbers?.includes(game.seat)) return null;
  keepRound(room, round, { number, commitments });
  return { what: "number", content: { number } };
}

// ------------------------------------------------------------------ when the game is over

/** Whether a game's file has what this browser saw and gave; null if it gave nothing. */
export function agrees(game, { proof }, { takenBack, round = 0 }) {
  const { abandoned = [], commitments = null, numbers } = proof;
  const kept = keptRound(game, abandoned.length);
  if (!kept?.number) return null;
  const rounds = [...abandoned, { ...proof, commitments }];
  return (
    abandoned.length === round &&
    (game.drawn === undefined || proof.drawn === game.drawn) &&
    proof.taken_back === takenBack &&
    numbers[game.seat] === kept.number &&
    rounds.every((one, number) => holds(keptRound(game, number), one, game.seat) && committed(one))
  );
}

function holds(kept, { promise, secret, commitments, numbers }, seat) {
  if (!kept) return true; // we were not there
  if (promise !== kept.promise || sha256(bytesOf(secret)) !== promise) return false;
  if (kept.commitments === undefined) return true; // kept by an older page
  return same(kept.commitments, commitments) && numbers[seat] === kept.number;
}

/** Every number is the one that was committed to; one without a commitment must be the only one. */
function committed({ promise, commitments, numbers }) {
  if (!commitments) return true; // a game that was opened before there were any
  const given = numbers.filter((number) => number !== null).length;
  return numbers.every((number, seat) => {
    if (number === null) return true;
    return commitments[seat] === null ? given === 1 : commitments[seat] === commitment(promise, seat, number);
  });
}

const bytesOf = (text) => Uint8Array.from(String(text).match(/../g) ?? [], (pair) => parseInt(pair, 16));

// ------------------------------------------------------------------ SHA-256

// The browser's own is missing on pages without TLS. The constants are the fractional parts of roots of primes.
const PRIMES = Array.from({ length: 312 }, (_, k) => k).filter(
  (k) => k > 1 && !Array.from({ length: k }, (_, d) => d).some((d) => d > 1 && d * d <= k && k % d === 0),
);
const fraction = (root) => ((root - Math.floor(root)) * 2 ** 32) | 0;
const K = PRIMES.slice(0, 64).map((prime) => fraction(Math.cbrt(prime)));
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const turn = (x, by) => (x >>> by) | (x << (32 - by));

/** Of bytes, in hexadecimal digits. */
export function sha256(bytes) {
  const padded = new Uint8Array(64 * Math.ceil((bytes.length + 9) / 64));
  padded.set(bytes);
  padded[bytes.length] = 128;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, 8 * bytes.length);
  const state = [...START];
  for (let at = 0; at < padded.length; at += 64) {
    const w = Array.from({ length: 16 }, (_, k) => view.getInt32(at + 4 * k));
    for (let k = 16; k < 64; k++) {
      const [a, b] = [w[k - 15], w[k - 2]];
      const low = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3);
      const high = turn(b, 17) ^ turn(b, 19) ^ (b >>> 10);
      w[k] = (w[k - 16] + low + w[k - 7] + high) | 0;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let k = 0; k < 64; k++) {
      const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[k] + w[k];
      const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((value, k) => (state[k] = (state[k] + value) | 0));
  }
  return state.map((value) => (value >>> 0).toString(16).padStart(8, "0")).join("");
}
