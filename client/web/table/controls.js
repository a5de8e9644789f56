/* The bar of actions: what can be done now.

   The buttons are a table: what each is called, when it is there, what it does.  The server judges; a
   button is only left out where its reply would be a plain no.  None of them is coloured while a match
   is on, and what costs the match asks first. */

/** @import { App } from "../page/app.js" */
/** @import * as wire from "../library/messages.js" */
/** @import { Review } from "../analysis/review.js" */
/** @import { StatusArea } from "./status_area.js" */
/** @typedef {{name: string, label: string, when: boolean, act: () => unknown, isMain?: boolean, picture?: string}} Button */
/** `isOn`: a match is being played; `pending`: an action that waits to be confirmed, in words.
 *  @typedef {{room: wire.RoomState, match: wire.MatchState | null, me: number | null, isOn: boolean, pending: string | null}} Now */

import { fullName, isFree, isSeriesOn } from "../library/replica.js";
import { hasCode, isSeeking } from "../library/seating.js";
import { hasDraws } from "../library/series.js";
import { settings } from "../library/settings.js";
import { write } from "../library/storage.js";
import { matchPath, playerTitle } from "../library/words.js";
import { el, keyed, put, set } from "../page/dom.js";
import { icon } from "../page/icons.js";
import { words } from "../texts/words.js";
import { Asking } from "./asking.js";
import { Resigning } from "./resigning.js";

const { table: texts } = words;

export class Controls {
  #about = ""; // what a question is about

  /** `onHint` is called with what a bot would play, `answer(isYes)` when an action that waits is played
   *  or dropped, `toggleInviting` to call somebody to a free seat.
   *  @param {App} app
   *  @param {Review} review
   *  @param {StatusArea} statusArea
   *  @param {{onHint: (hint: wire.Hinted) => void, answer: (isYes: boolean) => unknown, toggleInviting: () => unknown}} table */
  constructor(app, review, statusArea, { onHint, answer, toggleInviting }) {
    this.app = app;
    this.review = review;
    this.statusArea = statusArea;
    this.onHint = onHint;
    this.answer = answer;
    this.toggleInviting = toggleInviting;
    this.resigning = new Resigning(app);
    this.asking = new Asking();
    this.buttons = el("div", { class: "controls", role: "group", "aria-label": texts.actions });
  }

  /** @param {Now} now */
  show(now) {
    const { room, match, me, isOn, pending } = now;
    this.resigning.show(room, isOn ? match : null, me);
    const about = `${room.room} ${match?.match} ${isOn}`;
    if (about !== this.#about) this.asking.drop();
    this.#about = about;
    const during = isOn && match !== null && me !== null ? this.#during(room, match) : [];
    const usual = [...this.#leaving(now), ...this.#sitting(now), ...during].filter(({ when }) => when);
    const buttons = pending === null ? usual : this.#answers(pending);
    keyed(this.buttons, buttons, ({ name }) => name, buttonOf, (node, { label, act, isMain = false }) => {
      put(/** @type {Node} */ (node.lastChild), label);
      set(node, "class", isMain ? "action primary" : "action");
      node.onclick = () => act();
    });
  }

  /** To play what was chosen, or not.
   *  @param {string} pending
   *  @returns {Button[]} */
  #answers(pending) {
    return [
      { name: "cancel", label: texts.dropIt, when: true, act: () => this.answer(false) },
      { name: "confirm", label: texts.confirm(pending), isMain: true, when: true, act: () => this.answer(true) },
    ];
  }

  /** To begin, or to look back.
   *  @param {Now} now
   *  @returns {Button[]} */
  #sitting(now) {
    const { room, match, me, isOn } = now;
    const { seating, attempt } = this.app;
    const isIdle = room.state === "waiting";
    const isAlone = me !== null && !room.seats[1 - me] && seating.expected(room.room) === null;
    const canCallAgain = isAlone && seating.lastOpponent(room.room) !== null;
    const canBegin = me !== null && !isOn && isIdle && (!room.ready[me] || canCallAgain);
    const sit = () => attempt(() => seating.join({ room: room.room, code: room.code }));
    return [
      { name: "new", label: newLabel(now), isMain: true, when: canBegin, act: () => attempt(() => seating.newGame(room.room)) },
      { name: "easier", label: texts.easier, picture: "back", when: canBegin && this.#easierLevel(now) > 0, act: () => this.#playEasier(now) },
      { name: "sit", label: texts.sit, isMain: true, when: isIdle && me === null && room.seats.includes(null), act: sit },
      { name: "invite", label: texts.invite, when: isAlone && isIdle && Boolean(room.match), act: this.toggleInviting },
      { name: "analyse", label: texts.analyse, when: match !== null && this.review.isOpen(match),
        act: () => match && attempt(() => this.review.ask(room, match)) },
      { name: "record", label: texts.recordShort, when: !isOn && Boolean(match?.result), act: () => match && open(matchPath(match.match, room.code)) },
    ];
  }

  /** The level below that of the bot that has just won a match, or 0.
   *  @param {Now} now */
  #easierLevel({ room, match, me }) {
    const isLost = me !== null && match?.result?.winner === 1 - me && !isSeriesOn(room.series);
    return (isLost && room.seats[1 - me]?.level || 1) - 1;
  }

