// Any position by link: set up, analysed, played from.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import {
  choose,
  click,
  find,
  main,
  open,
  position,
  refuse,
  sent,
  serve,
  submit,
  texts,
  type,
  withWords,
} from "./browser.js";
import { showPosition } from "../../play/pechvogel/web/js/position.js";

const FOUND = {
  position: position({
    num_players: 3,
    copies: 2,
    italian_reading: true,
    active: 1,
    to_act: 2,
    phase: "frustrate",
    target: 7,
  }),
  text: "one line",
  scores: [3, 0, -3],
  shares: [0.5, 0.3, 0.2],
  source: "exact (table)",
  advice: {
    actions: [
      { action: 7, win_share: 0.25, costs: 0, why: { kind: "repeat", targets: 0.1, ravens: 0.5 } },
      { action: 5, win_share: 0.2, costs: 0.05, why: { kind: "keep", targets: 0.9, ravens: 0 } },
    ],
  },
};
const went = [];
beforeEach(() => (went.length = 0));

async function visit(path, answer = FOUND) {
  await open(path);
  serve({ "GET /api/analyse": answer });
  await showPosition(main(), (to) => went.push(to));
}
const queries = () =>
  sent.filter(({ path }) => path.startsWith("/api/analyse")).map(({ path }) => new URLSearchParams(path.split("?")[1]));
const set = (label, value) => type(find(`[aria-label='${label}']`), value);
const analyse = () => submit(main().querySelectorAll("form")[1]);

test("a position by link is analysed at once, and has its address", async () => {
  await visit("/position?p=abc");
  assert.equal(queries()[0].get("position"), "abc");
  assert.equal(location.href, "http://localhost/position?p=one%20line");
  assert.equal(find("#position").value, "one line");
  assert.deepEqual(texts(".who", main()), ["A3 points", "B0 points", "C-3 points"]);
  assert.equal(withWords("Winning chances", "h2").nextSibling.textContent, "A: 50.0% · B: 30.0% · C: 20.0% (exact)");
  assert.deepEqual(
    [...main().querySelectorAll("table:not(.counts) tr")].map((row) => texts("td", row)),
    [
      ["Frustrate", "25.00%", "", "Repeated, it leads to the marker in 10% and to three ravens in 50% of such turns."],
      [
        "Don't frustrate",
        "20.00%",
        "5.00%",
        "Kept, this leads to the marker in 90% and to three ravens in 0% of such turns.",
      ],
    ],
  );
  assert.ok(withWords("Frustrate B's throw?", "h2"));
});

test("it is played from, by whoever decides, with the same rules", async () => {
  await visit("/position?p=abc");
  serve({ "POST /api/rooms": { room: "r9" } });
  await click(withWords("Play from here"));
  const champion = { kind: "agent", agent: "champion" };
  assert.deepEqual(sent.at(-1).content, {
    seats: [champion, champion, { kind: "me" }],
    position: "one line",
    coach: true,
    take_back: true,
    copies: 2,
    italian_reading: true,
  });
  assert.deepEqual(went, ["/game/r9"]);
});

test("an end is not played from, and nobody is asked there", async () => {
  await visit("/position?p=abc", { ...FOUND, position: position({ phase: "over", to_act: null }), advice: null });
  assert.equal(texts("button", main()).includes("Play from here"), false);
  assert.equal(find("table:not(.counts)"), null);
});

test("an impossible position is refused in words, and a fresh one is offered", async () => {
  await visit("/position?p=nonsense", refuse(422, { error: "a position is JSON or a line" }));
  assert.equal(find(".minus").textContent, "That position is impossible: a position is JSON or a line");
  assert.deepEqual([...main().querySelectorAll(".counts tbody tr")].length, 3);
});

test("a position is set up with numbers and dice", async () => {
  await visit("/position");
  assert.deepEqual(queries(), []);
  set("A: 7", "1");
  set("B: frustrations", "2");
  set("middle of the table: 7", "2");
  const [, , murphy, turn] = main().querySelectorAll("select");
  choose(murphy, "1");
  choose(turn, "1");
  for (const face of [7, 7, 0, 0, 3, 4, 5, 6]) find(`[data-key='face-${face}']`).click(); // the eighth is too many
  await analyse();
  const [query] = queries();
  const asked = JSON.parse(query.get("position"));
  assert.deepEqual(asked.players, [
    { markers: [0, 0, 0, 0, 1], frustrations: 0 },
    { markers: [0, 0, 0, 0, 0], frustrations: 2 },
  ]);
  assert.deepEqual([asked.middle, asked.murphy, asked.active, asked.phase], [[3, 3, 3, 3, 2], 1, 1, "throw"]);
  assert.deepEqual(query.getAll("throw"), ["7", "7", "0", "0", "3", "4", "5"]);
});

test("half a throw is no throw", async () => {
  await visit("/position");
  find("[data-key='face-7']").click();
  await analyse();
  assert.equal(find("#alert").textContent, "Please say 7 faces: 3 to 7, or 0 for a raven.");
  await click(withWords("Clear"));
  await analyse();
  assert.deepEqual(queries()[0].getAll("throw"), []);
});

test("another number of players or markers starts afresh", async () => {
  await visit("/position");
  choose(find("select"), "5");
  assert.equal(main().querySelectorAll(".counts tbody tr").length, 6);
  choose(main().querySelectorAll("select")[1], "1");
  assert.equal(find("[aria-label='middle of the table: 3']").value, "1");
  assert.equal(main().querySelectorAll(".counts tbody tr").length, 6);
});

test("a line is loaded into the form; one that is wrong leaves the form as it is", async () => {
  await visit("/position");
  type(find("#position"), "abc");
  await submit(find("form"));
  assert.deepEqual(texts(".counts tbody th"), ["A", "B", "C", "middle of the table"]);
  serve({ "GET /api/analyse": refuse(422, { error: "no" }) });
  await submit(find("form"));
  assert.equal(texts(".counts tbody th").length, 4);
  assert.equal(find(".minus").textContent, "That position is impossible: no");
});

test("a position in the middle of a turn is edited as the turn's beginning", async () => {
  await visit("/position?p=abc", { ...FOUND, position: position({ murphy: 1 }), advice: null });
  await analyse();
  assert.deepEqual(queries()[1].getAll("throw"), ["7", "7", "3", "0", "4", "4", "7"]);
  const asked = JSON.parse(queries()[1].get("position"));
  assert.deepEqual([asked.phase, asked.last_throw, asked.murphy], ["throw", [], 1]);
});
