// People together: whose turn it is, what they call out, who looks on, and how the games of a series add up.

import { button, h } from "./dom.js";
import { seatName } from "./draw.js";
import { face } from "./faces.js";
import { speech } from "./pieces.js";
import { list, recall, say, whole } from "./words.js";

export const CALLS = ["hello", "well_played", "lucky", "ouch", "thanks", "your_turn"];
export const CALL_PAUSE = 3000; // milliseconds from one call to the next, as the server has it
const WATCHED = { slow: 3, normal: 1.6, fast: 0.8, instant: 0.5 }; // seconds for a decision of agents among themselves

/** Say in the title, and on the page's icon where there is one, whether we are waited for. */
export function notice(waited) {
  document.title = waited ? say("people.turn", { title: say("title") }) : say("title");
  const done = waited ? navigator.setAppBadge?.(1) : navigator.clearAppBadge?.();
  done?.catch?.(() => {}); // not every browser that knows badges may show them
}

/** What can be called out to other people at the table; on a phone, behind a button at the top. */
export function callButtons(page) {
  const fold = (open) => {
    box.classList.toggle("open", open);
    opener.setAttribute("aria-expanded", String(open));
  };
  const opener = button(speech(), () => fold(!box.classList.contains("open")), {
    class: "call-opener",
    "data-key": "calls",
    "aria-label": say("call.title"),
    "aria-expanded": "false",
  });
  const call = (what) => async (event) => {
    await page.call(what, event.target);
    fold(false);
  };
  const calls = CALLS.map((what) => button(say(`call.${what}`), call(what), { "data-key": `call-${what}` }));
  const box = h(
    "div",
    { class: "call-box" },
    opener,
    h("div", { class: "calls", role: "group", "aria-label": say("call.title") }, calls),
  );
  return box;
}

export const muted = () => recall("mute", false) === true;

/** The wish for a game in which only agents play, as fast as this browser shows games. */
export const watching = (agents, more) => ({
  seats: agents.map((agent) => ({ kind: "agent", agent })),
  pace: WATCHED[recall("pace", "normal")] ?? WATCHED.normal,
  ...more,
});

// ------------------------------------------------------------------ results

/** Points of a series before this game, by seat; null if there is no series. */
export function sumsBefore({ series, over, scores }) {
  if (!series) return null;
  return over ? series.points.map((sum, k) => sum - scores[k]) : series.points;
}

/** Seats with their places, the best first; equal points share a place. */
export function places(points) {
  const order = [...points.keys()].sort((a, b) => points[b] - points[a]);
  return order.map((seat) => ({ seat, place: 1 + points.filter((other) => other > points[seat]).length }));
}

/** Who came in which place: markers, what frustrations cost, points, and the sum of a series. */
export function ranking(page) {
  const { seats, scores, position, seat: mine } = page;
  const { winners, series } = page.state;
  const one = ({ seat, place }) => {
    const markers = position.players[seat].markers.reduce((sum, count, k) => sum + count * (k + 3), 0);
    const costs = markers - scores[seat];
    return h(
      "li",
      { class: winners.includes(seat) ? "won" : "" },
      h("span", { class: "place-number" }, say("result.place", { place })),
      face(seats, seat),
      h("span", { class: "name" }, seatName(seats, seat, mine)),
      h("span", { class: "points" }, say("me.points", { points: whole(scores[seat]) })),
      h("span", { class: "soft small how" }, costs > 0 ? `${markers} − ${costs}` : ""),
      series && h("span", { class: "small sum" }, say("series.sum", { points: whole(series.points[seat]) })),
    );
  };
  return h("ol", { class: `ranking of-${scores.length}` }, places(scores).map(one));
}

/** Whether another game of the series is to be played. */
export const seriesGoesOn = ({ series }) => Boolean(series) && series.number < series.games;

/** How a series stands after a game, in a sentence. */
export function seriesLine({ state, seats, seat: mine }) {
  const { number, games, points } = state.series;
  const best = Math.max(...points);
  const leaders = [...points.keys()].filter((k) => points[k] === best);
  const names = list(leaders.map((k) => seatName(seats, k, mine)));
  return say(seriesGoesOn(state) ? "series.stands" : "series.over", { number, games, names, points: whole(best) });
}
