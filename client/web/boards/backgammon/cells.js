/* The cells of a backgammon board: what the finger and the keys touch, and what is read out.

   They lie, unseen, over the drawing: three rows, the upper half, dice and buttons, the lower half.  One
   of them can have the focus at a time, and the arrow keys carry it on.  A cell says what stands there
   and what pressing it does.  Nothing here knows the rules.

   Keys: "1" to "24" the viewer's points, "25" the viewer's bar, "0" the viewer's tray, and those below. */

/** @import { Area, Layout } from "./layout.js" */
/** `mark`: how it looks; `selected`: it is picked up; `text`: what stands on a button; `disabled`: there is
 *  nothing to press.
 *  @typedef {{label: string, disabled: boolean, mark?: "movable" | "target" | null, selected?: boolean, text?: string,
 *    kind?: string}} Cell */

import { put, set, svg } from "../../page/dom.js";
import { FAR, NEAR } from "./layout.js";
import { BAR, OFF } from "./turn.js";

export const FAR_BAR = "far-bar";
export const FAR_TRAY = "far-tray";
export const DICE = "dice";
export const FAR_DICE = "far-dice";
export const UNDO = "undo";
export const UNDO_ALL = "undo-all";
export const DONE = "done";

const BUTTONS = [DICE, UNDO, UNDO_ALL, DONE];
const [OWN_BAR, OWN_TRAY] = [String(BAR), String(OFF)];
const HIGH = ["13", "14", "15", "16", "17", "18", FAR_BAR, "19", "20", "21", "22", "23", "24", FAR_TRAY];
const MIDDLE = [FAR_DICE, UNDO, UNDO_ALL, DICE, DONE];
const LOW = ["12", "11", "10", "9", "8", "7", OWN_BAR, "6", "5", "4", "3", "2", "1", OWN_TRAY];

/** `node` is the cell, `target` what has the focus: the cell, or a button in it.
 *  @typedef {{node: SVGGElement, target: SVGGElement, area: SVGRectElement, x: number}} Part */

export class Cells {
  /** @type {Map<string, Part>} */
  #parts = new Map();
  #rows = [svg("g", { role: "row" }), svg("g", { role: "row" }), svg("g", { role: "row" })];
  /** @type {string[][]} */
  #keys = [HIGH, MIDDLE, LOW];
  #current = DICE;
  /** @type {number | null} */
  #column = null; // where the focus came from when it goes up and down

