/* What only the host's page says, in English; see ../en.js.  What the server says of its acts, and its log, is
   in English in any case. */

export default {
  /** Of elements in the page's HTML, by their `data-word`. */
  page: {
    lobby: "Lobby",
    ladders: "Ladders",
    whose: "For the host of this server. The token stands in the file admin.token of its data folder; this tab forgets it when it is closed.",
    terminal: "The same from a terminal:",
  },
  pages: "Pages",
  title: "The host’s page",
  token: "Token",
  enter: "Come in",
  forget: "Forget the token",
  lost: "The server does not answer.",
  done: (/** @type {string} */ what) => `Done: ${what}.`,
  tellAll: "Tell everybody",
  notice: "Notice",
  told: "Who is told",
  send: "Send",
  present: "those who are here",
  within: (/** @type {string} */ time) => `and who comes within ${time}`,
  drainAbout: "To stop the server without losing a match: nothing new begins, all are told, and it ends with the last match.",
  drain: {
    button: "Drain and stop", title: "Drain and stop?", consequence: "Nothing new begins. The server ends with the last match.", done: "Drain",
  },
  stop: {
    button: "Stop now", title: "Stop now?", done: "Stop now",
    consequence: "Matches stand in the log and go on when the server is started again.",
  },
  /** How long something holds, by what the server reads.
   *  @type {Record<string, string>} */
  times: { "": "for good", "10min": "10 minutes", "1h": "an hour", "24h": "a day", "7d": "a week", "30d": "a month" },
  howLong: "How long",
  why: "Why (they are told)",
  player: "Which bot (such as ann/mcts)",
  leaveIt: "Leave it",
  /** A time in words, about. */
  spans: { d: "d", h: "h", min: "min", s: "s" },
  forGood: "for good",
  free: "free",
  muted: "muted",
  private: (/** @type {string} */ state) => `${state}, private`,
  /** States of rooms and ladders, by the server's word.
   *  @type {Record<string, string>} */
  states: {},
  /** Restraints, by the server's word.
   *  @type {Record<string, string>} */
  restraints: {},
  some: (/** @type {{shown: number, total: number}} */ { shown, total }) => `${shown} of ${total}`,
  hereOf: (/** @type {{here: number, players: number}} */ { here, players }) => `${here} here of ${players}`,
  lists: {
    who: { title: "Here now", none: "Nobody is connected.", head: ["Name", "From", "Rooms", "Chat"] },
    rooms: { title: "Rooms", none: "No room is open.", head: ["Room", "Game", "State", "Seats", "Following", "Idle for"] },
    ladders: { title: "Ladders", none: "There is no ladder.", head: ["Ladder", "Game", "Owner", "State", "Players", "Pairs"] },
    bans: { title: "Bans and mutes", none: "Nobody is banned or muted.", head: ["Who", "What", "How long still", "Why"] },
    nodes: { title: "Servers", none: "This server is the only one.", head: ["Server", "Reached at", "Rooms", "Connections", "State"] },
    disk: { title: "Disk", none: "Nothing is known of the disk.", head: ["What", "Size", "Limit"] },
    log: { title: "What was done", none: "Nothing yet.", head: ["When", "From", "What"] },
  },
  kick: {
    button: "Kick", label: (/** @type {string} */ name) => `Kick ${name}`,
    title: (/** @type {string} */ name) => `Kick ${name}?`, consequence: "All connections of this name end. It may come back.", done: "Kick",
  },
  mute: {
    button: "Mute", label: (/** @type {string} */ name) => `Mute ${name}`,
    title: (/** @type {string} */ name) => `Mute ${name}?`, consequence: "Chat from there is refused.", done: "Mute",
  },
  ban: {
    button: "Ban", label: (/** @type {string} */ name) => `Ban ${name}`,
    title: (/** @type {string} */ name) => `Ban ${name}?`, consequence: "All connections from there end, and no new one is let in.", done: "Ban",
  },
  banAddress: {
    button: "Ban address",
    label: (/** @type {{address: string, name: string}} */ { address, name }) => `Ban address ${address} of ${name}`,
  },
  release: {
    button: "Release", label: (/** @type {string} */ name) => `Release the name ${name}`,
    title: (/** @type {string} */ name) => `Release the name ${name}?`,
    consequence: "Whoever has it loses it for good, with all that is open under it.", done: "Release",
  },
  close: {
    button: "Close", label: (/** @type {string} */ room) => `Close room ${room}`,
    title: (/** @type {string} */ room) => `Close room ${room}?`, consequence: "A match that is on there ends without a result.", done: "Close it",
  },
  closeAll: {
    button: "Close all", label: (/** @type {string} */ target) => `Close all: ${target}`,
    title: (/** @type {string} */ target) => `Close all rooms that ${target} has opened?`,
    consequence: "Matches that are on there end without a result.", done: "Close them",
  },
  dropBot: {
    button: "Drop a bot", label: (/** @type {string} */ name) => `Drop a bot from the ladder ${name}`,
    title: (/** @type {string} */ name) => `Drop a bot from ${name}?`,
    consequence: "It begins no more pairs there, for good. Another version of it may join.", done: "Drop it",
  },
  stopLadder: {
    button: "Stop", label: (/** @type {string} */ name) => `Stop the ladder ${name}`,
    title: (/** @type {string} */ name) => `Stop ${name}?`, consequence: "Pairs that are on are void. The standings stay.", done: "Stop it",
  },
  removeLadder: {
    button: "Remove", label: (/** @type {string} */ name) => `Remove the ladder ${name}`,
    title: (/** @type {string} */ name) => `Remove ${name}?`, consequence: "It ends, and is shown no more.", done: "Remove it",
  },
  drainOne: {
    button: "Drain", label: (/** @type {string} */ server) => `Drain server ${server}`,
    title: (/** @type {string} */ server) => `Drain server ${server}?`, done: "Drain",
    consequence: "It hands its rooms to the others while they are played, and stops then. A second time: it stops at once.",
  },
  /** What is said of a server, in its list. */
  node: { here: "this one", cut: "no line to it", ladders: "ladders", drains: "drains" },
  openLadder: {
    title: "Open a ladder of the house", button: "Open",
    labels: { ladder: "Name", game: "Game", clock: "Clock", format: "Format (or endless)", members: "Members (or all)", code: "Code (or open to all)",
      siblings: "Bots of one owner meet", by_owner: "Each owner counts once" },
  },
  purge: "What was played is deleted while the server is off, in a terminal:",
  disk: {
    /** By the server's word.
     *  @type {Record<string, string>} */
    about: { free: "Free; below the limit chat and notes are refused", log: "The log" },
    lately: (/** @type {string} */ address) => `Stored lately by ${address}`,
  },
  absent: { title: "Somebody who is in no list", label: "Name or address" },
  lift: {
    button: "Lift",
    label: (/** @type {{restraint: string, target: string}} */ { restraint, target }) => `Lift the ${restraint} of ${target}`,
  },
};
