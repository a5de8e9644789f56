/* The sheets of the analysis board: another position or game, and what one takes along: link, text, picture. */

import { boardPath } from "../library/words.js";
import { el, setOptions } from "../page/dom.js";
import { Sharing } from "../page/sharing.js";
import { Sheet } from "../page/sheet.js";
import { texts } from "../texts/study/words.js";
import { savePicture } from "./picture_file.js";
import { setUpOf } from "./set_up.js";

/** Ask for a position as text, or another game; `put(game, text)` puts it on the board, and may be refused
 *  (a null game: the one that the text is of).
 *  @param {{game: string, position: string, games: [string, string][], put: (game: string | null, text: string | null) => Promise<void>}} from */
export function askPosition({ game, position, games, put }) {
  const select = el("select", { id: "study-game" });
  setOptions(select, games);
  select.value = game;
  const field = el("textarea", { id: "study-position", rows: 3, maxlength: 4_000, spellcheck: "false", autocapitalize: "off" }, position);
  const setUp = setUpOf(game, position, (text) => { field.value = text; });
  const trouble = el("p", { class: "trouble", role: "alert" });
  const done = async (/** @type {string | null} */ of, /** @type {string | null} */ text) => {
    try {
      await put(of, text);
      sheet.close();
    } catch (error) {
      trouble.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  const read = () => done(select.value === game ? null : select.value, field.value).catch(() => null);
  const form = el("form", { class: "study-form", onsubmit: (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    read();
  } },
  el("label", { for: "study-game" }, texts.game), select,
  el("p", { class: "row" }, el("button", { type: "button", onclick: () => done(select.value, null) }, texts.first)),
  setUp?.node ?? null,
  el("label", { for: "study-position" }, texts.positionAbout), field, trouble,
  el("button", { type: "submit", class: "primary" }, texts.put), el("a", { href: "/imported" }, texts.files));
  const sheet = new Sheet({ title: texts.position, look: "study" }, form);
  sheet.open();
}

/** Hand on a position: its link, itself as text, and a picture of it.
 *  @param {{game: string, position: string, title: string, picture: SVGElement, notify: (text: string) => void}} what */
export function sharePosition({ game, position, title, picture, notify }) {
  const sharing = new Sharing("study", notify);
  sharing.show({ link: location.origin + boardPath(game, position), code: null, title });
  const text = new Sharing("study-text", notify);
  text.show({ link: position, code: null, title });
  const own = el("div", { class: "study-text" }, el("label", { for: "study-text-link" }, texts.text), text.link, el("div", { class: "row" },
    Object.assign(text.copy, { textContent: texts.copyText }),
    el("button", { type: "button", "data-do": "picture", onclick: () => savePicture(picture, game) }, texts.picture)));
  new Sheet({ title: texts.share, look: "share" }, sharing.node, own).open();
}
