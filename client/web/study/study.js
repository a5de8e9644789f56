/* The analysis board, `/board/connect_four#position=...`: any position of any game, what can be played in it,
   what was tried, and what a bot calls best.

   What is legal comes from the server (`try`), what is best from a bot by way of it (`consider`), at more and
   more effort while one looks.  The address holds the position; nothing is kept anywhere. */

/** @import { AnyPush, Tried } from "../library/messages.js" */
/** @import { Board, BoardModule, BoardView, Mark } from "../boards/board.js" */
/** @import { Place } from "./variations.js" */

import { boardOf } from "../boards/registry.js";
import { viewAt } from "../boards/view.js";
import { Refusal } from "../library/connection.js";
import { mayMove, onChoice, settings, showsCoordinates } from "../library/settings.js";
import { read } from "../library/storage.js";
import { boardPath } from "../library/words.js";
import { batched, byId, el, keyed, put, set, show } from "../page/dom.js";
import { icon } from "../page/icons.js";
import { House } from "../past/house.js";
import { fitBoard } from "../table/fit.js";
import { TableKeys } from "../table/keys.js";
import { MoveList } from "../table/record/move_list.js";
import { texts } from "../texts/study/words.js";
import { words } from "../texts/words.js";
import { BestActions } from "./best_actions.js";
import { askPosition, sharePosition } from "./position_sheet.js";
import { momentsOf, Variations } from "./variations.js";

const { table } = words;
const MOST_EFFORT = 2;
const NEWER = "match/stale-turn"; // another position was asked about since
const AGAIN_MS = 5_000; // after which a bot is asked again, where none was there or all were busy
const CHANCE = -1;
const OVER = -2;

class StudyPage {
  /** @type {BoardView | null} */
  #shown = null;
  #form = ""; // of the board and the window, as it was measured last
  /** @type {string | null} */
  #pointed = null; // an action that is pointed at in the list
  /** @type {Place | null} */
  #looking = null; // what a bot is asked about
  #trouble = ""; // why nothing is said of it
  #isHidden = new URLSearchParams(location.hash.slice(1)).has("hidden"); // what is best
  #showSoon = batched(() => this.show());

