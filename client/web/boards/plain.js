/* The board of a game that has no drawing here: its position as text, and each legal action as a
   button.  Enough to play anything. */

import { el, keyed, put, show } from "../dom.js";

export function create(host, play) {
  const position = el("pre", { class: "position" });
  const legal = el("div", { class: "row actions" });
  host.append(position, legal);
  return {
    show(view) {
      put(position, view.position ?? "The match has not begun.");
      show(legal, view.legal !== null);
      keyed(legal, view.legal ?? [], (action) => action, (action) =>
        el("button", { type: "button", "data-action": action, onclick: () => play(action) }, action));
    },
  };
}
