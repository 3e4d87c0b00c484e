// The games of this browser: by room, its seat and token, and what it has kept of the dice (`fair.js`).

import { unshelve } from "./shelf.js";
import { recall, remember } from "./words.js";

export const games = () => recall("games", {});

export function keepGame(room, facts) {
  const all = games();
  all[room] = { ...all[room], ...facts, at: Date.now() };
  const newest = Object.entries(all)
    .sort((a, b) => b[1].at - a[1].at)
    .slice(0, 50);
  remember("games", Object.fromEntries(newest));
}

/** What is shown of games in the list without a connection, by room: as the server said last. */
export const seenGames = () => recall("seen", {});
export const noteSeen = (all) =>
  remember("seen", Object.fromEntries(Object.entries(all).map(([room, state]) => [room, shownOf(state)])));
const shownOf = ({ seats, over, scores }) => ({ seats, over, scores });

export function forgetGame(room) {
  const all = games();
  delete all[room];
  remember("games", all);
  unshelve(room);
}
