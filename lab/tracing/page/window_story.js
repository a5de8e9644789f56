/* The story of an alpha-beta search: what lab/tracing/window_recorder.py has written down.

   A row is a frame.  The search tells values from the view of who is to move; here all of them are told
   from the view of one side, the one that is to choose at the root, as textbooks draw it: that side takes
   the greatest (max), the other the least (min), and a window goes down the tree unchanged. */

import { number } from "./parts.js";

const CHANCE = -1;
const INFINITE = 1.5; // of millions: beyond any value

/** @typedef {{id: number, action: number, name: string, parent: WindowNode | null, place: number, children: WindowNode[], expanded: boolean,
 *    value: number | null, state: string, window: [number, number], left: number, best: number | null, depth: number, weight: number}} WindowNode */

export class WindowStory {
  frame = 0;
  #applied = 0; // rows
  /** @type {WindowNode[]} */
  #stack = [];
  /** @type {WindowNode} */
  root; // of the search of the root that is on
  /** @type {WindowNode} */
  reached; // what the last row was about
  /** @type {WindowNode | null} */
  found = null; // the root's best action

  /** @param {any} trace */
  constructor(trace) {
    this.trace = trace;
    this.noun = "step";
    this.nodes = 0;
    this.frames = [{ kind: "start" }, ...trace.rows.map((/** @type {any[]} */ [kind]) => ({ kind })), { kind: "answer" }];
    /** @type {number[]} */
    this.looks = trace.rows.flatMap((/** @type {any[]} */ [kind], /** @type {number} */ index) => (kind === "look" ? [index] : []));
    /** What each search of the root found: its depth, its window, and how many rows it took. */
    this.chapters = this.looks.map((row, index) => {
      const rows = trace.rows.slice(row, this.looks[index + 1] ?? trace.rows.length);
      const found = rows.find((/** @type {any[]} */ [kind]) => kind === "found");
      return { frame: row + 1, depth: trace.rows[row][1], again: index > 0 && trace.rows[this.looks[index - 1]][1] === trace.rows[row][1],
        found: found ? { action: found[1], value: this.#value(found[2], trace.mover) } : null,
        isCut: rows.some((/** @type {any[]} */ [kind]) => kind === "spent"),
        nodes: rows.filter((/** @type {any[]} */ [kind, , , , , , again]) => kind === "leaf" || (kind === "enter" && !again)).length };
    });
    this.root = this.reached = this.#node(-1, "", null);
    this.#reset();
  }

  get length() {
    return this.trace.rows.length + 1;
  }

  get iteration() {
    return this.frame;
  }

  /** @param {number} iteration */
  after(iteration) {
    return Math.max(0, Math.min(this.frames.length - 1, iteration));
  }

  /** The frames to jump to: the root's search before, and the next. */
  get jumps() {
    const starts = [0, ...this.looks.map((row) => row + 1), this.frames.length - 1];
    return [starts.findLast((frame) => frame < this.frame) ?? 0, starts.find((frame) => frame > this.frame) ?? this.frames.length - 1];
  }

  /** Which search of the root this frame belongs to; -1 before the first. */
  get chapter() {
    return this.looks.findLastIndex((row) => row < this.frame);
  }

  #reset() {
    this.nodes = 0;
    this.#applied = 0;
    this.root = this.#node(-1, "", null);
    this.#enter(this.root, 0, [-INFINITE, INFINITE], 0);
    this.#stack = [this.root];
    this.reached = this.root;
  }

