/* What is seen of a backgammon board: its layers, and the scenes in which something moves on them.

   The stage holds the board and the dice as they are seen, which lags behind the match while something
   moves.  `show` draws all at once; a scene (see motion.js) changes what is seen by one thing. */

/** @import { Die } from "./dice.js" */
/** @import { Marks } from "./drawing.js" */
/** @import { Layout } from "./layout.js" */
/** @import { Scene } from "./motion.js" */
/** @import { BoardState, Path, Turn } from "./turn.js" */
/** `dice` of the near and of the far side; `canSwap`: the near ones can change places; `passed`: the side that
 *  could not move.
 *  @typedef {{board: BoardState, dice: [Die[], Die[]], canSwap: boolean, passed: number | null}} Seen */

import { svg } from "../../page/dom.js";
import { drawDice, swapSign, tumble, TUMBLE_MS } from "./dice.js";
import * as draw from "./drawing.js";
import { NEAR } from "./layout.js";
import { MOVE_MS, PASS_MS } from "./motion.js";
import { BAR, diceToPlay, firstStep, isHit, OFF, routes, turned } from "./turn.js";

/** @type {Marks} */
const UNMARKED = { movable: new Set(), held: null, last: null };
const LAYERS = /** @type {const} */ (["ground", "checkers", "targets", "dice", "arrows", "flying", "moving"]);

export class Stage {
  seat = 0; // the near side's
  noMove = "";
  #layers = Object.fromEntries(LAYERS.map((name) => [name, svg("g", { class: name })]));
  /** @type {Layout | null} */
  #layout = null;
  /** @type {Seen} */
  #seen = { board: new Uint8Array(52), dice: [[], []], canSwap: false, passed: null };

  /** The layers below the cells, and those above them. */
  constructor() {
    const { ground, checkers, targets, dice, arrows, flying, moving } = this.#layers;
    this.below = svg("g", { class: "under", "aria-hidden": true }, ground, checkers, targets, dice);
    this.above = svg("g", { class: "over", "aria-hidden": true }, arrows, flying, moving);
  }

  /** @param {Layout} layout */
  place(layout) {
    this.#layout = layout;
    this.#layers.ground.replaceChildren(...draw.ground(layout));
  }

  /** Whether a layout is what the board has already.
   *  @param {Layout} layout */
  isLike(layout) {
    return this.#layout?.name === layout.name;
  }

  get layout() {
    if (this.#layout === null) throw new Error("the board has no place yet");
    return this.#layout;
  }

  /** Draw all as it is.
   *  @param {Seen} seen
   *  @param {Marks} marks */
  show(seen, marks) {
    this.#seen = { ...seen, board: seen.board.slice(), dice: [...seen.dice] };
    this.#layers.flying.replaceChildren();
    this.#drawCheckers(marks);
    this.#drawDice();
  }

  /** Show where a checker of the near side's point could go; nothing if it cannot move.
   *  @param {Turn | null} turn
   *  @param {number | null} point */
  showTargets(turn, point) {
    const best = turn === null || point === null ? undefined : firstStep(turn, point);
    if (turn === null || best === undefined) {
      this.#layers.targets.replaceChildren();
      return;
    }
    const ways = routes(turn, best.from);
    const hits = [...ways].filter(([, way]) => way.some((step) => step.isHit)).map(([to]) => to);
    this.#layers.targets.replaceChildren(
      ...draw.targets(this.layout, turn.board, best.to, ways.keys(), new Set(hits)));
  }

  /** @param {ReturnType<typeof draw.drawArrows>} arrows */
  showArrows(arrows) {
    this.#layers.arrows.replaceChildren(...arrows);
  }

  /** A copy of the top checker of a near point, to follow the pointer.
   *  @param {number} from */
  lift(from) {
    const shape = draw.checker(draw.colourOf(this.seat), 0, 0);
    this.#layers.moving.replaceChildren(shape);
    const tops = this.#layers.checkers.querySelectorAll(`[data-spot^="${NEAR}:${from}:"]`);
    tops[tops.length - 1]?.classList.add("lifted");
    return shape;
  }

