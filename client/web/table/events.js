/* Hears what happens at the table that is shown, and passes each event on once: as a sentence, as a
   sound, and, where somebody was away meanwhile, as news of that time. */

/** @import { App } from "../page/app.js" */
/** @import * as wire from "../library/messages.js" */
/** @import { Action, ChatMessage } from "../library/replica.js" */

import { read, write } from "../library/storage.js";
import { seatIn } from "../library/replica.js";
import { isolated, playerTitle, sentence } from "../library/words.js";
import { alertAway } from "../settings/alerts.js";
import { play } from "../settings/sounds.js";
import { words } from "../texts/words.js";
import { endText, eventText, offerNews, offerText } from "./status.js";

const { table: texts } = words;
const MAX_TOLD = 3; // actions that are told one by one
const RAISES = new Set(["double", "beaver", "raccoon"]); // of the stake: the other side has to answer

/** `say`, `told` and `why` put an action and a reason in words, as the game's board does; `answered`: the kinds
 *  of offers that were answered here; `isAnswered`: a play is under way already, as it was planned.
 *  @typedef {object} Telling
 *  @property {string} title
 *  @property {number | null} me
 *  @property {(action: string) => string | undefined} say
 *  @property {(action: string, name: string | null) => string | null | undefined} told
 *  @property {string | null} asks what the board asks, where that is more than whose turn it is
 *  @property {(reason: string) => string | undefined} why
 *  @property {ReadonlySet<string>} answered
 *  @property {boolean} isAnswered
 *  @property {ChatMessage[]} messages */

export class TableEvents {
  /** @type {wire.MatchState | null} */
  #before = null;
  #heard = 0; // the newest action that was told, by seq
  #isAway = true; // out of sight, or without a connection, since `#seen`
  /** @type {{match: string, ply: number}} */
  #seen = read("seen", { match: "", ply: 0 });

  /** `tell(text)` shows news, `end(isWon)` is called when a match ends before one's eyes.
   *  @param {App} app
   *  @param {{tell: (text: string) => unknown, end: (isWon: boolean) => unknown}} table */
  constructor(app, { tell, end }) {
    this.app = app;
    this.tell = tell;
    this.end = end;
    document.addEventListener("visibilitychange", () => { this.#isAway ||= document.hidden; });
  }

  /** @param {wire.MatchState | null} match
   *  @param {Telling} telling */
  update(match, telling) {
    const { announcer, connection } = this.app;
    for (const { name, text } of telling.messages) announcer.say(texts.says({ name: isolated(name), text }));
    if (connection.state !== "linked") this.#isAway = true;
    const before = this.#before;
    this.#before = match;
    if (match === null) return;
    const actions = this.app.replica.actions(match.match).filter((each) => each !== undefined);
    const isOther = before?.match !== match.match;
    const fresh = isOther ? [] : actions.filter(({ seq }) => seq > this.#heard);
    this.#heard = actions.at(-1)?.seq ?? 0;
    this.#actions(fresh, match, telling);
    if (before && !isOther) {
      for (const news of offerNews(before, match, telling.me, telling.answered)) this.#news(news);
      for (const offer of match.offers ?? []) this.#offer(offer, before, match, telling);
      if (match.result && !before.result) this.#ended(match, telling);
    }
    if (match.legal && !telling.isAnswered && (isOther || before?.turn !== match.turn)) this.#turn(match, telling);
    this.#comeBack(match, telling, actions);
  }

  /** Tell who waits at a table that somebody has sat down there; "" where nobody has.
   *  @param {wire.RoomState} before
   *  @param {wire.RoomState} room */
  arrival(before, room) {
    const me = seatIn(room);
    const player = me === null ? null : room.seats[1 - me];
    if (!player || seatIn(before) === null || !before.seats.includes(null)) return "";
    const text = texts.satDown(playerTitle(player));
    this.app.announcer.say(sentence(text));
    play("arrival");
    alertAway(text, this.app.replica.catalog.title(room.game));
    return text;
  }

  /** @param {Action[]} fresh
   *  @param {wire.MatchState} match
   *  @param {Telling} telling */
  #actions(fresh, match, { me, say, told }) {
    const { announcer } = this.app;
    if (fresh.length > 2 * MAX_TOLD) announcer.say(texts.movesPlayed(fresh.length));
    else for (const event of fresh) announcer.say(eventText(event, match.seats, me, say, told));
    const last = fresh.findLast(({ seat }) => seat >= 0);
    if (last && last.action !== "roll") play(RAISES.has(last.action) ? "double" : last.action.includes("*") ? "hit" : "place");
    if (fresh.some(({ kind }) => kind === "roll")) play("dice");
    if (last && last.seat === me) this.tell("");
  }

  /** @param {wire.Offer_} offer
   *  @param {wire.MatchState} before
   *  @param {wire.MatchState} match
   *  @param {Telling} telling */
  #offer(offer, before, match, { me }) {
    const isOld = before.offers?.some(({ kind, seat }) => kind === offer.kind && seat === offer.seat);
    if (!isOld && offer.seat !== me) this.app.announcer.say(offerText(offer, match, me));
  }

  /** @param {wire.MatchState} match
   *  @param {Telling} telling */
  #ended(match, { me, why }) {
    const winner = match.result?.winner ?? null;
    const { replica, ratings } = this.app;
    if (replica.rooms.get(match.room)?.options.rated) ratings.ended(match.game, match.seats.map(({ name }) => name));
    this.app.announcer.say(endText(match, null, me, why));
    if (me === null || winner === null) return;
    play(winner === me ? "won" : "lost");
    this.end(winner === me);
  }

  /** @param {wire.MatchState} match
   *  @param {Telling} telling */
  #turn(match, { title, me, say, told, asks }) {
    const last = this.app.replica.actions(match.match).findLast((event) => event && event.seat >= 0);
    this.app.announcer.say(asks ?? texts.yourTurn);
    play("turn");
    alertAway(texts.titleTurn(title), asks ?? (last ? eventText(last, match.seats, me, say, told) : ""));
  }

  /** Say what others did while the tab was hidden, once it is shown.
   *  @param {wire.MatchState} match
   *  @param {Telling} telling
   *  @param {Action[]} actions */
  #comeBack({ match, ply, seats }, { me, say, told }, actions) {
    if (document.hidden || this.app.connection.state !== "linked") return;
    if (this.#isAway && this.#seen.match === match && this.app.replica.lacksActions(match)) return; // they come soon
    if (this.#isAway && this.#seen.match === match) {
      const missed = actions.filter((event) => event.ply >= this.#seen.ply && event.seat >= 0 && event.seat !== me);
      const sentences = missed.map((event) => eventText(event, seats, me, say, told));
      const text = missed.length > MAX_TOLD ? texts.movesPlayed(missed.length) : sentences.join(" ");
      if (text) this.tell(texts.whileAway(text));
    }
    this.#isAway = false;
    if (this.#seen.match === match && this.#seen.ply === ply) return;
    this.#seen = { match, ply };
    write("seen", this.#seen);
  }

  /** @param {string} text */
  #news(text) {
    this.tell(text);
    this.app.announcer.say(text);
  }
}
