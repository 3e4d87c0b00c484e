// Rules, the guided first turn, settings.

import { h, openDialog } from "./dom.js";
import * as draw from "./draw.js";
import { actionWords } from "./sentences.js";
import { language, LANGUAGES, recall, remember, say } from "./words.js";

export function showRules() {
  openDialog(say("rules"), say("close"), h("p", { class: "pre" }, say("rules.text")), h("p", {}, h("button", { type: "button", click: (event) => (event.target.closest("dialog").close(), showTour()) }, say("tour.title"))));
}

/** A guided turn, played with the game's own buttons: `tour.json` has what the engine would show, step by step. */
export async function showTour() {
  const steps = await (await fetch("/web/tour.json")).json();
  const seats = [{ kind: "person", name: "", agent: null }, { kind: "agent", agent: "heuristic" }];
  const content = h("div");
  const show = (number) => {
    const { position, scores, legal, right } = steps[number];
    const text = h("p", { tabindex: "-1" }, say(`tour.${number + 1}`));
    const words = (action) => actionWords(action, position, seats, 0);
    const choose = (action) => (action === right ? show(number + 1) : ((text.textContent = say("tour.try", { action: words(right) })), text.focus()));
    const button = (label, click) => h("button", { type: "button", class: "main", click }, label);
    const on = () => (number + 1 < steps.length ? show(number + 1) : dialog.close());
    const label = scores ? "tour.done" : steps[number].throw ? "tour.throw" : "tour.next";
    content.replaceChildren(
      h("p", { class: "soft small" }, `${number + 1} / ${steps.length}`),
      text,
      scores ? draw.players(position, scores, seats, 0, null) : draw.board(position, seats, 0),
      h("p", { class: "row" }, legal ? legal.map((action) => button(words(action), () => choose(action))) : button(say(label), on)),
    );
    if (number) text.focus();
  };
  show(0);
  const dialog = openDialog(say("tour.title"), say("close"), content);
}

export function applyTheme() {
  const theme = recall("theme", "auto");
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function showSettings(reload) {
  const select = (id, options, now, change) =>
    h("select", { id, change: (event) => change(event.target.value) }, options.map(([value, text]) => h("option", { value, selected: value === now }, text)));
  const names = { en: "English", de: "Deutsch", fr: "Français", it: "Italiano" };
  openDialog(
    say("settings"),
    say("close"),
    h("label", { for: "language" }, say("pick_language"), select("language", LANGUAGES.map((tag) => [tag, names[tag]]), language(), (tag) => (remember("language", tag), reload()))),
    h("label", { for: "theme" }, say("theme"), select("theme", ["auto", "light", "dark"].map((name) => [name, say(`theme.${name}`)]), recall("theme", "auto"), (name) => (remember("theme", name), applyTheme()))),
    h("label", { for: "pace" }, say("pace"), select("pace", ["slow", "normal", "fast", "instant"].map((name) => [name, say(`pace.${name}`)]), recall("pace", "normal"), (name) => remember("pace", name))),
  );
}
