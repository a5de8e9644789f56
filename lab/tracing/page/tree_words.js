/* What a tree search does in this frame, in a sentence, and the figures behind it. */

import { el } from "../../../client/web/page/dom.js";
import { axis, count, number } from "./parts.js";
import { CHANCE, OVER, PLAYOUT } from "./tree_story.js";

/** @import { TreeStory, TreeNode, Bound } from "./tree_story.js" */
/** @import { Boards } from "./parts.js" */

export const PHASES = ["Selection", "Expansion", "Playout", "Backup"];
const FULL = 12; // rows of a table before it scrolls

/** Which phases are on, by their numbers.
 *  @param {TreeStory} story */
export function phasesOf(story) {
  const { kind } = story.frames[story.frame];
  return { select: [0], roll: [0], expand: [1], playout: [2], backup: [3] }[/** @type {string} */ (kind)] ?? [];
}

export class TreeWords {
  /** @param {TreeStory} story
   *  @param {Boards} boards */
  constructor(story, boards) {
    this.story = story;
    this.boards = boards;
    this.trace = story.trace;
  }

  /** @param {number} seat */
  seat(seat) {
    return this.trace.seats[seat];
  }

  /** What happens, in a sentence or two. */
  sentence() {
    const { story, trace } = this;
    const { kind } = story.frames[story.frame];
    if (kind === "start") return this.#start();
    if (kind === "answer") return this.#answer();
    if (kind === "select") return this.#select();
    if (kind === "roll") return this.#roll();
    if (kind === "expand") return this.#expand();
    if (kind === "playout") return this.#playout();
    const [path, , , , result, , proofs] = story.row;
    const nodes = path.length + 1;
    const proven = proofs.length ? ` ${proofs.length === 1 ? "One node is" : `${proofs.length} nodes are`} proven by it: nothing has to be tried there any more.` : "";
    const points = trace.kind === "flat" ? number(result / (trace.unit * trace.most)) : signed(result);
    return nodes === 1 ? `The root gets ${count(trace.playouts, "visit")} and ${points} for ${this.seat(0)}.${proven}`
      : `Each of the ${nodes} nodes on the way gets ${count(trace.playouts, "visit")} and ${points} for ${this.seat(0)}.${proven}`;
  }

