/* The chat of a room: beside the board, or a sheet above it where there is little room. */

/** @import { App } from "../page/app.js" */
/** @import { RoomState } from "../library/messages.js" */
/** @import { ChatMessage } from "../library/replica.js" */

import { fullName, seatIn } from "../library/replica.js";
import { choose, settings } from "../library/settings.js";
import { spoken } from "../library/words.js";
import { el, keyed, put, set, show } from "../page/dom.js";
import { icon } from "../page/icons.js";
import { words } from "../texts/words.js";

const { table: texts } = words;
const MAX_MESSAGE = 500; // characters, as SPEC.md says; the server checks it
const BESIDE = matchMedia("(min-width: 700px) and (min-height: 500.1px)"); // it stands beside the board: see table.css

export class Chat {
  #room = 0;
  #came = 0; // the room's seq when one came: what was said before is no news
  /** @type {Set<number>} */
  #read = new Set(); // messages that could be read, by seq; those of spectators may come late
  /** @type {Set<number>} */
  #heard = new Set(); // those that were here
  /** @type {ChatMessage[]} */
  #messages = [];

  /** `about` stands above the messages.
   *  @param {App} app
   *  @param {Node[]} about */
  constructor(app, ...about) {
    this.app = app;
    this.messages = el("ul", { class: "chat", tabindex: 0, "aria-label": texts.chat });
    this.channel = el("p", { class: "quiet small" });
    this.text = el("input", {
      id: "say", maxlength: MAX_MESSAGE, autocomplete: "off", required: true,
      placeholder: texts.saySomething, "aria-label": texts.saySomething,
    });
    this.form = el("form", { class: "row", onsubmit: (event) => this.#say(event) }, this.text, el("button", {}, texts.say));
    this.hide = el("button", { type: "button", class: "link", "data-do": "hide-chat", onclick: () => choose({ chat: !settings.chat }) });
    this.x = el("button", { type: "button", class: "x", "aria-label": words.common.close, onclick: () => this.close() }, "×");
    const head = el("div", { class: "sheet-head" }, el("h2", {}, texts.chat), this.hide, this.x);
    this.node = el("section", { class: "talk", id: "talk", "aria-label": texts.chat,
      onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && this.close() },
      head, ...about, this.messages, this.channel, this.form);
    this.count = el("span", { class: "count", "aria-hidden": "true" });
    this.button = el("button", { type: "button", class: "action talk-button", "data-do": "chat", "aria-controls": "talk",
      onclick: () => (this.#isOpen ? this.close() : this.open()) }, icon("chat"), el("span", {}, texts.chat), this.count);
    BESIDE.addEventListener("change", () => this.close());
  }

  get #isOpen() {
    return this.node.hasAttribute("data-open");
  }

  open() {
    set(this.node, "data-open", true);
    this.#mark();
    this.text.focus();
    this.messages.scrollTop = this.messages.scrollHeight;
  }

  close() {
    if (!this.#isOpen) return;
    set(this.node, "data-open", false);
    this.#mark();
    this.button.focus();
  }

  /** Show what was said; the newest lines that were not here before are returned, but one's own.
   *  @param {RoomState} room
   *  @param {ChatMessage[]} all */
  show(room, all) {
    if (this.#room !== room.room) {
      this.#room = room.room;
      this.#came = room.seq;
      for (const seqs of [this.#read, this.#heard]) seqs.clear();
      set(this.node, "data-open", false);
    }
    const players = room.seats.flatMap((player) => (player ? [player.name, fullName(player)] : []));
    const isPlaying = seatIn(room) !== null && room.state === "playing";
    const messages = this.#messages = all.map((each) => ({ ...each, text: spoken(each.name, each.text) }));
    const news = messages.filter(({ seq }) => seq > this.#came && !this.#heard.has(seq));
    for (const { seq } of news) this.#heard.add(seq);
    const length = this.messages.children.length;
    put(this.channel, isPlaying ? texts.watchersLater : seatIn(room) === null && room.state === "playing" ? texts.watchersOnly : "");
    show(this.channel, this.channel.textContent !== "" && settings.chat && (!isPlaying || (room.watching ?? 0) > 0));
    show(this.messages, settings.chat);
    show(this.form, settings.chat);
    put(this.hide, settings.chat ? texts.hideChat : texts.showChat);
    keyed(this.messages, messages, ({ seq }) => `${room.room}:${seq}`,
      ({ name, text }) => el("li", {}, el("bdi", { class: "who", title: name }, name), " ", el("span", { class: "tag" }), el("span", { class: "said" }, text)),
      (item, { name }) => {
        const isWatching = !players.includes(name);
        set(item, "class", isWatching ? "watching" : null);
        put(item.children[1], isWatching ? `${texts.watching} ` : "");
      });
    if (messages.length !== length) this.messages.scrollTop = this.messages.scrollHeight;
    this.#mark();
    return settings.chat ? news.filter(({ name }) => name !== this.app.replica.name) : [];
  }

  /** Count the lines that cannot have been read yet. */
  #mark() {
    if (this.#isOpen || BESIDE.matches || !settings.chat) for (const { seq } of this.#messages) this.#read.add(seq);
    const own = this.app.replica.name;
    const unread = this.#messages.filter(({ seq, name }) => seq > this.#came && !this.#read.has(seq) && name !== own).length;
    put(this.count, unread > 0 ? String(unread) : "");
    show(this.count, unread > 0);
    set(this.button, "aria-expanded", String(this.#isOpen));
    set(this.button, "aria-label", unread > 0 ? texts.unread(unread) : texts.chat);
  }

  /** @param {SubmitEvent} event */
  async #say(event) {
    event.preventDefault();
    const text = this.text.value;
    this.text.value = "";
    const name = /^\/rename\s+(.+)/.exec(text)?.[1];
    const isSent = await this.app.attempt(() => this.app.seating.ask(name
      ? { type: "room_rename", room: this.#room, name } : { type: "say", room: this.#room, text }));
    if (!isSent && this.text.value === "") this.text.value = text;
  }
}
