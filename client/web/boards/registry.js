/* Which board draws which game.  A board is what board.d.ts says; it knows one game, and nothing of
   rooms or of the connection. */

/** @import { BoardModule } from "./board.js" */

/** @type {Record<string, () => Promise<BoardModule>>} */
const BOARDS = {
  tic_tac_toe: () => import("./tic_tac_toe.js"),
  connect_four: () => import("./connect_four.js"),
  ultimate_tic_tac_toe: () => import("./ultimate_tic_tac_toe.js"),
  backgammon: () => import("./backgammon.js"),
};

/** The board of a game, with its style sheet; for a game without a drawing, the plain one.
 *  @param {string} game
 *  @returns {Promise<BoardModule>} */
export async function boardOf(game) {
  if (!Object.hasOwn(BOARDS, game)) return import("./plain.js");
  const [module] = await Promise.all([BOARDS[game](), addStyle(game)]);
  return module;
}

/** Add the style sheet of a game's board to the page, once, and wait until it is there.
 *  @param {string} game */
function addStyle(game) {
  const href = import.meta.resolve(`./${game}.css`); // with its version, if the page has named it
  const links = [...document.head.querySelectorAll("link")];
  if (links.some((link) => link.href === href)) return undefined;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = href;
  document.head.append(link);
  return new Promise((resolve) => {
    link.onload = link.onerror = resolve;
  });
}
