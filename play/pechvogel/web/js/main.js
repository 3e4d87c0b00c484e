// Where the page begins: the header, and which part is shown for an address.

import { button, byId, h } from "./dom.js";
import { applyTheme, showRules, showSettings, showTour } from "./extras.js";
import { GamePage } from "./game.js";
import { showLobby } from "./lobby.js";
import { showPosition } from "./position.js";
import { loadWords, say } from "./words.js";

let page = null;

function drawHeader() {
  byId("skip").textContent = say("skip");
  byId("top").replaceChildren(
    h(
      "a",
      { class: "brand", href: "/", "aria-label": `${say("title")}: ${say("home")}` },
      h("img", { src: "/web/raven.svg", alt: "" }),
      h("span", {}, say("title")),
    ),
    h(
      "nav",
      { "aria-label": say("title") },
      h("a", { class: "button home", href: "/" }, say("home")),
      button(say("rules"), showRules, { id: "rules" }),
      button(say("first_turn"), showTour, { id: "tour" }),
      button(say("settings"), () => showSettings(reload), { id: "settings" }),
    ),
  );
}

async function reload() {
  document.querySelectorAll("dialog").forEach((dialog) => dialog.close());
  await loadWords();
  drawHeader();
  await route();
}

function go(path) {
  history.pushState(null, "", path);
  return route();
}

async function route() {
  page?.stop();
  page = null;
  const main = byId("main");
  const room = /^\/game\/([\w-]+)$/.exec(location.pathname)?.[1];
  if (room) {
    page = new GamePage(room, main, go);
    await page.start();
  } else if (location.pathname === "/position") await showPosition(main, go);
  else await showLobby(main, go);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='/']");
  if (!link || link.hasAttribute("download") || link.href.includes("/api/")) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(link.getAttribute("href"));
});
document.addEventListener("keydown", (event) => page?.key(event));
window.addEventListener("popstate", route);

applyTheme();
await loadWords();
drawHeader();
await route();
