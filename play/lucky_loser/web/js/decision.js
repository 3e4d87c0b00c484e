// The card that asks: all groups that the throw allows, the promising ones first, each with what it does.

import { button, h } from "/web/js/dom.js";
import { sourceWords } from "/web/js/sentences.js";
import { labelled, percent, say } from "/web/js/words.js";
import { because, didWords, groupWords, question } from "./sentences.js";

const KEYS = 9; // actions that a digit chooses

export function decision(page) {
  const { state, position, seats, seat } = page;
  return {
    key: `decision ${state.played} ${state.events} ${seat}`,
    make: () => {
      const buttons = state.choices.map((choice, k) => choiceButton(page, choice, k + 1));
      const extras = h("p", { class: "extras" });
      const actions = h(
        "div",
        { class: "actions choices", keydown: step },
        buttons.map(({ element }) => element),
      );
      const element = h(
        "section",
        { class: "ask", "aria-labelledby": "ask-title" },
        h("h2", { id: "ask-title" }, question(position, seats, seat)),
        h("p", { class: "because soft small", title: because(position) }, because(position)),
        actions,
        extras,
      );
      let advised = null;
      const update = () => {
        const advice = page.coach.shown();
        for (const one of buttons) one.update(advice);
        extras.replaceChildren(...extrasOf(page, advice));
        // The best may be out of sight: there can be many.
        if (advice && advice !== advised) actions.querySelector(".best")?.scrollIntoView({ block: "nearest" });
        advised = advice;
      };
      update();
      return { element, update };
    },
  };
}

function extrasOf(page, advice) {
  return [
    page.coach.canHint() && button(say("hint"), () => page.coach.hint(), { class: "plain", "data-key": "hint" }),
    advice && h("span", { class: "soft small" }, labelled(say("coach.title"), sourceWords(advice.source))),
  ].filter(Boolean);
}

/** Arrow keys go from one choice to the next. */
function step(event) {
  const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  const all = [...event.currentTarget.children];
  const next = all[all.indexOf(document.activeElement) + by];
  if (!by || !next) return;
  event.preventDefault();
  next.focus();
}

/** An action with what it does, the key that chooses it, and what the coach says of it. */
function choiceButton(page, choice, key) {
  const { action, sums, points } = choice;
  const share = h("span", { class: "share" });
  const words = didWords(choice, page.seats, page.seat);
  const element = button(
    [
      h("span", { class: "unseen" }, `${groupWords(sums)}: `),
      sums.length > 0 &&
        h(
          "span",
          { class: "sums", "aria-hidden": "true" },
          sums.map((sum) => h("span", { class: `sum r${sum}` }, String(sum))),
        ),
      h("span", { class: "words" }, words || groupWords(sums)),
      points > 0 && h("span", { class: "gain", "aria-hidden": "true" }, `+${points}`),
      share,
      key <= KEYS && h("kbd", { "aria-hidden": "true" }, String(key)),
    ],
    (event) => page.answers.choose(action, event),
    { "data-key": `action-${action}`, "data-action": action, class: points > 0 ? "pays" : "" },
  );
  const update = (advice) => {
    const row = advice?.actions.find((one) => one.action === action);
    const best = Boolean(row) && row === advice.actions[0];
    element.classList.toggle("best", best);
    const costs = best ? say("coach.best") : row && say("coach.costs", { points: percent(row.costs) });
    share.textContent = row ? `${percent(row.win_share)} · ${costs}` : "";
  };
  return { element, update };
}
