/* Below a match that was read from a file: where it stops to make sense, its games, and it in other formats. */

/** @import { House } from "../past/house.js" */
/** @import { KeptMatch } from "./store.js" */

import { el } from "../page/dom.js";
import { saveFile } from "../page/save_file.js";
import { moment } from "../past/house.js";
import { fileWords } from "../texts/imported/words.js";
import { words } from "../texts/words.js";
import { Unreadable, writtenAs } from "./reading.js";

const texts = fileWords;
const FORMATS = ["txt", "json"];
const OF_BACKGAMMON = ["sgf", "mat"];

/** @param {House} house
 *  @param {KeptMatch} kept
 *  @param {string} here the game that is shown
 *  @param {(match: string) => string} path where a game is shown
 *  @param {Element} remove the button that deletes it */
export function aboutFile(house, { name, file, match: { games, fault = null, remarks = [], promised } }, here, path, remove) {
  const save = async (/** @type {string} */ ending) => {
    try {
      saveFile(await writtenAs(file, ending), `${name.replace(/\.\w+$/, "")}.${ending}`);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      house.notices.notify(error.message);
    }
  };
  const said = [...(fault === null ? [] : [texts.readUpTo(fault)]), ...remarks.map(texts.remark), ...(promised ? [] : [texts.notPromised])];
  const endings = games[0].game.startsWith("backgammon") ? [...FORMATS, ...OF_BACKGAMMON] : FORMATS;
  const list = games.map(({ match }, index) => el("li", {},
    el("a", { href: path(match), "aria-current": match === here ? "true" : null }, String(index + 1))));
  return el("div", { class: "about-match" },
    el("section", { class: "card" }, el("h2", {}, texts.file(name)), games[0].at ? el("p", { class: "quiet" }, moment(games[0].at)) : null,
      ...said.map((text, index) => el("p", { class: index === 0 && fault !== null ? "trouble" : "quiet" }, text)),
      ...(games.length > 1 ? [el("nav", { "aria-label": texts.games }, el("h3", {}, texts.games), el("ol", { class: "games" }, ...list))] : []),
      el("p", { class: "row files" }, ...endings.map((ending) =>
        el("button", { type: "button", "data-file": ending, onclick: () => save(ending) }, words.past.files[ending]))),
      el("p", { class: "row files" }, el("a", { href: "/imported" }, texts.all), remove)));
}
