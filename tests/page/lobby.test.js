// The first page: two clicks to a game, and the games of this browser.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import {
  agent,
  choose,
  click,
  find,
  main,
  offline,
  open,
  person,
  refuse,
  sent,
  serve,
  state,
  submit,
  texts,
  type,
  withWords,
} from "./browser.js";
import { games, keepGame } from "../../play/pechvogel/web/js/api.js";
import { dayOf } from "../../play/pechvogel/web/js/deck.js";
import { showLobby } from "../../play/pechvogel/web/js/lobby.js";
import { remember } from "../../play/pechvogel/web/js/words.js";

const AGENTS = { agents: ["random", "champion:level=3", "champion", "optimal"], only: { optimal: [[2, 1]] } };
const OPENED = { room: "r1", seat: 0, token: "t", state: { promise: "a1b2", missing_numbers: [] } };
const went = [];

beforeEach(async () => {
  await open();
  went.length = 0;
  serve({ "GET /api/agents": AGENTS, "POST /api/rooms": OPENED });
});

const show = () => showLobby(main(), (path) => went.push(path));
const wish = () => sent.find(({ method }) => method === "POST").content;
const chosen = () => [...main().querySelectorAll("#seats select")].map(({ value }) => value);

test("one click plays against one agent", async () => {
  await show();
  await submit(find("form"));
  assert.deepEqual(wish(), {
    seats: [{ kind: "me" }, { kind: "agent", agent: "champion:level=3" }],
    name: "Guest",
    copies: 3,
    italian_reading: false,
    real_dice: false,
    coach: true,
    take_back: false,
    series: 1,
  });
  assert.deepEqual(went, ["/game/r1"]);
});

test("the puzzle of the day is a click away, and says whether it is done, and for how many days", async () => {
  await show();
  assert.deepEqual(texts("#daily > *"), ["Puzzle of the day"]);
  assert.equal(find("#daily a").getAttribute("href"), "/train?daily");
  const today = dayOf();
  remember("train", { days: { [today - 1]: true, [today]: true } });
  await show();
  assert.deepEqual(texts("#daily > *"), ["Puzzle of the day", "✓", "Days in a row: 2"]);
});

test("whoever has played some games, or does not want one, has no tutor by default", async () => {
  await show();
  await click(find("#coach"));
  await submit(find("form"));
  assert.equal(wish().coach, false);
  await show();
  assert.equal(find("#coach").checked, false, "it was switched off");
  await open();
  serve({ "GET /api/agents": AGENTS });
  for (const room of "abcde") keepGame(room, { seat: 0 });
  await show();
  assert.equal(find("#coach").checked, false);
});

test("other people are not bothered with a coach that nobody has asked for", async () => {
  await show();
  choose(find("#seats select"), "person");
  await submit(find("form"));
  assert.equal(wish().coach, false);
});

test("opponents have a face, and a line on how they play and how strong they are", async () => {
  serve({ "GET /api/agents": { ...AGENTS, strength: { "champion:level=3": 0.267 } } });
  await show();
  const about = () => find(".opponent p").textContent;
  assert.equal(about(), "Plays by feel and gives a lot away. Wins 27% of games against the champion.");
  assert.ok(find(".opponent .face svg"));
  choose(find("#seats select"), "champion");
  assert.equal(about(), "Reckons every turn, and knows what comes after it.");
  choose(find("#seats select"), "person");
  assert.equal(about(), "");
});

test("opponents, people among them, and all the options", async () => {
  await show();
  await click(find("[data-count='3']"));
  assert.equal(document.activeElement, find("[data-count='3']"));
  assert.equal(find("[aria-pressed='true']").textContent, "3");
  assert.deepEqual(
    [...main().querySelectorAll("#seats select")].map((one) => one.getAttribute("aria-label")),
    ["Opponent 1", "Opponent 2", "Opponent 3"],
  );
  const [first, second] = main().querySelectorAll("#seats select");
  choose(first, "random");
  choose(second, "person");
  type(find("#name"), "Ann");
  for (const id of ["coach", "take-back", "real-dice", "italian"]) {
    find(`#${id}`).checked = true;
    find(`#${id}`).dispatchEvent(new window.Event("change"));
  }
  choose(find("#copies"), "2");
  await submit(find("form"));
  assert.deepEqual(wish(), {
    seats: [
      { kind: "me" },
      { kind: "agent", agent: "random" },
      { kind: "open" },
      { kind: "agent", agent: "champion:level=3" },
    ],
    name: "Ann",
    copies: 2,
    italian_reading: true,
    real_dice: true,
    coach: true,
    take_back: true,
    series: 1,
  });
});

