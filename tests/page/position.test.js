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
  settle,
  state,
  submit,
  texts,
  type,
  withWords,
} from "./browser.js";
import { showPosition } from "../../play/pechvogel/web/js/position.js";

const ends = (end) => [{ end, chance: 1, points: 0, active_points: 0, win_share: 0.5, frustrated: 0 }];
const FOUND = {
  position: position({
    num_players: 3,
    copies: 2,
    italian_reading: true,
    middle: [2, 2, 2, 2, 2],
    active: 1,
    to_act: 2,
    phase: "frustrate",
    target: 7,
    targets: 3,
    ravens: 1,
    last_throw: [7, 0, 4, 4, 5],
  }),
  text: "one line",
  scores: [3, 0, -3],
  shares: [0.5, 0.3, 0.2],
  source: "exact (table)",
  advice: {
    actions: [
      { action: 7, win_share: 0.25, costs: 0, cases: ends("marker"), reason: null },
      { action: 5, win_share: 0.2, costs: 0.05, cases: ends("ravens"), reason: null },
    ],
  },
};
const went = [];
beforeEach(() => (went.length = 0));

async function visit(path, answer = FOUND, language = "en") {
  await open(path, language);
  serve({ "GET /api/analyse": answer });
  await showPosition(main(), (to) => went.push(to));
}
const queries = () =>
  sent.filter(({ path }) => path.startsWith("/api/analyse")).map(({ path }) => new URLSearchParams(path.split("?")[1]));
const asked = () => JSON.parse(queries().at(-1).get("position"));
const by = (key) => find(`[data-key='${key}']`);
const set = (key, value) => type(by(key), value);
const pick = (key, value) => choose(by(key), value);
const analyse = () => submit(find(".editor"));
const tick = (key, on = true) => {
  by(key).checked = on;
  by(key).dispatchEvent(new window.Event("change"));
};

test("a position by link is analysed at once, and has its address", async () => {
  await visit("/position?p=abc");
  assert.equal(queries()[0].get("position"), "abc");
  assert.equal(location.href, "http://localhost/position?p=one%20line");
  assert.equal(find("#position").value, "one line");
  assert.equal(withWords("Winning chances", "h2").nextSibling.textContent, "A: 50.0% · B: 30.0% · C: 20.0% (exact)");
  assert.deepEqual(
    [...main().querySelectorAll(".values tbody tr")].map((row) => texts("th button, .number", row)),
    [
      ["Frustrate", "25.00%", ""],
      ["Don't frustrate", "20.00%", "−5.00%"],
    ],
  );
  assert.ok(withWords("Frustrate B's throw?", "h2"));
  const best = find(".why tbody th").textContent;
  by("value-5").focus();
  by("value-5").click();
  assert.notEqual(find(".why tbody th").textContent, best, "the other one is explained");
  assert.equal(document.activeElement, by("value-5"));
});

test("it is played from, by whoever decides, with the same rules, and the coach is silent", async () => {
  await visit("/position?p=abc");
  serve({ "POST /api/rooms": { room: "r9", seat: 2, token: "t", state: state({ events: 0 }) } });
  await click(by("play-found"));
  const opened = sent.find(({ path }) => path === "/api/rooms").content;
  assert.deepEqual(opened, {
    seats: [{ kind: "agent", agent: "champion" }, { kind: "agent", agent: "champion" }, { kind: "me" }],
    position: "one line",
    coach: false,
    take_back: true,
    copies: 2,
    italian_reading: true,
  });
  assert.deepEqual(went, ["/game/r9"]);
});

test("an action is tried at once", async () => {
  await visit("/position?p=abc");
  serve({ "POST /api/rooms": { room: "r9", seat: 2, token: "t", state: state({ events: 0 }) } });
  serve({ "POST /api/rooms/r9/act": state({}) });
  await click(by("try-5"));
  assert.deepEqual(sent.find(({ path }) => path === "/api/rooms/r9/act").content, { action: 5, played: 0 });
  assert.deepEqual(went, ["/game/r9"]);
});

