/* Beside the board: the list of moves, and the chat of the room. */

import { el, keyed, put, set, show } from "./dom.js";
import { moveRows } from "./wording.js";

const LONGEST_LINE = 500; // characters, as SPEC.md says; the server checks it

export class Moves {
  constructor() {
    this.list = el("ol", { class: "moves", tabindex: 0, "aria-label": "Moves" });
    this.none = el("p", { class: "quiet" }, "Nobody has moved yet.");
    this.node = el("section", { class: "card" }, el("h2", {}, "Moves"), this.none, this.list);
  }

  show(line) {
    const rows = moveRows(line);
    const length = this.list.children.length;
    const lastSeat = line.findLast((event) => event?.seat >= 0)?.seat;
    keyed(this.list, rows, (row) => row.number, () => el("li", {}, el("span"), el("span")),
      (item, row) => this.#row(item, row, row === rows.at(-1) ? lastSeat : null));
    show(this.none, rows.length === 0);
    if (rows.length !== length) this.list.scrollTop = this.list.scrollHeight;
  }

  /* `last`: whose move in this row is the last of all, or null. */
  #row(item, row, last) {
    [...item.children].forEach((cell, seat) => {
      put(cell, row.cells[seat]);
      set(cell, "title", row.notes[seat] || null); // what a bot thought
      set(cell, "class", seat === last ? "last" : null);
    });
  }
}

export class Chat {
  #room = null;

  constructor(app) {
    this.app = app;
    this.lines = el("ul", { class: "chat", tabindex: 0, "aria-live": "polite", "aria-label": "Chat" });
    this.text = el("input", {
      id: "say", maxlength: LONGEST_LINE, autocomplete: "off", required: true,
      placeholder: "Say something", "aria-label": "Say something",
    });
    this.node = el("section", { class: "card" }, el("h2", {}, "Chat"), this.lines,
      el("form", { class: "row", onsubmit: (event) => this.#say(event) }, this.text, el("button", {}, "Say")));
  }

  show(room, lines) {
    this.#room = room.room;
    const length = this.lines.children.length;
    keyed(this.lines, lines, (line) => `${room.room}:${line.seq}`,
      ({ name, text }) => el("li", {}, el("b", {}, name), " ", el("span", {}, text)));
    if (lines.length !== length) this.lines.scrollTop = this.lines.scrollHeight;
  }

  async #say(event) {
    event.preventDefault();
    const text = this.text.value;
    this.text.value = "";
    const said = await this.app.attempt(() => this.app.seating.ask({ type: "say", room: this.#room, text }));
    if (!said && this.text.value === "") this.text.value = text;
  }
}
