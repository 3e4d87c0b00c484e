// Small helpers: elements, news for a screen reader, alarms, dialogs.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { choose, find, open, texts } from "./browser.js";
import * as dom from "../../play/pechvogel/web/js/dom.js";

beforeEach(() => open());
afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

test("an element has its attributes, but for those that are off", () => {
  const element = dom.h("input", { type: "text", readonly: true, disabled: false, title: null, id: undefined, min: 0 });
  assert.equal(element.outerHTML, '<input type="text" readonly="" min="0">');
});

test("a value is what is typed, and a function listens", () => {
  let heard = 0;
  const element = dom.h("input", { value: "Ann", click: () => (heard += 1) });
  assert.equal(element.value, "Ann");
  assert.equal(element.hasAttribute("value") || element.hasAttribute("click"), false);
  element.click();
  assert.equal(heard, 1);
});

test("children are flattened, nothing is left out but null, undefined and false", () => {
  const element = dom.h("p", {}, "a", [null, [dom.h("b", {}, "c"), undefined, false]], 0, "");
  assert.equal(element.innerHTML, "a<b>c</b>0");
});

test("text is text, whatever it looks like", () => {
  assert.equal(dom.h("p", {}, "<img src=x>").children.length, 0);
});

test("pictures are of SVG", () => {
  const line = dom.svg("svg", { viewBox: "0 0 1 1" }, [dom.svg("line", { x1: 0 })]).firstChild;
  assert.equal(line.namespaceURI, "http://www.w3.org/2000/svg");
  assert.equal(line.getAttribute("x1"), "0");
});

test("a button does not send the form that it is in", () => {
  const element = dom.button("Go", () => {}, { class: "main", disabled: true });
  assert.equal(element.outerHTML, '<button type="button" class="main" disabled="">Go</button>');
});

test("a choice begins with what is, and tells what is chosen", () => {
  const chosen = [];
  const options = [
    [1, "one"],
    [2, "two"],
  ];
  const element = dom.select(options, "2", (value) => chosen.push(value), { id: "many" });
  assert.deepEqual([element.id, element.value, ...texts("option", element)], ["many", "2", "one", "two"]);
  choose(element, "1");
  assert.deepEqual(chosen, ["1"]);
});

test("a range counts from zero", () => assert.deepEqual(dom.range(3), [0, 1, 2]));

test("news are told in order, and the oldest go", () => {
  for (let k = 0; k < 15; k++) dom.announce(`news ${k}`);
  const told = texts("#news p");
  assert.deepEqual([told.length, told[0], told.at(-1)], [12, "news 3", "news 14"]);
});

test("an alarm stays for its seconds; a new one gets its own", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const shown = () => find("#alert").textContent;
  dom.alarm("first");
  mock.timers.tick(5000);
  dom.alarm("second");
  mock.timers.tick(5000);
  assert.equal(shown(), "second");
  mock.timers.tick(1000);
  assert.equal(shown(), "");
  dom.alarm("for ever", 0);
  mock.timers.tick(100_000);
  assert.equal(shown(), "for ever");
});

test("a dialog has a title and content, and is gone when closed", () => {
  const dialog = dom.openDialog("Title", "Close", dom.h("em", {}, "content"));
  assert.equal(dialog.getAttribute("aria-labelledby"), find("h2", dialog).id);
  assert.deepEqual(texts("h2, em, button", dialog), ["Title", "content", "Close"]);
  assert.equal(dialog.hasAttribute("open"), true);
  find("button", dialog).click();
  assert.equal(find("dialog"), null);
});

test("text is copied, also where pages have no clipboard", async () => {
  const field = dom.h("input", { value: "link" });
  document.execCommand = mock.fn();
  await dom.copyText(field);
  assert.deepEqual(document.execCommand.mock.calls[0].arguments, ["copy"]);
  navigator.clipboard = { writeText: mock.fn() };
  await dom.copyText(field);
  assert.deepEqual(navigator.clipboard.writeText.mock.calls[0].arguments, ["link"]);
  assert.equal(document.execCommand.mock.callCount(), 1);
  delete navigator.clipboard;
});
