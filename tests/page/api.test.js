// What the page asks the server, and which games it keeps.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { find, offline, open, refuse, sent, serve } from "./browser.js";
import * as api from "../../play/pechvogel/web/js/api.js";

beforeEach(() => open());

test("a request has a token and a body, if there are any", async () => {
  serve({ "POST /api/x": (content) => ({ got: content }), "GET /api/x": { a: 1 } });
  assert.deepEqual(await api.ask("POST", "/api/x", { b: 2 }, "secret"), { got: { b: 2 } });
  assert.deepEqual(await api.ask("GET", "/api/x"), { a: 1 });
  assert.deepEqual(
    sent.map(({ headers }) => headers),
    [{ "Content-Type": "application/json", Authorization: "Bearer secret" }, {}],
  );
});

test("an answer without content is null", async () => {
  serve({ "DELETE /api/x": () => new Response(null, { status: 204 }) });
  assert.equal(await api.ask("DELETE", "/api/x"), null);
});

test("a refusal has a sentence in the language of the page", async () => {
  const refused = async (answer) => {
    serve({ "GET /api/x": answer });
    const error = await api.ask("GET", "/api/x").catch((found) => found);
    assert.ok(error instanceof api.Refusal);
    return [error.status, error.message];
  };
  assert.deepEqual(await refused(refuse(409, { code: "gone_on", error: "no" })), [
    409,
    "The game has gone on in the meantime.",
  ]);
  assert.deepEqual(await refused(refuse(404, {})), [404, "This game does not exist any more."]);
  const noted = mock.method(console, "warn", () => {});
  assert.deepEqual(await refused(refuse(422, { error: "a name must be text" })), [
    422,
    "The server can't accept that.",
  ]);
  const plain = () => new Response("<html>", { status: 502, statusText: "Bad Gateway" });
  const [status, sentence] = await refused(plain);
  assert.deepEqual([status, sentence.slice(0, 38)], [502, "Something went wrong on the server; th"]);
  const sentences = noted.mock.calls.map((call) => call.arguments[0]);
  assert.deepEqual(sentences, ["422: a name must be text", "502: Bad Gateway"], "for whoever looks into it");
  noted.mock.restore();
  assert.deepEqual(await refused(offline), [0, "No connection to the server. Trying again …"]);
});

test("trying tells the user what went wrong", async () => {
  serve({ "GET /api/x": refuse(503, { code: "full" }) });
  assert.equal(await api.tryTo("GET", "/api/x"), null);
  assert.equal(find("#alert").textContent, "Too many games are open here; please come back later.");
});

test("whoever opens a room keeps their seat, and mixes a number into the dice after the promise came", async () => {
  const state = { promise: "a1b2", drawn: true, round: 0, commitments: [null, null], missing_numbers: [0] };
  serve({ "POST /api/rooms": { room: "r1", seat: 0, token: "t", state }, "POST /api/rooms/r1/number": {} });
  const found = await api.openRoom("/api/rooms", { seats: [] });
  assert.equal(found.room, "r1");
  const { at, dice, ...kept } = api.games().r1;
  const { number } = dice[0];
  assert.deepEqual(kept, { seat: 0, token: "t", drawn: true });
  assert.deepEqual(dice, { 0: { promise: "a1b2", number, commitments: [null, null] } });
  assert.ok(Math.abs(Date.now() - at) < 10_000);
  assert.match(number, /^[0-9a-f]{32}$/);
  assert.deepEqual(
    sent.map(({ path, content }) => [path, content]),
    [
      ["/api/rooms", { seats: [] }],
      ["/api/rooms/r1/number", { number }],
    ],
  );
});

test("a rematch that somebody else has opened gives no seat yet", async () => {
  serve({ "POST /api/rooms/r1/rematch": { room: "r2" } });
  assert.deepEqual(await api.openRoom("/api/rooms/r1/rematch", undefined, "t"), { room: "r2" });
  assert.deepEqual(api.games(), {});
  serve({ "POST /api/rooms/r1/rematch": refuse(409, { code: "still_playing" }) });
  assert.equal(await api.openRoom("/api/rooms/r1/rematch", undefined, "t"), null);
});

test("a number that was lost is sent again, the same one; one that came is not", async () => {
  const state = { promise: "a1b2", missing_numbers: [0, 1] };
  serve({ "POST /api/rooms/r1/number": offline });
  api.keepGame("r1", { seat: 1, token: "t" });
  assert.equal(await api.fixDice("r1", state), null);
  assert.equal(find("#alert").textContent, "No connection to the server. Trying again …");
  serve({ "POST /api/rooms/r1/number": { begun: true } });
  assert.deepEqual(await api.fixDice("r1", state), { begun: true });
  const numbers = sent.map(({ content }) => content.number);
  assert.equal(numbers.length, 2);
  assert.equal(numbers[0], numbers[1]);
  await api.fixDice("r1", { ...state, missing_numbers: [0] });
  await api.fixDice("other", state);
  assert.equal(sent.length, 2);
});

test("what is on its way is not sent a second time, and a table that has gone on is no trouble", async () => {
  const state = { promise: "a1b2", missing_numbers: [1] };
  api.keepGame("r1", { seat: 1, token: "t" });
  let answer;
  serve({ "POST /api/rooms/r1/number": () => new Promise((done) => (answer = done)) });
  const first = api.fixDice("r1", state);
  await api.fixDice("r1", state);
  assert.equal(sent.length, 1);
  answer(refuse(409, { error: "your number is known already" })());
  assert.equal(await first, null);
  assert.equal(find("#alert").textContent, "");
});

test("the newest fifty games are kept", (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: 1 });
  for (let k = 0; k < 60; k++) {
    api.keepGame(`room${k}`, { seat: k % 2 });
    context.mock.timers.tick(1);
  }
  const rooms = Object.keys(api.games());
  assert.deepEqual([rooms.length, rooms.includes("room9"), rooms.includes("room10")], [50, false, true]);
  api.keepGame("room10", { token: "t" });
  assert.deepEqual(api.games().room10, { seat: 0, token: "t", at: 61 }, "what was known stays");
  api.forgetGame("room10");
  assert.equal(api.games().room10, undefined);
  assert.equal(Object.keys(api.games()).length, 49);
});
