// A browser for tests: jsdom's document, and a server that gives the answers it was told to give.

import { readFileSync } from "node:fs";
import { JSDOM } from "jsdom";

const WEB = new URL("../../play/pechvogel/web/", import.meta.url);
const { window } = new JSDOM(readFileSync(new URL("index.html", WEB), "utf8"), { url: "http://localhost/" });

/** What happened to the server: requests but those for files, in order. */
export const sent = [];
let answers = {};

/** Answers by method and path: content, a function of the request's content, or a `Response`; no answer is a 404. */
export function serve(some) {
  answers = { ...answers, ...some };
}

export const offline = () => {
  throw new TypeError("nobody answers");
};
export const refuse = (status, content) => () => new Response(JSON.stringify(content), { status });

async function fetch(path, { method = "GET", body, headers = {}, signal } = {}) {
  if (path.startsWith("/web/")) return new Response(readFileSync(new URL(`..${path}`, WEB)));
  const content = body === undefined ? undefined : JSON.parse(body);
  sent.push({ method, path, content, headers, signal });
  const answer = answers[`${method} ${path.split("?")[0]}`];
  if (answer === undefined) return new Response("{}", { status: 404 });
  const found = typeof answer === "function" ? await answer(content, path) : answer;
  return found instanceof Response ? found : new Response(JSON.stringify(found));
}

/** The server's stream of events; tests tell what comes. */
export class Stream extends window.EventTarget {
  static CLOSED = 2;
  static all = [];

  constructor(path) {
    super();
    this.path = path;
    this.readyState = 1;
    Stream.all.push(this);
  }

  static get last() {
    return Stream.all.at(-1);
  }

  close() {
    this.readyState = Stream.CLOSED;
  }

  tell(event) {
    this.onmessage({ data: JSON.stringify(event) });
  }

  send(kind, content = null) {
    this.dispatchEvent(new window.MessageEvent(kind, { data: JSON.stringify(content) }));
  }
}

// The page complains of missing words there.
console.error = (complaint) => {
  throw new Error(complaint);
};

// What jsdom does not have.
window.Element.prototype.scrollIntoView = () => {};
window.HTMLDialogElement.prototype.showModal = function showModal() {
  this.setAttribute("open", "");
};
window.HTMLDialogElement.prototype.close = function close() {
  this.removeAttribute("open");
  this.dispatchEvent(new window.Event("close"));
};

const { document, history, location, localStorage } = window;
const navigator = { languages: ["en"] };
for (const [name, value] of Object.entries({
  document,
  EventSource: Stream,
  fetch,
  history,
  localStorage,
  location,
  navigator,
  window,
})) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

/** A browser that has never been here; then it is set to a language, and has that language's words. */
export async function open(path = "/", language = "en") {
  const { loadWords } = await import("../../play/pechvogel/web/js/words.js");
  localStorage.clear();
  sent.length = Stream.all.length = 0;
  answers = {};
  document.querySelectorAll("dialog").forEach((dialog) => dialog.remove());
  for (const id of ["main", "news", "alert", "top"]) document.getElementById(id).replaceChildren();
  document.activeElement?.blur();
  history.replaceState(null, "", path);
  localStorage.setItem("pechvogel.language", JSON.stringify(language));
  localStorage.setItem("pechvogel.pace", JSON.stringify("instant"));
  await loadWords();
  return document.getElementById("main");
}

export const main = () => document.getElementById("main");
export const find = (selector, within = document) => within.querySelector(selector);
export const texts = (selector, within = document) =>
  [...within.querySelectorAll(selector)].map((element) => element.textContent);

/** The button, link or the like with these words. */
export function withWords(words, selector = "button", within = document) {
  const found = [...within.querySelectorAll(selector)].filter((element) => element.textContent === words);
  if (found.length !== 1) throw new Error(`${found.length} of ${selector} say ${words}`);
  return found[0];
}

/** Let everything happen that waits for nothing but answers. */
export async function settle() {
  for (let k = 0; k < 20; k++) await new Promise((wake) => setImmediate(wake));
}

export function choose(element, value) {
  element.value = value;
  element.dispatchEvent(new window.Event("change"));
}

export function type(element, value) {
  element.value = value;
  element.dispatchEvent(new window.Event("input"));
}

export async function submit(form) {
  form.requestSubmit(form.querySelector("button:not([type])"));
  await settle();
}

export async function click(element) {
  element.click();
  await settle();
}

// ------------------------------------------------------------------ what a server says

export const person = (name, more = {}) => ({ kind: "person", name, agent: null, wishes: [], ...more });
export const agent = (spec) => ({ kind: "agent", name: "", agent: spec, wishes: [] });

/** The first throw of the first turn. */
export const position = (more = {}) => ({
  num_players: 2,
  copies: 3,
  italian_reading: false,
  middle: [3, 3, 3, 3, 3],
  players: Array.from({ length: more.num_players ?? 2 }, () => ({ markers: [0, 0, 0, 0, 0], frustrations: 0 })),
  murphy: null,
  active: 0,
  target: null,
  targets: 0,
  ravens: 0,
  reduced: false,
  frustraters: [],
  last_throw: [7, 7, 3, 0, 4, 4, 7],
  after_reduction: false,
  phase: "target",
  to_act: 0,
  turn: 0,
  ...more,
});

/** A room in which the first player is asked for a target. */
export const state = (more = {}) => ({
  seats: [person("Ann"), agent("champion:level=3")],
  position: position(),
  scores: [0, 0],
  events: 2,
  begun: true,
  over: false,
  to_act: 0,
  played: 0,
  legal: [0, 1, 4],
  agreed: { coach: false, take_back: false },
  practice: false,
  promise: "a1b2",
  dice_due: 0,
  winners: [],
  rematch: null,
  missing_numbers: [],
  copies: 3,
  italian_reading: false,
  ...more,
});
