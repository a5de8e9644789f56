/* The header of the page: the tables where one sits, and one's name. */

/** @import { App } from "./app.js" */
/** @import { RoomState } from "../library/messages.js" */

import { seatIn } from "../library/replica.js";
import { playerTitle } from "../library/words.js";
import { byId, el, keyed, put, set, show } from "./dom.js";

export class Header {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.tables = byId("tables");
    this.name = el("span", { class: "name" });
    this.rename = el("button", { type: "button", class: "link", onclick: () => this.#rename() }, "Change name");
    this.recovery = el("button", { type: "button", class: "link", onclick: () => app.attempt(app.showRecovery) },
      "Recovery code");
    this.me = byId("me");
    this.me.append(this.name, this.recovery, this.rename);
  }

  /** Show the tables but the one of this room, which is on the page.
   *  @param {number | null} here */
  show(here) {
    const { replica } = this.app;
    show(this.me, replica.name !== null);
    put(this.name, replica.name ?? "");
    const others = replica.name === null ? [] : replica.seatedRooms().filter(({ room }) => room !== here);
    keyed(this.tables, others, ({ room }) => room, ({ room }) => el("a", { href: `#room=${room}` }),
      (link, room) => this.#update(link, room));
  }

  /** @param {HTMLAnchorElement} link
   *  @param {RoomState} room */
  #update(link, room) {
    const { replica } = this.app;
    const opponent = playerTitle(room.seats[1 - (seatIn(room) ?? 0)]);
    const isDue = room.state === "playing" && Boolean(replica.current(room.room)?.legal);
    put(link, `${replica.catalog.title(room.game)} · ${opponent}${isDue ? " · your turn" : ""}`);
    set(link, "class", isDue ? "due" : null);
  }

  /** A seat belongs to a name, so one has to leave it first. */
  #rename() {
    const { replica, notify, signOut } = this.app;
    if (replica.seatedRooms().length) notify("Leave your tables first: a seat belongs to your name.");
    else signOut();
  }
}
