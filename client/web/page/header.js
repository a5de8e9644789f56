/* The header of the page: the tables where one sits, and one's name with what can be done about it. */

/** @import { App } from "./app.js" */
/** @import { RoomState } from "../library/messages.js" */

import { seatIn } from "../library/replica.js";
import { playerTitle } from "../library/words.js";
import { words } from "../texts/words.js";
import { byId, el, keyed, put, set, show } from "./dom.js";

const { share: texts } = words;

export class Header {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.tables = byId("tables");
    this.name = el("bdi", { class: "name" });
    this.past = el("a", {}, texts.past);
    this.devices = el("a", {}, texts.devices);
    const action = (/** @type {string} */ text, /** @type {() => unknown} */ act) =>
      el("button", { type: "button", onclick: () => this.#close(act) }, text);
    this.menu = el("div", { id: "me-menu", class: "menu", popover: "auto" }, this.past,
      this.devices, action(texts.rename, () => this.#rename()));
    this.button = el("button", { type: "button", class: "mine", popovertarget: "me-menu" }, this.name);
    this.menu.addEventListener("beforetoggle", () => this.#placeMenu());
    this.me = byId("me");
    this.me.append(this.button, this.menu);
  }

  /** Show the tables but the one of this room, which is on the page.
   *  @param {number | null} here */
  show(here) {
    const { replica } = this.app;
    show(this.me, replica.name !== null);
    put(this.name, replica.name ?? "");
    set(this.button, "title", replica.name);
    const own = `/person/${encodeURIComponent(replica.name ?? "")}`;
    set(this.past, "href", own);
    set(this.devices, "href", `${own}#devices`);
    const others = replica.name === null ? [] : replica.seatedRooms().filter(({ room }) => room !== here);
    keyed(this.tables, others, ({ room }) => room, ({ room }) => el("a", { href: `#room=${room}` }, el("span", { class: "game-title" }), el("span")),
      (link, room) => this.#update(link, room));
  }

  /** @param {HTMLAnchorElement} link
   *  @param {RoomState} room */
  #update(link, room) {
    const { replica } = this.app;
    const opponent = playerTitle(room.seats[1 - (seatIn(room) ?? 0)]);
    const isDue = room.state === "playing" && Boolean(replica.current(room.room)?.legal);
    put(link.children[0], `${replica.catalog.title(room.game)} · `);
    put(link.children[1], isDue ? texts.due({ table: opponent }) : opponent);
    set(link, "class", isDue ? "due" : null);
  }

  /** Below the name, and as far to the right as it reaches. */
  #placeMenu() {
    const { bottom, right } = this.button.getBoundingClientRect();
    const { clientWidth } = document.documentElement;
    Object.assign(this.menu.style, { top: `${bottom}px`, right: `${Math.max(0, clientWidth - right)}px` });
  }

  /** Close the menu, and do what was chosen in it; the focus is on the name again.
   *  @param {() => unknown} act */
  #close(act) {
    this.menu.hidePopover();
    this.button.focus();
    return act();
  }

  /** A seat belongs to a name, so one has to leave it first. */
  #rename() {
    const { replica, notify, signOut } = this.app;
    if (replica.seatedRooms().length) notify(texts.leaveFirst);
    else signOut();
  }
}
