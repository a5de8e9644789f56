/* The words of the page in the reader's language: the one chosen in the settings, else the
   first of the browser's that is here, else English.  What only the pages of ladders, and that of whoever
   runs the house, say is in folders beside this file. */

import { settings } from "../library/settings.js";

/** @typedef {typeof import("./en.js").default} Words */

/** The languages there are, each by its own name.
 *  @type {Record<string, {title: string, load: () => Promise<{default: Words}>}>} */
export const LANGUAGES = {
  en: { title: "English", load: () => import("./en.js") },
  de: { title: "Deutsch", load: () => import("./de.js") },
};

/** @param {string} wanted by the settings
 *  @param {readonly string[]} spoken by the browser, the most wanted first */
export function languageOf(wanted, spoken) {
  const tags = [wanted, ...spoken.map((tag) => tag.toLowerCase().split("-")[0]), "en"];
  return tags.find((tag) => Object.hasOwn(LANGUAGES, tag)) ?? "en";
}

const { documentElement: root } = document;
export const language = languageOf(settings.language, navigator.languages);
export const words = (await LANGUAGES[language].load()).default;

root.lang = language;
