/* A play that is planned while the other side thinks: on its turn it is played at once if it is legal, else
   dropped.  No DOM in here, and nothing on the wire: the other side does not know of it.

   A plan answers one position.  Where that goes away by anything but the other side's play, such as a
   takeback, the plan goes with it. */

/** @import * as wire from "../library/messages.js" */
/** @import { BoardModule } from "../boards/board.js" */
/** @typedef {{match: string, turn: number, ply: number, action: string}} Plan */

import { settings } from "../library/settings.js";

const SECOND_MS = 600; // after a play: pressed again, the same place is the second half of a double click

export class Planning {
  /** @type {Plan | null} */
  #plan = null;
  #played = { action: "", at: -SECOND_MS };
  #open = { position: "", actions: /** @type {string[]} */ ([]) }; // what may come from a position

  /** What is planned, or null. */
  get action() {
    return this.#plan?.action ?? null;
  }

  /** What `me` may plan now, or null where nothing can be planned.
   *  @param {wire.MatchState} match
   *  @param {number | null} me
   *  @param {BoardModule | null} board */
  open(match, me, board) {
    const isTheirs = me !== null && match.to_move === 1 - me && !match.result;
    if (!isTheirs || !board?.mayCome || !mayPlan(match)) return null;
    const { position } = match;
    if (this.#open.position !== position) this.#open = { position, actions: board.mayCome(position) };
    return this.#open.actions;
  }

  /** Plan an action, or drop it if it is planned already.  Whether anything was done: not by the second half
   *  of a double click.
   *  @param {wire.MatchState} match
   *  @param {string} action */
  choose({ match, turn, ply }, action) {
    const isSecond = action === this.#played.action && performance.now() - this.#played.at < SECOND_MS;
    if (isSecond) return false;
    this.#plan = action === this.action ? null : { match, turn, ply, action };
    return true;
  }

  /** Whether there was a plan to drop. */
  drop() {
    const had = this.#plan !== null;
    this.#plan = null;
    return had;
  }

  /** An action is being played.
   *  @param {string} action */
  played(action) {
    this.#played = { action, at: performance.now() };
  }

  /** What becomes of the plan as a match goes on: null as long as it waits, and where there is none.
   *  @param {wire.MatchState | null} now
   *  @returns {{action: string, isLegal: boolean} | null} */
  follow(now) {
    const plan = this.#plan;
    if (plan === null || (now?.match === plan.match && now.turn === plan.turn && !now.result && mayPlan(now))) return null;
    this.#plan = null;
    if (now?.match !== plan.match || now.result) return null; // the result says it all
    return { action: plan.action, isLegal: now.ply === plan.ply + 1 && (now.legal?.includes(plan.action) ?? false) };
  }
}

/** Whether plans are wanted in this match.
 *  @param {wire.MatchState} match */
const mayPlan = ({ clocks }) => settings.plan === "always" || (settings.plan === "clock" && Boolean(clocks));
