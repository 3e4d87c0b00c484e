// What is shown where there is nothing: at an address of nobody, or without a connection.

import { h } from "./dom.js";
import { say } from "./words.js";

const WAYS = {
  "/": "home",
  "/train": "train.title",
  "/explore": "explore.nav",
  "/me": "me",
  "/position": "lobby.position",
};

const links = (paths) =>
  h(
    "p",
    { class: "row" },
    paths.map((path) => h("a", { class: "button", href: path }, say(WAYS[path]))),
  );

export function drawMissing(main) {
  main.replaceChildren(
    h(
      "section",
      { class: "card missing" },
      h("h1", {}, say("missing.title")),
      h("p", {}, say("missing.text")),
      links(Object.keys(WAYS)),
    ),
  );
}

/** It will be there with the connection. */
export function drawWaiting(main, words) {
  main.replaceChildren(
    h(
      "section",
      { class: "card missing" },
      h("h1", {}, words),
      h("p", {}, say("offline.game.text")),
      links(["/", "/me"]),
    ),
  );
}
