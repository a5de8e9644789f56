/* The words of the page of matches from files, in the reader's language. */

import { language } from "../words.js";

/** @typedef {typeof import("./en.js").default} Words */

/** By the languages of ../words.js.
 *  @type {Record<string, () => Promise<{default: Words}>>} */
const load = { en: () => import("./en.js"), de: () => import("./de.js") };
export const fileWords = (await load[language]()).default;
