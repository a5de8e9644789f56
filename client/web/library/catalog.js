/* The games of the server, as its welcome lists them: titles and first positions.

   The page knows no game by itself, but for those that boards/registry.js can draw.  What a game calls
   its sides (`seats`: X, O) is for clients that draw with letters: each board here has its own stones. */

/** @import { GameInfo, Welcome } from "./messages.js" */

import { words } from "../texts/words.js";

export class Catalog {
  /** @type {Map<string, GameInfo>} */
  #games = new Map();

  /** Take over the list of a welcome.
   *  @param {Welcome} welcome */
  read({ catalog = [] }) {
    this.#games = new Map(catalog.map((info) => [info.game, info]));
  }

  /** The title of a game; for one that is not listed, its name made readable.
   *  @param {string} game
   *  @param {boolean} [isShort] without what is seen on its board */
  title(game, isShort = false) {
    if (isShort && Object.hasOwn(words.common.shortGames, game)) return words.common.shortGames[game];
    if (Object.hasOwn(words.common.games, game)) return words.common.games[game];
    const name = game.replaceAll("_", " ");
    return this.#games.get(game)?.title ?? name.charAt(0).toUpperCase() + name.slice(1);
  }

  /** The position in which a game begins, or null where it is not known.
   *  @param {string} game */
  start(game) {
    return this.#games.get(game)?.start ?? null;
  }
}
