// What the page asks the server.

import { report } from "./connection.js";
import { alarm } from "./dom.js";
import { nextForDice } from "./fair.js";
import { forgetGame, games, keepGame } from "./kept.js";
import { say } from "./words.js";

export { forgetGame, games, keepGame };

export class Refusal extends Error {
  /** By its code and facts, a part of the page may have better words for it. */
  constructor(status, message, { code = null, facts = {} } = {}) {
    super(message);
    Object.assign(this, { status, code, facts });
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
  } catch (error) {
    if (error.name !== "AbortError") report(false);
    throw new Refusal(0, say("error.offline"));
  }
  report(true);
  if (response.status === 204) return null;
  const found = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(response.status, refusalWords(response, found), found);
  return found;
}

function refusalWords(response, { code, facts, error }) {
  if (code) return say(`error.${code}`, facts);
  if (response.status === 404) return say("error.gone");
  console.warn(`${response.status}: ${error ?? response.statusText}`); // only a fault of the page's own gets here
  return say(response.status >= 500 ? "error.failed" : "error.refused");
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

/** Open a room (or a rematch): keep the seat, then add to the dice, whose promise we have seen by now. */
export async function openRoom(path, wish, token) {
  const found = await tryTo("POST", path, wish, token);
  if (!found) return null;
  if (!found.token) return found; // somebody was faster: the rematch is open already
  keepGame(found.room, { seat: found.seat, token: found.token });
  await fixDice(found.room, found.state);
  return found;
}

const sending = new Set(); // what is on its way: the next state may come before the answer

/** Send what the dice lack of us, again if it was lost on its way; the newest state, or null if there is none. */
export async function fixDice(room, state) {
  const next = nextForDice(room, state);
  const key = `${room} ${JSON.stringify(next)}`;
  if (!next || sending.has(key)) return null;
  sending.add(key);
  try {
    const found = await ask("POST", `/api/rooms/${room}/${next.what}`, next.content, games()[room].token);
    // Our commitment may have been the last.
    return next.what === "number" ? found : ((await fixDice(room, found)) ?? found);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.status !== 409) alarm(error.message); // 409: the table has gone on, and its next state says how
    return null;
  } finally {
    sending.delete(key);
  }
}
