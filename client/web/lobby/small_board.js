/* A position drawn small, by the game's own board.  The board is loaded when it is needed; until then,
   and for a game that cannot be drawn, its place stays empty. */

import { boardOf } from "../boards/registry.js";
import { el } from "../page/dom.js";

export class SmallBoard {
  #shown = "";

  constructor() {
    this.node = el("span", { class: "small-board", "aria-hidden": "true" });
  }

  /** @param {string} game
   *  @param {string | null | undefined} position */
  async show(game, position) {
    const wanted = `${game} ${position ?? ""}`;
    if (!position || this.#shown === wanted) return;
    this.#shown = wanted;
    this.node.dataset.game = game;
    const module = await boardOf(game).catch(() => null); // nothing is lost but a picture
    if (this.#shown !== wanted) return; // it has gone on meanwhile
    const picture = module?.picture?.(position);
    if (picture) this.node.replaceChildren(picture);
  }
}
