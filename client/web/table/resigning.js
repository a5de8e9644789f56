/* The question before a match is given up: what it costs, and for how much it may be offered. */

/** @import { App } from "../page/app.js" */
/** @import * as wire from "../library/messages.js" */

import { playerTitle } from "../library/words.js";
import { el, keyed, put, set, show } from "../page/dom.js";
import { Sheet } from "../page/sheet.js";
import { words } from "../texts/words.js";

const { table: texts } = words;

export class Resigning {
  /** @type {wire.MatchState | null} */
  #match = null;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.price = el("p", { id: "resign-price" });
    this.prices = el("div", { class: "prices" });
    this.stay = el("button", { type: "button", onclick: () => this.sheet.close() }, texts.goOn);
    this.sheet = new Sheet({ title: texts.resignQuestion.match, role: "alertdialog", look: "question" },
      this.price, el("div", { class: "row" }, this.stay, this.prices));
    set(this.sheet.node, "aria-describedby", this.price.id);
  }

  /** Keep the question up to date; a match that is over asks nothing.
   *  @param {wire.RoomState} room
   *  @param {wire.MatchState | null} match
   *  @param {number | null} me */
  show(room, match, me) {
    const isOther = match?.match !== this.#match?.match;
    this.#match = match;
    if ((isOther || match === null || me === null) && this.sheet.isOpen) this.sheet.close();
    if (match === null || me === null) return;
    const points = pricesOf(match);
    const name = playerTitle(room.seats[1 - me]);
    const price = texts.resignPrice({ name, points: points[points.length - 1] });
    const full = points[points.length - 1];
    this.sheet.entitle(match.series ? texts.resignQuestion.game : texts.resignQuestion.match);
    put(this.price, [price, match.series && afterwards(match.series, 1 - me, { name, full }), points.length > 1 ? texts.resignChoice(name) : ""].filter(Boolean).join(" "));
    keyed(this.prices, points, (each) => each, () => el("button", { type: "button" }), (button, each, index) => {
      const isFull = index === points.length - 1;
      const level = points.length > 1 ? texts.resignLevels[each / points[0]] ?? "" : "";
      put(button, points.length > 1 || each > 1 ? texts.resignAt({ points: each, isFull }) + level : texts.resign);
      set(button, "class", isFull ? "danger" : null);
      set(button, "data-points", each);
      button.onclick = () => this.#resign(isFull ? null : each);
    });
    show(this.prices, points.length > 0);
  }

  ask() {
    this.sheet.open(this.stay);
  }

  /** @param {number | null} points null: at the full price */
  #resign(points) {
    const match = this.#match?.match;
    this.sheet.close();
    if (match === undefined) return;
    const { attempt, seating } = this.app;
    attempt(() => seating.ask({ type: "resign", match, ...(points === null ? {} : { points }) }));
  }
}

/** What comes of the match to points when this game of it is resigned.
 *  @param {wire.Series} series
 *  @param {number} winner a seat
 *  @param {{name: string, full: number}} price */
function afterwards({ points, score = [0, 0] }, winner, { name, full }) {
  const theirs = score[winner] + full;
  return theirs >= points ? texts.resignDecides({ name, points }) : texts.matchGoesOn({ points, mine: score[1 - winner], theirs });
}

/** For how many points a match may be resigned now, the full price last.
 *  @param {wire.MatchState} match */
const pricesOf = ({ resign }) => (resign?.length ? resign : [1]);
