/* What is done to somebody who is in no list: a name or an address is typed. */

/** @import { Act } from "./lists.js" */
/** @import { Question } from "./question.js" */

import { el } from "../page/dom.js";
import { words as texts } from "../texts/admin/words.js";
import { banning, closing, kicking, muting, releasing } from "./lists.js";

/** By verb: the field that says of whom, what the button says, and what is asked first.
 *  @type {[string, string, string, (of: string) => Question][]} */
const VERBS = [
  ["kick", "name", texts.kick.button, kicking],
  ["mute", "target", texts.mute.button, muting],
  ["ban", "target", texts.ban.button, banning],
  ["close", "of", texts.closeAll.button, closing],
  ["release", "name", texts.release.button, releasing],
];

/** @param {Act} act */
export function absentCard(act) {
  const of = el("input", { type: "text", id: "of", maxlength: 100, autocomplete: "off", required: true });
  const buttons = VERBS.map(([verb, field, text, question]) => el("button", { type: "button", onclick: () => {
    const value = of.value.trim();
    of.setCustomValidity("");
    if (of.reportValidity() && value !== "") act(verb, { [field]: value }, question(value));
  } }, text));
  return el("section", { class: "card" }, el("h2", {}, texts.absent.title),
    el("form", { class: "row", onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
      el("div", { class: "grow" }, el("label", { for: "of" }, texts.absent.label), of), ...buttons));
}
