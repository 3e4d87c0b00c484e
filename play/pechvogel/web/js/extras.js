// Rules, the guided first turn, settings.

import { button, h, openDialog, select } from "./dom.js";
import * as draw from "./draw.js";
import { actionWords } from "./sentences.js";
import { play } from "./sound.js";
import { coachStyle, STYLES } from "./tutor.js";
import { labelled, language, LANGUAGES, recall, remember, say } from "./words.js";

/** The rules of a game that is being played, else Pechvogel's. */
export function showRules(game = null) {
  if (game && !game.whole) {
    openDialog(labelled(say("rules"), game.title()), say("close"), h("p", { class: "pre" }, game.rules()));
    return;
  }
  const tour = () => {
    dialog.close();
    showTour();
  };
  const dialog = openDialog(
    say("rules"),
    say("close"),
    h("p", { class: "pre" }, say("rules.text")),
    h("p", {}, button(say("tour.title"), tour)),
  );
}

/** A guided turn, played with the game's own buttons: `tour.json` has what the engine would show, step by step. */
export async function showTour() {
  const steps = await (await fetch("/web/tour.json")).json();
  const seats = [
    { kind: "person", name: "", agent: null },
    { kind: "agent", agent: "heuristic" },
  ];
  const content = h("div");
  const show = (number) => {
    const { position, scores, legal, right } = steps[number];
    const text = h("p", { tabindex: "-1" }, say(`tour.${number + 1}`));
    const words = (action) => actionWords(action, position, seats, 0);
    const choose = (action) => {
      if (action === right) {
        show(number + 1);
      } else {
        text.textContent = say("tour.try", { action: words(right) });
        text.focus();
      }
    };
    const on = () => (number + 1 < steps.length ? show(number + 1) : dialog.close());
    const label = scores ? "tour.done" : steps[number].throw ? "tour.throw" : "tour.next";
    content.replaceChildren(
      h("p", { class: "soft small" }, `${number + 1} / ${steps.length}`),
      text,
      scores ? draw.players(position, scores, seats, 0, null) : draw.board(position, seats, 0),
      h(
        "p",
        { class: "row" },
        legal
          ? legal.map((action) => button(words(action), () => choose(action), { class: "main" }))
          : button(say(label), on, { class: "main" }),
      ),
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
  const names = { en: "English", de: "Deutsch", fr: "Français", it: "Italiano" };
  const speak = (tag) => {
    remember("language", tag);
    reload();
  };
  const paint = (theme) => {
    remember("theme", theme);
    applyTheme();
  };
  const languages = LANGUAGES.map((tag) => [tag, names[tag]]);
  const themes = ["auto", "light", "dark"].map((theme) => [theme, say(`theme.${theme}`)]);
  const paces = ["slow", "normal", "fast", "instant"].map((pace) => [pace, say(`pace.${pace}`)]);
  const styles = STYLES.map((style) => [style, say(`coach.style.${style}`)]);
  openDialog(
    say("settings"),
    say("close"),
    setting("language", say("pick_language"), languages, language(), speak),
    setting("theme", say("theme"), themes, recall("theme", "auto"), paint),
    setting("pace", say("pace"), paces, recall("pace", "normal"), (pace) => remember("pace", pace)),
    setting("coach-style", say("coach.style"), styles, coachStyle(), (style) => remember("coach", style)),
    habitsForm(),
    toggle("sound", say("sound"), () => play("marker")),
    toggle("vibration", say("vibration")),
    toggle("mute", say("call.mute")),
  );
}

const setting = (id, label, options, now, change) =>
  h("label", { for: id }, label, select(options, now, change, { id }));

/** Something that is off unless somebody wants it. */
function toggle(key, label, changed = () => {}) {
  const change = (event) => {
    remember(key, event.target.checked);
    changed();
  };
  return h("label", {}, h("input", { type: "checkbox", id: key, checked: recall(key, false) === true, change }), label);
}

/** When one wants to be asked about frustrating. */
export function habitsForm(changed = () => {}) {
  const asks = ["always", "marker"].map((ask) => [ask, say(`habits.ask.${ask}`)]);
  const choose = (ask) => {
    remember("ask", ask);
    changed();
  };
  return h(
    "div",
    {},
    setting("ask", say("habits.ask"), asks, recall("ask", "always"), choose),
    toggle("let_ravens", say("habits.ravens"), changed),
  );
}
