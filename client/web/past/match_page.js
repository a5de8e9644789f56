/* A match that is over, as its page shows it: board and steps as at a table, what a bot found of it, the story of
   its games.  Where it comes from, and what stands below it, says its source. */

/** @import * as wire from "../library/messages.js" */
/** @import { ReplayDocument } from "../library/messages.js" */
/** @import { Action, Moment } from "../library/replica.js" */
/** @import { Board, BoardModule, BoardView } from "../boards/board.js" */
/** @import { House } from "./house.js" */
/** The replay as the server sends it; its actions have all their fields.
 *  @typedef {Omit<ReplayDocument, "moments"> & {moments: Moment[]}} FullReplay */
/** Where a match comes from.  `isOurs`: a room of this server's, so that names lead to people and the address to all;
 *  `path`: where a game of its match is shown; `analyse`: what a bot finds of such a game; `about`: what stands below.
 *  @typedef {{isOurs: boolean, path: (match: string, ply?: number) => string,
 *    analyse: (match: string) => Promise<wire.Analysed>, about: Element}} Source */

import { Review } from "../analysis/review.js";
import { viewAt } from "../boards/view.js";
import { fullName } from "../library/replica.js";
import { matchPoints, resultText } from "../library/result.js";
import { termsOf } from "../library/series.js";
import { mayMove, onChoice, settings, showsCoordinates } from "../library/settings.js";
import { write } from "../library/storage.js";
import { boardPath, formatClock, formatScore, playerTitle } from "../library/words.js";
import { el, nameNode, put, set, show } from "../page/dom.js";
import { icon } from "../page/icons.js";
import { Sharing } from "../page/sharing.js";
import { Sheet } from "../page/sheet.js";
import { fitBoard } from "../table/fit.js";
import { TableKeys } from "../table/keys.js";
import { MoveList } from "../table/record/move_list.js";
import { numberAt, rollText } from "../table/record/move_rows.js";
import { words } from "../texts/words.js";
import { day, playerLink } from "./house.js";
import { storyCard } from "./story.js";
import { StoryAnalysis } from "./story_analysis.js";

const { past: texts, table } = words;

export class MatchPage {
  /** @type {BoardView | null} */
  #shown = null;
  #form = ""; // of the board and the window, as it was measured last