  #start() {
    const { trace } = this;
    const what = trace.kind === "flat" ? "Each of its actions will be tried by playouts; there is no tree below them."
      : "Nothing is known yet but the rules. Each simulation will make the tree a little better.";
    return `${this.seat(trace.mover)} is to move at the root. ${what}`;
  }

  #answer() {
    const { trace } = this;
    const more = trace.cut ? ` The search went on to ${trace.nodes.toLocaleString("en")}, of which the first ${trace.recorded.toLocaleString("en")} are recorded here.` : "";
    const proven = this.story.root.proven === null ? "" : " The value of the root is proven.";
    return `After ${count(trace.nodes, "simulation")} ${trace.bot} plays ${trace.chosen}, ${trace.cut ? "" : "the most visited action, "}with a value of ${number(trace.value)} for ${this.seat(trace.mover)}.${proven}${more}`;
  }

  #select() {
    const { story, trace } = this;
    const path = story.path;
    const [node, next] = [path[path.length - 2], path[path.length - 1]];
    const bounds = story.bounds(node);
    const row = /** @type {Bound} */ (bounds.find((each) => each.node === next));
    const who = this.seat(story.mover(node) ?? 0);
    if (row.mean === null) return `${who} has not tried ${next.action} yet, so it comes first: what was never tried has no bound.`;
    const visits = trace.kind === "flat" ? bounds.reduce((sum, each) => sum + each.node.visits, 0) : node.visits;
    const formula = `mean ${number(row.mean)} + ${trace.exploration} · √(ln ${visits} / ${next.visits}) = ${number(row.mean)} + ${row.bonus.toFixed(2)} = ${row.bound.toFixed(2)}`;
    return `${who} goes to ${next.action}, whose upper bound is the highest of ${bounds.length}: ${formula}.`;
  }

  #roll() {
    const path = this.story.path;
    const [node, next] = [path[path.length - 2], path[path.length - 1]];
    const all = node.children.reduce((sum, each) => sum + each.weight, 0);
    return `The dice fall ${next.action}, as ${next.weight} of ${all} rolls do. Chance chooses here, not a bound.`;
  }

  #expand() {
    const path = this.story.path;
    const [node, next] = [path[path.length - 2], path[path.length - 1]];
    const isChance = this.story.mover(node) === CHANCE;
    const few = isChance ? `one for each roll; ${next.action} falls` : `in random order; ${next.action} is the first`;
    return `This leaf is visited again, so it gets its ${count(node.children.length, "child", "children")}, ${few}.`;
  }

  #playout() {
    const { story, trace } = this;
    const [, , , kind, result] = story.row;
    if (kind === OVER) return `The game is over here: ${this.#result(result / trace.playouts)}.`;
    if (kind !== PLAYOUT) return `What this is worth has been proven: ${this.#result(result / trace.playouts)}. No game needs to be played.`;
    if (trace.kind === "flat") return `Some random plies on, the position is worth ${number(result / (trace.unit * trace.most))} to ${this.seat(0)}.`;
    if (trace.playouts > 1) return `${trace.playouts} random games from here: ${signed(result)} for ${this.seat(0)} in all. The last one ended so.`;
    return `From here on both sides play at random to the end: ${this.#result(result)}.`;
  }

  /** @param {number} points of seat 0 */
  #result(points) {
    if (points === 0) return "nobody wins";
    const many = this.trace.most > 1 ? `, ${count(Math.abs(points), "point")}` : "";
    return `${this.seat(points > 0 ? 0 : 1)} wins${many}`;
  }

  /** What is known of a node: its board, and what the selection sees of its children.
   *  @param {TreeNode} node
   *  @param {boolean} isStep whether this is the node that the frame is about
   *  @returns {Node[]} */
  detail(node, isStep) {
    const { story } = this;
    const { kind } = story.frames[story.frame];
    if (isStep && kind === "playout") return this.#playoutBoards(node);
    if (isStep && kind === "backup") return [this.#boards(node), this.#backupTable()];
    return [this.#boards(node), ...(node.children.length ? [this.#boundsTable(node, isStep)] : [])];
  }

  /** @param {TreeNode} node */
  #boards(node) {
    const mover = this.story.mover(node);
    const turn = mover === null ? "" : mover === CHANCE ? "dice are to be rolled" : mover < 0 ? "the game is over" : `${this.seat(mover)} to move`;
    const name = node.parent ? `after ${node.action}` : "the root";
    const { text, isProven } = this.story.card(node);
    const known = node.visits ? `${count(node.visits, "visit")}, ${isProven ? "proven" : "mean"} ${text} for ${this.seat(this.story.viewOf(node))}` : "not visited yet";
    return el("div", { class: "boards" }, this.boards.figure(node.place, ""),
      el("div", { class: "known" }, el("h2", {}, name.charAt(0).toUpperCase() + name.slice(1)), el("p", {}, turn), el("p", {}, known)));
  }

  /** @param {TreeNode} node */
  #playoutBoards(node) {
    const [, , , kind, result, end] = this.story.row;
    if (end < 0) return [this.#boards(node)];
    const what = this.trace.kind === "flat" ? "where it is judged" : kind === PLAYOUT ? this.#result(this.trace.playouts > 1 ? Math.sign(result) : result) : "";
    return [el("div", { class: "boards two" }, this.boards.figure(node.place, `after ${node.action || "nothing"}`), el("span", { class: "way", "aria-hidden": "true" }, "→"),
      this.boards.figure(end, this.trace.playouts > 1 ? "the last game's end" : what))];
  }

  #backupTable() {
    const { story, trace } = this;
    const [, , , , result] = story.row;
    const rows = [...story.path].reverse().map((/** @type {TreeNode} */ node) => {
      const visits = node.visits - trace.playouts;
      const sign = story.viewOf(node) === 1 ? -1 : 1;
      const scale = trace.unit * (trace.kind === "flat" ? trace.most : 1);
      const before = visits ? number(sign * (node.total - result) / (scale * visits)) : "";
      return el("tr", {}, el("th", { scope: "row" }, node.parent ? node.action : "root"), el("td", {}, this.seat(story.viewOf(node))),
        el("td", {}, `${visits.toLocaleString("en")} → ${node.visits.toLocaleString("en")}`), el("td", {}, `${before} → ${number(story.mean(node))}`));
    });
    return table(["node", "for", "visits", "mean"], rows, "what the path has got");
  }

  /** Mean and bound of each child, drawn: a dot, and a line up to the bound.
   *  @param {TreeNode} node
   *  @param {boolean} isStep */
  #boundsTable(node, isStep) {
    const { story } = this;
    const { kind } = story.frames[story.frame];
    if (story.mover(node) === CHANCE) return this.#rollsTable(node);
    const bounds = story.bounds(node);
    const isAnswer = isStep && kind === "answer";
    const next = isStep && (kind === "select" || kind === "expand") ? story.path[story.path.length - 1] : isAnswer ? story.path[1] : null;
    const sorted = isAnswer ? [...bounds].sort((a, b) => b.node.visits - a.node.visits) : bounds;
    const finite = bounds.map(({ bound }) => bound).filter(Number.isFinite);
    const [least, most] = [Math.min(-1, ...finite), Math.max(1, ...finite)];
    const rows = sorted.map(({ node: child, mean, bonus, bound }) => {
      const isNext = next ? child === next : false;
      const drawn = mean === null ? axis([], [], least, most)
        : axis([{ from: mean, to: bound === -Infinity ? mean : bound, kind: "bonus" }], [{ at: mean, kind: "mean" }, ...(bound === -Infinity ? [] : [{ at: bound, kind: "bound" }])], least, most);
      return el("tr", { class: isNext && "next" }, el("th", { scope: "row" }, child.action), el("td", {}, child.visits ? child.visits.toLocaleString("en") : "0"),
        el("td", {}, mean === null ? "" : number(mean)), el("td", {}, mean === null ? "" : bonus.toFixed(2)),
        el("td", {}, child.proven !== null ? "proven" : mean === null ? "∞" : bound.toFixed(2)), el("td", { class: "drawn" }, drawn));
    });
    return table(["action", "visits", "mean", "+ bonus", "= bound", ""], rows, `bounds of ${count(rows.length, "child", "children")}, for ${this.seat(story.mover(node) ?? 0)}`);
  }

  /** @param {TreeNode} node */
  #rollsTable(node) {
    const all = node.children.reduce((sum, child) => sum + child.weight, 0);
    const rows = node.children.map((child) => el("tr", { class: this.story.path.includes(child) && "next" }, el("th", { scope: "row" }, child.action),
      el("td", {}, `${child.weight} of ${all}`), el("td", {}, child.visits.toLocaleString("en")), el("td", {}, number(this.story.mean(child)))));
    return table(["roll", "chance", "visits", `mean for ${this.seat(0)}`], rows, "what the dice can do");
  }
}

/** @param {number} points */
const signed = (points) => (points === 0 ? "0 points" : `${points > 0 ? "+" : "−"}${count(Math.abs(points), "point")}`);

/** A table in a box of its own, that scrolls where it is long.
 *  @param {string[]} heads
 *  @param {Node[]} rows
 *  @param {string} caption */
export function table(heads, rows, caption) {
  const box = el("div", { class: "scrolls", tabindex: rows.length > FULL ? 0 : null, role: rows.length > FULL ? "region" : null, "aria-label": rows.length > FULL ? caption : null },
    el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, ...heads.map((head) => (head ? el("th", { scope: "col" }, head) : el("td", {}))))), el("tbody", {}, ...rows)));
  return box;
}
