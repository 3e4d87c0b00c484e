// Where the page begins: the header, and which part is shown for an address.

import { isLost, report, watch } from "./connection.js";
import { alarm, button, byId, h } from "./dom.js";
import { applyTheme, showRules, showSettings, showTour } from "./extras.js";
import { showExplorer } from "./explorer.js";
import { GamePage } from "./game.js";
import { install } from "./install.js";
import { showLobby } from "./lobby.js";
import { showMe } from "./me.js";
import { drawMissing, drawWaiting } from "./missing.js";
import { showPosition } from "./position.js";
import { TrainerPage } from "./trainer.js";
import { sendAll, unsent } from "./unsent.js";
import { loadWords, say } from "./words.js";

let page = null;
let shownLost = false; // what is shown lacks what the server would have said

function drawHeader() {
  // On a phone the header is a menu, which closes as soon as something was chosen.
  const top = byId("top");
  const open = (on) => {
    top.classList.toggle("open", on);
    menu.setAttribute("aria-expanded", String(on));
  };
  const menu = button("☰", () => open(!top.classList.contains("open")), { id: "menu", "aria-label": say("menu") });
  open(false);
  byId("skip").textContent = say("skip");
  top.replaceChildren(
    h(
      "a",
      { class: "brand", href: "/", "aria-label": `${say("title")}: ${say("home")}` },
      h("img", { src: "/web/raven.svg", alt: "" }),
      h("span", {}, say("title")),
    ),
    menu,
    h(
      "nav",
      { "aria-label": say("title"), click: () => open(false) },
      h("a", { class: "button home", href: "/" }, say("home")),
      h("a", { class: "button", href: "/train" }, say("train.title")),
      h("a", { class: "button", href: "/explore" }, say("explore.nav")),
      h("a", { class: "button", href: "/me" }, say("me")),
      button(say("rules"), () => showRules(page?.game), { id: "rules" }),
      button(say("first_turn"), showTour, { id: "tour" }),
      button(say("settings"), () => showSettings(reload), { id: "settings" }),
    ),
  );
}

async function reload() {
  document.querySelectorAll("dialog").forEach((dialog) => dialog.close());
  await loadWords();
  drawHeader();
  drawLost();
  await route();
  await install();
}

function go(path) {
  history.pushState(null, "", path);
  return route();
}

async function route() {
  await showPart();
  shownLost = isLost();
}

async function showPart() {
  page?.stop();
  page = null;
  const main = byId("main");
  const room = /^\/game\/([\w-]+)$/.exec(location.pathname)?.[1];
  if (room) {
    page = new GamePage(room, main, go);
    await page.start();
  } else if (location.pathname === "/train") {
    page = new TrainerPage(main, go);
    await page.start();
  } else if (location.pathname === "/explore") await explore(main);
  else if (location.pathname === "/me") await showMe(main, go);
  else if (location.pathname === "/position") await showPosition(main, go);
  else if (location.pathname === "/") await showLobby(main, go);
  else drawMissing(main);
}

async function explore(main) {
  try {
    await showExplorer(main);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // nobody answers
    report(false);
    drawWaiting(main, say("error.offline"));
  }
}

// ------------------------------------------------------------------ without a connection

function drawLost() {
  const count = Object.keys(unsent()).length;
  const words = [say("offline.says"), count ? say("offline.waiting", { count }) : ""];
  byId("offline").textContent = isLost() ? words.join(" ").trim() : "";
}

/** What could not be sent is sent; what came too late is told. */
async function sendUnsent() {
  if (!Object.keys(unsent()).length) return;
  const { sent, refused } = await sendAll();
  if (refused.length) alarm(say("offline.too_late", { why: refused[0].why }), 12);
  else if (sent.length) alarm(say("offline.sent"));
  if ((sent.length || refused.length) && page?.state) page.showQueue(); // a game that is shown
}

window.addEventListener("unsent", drawLost);
watch(async (lost) => {
  drawLost();
  if (lost) return;
  await sendUnsent();
  if (shownLost) await route();
});

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
await sendUnsent();
await install();
