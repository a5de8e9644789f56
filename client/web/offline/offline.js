/* The page that is shown where the server does not answer: says what is missing, and tries again. */

import { byId, el, put } from "../page/dom.js";
import { words } from "../texts/words.js";

const FIRST_MS = 2_000; // until it is tried again; each time it waits half as long again
const MAX_WAIT_MS = 15_000;
const TIMEOUT_MS = 5_000; // for an answer

let waitMs = FIRST_MS;
let trying = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

const button = el("button", { type: "button", class: "primary", onclick: () => attempt() }, words.offline.again);

async function answers() {
  try {
    const response = await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) });
    return response.ok;
  } catch {
    return false;
  }
}

function attempt() {
  if (trying) return;
  trying = true;
  clearTimeout(timer);
  put(byId("state"), words.offline.trying);
  answers().then(tried);
}

/** @param {boolean} isThere */
function tried(isThere) {
  if (isThere) {
    location.reload();
    return;
  }
  trying = false;
  tell();
  timer = setTimeout(attempt, waitMs);
  waitMs = Math.min(waitMs * 1.5, MAX_WAIT_MS);
}

function tell() {
  put(byId("what"), navigator.onLine ? words.offline.noServer({ host: location.host }) : words.offline.noNetwork);
  put(byId("state"), words.offline.waiting({ seconds: Math.round(waitMs / 1000) }));
}

document.title = `${words.offline.title} · Plyhouse`;
put(byId("title"), words.offline.title);
put(byId("kept"), words.offline.kept);
byId("actions").replaceChildren(button);
addEventListener("online", () => attempt());
addEventListener("offline", tell);
tell();
timer = setTimeout(attempt, waitMs);
