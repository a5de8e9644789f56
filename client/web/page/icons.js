/* The small pictures on buttons: strokes in the colour of the text, 24 by 24. */

import { svg } from "./dom.js";

/** @type {Record<string, string>} */
const PATHS = {
  abort: "M6 6l12 12M18 6L6 18",
  analyse: "M10.5 4a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13M15.5 15.5L20 20M7.5 11l2 2l4-4.5",
  cancel: "M6 6l12 12M18 6L6 18",
  chat: "M4 5h16v11H10l-4 4v-4H4z",
  confirm: "M4 12.5l5 5L20 7",
  draw: "M5 9h14M5 15h14",
  hint: "M9 18h6M10 21h4M12 3a6 6 0 0 0-3.5 10.9c.6.5 1 1.2 1 2.1h5c0-.9.4-1.6 1-2.1A6 6 0 0 0 12 3z",
  invite: "M9 11a3.5 3.5 0 1 0 0-7a3.5 3.5 0 1 0 0 7M3 20c0-3.5 2.5-6 6-6s6 2.5 6 6M18 8v6M15 11h6",
  leave: "M10 4H5v16h5M14 8l4 4l-4 4M18 12H9",
  lobby: "M4 11l8-7l8 7M6 10v10h12V10",
  new: "M20 12a8 8 0 1 1-2.5-5.8M20 3v5h-5",
  resign: "M6 21V4M6 4h12l-3 4l3 4H6",
  rules: "M12 6.5C10 5 7.5 4.5 4 4.5v13c3.5 0 6 .5 8 2c2-1.5 4.5-2 8-2v-13c-3.5 0-6 .5-8 2zM12 6.5v13",
  settings: "M12 8.5a3.5 3.5 0 1 0 0 7a3.5 3.5 0 1 0 0-7M12 2.5v3M12 18.5v3M2.5 12h3M18.5 12h3M5.3 5.3l2.1 2.1M16.6 16.6l2.1 2.1M18.7 5.3l-2.1 2.1M7.4 16.6l-2.1 2.1",
  sit: "M6 4v9h12V4M6 13v7M18 13v7M6 17h12",
  takeback: "M9 6L4 11l5 5M4 11h10a6 6 0 0 1 6 6v2",
  first: "M6 5v14M18 5l-8 7l8 7",
  back: "M15 5l-8 7l8 7",
  next: "M9 5l8 7l-8 7",
  last: "M18 5v14M6 5l8 7l-8 7",
};

/** The picture of this name; an empty one where there is none.
 *  @param {string} name */
export function icon(name) {
  const d = Object.hasOwn(PATHS, name) ? PATHS[name] : "";
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d }));
}
