/* The tree as a drawing: a row of boards for each level, lines from a node to its children.

   A node shows its children if it was unfolded, or if the search is on its way through it.  Where there is
   no room for all children, those that count most stand there, and a card that says how many are missing. */

import { el, keyed, put, set, svg } from "../../../client/web/page/dom.js";

const NARROW = 500; // pixels of a pane in which cards are small
const WIDE = 1_100;
const APART = 20; // between families
const MARGIN = 8; // of the drawing, in its pane
const RISE = 42; // from a row of cards to the next

/** @typedef {any} Story */
/** @typedef {{key: string, node: any, hidden: number, x: number, y: number, isOpen: boolean, size: number, place: number}} Card */

export class TreeView {
  /** Nodes by id that were unfolded (true) or folded (false) by hand.
   *  @type {Map<number, boolean>} */
  folds = new Map();
  /** @type {Set<number>} */
  #whole = new Set(); // nodes all of whose children are to be seen
  /** @type {any} */
  selected = null;
  /** @type {Card[]} */
  #cards = [];
  #focus = "0";

  /** @param {HTMLElement} host
   *  @param {import("./parts.js").Boards} boards
   *  @param {(node: any) => unknown} onSelect */
  constructor(host, boards, onSelect) {
    this.boards = boards;
    this.onSelect = onSelect;
    this.lines = svg("g", {});
    this.drawing = svg("svg", { "aria-hidden": "true", class: "edges" }, this.lines);
    this.tree = el("div", { role: "tree", "aria-label": "The search tree", onkeydown: (/** @type {KeyboardEvent} */ event) => this.#press(event) });
    this.plane = el("div", { class: "canvas" }, this.drawing, this.tree);
    this.host = host;
    host.append(this.plane);
    new ResizeObserver(() => this.story && this.show(this.story)).observe(host);
  }

  /** @param {Story} story */
  show(story) {
    this.story = story;
    this.path = new Set(story.path);
    const rows = this.#rows(story.root);
    this.#lay(rows);
    this.#draw();
  }

  /** Whether a node's children are drawn.
   *  @param {any} node */
  isOpen(node) {
    if (!node.children.length) return false;
    return this.folds.get(node.id) ?? (node === this.story.root || this.path?.has(node) || node === this.story.current);
  }

  /** The visible nodes, level by level, as families: a parent's children.
   *  @param {any} root */
  #rows(root) {
    const { least, gap } = this.#scale;
    const room = Math.max(5, Math.floor(this.#width / (least + gap)));
    const rows = [[{ parent: null, members: [root], hidden: 0 }]];
    for (let level = 0; level < rows.length; level++) {
      const below = rows[level].flatMap(({ members }) => members).filter((node) => this.isOpen(node));
      if (below.length) rows.push(below.map((parent) => this.#family(parent, room)));
    }
    return rows;
  }

  /** @param {any} parent
   *  @param {number} room
   *  @returns {{parent: any, members: any[], hidden: number}} */
  #family(parent, room) {
    const { children } = parent;
    if (children.length <= room || this.#whole.has(parent.id)) return { parent, members: children, hidden: 0 };
    const must = (/** @type {any} */ node) => this.path?.has(node) || this.folds.get(node.id) || node === this.selected;
    const ranked = [...children].sort((a, b) => Number(must(b)) - Number(must(a)) || this.story.rank(b) - this.story.rank(a) || a.id - b.id);
    const kept = new Set(ranked.slice(0, room - 1));
    return { parent, members: children.filter((/** @type {any} */ node) => kept.has(node)), hidden: children.length - kept.size };
  }

  /** Give each card its place: a family stands below its parent, as near as the others of its row allow.
   *  @param {{parent: any, members: any[], hidden: number}[][]} rows */
  #lay(rows) {
    const width = this.#width;
    const sizes = rows.map((row) => row.reduce((sum, { members, hidden }) => sum + members.length + (hidden ? 1 : 0), 0));
    const { least, most, gap } = this.#scale;
    const longest = Math.max(...sizes.map((size, index) => size + (APART / most) * (rows[index].length - 1)));
    const size = Math.max(least, Math.min(most, Math.floor(width / Math.max(longest, 4)) - gap));
    const height = size * this.#ratio + (size >= 56 ? 40 : 26);
    const each = size + gap;
    const wide = Math.max(width, ...rows.map((row, index) => sizes[index] * each + (row.length - 1) * APART));
    /** @type {Map<any, number>} */
    const middles = new Map();
    this.#cards = [];
    rows.forEach((row, level) => {
      const widths = row.map(({ members, hidden }) => (members.length + (hidden ? 1 : 0)) * each);
      const lefts = packed(row.map(({ parent }, index) => (middles.get(parent) ?? wide / 2) - widths[index] / 2), widths, wide);
      row.forEach(({ parent, members, hidden }, index) => {
        const y = level * (height + RISE);
        members.forEach((node, place) => {
          const x = lefts[index] + place * each + gap / 2;
          middles.set(node, x + size / 2);
          this.#cards.push({ key: String(node.id), node, hidden: 0, x, y, isOpen: this.isOpen(node), size: members.length + hidden, place });
        });
        if (hidden) this.#cards.push({ key: `more ${parent.id}`, node: parent, hidden, x: lefts[index] + members.length * each + gap / 2, y, isOpen: false, size: 0, place: 0 });
      });
    });
    this.plane.style.cssText = `width: ${wide}px; height: ${rows.length * (height + RISE) - RISE + 12}px; --card: ${size}px; --tall: ${height}px`;
    this.plane.classList.toggle("tight", size < 56);
    set(this.drawing, "viewBox", `0 0 ${wide} ${rows.length * (height + RISE)}`);
    set(this.drawing, "width", wide);
    set(this.drawing, "height", rows.length * (height + RISE));
    this.size = size;
    this.height = height;
    this.middles = middles;
  }

  /** How wide a card is, at least and at most, and how far apart two are. */
  get #scale() {
    const width = this.#width;
    return { least: width < NARROW ? 34 : 60, most: width > WIDE ? 124 : 92, gap: width < NARROW ? 3 : 6 };
  }

  get #width() {
    return this.host.clientWidth - 2 * MARGIN;
  }

  /** How high a board is, a board's width being 1. */
  get #ratio() {
    return { backgammon: 0.9, connect_four: 0.9 }[/** @type {string} */ (this.boards.trace.game)] ?? 1;
  }

  #draw() {
    if (!this.#cards.some(({ key }) => key === this.#focus)) this.#focus = "0";
    const inOrder = this.#inOrder();
    keyed(this.tree, inOrder, ({ key }) => key, (card) => this.#make(card), (node, card) => this.#update(node, card));
    const edges = this.#cards.filter(({ node, hidden }) => hidden || node.parent);
    keyed(this.lines, edges, ({ key }) => key, () => svg("path", {}), (line, card) => this.#line(line, card));
    this.#follow();
  }

  /** The cards as a reader meets them: a node, what is below it, the next. */
  #inOrder() {
    /** @type {Map<any, Card[]>} */
    const below = new Map();
    for (const card of this.#cards) {
      const parent = card.hidden ? card.node : card.node.parent;
      below.set(parent, [...(below.get(parent) ?? []), card]);
    }
    /** @type {(parent: any) => Card[]} */
    const walk = (parent) => (below.get(parent) ?? []).flatMap((card) => (card.hidden ? [card] : [card, ...walk(card.node)]));
    return walk(null);
  }

  /** @param {Card} card */
  #make({ node, hidden }) {
    const press = () => (hidden ? this.#showAll(node) : this.press(node));
    if (hidden) return el("div", { class: "card more", role: "treeitem", tabindex: -1, onclick: press }, el("span", { class: "spoken" }));
    return el("div", { class: "card", role: "treeitem", tabindex: -1, onclick: press },
      el("div", { class: "picture-of" }), el("div", { class: "words", "aria-hidden": "true" }, el("b", {}), el("span", { class: "count" }), el("span", { class: "value" })),
      el("div", { class: "bar" }, el("i", {})), el("span", { class: "spoken unseen" }));
  }

  /** @param {HTMLElement} element
   *  @param {Card} card */
  #update(element, { key, node, hidden, x, y, isOpen, size, place }) {
    element.style.transform = `translate(${x}px, ${y}px)`;
    element.tabIndex = key === this.#focus ? 0 : -1;
    if (hidden) {
      put(element.firstElementChild ?? element, `+${hidden}`);
      set(element, "aria-level", node.depth + 2);
      return;
    }
    const { action, count, value, state, text, isProven, view } = this.story.card(node);
    const mover = this.story.mover(node);
    const isOnPath = this.path?.has(node) ?? false;
    set(element, "class", ["card", state, isOnPath && "on-path", node === this.selected && "selected", isProven && "proven", isOpen && "unfolded",
      mover !== null && `mover-${{ "0": 0, "1": 1, "-1": "dice", "-2": "end" }[String(mover)]}`].filter(Boolean).join(" "));
    set(element, "aria-level", node.depth + 1);
    set(element, "aria-setsize", size);
    set(element, "aria-posinset", place + 1);
    set(element, "aria-expanded", node.children.length ? String(isOpen) : null);
    set(element, "aria-selected", String(node === this.selected));
    const [board, words, bar, spoken] = /** @type {HTMLElement[]} */ ([...element.children]);
    if (board.dataset.place !== String(node.place)) {
      board.dataset.place = String(node.place);
      board.replaceChildren(this.boards.draw(node.place));
    }
    const [name, counted, valued] = /** @type {HTMLElement[]} */ ([...words.children]);
    put(spoken, this.story.spoken(node));
    put(name, action);
    put(counted, count);
    put(valued, text);
    const favours = value === null || value === 0 ? "nobody" : (value > 0) === (view === 0) ? "seat-0" : "seat-1";
    set(bar, "class", `bar ${favours}`);
    const part = Math.min(1, Math.abs(value ?? 0)) * 50;
    /** @type {HTMLElement} */ (bar.firstElementChild).style.cssText = (value ?? 0) >= 0 ? `left: 50%; width: ${part}%` : `left: ${50 - part}%; width: ${part}%`;
  }

  /** @param {SVGElement} line
   *  @param {Card} card */
  #line(line, { node, hidden, x, y }) {
    const size = this.size ?? 0;
    const from = [this.middles?.get(hidden ? node : node.parent) ?? 0, y - RISE];
    const to = [x + size / 2, y];
    const bend = RISE * 0.55;
    set(line, "d", `M${from[0]} ${from[1]}C${from[0]} ${from[1] + bend} ${to[0]} ${to[1] - bend} ${to[0]} ${to[1]}`);
    const { share, state } = hidden ? { share: 0, state: "untried" } : this.story.card(node);
    set(line, "stroke-width", (1 + 6 * Math.sqrt(Math.max(0, share))).toFixed(1));
    set(line, "class", `${state.split(" ").includes("pruned") ? "pruned" : ""} ${!hidden && this.path?.has(node) ? "on-path" : ""}`.trim());
  }

