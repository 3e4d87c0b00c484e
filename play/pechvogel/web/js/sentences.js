// What happened and what is asked, in sentences; `why` has the coach's.

import { faceName, seatName } from "./draw.js";
import { list, say } from "./words.js";

// The numbers of actions, as the server counts them.
export const PASS = 5;
export const REDUCE = 6;
export const FRUSTRATE = 7;
export const TAKE = 8;
export const STEAL = 9;
export const DISCARD = 13;

export const robbed = (position, action) => (position.active + 1 + action - STEAL) % position.num_players;
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

/** What whoever decides is asked; to others it is somebody else's question, with everybody's own names. */
export function question(position, seats, mine) {
  const reader = position.to_act === mine ? mine : null;
  const name = seatName(seats, position.active, reader);
  const names = list(position.frustraters.map((seat) => seatName(seats, seat, reader)));
  return say(`ask.${position.phase}`, { name, names, value: position.target });
}

export const because = (position) => say(`because.${position.phase}`);

/** An event of a room as sentences. */
export function happened(event, seats, mine) {
  /** A sentence about somebody, or about whoever reads it. */
  const about = (seat, key, facts = {}) =>
    say(seat === mine ? `${key}_you` : key, { name: seatName(seats, seat, mine), ...facts });
  const sentences = [];
  if (event.kind === "begin") sentences.push(say("log.begin"));
  if (event.kind === "abandoned") sentences.push(say("log.abandoned", { names: list(event.names) }));
  if (event.kind === "throw") {
    sentences.push(about(event.seat, "log.throw", { dice: event.faces.map(faceName).join(", ") }));
  }
  if (event.kind === "action") sentences.push(taken(event, seats, mine, about));
  if (event.kind === "taken_back") {
    sentences.push(about(event.seat, "log.taken_back"));
    if (event.other_dice) sentences.push(say("log.other_dice"));
  }
  if (event.kind === "over") sentences.push(won(event, seats, mine));
  if (event.turn) sentences.push(...turnOver(event, about));
  return sentences;
}

/** An action that was taken when `asked` was the position. */
function taken({ action, seat, asked }, seats, mine, about) {
  if (action < PASS) return about(seat, "log.target", { value: action + 3 });
  if (action === PASS) return about(seat, `log.${sayNo[asked.phase]}`);
  if (action === REDUCE) return about(seat, "log.reduce");
  if (action === FRUSTRATE && asked.phase === "join") return about(seat, "log.join");
  if (action === FRUSTRATE) {
    const key = asked.active === mine ? "log.frustrate_against_you" : "log.frustrate";
    return about(seat, key, { other: seatName(seats, asked.active, mine) });
  }
  if (action === TAKE) return about(seat, "log.take", { value: asked.target });
  if (action < DISCARD) {
    const other = robbed(asked, action);
    const key = other === mine ? "log.steal_from_you" : "log.steal";
    return about(seat, key, { value: asked.target, other: seatName(seats, other, mine) });
  }
  return about(seat, "log.discard", { value: action - DISCARD + 3 });
}

/** What the end of a turn brings beside markers, and why. */
function turnOver({ kind, turn }, about) {
  const { active, targets, ravens, frustrations, murphy } = turn;
  // Games of before don't tell who had frustrated: whoever gains by it in the end; ravens may bring one in any case.
  const gains = [...frustrations.keys()].filter((seat) => frustrations[seat] > 0);
  const lying = turn.frustraters?.length ?? (frustrations[active] > 1 ? frustrations[active] : 0);
  const sentences = [];
  if (targets && kind === "end") sentences.push(about(active, "log.nothing", { dice: say(`dice.count.${targets}`) }));
  if (ravens) {
    const key = lying === 0 ? "log.ravens" : lying === 1 ? "log.ravens_one" : "log.ravens_all";
    sentences.push(about(active, key, { dice: say(`dice.count.${ravens}`), count: lying }));
  } else {
    for (const seat of turn.frustraters ?? gains) sentences.push(about(seat, "log.failed"));
    const count = -frustrations[active];
    if (count > 0) sentences.push(about(active, count === 1 ? "log.gives" : "log.gives_some", { count }));
  }
  if (murphy !== null) sentences.push(about(murphy, targets > 4 ? "log.greedy_targets" : "log.greedy_ravens"));
  return sentences;
}

function won({ winners, scores }, seats, mine) {
  const others = winners.filter((seat) => seat !== mine).map((seat) => seatName(seats, seat, mine));
  const key = `log.over${winners.length > 1 ? "_shared" : ""}${winners.includes(mine) ? "_you" : ""}`;
  return say(key, { names: list(others), points: scores[winners[0]] });
}

/** How sure the coach is. */
export const sourceWords = (source) => say(source.startsWith("exact") ? "coach.exact" : "coach.estimated");
