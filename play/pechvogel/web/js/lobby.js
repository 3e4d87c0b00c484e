// The first page: one click to a game against somebody of your strength.

import { ask, forgetGame, games, openRoom, Refusal } from "./api.js";
import * as deck from "./deck.js";
import { button, h, range, select } from "./dom.js";
import { agentName, seatName } from "./draw.js";
import { agentFace, characterLine } from "./faces.js";
import { noteSeen, seenGames } from "./kept.js";
import { evenOpponent } from "./memory.js";
import { watching } from "./people.js";
import { recall, remember, say } from "./words.js";

const EVEN = "even"; // whoever is of our strength when the game is opened
const SERIES = [1, 3, 5]; // games
const LEARNING = 5; // games: whoever has not played so many gets a tutor, unless they don't want one
const playerName = (spec) => (spec === "person" ? say("agent.person") : agentName(spec));

export async function showLobby(main, go) {
  const { agents, only, strength } = await opponents();
  const choice = recall("lobby", {});
  let count = Math.min(4, Math.max(1, choice.count ?? 1));
  const specs = range(4).map((k) => {
    const wanted = choice.specs?.[k] ?? EVEN;
    return wanted === EVEN || wanted === "person" || agents.includes(wanted) ? wanted : "champion";
  });
  const even = agents.includes(evenOpponent()) ? evenOpponent() : "champion";
  const actual = (spec) => (spec === EVEN ? even : spec);
  const seats = h("fieldset", { id: "seats" });
  const counts = h("div", { class: "row", role: "group", "aria-labelledby": "count-title" });

  const drawSeats = () => {
    // Some agents can't play every game.
    const able = (spec) =>
      !only[spec] || only[spec].some(([players, of]) => players === count + 1 && of === Number(copies.value));
    specs.forEach((spec, k) => able(spec) || (specs[k] = "champion"));
    const named = [...agents.filter(able), "person"].map((spec) => [spec, playerName(spec)]);
    const offered = [[EVEN, say("me.even", { name: agentName(even) })], ...named];
    seats.replaceChildren(h("legend", {}, say("lobby.who")), ...range(count).map((k) => opponent(k, offered)));
    counts.replaceChildren(...range(4).map((k) => countButton(k + 1)));
  };
  const opponent = (k, offered) => {
    const label = say("lobby.opponent", { number: k + 1 });
    const portrait = h("span", { class: "portrait" });
    const about = h("p", { class: "small soft" });
    const introduce = () => {
      portrait.replaceChildren(agentFace(actual(specs[k]), k));
      about.textContent = specs[k] === "person" ? "" : characterLine(actual(specs[k]), strength);
    };
    const choose = (spec) => {
      specs[k] = spec;
      introduce();
    };
    introduce();
    return h(
      "div",
      { class: "opponent" },
      portrait,
      h("div", {}, select(offered, specs[k], choose, { "aria-label": label }), about),
    );
  };
  const countButton = (number) => {
    const choose = () => {
      count = number;
      drawSeats();
      counts.children[number - 1].focus();
    };
    return button(String(number), choose, { "aria-pressed": String(number === count), "data-count": number });
  };

  const box = (id, on) => h("input", { type: "checkbox", id, checked: on });
  const boxes = {
    coach: box("coach", choice.coach ?? Object.keys(games()).length < LEARNING),
    take_back: box("take-back", choice.take_back),
    real_dice: box("real-dice", false),
    italian: box("italian", choice.italian),
  };
  let coach = choice.coach; // as somebody has chosen it, if they have
  boxes.coach.addEventListener("change", () => (coach = boxes.coach.checked));
  const name = h("input", {
    type: "text",
    maxlength: 24,
    value: recall("name", ""),
    autocomplete: "nickname",
    id: "name",
  });
  const copies = select(
    [3, 2, 1].map((number) => [number, number]),
    choice.copies ?? 3,
    drawSeats,
    { id: "copies" },
  );
  const series = select(
    SERIES.map((length) => [length, say(length > 1 ? "lobby.series.games" : "lobby.series.one", { games: length })]),
    SERIES.includes(choice.series) ? choice.series : 1,
    () => {},
    { id: "series" },
  );
  drawSeats();

  /** Those who were chosen, with the champion in our place and for people. */
  const watch = async ({ target }) => {
    target.disabled = true;
    const chosen = specs.slice(0, count).map((spec) => (spec === "person" ? "champion" : actual(spec)));
    const settings = { copies: Number(copies.value), italian_reading: boxes.italian.checked };
    const found = await openRoom("/api/rooms", watching(["champion", ...chosen], settings));
    if (found) go(`/game/${found.room}`);
    else target.disabled = false;
  };
  const play = async (event) => {
    event.preventDefault();
    event.submitter.disabled = true;
    const wish = {
      seats: [
        { kind: "me" },
        ...specs
          .slice(0, count)
          .map((spec) => (spec === "person" ? { kind: "open" } : { kind: "agent", agent: actual(spec) })),
      ],
      name: name.value || say("lobby.guest"),
      copies: Number(copies.value),
      italian_reading: boxes.italian.checked,
      real_dice: boxes.real_dice.checked,
      // People are asked to agree to a coach only by somebody who really wants one.
      coach: coach ?? (boxes.coach.checked && !specs.slice(0, count).includes("person")),
      take_back: boxes.take_back.checked,
      series: Number(series.value),
    };
    remember("name", name.value);
    remember("lobby", {
      count,
      specs,
      coach,
      take_back: wish.take_back,
      italian: wish.italian_reading,
      copies: wish.copies,
      series: wish.series,
    });
    const found = await openRoom("/api/rooms", wish);
    if (found) go(`/game/${found.room}`);
    else event.submitter.disabled = false;
  };

  main.replaceChildren(
    h("h1", {}, say("title")),
    h("p", { class: "soft" }, say("tagline")),
    h(
      "form",
      { class: "card", submit: play },
      h("fieldset", {}, h("legend", { id: "count-title" }, say("lobby.opponents")), counts),
      seats,
      h(
        "p",
        { class: "row" },
        h("button", { class: "main", id: "play" }, say("lobby.play")),
        button(say("lobby.watch"), watch, { id: "watch" }),
      ),
      h(
        "details",
        {},
        h("summary", {}, say("lobby.options")),
        h("label", { for: "name" }, say("lobby.name"), name),
        h("label", {}, boxes.coach, h("span", {}, say("lobby.coach"))),
        h("label", {}, boxes.take_back, h("span", {}, say("lobby.take_back"))),
        h("label", {}, boxes.real_dice, h("span", {}, say("lobby.real_dice"))),
        h("label", {}, boxes.italian, h("span", {}, say("lobby.italian"))),
        h("label", { for: "series" }, say("lobby.series"), series),
        h("label", { for: "copies" }, say("lobby.copies"), copies),
        h("p", {}, h("a", { href: "/position" }, say("lobby.position"))),
      ),
    ),
    dailyPuzzle(),
    await running(),
  );
}

