/* What only a ladder's page says, in English; see ../en.js. */

/** @param {number} n
 *  @param {string} one */
const count = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

export default {
  /** Of elements in the page's HTML, by their `data-word`. */
  page: {
    lobby: "Lobby",
    ladders: "Ladders",
    about: "Elo here means expected score; what follows a ± is half of a 95 % interval: for a rating, of its distance to the mean of all. A pair is two matches with the same opening or the same dice, and seats swapped.",
  },
  pages: "Pages",
  going: "Going to the ladder …",
  ladders: "Ladders",
  laddersAbout: "Bots against bots, rated, for as many days as it takes.",
  noLadder: "There is no ladder here yet. Open one with",
  /** A command stands between these. */
  noPairYet: "No pair is over yet. A bot joins with",
  elsewhere: "; from another machine, add",
  standings: "Standings",
  /** Of each column, by its name: its head, and what that means.
   *  @type {Record<string, [string, string?]>} */
  columns: {
    rank: ["#", "Rank"], who: ["Player"], rating: ["Rating", "± is half of the 95 % interval of the distance to the field, the mean of all ratings"],
    interval: ["95 %"], against: [""], pairs: ["Pairs"], share: ["Score"],
    games: ["W – D – L", "Matches won, drawn, lost"], forfeits: ["Forfeits"], points: ["Points a game"], time: ["Time a move"],
    uneven: ["Uneven", "How far the results against single opponents depart from the rating; chance seldom makes 3"],
    presence: ["Now"],
  },
  restOn: (/** @type {{pairs: number, pinned: string | null}} */ { pairs, pinned }) =>
    `The ratings rest on ${count(pairs, "pair")}${pinned ? `; ${pinned} is 0` : ""}.`,
  toField: (/** @type {string} */ mean) => `± is to the field, whose mean is ${mean}; two players have one of their own.`,
  than: (/** @type {string} */ player) => `Than ${player}`,
  thanAbout: (/** @type {string} */ player) =>
    `How much stronger than ${player}, with the ± of that difference, and the chance of being better (LOS)`,
  compare: "Compare",
  chooseOne: "Choose a player to see how much stronger or weaker it is than each other one.",
  /** What stands behind the name of the one that is chosen. */
  chooseSecond: ": choose a second one, or point at it.",
  /** What stands between two names, and behind the second. */
  incomparable: [" and ", " cannot be compared yet: no chain of pairs connects them."],
  /** Who of two is stronger: what stands between their names, and behind the second.
   *  @returns {[string, string]} */
  stronger: (/** @type {{elo: string, error: string, los: string}} */ { elo, error, los }) => [
    ` is ${elo} ± ${error} Elo stronger than `, `. The chance that it is the better one (LOS) is ${los}.`,
  ],
  pointAtCell: "Point at a cell: how much stronger the row's player is, and the chance that it is the better one.",
  mostFrom: (/** @type {string} */ player) => `Most beyond its rating came from ${player}.`,
  ofAll: (/** @type {{score: string, of: number}} */ { score, of }) => `${score} of ${of}`,
  /** What is special about a player: in short, and why. */
  tags: {
    pinned: ["pinned to 0", "All ratings are counted from this one."],
    anchor: ["anchor", "A bot of the house, the same on every ladder."],
    unconnected: ["unconnected", "No chain of pairs leads to the first group: the ratings cannot be compared."],
    former: ["former name", "Its owner does not have this name any more."],
  },
  suspended: (/** @type {string} */ why) => [`suspended: ${why}`, "It gets no more pairs."],
  away: "away",
  here: "here",
  busy: (/** @type {{busy: number, slots: number}} */ { busy, slots }) => `${busy} of ${slots} busy`,
  /** How a match ended that was not lost by the rules, by the server's word.
   *  @type {Record<string, string>} */
  forfeits: { flag: "flag", illegal: "illegal", crash: "crash", disconnect: "disconnect", resign: "resign", void: "void" },
  /** The same for any end, in a word.
   *  @type {Record<string, string>} */
  ends: {},
  voided: "void",
  /** By name, with what stands behind it.
   *  @type {Record<string, (...words: string[]) => string>} */
  formats: {
    endless: () => "endless",
    roundrobin: (pairs) => `round robin, ${pairs} pairs each`,
    gauntlet: (bot) => `gauntlet of ${bot}`,
    sprt: (one, two, ...between) => `test of ${one} against ${two}${between.length ? ` (${between.join(", ")})` : ""}`,
  },
  since: (/** @type {string} */ moment) => `running since ${moment}`,
  finished: (/** @type {string} */ moment) => `begun ${moment}, finished`,
  by: (/** @type {string} */ owner) => `by ${owner}`,
  players: (/** @type {{players: number, here: number}} */ { players, here }) => `${count(players, "player")}, ${here} here`,
  pairs: (/** @type {number} */ pairs) => count(pairs, "pair"),
  open: "open ladder: ratings can be bought",
  byOwner: "each owner counts once in the ratings",
  plies: (/** @type {number} */ plies) => count(plies, "ply", "plies"),
  firstMove: (/** @type {{elo: string, error: string, isSure: boolean}} */ { elo, error, isSure }) =>
    `Moving first is worth ${elo} ± ${error} Elo${isSure ? "" : ", which is not certain yet"}.`,
  andMore: (/** @type {number} */ more) => ` and ${more} more`,
  /** What a ladder waits for, or who never meets on it, by the server's word.
   *  @type {Record<string, (about: {named: string, count: number}) => string>} */
  waitsFor: {},
  /** What a test of two bots has come to.
   *  @type {Record<string, string>} */
  verdicts: {},
  morePairs: (/** @type {number} */ pairs) => `About ${count(pairs, "more pair")}.`,
  bounds: (/** @type {{llr: string, lower: string, upper: string, pairs: number}} */ { llr, lower, upper, pairs }) =>
    `LLR ${llr} between ${lower} and ${upper}, ${count(pairs, "pair")}`,
  hypotheses: (/** @type {{zero: string, one: string, alpha: string, beta: string, least: number}} */ { zero, one, alpha, beta, least }) =>
    `H0: ${zero}, H1: ${one}, alpha ${alpha}, beta ${beta}, no verdict before ${count(least, "pair")}`,
  plot: {
    title: "Ratings over time",
    none: "There is nothing to draw yet.",
    axis: "Horizontal axis",
    byTime: "by time",
    byPairs: "by pairs",
    when: (/** @type {{moment: string, pairs: number}} */ { moment, pairs }) => `${moment}, after ${count(pairs, "pair")}:`,
    notYet: "not yet here",
  },
  live: "Pairs that are on",
  noLive: "No pair is on just now.",
  recent: "Recent pairs",
  noRecent: "No pair is over yet.",
  held: "Waits while you point at it.",
  pairHeads: ["Pair", "One", "Score", "Two", "Matches", "Opening"],
  whyThese: "Why these two",
  voidHead: "Void",
  replay: "Replay",
  watch: "Watch",
  matchOf: (/** @type {{verb: string, match: string, one: string, two: string}} */ { verb, match, one, two }) =>
    `${verb} match ${match}: ${one} against ${two}`,
  on: "on",
  waits: "waits",
  cross: "Crosstable",
  crossAbout: "Scores of the players in rows against those in columns",
  player: "Player",
  exact: "= : deterministic bots that have played all openings; that score is exact.",
  against: (/** @type {{one: string, two: string, share: string}} */ { one, two, share }) => `${one} against ${two}: ${share}`,
};
