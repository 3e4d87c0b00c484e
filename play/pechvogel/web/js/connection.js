// Whether the server can be reached. Requests and streams report it; while it can't be, `watch` looks now and then.

const PAUSES = [2000, 30_000]; // milliseconds between two looks: at first, and at most

let lost = false;
let listener = null;
let looking = 0;

export const isLost = () => lost;

/** Something was heard from the server, or nothing could be. */
export function report(reached) {
  if (lost === !reached) return;
  lost = !reached;
  if (!listener) return;
  clearTimeout(looking);
  if (lost) look(PAUSES[0]);
  listener(lost);
}

function look(pause) {
  looking = setTimeout(async () => {
    try {
      await fetch("/healthz", { cache: "no-store" });
      report(true);
    } catch {
      look(Math.min(2 * pause, PAUSES[1]));
    }
  }, pause);
}

/** Be told when the connection is lost, and when it is back. */
export function watch(changed) {
  listener = changed;
  window.addEventListener("offline", () => report(false));
  window.addEventListener("online", () => {
    if (!lost) return;
    clearTimeout(looking);
    look(0);
  });
}
