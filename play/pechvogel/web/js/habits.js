// What somebody does not want to be asked. The page answers for them with what the server lists as legal; it decides nothing else.

import { PASS } from "./sentences.js";
import { recall } from "./words.js";

const FOUR = 4; // target dice bring the marker
const THREE = 3; // ravens end the turn

/** Their settings: when to be asked about frustrating, and whether lost throws are let go. */
export const habits = () => ({
  ask: recall("ask", "always"), // or "marker": only if the marker would be theirs
  ravens: recall("let_ravens", false) === true,
});

/** Why a question is answered with passing at once: "turn", "ravens" or "marker"; null if it is to be asked. */
export function passes(position, legal, letGo, { ask, ravens } = habits()) {
  if (!["frustrate", "join"].includes(position.phase) || !legal.includes(PASS)) return null;
  if (letGo === position.turn) return "turn";
  const short = position.targets < FOUR;
  if (ravens && short && position.ravens >= THREE) return "ravens";
  if (ask === "marker" && short) return "marker";
  return null;
}
