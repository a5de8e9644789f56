/* A room as a view: the board, and what is left of the window for the two players, what goes on, what
   can be done, moves and chat.

   It renders from the replica and asks through `app`.  Which board draws which game is in
   boards/registry.js; what stands where is in table.css. */

/** @import { App } from "../page/app.js" */
/** @import * as wire from "../library/messages.js" */
/** @import { Board, BoardModule, BoardView, Mark } from "../boards/board.js" */

import { Review } from "../analysis/review.js";
import { boardOf } from "../boards/registry.js";
import { emptyView, lastDecision } from "../boards/view.js";
import { fullName, seatIn } from "../library/replica.js";
import { termsOf } from "../library/series.js";
import { mayMove, onChoice, settings, showsCoordinates } from "../library/settings.js";
import { formatClock, ladderPath, matchPath, playerTitle } from "../library/words.js";
import { el, put, set, show } from "../page/dom.js";
import { rejoice } from "../settings/paper.js";
import { play } from "../settings/sounds.js";
import { words } from "../texts/words.js";
import { Chat } from "./chat.js";
import { Controls } from "./controls.js";
import { TableEvents } from "./events.js";
import { fitBoard } from "./fit.js";
import { Inviting } from "./inviting.js";
import { TableKeys } from "./keys.js";
import { Planning } from "./planning.js";
import { PlayerStrip } from "./player_strip.js";
import { MoveList } from "./record/move_list.js";
import { Stepping } from "./record/stepping.js";
import { statusText } from "./status.js";
import { StatusArea } from "./status_area.js";

const { table: texts } = words;
const BUILT_BY_STEPS = new Set(["backgammon", "backgammon_cube"]); // games whose board asks by itself whether a turn is done

