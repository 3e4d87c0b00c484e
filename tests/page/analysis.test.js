// The analysis board: going through a finished game, what every action was worth, trying another.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { agent, click, find, main, open, person, refuse, sent, serve, settle, state, texts } from "./browser.js";
import { REVIEW } from "./finished.js";
import { happened } from "../../play/pechvogel/web/js/sentences.js";
import { Analysis } from "../../play/pechvogel/web/js/analysis.js";

const cases = (end) => [{ end, chance: 1, points: 0, active_points: 0, win_share: 0.5, frustrated: 0 }];
const ADVICE = {
  actions: [
    { action: 4, win_share: 0.55, costs: 0, cases: cases("marker"), reason: null },
    { action: 1, win_share: 0.52, costs: 0.03, cases: cases("ravens"), reason: null },
    { action: 0, win_share: 0.5, costs: 0.05, cases: cases("both"), reason: null },
  ],
};
let page = null;
let analysis = null;

async function begin(path = "/game/r1?review") {
  await open(path);
  serve({ "GET /api/analyse": { advice: ADVICE } });
  page = {
    room: "r1",
    seats: [person("Ann"), agent("heuristic")],
    seat: 0,
    state: state({ over: true, winners: [1], scores: [-3, 3] }),
    went: [],
    go: (to) => page.went.push(to),
  };
  analysis = new Analysis(page, REVIEW, 0);
  main().replaceChildren(analysis.element);
  analysis.showAddressed();
}
beforeEach(() => begin());

const press = (key, more = {}, on = document) => {
  const event = new window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  on.dispatchEvent(event);
  return event.defaultPrevented;
};
const place = () => find(".where").textContent;
const panel = () => find(".panel");
const rested = async () => {
  await new Promise((wake) => setTimeout(wake, 200));
  await settle();
};

test("it begins at the beginning, or where the address says", async () => {
  assert.equal(place(), "1 / 9");
  assert.equal(find(".panel h2").textContent, "The game begins.");
  for (const [path, where] of [
    ["/game/r1?review&step=1", "3 / 9"],
    ["/game/r1?review&step=3", "4 / 9"],
    ["/game/r1?review&step=99", "9 / 9"],
    ["/game/r1?review&step=x", "1 / 9"],
  ]) {
    await begin(path);
    assert.equal(place(), where, path);
  }
});

test("arrow keys go step by step, Home and End to the ends; the address follows", () => {
  assert.ok(press("ArrowRight"));
  assert.equal(location.search, "?review&step=0");
  press("ArrowRight");
  assert.deepEqual([place(), location.search], ["3 / 9", "?review&step=1"]);
  press("ArrowLeft");
  assert.equal(place(), "2 / 9");
  press("End");
  assert.deepEqual([place(), location.search], ["9 / 9", "?review&step=9"]);
  press("ArrowRight");
  assert.equal(place(), "9 / 9", "there is nothing behind it");
  press("Home");
  assert.deepEqual([place(), location.search], ["1 / 9", "?review"]);
  press("ArrowLeft");
  assert.equal(place(), "1 / 9");
});

test("keys that mean something else are left alone", () => {
  press("ArrowRight");
  for (const more of [{ ctrlKey: true }, { altKey: true }, { metaKey: true }]) assert.ok(!press("ArrowRight", more));
  assert.ok(!press("ArrowRight", {}, find("input[type='range']")), "the slider moves by itself");
  assert.ok(!press("a"));
  assert.equal(place(), "2 / 9");
  main().replaceChildren();
  assert.ok(!press("ArrowRight"), "the board is gone");
});

test("buttons, slider and the plot lead to every moment", async () => {
  await click(find("[data-key='on']"));
  await click(find("[data-key='on']"));
  assert.equal(place(), "3 / 9");
  await click(find("[data-key='back']"));
  await click(find("[data-key='last']"));
  assert.equal(place(), "9 / 9");
  await click(find("[data-key='first']"));
  assert.equal(place(), "1 / 9");
  const slider = find("input[type='range']");
  slider.value = 4;
  slider.dispatchEvent(new window.Event("input"));
  assert.equal(place(), "5 / 9");
  const plot = find(".plots .plot");
  plot.getBoundingClientRect = () => ({ left: 100, width: 320 });
  const wide = Number(plot.getAttribute("viewBox").split(" ")[2]);
  const over = (kind, at) => plot.dispatchEvent(new window.MouseEvent(kind, { clientX: 100 + (320 * at) / wide }));
  over("pointermove", wide);
  assert.equal(place(), "5 / 9", "nothing is pressed");
  over("pointerdown", 40 + ((wide - 48) * 2) / 8);
  assert.equal(place(), "3 / 9");
  over("pointermove", wide + 50);
  assert.equal(place(), "9 / 9");
  over("pointerup", wide);
  over("pointermove", 0);
  assert.equal(place(), "9 / 9");
});

