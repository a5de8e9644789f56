/* Below a match: what it was, its dice checked by this page itself, what was said, and its files. */

/** @import { Event, HistoryPage, Player, ReplayDocument } from "../library/messages.js" */
/** @import { House } from "./house.js" */
/** @import { DiceCheck } from "./dice_check.js" */
/** @typedef {Pick<ReplayDocument, "match" | "room" | "game" | "seats" | "at" | "ladder">} Played */

import { Refusal } from "../library/connection.js";
import { fullName } from "../library/replica.js";
import { settings } from "../library/settings.js";
import { ladderPath, matchPath, playerTitle, spoken } from "../library/words.js";
import { el, keyed, nameNode, put, show } from "../page/dom.js";
import { words } from "../texts/words.js";
import { checkDice, knowsDice } from "./dice_check.js";
import { moment } from "./house.js";

const { past: texts } = words;
const PAGES = 4; // of a room's events, at most, to find what was said
/** The formats of each game, by ending.
 *  @type {Record<string, string[]>} */
const OTHER_FILES = { backgammon: ["sgf", "mat"], backgammon_cube: ["sgf", "mat"] };

export class About {
  /** @param {House} house
   *  @param {Played} played
   *  @param {string | null} code */
  constructor(house, played, code) {
    this.house = house;
    this.played = played;
    this.code = code;
    this.verdict = el("p", { class: "verdict" });
    this.facts = el("dl", { class: "dice-facts" });
    this.dice = el("section", { class: "card", hidden: true }, el("h2", {}, texts.dice), this.verdict, this.facts);
    this.lines = el("ul", { class: "chat", tabindex: 0, "aria-label": words.table.chat });
    this.chat = el("section", { class: "card", hidden: true }, el("h2", {}, words.table.chat), this.lines);
    const files = ["txt", "json", ...OTHER_FILES[played.game] ?? []].map((ending) =>
      el("a", { href: matchPath(played.match, code, `.${ending}`), download: true, "data-file": ending }, texts.files[ending]));
    this.node = el("div", { class: "about-match" }, this.dice, this.chat,
      el("section", { class: "card" }, el("h2", {}, texts.match(played.match)), el("p", { class: "quiet" }, moment(played.at)),
        played.ladder ? el("p", {}, el("a", { href: ladderPath(played.ladder) }, words.table.ladder(played.ladder))) : null,
        el("p", { class: "row files" }, ...files)));
  }

  /** Fetch the record, check its dice, and look for what was said. */
  async fetch() {
    const { match, game } = this.played;
    const response = await fetch(matchPath(match, this.code, ".json")).catch(() => null);
    if (!response?.ok) {
      const text = response ? (await response.text()).trim() : "";
      show(this.dice, knowsDice(game) && text !== "");
      put(this.verdict, text);
      return;
    }
    /** @type {Event[]} */
    const events = (await response.json()).events.map((/** @type {{event: Event}} */ { event }) => event);
    const check = checkDice(match, game, events);
    if (check) this.#showDice(check);
    await this.#fetchChat(events[0].seq);
  }

  /** @param {DiceCheck} check */
  #showDice({ commitment, secret, salts, isCommitted, rolls, wrong }) {
    show(this.dice, true);
    const { game, seats } = this.played;
    const isGood = isCommitted && wrong === null;
    put(this.verdict, !isCommitted ? texts.notPromised : !knowsDice(game) ? texts.unknownDice
      : wrong ? texts.wrongRoll({ ...wrong, ply: wrong.ply + 1 }) : texts.allFollow(rolls));
    this.verdict.classList.toggle("trouble", !isGood);
    const entry = (/** @type {string} */ term, /** @type {string} */ value) => [el("dt", {}, term), el("dd", {}, value || texts.noSalt)];
    this.facts.replaceChildren(...entry(texts.promised, commitment), ...entry(texts.secret, secret),
      ...seats.flatMap((player, seat) => entry(texts.saltOf(playerTitle(player)), salts[seat])));
  }

  /** What was said from the deal on until the room's next match begins.
   *  @param {number} first the seq of the match's first event */
  async #fetchChat(first) {
    const { match, room } = this.played;
    /** @type {Event[]} */
    const said = [];
    /** @type {number | null} */
    let since = Math.max(0, first - 1);
    for (let page = 0; since !== null && page < PAGES; page++) {
      /** @type {HistoryPage | null} */
      const reply = await this.house.connection.request({ type: "history", room, since, code: this.code })
        .catch((error) => {
          if (error instanceof Refusal) return null; // then there is nothing to show
          throw error;
        });
      for (const event of reply?.events ?? []) {
        if (event.kind === "started" && event.match !== match) return this.#showChat(said);
        if (event.kind === "said" && event.player && event.text) said.push(event);
      }
      since = reply?.next ?? null;
    }
    return this.#showChat(said);
  }

  /** @param {Event[]} said */
  #showChat(said) {
    show(this.chat, said.length > 0 && settings.chat);
    const players = this.played.seats.map(fullName);
    keyed(this.lines, said, ({ seq }) => seq, ({ player, text }) => {
      const name = fullName(/** @type {Player} */ (player));
      const who = el("span", { class: "who" }, nameNode(name));
      return el("li", { class: players.includes(name) ? null : "watching" }, who, ": ", el("bdi", {}, spoken(name, text ?? "")));
    });
  }
}
