/* What happens on a backgammon board one after the other: a queue of scenes that each take their time.

   A scene draws itself when its turn comes, and says how long it is to be seen.  Timers decide when the
   next one comes, not what is drawn, so that in a hidden tab nothing waits for ever. */

/** Draws itself, and returns for how many milliseconds it is seen; 0: the next one comes at once.
 *  @typedef {() => number} Scene */

export const MOVE_MS = 180; // a checker's way, and that of one that is hit
export const PASS_MS = 1600; // long enough to see the dice, and to understand that they do not help

const MAX_WAITING = 3; // sequences; who steps through a match fast does not wait for what lies further back

export class Motion {
  /** @type {Scene[]} */
  #waiting = [];
  /** @type {ReturnType<typeof setTimeout> | null} */
  #timer = null;
  #sequences = 0; // that are not over yet
  #rest;

  /** @param {() => void} rest draws the board as it is when nothing moves any more */
  constructor(rest) {
    this.#rest = rest;
  }

  get isOn() {
    return this.#timer !== null;
  }

  /** Show a sequence of scenes after those that wait already.
   *  @param {Scene[]} scenes */
  add(scenes) {
    if (this.#sequences >= MAX_WAITING) this.finish();
    this.#sequences += 1;
    this.#waiting.push(...scenes, () => {
      this.#sequences -= 1;
      return 0;
    });
    if (this.#timer === null) this.#next();
  }

  /** Draw the board as it is, now. */
  finish() {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#waiting = [];
    this.#sequences = 0;
    this.#rest();
  }

  #next() {
    let ms = 0;
    while (ms === 0) {
      const scene = this.#waiting.shift();
      if (scene === undefined) {
        this.finish();
        return;
      }
      ms = scene();
    }
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#next();
    }, ms);
  }
}
