// The explorer: what is counted is added up rightly, shown as a map and as a table, and told in words.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { choose, click, find, main, open, texts, withWords } from "./browser.js";
import { showExplorer, sums } from "../../play/pechvogel/web/js/explorer.js";
import { heatMap } from "../../play/pechvogel/web/js/heat.js";

const AXES = { a: [0, 1], b: [0, 1, 2], c: [0, 1] };
const SUBJECT = {
  axes: ["a", "b", "c"],
  number: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0],
  best: [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0],
  gain: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 0],
};
const visit = async (path = "/explore", language = "en") => {
  await open(path, language);
  await showExplorer(main());
};
beforeEach(() => open());

test("fields are added up over the axes that are not shown", () => {
  const numbers = ({ cells }) => cells.map((row) => row.map(({ number }) => number));
  const all = sums(SUBJECT, AXES, { down: "a", across: "b", only: {} });
  assert.deepEqual(numbers(all), [
    [3, 7, 11],
    [15, 19, 11],
  ]);
  assert.deepEqual([all.all.number, all.all.best], [66, 30]);
  assert.ok(Math.abs(all.all.gain - 6.6) < 1e-9);
  assert.deepEqual(numbers(sums(SUBJECT, AXES, { down: "b", across: "a", only: { c: 1 } })), [
    [2, 8],
    [4, 10],
    [6, 0],
  ]);
  const shown = sums(SUBJECT, AXES, { down: "c", across: "a", only: { c: 1, b: 2 } });
  assert.deepEqual(numbers(shown), [[5, 11], [6, 0]], "an axis that is shown is not narrowed"); // prettier-ignore
});

test("colours are as strong as levels, and warm below zero", () => {
  const cells = [[{ level: 0.5, text: "5", note: "1" }, { level: -1, text: "-1", note: "" }, null]]; // prettier-ignore
  const map = heatMap({ rows: ["r"], columns: ["x", "y", "z"], cells, corner: ["down", "across"], label: "words" });
  assert.equal(map.getAttribute("aria-label"), "words");
  const shades = [...map.querySelectorAll("[fill-opacity]")].map((field) => [
    field.getAttribute("class"),
    Number(field.getAttribute("fill-opacity")),
  ]);
  assert.deepEqual(shades, [
    ["heat-main", 0.2],
    ["heat-warm", 0.4],
  ]);
  assert.equal(map.querySelectorAll(".heat-empty").length, 3);
});

test("a first throw is tapped in, and its targets are ranked", async () => {
  await visit();
  const data = await (await fetch("/web/explorer.json")).json();
  await click(withWords("Clear"));
  for (const face of [3, 3, 3, 7, 7, 0, 5]) find(`[data-key='face-${face}']`).click();
  const [none, one] = data.first;
  assert.equal(none.length, 7);
  const expected = [
    [3, one[2][0]],
    [7, one[1][4]],
    [5, one[0][2]],
  ].sort(([, a], [, b]) => b - a);
  const written = expected.map(([value, share]) => `Target ${value}: ${(100 * share).toFixed(2)}%`);
  texts("ol li").forEach((line, k) => assert.ok(line.startsWith(written[k]), line));
  assert.equal(texts("ol li").length, 3);
  for (const face of [0, 0, 0, 7, 7, 3, 5]) find(`[data-key='face-${face}']`).click();
  assert.ok(find(".explorer").textContent.includes("Three ravens or more"));
});

test("every subject has a map, the same as a table, words, and its population", async () => {
  for (const subject of ["target", "frustrate", "reduce", "steal", "chances"]) {
    await visit(`/explore?subject=${subject}`);
    const map = find(".heat");
    const told = find(".explorer p[aria-live]").textContent;
    assert.equal(map.getAttribute("aria-label"), told);
    assert.match(told, /\d/);
    assert.ok(find(".explorer .soft").textContent.startsWith("All "));
    const [rows, columns] = [texts("tbody th").length, texts("thead th").length - 1];
    assert.equal(map.querySelectorAll(".heat-empty").length, rows * columns);
    assert.equal(location.search, `?subject=${subject}`);
  }
});

test("what is shown down, across and only can be chosen; never the same twice", async () => {
  await visit("/explore?subject=frustrate");
  const now = (name) => find(`[data-key='${name}']`).value;
  choose(find("[data-key='down']"), "lead");
  assert.deepEqual([now("down"), now("across")], ["lead", "left"]);
  choose(find("[data-key='across']"), "targets");
  assert.equal(document.activeElement.dataset.key, "across");
  const before = find(".explorer p[aria-live]").textContent;
  choose(find("[data-key='only-left']"), "0");
  assert.notEqual(find(".explorer p[aria-live]").textContent, before);
  assert.equal(now("only-left"), "0");
  choose(find("[data-key='measure']"), "gain");
  assert.match(texts(".heat text").join(" "), /[+-]\d/);
  await click(withWords("When to steal"));
  assert.equal(find("h2").textContent, "When to steal");
  assert.equal(document.activeElement.dataset.key, "subject-steal");
});

test("in four languages nothing is without words", async () => {
  for (const language of ["de", "fr", "it"]) {
    for (const subject of ["first", "target", "frustrate", "reduce", "steal", "chances"]) {
      await visit(`/explore?subject=${subject}`, language);
      assert.equal(/\{\w+\}/.test(main().textContent), false, main().textContent);
    }
  }
});
