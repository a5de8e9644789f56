/* Who has a name here and follows a friend's link is asked first: sit down, or look on?

   A view: it renders from the invitation and asks through `app`. */

/** @import { App } from "../page/app.js" */
/** @import { Invitation } from "./invitation.js" */

import { el, show } from "../page/dom.js";
import { words } from "../texts/words.js";
import { InvitationCard } from "./invitation_card.js";

const { door: texts } = words;

export class InvitedView {
  title = "";

  /** @param {App} app
   *  @param {Invitation} invitation */
  constructor(app, invitation) {
    this.app = app;
    this.invitation = invitation;
    this.card = new InvitationCard();
    this.play = el("button", { type: "button", class: "primary", onclick: () => this.#answer("play") }, texts.play);
    this.watch = el("button", { type: "button", onclick: () => this.#answer("watch") }, texts.watch);
    this.no = el("button", { type: "button", onclick: () => app.go(null) }, texts.lobby);
    this.node = el("section", { class: "card sign-in" }, this.card.node,
      el("div", { class: "row" }, this.play, this.watch, this.no));
  }

  show() {
    this.card.show(this.invitation, this.app);
    const { isFull, isGone } = this.invitation;
    show(this.play, !isFull && !isGone);
    show(this.watch, !isGone);
  }

  focus() {
    [this.play, this.watch, this.no].find((button) => !button.hidden)?.focus();
  }

  /** @param {"play" | "watch"} wish */
  #answer(wish) {
    return this.app.attempt(() => this.invitation[wish]());
  }
}