test("what is set up is played without being analysed first", async () => {
  await visit("/position");
  serve({ "POST /api/rooms": { room: "r9", seat: 0, token: "t", state: state({ events: 0 }) } });
  set("frustrations-1", "4");
  await click(by("play"));
  assert.deepEqual(queries(), []);
  const opened = sent.find(({ path }) => path === "/api/rooms").content;
  assert.equal(JSON.parse(opened.position).players[1].frustrations, 4);
  assert.deepEqual([opened.coach, opened.seats[0].kind], [false, "me"]);
});

test("a game that is over can't be played, and asks nothing", async () => {
  const over = position({ phase: "over", to_act: null, last_throw: [], middle: [0, 0, 0, 0, 0] });
  await visit("/position?p=abc", { ...FOUND, position: over, scores: [0, 0], shares: [0, 1], advice: null });
  assert.equal(by("play-found"), null);
  assert.equal(find(".values"), null);
});

test("what is wrong is said in the reader's language, in the form's words", async () => {
  const wrong = (code, facts) => refuse(422, { error: "in English", code, facts });
  await visit("/position?p=nonsense", wrong("position_line", { field: "as a whole" }));
  assert.match(find(".minus").textContent, /^That position is impossible: It is one line of ten parts/);
  assert.equal(main().querySelectorAll(".counts tbody tr").length, 3, "a fresh one is offered");
  await visit("/position?p=x", wrong("position_markers", { field: "players", value: 7, copies: 3 }), "de");
  assert.equal(find(".minus").textContent, "Diese Stellung ist unmöglich: Es gibt nur 3 Punktemarker mit dem Wert 7.");
  for (const [field, words] of [
    ["players[1].frustrations", "B\u00a0: marqueurs Poisse\u00a0: il faut un nombre entier de 0 à 9."],
    ["players[0].markers[4]", "A\u00a0: tuiles Gain\u00a0: il faut un nombre entier de 0 à 9."],
    ["middle[0]", "milieu de la table\u00a0: tuiles Gain\u00a0: il faut un nombre entier de 0 à 9."],
    ["turn", "turn\u00a0: il faut un nombre entier de 0 à 9."],
  ]) {
    await visit("/position?p=x", wrong("position_number", { field, low: 0, high: 9 }), "fr");
    const said = find(".minus").textContent.replaceAll(" :", "\u00a0:");
    assert.ok(said.endsWith(words), said);
  }
});

test("a coach who is busy does not call a position wrong", async () => {
  await visit("/position?p=x", refuse(503, { code: "coach_busy" }));
  assert.match(find(".minus").textContent, /^Too many are waiting/);
});

test("a position is set up with numbers and the dice of a first throw", async () => {
  await visit("/position");
  assert.deepEqual(queries(), []);
  set("markers-0-7", "1");
  set("frustrations-1", "2");
  assert.equal(by("middle-7").value, "2", "it came from there");
  pick("murphy", "1");
  pick("active", "1");
  pick("moment", "target");
  for (const face of [7, 7, 0, 0, 3, 4, 5, 6]) by(`face-${face}`).click(); // the eighth is too many
  await analyse();
  assert.deepEqual(asked().players, [
    { markers: [0, 0, 0, 0, 1], frustrations: 0 },
    { markers: [0, 0, 0, 0, 0], frustrations: 2 },
  ]);
  const { middle, murphy, active, phase, to_act, last_throw, ravens } = asked();
  assert.deepEqual([middle, murphy, active, phase, to_act], [[3, 3, 3, 3, 2], 1, 1, "target", 1]);
  assert.deepEqual([last_throw, ravens], [[7, 7, 0, 0, 3, 4, 5], 2]);
});

