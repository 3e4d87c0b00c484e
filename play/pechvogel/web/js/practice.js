// A game of one's own from any position, without a word from the coach.

import { openRoom, tryTo } from "./api.js";

/**
 * `seats` says who sits where: "me", or an agent; `position` where it begins. With an `action`, that is played at once.
 */
export async function practise(go, { seats, position, copies, italian_reading }, action = null) {
  const places = seats.map((agent) => (agent === "me" ? { kind: "me" } : { kind: "agent", agent }));
  const wish = { seats: places, position, coach: false, take_back: true, copies, italian_reading };
  const found = await openRoom("/api/rooms", wish);
  if (!found) return;
  if (action !== null) await tryTo("POST", `/api/rooms/${found.room}/act`, { action, played: 0 }, found.token);
  go(`/game/${found.room}`);
}
