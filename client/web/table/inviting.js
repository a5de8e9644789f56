/* At a table with a free seat: the code of a private room, and how to call a bot or a person. */

/** @import { App } from "../page/app.js" */
/** @import { RoomState } from "../library/messages.js" */
/** @import { Invitation } from "../library/seating.js" */

import { seatIn } from "../library/replica.js";
import { el, put, show } from "../page/dom.js";
import { OpponentChoice } from "../page/opponent_choice.js";

export class Inviting {
  #room = 0;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.code = el("output", { class: "code" });
    this.copy = el("button", { type: "button", onclick: () => this.#copy() }, "Copy the link");
    this.codeLine = el("p", { class: "coded" }, "The code for your friend: ", this.code, " ", this.copy);
    this.bot = new OpponentChoice("guest", "Call a bot");
    this.botForm = el("form", { class: "fields call", onsubmit: (event) => this.#callBot(event) },
      this.bot.node, el("button", {}, "Call"));
    this.name = el("input", { id: "person", autocomplete: "off", spellcheck: "false", required: true });
    const label = el("label", { for: "person" }, "Or a person who is here, by name");
    this.personForm = el("form", { class: "fields call", onsubmit: (event) => this.#callPerson(event) },
      el("div", { class: "field" }, label, this.name), el("button", {}, "Invite"));
    this.node = el("div", { class: "inviting card" }, this.codeLine, this.botForm, this.personForm);
  }

  /** @param {RoomState} room */
  show(room) {
    const { replica, seating } = this.app;
    const isFree = room.seats.includes(null) && room.state === "waiting";
    const isOpen = isFree && seatIn(room) !== null && seating.expected(room.room) === null;
    show(this.node, isOpen);
    if (!isOpen) return;
    this.#room = room.room;
    show(this.codeLine, Boolean(room.code));
    put(this.code, room.code ?? "");
    this.bot.show(room.game, replica.lobby?.bots ?? [], null);
    show(this.botForm, this.bot.isPossible);
  }

  /** @param {SubmitEvent} event */
  #callBot(event) {
    event.preventDefault();
    const invitation = this.bot.value();
    if (invitation) this.#invite(invitation);
  }

  /** @param {SubmitEvent} event */
  async #callPerson(event) {
    event.preventDefault();
    if (await this.#invite({ who: this.name.value.trim(), strength: {} })) this.name.value = "";
  }

  /** @param {Invitation} invitation */
  async #invite(invitation) {
    const { attempt, seating, notify, replica } = this.app;
    const room = this.#room;
    const isDone = await attempt(async () => {
      await seating.invite(room, invitation);
      const { ready, seat } = replica.rooms.get(room) ?? {};
      if (!ready?.[seat ?? 0]) await seating.ready(room);
    });
    if (isDone) notify(`${invitation.who} is invited.`);
    return isDone;
  }

  /** A page that came over plain HTTP may not use the clipboard: then the link is shown. */
  async #copy() {
    const link = `${location.origin}/#code=${this.code.value}`;
    try {
      await navigator.clipboard.writeText(link);
      this.app.notify("The link is copied.");
    } catch {
      this.app.notify(`Give your friend this link: ${link}`);
    }
  }
}
