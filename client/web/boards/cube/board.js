/* Backgammon with the cube: the board of backgammon, and above it the cube, the score, and what is to be
   decided about the cube, as buttons.

   The board below knows neither: it is shown the view without such decisions.  Where one is asked for, the
   board asks for nothing. */

/** @import { Board, BoardView, Typed } from "../board.js" */

import { el, keyed, put, show } from "../../page/dom.js";
import { words } from "../../texts/words.js";
import * as backgammon from "../backgammon.js";

const FEW = "3"; // checkers of a side in Hypergammon, as the eleventh field says
const VERBS = new Set(["roll", "double", "take", "drop", "beaver", "raccoon"]);

/** @typedef {keyof typeof words.boards.cube.actions} Verb */

/** @param {string} action
 *  @returns {action is Verb} */
const isVerb = (action) => VERBS.has(action);

/** What an XGID says beside the checkers.
 *  @param {string} position */
function factsOf(position) {
  const [, cube, owner, turn, dice, x, o, rule, length, largest, few] = position.replace(/^XGID=/, "").split(":");
  const isMatch = length !== "0";
  return {
    cube: 2 ** Number(cube),
    owner: { 1: 0, "-1": 1 }[owner] ?? null,
    turn: turn === "-1" ? 1 : 0,
    offer: dice.length === 1 ? dice : null,
    score: isMatch ? [Number(x), Number(o)] : null,
    points: Number(length),
    isCrawford: isMatch && rule === "1",
    isOff: largest === "0",
    each: few === FEW ? 3 : undefined,
  };
}

/** @typedef {ReturnType<typeof factsOf>} Facts */

/** A view without what is about the cube.
 *  @param {BoardView} view
 *  @returns {BoardView} */
function withoutCube(view) {
  const isAsked = view.legal?.some(isVerb) ?? false;
  return {
    ...view,
    legal: isAsked ? null : view.legal,
    last: view.last !== null && isVerb(view.last.action) ? null : view.last,
    events: view.events.filter(({ kind, action }) => kind !== "play" || !isVerb(action ?? "")),
    marks: view.marks.filter(({ action }) => !isVerb(action)),
  };
}

/** @param {HTMLElement} host
 *  @param {(action: string) => unknown} play
 *  @returns {Board} */
export const create = (host, play) => new CubeBoard(host, play);

/** @param {string} position */
export const picture = (position) => backgammon.picture(position, factsOf(position).each);

/** @param {BoardView} view */
export function read(view) {
  const facts = factsOf(view.position);
  return `${sentence(view, facts)} ${backgammon.read(withoutCube(view), facts.each)}`;
}

/** @param {string} action */
export const say = (action) => (isVerb(action) ? words.boards.cube.actions[action] : backgammon.say(action));

/** @param {string} reason */
export const why = (reason) => (reason === "drop" ? words.boards.cube.dropped : backgammon.why(reason));

/** The cube, the score and what is offered, in a line.
 *  @param {BoardView} view
 *  @param {Facts} facts */
function sentence(view, facts) {
  const text = words.boards.cube;
  const nameOf = (/** @type {number} */ seat) =>
    (seat === view.seat ? null : (view.names?.[seat] ?? (seat === 0 ? words.boards.backgammon.light : words.boards.backgammon.dark)));
  const parts = [];
  if (facts.offer !== null && !view.over) {
    const raised = facts.cube * 2 ** ("DBR".indexOf(facts.offer) + 1);
    const asker = facts.offer === "B" ? 1 - facts.turn : facts.turn;
    parts.push(text.offered({ verb: facts.offer, owner: nameOf(asker), value: raised }));
  }
  if (facts.isCrawford) parts.push(text.crawford);
  else if (!facts.isOff) parts.push(text.cube({ value: facts.cube, isCentred: facts.owner === null, owner: facts.owner === null ? null : nameOf(facts.owner) }));
  if (facts.score !== null) parts.push(text.score({ score: facts.score, points: facts.points }));
  return parts.map((part) => `${part}.`).join(" ");
}

class CubeBoard {
  /** @type {BoardView | null} */
  #view = null;
  /** @type {Board | null} */
  #board = null;
  /** @type {number | undefined} */
  #each = undefined;
  #play;
  #inner = el("div", { class: "cube-below" });
  #line = el("p", { class: "cube-line", role: "status" });
  #buttons = el("div", { class: "row cube-actions" });

  /** @param {HTMLElement} host
   *  @param {(action: string) => unknown} play */
  constructor(host, play) {
    this.#play = play;
    host.replaceChildren(el("div", { class: "with-cube" }, el("div", { class: "cube-bar" }, this.#line, this.#buttons), this.#inner));
  }

  /** @param {BoardView} view */
  show(view) {
    const facts = factsOf(view.position);
    if (this.#board === null || facts.each !== this.#each) {
      this.#each = facts.each;
      this.#board = backgammon.boardFor(facts.each)(this.#inner, this.#play);
    }
    this.#view = view;
    put(this.#line, sentence(view, facts));
    this.#line.classList.toggle("asked", facts.offer !== null && !view.over);
    keyed(this.#buttons, this.#verbs, (verb) => verb, (verb) =>
      el("button", { type: "button", "data-action": verb, onclick: () => this.#play(verb) }, words.boards.cube.actions[verb]), () => {});
    show(this.#buttons, this.#verbs.length > 0);
    this.#board.show(withoutCube(view));
  }

  /** @param {string} text
   *  @param {boolean} enter
   *  @returns {Typed} */
  type(text, enter) {
    const typed = text.trim().toLowerCase();
    if (this.#verbs.length === 0) return this.#board?.type(text, enter) ?? "wrong";
    const verb = this.#verbs.find((each) => each === typed);
    if (!enter) return this.#verbs.some((each) => each.startsWith(typed)) ? "more" : "wrong";
    if (verb === undefined) return "wrong";
    this.#play(verb);
    return "played";
  }

  focus() {
    const button = this.#buttons.querySelector("button");
    if (this.#verbs.length > 0 && button !== null) button.focus();
    else this.#board?.focus();
  }

  /** What may be decided about the cube now. */
  get #verbs() {
    return (this.#view?.legal ?? []).filter(isVerb);
  }
}
