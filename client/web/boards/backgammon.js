/* Backgammon to be looked at and played: a turn is clicked together, checker by checker.

   A click on a checker moves it by the first of the dice; a click on the dice swaps them.  It can
   also be dragged to any place within its reach.  When no step is left, "Done" sends the turn.
   What may be done is in backgammon/turn.js, what it looks like in backgammon/drawing.js. */

/** @import { BoardView } from "./board.js" */
/** @import { Die, LastMove } from "./backgammon/drawing.js" */
/** @import { PlayedTurn } from "./backgammon/news.js" */
/** @import { Step, Turn } from "./backgammon/turn.js" */
/** The checker that is held; `shape` is its copy once it is dragged.
 *  @typedef {{from: number, x: number, y: number, shape: SVGElement | null}} Press */

import { el, put, set } from "../page/dom.js";
import { arrowsOf } from "./backgammon/arrows.js";
import * as draw from "./backgammon/drawing.js";
import * as at from "./backgammon/layout.js";
import { newsText, turnsIn } from "./backgammon/news.js";
import * as turns from "./backgammon/turn.js";

const FAR_ENOUGH = 8; // pixels that make a press a drag
const MOVE_MS = 180; // a checker's way by one die

/** A board in `host`; `play` is called with a whole turn in notation.
 *  @param {HTMLElement} host
 *  @param {(action: string) => unknown} play */
export function create(host, play) {
  return new BackgammonBoard(host, play);
}

class BackgammonBoard {
  #play;
  #root;
  #layers;
  #zones;
  #news = el("p", { class: "news", "aria-live": "polite" });
  /** @type {BoardView | null} */
  #view = null;
  /** @type {string | null} */
  #question = null; // what the viewer is asked, as a text
  /** @type {Turn | null} */
  #turn = null; // what the viewer builds, while it is the viewer's turn
  /** @type {number | null} */
  #hover = null; // the point under the mouse
  /** @type {Press | null} */
  #press = null;
  #wasDragged = false; // whether the click that is about to come only ends a drag