  /** @param {Tried} first
   *  @param {BoardModule} module */
  constructor(first, module) {
    this.game = first.game;
    this.module = module;
    this.tree = new Variations(first);
    this.host = el("div", { class: "board", "data-game": this.game });
    this.board = /** @type {Board} */ (module.create(this.host, (action) => this.play(action)));
    this.strips = [0, 1].map((seat) => el("div", { class: "player", "data-seat": seat },
      el("span", { class: "stone", "aria-hidden": "true" }), el("span", { class: "name" }, texts.sides[seat])));
    this.status = el("p", { class: "status", role: "status" });
    this.typed = el("p", { class: "quiet" });
    this.rolls = el("div", { class: "rolls", role: "group", "aria-label": texts.toRoll });
    this.best = new BestActions({ play: (action) => this.play(action), point: (action) => this.#point(action) });
    this.branches = el("div", { class: "branches row", role: "group", "aria-label": texts.branches });
    this.moves = new MoveList({ step: (step) => this.step(step), go: (ply) => this.go(this.tree.line[ply]) });
    const hide = this.#action("hint", this.#isHidden ? texts.show : texts.hide, () => this.#hide());
    this.hideWord = /** @type {HTMLElement} */ (hide.lastElementChild);
    const bar = el("div", { class: "bar" }, el("div", { class: "controls", role: "group", "aria-label": table.actions },
      this.#action("takeback", texts.back, () => this.step("back")), hide,
      this.#action("new", texts.position, () => this.#ask()), this.#action("sit", texts.playOn, () => this.#playOn()),
      this.#action("invite", texts.share, () => this.#share())));
    this.node = el("div", { class: "past-match study" }, el("div", { class: "game stage", tabindex: -1, "data-game": this.game },
      this.strips[1], el("div", { class: "place" }, this.host), el("div", { class: "status-area" }, this.status, this.typed),
      el("div", { class: "review" }, this.rolls, this.best.node, this.branches), this.moves.node, bar, this.strips[0]));
    this.stage = /** @type {HTMLElement} */ (this.node.firstElementChild);
    this.#listen();
  }

  #listen() {
    new TableKeys(this.host, {
      isHere: () => page === this, plays: () => this.tree.at.state.to_move >= 0, leave: () => false,
      type: (text, enter) => this.#type(text, enter),
      typed: (text, isWrong) => put(this.typed, isWrong ? `${text}?` : text),
      step: (step) => {
        this.step(step);
        return true;
      },
      read: () => house.announcer.say((this.#shown && this.module.read?.(this.#shown)) ?? table.notReadable),
    });
    onChoice(() => page === this && this.show());
    addEventListener("resize", () => page === this && this.#fit());
  }

  /** @param {string} picture
   *  @param {string} label
   *  @param {() => unknown} act */
  #action(picture, label, act) {
    return el("button", { type: "button", class: "action", "data-do": picture, onclick: act }, icon(picture), el("span", {}, label));
  }

  /** @param {string} text
   *  @param {boolean} enter */
  #type(text, enter) {
    const { to_move: toMove, legal = [] } = this.tree.at.state;
    if (toMove !== CHANCE) return this.board.type(text, enter);
    if (legal.includes(text)) this.play(text);
    return legal.includes(text) ? "played" : legal.some((roll) => roll.startsWith(text)) && !enter ? "more" : "wrong";
  }

  /** Play an action, or a roll, where one is: a new branch, where something else was tried before.
   *  @param {string} action */
  async play(action) {
    const { at } = this.tree;
    const known = this.tree.known(action);
    if (known) return this.go(known);
    await house.attempt(async () => {
      const state = await house.connection.request({ type: "try", game: this.game, position: at.state.position, action });
      if (!at.tried.some(({ event }) => event?.action === action)) this.tree.add(at, action, state);
      this.#arrive();
    });
  }

  /** Go one of the steps: first, back, next, last.
   *  @param {string} step */
  step(step) {
    const { line, ply } = this.tree;
    const to = { first: 0, back: Math.max(0, ply - 1), next: Math.min(line.length - 1, ply + 1) }[step] ?? line.length - 1;
    this.go(line[to]);
  }

  /** @param {Place} place */
  go(place) {
    this.tree.go(place);
    this.#arrive();
  }

  /** Show where one is now, say so in the address, and have a bot look. */
  #arrive() {
    this.#pointed = null;
    history.replaceState(null, "", boardPath(this.game, this.tree.at.state.position));
    this.show();
    this.consider();
  }

  show() {
    const { at, line, ply } = this.tree;
    const { to_move: toMove, position, legal = [] } = at.state;
    const seat = toMove >= 0 ? toMove : null;
    const view = viewAt(momentsOf(line), ply, { seat, over: toMove === OVER, marks: this.#marks() });
    const flip = settings.flip !== (seat === 1); // the board stays where it is, whoever is to move
    this.#shown = { ...view, legal: seat === null ? null : [...legal], names: texts.sides, flip,
      coordinates: showsCoordinates(this.game), motion: mayMove(), draw: () => this.#draw() };
    this.board.show(this.#shown);
    set(this.host, "data-position", position);
    put(this.status, this.#statusText());
    set(this.status, "class", toMove === OVER ? "status over" : "status");
    this.#showRolls();
    const { considered } = at;
    this.best.show(considered, { isLooking: this.#looking === at, about: this.#trouble });
    show(this.best.node, !this.#isHidden && toMove >= 0);
    keyed(this.branches, at.tried.length > 1 ? at.tried : [], ({ event }) => event?.action ?? "",
      (place) => el("button", { type: "button", onclick: () => this.go(place) }, place.event?.action ?? ""));
    show(this.branches, at.tried.length > 1);
    this.moves.show(line.slice(1).map(({ event }) => event ?? undefined),
      { at: ply === line.length - 1 ? null : ply, isStill: line.length === 1, showsNotes: false });
    for (const button of this.moves.steps.slice(0, 2)) set(button, "aria-disabled", ply === 0);
    const order = settings.flip ? [0, 1] : [1, 0];
    if (this.stage.firstElementChild !== this.strips[order[0]]) {
      this.stage.prepend(this.strips[order[0]]);
      this.stage.append(this.strips[order[1]]);
    }
    this.#fit();
  }

  /** What is pointed out on the board: the action that is pointed at in the list, or the best.
   *  @returns {Mark[]} */
  #marks() {
    const action = this.#pointed ?? this.tree.at.considered?.consideration.options[0]?.action;
    return action === undefined || this.#isHidden ? [] : [{ action, kind: "best" }];
  }

  #statusText() {
    const { to_move: toMove, winner = null, reason = "" } = this.tree.at.state;
    if (toMove >= 0) return texts.toMove(texts.sides[toMove]);
    if (toMove === CHANCE) return texts.toRoll;
    return winner === null ? texts.drawn : texts.won({ side: texts.sides[winner], why: this.module.why(reason) });
  }

  #showRolls() {
    const { to_move: toMove, legal = [] } = this.tree.at.state;
    const rolls = toMove === CHANCE ? ["", ...legal] : [];
    const fall = () => legal[Math.floor(Math.random() * legal.length)];
    keyed(this.rolls, rolls, (roll) => roll, (roll) => el("button",
      { type: "button", "data-roll": roll, class: roll ? "" : "primary", onclick: () => this.play(roll || fall()) }, roll || texts.roll));
    show(this.rolls, rolls.length > 0);
  }

  /** @param {string | null} action */
  #point(action) {
    this.#pointed = action;
    this.#showSoon(); // a button that goes loses the focus first
  }

  #hide() {
    this.#isHidden = !this.#isHidden;
    put(this.hideWord, this.#isHidden ? texts.show : texts.hide);
    this.show();
    this.consider();
  }

  /** Have a bot look at this position, longer and longer, until it has said all or one is elsewhere. */
  async consider() {
    const { at } = this.tree;
    if (this.#isHidden || at.state.to_move < 0 || this.#looking === at || at.considered?.consideration.final) return;
    this.#looking = at;
    this.#trouble = "";
    this.show();
    const from = at.considered ? (at.considered.consideration.effort ?? 0) + 1 : 0;
    try {
      for (let effort = from; effort <= MOST_EFFORT && this.#looking === at; effort++) {
        const considered = await house.connection.request({ type: "consider", game: this.game, position: at.state.position, effort });
        this.tree.note(at, considered);
        if (considered.consideration.final) break;
        if (this.tree.at === at) this.show();
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (this.tree.at === at && error.code !== NEWER) {
        this.#trouble = error.message;
        setTimeout(() => page === this && this.tree.at === at && this.consider(), AGAIN_MS);
      }
    }
    if (this.#looking === at) this.#looking = null;
    if (this.tree.at === at) this.show();
  }

  /** The server's drawing, for a board that has none of its own. */
  async #draw() {
    const { position } = this.tree.at.state;
    return (await house.connection.request({ type: "try", game: this.game, position, draw: true })).lines ?? [];
  }

  #ask() {
    const { games, catalog } = house.replica;
    const { position } = this.tree.at.state;
    askPosition({ game: this.game, position, games: games.map((game) => [game, catalog.title(game)]), put: open });
  }

  /** Open a room where a match begins in this position; there anybody is invited, a bot or a person.  One who has
   *  no name in this browser yet chooses one first. */
  async #playOn() {
    const { position, to_move: toMove } = this.tree.at.state;
    if (toMove === OVER) return house.notices.notify(texts.isOver);
    if (!read("token")) return house.notices.keep(texts.nameFirst);
    await house.attempt(async () => {
      const options = { public: false, position };
      const { room } = await house.connection.request({ type: "create", game: this.game, options, seat: toMove === 1 ? 1 : 0 });
      location.href = `/#room=${room}`;
    });
  }

  #share() {
    const { position } = this.tree.at.state;
    const notify = (/** @type {string} */ text) => house.notices.notify(text);
    sharePosition({ game: this.game, position, title: document.title, picture: this.module.picture(position), notify });
  }

  #fit() {
    this.#form = fitBoard(this.stage, this.host, this.#form);
  }
}

/** @type {StudyPage | null} */
let page = null;
const main = byId("main");
const house = new House(receive);

/** @param {AnyPush} message */
function receive(message) {
  if (message.type === "welcome" && page) house.entitle(texts.title(house.replica.catalog.title(page.game)));
}

/** Put a position on the board; a null game: the one that the text is of, a null text: the first position.
 *  @param {string | null} game
 *  @param {string | null} position */
async function open(game, position) {
  const state = await house.connection.request({ type: "try", ...(game ? { game } : {}), ...(position ? { position } : {}) });
  page = new StudyPage(state, await boardOf(state.game));
  history.replaceState(null, "", boardPath(state.game, state.position));
  main.replaceChildren(page.node);
  house.entitle(texts.title(house.replica.catalog.title(state.game)));
  page.show();
  page.consider();
}

/** Open what the address says; what cannot be read is said, with the first position. */
async function openAddress() {
  const game = location.pathname.split("/")[2] ?? "connect_four";
  const position = new URLSearchParams(location.hash.slice(1)).get("position");
  try {
    await open(game, position);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (position === null) main.replaceChildren(el("p", { class: "card", role: "alert" }, error.message));
    else {
      house.notices.keep(error.message);
      await house.attempt(() => open(game, null));
    }
  }
}

house.entitle(texts.any);
main.replaceChildren(el("p", { class: "card" }, texts.going));
house.enter();
openAddress();
