/* The play that is shown, the best that there was, and the way to other plays:
   in the card beside the board, or right below the board where the screen is narrow. */

/** @import { AnalysedOption, Player } from "../library/messages.js" */
/** @import { Report, Row, Unit } from "./rows.js" */

import { ofBot, playerTitle } from "../library/words.js";
import { el, keyed, put, set, show } from "../page/dom.js";
import { icon } from "../page/icons.js";
import { words } from "../texts/words.js";
import { actionText, bestOf, luckText, optionText, verdictText } from "./rows.js";

const { analysis: texts } = words;
const WIDE = matchMedia("(min-width: 700px), (orientation: landscape) and (min-width: 560px)"); // there are two columns: see table.css

export class PlayDetails {
  /** @type {Row[]} */
  #rows = [];
  /** @type {number | null} */
  #at = null;

  /** `go(at)` shows a row by its index; null: the end of the match.
   *  @param {(at: number | null) => void} go */
  constructor(go) {
    /** @type {(name: string, text: string, target: () => number | null, keys?: string | null) => HTMLButtonElement} */
    const button = (name, text, target, keys = null) => el("button",
      { type: "button", "data-step": name, "aria-keyshortcuts": keys, "aria-label": text, title: text, onclick: () => go(target()) },
      name === "back" || name === "next" ? icon(name) : text);
    this.play = el("p", { class: "reviewed", "aria-live": "polite" });
    this.verdict = el("p", { "aria-live": "polite" });
    this.options = el("ol", { class: "options", "aria-label": texts.bestActions });
    this.mistake = button("mistake", texts.mistake, () => this.#nextMistake());
    this.end = button("end", texts.toEnd, () => null, "Escape");
    this.buttons = el("div", { class: "row walk" }, button("back", texts.back, () => this.stepped(-1), "ArrowLeft"),
      button("next", texts.next, () => this.stepped(1), "ArrowRight"), this.mistake, this.end);
    this.node = el("div", { class: "strip" }, this.buttons, this.play, this.verdict, this.options);
  }

  /** `at`: the index of a row, or null; `me`: the viewer's seat, or null.
   *  @param {Report} report
   *  @param {number | null} at
   *  @param {Player[]} seats
   *  @param {number | null} me */
  show({ rows, analysis: { unit } }, at, seats, me) {
    this.#rows = rows;
    this.#at = at;
    const row = at === null ? null : rows[at];
    show(this.mistake, rows.some(isMistake));
    set(this.end, "disabled", at === null);
    put(this.play, row ? playText(row, seats, me) : texts.choose);
    set(this.play, "class", row ? "reviewed" : "reviewed quiet");
    const luck = row && row.luck !== null ? texts.theRoll(luckText(row, unit)) : "";
    const { shows = 1 } = row?.play ?? {};
    const cube = shows > 1 ? texts.theCubeShows(shows) : "";
    put(this.verdict, row ? [verdictText(row, unit), luck, cube].filter(Boolean).join(" ") : "");
    show(this.verdict, this.verdict.textContent !== "");
    this.#showOptions(row, unit);
  }

  /** Stand where the board can be seen with it: before a part of the card, or below the board.
   *  @param {Element} before
   *  @param {Element} below */
  stand(before, below) {
    const place = () => (WIDE.matches ? before.before(this.node) : below.append(this.node));
    WIDE.addEventListener("change", place);
    place();
  }

  /** The next row that can be shown, `by` 1, or the one before, by -1.  Behind the last row comes the
   *  end, then the first row.
   *  @param {number} by */
  stepped(by) {
    const places = [...this.#indexes(({ isOpen }) => isOpen), null];
    return places.at((places.indexOf(this.#at) + by) % places.length) ?? null;
  }

  /** The next row with a mark, from the start again behind the last one. */
  #nextMistake() {
    const places = this.#indexes(isMistake);
    const at = this.#at;
    return (at === null ? null : places.find((index) => index > at)) ?? places[0];
  }

  /** @param {(row: Row) => boolean} isWanted */
  #indexes(isWanted) {
    return this.#rows.flatMap((row, index) => (isWanted(row) ? [index] : []));
  }

  /** @param {Row | null} row
   *  @param {Unit} unit */
  #showOptions(row, unit) {
    const play = row?.play ?? null;
    /** @type {AnalysedOption[]} */
    const options = play?.best ?? [];
    keyed(this.options, options, (option) => `${row?.ply} ${option.action}`, optionItem, (item, option) => {
      const isPlayed = option.action === play?.action;
      const isBest = play !== null && option.action === bestOf(play);
      set(item, "class", [isBest ? "best" : "", isPlayed ? "played" : ""].filter(Boolean).join(" ") || null);
      const text = actionText(option.action, play);
      put(item.action, isPlayed ? texts.played(text) : text);
      put(item.worth, optionText(option, unit));
      put(item.note, ofBot(option.note ?? ""));
    });
    show(this.options, options.length > 0);
  }
}

/** Whose play it was, and what.
 *  @param {Row} row
 *  @param {Player[]} seats
 *  @param {number | null} me */
function playText({ seat, text, mark }, seats, me) {
  const who = seat < 0 ? texts.dice : seat === me ? texts.you : playerTitle(seats[seat]);
  return `${who}, ${text} ${mark}`.trim();
}

function optionItem() {
  const action = el("span", { class: "name" });
  const worth = el("span", { class: "value" });
  const note = el("span", { class: "note quiet" });
  const swatch = el("span", { class: "swatch", "aria-hidden": "true" });
  return Object.assign(el("li", {}, swatch, action, worth, note), { action, worth, note });
}

/** @param {Row} row */
const isMistake = ({ isOpen, mark }) => isOpen && mark !== "";
