/* The small pictures on buttons: strokes in the colour of the text, 24 by 24. */

import { svg } from "./dom.js";

/** @type {Record<string, string>} */
const PATHS = {
  abandon: "M10 4H5v16h5M14 8l4 4l-4 4M18 12H9",
  agreement: "M5 9h14M5 15h14",
  "by-backgammon": "M3 20h18M6 20v-4h5v4M6 16v-4h5v4M6 12V8h5v4M15 20v-4h5v4",
  "by-drop": "M5 5h14v14H5zM9 9.5h.01M15 9.5h.01M9 15c2-1.6 4-1.6 6 0",
  "by-full": "M4 4h16v16H4zM9.3 4v16M14.7 4v16M4 9.3h16M4 14.7h16",
  "by-gammon": "M3 20h18M6 20v-4h5v4M6 16v-4h5v4M15 20v-4h5v4",
  "by-line": "M6 16a2 2 0 1 0 0 4a2 2 0 1 0 0-4M12 10a2 2 0 1 0 0 4a2 2 0 1 0 0-4M18 4a2 2 0 1 0 0 4a2 2 0 1 0 0-4M3 21L21 3",
  "by-rules": "M7 4h10v5a5 5 0 0 1-10 0zM7 5H4c0 3 1 5 3.5 5M17 5h3c0 3-1 5-3.5 5M12 14v4M8 20h8",
  projector: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  disconnect: "M10 4H5v16h5M14 8l4 4l-4 4M18 12H9",
  flag: "M12 4a8 8 0 1 0 0 16a8 8 0 1 0 0-16M12 8v4l3 2",
  record: "M5 4h14v16H5zM9 8h6M9 12h6M9 16h3",
  void: "M6 6l12 12M18 6L6 18",
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
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5M9 14.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5",
  sit: "M6 4v9h12V4M6 13v7M18 13v7M6 17h12",
  takeback: "M9 6L4 11l5 5M4 11h10a6 6 0 0 1 6 6v2",
  first: "M6 5v14M18 5l-8 7l8 7",
  back: "M15 5l-8 7l8 7",
  next: "M9 5l8 7l-8 7",
  last: "M18 5v14M6 5l8 7l-8 7",
};

/** The picture of this name, or of the other one; an empty one where there is none.
 *  @param {string} name */
export function icon(name, other = "") {
  const d = PATHS[Object.hasOwn(PATHS, name) ? name : other] ?? "";
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d }));
}
