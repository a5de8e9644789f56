/* The rules of a game, with pictures, on a sheet above everything: `openRules(game)`, and a button for it. */

import { addStyle, boardOf, isDrawn } from "../boards/registry.js";
import { el, svg } from "../page/dom.js";
import { words } from "../texts/words.js";

/** @typedef {keyof Pick<typeof words.boards.rules, "connect_four" | "tic_tac_toe" | "ultimate_tic_tac_toe" | "backgammon" | "backgammon_cube">} Known */
/** @typedef {{text: string, picture: string | null, caption: string}} Part */
/** @typedef {(position: string) => SVGElement} Picture */

/** Show the rules of a game; the focus goes back to where it was when they are closed.
 *  @param {string} game */
export async function openRules(game) {
  const [module] = await Promise.all([isDrawn(game) ? boardOf(game) : null, addStyle(import.meta.resolve("/rules/rules.css"))]);
  if (document.querySelector("dialog.rules[open]")) return; // a second tap while the first one loads
  const sheet = sheetOf(game, module?.picture);
  document.body.append(sheet);
  sheet.addEventListener("close", () => sheet.remove());
  sheet.addEventListener("click", (event) => event.target === sheet && sheet.close()); // beside it
  sheet.showModal();
  sheet.scrollTop = 0;
}

/** A button that shows the rules of the game that `gameOf()` says when it is pressed.
 *  @param {() => string} gameOf */
export const rulesButton = (gameOf) => el("button",
  { type: "button", class: "link", "data-do": "rules", onclick: () => openRules(gameOf()) }, words.boards.rules.open);

/** @param {string} game
 *  @param {Picture} [picture] */
function sheetOf(game, picture) {
  const { rules } = words.boards;
  const known = isDrawn(game) ? rules[/** @type {Known} */ (game)] : null;
  const sheet = el("dialog", { class: "rules", "aria-labelledby": "rules-title" });
  const close = el("button", { type: "button", class: "close", "aria-label": words.common.close, onclick: () => sheet.close() }, cross());
  const heading = el("h2", { id: "rules-title", tabindex: -1, autofocus: true }, rules.title(known?.name ?? game.replaceAll("_", " ")));
  const parts = (known?.parts ?? [{ text: rules.unknown, picture: null, caption: "" }]).map((part) => partOf(part, picture));
  const keys = known ? [el("p", { class: "quiet" }, known.keys)] : [];
  sheet.append(el("header", {}, heading, close), el("div", { class: "parts" }, ...parts), ...keys);
  return sheet;
}

/** @param {Part} part
 *  @param {Picture} [picture] */
function partOf({ text, picture: position, caption }, picture) {
  const figure = position === null || !picture ? null
    : el("figure", {}, picture(position), el("figcaption", { class: "quiet" }, caption));
  return el("section", {}, el("p", {}, text), figure);
}

const cross = () => svg("svg", { viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true" },
  svg("path", { d: "M4 4L16 16M16 4L4 16", stroke: "currentColor", "stroke-width": 2.2, "stroke-linecap": "round" }));
