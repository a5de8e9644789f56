/* The page's words in English.

   One object, a section for each part of the page.  A word is a text, or a function of what stands in
   it that returns one, so that each language builds its own plurals and order.  Every other language
   has the same shape: the type check compares them. */

/** Somebody of whom is spoken; `isMe`: who reads it.
 *  @typedef {{isMe: boolean, name: string}} Who */
/** The cells, by number, that somebody holds.
 *  @typedef {{who: Who, cells: number[]}} Marks */

const NINE = ["top left", "top", "top right", "left", "centre", "right", "bottom left", "bottom", "bottom right"];

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {Who} who */
const person = ({ isMe, name }) => (isMe ? "you" : name);

/** @param {Who} who */
const stoneOf = ({ isMe, name }) => (isMe ? "yours" : `${name}’s`);

/** @param {Who} who */
const holds = ({ isMe, name }) => (isMe ? "You hold" : `${capital(name)} holds`);

/** @param {number[]} cells */
const cellList = (cells) => (cells.length < 2 ? cells.join("") : `${cells.slice(0, -1).join(", ")} and ${cells[cells.length - 1]}`);

export default {
  /** What belongs to no single part. */
  common: {
    lobby: "Lobby",
    close: "Close",
  },

  /** Choosing a name; being invited. */
  door: {
    who: "Who is playing?",
    about: "People and bots play here at the same tables. Choose a name, and it is yours.",
    name: "Your name",
    enter: "Enter",
    play: "Play",
    watch: "Just watch",
    guest: "Play as a guest",
    entering: "Entering …",
    be: (/** @type {{name: string}} */ { name }) => `Be ${name}`,
    earlier: "Your names in this browser",
    again: (/** @type {{name: string}} */ { name }) => `Enter as ${name}`,
    have: "I have a name here already",
    code: "Its recovery code, or the code of another device",
    bring: "Bring it here",
    looking: "Looking who invites you …",
    invites: (/** @type {{name: string, game: string}} */ { name, game }) => `${name} invites you to ${game}.`,
    someone: (/** @type {{game: string}} */ { game }) => `You are invited to ${game}.`,
    blank: "You have a link to a table.",
    terms: (/** @type {{clock: string, rated: boolean}} */ { clock, rated }) => `${clock}, ${rated ? "rated" : "not rated"}`,
    full: "Both seats are taken; you can watch.",
    begins: "The game begins as soon as you sit down.",
    lobby: "To the lobby",
    gone: "No table has this code any more.",
  },

  /** The games to choose from, three ways to play, who is here. */
  lobby: {
    choose: "Choose a game",
    bot: "Play a bot",
    against: (/** @type {{bot: string, level: number | null}} */ { bot, level }) => (level ? `${bot}, level ${level}: ${LEVELS[level - 1]}` : bot),
    allBusy: "All bots are busy just now",
    noBot: "No bot plays this here just now",
    friend: "Play a friend",
    friendAbout: "A table of your own, with a link, a QR code and a code to share.",
    table: "Open a table",
    tableAbout: "Anybody who is here can sit down.",
    who: "Bot",
    level: "Strength",
    strength: (/** @type {{level: number}} */ { level }) => `level ${level}: ${LEVELS[level - 1]}`,
    busy: (/** @type {{bot: string}} */ { bot }) => `${bot} (busy)`,
    ofOwner: (/** @type {{bot: string, owner: string}} */ { bot, owner }) => `${bot} of ${owner}`,
    levelled: (/** @type {{bot: string, level: number}} */ { bot, level }) => `${bot}, level ${level}`,
    botTag: (/** @type {{level: number | null}} */ { level }) => (level ? `bot, level ${level}: ${LEVELS[level - 1]}` : "bot"),
    clock: "Clock",
    seat: "You move",
    seats: { first: "first", second: "second", any: "drawn by lot" },
    rated: "Rated, against people",
    ratedShort: "rated",
    ratedWhy: "It needs a clock; bots are never rated here.",
    /** What a bot of the house is, in a word or two, and how it thinks. */
    bots: /** @type {Record<string, [string, string]>} */ ({
      mcts: ["tree search", "Knows only the rules: it plays many random games from here, and follows what wins. It learns nothing."],
      minimax: ["calculator", "Calculates ahead, move by move, and judges positions by fixed rules."],
      hybrid: ["search and calculation", "Plays random games early on, and calculates ahead later."],
      flat: ["random games", "Tries each move in short random games, and looks no further into any of them."],
      solver: ["to the end", "Searches to the end of the game, and plays perfectly where it gets there."],
      gammon: ["neural net", "Learnt backgammon by playing against itself; at higher levels it looks at all 21 rolls to come."],
      random: ["pure chance", "Plays any move that is allowed, each as likely."],
    }),
    have: "I have a code",
    join: "Join",
    here: "Here now",
    people: "People",
    alone: "Nobody else is here just now. “Play a friend” makes a link for somebody who is not.",
    playing: "is playing",
    invite: "Invite",
    inviteTo: (/** @type {{name: string, game: string}} */ { name, game }) => `Invite ${name} to ${game}`,
    seatsFree: "Open seats",
    live: "Being played",
    watch: "Watch",
    goTo: "Go to the table",
    joinAt: (/** @type {{names: string, game: string}} */ { names, game }) => `Join ${names}: ${game}`,
    watchAt: (/** @type {{names: string, game: string}} */ { names, game }) => `Watch ${names}: ${game}`,
    quiet: "No table is open just now.",
    more: (/** @type {{total: number}} */ { total }) => `${total} tables are open; these are the newest.`,
    between: (/** @type {{score: string}} */ { score }) => `between matches, ${score}`,
    ply: (/** @type {{ply: number}} */ { ply }) => (ply ? `move ${ply}` : "just begun"),
    score: (/** @type {{score: string}} */ { score }) => `${score} so far`,
    waits: (/** @type {{name: string}} */ { name }) => `${name} waits`,
    versus: (/** @type {{one: string, two: string}} */ { one, two }) => `${one} – ${two}`,
    onLadder: (/** @type {{ladder: string}} */ { ladder }) => `ladder ${ladder}`,
    ladders: "Ladders",
    ladder: (/** @type {{game: string, running: boolean, pairs: number}} */ { game, running, pairs }) => `${game} · ${running ? "running" : "finished"} · ${pairs === 1 ? "1 pair" : `${pairs} pairs`}`,
    botsHere: "Bots",
    botPlays: (/** @type {{games: string, levels: number, free: number}} */ { games, levels, free }) => [...(games ? [games] : []), ...(levels ? [`levels 1 to ${levels}`] : []), free ? `${free} free` : "busy"].join(" · "),
    allBut: (/** @type {{game: string}} */ { game }) => `all but ${game}`,
    noBots: "No bot is connected.",
    last: "Your last matches",
    all: "All of them",
    won: (/** @type {{name: string}} */ { name }) => `Won against ${name}`,
    lost: (/** @type {{name: string}} */ { name }) => `Lost against ${name}`,
    drawn: (/** @type {{name: string}} */ { name }) => `Drawn with ${name}`,
    off: (/** @type {{name: string}} */ { name }) => `Called off with ${name}`,
    inviting: "Who shall play with you?",
    inviteFriend: "Send this to your friend. The game begins when they sit down.",
    waiting: "Anybody here can sit down now; or ask somebody.",
    callBot: "Or a bot",
    call: "Call the bot",
    byName: "Somebody who is here, by name",
    invited: (/** @type {{name: string}} */ { name }) => `${name} is invited.`,
  },

  /** Links, codes, QR codes; one's name and what can be done about it. */
  share: {
    link: "Link",
    code: "Code",
    copy: "Copy the link",
    share: "Share",
    copied: "The link is copied.",
    byHand: "The link is selected: copy it by hand.",
    qr: "QR code of the link",
    thisMachine: "This link works on this machine alone. Open the page by this machine's address in your network, and it works there.",
    tables: "Your tables",
    due: (/** @type {{table: string}} */ { table }) => `${table} · your turn`,
    past: "Your matches",
    device: "Use this name on another device",
    deviceAbout: "Open the link there, or enter the code under “I have a name here already”. The name moves: this device gives it up.",
    minutes: (/** @type {{minutes: number}} */ { minutes }) => (minutes === 1 ? "It works once, for a minute." : `It works once, for ${minutes} minutes.`),
    recovery: "Recovery code",
    rename: "Change name",
    leaveFirst: "Leave your tables first: a seat belongs to your name.",
  },

  /** Players, clocks, actions, chat, what has happened: all around the board. */
  table: {},

  /** How a match ended, and why. */
  results: {},

  /** The boards: what a cell is called, what an action is in words; the rules of the games. */
  boards: {
    seats: ["the first player", "the second player"],
    over: "The match is over.",
    next: (/** @type {Who} */ { isMe, name }) => (isMe ? "It is your turn." : `It is ${name}’s turn.`),
    lastMove: (/** @type {{who: Who, action: string}} */ { who, action }) =>
      (who.isMe ? `You last played ${action}.` : `${capital(who.name)} last played ${action}.`),
    why: (/** @type {string} */ reason, /** @type {string} */ line) =>
      (reason === "line" ? line : reason === "full" ? "the board is full" : reason),

    connect_four: {
      board: "Connect four, six rows of seven",
      line: "four in a row",
      say: (/** @type {string} */ column) => `column ${column}`,
      cell: (/** @type {{column: number, row: number, owner: Who | null, isLast: boolean, lands: number | null}} */ { column, row, owner, isLast, lands }) => [
        `Column ${column}, row ${row}: ${owner ? stoneOf(owner) : "empty"}${isLast ? ", the last move" : ""}.`,
        lands === null ? "" : `Press to let a stone fall to row ${lands}.`].filter(Boolean).join(" "),
      read: (/** @type {{column: number, whose: Who[]}[]} */ columns) => (columns.length === 0 ? "The board is empty."
        : [`From the bottom up: ${columns.map(({ column, whose }) => `column ${column}: ${whose.map(person).join(", ")}`).join("; ")}.`,
          columns.length < 7 ? "The other columns are empty." : ""].filter(Boolean).join(" ")),
    },

    tic_tac_toe: {
      board: "Tic-tac-toe, three rows of three",
      line: "three in a row",
      say: (/** @type {number} */ cell) => `cell ${cell}, ${NINE[cell - 1]}`,
      cell: (/** @type {{cell: number, owner: Who | null, isLast: boolean, isOpen: boolean}} */ { cell, owner, isLast, isOpen }) => [
        `Cell ${cell}, ${NINE[cell - 1]}: ${owner ? stoneOf(owner) : "empty"}${isLast ? ", the last move" : ""}.`,
        isOpen ? "Press to play." : ""].filter(Boolean).join(" "),
      read: (/** @type {Marks[]} */ marks, /** @type {number[]} */ free) => (free.length === 9 ? "The board is empty."
        : [...marks.filter(({ cells }) => cells.length).map(({ who, cells }) => `${holds(who)} ${cellList(cells)}.`),
          free.length ? `Free: ${cellList(free)}.` : "No cell is free."].join(" ")),
    },

    ultimate_tic_tac_toe: {
      board: "Ultimate tic-tac-toe, nine boards of nine cells, as nine rows of nine",
      line: "three boards in a row",
      say: (/** @type {number} */ board, /** @type {number} */ cell) => `board ${board}, cell ${cell}`,
      cell: (/** @type {{board: number, cell: number, owner: Who | null, winner: Who | null, isLast: boolean, isOpen: boolean, sends: number | null}} */
        { board, cell, owner, winner, isLast, isOpen, sends }) => [
        `Board ${board}, ${NINE[board - 1]}${winner ? `, won by ${person(winner)}` : ""};`,
        `cell ${cell}, ${NINE[cell - 1]}: ${owner ? stoneOf(owner) : "empty"}${isLast ? ", the last move" : ""}.`,
        !isOpen ? "" : sends === null ? "Press to play; the answer comes on any open board."
          : `Press to play; the answer comes on board ${sends}.`].filter(Boolean).join(" "),
      read: (/** @type {{board: number, winner: Who | null, marks: Marks[]}[]} */ boards) => {
        const won = boards.filter(({ winner }) => winner).map(({ board, winner }) => `board ${board} by ${winner ? person(winner) : ""}`);
        const open = boards.filter(({ winner, marks }) => !winner && marks.some(({ cells }) => cells.length)).map(({ board, marks }) =>
          `board ${board}: ${marks.filter(({ cells }) => cells.length).map(({ who, cells }) => `${person(who)} ${cellList(cells)}`).join(", ")}`);
        if (won.length + open.length === 0) return "All boards are empty.";
        return [won.length ? `Won: ${won.join(", ")}.` : "No board is won yet.", open.length ? `${capital(open.join("; "))}.` : ""].filter(Boolean).join(" ");
      },
      goTo: (/** @type {number | null} */ board) => (board === null ? "Any open board may be played on." : `The next play must be on board ${board}, ${NINE[board - 1]}.`),
    },

    plain: {
      board: "The position",
      before: "The match has not begun.",
      read: (/** @type {string} */ position) => `The position is written ${position}.`,
      type: "Your move",
      play: "Play",
      more: (/** @type {number} */ count) => `${count} more: type a part of what you want to play.`,
      unknown: (/** @type {string} */ text) => (text ? `“${text}” cannot be played now.` : "Type a move, or press one below."),
    },

    rules: {
      open: "Rules",
      title: (/** @type {string} */ game) => `How to play ${game}`,
      unknown: "The rules of this game are not on this page. Whoever runs this house knows where they are.",

      connect_four: {
        name: "connect four",
        parts: [
          { text: "Two players take turns to let a stone fall into one of seven columns. It comes to rest on the stones that are there already. A column that holds six is full.",
            picture: "7/7/7/7/3o3/2xx3 o", caption: "A stone always falls as far as it can." },
          { text: "Four stones of your own in a row win: across, upright or slanting.",
            picture: "7/7/3x3/2xo3/1xxo3/xoox2o o", caption: "Four in a slanting row: crosses have won." },
          { text: "When all 42 places are taken without such a row, the match is a draw.", picture: null, caption: "" },
        ],
        keys: "Tap a column, or press its number, 1 to 7.",
      },

      tic_tac_toe: {
        name: "tic-tac-toe",
        parts: [
          { text: "Two players take turns to mark one of nine cells. The first draws crosses, the second rings.", picture: "3/1x1/2o x", caption: "A cross in the centre, a ring in a corner." },
          { text: "Three of your own marks in a row win: across, upright or slanting.", picture: "xo1/ox1/2x o", caption: "Crosses have won." },
          { text: "When all nine cells are taken without such a row, the match is a draw.", picture: "xox/xoo/oxx o", caption: "Nobody has won." },
        ],
        keys: "Tap a cell, or press its number, 1 to 9, from the top left.",
      },

      ultimate_tic_tac_toe: {
        name: "ultimate tic-tac-toe",
        parts: [
          { text: "Nine small boards of tic-tac-toe make a large one. Whoever gets three in a row on a small board wins it, and whoever wins three small boards in a row wins the match.",
            picture: "9/9/9/9/9/9/9/9/9 x -", caption: "Nine boards of nine cells." },
          { text: "Where you play decides where your opponent has to answer: the cell that you take has the place of a small board. A mark in the top right cell of any board sends your opponent to the top right board.",
            picture: "9/9/9/5x3/9/9/9/9/9 o 3", caption: "A cross in the top right cell of the centre board: the answer must come on the top right board." },
          { text: "A board that is won or full is closed. Who is sent to a closed board may play on any open one. The boards where a play is allowed are lit.",
            picture: "x8/1x7/2x6/3o5/9/9/6o2/9/9 o -", caption: "Crosses have won the top left board: it is closed." },
          { text: "When all boards are closed and nobody has three in a row, the match is a draw.", picture: null, caption: "" },
        ],
        keys: "Tap a cell, or type the number of the board and of the cell, 1 to 9 each, from the top left.",
      },

      backgammon: {
        name: "backgammon",
        parts: [
          { text: "Two players race fifteen checkers each around 24 points, in opposite directions, into their own home, the points 6 to 1, and off the board. Whoever has borne off all of them first wins.",
            picture: "XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:0:10", caption: "How it begins." },
          { text: "Both roll one die; the higher one begins and plays both numbers. After that each turn has two dice. A die moves one checker so many points forward; one checker may use both, one after the other. A double is played four times.",
            picture: null, caption: "" },
          { text: "You may land on a point that is empty, your own, or held by a single checker of your opponent. Two and more of your opponent’s checkers block a point.", picture: null, caption: "" },
          { text: "A single checker that is landed on is hit: it goes to the bar, and has to enter in the opponent’s home, on the point of one of the dice, before its owner moves anything else.",
            picture: "XGID=aa----EAC---eD---c-e----B-:0:0:-1:31:0:0:0:0:10", caption: "A checker has been hit, and waits on the bar." },
          { text: "If you can play both dice, you must. If you can play only one of them, but either one, it has to be the larger. If nothing can be played, the turn passes by itself.", picture: null, caption: "" },
          { text: "Once all of your checkers are in your home, you may bear them off: a die takes a checker from its point, or from the highest one that you hold if that is lower.",
            picture: "XGID=-CBDBBB------------bbcccb-:0:0:1:42:0:0:0:0:10", caption: "All checkers are home: bearing off may begin." },
          { text: "A win counts one point. It is a gammon, and counts two, if the loser has borne off nothing; a backgammon, three, if in addition the loser still has a checker on the bar or in the winner’s home. There is no doubling cube.",
            picture: null, caption: "" },
        ],
        keys: "Tap a checker and then where it shall go, or drag it; or type your turn, such as 13/9 6/5. “Done” ends it.",
      },
    },
  },

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

/** The levels of a bot, from 1. */
const LEVELS = ["newcomer", "casual", "steady", "club", "strong", "expert", "master", "beyond"];
