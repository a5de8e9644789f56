/* A sheet above the page, for a question or for choices: the rest waits, and nothing of it moves.

   Escape and a press outside close it; then the focus is where it was before. */

import { words } from "../texts/words.js";
import { el, put, set, show } from "./dom.js";

export class Sheet {
  /** `title` is shown and names it; `body` is what stands below.
   *  @param {{title: string, role?: string, look?: string}} head
   *  @param {(Node | string)[]} body */
  constructor({ title, role = "dialog", look = "" }, ...body) {
    this.heading = el("h2", { tabindex: -1 }, title);
    this.body = el("div", { class: "sheet-body" }, ...body);
    this.x = el("button", { type: "button", class: "x", "aria-label": words.common.close, onclick: () => this.close() }, "×");
    this.node = el("dialog", { class: `sheet ${look}`.trim(), role, "aria-label": title, hidden: true },
      el("div", { class: "sheet-head" }, this.heading, this.x), this.body);
    this.node.addEventListener("click", (event) => event.target === this.node && this.close());
    this.node.addEventListener("close", () => this.#closed());
  }

  /** @param {string} title */
  entitle(title) {
    put(this.heading, title);
    set(this.node, "aria-label", title);
  }

  get isOpen() {
    return this.node.open;
  }

  /** Open it; `first` gets the focus, else the heading.
   *  @param {HTMLElement} [first] */
  open(first) {
    if (this.node.open) return;
    document.body.append(this.node);
    show(this.node, true);
    this.node.showModal();
    (first ?? this.heading).focus();
  }

  close() {
    this.node.close();
  }

  #closed() {
    show(this.node, false);
    this.node.remove();
  }
}

/** Whether a sheet waits for an answer, so that keys are meant for it. */
export const isSheetOpen = () => document.querySelector("dialog[open]") !== null;
