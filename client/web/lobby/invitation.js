/* What a friend's link invites to: who, which game, which clock; known before anybody has a name. */

/** @import { Options, Player } from "../library/messages.js" */
/** @import { App } from "../page/app.js" */
/** As GET /invitation/CODE.json tells it.
 *  @typedef {{room: number, game: string, options: Options, seats: (Player | null)[], state: string, owner: string}} Terms */

import { hasCode } from "../library/seating.js";

export const OPEN_TABLE = "room-"; // begins what stands for the code of a table that needs none

/** Which room is meant.
 *  @param {string} code
 *  @returns {import("../library/seating.js").Place} */
const placeOf = (code) => (code.startsWith(OPEN_TABLE) ? { room: Number(code.slice(OPEN_TABLE.length)) || 0 } : { code });

/** The invitation that the address names, and what was decided about it. */
export class Invitation {
  /** @type {string | null} */
  code = null;
  /** Undefined while they are fetched, null where the server does not know them.
   *  @type {Terms | null | undefined} */
  terms;
  /** Whether no table has this code. */
  isGone = false;
  /** What was decided before one had a name, to be done once one has.
   *  @type {"play" | "watch" | null} */
  wish = null;

  /** @param {App} app
   *  @param {() => void} onChange */
  constructor(app, onChange) {
    this.app = app;
    this.onChange = onChange;
  }

  /** Whether there is no seat left. */
  get isFull() {
    return this.terms?.seats.every(Boolean) ?? false;
  }

  /** Get to know the invitation of this code, once.
   *  @param {string | null} code */
  async look(code) {
    if (code === this.code) return;
    this.code = code;
    this.terms = undefined;
    this.isGone = false;
    if (code === null) return;
    const answer = await fetch(`/invitation/${encodeURIComponent(code)}.json`).catch(() => null);
    const terms = answer?.ok ? await answer.json() : null;
    if (this.code !== code) return; // the address has changed meanwhile
    this.terms = terms;
    this.isGone = answer?.status === 404;
    this.onChange();
  }

  /** Sit down, or look on where both seats are taken. */
  async play() {
    const { seating } = this.app;
    const code = this.code ?? "";
    try {
      location.replace(`#room=${await seating.join(placeOf(code))}`);
    } catch (refusal) {
      if (!hasCode(refusal, "room/full")) throw refusal;
      await this.watch();
    }
  }

  async watch() {
    const code = this.code ?? "";
    const room = await this.app.seating.watch(placeOf(code));
    location.replace(code.startsWith(OPEN_TABLE) ? `#room=${room}` : `#room=${room}&code=${encodeURIComponent(code)}`);
  }
}
