/* On one's own page: the devices that one's name is on, a link for one more, and the recovery code. */

/** @import { DeviceLine } from "../library/messages.js" */
/** @import { House } from "./house.js" */

import { Refusal } from "../library/connection.js";
import { hasCode } from "../library/seating.js";
import { el, nameNode, put, show } from "../page/dom.js";
import { Sharing } from "../page/sharing.js";
import { Sheet } from "../page/sheet.js";
import { texts } from "../texts/devices/words.js";
import { moment } from "./house.js";

const MINUTE_MS = 60_000;
const MAX_CODE = 40;

export class Devices {
  #hasCode = false;

  /** @param {House} house */
  constructor(house) {
    this.house = house;
    this.list = el("ul", { class: "list" });
    this.none = el("p", { class: "quiet" }, texts.none);
    const action = (/** @type {string} */ text, /** @type {() => unknown} */ act) =>
      el("button", { type: "button", onclick: () => house.attempt(act) }, text);
    this.node = el("section", { class: "card", id: "devices" }, el("h2", { tabindex: -1 }, texts.title),
      el("p", { class: "quiet" }, texts.about), this.list, this.none,
      el("div", { class: "row" }, action(texts.link, () => this.#link()), action(texts.recovery, () => this.#recovery())));
  }

  /** Show the devices, after one of them is cut off if its number is given.
   *  @param {number | null} [cut] */
  async fetch(cut = null) {
    const { devices, recovery = false } = await this.house.connection.request({ type: "devices", cut });
    this.list.replaceChildren(...devices.map((device) => this.#item(device)));
    this.#show(recovery);
  }

  /** @param {boolean} recovery */
  #show(recovery) {
    this.#hasCode = recovery;
    show(this.none, !recovery);
  }

  /** @param {DeviceLine} device */
  #item({ number, label = texts.unnamed, seen, linked = null, here = false, own = false }) {
    const when = own ? texts.own : here ? texts.here : texts.seen(moment(seen));
    const about = [when, linked === null ? "" : texts.linked(moment(linked))].filter(Boolean).join(" · ");
    const cut = el("button", { type: "button", "aria-label": texts.cutOff(label) }, texts.cut);
    cut.onblur = () => this.#ask(cut, label, false);
    cut.onclick = () => {
      if (cut.textContent === texts.sure) this.house.attempt(() => this.fetch(number));
      else this.#ask(cut, label, true);
    };
    return el("li", {}, el("div", { class: "grow" }, el("div", {}, nameNode(label)), el("div", { class: "quiet small" }, about)), own ? null : cut);
  }

  /** Nothing is cut off by one press.
   *  @param {HTMLElement} cut
   *  @param {string} label
   *  @param {boolean} isAsking */
  #ask(cut, label, isAsking) {
    put(cut, isAsking ? texts.sure : texts.cut);
    cut.ariaLabel = isAsking ? `${texts.sure} ${label}` : texts.cutOff(label);
  }

  /** A link that works once and soon. */
  async #link() {
    const { code, expires_ms: expiresMs } = await this.house.connection.request({ type: "link" });
    const minutes = texts.minutes({ minutes: Math.max(1, Math.floor(expiresMs / MINUTE_MS)) });
    new Sheet({ title: texts.link, look: "device" }, el("p", {}, nameNode(this.house.replica.name ?? "")),
      el("p", {}, `${texts.linkAbout} ${minutes}`), this.#sharing("device", code, texts.link).node).open();
  }

  /** @param {string} id
   *  @param {string} code
   *  @param {string} title */
  #sharing(id, code, title) {
    const sharing = new Sharing(id, (text) => this.house.notices.notify(text));
    sharing.show({ link: `${location.origin}/#link=${encodeURIComponent(code)}`, code, title });
    return sharing;
  }

  /** The code that is kept: the first one at once, another one for the one that there is, or that is lost. */
  async #recovery() {
    if (!this.#hasCode) return this.#keep(await this.#ofServer({}), new Sheet({ title: texts.recovery, look: "device keep" }));
    const field = el("input", { id: "old-code", autocomplete: "off", maxlength: MAX_CODE, required: true, spellcheck: "false" });
    const trouble = el("p", { class: "trouble", role: "alert" });
    const replace = (/** @type {{old?: string, lost?: boolean}} */ before, /** @type {string} */ no) => this.house.attempt(async () => {
      try {
        this.#keep(await this.#ofServer(before), sheet);
      } catch (error) {
        if (!(error instanceof Refusal) || !hasCode(error, "session/has-recovery")) throw error;
        put(trouble, no);
      }
    });
    const lost = el("button", { type: "button", "data-do": "lost", onclick: () => replace({ lost: true }, texts.tooNew) }, texts.lost);
    const sheet = new Sheet({ title: texts.recovery, look: "device keep" }, el("form", { onsubmit: (event) => {
      event.preventDefault();
      replace({ old: field.value }, texts.wrong);
    } }, el("p", {}, texts.old), el("label", { for: "old-code" }, texts.oldCode), field, trouble,
    el("div", { class: "row" }, el("button", { class: "primary" }, texts.replace)), el("p", {}, texts.lostAbout), el("div", { class: "row" }, lost)));
    sheet.open(field);
  }

  /** @param {{old?: string, lost?: boolean}} before the one that there is */
  async #ofServer(before) {
    const { code } = await this.house.connection.request({ type: "link", recovery: true, ...before });
    this.#show(true);
    return code;
  }

  /** @param {string} code
   *  @param {Sheet} sheet */
  #keep(code, sheet) {
    const name = this.house.replica.name ?? "";
    const text = new Sharing("recovery-code", (sentence) => this.house.notices.notify(sentence));
    text.show({ link: code, code: null, title: texts.code });
    sheet.body.replaceChildren(el("p", {}, texts.keep({ name })), this.#sharing("recovery", code, texts.recovery).node,
      el("div", { class: "link-field" }, el("label", { for: "recovery-code-link" }, texts.code), text.link),
      el("div", { class: "row" }, Object.assign(text.copy, { textContent: texts.copy }),
        el("button", { type: "button", onclick: () => print() }, texts.print)));
    sheet.open();
  }
}
