// Small helpers: elements without a framework.

/** An element with attributes (functions are listeners) and children. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.flat(9));
  return element;
}

export const range = (count) => Array.from({ length: count }, (_, k) => k);

export function button(words, click, attributes = {}) {
  return h("button", { type: "button", click, ...attributes }, words);
}

/** A choice among pairs of a value and its words. */
export function select(options, now, change, attributes = {}) {
  return h(
    "select",
    { ...attributes, change: (event) => change(event.target.value) },
    options.map(([value, text]) => h("option", { value, selected: String(value) === String(now) }, String(text))),
  );
}

export const byId = (id) => document.getElementById(id);

/** Say something to a screen reader. */
export function announce(text) {
  const news = byId("news");
  news.append(h("p", {}, text));
  while (news.childElementCount > 12) news.firstChild.remove();
}

/** Copy what stands in a field, also where the browser has no clipboard for pages (plain http). */
export async function copyText(field) {
  field.select();
  if (navigator.clipboard) await navigator.clipboard.writeText(field.value);
  else document.execCommand("copy");
}

let hiding = 0;

/** Show what went wrong, for a while. */
export function alarm(text, seconds = 6) {
  byId("alert").textContent = text;
  clearTimeout(hiding);
  if (seconds) hiding = setTimeout(() => (byId("alert").textContent = ""), 1000 * seconds);
}

/** A dialog with a title, where reading begins, and a button to close it; focus returns to where it was. */
export function openDialog(title, closeText, ...content) {
  const dialog = h("dialog", { "aria-labelledby": "dialog-title", close: () => dialog.remove() });
  const close = button(closeText, () => dialog.close());
  dialog.append(
    h("h2", { id: "dialog-title", tabindex: "-1", autofocus: true }, title),
    h("div", {}, content),
    h("p", { class: "row" }, close),
  );
  document.body.append(dialog);
  dialog.showModal();
  dialog.scrollTop = 0;
  return dialog;
}

export const sleep = (milliseconds) => new Promise((wake) => setTimeout(wake, milliseconds));
