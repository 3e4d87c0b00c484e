// The games of the page, and what each brings to a room. Pechvogel is always there; another comes when it is played.

import { pechvogel } from "./pechvogel.js";

const OTHERS = { "lucky-loser": "/web/lucky-loser/js/game.js" };

/** A game by its name, ready to be shown; rooms of before there were others name none. */
export async function gameOf(name) {
  if (!OTHERS[name]) return pechvogel;
  const { game } = await import(OTHERS[name]);
  await game.load();
  return game;
}
