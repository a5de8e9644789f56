/* Beside the ways to play: the people and bots that are here, open seats, and matches being played. */

/** @import { App } from "../page/app.js" */
/** @import { BotLine, LadderLine, RoomLine } from "../library/messages.js" */

import { fullName, seatIn } from "../library/replica.js";
import { termsOf } from "../library/series.js";
import { choose, settings } from "../library/settings.js";
import { clockOf, formatScore, isolated, ladderPath, named, personPath, signed } from "../library/words.js";
import { el, keyed, nameNode, put, set, show } from "../page/dom.js";
import { botName, likeness } from "../page/opponent_choice.js";
import { alertAway } from "../settings/alerts.js";
import { words } from "../texts/words.js";
import { SmallBoard } from "./small_board.js";

const { lobby: texts } = words;
const BEST = 10; // people of the list of the best
const FRIENDS = 200; // that are kept

export class HereNow {
  #game = "";
  /** @type {Set<string> | null} */
  #seen = null; // who of them was here when this was last shown

  /** `onInvite` asks a person to a game; `onBot` chooses a bot to play.
   *  @param {App} app
   *  @param {{onInvite: (who: string) => unknown, onBot: (name: string) => unknown}} actions */
  constructor(app, { onInvite, onBot }) {
    this.app = app;
    this.onInvite = onInvite;
    this.onBot = onBot;
    this.people = part(texts.people, "people");
    this.alone = el("p", { class: "quiet" }, texts.alone);
    this.people.node.append(this.alone);
    this.seats = part(texts.seatsFree, "rooms seats");
    this.live = part(texts.live, "rooms live");
    this.note = el("p", { class: "quiet" });
    this.ladders = part(texts.ladders, "ladders");
    this.bots = part(texts.botsHere, "bots");
    this.best = part("", "best");
    this.noBots = el("p", { class: "quiet" }, texts.noBots);
    this.bots.node.append(this.noBots);
    this.heading = el("h2", { tabindex: -1 }, texts.here);
    this.node = el("section", { class: "card here-now" }, this.heading, this.people.node, this.seats.node,
      this.live.node, this.note, this.ladders.node, this.best.node, this.bots.node);
  }

