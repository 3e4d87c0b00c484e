// What happened, what is asked and why an action is good, in sentences.

import { faceName, seatName } from "./draw.js";
import { list, percent, say } from "./words.js";

// The numbers of actions, as the server counts them.
export const PASS = 5;
export const REDUCE = 6;
export const FRUSTRATE = 7;
export const TAKE = 8;
const STEAL = 9;
const DISCARD = 13;

const robbed = (position, action) => (position.active + 1 + action - STEAL) % position.num_players;
const sayNo = { reduce: "keep", frustrate: "let", join: "stay_out" };

/** An action as a button. */
export function actionWords(action, position, seats, mine) {
  if (action < PASS) return say("act.target", { value: action + 3 });
  if (action === PASS) return say(`act.${sayNo[position.phase]}`);
  if (action === REDUCE) return say("act.reduce");
  if (action === FRUSTRATE) return say(position.phase === "join" ? "act.join" : "act.frustrate");
  if (action === TAKE) return say("act.take");
  if (action < DISCARD && robbed(position, action) === mine) return say("act.steal_you");
  if (action < DISCARD) return say("act.steal", { name: seatName(seats, robbed(position, action), mine) });
  return say("act.discard", { value: action - DISCARD + 3 });
}

/** What whoever decides is asked. */
export function question(position, seats, mine) {
  const name = seatName(seats, position.active, mine);
  const names = list(position.frustraters.map((seat) => seatName(seats, seat, mine)));
  return say(`ask.${position.phase}`, { name, names, value: position.target });
}

export const because = (position) => say(`because.${position.phase}`);

/** An action that was taken, before which `position` was. */
function taken(action, seat, position, seats, mine) {
  const name = seatName(seats, seat, mine);
  if (action < PASS) return say("log.target", { name, value: action + 3 });
  if (action === PASS) return say(`log.${sayNo[position.phase]}`, { name });
  if (action === REDUCE) return say("log.reduce", { name });
  if (action === FRUSTRATE && position.phase === "join") return say("log.join", { name });
  if (action === FRUSTRATE && position.active === mine) return say("log.frustrate_you", { name });
  if (action === FRUSTRATE) return say("log.frustrate", { name, other: seatName(seats, position.active, mine) });
  if (action === TAKE) return say("log.take", { name, value: position.target });
  if (action < DISCARD && robbed(position, action) === mine) {
    return say("log.steal_you", { name, value: position.target });
  }
  if (action < DISCARD) {
    return say("log.steal", { name, value: position.target, other: seatName(seats, robbed(position, action), mine) });
  }
  return say("log.discard", { name, value: action - DISCARD + 3 });
}

/** An event of a room as sentences. */
export function happened(event, seats, mine) {
  const sentences = [];
  if (event.kind === "begin") sentences.push(say("log.begin"));
  if (event.kind === "throw") {
    sentences.push(
      say("log.throw", { name: seatName(seats, event.seat, mine), dice: event.faces.map(faceName).join(", ") }),
    );
  }
  if (event.kind === "action") sentences.push(taken(event.action, event.seat, event.asked, seats, mine));
  if (event.kind === "taken_back") {
    sentences.push(say("log.taken_back", { name: seatName(seats, event.seat, mine) }));
    if (event.other_dice) sentences.push(say("log.other_dice"));
  }
  if (event.kind === "over") {
    const names = list(event.winners.map((seat) => seatName(seats, seat, mine)));
    sentences.push(say("log.over", { names, points: event.scores[event.winners[0]] }));
  }
  if (event.turn) {
    const { active, targets, ravens } = event.turn;
    const name = seatName(seats, active, mine);
    if (targets && event.kind === "end") sentences.push(say("log.nothing", { name, count: targets }));
    if (ravens) sentences.push(say("log.ravens", { name, count: ravens }));
    event.turn.frustrations.forEach((count, seat) => {
      const whose = seatName(seats, seat, mine);
      if (count > 0) sentences.push(say("log.gains", { name: whose, count }));
      if (count < 0) sentences.push(say("log.loses", { name: whose, count: -count }));
    });
    if (event.turn.murphy !== null) {
      sentences.push(say("log.murphy", { name: seatName(seats, event.turn.murphy, mine) }));
    }
  }
  return sentences;
}

/** Why an action is good or bad, from the coach's facts. */
export function reason(why) {
  return say(`why.${why.kind}`, {
    ...why,
    shown: `${why.shown} × ${why.value}`,
    targets: percent(why.targets ?? 0, 0),
    ravens: percent(why.ravens ?? 0, 0),
  });
}

/** How sure the coach is. */
export const sourceWords = (source) => say(source.startsWith("exact") ? "coach.exact" : "coach.estimated");
