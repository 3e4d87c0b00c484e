// After the game: chances, costs of decisions, luck apart from skill, and whether the dice were fair.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { beforeEach, test } from "node:test";
import {
  agent,
  click,
  find,
  main,
  open,
  person,
  refuse,
  sent,
  serve,
  settle,
  state,
  texts,
  withWords,
} from "./browser.js";
import { REVIEW } from "./finished.js";
import { keepGame } from "../../play/pechvogel/web/js/api.js";
import { pechvogel } from "../../play/pechvogel/web/js/pechvogel.js";
import { showReview } from "../../play/pechvogel/web/js/review.js";

const NUMBER = "77";
const SECRET = "00ff";
const PROMISE = createHash("sha256").update(SECRET, "hex").digest("hex");
const PROOF = { promise: PROMISE, secret: SECRET, numbers: [NUMBER, null], taken_back: 0 };
let page = null;

beforeEach(async () => {
  await open("/game/r1?review");
  serve({
    "GET /api/rooms/r1/review": REVIEW,
    "GET /api/rooms/r1/record": { proof: PROOF },
  });
  keepGame("r1", { seat: 0, token: "t", promise: PROMISE, number: NUMBER });
  page = {
    room: "r1",
    main: main(),
    seats: [person("Ann"), agent("heuristic")],
    game: pechvogel,
    seat: 0,
    state: state({ over: true, winners: [1], scores: [-3, 3], promise: PROMISE }),
    takenBack: 0,
    went: [],
    caughtUp: () => true,
    go: (path) => page.went.push(path),
  };
});

const cells = (table) => [...table.querySelectorAll("tbody tr")].map((row) => texts("th, td", row));

test("luck, decisions and drift stand in columns that add up", async () => {
  await showReview(page);
  assert.equal(page.reviewing, true);
  assert.equal(document.activeElement.textContent, "Review");
  const table = find(".sums");
  assert.equal(texts("thead th", table)[0], "You");
  assert.deepEqual(
    cells(table).map((row) => row.slice(0, 2)),
    [
      ["Luck", "-27.0%"],
      ["Own decisions", "-5.5%"],
      ["Decisions of others", "+0.0%"],
      ["Evaluation's drift", "+2.0%"],
      ["In all", "-50.0%"],
    ],
  );
  const kinds = [...table.querySelectorAll("tbody td:first-of-type")].map((cell) => [...cell.classList].join(" "));
  assert.deepEqual(kinds, ["number minus", "number minus", "number", "number plus", "number minus"]);
});

test("mistakes lead to their moment, and don't say what would have been better", async () => {
  await showReview(page);
  assert.deepEqual(texts(".mistakes li"), ["?? Turn 1: “Target 3” cost 5.0%."]);
  await click(find(".mistakes button"));
  assert.equal(location.search, "?review&step=1");
  assert.match(find(".panel").textContent, /A blunder/);
});

test("all decisions are listed, and lead to theirs", async () => {
  await showReview(page);
  const table = find("details table");
  assert.deepEqual(cells(table), [
    ["1", "Target 3", "??", "5.0%"],
    ["2", "Don't frustrate", "", "0.5%"],
  ]);
  await click(table.querySelectorAll("button")[1]);
  assert.equal(location.search, "?review&step=7");
});

test("decisions of others can be looked at", async () => {
  await showReview(page);
  const name = find("[data-whose='1']").textContent;
  await click(find("[data-whose='1']"));
  assert.equal(find("[data-whose][aria-pressed='true']"), document.activeElement);
  assert.ok(withWords(`${name}: costliest mistakes`, "h2"));
  assert.ok(withWords("No decision cost anything worth mentioning.", "p"));
  assert.deepEqual(cells(find("details table")), [["2", "Target 3", "", "0.0%"]]);
  assert.ok(find(`.plot[aria-label^='What decisions cost: ${name}']`));
});

test("the address names a moment, and the board is there at once", async () => {
  history.replaceState(null, "", "/game/r1?review&step=5");
  serve({ "GET /api/rooms/r1/record": () => new Promise(() => {}) });
  showReview(page);
  await settle();
  assert.equal(find(".where").textContent, "6 / 9", "it does not wait for the file of the game");
});

const verdict = () => find(".fair .plus, .fair .minus")?.className ?? null;

test("the file of the game is compared with what this browser has kept", async () => {
  await showReview(page);
  assert.equal(verdict(), "plus");
  assert.match(find(".fair .plus").textContent, /^The game's file has the promise/);
  for (const wrong of [{ promise: "ff" }, { numbers: ["78", null] }, { taken_back: 1 }]) {
    serve({ "GET /api/rooms/r1/record": { proof: { ...PROOF, ...wrong } } });
    await showReview(page);
    assert.equal(verdict(), "minus", JSON.stringify(wrong));
    assert.match(find(".fair .minus").textContent, /^The game's file differs/);
  }
});

test("who has kept nothing compares nothing", async () => {
  localStorage.removeItem("pechvogel.games");
  await showReview(page);
  assert.equal(verdict(), null);
  assert.equal(
    sent.some(({ path }) => path.endsWith("/record")),
    false,
  );
});

test("the comparison waits for the stream, which tells what was taken back", async () => {
  let waited = 0;
  page.caughtUp = () => (waited += 1) > 2 && Boolean((page.takenBack = 1));
  serve({ "GET /api/rooms/r1/record": { proof: { ...PROOF, taken_back: 1 } } });
  await showReview(page);
  assert.deepEqual([waited, verdict()], [3, "plus"]);
});

test("a review that is refused leaves the game as it is", async () => {
  serve({ "GET /api/rooms/r1/review": refuse(409, { code: "still_playing" }) });
  main().textContent = "game";
  await showReview(page);
  assert.deepEqual([main().textContent, page.reviewing], ["game", undefined]);
  assert.equal(find("#alert").textContent, "The others are still playing.");
});

test("it closes with the game's own address", async () => {
  await showReview(page);
  await click(withWords("Close"));
  assert.deepEqual(page.went, ["/game/r1"]);
});

test("a game of onlookers is shown from the first seat", async () => {
  page.seat = null;
  await showReview(page);
  assert.equal(find("[data-whose][aria-pressed='true']").textContent, "Ann");
  assert.ok(withWords("Ann: costliest mistakes", "h2"));
});

test("who has left in the meantime is not called back", async () => {
  page.stopped = true;
  main().textContent = "lobby";
  await showReview(page);
  assert.equal(main().textContent, "lobby");
});
