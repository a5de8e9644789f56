/* The play that is shown, the best that there was, and the way to other plays:
   in the card beside the board, or right below the board where the screen is narrow. */

import { el, keyed, put, set, show } from "../dom.js";
import { playerTitle } from "../wording.js";
import { bestOf, figure, luckText, verdictText } from "./rows.js";

const WIDE = matchMedia("(min-width: 62.01rem)"); // there are two columns: see table.css

export class Strip {
  #told = null;
  #at = null;

  /* `go(at)` shows a row by its index; null: the end of the match. */
  constructor(go) {
    const button = (name, text, target, keys = null) => el("button",
      { type: "button", "data-step": name, "aria-keyshortcuts": keys, onclick: () => go(target()) }, text);
    this.play = el("p", { class: "reviewed", "aria-live": "polite" });
    this.verdict = el("p", { "aria-live": "polite" });
    this.options = el("ol", { class: "options", "aria-label": "The best actions" });
    this.mistake = button("mistake", "Next mistake", () => this.#mistake());
    this.end = button("end", "Back to the end", () => null, "Escape");
    this.buttons = el("div", { class: "row controls" }, button("back", "Back", () => this.stepped(-1), "ArrowLeft"),
      button("next", "Next", () => this.stepped(1), "ArrowRight"), this.mistake, this.end);
    this.node = el("div", { class: "strip" }, this.buttons, this.play, this.verdict, this.options);
  }

  /* `seats` are the players, `me` is the viewer's seat or null. */
  show(told, at, seats, me) {
    this.#told = told;
    this.#at = at;
    const row = at === null ? null : told.rows[at];
    const { unit } = told.analysis;
    show(this.mistake, told.rows.some(isMistake));
    set(this.end, "disabled", at === null);
    const who = row && (row.seat < 0 ? "The dice" : row.seat === me ? "You" : playerTitle(seats[row.seat]));
    put(this.play, row ? `${who}, ${row.text} ${row.mark}`.trim() : "Choose a play, or step through with the arrow keys.");
    set(this.play, "class", row ? "reviewed" : "reviewed quiet");
    put(this.verdict, row ? [verdictText(row, unit), luckOf(row, unit)].filter(Boolean).join(" ") : "");
    show(this.verdict, this.verdict.textContent !== "");
    this.#list(row, unit);
  }

  /* Stand where the board can be seen with it: before a part of the card, or below the board. */
  stand(before, below) {
    const place = () => (WIDE.matches ? before.before(this.node) : below.append(this.node));
    WIDE.addEventListener("change", place);
    place();
  }

  /* The next row that can be shown, `by` 1 or back by -1; behind the last one comes the end, then
     the first. */
  stepped(by) {
    const places = [...this.#places(({ open }) => open), null];
    return places.at((places.indexOf(this.#at) + by) % places.length);
  }

  /* The next row with a mark, from the start again behind the last one. */
  #mistake() {
    const places = this.#places(isMistake);
    return places.find((index) => this.#at !== null && index > this.#at) ?? places[0];
  }

  #places(wanted) {
    return this.#told.rows.flatMap((row, index) => (wanted(row) ? [index] : []));
  }

  #list(row, unit) {
    const options = row?.play?.best ?? [];
    keyed(this.options, options, (option) => `${row.ply} ${option.action}`, optionItem, (item, option) => {
      const isPlayed = option.action === row.play.action;
      const kinds = [option.action === bestOf(row.play) ? "best" : "", isPlayed ? "played" : ""];
      set(item, "class", kinds.filter(Boolean).join(" ") || null);
      put(item.action, isPlayed ? `${option.action} (played)` : option.action);
      put(item.worth, Number.isFinite(option.value) ? figure(option.value, unit, true) : "?");
      put(item.about, option.note ?? "");
    });
    show(this.options, options.length > 0);
  }
}

function optionItem() {
  const item = el("li");
  item.action = el("span", { class: "name" });
  item.worth = el("span", { class: "value" });
  item.about = el("span", { class: "note quiet" });
  item.append(el("span", { class: "swatch", "aria-hidden": "true" }), item.action, item.worth, item.about);
  return item;
}

const isMistake = ({ open, mark }) => open && mark !== "";

const luckOf = (row, unit) => (row.luck === null ? "" : `The roll: ${luckText(row, unit)}.`);