test("the choice is remembered for the next game, but real dice are not", async () => {
  await show();
  await click(find("[data-count='2']"));
  choose(find("#seats select"), "random");
  type(find("#name"), "Ann");
  find("#coach").checked = find("#real-dice").checked = true;
  choose(find("#copies"), "1");
  await submit(find("form"));
  await show();
  assert.deepEqual(chosen(), ["random", "even"]);
  assert.deepEqual([find("#name").value, find("#copies").value], ["Ann", "1"]);
  assert.deepEqual(
    ["coach", "take-back", "real-dice"].map((id) => find(`#${id}`).checked),
    [true, false, false],
  );
});

test("agents are offered for games that they can play", async () => {
  await show();
  const offered = () => [...find("#seats select").options].map(({ value }) => value);
  assert.deepEqual(offered(), ["even", "random", "champion:level=3", "champion", "person"]);
  choose(find("#copies"), "1");
  assert.deepEqual(offered(), ["even", "random", "champion:level=3", "champion", "optimal", "person"]);
  choose(find("#seats select"), "optimal");
  await click(find("[data-count='2']"));
  assert.deepEqual(chosen(), ["champion", "even"], "it can't play this one");
});

test("what was remembered and is not there any more is replaced", async () => {
  remember("lobby", { count: 9, specs: ["gone", "person"] });
  await show();
  assert.deepEqual(chosen(), ["champion", "person", "even", "even"]);
});

test("a server that is full says so, and can be asked again", async () => {
  serve({ "POST /api/rooms": refuse(503, { code: "full" }) });
  await show();
  await submit(find("form"));
  assert.equal(find("#alert").textContent, "Too many games are open here; please come back later.");
  assert.deepEqual([went, find("#play").disabled], [[], false]);
});

test("while a game is being opened, another is not", async () => {
  serve({ "POST /api/rooms": () => new Promise(() => {}) });
  await show();
  await submit(find("form"));
  assert.equal(find("#play").disabled, true);
});

test("without a server there is the champion to choose", async () => {
  serve({ "GET /api/agents": offline });
  await show();
  assert.deepEqual(chosen(), ["even"]);
  await submit(find("form"));
  assert.equal(wish().seats[1].agent, "champion");
});

test("somebody of one's own strength is proposed, unless another was chosen", async () => {
  remember("rating", { opponent: "champion" });
  await show();
  assert.equal(find("#seats option").textContent.startsWith("Somebody of your strength (Corvin"), true);
  await submit(find("form"));
  assert.equal(wish().seats[1].agent, "champion");
  sent.length = 0;
  remember("rating", { opponent: "champion:level=3" });
  await show();
  await submit(find("form"));
  assert.equal(wish().seats[1].agent, "champion:level=3", "it follows the rating");
  sent.length = 0;
  await show();
  choose(find("#seats select"), "random");
  await submit(find("form"));
  await show();
  assert.deepEqual(chosen(), ["random"]);
});

test("games of this browser: those that go on first, the newest first; those that are gone are forgotten", async (context) => {
  context.mock.timers.enable({ apis: ["Date"], now: 1 });
  const seats = (name) => [person("Ann"), person(name), agent("champion")];
  for (const [room, name, over] of [
    ["r1", "Bob", false],
    ["r2", "Eve", true],
    ["r3", "Joe", false],
  ]) {
    keepGame(room, { seat: 0, token: "t" });
    serve({ [`GET /api/rooms/${room}`]: state({ seats: seats(name), over }) });
    context.mock.timers.tick(1000);
  }
  keepGame("gone", { seat: 0 });
  keepGame("unknown", { seat: 0 });
  serve({ "GET /api/rooms/gone": refuse(404, {}), "GET /api/rooms/unknown": offline });
  await show();
  assert.deepEqual(texts("main li a"), ["Joe, Corvin", "Bob, Corvin", "Eve, Corvin"]);
  assert.deepEqual(
    texts("main li span").map((text) => text.split(" · ")[1]),
    ["Go on", "Go on", "over"],
  );
  assert.equal(find("main li a").getAttribute("href"), "/game/r3");
  assert.deepEqual(Object.keys(games()).sort(), ["r1", "r2", "r3", "unknown"]);
});

test("no games yet", async () => {
  await show();
  assert.ok(withWords("None yet.", "p"));
});