  /** @param {HTMLElement} host
   *  @param {(action: string) => unknown} play */
  constructor(host, play) {
    const { root, layers, zones } = draw.drawBoard();
    this.#play = play;
    this.#root = root;
    this.#layers = layers;
    this.#zones = zones;
    host.replaceChildren(el("div", { class: "backgammon" }, root, this.#news));
    this.#listen();
  }

  /** Show a match.  A turn that is being built stays as it is while the question is the same, and
   *  while its answer is under way: then `legal` is null.
   *  @param {BoardView} view */
  show(view) {
    const before = this.#view;
    if (before !== null && isSameMoment(before, view)) return;
    this.#view = view;
    const question = questionOf(view);
    const isUnderWay = view.legal === null && before !== null && isSamePosition(before, view);
    if (!isUnderWay && question !== this.#question) {
      this.#question = question;
      this.#turn = newTurn(view);
    }
    this.#letGo();
    this.#draw();
    if (before !== null) this.#animateNews(before, view);
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
    return seat === this.#seat ? at.NEAR : at.FAR;
  }

  #draw() {
    const view = this.#view;
    if (view === null) return;
    const focused = this.#focused();
    const past = turnsIn(view);
    const turn = this.#openTurn;
    const steps = new Map((turn?.steps ?? []).toReversed().map((step) => [step.from, step])); // the first of each
    const board = this.#board(view);
    draw.drawCheckers(this.#layers.checkers, board, this.#seat, new Set(steps.keys()), this.#lastMove(past));
    for (const [point, zone] of this.#zones) drawZone(zone, steps.get(point));
    const dice = [0, 1].flatMap((seat) =>
      draw.drawDice(this.#sideOf(seat), seat, this.#diceOf(seat, view, past)));
    this.#layers.dice.replaceChildren(...dice, ...(turn ? buttonsOf(turn, view) : []));
    this.#drawTargets(this.#hover);
    draw.drawArrows(this.#layers.arrows, this.#arrows(view));
    put(this.#news, newsText(view, past));
    if (focused !== null) this.#focus(focused);
  }

  /** The board as it is shown: that of the turn which is built, else that of the position.
   *  @param {BoardView} view */
  #board({ position }) {
    return this.#turn?.board ?? turns.boardOf(turns.parsePosition(position), this.#seat);
  }

  /** What was played last, by the other side if the viewer is to move.
   *  @param {PlayedTurn[]} past
   *  @returns {LastMove | null} */
  #lastMove(past) {
    const own = this.#turn === null ? null : this.#seat;
    const last = past.findLast(({ seat, action }) => action !== "pass" && seat !== own);
    if (last === undefined) return null;
    return { side: this.#sideOf(last.seat), ...endsOf(last.action) };
  }

  /** @param {number} seat
   *  @param {BoardView} view
   *  @param {PlayedTurn[]} past
   *  @returns {Die[]} */
  #diceOf(seat, { position, toMove }, past) {
    if (seat === this.#seat && this.#turn !== null) return diceOfTurn(this.#turn);
    const isUsed = seat !== toMove;
    const rolled = isUsed
      ? (past.findLast((turn) => turn.seat === seat)?.dice ?? [])
      : turns.parsePosition(position).dice;
    return turns.diceToPlay(rolled).map((value) => ({ value, isUsed }));
  }

  /** What is pointed out of a turn, from where it begins.
   *  @param {BoardView} view */
  #arrows({ marks, position, toMove }) {
    if (marks.length === 0) return [];
    return arrowsOf(marks, turns.parsePosition(position).checkers[toMove], this.#sideOf(toMove));
  }

  /** Show where a checker of `point` could go; nothing if it cannot move.
   *  @param {number | null} point */
  #drawTargets(point) {
    const [view, turn] = [this.#view, this.#openTurn];
    const best = turn === null || point === null ? undefined : turns.firstStep(turn, point);
    const targets = turn === null || best === undefined ? [] : turns.routes(turn, best.from).keys();
    if (view !== null) draw.drawTargets(this.#layers.targets, this.#board(view), best?.to, targets);
  }

  /** What has the keyboard's focus in this board, as a selector that outlives a drawing, or null. */
  #focused() {
    const { activeElement } = document;
    if (activeElement === null || !this.#root.contains(activeElement)) return null;
    const name = activeElement.getAttributeNames().find((each) => each.startsWith("data-"));
    return name ? `[${name}="${activeElement.getAttribute(name)}"]` : null;
  }

  /** Give the focus back to where it was, else to what comes next.
   *  @param {string} selector */
  #focus(selector) {
    for (const each of [selector, "[data-done]", "[data-forced]", ".zone.movable"]) {
      /** @type {SVGElement | null} */
      const node = this.#root.querySelector(`${each}[tabindex]`);
      if (node !== null) {
        node.focus({ preventScroll: true });
        return;
      }
    }
  }

  /** Let the checkers arrive that somebody else than the viewer has moved since `before`.
   *  @param {BoardView} before
   *  @param {BoardView} view */
  #animateNews(before, view) {
    const last = turnsIn(view).at(-1);
    const newest = before.events.at(-1)?.seq ?? 0;
    if (last === undefined || last.seq <= newest || last.seat === view.seat) return;
    this.#animate(this.#sideOf(last.seat), turns.parseAction(last.action), 2 * MOVE_MS);
  }

  /** @param {number} side
   *  @param {number[][]} paths
   *  @param {number} duration */
  #animate(side, paths, duration) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const arrived = new Map();
    for (const path of paths) {
      const [from, to] = [path[0], path[path.length - 1]];
      const earlier = arrived.get(to) ?? 0;
      arrived.set(to, earlier + 1);
      const shapes = this.#layers.checkers.querySelectorAll(`[data-spot^="${side}:${to}:"]`);
      const shape = shapes[shapes.length - 1 - earlier];
      if (shape === undefined) continue;
      const ends = [at.spot(side, from, 0), at.spot(side, to, shapes.length - 1 - earlier)];
      const frames = ends.map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` }));
      shape.animate(frames, { duration, easing: "ease-out" });
    }
  }

  #listen() {
    const root = this.#root;
    root.addEventListener("click", (event) => this.#click(event));
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("pointerover", (event) => this.#enter(event));
    root.addEventListener("pointerleave", () => this.#hoverAt(null));
    root.addEventListener("pointerdown", (event) => this.#take(event));
    root.addEventListener("pointermove", (event) => this.#move(event));
    root.addEventListener("pointerup", (event) => this.#drop(event));
    root.addEventListener("pointercancel", () => this.#drop(null));
    const hold = (/** @type {TouchEvent} */ event) => this.#press !== null && event.preventDefault();
    root.addEventListener("touchmove", hold, { passive: false }); // else the page scrolls
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const wasDragged = this.#wasDragged;
    this.#wasDragged = false;
    if (!wasDragged) this.#act(event.target);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const turn = this.#openTurn;
    if (event.repeat) return;
    if (event.key === "Enter" || event.key === " ") this.#act(event.target);
    else if (event.key === "Backspace" && turn) this.#go(turns.undo(turn));
    else if (event.key !== "Backspace") return;
    event.preventDefault();
  }

  /** @param {EventTarget | null} target */
  #act(target) {
    const turn = this.#openTurn;
    const pressed = target instanceof Element ? target.closest("[data-point], [data-die], .button") : null;
    if (turn === null || !(pressed instanceof SVGElement)) return;
    const data = pressed.dataset;
    if ("point" in data) this.#step(turn, turns.firstStep(turn, Number(data.point)));
    else if ("die" in data) this.#go(turns.swap(turn));
    else if ("undo" in data) this.#go(turns.undo(turn));
    else if ("undoAll" in data) this.#go(turns.undoAll(turn));
    else if ("forced" in data) this.#playForced(turn);
    else if ("done" in data && turn.action !== null) this.#play(turn.action);
  }

  /** @param {Turn} turn
   *  @param {Step | undefined} step */
  #step(turn, step) {
    if (step === undefined) return; // nothing on that point can move
    this.#go(turns.take(turn, step));
    this.#animate(at.NEAR, [[step.from, step.to]], MOVE_MS);
  }

  /** @param {Turn} turn */
  #go(turn) {
    this.#turn = turn;
    this.#draw();
  }

  /** There is one legal turn, so that whatever steps are offered lead to it.
   *  @param {Turn} turn */
  #playForced(turn) {
    let now = turn;
    while (now.steps.length > 0) {
      this.#step(now, now.steps[0]);
      now = turns.take(now, now.steps[0]);
    }
    if (now.action !== null) this.#play(now.action);
  }

  /** @param {PointerEvent} event */
  #enter(event) {
    if (event.pointerType === "mouse") this.#hoverAt(pointOf(event.target));
  }

  /** @param {number | null} point */
  #hoverAt(point) {
    this.#hover = point;
    if (this.#press === null) this.#drawTargets(point);
  }

  /** @param {PointerEvent} event */
  #take(event) {
    this.#wasDragged = false;
    const [turn, from] = [this.#openTurn, pointOf(event.target)];
    if (event.button !== 0 || from === null || turn === null) return;
    if (turns.firstStep(turn, from) === undefined) return;
    this.#press = { from, x: event.clientX, y: event.clientY, shape: null };
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const press = this.#press;
    if (press === null) return;
    if (event.buttons === 0) {
      this.#letGo(); // the checker was let go outside of the board
      return;
    }
    if (press.shape === null) {
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < FAR_ENOUGH) return;
      this.#root.setPointerCapture(event.pointerId);
      press.shape = this.#lift(press.from);
    }
    const place = new DOMPoint(event.clientX, event.clientY);
    const { x, y } = place.matrixTransform(this.#root.getScreenCTM()?.inverse());
    press.shape.setAttribute("transform", `translate(${x} ${y})`);
  }

  /** A copy of the top checker of a point, to follow the pointer.
   *  @param {number} from */
  #lift(from) {
    const shape = draw.checker(draw.SIDES[this.#seat], 0, 0);
    this.#layers.moving.replaceChildren(shape);
    this.#layers.checkers.querySelector(`.movable[data-spot^="0:${from}:"]`)?.classList.add("lifted");
    this.#drawTargets(from);
    return shape;
  }

  /** The drag ends: where the pointer is, or nowhere (null).
   *  @param {PointerEvent | null} event */
  #drop(event) {
    const [press, turn] = [this.#press, this.#openTurn];
    this.#letGo();
    if (press === null || press.shape === null) return;
    this.#wasDragged = true;
    if (turn === null) {
      this.#draw();
      return;
    }
    const target = event && pointOf(document.elementFromPoint(event.clientX, event.clientY));
    const way = target === null ? undefined : turns.routes(turn, press.from).get(target);
    this.#go(way ? way.reduce(turns.take, turn) : turn);
  }

  #letGo() {
    this.#press = null;
    this.#layers.moving.replaceChildren();
  }
}

/** Let a zone be clicked if its checker can take a step, and say where to.
 *  @param {SVGElement} zone
 *  @param {Step | undefined} step */
function drawZone(zone, step) {
  zone.classList.toggle("movable", step !== undefined);
  set(zone, "tabindex", step ? "0" : null);
  set(zone, "role", step ? "button" : null);
  const label = step && `${nameOf(step.from)} to ${nameOf(step.to)}${step.isHit ? ", a hit" : ""}`;
  set(zone, "aria-label", label ?? null);
}

/** @param {Turn} turn
 *  @param {BoardView} view */
function buttonsOf(turn, { legal }) {
  const buttons = [];
  if (turn.action !== null) {
    buttons.push(draw.button("Done", "done", at.doneButton, { "data-done": "" }));
  } else if (legal?.length === 1) {
    buttons.push(draw.button("Play it", "done", at.doneButton, { "data-forced": "" }));
  }
  if (turn.before !== null) {
    buttons.push(draw.button("Undo", "undo", at.undoButton, { "data-undo": "" }));
  }
  if (turn.before?.before) {
    buttons.push(draw.button("All", "undo", at.undoAllButton, { "data-undo-all": "", "aria-label": "Undo all" }));
  }
  return buttons;
}

/** @param {BoardView} view */
function newTurn({ position, legal, seat }) {
  if (legal === null || seat === null) return null;
  const parsed = turns.parsePosition(position);
  return turns.begin(turns.boardOf(parsed, seat), parsed.dice, legal);
}

/** What a view asks of its viewer, as a text that tells one question from another.
 *  @param {BoardView} view */
function questionOf({ position, legal, seat }) {
  return legal === null ? null : [position, seat, ...legal].join();
}

/** @param {BoardView} before
 *  @param {BoardView} view */
function isSamePosition(before, { position, seat, toMove }) {
  return before.position === position && before.seat === seat && before.toMove === toMove;
}

/** Whether there is nothing new to draw.
 *  @param {BoardView} before
 *  @param {BoardView} view */
function isSameMoment(before, view) {
  const newest = (/** @type {BoardView} */ { events, over, marks }) =>
    `${events.at(-1)?.seq} ${over} ${JSON.stringify(marks)}`;
  return (
    isSamePosition(before, view) &&
    questionOf(before) === questionOf(view) &&
    newest(before) === newest(view)
  );
}

/** The dice as they were rolled, in the order that the viewer wants them, the used ones marked.
 *  @param {Turn} turn
 *  @returns {Die[]} */
function diceOfTurn(turn) {
  const all = turns.undoAll(turn).left;
  const isUsed = (/** @type {number} */ value, /** @type {number} */ index) => {
    if (turn.steps.length === 0) return true; // what is left cannot be played
    return all.length > 2 ? index < all.length - turn.left.length : !turn.left.includes(value);
  };
  return all.map((value, index) => ({ value, isUsed: isUsed(value, index) }));
}

/** How many checkers a turn took from each point and brought to each, as Maps; a point that one left
 *  and another one came to does not count.
 *  @param {string} action */
function endsOf(action) {
  /** @type {Map<number, number>} */
  const change = new Map();
  const add = (/** @type {number} */ point, /** @type {number} */ count) =>
    change.set(point, (change.get(point) ?? 0) + count);
  for (const path of turns.parseAction(action)) {
    add(path[0], -1);
    add(path[path.length - 1], 1);
  }
  const from = [...change].filter(([, count]) => count < 0);
  const to = [...change].filter(([, count]) => count > 0);
  return { from: new Map(from.map(([point, count]) => [point, -count])), to: new Map(to) };
}

/** The point that was clicked, or null.
 *  @param {EventTarget | null} target */
function pointOf(target) {
  const zone = target instanceof Element ? target.closest("[data-point]") : null;
  return zone === null ? null : Number(zone.getAttribute("data-point"));
}

/** @param {number} point */
function nameOf(point) {
  if (point === turns.BAR) return "bar";
  return point === turns.OFF ? "off" : String(point);
}
