// Rules, the guided first turn, settings.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { choose, click, find, open, settle, texts, withWords } from "./browser.js";
import { applyTheme, showRules, showSettings, showTour } from "../../play/pechvogel/web/js/extras.js";
import { recall, remember } from "../../play/pechvogel/web/js/words.js";

beforeEach(() => open());

const step = () => find("dialog .small").textContent;
const text = () => find("dialog p[tabindex]").textContent;

test("the rules lead to the guided turn", async () => {
  showRules();
  assert.match(find("dialog .pre").textContent, /^Throw seven dice.*The highest score wins\.$/s);
  await click(withWords("A first turn, step by step"));
  assert.deepEqual(texts("dialog h2").slice(0, 1), ["A first turn, step by step"]);
  assert.equal(document.querySelectorAll("dialog").length, 1);
});

test("the guided turn goes on with the right action only, to its end", async () => {
  await showTour();
  await settle();
  const last = Number(step().split(" / ")[1]);
  assert.equal(step(), `1 / ${last}`);
  await click(withWords("Target 3"));
  assert.deepEqual([step(), text()], [`1 / ${last}`, "You may. But try this one: Target 7"]);
  assert.equal(document.activeElement, find("dialog p[tabindex]"));
  const seen = [];
  for (const words of ["Target 7", "Throw three dice", "From the middle", "Frustrate", "Next"]) {
    await click(withWords(words));
    seen.push(step());
  }
  assert.deepEqual(
    seen,
    [2, 3, 4, 5, 6].map((number) => `${number} / ${last}`),
  );
  assert.equal(find("dialog .players") !== null, true);
  await click(withWords("Let's play"));
  assert.equal(find("dialog"), null);
});

test("colours are the system's unless somebody chose", () => {
  const shown = () => document.documentElement.dataset.theme;
  remember("theme", "dark");
  applyTheme();
  assert.equal(shown(), "dark");
  remember("theme", "auto");
  applyTheme();
  assert.equal(shown(), undefined);
});

test("settings are remembered, and a language is spoken at once", () => {
  let reloads = 0;
  showSettings(() => (reloads += 1));
  const value = (id) => find(`#${id}`).value;
  assert.deepEqual(["language", "theme", "pace"].map(value), ["en", "auto", "instant"]);
  assert.deepEqual(texts("#language option"), ["English", "Deutsch", "Français", "Italiano"]);
  choose(find("#theme"), "light");
  assert.deepEqual([recall("theme"), document.documentElement.dataset.theme], ["light", "light"]);
  choose(find("#pace"), "slow");
  assert.deepEqual([recall("pace"), reloads], ["slow", 0]);
  choose(find("#language"), "fr");
  assert.deepEqual([recall("language"), reloads], ["fr", 1]);
  remember("theme", "auto");
  applyTheme();
});
