/* What the host types: somebody who is in no list, and a ladder to open. */

/** @import { Act } from "./lists.js" */
/** @import { Question } from "./question.js" */

import { el } from "../page/dom.js";
import { texts } from "../texts/admin/words.js";
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

/** A label and its field.
 *  @param {string} id
 *  @param {string} label
 *  @param {Record<string, string | number | boolean>} more */
function field(id, label, more) {
  const input = el("input", { type: "text", id, maxlength: 100, autocomplete: "off", ...more });
  return { input, node: el("div", { class: "grow" }, el("label", { for: id }, label), input) };
}

/** @param {string} title
 *  @param {(event: Event) => unknown} onsubmit
 *  @param {Node[]} parts */
const card = (title, onsubmit, parts) => el("section", { class: "card" }, el("h2", {}, title),
  el("form", { class: "row", onsubmit }, ...parts));

/** @param {Act} act */
export function absentCard(act) {
  const of = field("of", texts.absent.label, { required: true });
  const buttons = VERBS.map(([verb, name, text, question]) => el("button", { type: "button", onclick: () => {
    const value = of.input.value.trim();
    if (of.input.reportValidity() && value !== "") act(verb, { [name]: value }, question(value));
  } }, text));
  return card(texts.absent.title, (event) => event.preventDefault(), [of.node, ...buttons]);
}

/** @param {Act} act */
export function ladderCard(act) {
  const { labels, title, button } = texts.openLadder;
  const fields = {
    ladder: field("new-ladder", labels.ladder, { required: true }),
    game: field("new-game", labels.game, { required: true, placeholder: "connect_four" }),
    clock: field("new-clock", labels.clock, { required: true, placeholder: "10s+0.1s" }),
    format: field("new-format", labels.format, { placeholder: "endless" }),
    members: field("new-members", labels.members, { placeholder: "ann, bob" }),
    code: field("new-code", labels.code, {}),
    siblings: field("new-siblings", labels.siblings, { type: "checkbox" }),
    by_owner: field("new-by-owner", labels.by_owner, { type: "checkbox" }),
  };
  return card(title, async (event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.currentTarget);
    const given = Object.entries(fields).map(([name, { input }]) =>
      [name, input.type !== "checkbox" ? input.value : input.checked ? "true" : ""]);
    const done = await act("ladder", { act: "open", ...Object.fromEntries(given) }, null);
    if (done) form.reset();
  }, [...Object.values(fields).map(({ node }) => node), el("button", { class: "primary" }, button)]);
}