test("from mistake to mistake, of whose decisions are looked at", () => {
  press("ArrowRight", { shiftKey: true });
  assert.equal(place(), "3 / 9");
  press("ArrowRight", { shiftKey: true });
  assert.equal(place(), "3 / 9");
  assert.equal(find("#news").lastChild.textContent, "There is no other mistake that way.");
  press("End");
  find("[data-key='mistake-back']").click();
  assert.equal(place(), "3 / 9");
  analysis.look(1);
  press("Home");
  press("ArrowRight", { shiftKey: true });
  assert.equal(place(), "1 / 9");
});

test("a throw tells what it was worth, and what the evaluation did by itself", () => {
  analysis.showStep(2);
  const said = panel().textContent;
  assert.match(said, /Turn 1|turn 1/);
  for (const event of REVIEW.steps.slice(2, 4)) {
    for (const sentence of happened(event, page.seats, 0)) assert.ok(said.includes(sentence), sentence);
  }
  assert.match(said, /Luck of this throw You: -10\.0% · [^·]+: \+10\.0%/);
  assert.match(said, /The coach's estimate itself changes You: \+2\.0%/);
  assert.match(said, /Winning chances You: 42\.0%/);
  assert.equal(find("table", panel()), null);
});

test("a decision has its mark, all actions with their values, and the one that was played", async () => {
  analysis.showStep(1);
  assert.equal(find(".mark", panel()).getAttribute("aria-label"), "blunder");
  assert.match(panel().textContent, /A blunder: it costs 5\.00%; best: “Target 7”\./);
  const rows = [...panel().querySelectorAll(".values tbody tr")];
  assert.deepEqual(
    rows.map((row) => texts("th button, td.number", row)),
    [
      ["Target 7", "55.00%", ""],
      ["Target 4", "52.00%", "−3.00%"],
      ["Target 3", "50.00%", "−5.00%"],
    ],
  );
  assert.deepEqual(texts(".chosen button.plain"), ["Target 3"]);
  assert.deepEqual(texts(".best button.plain"), ["Target 7"], "only the best one's bar is green");
  assert.equal(find(".chosen .badge").textContent, "played");
  assert.equal(sent.length, 0, "whoever steps on at once asks the coach nothing");
  await rested();
  assert.equal(sent.length, 1);
  assert.equal(new URLSearchParams(sent[0].path.split("?")[1]).get("position"), REVIEW.decisions[0].position);
  assert.deepEqual(texts(".why tbody th").length, 1);
  const before = find(".why tbody th").textContent;
  find("[data-key='value-4']").click();
  assert.notEqual(find(".why tbody th").textContent, before);
  assert.equal(find("[data-key='value-4']").getAttribute("aria-pressed"), "true");
  assert.equal(sent.length, 1, "it was told about all actions");
  press("ArrowRight");
  press("ArrowLeft");
  await rested();
  assert.equal(sent.length, 1, "what was told once is kept");
});

test("the best choice, and one that cost little", () => {
  analysis.showStep(5);
  assert.match(panel().textContent, /The best choice\./);
  assert.equal(find(".mark", panel()), null);
  analysis.showStep(7);
  assert.match(panel().textContent, /It costs 0\.50%; best: “Frustrate”\./);
});

test("whoever steps on from within a moment keeps the place there", () => {
  analysis.showStep(1);
  find("[data-key='play-from']").focus();
  analysis.showStep(5);
  assert.equal(document.activeElement, find("[data-key='play-from']"));
  analysis.showStep(6);
  assert.equal(document.activeElement, find(".panel h2"), "a throw can't be played from");
  find("[data-key='on']").focus();
  analysis.showStep(7);
  assert.equal(document.activeElement, find("[data-key='on']"));
});

test("a coach who is busy is no harm", async () => {
  serve({ "GET /api/analyse": refuse(503, { code: "coach_busy" }) });
  analysis.showStep(1);
  await rested();
  assert.match(find(".why").textContent, /^Too many are waiting for the coach/);
  assert.equal(panel().querySelectorAll(".values tbody tr").length, 3);
});

test("who stepped on gets no answer to the question before", async () => {
  let answer = null;
  serve({ "GET /api/analyse": () => new Promise((resolve) => (answer = resolve)) });
  analysis.showStep(1);
  await rested();
  press("ArrowRight");
  assert.ok(sent[0].signal.aborted);
  answer({ advice: ADVICE });
  await settle();
  assert.equal(find(".why", panel()), null);
});

test("another action is tried in a game of its own, in which the coach is silent", async () => {
  serve({ "POST /api/rooms": { room: "r2", seat: 0, token: "t2", state: state({ events: 0 }) } });
  serve({ "POST /api/rooms/r2/act": state({}) });
  analysis.showStep(1);
  await click(find("[data-key='try-4']"));
  const opened = sent.find(({ path }) => path === "/api/rooms").content;
  assert.deepEqual(opened, {
    seats: [{ kind: "me" }, { kind: "agent", agent: "heuristic" }],
    position: REVIEW.decisions[0].position,
    coach: false,
    take_back: true,
    copies: 3,
    italian_reading: false,
  });
  const acted = sent.find(({ path }) => path === "/api/rooms/r2/act");
  assert.deepEqual([acted.content, acted.headers.Authorization], [{ action: 4, played: 0 }, "Bearer t2"]);
  assert.deepEqual(page.went, ["/game/r2"]);
});

test("a decision is played again from where it was, by whoever looks, without an answer", async () => {
  serve({ "POST /api/rooms": { room: "r3", seat: 1, token: "t3", state: state({ events: 0 }) } });
  analysis.showStep(5);
  await click(find("[data-key='play-from']"));
  const { seats, coach } = sent.find(({ path }) => path === "/api/rooms").content;
  assert.deepEqual(seats, [{ kind: "agent", agent: "champion" }, { kind: "me" }]);
  assert.equal(coach, false);
  assert.equal(
    sent.some(({ path }) => path.endsWith("/act")),
    false,
  );
  assert.deepEqual(page.went, ["/game/r3"]);
});

test("values can be hidden until something is chosen", async () => {
  analysis.showStep(1);
  const box = find("[data-key='guessing']");
  box.checked = true;
  box.dispatchEvent(new window.Event("change"));
  assert.equal(find(".values", panel()), null);
  assert.doesNotMatch(panel().textContent, /Target 7”|%/);
  assert.equal(find(".mark", panel()), null);
  assert.doesNotMatch(find("input[type='range']").getAttribute("aria-valuetext"), /blunder.*Target/);
  assert.deepEqual(texts(".actions button", panel()), ["Target 3", "Target 4", "Target 7"], "in no telling order");
  await click(find("[data-key='guess-1']"));
  assert.equal(find("[data-key='value-1']").getAttribute("aria-pressed"), "true");
  assert.match(panel().textContent, /A blunder/);
  press("ArrowRight");
  press("ArrowLeft");
  assert.ok(find(".values", panel()), "it is known by now");
  await begin("/game/r1?review&step=1");
  assert.ok(find(".values", panel()), "another browser");
});

test("plots: a line for everybody, bars with marks, what they show in words", () => {
  assert.equal(find(".plots .plot").querySelectorAll("polyline").length, 2);
  assert.match(find(".plots .plot").getAttribute("aria-label"), /^Winning chances\. You: 50\.0% → 0\.0%; /);
  const dashes = [...find(".plots .plot").querySelectorAll("polyline")].map((line) =>
    line.getAttribute("stroke-dasharray"),
  );
  assert.equal(new Set(dashes).size, 2, "nobody needs to tell colours apart");
  const [, errors, luck] = main().querySelectorAll(".plots .plot");
  assert.equal(errors.querySelectorAll("rect").length, 2);
  assert.ok(texts("text", errors).includes("??"));
  assert.match(errors.getAttribute("aria-label"), /^What decisions cost: You\. 2\.75% per decision, 2 decisions$/);
  assert.equal(luck.querySelectorAll("polyline").length, 2);
  analysis.look(1);
  assert.equal(main().querySelectorAll(".plots .plot")[1].querySelectorAll("rect").length, 1);
  assert.match(
    find(".plots").textContent,
    /\?! for a decision that cost 1% of the win or more, \? from 2%, \?\? from 4%\./,
  );
});

test("a step is told to whoever can't see it", () => {
  press("ArrowRight");
  const [thrown] = happened(REVIEW.steps[0], page.seats, 0);
  assert.equal(find("#news").lastChild.textContent, `turn 1. ${thrown}`);
  press("ArrowRight");
  assert.match(find("#news").lastChild.textContent, /A blunder: it costs 5\.00%/);
  press("End");
  assert.match(find("#news").lastChild.textContent, /^The game is over/);
  assert.match(find("input[type='range']").getAttribute("aria-valuetext"), /^The game is over/);
});

test("a link to the moment is copied", async () => {
  const copied = [];
  document.execCommand = () => copied.push(find("input[type='text']").value);
  analysis.showStep(1);
  await click(find("[data-key='link']"));
  assert.equal(find("[data-key='link']").textContent, "Copied");
  assert.equal(find("input[type='text']"), null);
  assert.deepEqual(copied, ["http://localhost/game/r1?review&step=1"]);
});

test("a browser that allows no more changes of the address steps on", async () => {
  const { replaceState } = window.History.prototype;
  window.History.prototype.replaceState = () => {
    throw new Error("too many");
  };
  press("ArrowRight");
  window.History.prototype.replaceState = replaceState;
  assert.deepEqual([place(), location.search], ["2 / 9", "?review"]);
  assert.equal(analysis.address(), "/game/r1?review&step=0");
});

test("every language has its words", async () => {
  for (const language of ["de", "fr", "it"]) {
    await begin();
    await open("/game/r1?review", language);
    main().replaceChildren(new Analysis(page, REVIEW, 0).element);
    assert.doesNotMatch(main().textContent, /analysis\.|review\.|\{\w+\}/);
  }
});
