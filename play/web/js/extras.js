// Rules, the guided first turn, settings.

import { h, openDialog } from "./dom.js";
import * as draw from "./draw.js";
import { language, LANGUAGES, recall, remember, say } from "./words.js";

export function showRules() {
  openDialog(say("rules"), say("close"), h("p", { class: "pre" }, say("rules.text")), h("p", {}, h("button", { type: "button", click: (event) => (event.target.closest("dialog").close(), showTour()) }, say("tour.title"))));
}

// The guided turn: pictures of one turn, step by step, as the engine would show it.
const nobody = { markers: [0, 0, 0, 0, 0], frustrations: 0 };
const picture = (change) => ({
  num_players: 2, copies: 3, middle: [3, 3, 3, 3, 3], players: [nobody, nobody], murphy: null, active: 0,
  target: null, targets: 0, ravens: 0, frustraters: [], last_throw: [], phase: "throw", to_act: 0, ...change,
});
const TOUR = [
  picture({ last_throw: [7, 7, 0, 0, 3, 4, 5], ravens: 2, phase: "target" }),
  picture({ target: 7, targets: 2, ravens: 2, last_throw: [7, 7, 0, 0, 3, 4, 5] }),
  picture({ target: 7, targets: 4, ravens: 2, last_throw: [6, 7, 7], middle: [3, 3, 3, 3, 2], players: [{ markers: [0, 0, 0, 0, 1], frustrations: 0 }, nobody] }),
  picture({ target: 6, targets: 3, ravens: 2, last_throw: [6, 5, 3], players: [{ markers: [0, 0, 0, 0, 1], frustrations: 0 }, { markers: [0, 0, 0, 0, 0], frustrations: 0 }], active: 1, frustraters: [0] }),
  picture({ middle: [0, 0, 0, 0, 0], phase: "over", players: [{ markers: [1, 2, 1, 2, 2], frustrations: 1 }, { markers: [2, 1, 2, 1, 1], frustrations: 2 }], murphy: 1 }),
];

export function showTour(step = 0) {
  const seats = [{ kind: "person", name: "", agent: null }, { kind: "agent", agent: "heuristic" }];
  const last = step === TOUR.length - 1;
  const position = TOUR[step];
  const dialog = openDialog(
    `${say("tour.title")} (${step + 1}/${TOUR.length})`,
    last ? say("tour.done") : say("close"),
    h("p", {}, say(`tour.${step + 1}`)),
    step < 4 ? draw.board(position, seats, 0) : draw.players(position, [39, 19], seats, 0, null),
    !last && h("p", {}, h("button", { type: "button", class: "main", click: () => (dialog.close(), showTour(step + 1)) }, say("tour.next"))),
  );
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
