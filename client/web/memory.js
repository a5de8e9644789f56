/* What this browser keeps between visits: the token of the name, and the last choices.

   A browser may forbid that; then nothing is kept, and all else works. */

const PREFIX = "plyhouse.";

export function read(key, fallback = null) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + key)) ?? fallback;
  } catch {
    return fallback;
  }
}

export function write(key, value) {
  try {
    if (value === null) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // forbidden or full: it is only a convenience
  }
}
