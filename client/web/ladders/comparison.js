/* Which players are compared, and how they differ: the server tells one player's differences from all when
   somebody points at it, for the covariance of all ratings is too long to be sent with the standings. */

/** @import { Difference, LadderDifferences } from "../library/messages.js" */
/** How much stronger one player is than another, the ± of that, and the chance that it is better.
 *  @typedef {Pick<Difference, "elo" | "error" | "los">} Apart */
/** What the server has told of one player; `rated`: after how many pairs.
 *  @typedef {{rated: number, rivals: Map<string, Apart>}} Known */

const PAUSE_MS = 4_000; // from one request about a player to the next, while its ladder goes on

/** The same, as the other of the two sees it.
 *  @template {Apart | null | undefined} Any
 *  @param {Any} apart
 *  @returns {Any | Apart} */
export const turned = (apart) => (apart ? { elo: -apart.elo, error: apart.error, los: 1 - apart.los } : apart);

export class Comparison {
  /** @type {Map<string, Known>} */
  #known = new Map();
  /** @type {Map<string, number>} */
  #asked = new Map(); // when, by player

  /** @param {(player: string) => Promise<LadderDifferences | null>} ask
   *  @param {() => void} changed */
  constructor(ask, changed) {
    this.ask = ask;
    this.changed = changed;
    /** @type {string[]} */
    this.chosen = []; // two at most
    /** @type {string | null} */
    this.pointed = null;
    this.rated = 0;
  }

  /** Choose a player, or no more; a third one takes the place of the second.
   *  @param {string} player */
  choose(player) {
    this.chosen = this.chosen.includes(player) ? this.chosen.filter((each) => each !== player)
      : [...this.chosen.slice(0, 1), player];
    this.changed();
  }

  /** @param {string | null} player */
  point(player) {
    if (this.pointed === player) return;
    this.pointed = player;
    this.changed();
  }

  /** The player that all are compared with. */
  get first() {
    return this.chosen[0] ?? null;
  }

  /** The one that is compared with it, chosen or pointed at. */
  get second() {
    const second = this.chosen[1] ?? this.pointed;
    return second === this.first ? null : second;
  }

  /** How much stronger one is than another; null: nothing compares them; undefined: not told yet.
   *  @param {string} one
   *  @param {string} two
   *  @returns {Apart | null | undefined} */
  between(one, two) {
    this.#refresh(this.#known.has(two) && !this.#known.has(one) ? two : one);
    const [mine, theirs] = [this.#known.get(one), this.#known.get(two)];
    const apart = mine?.rivals.get(two);
    if (apart) return apart;
    const other = theirs?.rivals.get(one);
    if (other) return turned(other);
    return mine || theirs ? null : undefined;
  }

  /** Ask about a player, if more pairs are rated than at the last time, and not too often.
   *  @param {string} player */
  async #refresh(player) {
    const now = performance.now();
    if (this.#known.get(player)?.rated === this.rated || now - (this.#asked.get(player) ?? -Infinity) < PAUSE_MS) return;
    this.#asked.set(player, now);
    const answer = await this.ask(player);
    if (!answer) return;
    const { rated, players, differences } = answer;
    this.#known.set(player, { rated, rivals: new Map(differences.map((apart) => [players[apart.two], apart])) });
    this.changed();
  }
}
