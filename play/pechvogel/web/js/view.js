// How a game looks: the table with the card that asks and the column at its side, or the invitation to it.

import { askCard } from "./ask.js";
import { h, openDialog } from "./dom.js";
import { seatName } from "./draw.js";
import { agentKind, characterLine, face } from "./faces.js";
import { invitation } from "./invite.js";
import { sumsBefore } from "./people.js";
import { DISCARD, FRUSTRATE, PASS, REDUCE, robbed, STEAL, TAKE } from "./sentences.js";
import { Side } from "./side.js";
import { Table } from "./table.js";
import { say } from "./words.js";

class View {
  constructor(page) {
    this.page = page;
    const choose = (action, event) => page.answers.choose(action, event);
    this.table = new Table(choose, (seat) =>
      page.showing.wake ? page.showing.wake() : seat !== null && introduce(page, seat),
    );
    this.asking = h("div", { class: "asking" });
    this.side = new Side(page);
    const stage = h("div", { class: "stage" }, this.table.element, this.asking);
    this.element = h("div", { class: "table" }, stage, this.side.element);
    const light = (event) => this.light(event.target.closest?.("[data-do], [data-action]"));
    this.element.addEventListener("pointerover", light);
    this.element.addEventListener("focusin", light);
    this.element.addEventListener("pointerdown", () => (page.answers.pressedAt = performance.now()), { capture: true });
  }

  draw(busy, motion) {
    const { page } = this;
    if (this.element.parentNode !== page.main) page.main.replaceChildren(this.element);
    const asked = busy ? busy.seat : page.state.to_act;
    const { position, scores, seats, seat: mine } = page;
    this.table.show({ position, scores, seats, mine, asked, sums: sumsBefore(page.state) }, motion);
    const card = askCard(page, busy);
    if (card.key === this.key) {
      this.update?.();
    } else {
      this.key = card.key;
      const { element, update = null } = card.make();
      this.update = update;
      this.asking.replaceChildren(element);
    }
    this.table.offer(!busy && page.asked() && !page.coach.doubt ? standing(page) : []);
    this.side.draw();
  }

  /** An action and the pieces that stand for it light up together. */
  light(element) {
    const action = element?.dataset.do ?? element?.dataset.action ?? null;
    this.table.light(action);
    for (const one of this.asking.querySelectorAll("[data-action]")) {
      one.classList.toggle("lit", one !== element && one.dataset.action === action);
    }
  }
}

/** Draw it as it is now; what has not changed stays, and so does the focus. */
export function drawGame(page, busy, motion) {
  const focused = document.activeElement?.dataset?.key;
  if (page.state.begun && page.position) {
    page.view ??= new View(page);
    page.view.draw(busy, motion);
  } else {
    page.main.replaceChildren(invitation(page));
  }
  if (focused && document.activeElement?.dataset?.key !== focused) {
    page.main.querySelector(`[data-key="${focused}"]`)?.focus();
  }
}

/** Who somebody is: an agent's face, and how it plays. */
function introduce({ seats, seat: mine, strength }, number) {
  const { kind, agent } = seats[number];
  if (kind !== "agent") return;
  openDialog(
    seatName(seats, number, mine),
    say("close"),
    h(
      "div",
      { class: "opponent" },
      h("span", { class: "portrait" }, face(seats, number)),
      h("div", {}, h("strong", {}, agentKind(agent)), h("p", {}, characterLine(agent, strength))),
    ),
  );
}

/** Which pieces stand for which legal action. */
function standing({ state, position, seat }) {
  return state.legal
    .filter((action) => action !== PASS)
    .map((action) => {
      if (action < PASS) return [action, { die: action + 3 }];
      if (action === REDUCE || action === FRUSTRATE) return [action, { tokens: seat }];
      if (action === TAKE) return [action, { middle: position.target }];
      if (action < DISCARD) return [action, { seat: { number: robbed(position, action), value: position.target } }];
      return [action, { middle: action - DISCARD + 3 }];
    });
}

/** Whether an action takes something from another player. */
export const robs = (action) => action >= STEAL && action < DISCARD;

/** There is no such game, or none any more. */
export function drawGone(main, words) {
  main.replaceChildren(
    h("section", { class: "card" }, h("h1", {}, words), h("a", { href: "/", class: "button" }, say("home"))),
  );
}
