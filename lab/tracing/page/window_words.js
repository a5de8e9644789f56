/* What an alpha-beta search does in this frame, in a sentence, and the figures behind it. */

import { el, keyed, set } from "../../../client/web/page/dom.js";
import { axis, count, number } from "./parts.js";
import { table } from "./tree_words.js";
import { WindowStory } from "./window_story.js";

/** @import { WindowNode } from "./window_story.js" */
/** @import { Boards } from "./parts.js" */

const CHANCE = -1;

export const PHASES = ["Down", "Value", "Table", "Cut-off", "Up"];

/** Which phases are on, by their numbers.
 *  @param {WindowStory} story */
export function phasesOf(story) {
  const { kind } = story.frames[story.frame];
  const isCut = story.reached?.state.endsWith(" cut");
  return { look: [0], enter: [0], leaf: [1], table: [2], leave: isCut ? [3, 4] : [4], found: [4] }[/** @type {string} */ (kind)] ?? [];
}

export class WindowWords {
  /** @param {WindowStory} story
   *  @param {Boards} boards */
  constructor(story, boards) {
    this.story = story;
    this.boards = boards;
    this.trace = story.trace;
    this.us = this.trace.seats[this.trace.mover];
    this.them = this.trace.seats[1 - this.trace.mover];
  }

  /** @param {number | null} mover */
  seat(mover) {
    return mover === null || mover < 0 ? "the dice" : this.trace.seats[mover];
  }

  /** What happens, in a sentence or two. */
  sentence() {
    const { story, trace } = this;
    const { kind } = story.frames[story.frame];
    const node = story.reached ?? story.root;
    const told = { start: () => this.#start(), answer: () => this.#answer(), look: () => this.#look(), enter: () => this.#enter(node), leaf: () => this.#leaf(node),
      table: () => `The table knows this position from before, looked at deeply enough: ${number(node.value)} for ${this.us}. Nothing has to be searched.`,
      leave: () => this.#leave(node), found: () => this.#found(),
      spent: () => `The budget of ${trace.nodes.toLocaleString("en")} positions is used up in the middle of this depth. What it has looked at in full still counts.` };
    return told[/** @type {keyof typeof told} */ (kind)]();
  }

