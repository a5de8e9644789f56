/* The games to choose from, as cards with their own boards drawn small. */

/** @import { Catalog } from "../library/catalog.js" */

import { read, write } from "../library/storage.js";
import { el, keyed, put } from "../page/dom.js";
import { words } from "../texts/words.js";
import { SmallBoard } from "./small_board.js";

const FIRST_CHOICE = "connect_four"; // everybody knows it, and it is soon over
/** Positions in mid-game, which tell more of a game than its empty board.
 *  @type {Record<string, string>} */
export const TELLING = {
  connect_four: "7/7/3x3/2oo3/2xxo2/1oxxox1 o",
  tic_tac_toe: "x1o/1x1/o2 x",
  backgammon_cube: "XGID=-b-B-BC-B--bb-b-b-cbbB----:1:1:-1:00:0:0:0:0:10",
  ultimate_tic_tac_toe: "ox1xo4/1o1xxo1o1/x1o1xox2/oo1xo1xoo/5x3/3o5/o2ox2xx/1xx3x2/1o3o1x1 x 5",
};

/** A position by which one knows a game; null where none is known.
 *  @param {string} game
 *  @param {Catalog} catalog */
export const tellingPosition = (game, catalog) => (Object.hasOwn(TELLING, game) ? TELLING[game] : catalog.start(game));

export class GameCards {
  /** The game that is chosen.
   *  @type {string} */
  game = read("game");

  /** @param {() => void} onChange */
  constructor(onChange) {
    this.onChange = onChange;
    this.cards = el("div", { class: "cards" });
    this.node = el("div", { class: "games", role: "radiogroup", "aria-label": words.lobby.choose }, this.cards);
  }

  /** @param {string[]} games
   *  @param {Catalog} catalog */
  show(games, catalog) {
    if (!games.includes(this.game)) this.game = games.includes(FIRST_CHOICE) ? FIRST_CHOICE : games[0];
    keyed(this.cards, games, (game) => game, (game) => this.#card(game), (card, game) => {
      put(card.caption, catalog.title(game));
      card.radio.checked = game === this.game;
      card.board.show(game, tellingPosition(game, catalog));
    });
  }

  /** @param {string} game */
  #card(game) {
    const choose = () => {
      this.game = game;
      write("game", game);
      this.onChange();
    };
    const radio = el("input", { type: "radio", name: "game", value: game, onchange: choose });
    const [caption, board] = [el("span", { class: "title" }), new SmallBoard()];
    const card = el("label", { "data-game": game }, radio, el("span", { class: "face" }, board.node, caption));
    return Object.assign(card, { radio, caption, board });
  }
}
