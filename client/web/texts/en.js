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

  /** The page for an address that leads nowhere. */
  missing: {
    title: "There is no such page",
    what: "Perhaps the address has a slip, or what stood here is no longer kept.",
    home: "To the lobby",
  },

  /** The page that is shown where the server does not answer. */
  offline: {
    title: "Plyhouse does not answer",
    /** @param {{host: string}} at */
    noServer: ({ host }) =>
      `Nobody answers at ${host}. The server may have been stopped, or this device is in another network than before.`,
    noNetwork: "This device is not connected to a network.",
    kept: "All that was played is kept.",
    /** @param {{seconds: number}} wait */
    waiting: ({ seconds }) => `Trying again every ${seconds} seconds.`,
    trying: "Trying again …",
    again: "Try now",
  },

  /** The connection, and what the server refuses, by its code; codes that are not here come as its sentence. */
  connection: {},
};
