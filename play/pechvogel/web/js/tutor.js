// The tutor: silent until a choice would cost more than a threshold, which everybody sets for themselves.

import { recall } from "./words.js";

// How the coach speaks up: a threshold in points of win share, or always.
export const STYLES = ["1", "2", "5", "all"];

export function coachStyle() {
  const style = recall("coach", "2");
  return STYLES.includes(style) ? style : "2";
}

/** What a choice costs, as the coach sees it, if that is worth a question; else null. */
export function doubtful(advice, action, style = coachStyle()) {
  if (style === "all" || !advice?.actions) return null;
  const row = advice.actions.find((one) => one.action === action);
  return row && row.costs * 100 > Number(style) ? row : null;
}
