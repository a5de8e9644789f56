/* The cells of a board as a grid over its drawing: what is pressed by mouse, finger and keyboard, and
   what a screen reader reads.  The drawing below it is for eyes only.

   One cell is a Tab stop: the one that was focused last.  Arrows, Home and End go from cell to cell
   (with Ctrl to the first and the last), Enter and Space press. */

/** A cell: its name, and where it is in units of the drawing; `marks` are attributes by which it is found.
 *  @typedef {{key: string, x: number, y: number, width: number, height: number, marks?: Record<string, string>}} Place */
/** What a cell says, and whether it can be pressed.
 *  @typedef {{label: string, isOpen: boolean, isLast: boolean}} State */

import { el, set } from "../../page/dom.js";

const HOVERS = matchMedia("(hover: hover)"); // after a tap nothing hovers, whatever a browser makes of it

/** Where each key leads from a row and a column; `last` are the last ones.
 *  @type {Record<string, (at: number[], last: number[]) => number[]>} */
const STEPS = {
  ArrowUp: ([row, column]) => [row - 1, column],
  ArrowDown: ([row, column]) => [row + 1, column],
  ArrowLeft: ([row, column]) => [row, column - 1],
  ArrowRight: ([row, column]) => [row, column + 1],
  Home: ([row]) => [row, 0],
  End: ([row], [, last]) => [row, last],
  "Ctrl+Home": () => [0, 0],
  "Ctrl+End": (_, last) => last,
};

export class Squares {
  /** @type {HTMLElement[][]} */
  #cells;
  #focused = [0, 0]; // the row and the column of the Tab stop
  #size;
  #aim;

  /** `rows` from the top; `press` is called with the key of a cell that is open; `aim` with that of
   *  the open cell that is pointed at or focused, or null.
   *  @param {object} board
   *  @param {string} board.label
   *  @param {{width: number, height: number}} board.size of the drawing
   *  @param {Place[][]} board.rows
   *  @param {(key: string) => unknown} board.press
   *  @param {(key: string | null) => unknown} board.aim */
  constructor({ label, size, rows, press, aim }) {
    this.#size = size;
    this.#aim = aim;
    this.#cells = rows.map((row) => row.map((place) => this.#cell(place)));
    this.node = el("div", { class: "squares", role: "grid", "aria-label": label },
      ...this.#cells.map((cells) => el("div", { role: "row" }, ...cells)));
    this.#setStop(Math.floor(rows.length / 2), Math.floor(rows[0].length / 2));
    this.#listen(press);
  }

  /** @param {(key: string) => State} stateOf */
  show(stateOf) {
    for (const cell of this.#cells.flat()) {
      const { label, isOpen, isLast } = stateOf(cell.dataset.cell ?? "");
      set(cell, "aria-label", label);
      set(cell, "aria-disabled", String(!isOpen));
      cell.classList.toggle("open", isOpen);
      cell.classList.toggle("last", isLast);
    }
  }

  /** Put the focus where something can be pressed: on the Tab stop if it can, else on the first that can. */
  focus() {
    const stop = this.#cells[this.#focused[0]][this.#focused[1]];
    const open = this.#cells.flat().filter((cell) => cell.classList.contains("open"));
    (open.length === 0 || open.includes(stop) ? stop : open[0]).focus();
  }

  /** Lie over the drawing, which fills a box of this size as far as its shape allows.
   *  @param {{width: number, height: number}} box in pixels */
  fit({ width, height }) {
    const scale = Math.min(width / this.#size.width, height / this.#size.height);
    const [wide, high] = [this.#size.width * scale, this.#size.height * scale];
    const pixels = { left: (width - wide) / 2, top: (height - high) / 2, width: wide, height: high };
    for (const [name, value] of Object.entries(pixels)) this.node.style.setProperty(name, `${value}px`);
  }

  /** @param {Place} place */
  #cell({ key, x, y, width, height, marks = {} }) {
    const cell = el("div", { class: "square", role: "gridcell", tabindex: -1, "data-cell": key, ...marks });
    const parts = { left: x / this.#size.width, top: y / this.#size.height,
      width: width / this.#size.width, height: height / this.#size.height };
    for (const [name, part] of Object.entries(parts)) cell.style.setProperty(name, `${100 * part}%`);
    return cell;
  }

  /** @param {(key: string) => unknown} press */
  #listen(press) {
    const pressOpen = (/** @type {Event} */ event) => {
      const key = openKey(event);
      if (key !== null) press(key);
    };
    this.node.addEventListener("click", pressOpen);
    this.node.addEventListener("keydown", (event) => this.#key(event, pressOpen));
    this.node.addEventListener("focusin", (event) => this.#focusIn(event));
    this.node.addEventListener("focusout", () => this.#aim(null));
    this.node.addEventListener("pointerover", (event) => event.pointerType === "mouse" && HOVERS.matches && this.#aim(openKey(event)));
    this.node.addEventListener("pointerleave", () => this.#aim(null));
  }

  /** @param {KeyboardEvent} event
   *  @param {(event: Event) => void} pressOpen */
  #key(event, pressOpen) {
    if (event.altKey || event.metaKey || event.shiftKey) return;
    const step = STEPS[event.ctrlKey ? `Ctrl+${event.key}` : event.key];
    if (step) this.#go(step);
    else if (event.ctrlKey || (event.key !== "Enter" && event.key !== " ")) return;
    else if (!event.repeat) pressOpen(event);
    event.preventDefault();
    event.stopPropagation(); // arrows go through a match elsewhere
  }

  /** @param {(at: number[], last: number[]) => number[]} step */
  #go(step) {
    const last = [this.#cells.length - 1, this.#cells[0].length - 1];
    const [row, column] = step(this.#focused, last).map((value, axis) => Math.max(0, Math.min(last[axis], value)));
    this.#cells[row][column].focus();
  }

  /** @param {FocusEvent} event */
  #focusIn(event) {
    const row = this.#cells.findIndex((cells) => cells.some((cell) => cell === event.target));
    if (row < 0) return;
    this.#setStop(row, this.#cells[row].findIndex((cell) => cell === event.target));
    const isByKeys = this.#cells[row][this.#focused[1]].matches(":focus-visible");
    if (isByKeys && HOVERS.matches) this.#aim(openKey(event)); // what a finger plays on has the focus from the start
  }

  /** @param {number} row
   *  @param {number} column */
  #setStop(row, column) {
    const [oldRow, oldColumn] = this.#focused;
    set(this.#cells[oldRow][oldColumn], "tabindex", -1);
    this.#focused = [row, column];
    set(this.#cells[row][column], "tabindex", 0);
  }
}

/** A drawing with its squares over it, in a host that may have any size.
 *  @param {HTMLElement} host
 *  @param {SVGElement} drawing
 *  @param {Squares} squares */
export function lay(host, drawing, squares) {
  const plane = el("div", { class: "plane" }, drawing, squares.node);
  host.replaceChildren(plane);
  new ResizeObserver(([entry]) => squares.fit(entry.contentRect)).observe(plane);
}

/** The key of the open cell that an event happened to, or null.
 *  @param {Event} event */
function openKey({ target }) {
  const cell = target instanceof Element ? target.closest(".square.open") : null;
  return cell instanceof HTMLElement ? (cell.dataset.cell ?? null) : null;
}
