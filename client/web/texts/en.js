/* The page's words in English.

   One object, a section for each part of the page.  A word is a text, or a function of what stands in
   it that returns one, so that each language builds its own plurals and order.  Every other language
   has the same shape: the type check compares them. */

export default {
  /** What belongs to no single part. */
  common: {
    lobby: "Lobby",
    close: "Close",
  },

  /** Choosing a name; being invited. */
  door: {},

  /** The games to choose from, three ways to play, who is here. */
  lobby: {},

  /** Players, clocks, actions, chat, what has happened: all around the board. */
  table: {},

  /** How a match ended, and why. */
  results: {},

  /** The boards: what a cell is called, what an action is in words; the rules of the games. */
  boards: {},

  /** A match's own page, a person's page, analysis. */
  past: {},

  /** The choices of whoever uses this browser. */
  settings: {},

  /** The connection, and what the server refuses, by its code; codes that are not here come as its sentence. */
  connection: {},
};