  /** @param {string} game that is chosen, to which people are invited */
  show(game) {
    this.#game = game;
    const { replica } = this.app;
    const { rooms = [], bots = [], total = 0 } = replica.lobby ?? {};
    this.#showPeople(game);
    const alive = rooms.filter((row) => (this.#isMine(row) ? row.state !== "playing" : isAlive(row))); // see MyMatches
    const isOpen = (/** @type {RoomLine} */ row) => row.state === "waiting" && row.seats.includes(null);
    this.#showRooms(this.seats, alive.filter(isOpen));
    this.#showRooms(this.live, alive.filter((row) => !isOpen(row)));
    put(this.note, total > rooms.length ? texts.more({ total }) : alive.length ? "" : texts.quiet);
    show(this.note, replica.lobby !== null && this.note.textContent !== "");
    keyed(this.ladders.list, replica.ladders, ({ name }) => name, ladderItem, (item, line) => {
      put(item.detail, this.#ladderText(line));
    });
    show(this.ladders.node, replica.ladders.length > 0);
    this.#showBest(game);
    keyed(this.bots.list, bots, fullName, (bot) => this.#botItem(bot), (item, bot) => put(item.detail, this.#botText(bot)));
    show(this.noBots, replica.lobby !== null && bots.length === 0);
  }

  /** @param {string} game */
  #showPeople(game) {
    const { lobby, name: me, catalog } = this.app.replica;
    const { ratings } = this.app;
    const friends = new Set(settings.friends);
    const others = (lobby?.people ?? []).filter(({ name }) => name !== me);
    others.sort((one, two) => Number(friends.has(two.name)) - Number(friends.has(one.name)));
    this.#tellWhoCame(lobby === null ? null : new Set(others.map(({ name }) => name).filter((name) => friends.has(name))));
    show(this.people.node, lobby !== null);
    show(this.alone, others.length === 0);
    keyed(this.people.list, others, ({ name }) => name, ({ name }) => this.#personItem(name), (item, { name, playing }) => {
      put(item.detail, [ratings.text(game, { name }), playing ? texts.playing : ""].filter(Boolean).join(" · "));
      set(item.invite, "aria-label", texts.inviteTo({ name, game: catalog.title(game) }));
      const isFriend = friends.has(name);
      put(item.star, isFriend ? "★" : "☆");
      set(item.star, "aria-pressed", String(isFriend));
    });
  }

  /** Say that friends have come since the list was last seen.
   *  @param {Set<string> | null} here */
  #tellWhoCame(here) {
    const before = this.#seen;
    this.#seen = here;
    if (before === null || here === null) return;
    for (const name of here) {
      if (before.has(name)) continue;
      const text = texts.friendCame(isolated(name));
      this.app.notify(text);
      alertAway(text, "");
    }
  }

  /** @param {string} name */
  #star(name) {
    const friends = new Set(settings.friends);
    if (!friends.delete(name)) friends.add(name);
    this.#seen = null; // who is here already has not come
    choose({ friends: [...friends].slice(-FRIENDS) });
    this.show(this.#game);
  }

  /** @param {string} game */
  #showBest(game) {
    const rows = this.app.ratings.best(game).slice(0, BEST);
    put(/** @type {Element} */ (this.best.node.firstChild), texts.best({ game: this.app.replica.catalog.title(game) }));
    keyed(this.best.list, rows, ({ name }) => name, ({ name }) => {
      const detail = el("span", { class: "quiet" });
      const link = el("a", { href: personPath({ name }) }, nameNode(name));
      return Object.assign(el("li", {}, el("span", { class: "grow" }, link, " ", detail)), { detail });
    }, (item, { elo, error, matches = 0 }) => {
      put(item.detail, texts.ratedAt({ elo: signed(elo ?? 0), error: Math.round(error ?? 0), matches }));
    });
    show(this.best.node, rows.length > 0);
  }

  /** @param {string} name */
  #personItem(name) {
    const invite = el("button", { type: "button", onclick: () => this.onInvite(name) }, texts.invite);
    const detail = el("span", { class: "quiet" });
    const star = el("button", { type: "button", class: "star", "aria-label": texts.starOf(isolated(name)), title: texts.starOf(isolated(name)),
      onclick: () => this.#star(name) });
    const item = el("li", { "data-person": name }, star, el("span", { class: "grow" }, nameNode(name), " ", detail), invite);
    return Object.assign(item, { detail, invite, star });
  }

  /** @param {ReturnType<typeof part>} shown
   *  @param {RoomLine[]} rooms */
  #showRooms({ node, list }, rooms) {
    keyed(list, rooms, ({ room }) => room, ({ room }) => roomItem(this.app, room), (item, row) => this.#updateRoom(item, row));
    show(node, rooms.length > 0);
  }

  /** @param {ReturnType<typeof roomItem>} item
   *  @param {RoomLine} row */
  #updateRoom(item, row) {
    const { catalog } = this.app.replica;
    const isMine = this.#isMine(row);
    const game = catalog.title(row.game);
    const names = namesOf(row);
    put(item.about, names);
    put(item.detail, [...(row.name ? [row.name] : []), game, ...termsOf(row.game, row.options, row.series, row.seats), ...stateOf(row), clockOf(row.options), ...(row.options.rated ? [texts.ratedShort] : [])].join(" · "));
    item.board.show(row.game, row.position ?? (row.match ? null : catalog.start(row.game)));
    show(item.join, !isMine && row.seats.includes(null) && row.state === "waiting");
    set(item.join, "aria-label", texts.joinAt({ names, game }));
    show(item.watch, isMine || item.join.hidden);
    put(item.watch, isMine ? texts.goTo : texts.watch);
    set(item.watch, "aria-label", isMine ? null : texts.watchAt({ names, game }));
    set(item, "class", isMine ? "mine" : null);
  }

