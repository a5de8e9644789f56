/* A dialog before something is done to somebody: what, for how long, and why. */

/** @import { Fields } from "./api.js" */

import { el } from "../page/dom.js";
import { texts } from "../texts/admin/words.js";

/** How long something holds: what the server reads, and what people read. */
export const TIMES = Object.entries(texts.times);

/** What is to be confirmed.  `timed`: it may hold for a while; `reasoned`: it can be given a reason;
 *  `named`: it is about a player of a ladder.
 *  @typedef {object} Question
 *  @property {string} title
 *  @property {string} consequence
 *  @property {string} done what the button says
 *  @property {boolean} [timed]
 *  @property {boolean} [reasoned]
 *  @property {boolean} [named] */

/** A select of times.
 *  @param {[string, string][]} times */
export function timeChoice(times) {
  return el("select", { name: "for" }, ...times.map(([value, text]) => el("option", { value }, text)));
}

/** Ask, and return what was chosen, or null where the host thinks better of it.
 *  @param {Question} question
 *  @returns {Promise<Fields | null>} */
export function confirmed({ title, consequence, done, timed = false, reasoned = false, named = false }) {
  const time = timeChoice(TIMES);
  const why = el("input", { type: "text", maxlength: 200, autocomplete: "off" });
  const player = el("input", { type: "text", maxlength: 200, autocomplete: "off" });
  const dialog = el("dialog", { "aria-labelledby": "question" },
    el("form", { method: "dialog" },
      el("h2", { id: "question" }, title), el("p", {}, consequence),
      timed ? el("label", {}, texts.howLong, time) : null,
      reasoned ? el("label", {}, texts.why, why) : null,
      named ? el("label", {}, texts.player, player) : null,
      el("div", { class: "row" },
        el("button", { value: "no", autofocus: true }, texts.leaveIt),
        el("button", { value: "yes", class: "danger" }, done))));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (dialog.returnValue !== "yes") resolve(null);
      else {
        resolve({
          ...(timed ? { for: time.value } : {}), ...(reasoned ? { why: why.value } : {}),
          ...(named ? { player: player.value } : {}),
        });
      }
    });
  });
}
