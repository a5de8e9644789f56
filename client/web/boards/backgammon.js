/* Backgammon to be looked at and played: a turn is clicked together, checker by checker.

   A click on a checker moves it by the first of the dice; a click on the dice swaps them.  It can
   also be dragged to any place within its reach.  When no step is left, "Done" sends the turn.
   What may be done is known by backgammon_turn.js, what it looks like by backgammon_board.js. */

import * as at from "./backgammon_layout.js";
import * as draw from "./backgammon_board.js";
import { arrowsOf } from "./backgammon_marks.js";
import { turnsIn, tell } from "./backgammon_story.js";
import * as turns from "./backgammon_turn.js";

const FAR_ENOUGH = 8; // pixels that make a press a drag
const MOVE_MS = 180; // a checker's way by one die

await style();

/* Add this board's style sheet to the page, and wait until it is there. */
function style() {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = new URL("backgammon.css", import.meta.url).href;
  document.head.append(link);
  return new Promise((resolve) => {
    link.onload = link.onerror = resolve;
  });
}

/* A board in `host`: {show(view), undo()}.  `play` is called with a whole turn in notation. */
export function create(host, play) {
  return new Board(host, play);
}

class Board {
  #play;
  #root;
  #layers;
  #zones;
  #story = document.createElement("p");
  #view = null;
  #question = null; // what is asked of the viewer, as a text, or null
  #turn = null; // what the viewer builds, while it is the viewer's turn
  #hover = null; // the point under the mouse
  #press = null; // {from, x, y, shape}: the checker that is held; `shape` once it is dragged
  #dragged = false; // whether the click that is about to come only ends a drag

  constructor(host, play) {
    const { root, layers, zones } = draw.drawBoard();
    this.#play = play;
    this.#root = root;
    this.#layers = layers;
    this.#zones = zones;
    this.#story.className = "story";
    this.#story.setAttribute("aria-live", "polite");
    const frame = document.createElement("div");
    frame.className = "backgammon";
    frame.append(root, this.#story);
    host.replaceChildren(frame);
    this.#listen();
  }

  /* Show a match.  A turn that is being built stays as it is while the question is the same, and
     while its answer is under way: then `legal` is null. */
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
    if (before !== null) this.#animateNews(before);
  }

  /* Take back one step of the turn. */
  undo() {
    if (this.#isOpen) this.#go(turns.undo(this.#turn));
  }

  /* ---- drawing */

  /* Whether the turn can be gone on with. */
  get #isOpen() {
    return this.#turn !== null && this.#view.legal !== null;
  }

