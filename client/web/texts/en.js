/* The page's words in English.

   One object, a section for each part of the page.  A word is a text, or a function of what stands in
   it that returns one, so that each language builds its own plurals and order.  Every other language
   has the same shape: the type check compares them.  It is one file, however long: a translator
   opens one, and a browser fetches one. */

/** @import { Declined, DeviceNews } from "../library/messages.js" */

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
/** @param {(string | number)[]} items
 *  @param {"conjunction" | "disjunction"} type */
const list = (items, type) => new Intl.ListFormat("en", { type }).format(items.map(String));

const COUNTS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
  "thirteen", "fourteen", "fifteen"];

/** @param {number} number */
const numeral = (number) => COUNTS[number] ?? String(number);

/** @param {number} points */
const inPoints = (points) => (points === 1 ? "1 point" : `${points} points`);

/** A time that has passed.
 *  @param {number} ms */
const duration = (ms) => (ms < 90_000 ? `${Math.max(1, Math.round(ms / 1000))} s` : ms < 5_400_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`);

/** A play that may be planned while the other side thinks, or is planned.
 *  @param {"may" | "set" | null} plan */
const planText = (plan) => (plan === null ? "" : plan === "set" ? "Planned; press to drop it." : "Press to plan it.");

export default {
  /** What belongs to no single part. */
  common: {
    lobby: "Lobby",
    close: "Close",
    freeSeat: "free seat",
    noClock: "no clock",
    anyClock: "any clock",
    perMoveDays: (/** @type {number} */ days) => (days === 1 ? "1 day a move" : `${days} days a move`),
    days: (/** @type {{days: number, hours: number}} */ { days, hours }) => `${days} d ${hours} h`,
    perMove: (/** @type {{seconds: string}} */ { seconds }) => `${seconds} s a move`,
    /** A number that is written with a point, as this language writes it. */
    decimal: (/** @type {string} */ number) => number,
    /** What games are called, where not as the server calls them, or before it has said so.
     *  @type {Record<string, string>} */
    games: { backgammon_cube: "Backgammon with the cube" },
    /** What they are called where their board is seen, too.
     *  @type {Record<string, string>} */
    shortGames: { backgammon_cube: "Backgammon" },
  },

  /** Below the lobby: other ways to play; each word is that of the element with its `data-word`. */
  ways: {
    title: "Other ways to play",
    terminal: "From a terminal; on another machine of this network add --url and this page’s address:",
    program: "Or let a program play:",
    own: "Or write one in any language: protocol/SPEC.md says what to speak, in msgpack or in JSON, over the WebSocket /ws of this port.",
    board: "An analysis board",
    imported: "Matches from files",
    health: "Which server this is",
    metrics: "How it is doing",
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
    playNow: "Play at once:",
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
    another: (/** @type {{bot: string}} */ { bot }) => `${bot} has no time just now: another bot of that strength comes.`,
    own: {
      away: "While you were away",
      open: "Your open matches",
      due: (/** @type {number} */ count) => (count === 1 ? "Your move in 1 match" : `Your move in ${count} matches`),
      left: (/** @type {string} */ time) => `${time} left`,
      claimed: (/** @type {{name: string, day: string}} */ { name, day }) => `${name} claimed the match ${day}.`,
      today: "today",
      on: (/** @type {string} */ day) => `on ${day}`,
      look: "Look at it",
      seen: "Put away",
      yours: "your turn",
      theirs: "their turn",
      goOn: "Go on",
      goOnWith: (/** @type {{name: string, game: string}} */ { name, game }) => `Go on: ${game} with ${name}`,
      giveUp: "Give up",
      giveUpWith: (/** @type {{name: string, game: string}} */ { name, game }) => `Give up: ${game} with ${name}`,
      giveUpQuestion: "Give up this match?",
      giveUpPrice: (/** @type {string} */ name) => `${name} wins it.`,
    },
    noBot: "No bot plays this here just now",
    find: "Find an opponent",
    findAbout: "Whoever wants the same sits down with you, now or as soon as they come.",
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
    clock: "Clock",
    seat: "You move",
    seats: { first: "first", second: "second", any: "drawn by lot" },
    /** By what backgammon with the cube is played: chosen, and told. */
    terms: {
      length: "Match",
      money: "single games, for money",
      points: (/** @type {number} */ points) => (points === 1 ? "to 1 point" : `to ${points} points`),
      start: "Start",
      starts: /** @type {Record<string, string>} */ ({ standard: "Standard", nackgammon: "Nackgammon", hypergammon: "Hypergammon" }),
      cube: "Doubling cube",
      jacoby: "Jacoby rule",
      jacobyWhy: "Gammons count once somebody has taken a double.",
      beavers: "Beavers",
      beaversWhy: "The side that is doubled may double at once, and keeps the cube.",
      toPoints: (/** @type {number} */ points) => `to ${points} ${points === 1 ? "point" : "points"}`,
      score: (/** @type {number[]} */ [one, two]) => `${one} : ${two}`,
      crawford: "Crawford",
      game: (/** @type {number} */ game) => `game ${game}`,
      /** @param {{game: number, points: number, score: string}} it */
      standing: (it) => `Game ${it.game} of a match to ${it.points} ${it.points === 1 ? "point" : "points"}, at ${it.score}`,
      wonBy: (/** @type {string} */ name) => `won by ${name}`,
      forMoney: "for money",
      noCube: "no cube",
    },
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
    best: (/** @type {{game: string}} */ { game }) => `The best at ${game}`,
    starOf: (/** @type {string} */ name) => `A star for ${name}: shown first, and said when they come`,
    friendCame: (/** @type {string} */ name) => `${name} is here.`,
    ratedAt: (/** @type {{elo: string, error: number, matches: number}} */ { elo, error, matches }) => `${elo} ±${error} · ${matches} rated matches`,
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
    /** @param {{terms: string, time: string, isLong: boolean}} it */
    seeking: ({ terms, time, isLong }) => `Looking for an opponent for ${time}: ${terms}.${isLong ? " A bot would play at once." : ""}`,
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
    devices: "Your devices, recovery code",
    rename: "Change name",
    leaveFirst: "Leave your tables first: a seat belongs to your name.",
  },

  /** Players, clocks, actions, chat, what has happened: all around the board. */
  table: {
    yourTurn: "Your turn.",
    yourTurnNow: "Your turn: back to now",
    toMove: (/** @type {string} */ name) => `${name} to move.`,
    dice: "The dice are rolled.",
    titleTurn: (/** @type {string} */ title) => `Your turn · ${title}`,
    pointsOf: (/** @type {{score: number, points: number}} */ { score, points }) => `${score} of ${points} points`,
    nextGame: "Next game",
    nextSoon: "The next game begins within a minute.",
    giveUpQuestion: "Give up the whole match?",
    giveUpPrice: (/** @type {{name: string, points: number}} */ { name, points }) => `A player who leaves between two games gives up the match to ${points} points: ${name} wins it.`,
    giveUp: "Leave and give it up",
    going: "Going to the table …",
    boardMissing: "The board could not be loaded. Please reload this page.",
    paused: {
      pair: "The clock waits for the other match of this pair.",
      server: "The clock waits: a server was away.",
      store: "The clock waits: the server cannot store anything just now.",
      other: (/** @type {string} */ reason) => `The clock waits: ${reason}.`,
    },
    lost: "Your line is down; your clock may be running.",
    lostNoClock: "Your line is down. What is played meanwhile is shown when it is back.",
    waitsForLine: (/** @type {string} */ action) => `Waits for the line: ${action}.`,
    takeItBack: "Take it back",
    closed: "This room is closed.",
    seatFree: "A seat is free.",
    notBegun: "The match has not begun.",
    called: (/** @type {string} */ who) => `${who} is called …`,
    alone: "Waiting for somebody to sit down.",
    empty: "No opponent yet.",
    waitsFor: (/** @type {string} */ name) => `Waiting for ${name} to be ready.`,
    wantsToPlay: (/** @type {string} */ name) => `${name} wants to play.`,

    players: "Players",
    you: "you",
    bot: "bot",
    botLevel: (/** @type {number} */ level) => `bot, level ${level}: ${LEVELS[level - 1]}`,
    botOf: (/** @type {string} */ owner) => `bot of ${owner}`,
    won: "matches won here",
    connected: "connected",
    away: "away",
    nobody: "nobody",
    unknown: "not known without a connection",

    actions: "Actions",
    hint: "Hint",
    takeback: "Take back",
    draw: "Draw",
    claim: "Claim the win",
    abort: "Call it off",
    resign: "Resign",
    analyse: "Analyse",
    sit: "Take a seat",
    newGame: "New game",
    rematch: "Play again",
    easier: "Easier",
    callAgain: "Call again",
    ready: "Ready",
    invite: "Invite",
    leave: "Leave",
    stopWatching: "Stop watching",
    stopSeeking: "Stop looking",
    toLobby: "Lobby",
    chat: "Chat",
    unread: (/** @type {number} */ count) => (count === 1 ? "Chat, 1 unread line" : `Chat, ${count} unread lines`),
    confirm: (/** @type {string} */ action) => `Play ${action}`,
    dropIt: "Not that",
    plan: (/** @type {string} */ action) => `Planned: ${action}`,
    planned: (/** @type {string} */ action) => `Planned: ${action}. It is played as soon as it is your turn, if it can be.`,
    dropPlan: "Drop the plan",
    drop: "Drop",
    planDropped: "The plan is dropped.",
    planLost: (/** @type {string} */ action) => `Your plan, ${action}, cannot be played now: it is dropped.`,
    readBoard: "Read the board",
    notReadable: "This board cannot be read aloud.",

    resignQuestion: { match: "Resign this match?", game: "Resign this game?" },
    resignDecides: (/** @type {{name: string, points: number}} */ { name, points }) => `With it ${name} wins the match to ${points} points.`,
    matchGoesOn: (/** @type {{points: number, mine: number, theirs: number}} */ { points, mine, theirs }) =>
      `It is this game alone: the match to ${points} points goes on, at ${mine} : ${theirs}.`,
    drawQuestion: "Offer a draw?",
    drawAbout: (/** @type {string} */ name) => `If ${name} accepts, the match ends at once, and no side has won it.`,
    resignPrice: (/** @type {{name: string, points: number}} */ { name, points }) =>
      points === 1 ? `${name} wins it.` : `${name} wins ${points} points.`,
    resignChoice: (/** @type {string} */ name) =>
      `Offer ${name} fewer points, who may accept or go on playing; or give all of them at once.`,
    /** What a loss of once, twice, three times the stake is called. */
    resignLevels: ["", " (single game)", " (gammon)", " (backgammon)"],
    resignAt: (/** @type {{points: number, isFull: boolean}} */ { points, isFull }) => {
      const what = points === 1 ? "1 point" : `${points} points`;
      return isFull ? `Resign ${what}` : `Offer ${what}`;
    },
    goOn: "Go on playing",

    hintAsked: "A bot is asked …",
    hintIs: (/** @type {{by: string, action: string}} */ { by, action }) => `${by} would play ${action}.`,
    youOffer: {
      draw: "You offer a draw.",
      takeback: "You ask to take back the last move.",
      resign: (/** @type {number} */ points) =>
        points === 1 ? "You offer to resign 1 point." : `You offer to resign ${points} points.`,
    },
    offers: {
      draw: (/** @type {string} */ name) => `${name} offers a draw.`,
      takeback: (/** @type {string} */ name) => `${name} asks to take back the last move.`,
      resign: (/** @type {string} */ name, /** @type {number} */ points) =>
        points === 1 ? `${name} offers to resign 1 point.` : `${name} offers to resign ${points} points.`,
      other: (/** @type {string} */ name, /** @type {string} */ kind) => `${name} offers “${kind}”, which this page does not know.`,
    },
    declined: {
      draw: (/** @type {string} */ name) => `${name} declines the draw and plays on.`,
      takeback: (/** @type {string} */ name) => `${name} does not let the move be taken back.`,
      resign: (/** @type {string} */ name) => `${name} declines the points you offered and plays on.`,
      other: (/** @type {string} */ name) => `${name} declines.`,
    },
    withdrawn: (/** @type {string} */ name) => `${name} withdraws the offer.`,
    lapsed: "Your offer has lapsed: the match went on.",
    takenBack: "The last move was taken back.",
    accept: "Accept",
    decline: "Decline",
    withdraw: "Withdraw",

    left: (/** @type {string} */ name) => `${name} has left.`,
    begin: {
      waits: (/** @type {string} */ name) => `Waiting for ${name}; no clock runs meanwhile.`,
      yours: (/** @type {{time: string, isVoid: boolean}} */ { time, isVoid }) =>
        `${time} to begin; then ${isVoid ? "the match is void" : "your clock runs"}.`,
      theirs: (/** @type {{name: string, time: string, isVoid: boolean}} */ { name, time, isVoid }) =>
        `${name} has ${time} to begin; then ${isVoid ? "the match is void" : "the clock runs"}.`,
    },
    satDown: (/** @type {string} */ name) => `${name} is here`,
    leftClock: (/** @type {string} */ name) => `${name} has left; the clock goes on.`,
    leftClaim: (/** @type {{name: string, time: string}} */ { name, time }) => `${name} has left; you can claim the win in ${time}.`,
    hours: (/** @type {number} */ hours) => `${hours} hours`,
    leftNow: (/** @type {string} */ name) => `${name} has left and does not come back.`,
    returned: (/** @type {string} */ name) => `${name} is back.`,

    plays: (/** @type {{name: string, action: string}} */ { name, action }) => `${name} plays ${action}.`,
    youPlay: (/** @type {string} */ action) => `You play ${action}.`,
    rolled: (/** @type {string} */ dice) => `The dice: ${dice}.`,
    says: (/** @type {{name: string, text: string}} */ { name, text }) => `${name} says: ${text}`,
    /** What bots of this house say and note, in English: each as a pattern, and what it says here.
     *  @type {[string | RegExp, string][]} */
    botSays: [],
    whileAway: (/** @type {string} */ what) => `While you were away: ${what}`,
    movesPlayed: (/** @type {number} */ count) => (count === 1 ? "1 move was played." : `${count} moves were played.`),

    moves: "Moves",
    noMoves: "Nobody has moved yet.",
    first: "To the start",
    back: "One move back",
    next: "One move on",
    last: "Back to now",
    where: (/** @type {{move: number, of: number}} */ { move, of }) => `Move ${move} of ${of}`,
    lookingBack: (/** @type {{move: number, of: number}} */ { move, of }) =>
      move === 0 ? "Looking back: the start." : `Looking back: move ${move} of ${of}.`,
    typed: (/** @type {string} */ text) => `Typed: ${text}`,
    notAMove: (/** @type {string} */ text) => `“${text}” is no move here.`,

    say: "Say",
    saySomething: "Say something",
    watching: "watching",
    watchersLater: "What spectators say is shown after the match.",
    watchersOnly: "The players read what you say after the match.",
    hideChat: "Hide the chat",
    showChat: "Show the chat",
    room: (/** @type {number} */ number) => `Room ${number}`,
    private: "private",
    rated: "rated",
    watchers: (/** @type {number} */ count) => `${count} watching`,
    ladder: (/** @type {string} */ name) => `Ladder ${name}`,
    recordShort: "Look back",
    big: "Big view, for a projector",
    offerDraw: "Offer a draw",
    record: "This match: moves, dice, files",
  },

  /** How a match ended, and why. */
  results: {
    /** Somebody has dropped a double: the reader, the reader's opponent, `name`. */
    drop: {
      mine: (/** @type {{name: string, points: number}} */ { name, points }) => `You dropped the double: ${name} wins ${inPoints(points)}.`,
      yours: (/** @type {{name: string, points: number}} */ { name, points }) => `${name} dropped the double: you win ${inPoints(points)}.`,
      theirs: (/** @type {{name: string, winner: string, points: number}} */ { name, winner, points }) => `${name} dropped the double: ${winner} wins ${inPoints(points)}.`,
    },
    /** Where a series stands after a game, the reader's or the first player's points first. */
    series: (/** @type {{score: string, points: number}} */ { score, points }) => `${score}, to ${points} points.`,
    youWonSeries: (/** @type {string} */ score) => `You have won the match, ${score}.`,
    wonSeries: (/** @type {{name: string, score: string}} */ { name, score }) => `${name} has won the match, ${score}.`,
    youConceded: (/** @type {string} */ name) => `You have given up the match: ${name} wins it.`,
    conceded: (/** @type {{name: string, loser: string}} */ { name, loser }) => `${loser} has given up the match: ${name} wins it.`,
    youWonConceded: (/** @type {string} */ loser) => `${loser} has given up the match: you win it.`,
    youWon: (/** @type {{why: string, points: number}} */ { why, points }) =>
      points > 1 ? `You won ${points} points: ${why}.` : `You won: ${why}.`,
    youLost: (/** @type {{why: string, points: number, name: string}} */ { why, points, name }) =>
      points > 1 ? `You lost ${points} points: ${why} for ${name}.` : `You lost: ${why} for ${name}.`,
    won: (/** @type {{why: string, points: number, name: string}} */ { why, points, name }) =>
      points > 1 ? `${name} won ${points} points: ${why}.` : `${name} won: ${why}.`,
    youResigned: (/** @type {{points: number, name: string}} */ { points, name }) =>
      points > 1 ? `You resigned: ${name} won ${points} points.` : `You resigned: ${name} won.`,
    youLostBy: (/** @type {{how: string, points: number, name: string}} */ { how, points, name }) =>
      points > 1 ? `You lost ${points} points to ${name}: ${how}.` : `You lost: ${how}.`,
    draw: (/** @type {string} */ why) => `A draw: ${why}.`,
    agreed: "A draw, by agreement.",
    calledOff: "The match was called off: nobody won.",
    voided: (/** @type {string} */ why) => `The match is void: ${why}.`,
    /** @type {Record<string, string>} */
    voids: { "not begun in time": "no first move came in time", "both players left": "both players left", "its player left": "its player left" },
    /** What the rules of the games say, where a board has no words of its own.
     *  @type {Record<string, string>} */
    reasons: { line: "a full line", full: "the board is full", single: "all checkers home first" },
    /** Why the loser lost, where not by the rules; of the reader, and of somebody else.
     *  @type {Record<string, [string, (name: string) => string]>} */
    how: {
      resign: ["you resigned", (name) => `${name} resigned`],
      flag: ["your time ran out", (name) => `${name} ran out of time`],
      illegal: ["you played an illegal action", (name) => `${name} played an illegal action`],
      crash: ["your program crashed", (name) => `${name} crashed`],
      abandon: ["you were away for too long", (name) => `${name} was away for too long`],
      disconnect: ["you were away for too long", (name) => `${name} was away for too long`],
    },
    howOther: (/** @type {string} */ how) => `by ${how}`,
  },

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
      cell: (/** @type {{column: number, row: number, owner: Who | null, isLast: boolean, lands: number | null, plan: "may" | "set" | null}} */ { column, row, owner, isLast, lands, plan }) => [
        `Column ${column}, row ${row}: ${owner ? stoneOf(owner) : "empty"}${isLast ? ", the last move" : ""}.`,
        lands === null ? "" : `Press to let a stone fall to row ${lands}.`, planText(plan)].filter(Boolean).join(" "),
      read: (/** @type {{column: number, whose: Who[]}[]} */ columns) => (columns.length === 0 ? "The board is empty."
        : [`From the bottom up: ${columns.map(({ column, whose }) => `column ${column}: ${whose.map(person).join(", ")}`).join("; ")}.`,
          columns.length < 7 ? "The other columns are empty." : ""].filter(Boolean).join(" ")),
    },

    tic_tac_toe: {
      board: "Tic-tac-toe, three rows of three",
      line: "three in a row",
      say: (/** @type {number} */ cell) => `cell ${cell}, ${NINE[cell - 1]}`,
      cell: (/** @type {{cell: number, owner: Who | null, isLast: boolean, isOpen: boolean, plan: "may" | "set" | null}} */ { cell, owner, isLast, isOpen, plan }) => [
        `Cell ${cell}, ${NINE[cell - 1]}: ${owner ? stoneOf(owner) : "empty"}${isLast ? ", the last move" : ""}.`,
        isOpen ? "Press to play." : "", planText(plan)].filter(Boolean).join(" "),
      read: (/** @type {Marks[]} */ marks, /** @type {number[]} */ free) => (free.length === 9 ? "The board is empty."
        : [...marks.filter(({ cells }) => cells.length).map(({ who, cells }) => `${holds(who)} ${cellList(cells)}.`),
          free.length ? `Free: ${cellList(free)}.` : "No cell is free."].join(" ")),
    },

    ultimate_tic_tac_toe: {
      board: "Ultimate tic-tac-toe, nine boards of nine cells, as nine rows of nine",
      line: "three boards in a row",
      full: "all boards are closed, and three in a row are nobody’s",
      asks: (/** @type {number | null} */ board) => (board === null ? "Your turn: any lit board." : `Your turn: the ${NINE[board - 1]} board.`),
      say: (/** @type {number} */ board, /** @type {number} */ cell) => `board ${board}, cell ${cell}`,
      cell: (/** @type {{board: number, cell: number, owner: Who | null, winner: Who | null, isLast: boolean, isOpen: boolean, sends: number | null, plan: "may" | "set" | null}} */
        { board, cell, owner, winner, isLast, isOpen, sends, plan }) => [
        `Board ${board}, ${NINE[board - 1]}${winner ? `, won by ${person(winner)}` : ""};`,
        `cell ${cell}, ${NINE[cell - 1]}: ${owner ? stoneOf(owner) : "empty"}${isLast ? ", the last move" : ""}.`,
        !isOpen ? "" : sends === null ? "Press to play; the answer comes on any open board."
          : `Press to play; the answer comes on board ${sends}.`, planText(plan)].filter(Boolean).join(" "),
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
      unknown: "The rules of this game are not on this page. The host of this house knows where they are.",

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
          { text: "Nine small boards of tic-tac-toe make a large one. The player who gets three in a row on a small board wins it, and the one who wins three small boards in a row wins the match.",
            picture: "9/9/9/9/9/9/9/9/9 x -", caption: "Nine boards of nine cells." },
          { text: "Where you play decides where your opponent has to answer: the cell that you take has the place of a small board. A mark in the top right cell of any board sends your opponent to the top right board.",
            picture: "9/9/9/5x3/9/9/9/9/9 o 3", caption: "A cross in the top right cell of the centre board: the answer must come on the top right board." },
          { text: "A board that is won or full is closed. Who is sent to a closed board may play on any open one. The boards where a play is allowed are lit.",
            picture: "x8/1x7/2x6/3o5/9/9/6o2/9/9 o -", caption: "Crosses have won the top left board: it is closed." },
          { text: "When all boards are closed and neither has three in a row, the match is a draw.", picture: null, caption: "" },
        ],
        keys: "Tap a cell, or type the number of the board and of the cell, 1 to 9 each, from the top left.",
      },

      backgammon: {
        name: "backgammon",
        parts: [
          { text: "Two players race fifteen checkers each around 24 points, in opposite directions, into their own home, the points 6 to 1, and off the board. The first to bear off all of them wins.",
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
        keys: "Tap a checker, then where it is to go; a double tap moves it by the first of the dice, and a tap on the dice swaps them. Or drag it, or type, such as 13/9 8/7. “Done” ends the turn.",
      },

      backgammon_cube: {
        name: "backgammon with the cube",
        parts: [
          { text: "The board is that of backgammon. Beside it lies a cube that shows 1, and what it shows multiplies what the game counts.",
            picture: "XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:0:10", caption: "How it begins." },
          { text: "Before your roll you may double. The other side takes, and then owns the cube at twice its value, or drops and loses what it showed before. In the middle it is for either side, afterwards for its owner alone.", picture: null, caption: "" },
          { text: "A match to points goes on, game after game, until a side has so many. When a side first lacks one point, neither doubles in the next game, the Crawford game.", picture: null, caption: "" },
          { text: "In games by themselves two more rules can be chosen. Jacoby: gammons count as single games until somebody has taken a double. Beavers: the side that is doubled may double at once and keep the cube.", picture: null, caption: "" },
        ],
        keys: "Press Roll or Double, Take or Drop, or the keys R, D, T and P; checkers move as in backgammon.",
      },
    },

    /** Names of players; null: the reader. */
    cube: {
      actions: { roll: "Roll", double: "Double", take: "Take", drop: "Drop", beaver: "Beaver", raccoon: "Raccoon" },
      dropped: "a dropped double",
      crawford: "Crawford game: nobody doubles",
      crawfordSign: "Crawford",
      you: "you",
      /** @param {{value: number, isCentred: boolean, owner: string | null}} it */
      cube: (it) => `The cube shows ${it.value}, ${it.isCentred ? "in the middle" : it.owner === null ? "and is yours" : `and is ${it.owner}’s`}`,
      /** @param {{one: string, two: string, score: number[], points: number}} it */
      score: (it) => `A match to ${it.points} ${it.points === 1 ? "point" : "points"}: ${it.score[0]} for ${it.one}, ${it.score[1]} for ${it.two}`,
      /** `verb`: D for a double, B for a beaver, R for a raccoon.
       *  @param {{verb: string, owner: string | null, value: number}} it */
      offered: (it) => {
        const [you, they] = it.verb === "D" ? ["double", "doubles"] : it.verb === "B" ? ["beaver", "beavers"] : ["raccoon", "raccoons"];
        return `${it.owner === null ? `You ${you}` : `${it.owner} ${they}`} to ${it.value}`;
      },
      /** Whose the cube is after a take. */
      heir: (/** @type {string | null} */ owner) => (owner === null ? "If you take, the cube is yours." : `If you take, the cube is ${owner}’s.`),
      waits: (/** @type {string} */ name) => (name === "" ? "" : `Waiting for ${name} to take or drop.`),
      to: (/** @type {number} */ value) => `to ${value}`,
      playFor: (/** @type {number} */ value) => `play for ${value}`,
      lose: (/** @type {number} */ points) => (points === 1 ? "lose 1 point" : `lose ${points} points`),
      loseMatch: "lose the match",
      rollOrDouble: "Your turn: roll, or double.",
      /** @param {{offer: string, cost: number, raise: string | null}} it */
      question: (it) => `${it.offer}: take or drop?`,
      /** @param {"roll" | "double" | "take" | "drop" | "beaver" | "raccoon"} verb
       *  @param {string | null} name */
      told: (verb, name) => (name === null ? `You ${verb}.` : `${name} ${verb}s.`),
    },

    /** `owner` is a name, or null: it is the reader's own. */
    backgammon: {
      board: "Backgammon board",
      light: "Light",
      dark: "Dark",
      opponent: "Opponent",
      theBar: "bar",
      off: "off",
      /** @param {{point: number, count: number, owner: string | null}} it */
      point: (it) => `point ${it.point}: ${it.count === 0 ? "empty" : `${numeral(it.count)} of ${it.owner === null ? "yours" : `${it.owner}’s`}`}`,
      /** @param {{count: number, owner: string | null}} it */
      bar: (it) => `bar: ${numeral(it.count)} of ${it.owner === null ? "yours" : `${it.owner}’s`}`,
      /** @param {{count: number, owner: string | null, pips: number}} it */
      tray: (it) => `borne off: ${numeral(it.count)} of ${it.owner === null ? "yours" : `${it.owner}’s`}; ${it.pips} pips to go`,
      /** `dice` as rolled; `left`: those still to be played, in their order.
       *  @param {{owner: string | null, dice: number[], left: number[]}} it */
      dice: (it) => {
        const whose = it.owner === null ? "your dice" : `${it.owner}’s dice`;
        if (it.dice.length === 0) return `${whose}: not rolled`;
        return `${whose}: ${list(it.dice, "conjunction")}${it.left.length ? `; to play: ${it.left.join(", then ")}` : ""}`;
      },
      /** @param {{what: string, die: number}} it */
      swappable: (it) => `${it.what}. Press to play ${it.die} first; so does the key X`,
      /** @param {{what: string, targets: string[]}} it */
      movable: (it) => `${it.what}. Press to pick one up; it can go to ${list(it.targets, "disjunction")}`,
      /** @param {{what: string, targets: string[]}} it */
      held: (it) => `${it.what}, one picked up; it can go to ${list(it.targets, "disjunction")}. Press to put it down here`,
      /** @param {{what: string, from: string, isHit: boolean}} it */
      target: (it) => `${it.what}. Press to move here from ${it.from}${it.isHit ? ", hitting" : ""}`,
      done: "Done",
      forced: "Play it",
      undo: "Undo",
      all: "All",
      undoAll: "Undo all",
      noMove: "No move",
      /** @param {{left: number[]}} it */
      leftToPlay: (it) => (it.left.length ? `To play: ${it.left.join(", then ")}.` : "The turn is complete."),
      /** @param {{move: string, left: number[]}} it */
      stepped: (it) => `${it.move}. ${it.left.length ? `To play: ${it.left.join(", then ")}.` : "The turn is complete."}`,
      /** One checker's way, or that of several; `hits`: on which of its points something is hit.
       *  @param {{points: string[], hits: boolean[], times: number}} it */
      move: (it) => {
        const way = it.points.map((point, index) => {
          const to = index === 0 ? point : point === "off" ? "off" : `to ${point}`;
          return it.hits[index] ? `${to}, hitting${index < it.points.length - 1 ? "," : ""}` : to;
        });
        return way.join(" ") + ["", "", " twice", " three times", " four times"][it.times];
      },
      /** @param {string[]} moves */
      moves: (moves) => moves.join(", "),
      /** @param {{dice: number[]}} it */
      roll: (it) => list(it.dice, "conjunction"),
      pass: "nothing: no move was possible",
      reasons: { single: "bearing off all checkers", gammon: "a gammon", backgammon: "a backgammon" },
      /** @param {{me: string | null, other: string | null, isDark: boolean}} it */
      colours: (it) => {
        const [mine, theirs] = it.isDark ? ["dark", "light"] : ["light", "dark"];
        if (it.me === null) return `You play the ${mine} checkers, ${it.other} the ${theirs} ones; points are numbered as you play.`;
        return `${it.me} plays the ${mine} checkers, ${it.other} the ${theirs} ones; points are numbered as ${it.me} plays.`;
      },
      /** @param {{owner: string | null, dice: number[]}} it */
      toPlay: (it) => {
        const whose = it.owner === null ? "Your turn" : `${it.owner}’s turn`;
        return it.dice.length ? `${whose}, with ${list(it.dice, "conjunction")}.` : `${whose}.`;
      },
      /** @param {{owner: string | null, dice: number[]}} it */
      passed: (it) => {
        const rolled = it.dice.length ? ` with ${list(it.dice, "conjunction")}` : "";
        return it.owner === null ? `You could not move${rolled}.` : `${it.owner} could not move${rolled}.`;
      },
      /** @param {{owner: string | null, points: {point: number, count: number}[], bar: number, off: number, pips: number}} it */
      side: (it) => {
        const on = it.points.map((each) => `${numeral(each.count)} on ${each.point}`);
        if (it.bar > 0) on.push(`${numeral(it.bar)} on the bar`);
        const where = on.length ? list(on, "conjunction") : "none on the board";
        return `${it.owner === null ? "Yours" : `${it.owner}’s`}: ${where}; ${numeral(it.off)} borne off, ${it.pips} pips to go.`;
      },
    },
  },

  /** A match's own page, a person's page, analysis. */
  past: {
    match: (/** @type {string} */ match) => `Match ${match}`,
    last: "To the end",
    again: "Play this game",
    study: "Try moves",
    unreachable: "Plyhouse does not answer just now. Reload the page to try again.",
    /** @type {Record<string, string>} */
    files: { txt: "As text", json: "As a record (JSON)", sgf: "As SGF", mat: "As match text (.mat)" },
    dice: "The dice",
    allFollow: (/** @type {number} */ rolls) => (rolls === 1 ? "The one roll follows" : `All ${rolls} rolls follow`)
      + " from the secret that was promised before the match, and from what both players added. This page has computed that itself.",
    wrongRoll: (/** @type {{ply: number, fell: string, follows: string}} */ { ply, fell, follows }) =>
      `The dice do not hold: at ply ${ply} ${fell} fell, but ${follows} follows from the secret.`,
    notPromised: "The dice do not hold: the secret is not the one that was promised before the match.",
    unknownDice: "The secret is the one that was promised. What may fall in this game is not known to this page: “plyhouse verify” checks each roll.",
    promised: "Promised before the match (SHA-256 of the secret)",
    secret: "Secret, shown after it",
    saltOf: (/** @type {string} */ name) => `Added by ${name}`,
    noSalt: "nothing",

    story: (/** @type {number} */ points) => `The match to ${points} ${points === 1 ? "point" : "points"}`,
    storyGame: (/** @type {number} */ game) => `Game ${game}`,
    storyNoCube: "nobody doubled",
    storyColumns: { game: "Game", end: "How it ended", cube: "Cube", score: "Score" },
    here: "here now",
    away: "not here now",
    since: (/** @type {string} */ day) => `has played here since ${day}`,
    noMatches: "No match has been finished yet.",
    streak: (/** @type {number} */ streak) => {
      if (streak > 1) return `${streak} won in a row`;
      return streak < -1 ? `${-streak} lost in a row` : "";
    },
    byGame: "Games",
    byOpponent: "Opponents",
    columns: { name: "Name", won: "Won", drawn: "Drawn", lost: "Lost" },
    newest: (/** @type {number} */ matches) => `The newest ${matches.toLocaleString("en")} matches are counted.`,
    ratings: "Rating",
    ratingsAbout: "In Elo, from the mean of all who are connected by rated matches in this house.",
    elo: (/** @type {string} */ elo) => `${elo} Elo`,
    between: (/** @type {{low: string, high: string}} */ { low, high }) => `between ${low} and ${high} in 95 of 100 cases`,
    ofField: (/** @type {{matches: number, field: number}} */ { matches, field }) =>
      `from ${matches === 1 ? "1 match" : `${matches} matches`}, among ${field} people`,
    ratedAfter: (/** @type {{least: number, matches: number}} */ { least, matches }) => `rated after ${least} matches; ${matches} so far`,
    doubtful: "Some of these matches were given up in a way that fits no rating.",
    curve: (/** @type {{game: string, from: string, to: string}} */ { game, from, to }) => `The rating at ${game}, from ${from} to ${to}`,
    former: "former name",
    formerWhy: "The player of then does not have this name any more.",
    nobodys: "nobody has this name now",
    opening: "The ladder sets this opening.",
    took: (/** @type {string} */ seconds) => `${seconds} s`,
    lastMatches: "Last matches",
    earlier: "Earlier matches",
    versus: (/** @type {{one: string, two: string}} */ { one, two }) => `${one} – ${two}`,
  },

  /** A match that a bot goes through, play by play. */
  analysis: {
    title: "Analysis",
    working: (/** @type {number} */ seconds) => `A bot goes through the match … ${seconds} s`,
    waiting: (/** @type {number} */ seconds) => `The bot gets ready first: about ${seconds} s more.`,
    row: (/** @type {{row: number, of: number}} */ { row, of }) => `Play ${row} of ${of}`,
    course: (/** @type {string} */ name) => `The chances of ${name}, play by play: press where you want to go.`,
    worst: "The worst moments",
    tryAgain: "Try it again",
    plays: "Plays",
    bestActions: "The best actions",
    mistake: "Next mistake",
    toEnd: "Back to the end",
    back: "Back",
    next: "Next",
    choose: "Choose a play, or go from one to the next.",
    theRoll: (/** @type {string} */ luck) => `The roll: ${luck}.`,
    played: (/** @type {string} */ action) => `${action} (played)`,
    dice: "The dice",
    you: "You",
    seat: (/** @type {string} */ seat) => `seat ${seat}`,
    forced: "forced",
    notExamined: "not looked at",
    notProven: "not proven",
    best: "best",
    luck: (/** @type {string} */ figure) => `luck ${figure}`,
    units: {
      points: "Losses and luck are in points, without a cube.",
      chance: "Losses and luck are in chances to win the match.",
      score: "Losses are in stones, by which a game is won later or lost sooner; a blunder changes who wins.",
      value: "Losses are in value, from \u22121 for lost to 1 for won.",
    },
    unitWithCube: "Losses and luck are in points, with what the cube shows.",
    aboutRating: "The performance rating (PR) is 500 times what a decision that counts lost on average, in points with the cube as 1: 0 is perfect.",
    cubeShows: (/** @type {number} */ value) => `cube ${value}`,
    theCubeShows: (/** @type {number} */ value) => `The cube shows ${value}.`,
    mistakes: {
      missed_double: "missed double", early_double: "doubled too early", too_good: "too good to double", wrong_take: "wrong take",
      wrong_drop: "wrong drop", wrong_beaver: "wrong beaver", missed_beaver: "missed beaver",
    },
    resigning: {
      resign: (/** @type {number} */ points) => `resign ${points}`,
      accept: (/** @type {number} */ points) => `accept ${points}`,
      refuse: (/** @type {number} */ points) => `refuse ${points}`,
    },
    playOn: "play on",
    verdicts: {
      forced: "There was no other action.",
      notExamined: "This one was not looked at.",
      best: "The best there was.",
      blunderUnproven: "A blunder: how much it lost is not proven.",
      unproven: "What it lost is not proven.",
      blunder: (/** @type {string} */ loss) => `A blunder: it lost ${loss}.`,
      doubtful: (/** @type {string} */ loss) => `Doubtful: it lost ${loss}.`,
      other: (/** @type {string} */ loss) => `It lost ${loss}.`,
      /** @param {{mistake: string, loss: string}} it */
      ofCube: (it) => `${capital(it.mistake)}: it lost ${it.loss}.`,
    },
    by: (/** @type {{bot: string, by: string}} */ { bot, by }) => `By ${bot}: ${by}.`,
    left: (/** @type {number} */ count) => (count === 1 ? "1 ply was not looked at." : `${count} plies were not looked at.`),
    partial: "It is too long to be shown in full.",
    unheard: "Positions from before this page was loaded are not available just now.",
    totals: {
      plays: "Plays", forced: "Forced plays", unknown: "Not proven", loss: "Loss a play", blunders: "Blunders ??",
      doubtful: "Doubtful ?", luck: "Luck", lost: "Lost", byPlays: "– by plays", byCube: "– by the cube", byResigning: "– by resigning", rating: "Rating (PR)",
    },
    /** Of all games of a match to points. */
    series: {
      ask: "Analyse all games",
      /** @param {{done: number, of: number, seconds: number}} it */
      working: (it) => `A bot goes through game ${it.done + 1} of ${it.of} … ${it.seconds} s`,
      waiting: (/** @type {number} */ seconds) => `The bot gets ready first: about ${seconds} s more.`,
      title: "All games together",
      caption: "What each game lost, and its performance rating",
      worst: "What cost most",
      /** @param {{game: number, name: string, what: string, loss: string}} it */
      mistake: (it) => `Game ${it.game}, ${it.name}: ${it.what}, ${it.loss}`,
      /** @param {{play: string, best: string}} it */
      play: (it) => (it.best ? `${it.play} instead of ${it.best}` : it.play),
      /** @param {{game: number, why: string}} it */
      without: (it) => `Game ${it.game} is not in it: ${it.why}`,
    },
  },

  /** The choices of this browser's user. */
  settings: {
    title: "Settings",
    language: "Language",
    languageAuto: "As the browser",
    colours: "Colours",
    coloursAuto: "As the system",
    light: "Light",
    dark: "Dark",
    board: "Board",
    calm: "Calm",
    classic: "Classic",
    sound: "Sounds",
    notify: "Tell me when it is my turn, while this page is out of sight",
    notifyInsecure: "The browser allows that only over https or on this machine; the title of the tab still says it.",
    notifyBlocked: "The browser forbids it. Allow notifications for this page, and switch it on again.",
    coordinates: "Coordinates",
    coordinatesUsual: "In backgammon",
    coordinatesAll: "On every board",
    coordinatesNone: "On no board",
    flip: "See the board from the other side",
    confirm: "Ask before a move is played",
    plan: "Plan a move ahead",
    planClock: "With a clock",
    planAlways: "Always",
    planNever: "Never",
    motion: "Motion",
    thoughts: "Show what the bot thinks while I play it",
    chat: "Chat",
    kept: "Your choices go along with your name, to all its devices.",
  },

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
      `No server answers at ${host}. The server may have been stopped, or this device is in another network than before.`,
    noNetwork: "This device is not connected to a network.",
    kept: "All that was played is kept.",
    /** @param {{seconds: number}} wait */
    waiting: ({ seconds }) => `Trying again every ${seconds} seconds.`,
    trying: "Trying again …",
    again: "Try now",
  },

  /** The connection, and what the server refuses; codes that are not here come as its sentence. */
  connection: {
    lost: "The connection was lost. Check whether that was done, and try again.",
    none: "There is no connection just now. Try again when it is back.",
    partMissing: "A part of this page could not be loaded. Please reload this page.",
    /** What the server refuses, by its code, where the code says it all; the server's own sentence is English.
     *  @type {Record<string, string>} */
    refusals: {},
    trying: (/** @type {string} */ why) => `Connection lost. Trying again …${why}`,
    back: "Connected again.",
    backAfter: (/** @type {{ms: number, isServers: boolean}} */ { ms, isServers }) => (isServers
      ? `Connected again. The server was away for ${duration(ms)}; no clock ran meanwhile.`
      : `Connected again. Your line was down for ${duration(ms)}; clocks ran on.`),
    withdrawn: "The move is taken back.",
    over: (/** @type {string} */ why) => `Disconnected.${why}`,
    tryNow: "Try now",
    connectHere: "Connect here",
    dismiss: "Dismiss",
    /** What was done with one's name on another device. */
    deviceNews: (/** @type {DeviceNews} */ { news, device = "one that says nothing of itself" }) => ({
      linked: `Your name is on one more device: ${device}. Not yours? Cut it off in “Your devices”.`,
      cut: `A device was cut off from your name: ${device}.`,
      recovery: "Your name has a new recovery code, made on another device; the old one is void.",
    }[news]),
    declined: (/** @type {{name: string, why: Declined["why"], text: string}} */ { name, why = "no", text }) =>
      [`${name} ${{ no: "does not want to play now", busy: "is busy", game: "does not play that game", terms: "does not play by these terms" }[why]}.`,
        text].filter(Boolean).join(" "),
    invitation: (/** @type {{by: string, terms: string}} */ { by, terms }) => `${by} asks you to play ${terms}.`,
    accept: "Accept",
    decline: "Decline",
    terms: (/** @type {{game: string, clock: string, rated: boolean}} */ { game, clock, rated }) =>
      `${game} (${rated ? `${clock}, rated` : clock})`,
  },
};

/** The levels of a bot, from 1. */
const LEVELS = ["newcomer", "casual", "steady", "club", "strong", "expert", "master", "beyond"];
