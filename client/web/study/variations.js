/* The tree of what was tried from one position on, and where in it one is.  No DOM in here. */

/** @import { Considered, Tried } from "../library/messages.js" */
/** @import { Action, Moment } from "../library/replica.js" */

/** A position: the action before it (null at the root), what was tried there, and which of these was last
 *  looked at; `considered`: what a bot has said of it.
 *  @typedef {object} Place
 *  @property {Tried} state
 *  @property {Action | null} event
 *  @property {Place | null} before
 *  @property {Place[]} tried
 *  @property {Place | null} latest
 *  @property {Considered | null} considered */

export class Variations {
  #count = 0;

  /** @param {Tried} state the position that all begins with */
  constructor(state) {
    this.root = place(state, null, null);
    this.at = this.root;
  }

  /** The place behind an action that was tried here before, or null.
   *  @param {string} action */
  known(action) {
    return this.at.tried.find(({ event }) => event?.action === action) ?? null;
  }

  /** Go to a place of this tree.
   *  @param {Place} to */
  go(to) {
    this.at = to;
    if (to.before) to.before.latest = to;
  }

  /** Put a position behind an action at a place, and go there if one is still at that place.
   *  @param {Place} from
   *  @param {string} action
   *  @param {Tried} state */
  add(from, action, state) {
    this.#count += 1;
    const { to_move: seat } = from.state;
    const ply = pathTo(from).length - 1;
    const event = /** @type {Action} */ ({ seq: this.#count, kind: seat === -1 ? "roll" : "play", ply, seat, action });
    const added = place(state, event, from);
    from.tried.push(added);
    if (this.at === from) this.go(added);
  }

  /** Keep what a bot has said of a place.
   *  @param {Place} of
   *  @param {Considered} considered */
  note(of, considered) {
    of.considered = considered;
  }

  /** The places from the root to this one, and on by what was looked at last. */
  get line() {
    const line = pathTo(this.at);
    for (let next = this.at.latest; next; next = next.latest) line.push(next);
    return line;
  }

  /** How many actions the place is from the root. */
  get ply() {
    return pathTo(this.at).length - 1;
  }
}

/** The positions of a line, as a match has them.
 *  @param {Place[]} line
 *  @returns {Moment[]} */
export const momentsOf = (line) =>
  line.map(({ state, event }) => ({ position: state.position, to_move: state.to_move, event }));

/** @param {Tried} state
 *  @param {Action | null} event
 *  @param {Place | null} before
 *  @returns {Place} */
const place = (state, event, before) => ({ state, event, before, tried: [], latest: null, considered: null });

/** @param {Place} to */
function pathTo(to) {
  const path = [to];
  for (let { before } = to; before; { before } = before) path.unshift(before);
  return path;
}
