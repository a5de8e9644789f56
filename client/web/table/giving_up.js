/* The question before somebody leaves between two games of a match to points, which gives it up. */

/** @import * as wire from "../library/messages.js" */

import { playerTitle } from "../library/words.js";
import { el, put, set } from "../page/dom.js";
import { Sheet } from "../page/sheet.js";
import { words } from "../texts/words.js";

const { table: texts } = words;

export class GivingUp {
  #leave = () => /** @type {unknown} */ (null);

  constructor() {
    this.price = el("p", { id: "give-up-price" });
    this.stay = el("button", { type: "button", onclick: () => this.sheet.close() }, texts.goOn);
    this.go = el("button", { type: "button", class: "danger", "data-do": "give-up", onclick: () => this.#confirm() }, texts.giveUp);
    this.sheet = new Sheet({ title: texts.giveUpQuestion, role: "alertdialog", look: "question" },
      this.price, el("div", { class: "row" }, this.stay, this.go));
  }

  /** Ask; `leave` is called on a yes.
   *  @param {wire.RoomState} room
   *  @param {number} me
   *  @param {() => unknown} leave */
  ask(room, me, leave) {
    this.#leave = leave;
    put(this.price, texts.giveUpPrice({ name: playerTitle(room.seats[1 - me]), points: room.series?.points ?? 0 }));
    set(this.sheet.node, "aria-describedby", this.price.id);
    this.sheet.open(this.stay);
  }

  #confirm() {
    this.sheet.close();
    this.#leave();
  }
}