test("typing a number leaves the form's buttons alone, so that a click finds them", async () => {
  await visit("/position");
  const button = by("analyse");
  set("markers-0-7", "1");
  set("middle-3", "0");
  assert.equal(by("analyse"), button);
  await analyse();
  assert.deepEqual(asked().middle, [0, 3, 3, 3, 2]);
});

test("a board in the middle of a turn is set up", async () => {
  await visit("/position");
  pick("players", "4");
  pick("moment", "join");
  pick("target", "6");
  pick("targets", "2");
  pick("ravens", "1");
  tick("reduced");
  tick("frustrater-3");
  tick("frustrater-1");
  assert.deepEqual(by("starter").value, "3", "who was there first began");
  pick("starter", "1");
  pick("asked", "2");
  for (const face of [6, 0, 3, 4]) by(`face-${face}`).click();
  by("thrown-2").click();
  by("face-5").click();
  await analyse();
  const { target, targets, ravens, reduced, frustraters, last_throw, phase, to_act } = asked();
  assert.deepEqual([target, targets, ravens, reduced], [6, 3, 2, true]);
  assert.deepEqual([frustraters, last_throw, phase, to_act], [[1, 3], [6, 0, 4, 5], "join", 2]);
});

test("the Italian reading has a question of its own", async () => {
  await visit("/position");
  pick("moment", "reduce");
  tick("reduced");
  assert.equal(by("repeats"), null);
  tick("italian");
  tick("repeats");
  for (const face of [3, 0, 4, 4, 5, 5]) by(`face-${face}`).click();
  await analyse();
  assert.deepEqual([asked().italian_reading, asked().after_reduction, asked().reduced], [true, true, true]);
});

test("half a throw is no throw", async () => {
  await visit("/position");
  pick("moment", "target");
  by("face-7").click();
  await analyse();
  assert.match(find("#alert").textContent, /7/);
  assert.deepEqual(queries(), []);
  await click(by("play"));
  assert.equal(
    sent.some(({ path }) => path === "/api/rooms"),
    false,
  );
  pick("moment", "begin");
  await analyse();
  assert.deepEqual([asked().phase, asked().last_throw], ["throw", []]);
});

test("another number of players or markers wipes nothing", async () => {
  await visit("/position");
  set("markers-0-7", "1");
  set("frustrations-1", "2");
  pick("players", "5");
  assert.equal(main().querySelectorAll(".counts tbody tr").length, 6);
  assert.deepEqual([by("markers-0-7").value, by("frustrations-1").value, by("middle-7").value], ["1", "2", "2"]);
  pick("copies", "1");
  assert.deepEqual([by("markers-0-7").value, by("middle-7").value, by("middle-3").value], ["1", "0", "1"]);
  pick("players", "2");
  assert.deepEqual([by("markers-0-7").value, by("frustrations-1").value], ["1", "2"]);
});

test("the focus stays where it is while the form changes", async () => {
  await visit("/position");
  by("moment").focus();
  pick("moment", "target");
  assert.equal(document.activeElement, by("moment"));
  by("face-0").focus();
  by("face-0").click();
  assert.equal(document.activeElement, by("face-0"));
});

test("a line is loaded into the form, whatever moment it is; one that is wrong leaves the form as it is", async () => {
  await visit("/position");
  type(find("#position"), "abc");
  await submit(find("form"));
  assert.deepEqual(texts(".counts tbody th"), ["A", "B", "C", "middle of the table"]);
  assert.deepEqual([by("moment").value, by("asked").value, by("targets").value], ["frustrate", "2", "2"]);
  await analyse();
  assert.deepEqual(asked(), FOUND.position);
  serve({ "GET /api/analyse": refuse(422, { error: "no", code: "position_other", facts: { field: "x" } }) });
  await submit(find("form"));
  await settle();
  assert.equal(texts(".counts tbody th").length, 4);
  assert.equal(find(".minus").textContent, "That position is impossible: It can't be read (x).");
});
