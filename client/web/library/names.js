/* The names that this browser has had here, so that changing one loses none.

   A name belongs to the browser that has its token; both are kept, as {name: token}, the newest last. */

import { read, write } from "./storage.js";

/** @typedef {{name: string, token: string}} KeptName */

const MAX_NAMES = 6;

/** The newest first.
 *  @returns {KeptName[]} */
export const keptNames = () =>
  Object.entries(/** @type {Record<string, string>} */ (read("names", {}))).map(([name, token]) => ({ name, token })).reverse();

/** Remember a name with its newest token.
 *  @param {string} name
 *  @param {string} token */
export function keepName(name, token) {
  keep([{ name, token }, ...keptNames().filter((kept) => kept.name !== name && kept.token !== token)]);
}

/** Forget a name that the server does not give to this browser any more.
 *  @param {string} token */
export const dropName = (token) => keep(keptNames().filter((kept) => kept.token !== token));

/** @param {KeptName[]} names the newest first */
const keep = (names) =>
  write("names", Object.fromEntries(names.slice(0, MAX_NAMES).reverse().map(({ name, token }) => [name, token])));
