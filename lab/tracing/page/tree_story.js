/* The story of a tree search: what lab/tracing/tree_recorder.py has written down, as frames of a film.

   A simulation is a frame for each selection on the way down (or roll of the dice), one for the
   expansion, one for the playout, and one for the backup.  The tree is grown from the rows alone: the
   visits, totals and bounds are those of the search at that moment. */

import { number } from "./parts.js";

export const PLAYOUT = 0;
export const OVER = 1;
export const CHANCE = -1;
export const END = -2;

/** @typedef {{id: number, action: string, parent: TreeNode | null, place: number, children: TreeNode[], expanded: boolean,
 *    visits: number, total: number, proven: number | null, weight: number, depth: number}} TreeNode */
/** @typedef {{kind: "start" | "select" | "roll" | "expand" | "playout" | "backup" | "answer", row: number, level: number}} Frame */
/** @typedef {{node: TreeNode, mean: number | null, bonus: number, bound: number, isNext: boolean}} Bound */

export class TreeStory {
  /** @type {Frame[]} */
  frames = [{ kind: "start", row: -1, level: 0 }];
  /** @type {number[]} */
  firsts = [0]; // the last frame before each simulation, and at the end the answer
  frame = 0;
  #done = 0; // rows that have been applied in full,
  /** @type {TreeNode} */
  root;
  #effects = 0; // and how much of the next: 1 expanded, 2 the leaf is known, 3 all

  /** @param {any} trace */
  constructor(trace) {
    this.trace = trace;
    this.noun = "simulation";
    this.nodes = 0;
    this.root = this.#node("", null, 0, 0);
    trace.rows.forEach((/** @type {any} */ row, /** @type {number} */ index) => this.#addFrames(row, index));
    this.frames.push({ kind: "answer", row: trace.rows.length, level: 0 });
    this.firsts[trace.rows.length] = this.frames.length - 1;
  }

  /** How many simulations there are to see. */
  get length() {
    return this.trace.rows.length;
  }

  /** How many simulations were made before this frame, with its own. */
  get iteration() {
    const { kind, row } = this.frames[this.frame];
    return kind === "start" ? 0 : kind === "answer" ? this.length : row + 1;
  }

  /** The frame in which a simulation has been made: its backup.
   *  @param {number} iteration 0 to `length` */
  after(iteration) {
    return this.firsts[Math.max(0, Math.min(this.length, iteration))];
  }

  /** The frames to jump to: one simulation back, one on. */
  get jumps() {
    return [this.after(this.iteration - 1), this.after(this.iteration + 1)];
  }

  /** Where a node stands on its way to be looked at: its share of its parent's visits, and its value.
   *  @param {TreeNode} node */
  card(node) {
    const mean = this.mean(node);
    const proven = node.proven === null ? null : (this.viewOf(node) === 1 ? -1 : 1) * node.proven / this.trace.most;
    const value = proven ?? mean;
    const share = node.parent?.visits ? node.visits / node.parent.visits : 1;
    return { action: node.parent ? node.action : "root", count: node.visits ? node.visits.toLocaleString("en") : "", value, share, isProven: proven !== null,
      view: this.viewOf(node), state: node.visits ? "" : "untried", text: node.visits ? number(value) : "" };
  }

  /** How a node is told to who does not see it.
   *  @param {TreeNode} node */
  spoken(node) {
    const name = node.parent ? `${node.action}` : "The root";
    if (!node.visits) return `${name}, not tried yet`;
    return `${name}, ${node.visits} visits, ${node.proven === null ? "mean" : "proven"} ${this.card(node).text}`;
  }

  /** Which of a node's children stand in front where there is no room for all.
   *  @param {TreeNode} node */
  rank(node) {
    return node.visits;
  }

  /** @param {any} row
   *  @param {number} index */
  #addFrames([path, expanded], index) {
    this.firsts[index] = this.frames.length - 1;
    const movers = this.#moversOn(path, expanded, index);
    path.forEach((/** @type {number} */ _, /** @type {number} */ level) => {
      const isExpanded = expanded && level === path.length - 1;
      const kind = isExpanded ? "expand" : movers[level] === CHANCE ? "roll" : "select";
      this.frames.push({ kind, row: index, level });
    });
    this.frames.push({ kind: "playout", row: index, level: path.length }, { kind: "backup", row: index, level: path.length });
  }

