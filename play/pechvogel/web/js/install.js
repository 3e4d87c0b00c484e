// The page as an application of its own: its manifest in the reader's language, and a worker that has its files when
// there is no connection. Browsers allow that on this computer and over https only; elsewhere nothing is missing but that.

import { byId } from "./dom.js";
import { language } from "./words.js";

export async function install() {
  byId("manifest").href = `/manifest.webmanifest?language=${language()}`;
  try {
    await navigator.serviceWorker?.register(`/worker.js?language=${language()}`);
  } catch {
    // a browser that wants no workers
  }
}
