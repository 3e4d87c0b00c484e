// Puts into the page's words what comes from standard input; see tests/pechvogel/test_sentences.py.
// It needs no packages, so that tests in Python can run it.

import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";

const WEB = new URL("../../play/pechvogel/web/", import.meta.url);
const { languages, tables, reasons, shares, names } = JSON.parse(await text(process.stdin));
let language = languages[0];
for (const [name, value] of Object.entries({
  document: { documentElement: {} },
  fetch: async (path) => new Response(readFileSync(new URL(`..${path}`, WEB))),
  localStorage: { getItem: () => JSON.stringify(language) },
})) {
  Object.defineProperty(globalThis, name, { value });
}
const { list, loadWords, percent, signed } = await import("../../play/pechvogel/web/js/words.js");
const sentences = await import("../../play/pechvogel/web/js/sentences.js");
const { reasonLine } = await import("../../play/pechvogel/web/js/why.js");

function told({ players, mine, events, asked }) {
  const seats = players.map((name) => ({ kind: "person", name, agent: null }));
  return {
    happened: events.map((event) => sentences.happened(event, seats, mine)),
    asked: asked.map(({ position, legal }) => [
      sentences.question(position, seats, mine),
      sentences.because(position),
      ...legal.map((action) => sentences.actionWords(action, position, seats, mine)),
    ]),
  };
}

function why({ players, mine, position, reason }) {
  const seats = players.map((name) => ({ kind: "person", name, agent: null }));
  return reasonLine({ reason }, null, position, seats, mine);
}

const found = {};
for (language of languages) {
  await loadWords();
  found[language] = {
    tables: tables.map(told),
    reasons: reasons.map(why),
    shares: shares.map(([share, digits]) => percent(share, digits)),
    changes: shares.map(([share]) => [signed(share), signed(-share)]),
    lists: names.map(list),
  };
}
process.stdout.write(JSON.stringify(found));
