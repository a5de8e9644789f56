/* The lobby: open a table, join by code, the rooms that are open, the ladders, the bots here. */

/** @import { App } from "../page/app.js" */
/** @import { BotLine, RoomLine } from "../library/messages.js" */
/** @import { Place } from "../library/seating.js" */

import { fullName, seatIn } from "../library/replica.js";
import { formatClock, formatScore, gamesText, ladderPath, playerTitle } from "../library/words.js";
import { el, keyed, put, set, show } from "../page/dom.js";
import { NewTable } from "./new_table.js";

export class LobbyView {
  title = "Lobby";

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.newTable = new NewTable(app);
    this.code = el("input", {
      id: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: "false",
      placeholder: "RDW7HQ", size: 8, required: true,
    });
    this.rooms = el("ul", { class: "list rooms" });
    this.roomsNote = el("p", { class: "quiet" });
    this.bots = el("ul", { class: "list bots" });
    this.noBots = el("p", { class: "quiet" }, "No bot is connected.");
    this.ladders = el("ul", { class: "list ladders" });
    this.laddersCard = el("section", { class: "card" }, el("h2", {}, "Ladders"), this.ladders);
    this.node = el("div", { class: "lobby" }, this.newTable.node,
      el("div", { class: "column" }, this.#codeCard(),
        el("section", { class: "card" }, el("h2", {}, "Tables"), this.roomsNote, this.rooms),
        this.laddersCard,
        el("section", { class: "card" }, el("h2", {}, "Bots here"), this.noBots, this.bots)));
  }

  show() {
    const { replica } = this.app;
    const { games, catalog, ladders } = replica;
    const { rooms = [], bots = [], total = 0 } = replica.lobby ?? {};
    this.newTable.show(replica);
    keyed(this.rooms, rooms, ({ room }) => room, ({ room }) => roomItem(room, () => this.#join({ room }), () => this.app.go(room)),
      (item, room) => this.#updateRoom(item, room));
    const more = total > rooms.length ? `${total} tables; the newest:` : "";
    put(this.roomsNote, rooms.length ? more : "No public table is open.");
    show(this.roomsNote, this.roomsNote.textContent !== "");
    keyed(this.bots, bots, fullName, (bot) => detailed(fullName(bot)), (item, bot) => {
      put(item.detail, [gamesText(bot, games, catalog), ...levelText(bot), freeText(bot)].join(" · "));
    });
    show(this.noBots, bots.length === 0);
    keyed(this.ladders, ladders, ({ name }) => name,
      ({ name }) => detailed(el("a", { href: ladderPath(name) }, name)),
      (item, { game, state, pairs = 0 }) => {
        put(item.detail, [catalog.title(game), state, `${pairs} pairs`].join(" · "));
      });
    show(this.laddersCard, ladders.length > 0);
  }

  #codeCard() {
    const submit = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      this.#join({ code: this.code.value.trim() });
    };
    return el("form", { class: "card code", onsubmit: submit },
      el("label", { for: "code" }, "A friend's code"), this.code, el("button", {}, "Join"));
  }

  /** @param {Place} place */
  #join(place) {
    const { attempt, go, seating } = this.app;
    return attempt(async () => go(await seating.join(place)));
  }

  /** @param {ReturnType<typeof roomItem>} item
   *  @param {RoomLine} row */
  #updateRoom(item, row) {
    const { replica } = this.app;
    const isMine = seatIn(replica.rooms.get(row.room)) !== null;
    const [first, second] = row.seats.map((player) => (player ? playerTitle(player) : "?"));
    put(item.about, `${replica.catalog.title(row.game)}: ${first} – ${second}`);
    put(item.detail, [...stateOf(row), formatClock(row.options.clock)].join(" · "));
    show(item.join, !isMine && row.seats.includes(null) && row.state === "waiting");
    put(item.watch, isMine ? "Go to the table" : "Watch");
    set(item, "class", isMine ? "mine" : null);
  }
}

/** @param {number} room
 *  @param {() => unknown} onJoin
 *  @param {() => unknown} onWatch */
function roomItem(room, onJoin, onWatch) {
  const join = el("button", { type: "button", class: "primary", onclick: onJoin }, "Join");
  const watch = el("button", { type: "button", onclick: onWatch }, "Watch");
  const about = el("div", { class: "about" });
  const item = Object.assign(detailed(about), { about, join, watch });
  set(item, "data-room", room);
  item.append(join, watch);
  return item;
}

/** An item of a list, with details below its title.
 *  @param {string | HTMLElement} title */
function detailed(title) {
  const detail = el("div", { class: "quiet" });
  return Object.assign(el("li", {}, el("div", { class: "grow" }, el("div", {}, title), detail)), { detail });
}

/** @param {RoomLine} row */
function stateOf(row) {
  const score = row.score ?? [0, 0];
  const ladder = row.ladder ? [`ladder ${row.ladder}`] : [];
  const state = row.state === "playing" ? `playing, ply ${row.ply ?? 0}` : row.state;
  return [...ladder, state, ...(score.some(Boolean) ? [score.map(formatScore).join(" : ")] : [])];
}

/** @param {BotLine} bot */
const levelText = (bot) => (bot.levels ? [`levels 1 to ${bot.levels}`] : []);

/** @param {BotLine} bot */
const freeText = (bot) => (bot.free === 1 ? "1 seat free" : `${bot.free} seats free`);
