// After the game: chances, costs of decisions, luck apart from skill, and whether the dice were fair.

import assert from "node:assert/strict";
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
import { keepGame } from "../../play/pechvogel/web/js/api.js";
import { showReview } from "../../play/pechvogel/web/js/review.js";

const target = (seat, turn, action, best, costs, mistake = false) => ({
  seat,
  turn,
  action,
  best,
  costs,
  mistake,
  asked: { phase: "target", active: seat, target: null, num_players: 2, frustraters: [] },
  why: { kind: "target", value: action + 3, shown: 1, targets: 0.25, ravens: 0.5 },
  position: `position ${turn}`,
});
const REVIEW = {
  source: "champion",
  shares: [
    [0.5, 0.5],
    [0.75, 0.25],
    [1, 0],
  ],
  turns: [0, 1],
  decisions: [
    target(0, 0, 4, 4, 0),
    target(0, 1, 0, 4, 0.021, true),
    target(0, 2, 1, 4, 0.1, true),
    target(1, 3, 2, 3, 0.01),
  ],
  luck: [0.25, -0.25],
  skill: [-0.121, 0],
  others: [0.0004, 0.1],
};
const NUMBER = "77";
let page = null;

beforeEach(async () => {
  await open("/game/r1?review");
  serve({
    "GET /api/rooms/r1/review": REVIEW,
    "GET /api/rooms/r1/record": { proof: { promise: "a1b2", numbers: [NUMBER, null], taken_back: 0 } },
  });
  keepGame("r1", { seat: 0, token: "t", promise: "a1b2", number: NUMBER });
  page = {
    room: "r1",
    main: main(),
    seats: [person("Ann"), agent("heuristic")],
    seat: 0,
    state: state({ over: true }),
    takenBack: 0,
    went: [],
    caughtUp: () => true,
    go: (path) => page.went.push(path),
  };
});

const cells = (table) => [...table.querySelectorAll("tbody tr")].map((row) => texts("th, td", row));

test("the graph has a line for everybody, from the first step to the last, and says it in words", async () => {
  await showReview(page);
  assert.equal(page.reviewing, true);
  assert.equal(document.activeElement.textContent, "Review");
  const points = [...main().querySelectorAll("polyline")].map((line) => line.getAttribute("points"));
  assert.deepEqual(points, ["36.0,104.0 334.0,56.0 632.0,8.0", "36.0,104.0 334.0,152.0 632.0,200.0"]);
  assert.equal(
    find(".graph").getAttribute("aria-label"),
    "Winning chances. You: 50.0% → 100.0%; Casual player: 50.0% → 0.0%",
  );
  assert.deepEqual(texts(".graph text"), ["0%", "25%", "50%", "75%", "100%", "turn"]);
  assert.deepEqual(texts(".keys li"), ["You", "Casual player"]);
  const dashes = (selector) =>
    [...main().querySelectorAll(selector)].map((line) => line.getAttribute("stroke-dasharray"));
  assert.deepEqual(dashes(".keys line"), dashes("polyline"));
  assert.equal(new Set(dashes("polyline")).size, 2, "nobody needs to tell colours apart");
});

test("every tenth turn is numbered, in long games every twentieth", async () => {
  const shares = Array.from({ length: 71 }, () => [0.5, 0.5]);
  for (const [count, numbers] of [
    [25, ["10", "20"]],
    [70, ["20", "40", "60"]],
  ]) {
    serve({ "GET /api/rooms/r1/review": { ...REVIEW, shares, turns: [...Array(count).keys()] } });
    await showReview(page);
    assert.deepEqual(texts(".graph text").slice(6), numbers);
  }
});

test("luck and skill are told apart, with colours for what is worth one", async () => {
  await showReview(page);
  const [table] = main().querySelectorAll("table");
  assert.deepEqual(cells(table), [
    ["You", "+25.0%", "-12.1%", "+0.0%"],
    ["Casual player", "-25.0%", "+0.0%", "+10.0%"],
  ]);
  const kinds = [...table.querySelectorAll("tbody tr:first-child td")].map((cell) => [...cell.classList].join(" "));
  assert.deepEqual(kinds, ["number plus", "number minus", "number"]);
});

test("mistakes come with the dearest first; all decisions in order", async () => {
  await showReview(page);
  assert.deepEqual(texts("ol li p:first-child"), [
    "Turn 3: “Target 4” instead of “Target 7” cost 10.0%.",
    "Turn 2: “Target 3” instead of “Target 7” cost 2.1%.",
  ]);
  assert.equal(
    find("ol li p:nth-child(2)").textContent,
    "With 1 × 4: four of them in 25% of such turns, three ravens in 50%.",
  );
  assert.deepEqual(cells(main().querySelectorAll("table")[1]), [
    ["1", "Target 7", "✓", "0.0%"],
    ["2", "Target 3", "Target 7", "2.1%"],
    ["3", "Target 4", "Target 7", "10.0%"],
  ]);
  assert.deepEqual(texts("h2"), [
    "Winning chances",
    "Your costliest mistakes",
    "All your decisions",
    "The dice were fixed before the first throw",
  ]);
});

test("decisions of others can be looked at", async () => {
  await showReview(page);
  await click(find("[data-whose='1']"));
  assert.equal(find("[aria-pressed='true']").textContent, "Casual player");
  assert.deepEqual(texts("h2").slice(1, 3), ["Casual player: costliest mistakes", "Casual player: all decisions"]);
  assert.ok(withWords("No decision cost anything worth mentioning.", "p"));
  assert.deepEqual(cells(main().querySelectorAll("table")[1]), [["4", "Target 5", "Target 6", "1.0%"]]);
});

test("a mistake is played again from its position, against the same agents", async () => {
  await showReview(page);
  serve({ "POST /api/rooms": { room: "r2" } });
  await click(find("ol button"));
  assert.deepEqual(sent.at(-1).content, {
    seats: [{ kind: "me" }, { kind: "agent", agent: "heuristic" }],
    position: "position 2",
    coach: true,
    take_back: true,
    copies: 3,
    italian_reading: false,
  });
  assert.deepEqual(page.went, ["/game/r2"]);
});

const verdict = () => find("section.small .plus, section.small .minus")?.className ?? null;

test("the file of the game is compared with what this browser has kept", async () => {
  await showReview(page);
  assert.equal(verdict(), "plus");
  assert.match(find("section.small .plus").textContent, /^The game's file has the promise and the number/);
  const proof = { promise: "a1b2", numbers: [NUMBER, null], taken_back: 0 };
  for (const wrong of [{ promise: "ff" }, { numbers: ["78", null] }, { numbers: [NUMBER, "5"] }, { taken_back: 1 }]) {
    serve({ "GET /api/rooms/r1/record": { proof: { ...proof, ...wrong } } });
    await showReview(page);
    assert.equal(verdict(), "minus", JSON.stringify(wrong));
    assert.match(find("section.small .minus").textContent, /^The game's file differs/);
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
  serve({ "GET /api/rooms/r1/record": { proof: { promise: "a1b2", numbers: [NUMBER, null], taken_back: 1 } } });
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
  await settle();
  assert.equal(find("[aria-pressed='true']").textContent, "Ann");
  assert.equal(texts("h2")[1], "Ann: costliest mistakes");
});
