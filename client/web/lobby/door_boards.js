/* The games at the door: pictures of them, each of which plays that game at once. */

import { el } from "../page/dom.js";
import { words } from "../texts/words.js";
import { TELLING } from "./game_cards.js";
import { SmallBoard } from "./small_board.js";

const SHOWN = /** @type {const} */ (["connect_four", "backgammon_cube", "ultimate_tic_tac_toe", "tic_tac_toe"]);

/** `play(game)` is called when one is pressed.
 *  @param {(game: string) => unknown} play */
export function doorBoards(play) {
  return SHOWN.map((game) => {
    const board = new SmallBoard();
    board.show(game, TELLING[game]);
    const name = words.common.shortGames[game] ?? words.boards.rules[game].name;
    return el("button", { type: "button", class: "door-board", "data-play": game, onclick: () => play(game) }, board.node,
      el("span", {}, words.door.playNow), el("strong", {}, name));
  });
}
