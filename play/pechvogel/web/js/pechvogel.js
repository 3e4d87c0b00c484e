// What Pechvogel brings to a room of the page: its table, its sentences, and what is worth a sound.
// Every game has one of these; `games.js` finds it.

import { dieButton, FACES, faceName } from "./draw.js";
import { positionOf } from "./line.js";
import { actionWords, DISCARD, FRUSTRATE, happened, PASS, question, REDUCE, robbed, STEAL, TAKE } from "./sentences.js";
import { play, tremble } from "./sound.js";
import { Table } from "./table.js";
import { say } from "./words.js";

export const pechvogel = {
  name: "pechvogel",
  whole: true, // with habits, memory, pages of positions and an analysis board
  Table,
  faces: FACES,
  faceName,
  dieButton,
  title: () => say("title"),
  rules: () => say("rules.text"),
  happened,
  question,
  actionWords,
  standing,
  how,
  saying: ({ action, asked }, seats, mine) => actionWords(action, asked, seats, mine),
  isPass: (action) => action === PASS,
  landed,
  underline,
  settings: ({ copies, italian_reading }) => ({ copies, italian_reading }),
  /** A decision of a review. */
  decided: (row, action, seats, mine) => actionWords(action, positionOf(row.position), seats, mine),
};

/** Which pieces stand for which legal action. */
function standing({ state, position, seat }) {
  return state.legal
    .filter((action) => action !== PASS)
    .map((action) => {
      if (action < PASS) return [action, { die: action + 3 }];
      if (action === REDUCE || action === FRUSTRATE) return [action, { tokens: seat }];
      if (action === TAKE) return [action, { middle: position.target }];
      if (action < DISCARD) return [action, { seat: { number: robbed(position, action), value: position.target } }];
      return [action, { middle: action - DISCARD + 3 }];
    });
}

/** How points come about, where that is not plain: markers less what frustrations cost. */
function how(position, seat, score) {
  const markers = position.players[seat].markers.reduce((sum, count, k) => sum + count * (k + 3), 0);
  return markers > score ? `${markers} − ${markers - score}` : "";
}

/** Dice have landed. */
function landed({ faces, position }, table) {
  const { target, targets, ravens } = position;
  if (faces.includes(0)) play("raven");
  else if (faces.includes(target)) play("place");
  if (targets > 3 || ravens > 2) table?.lightBoard(ravens < 3);
}

/** Whether an action takes something from another player. */
const robs = (action) => action >= STEAL && action < DISCARD;

/** What is worth a sound or a shake. */
function underline(event, table, seat) {
  if (event.kind === "action" && robs(event.action)) {
    const victim = robbed(event.asked, event.action);
    table?.shakeSeat(victim);
    play("steal");
    if (victim === seat) tremble(60, 40, 60);
  } else if (event.action === TAKE) play("marker");
  else if (event.action === FRUSTRATE) {
    play("frustrate");
    if (event.asked.active === seat) tremble(40);
  } else if (event.turn?.murphy !== null && event.turn) play("murphy");
}
