/* A room as a view: the two players, the board between them, what can be done, moves and chat.

   It renders from the replica and asks through `app`.  Which board draws which game is in
   boards/registry.js. */

/** @import { App } from "../page/app.js" */
/** @import * as wire from "../library/messages.js" */
/** @import { Board, BoardView, Mark } from "../boards/board.js" */

import { Review } from "../analysis/review.js";
import { boardOf } from "../boards/registry.js";
import { emptyView, lastDecision } from "../boards/view.js";
import { seatIn } from "../library/replica.js";
import { formatClock, ladderPath } from "../library/words.js";
import { el, put, set, show } from "../page/dom.js";
import { Chat } from "./chat.js";
import { Controls } from "./controls.js";
import { Inviting } from "./inviting.js";
import { MoveList } from "./move_list.js";
import { PlayerStrip } from "./player_strip.js";
import { statusText } from "./status.js";

export class TableView {
  title = "";
  /** @type {string | null} */
  #game = null; // whose board is on the table
  /** @type {Board | null} */
  #board = null; // null while it is loaded
  #room = 0; // the number of the room shown
  /** @type {string | null} */
  #answered = null; // the "match turn" that was answered here and is not yet confirmed
  /** @type {wire.Hinted | null} */
  #hint = null;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.top = new PlayerStrip();
    this.bottom = new PlayerStrip();
    this.host = el("div", { class: "board" });
    this.status = el("p", { class: "status", role: "status", "aria-live": "polite" });
    this.review = new Review(app, {
      onChange: () => this.show(this.#room), showBoard: () => this.host.scrollIntoView({ block: "nearest" }),
    });
    this.controls = new Controls(app, this.review, (hint) => {
      this.#hint = hint;
      this.show(this.#room);
    });
    this.inviting = new Inviting(app);
    this.moves = new MoveList();
    this.chat = new Chat(app);
    this.facts = el("p", { class: "facts quiet" });
    this.ladder = el("a");
    this.replay = el("a", {}, "Replay this match");
    this.links = el("p", { class: "facts row" }, this.ladder, this.replay);
    this.waiting = el("p", { class: "card" }, "Going to the table …");
    this.stage = el("div", { class: "stage" }, this.inviting.node, this.top.node, this.host, this.bottom.node,
      this.status, this.controls.node, this.review.below);
    this.side = el("aside", { class: "side" }, this.facts, this.links, this.review.card, this.moves.node, this.chat.node);
    this.node = el("div", { class: "table" }, this.waiting, this.stage, this.side);
  }

  /** @param {number} number */
  show(number) {
    const { replica, seating } = this.app;
    const room = replica.rooms.get(number);
    for (const part of [this.stage, this.side]) show(part, room !== undefined);
    show(this.waiting, room === undefined);
    this.#room = number;
    if (!room) return;
    const match = this.#unanswered(replica.current(number));
    const me = seatIn(room);
    this.title = `${match?.legal ? "Your turn · " : ""}${replica.catalog.title(room.game)}`;
    for (const { strip, seat } of this.#strips(me)) strip.show(room, match, seat, me);
    this.tick();
    this.review.show(room, match);
    this.#showBoard(room, match, me);
    put(this.status, this.review.where() ?? statusText(room, match, me, seating.expected(number)));
    set(this.status, "class", match?.legal ? "status yours" : match?.result ? "status over" : "status");
    put(this.facts, this.#facts(room));
    this.#link(room, match);
    this.inviting.show(room);
    this.controls.show(room, match);
    this.moves.show(match ? replica.actions(match.match) : []);
    show(this.moves.node, !match || !this.review.lists(match));
    this.chat.show(number, replica.chat.get(number) ?? []);
  }

  /** Let the clocks run. */
  tick() {
    const { replica } = this.app;
    const room = replica.rooms.get(this.#room);
    if (!room) return;
    const match = replica.current(room.room);
    for (const { strip, seat } of this.#strips(seatIn(room))) strip.tick(replica, match, seat);
  }

  /** @param {wire.RoomState} room */
  #facts(room) {
    const { options, watching = 0 } = room;
    const facts = [`Room ${room.room}`, this.app.replica.catalog.title(room.game), formatClock(options.clock)];
    if (options.public === false) facts.push("private");
    if (options.rated) facts.push("rated");
    if (watching) facts.push(`${watching} watching`);
    return facts.join(" · ");
  }

  /** The ways to the ladder that a match is played for.
   *  @param {wire.RoomState} room
   *  @param {wire.MatchState | null} match */
  #link({ ladder = null }, match) {
    show(this.links, ladder !== null);
    if (ladder === null) return;
    put(this.ladder, `Ladder ${ladder}`);
    set(this.ladder, "href", ladderPath(ladder));
    show(this.replay, Boolean(match?.result));
    set(this.replay, "href", match ? ladderPath(ladder, match.match) : null);
  }

  /** Which strip is for which seat: oneself is below.
   *  @param {number | null} me */
  #strips(me) {
    return [{ strip: this.top, seat: 1 - (me ?? 0) }, { strip: this.bottom, seat: me ?? 0 }];
  }

  /** @param {wire.RoomState} room
   *  @param {wire.MatchState | null} match
   *  @param {number | null} me */
  #showBoard(room, match, me) {
    if (this.#game !== room.game) this.#changeBoard(room.game);
    const start = this.app.replica.catalog.start(room.game);
    if (match) this.#board?.show(this.review.view(me) ?? this.#view(match, me));
    else if (room.state === "waiting" && start !== null) this.#board?.show(emptyView(start, me));
    set(this.host, "data-position", match ? (this.review.view(me) ?? match).position : null);
  }

  /** Put another game's board on the table.
   *  @param {string} game */
  async #changeBoard(game) {
    this.#game = game;
    this.#board = null;
    const module = await boardOf(game).catch(() => null);
    if (this.#game !== game) return; // the person has gone on to another table
    if (!module) {
      this.app.notify("The board could not be loaded. Please reload this page.");
      return;
    }
    this.host.replaceChildren();
    for (const node of [this.host, this.stage]) set(node, "data-game", game);
    this.#board = module.create(this.host, (action) => this.#play(action));
    this.show(this.#room);
  }

  /** The match without `legal` while the answer to it is under way.
   *  @param {wire.MatchState | null} match */
  #unanswered(match) {
    const isAnswered = match && this.#answered === `${match.match} ${match.turn}`;
    return isAnswered ? { ...match, legal: null } : match;
  }

  /** @param {wire.MatchState} match
   *  @param {number | null} me
   *  @returns {BoardView} */
  #view(match, me) {
    const { position, legal = null, events, to_move: toMove } = match;
    const over = Boolean(match.result);
    const draw = async () => (await this.app.seating.ask({ type: "draw", match: match.match })).lines;
    return { position, legal, seat: me, toMove, last: lastDecision(events), events, over, marks: this.#advice(match), draw };
  }

  /** The bot's advice on the board, as long as it is for this turn.
   *  @param {wire.MatchState} match
   *  @returns {Mark[]} */
  #advice({ legal, match, turn }) {
    const hint = this.#hint;
    if (!hint || !legal || hint.match !== match || hint.turn !== turn) return [];
    return [{ action: hint.action, kind: "best" }];
  }

  /** @param {string} action */
  async #play(action) {
    const match = this.app.replica.current(this.#room);
    if (!match?.legal) return;
    this.#answered = `${match.match} ${match.turn}`;
    this.show(this.#room);
    const { attempt, seating } = this.app;
    const isDone = await attempt(() => seating.ask({ type: "play", match: match.match, turn: match.turn, action }));
    if (isDone) return;
    this.#answered = null; // it did not happen: the board is open again
    this.show(this.#room);
  }
}