  /** Who is to move at each level of a path, in the tree before that simulation; this moves on to it.
   *  @param {number[]} path
   *  @param {any} expanded
   *  @param {number} index */
  #moversOn(path, expanded, index) {
    this.#advance(index, expanded ? 1 : 0);
    let node = this.root;
    return path.map((child) => {
      const mover = this.mover(node);
      node = node.children[child];
      return mover;
    });
  }

  #reset() {
    this.nodes = 0;
    this.root = this.#node("", null, 0, 0);
    [this.#done, this.#effects] = [0, 0];
  }

  /** @param {string} action
   *  @param {TreeNode | null} parent
   *  @param {number} place
   *  @param {number} weight
   *  @returns {TreeNode} */
  #node(action, parent, place, weight) {
    const depth = parent ? parent.depth + 1 : 0;
    return { id: this.nodes++, action, parent, place, children: [], expanded: false, visits: 0, total: 0, proven: null, weight, depth };
  }

  /** Who is to move at a node: 0, 1, CHANCE, END, or null where it was not visited.
   *  @param {TreeNode} node */
  mover({ place }) {
    return place < 0 ? null : this.trace.places[place][1];
  }

  /** @param {number} frame */
  goTo(frame) {
    this.frame = Math.max(0, Math.min(this.frames.length - 1, frame));
    const { kind, row, level } = this.frames[this.frame];
    if (kind === "start") return this.#advance(0, 0);
    if (kind === "answer") return this.#advance(this.length, 0);
    if (kind === "backup") return this.#advance(row, 3);
    const arrives = kind === "playout" || kind === "expand" || level === this.trace.rows[row][0].length - 1;
    return this.#advance(row, arrives ? 2 : 0);
  }

  /** Apply rows until `row` of them and `effects` of the next are.
   *  @param {number} row
   *  @param {number} effects */
  #advance(row, effects) {
    if (row < this.#done || (row === this.#done && effects < this.#effects)) this.#reset();
    while (this.#done < row || this.#effects < effects) {
      if (this.#effects === 3) [this.#done, this.#effects] = [this.#done + 1, 0];
      else this.#apply(this.#done, ++this.#effects);
    }
  }

  /** @param {number} index
   *  @param {number} effect */
  #apply(index, effect) {
    const [path, expanded, leaf, , result, , proofs] = this.trace.rows[index];
    const nodes = this.#along(path, effect === 1 ? path.length - 1 : path.length);
    const last = nodes[nodes.length - 1];
    if (effect === 1 && expanded) {
      const [names, weights] = expanded;
      last.children = names.map((/** @type {string} */ name, /** @type {number} */ i) => this.#node(name, last, -1, weights[i] ?? 0));
      last.expanded = true;
    }
    if (effect === 2 && leaf >= 0) last.place = leaf;
    if (effect !== 3) return;
    for (const node of nodes) {
      node.visits += this.trace.playouts;
      node.total += result;
    }
    for (const [level, points] of proofs) nodes[level].proven = points;
  }

  /** The nodes of a path down to a level.
   *  @param {number[]} path
   *  @param {number} level */
  #along(path, level) {
    const nodes = [this.root];
    for (let i = 0; i < level; i++) nodes.push(nodes[i].children[path[i]]);
    return nodes;
  }

  /** The path of this frame, as far as it has been gone. */
  get path() {
    const { kind, row, level } = this.frames[this.frame];
    if (kind === "start") return [this.root];
    if (kind === "answer") return this.#along(this.#answer(), 1);
    return this.#along(this.trace.rows[row][0], kind === "playout" || kind === "backup" ? level : level + 1);
  }

  /** The path to the action that was chosen. */
  #answer() {
    return [Math.max(0, this.root.children.findIndex(({ action }) => action === this.trace.chosen))];
  }

  /** The node that this frame is about. */
  get current() {
    const { kind } = this.frames[this.frame];
    const path = this.path;
    return kind === "select" || kind === "roll" || kind === "expand" ? path[path.length - 2] : kind === "answer" ? this.root : path[path.length - 1];
  }

  /** The mean of a node's results in [-1, 1], for who chose it; null where it was not visited.
   *  @param {TreeNode} node */
  mean(node) {
    return node.visits === 0 ? null : this.#sign(node) * node.total / (this.trace.unit * this.#scale * node.visits);
  }

  /** Bounds of `flat` are in points, not in [-1, 1]; what is shown always is in [-1, 1]. */
  get #scale() {
    return this.trace.kind === "flat" ? this.trace.most : 1;
  }

  /** +1 where seat 0 chose this node, else -1; rolls and the root are seen by seat 0, or who is to move.
   *  @param {TreeNode} node */
  #sign(node) {
    return this.viewOf(node) === 1 ? -1 : 1;
  }

  /** The seat by whose view a node's value is told: who chose it; at the root who is to move.
   *  @param {TreeNode} node */
  viewOf(node) {
    const mover = this.mover(node.parent ?? node);
    return mover === 1 ? 1 : 0;
  }

  /** What the selection sees of a node's children: mean, bonus, their sum.
   *  @param {TreeNode} node
   *  @returns {Bound[]} */
  bounds(node) {
    const { exploration, unit, kind } = this.trace;
    const visits = kind === "flat" ? node.children.reduce((sum, child) => sum + child.visits, 0) : node.visits;
    const sign = this.mover(node) === 1 ? -1 : 1;
    const lost = -sign * this.trace.most;
    const rows = node.children.map((child) => {
      const n = child.visits;
      const mean = n ? sign * child.total / (unit * n) : null;
      const bonus = n ? exploration * Math.sqrt(Math.log(visits) / n) : Infinity;
      return { node: child, mean, bonus, bound: child.proven === lost && n ? -Infinity : (mean ?? 0) + bonus, isNext: false };
    });
    const untried = rows.find((row) => row.mean === null);
    const best = untried ?? rows.reduce((a, b) => (b.bound > a.bound ? b : a), rows[0]);
    if (best) best.isNext = true;
    return rows;
  }

  /** The row of this frame: [path, expanded, leaf, kind, result, end, proofs]. */
  get row() {
    return this.trace.rows[this.frames[this.frame].row];
  }
}


