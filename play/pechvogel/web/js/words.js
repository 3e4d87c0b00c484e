// The words of the game in four languages, and what this browser remembers.

export const LANGUAGES = ["en", "de", "fr", "it"];
let words = {};

function remembered(key, fallback) {
  try {
    return JSON.parse(localStorage.getItem(`pechvogel.${key}`)) ?? fallback;
  } catch {
    return fallback;
  }
}

export function remember(key, value) {
  try {
    localStorage.setItem(`pechvogel.${key}`, JSON.stringify(value));
  } catch {
    // a browser that remembers nothing still plays
  }
}

export const recall = remembered;

export function language() {
  const wanted =
    remembered("language", null) ??
    navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => LANGUAGES.includes(tag));
  return LANGUAGES.includes(wanted) ? wanted : "en";
}

/** Of the reader's language; of another one that this browser has, if there is no connection. */
async function someWords() {
  let failed = null;
  for (const tag of new Set([language(), ...LANGUAGES])) {
    try {
      return [tag, await (await fetch(`/web/words/${tag}.json`)).json()];
    } catch (error) {
      failed ??= error;
    }
  }
  throw failed;
}

export async function loadWords() {
  const [tag, found] = await someWords();
  words = found;
  document.documentElement.lang = tag;
  document.title = words.title;
}

/** The words of a key, with what stands in braces filled in. */
export function say(key, facts = {}) {
  const text = words[key];
  if (text === undefined) {
    console.error(`no words for ${key}`);
    return key;
  }
  return text.replace(/\{(\w+)\}/g, (_, name) => facts[name] ?? `{${name}}`);
}

/** "target: 7", with the colon as the language has it. */
export const labelled = (label, value) => say("labelled", { label, value });

export const percent = (share, digits = 1) =>
  new Intl.NumberFormat(language(), {
    style: "percent",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(share);

export const signed = (share) =>
  new Intl.NumberFormat(language(), {
    style: "percent",
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
    signDisplay: "always",
  }).format(share);

/** A whole number, with a minus that is as wide as a plus. */
export const whole = (number) => String(number).replace("-", "−");

/** Several names as part of a sentence. */
export function list(names) {
  const most = names.slice(0, -1).join(", ");
  const last = names.at(-1) ?? "";
  return most ? say("list", { most, last }) : last;
}
