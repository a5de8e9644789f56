/* The sheet in which people choose how the page looks, sounds and behaves; each choice counts at once. */

/** @import { Choices } from "../library/settings.js" */
/** @typedef {{[Key in keyof Choices]: Choices[Key] extends boolean ? Key : never}[keyof Choices]} Switch */
/** @typedef {Exclude<keyof Choices, Switch>} List */

import { choose, onChoice, settings } from "../library/settings.js";
import { el, put, set, show } from "../page/dom.js";
import { Sheet } from "../page/sheet.js";
import { LANGUAGES, words } from "../texts/words.js";
import { askToNotify, noticeTrouble } from "./alerts.js";
import { play } from "./sounds.js";

const { settings: texts } = words;
const AUTO = "auto";

export class SettingsSheet {
  constructor() {
    const languages = Object.entries(LANGUAGES).map(([tag, { title }]) => /** @type {[string, string]} */ ([tag, title]));
    this.trouble = el("p", { class: "trouble small", id: "notify-trouble", role: "status" });
    this.sheet = new Sheet({ title: texts.title, look: "settings" },
      this.#list("colours", texts.colours, [[AUTO, texts.coloursAuto], ["light", texts.light], ["dark", texts.dark]]),
      this.#list("board", texts.board, [["calm", texts.calm], ["classic", texts.classic]]),
      this.#list("language", texts.language, [[AUTO, texts.languageAuto], ...languages]),
      this.#switch("sound", texts.sound), this.#switch("notify", texts.notify), this.trouble,
      this.#list("coordinates", texts.coordinates, [["usual", texts.coordinatesUsual], ["all", texts.coordinatesAll], ["none", texts.coordinatesNone]]),
      this.#switch("flip", texts.flip), this.#switch("confirm", texts.confirm),
      this.#list("plan", texts.plan, [["clock", texts.planClock], ["always", texts.planAlways], ["never", texts.planNever]]),
      this.#switch("motion", texts.motion),
      this.#switch("thoughts", texts.thoughts), this.#switch("chat", texts.chat),
      el("p", { class: "quiet small" }, texts.kept));
    onChoice(() => this.#update());
    this.#update();
  }

  open() {
    this.#update();
    this.sheet.open();
  }

  /** @param {List} key
   *  @param {string} label
   *  @param {[string, string][]} pairs */
  #list(key, label, pairs) {
    const id = `choose-${key}`;
    const select = el("select", { id, "data-setting": key, onchange: (event) => this.#chooseFrom(key, event.target.value) },
      ...pairs.map(([value, text]) => el("option", { value }, text)));
    return el("div", { class: "choice" }, el("label", { for: id }, label), select);
  }

  /** @param {Switch} key
   *  @param {string} label */
  #switch(key, label) {
    const id = `choose-${key}`;
    const box = el("input", { type: "checkbox", role: "switch", id, "data-setting": key, onchange: (event) => this.#turn(key, event.target.checked) });
    if (key === "notify") set(box, "aria-describedby", this.trouble.id);
    return el("label", { class: "choice", for: id }, el("span", {}, label), box);
  }

  /** @param {List} key
   *  @param {string} value */
  #chooseFrom(key, value) {
    choose({ [key]: value });
    if (key === "language") location.reload(); // words are loaded once
  }

  /** @param {Switch} key
   *  @param {boolean} isOn */
  async #turn(key, isOn) {
    choose({ [key]: isOn });
    if (key === "sound" && isOn) play("turn"); // this press allows the page to make itself heard
    if (key === "notify" && isOn) await askToNotify();
    this.#update();
  }

  #update() {
    for (const field of /** @type {NodeListOf<HTMLInputElement | HTMLSelectElement>} */ (this.sheet.node.querySelectorAll("[data-setting]"))) {
      const value = settings[/** @type {keyof Choices} */ (field.dataset.setting)];
      if (field instanceof HTMLSelectElement) field.value = String(value);
      else field.checked = value === true;
    }
    const trouble = settings.notify ? noticeTrouble() : "";
    put(this.trouble, trouble);
    show(this.trouble, trouble !== "");
  }
}
