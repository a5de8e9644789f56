/* What the keyboard does at a table, wherever the focus is but in a field: a move is typed in its
   notation, arrows step through the match, ? reads the board.

   A board takes arrows, Home, End and Enter itself while it is gone through by keyboard: where one plays,
   and wherever it was reached by Tab.  After a press of the mouse or a finger on it, and where there is
   nothing to play, the same keys step through the match. */

import { isSheetOpen } from "../page/sheet.js";

const NOTATION = /^[\p{L}\d/*()\-:]$/u;
/** @type {Record<string, string>} */
const STEPS = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", PageUp: "back", PageDown: "next" };
const OWN = /^(Arrow|Home|End|Enter| )/; // keys of a board

/** `isHere()`: the table is on the page; `plays()`: a match is on, and this person plays it; `type(text, enter)`: what became of typed text; `typed(text,
 *  isWrong)`: show it; `step(name)`; `read()`; `leave()`: Escape, whether it did anything.
 *  @typedef {object} TableActions
 *  @property {() => boolean} isHere
 *  @property {() => boolean} plays
 *  @property {(text: string, enter: boolean) => "played" | "more" | "wrong" | null} type
 *  @property {(text: string, isWrong: boolean) => unknown} typed
 *  @property {(name: string) => boolean} step
 *  @property {() => unknown} read
 *  @property {() => boolean} leave */

export class TableKeys {
  #text = "";
  /** @type {"Tab" | "pointer" | null} */
  #reachedBy = null; // how the focus came to the board, if not by itself

  /** @param {HTMLElement} host of the board
   *  @param {TableActions} actions */
  constructor(host, actions) {
    this.host = host;
    this.actions = actions;
    host.addEventListener("pointerdown", () => { this.#reachedBy = "pointer"; }, true);
    addEventListener("keydown", (event) => this.#key(event), true);
  }

  /** Forget what was typed. */
  clear() {
    this.#text = "";
    this.actions.typed("", false);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key === "Tab") this.#reachedBy = "Tab";
    if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    if (!this.actions.isHere() || isSheetOpen() || isField(event.target)) return;
    if (!this.#take(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Do what the key is for; whether it was for the table.
   *  @param {KeyboardEvent} event */
  #take({ key, target, repeat }) {
    const isOnBoard = target instanceof Node && this.host.contains(target);
    const isForBoard = isOnBoard && OWN.test(key) && (this.#reachedBy === null ? this.actions.plays() : this.#reachedBy === "Tab");
    if (key === "?") return this.actions.read() !== false;
    if (key === "Escape") return this.#escape();
    if (this.#text !== "" && (key === "Enter" || key === "Backspace" || key === " ")) return this.#edit(key);
    if (key in STEPS && !isForBoard) return this.actions.step(STEPS[key]);
    return NOTATION.test(key) && (repeat || this.#type(this.#text + key, false)); // a key that is held down is one
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