  get #seat() {
    return this.#view.seat ?? 0;
  }

  get #board() {
    const { position } = this.#view;
    return this.#turn?.board ?? turns.boardOf(turns.parsePosition(position), this.#seat);
  }

  #sideOf(seat) {
    return seat === this.#seat ? at.NEAR : at.FAR;
  }

  #draw() {
    const focused = this.#focused();
    const past = turnsIn(this.#view);
    const steps = this.#isOpen ? this.#turn.steps : [];
    const movable = new Set(steps.map((step) => step.from));
    const last = this.#lastMove(past);
    draw.drawCheckers(this.#layers.checkers, this.#board, this.#seat, movable, last);
    for (const [point, zone] of this.#zones) this.#drawZone(zone, point, movable.has(point));
    const dice = [0, 1].flatMap((seat) => {
      return draw.drawDice(this.#sideOf(seat), seat, this.#diceOf(seat, past));
    });
    this.#layers.dice.replaceChildren(...dice, ...this.#buttons());
    this.#drawTargets(this.#hover);
    draw.drawArrows(this.#layers.arrows, this.#arrows());
    const told = tell(this.#view, past);
    if (this.#story.textContent !== told) this.#story.textContent = told;
    if (focused !== null) this.#focus(focused);
  }

  #drawZone(zone, point, isMovable) {
    zone.classList.toggle("movable", isMovable);
    if (!isMovable) {
      for (const name of ["tabindex", "role", "aria-label"]) zone.removeAttribute(name);
      return;
    }
    const { to, hit } = turns.firstStep(this.#turn, point);
    zone.setAttribute("tabindex", "0");
    zone.setAttribute("role", "button");
    zone.setAttribute("aria-label", `${nameOf(point)} to ${nameOf(to)}${hit ? ", a hit" : ""}`);
  }

  /* What was played last, by the other side if the viewer is to move. */
  #lastMove(past) {
    const own = this.#turn === null ? null : this.#seat;
    const last = past.findLast(({ seat, action }) => action !== "pass" && seat !== own);
    if (last === undefined) return null;
    return { side: this.#sideOf(last.seat), ...endsOf(last.action) };
  }

  #diceOf(seat, past) {
    const { position, toMove } = this.#view;
    if (seat === this.#seat && this.#turn !== null) return diceOfTurn(this.#turn);
    const used = seat !== toMove;
    const rolled = used
      ? (past.findLast((turn) => turn.seat === seat)?.dice ?? [])
      : turns.parsePosition(position).dice;
    return turns.diceToPlay(rolled).map((value) => ({ value, used }));
  }

  /* What is pointed out of a turn, from where it begins. */
  #arrows() {
    const { marks, position, toMove } = this.#view;
    if (marks.length === 0) return [];
    return arrowsOf(marks, turns.parsePosition(position).checkers[toMove], this.#sideOf(toMove));
  }

  #buttons() {
    if (!this.#isOpen) return [];
    const turn = this.#turn;
    const buttons = [];
    if (turn.action !== null) {
      buttons.push(draw.button("Done", "done", at.doneButton, { "data-done": "" }));
    } else if (this.#view.legal.length === 1) {
      buttons.push(draw.button("Play it", "done", at.doneButton, { "data-forced": "" }));
    }
    if (turn.before !== null) {
      buttons.push(draw.button("Undo", "undo", at.undoButton, { "data-undo": "" }));
    }
    if (turn.before?.before) {
      const named = { "data-undo-all": "", "aria-label": "Undo all" };
      buttons.push(draw.button("All", "undo", at.undoAllButton, named));
    }
    return buttons;
  }

  /* Where a checker of `point` could go; nothing if it cannot move. */
  #drawTargets(point) {
    const best = this.#isOpen ? turns.firstStep(this.#turn, point)?.to : undefined;
    const targets = best === undefined ? [] : turns.routes(this.#turn, point).keys();
    draw.drawTargets(this.#layers.targets, this.#board, best, targets);
  }

  /* What has the keyboard's focus in this board, in words that outlive a drawing, or null. */
  #focused() {
    const { activeElement } = document;
    if (!this.#root.contains(activeElement)) return null;
    const name = activeElement.getAttributeNames().find((each) => each.startsWith("data-"));
    return name ? `[${name}="${activeElement.getAttribute(name)}"]` : null;
  }

  /* Give the focus back to where it was, else to what comes next. */
  #focus(selector) {
    const choices = [selector, "[data-done]", "[data-forced]", ".zone.movable"];
    const found = choices.map((each) => this.#root.querySelector(`${each}[tabindex]`));
    found.find((each) => each !== null)?.focus({ preventScroll: true });
  }

  /* ---- moving by itself */

  /* Let the checkers arrive that somebody else than the viewer has moved since `before`. */
  #animateNews(before) {
    const last = turnsIn(this.#view).at(-1);
    const known = before.events.at(-1)?.seq ?? 0;
    if (last === undefined || last.seq <= known || last.seat === this.#view.seat) return;
    const moves = turns.parseAction(last.action).map(({ path }) => [path[0], path.at(-1)]);
    this.#animate(this.#sideOf(last.seat), moves, 2 * MOVE_MS);
  }

  #animate(side, moves, duration) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const arrived = new Map();
    for (const [from, to] of moves) {
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

  /* ---- clicks */

  #listen() {
    const on = (kind, handle) => this.#root.addEventListener(kind, (event) => handle(event));
    on("click", (event) => this.#click(event));
    on("keydown", (event) => this.#key(event));
    on("pointerover", (event) => this.#enter(event));
    on("pointerleave", () => this.#hoverAt(null));
    on("pointerdown", (event) => this.#take(event));
    on("pointermove", (event) => this.#move(event));
    on("pointerup", (event) => this.#drop(event));
    on("pointercancel", () => this.#drop(null));
    const hold = (event) => this.#press !== null && event.preventDefault(); // else the page scrolls
    this.#root.addEventListener("touchmove", hold, { passive: false });
  }

  #click(event) {
    const wasDrag = this.#dragged;
    this.#dragged = false;
    if (!wasDrag) this.#act(event.target);
  }

  #key(event) {
    if (event.repeat) return;
    if (event.key === "Enter" || event.key === " ") this.#act(event.target);
    else if (event.key === "Backspace") this.undo();
    else return;
    event.preventDefault();
  }

  #act(target) {
    const turn = this.#turn;
    const data = target.closest("[data-point], [data-die], .button")?.dataset;
    if (!this.#isOpen || data === undefined) return;
    if ("point" in data) this.#step(turns.firstStep(turn, Number(data.point)));
    else if ("die" in data) this.#go(turns.swap(turn));
    else if ("undo" in data) this.#go(turns.undo(turn));
    else if ("undoAll" in data) this.#go(turns.undoAll(turn));
    else if ("forced" in data) this.#playForced();
    else if ("done" in data) this.#play(turn.action);
  }

  #step(step) {
    if (step === undefined) return; // nothing on that point can move
    this.#go(turns.take(this.#turn, step));
    this.#animate(at.NEAR, [[step.from, step.to]], MOVE_MS);
  }

  #go(turn) {
    this.#turn = turn;
    this.#draw();
  }

  /* There is one legal turn, so that whatever steps are offered lead to it. */
  #playForced() {
    while (this.#turn.steps.length > 0) this.#step(this.#turn.steps[0]);
    this.#play(this.#turn.action);
  }

  /* ---- dragging */

  #enter(event) {
    if (event.pointerType === "mouse") this.#hoverAt(pointOf(event.target));
  }

  #hoverAt(point) {
    this.#hover = point;
    if (this.#view !== null && this.#press === null) this.#drawTargets(point);
  }

  #take(event) {
    this.#dragged = false;
    const from = pointOf(event.target);
    if (event.button !== 0 || from === null || !this.#isOpen) return;
    if (turns.firstStep(this.#turn, from) === undefined) return;
    this.#press = { from, x: event.clientX, y: event.clientY, shape: null };
  }

  #move(event) {
    const press = this.#press;
    if (press === null) return;
    if (event.buttons === 0) return this.#letGo(); // it was let go outside of the board
    if (press.shape === null) {
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < FAR_ENOUGH) return;
      this.#root.setPointerCapture(event.pointerId);
      this.#lift(press);
    }
    const place = new DOMPoint(event.clientX, event.clientY);
    const { x, y } = place.matrixTransform(this.#root.getScreenCTM().inverse());
    press.shape.setAttribute("transform", `translate(${x} ${y})`);
  }

  /* Let a copy of the checker follow the pointer. */
  #lift(press) {
    press.shape = draw.checker(draw.SIDES[this.#seat], 0, 0);
    this.#layers.moving.replaceChildren(press.shape);
    const lifted = this.#layers.checkers.querySelector(`.movable[data-spot^="0:${press.from}:"]`);
    lifted.classList.add("lifted");
    this.#drawTargets(press.from);
  }

  /* The drag ends: where the pointer is, or nowhere (null). */
  #drop(event) {
    const press = this.#press;
    this.#letGo();
    if (press === null || press.shape === null) return;
    this.#dragged = true;
    const under = event && document.elementFromPoint(event.clientX, event.clientY);
    const way = under && turns.routes(this.#turn, press.from).get(pointOf(under));
    this.#go(way ? way.reduce(turns.take, this.#turn) : this.#turn);
  }

  #letGo() {
    this.#press = null;
    this.#layers.moving.replaceChildren();
  }
}

function newTurn({ position, legal, seat }) {
  if (legal === null || seat === null) return null;
  const parsed = turns.parsePosition(position);
  return turns.begin(turns.boardOf(parsed, seat), parsed.dice, legal);
}

/* What a view asks of its viewer, as a text that tells one question from another. */
function questionOf({ position, legal, seat }) {
  return legal === null ? null : [position, seat, ...legal].join();
}

function isSamePosition(before, { position, seat, toMove }) {
  return before.position === position && before.seat === seat && before.toMove === toMove;
}

/* Whether there is nothing new to draw. */
function isSameMoment(before, view) {
  const newest = ({ events, over, marks }) => `${events.at(-1)?.seq} ${over} ${JSON.stringify(marks)}`;
  return (
    isSamePosition(before, view) &&
    questionOf(before) === questionOf(view) &&
    newest(before) === newest(view)
  );
}

/* The dice as they were rolled, in the order that the viewer wants them, the used ones marked. */
function diceOfTurn(turn) {
  const all = turns.undoAll(turn).left;
  const isUsed = (value, index) => {
    if (turn.steps.length === 0) return true; // what is left cannot be played
    return all.length > 2 ? index < all.length - turn.left.length : !turn.left.includes(value);
  };
  return all.map((value, index) => ({ value, used: isUsed(value, index) }));
}

/* How many checkers a turn took from each point and brought to each, as Maps; a point that one left
   and another one came to does not count. */
function endsOf(action) {
  const change = new Map();
  const add = (point, count) => change.set(point, (change.get(point) ?? 0) + count);
  for (const { path } of turns.parseAction(action)) {
    add(path[0], -1);
    add(path.at(-1), 1);
  }
  const from = [...change].filter(([, count]) => count < 0);
  const to = [...change].filter(([, count]) => count > 0);
  return { from: new Map(from.map(([point, count]) => [point, -count])), to: new Map(to) };
}

function pointOf(target) {
  const zone = target.closest("[data-point]");
  return zone === null ? null : Number(zone.dataset.point);
}

function nameOf(point) {
  if (point === turns.BAR) return "bar";
  return point === turns.OFF ? "off" : String(point);
}
