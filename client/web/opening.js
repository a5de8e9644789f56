/* The form that opens a table: which game, against whom, with which clock, where one sits. */

import { el, keyed, put, set } from "./dom.js";
import { read, write } from "./memory.js";
import { Rival } from "./rival.js";
import { clockTerms, gameTitle } from "./wording.js";

const CLOCKS = [
  null,
  { base_ms: 60_000, increment_ms: 1_000 },
  { base_ms: 180_000, increment_ms: 2_000 },
  { base_ms: 300_000, increment_ms: 3_000 },
  { base_ms: 900_000, increment_ms: 10_000 },
  { per_move_ms: 10_000 },
  { per_move_ms: 30_000 },
];
const FIRST = "connect_four"; // for who has never chosen: everybody knows it, and it is soon over
const SEATS = [["0", "first"], ["1", "second"], ["any", "by lot"]];

export class Opening {
  #game = read("game");
  #busy = false;

  constructor(app) {
    this.app = app;
    this.games = el("div", { class: "choices" });
    this.rival = new Rival("rival", "Against");
    const clocks = CLOCKS.map((clock, index) => [index, clockTerms(clock)]);
    this.clock = select("clock", clocks, read("clock", 0));
    this.seat = select("seat", SEATS, "0");
    this.hidden = el("input", { type: "checkbox", id: "private" });
    this.play = el("button", { class: "primary big" });
    const listeners = { onsubmit: (event) => this.#submit(event), onchange: () => this.#label() };
    this.node = el("form", { class: "card opening", ...listeners },
      el("h2", {}, "Play"),
      el("fieldset", {}, el("legend", {}, "Game"), this.games),
      this.rival.node,
      el("div", { class: "fields" }, field("clock", "Clock", this.clock), field("seat", "You move", this.seat)),
      el("label", { class: "check", for: "private" }, this.hidden, "Private: only with a code"),
      this.play);
  }

  show({ games, lobby }) {
    if (!games.includes(this.#game)) this.#game = games.includes(FIRST) ? FIRST : games[0];
    keyed(this.games, games, (game) => game, (game) => this.#choice(game), (label, game) => {
      label.firstElementChild.checked = game === this.#game;
    });
    this.rival.show(this.#game, lobby?.bots ?? [], "a person: wait at the table");
    this.#label();
  }

  #choice(game) {
    const radio = el("input", { type: "radio", name: "game", value: game, onchange: () => this.#choose(game) });
    return el("label", { "data-game": game }, radio, el("span", {}, gameTitle(game)));
  }

  #choose(game) {
    this.#game = game;
    write("game", game);
    this.show(this.app.house);
  }

  #label() {
    put(this.play, this.rival.value() ? "Play" : "Open a table");
    set(this.play, "disabled", this.#busy);
  }

  async #submit(event) {
    event.preventDefault();
    if (this.#busy) return; // a second click must not open a second table
    this.#busy = true;
    this.#label();
    const clock = CLOCKS[Number(this.clock.value)];
    write("clock", Number(this.clock.value));
    const seat = this.seat.value === "any" ? Math.floor(Math.random() * 2) : Number(this.seat.value);
    const options = { clock, public: !this.hidden.checked };
    const terms = { game: this.#game, options, seat, invited: this.rival.value() };
    await this.app.attempt(async () => this.app.go(await this.app.seating.open(terms)));
    this.#busy = false;
    this.#label();
  }
}

const field = (id, label, control) => el("div", { class: "field" }, el("label", { for: id }, label), control);

function select(id, pairs, chosen) {
  const node = el("select", { id }, ...pairs.map(([value, text]) => el("option", { value }, text)));
  node.value = String(chosen);
  if (node.selectedIndex < 0) node.selectedIndex = 0;
  return node;
}
