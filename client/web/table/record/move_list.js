/* The moves of a match, and the way through them: a column beside the board, or one line that slides. */

/** @import { Action } from "../../library/replica.js" */
/** @import { MoveRow } from "./move_rows.js" */

import { el, keyed, put, set, show } from "../../page/dom.js";
import { icon } from "../../page/icons.js";
import { words } from "../../texts/words.js";
import { moveRows } from "./move_rows.js";

const { table: texts } = words;

/** The steps through a match: name and key of each.
 *  @type {["first" | "back" | "next" | "last", string][]} */
export const STEPS = [["first", "Home"], ["back", "ArrowLeft"], ["next", "ArrowRight"], ["last", "End"]];

export class MoveList {
  /** `step(name)` goes one of the STEPS; `go(ply)` to the position after so many actions.
   *  @param {{step: (name: string) => unknown, go: (ply: number) => unknown}} actions */
  constructor({ step, go }) {
    this.go = go;
    this.list = el("ol", { class: "moves", tabindex: 0, "aria-label": texts.moves });
    this.none = el("p", { class: "quiet" }, texts.noMoves);
    this.steps = STEPS.map(([name, key]) => el("button", {
      type: "button", class: "step", "data-go": name, "aria-label": texts[name], title: texts[name], "aria-keyshortcuts": key,
      onclick: () => step(name),
    }, icon(name)));
    const [first, back, next, last] = this.steps;
    this.node = el("section", { class: "record", "aria-label": texts.moves },
      el("div", { class: "steps" }, first, back), el("div", { class: "line" }, this.none, this.list),
      el("div", { class: "steps" }, next, last));
  }

  /** `at`: after how many actions the position is that is looked at, null: now; `isStill`: there is
   *  nowhere to go back to; `showsNotes`: what a bot thought may be seen.
   *  @param {(Action | undefined)[]} actions
   *  @param {{at: number | null, isStill: boolean, showsNotes: boolean}} look */
  show(actions, { at, isStill, showsNotes }) {
    const rows = moveRows(actions);
    const lastPly = at ?? Math.max(0, ...rows.flatMap(({ plies }) => plies));
    const before = this.list.dataset.at;
    keyed(this.list, rows, ({ number }) => number, (row) => this.#item(row),
      (item, row) => this.#update(item, row, { lastPly, isBack: at !== null, showsNotes }));
    show(this.none, rows.length === 0);
    show(this.list, rows.length > 0);
    set(this.list, "data-at", `${rows.length} ${lastPly}`);
    if (before !== this.list.dataset.at) this.#reveal(at === 0);
    const [first, back, next, last] = this.steps;
    for (const button of [first, back]) set(button, "aria-disabled", isStill || at === 0);
    for (const button of [next, last]) set(button, "aria-disabled", at === null);
  }

  /** @param {MoveRow} row */
  #item({ number }) {
    const go = (/** @type {{currentTarget: HTMLElement}} */ { currentTarget }) => this.go(Number(currentTarget.dataset.ply));
    const cells = [0, 1].map(() => el("span", {}, el("button", { type: "button", tabindex: -1, onclick: go })));
    return el("li", { value: number }, ...cells);
  }

  /** @param {HTMLElement} item
   *  @param {MoveRow} row
   *  @param {{lastPly: number, isBack: boolean, showsNotes: boolean}} look */
  #update(item, row, { lastPly, isBack, showsNotes }) {
    [...item.children].forEach((cell, seat) => {
      const button = /** @type {HTMLButtonElement} */ (cell.firstElementChild);
      const isLast = row.plies[seat] === lastPly && lastPly > 0;
      put(button, row.cells[seat]);
      set(button, "data-ply", row.plies[seat]);
      set(button, "hidden", row.cells[seat] === "");
      set(cell, "title", (showsNotes && row.notes[seat]) || null); // what a bot thought
      set(cell, "class", isLast ? "last" : null);
      set(button, "aria-current", isLast && isBack ? "step" : null);
    });
  }

  /** Scroll the list, not the page, to the move that is on the board.
   *  @param {boolean} isStart */
  #reveal(isStart) {
    const { list } = this;
    const item = /** @type {HTMLElement | null} */ (list.querySelector(".last"));
    if (isStart || !item) {
      list.scrollTo(0, 0);
      return;
    }
    const [box, line] = [item.getBoundingClientRect(), list.getBoundingClientRect()];
    if (box.top < line.top || box.bottom > line.bottom) list.scrollTop += box.top - line.top - (line.height - box.height) / 2;
    if (box.left < line.left || box.right > line.right) list.scrollLeft += box.right - line.right + 12;
  }
}
