/* What a bot calls best in the position on the board: a list that grows better while it looks further.
   To point at an action shows it on the board, to press it plays it. */

/** @import { Considered } from "../library/messages.js" */

import { actionText, optionText } from "../analysis/rows.js";
import { ofBot } from "../library/words.js";
import { el, keyed, put, set, show } from "../page/dom.js";
import { texts } from "../texts/study/words.js";

export class BestActions {
  /** `play(action)` plays one; `point(action)` shows one, or null: the best.
   *  @param {{play: (action: string) => unknown, point: (action: string | null) => unknown}} actions */
  constructor({ play, point }) {
    this.play = play;
    this.point = point;
    this.list = el("ol", { class: "options", "aria-label": texts.best });
    this.about = el("p", { class: "quiet", "aria-live": "polite" });
    this.node = el("div", { class: "strip best-actions" }, this.list, this.about);
  }

  /** `about`: a sentence that stands there besides, such as why there is nothing.
   *  @param {Considered | null} considered
   *  @param {{isLooking: boolean, about: string}} look */
  show(considered, { isLooking, about }) {
    const { options = [], unit = "value", by = "" } = considered?.consideration ?? {};
    keyed(this.list, options, ({ action }) => action, ({ action }) => this.#item(action), (item, option, index) => {
      set(item, "class", index === 0 ? "best" : null);
      put(item.action, actionText(option.action, { ply: 0, seat: 0, action: option.action, cube: true }));
      put(item.worth, optionText(option, unit));
      put(item.note, ofBot(option.note ?? ""));
    });
    show(this.list, options.length > 0);
    const said = considered ? texts.by({ bot: considered.bot, by }) : "";
    put(this.about, about || (isLooking ? (said ? texts.deeper(said) : texts.thinking) : said));
  }

  /** @param {string} name */
  #item(name) {
    const action = el("span", { class: "name" });
    const worth = el("span", { class: "value" });
    const note = el("span", { class: "note quiet" });
    const [show_, hide] = [() => this.point(name), () => this.point(null)];
    const button = el("button", { type: "button", "data-action": name, onclick: () => this.play(name), onpointerenter: show_,
      onpointerleave: hide, onfocus: show_, onblur: hide }, el("span", { class: "swatch", "aria-hidden": "true" }), action, worth, note);
    return Object.assign(el("li", {}, button), { action, worth, note });
  }
}
