/* Above the lobby: what has ended while one was away, and the matches that are open, to go on or give up. */

/** @import { App } from "../page/app.js" */
/** @import { MatchLine, RoomState } from "../library/messages.js" */

import { endedUnseen, seeEnd } from "../library/awaited.js";
import { Refusal } from "../library/connection.js";
import { fullName, isFree, seatIn } from "../library/replica.js";
import { resultText } from "../library/result.js";
import { isAgainstBot } from "../library/seating.js";
import { formatClock, formatTime, matchPath, playerTitle } from "../library/words.js";
import { el, keyed, put, set, show } from "../page/dom.js";
import { Sheet } from "../page/sheet.js";
import { words } from "../texts/words.js";
import { SmallBoard } from "./small_board.js";

const { own: texts } = words.lobby;
const LINES = 50; // the newest of one's matches, among which those are looked for that have ended
const WEEK_MS = 6 * 86_400_000; // so long the name of a day says which

export class MyMatches {
  /** @type {MatchLine[]} */
  #lines = [];
  #asked = ""; // the matches that they were asked for
  #giveUp = () => /** @type {unknown} */ (null);

  /** `onChange` is called when something else is to be shown.
   *  @param {App} app
   *  @param {() => void} onChange */
  constructor(app, onChange) {
    this.app = app;
    this.onChange = onChange;
    this.news = el("ul", { class: "list own news" });
    this.newsTitle = el("h2", { tabindex: -1 }, texts.away);
    this.open = el("ul", { class: "list own" });
    this.openTitle = el("h2", { tabindex: -1 }, texts.open);
    this.node = el("section", { class: "card my-matches" }, this.newsTitle, this.news, this.openTitle, this.open);
    this.price = el("p", { id: "give-up-bot" });
    this.stay = el("button", { type: "button", onclick: () => this.sheet.close() }, texts.goOn);
    const yes = el("button", { type: "button", class: "danger", onclick: () => { this.sheet.close(); this.#giveUp(); } }, texts.giveUp);
    this.sheet = new Sheet({ title: texts.giveUpQuestion, role: "alertdialog", look: "question" },
      this.price, el("div", { class: "row" }, this.stay, yes));
    set(this.sheet.node, "aria-describedby", this.price.id);
  }

  /** The first heading that is shown, or null. */
  get heading() {
    return [this.newsTitle, this.openTitle].find(({ hidden }) => !hidden) ?? null;
  }

  show() {
    const { replica, connection } = this.app;
    const ended = endedUnseen(replica);
    if (ended.length && ended.join() !== this.#asked && connection.state === "linked") this.#fetch(ended);
    const news = this.#lines.filter(({ match }) => ended.includes(match));
    keyed(this.news, news, ({ match }) => match, (line) => this.#newsItem(line), () => {});
    const open = replica.seatedRooms().filter(({ state }) => state === "playing");
    const due = (/** @type {RoomState} */ { room }) => Number(Boolean(replica.current(room)?.legal));
    keyed(this.open, open.sort((a, b) => due(b) - due(a)), ({ room }) => room, ({ room }) => openItem(this.app, room),
      (item, room) => this.#updateOpen(item, room));
    show(this.newsTitle, news.length > 0);
    const moves = open.filter(due).length;
    put(this.openTitle, moves ? texts.due(moves) : texts.open);
    show(this.openTitle, open.length > 0);
    show(this.node, news.length + open.length > 0);
  }

  /** @param {MatchLine} line */
  #newsItem(line) {
    const { replica } = this.app;
    const { match, game, seats, result, at, position } = line;
    const me = seats.findIndex((player) => fullName(player) === replica.name);
    const other = playerTitle(seats[me === 0 ? 1 : 0]);
    const isClaimed = result.how === "abandon" && result.winner !== me;
    const text = isClaimed ? texts.claimed({ name: other, day: dayOf(at) }) : resultText(result, seats, me);
    const board = new SmallBoard();
    board.show(game, position);
    const seen = () => { seeEnd(replica, match); this.onChange(); };
    return el("li", { "data-match": match }, board.node, el("div", { class: "grow" }, el("div", { class: "about" }, text),
      el("div", { class: "quiet" }, [replica.catalog.title(game), other, ...(isClaimed ? [] : [dayOf(at)])].join(" · ")),
      el("div", { class: "row" },
        el("a", { class: "button", href: matchPath(match, line.code), onclick: () => seeEnd(replica, match) }, texts.look),
        el("button", { type: "button", onclick: seen }, texts.seen))));
  }

  /** @param {ReturnType<typeof openItem>} item
   *  @param {RoomState} room */
  #updateOpen(item, room) {
    const { replica } = this.app;
    const match = replica.current(room.room);
    const opponent = room.seats[1 - (seatIn(room) ?? 0)];
    const other = playerTitle(opponent);
    const title = replica.catalog.title(room.game);
    put(item.about, other);
    const left = match?.legal && room.options.clock?.per_move_days ? [texts.left(formatTime(replica.timeLeft(match.match, match.to_move) ?? 0))] : [];
    put(item.detail, [title, match?.legal ? texts.yours : texts.theirs, ...left, formatClock(room.options.clock)].join(" · "));
    item.board.show(room.game, match?.position);
    set(item, "class", match?.legal ? "due" : null);
    set(item.goOn, "aria-label", texts.goOnWith({ name: other, game: title }));
    set(item.giveUp, "aria-label", texts.giveUpWith({ name: other, game: title }));
    show(item.giveUp, match !== null && (isAgainstBot(room) || Boolean(opponent?.absent)));
    item.giveUp.onclick = () => this.#ask(room, other);
  }

  /** Give a match up; where that costs it, only after a question.
   *  @param {RoomState} room
   *  @param {string} other */
  #ask({ room, match, options }, other) {
    const { replica, seating, attempt } = this.app;
    this.#giveUp = () => attempt(async () => {
      await seating.end(match ?? "");
      await seating.leave(room);
    });
    if (isFree(replica.actions(match ?? ""), options.rated)) return this.#giveUp();
    put(this.price, texts.giveUpPrice(other));
    this.sheet.open(this.stay);
  }

  /** @param {string[]} ended */
  async #fetch(ended) {
    const { connection, replica } = this.app;
    const { name } = replica;
    this.#asked = ended.join();
    const lines = await connection.request({ type: "matches", who: name, limit: LINES }).then(({ matches }) => matches,
      (refusal) => {
        if (refusal instanceof Refusal) return [];
        throw refusal;
      });
    if (name !== replica.name) return;
    this.#lines = lines;
    this.onChange();
  }
}

/** @param {App} app
 *  @param {number} room */
function openItem({ go }, room) {
  const [about, detail, board] = [el("div", { class: "about" }), el("div", { class: "quiet" }), new SmallBoard()];
  const goOn = el("button", { type: "button", class: "primary", "data-do": "go-on", onclick: () => go(room) }, texts.goOn);
  const giveUp = el("button", { type: "button", "data-do": "give-up" }, texts.giveUp);
  const item = el("li", { "data-own": room }, board.node,
    el("div", { class: "grow" }, about, detail, el("div", { class: "row" }, goOn, giveUp)));
  return Object.assign(item, { about, detail, board, goOn, giveUp });
}

/** A day as one says it: today, Tuesday, Nov 20, 2026.
 *  @param {number} at */
function dayOf(at) {
  const date = new Date(at);
  if (date.toDateString() === new Date().toDateString()) return texts.today;
  return texts.on(date.toLocaleDateString(document.documentElement.lang,
    Date.now() - at < WEEK_MS ? { weekday: "long" } : { dateStyle: "medium" }));
}
