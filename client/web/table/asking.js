/* A question before something is done that cannot be taken back: a draw is offered, a match to points is given up. */

import { el, put, set } from "../page/dom.js";
import { Sheet } from "../page/sheet.js";
import { words } from "../texts/words.js";

const { table: texts } = words;

export class Asking {
  #act = () => /** @type {unknown} */ (null);

  constructor() {
    this.text = el("p", { id: "asked" });
    this.stay = el("button", { type: "button", onclick: () => this.sheet.close() }, texts.goOn);
    this.go = el("button", { type: "button", "data-do": "do-it", onclick: () => this.#confirm() });
    this.sheet = new Sheet({ title: "", role: "alertdialog", look: "question" },
      this.text, el("div", { class: "row" }, this.stay, this.go));
    set(this.sheet.node, "aria-describedby", this.text.id);
  }

  /** Ask; `act` is called on a yes.
   *  @param {{title: string, text: string, go: string, isDanger?: boolean}} question
   *  @param {() => unknown} act */
  ask({ title, text, go, isDanger = false }, act) {
    this.#act = act;
    this.sheet.entitle(title);
    put(this.text, text);
    put(this.go, go);
    set(this.go, "class", isDanger ? "danger" : null);
    this.sheet.open(this.stay);
  }

  /** What was asked about is over. */
  drop() {
    if (this.sheet.isOpen) this.sheet.close();
  }

  #confirm() {
    this.sheet.close();
    this.#act();
  }
}
