/* The board of a game that has no drawing here: its position as text, and each legal action as a
   button.  Enough to play anything. */

/** @import { BoardView } from "./board.js" */

import { el, keyed, put, show } from "../page/dom.js";

/** @param {HTMLElement} host
 *  @param {(action: string) => unknown} play */
export function create(host, play) {
  const position = el("pre", { class: "position" }, "The match has not begun.");
  const actions = el("div", { class: "row actions" });
  host.append(position, actions);
  return {
    /** @param {BoardView} view */
    show({ position: text, legal }) {
      put(position, text);
      show(actions, legal !== null);
      keyed(actions, legal ?? [], (action) => action, (action) =>
        el("button", { type: "button", "data-action": action, onclick: () => play(action) }, action));
    },
  };
}