/** Who can be played against; without a connection, who could be last time. */
async function opponents() {
  try {
    const known = await ask("GET", "/api/agents");
    remember("agents", known);
    return known;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return recall("agents", { agents: ["champion"], only: {} });
  }
}

/** A reason to come back tomorrow. */
function dailyPuzzle() {
  const { days } = deck.kept();
  const today = deck.dayOf();
  const run = deck.streak(days, today);
  return h(
    "section",
    { class: "card row", id: "daily" },
    h("a", { class: "button", href: "/train?daily" }, say("train.daily")),
    days[today] !== undefined && h("span", { class: days[today] ? "plus" : "minus" }, days[today] ? "✓" : "✗"),
    run > 0 && h("span", { class: "small soft" }, say("train.streak", { days: run })),
  );
}

/** The games of this browser that the server still knows. */
async function running() {
  const kept = Object.entries(games()).sort((a, b) => b[1].at - a[1].at);
  const seen = seenGames();
  const rows = await Promise.all(
    kept.map(async ([room, game]) => {
      try {
        return { room, game, state: await ask("GET", `/api/rooms/${room}`) };
      } catch (error) {
        if (error instanceof Refusal && error.status === 404) forgetGame(room);
        return error.status === 0 && seen[room] ? { room, game, state: seen[room], old: true } : null;
      }
    }),
  );
  const known = rows.filter(Boolean);
  noteSeen(Object.fromEntries(known.map(({ room, state }) => [room, state])));
  const shown = [...known.filter(({ state }) => !state.over), ...known.filter(({ state }) => state.over).slice(0, 5)];
  const items = shown.map(({ room, game, state, old }) => {
    const others = state.seats.map((_, k) => k).filter((k) => k !== game.seat);
    return h(
      "li",
      { class: "row" },
      h("a", { href: `/game/${room}` }, others.map((k) => seatName(state.seats, k)).join(", ")),
      h(
        "span",
        { class: "small soft" },
        new Date(game.at).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" }),
        " · ",
        say(state.over ? "lobby.over" : "lobby.go_on"),
        state.over && state.scores ? ` · ${state.scores.join(" : ")}` : "",
        old ? ` · ${say("offline.seen")}` : "",
      ),
    );
  });
  return h(
    "section",
    { class: "card" },
    h("h2", {}, say("lobby.running")),
    items.length ? h("ul", { class: "games" }, items) : h("p", { class: "soft" }, say("lobby.none")),
  );
}
