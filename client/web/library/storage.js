/* What this browser stores between visits: the session's token, and the last choices.

   A browser may forbid that; then nothing is stored, and all else works. */

const PREFIX = "plyhouse.";

/** @param {string} key */
export function read(key, fallback = /** @type {any} */ (null)) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + key) ?? "null") ?? fallback;
  } catch {
    return fallback;
  }
}

/** Store a value; null removes it.
 *  @param {string} key
 *  @param {unknown} value */
export function write(key, value) {
  try {
    if (value === null) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // forbidden or full: it is only a convenience
  }
}
