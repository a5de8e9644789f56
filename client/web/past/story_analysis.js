/* All games of a match to points, gone through by a bot one after the other: what each side lost in each,
   all of it together, and what cost most. */

/** @import { Analysed, AnalysedPlay, Player, StoryGame } from "../library/messages.js" */
/** @import { House } from "./house.js" */
/** @import { Source } from "./match_page.js" */
/** @typedef {{game: StoryGame, reply: Analysed}} AnalysedGame */
/** A play that cost much.
 *  @typedef {{game: StoryGame, play: AnalysedPlay, unit: Analysed["analysis"]["unit"]}} Costly */

import { actionText } from "../analysis/rows.js";
import { added, figure, ratingText, totalRows } from "../analysis/totals.js";
import { Refusal } from "../library/connection.js";
import { playerTitle } from "../library/words.js";
import { el, put, show } from "../page/dom.js";
import { words } from "../texts/words.js";

const { analysis: { series: texts, mistakes, units, aboutRating }, lobby: { terms }, past } = words;
const WORST = 10;
const MIN_LOSS = 0.02; // of a normalised loss that is worth a line
const SECOND_MS = 1_000;

export class StoryAnalysis {
  #timer = 0;
  #askedAt = 0;
  #readyAt = 0; // when a bot that has to get ready first is expected to be
  #done = 0;

  /** @param {House} house
   *  @param {StoryGame[]} games of one match to points
   *  @param {{seats: [Player, Player], source: Source}} match */
  constructor(house, games, { seats, source }) {
    this.house = house;
    this.games = games;
    this.seats = seats;
    this.source = source;
    this.button = el("button", { type: "button", "data-do": "analyse-all", onclick: () => house.attempt(() => this.#ask()) }, texts.ask);
    this.working = el("p", { class: "quiet", role: "status" });
    this.result = el("div", {});
    this.node = el("div", { class: "story-analysis" }, this.button, this.working, this.result);
  }

  /** A bot has to get ready before it begins with a game, for so long.
   *  @param {{match: string, wait_ms: number}} message */
  wait({ match, wait_ms: wait }) {
    if (this.games[this.#done]?.match === match) this.#readyAt = performance.now() + wait;
  }

  async #ask() {
    show(this.button, false);
    /** @type {AnalysedGame[]} */
    const analysed = [];
    /** @type {string[]} */
    const missing = [];
    try {
      for (this.#done = 0; this.#done < this.games.length; this.#done++) {
        const game = this.games[this.#done];
        this.#askedAt = performance.now();
        this.#tick();
        const reply = await this.#analysis(game);
        if (reply instanceof Refusal) missing.push(texts.without({ game: game.series.game ?? 1, why: reply.message }));
        else analysed.push({ game, reply });
      }
    } finally {
      clearTimeout(this.#timer);
      put(this.working, missing.join(" "));
      show(this.button, analysed.length < this.games.length);
    }
    this.#show(analysed);
  }

  /** @param {StoryGame} game
   *  @returns {Promise<Analysed | Refusal>} */
  async #analysis({ match }) {
    try {
      return await this.source.analyse(match);
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  /** Say which game a bot is at, and for how long. */
  #tick() {
    const now = performance.now();
    const wait = Math.ceil((this.#readyAt - now) / SECOND_MS);
    const seconds = Math.ceil((now - this.#askedAt) / SECOND_MS);
    put(this.working, wait > 0 ? texts.waiting(wait) : texts.working({ done: this.#done, of: this.games.length, seconds }));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#tick(), SECOND_MS);
  }

  /** @param {AnalysedGame[]} analysed */
  #show(analysed) {
    if (analysed.length === 0) return;
    const worst = analysed.flatMap(costly).sort((one, two) => (two.play.loss ?? 0) - (one.play.loss ?? 0)).slice(0, WORST);
    this.result.replaceChildren(this.#byGame(analysed), el("h3", {}, texts.title), this.#together(analysed),
      ...(worst.length ? [el("h3", {}, texts.worst), el("ol", { class: "worst" }, ...worst.map((one) => this.#mistake(one)))] : []),
      el("p", { class: "quiet small" }, `${units.chance} ${aboutRating}`));
  }

  /** A row for each game: what both sides lost, and their ratings.
   *  @param {AnalysedGame[]} analysed */
  #byGame(analysed) {
    const rows = analysed.map(({ game: { match, series }, reply: { analysis: { totals, unit } } }) => el("tr", {},
      el("th", { scope: "row" }, el("a", { href: this.source.path(match) }, past.storyGame(series.game ?? 1)),
        el("small", { class: "quiet" }, ` ${terms.score(series.score ?? [0, 0])}`)),
      ...totals.map(({ loss = 0, normalised, rated = 0 }) => el("td", {}, figure(-loss, unit), el("br", {}),
        el("small", { class: "quiet" }, ratingText(normalised, rated))))));
    return el("table", { class: "totals" }, el("caption", { class: "quiet" }, texts.caption), this.#heads(), el("tbody", {}, ...rows));
  }

  /** @param {AnalysedGame[]} analysed */
  #together(analysed) {
    const of = (/** @type {0 | 1} */ seat) => added(analysed.map(({ reply }) => reply.analysis.totals[seat]));
    const rows = totalRows({ totals: [of(0), of(1)], unit: analysed[0].reply.analysis.unit });
    return el("table", { class: "totals" }, this.#heads(), el("tbody", {}, ...rows.map(({ name, cells }) =>
      el("tr", {}, el("th", { scope: "row" }, name), ...cells.map((text) => el("td", {}, text))))));
  }

  #heads() {
    const names = this.seats.map((player) => el("th", { scope: "col" }, el("bdi", {}, playerTitle(player))));
    return el("thead", {}, el("tr", {}, el("td", {}), ...names));
  }

  /** One that cost much, as a link to it.
   *  @param {Costly} costly */
  #mistake({ game: { match, series }, play, unit }) {
    const best = play.best?.[0]?.action ?? play.action;
    const [played, better] = [play.action, best].map((action) => actionText(action, play));
    const what = play.mistake ? mistakes[play.mistake] : texts.play({ play: played, best: best === play.action ? "" : better });
    const text = texts.mistake({ game: series.game ?? 1, name: playerTitle(this.seats[play.seat]), what, loss: figure(-(play.loss ?? 0), unit) });
    return el("li", {}, el("a", { href: this.source.path(match, play.ply) }, text));
  }
}

/** @param {AnalysedGame} analysed
 *  @returns {Costly[]} */
function costly({ game, reply: { analysis: { plays = [], resignations = [], unit } } }) {
  return [...plays, ...resignations].filter(({ normalised, loss }) => (normalised ?? loss ?? 0) >= MIN_LOSS).map((play) => ({ game, play, unit }));
}
