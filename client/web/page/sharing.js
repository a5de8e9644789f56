/* What one hands on: a link, its code, and both as a QR code.

   Over plain HTTP a page may neither use the clipboard nor the system's share sheet; then the link is
   copied the old way, or selected. */

import { words } from "../texts/words.js";
import { el, put, show } from "./dom.js";
import { qrPicture } from "./qr.js";

const { share: texts } = words;
const LOCAL = /^(localhost|127\.|\[::1\])/;

export class Sharing {
  #shown = "";

  /** `notify` shows a sentence for a while.
   *  @param {string} id
   *  @param {(text: string) => void} notify */
  constructor(id, notify) {
    this.notify = notify;
    this.link = el("input", { id: `${id}-link`, readonly: true, onfocus: () => { this.link.select(); } });
    this.code = el("output", { class: "code" });
    this.codeLine = el("p", { class: "coded" }, el("span", { class: "quiet" }, texts.code), " ", this.code);
    this.copy = el("button", { type: "button", onclick: () => this.#copy() }, texts.copy);
    this.share = el("button", { type: "button", onclick: () => this.#share() }, texts.share);
    this.picture = el("div", { class: "qr-place" });
    this.local = el("p", { class: "quiet" }, texts.thisMachine);
    const field = el("div", { class: "link-field" }, el("label", { for: `${id}-link` }, texts.link), this.link);
    this.node = el("div", { class: "sharing" }, this.picture, this.codeLine,
      el("div", { class: "row" }, this.copy, this.share), field, this.local);
  }

  /** `title` says what the link leads to.
   *  @param {{link: string, code: string | null, title: string}} what */
  show({ link, code, title }) {
    this.title = title;
    show(this.share, "share" in navigator);
    show(this.local, LOCAL.test(location.host));
    put(this.code, code ?? "");
    show(this.codeLine, code !== null);
    if (this.#shown === link) return;
    this.#shown = link;
    this.link.value = link;
    this.picture.replaceChildren(qrPicture(link, texts.qr));
  }

  async #copy() {
    this.notify(await copyText(this.link) ? texts.copied : texts.byHand);
  }

  async #share() {
    try {
      await navigator.share({ title: this.title, url: this.link.value });
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== "AbortError") await this.#copy();
    }
  }
}

/** Copy what stands in a field; else it is selected, and false.
 *  @param {HTMLInputElement} field */
async function copyText(field) {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.focus();
    field.select();
    return document.execCommand("copy"); // the only way without a secure context
  }
}
