/* How strong people are, game by game: asked for when somebody is first shown, and again after a rated
   match, whose end a server counts only a moment later. */

/** @import { RatedPerson, RatingTable } from "./messages.js" */
/** @import { Connection } from "./connection.js" */
/** What is known of a person at a game; `before`: the last match.
 *  @typedef {{now: RatedPerson | null, before: RatedPerson | null, askAt: number, tries: number}} Known */

import { Refusal } from "./connection.js";
import { signed } from "./words.js";

const GATHER_MS = 50; // in which those who are shown together are asked about together
const GOOD_MS = 120_000; // afterwards somebody's rating is asked for again, as long as it is shown
const AGAIN_MS = 2_000; // after an answer that does not count the last match yet,
const TRIES = 5; // and how often
const MOST = 100; // in a request

export class Ratings {
  /** @type {Map<string, Map<string, Known>>} */
  #games = new Map();
  /** @type {Map<string, Set<string>>} */
  #wanted = new Map();
  /** @type {Map<string, RatingTable & {askAt: number}>} */
  #best = new Map();
  #timer = 0;

  /** @param {Connection} connection
   *  @param {() => unknown} onChange */
  constructor(connection, onChange) {
    this.connection = connection;
    this.onChange = onChange;
  }

  /** What stands beside a name: +104 ±40, and (+8) after a match; "" where nothing is known.
   *  @param {string} game
   *  @param {{name: string, program?: string | null} | null} player */
  text(game, player) {
    if (!player || player.program) return "";
    const { now, before } = this.#of(game, player.name);
    const [elo, former] = [now?.elo ?? null, before?.elo ?? null];
    if (elo === null) return "";
    const text = `${signed(elo)} ±${Math.round(now?.error ?? 0)}`;
    if (former === null || before?.matches === now?.matches) return text;
    return `${text} (${signed(Math.round(elo) - Math.round(former))})`;
  }

  /** A rated match of these is over: ask for what it has changed.
   *  @param {string} game
   *  @param {string[]} names */
  ended(game, names) {
    for (const name of names) {
      const known = this.#of(game, name);
      Object.assign(known, { before: known.now, askAt: 0, tries: TRIES });
    }
  }

  /** The best at a game, the strongest first.
   *  @param {string} game
   *  @returns {RatedPerson[]} */
  best(game) {
    const known = this.#best.get(game);
    const now = performance.now();
    if ((!known || known.askAt < now) && this.connection.state === "linked") {
      const table = known ?? { type: "ratings", game, rows: [] };
      this.#best.set(game, { ...table, askAt: now + GOOD_MS });
      this.#ask(game, [], (fresh) => this.#best.set(game, { ...fresh, askAt: now + GOOD_MS }));
    }
    return known?.rows ?? [];
  }

  /** @param {string} game
   *  @param {string} name
   *  @returns {Known} */
  #of(game, name) {
    const names = this.#games.get(game) ?? new Map();
    this.#games.set(game, names);
    const known = names.get(name) ?? { now: null, before: null, askAt: 0, tries: 0 };
    names.set(name, known);
    if (known.askAt < performance.now() && this.connection.state === "linked") this.#want(game, name);
    return known;
  }

  /** @param {string} game
   *  @param {string} name */
  #want(game, name) {
    const wanted = this.#wanted.get(game) ?? new Set();
    this.#wanted.set(game, wanted.add(name));
    if (!this.#timer) this.#timer = setTimeout(() => this.#send(), GATHER_MS);
  }

  async #send() {
    for (const [game, wanted] of this.#wanted) {
      const of = [...wanted].slice(0, MOST);
      for (const name of of) this.#of(game, name).askAt = performance.now() + GOOD_MS;
      await this.#ask(game, of, ({ rows = [] }) => rows.forEach((row, n) => this.#receive(game, of[n], row)));
    }
    this.#wanted.clear();
    this.#timer = 0;
  }

  /** @param {string} game
   *  @param {string} name
   *  @param {RatedPerson} row */
  #receive(game, name, row) {
    const known = this.#of(game, name);
    const isOld = known.tries > 0 && (row.matches ?? 0) === (known.before?.matches ?? 0);
    known.tries = isOld ? known.tries - 1 : 0;
    if (known.tries) known.askAt = performance.now() + AGAIN_MS;
    known.now = row;
  }

  /** @param {string} game
   *  @param {string[]} of
   *  @param {(table: RatingTable) => unknown} take */
  async #ask(game, of, take) {
    try {
      take(await this.connection.request({ type: "ratings", game, of }));
      this.onChange();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error; // a rating that is not told is not shown
    }
  }
}
