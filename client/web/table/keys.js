/* What the keyboard does at a table, wherever the focus is but in a field: a move is typed in its
   notation, arrows step through the match, ? reads the board.

   A board takes arrows, Home, End and Enter itself while it is gone through by keyboard; after a press
   of the mouse or a finger on it the same keys step through the match. */

import { isSheetOpen } from "../page/sheet.js";

const NOTATION = /^[\p{L}\d/*()\-:]$/u;
/** @type {Record<string, string>} */
const STEPS = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", PageUp: "back", PageDown: "next" };
const OWN = /^(Arrow|Home|End|Enter| )/; // keys of a board

/** `isHere()`: the table is on the page; `type(text, enter)`: what became of typed text; `typed(text,
 *  isWrong)`: show it; `step(name)`; `read()`; `leave()`: Escape, whether it did anything.
 *  @typedef {object} TableActions
 *  @property {() => boolean} isHere
 *  @property {(text: string, enter: boolean) => "played" | "more" | "wrong" | null} type
 *  @property {(text: string, isWrong: boolean) => unknown} typed
 *  @property {(name: string) => boolean} step
 *  @property {() => unknown} read
 *  @property {() => boolean} leave */

export class TableKeys {
  #text = "";
  #isPointed = false; // the board was last touched by mouse or finger

  /** @param {HTMLElement} host of the board
   *  @param {TableActions} actions */
  constructor(host, actions) {
    this.host = host;
    this.actions = actions;
    host.addEventListener("pointerdown", () => { this.#isPointed = true; }, true);
    addEventListener("keydown", (event) => this.#key(event), true);
  }

  /** Forget what was typed. */
  clear() {
    this.#text = "";
    this.actions.typed("", false);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key === "Tab") this.#isPointed = false;
    if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    if (!this.actions.isHere() || isSheetOpen() || isField(event.target)) return;
    if (!this.#take(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Do what the key is for; whether it was for the table.
   *  @param {KeyboardEvent} event */
  #take({ key, target }) {
    const isOnBoard = target instanceof Node && this.host.contains(target);
    if (key === "?") return this.actions.read() !== false;
    if (key === "Escape") return this.#escape();
    if (this.#text !== "" && (key === "Enter" || key === "Backspace" || key === " ")) return this.#edit(key);
    if (key in STEPS && !(isOnBoard && OWN.test(key) && !this.#isPointed)) return this.actions.step(STEPS[key]);
    return NOTATION.test(key) && this.#type(this.#text + key, false);
  }

  #escape() {
    if (this.#text === "") return this.actions.leave();
    this.clear();
    return true;
  }

  /** @param {string} key */
  #edit(key) {
    if (key === "Backspace") this.#keep(this.#text.slice(0, -1));
    else if (key === " ") this.#keep(`${this.#text} `);
    else this.#type(this.#text, true);
    return true;
  }

  /** @param {string} text */
  #keep(text) {
    this.#text = text;
    this.actions.typed(text, false);
  }

  /** @param {string} text
   *  @param {boolean} enter */
  #type(text, enter) {
    const became = this.actions.type(text, enter);
    if (became === null) return false;
    if (became === "more") this.#keep(text);
    else {
      this.#text = "";
      this.actions.typed(became === "wrong" ? text : "", became === "wrong");
    }
    return true;
  }
}

/** Whether a key that is pressed there is meant for a field of a form.
 *  @param {EventTarget | null} target */
const isField = (target) => target instanceof Element && target.closest("input, select, textarea, [contenteditable]") !== null;
