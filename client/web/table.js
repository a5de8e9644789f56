/* A room as a view: the two players, the board between them, what can be done, moves and chat.

   It renders from the house and asks through `app`.  What a board looks like is in boards/; which
   board draws which game is in boards/chosen.js. */

import { Review } from "./analysis/review.js";
import { chosen } from "./boards/chosen.js";
import { Controls } from "./controls.js";
import { el, put, set, show } from "./dom.js";
import { seatIn } from "./house.js";
import { Inviting } from "./inviting.js";
import { Player } from "./players.js";
import { Chat, Moves } from "./talk.js";
import { clockTerms, gameTitle, ladderPath, status } from "./wording.js";

export class Table {
  title = "";
  #game = null; // whose board is on the table
  #board = null; // what boards/*.js made; null while that is loaded
  #start = null; // the position that it shows before the first match
  #room = null; // the number of the room shown
  #sent = null; // "match turn" that was answered here and not yet confirmed
  #hint = null; // {match, turn, action}: what a bot would play

  constructor(app) {
    this.app = app;
    this.top = new Player();
    this.bottom = new Player();
    this.host = el("div", { class: "board" });
    this.status = el("p", { class: "status", role: "status", "aria-live": "polite" });
    this.review = new Review(app, {
      changed: () => this.show(this.#room), look: () => this.host.scrollIntoView({ block: "nearest" }),
    });
    this.controls = new Controls(app, this.review, (hint) => this.#hinted(hint));
    this.inviting = new Inviting(app);
    this.moves = new Moves();
    this.chat = new Chat(app);
    this.facts = el("p", { class: "facts quiet" });
    this.ladder = el("a");
    this.replay = el("a", {}, "Replay this match");
    this.links = el("p", { class: "facts row" }, this.ladder, this.replay);
    this.none = el("p", { class: "card" }, "Going to the table …");
    this.stage = el("div", { class: "stage" }, this.inviting.node, this.top.node, this.host, this.bottom.node,
      this.status, this.controls.node, this.review.below);
    this.side = el("aside", { class: "side" }, this.facts, this.links, this.review.card, this.moves.node, this.chat.node);
    this.node = el("div", { class: "table" }, this.none, this.stage, this.side);
  }

  show(number) {
    const { house } = this.app;
    const room = house.rooms.get(number);
    for (const part of [this.stage, this.side]) show(part, room !== undefined);
    show(this.none, room === undefined);
    this.#room = number;
    if (!room) return;
    const match = this.#unanswered(house.current(number));
    const me = seatIn(room);
    this.title = `${match?.legal ? "Your turn · " : ""}${gameTitle(room.game)}`;
    for (const [player, seat] of this.#strips(me)) player.show(room, match, seat, me);
    this.tick();
    this.review.show(room, match);
    this.#show(room, match, me);
    put(this.status, this.review.where() ?? status(room, match, me, this.app.seating.expected(number)));
    set(this.status, "class", match?.legal ? "status yours" : match?.result ? "status over" : "status");
    put(this.facts, factsOf(room));
    this.#link(room, match);
    this.inviting.show(room);
    this.controls.show(room, match);
    this.moves.show(match ? house.line(match.match) : []);
    show(this.moves.node, !this.review.lists(match));
    this.chat.show(room, house.chat.get(number) ?? []);
  }

  /* Let the clocks run. */
  tick() {
    const room = this.app.house.rooms.get(this.#room);
    if (!room) return;
    const match = this.app.house.current(room.room);
    for (const [player, seat] of this.#strips(seatIn(room))) player.tick(this.app.house, match, seat);
  }

  /* The ways to the ladder that a match is played for. */
  #link({ ladder = null }, match) {
    show(this.links, ladder !== null);
    if (ladder === null) return;
    put(this.ladder, `Ladder ${ladder}`);
    set(this.ladder, "href", ladderPath(ladder));
    show(this.replay, Boolean(match?.result));
    set(this.replay, "href", match ? ladderPath(ladder, match.match) : null);
  }

  /* Which strip is for which seat: oneself is below. */
  #strips(me) {
    return [[this.top, 1 - (me ?? 0)], [this.bottom, me ?? 0]];
  }

  #show(room, match, me) {
    if (this.#game !== room.game) this.#lay(room.game);
    const view = match ? this.review.view(me) ?? this.#view(match, me) : emptyView(this.#start, me);
    if (match || room.state === "waiting") this.#board?.show(view);
    set(this.host, "data-position", match ? view.position : null);
  }

  /* Put another game's board on the table. */
  async #lay(game) {
    this.#game = game;
    this.#board = null;
    const { module, start } = await chosen(game).catch(() => ({ module: null, start: null }));
    if (this.#game !== game) return; // the person has gone on to another table
    if (!module) return this.app.tell("The board could not be fetched: please load this page again.");
    this.host.replaceChildren();
    for (const node of [this.host, this.stage]) set(node, "data-game", game);
    this.#start = start;
    this.#board = module.create(this.host, (action) => this.#play(action));
    this.show(this.#room);
  }

  /* The match without `legal` while the answer to it is under way. */
  #unanswered(match) {
    const answered = match && this.#sent === `${match.match} ${match.turn}`;
    return answered ? { ...match, legal: null } : match;
  }

  #view(match, me) {
    const events = match.events;
    const last = events.findLast((event) => event.seat >= 0);
    return {
      position: match.position,
      legal: match.legal ?? null,
      seat: me,
      toMove: match.to_move,
      last: last ? { seat: last.seat, action: last.action } : null,
      events,
      over: Boolean(match.result),
      marks: this.#advice(match),
    };
  }

  /* The bot's advice on the board, as long as it is for this turn. */
  #advice(match) {
    const { match: number, turn, action } = this.#hint ?? {};
    const isFor = match.legal && number === match.match && turn === match.turn;
    return isFor ? [{ action, kind: "best" }] : [];
  }

  #hinted(hint) {
    this.#hint = hint;
    this.show(this.#room);
  }

  async #play(action) {
    const match = this.app.house.current(this.#room);
    if (!match?.legal) return;
    this.#sent = `${match.match} ${match.turn}`;
    this.show(this.#room);
    const { attempt, seating } = this.app;
    const done = await attempt(() => seating.ask({ type: "play", match: match.match, turn: match.turn, action }));
    if (done) return;
    this.#sent = null; // it did not happen: the board is open again
    this.show(this.#room);
  }
}

/* A board before the first match. */
const emptyView = (position, seat) =>
  ({ position, legal: null, seat, toMove: -2, last: null, events: [], over: true, marks: [] });

function factsOf(room) {
  const facts = [`Room ${room.room}`, gameTitle(room.game), clockTerms(room.options.clock)];
  if (room.options.public === false) facts.push("private");
  if (room.options.rated) facts.push("rated");
  if (room.watching) facts.push(`${room.watching} watching`);
  return facts.join(" · ");
}
