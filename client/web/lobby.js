/* The lobby: open a table, join by code, the rooms that are open, the ladders, the bots here. */

import { el, keyed, put, set, show } from "./dom.js";
import { fullName, seatIn } from "./house.js";
import { Opening } from "./opening.js";
import { clockTerms, gamesText, gameTitle, ladderPath, playerTitle, score } from "./wording.js";

export class Lobby {
  title = "Lobby";

  constructor(app) {
    this.app = app;
    this.opening = new Opening(app);
    this.code = el("input", {
      id: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: "false",
      placeholder: "RDW7HQ", size: 8, required: true,
    });
    this.rooms = el("ul", { class: "list rooms" });
    this.empty = el("p", { class: "quiet" });
    this.bots = el("ul", { class: "list bots" });
    this.botless = el("p", { class: "quiet" }, "No bot is connected.");
    this.ladders = el("ul", { class: "list ladders" });
    this.rated = el("section", { class: "card" }, el("h2", {}, "Ladders"), this.ladders);
    this.node = el("div", { class: "lobby" }, this.opening.node,
      el("div", { class: "column" }, this.#codeCard(),
        el("section", { class: "card" }, el("h2", {}, "Tables"), this.empty, this.rooms),
        this.rated,
        el("section", { class: "card" }, el("h2", {}, "Bots here"), this.botless, this.bots)));
  }

  show() {
    const { house } = this.app;
    const { rooms = [], bots = [], total = 0 } = house.lobby ?? {};
    this.opening.show(house);
    keyed(this.rooms, rooms, (room) => room.room, (room) => this.#room(room),
      (item, room) => this.#update(item, room));
    const more = total > rooms.length ? `${total} tables; the newest:` : "";
    put(this.empty, rooms.length ? more : "No public table is open.");
    show(this.empty, this.empty.textContent !== "");
    keyed(this.bots, bots, fullName, botItem, (item, bot) => {
      put(item.detail, [gamesText(bot, house.games), ...levelText(bot), freeText(bot)].join(" · "));
    });
    show(this.botless, bots.length === 0);
    keyed(this.ladders, house.ladders, (line) => line.name, ladderItem, (item, line) => {
      put(item.detail, [gameTitle(line.game), line.state, `${line.pairs ?? 0} pairs`].join(" · "));
    });
    show(this.rated, house.ladders.length > 0);
  }

  #codeCard() {
    const submit = (event) => {
      event.preventDefault();
      this.#join({ code: this.code.value.trim() });
    };
    return el("form", { class: "card code", onsubmit: submit },
      el("label", { for: "code" }, "A friend's code"), this.code, el("button", {}, "Join"));
  }

  #join(where) {
    const { attempt, go, seating } = this.app;
    return attempt(async () => go(await seating.join(where)));
  }

  #room({ room }) {
    const item = el("li", { "data-room": room });
    item.about = el("div", { class: "about" });
    item.detail = el("div", { class: "quiet" });
    item.join = el("button", { type: "button", class: "primary", onclick: () => this.#join({ room }) }, "Join");
    item.watch = el("button", { type: "button", onclick: () => this.app.go(room) }, "Watch");
    item.append(el("div", { class: "grow" }, item.about, item.detail), item.join, item.watch);
    return item;
  }

  #update(item, line) {
    const mine = seatIn(this.app.house.rooms.get(line.room)) !== null;
    const [first, second] = line.seats.map((player) => (player ? playerTitle(player) : "?"));
    put(item.about, `${gameTitle(line.game)}: ${first} – ${second}`);
    put(item.detail, [...stateOf(line), clockTerms(line.options.clock)].join(" · "));
    show(item.join, !mine && line.seats.includes(null) && line.state === "waiting");
    put(item.watch, mine ? "Go to the table" : "Watch");
    set(item, "class", mine ? "mine" : null);
  }
}

function stateOf(line) {
  const won = line.score ?? [0, 0];
  const standing = won.some(Boolean) ? [won.map(score).join(" : ")] : [];
  const ladder = line.ladder ? [`ladder ${line.ladder}`] : [];
  const state = line.state === "playing" ? `playing, ply ${line.ply ?? 0}` : line.state;
  return [...ladder, state, ...standing];
}

function botItem(bot) {
  const item = el("li");
  item.detail = el("div", { class: "quiet" });
  item.append(el("div", { class: "grow" }, el("div", {}, fullName(bot)), item.detail));
  return item;
}

function ladderItem({ name }) {
  const item = el("li");
  item.detail = el("div", { class: "quiet" });
  item.append(el("div", { class: "grow" }, el("a", { href: ladderPath(name) }, name), item.detail));
  return item;
}

const levelText = (bot) => (bot.levels ? [`levels 1 to ${bot.levels}`] : []);

const freeText = (bot) => (bot.free === 1 ? "1 seat free" : `${bot.free} seats free`);