  /** @param {House} house
   *  @param {FullReplay} replay
   *  @param {BoardModule} module
   *  @param {Source} source */
  constructor(house, replay, module, source) {
    this.house = house;
    this.replay = replay;
    this.module = module;
    this.source = source;
    this.names = /** @type {[string, string]} */ (replay.seats.map(playerTitle));
    this.last = replay.moments.length - 1;
    this.at = this.#wanted(); // after how many actions
    this.host = el("div", { class: "board", "data-game": replay.game });
    this.board = /** @type {Board} */ (module.create(this.host, () => {}));
    this.strips = [0, 1].map((seat) => this.#strip(seat));
    this.status = el("p", { class: "status", role: "status" });
    this.note = el("p", { class: "thought quiet" });
    this.moves = new MoveList({ step: (step) => this.step(step), go: (ply) => this.go(ply) });
    for (const label of ["aria-label", "title"]) set(this.moves.steps[3], label, texts.last);
    this.review = new Review(house, { onChange: () => this.show(), showBoard: () => scrollTo(0, 0),
      analyse: (match) => source.analyse(match), moments: () => Promise.resolve(replay.moments) });
    this.analyse = this.#action("analyse", table.analyse, () => house.attempt(() => this.review.ask(this.#room, this.#match)));
    const again = el("a", { class: "action", href: "/", "data-do": "again", onclick: () => write("game", replay.game) },
      icon("new"), el("span", {}, texts.again));
    this.study = el("a", { class: "action", "data-do": "study" }, icon("next"), el("span", {}, texts.study));
    const bar = el("div", { class: "bar" }, el("div", { class: "controls", role: "group", "aria-label": table.actions },
      this.analyse, this.study, again, ...(source.isOurs ? [this.#action("invite", words.share.share, () => this.#share())] : [])));
    const statusArea = el("div", { class: "status-area" }, this.status, this.note);
    this.game = el("div", { class: "game stage", tabindex: -1, "data-game": replay.game }, this.strips[1],
      el("div", { class: "place" }, this.host), statusArea, this.moves.node, this.review.below, this.review.card, bar, this.strips[0]);
    this.series = new StoryAnalysis(house, replay.games ?? [], { seats: replay.seats, source });
    const story = storyCard(replay, source.path, (reason) => module.why?.(reason), this.series.node);
    this.node = el("div", { class: "past-match" }, this.game, ...(story ? [story] : []), source.about);
    this.#listen();
  }

  #listen() {
    new TableKeys(this.host, {
      isHere: () => !this.review.isOpenHere && this.node.isConnected,
      plays: () => false, type: () => null, typed: () => {}, leave: () => false,
      step: (step) => {
        this.step(step);
        return true;
      },
      read: () => this.house.announcer.say((this.#shown && this.module.read?.(this.#shown)) ?? table.notReadable),
    });
    onChoice(() => this.node.isConnected && this.show());
    addEventListener("resize", () => this.node.isConnected && this.#fit());
  }

  /** Go where the address wants to look, which a link of this page has changed: its own steps replace it. */
  arrive() {
    this.go(this.#wanted());
    scrollTo(0, 0);
  }

  /** After how many actions the address wants to look. */
  #wanted() {
    const wanted = new URLSearchParams(location.hash.slice(1)).get("ply");
    return wanted === null ? this.last : Math.max(0, Math.min(this.last, Number(wanted) || 0));
  }

  /** What the analysis knows a room and a match by: the reader has no seat here. */
  get #room() {
    return /** @type {any} */ ({});
  }

  get #match() {
    const { match, result, seats } = this.replay;
    return /** @type {any} */ ({ match, result, seats, ply: this.last });
  }

  /** @param {string} picture
   *  @param {string} label
   *  @param {() => unknown} act */
  #action(picture, label, act) {
    return el("button", { type: "button", class: "action", "data-do": picture, onclick: act }, icon(picture), el("span", {}, label));
  }

  /** @param {number} seat */
  #strip(seat) {
    const { seats, result, former = [] } = this.replay;
    const isFormer = former.includes(/** @type {0 | 1} */ (seat));
    const points = matchPoints(result, seat);
    return el("div", { class: "player", "data-seat": seat }, el("span", { class: "stone", "aria-hidden": "true" }),
      el("div", { class: "who" }, this.source.isOurs ? playerLink(seats[seat], isFormer) : el("span", { class: "name" }, nameNode(fullName(seats[seat]))), el("span", { class: "tag" }, tagOf(seats[seat]))),
      el("span", { class: "score" }, points === null ? "" : formatScore(points)));
  }

  /** Go one of the steps: first, back, next, last.
   *  @param {string} step */
  step(step) {
    this.go({ first: 0, back: this.at - 1, next: this.at + 1 }[step] ?? this.last);
  }

  /** Go to the position after so many actions; it is in the address, for all who get the link.
   *  @param {number} ply */
  go(ply) {
    this.at = Math.max(0, Math.min(this.last, ply));
    const fields = new URLSearchParams(location.hash.slice(1));
    if (this.at === this.last) fields.delete("ply");
    else fields.set("ply", String(this.at));
    history.replaceState(null, "", `${location.pathname}${location.search}${fields.size ? `#${fields}` : ""}`);
    this.show();
  }

  show() {
    const { replay: { moments, result, seats, options, at }, last } = this;
    const isEnd = this.at === last;
    const { flip } = settings;
    this.review.show(this.#room, this.#match);
    const lists = this.review.lists(this.#match);
    const view = this.review.view(null) ?? viewAt(moments, lists ? last : this.at, { seat: null, over: isEnd || lists, marks: [] });
    this.#shown = Object.assign({ ...view, names: this.names, flip, coordinates: showsCoordinates(this.replay.game), motion: mayMove() },
      isEnd ? { draw: () => this.#draw() } : {});
    this.board.show(this.#shown);
    set(this.host, "data-position", view.position);
    set(this.study, "href", boardPath(this.replay.game, view.position));
    const result_ = resultText(result, seats, null, (reason) => this.module.why?.(reason));
    put(this.status, this.review.where() ?? (isEnd || lists ? result_ : this.#where()));
    set(this.status, "class", isEnd || lists ? "status over" : "status");
    const facts = [...termsOf(this.replay.game, options), formatClock(options.clock), ...(options.rated ? [table.rated] : []), ...(at ? [day(at)] : [])].join(" · ");
    put(this.note, isEnd || lists ? facts : noteText(moments[this.at].event));
    show(this.moves.node, !lists);
    show(this.analyse, this.review.isOpen(this.#match));
    set(this.game, "data-reviewed", lists);
    this.#showMoves();
    // The reader has no seat here: the first player is below, unless the board is seen from the other side.
    const order = flip ? [0, 1] : [1, 0];
    if (this.game.firstElementChild !== this.strips[order[0]]) {
      this.game.prepend(this.strips[order[0]]);
      this.game.append(this.strips[order[1]]);
    }
    this.#fit();
  }

  /** The server's drawing of the end, for a board that has none of its own. */
  async #draw() {
    const { replay: { game, moments }, last, source, house: { connection } } = this;
    if (source.isOurs) return (await connection.request({ type: "draw", match: this.replay.match })).lines;
    return (await connection.request({ type: "try", game, position: moments[last].position, draw: true })).lines ?? [];
  }

  /** The list marks the last decision, which no roll is. */
  #showMoves() {
    const { moments } = this.replay;
    const decision = moments.findLastIndex(({ event }, ply) => ply <= this.at && event !== null && (event?.seat ?? -1) >= 0);
    this.moves.show(moments.slice(1).map(({ event }) => event ?? undefined),
      { at: this.at === this.last ? null : Math.max(0, decision), isStill: this.last === 0, showsNotes: true });
    for (const button of this.moves.steps.slice(0, 2)) set(button, "aria-disabled", this.at === 0);
  }

  /** Where one is, and what has just been played. */
  #where() {
    const { event } = this.replay.moments[this.at];
    const where = `${table.where(numberAt(this.replay.moments.map(({ event: each }) => each ?? undefined), this.at))}.`;
    if (!event || !this.#shown) return where;
    if (event.seat === -1) return `${where} ${table.rolled(rollText(event.action))}`;
    const told = this.module.told?.(event.action, this.names[event.seat]) ?? null;
    if (told !== null) return `${where} ${told}`;
    const action = this.module.say?.(event.action, this.#shown) || event.action;
    return `${where} ${table.plays({ name: this.names[event.seat], action })}`;
  }

  #share() {
    const sharing = new Sharing("match", (text) => this.house.notices.notify(text));
    sharing.show({ link: location.href, code: null, title: document.title });
    new Sheet({ title: words.share.share, look: "share" }, sharing.node).open();
  }

  #fit() {
    this.#form = fitBoard(this.game, this.host, this.#form);
  }
}

/** @param {wire.Player} player */
function tagOf({ program, level }) {
  if (!program) return "";
  return level ? table.botLevel(level) : table.bot;
}

/** What is known of an action: how long it took, what a bot thought.
 *  @param {Action | null} event */
function noteText(event) {
  if (event?.kind === "opening") return texts.opening;
  const time = event?.kind === "play" ? texts.took(words.common.decimal(((event.spent_ms ?? 0) / 1000).toFixed(1))) : "";
  return [time, event?.note].filter(Boolean).join(" · ");
}
