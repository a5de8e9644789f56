/* What the pages of a match and of a person have in common: the way to the server, and what stands
   around the page.  A person with a name in this browser comes by it, for private matches are shown to
   those who played them; everybody else is a guest. */

/** @import { AnyPush, Player } from "../library/messages.js" */

import { Connection, Refusal, socketUrl } from "../library/connection.js";
import { fullName, Replica } from "../library/replica.js";
import { read, write } from "../library/storage.js";
import { personPath, playerTitle } from "../library/words.js";
import { Announcer } from "../page/announcer.js";
import { byId, el, put } from "../page/dom.js";
import { icon } from "../page/icons.js";
import { Notices } from "../page/notices.js";
import { SettingsSheet } from "../settings/settings_sheet.js";
import { words } from "../texts/words.js";

const { past: texts } = words;

export class House {
  replica = new Replica();
  announcer = new Announcer();
  #token = read("token");

  /** `receive(message)` gets what comes unasked, each welcome first of all.
   *  @param {(message: AnyPush) => void} receive */
  constructor(receive) {
    this.receive = receive;
    this.connection = new Connection(socketUrl(), (message) => this.#receive(message), () => this.#changed());
    const { connection } = this;
    this.notices = new Notices({ hurry: () => connection.hurry(), again: () => this.enter() });
    const sheet = new SettingsSheet();
    const { title } = words.settings;
    document.querySelector(".top")?.append(el("button", {
      type: "button", class: "gear", "data-do": "settings", "aria-label": title, title, onclick: () => sheet.open(),
    }, icon("settings")));
    document.body.append(this.announcer.node);
    addEventListener("online", () => connection.hurry());
    document.addEventListener("visibilitychange", () => !document.hidden && connection.hurry());
  }

  /** Whether one has come by one's own name. */
  get isNamed() {
    return this.#token !== null;
  }

  enter() {
    this.connection.enter(this.#token ? { token: this.#token } : {});
  }

  /** Do something for the person.  A refusal is shown as its sentence.
   *  @param {() => unknown} work */
  async attempt(work) {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.notices.notify(error.message);
    }
  }

  /** Name the page, in its header and in the tab.
   *  @param {string} title */
  entitle(title) {
    put(byId("where"), title);
    document.title = `${title} · Plyhouse`;
  }

  /** @param {AnyPush} message */
  #receive(message) {
    this.replica.receive(message);
    if (message.type === "welcome" && message.token && this.#token) {
      this.#token = message.token;
      write("token", message.token);
    }
    this.notices.hear(message);
    this.receive(message);
  }

  #changed() {
    const { state, trouble } = this.connection;
    if (state === "closed" && trouble && this.#token) { // whose it was here, it is no more: look on as a guest
      this.#token = null;
      this.connection.enter({});
    }
    this.notices.showConnection(this.connection);
  }
}

/** Somebody's name as a link to their page; a name that is not theirs any more leads nowhere, and says so.
 *  @param {Player} player */
export const playerLink = (player, isFormer = false) => (isFormer
  ? el("span", { class: "name former", title: texts.formerWhy }, el("bdi", {}, playerTitle(player)), ` (${texts.former})`)
  : el("a", { class: "name", href: personPath(player), title: fullName(player) }, el("bdi", {}, playerTitle(player))));

/** A day and an hour as the reader writes them.
 *  @param {number} at in ms since 1970 */
export const moment = (at) => new Date(at).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });

/** A day as the reader writes it.
 *  @param {number} at in ms since 1970 */
export const day = (at) => new Date(at).toLocaleDateString(document.documentElement.lang, { dateStyle: "medium" });
