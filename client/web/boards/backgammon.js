/* Backgammon to be looked at and played: a turn is put together checker by checker, and sent by "Done".

   A tap on a checker, or Enter, picks it up and shows where it can go; a tap there moves it, one on the
   checker puts it down, and a double tap moves it by the first of the dice.  It can be dragged, too, and
   a turn can be typed.  A press on the dice lets the other one be first.

   This module holds what is asked and what is being built.  What may be done is in backgammon/turn.js,
   what is seen in stage.js and motion.js, what is touched and read out in cells.js and wording.js. */

/** @import { BoardView, Typed } from "./board.js" */
/** @import { Die } from "./backgammon/dice.js" */
/** @import { Marks } from "./backgammon/drawing.js" */
/** @import { PlayedTurn } from "./backgammon/views.js" */
/** @import { Seen } from "./backgammon/stage.js" */
/** @import { Step, Turn } from "./backgammon/turn.js" */

import { mayMove } from "../library/settings.js";
import { el, put, set, svg } from "../page/dom.js";
import { words } from "../texts/words.js";
import { arrowsOf } from "./backgammon/arrows.js";
import { Cells, DICE, DONE, UNDO, UNDO_ALL } from "./backgammon/cells.js";
import { Drag } from "./backgammon/drag.js";
import { drawArrows } from "./backgammon/drawing.js";
import { FAR, Layout, NEAR } from "./backgammon/layout.js";
import { Motion } from "./backgammon/motion.js";
import { scenesBetween } from "./backgammon/sequence.js";
import { Stage } from "./backgammon/stage.js";
import * as turns from "./backgammon/turn.js";
import { isBegun, stepsOf } from "./backgammon/typed.js";
import * as views from "./backgammon/views.js";
import { cellsOf, progressText, read, say, why } from "./backgammon/wording.js";

export { picture } from "./backgammon/picture.js";
export { read, say, why };

const DOUBLE_MS = 400; // between two taps that are one
const UPRIGHT = 1.75; // how much higher than wide a window is on a phone that is held upright
const SWAP_KEY = "x"; // no letter of a turn's notation

let boards = 0; // made so far: their elements need ids of their own

/** What a game has on its board beside the checkers: nodes above the drawing, that are told where it is.
 *  `scale`: pixels a unit of the drawing; `left`, `top`: where it begins in its box, in pixels; `moving`: called when
 *  checkers begin to move, and when all stand.
 *  @typedef {{nodes: Element[], place: (layout: Layout, at: {scale: number, left: number, top: number}) => void, moving: (isOn: boolean) => void}} Extra */

/** What makes boards for a game in which each side has `each` checkers, fifteen if nothing else is said, and that
 *  has something `extra`; `play` is called with a whole turn in notation.
 *  @param {number} [each]
 *  @param {Extra} [extra] */
export const boardFor = (each, extra) => (/** @type {HTMLElement} */ host, /** @type {(action: string) => unknown} */ play) =>
  new BackgammonBoard(host, play, each, extra);

/** A board of backgammon in `host`. */
export const create = boardFor();

