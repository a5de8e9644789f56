/* All ladders of this server. */

/** @import { LadderLine } from "../library/messages.js" */
/** @import { Catalog } from "../library/catalog.js" */

import { ladderPath } from "../library/words.js";
import { el, keyed, put, show } from "../page/dom.js";
import { texts } from "../texts/ladders/words.js";
import { ladderFacts } from "./words.js";

export class LadderListView {
  constructor() {
    this.none = el("p", {}, `${texts.noLadder} `,
      el("code", {}, "plyhouse ladder create NAME --game connect_four --clock 10s+0.1s"), ".");
    this.items = el("ul", { class: "list" });
    this.node = el("section", { class: "card" }, el("h2", {}, texts.ladders),
      el("p", { class: "quiet" }, texts.laddersAbout), this.none, this.items);
  }

  /** @param {LadderLine[]} ladders
   *  @param {Catalog} catalog */
  show(ladders, catalog) {
    show(this.none, ladders.length === 0);
    keyed(this.items, ladders, ({ name }) => name, ladderItem,
      (item, ladder) => put(item.facts, ladderFacts(ladder, catalog)));
  }
}

/** @param {LadderLine} ladder */
function ladderItem({ name }) {
  const facts = el("div", { class: "quiet" });
  const link = el("a", { href: ladderPath(name) }, name);
  return Object.assign(el("li", {}, el("div", { class: "grow" }, link, facts)), { facts });
}
