// What every action in a position is worth, best first; whoever asks for one of them gets the reason and the cases.

import { button, h } from "./dom.js";
import { actionWords } from "./sentences.js";
import { casesTable, reasonLine } from "./why.js";
import { percent, say } from "./words.js";

/**
 * `rows` have an action, its share of the win and what it costs. `chosen` is the action that was played, `selected` the
 * one that is explained. `select(action)` explains another, `tryIt(action)` plays it.
 */
export function valuesTable({ rows, position, seats, mine, chosen = null, selected, select, tryIt = null }) {
  const best = Math.max(...rows.map((row) => row.win_share));
  const line = (row) => {
    const words = actionWords(row.action, position, seats, mine);
    const bar = h("span", { class: "bar", "aria-hidden": "true" });
    bar.style.width = `${best > 0 ? (100 * row.win_share) / best : 0}%`;
    return h(
      "tr",
      { class: row.costs > 0 ? (row.action === chosen ? "chosen" : "") : "best" },
      h(
        "th",
        { scope: "row" },
        button(words, () => select(row.action), {
          class: "plain",
          "aria-pressed": String(row.action === selected),
          "data-key": `value-${row.action}`,
        }),
        row.action === chosen && h("span", { class: "badge" }, say("analysis.played")),
        bar,
      ),
      h("td", { class: "number" }, percent(row.win_share, 2)),
      h("td", { class: "number minus" }, row.costs > 0 ? `−${percent(row.costs, 2)}` : ""),
      tryIt &&
        h(
          "td",
          {},
          button(say("analysis.try"), () => tryIt(row.action), {
            class: "small",
            "aria-label": say("analysis.try_it", { action: words }),
            "data-key": `try-${row.action}`,
          }),
        ),
    );
  };
  const heads = [say("analysis.action"), say("analysis.share"), say("review.cost")];
  return h(
    "table",
    { class: "values" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        heads.map((words, k) => h("th", { scope: "col", class: k ? "number" : "" }, words)),
        tryIt && h("td", {}),
      ),
    ),
    h("tbody", {}, rows.map(line)),
  );
}

/** Why an action is as good as it is: the deciding reason in a line, and how the turn can end. */
export function explained(advice, action, position, seats, mine) {
  const row = advice.actions.find((one) => one.action === action);
  const line = reasonLine(row, advice, position, seats, mine);
  return [line && h("p", {}, line), row.cases?.length && casesTable(row, position, seats, mine)].filter(Boolean);
}
