/* By what backgammon with the cube is played: a part of the form of a new table, remembered between visits. */

/** @import { Options } from "../library/messages.js" */

import { CUBE_GAME } from "../library/series.js";
import { read, write } from "../library/storage.js";
import { el, set, show } from "../page/dom.js";
import { words } from "../texts/words.js";

const { terms: texts } = words.lobby;
const MONEY = "money";
const LENGTHS = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25]; // of matches, in points
const KEPT = "cube";
const USUAL = { length: "5", start: "standard", cube: true, jacoby: true, beavers: false }; // money is mostly played with Jacoby

export class CubeTerms {
  constructor() {
    const kept = { ...USUAL, .../** @type {Partial<typeof USUAL>} */ (read(KEPT, {})) };
    const keep = () => this.#keep();
    this.length = select("length", [[MONEY, texts.money], ...LENGTHS.map((points) => /** @type {[string, string]} */ ([String(points), texts.points(points)]))], kept.length, keep);
    this.start = select("start", Object.entries(texts.starts), kept.start, keep);
    this.cube = box("with-cube", kept.cube, keep);
    this.jacoby = box("jacoby", kept.jacoby, keep);
    this.beavers = box("beavers", kept.beavers, keep);
    this.money = el("div", { class: "checks" },
      check("jacoby", this.jacoby, texts.jacoby, texts.jacobyWhy), check("beavers", this.beavers, texts.beavers, texts.beaversWhy));
    this.node = el("div", { class: "cube-terms", role: "group", "aria-label": texts.cube },
      el("div", { class: "fields" }, field("length", texts.length, this.length), field("start", texts.start, this.start)),
      el("div", { class: "checks" }, check("with-cube", this.cube, texts.cube)), this.money);
  }

  /** @param {string} game that is chosen */
  show(game) {
    show(this.node, game === CUBE_GAME);
    show(this.money, this.length.value === MONEY);
    for (const rule of [this.jacoby, this.beavers]) set(rule, "disabled", !this.cube.checked);
  }

  /** What is chosen, for a game that is played by it.
   *  @param {string} game
   *  @returns {Partial<Options>} */
  options(game) {
    if (game !== CUBE_GAME) return {};
    const isMoney = this.length.value === MONEY;
    const rules = isMoney && this.cube.checked ? { jacoby: this.jacoby.checked, beavers: this.beavers.checked } : {};
    return { ...rules, points: isMoney ? null : Number(this.length.value), cube: this.cube.checked, start: this.start.value };
  }

  #keep() {
    write(KEPT, { length: this.length.value, start: this.start.value, cube: this.cube.checked, jacoby: this.jacoby.checked, beavers: this.beavers.checked });
    this.show(CUBE_GAME);
  }
}

/** @param {string} id
 *  @param {[string, string][]} pairs
 *  @param {string} chosen
 *  @param {() => void} onchange */
function select(id, pairs, chosen, onchange) {
  const node = el("select", { id, onchange }, ...pairs.map(([value, text]) => el("option", { value }, text)));
  node.value = chosen;
  if (node.selectedIndex < 0) node.selectedIndex = 0;
  return node;
}

/** @param {string} id
 *  @param {string} label
 *  @param {HTMLElement} control */
const field = (id, label, control) => el("div", { class: "field" }, el("label", { for: id }, label), control);

/** @param {string} id
 *  @param {boolean} checked
 *  @param {() => void} onchange */
const box = (id, checked, onchange) => Object.assign(el("input", { type: "checkbox", id, onchange }), { checked });

/** @param {string} id
 *  @param {HTMLElement} control
 *  @param {string} label
 *  @param {string} [about] */
const check = (id, control, label, about = "") => el("label", { class: "check", for: id }, control, el("span", {}, label),
  about ? el("small", { class: "quiet" }, about) : null);
