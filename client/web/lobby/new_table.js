/* The ways to play: a bot at once, whoever wants the same, a friend by a link, or the first who comes to an open table. */

/** @import { App } from "../page/app.js" */
/** @import { ClockOptions } from "../library/messages.js" */
/** @import { Replica } from "../library/replica.js" */
/** @import { Invitation } from "../library/seating.js" */

import { read, write } from "../library/storage.js";
import { rollsForStart } from "../library/series.js";
import { formatClock } from "../library/words.js";
import { el, put, set, show } from "../page/dom.js";
import { OpponentChoice } from "../page/opponent_choice.js";
import { rulesButton } from "../rules/rules.js";
import { words } from "../texts/words.js";
import { CubeTerms } from "./cube_terms.js";
import { GameCards } from "./game_cards.js";

/** @typedef {"bot" | "find" | "friend" | "table"} Way */

const { lobby: texts } = words;
/** @type {(ClockOptions | null)[]} */
const CLOCKS = [
  null,
  { base_ms: 60_000, increment_ms: 1_000 },
  { base_ms: 180_000, increment_ms: 2_000 },
  { base_ms: 300_000, increment_ms: 3_000 },
  { base_ms: 900_000, increment_ms: 10_000 },
  { per_move_ms: 10_000 },
  { per_move_ms: 30_000 },
  { per_move_days: 1 },
  { per_move_days: 3 },
  { per_move_days: 7 },
];
const ANY = "any";

export class NewTable {
  #isBusy = false;

  /** `onChange` is called when somebody has chosen.
   *  @param {App} app
   *  @param {() => void} onChange */
  constructor(app, onChange) {
    this.app = app;
    const changed = () => {
      this.show(app.replica);
      onChange();
    };
    this.heading = el("h2", { tabindex: -1 }, texts.choose);
    this.cards = new GameCards(changed);
    this.opponent = new OpponentChoice("rival", changed);
    this.against = el("small");
    const play = () => this.#open("bot", this.opponent.value());
    this.bot = el("button", { type: "button", class: "primary big", "data-way": "bot", onclick: play },
      el("span", {}, texts.bot), this.against);
    this.find = this.#way("find", texts.find, texts.findAbout);
    this.friend = this.#way("friend", texts.friend, texts.friendAbout);
    this.table = this.#way("table", texts.table, texts.tableAbout);
    this.terms = new CubeTerms();
    this.clock = select("clock", [...CLOCKS.map((clock, index) => /** @type {[string, string]} */ ([String(index), formatClock(clock)])), [ANY, words.common.anyClock]], read("clock", 0));
    const { first, second, any } = texts.seats;
    this.seat = select("seat", [["0", first], ["1", second], [ANY, any]], read("seat", "0"));
    this.order = field("seat", texts.seat, this.seat);
    this.rated = el("input", { type: "checkbox", id: "rated", "aria-describedby": "rated-why" });
    this.rated.checked = read("rated", false);
    this.clock.onchange = () => {
      write("clock", this.clock.value);
      changed();
    };
    this.seat.onchange = () => write("seat", this.seat.value);
    this.rated.onchange = () => write("rated", this.rated.checked);
    this.node = el("section", { class: "card new-table" },
      el("div", { class: "row head" }, this.heading, rulesButton(() => this.game)), this.cards.node, this.opponent.node, this.bot,
      el("div", { class: "ways" }, this.find, this.friend, this.table), this.terms.node,
      el("div", { class: "fields terms" }, field("clock", texts.clock, this.clock), this.order,
        el("label", { class: "check", for: "rated" }, this.rated, el("span", {}, texts.rated),
          el("small", { class: "quiet", id: "rated-why" }, texts.ratedWhy))));
  }

  /** @param {Replica} replica */
  show({ games, lobby, catalog }) {
    this.cards.show(games, catalog);
    this.terms.show(this.cards.game);
    show(this.order, !rollsForStart(this.cards.game));
    this.opponent.show(this.cards.game, lobby?.bots ?? []);
    show(this.opponent.node, this.opponent.isKnown);
    const { isPossible, isKnown, text } = this.opponent;
    put(this.against, isPossible ? text : lobby === null ? "…" : isKnown ? texts.allBusy : texts.noBot);
    set(this.bot, "disabled", !isPossible);
    set(this.node, "aria-busy", this.#isBusy ? "true" : null);
    set(this.rated, "disabled", !this.#clock);
  }

  /** The clock that is chosen; null: none, or any. */
  get #clock() {
    return CLOCKS[Number(this.clock.value)] ?? null;
  }

  /** Which game is chosen. */
  get game() {
    return this.cards.game;
  }

  /** Choose a bot by its full name.
   *  @param {string} name */
  chooseBot(name) {
    this.opponent.choose(name);
    this.bot.focus();
  }

  /** Open a table, where all see it, and ask somebody there; the seat is kept for whoever is asked.
   *  @param {string} who */
  invite(who) {
    return this.#open("table", { who, strength: {} });
  }

  /** @param {Way} way
   *  @param {string} title
   *  @param {string} about */
  #way(way, title, about) {
    return el("button", { type: "button", class: "way", "data-way": way, onclick: () => this.#open(way, null) },
      el("span", {}, title), el("small", { class: "quiet" }, about));
  }

  /** @param {Way} way
   *  @param {Invitation | null} invited */
  async #open(way, invited) {
    if (this.#isBusy || (way === "bot" && !invited)) return; // a second click must not open a second table
    this.#isBusy = true;
    this.show(this.app.replica);
    const { attempt, go, notify, seating } = this.app;
    const clock = this.#clock;
    const second = this.seat.value === ANY ? Math.random() < 0.5 : this.seat.value === "1";
    const rated = way !== "bot" && clock !== null && this.rated.checked;
    const options = { clock, public: way !== "friend", ...this.terms.options(this.game), ...(rated ? { rated } : {}) };
    await attempt(async () =>
      go(way === "find" ? await seating.seek(this.game, { ...options, sought: this.clock.value === ANY ? ["clock"] : [] }) : await seating.open({ game: this.game, options, seat: second ? 1 : 0, invited,
        onBusy: () => notify(texts.another({ bot: this.opponent.text })) })));
    this.#isBusy = false;
    this.show(this.app.replica);
  }
}

/** @param {string} id
 *  @param {string} label
 *  @param {HTMLElement} control */
const field = (id, label, control) => el("div", { class: "field" }, el("label", { for: id }, label), control);

/** @param {string} id
 *  @param {[string, string][]} pairs
 *  @param {string | number} chosen */
function select(id, pairs, chosen) {
  const node = el("select", { id }, ...pairs.map(([value, text]) => el("option", { value }, text)));
  node.value = String(chosen);
  if (node.selectedIndex < 0) node.selectedIndex = 0;
  return node;
}
