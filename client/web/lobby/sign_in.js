/* Where a person without a name here chooses one, or enters as a guest.

   A view: it renders from `app.connection` and asks through `app`. */

/** @import { App } from "../page/app.js" */

import { read } from "../library/storage.js";
import { el, put, set, show } from "../page/dom.js";

const LONGEST_NAME = 24; // characters, as SPEC.md says; the server checks it
const LONGEST_CODE = 40;

export class SignInView {
  title = "";

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.name = el("input", {
      id: "name", name: "name", autocomplete: "nickname", maxlength: LONGEST_NAME, required: true, autofocus: true,
      spellcheck: "false", "aria-describedby": "name-trouble",
    });
    this.trouble = el("p", { id: "name-trouble", class: "trouble", role: "alert" });
    this.suggestion = el("button", { type: "button", class: "link", onclick: () => this.#takeSuggestion() });
    this.enter = el("button", { class: "primary" }, "Come in");
    this.guest = el("button", { type: "button", onclick: () => app.enter({}) }, "Play as a guest");
    this.entering = el("p", { class: "quiet" }, "Coming in …");
    this.form = el("form", { onsubmit: (event) => this.#submit(event) },
      el("h2", {}, "Who is playing?"),
      el("p", { class: "quiet" }, "People and bots play here at the same tables. Choose a name, and it is yours."),
      el("label", { for: "name" }, "Your name"),
      this.name, this.trouble, this.suggestion,
      el("div", { class: "row" }, this.enter, this.guest));
    this.code = el("input", {
      id: "name-code", name: "name-code", autocomplete: "off", maxlength: LONGEST_CODE, required: true, spellcheck: "false",
    });
    this.back = el("details", {},
      el("summary", {}, "I have a name here already"),
      el("form", { onsubmit: (event) => this.#bring(event) },
        el("label", { for: "name-code" }, "Its recovery code, or the code of another device"),
        this.code,
        el("div", { class: "row" }, el("button", {}, "Bring it here"))));
    this.node = el("section", { class: "card sign-in" }, this.entering, this.form, this.back);
  }

  show() {
    const { state, trouble } = this.app.connection;
    const refusal = state === "closed" ? trouble : null;
    const hasName = state !== "closed" && Boolean(read("token"));
    show(this.entering, hasName);
    show(this.form, !hasName);
    show(this.back, !hasName);
    put(this.trouble, refusal?.message ?? "");
    show(this.suggestion, Boolean(refusal?.suggestion));
    put(this.suggestion, refusal?.suggestion ? `Be ${refusal.suggestion}` : "");
    for (const button of [this.enter, this.guest]) set(button, "disabled", state === "entering");
  }

  /** @param {SubmitEvent} event */
  #submit(event) {
    event.preventDefault();
    this.app.enter({ name: this.name.value.trim() });
  }

  /** @param {SubmitEvent} event */
  #bring(event) {
    event.preventDefault();
    this.app.enter({ link: this.code.value.trim() });
  }

  #takeSuggestion() {
    this.name.value = this.app.connection.trouble?.suggestion ?? this.name.value;
    this.app.enter({ name: this.name.value });
  }
}
