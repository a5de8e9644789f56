/* Backgammon with the cube: the board of backgammon, the cube where it lies, and what is to be decided about it.

   The board below knows no cube: it is shown the view without such decisions.  Where one is asked for, it asks
   for nothing. */

/** @import { Options } from "../../library/messages.js" */
/** @import { Board, BoardView, Typed } from "../board.js" */
/** @import { Layout } from "../backgammon/layout.js" */
/** @import { Verb } from "./position.js" */

import { put, set, svg } from "../../page/dom.js";
import { words } from "../../texts/words.js";
import * as backgammon from "../backgammon.js";
import { FAR, Layout as BoardLayout, NEAR } from "../backgammon/layout.js";
import { lay, shapeOf } from "./drawing.js";
import { factsOf, isVerb, verbsOf, withoutCube } from "./position.js";
import { KEYS, Question } from "./question.js";
import * as wording from "./wording.js";

export { asks, told } from "./wording.js";

const WORD_MS = 1_500; // in which the rest of a word may be typed whose first letter has decided already
/** Where the checkers stand at first, by the name of a start.
 *  @type {Record<string, string>} */
const STARTS = {
  nackgammon: "XGID=-bb---D-C---dD---c-d---BB-:0:0:0:00:0:0:0:0:10",
  hypergammon: "XGID=-aaa------------------AAA-:0:0:0:00:0:0:0:0:10:3",
};

/** @param {HTMLElement} host
 *  @param {(action: string) => unknown} play
 *  @returns {Board} */
export const create = (host, play) => new CubeBoard(host, play);

/** Seen by seat 0.
 *  @param {string} position */
export function picture(position) {
  const facts = factsOf(position);
  const drawn = backgammon.picture(position, facts.each);
  const cube = shapeOf(facts, true);
  if (cube === null) return drawn;
  const layout = new BoardLayout({ flipped: false, numbers: false, box: { width: 0, height: 0 } });
  lay(cube, layout.cubeSpot(sideOf(facts.owner, 0)));
  drawn.append(cube);
  return drawn;
}

/** The position before the first match at a table with these terms, or null: that of the game.
 *  @param {Options} options */
export const start = ({ start: name = "" }) => (Object.hasOwn(STARTS, name) ? STARTS[name] : null);

/** @param {BoardView} view */
export const read = (view) => `${wording.read(view)} ${backgammon.read(withoutCube(view), factsOf(view.position).each)}`;

/** @param {string} action */
export const say = (action) => (isVerb(action) ? words.boards.cube.actions[action] : backgammon.say(action));

/** @param {string} reason */
export const why = (reason) => (reason === "drop" ? words.boards.cube.dropped : backgammon.why(reason));

/** @param {number | null} owner a seat
 *  @param {number} seat of the near side */
const sideOf = (owner, seat) => (owner === null ? null : owner === seat ? NEAR : FAR);

class CubeBoard {
  /** @type {BoardView | null} */
  #view = null;
  /** @type {Board | null} */
  #board = null;
  /** @type {number | undefined} */
  #each = undefined;
  /** @type {Layout | null} */
  #layout = null;
  #host;
  #play;
  #layer = svg("svg", { class: "cube-layer", "aria-hidden": true });
  /** @type {SVGGElement | null} */
  #cube = null;
  #question = new Question((verb) => this.#decide(verb));
  #typed = { rest: "", at: -WORD_MS }; // of a word whose first letter has decided

  /** @param {HTMLElement} host
   *  @param {(action: string) => unknown} play */
  constructor(host, play) {
    this.#host = host;
    this.#play = play;
  }

  /** @param {BoardView} view */
  show(view) {
    const facts = factsOf(view.position);
    const before = this.#view;
    this.#view = view;
    if (this.#board === null || facts.each !== this.#each) {
      this.#each = facts.each;
      const place = (/** @type {Layout} */ layout, /** @type {{scale: number, left: number, top: number}} */ at) => this.#place(layout, at);
      this.#board = backgammon.boardFor(facts.each, { nodes: [this.#layer, this.#question.node], place, moving: (isOn) => this.#question.wait(isOn) })(this.#host, this.#play);
    }
    const isWithin = this.#host.contains(document.activeElement);
    const isNew = this.#question.show(view, facts);
    this.#board.show(withoutCube(view));
    this.#drawCube(before !== null && (view.motion ?? true));
    if (isNew && (isWithin || isIdle(document.activeElement) || facts.offer !== null && !isField(document.activeElement))) this.#question.focus();
  }

  /** @param {string} text
   *  @param {boolean} enter
   *  @returns {Typed} */
  type(text, enter) {
    const typed = text.trim().toLowerCase();
    if (!enter && performance.now() - this.#typed.at < WORD_MS && this.#typed.rest.includes(typed)) return "played"; // with its first letter
    const verbs = verbsOf(this.#view);
    if (verbs.length === 0) return this.#board?.type(text, enter) ?? "wrong";
    const verb = verbs.find((each) => (enter ? each === typed || KEYS[each] === typed : KEYS[each] === typed));
    if (verb !== undefined) {
      this.#typed = { rest: enter ? "" : verb.slice(1), at: performance.now() };
      this.#decide(verb);
      return "played";
    }
    return !enter && verbs.some((each) => each.startsWith(typed)) ? "more" : "wrong";
  }

  focus() {
    if (verbsOf(this.#view).length > 0) this.#question.focus();
    else this.#board?.focus();
  }

  /** @param {Verb} verb */
  #decide(verb) {
    if (this.#host.contains(document.activeElement)) this.#board?.focus(); // where the focus waits for the dice
    this.#play(verb);
  }

  /** @param {Layout} layout
   *  @param {{scale: number, left: number, top: number}} at */
  #place(layout, at) {
    this.#layout = layout;
    set(this.#layer, "viewBox", layout.viewBox);
    this.#question.place(layout, at);
    this.#drawCube(false);
  }

  /** Draw the cube where it lies; from where it lay before it is seen to go there.
   *  @param {boolean} moves */
  #drawCube(moves) {
    const [view, layout] = [this.#view, this.#layout];
    if (view === null || layout === null) return;
    const facts = factsOf(view.position);
    const shape = shapeOf(facts, view.over);
    const isSame = shape !== null && this.#cube !== null && shape.getAttribute("class") === this.#cube.getAttribute("class");
    if (shape === null) this.#layer.replaceChildren();
    else if (!isSame) this.#layer.replaceChildren(shape);
    else this.#renew(this.#cube, shape);
    this.#cube = isSame ? this.#cube : shape;
    if (this.#cube === null) return;
    this.#cube.classList.toggle("going", moves);
    lay(this.#cube, layout.cubeSpot(sideOf(facts.isCrawford ? null : facts.owner, view.seat ?? 0)));
  }

  /** Let a shape that is there show what a new one shows.
   *  @param {SVGGElement | null} old
   *  @param {SVGGElement} shape */
  #renew(old, shape) {
    const [was, is] = [old?.querySelector("text"), shape.querySelector("text")];
    if (!was || !is || !old) return;
    put(was, is.textContent ?? "");
    set(was, "class", is.getAttribute("class"));
    set(old, "data-value", shape.getAttribute("data-value"));
  }
}

/** Whether nothing in particular has the focus: it may be led on.
 *  @param {Element | null} node */
const isIdle = (node) => node === null || node === document.body || node.matches(".game");

/** @param {Element | null} node */
const isField = (node) => node?.matches("input, select, textarea") ?? false;
