/* An invitation by a link as it is shown, at the door and to a person who has a name. */

/** @import { App } from "../page/app.js" */
/** @import { Invitation } from "./invitation.js" */

import { termsOf } from "../library/series.js";
import { formatClock, isolated, sentence } from "../library/words.js";
import { el, put, show } from "../page/dom.js";
import { words } from "../texts/words.js";
import { tellingPosition } from "./game_cards.js";
import { SmallBoard } from "./small_board.js";

const { door: texts } = words;

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
