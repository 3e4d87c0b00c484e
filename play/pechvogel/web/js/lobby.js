// The first page: two clicks to a game.

import { ask, forgetGame, games, openRoom, Refusal } from "./api.js";
import { button, h, range, select } from "./dom.js";
import { agentName, seatName } from "./draw.js";
import { recall, remember, say } from "./words.js";

const playerName = (spec) => (spec === "person" ? say("agent.person") : agentName(spec));

export async function showLobby(main, go) {
  const { agents, only } = await ask("GET", "/api/agents").catch(() => ({ agents: ["champion"], only: {} }));
  const choice = recall("lobby", {});
  let count = Math.min(4, Math.max(1, choice.count ?? 1));
  const specs = range(4).map((k) => {
    const wanted = choice.specs?.[k] ?? "champion:level=3";
    return wanted === "person" || agents.includes(wanted) ? wanted : "champion";
  });
  const seats = h("fieldset", { id: "seats" });
  const counts = h("div", { class: "row", role: "group", "aria-labelledby": "count-title" });

  const drawSeats = () => {
    // Some agents can't play every game.
    const able = (spec) =>
      !only[spec] || only[spec].some(([players, of]) => players === count + 1 && of === Number(copies.value));
    specs.forEach((spec, k) => able(spec) || (specs[k] = "champion"));
    const offered = [...agents.filter(able), "person"].map((spec) => [spec, playerName(spec)]);
    seats.replaceChildren(h("legend", {}, say("lobby.who")), ...range(count).map((k) => opponent(k, offered)));
    counts.replaceChildren(...range(4).map((k) => countButton(k + 1)));
  };
  const opponent = (k, offered) => {
    const label = say("lobby.opponent", { number: k + 1 });
    const choose = (spec) => (specs[k] = spec);
    return h(
      "label",
      {},
      h("span", {}, count > 1 ? label : ""),
      select(offered, specs[k], choose, { "aria-label": label }),
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
    coach: box("coach", choice.coach),
    take_back: box("take-back", choice.take_back),
    real_dice: box("real-dice", false),
    italian: box("italian", choice.italian),
  };
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
  drawSeats();

  const play = async (event) => {
    event.preventDefault();
    event.submitter.disabled = true;
    const wish = {
      seats: [
        { kind: "me" },
        ...specs.slice(0, count).map((spec) => (spec === "person" ? { kind: "open" } : { kind: "agent", agent: spec })),
      ],
      name: name.value || say("lobby.guest"),
      copies: Number(copies.value),
      italian_reading: boxes.italian.checked,
      real_dice: boxes.real_dice.checked,
      coach: boxes.coach.checked,
      take_back: boxes.take_back.checked,
    };
    remember("name", name.value);
    remember("lobby", {
      count,
      specs,
      coach: wish.coach,
      take_back: wish.take_back,
      italian: wish.italian_reading,
      copies: wish.copies,
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
      h("p", {}, h("button", { class: "main", id: "play" }, say("lobby.play"))),
      h(
        "details",
        {},
        h("summary", {}, say("lobby.options")),
        h("label", { for: "name" }, say("lobby.name"), name),
        h("label", {}, boxes.coach, h("span", {}, say("lobby.coach"))),
        h("label", {}, boxes.take_back, h("span", {}, say("lobby.take_back"))),
        h("label", {}, boxes.real_dice, h("span", {}, say("lobby.real_dice"))),
        h("label", {}, boxes.italian, h("span", {}, say("lobby.italian"))),
        h("label", { for: "copies" }, say("lobby.copies"), copies),
        h("p", {}, h("a", { href: "/position" }, say("lobby.position"))),
      ),
    ),
    await running(),
  );
}

/** The games of this browser that the server still knows. */
async function running() {
  const kept = Object.entries(games()).sort((a, b) => b[1].at - a[1].at);
  const rows = await Promise.all(
    kept.map(async ([room, game]) => {
      try {
        return { room, game, state: await ask("GET", `/api/rooms/${room}`) };
      } catch (error) {
        if (error instanceof Refusal && error.status === 404) forgetGame(room);
        return null;
      }
    }),
  );
  const known = rows.filter(Boolean);
  const shown = [...known.filter(({ state }) => !state.over), ...known.filter(({ state }) => state.over).slice(0, 5)];
  const items = shown.map(({ room, game, state }) => {
    const others = state.seats.map((_, k) => k).filter((k) => k !== game.seat);
    return h(
      "li",
      { class: "row" },
      h("a", { href: `/game/${room}` }, others.map((k) => seatName(state.seats, k)).join(", ")),
      h(
        "span",
        { class: "small soft" },
        new Date(game.at).toLocaleString(document.documentElement.lang),
        " · ",
        say(state.over ? "lobby.over" : "lobby.go_on"),
      ),
    );
  });
  return h(
    "section",
    { class: "card" },
    h("h2", {}, say("lobby.running")),
    items.length ? h("ul", {}, items) : h("p", { class: "soft" }, say("lobby.none")),
  );
}