  /** The same again, at a table of its own, for a room's bot has one level; the next table begins there.
   *  @param {Now} now */
  #playEasier(now) {
    const { room: { game, options, seats }, me } = now;
    const { attempt, go, seating } = this.app;
    const level = this.#easierLevel(now);
    write("level", level);
    const seat = me === 1 ? 1 : 0;
    const bot = /** @type {wire.Player} */ (seats[1 - seat]);
    return attempt(async () => go(await seating.open({ game, options, seat, invited: { who: fullName(bot), strength: { level } } })));
  }

  /** To go: who plays keeps the seat.
   *  @param {Now} now
   *  @returns {Button[]} */
  #leaving({ room, me, isOn }) {
    const { seating, attempt, go } = this.app;
    const stays = (isOn && me !== null) || room.state === "closed";
    const getUp = () => attempt(async () => {
      await seating.leave(room.room);
      go(null);
    });
    const leave = () => (me !== null && isSeriesOn(room.series) && room.match ? this.#askToGiveUp(room, me, getUp) : getUp());
    return [
      { name: "leave", label: me === null ? texts.stopWatching : isSeeking(room) ? texts.stopSeeking : texts.leave, when: !stays, act: leave },
      { name: "lobby", label: texts.toLobby, when: stays, act: () => go(null) },
    ];
  }

  /** Leaving between two games of a match to points gives it up.
   *  @param {wire.RoomState} room
   *  @param {number} me
   *  @param {() => unknown} getUp */
  #askToGiveUp(room, me, getUp) {
    const text = texts.giveUpPrice({ name: playerTitle(room.seats[1 - me]), points: room.series?.points ?? 0 });
    this.asking.ask({ title: texts.giveUpQuestion, text, go: texts.giveUp, isDanger: true }, getUp);
  }

  /** What a player can do while a match is on.
   *  @param {wire.RoomState} room
   *  @param {wire.MatchState} match
   *  @returns {Button[]} */
  #during(room, match) {
    const { seating, attempt, replica } = this.app;
    const send = (/** @type {wire.AnyRequest} */ message) => () => attempt(() => seating.ask(message));
    const isOpen = (/** @type {wire.Offer["kind"]} */ kind) => match.offers?.some((offer) => offer.kind === kind) ?? false;
    const isCasual = !room.options.rated;
    const canAbort = isFree(replica.actions(match.match), room.options.rated);
    const on = { match: match.match };
    const offer = (/** @type {"takeback" | "draw"} */ kind) => () => {
      this.statusArea.answered.delete(kind);
      return send({ type: "offer", kind, ...on })();
    };
    const other = playerTitle(match.seats[1 - (room.seat ?? 0)]);
    const askDraw = () => this.asking.ask({ title: texts.drawQuestion, text: texts.drawAbout(other), go: texts.offerDraw }, offer("draw"));
    return [
      { name: "hint", label: texts.hint, when: isCasual && Boolean(match.legal), act: () => this.#askHint(match) },
      { name: "takeback", label: texts.takeback, when: isCasual && !isOpen("takeback"), act: offer("takeback") },
      { name: "draw", label: texts.draw, when: hasDraws(match.game) && !isOpen("draw"), act: askDraw },
      { name: "abort", label: texts.abort, when: canAbort, act: send({ type: "abort", ...on }) },
      { name: "resign", label: texts.resign, when: !canAbort, act: () => this.resigning.ask() },
    ];
  }

  /** @param {wire.MatchState} state */
  #askHint({ match, turn }) {
    const asked = `${match} ${turn}`;
    const { statusArea } = this;
    statusArea.showHint(texts.hintAsked, "", asked);
    return this.app.attempt(async () => {
      /** @type {[string, string]} */
      let found = ["", ""];
      try {
        const hint = await this.app.connection.request({ type: "hint", match });
        if (hint.turn === turn) found = [texts.hintIs(hint), settings.thoughts ? hint.note ?? "" : ""];
        this.onHint(hint);
      } catch (refusal) {
        if (!hasCode(refusal, "match/stale-turn")) throw refusal; // it has given way to a newer one
      } finally {
        if (statusArea.hint.dataset.turn === asked) statusArea.showHint(...found);
      }
    });
  }
}

/** What the button is called that begins a match.
 *  @param {Now} now */
function newLabel({ room, me }) {
  if (me !== null && !room.seats[1 - me]) return room.ready[me] || room.match ? texts.callAgain : texts.ready;
  if (room.match && isSeriesOn(room.series)) return texts.nextGame;
  return room.match ? texts.rematch : texts.ready;
}

/** @param {Button} button */
const buttonOf = ({ name, picture = name }) =>
  el("button", { type: "button", "data-do": name }, icon(picture), el("span"));