  /** @param {string} label of the whole
   *  @param {string} description the id of the element that tells all of it */
  constructor(label, description) {
    for (const key of this.#keys.flat()) this.#parts.set(key, makePart(key));
    this.node = svg("g", { role: "grid", "aria-label": label, "aria-describedby": description }, ...this.#rows);
  }

  /** @param {Layout} layout */
  place(layout) {
    this.#keys = layout.flipped ? [LOW, MIDDLE, HIGH] : [HIGH, MIDDLE, LOW];
    this.#keys.forEach((keys, row) => {
      const nodes = keys.map((key) => this.#part(key).node);
      if (this.#rows[row].firstElementChild !== nodes[0]) this.#rows[row].replaceChildren(...nodes);
    });
    for (const [key, part] of this.#parts) {
      const { x, y, width, height } = areaOf(layout, key);
      part.x = x + width / 2;
      for (const [name, value] of Object.entries({ x, y, width, height })) set(part.area, name, value);
      const text = part.target.querySelector("text");
      if (text !== null) {
        set(text, "x", part.x);
        set(text, "y", y + height / 2 + 9);
      }
    }
  }

  /** Show what each cell is; one that is not among them is not there.
   *  @param {Map<string, Cell>} cells */
  show(cells) {
    const hadFocus = this.hasFocus;
    for (const [key, part] of this.#parts) showPart(part, cells.get(key));
    if (!cells.has(this.#current)) this.#choose(cells.get(DONE) ? DONE : DICE);
    for (const key of this.#parts.keys()) set(this.#part(key).target, "tabindex", key === this.#current ? "0" : "-1");
    if (hadFocus) this.focus(this.#current);
  }

  get hasFocus() {
    return this.node.contains(document.activeElement);
  }

  /** Whether the focus is where it waits for a turn: on the viewer's dice, to which it goes from "Done". */
  get hasWaited() {
    return this.hasFocus && this.#current === DICE;
  }

  /** Put the focus on a cell that is there.
   *  @param {string} key */
  focus(key) {
    this.#choose(key);
    const { target } = this.#part(key);
    if (document.activeElement !== target) target.focus({ preventScroll: true });
  }

  /** The key of the cell that an element is in, or null.
   *  @param {EventTarget | null} target */
  keyOf(target) {
    const node = target instanceof Element ? target.closest("[data-cell]") : null;
    return node !== null && this.node.contains(node) ? node.getAttribute("data-cell") : null;
  }

  /** The focus came to a cell, by whatever way.
   *  @param {EventTarget | null} target */
  focused(target) {
    const key = this.keyOf(target);
    if (key !== null && key !== this.#current) this.#choose(key);
  }

  /** Carry the focus on if the pressed key is for that; whether it is.
   *  @param {string} pressed */
  carry(pressed) {
    const row = this.#keys.findIndex((keys) => keys.includes(this.#current));
    const column = this.#column ?? this.#part(this.#current).x;
    const here = this.#keys[row].filter((key) => this.#isThere(key));
    const index = here.indexOf(this.#current);
    /** @type {Record<string, () => string | undefined>} */
    const ways = {
      ArrowLeft: () => here[index - 1],
      ArrowRight: () => here[index + 1],
      Home: () => here[0],
      End: () => here.at(-1),
      ArrowUp: () => this.#nearest(row - 1, column),
      ArrowDown: () => this.#nearest(row + 1, column),
    };
    if (!Object.hasOwn(ways, pressed)) return false;
    const key = ways[pressed]();
    if (key !== undefined) {
      this.focus(key);
      this.#column = pressed === "ArrowUp" || pressed === "ArrowDown" ? column : null;
    }
    return true;
  }

  /** @param {number} row
   *  @param {number} column */
  #nearest(row, column) {
    const away = (/** @type {string} */ key) => Math.abs(this.#part(key).x - column);
    return this.#keys[row]?.filter((key) => this.#isThere(key)).sort((a, b) => away(a) - away(b))[0];
  }

  /** @param {string} key */
  #choose(key) {
    this.#part(this.#current).target.setAttribute("tabindex", "-1");
    this.#part(key).target.setAttribute("tabindex", "0");
    this.#current = key;
    this.#column = null;
  }

  /** @param {string} key */
  #isThere(key) {
    return !this.#part(key).node.hasAttribute("hidden");
  }

  /** @param {string} key
   *  @returns {Part} */
  #part(key) {
    const part = this.#parts.get(key);
    if (part === undefined) throw new Error(`a backgammon board has no ${key}`);
    return part;
  }
}

/** @param {string} key
 *  @returns {Part} */
function makePart(key) {
  const area = svg("rect", { class: "area", rx: 8 });
  const isPoint = /^\d+$/.test(key);
  const node = svg("g", { class: "zone", role: "gridcell", "data-cell": key, ...(isPoint ? { "data-point": key } : {}) });
  if (!BUTTONS.includes(key)) {
    node.append(area);
    return { node, target: node, area, x: 0 };
  }
  const target = svg("g", { role: "button", [`data-${key}`]: "" }, area, svg("text", { "aria-hidden": true }));
  node.append(target);
  return { node, target, area, x: 0 };
}

/** @param {Part} part
 *  @param {Cell | undefined} cell */
function showPart({ node, target }, cell) {
  set(node, "hidden", cell === undefined);
  set(node, "aria-hidden", cell === undefined ? "true" : null); // Chromium reads out a hidden part of a drawing otherwise
  if (cell === undefined) return;
  node.classList.toggle("movable", cell.mark === "movable");
  node.classList.toggle("goal", cell.mark === "target");
  set(target, "aria-label", cell.label);
  set(target, "aria-disabled", cell.disabled ? "true" : null);
  if (node === target) set(node, "aria-selected", cell.selected ? "true" : null);
  else set(target, "class", cell.kind ?? "");
  const text = target.querySelector("text");
  if (text !== null) put(text, cell.text ?? "");
}

/** @param {Layout} layout
 *  @param {string} key
 *  @returns {Area} */
function areaOf(layout, key) {
  switch (key) {
    case OWN_BAR: return layout.barArea(NEAR);
    case OWN_TRAY: return layout.trayArea(NEAR);
    case FAR_BAR: return layout.barArea(FAR);
    case FAR_TRAY: return layout.trayArea(FAR);
    case DICE: return layout.diceArea(NEAR);
    case FAR_DICE: return layout.diceArea(FAR);
    case UNDO: return layout.undoButton;
    case UNDO_ALL: return layout.undoAllButton;
    case DONE: return layout.doneButton;
    default: return layout.pointArea(Number(key));
  }
}
