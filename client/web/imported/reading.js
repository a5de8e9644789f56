/* Has the server read a file of a match: packed, so that a long analysis in it does not matter. */

/** @import { ImportedMatch } from "../library/messages.js" */

import { words } from "../texts/words.js";

export const MAX_MIB = 8; // unpacked, as the server takes it

/** Why a file could not be read, as a sentence for the person. */
export class Unreadable extends Error {}

/** @param {Blob} file */
export const isTooLarge = (file) => file.size > MAX_MIB * 1024 * 1024;

/** A file, packed by gzip.
 *  @param {Blob} file */
export const packed = (file) => new Response(file.stream().pipeThrough(new CompressionStream("gzip"))).blob();

/** What a packed file holds.
 *  @param {Blob} file
 *  @returns {Promise<ImportedMatch>} */
export const readMatch = async (file) => (await sent("/import", file)).json();

/** A packed file in another format.
 *  @param {Blob} file
 *  @param {string} ending */
export const writtenAs = async (file, ending) => (await sent(`/import.${ending}`, file)).blob();

/** @param {string} path
 *  @param {Blob} body */
async function sent(path, body) {
  const response = await fetch(path, { method: "POST", body, headers: { "Content-Type": "application/gzip" } }).catch(() => null);
  if (response?.ok) return response;
  throw new Unreadable(response ? (await response.text()).trim() : words.past.unreachable);
}