  /** Bring the end of the path into view, in the pane only. */
  #follow() {
    const path = this.story.path;
    const card = this.#cards.find(({ node, hidden }) => !hidden && node === path[path.length - 1]);
    if (!card || this.selected) return;
    const { host } = this;
    const [size, height] = [this.size ?? 0, this.height ?? 0];
    if (card.x < host.scrollLeft || card.x + size > host.scrollLeft + host.clientWidth) host.scrollLeft = card.x + size / 2 - host.clientWidth / 2;
    if (card.y < host.scrollTop || card.y + height > host.scrollTop + host.clientHeight) host.scrollTop = card.y + height - host.clientHeight + 16;
  }

  /** Select a node; one that is selected already folds or unfolds.
   *  @param {any} node */
  press(node) {
    if (node.children.length) this.folds.set(node.id, !this.isOpen(node));
    this.#focus = String(node.id);
    this.selected = node;
    this.onSelect(node);
  }

  /** @param {any} node */
  #showAll(node) {
    this.#whole.add(node.id);
    this.#focus = String(node.children[0].id);
    this.show(this.story);
    this.#focusOn(this.#focus);
  }

  /** Forget which node was selected, and where it had been folded. */
  release() {
    this.selected = null;
  }

  /** Let every node be as the search has it. */
  reset() {
    this.folds.clear();
    this.#whole.clear();
    this.selected = null;
  }

  /** @param {string} key */
  #focusOn(key) {
    this.#focus = key;
    for (const element of /** @type {HTMLElement[]} */ ([...this.tree.children])) element.tabIndex = element.dataset.key === key ? 0 : -1;
    const element = /** @type {HTMLElement | undefined} */ ([...this.tree.children].find((each) => /** @type {HTMLElement} */ (each).dataset.key === key));
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** The keys of a tree: up and down the lines, right to unfold, left to fold.
   *  @param {KeyboardEvent} event */
  #press(event) {
    const cards = this.#inOrder();
    const at = cards.findIndex(({ key }) => key === this.#focus);
    const card = cards[at];
    if (!card || event.altKey || event.ctrlKey || event.metaKey) return;
    const go = (/** @type {number} */ index) => this.#focusOn(cards[Math.max(0, Math.min(cards.length - 1, index))].key);
    const parent = cards.findIndex(({ node, hidden }) => !hidden && node === (card.hidden ? card.node : card.node.parent));
    const acts = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      Home: () => go(0),
      End: () => go(cards.length - 1),
      ArrowRight: () => (card.hidden || !card.node.children.length ? null : card.isOpen ? go(at + 1) : this.press(card.node)),
      ArrowLeft: () => (!card.hidden && card.isOpen ? this.press(card.node) : go(parent)),
      Enter: () => (card.hidden ? this.#showAll(card.node) : this.press(card.node)),
    };
    const act = acts[/** @type {keyof typeof acts} */ (event.key)];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
    if (document.activeElement?.getAttribute("role") !== "treeitem") this.#focusOn(this.#focus);
  }
}

/** Where families of these widths begin: as near to `wanted` as there is room, in order, within `most`.
 *  @param {number[]} wanted
 *  @param {number[]} widths
 *  @param {number} most */
function packed(wanted, widths, most) {
  const lefts = [...wanted];
  let end = 0;
  lefts.forEach((left, index) => {
    lefts[index] = Math.max(left, end);
    end = lefts[index] + widths[index] + APART;
  });
  let limit = most;
  for (let index = lefts.length - 1; index >= 0; index--) {
    lefts[index] = Math.max(0, Math.min(lefts[index], limit - widths[index]));
    limit = lefts[index] - APART;
  }
  return lefts;
}
