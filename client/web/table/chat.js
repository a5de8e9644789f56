/* Beside the board: the chat of the room. */

/** @import { App } from "../page/app.js" */
/** @import { ChatMessage } from "../library/replica.js" */

import { el, keyed } from "../page/dom.js";

const LONGEST_MESSAGE = 500; // characters, as SPEC.md says; the server checks it

export class Chat {
  #room = 0;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.messages = el("ul", { class: "chat", tabindex: 0, "aria-live": "polite", "aria-label": "Chat" });
    this.text = el("input", {
      id: "say", maxlength: LONGEST_MESSAGE, autocomplete: "off", required: true,
      placeholder: "Say something", "aria-label": "Say something",
    });
    this.node = el("section", { class: "card" }, el("h2", {}, "Chat"), this.messages,
      el("form", { class: "row", onsubmit: (event) => this.#say(event) }, this.text, el("button", {}, "Say")));
  }

  /** @param {number} room
   *  @param {ChatMessage[]} messages */
  show(room, messages) {
    this.#room = room;
    const length = this.messages.children.length;
    keyed(this.messages, messages, ({ seq }) => `${room}:${seq}`,
      ({ name, text }) => el("li", {}, el("b", {}, name), " ", el("span", {}, text)));
    if (messages.length !== length) this.messages.scrollTop = this.messages.scrollHeight;
  }

  /** @param {SubmitEvent} event */
  async #say(event) {
    event.preventDefault();
    const text = this.text.value;
    this.text.value = "";
    const isSent = await this.app.attempt(() => this.app.seating.ask({ type: "say", room: this.#room, text }));
    if (!isSent && this.text.value === "") this.text.value = text;
  }
}
