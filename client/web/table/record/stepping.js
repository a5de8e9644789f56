/* Where somebody is in a match: now, or at an earlier position of it, during the match and after it.

   Positions are known as far as they came to this page; the server has all, and is asked for them once,
   when somebody wants to go back to one that is missing. */

/** @import { BoardView } from "../../boards/board.js" */
/** @import { MatchState, RoomState } from "../../library/messages.js" */
/** @import { Moment, Replica } from "../../library/replica.js" */

import { momentsOf } from "../../analysis/moments.js";
import { viewAt } from "../../boards/view.js";
import { words } from "../../texts/words.js";
import { numberAt } from "./move_rows.js";

export class Stepping {
  /** @type {string | null} */
  #match = null;
  /** @type {RoomState | null} */
  #room = null;
  /** @type {Moment[]} */
  #moments = [];
  #asked = ""; // what was missing when the server was last asked
  /** @type {number | null} */
  at = null; // after how many actions; null: now

  /** `onChange()` is called when there is another position to show.
   *  @param {Replica} replica
   *  @param {() => void} onChange */
  constructor(replica, onChange) {
    this.replica = replica;
    this.onChange = onChange;
  }

  /** Take note of what is known of the match on the table.
   *  @param {RoomState} room
   *  @param {MatchState | null} match */
  show(room, match) {
    this.#room = room;
    if (match?.match !== this.#match) this.at = null;
    this.#match = match?.match ?? null;
    this.#moments = match ? this.replica.moments(match.match) : [];
    if (this.at !== null && !(this.#moments[this.at]?.position ?? null)) this.at = null; // it was taken back
  }

  /** Whether there is nowhere to go back to. */
  get isStill() {
    return this.#stops.length === 0 && !this.#canFetch;
  }

  /** The earlier positions, by how many actions they are from the start: the start, and the one after
   *  each decision but the last. */
  get #stops() {
    const decided = this.#moments.flatMap(({ event }, ply) => (isDecision(event) ? [ply] : []));
    return [0, ...decided].slice(0, -1).filter((ply) => this.#moments[ply].position !== null);
  }

  /** The match and the plies whose positions are not known here; empty where all are. */
  get #missing() {
    const plies = this.#moments.flatMap(({ position }, ply) => (position === null ? [ply] : []));
    return plies.length ? `${this.#match} ${plies}` : "";
  }

  get #canFetch() {
    return this.#missing !== "" && this.#missing !== this.#asked;
  }

  /** Go one of the steps: first, back, next, last.
   *  @param {string} name */
  async step(name) {
    if (this.#canFetch) await this.#fetch();
    const stops = [...this.#stops, null];
    const index = stops.indexOf(this.at);
    const to = { first: 0, back: Math.max(0, index - 1), next: Math.min(stops.length - 1, index + 1) }[name] ?? stops.length - 1;
    this.#go(stops[to]);
  }

  /** Go to the position after so many actions; null, and the last one: now.
   *  @param {number | null} ply */
  async go(ply) {
    if (this.#canFetch && ply !== null) await this.#fetch();
    this.#go(ply !== null && this.#stops.includes(ply) ? ply : null);
  }

  /** @param {number | null} at */
  #go(at) {
    this.at = at;
    this.onChange();
  }

  async #fetch() {
    const [room, match] = [this.#room, this.#match];
    if (room === null || match === null) return;
    this.#asked = this.#missing;
    this.replica.addMoments(match, await momentsOf(this.replica, room, match));
    if (this.#match !== match) return;
    this.#moments = this.replica.moments(match);
  }

  /** What stands on the board instead of the match as it is now, or null.
   *  @param {number | null} seat
   *  @returns {BoardView | null} */
  view(seat) {
    return this.at === null ? null : viewAt(this.#moments, this.at, { seat, over: false, marks: [] });
  }

  /** Where that is, in words; null: now. */
  where() {
    if (this.at === null) return null;
    return words.table.lookingBack(numberAt(this.#moments.map(({ event }) => event ?? undefined), this.at));
  }
}

/** Whether an action is a step: no dice, and no decision to roll them, after which nothing is new on the board.
 *  @param {Moment["event"]} event */
const isDecision = (event) => (event?.seat ?? -1) >= 0 && event?.action !== "roll";
