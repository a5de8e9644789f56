/* A ladder as a view: what it is, the standings, the plot, the pairs, the crosstable. */

/** @import { LadderState, RatingPoint } from "../library/messages.js" */
/** @import { Catalog } from "../library/catalog.js" */
/** @import { Comparison } from "./comparison.js" */

import { el, keyed, put, show } from "../page/dom.js";
import { texts } from "../texts/ladders/words.js";
import { Crosstable } from "./crosstable.js";
import { Pairs } from "./pairs.js";
import { Plot } from "./plot.js";
import { Standings } from "./standings.js";
import { firstMoveText, ladderFacts, verdictText, waitText } from "./words.js";

export class LadderView {
  /** @param {string} name
   *  @param {Comparison} comparison */
  constructor(name, comparison) {
    this.comparison = comparison;
    this.name = el("h2", {}, name);
    this.facts = el("p", { class: "facts quiet" });
    this.first = el("p");
    this.verdict = el("p", { class: "verdict", role: "status", "aria-live": "polite" });
    this.waits = el("ul", { class: "waits", role: "status", "aria-live": "polite" });
    this.empty = el("p", {}, `${texts.noPairYet} `,
      el("code", {}, `plyhouse bot mcts --ladder ${name}`), `${texts.elsewhere} `, el("code", {}, `--url ${location.origin}`), ".");
    this.standings = new Standings();
    this.plot = new Plot();
    this.live = new Pairs("live", texts.live, texts.noLive);
    this.recent = new Pairs("recent", texts.recent, texts.noRecent);
    this.cross = new Crosstable();
    this.node = el("div", { class: "ladder" },
      el("section", { class: "card about" }, this.name, this.facts, this.first, this.verdict, this.waits, this.empty),
      this.standings.node, this.plot.node, this.live.node, this.recent.node, this.cross.node);
  }

  /** @param {LadderState} state
   *  @param {RatingPoint[]} history of the ratings
   *  @param {Catalog} catalog */
  show(state, history, catalog) {
    const { ladder, standings = [], live = [], recent = [], verdict = null, waits = [] } = state;
    put(this.name, ladder.name);
    put(this.facts, ladderFacts(ladder, catalog));
    put(this.first, firstMoveText(state));
    put(this.verdict, verdict ? verdictText(verdict) : "");
    keyed(this.waits, waits.map(waitText), (text) => text, () => el("li"), put);
    show(this.waits, waits.length > 0);
    for (const part of [this.first, this.verdict]) show(part, part.textContent !== "");
    const hasBegun = Boolean(ladder.pairs || state.rated);
    show(this.empty, !hasBegun && ladder.state === "running");
    show(this.standings.node, standings.length > 0);
    show(this.plot.node, hasBegun);
    show(this.live.node, ladder.state === "running");
    show(this.recent.node, hasBegun);
    this.standings.show(state, this.comparison);
    this.live.show(live);
    this.recent.show(recent);
    this.cross.show(state, this.comparison);
    if (hasBegun) this.plot.show(standings, history);
  }
}