  /** Nothing follows the pointer any more. */
  letGo() {
    this.#layers.moving.replaceChildren();
    for (const shape of this.#layers.checkers.querySelectorAll(".lifted")) shape.classList.remove("lifted");
  }

  /** @param {Marks} marks */
  #drawCheckers(marks = UNMARKED) {
    const { board } = this.#seen;
    this.#layers.checkers.replaceChildren(
      ...draw.pipCounts(this.layout, board, this.seat), ...draw.checkers(this.layout, board, this.seat, marks));
  }

  #drawDice() {
    const { dice, canSwap, passed } = this.#seen;
    const sides = dice.flatMap((each, side) => drawDice(this.layout, side, this.#colour(side), each));
    const sign = canSwap ? [swapSign(this.layout, NEAR)] : [];
    this.#layers.dice.replaceChildren(...sides, ...sign, ...(passed === null ? [] : [this.#passSign(passed)]));
  }

  /** @param {number} side */
  #passSign(side) {
    const { doneButton, undoButton, undoAllButton, middle } = this.layout;
    const [x, end] = side === NEAR
      ? [doneButton.x, doneButton.x + doneButton.width]
      : [undoButton.x, undoAllButton.x + undoAllButton.width];
    return svg("g", { class: "passed" },
      svg("rect", { x, y: middle - 26, width: end - x, height: 52, rx: 10 }),
      svg("text", { x: (x + end) / 2, y: middle + 8 }, this.noMove));
  }

  /** @param {number} side */
  #colour(side) {
    return draw.colourOf(side === NEAR ? this.seat : 1 - this.seat);
  }

  /** A whole turn, checker by checker; its dice have been played then.
   *  @param {number} side
   *  @param {Path[]} paths
   *  @returns {Scene[]} */
  turnScenes(side, paths) {
    const hops = paths.flatMap((path) => path.slice(1).flatMap((to, index) => this.#hop(side, path[index], to)));
    return [...hops, () => this.#diceAre(side, this.#seen.dice[side].map(({ value }) => ({ value, isUsed: true })))];
  }

  /** Single steps of the near side's, with its dice after them; `isCarried`: the checker is there already.
   *  @param {{from: number, to: number}[]} steps
   *  @param {Die[]} dice
   *  @param {boolean} isCarried
   *  @returns {Scene[]} */
  stepScenes(steps, dice, isCarried) {
    return [() => this.#diceAre(NEAR, dice), ...steps.flatMap(({ from, to }) => this.#hop(NEAR, from, to, isCarried))];
  }

  /** @param {number} side
   *  @param {number[]} roll
   *  @returns {Scene} */
  rollScene(side, roll) {
    return () => {
      this.#seen.passed = null;
      this.#diceAre(side, diceToPlay(roll).map((value) => ({ value, isUsed: false })));
      const own = this.#layers.dice.querySelectorAll(`.die.${this.#colour(side)}`);
      tumble([.../** @type {NodeListOf<SVGElement>} */ (own)]);
      return TUMBLE_MS;
    };
  }

  /** @param {number} side
   *  @returns {Scene} */
  passScene(side) {
    return () => {
      this.#seen.passed = side;
      this.#diceAre(side, this.#seen.dice[side].map(({ value }) => ({ value, isUsed: true })));
      return PASS_MS;
    };
  }

  /** Change what is seen to a board, without moving anything.
   *  @param {BoardState} board
   *  @returns {Scene} */
  boardScene(board) {
    return () => {
      this.#seen.board = board.slice();
      this.#drawCheckers();
      return 0;
    };
  }

  /** @param {number} side
   *  @param {Die[]} dice */
  #diceAre(side, dice) {
    this.#seen.dice[side] = dice;
    this.#seen.canSwap = false;
    this.#drawDice();
    return 0;
  }

  /** One checker goes from a point to another; what it hits flies to the bar when it has landed.
   *  @param {number} side
   *  @param {number} from
   *  @param {number} to
   *  @param {boolean} isCarried
   *  @returns {Scene[]} */
  #hop(side, from, to, isCarried = false) {
    let hits = false;
    return [
      () => {
        this.#change(side, (board) => {
          board[from] -= 1;
          hits = isHit(board, to);
        });
        if (isCarried) return 0;
        const board = this.#of(side);
        this.#fly(side, [from, board[from]], [to, board[to]]);
        return MOVE_MS;
      },
      () => {
        this.#change(side, (board) => {
          board[to] += 1;
          if (hits) board[26 + BAR - to] = 0;
        });
        if (!hits) return 0;
        this.#fly(1 - side, [BAR - to, 0], [BAR, this.#of(1 - side)[BAR]]);
        return MOVE_MS;
      },
      () => {
        if (hits) this.#change(1 - side, (board) => board[BAR] += 1);
        return 0;
      },
    ];
  }

  /** The board as a side sees it.
   *  @param {number} side */
  #of(side) {
    return side === NEAR ? this.#seen.board : turned(this.#seen.board);
  }

  /** @param {number} side
   *  @param {(board: BoardState) => void} change */
  #change(side, change) {
    const board = this.#of(side).slice();
    change(board);
    this.#seen.board = side === NEAR ? board : turned(board);
    this.#layers.flying.replaceChildren();
    this.#drawCheckers();
  }

  /** @param {number} side
   *  @param {[number, number]} from a point, and which checker on it
   *  @param {[number, number]} to */
  #fly(side, from, to) {
    const ends = [this.layout.spot(side, ...from), this.layout.spot(side, ...to)];
    const shape = draw.checker(this.#colour(side), ends[1].x, ends[1].y);
    Object.assign(shape.dataset, { side, from: from[0], to: to[0] });
    this.#layers.flying.replaceChildren(shape);
    const frames = ends.map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` }));
    shape.animate(frames, { duration: MOVE_MS, easing: to[0] === OFF ? "ease-in" : "ease-in-out" });
  }
}
