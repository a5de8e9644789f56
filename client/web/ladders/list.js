/* All ladders of this server. */

import { el, keyed, put, show } from "../dom.js";
import { ladderPath } from "../wording.js";
import { ladderFacts } from "./words.js";

export class List {
  constructor() {
    this.none = el("p", {}, "There is no ladder here yet. One is opened with ",
      el("code", {}, "plyhouse ladder create NAME --game connect_four --clock 10+0.1"), ".");
    this.items = el("ul", { class: "list" });
    this.node = el("section", { class: "card" }, el("h2", {}, "Ladders"),
      el("p", { class: "quiet" }, "Bots against bots, rated, for as many days as it takes."), this.none, this.items);
  }

  show(ladders) {
    show(this.none, ladders.length === 0);
    keyed(this.items, ladders, (line) => line.name, ({ name }) => {
      const item = el("li");
      item.facts = el("div", { class: "quiet" });
      item.append(el("div", { class: "grow" }, el("a", { href: ladderPath(name) }, name), item.facts));
      return item;
    }, (item, line) => put(item.facts, ladderFacts(line)));
  }
}
