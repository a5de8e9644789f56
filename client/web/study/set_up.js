/* A position that is set up by hand: a press puts a piece, a drag moves one, and the rest are choices.  It is
   written as text while it changes; whether there can be such a position, the server says. */

/** @import { Draft } from "./notation.js" */

import { el, set, setOptions } from "../page/dom.js";
import { texts } from "../texts/study/words.js";
import { changed, draftOf, moved, written } from "./notation.js";

const DICE = ["00", ...[1, 2, 3, 4, 5, 6].flatMap((high) => [1, 2, 3, 4, 5, 6].filter((low) => low <= high).map((low) => `${high}${low}`))];
const POWERS = [0, 1, 2, 3, 4, 5, 6];
const LONGEST = 25; // points of a match that are offered
const upTo = (/** @type {number} */ count) => Array.from({ length: count + 1 }, (_, index) => String(index));

export class SetUp {
  /** @type {number | null} */
  #brush = 0; // the seat whose pieces are put; null: they are taken away
  /** @type {number | null} */
  #from = null; // where a finger or the mouse went down

  /** `onChange(text)` is called with each new position.
   *  @param {string} game
   *  @param {Draft} draft
   *  @param {(text: string) => void} onChange */
  constructor(game, draft, onChange) {
    this.game = game;
    this.draft = draft;
    this.onChange = onChange;
    /** @type {Map<number, HTMLButtonElement>} */
    this.places = new Map();
    const rows = draft.rows.map((row) => el("div", { class: "places" }, ...row.map((place) => (place === null ? el("span") : this.#place(place)))));
    this.board = el("div", { class: "set-up-board", "data-game": game }, ...rows);
    this.brushes = el("div", { class: "row", role: "group", "aria-label": texts.pieces }, ...[0, 1, null].map((seat) => this.#brushOf(seat)));
    this.node = el("div", { class: "set-up" }, this.brushes, this.board, this.#choices());
    this.board.addEventListener("pointerup", (event) => this.#drop(event));
    this.#show();
  }

  /** @param {number} place */
  #place(place) {
    const button = el("button", { type: "button", "data-place": place, onpointerdown: (/** @type {PointerEvent} */ event) => {
      button.releasePointerCapture?.(event.pointerId); // a finger may lift elsewhere
      this.#from = place;
    }, onclick: (/** @type {MouseEvent} */ { detail }) => {
      if (detail === 0) this.#change(changed(this.draft, place, this.#brush)); // by a key: a press is a drop where it began
    } });
    this.places.set(place, button);
    return button;
  }

  /** @param {number | null} seat */
  #brushOf(seat) {
    const choose = () => {
      this.#brush = seat;
      this.#show();
    };
    const word = seat === null ? texts.erase : texts.sides[seat];
    return el("button", { type: "button", "data-brush": String(seat), onclick: choose }, word);
  }

  /** @param {PointerEvent} event */
  #drop({ clientX, clientY }) {
    const from = this.#from;
    this.#from = null;
    const target = document.elementFromPoint(clientX, clientY)?.closest("[data-place]");
    const to = Number(target?.getAttribute("data-place") ?? NaN);
    if (from === null || Number.isNaN(to)) return;
    this.#change(from === to ? changed(this.draft, to, this.#brush) : moved(this.draft, from, to));
  }

  /** @param {Draft} draft */
  #change(draft) {
    this.draft = draft;
    this.#show();
    this.onChange(written(this.game, draft));
  }

  #show() {
    for (const [place, button] of this.places) {
      const { seat, count } = this.draft.places[place];
      button.textContent = count > 1 ? String(count) : "";
      set(button, "class", count ? `seat-${seat}` : null);
      set(button, "aria-label", texts.place({ name: this.draft.names[place], side: count ? texts.sides[seat] : null, count }));
    }
    for (const brush of this.brushes.children) set(brush, "aria-pressed", String(brush.getAttribute("data-brush") === String(this.#brush)));
  }

  #choices() {
    const { fields } = this.draft;
    const isGammon = "dice" in fields;
    const { sides } = texts;
    /** @type {[string, [string, string][]][]} */
    const choices = [["turn", isGammon ? [["1", sides[0]], ["-1", sides[1]], ["0", texts.opening]] : [["x", sides[0]], ["o", sides[1]]]]];
    if ("forced" in fields) choices.push(["forced", ["-", ..."123456789"].map((board) => [board, board === "-" ? texts.anyBoard : board])]);
    if (isGammon) choices.push(["dice", DICE.map((dice) => [dice, dice === "00" ? texts.toRoll : dice])]);
    if (this.game === "backgammon_cube") {
      choices.push(["cube", POWERS.map((power) => [String(power), String(2 ** power)])], ["owner", [["0", texts.middle], ["1", sides[0]], ["-1", sides[1]]]],
        ["score0", upTo(LONGEST).map((score) => [score, score])], ["score1", upTo(LONGEST).map((score) => [score, score])],
        ["length", upTo(LONGEST).map((points) => [points, points === "0" ? texts.money : points])]);
    }
    return el("div", { class: "fields" }, ...choices.map(([name, options]) => this.#choice(name, options)));
  }

  /** @param {string} name
   *  @param {[string, string][]} options */
  #choice(name, options) {
    const { fields } = this.draft;
    const known = options.some(([value]) => value === fields[name]) ? options : [...options, /** @type {[string, string]} */ ([fields[name], fields[name]])];
    /** @type {HTMLSelectElement} */
    const select = el("select", { id: `set-up-${name}`, onchange: () =>
      this.#change({ ...this.draft, fields: { ...this.draft.fields, [name]: select.value } }) });
    setOptions(select, known);
    select.value = fields[name];
    return el("label", { for: `set-up-${name}` }, texts.fields[/** @type {keyof typeof texts.fields} */ (name)], select);
  }
}

/** What sets up positions of a game by hand, beginning with this one; null where that is not possible here.
 *  @param {string} game
 *  @param {string} position
 *  @param {(text: string) => void} onChange */
export function setUpOf(game, position, onChange) {
  const draft = draftOf(game, position);
  return draft && new SetUp(game, draft, onChange);
}
