// Somebody visits a room, and the server tells what happens there: what tests of a game's page share.

import { mock } from "node:test";
import { main, sent, serve, settle, state, Stream } from "./browser.js";
import { keepGame } from "../../play/pechvogel/web/js/api.js";
import { GamePage } from "../../play/pechvogel/web/js/game.js";

export let page = null;
export const went = []; // where the page has gone

const PLAYER = { seat: 0, token: "t", visited: true, promise: "a1b2", number: "77" };

/** By default the first player, for the second time; nobody in particular if `kept` is null. */
export async function visit(server = {}, kept = PLAYER) {
  serve({
    "GET /api/agents": { agents: ["champion"], only: {}, away_seconds: 60 },
    "GET /api/rooms/r1": state(server),
  });
  if (kept) keepGame("r1", kept);
  page = new GamePage("r1", main(), (path) => went.push(path));
  await page.start();
  return page;
}

/** What the server would tell of a game's beginning. */
export function begin(now = state()) {
  Stream.last.tell({ number: 0, kind: "begin" });
  if (now.begun) {
    Stream.last.tell({ number: 1, kind: "throw", seat: 0, faces: now.position.last_throw, position: now.position });
  }
  Stream.last.send("state", now);
}

/** A visit to a game that has begun. */
export async function begun(server = {}, kept = undefined) {
  await visit(server, kept);
  begin(state(server));
  await settle();
}

/** After every test. */
export function leave() {
  page?.stop();
  page = null;
  went.length = 0;
  mock.timers.reset();
}

export const posted = () => sent.filter(({ method }) => method !== "GET").map(({ path, content }) => [path, content]);
