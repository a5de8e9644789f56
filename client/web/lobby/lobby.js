/* The lobby: the games and three ways to play, who is here and what is played, and one's last matches. */

/** @import { App } from "../page/app.js" */

import { el } from "../page/dom.js";
import { words } from "../texts/words.js";
import { HereNow } from "./here_now.js";
import { LastMatches } from "./last_matches.js";
import { MyMatches } from "./my_matches.js";
import { NewTable } from "./new_table.js";

export class LobbyView {
  title = words.common.lobby;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.newTable = new NewTable(app, () => this.here.show(this.newTable.game));
    this.here = new HereNow(app, {
      onInvite: (who) => this.newTable.invite(who),
      onBot: (name) => this.newTable.chooseBot(name),
    });
    this.own = new MyMatches(app, () => this.own.show());
    this.last = new LastMatches(app, () => this.last.show());
    this.code = el("input", {
      id: "code", autocomplete: "off", autocapitalize: "characters", spellcheck: "false",
      placeholder: "RDW7HQ", size: 8, required: true,
    });
    this.node = el("div", { class: "lobby" }, this.own.node,
      el("div", { class: "column" }, this.newTable.node, this.#codeCard()), this.here.node, this.last.node);
  }

  show() {
    const focused = this.node.contains(document.activeElement);
    this.own.show();
    this.newTable.show(this.app.replica);
    this.here.show(this.newTable.game);
    this.last.show();
    // What was in focus may be gone: a table that has been closed, somebody who has left.
    if (focused && !this.node.contains(document.activeElement)) this.here.heading.focus();
  }

  /** Play the bot that is proposed, as soon as there is one; whether it was done. */
  playBot() {
    const { bot } = this.newTable;
    if (bot.disabled) return false;
    bot.click();
    return true;
  }

  focus() {
    (this.own.heading ?? this.newTable.heading).focus();
  }

  #codeCard() {
    const submit = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      const { attempt, go, seating } = this.app;
      return attempt(async () => go(await seating.join({ code: this.code.value.trim() })));
    };
    return el("form", { class: "card code", onsubmit: submit },
      el("label", { for: "code" }, words.lobby.have), this.code, el("button", {}, words.lobby.join));
  }
}
