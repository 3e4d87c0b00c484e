// Words in four languages, numbers as they are written there, and what a browser remembers.

import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";
import { open } from "./browser.js";
import * as words from "../../play/pechvogel/web/js/words.js";

afterEach(() => mock.restoreAll());

test("braces are filled in, all at once", async () => {
  await open();
  assert.equal(words.say("log.target", { name: "Ann", value: 7 }), "Ann chooses 7 as the target.");
  assert.equal(
    words.say("log.target", { name: "{value}", value: 0 }),
    "{value} chooses 0 as the target.",
    "a name is no template",
  );
  assert.equal(words.say("log.target", { name: "$&", value: 3 }), "$& chooses 3 as the target.");
  assert.equal(
    words.say("log.target", { name: "Ann" }),
    "Ann chooses {value} as the target.",
    "what is missing can be seen",
  );
});

test("a key without words is told to the console and shown as it is", async () => {
  await open();
  const told = mock.method(console, "error", () => {});
  assert.equal(words.say("no.such.key"), "no.such.key");
  assert.deepEqual(told.mock.calls[0].arguments, ["no words for no.such.key"]);
});

test("the words of a language are loaded with its tag and title", async () => {
  for (const [language, target] of Object.entries({ en: "Target 5", de: "Zielzahl 5", fr: "Objectif 5" })) {
    await open("/", language);
    assert.equal(document.documentElement.lang, language);
    assert.equal(document.title, "Pechvogel");
    assert.equal(words.say("act.target", { value: 5 }), target);
  }
});

test("numbers and lists are written as the language does", async () => {
  const written = {
    en: ["12.3%", "12%", "+5.0%", "-5.0%", "A, B and C", "target: 7"],
    de: ["12,3\u00a0%", "12\u00a0%", "+5,0\u00a0%", "-5,0\u00a0%", "A, B und C", "target: 7"],
    fr: ["12,3\u00a0%", "12\u00a0%", "+5,0\u00a0%", "-5,0\u00a0%", "A, B et C", "target\u00a0: 7"],
    it: ["12,3%", "12%", "+5,0%", "-5,0%", "A, B e C", "target: 7"],
  };
  for (const [language, expected] of Object.entries(written)) {
    await open("/", language);
    const found = [
      words.percent(0.1234),
      words.percent(0.1234, 0),
      words.signed(0.05),
      words.signed(-0.05),
      words.list(["A", "B", "C"]),
      words.labelled("target", 7),
    ];
    assert.deepEqual(found, expected, language);
  }
});

test("lists of none, one and two", async () => {
  await open("/", "de");
  assert.deepEqual([[], ["A"], ["A", "B"]].map(words.list), ["", "A", "A und B"]);
});

test("the language is the one that was chosen, else the browser's, else English", async () => {
  await open("/", "it");
  assert.equal(words.language(), "it");
  for (const [languages, expected] of [
    [["ja", "fr-CH", "de"], "fr"],
    [["ja"], "en"],
    [[], "en"],
  ]) {
    localStorage.clear();
    navigator.languages = languages;
    assert.equal(words.language(), expected);
  }
  localStorage.setItem("pechvogel.language", '"xx"');
  assert.equal(words.language(), "en");
  navigator.languages = ["en"];
});

test("what is remembered comes back, and what is broken does not harm", async () => {
  await open();
  assert.deepEqual(words.recall("lobby", { count: 1 }), { count: 1 });
  words.remember("lobby", { count: 3 });
  assert.deepEqual(words.recall("lobby", {}), { count: 3 });
  localStorage.setItem("pechvogel.lobby", "{");
  assert.equal(words.recall("lobby", "fallback"), "fallback");
  mock.method(window.Storage.prototype, "setItem", () => {
    throw new Error("full");
  });
  words.remember("name", "Ann");
  assert.equal(words.recall("name", ""), "");
});
