/* What is to be decided about the cube, on the band between the halves of the board: before the roll two buttons,
   on an offer a panel as wide as the board, which the player who is asked cannot miss.  It asks; it does not know rules. */

/** @import { BoardView } from "../board.js" */
/** @import { Layout } from "../backgammon/layout.js" */
/** @import { Facts, Verb } from "./position.js" */

import { el, keyed, put, set, show } from "../../page/dom.js";
import { words } from "../../texts/words.js";
import { verbsOf } from "./position.js";
import { meaning, offerDetail, offerText } from "./wording.js";

const { cube: text } = words.boards;
/** Keys that decide at once.  A raise takes more than a slip of a finger, and D, pressed twice, drops nothing.
 *  @type {Partial<Record<Verb, string>>} */
export const KEYS = { roll: "r", double: "d", take: "t", drop: "p" };
const SMALL_PX = 230; // half a board that is so narrow has no room for words beside the buttons
const ORDER = ["double", "roll"]; // the roll, which is pressed most, lies where a turn was ended

let questions = 0; // made so far: their elements need ids of their own

export class Question {
  #asked = ""; // the question that stands there
  #play;
  #cube = el("span", { class: "offered-cube", "aria-hidden": "true" });
  #offer;
  #detail;
  #text;
  #buttons = el("div", { class: "cube-actions" });
  node;

  /** `play(verb)` is called with a decision.
   *  @param {(verb: Verb) => unknown} play */
  constructor(play) {
    const id = `cube-${(questions += 1)}`;
    this.#play = play;
    this.#offer = el("strong", { id });
    this.#detail = el("span", { id: `${id}-more` });
    this.#text = el("p", {}, this.#offer, " ", this.#detail);
    this.node = el("div", { class: "cube-question", tabindex: -1, hidden: true }, this.#cube, this.#text, this.#buttons);
    set(this.node, "aria-describedby", this.#detail.id);
  }

  /** Lie on the band of a board that is drawn so.
   *  @param {Layout} layout
   *  @param {{scale: number, left: number, top: number}} at */
  place({ band, left, right, column }, at) {
    const { style } = this.node;
    const x = (/** @type {number} */ unit) => `${at.left + (unit + column) * at.scale}px`;
    style.setProperty("--left", x(left.x));
    style.setProperty("--half", x(right.x));
    style.setProperty("--wide", `${(right.x + right.width - left.x) * at.scale}px`);
    style.setProperty("--six", `${right.width * at.scale}px`);
    style.setProperty("--middle", `${at.top + (band.y + band.height / 2) * at.scale}px`);
    style.setProperty("--high", `${band.height * at.scale}px`);
    set(this.node, "data-small", right.width * at.scale < SMALL_PX);
  }

  /** Whether this view asks something that the one before did not.
   *  @param {BoardView} view
   *  @param {Facts} facts */
  show(view, facts) {
    const verbs = [...verbsOf(view)].sort((one, two) => ORDER.indexOf(one) - ORDER.indexOf(two));
    const offer = offerText(view, facts);
    put(this.#cube, facts.offer === null ? "" : String(facts.offer.value));
    put(this.#offer, offer === null ? "" : `${offer}.`);
    put(this.#detail, offer === null ? "" : offerDetail(view, facts));
    for (const part of [this.#cube, this.#text]) show(part, offer !== null);
    keyed(this.#buttons, verbs, (verb) => verb, (verb) => this.#button(verb), (button, verb) => {
      put(/** @type {Node} */ (button.lastChild), meaning(verb, view, facts));
    });
    show(this.#buttons, verbs.length > 0);
    const isAsked = offer !== null && verbs.length > 0;
    set(this.node, "class", `cube-question${offer === null ? " choice" : isAsked ? " asked" : " told"}`);
    set(this.node, "role", isAsked ? "alertdialog" : "group");
    set(this.node, "aria-labelledby", offer === null ? null : this.#offer.id);
    set(this.node, "aria-label", offer === null ? text.rollOrDouble : null);
    show(this.node, verbs.length > 0 || offer !== null);
    const question = verbs.length === 0 ? "" : `${view.position} ${verbs.join()}`;
    const isNew = question !== "" && question !== this.#asked;
    this.#asked = question;
    return isNew;
  }

  /** Be seen only when all checkers stand; keys need not wait for them.
   *  @param {boolean} isMoving */
  wait(isMoving) {
    set(this.node, "data-waits", isMoving);
  }

  /** Put the focus on the roll; on an offer before its answers, so that no key pressed too soon is one. */
  focus() {
    const roll = /** @type {HTMLElement | null} */ (this.#buttons.querySelector("[data-action=roll]"));
    (roll ?? this.node).focus({ preventScroll: true });
  }

  /** @param {Verb} verb */
  #button(verb) {
    const press = (/** @type {MouseEvent} */ { detail }) => detail <= 1 && this.#play(verb); // the second half of a double click is none
    const keydown = (/** @type {KeyboardEvent} */ event) => event.repeat && event.preventDefault();
    return el("button", { type: "button", "data-action": verb, "aria-keyshortcuts": KEYS[verb] ?? null, onclick: press, onkeydown: keydown },
      el("span", {}, text.actions[verb]), " ", el("small", {})); // read as what is seen
  }
}
