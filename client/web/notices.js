/* What is said to the person outside of any view: refusals, the state of the line, invitations. */

import { el, keyed, put, show } from "./dom.js";
import { clockTerms, gameTitle } from "./wording.js";

const NOTICE_MS = 8_000;
const BACK_MS = 4_000; // how long "connected again" stays
const SHOWN = 4; // notices at once

export class Notices {
  #notices = [];
  #count = 0;
  #wasLost = false;
  #backUntil = 0;

  /* `hurry()` tries to connect now; `again()` connects after the line was given up. */
  constructor(document, { hurry, again }) {
    this.list = document.getElementById("notices");
    this.bar = document.getElementById("link");
    this.invitations = document.getElementById("invitations");
    this.text = el("span");
    this.now = el("button", { type: "button", onclick: hurry }, "Try now");
    this.again = el("button", { type: "button", onclick: () => again() }, "Connect here");
    this.bar.append(this.text, this.now, this.again);
  }

  /* Show a sentence for a while. */
  tell(text) {
    const notice = { key: ++this.#count, text };
    this.#notices = [...this.#notices.filter((other) => other.text !== text), notice].slice(-SHOWN);
    setTimeout(() => this.#dismiss(notice), NOTICE_MS);
    this.#list();
  }

  show(app) {
    this.#line(app.wire);
    this.#invited(app);
  }

  #dismiss(notice) {
    this.#notices = this.#notices.filter((other) => other !== notice);
    this.#list();
  }

  #list() {
    keyed(this.list, this.#notices, (notice) => notice.key, (notice) =>
      el("div", { class: "notice" }, el("span", {}, notice.text),
        el("button", { type: "button", "aria-label": "Dismiss", onclick: () => this.#dismiss(notice) }, "×")));
  }

  /* The bar at the top: while the line is lost, for a moment when it is back, and when it is over. */
  #line(wire) {
    if (wire.state === "lost") this.#wasLost = true;
    if (wire.state === "linked" && this.#wasLost) {
      this.#wasLost = false;
      this.#backUntil = performance.now() + BACK_MS;
      setTimeout(() => this.#line(wire), BACK_MS + 50);
    }
    const back = wire.state === "linked" && performance.now() < this.#backUntil;
    const trying = this.#wasLost && (wire.state === "lost" || wire.state === "entering");
    const reason = wire.trouble ? ` ${wire.trouble.message}` : "";
    const text = trying ? `Connection lost; trying to come back.${reason}`
      : wire.state === "over" ? `Disconnected.${reason}` : back ? "Connected again." : "";
    put(this.text, text);
    show(this.now, wire.state === "lost");
    show(this.again, wire.state === "over");
    show(this.bar, text !== "");
    this.bar.className = back ? "good" : "bad";
  }

  #invited({ house, attempt, seating, go }) {
    const now = performance.now();
    const open = [...house.invitations.values()].filter((invited) => invited.until > now);
    const accept = (room, code) => attempt(async () => go(await seating.join({ room, code })));
    keyed(this.invitations, open, (invited) => invited.room, ({ room, code, by, game, options }) => {
      const decline = () => attempt(async () => house.invitations.delete(room));
      return el("div", { class: "invitation" },
        el("span", {}, `${by} asks you to play ${gameTitle(game)} (${clockTerms(options.clock)}).`),
        el("button", { type: "button", class: "primary", onclick: () => accept(room, code) }, "Accept"),
        el("button", { type: "button", onclick: decline }, "Decline"));
    });
  }
}