  #start() {
    const plain = this.trace.pruning ? "" : " Without pruning it visits every position.";
    return `${this.us} is to move at the root. The search looks one decision ahead, then two, then three. All values are ${this.us}'s: ${this.us} takes the greatest, ${this.them} the least.${plain}`;
  }

  #answer() {
    const { trace } = this;
    const more = trace.cut ? ` The search went on to ${count(trace.nodes, "position")}, of which the first ${trace.recorded.toLocaleString("en")} are recorded here.` : "";
    return `After ${count(trace.nodes, "node")} ${trace.bot} plays ${trace.chosen}, with a value of ${number(trace.value)} for ${this.us}.${more}`;
  }

  #look() {
    const { story } = this;
    const [, depth] = this.trace.rows[story.looks[story.chapter]];
    const [low, high] = story.root.window;
    const chapter = story.chapters[story.chapter];
    const isNarrow = Math.abs(low) < 1.1 || Math.abs(high) < 1.1;
    const again = chapter.again ? "Once more, for the value fell outside of the window: " : "";
    const window = isNarrow ? `, with a window around the value of the depth before, from ${WindowStory.bound(low)} to ${WindowStory.bound(high)}` : "";
    const text = `${again}the search looks ${count(depth, "decision")} ahead${window}.`;
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}${story.chapter > 0 && !chapter.again ? " The best action of the depth before comes first." : ""}`;
  }

  /** @param {WindowNode} node */
  #enter(node) {
    const { story } = this;
    const mover = story.mover(node);
    const [alpha, beta] = node.window;
    if (mover === CHANCE) return `After ${node.name} the dice are to be rolled: each of ${count(node.children.length, "roll")} will be looked at, and the value is their mean, weighed by how often they fall.`;
    const again = node.state.includes("again") ? `The narrow window has shown that ${node.name} is better; now its value is searched. ` : "";
    const left = node.left === 1 ? "One decision is left to look at" : `${node.left} decisions are left to look at`;
    if (beta - alpha < 2 / this.trace.win) return `${again}Down to the position after ${node.name}, where ${this.seat(mover)} is to move. ${left}. ${this.#isOurs(node) ? this.us : this.them} has ${number(alpha)} already: a window without width is enough to see whether this is better.`;
    const sure = [alpha > -1.1 ? `${this.us} is sure of ${number(alpha)} elsewhere` : "", beta < 1.1 ? `${this.them} can hold ${this.us} to ${number(beta)} elsewhere` : ""].filter(Boolean).join(", ");
    const first = `${again}Down to the position after ${node.name}, where ${this.seat(mover)} is to move. ${left}.`;
    return sure ? `${first} ${sure}: only values between them matter.`.replace(": only values between them matter", alpha > -1.1 && beta < 1.1 ? ": only a value in between matters" : "") : first;
  }

  /** Whether the root's side has chosen this node.
   *  @param {WindowNode} node */
  #isOurs(node) {
    return node.parent !== null && this.story.isMax(node.parent);
  }

  /** @param {WindowNode} node */
  #leaf(node) {
    const value = node.value ?? 0;
    if (node.state === "horizon") return `The horizon: nothing behind ${node.name} is looked at, and the position is judged ${number(value)} for ${this.us}${value === 0 ? ", for it is not over" : ""}.`;
    const who = value > 0 ? `${this.us} wins` : value < 0 ? `${this.them} wins` : "nobody wins";
    return `${node.name} ends the game: ${who}.`;
  }

  /** @param {WindowNode} node */
  #leave(node) {
    const value = number(node.value);
    const { state } = node;
    const parent = node.parent ?? node;
    const who = this.seat(this.story.mover(node));
    const pruned = node.children.filter((child) => child.state === "pruned").length;
    if (state.endsWith(" cut")) {
      const rest = pruned ? `The other ${count(pruned, "action")} of ${who} cannot change that: cut off.` : `It was ${who}'s last action, so nothing is saved.`;
      return `${who} gets past the window at ${node.name}: ${value} or ${state.includes("at-least") ? "more" : "less"} for ${this.us}, while something better is known above. ${rest}`;
    }
    const bound = state.includes("at-least") ? ` or more` : state.includes("at-most") ? " or less" : "";
    const then = this.story.mover(parent) === CHANCE ? "" : parent.best === node.value && !bound ? ` ${this.seat(this.story.mover(parent))} has nothing better so far.` : "";
    return `${node.name} is worth ${value}${bound} for ${this.us}.${then}`;
  }

  #found() {
    const { story } = this;
    const chapter = story.chapters[story.chapter];
    const name = story.found?.name ?? "";
    return `${count(chapter.depth, "decision")} ahead, ${name} is the best action: ${number(chapter.found?.value ?? 0)} for ${this.us}, after ${count(chapter.nodes, "position")} of this depth.`;
  }

  /** What is known of a node: its board, its window, its children.
   *  @param {WindowNode} node
   *  @param {boolean} isStep whether this is the node that the frame is about
   *  @returns {Node[]} */
  detail(node, isStep) {
    const { story } = this;
    const shown = isStep && story.frames[story.frame].kind === "leaf" ? story.reached ?? node : node;
    return [this.#board(shown), ...(node.expanded && story.mover(node) !== CHANCE ? [this.#window(node)] : []), ...(node.expanded ? [this.#children(node)] : [])];
  }

  /** Every search of the root, with what it found; `go` shows it.
   *  @param {HTMLElement} host
   *  @param {(frame: number) => unknown} go */
  showChapters(host, go) {
    const { story } = this;
    const label = (/** @type {any} */ { depth, again }) => `depth ${depth}${again ? " again" : ""}`;
    const found = (/** @type {any} */ chapter) => {
      const name = this.trace.places[0][2]?.[chapter.found?.action ?? -1];
      return name ? `${name} ${number(chapter.found.value)}${chapter.isCut ? " …" : ""}` : "unfinished";
    };
    keyed(host, story.chapters, ({ frame }) => frame, (chapter) => el("button", { type: "button", class: "chapter", onclick: () => go(chapter.frame) },
      el("b", {}, label(chapter)), el("span", {}, found(chapter))), (button, chapter, index) => {
      set(button, "aria-pressed", String(index === story.chapter));
    });
    const now = /** @type {HTMLElement | null} */ (host.querySelector('[aria-pressed="true"]'));
    if (now) host.scrollLeft = now.offsetLeft - host.offsetLeft - host.clientWidth / 2 + now.offsetWidth / 2;
  }

  /** @param {WindowNode} node */
  #board(node) {
    const mover = this.story.mover(node);
    const turn = mover === null ? "" : mover === CHANCE ? "dice are to be rolled: the mean" : mover < 0 ? "the game is over" : `${this.seat(mover)} to move: the ${this.story.isMax(node) ? "greatest" : "least"} value`;
    const name = node.parent ? `After ${node.name}` : "The root";
    const { text } = this.story.card(node);
    const value = node.value === null ? "no value yet" : `value ${text} for ${this.us}${node.state.includes("table") ? ", from the table" : node.state === "horizon" ? ", judged" : ""}`;
    return el("div", { class: "boards" }, this.boards.figure(node.place, ""), el("div", { class: "known" }, el("h2", {}, name), el("p", {}, turn), el("p", {}, value)));
  }

  /** The window as a line, with what is known in it.
   *  @param {WindowNode} node */
  #window(node) {
    const [alpha, beta] = node.window;
    const isMax = this.story.isMax(node);
    const from = node.best !== null && isMax ? Math.max(alpha, node.best) : alpha;
    const to = node.best !== null && !isMax ? Math.min(beta, node.best) : beta;
    const values = node.children.flatMap(({ value }) => (value === null ? [] : [{ at: value, kind: "value" }]));
    const ends = [{ at: from, kind: "alpha" }, { at: to, kind: "beta" }].filter(({ at }) => Math.abs(at) < 1.1);
    const line = axis(from < to ? [{ from: Math.max(-1.1, from), to: Math.min(1.1, to), kind: "window" }] : [], [...values, ...ends], -1.1, 1.1);
    return el("div", { class: "window-of" }, el("p", {}, el("b", { class: "alpha" }, `α ${WindowStory.bound(from)}`), el("span", { class: "quiet" }, from >= to ? "nothing can matter any more" : to - from < 2 / this.trace.win ? "better or not?" : "what can still matter"), el("b", { class: "beta" }, `β ${WindowStory.bound(to)}`)), line);
  }

  /** @param {WindowNode} node */
  #children(node) {
    const all = node.children.reduce((sum, child) => sum + child.weight, 0);
    const rows = node.children.map((child) => {
      const { text, state } = this.story.card(child);
      return el("tr", { class: [child === this.story.reached && "next", state.includes("pruned") && "pruned"].filter(Boolean).join(" ") }, el("th", { scope: "row" }, child.name),
        ...(all ? [el("td", {}, `${child.weight} of ${all}`)] : []), el("td", {}, text), el("td", {}, wordOf(state)));
    });
    return table(["action", ...(all ? ["chance"] : []), `value for ${this.us}`, ""], rows, `${count(rows.length, all ? "roll" : "action")} ${all ? "of the dice" : `of ${this.seat(this.story.mover(node))}`}`);
  }
}

/** What became of a node, in words.
 *  @param {string} state */
function wordOf(state) {
  if (state.includes("table")) return "from the table";
  if (state.endsWith(" cut")) return "cut off after it";
  const words = { untried: "not yet", pruned: "cut off", open: "now", "open again": "now", over: "game over", horizon: "judged", spent: "unfinished", exact: "exact",
    "at-least": "at least", "at-most": "at most" };
  return words[/** @type {keyof typeof words} */ (state)] ?? state;
}
