/* Tells a player who looks elsewhere that it is their turn, or that somebody has sat down: by the system's
   notification and by vibration.  The title of the tab says it anyway. */

import { settings } from "../library/settings.js";
import { words } from "../texts/words.js";

const VIBRATION_MS = [120, 80, 120];

/** @type {Notification | null} */
let shown = null;

/** Ask the browser for its leave; it asks the person. */
export async function askToNotify() {
  if (isPossible()) await Notification.requestPermission();
}

/** Why there will be no notification, in a sentence, or "". */
export function noticeTrouble() {
  if (!isPossible()) return words.settings.notifyInsecure;
  return Notification.permission === "denied" ? words.settings.notifyBlocked : "";
}

/** Say what waits for this person, if that is wanted and the page is out of sight.
 *  @param {string} title
 *  @param {string} text */
export function alertAway(title, text) {
  if (!settings.notify || !document.hidden) return;
  navigator.vibrate?.(VIBRATION_MS);
  if (!isPossible() || Notification.permission !== "granted") return;
  shown?.close();
  try {
    shown = new Notification(title, { body: text, tag: "turn", icon: "/icon.svg" });
  } catch {
    return; // a phone's browser may want a service worker for that
  }
  shown.onclick = () => {
    focus();
    shown?.close();
  };
}

document.addEventListener("visibilitychange", () => document.hidden || shown?.close());

/** Browsers forbid notifications to a page that came over plain HTTP from another machine. */
const isPossible = () => "Notification" in globalThis && isSecureContext;