  /** @param {RoomLine} row */
  #isMine = ({ room }) => seatIn(this.app.replica.rooms.get(room)) !== null;

  /** @param {LadderLine} line */
  #ladderText({ game, state, pairs = 0 }) {
    return texts.ladder({ game: this.app.replica.catalog.title(game), running: state === "running", pairs });
  }

  /** @param {BotLine} bot */
  #botItem(bot) {
    const detail = el("div", { class: "quiet" });
    const play = () => this.onBot(fullName(bot));
    const kind = likeness(bot)[0];
    const title = el("button", { type: "button", class: "link", onclick: play }, kind ? `${botName(bot)} · ${kind}` : botName(bot));
    return Object.assign(el("li", {}, el("div", { class: "grow" }, title, detail)), { detail });
  }

  /** @param {BotLine} bot */
  #botText(bot) {
    const { games, catalog } = this.app.replica;
    const missing = games.filter((game) => !bot.games.includes(game));
    const isAll = !bot.games.length || !missing.length;
    const most = missing.length === 1 && bot.games.length > 2;
    const titles = isAll ? "" : most ? texts.allBut({ game: catalog.title(missing[0]) })
      : bot.games.map((game) => catalog.title(game)).join(", ");
    return texts.botPlays({ games: titles, levels: bot.levels, free: bot.free });
  }
}

/** A list with a heading of its own.
 *  @param {string} title
 *  @param {string} look */
function part(title, look) {
  const list = el("ul", { class: `list ${look}` });
  return { list, node: el("div", { class: "part" }, el("h3", {}, title), list) };
}

/** @param {App} app
 *  @param {number} room */
function roomItem({ attempt, go, seating }, room) {
  const sit = () => attempt(async () => go(await seating.join({ room })));
  const join = el("button", { type: "button", onclick: sit }, texts.join);
  const watch = el("button", { type: "button", onclick: () => go(room) });
  const [about, detail, board] = [el("div", { class: "about" }), el("div", { class: "quiet" }), new SmallBoard()];
  const item = el("li", { "data-room": room }, board.node, el("div", { class: "grow" }, about, detail), join, watch);
  return Object.assign(item, { about, detail, board, join, watch });
}

/** @param {LadderLine} line */
function ladderItem({ name }) {
  const detail = el("div", { class: "quiet" });
  const link = el("a", { href: ladderPath(name) }, name);
  return Object.assign(el("li", {}, el("div", { class: "grow" }, el("div", {}, link), detail)), { detail });
}

/** Whether somebody is still at a table: a person, or two bots that play each other.
 *  @param {RoomLine} row */
export function isAlive({ state, seats, match, ladder }) {
  if (state !== "waiting" && state !== "playing") return false;
  const sitting = seats.flatMap((player) => (player ? [player] : []));
  const people = sitting.filter(({ program }) => !program);
  if (people.length) return people.some(({ absent }) => !absent);
  return sitting.some(({ absent }) => !absent) && (state === "playing" || Boolean(ladder) || !match);
}

/** @param {RoomLine} row */
function namesOf({ seats }) {
  const [one, two] = seats;
  if (one && two) return texts.versus({ one: named(one), two: named(two) });
  const waiting = one ?? two;
  return waiting ? texts.waits({ name: named(waiting) }) : "";
}

/** @param {RoomLine} row */
function stateOf(row) {
  const score = (row.score ?? [0, 0]).map(formatScore).join(" : ");
  const hasScore = (row.score ?? []).some(Boolean);
  if (row.series) return row.state === "playing" ? [texts.terms.game(row.series.game ?? 1), texts.ply({ ply: row.ply ?? 0 })] : [];
  const state = row.state === "playing" ? [texts.ply({ ply: row.ply ?? 0 }), ...(hasScore ? [texts.score({ score })] : [])]
    : row.match ? [texts.between({ score })] : [];
  return [...(row.ladder ? [texts.onLadder({ ladder: isolated(row.ladder) })] : []), ...state];
}
