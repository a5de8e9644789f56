/* Below the lobby: the matches that one has played last, with their ends as small boards. */

/** @import { App } from "../page/app.js" */
/** @import { MatchLine } from "../library/messages.js" */

import { Refusal } from "../library/connection.js";
import { fullName } from "../library/replica.js";
import { gameOfSeries } from "../library/series.js";
import { matchPath, named } from "../library/words.js";
import { el, keyed, put, set, show } from "../page/dom.js";
import { words } from "../texts/words.js";
import { SmallBoard } from "./small_board.js";

const { lobby: texts } = words;
const MATCHES = 6;

export class LastMatches {
  /** @type {MatchLine[]} */
  #lines = [];
  /** @type {string | null} */
  #whose = null; // the name that they were asked for; null: they may have changed

  /** `onChange` is called when they have come.
   *  @param {App} app
   *  @param {() => void} onChange */
  constructor(app, onChange) {
    this.app = app;
    this.onChange = onChange;
    this.list = el("ul", { class: "list matches" });
    this.all = el("a", {}, texts.all);
    this.node = el("section", { class: "card last-matches" },
      el("div", { class: "row between" }, el("h2", {}, texts.last), this.all), this.list);
    addEventListener("hashchange", () => { this.#whose = null; }); // a person who comes back may have played
  }

  show() {
    const { replica, connection } = this.app;
    if (this.#whose !== replica.name && connection.state === "linked") this.#fetch();
    const me = replica.name ?? "";
    set(this.all, "href", `/person/${encodeURIComponent(me)}`);
    keyed(this.list, this.#lines, ({ match }) => match, () => this.#item(), (item, line) => {
      const title = replica.catalog.title(line.game);
      item.board.show(line.game, line.position);
      put(item.about, resultText(line, me));
      put(item.detail, [title, gameOfSeries(line.series, line.result)].filter(Boolean).join(" · "));
      set(item.link, "href", matchPath(line.match, line.code));
    });
    show(this.node, this.#lines.length > 0);
  }

  #item() {
    const [about, detail, board] = [el("span", { class: "about" }), el("span", { class: "quiet" }), new SmallBoard()];
    const link = el("a", { class: "tile" }, board.node, about, detail);
    return Object.assign(el("li", {}, link), { about, detail, board, link });
  }

  async #fetch() {
    const { connection, replica } = this.app;
    const { name } = replica;
    this.#whose = name;
    const lines = await connection.request({ type: "matches", who: name, limit: MATCHES }).then(({ matches }) => matches,
      (refusal) => {
        if (refusal instanceof Refusal) return []; // without them the lobby is still the lobby
        throw refusal;
      });
    if (name !== replica.name) return;
    this.#lines = lines;
    this.onChange();
  }
}

/** How a match ended for somebody, and against whom.
 *  @param {MatchLine} line
 *  @param {string} me */
function resultText({ seats, result, former = [] }, me) {
  const seat = seats.findIndex((player, index) => fullName(player) === me && !former.includes(/** @type {0 | 1} */ (index)));
  const name = named(seats[seat === 0 ? 1 : 0]);
  if (result.how === "abort" || result.how === "void") return texts.off({ name });
  if ((result.winner ?? null) === null) return texts.drawn({ name });
  return result.winner === seat ? texts.won({ name }) : texts.lost({ name });
}
