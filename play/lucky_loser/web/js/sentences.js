// The game in words. The server says what every action does; `play/lucky_loser/words.py` has the same sentences.

import { seatName } from "/web/js/draw.js";
import { happened as told } from "/web/js/sentences.js";
import { say } from "/web/js/words.js";

export const PREFIX = "lucky-loser.";
export const own = (key, facts) => say(`${PREFIX}${key}`, facts);

let names = []; // of actions, by number

export const named = (actions) => (names = actions);

/** Groups by their sums. */
export const groupWords = (sums) => (sums.length ? `{${sums.join(",")}}` : own("act.nothing"));

export const actionWords = (action) => (action === 0 ? own("act.nothing") : names[action]);

export function question(position, seats, mine) {
  if (position.to_act === mine) return own("ask.group");
  return own("ask.group_of", { name: seatName(seats, position.active, mine) });
}

const isLucky = ({ last_throw: thrown }) => thrown.filter((face) => face === 1).length > 1;

export const because = (position) =>
  isLucky(position) ? `${own("because.lucky")} ${own("because.group")}` : own("because.group");

/** What an action does: chips and bonus cards first, then who is sent home, and squares. */
export function didWords({ chips = [], bonus = 0, closed = [], home = [], squares = [] }, seats, mine) {
  return [
    ...chips.map(([sum, count]) => own(count === 1 ? "did.chip" : "did.chips", { sum, count })),
    ...(bonus ? [own("did.bonus", { points: bonus })] : []),
    ...closed.map((sum) => own("did.closed", { sum })),
    ...home.map(([sum, seat]) =>
      own(seat === mine ? "did.home_you" : "did.home", { sum, name: seatName(seats, seat, mine) }),
    ),
    ...squares.map(([sum, square]) => own("did.square", { sum, square })),
  ].join(", ");
}

/** An event of a room as sentences; what is the same in every game, in the page's own. */
export function happened(event, seats, mine) {
  if (event.kind !== "throw" && event.kind !== "action") return told(event, seats, mine);
  const about = (key, facts) =>
    own(event.seat === mine ? `${key}_you` : key, { name: seatName(seats, event.seat, mine), ...facts });
  if (event.kind === "throw") {
    const thrown = about("log.throw", { dice: event.faces.join(", ") });
    return event.lucky ? [thrown, own("log.lucky")] : [thrown];
  }
  const { did } = event;
  if (!did.sums.length) return [about("log.nothing")];
  return [about("log.group", { groups: groupWords(did.sums), did: didWords(did, seats, mine) })];
}
