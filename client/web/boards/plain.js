/* The board of a game that this page has no drawing for: the server's drawing of it, as text; and its
   actions, as buttons or typed.  Enough to play anything. */

/** @import { Board, BoardView, Typed } from "./board.js" */

import { el, keyed, put, set, show, svg } from "../page/dom.js";
import { words } from "../texts/words.js";
import { tell } from "./grid/telling.js";
import { stillDrawing } from "./shapes.js";

const MANY = 60; // buttons; more actions than that are found by typing

/** @param {HTMLElement} host
 *  @param {(action: string) => unknown} play
 *  @returns {Board} */
export function create(host, play) {
  return new PlainBoard(host, play);
}

/** A game without a drawing: three pieces, the same for all.  */
export const picture = () => stillDrawing(100, 100, "picture of-plain",
  svg("circle", { class: "seat-0", cx: 32, cy: 36, r: 17 }), svg("rect", { class: "seat-1", x: 52, y: 22, width: 29, height: 29, rx: 4 }),
  svg("path", { class: "sign", d: "M50 58L68 88H32Z" }));

/** @param {BoardView} view */
export const read = (view) => tell(view, [words.boards.plain.read(view.position)], say);

/** @param {string} action */
export const say = (action) => action;

/** @param {string} reason */
export const why = (reason) => reason;

class PlainBoard {
  /** @type {BoardView | null} */
  #view = null;
  /** @type {string | null} */
  #drawn = null; // the position that is drawn, or was asked for

  /** @param {HTMLElement} host
   *  @param {(action: string) => unknown} play */
  constructor(host, play) {
    const { plain } = words.boards;
    this.play = play;
    this.position = el("pre", { class: "position", tabindex: 0, "aria-label": plain.board }, plain.before);
    this.field = el("input", { autocomplete: "off", autocapitalize: "off", spellcheck: "false", enterkeyhint: "go", maxlength: 80,
      oninput: () => this.#showActions() });
    this.trouble = el("p", { class: "trouble", role: "alert" });
    this.actions = el("div", { class: "row actions" });
    this.more = el("p", { class: "quiet" });
    this.form = el("form", { class: "typed", onsubmit: (/** @type {Event} */ event) => this.#submit(event) },
      el("label", {}, plain.type, this.field), el("button", { type: "submit" }, plain.play), this.trouble);
    host.replaceChildren(el("div", { class: "plain" }, this.position, this.form, this.actions, this.more));
    show(this.form, false);
  }

  /** @param {BoardView} view */
  show(view) {
    const isNew = view.position !== this.#view?.position;
    this.#view = view;
    if (isNew) this.field.value = "";
    if (isNew) this.#drawPosition(view);
    this.#showActions();
  }

  /** @param {string} text
   *  @param {boolean} isAll
   *  @returns {Typed} */
  type(text, isAll) {
    this.field.value = text;
    this.#showActions();
    const legal = this.#view?.legal ?? [];
    if (isAll && legal.includes(text)) {
      this.play(text);
      return "played";
    }
    return !isAll && legal.some((action) => action.startsWith(text)) ? "more" : "wrong";
  }

  focus() {
    const target = this.#view?.legal ? this.actions.querySelector("button") : null;
    (target ?? this.position).focus();
  }

  /** Show the position at once, and its drawing as soon as it comes.
   *  @param {BoardView} view */
  async #drawPosition({ position, draw }) {
    const isFirst = this.#drawn === null;
    this.#drawn = position;
    if (isFirst) put(this.position, position);
    const lines = (await draw?.().catch(() => null)) ?? null;
    if (this.#drawn !== position) return; // it goes on already
    put(this.position, lines?.join("\n") ?? position);
    this.position.classList.toggle("drawn", lines !== null);
    const columns = Math.max(1, ...(lines ?? []).map((line) => line.length));
    this.position.style.setProperty("--columns", String(columns));
  }

  #showActions() {
    const legal = this.#view?.legal ?? null;
    const text = this.field.value.trim().toLowerCase();
    const marks = this.#view?.marks ?? [];
    const kindOf = (/** @type {string} */ action) => marks.find((mark) => mark.action === action)?.kind ?? null;
    const matching = (legal ?? []).filter((action) => action.toLowerCase().includes(text));
    const fitting = [...matching.filter(kindOf), ...matching.filter((action) => !kindOf(action))]; // what is pointed out first
    for (const part of [this.actions, this.form]) show(part, legal !== null);
    put(this.trouble, "");
    const rest = fitting.length - MANY;
    put(this.more, rest > 0 ? words.boards.plain.more(rest) : "");
    set(this.field, "aria-invalid", legal !== null && fitting.length === 0);
    keyed(this.actions, fitting.slice(0, MANY), (action) => action, (action) =>
      el("button", { type: "button", "data-action": action, onclick: () => this.play(action) }, action),
    (button, action) => set(button, "class", kindOf(action)));
  }

  /** @param {Event} event */
  #submit(event) {
    event.preventDefault();
    const text = this.field.value.trim();
    const legal = this.#view?.legal ?? [];
    const action = legal.find((each) => each.toLowerCase() === text.toLowerCase());
    if (action !== undefined) this.play(action);
    else put(this.trouble, words.boards.plain.unknown(text));
  }
}
