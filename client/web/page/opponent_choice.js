/* The choice of a bot, with its strength in words.

   A part of a form: `value()` is an invitation, or null where there is no bot to choose. */

/** @import { BotLine } from "../library/messages.js" */
/** @import { Invitation } from "../library/seating.js" */

import { fullName } from "../library/replica.js";
import { read, write } from "../library/storage.js";
import { HOUSE, isolated } from "../library/words.js";
import { words } from "../texts/words.js";
import { el, keyed, put, set, show } from "./dom.js";

const { lobby: texts } = words;
const LEVEL = 2; // where none was chosen yet: a newcomer wins some, and is offered less or may take more

export class OpponentChoice {
  /** @type {BotLine[]} */
  #bots = [];
  #chosen = read("rival");

  /** `onChange` is called when somebody has chosen.
   *  @param {string} id
   *  @param {() => void} [onChange] */
  constructor(id, onChange = () => {}) {
    this.onChange = onChange;
    this.who = el("select", { id, onchange: () => { this.choose(this.who.value); } });
    this.level = el("input", {
      id: `${id}-level`, type: "range", min: 1, max: 8, oninput: () => this.#rate(),
    });
    this.level.value = read("level", LEVEL);
    this.output = el("output", { for: `${id}-level` });
    this.about = el("p", { class: "quiet likeness", id: `${id}-about` });
    set(this.who, "aria-describedby", this.about.id);
    this.strength = el("div", { class: "field" },
      el("label", { for: `${id}-level` }, `${texts.level}: `, this.output), this.level);
    this.node = el("div", { class: "fields opponent" },
      el("div", { class: "field" }, el("label", { for: id }, texts.who), this.who), this.strength, this.about);
  }

  /** Offer the bots that play `game`.
   *  @param {string} game
   *  @param {BotLine[]} bots */
  show(game, bots) {
    this.#bots = bots.filter((bot) => bot.games.length === 0 || bot.games.includes(game));
    keyed(this.who, this.#bots, fullName, (bot) => el("option", { value: fullName(bot) }), (option, bot) => {
      put(option, optionText(bot));
      set(option, "disabled", bot.free === 0);
    });
    const free = this.#bots.filter((bot) => bot.free > 0);
    const isChosen = free.some((bot) => fullName(bot) === this.#chosen);
    this.who.value = isChosen ? this.#chosen : favourite((free.length ? free : this.#bots).map(fullName));
    this.#show();
  }

  /** Whether there is anybody to choose, who has time. */
  get isPossible() {
    return this.#bots.some((bot) => bot.free > 0);
  }

  /** Whether a bot plays this game at all. */
  get isKnown() {
    return this.#bots.length > 0;
  }

  /** The choice in a few words: "mcts, level 4: club". */
  get text() {
    const bot = this.#bot();
    return bot ? texts.against({ bot: botName(bot), level: bot.levels ? this.#rating(bot) : null }) : "";
  }

  /** @returns {Invitation | null} */
  value() {
    const bot = this.#bot();
    if (!bot) return null;
    return { who: fullName(bot), strength: bot.levels ? { level: this.#rating(bot) } : {} };
  }

  /** @param {string} name */
  choose(name) {
    this.#chosen = name;
    this.who.value = name;
    write("rival", name);
    this.#show();
    this.onChange();
  }

  #bot() {
    return this.#bots.find((bot) => fullName(bot) === this.who.value);
  }

  /** @param {BotLine} bot */
  #rating(bot) {
    return Math.min(Number(this.level.value), bot.levels);
  }

  #rate() {
    write("level", Number(this.level.value));
    this.#show();
    this.onChange();
  }

  #show() {
    const bot = this.#bot();
    show(this.strength, Boolean(bot?.levels));
    if (bot?.levels) {
      set(this.level, "max", bot.levels);
      const text = texts.strength({ level: this.#rating(bot) });
      put(this.output, text);
      set(this.level, "aria-valuetext", text);
    }
    put(this.about, bot ? likeness(bot)[1] : "");
    show(this.about, this.about.textContent !== "");
  }
}

/** A bot's program, and whose it is where it is not the house's.
 *  @param {BotLine} bot */
export const botName = ({ name, program }) =>
  (name === HOUSE ? program : texts.ofOwner({ bot: isolated(program), owner: isolated(name) }));

/** What a bot is, and how it thinks; of other people's bots this page knows nothing.
 *  @param {BotLine} bot */
export const likeness = ({ name, program }) =>
  (name === HOUSE && Object.hasOwn(texts.bots, program) ? texts.bots[program] : ["", ""]);

/** @param {BotLine} bot */
function optionText(bot) {
  const [kind] = likeness(bot);
  const text = kind ? `${botName(bot)} · ${kind}` : botName(bot);
  return bot.free ? text : texts.busy({ bot: text });
}

/** The bot to begin with: one that searches or has learnt, if there is one.
 *  @param {string[]} names */
const favourite = (names) => names.find((name) => name.endsWith("/mcts")) ?? names.find((name) => name.endsWith("/gammon")) ?? names[0] ?? "";
