/* What the page says outside of any view: refusals, and the state of the connection.  It floats above
   the header, and moves nothing. */

/** @import { Connection } from "../library/connection.js" */
/** @import { AnyPush } from "../library/messages.js" */

import { sentence } from "../library/words.js";
import { words } from "../texts/words.js";
import { byId, el, keyed, put, show } from "./dom.js";

/** @typedef {{key: number, text: string}} Notice */

const { connection: texts } = words;
const NOTICE_MS = 8_000;
const BACK_MS = 6_000; // how long "connected again" stays
const NOTICES = 4; // at once

export class Notices {
  /** @type {Notice[]} */
  #notices = [];
  /** @type {Notice[]} */
  #kept = [];
  #count = 0;
  #wasLost = false;
  #backUntil = 0;

  /** `hurry()` tries to connect now; `again()` connects after the page had given up.
   *  @param {{hurry: () => void, again: () => void}} actions */
  constructor({ hurry, again }) {
    this.list = byId("notices");
    this.bar = byId("link");
    const above = el("div", { class: "above" }); // all of it has one place, above what else there is
    this.bar.before(above);
    above.append(this.bar, byId("invitations"), this.list);
    this.text = el("span");
    this.now = el("button", { type: "button", onclick: () => hurry() }, texts.tryNow);
    this.again = el("button", { type: "button", onclick: () => again() }, texts.connectHere);
    this.bar.append(this.text, this.now, this.again);
  }

  /** Show a sentence for a while.
   *  @param {string} text */
  notify(text) {
    const notice = { key: ++this.#count, text: sentence(text) };
    this.#notices = [...this.#notices.filter((other) => other.text !== notice.text), notice].slice(-NOTICES);
    setTimeout(() => this.#dismiss(notice), NOTICE_MS);
    this.#list();
  }

  /** Show a sentence until it is dismissed: it comes only once.
   *  @param {string} text */
  keep(text) {
    this.#kept.push({ key: ++this.#count, text }); // as it was said
    this.#list();
  }

  /** Show what the host says, and what was done with one's name on another device.
   *  @param {AnyPush} message */
  hear(message) {
    if (message.type === "notice") this.keep(message.text);
    if (message.type === "device_news") this.keep(texts.deviceNews(message));
  }

  /** The bar at the top: while the connection is lost, for a moment when it is back, and when it is
   *  over.
   *  @param {Connection} connection */
  showConnection(connection) {
    const { state, trouble, outage } = connection;
    if (state === "lost") this.#wasLost = true;
    if (state === "linked" && this.#wasLost) {
      this.#wasLost = false;
      this.#backUntil = performance.now() + BACK_MS;
      setTimeout(() => this.showConnection(connection), BACK_MS + 50);
    }
    const isBack = state === "linked" && performance.now() < this.#backUntil;
    const isTrying = this.#wasLost && (state === "lost" || state === "entering");
    const reason = trouble ? ` ${sentence(trouble.message)}` : "";
    const lasting = state === "over" ? texts.over(reason) : isBack ? outage ? texts.backAfter(outage) : texts.back : "";
    put(this.text, isTrying ? texts.trying(reason) : lasting);
    show(this.now, state === "lost");
    show(this.again, state === "over");
    show(this.bar, this.text.textContent !== "");
    this.bar.className = isBack ? "good" : "bad";
  }

  /** @param {Notice} notice */
  #dismiss(notice) {
    this.#notices = this.#notices.filter((other) => other !== notice);
    this.#kept = this.#kept.filter((other) => other !== notice);
    this.#list();
  }

  #list() {
    keyed(this.list, [...this.#kept, ...this.#notices], ({ key }) => key, (notice) =>
      el("div", { class: "notice" }, el("span", {}, notice.text),
        el("button", { type: "button", "aria-label": texts.dismiss, onclick: () => this.#dismiss(notice) }, "×")));
  }
}
