/* The form that opens a table: which game, against whom, with which clock, on which seat. */

/** @import { App } from "../page/app.js" */
/** @import { ClockOptions } from "../library/messages.js" */
/** @import { Replica } from "../library/replica.js" */
/** @import { Attribute } from "../page/dom.js" */

import { read, write } from "../library/storage.js";
import { formatClock } from "../library/words.js";
import { el, keyed, put, set } from "../page/dom.js";
import { OpponentChoice } from "../page/opponent_choice.js";

/** @type {(ClockOptions | null)[]} */
const CLOCKS = [
  null,
  { base_ms: 60_000, increment_ms: 1_000 },
  { base_ms: 180_000, increment_ms: 2_000 },
  { base_ms: 300_000, increment_ms: 3_000 },
  { base_ms: 900_000, increment_ms: 10_000 },
  { per_move_ms: 10_000 },
  { per_move_ms: 30_000 },
];
const FIRST_CHOICE = "connect_four"; // everybody knows it, and it is soon over
const ANY_SEAT = "any";

export class NewTable {
  /** @type {string} */
  #game = read("game");
  #isBusy = false;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.games = el("div", { class: "choices" });
    this.opponent = new OpponentChoice("rival", "Against");
    this.clock = select("clock", CLOCKS.map((clock, index) => [String(index), formatClock(clock)]), read("clock", 0));
    this.seat = select("seat", [["0", "first"], ["1", "second"], [ANY_SEAT, "by lot"]], "0");
    this.private = el("input", { type: "checkbox", id: "private" });
    this.play = el("button", { class: "primary big" });
    /** @type {Record<string, Attribute>} */
    const listeners = { onsubmit: (event) => this.#submit(event), onchange: () => this.#label() };
    this.node = el("form", { class: "card new-table", ...listeners },
      el("h2", {}, "Play"),
      el("fieldset", {}, el("legend", {}, "Game"), this.games),
      this.opponent.node,
      el("div", { class: "fields" }, field("clock", "Clock", this.clock), field("seat", "You move", this.seat)),
      el("label", { class: "check", for: "private" }, this.private, "Private: only with a code"),
      this.play);
  }

  /** @param {Replica} replica */
  show({ games, lobby, catalog }) {
    if (!games.includes(this.#game)) this.#game = games.includes(FIRST_CHOICE) ? FIRST_CHOICE : games[0];
    keyed(this.games, games, (game) => game, (game) => this.#choice(game, catalog.title(game)),
      (label, game) => { label.radio.checked = game === this.#game; });
    this.opponent.show(this.#game, lobby?.bots ?? [], "a person: wait at the table");
    this.#label();
  }

  /** @param {string} game
   *  @param {string} title */
  #choice(game, title) {
    const radio = el("input", { type: "radio", name: "game", value: game, onchange: () => this.#choose(game) });
    return Object.assign(el("label", { "data-game": game }, radio, el("span", {}, title)), { radio });
  }

  /** @param {string} game */
  #choose(game) {
    this.#game = game;
    write("game", game);
    this.show(this.app.replica);
  }

  #label() {
    put(this.play, this.opponent.value() ? "Play" : "Open a table");
    set(this.play, "disabled", this.#isBusy);
  }

  /** @param {SubmitEvent} event */
  async #submit(event) {
    event.preventDefault();
    if (this.#isBusy) return; // a second click must not open a second table
    this.#isBusy = true;
    this.#label();
    const clock = CLOCKS[Number(this.clock.value)];
    write("clock", Number(this.clock.value));
    const second = this.seat.value === ANY_SEAT ? Math.random() < 0.5 : this.seat.value === "1";
    const options = { clock, public: !this.private.checked };
    const invited = this.opponent.value();
    const game = this.#game;
    await this.app.attempt(async () =>
      this.app.go(await this.app.seating.open({ game, options, seat: second ? 1 : 0, invited })));
    this.#isBusy = false;
    this.#label();
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
