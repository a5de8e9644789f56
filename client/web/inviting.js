/* At a table with a free seat: the code of a private room, and how to call a bot or a person. */

import { el, put, show } from "./dom.js";
import { seatIn } from "./house.js";
import { Rival } from "./rival.js";

export class Inviting {
  #room = null;

  constructor(app) {
    this.app = app;
    this.code = el("output", { class: "code" });
    this.copy = el("button", { type: "button", onclick: () => this.#copy() }, "Copy the link");
    this.coded = el("p", { class: "coded" }, "The code for your friend: ", this.code, " ", this.copy);
    this.rival = new Rival("guest", "Call a bot");
    this.bots = el("form", { class: "fields call", onsubmit: (event) => this.#call(event) },
      this.rival.node, el("button", {}, "Call"));
    this.name = el("input", { id: "person", autocomplete: "off", spellcheck: "false", required: true });
    const label = el("label", { for: "person" }, "Or a person who is here, by name");
    this.person = el("form", { class: "fields call", onsubmit: (event) => this.#ask(event) },
      el("div", { class: "field" }, label, this.name), el("button", {}, "Invite"));
    this.node = el("div", { class: "inviting card" }, this.coded, this.bots, this.person);
  }

  show(room) {
    const { house, seating } = this.app;
    const free = room.seats.includes(null) && room.state === "waiting";
    const mine = seatIn(room) !== null;
    const open = free && mine && seating.expected(room.room) === null;
    show(this.node, open);
    if (!open) return;
    this.#room = room.room;
    show(this.coded, Boolean(room.code));
    put(this.code, room.code ?? "");
    this.rival.show(room.game, house.lobby?.bots ?? [], null);
    show(this.bots, this.rival.possible);
  }

  #call(event) {
    event.preventDefault();
    return this.#invite(this.rival.value());
  }

  async #ask(event) {
    event.preventDefault();
    if (await this.#invite({ who: this.name.value.trim(), strength: {} })) this.name.value = "";
  }

  async #invite(invited) {
    const { attempt, seating, tell, house } = this.app;
    const room = this.#room;
    const done = await attempt(async () => {
      await seating.invite(room, invited);
      const { ready, seat } = house.rooms.get(room);
      if (!ready[seat]) await seating.ready(room);
    });
    if (done) tell(`${invited.who} is invited.`);
    return done;
  }

  /* A page that came over plain HTTP may not use the clipboard: then the link is shown. */
  async #copy() {
    const link = `${location.origin}/#code=${this.code.value}`;
    try {
      await navigator.clipboard.writeText(link);
      this.app.tell("The link is copied.");
    } catch {
      this.app.tell(`Give your friend this link: ${link}`);
    }
  }
}
