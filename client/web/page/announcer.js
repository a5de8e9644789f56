/* The page's one live region: each event once, in a sentence, for a reader who does not see the board. */

import { el, put } from "./dom.js";

const TOGETHER_MS = 60; // what happens within this is one announcement

export class Announcer {
  /** @type {string[]} */
  #sentences = [];

  constructor() {
    this.node = el("div", { class: "unseen", id: "announcer", role: "status", "aria-live": "polite" });
  }

  /** Say a sentence.  The same one again is said again.
   *  @param {string} sentence */
  say(sentence) {
    if (sentence === "") return;
    this.#sentences.push(sentence);
    if (this.#sentences.length === 1) setTimeout(() => this.#flush(), TOGETHER_MS);
  }

  #flush() {
    const text = this.#sentences.join(" ");
    this.#sentences = [];
    put(this.node, this.node.textContent === text ? `${text}\u00a0` : text);
  }
}
