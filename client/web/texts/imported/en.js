/* What only the page of matches from files says, in English; see ../en.js. */

export default {
  title: "Matches from files",
  about: "A match of your own: match text (.mat) or SGF of any backgammon program, or what Plyhouse writes of any game (JSON or text)."
    + " It is read by this server, which keeps nothing of it; the match stays in this browser, for you alone, until you delete it.",
  choose: "Choose a file",
  orDrop: "… or drop it anywhere on this page, or paste it, file or text.",
  reading: (/** @type {string} */ name) => `Reading ${name} …`,
  pasted: "a pasted match",
  tooLarge: (/** @type {{name: string, most: number}} */ { name, most }) => `${name} is too large: a file of a match has ${most} MiB at most.`,
  refused: (/** @type {{name: string, why: string}} */ { name, why }) => `${name}: ${why}`,
  kept: "Kept in this browser",
  none: "Nothing is kept yet.",
  notKept: "This browser could not keep the match: it is gone when you leave the page.",
  gone: "This match is not kept in this browser, or not any more.",
  all: "All matches from files",
  file: (/** @type {string} */ name) => `From ${name}`,
  readUpTo: (/** @type {string} */ fault) => `The file is read as far as it makes sense: ${fault}.`,
  remark: (/** @type {string} */ remark) => `${remark}.`,
  notPromised: "The dice are as the file says: no one has promised them beforehand.",
  unfinished: "the file ends before the game does",
  games: "Games",
  remove: "Delete",
  reallyRemove: "Delete for good?",
  removed: "Deleted: nothing of it is left in this browser.",
};
