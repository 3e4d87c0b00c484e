// A position while it is being set up: as people describe one. The server says whether there can be such a position.

import { range } from "./dom.js";
import { VALUES } from "./draw.js";

export const MOMENTS = ["begin", "target", "throw", "reduce", "frustrate", "join", "take", "discard", "over"];
const DICE = 7;
const OF_ACTIVE = ["target", "reduce", "take", "discard"];
const WITHOUT_BOARD = ["begin", "over"];

const count = (thrown, face) => thrown.filter((one) => one === face).length;
const clockwise = (seat, from, players) => (seat - from + players) % players;

/** What the board had before the last throw is told apart from that throw; between turns there is neither. */
export function draftOf(position) {
  const { target, targets, ravens, last_throw: thrown, phase } = position;
  const waiting = phase === "throw";
  return {
    ...structuredClone(position),
    moment: waiting && target === null ? "begin" : phase,
    target: target ?? VALUES[0],
    lying: {
      targets: waiting ? targets : Math.max(0, targets - (target === null ? 0 : count(thrown, target))),
      ravens: waiting ? ravens : Math.max(0, ravens - count(thrown, 0)),
    },
    thrown: waiting ? [] : [...thrown],
  };
}

/** The position of a draft, as the server's JSON has it. */
export function positionOfDraft(draft) {
  const { moment, lying, thrown, active } = draft;
  const { num_players, copies, italian_reading, middle, players, murphy, turn } = draft;
  const common = { num_players, copies, italian_reading, middle, players, murphy, active, turn };
  const empty = { target: null, targets: 0, ravens: 0, last_throw: [] };
  const calm = { reduced: false, frustraters: [], after_reduction: false };
  const asked = OF_ACTIVE.includes(moment) ? active : null;
  if (WITHOUT_BOARD.includes(moment)) {
    return { ...common, ...empty, ...calm, phase: moment === "begin" ? "throw" : moment, to_act: null };
  }
  if (moment === "target") {
    return { ...common, ...empty, ...calm, ravens: count(thrown, 0), last_throw: thrown, phase: moment, to_act: asked };
  }
  const { target, reduced, frustraters } = draft;
  const now = moment === "throw" ? [] : thrown;
  return {
    ...common,
    target,
    targets: lying.targets + count(now, target),
    ravens: lying.ravens + count(now, 0),
    reduced,
    frustraters,
    last_throw: now,
    after_reduction: reduced && draft.after_reduction,
    phase: moment,
    to_act: moment === "throw" ? null : (asked ?? draft.to_act),
  };
}

export const hasBoard = ({ moment }) => !WITHOUT_BOARD.includes(moment) && moment !== "target";
export const hasThrow = ({ moment }) => !WITHOUT_BOARD.includes(moment) && moment !== "throw";
export const asksOpponent = ({ moment }) => moment === "frustrate" || moment === "join";

/** How many dice the last throw had. */
export const diceThrown = ({ moment, lying }) => (moment === "target" ? DICE : DICE - lying.targets - lying.ravens);

/** The opponents of whoever is at turn, clockwise. */
export const opponents = ({ active, num_players }) => range(num_players - 1).map((k) => (active + 1 + k) % num_players);

/** After a change of who is at turn or of who is there: nobody frustrates or is asked who can't. */
function settled(draft) {
  const others = opponents(draft);
  return {
    ...draft,
    frustraters: draft.frustraters.filter((seat) => others.includes(seat)),
    to_act: others.includes(draft.to_act) ? draft.to_act : others[0],
  };
}

export const withActive = (draft, active) => settled({ ...draft, active });

export function withMoment(draft, moment) {
  return settled({ ...draft, moment, lying: moment === "target" ? { targets: 0, ravens: 0 } : later(draft.lying) });
}

/** A later throw follows one that has put a target on the board. */
const later = ({ targets, ravens }) => ({ targets: Math.max(1, targets), ravens });

/** Another number of players: who is new has nothing, and the markers of whoever goes are in the middle again. */
export function withPlayers(draft, players) {
  const stay = draft.players.slice(0, players);
  const gone = draft.players.slice(players);
  const fresh = range(players - stay.length).map(() => ({ markers: VALUES.map(() => 0), frustrations: 0 }));
  return settled({
    ...draft,
    num_players: players,
    players: [...stay, ...fresh],
    middle: draft.middle.map((number, k) => gone.reduce((sum, { markers }) => sum + markers[k], number)),
    murphy: draft.murphy !== null && draft.murphy < players ? draft.murphy : null,
    active: draft.active < players ? draft.active : 0,
  });
}

/** Another number of markers of each value: more lie in the middle; fewer are taken from there first, then from players. */
export function withCopies(draft, copies) {
  const middle = draft.middle.map((number) => number + Math.max(0, copies - draft.copies));
  const players = structuredClone(draft.players);
  VALUES.forEach((_, k) => {
    const all = players.map(({ markers }) => markers).reverse();
    let over = middle[k] + all.reduce((sum, markers) => sum + markers[k], 0) - copies;
    for (const place of [middle, ...all]) {
      const less = Math.min(place[k], Math.max(0, over));
      place[k] -= less;
      over -= less;
    }
  });
  return { ...draft, copies, middle, players };
}

/** A player's markers of a value; they come from the middle, and go back there. */
export function withMarkers(draft, seat, k, number) {
  const players = structuredClone(draft.players);
  const more = number - players[seat].markers[k];
  players[seat].markers[k] = number;
  const held = players.reduce((sum, { markers }) => sum + markers[k], 0);
  const left = Math.max(0, Math.min(draft.copies - held, draft.middle[k] - more));
  return withMiddle({ ...draft, players }, k, left);
}

export const withMiddle = (draft, k, number) => ({ ...draft, middle: draft.middle.with(k, number) });

export function withFrustrations(draft, seat, number) {
  return { ...draft, players: draft.players.with(seat, { ...draft.players[seat], frustrations: number }) };
}

/** Whose frustrations lie on the board, clockwise from whoever began. */
export function withFrustraters(draft, seats, starter = draft.frustraters[0]) {
  const { active, num_players: players } = draft;
  const from = seats.includes(starter) ? starter : active;
  const frustraters = [...seats].sort((a, b) => clockwise(a, from, players) - clockwise(b, from, players));
  return { ...draft, frustraters };
}
