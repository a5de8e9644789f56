/* The choice of an opponent: a bot with its level, or, where that is possible, a person.

   A part of a form: `value()` is an invitation, or null for "a person". */

/** @import { BotLine } from "../library/messages.js" */
/** @import { Invitation } from "../library/seating.js" */

import { fullName } from "../library/replica.js";
import { read, write } from "../library/storage.js";
import { botText, HOUSE } from "../library/words.js";
import { el, put, set, setOptions, show } from "./dom.js";

const PERSON = "";
const LEVEL = 4; // where nobody has chosen yet: neither a gift nor a wall

export class OpponentChoice {
  /** @type {BotLine[]} */
  #bots = [];
  #chosen = read("rival");

  /** @param {string} id
   *  @param {string} label */
  constructor(id, label) {
    this.who = el("select", { id, onchange: () => this.#choose() });
    this.level = el("input", {
      id: `${id}-level`, type: "range", min: 1, max: 8, oninput: () => this.#rate(),
    });
    this.level.value = read("level", LEVEL);
    this.output = el("output", { for: `${id}-level` });
    this.about = el("p", { class: "quiet likeness", id: `${id}-about` });
    set(this.who, "aria-describedby", this.about.id);
    this.strength = el("div", { class: "field" },
      el("label", { for: `${id}-level` }, "Level ", this.output), this.level);
    this.node = el("div", { class: "fields" },
      el("div", { class: "field" }, el("label", { for: id }, label), this.who), this.strength, this.about);
  }

  /** Offer the bots that play `game`; `person` is what the choice of nobody in particular is called,
   *  null where there is no such choice.
   *  @param {string} game
   *  @param {BotLine[]} bots
   *  @param {string | null} person */
  show(game, bots, person) {
    this.#bots = bots.filter((bot) => bot.games.length === 0 || bot.games.includes(game));
    const pairs = this.#bots.map((bot) => /** @type {[string, string]} */ ([fullName(bot), botTitle(bot)]));
    setOptions(this.who, person === null ? pairs : [...pairs, [PERSON, person]]);
    const isThere = [...this.who.options].some(({ value }) => value === this.#chosen);
    this.who.value = isThere ? this.#chosen : favourite(pairs.map(([value]) => value));
    this.#show();
  }

  /** Whether there is anybody to choose. */
  get isPossible() {
    return this.who.options.length > 0;
  }

  /** @returns {Invitation | null} */
  value() {
    const bot = this.#bot();
    if (!bot) return null;
    return { who: fullName(bot), strength: bot.levels ? { level: Number(this.level.value) } : {} };
  }

  #bot() {
    return this.#bots.find((bot) => fullName(bot) === this.who.value);
  }

  #choose() {
    this.#chosen = this.who.value;
    write("rival", this.#chosen);
    this.#show();
    this.who.form?.dispatchEvent(new Event("change"));
  }

  #rate() {
    write("level", Number(this.level.value));
    this.#show();
  }

  #show() {
    const bot = this.#bot();
    const levels = bot?.levels ?? 0;
    show(this.strength, levels > 0);
    if (levels) set(this.level, "max", levels);
    put(this.output, `${this.level.value} of ${levels}`);
    put(this.about, bot ? botText(bot) : "");
    show(this.about, this.about.textContent !== "");
  }
}

/** @param {BotLine} bot */
function botTitle(bot) {
  const owner = bot.name === HOUSE ? "" : ` of ${bot.name}`;
  return `${bot.program}${owner}${bot.free ? "" : " (busy)"}`;
}

/** The bot to begin with: one that searches, if there is one.
 *  @param {string[]} names */
const favourite = (names) => names.find((name) => name.endsWith("/mcts")) ?? names[0] ?? PERSON;