  /** @param {number} action
   *  @param {string} name
   *  @param {WindowNode | null} parent
   *  @returns {WindowNode} */
  #node(action, name, parent, weight = 0) {
    return { id: this.nodes++, action, name, parent, place: -1, children: [], expanded: false, value: null, state: "untried",
      window: [-INFINITE, INFINITE], left: 0, best: null, depth: parent ? parent.depth + 1 : 0, weight };
  }

  /** @param {WindowNode} node
   *  @param {number} place
   *  @param {[number, number]} window
   *  @param {number} left */
  #enter(node, place, window, left) {
    const [, , names = [], weights = []] = this.trace.places[place];
    Object.assign(node, { place, window, left, state: "open", value: null, best: null, expanded: true });
    node.children = names.map((/** @type {string} */ name, /** @type {number} */ action) => this.#node(action, name, node, weights[action] ?? 0));
  }

  /** A value of the search in [-1, 1] for the root's side; a win counts in full, however far it is.
   *  @param {number} value
   *  @param {number} view the seat by whose view it was; that of the dice is seat 0's
   *  @returns {number} */
  #value(value, view) {
    const sign = (view === CHANCE ? 0 : view) === this.trace.mover ? 1 : -1;
    const share = Math.max(-INFINITE, Math.min(INFINITE, value / this.trace.win));
    return share === 0 ? 0 : sign * share;
  }

  /** Who is to move at a node: 0, 1, CHANCE, END; null where it was not visited.
   *  @param {WindowNode} node */
  mover({ place }) {
    return place < 0 ? null : this.trace.places[place][1];
  }

  /** Whether the greatest value is taken at a node.
   *  @param {WindowNode} node */
  isMax(node) {
    return this.mover(node) === this.trace.mover;
  }

  /** @param {number} frame */
  goTo(frame) {
    this.frame = this.after(frame);
    const rows = Math.min(this.frame, this.trace.rows.length);
    if (rows < this.#applied) {
      this.#reset();
      this.#applied = this.looks.findLast((row) => row < rows) ?? 0; // each begins a tree of its own
    }
    while (this.#applied < rows) this.#apply(this.trace.rows[this.#applied++]);
  }

  /** @param {any[]} row */
  #apply(row) {
    const [kind] = row;
    const here = this.#stack[this.#stack.length - 1];
    if (kind === "look") this.#look(row);
    if (kind === "enter") {
      const [, action, place, left, low, high, again] = row;
      const child = here.children[this.#at(here, action)];
      const view = this.trace.places[place][1];
      const [a, b] = [this.#value(low, view), this.#value(high, view)];
      this.#enter(child, place, [Math.min(a, b), Math.max(a, b)], left);
      child.state = again ? "open again" : "open";
      this.#stack.push(child);
      this.reached = child;
    }
    if (kind === "leaf") {
      const [, action, place, value, over] = row;
      const child = here.children[this.#at(here, action)];
      Object.assign(child, { place, state: over ? "over" : "horizon", value: this.#value(value, this.mover(here)) });
      this.#take(here, child);
      this.reached = child;
    }
    if (kind === "table") Object.assign(here, { state: "table", value: this.#value(row[1], this.mover(here)) });
    if (kind === "leave") this.#leave(row);
    if (kind === "found") {
      this.found = this.root.children.find(({ action }) => action === row[1]) ?? null;
      this.root.value = this.#value(row[2], this.trace.mover);
      this.reached = this.root;
      this.#stack = [this.root];
    }
    if (kind === "spent") {
      for (const node of this.#stack) node.state = "spent";
      this.reached = this.root;
      this.#stack = [this.root];
    }
  }

  /** @param {any[]} row */
  #look([, depth, low, high, order]) {
    this.nodes = 0;
    this.root = this.#node(-1, "", null);
    this.#enter(this.root, 0, [this.#value(low, this.trace.mover), this.#value(high, this.trace.mover)], depth);
    this.root.children = order.map((/** @type {number} */ action) => this.root.children[action]);
    this.#stack = [this.root];
    this.reached = this.root;
    this.found = null;
  }

  /** @param {any[]} row */
  #leave([, raw, cut]) {
    const node = /** @type {WindowNode} */ (this.#stack.pop());
    const value = this.#value(raw, this.mover(node));
    const [low, high] = node.window;
    const wasKnown = node.state === "table";
    node.value = value;
    const isMean = this.mover(node) === CHANCE; // of all rolls, each with the whole window
    const kind = isMean ? "exact" : value >= high && high < INFINITE ? "at-least" : value <= low && low > -INFINITE ? "at-most" : "exact";
    node.state = `${wasKnown ? "table " : ""}${kind}${cut ? " cut" : ""}`;
    if (cut) for (const child of node.children) if (child.state === "untried") child.state = "pruned";
    this.#take(this.#stack[this.#stack.length - 1], node);
    this.reached = node;
  }

  /** Whether a value is better for who is to move at `node` than what it has.
   *  @param {WindowNode} node
   *  @param {WindowNode} child */
  #take(node, child) {
    const value = child.value ?? 0;
    if (node.best === null || (this.isMax(node) ? value > node.best : value < node.best)) node.best = value;
  }

  /** Where an action of a node stands among its children.
   *  @param {WindowNode} node
   *  @param {number} action */
  #at(node, action) {
    return node.children.findIndex((child) => child.action === action);
  }

  /** The path of this frame: from the root to what was reached. */
  get path() {
    const path = [];
    const chosen = this.root.children.find(({ name }) => name === this.trace.chosen);
    const last = this.frames[this.frame].kind === "answer" ? chosen ?? this.root : this.frames[this.frame].kind === "found" ? this.found ?? this.root : this.reached;
    for (let node = /** @type {WindowNode | null} */ (last ?? this.root); node; node = node.parent) path.unshift(node);
    return path;
  }

  /** The node that this frame is about. */
  get current() {
    const { kind } = this.frames[this.frame];
    const node = this.reached ?? this.root;
    return kind === "leaf" ? node.parent ?? node : kind === "answer" ? this.root : node;
  }

  /** @param {WindowNode} node */
  card(node) {
    const sign = node.state.includes("at-least") ? "≥" : node.state.includes("at-most") ? "≤" : "";
    return { action: node.parent ? node.name : "root", count: "", value: node.value, share: node.value === null ? 0 : 0.08, isProven: false, view: this.trace.mover,
      state: node.state, text: node.value === null ? "" : `${sign}${number(node.value)}` };
  }

  /** How a node is told to who does not see it.
   *  @param {WindowNode} node */
  spoken(node) {
    const name = node.parent ? node.name : "The root";
    if (node.state === "untried") return `${name}, not looked at yet`;
    if (node.state === "pruned") return `${name}, cut off`;
    const value = node.value === null ? "" : `, value ${this.card(node).text}`;
    const state = node.state.includes("open") ? ", is being searched" : node.state.includes("table") ? ", known by the table" : node.state.includes("cut") ? ", cut off after it" : "";
    return `${name}${value}${state}`;
  }

  /** @param {WindowNode} node */
  rank(node) {
    return node.state === "untried" ? 0 : node.state === "pruned" ? -1 : 1;
  }

  /** The greatest value that is a finite one: what an axis has to show.
   *  @param {number} value */
  static finite(value) {
    return Math.abs(value) < INFINITE ? value : null;
  }

  /** A bound in words: a value, or that there is none.
   *  @param {number} value */
  static bound(value) {
    return Math.abs(value) < INFINITE ? number(value) : value > 0 ? "∞" : "−∞";
  }
}
