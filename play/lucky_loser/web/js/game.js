// What Lucky Loser brings to a room of the page; `games.js` finds it, and Pechvogel's `pechvogel.js` has the same names.

import { h } from "/web/js/dom.js";
import { play, tremble } from "/web/js/sound.js";
import { loadMore } from "/web/js/words.js";
import { decision } from "./decision.js";
import { dieButton, FACES } from "./dice.js";
import { actionWords, happened, named, own, PREFIX, question } from "./sentences.js";
import { Table } from "./table.js";

export const game = {
  name: "lucky-loser",
  whole: false, // no habits, no memory, no pages of positions, no analysis board
  load,
  Table,
  faces: FACES,
  faceName: String,
  dieButton,
  title: () => own("title"),
  tagline: () => own("tagline"),
  rules: () => own("rules.text"),
  happened,
  question,
  actionWords,
  decision,
  standing: ({ state }) => state.choices,
  how: () => "",
  saying: ({ action }) => actionWords(action),
  isPass: (action) => action === 0,
  landed: () => play("place"),
  underline,
  settings: ({ row_lengths }) => ({ row_lengths }),
  decided: (row, action) => actionWords(action),
};

/** Its words in the page's language, its styles, and what its actions are called. */
async function load() {
  const known = fetch("/api/games").then((answer) => answer.json());
  await Promise.all([loadMore(PREFIX, "/web/lucky-loser/words"), styled()]);
  const { games } = await known;
  named(games.find(({ name }) => name === game.name).actions);
}

function styled() {
  if (document.getElementById("lucky-loser-style")) return null;
  return new Promise((done) => {
    const link = h("link", { id: "lucky-loser-style", rel: "stylesheet", href: "/web/lucky-loser/css/table.css" });
    link.onload = link.onerror = done;
    document.head.append(link);
  });
}

/** What is worth a sound or a shake. */
function underline({ kind, did }, table, seat) {
  if (kind !== "action") return;
  for (const [, other] of did.home ?? []) {
    table?.shakeSeat(other);
    if (other === seat) tremble(60, 40, 60);
  }
  if (did.home) play("steal");
  else if (did.chips) play("marker");
}