class BackgammonBoard {
  #play;
  #each;
  #extra;
  #stage = new Stage();
  #motion = new Motion(() => {
    this.#drawSeen();
    this.#extra?.moving(false);
  });
  #cells;
  #drag;
  #root;
  #frame;
  #description;
  #progress = el("p", { class: "unseen", role: "status" });
  /** @type {BoardView | null} */
  #view = null;
  /** @type {string | null} */
  #question = null; // what the viewer is asked, as a text
  /** @type {Turn | null} */
  #turn = null; // what the viewer builds, while it is the viewer's turn
  /** @type {number | null} */
  #held = null; // the point whose checker is picked up
  /** @type {number | null} */
  #hover = null; // the point under the mouse
  #tap = { key: "", at: -DOUBLE_MS }; // the last one

  /** @param {HTMLElement} host
   *  @param {(action: string) => unknown} play
   *  @param {number} [each]
   *  @param {Extra} [extra] */
  constructor(host, play, each, extra) {
    const id = `backgammon-${(boards += 1)}`;
    this.#play = play;
    this.#each = each;
    this.#extra = extra;
    this.#cells = new Cells(words.boards.backgammon.board, id);
    this.#description = el("p", { class: "unseen", id });
    this.#root = svg("svg", { role: "presentation" },
      this.#stage.below, this.#cells.node, this.#stage.above);
    this.#frame = el("div", { class: "backgammon" }, this.#root, ...(extra?.nodes ?? []), this.#description, this.#progress);
    this.#stage.noMove = words.boards.backgammon.noMove;
    host.replaceChildren(this.#frame);
    this.#drag = new Drag(this.#root, {
      pointAt: (target) => pointOf(this.#cells.keyOf(target)),
      canTake: (point) => this.#openTurn !== null && turns.firstStep(this.#openTurn, point) !== undefined,
      lift: (point) => this.#lift(point),
      drop: (from, target) => this.#drop(from, target),
      hover: (point) => this.#hoverAt(point),
    });
    this.#root.addEventListener("click", (event) => this.#click(event));
    this.#root.addEventListener("keydown", (event) => this.#key(event));
    this.#root.addEventListener("focusin", (event) => this.#cells.focused(event.target));
    new ResizeObserver(() => this.#fit()).observe(this.#frame);
    this.#fit();
  }

  /** Show a match.  A turn that is being built stays as it is while the question is the same, and
   *  while its answer is under way: then `legal` is null.
   *  @param {BoardView} view */
  show(view) {
    const before = this.#view;
    if (before !== null && views.isSameMoment(before, view)) return;
    const built = this.#turn?.board ?? null;
    this.#view = view;
    const question = views.questionOf(view);
    const isUnderWay = view.legal === null && before !== null && views.isSamePosition(before, view);
    const isNew = !isUnderWay && question !== this.#question;
    if (isNew) {
      this.#question = question;
      this.#turn = views.newTurn(view, this.#each);
      this.#held = null;
      this.#drag.letGo();
      this.#stage.letGo();
      put(this.#progress, "");
    }
    if (this.#openTurn === null) this.#held = null;
    const isMoved = before === null || views.isOtherShape(before, view);
    if (isMoved) this.#fit();
    put(this.#description, read(view, this.#each));
    this.#showCells();
    if (isNew && question !== null && this.#cells.hasWaited) this.focus();
    const isSeen = !isMoved && before.seat === view.seat && this.#mayMove;
    const scenes = isSeen ? scenesBetween(this.#stage, before, view, built, this.#each) : null;
    if (scenes === null) this.#motion.finish();
    else if (scenes.length > 0) {
      this.#extra?.moving(true);
      this.#motion.add(scenes);
    } else if (!this.#motion.isOn) this.#drawSeen();
  }

  /** Take what was typed: a part of a turn is moved, a whole one is played.
   *  @param {string} text
   *  @param {boolean} enter
   *  @returns {Typed} */
  type(text, enter) {
    const turn = this.#openTurn;
    if (turn === null) return "wrong";
    if (!enter && text.trim().toLowerCase() === SWAP_KEY && views.canSwap(turn)) {
      this.#go(turns.swap(turn), []);
      return "played";
    }
    if (!enter) return isBegun(text) ? "more" : "wrong";
    const whole = turns.undoAll(turn);
    const start = stepsOf(turn, text) === null ? whole : turn;
    const steps = stepsOf(start, text);
    if (steps === null) return "wrong";
    if (start !== turn) this.#go(start, []);
    this.#take(start, steps);
    if (this.#turn?.action) this.#send(this.#turn.action);
    return "played";
  }

  /** Put the focus where something can be done, if there is anything to do. */
  focus() {
    const turn = this.#openTurn;
    const from = this.#held ?? Math.max(-1, ...(turn?.steps ?? []).map((step) => step.from));
    const isDone = turn !== null && (turn.action !== null || (turn.before === null && this.#view?.legal?.length === 1));
    this.#cells.focus(isDone ? DONE : from >= 0 ? String(from) : DICE);
  }

  /** The turn while the viewer can go on with it, or null. */
  get #openTurn() {
    return this.#view?.legal ? this.#turn : null;
  }

  get #seat() {
    return this.#view?.seat ?? 0;
  }

  /** @param {number} seat */
  #sideOf(seat) {
    return seat === this.#seat ? NEAR : FAR;
  }

  /** Give the board the shape of its box.  Where that has no height of its own, the board has its usual one,
   *  but on a phone that is held upright, where there is room below, it is as high as wide. */
  #fit() {
    const frame = this.#frame;
    this.#root.style.position = "absolute"; // so that it does not hold its box open
    const box = { width: frame.clientWidth, height: frame.clientHeight };
    this.#root.style.position = "";
    const { flip = false, coordinates = true } = this.#view ?? {};
    const height = box.height || (innerHeight >= UPRIGHT * innerWidth ? box.width : 0);
    const layout = new Layout({ flipped: flip, numbers: coordinates, box: { ...box, height }, column: this.#extra !== undefined });
    const scale = Math.min(box.width / layout.width, (box.height || Infinity) / layout.height);
    frame.style.setProperty("--pixel", String(scale > 0 ? 1 / scale : 1)); // in units of the drawing
    const top = box.height > 0 ? (box.height - layout.height * scale) / 2 : 0;
    this.#extra?.place(layout, { scale, left: (box.width - layout.width * scale) / 2, top });
    if (this.#stage.isLike(layout)) return;
    set(this.#root, "viewBox", layout.viewBox);
    this.#stage.place(layout);
    this.#cells.place(layout);
    if (this.#view !== null) this.#motion.finish();
  }

  #showCells() {
    const view = this.#view;
    if (view === null) return;
    const dice = /** @type {[number[], number[]]} */ (this.#dice(view, views.turnsIn(view))
      .map((side) => (side.length > 2 ? side.slice(0, 2) : side).map(({ value }) => value)));
    this.#cells.show(cellsOf({ view, seat: this.#seat, board: this.#board(view), dice, open: this.#openTurn, held: this.#held }));
  }

  /** Draw the board as it is, when nothing moves. */
  #drawSeen() {
    const view = this.#view;
    if (view === null) return;
    const past = views.turnsIn(view);
    this.#stage.seat = this.#seat;
    this.#stage.show(this.#seen(view, past), this.#marks(past));
    this.#stage.showArrows(drawArrows(this.#arrows(view), this.#stage.layout.middle));
    this.#drawTargets();
  }

  /** @param {BoardView} view
   *  @param {PlayedTurn[]} past
   *  @returns {Seen} */
  #seen(view, past) {
    const passed = views.whoPassed(past);
    const side = passed === null || this.#turn?.before ? null : this.#sideOf(passed);
    const open = this.#openTurn;
    return { board: this.#board(view), dice: this.#dice(view, past), canSwap: open !== null && views.canSwap(open), passed: side };
  }

  /** @param {PlayedTurn[]} past
   *  @returns {Marks} */
  #marks(past) {
    const movable = new Set((this.#openTurn?.steps ?? []).map(({ from }) => from));
    const own = this.#turn === null ? null : this.#seat;
    const last = past.findLast(({ seat, action }) => action !== views.PASS && seat !== own);
    return { movable, held: this.#held, last: last ? { side: this.#sideOf(last.seat), ...views.endsOf(last.action) } : null };
  }

  /** The board as it is: that of the turn which is built, else that of the position.
   *  @param {BoardView} view */
  #board({ position }) {
    return this.#turn?.board ?? turns.boardOf(turns.parsePosition(position, this.#each), this.#seat);
  }

  /** The dice of the near and of the far side.
   *  @param {BoardView} view
   *  @param {PlayedTurn[]} past
   *  @returns {[Die[], Die[]]} */
  #dice(view, past) {
    return [views.diceOf(view, past, this.#seat, this.#turn), views.diceOf(view, past, 1 - this.#seat, null)];
  }

  /** What is pointed out of a turn, as far as it has not been done.
   *  @param {BoardView} view */
  #arrows({ marks, position, toMove }) {
    if (marks.length === 0) return [];
    const own = toMove === this.#seat ? this.#turn : null;
    const checkers = own?.board ?? turns.parsePosition(position, this.#each).checkers[toMove];
    return arrowsOf(marks, checkers.slice(0, turns.BAR + 1), this.#sideOf(toMove), this.#stage.layout,
      own === null ? [] : turns.stepsMade(own));
  }

  #drawTargets() {
    this.#stage.showTargets(this.#openTurn, this.#held ?? this.#hover);
  }

  get #mayMove() {
    return (this.#view?.motion ?? true) && mayMove() && !document.hidden;
  }

  /** @param {MouseEvent} event */
  #click(event) {
    if (this.#drag.wasDrag()) return;
    const key = this.#cells.keyOf(event.target);
    const isDouble = key !== null && key === this.#tap.key && event.timeStamp - this.#tap.at < DOUBLE_MS;
    this.#tap = { key: isDouble ? "" : (key ?? ""), at: event.timeStamp };
    if (key !== null) this.#press(key, isDouble);
    else this.#hold(null);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const turn = this.#openTurn;
    const key = this.#cells.keyOf(event.target);
    if (!this.#cells.carry(event.key)) {
      if ((event.key === "Enter" || event.key === " ") && key !== null) event.repeat || this.#press(key, false);
      else if (event.key === "Escape" && this.#held !== null) this.#hold(null);
      else if (event.key === "Backspace" && turn !== null) this.#go(turns.undo(turn), []);
      else if (event.key.toLowerCase() === SWAP_KEY && turn !== null && views.canSwap(turn)) this.#go(turns.swap(turn), []);
      else return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {string} key of a cell
   *  @param {boolean} isDouble whether this is the second tap of two */
  #press(key, isDouble) {
    const turn = this.#openTurn;
    if (turn === null) return;
    if (this.#motion.isOn) this.#motion.finish();
    const point = pointOf(key);
    if (point !== null) this.#pressPoint(turn, point, isDouble);
    else if (key === DICE && views.canSwap(turn)) this.#go(turns.swap(turn), []);
    else if (key === UNDO) this.#go(turns.undo(turn), []);
    else if (key === UNDO_ALL) this.#go(turns.undoAll(turn), []);
    else if (key === DONE) this.#finish(turn);
  }

  /** @param {Turn} turn
   *  @param {number} point
   *  @param {boolean} isDouble */
  #pressPoint(turn, point, isDouble) {
    const held = this.#held;
    const step = turns.firstStep(turn, point);
    const way = held === null ? undefined : turns.routes(turn, held).get(point);
    if (isDouble && held === point && step !== undefined) this.#take(turn, [step]);
    else if (way !== undefined) this.#take(turn, way);
    else this.#hold(held === point || step === undefined ? null : point);
  }

  /** Pick up the top checker of a point, or put down the one that is held.
   *  @param {number | null} point */
  #hold(point) {
    if (this.#held === point) return;
    this.#held = point;
    this.#hover = null;
    this.#showCells();
    if (!this.#motion.isOn) this.#drawSeen();
  }

  /** Take steps, which are seen one after the other; `isCarried`: the checker has been dragged, so that only
   *  what it hits has still to go.
   *  @param {Turn} turn
   *  @param {Step[]} steps */
  #take(turn, steps, isCarried = false) {
    this.#go(steps.reduce(turns.take, turn), steps, isCarried);
  }

  /** @param {Turn} turn
   *  @param {Step[]} steps how it was come to; none: by taking them back, or by another order of the dice */
  #go(turn, steps, isCarried = false) {
    this.#motion.finish(); // to where this turn begins
    const hadFocus = this.#cells.hasFocus;
    this.#turn = turn;
    this.#held = this.#hover = null; // what the mouse is over shows itself when it moves on
    this.#tap.key = ""; // a tap that follows is a first one
    this.#showCells();
    if (hadFocus && turn.action !== null && steps.length > 0) this.#cells.focus(DONE);
    put(this.#progress, progressText(turn, steps));
    if (steps.length > 0 && this.#mayMove) this.#motion.add(this.#stage.stepScenes(steps, views.diceOfTurn(turn), isCarried));
    else this.#drawSeen();
  }

  /** The turn is complete, or there is only one, to which whatever steps are offered lead.
   *  @param {Turn} turn */
  #finish(turn) {
    let now = turn;
    while (now.steps.length > 0) now = turns.take(now, now.steps[0]);
    if (now.action === null) return;
    if (now !== turn) this.#take(turn, turns.stepsMade(now).slice(turns.stepsMade(turn).length));
    this.#send(now.action);
  }

  /** @param {string} action */
  #send(action) {
    put(this.#progress, "");
    this.#play(action);
  }

  /** @param {number | null} point */
  #hoverAt(point) {
    this.#hover = point;
    if (this.#held === null && !this.#motion.isOn) this.#drawTargets();
  }

  /** @param {number} from */
  #lift(from) {
    if (this.#motion.isOn) this.#motion.finish();
    this.#held = null;
    this.#showCells();
    this.#stage.showTargets(this.#openTurn, from);
    return this.#stage.lift(from);
  }

  /** A checker was let go over a point, or over none.
   *  @param {number} from
   *  @param {number | null} target */
  #drop(from, target) {
    this.#drag.letGo();
    this.#stage.letGo();
    const turn = this.#openTurn;
    const way = target === null || turn === null ? undefined : turns.routes(turn, from).get(target);
    if (turn !== null && way !== undefined) this.#take(turn, way, true);
    else if (!this.#motion.isOn) this.#drawSeen();
  }
}

/** The point of a cell, or null.
 *  @param {string | null} key */
const pointOf = (key) => (key !== null && /^\d+$/.test(key) ? Number(key) : null);
