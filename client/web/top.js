/* The line at the top of the page: the tables where one sits, and one's name. */

import { el, keyed, put, set, show } from "./dom.js";
import { gameTitle, playerTitle } from "./wording.js";
import { seatIn } from "./house.js";

export class Top {
  constructor(document, app) {
    this.app = app;
    this.tables = document.getElementById("tables");
    this.name = el("span", { class: "name" });
    this.rename = el("button", { type: "button", class: "link", onclick: () => this.#rename() }, "Change name");
    this.me = document.getElementById("me");
    this.me.append(this.name, this.rename);
  }

  show(here) {
    const { house } = this.app;
    show(this.me, house.name !== null);
    put(this.name, house.name ?? "");
    const others = house.name === null ? [] : house.mine().filter((room) => room.room !== here);
    keyed(this.tables, others, (room) => room.room,
      (room) => el("a", { href: `#room=${room.room}` }),
      (link, room) => this.#table(link, room));
  }

  #table(link, room) {
    const seat = seatIn(room);
    const yours = room.state === "playing" && this.app.house.current(room.room)?.legal;
    put(link, `${gameTitle(room.game)} · ${playerTitle(room.seats[1 - seat])}${yours ? " · your turn" : ""}`);
    set(link, "class", yours ? "due" : null);
  }

  /* A seat belongs to a name, so one gets up first. */
  #rename() {
    const { house, tell, signOut } = this.app;
    if (house.mine().length) tell("Leave your tables first: a seat belongs to your name.");
    else signOut();
  }
}
