/* Keeps what somebody has chosen with their name, for all its devices, and takes over what another one
   has kept.  What was chosen last counts, also where it could not be sent at once. */

/** @import { Connection } from "../library/connection.js" */

import { Refusal } from "../library/connection.js";
import { DEFAULTS, settings, takeOver } from "../library/settings.js";
import { read, write } from "../library/storage.js";

const MAX_LENGTH = 4_096; // SPEC.md
const KEYS = /** @type {(keyof typeof DEFAULTS)[]} */ (Object.keys(DEFAULTS)).filter((key) => key !== "notify"); // each device allows that

export class SharedSettings {
  /** @param {Connection} connection */
  constructor(connection) {
    this.connection = connection;
  }

  /** Bring this device and the server together. */
  async bring() {
    if (read("unsent", false)) return this.#send();
    const reply = await this.#ask(null);
    if (reply?.kept) this.#takeOver(reply.kept);
    else if (reply && read("settings")) await this.#send(); // chosen before there was such a place
  }

  /** @param {string} kept */
  #takeOver(kept) {
    const { language } = settings;
    const choices = /** @type {Record<string, unknown>} */ (parsed(kept));
    const known = KEYS.filter((key) => typeof choices[key] === typeof DEFAULTS[key] && Array.isArray(choices[key]) === Array.isArray(DEFAULTS[key]));
    takeOver(Object.fromEntries(known.map((key) => [key, choices[key]])));
    if (settings.language !== language) location.reload(); // words are loaded once
  }

  async #send() {
    const text = written();
    const reply = await this.#ask(text);
    if (reply && text === written()) write("unsent", null);
  }

  /** No choice is worth a word where it cannot be kept: it stays here.
   *  @param {string | null} keep */
  async #ask(keep) {
    try {
      return await this.connection.request({ type: "settings", keep });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return null;
    }
  }
}

/** The choices as they are kept; of very many friends the newest. */
function written() {
  const choices = Object.fromEntries(KEYS.map((key) => [key, settings[key]]));
  const friends = [...settings.friends];
  for (;;) {
    const text = JSON.stringify({ ...choices, friends });
    if (text.length <= MAX_LENGTH) return text;
    friends.shift();
  }
}

/** @param {string} text */
function parsed(text) {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {}; // another program's
  }
}
