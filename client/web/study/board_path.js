/* Where an analysis board is.  No DOM in here. */

/** An analysis board with a position on it.
 *  @param {string} game
 *  @param {string | null} [position] */
export const boardPath = (game, position) => `/board/${game}${position ? `#position=${encodeURIComponent(position)}` : ""}`;
