/* The door: a person without a name here chooses one, or comes in as a guest.

   A view: it renders from `app.wire` and asks through `app`; it keeps nothing else. */

import { el, put, set, show } from "./dom.js";
import { read } from "./memory.js";

const LONGEST_NAME = 24; // characters, as SPEC.md says; the server checks it

export class Door {
  title = "";

  constructor(app) {
    this.app = app;
    this.name = el("input", {
      id: "name", name: "name", autocomplete: "nickname", maxlength: LONGEST_NAME, required: true, autofocus: true,
      spellcheck: "false", "aria-describedby": "name-trouble",
    });
    this.trouble = el("p", { id: "name-trouble", class: "trouble", role: "alert" });
    this.suggestion = el("button", { type: "button", class: "link", onclick: () => this.#take() });
    this.come = el("button", { class: "primary" }, "Come in");
    this.guest = el("button", { type: "button", onclick: () => app.enter({}) }, "Play as a guest");
    this.coming = el("p", { class: "quiet" }, "Coming in …");
    this.form = el("form", { onsubmit: (event) => this.#submit(event) },
      el("h2", {}, "Who is playing?"),
      el("p", { class: "quiet" }, "People and bots play here at the same tables. Choose a name, and it is yours."),
      el("label", { for: "name" }, "Your name"),
      this.name, this.trouble, this.suggestion,
      el("div", { class: "row" }, this.come, this.guest));
    this.node = el("section", { class: "card door" }, this.coming, this.form);
  }

  show() {
    const { state, trouble } = this.app.wire;
    const refused = state === "closed" ? trouble : null;
    const known = state !== "closed" && Boolean(read("token")); // has been here: nothing to choose
    show(this.coming, known);
    show(this.form, !known);
    put(this.trouble, refused?.message ?? "");
    show(this.suggestion, Boolean(refused?.suggestion));
    put(this.suggestion, refused?.suggestion ? `Be ${refused.suggestion}` : "");
    for (const button of [this.come, this.guest]) set(button, "disabled", state === "entering");
  }

  #submit(event) {
    event.preventDefault();
    this.app.enter({ name: this.name.value.trim() });
  }

  #take() {
    this.name.value = this.app.wire.trouble.suggestion;
    this.app.enter({ name: this.name.value });
  }
}
