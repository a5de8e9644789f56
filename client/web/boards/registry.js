/* Which board draws which game.  A board is what board.d.ts says; it knows one game, and nothing of
   rooms or of the connection.  Boards and their style sheets come when they are needed. */

/** @import { BoardModule } from "./board.js" */

/** @type {Record<string, () => Promise<BoardModule>>} */
const BOARDS = {
  tic_tac_toe: () => import("./tic_tac_toe.js"),
  connect_four: () => import("./connect_four.js"),
  ultimate_tic_tac_toe: () => import("./ultimate_tic_tac_toe.js"),
  backgammon: () => import("./backgammon.js"),
  backgammon_cube: () => import("./cube/board.js"),
};
/** The style sheets of a board, where they are not just the one of the game's name.
 *  @type {Record<string, string[]>} */
const SHEETS = { backgammon_cube: ["backgammon", "cube/board"] };

/** Whether this page can draw a game.
 *  @param {string} game */
export const isDrawn = (game) => Object.hasOwn(BOARDS, game);

/** The board of a game, with its style sheet; for a game without a drawing, the plain one.
 *  @param {string} game
 *  @returns {Promise<BoardModule>} */
export async function boardOf(game) {
  const load = isDrawn(game) ? BOARDS[game] : () => import("./plain.js");
  const sheets = isDrawn(game) ? (SHEETS[game] ?? [game]) : [];
  const [module] = await Promise.all([load(), ...["grid/grid", ...sheets].map((name) => addStyle(sheet(name)))]);
  return module;
}

/** @type {Map<string, Promise<unknown>>} */
const styles = new Map();

/** Where a style sheet of the boards is: with its version, if the page has named it.
 *  @param {string} name */
const sheet = (name) => import.meta.resolve(`/boards/${name}.css`);

/** Add a style sheet to the page, once, and wait until it is there.
 *  @param {string} href */
export function addStyle(href) {
  const loading = styles.get(href) ?? new Promise((resolve) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = href;
    link.onload = resolve;
    link.onerror = () => {
      link.remove();
      styles.delete(href); // the next one who needs it tries again
      resolve(null);
    };
    document.head.append(link);
  });
  styles.set(href, loading);
  return loading;
}