export class TableView {
  title = "";
  terms = ""; // what is played here, by which terms and at which score, where these can be chosen
  /** @type {string | null} */
  #game = null; // whose board is on the table
  /** @type {Board | null} */
  #board = null; // null while it is loaded
  /** @type {BoardModule | null} */
  #module = null;
  /** @type {BoardView | null} */
  #shown = null; // what stands on the board
  #room = 0; // the number of the room shown
  /** @type {string | null} */
  #answered = null; // the "match turn" that was answered here and is not yet confirmed
  /** What was answered, as long as it can be taken back.
   *  @type {{action: string, withdraw: () => void} | null} */
  #sent = null;
  /** @type {{turn: string, action: string} | null} */
  #pending = null; // an action that waits to be confirmed
  /** @type {wire.Hinted | null} */
  #hint = null;
  #wantsFocus = false; // as soon as there is a board
  #form = ""; // of the board and the window, as it was measured last
  #lowTurn = ""; // the turn in which the time ran short, and that was heard

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    const again = () => this.show(this.#room);
    this.top = new PlayerStrip();
    this.bottom = new PlayerStrip();
    this.host = el("div", { class: "board" });
    this.stepping = new Stepping(app.replica, again);
    this.planning = new Planning();
    this.statusArea = new StatusArea(app, { toNow: () => this.stepping.go(null), dropPlan: () => this.#takeBack() || this.#dropPlan() });
    this.review = new Review(app, { onChange: again, showBoard: () => scrollTo(0, 0) });
    this.controls = new Controls(app, this.review, this.statusArea, {
      onHint: (hint) => { this.#hint = hint; again(); },
      answer: (isYes) => this.#answerPending(isYes),
      toggleInviting: () => this.place.classList.toggle("calling"),
    });
    this.inviting = new Inviting(app);
    this.moves = new MoveList({ step: (name) => this.stepping.step(name), go: (ply) => this.stepping.go(ply) });
    this.facts = el("p", { class: "facts quiet" });
    this.ladder = el("a");
    this.record = el("a", { target: "_blank", rel: "noopener" }, texts.record);
    this.links = el("p", { class: "facts row" }, this.ladder, this.record);
    this.chat = new Chat(app, this.facts, this.links);
    this.events = new TableEvents(app, { tell: (text) => this.statusArea.tell(text), end: (isWon) => isWon && rejoice(this.place) });
    this.reader = el("button", { type: "button", class: "unseen", "data-do": "read", "aria-keyshortcuts": "?",
      onclick: () => this.#read() }, texts.readBoard);
    this.waiting = el("p", { class: "waiting quiet" }, texts.going);
    this.place = el("div", { class: "place" }, this.host, el("div", { class: "calls" }, this.inviting.node));
    this.bar = el("div", { class: "bar" }, this.controls.buttons, this.chat.button);
    this.parts = [this.place, this.top.node, this.statusArea.node, this.moves.node, this.review.below, this.review.card,
      this.chat.node, this.bar, this.bottom.node, this.reader];
    this.heading = el("h2", { class: "unseen" });
    this.node = el("div", { class: "game stage", tabindex: -1 }, this.heading, this.waiting, ...this.parts);
    this.keys = this.#listen();
    onChoice(again);
    addEventListener("resize", () => this.#fit());
    addEventListener("hashchange", () => this.planning.drop() && app.notify(texts.planDropped)); // nothing is played for a player who is elsewhere
  }

  #listen() {
    return new TableKeys(this.host, {
      isHere: () => this.node.isConnected && !this.review.isOpenHere,
      plays: () => this.#plays(),
      type: (text, enter) => this.#type(text, enter),
      typed: (text, isWrong) => this.#showTyped(text && (isWrong ? texts.notAMove(text) : texts.typed(text)), isWrong),
      step: (name) => {
        this.stepping.step(name);
        return true;
      },
      read: () => this.#read(),
      leave: () => this.#leaveStep() || this.#takeBack() || this.#dropPlan(),
    });
  }

  /** Put the focus where one plays. */
  focus() {
    this.#wantsFocus = this.#board === null;
    const { activeElement } = document;
    if (activeElement !== this.node && this.node.contains(activeElement)) return;
    this.#board?.focus?.();
    if (!this.node.contains(document.activeElement)) this.node.focus({ preventScroll: true });
  }

  /** @param {number} number */
  show(number) {
    const { replica, seating, connection } = this.app;
    const room = replica.rooms.get(number);
    for (const part of this.parts) show(part, room !== undefined);
    show(this.waiting, room === undefined);
    if (number !== this.#room) this.#enter();
    this.#room = number;
    if (!room) return;
    const state = replica.current(number);
    const lostPlan = this.#followPlan(state);
    const match = this.#unanswered(state);
    const me = seatIn(room);
    const isOn = room.state === "playing" && match !== null && !match.result;
    const isLinked = connection.state === "linked";
    const title = replica.catalog.title(room.game);
    const chosen = termsOf(room.game, room.options, room.series, room.seats);
    this.terms = chosen.length ? [replica.catalog.title(room.game, true), ...chosen].join(" · ") : "";
    this.title = match?.legal ? texts.titleTurn(title) : title;
    put(this.heading, [title, ...room.seats.filter((player) => player !== null).map(playerTitle)].join(" · "));
    if (this.#pending?.turn !== turnOf(match) || !match?.legal) this.#pending = null;
    this.stepping.show(room, state);
    this.review.show(room, match);
    for (const { strip, seat } of this.#strips(me)) {
      strip.show(room, match, seat, { me, level: this.#level(room, seat), rating: this.app.ratings.text(room.game, room.seats[seat]), isLinked });
    }
    this.#showBoard(room, match, me);
    const why = (/** @type {string} */ reason) => this.#module?.why?.(reason);
    const asks = (isOn && this.#shown && this.#module?.asks?.(this.#shown)) || null;
    const usual = statusText(room, match, me, { expected: seating.expected(number), why, asks });
    const instead = this.review.where() ?? this.stepping.where() ?? (isOn && !isLinked ? (match?.clocks ? texts.lost : texts.lostNoClock) : null);
    const isEnd = instead === null && Boolean(match?.result);
    if (isEnd && match?.result) this.statusArea.showEnd(usual, match.result, match.seats.map(playerTitle));
    else put(this.statusArea.status, instead ?? usual);
    set(this.statusArea.status, "class", `status${match?.legal ? " yours" : match?.result ? ` over${isEnd ? " ended" : ""}${isWon(match, me)}` : ""}`);
    const isBack = this.stepping.at !== null;
    this.statusArea.show(room, match, { me, isOn, isBack });
    const waits = this.#waits(match);
    if (waits !== null) this.statusArea.plan(texts.waitsForLine(this.#inWords(waits)), texts.takeItBack);
    else this.statusArea.plan(this.planning.action === null ? "" : texts.plan(this.#inWords(this.planning.action)));
    put(this.facts, this.#facts(room));
    this.#link(room, match);
    this.#call(room);
    const pending = this.#pending && this.#inWords(this.#pending.action);
    this.controls.show({ room, match, me, isOn, pending });
    const lists = match !== null && this.review.lists(match);
    this.moves.show(match ? replica.actions(match.match) : [],
      { at: this.stepping.at, isStill: this.stepping.isStill, showsNotes: !isOn || me === null || settings.thoughts });
    show(this.moves.node, !lists);
    set(this.node, "data-reviewed", lists);
    const messages = this.chat.show(room, replica.chat.get(number) ?? []);
    this.events.update(state, { title, me, say: (action) => this.#inWords(action), told: this.#module?.told ?? (() => null), asks, why, answered: this.statusArea.answered, messages,
      isAnswered: state !== null && this.#answered === turnOf(state) });
    if (lostPlan !== null) this.#tell(texts.planLost(this.#inWords(lostPlan)));
    this.tick();
  }

  /** Another table than before. */
  #enter() {
    this.#pending = null;
    this.planning.drop();
    this.place.classList.remove("calling");
    this.statusArea.tell("");
  }

  /** Let the clocks run.  Without a connection they are not known, and look it: they run on, as they may do there. */
  tick() {
    const { replica, connection } = this.app;
    const room = replica.rooms.get(this.#room);
    if (!room) return;
    set(this.node, "data-unlinked", connection.state !== "linked");
    const match = replica.current(room.room);
    const me = seatIn(room);
    for (const { strip, seat } of this.#strips(me)) {
      const isShort = strip.tick(replica, match, seat);
      if (isShort && seat === me && this.#lowTurn !== turnOf(match)) {
        this.#lowTurn = turnOf(match);
        play("low");
      }
    }
    this.statusArea.tick();
  }

  /** @param {wire.RoomState} room */
  #facts(room) {
    const { options, watching = 0 } = room;
    const terms = termsOf(room.game, options);
    const facts = [texts.room(room.room), ...(room.name ? [room.name] : []), ...(terms.length ? terms : [this.app.replica.catalog.title(room.game)]), formatClock(options.clock)];
    if (options.public === false) facts.push(texts.private);
    if (options.rated) facts.push(texts.rated);
    if (watching) facts.push(texts.watchers(watching));
    return facts.join(" · ");
  }

  /** The level of a bot: what the server says, else what it was asked for from here; null where it is
   *  not known.
   *  @param {wire.RoomState} room
   *  @param {number} seat */
  #level(room, seat) {
    const [player, invited] = [room.seats[seat], this.app.seating.lastOpponent(room.room)];
    if (!player?.program) return null;
    return player.level ?? (invited?.who === fullName(player) ? invited.strength.level ?? null : null);
  }

  /** The ways to the page of a match that is over, and to the ladder that it is played for.
   *  @param {wire.RoomState} room
   *  @param {wire.MatchState | null} match */
  #link({ ladder = null, code = null }, match) {
    const isOver = Boolean(match?.result);
    show(this.links, ladder !== null || isOver);
    show(this.record, isOver);
    set(this.record, "href", match ? matchPath(match.match, code) : null);
    show(this.ladder, ladder !== null);
    if (ladder === null) return;
    put(this.ladder, texts.ladder(ladder));
    set(this.ladder, "href", ladderPath(ladder));
  }

  /** Before the first match it is above the board how to find an opponent; later only on demand, for
   *  then the end of a match is on the board.
   *  @param {wire.RoomState} room */
  #call(room) {
    this.inviting.show(room);
    this.place.classList.toggle("fresh", !room.match);
    if (this.inviting.node.hidden) this.place.classList.remove("calling");
  }

  /** Which strip is for which seat: oneself is below, unless the board is seen from the other side.
   *  @param {number | null} me */
  #strips(me) {
    const below = settings.flip ? 1 - (me ?? 0) : me ?? 0;
    return [{ strip: this.top, seat: 1 - below }, { strip: this.bottom, seat: below }];
  }

  /** @param {wire.RoomState} room
   *  @param {wire.MatchState | null} match
   *  @param {number | null} me */
  #showBoard(room, match, me) {
    if (this.#game !== room.game) this.#changeBoard(room.game);
    const start = room.options.position || (this.#module?.start?.(room.options) ?? this.app.replica.catalog.start(room.game));
    /** @type {BoardView | null} */
    let view = null;
    if (match) view = this.review.view(me) ?? this.stepping.view(me) ?? this.#view(match, me);
    else if (room.state === "waiting" && start !== null) view = emptyView(start, me);
    if (view !== null) this.#draw(view, match?.seats ?? room.seats);
    set(this.host, "data-position", match ? view?.position ?? null : null);
  }

  /** @param {BoardView} view
   *  @param {readonly (wire.Player | null)[]} seats */
  #draw(view, seats) {
    const { flip } = settings;
    const coordinates = this.#game !== null && showsCoordinates(this.#game);
    const names = /** @type {[string, string]} */ (seats.map(playerTitle));
    this.#shown = { ...view, names, flip, coordinates, motion: mayMove() };
    this.#board?.show(this.#shown);
    this.#fit();
  }

  /** Let the style sheet know the board's form, and what else it has below its drawing. */
  #fit() {
    this.#form = fitBoard(this.node, this.host, this.#form);
  }

  /** Put another game's board on the table.
   *  @param {string} game */
  async #changeBoard(game) {
    this.#game = game;
    this.#board = this.#module = this.#shown = null;
    this.#form = "";
    this.host.replaceChildren(); // rather none than another game's
    const module = await boardOf(game).catch(() => null);
    if (this.#game !== game) return; // the person has gone on to another table
    if (!module) {
      this.app.notify(texts.boardMissing);
      return;
    }
    for (const node of [this.host, this.node]) set(node, "data-game", game);
    this.#module = module;
    this.#board = module.create(this.host, (action) => this.#play(action));
    this.show(this.#room);
    if (this.#wantsFocus && document.activeElement === this.node) this.focus();
    this.#wantsFocus = false;
  }

  /** The match without `legal` while the answer to it is under way.
   *  @param {wire.MatchState | null} match */
  #unanswered(match) {
    return match && this.#answered === turnOf(match) ? { ...match, legal: null } : match;
  }

  /** @param {wire.MatchState} match
   *  @param {number | null} me
   *  @returns {BoardView} */
  #view(match, me) {
    const { position, legal = null, events, to_move: toMove } = match;
    const over = Boolean(match.result);
    const draw = async () => (await this.app.seating.ask({ type: "draw", match: match.match })).lines;
    const plans = this.planning.open(match, me, this.#module);
    return { position, legal, plans, seat: me, toMove, last: lastDecision(events), events, over, marks: this.#advice(match), draw };
  }

  /** What is pointed out: the action that is planned, or waits to be confirmed, or a bot's advice for this turn.
   *  @param {wire.MatchState} match
   *  @returns {Mark[]} */
  #advice({ legal, match, turn }) {
    const waits = this.#waits(this.app.replica.current(this.#room));
    if (waits !== null) return [{ action: waits, kind: "plan" }];
    if (this.planning.action !== null) return [{ action: this.planning.action, kind: "plan" }];
    if (this.#pending) return [{ action: this.#pending.action, kind: "played" }];
    const hint = this.#hint;
    if (!hint || !legal || hint.match !== match || hint.turn !== turn) return [];
    return [{ action: hint.action, kind: "best" }];
  }

  /** @param {string} action */
  #inWords(action) {
    return (this.#shown && this.#module?.say?.(action, this.#shown)) || action;
  }

  /** An action was chosen on the board, or typed.
   *  @param {string} action */
  #play(action) {
    const match = this.app.replica.current(this.#room);
    if (!match || this.stepping.at !== null) return undefined;
    if (!match.legal) return this.#plan(match, action);
    if (!settings.confirm || BUILT_BY_STEPS.has(match.game)) return this.#send(match, action);
    this.#pending = { turn: turnOf(match), action };
    this.show(this.#room);
    /** @type {HTMLElement | null} */ (this.controls.buttons.querySelector("[data-do=confirm]"))?.focus();
    return undefined;
  }

  /** An action was chosen while the other side is to move.
   *  @param {wire.MatchState} match
   *  @param {string} action */
  #plan(match, action) {
    if (!this.#shown?.plans?.includes(action) || !this.planning.choose(match, action)) return;
    this.app.announcer.say(this.planning.action === null ? texts.planDropped : texts.planned(this.#inWords(action)));
    this.statusArea.tell("");
    this.show(this.#room);
  }

  /** The action that was chosen and waits for the line, or null.
   *  @param {wire.MatchState | null} match */
  #waits(match) {
    return this.app.connection.state !== "linked" && this.#answered === turnOf(match) ? this.#sent?.action ?? null : null;
  }

  /** Take back what waits for the line, if anything does.  Should it have got through before the line was lost, it is played. */
  #takeBack() {
    if (this.#waits(this.app.replica.current(this.#room)) === null) return false;
    this.#sent?.withdraw();
    return true;
  }

  /** Drop what is planned, if anything is. */
  #dropPlan() {
    if (!this.planning.drop()) return false;
    this.app.announcer.say(texts.planDropped);
    this.show(this.#room);
    this.focus();
    return true;
  }

  /** Play what was planned when its turn has come; what has to be dropped instead, or null.  A player who wants to
   *  be asked before each move is asked here, too.
   *  @param {wire.MatchState | null} match */
  #followPlan(match) {
    const plan = this.planning.follow(match);
    if (match === null || plan === null) return null;
    if (!plan.isLegal) return plan.action;
    if (settings.confirm) this.#pending = { turn: turnOf(match), action: plan.action };
    else this.#send(match, plan.action);
    return null;
  }

  /** @param {boolean} isYes */
  #answerPending(isYes) {
    const [match, pending] = [this.app.replica.current(this.#room), this.#pending];
    this.#pending = null;
    if (isYes && match?.legal && pending?.turn === turnOf(match)) this.#send(match, pending.action);
    else this.show(this.#room);
    this.#board?.focus?.();
  }

  /** @param {wire.MatchState} match
   *  @param {string} action */
  async #send({ match, turn }, action) {
    this.#answered = `${match} ${turn}`;
    this.planning.played(action);
    this.keys.clear();
    this.show(this.#room);
    const { attempt, seating } = this.app;
    const withdrawing = new AbortController();
    this.#sent = { action, withdraw: () => withdrawing.abort() };
    const isDone = await attempt(() => seating.ask({ type: "play", match, turn, action }, withdrawing.signal));
    this.#sent = null;
    if (isDone) return;
    this.#answered = null; // it did not happen: the board is open again
    this.show(this.#room);
  }

  /** What becomes of typed text; null: it is not this person's turn.
   *  @param {string} text
   *  @param {boolean} enter */
  #type(text, enter) {
    const match = this.#unanswered(this.app.replica.current(this.#room));
    const open = match?.legal ?? this.#shown?.plans ?? null;
    if (open === null || this.stepping.at !== null) return null;
    const became = this.#board?.type?.(text, enter);
    if (became) return became;
    if (enter || open.every((action) => action.length === 1)) { // a board that takes no text
      const action = open.find((each) => each === text);
      if (action === undefined) return "wrong";
      this.#play(action);
      return "played";
    }
    return "more";
  }

  /** @param {string} text
   *  @param {boolean} isWrong */
  #showTyped(text, isWrong) {
    this.statusArea.type(text);
    if (isWrong) this.app.announcer.say(text);
  }

  /** Whether a match is on that is played here. */
  #plays() {
    const { replica } = this.app;
    const match = replica.current(this.#room);
    return seatIn(replica.rooms.get(this.#room)) !== null && match !== null && !match.result;
  }

  /** Back from an earlier position, if one is shown. */
  #leaveStep() {
    if (this.stepping.at === null) return false;
    this.stepping.go(null);
    return true;
  }

  /** Say the whole position. */
  #read() {
    const text = (this.#shown && this.#module?.read?.(this.#shown)) ?? texts.notReadable;
    const plan = this.planning.action;
    this.#tell(plan === null ? text : `${text} ${texts.plan(this.#inWords(plan))}.`);
    return true;
  }

  /** Say something, and show it.
   *  @param {string} text */
  #tell(text) {
    this.app.announcer.say(text);
    this.statusArea.tell(text);
  }
}

/** A turn of a match, as one text.
 *  @param {wire.MatchState | null} match */
const turnOf = (match) => (match ? `${match.match} ${match.turn}` : "");

/** @param {wire.MatchState} match
 *  @param {number | null} me */
const isWon = ({ result }, me) => (result && me !== null && result.winner === me ? " won" : "");
