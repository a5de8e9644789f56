/* What somebody has chosen, remembered between visits, and with their name: settings/shared_settings.js.

   Colours and boards are attributes of the root, which style sheets read: data-colours, data-board. */

import { read, write } from "./storage.js";

/** `colours`, `board`, `language`, `coordinates` and `plan` are one of a list, the others on or off.
 *  @typedef {typeof DEFAULTS} Choices */

export const DEFAULTS = {
  language: "auto", // or one of texts/words.js
  colours: "auto", // light, dark
  board: "calm", // classic
  sound: false,
  notify: false, // by the system, when it is one's turn and the page is out of sight
  coordinates: "usual", // on the boards whose players expect them; or all, none
  flip: false,
  confirm: false, // ask before an action is played
  plan: "clock", // while the other side thinks: time is saved only where a clock runs; or always, never
  motion: true, // unless the system asks for less
  thoughts: false, // show what a bot thinks while one plays it
  chat: true,
  friends: /** @type {string[]} */ ([]), // names with a star
};

/** @type {Set<() => void>} */
const listeners = new Set();

/** The choices as they are now; change them by `choose`.
 *  @type {Choices} */
export const settings = { ...DEFAULTS, ...kept() };

/** What was chosen on earlier visits.  Coordinates were once on or off: off was the default, and no one's choice. */
function kept() {
  const choices = /** @type {Partial<Choices>} */ (read("settings", {}));
  if (typeof choices.coordinates === "boolean") choices.coordinates = choices.coordinates ? "all" : "usual";
  choices.friends ??= read("friends", []); // a place of their own was theirs once
  return choices;
}

/** Remember some choices, and tell everybody who listens.
 *  @param {Partial<Choices>} choices */
export function choose(choices) {
  write("unsent", true);
  takeOver(choices);
}

/** The same with choices that were made on another device.
 *  @param {Partial<Choices>} choices */
export function takeOver(choices) {
  Object.assign(settings, choices);
  write("settings", settings);
  apply();
  for (const listener of listeners) listener();
}

/** Call `listener` after each choice.
 *  @param {() => void} listener */
export const onChoice = (listener) => listeners.add(listener);

const NUMBERED = new Set(["backgammon", "backgammon_cube"]); // its notation names points, and boards of it have their numbers

/** Whether the board of a game is drawn with its coordinates.
 *  @param {string} game */
export const showsCoordinates = (game) => settings.coordinates === "all" || (settings.coordinates === "usual" && NUMBERED.has(game));

/** Whether things may move: it is wanted here, and the system does not ask for less. */
export const mayMove = () => settings.motion && !matchMedia("(prefers-reduced-motion: reduce)").matches;

function apply() {
  const { dataset } = document.documentElement;
  dataset.colours = settings.colours;
  dataset.board = settings.board;
}

apply();
