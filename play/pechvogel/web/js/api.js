// What the page asks the server.

import { alarm } from "./dom.js";
import { recall, remember, say } from "./words.js";

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function ask(method, path, body, token, signal) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = `Bearer ${token}`;
  let response;
  try {
    response = await fetch(path, {
      method,
      headers,
      signal,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Refusal(0, say("error.offline"));
  }
  if (response.status === 204) return null;
  const found = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(response.status, refusalWords(response, found));
  return found;
}

function refusalWords(response, { code, error }) {
  if (code) return say(`error.${code}`);
  if (response.status === 404) return say("error.gone");
  return error ?? response.statusText;
}

/** The same, with a sentence for the user if it fails; null then. */
export async function tryTo(...request) {
  try {
    return await ask(...request);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    alarm(error.message);
    return null;
  }
}

/** Open a room (or a rematch): keep the seat, then mix our number into the dice, whose promise we have seen by now. */
export async function openRoom(path, wish, token) {
  const found = await tryTo("POST", path, wish, token);
  if (!found) return null;
  if (!found.token) return found; // somebody was faster: the rematch is open already
  keepGame(found.room, { seat: found.seat, token: found.token, promise: found.state.promise });
  await sendNumber(found.room, found.state);
  return found;
}

/** Mix our number into the dice, whose promise we have seen; sent again if it was lost on its way. */
export async function sendNumber(room, state) {
  const game = games()[room];
  if (!game?.token || !state.missing_numbers.includes(game.seat)) return;
  const number = game.number ?? browserNumber();
  keepGame(room, { number });
  await tryTo("POST", `/api/rooms/${room}/number`, { number }, game.token);
}

/** A number of this browser's, mixed into the dice. */
export function browserNumber() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The games of this browser: by room, its seat and token, the promise of the dice that it saw and the number it gave.
export const games = () => recall("games", {});

export function keepGame(room, facts) {
  const all = games();
  all[room] = { ...all[room], ...facts, at: Date.now() };
  const newest = Object.entries(all)
    .sort((a, b) => b[1].at - a[1].at)
    .slice(0, 50);
  remember("games", Object.fromEntries(newest));
}

export function forgetGame(room) {
  const all = games();
  delete all[room];
  remember("games", all);
}
