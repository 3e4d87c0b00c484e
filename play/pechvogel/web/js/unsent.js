// Decisions that could not be sent. They are kept in this browser, and each is sent when the server can be reached: for
// the moment for which it was made, or not at all. The server counts it once, however often it is sent.

import { ask, games, Refusal } from "./api.js";
import { recall, remember } from "./words.js";

const LATER = [0, 429, 503]; // nobody there, or too busy: there will be another time

/** By room: an action, and the moment for which it was chosen (`played`, and how many events had been seen). */
export const unsent = () => recall("unsent", {});

/** Whether it could be kept. */
export function keepUnsent(room, decision) {
  note({ ...unsent(), [room]: decision });
  return unsent()[room]?.played === decision.played;
}

export function drop(room) {
  const all = unsent();
  delete all[room];
  note(all);
}

function note(all) {
  remember("unsent", all);
  window.dispatchEvent(new window.Event("unsent")); // how many wait is shown
}

let sending = null;

/** Send all of them: which were sent, and which came too late, by the refusal. */
export function sendAll() {
  sending ??= send().finally(() => (sending = null));
  return sending;
}

async function send() {
  const done = { sent: [], refused: [] };
  for (const [room, { action, played, after }] of Object.entries(unsent())) {
    const token = games()[room]?.token;
    try {
      if (token) {
        await ask("POST", `/api/rooms/${room}/act`, { action, played, after }, token);
        done.sent.push(room);
      }
      drop(room);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (LATER.includes(error.status)) continue;
      drop(room);
      done.refused.push({ room, why: error.message });
    }
  }
  return done;
}
