/* Beside the board: the list of moves. */

/** @import { Action } from "../library/replica.js" */
/** @import { MoveRow } from "./move_rows.js" */

import { el, keyed, put, set, show } from "../page/dom.js";
import { moveRows } from "./move_rows.js";

export class MoveList {
  constructor() {
    this.list = el("ol", { class: "moves", tabindex: 0, "aria-label": "Moves" });
    this.none = el("p", { class: "quiet" }, "Nobody has moved yet.");
    this.node = el("section", { class: "card" }, el("h2", {}, "Moves"), this.none, this.list);
  }

  /** @param {(Action | undefined)[]} actions */
  show(actions) {
    const rows = moveRows(actions);
    const length = this.list.children.length;
    const lastSeat = actions.findLast((action) => action && action.seat >= 0)?.seat ?? null;
    keyed(this.list, rows, ({ number }) => number, () => el("li", {}, el("span"), el("span")),
      (item, row) => this.#update(item, row, row === rows.at(-1) ? lastSeat : null));
    show(this.none, rows.length === 0);
    if (rows.length !== length) this.list.scrollTop = this.list.scrollHeight;
  }

  /** `last`: whose move in this row is the last of all, or null.
   *  @param {HTMLElement} item
   *  @param {MoveRow} row
   *  @param {number | null} last */
  #update(item, row, last) {
    [...item.children].forEach((cell, seat) => {
      put(cell, row.cells[seat]);
      set(cell, "title", row.notes[seat] || null); // what a bot thought
      set(cell, "class", seat === last ? "last" : null);
    });
  }
}
