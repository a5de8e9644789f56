/* The invitations that are open, above every view: each can be accepted or declined. */

/** @import { App } from "./app.js" */

import { termsOf } from "../library/series.js";
import { formatClock, isolated } from "../library/words.js";
import { words } from "../texts/words.js";
import { byId, el, keyed, put } from "./dom.js";

const { connection: texts } = words;

export class Invitations {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.list = byId("invitations");
  }

  show() {
    const { replica, attempt, seating, ratings, go } = this.app;
    const now = performance.now();
    const open = [...replica.invitations.values()].filter((invitation) => invitation.until > now);
    keyed(this.list, open, ({ room }) => room, ({ room, code, by, game, options }) => {
      const accept = () => attempt(async () => go(await seating.join({ room, code })));
      const decline = () => attempt(() => seating.decline(room));
      const { clock, rated = false } = options;
      const terms = texts.terms({ game: replica.catalog.title(game), clock: [...termsOf(game, options), formatClock(clock)].join(", "), rated });
      const rating = el("span", { class: "quiet" });
      const item = el("div", { class: "invitation" },
        el("span", {}, texts.invitation({ by: isolated(by), terms }), " ", rating),
        el("div", { class: "row" }, el("button", { type: "button", onclick: decline }, texts.decline),
          el("button", { type: "button", class: "primary", onclick: accept }, texts.accept)));
      return Object.assign(item, { rating });
    }, ({ rating }, { game, by }) => put(rating, by.includes("/") ? "" : ratings.text(game, { name: by })));
  }
}
