/* How large a board may be: its form and what it has below its drawing, as the style sheet needs them. */

import { set } from "../page/dom.js";

/** Tell the style sheet of `game`, which has the board in `host`.  `before` is what came back the last
 *  time, so that nothing is measured twice.
 *  @param {HTMLElement} game
 *  @param {HTMLElement} host
 *  @param {string} before
 *  @returns {string} */
export function fitBoard(game, host, before) {
  const drawing = host.querySelector("svg");
  const box = drawing?.viewBox.baseVal;
  set(game, "data-plain", !box?.height);
  if (!drawing || !box?.height) return before;
  const form = `${box.width} ${box.height} ${innerWidth} ${innerHeight}`;
  if (form === before || !host.isConnected) return before;
  game.style.setProperty("--ratio", String(box.width / box.height));
  const below = host.scrollHeight - drawing.getBoundingClientRect().height;
  game.style.setProperty("--below", `${Math.max(0, Math.ceil(below))}px`);
  return form;
}
