/* One player's strip at a table: name, connected or away, matches won, clock, whose turn it is. */

/** @import { MatchState, Player, RoomState } from "../library/messages.js" */
/** @import { Replica } from "../library/replica.js" */

import { runningSeat } from "../library/replica.js";
import { formatScore, formatTime, HOUSE, personPath, playerTitle } from "../library/words.js";
import { el, put, set, show } from "../page/dom.js";
import { words } from "../texts/words.js";

const { table: texts } = words;
const LOW_MS = 20_000; // from here on the clock looks urgent,
const LOW_MOVE_MS = 5_000; // and from here where each move has a clock of its own

export class PlayerStrip {
  constructor() {
    this.stone = el("span", { class: "stone", "aria-hidden": "true" });
    this.name = el("bdi");
    this.page = el("a", { class: "name", target: "_blank", rel: "noopener" }, this.name); // one's match goes on
    this.rating = el("span", { class: "tag rating", title: words.past.ratingsAbout });
    this.kind = el("span", { class: "tag" });
    this.here = el("span", { class: "here", role: "img" });
    this.score = el("span", { class: "score", title: texts.won });
    this.clock = el("span", { class: "clock", role: "timer" });
    this.node = el("div", { class: "player" }, this.stone, this.here, el("div", { class: "who" }, this.page, this.rating, this.kind), this.score, this.clock);
  }

  /** Show who sits on `seat` of a room; `level`: of a bot, where it is known; `rating`: of a person, or
   *  ""; `isLinked`: there is a connection, by which one knows who is here.
   *  @param {RoomState} room
   *  @param {MatchState | null} match
   *  @param {number} seat
   *  @param {{me: number | null, level: number | null, rating: string, isLinked: boolean}} more */
  show(room, match, seat, { me, level, rating, isLinked }) {
    const player = room.seats[seat];
    const isDue = room.state === "playing" && match && !match.result && match.to_move === seat;
    set(this.node, "data-seat", seat);
    set(this.node, "class", isDue ? "player due" : "player");
    put(this.name, playerTitle(player));
    set(this.page, "title", player?.name ?? null);
    set(this.page, "href", player ? personPath(player) : null);
    put(this.kind, player?.program ? botTag(player, level) : seat === me ? texts.you : "");
    put(this.rating, rating);
    show(this.rating, rating !== "");
    show(this.kind, this.kind.textContent !== "");
    this.#presence(player, isLinked);
    this.#score(room, seat);
  }

  /** What is won here: matches, or the points of a match to so many.
   *  @param {RoomState} room
   *  @param {number} seat */
  #score({ score, series = null, options }, seat) {
    const points = series?.points ?? options.points ?? null;
    if (points === null) return put(this.score, formatScore(score?.[seat] ?? 0));
    const own = series?.score?.[seat] ?? 0;
    set(this.score, "title", texts.pointsOf({ score: own, points }));
    return put(this.score, `${own} / ${points}`);
  }

  /** Show the time that is left; called often.  Whether it is short, and runs.
   *  @param {Replica} replica
   *  @param {MatchState | null} match
   *  @param {number} seat */
  tick(replica, match, seat) {
    const left = match ? replica.timeLeft(match.match, seat) : null;
    show(this.clock, left !== null);
    if (left === null || !match) return false;
    const isRunning = runningSeat(match) === seat;
    const isLow = left < (match.clocks?.per_move_ms ? LOW_MOVE_MS : LOW_MS);
    put(this.clock, formatTime(left));
    set(this.clock, "class", `clock${isRunning ? " running" : ""}${isLow ? " low" : ""}`);
    return isRunning && isLow;
  }

  /** @param {Player | null} player
   *  @param {boolean} isLinked */
  #presence(player, isLinked) {
    const state = !player ? "nobody" : !isLinked ? "unknown" : player.absent ? "away" : "connected";
    set(this.here, "class", `here ${state}`);
    set(this.here, "aria-label", texts[state]);
    set(this.here, "title", texts[state]);
  }
}

/** @param {Player} player
 *  @param {number | null} level */
function botTag({ name }, level) {
  if (level !== null) return texts.botLevel(level);
  return name === HOUSE ? texts.bot : texts.botOf(name);
}
