/* What a friend's link invites to: who, which game, which clock; known before anybody has a name. */

/** @import { Options, Player } from "../library/messages.js" */
/** @import { App } from "../page/app.js" */
/** As GET /invitation/CODE.json tells it.
 *  @typedef {{room: number, game: string, options: Options, seats: (Player | null)[], state: string, owner: string}} Terms */

import { hasCode } from "../library/seating.js";
import { termsOf } from "../library/series.js";
import { formatClock, isolated, sentence } from "../library/words.js";
import { el, put, show } from "../page/dom.js";
import { words } from "../texts/words.js";
import { tellingPosition } from "./game_cards.js";
import { SmallBoard } from "./small_board.js";

const { door: texts } = words;

/** The invitation that the address names, and what was decided about it. */
export class Invitation {
  /** @type {string | null} */
  code = null;
  /** Undefined while they are fetched, null where the server does not know them.
   *  @type {Terms | null | undefined} */
  terms;
  /** Whether no table has this code. */
  isGone = false;
  /** What was decided before one had a name, to be done once one has.
   *  @type {"play" | "watch" | null} */
  wish = null;

  /** @param {App} app
   *  @param {() => void} onChange */
  constructor(app, onChange) {
    this.app = app;
    this.onChange = onChange;
  }

  /** Whether there is no seat left. */
  get isFull() {
    return this.terms?.seats.every(Boolean) ?? false;
  }

  /** Get to know the invitation of this code, once.
   *  @param {string | null} code */
  async look(code) {
    if (code === this.code) return;
    this.code = code;
    this.terms = undefined;
    this.isGone = false;
    if (code === null) return;
    const answer = await fetch(`/invitation/${encodeURIComponent(code)}.json`).catch(() => null);
    const terms = answer?.ok ? await answer.json() : null;
    if (this.code !== code) return; // the address has changed meanwhile
    this.terms = terms;
    this.isGone = answer?.status === 404;
    this.onChange();
  }

  /** Sit down, or look on where both seats are taken. */
  async play() {
    const { seating } = this.app;
    const code = this.code ?? "";
    try {
      location.replace(`#room=${await seating.join({ code })}`);
    } catch (refusal) {
      if (!hasCode(refusal, "room/full")) throw refusal;
      await this.watch();
    }
  }

  async watch() {
    const code = this.code ?? "";
    const room = await this.app.seating.watch({ code });
    location.replace(`#room=${room}&code=${encodeURIComponent(code)}`);
  }
}

/** An invitation as it is shown. */
export class InvitationCard {
  constructor() {
    this.board = new SmallBoard();
    this.text = el("p", { class: "invites" });
    this.terms = el("p", { class: "quiet" });
    this.node = el("div", { class: "invitation-card" }, this.board.node, el("div", { class: "grow" }, this.text, this.terms));
  }

  /** @param {Invitation} invitation
   *  @param {App} app */
  show({ code, terms, isFull, isGone }, { replica }) {
    show(this.node, code !== null);
    if (!terms) put(this.terms, "");
    if (terms === undefined) return put(this.text, texts.looking);
    if (terms === null) return put(this.text, isGone ? texts.gone : texts.blank);
    const game = replica.catalog.title(terms.game);
    const { clock = null, rated = false } = terms.options;
    put(this.text, terms.owner ? texts.invites({ name: isolated(terms.owner), game }) : texts.someone({ game }));
    put(this.terms, `${sentence(texts.terms({ clock: [...termsOf(terms.game, terms.options), formatClock(clock)].join(", "), rated }))} ${isFull ? texts.full : texts.begins}`);
    return this.board.show(terms.game, tellingPosition(terms.game, replica.catalog));
  }
}
