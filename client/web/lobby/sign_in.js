/* Where a person without a name here chooses one, takes an earlier one, or enters as a guest; who
   follows a friend's link sees first what it is about.

   A view: it renders from `app.connection` and asks through `app`. */

/** @import { App } from "../page/app.js" */
/** @import { KeptName } from "../library/names.js" */
/** @import { Invitation } from "./invitation.js" */
/** @import { InvitationCard } from "./invitation_card.js" */

import { fetched } from "../library/connection.js";
import { dropName, keptNames } from "../library/names.js";
import { read, write } from "../library/storage.js";
import { isolated } from "../library/words.js";
import { el, keyed, put, set, show } from "../page/dom.js";
import { words } from "../texts/words.js";

const { door: texts } = words;
const MAX_NAME = 24; // characters, as SPEC.md says; the server checks it
const MAX_CODE = 40;
const BOARDS_MS = 300; // in which the door itself comes, and is drawn

export class SignInView {
  title = "";
  #isFilling = false; // the boards of the games are on their way, or there
  /** @type {KeptName | null} */
  #resumed = null; // the earlier name that was chosen last
  /** Undefined until somebody follows a link, null while it is fetched.
   *  @type {InvitationCard | null | undefined} */
  #card;

  /** @param {App} app
   *  @param {Invitation} invitation */
  constructor(app, invitation) {
    this.app = app;
    this.invitation = invitation;
    this.card = el("div", {}, el("p", { class: "invites" }, texts.looking));
    this.name = el("input", {
      id: "name", name: "name", autocomplete: "nickname", maxlength: MAX_NAME, required: true, autofocus: true,
      spellcheck: "false", "aria-describedby": "name-trouble",
    });
    this.trouble = el("p", { id: "name-trouble", class: "trouble", role: "alert" });
    this.suggestion = el("button", { type: "button", class: "link", onclick: () => this.#takeSuggestion() });
    this.enter = el("button", { class: "primary" });
    this.watch = el("button", { type: "button", onclick: () => this.#watch() }, texts.watch);
    this.guest = el("button", { type: "button", onclick: () => this.#enter({}) }, texts.guest);
    this.entering = el("p", { class: "quiet", role: "status" }, texts.entering);
    this.earlier = el("ul", { class: "row names" });
    this.earlierPart = el("div", { class: "earlier" }, el("h3", {}, texts.earlier), this.earlier);
    this.about = el("p", { class: "quiet" }, texts.about);
    this.heading = el("h2", { tabindex: -1 }, texts.who);
    this.form = el("form", { onsubmit: (event) => this.#submit(event) },
      this.heading, this.about,
      this.earlierPart,
      el("label", { for: "name" }, texts.name),
      this.name, this.trouble, this.suggestion,
      el("div", { class: "row" }, this.enter, this.watch, this.guest));
    this.code = el("input", {
      id: "name-code", name: "name-code", autocomplete: "off", maxlength: MAX_CODE, required: true, spellcheck: "false",
    });
    this.back = el("details", {},
      el("summary", {}, texts.have),
      el("form", { onsubmit: (event) => this.#bring(event) },
        el("label", { for: "name-code" }, texts.code),
        this.code,
        el("div", { class: "row" }, el("button", {}, texts.bring))));
    this.boards = el("div", { class: "door-boards", role: "group", "aria-label": texts.playNow });
    this.node = el("div", { class: "door" },
      el("section", { class: "card sign-in" }, this.entering, this.card, this.form, this.back), this.boards);
    this.#readLink();
    addEventListener("hashchange", () => this.#readLink());
  }

  show() {
    const { state, trouble } = this.app.connection;
    const refusal = state === "closed" ? trouble : null;
    if (refusal && this.#resumed && !read("token")) dropName(this.#resumed.token); // it is somebody else's now
    if (refusal) this.#resumed = null;
    const hasName = state !== "closed" && state !== "over" && Boolean(read("token"));
    const { isFull, isGone } = this.invitation;
    const code = isGone ? null : this.invitation.code; // of no table any more
    this.#showCard();
    show(this.entering, hasName);
    show(this.form, !hasName);
    show(this.back, !hasName);
    show(this.about, code === null);
    show(this.boards, !hasName && this.invitation.code === null);
    if (!hasName) this.#fillBoards();
    put(this.enter, code === null ? texts.enter : isFull ? texts.watch : texts.play);
    show(this.watch, code !== null && !isFull);
    put(this.trouble, refusal?.message ?? "");
    show(this.suggestion, Boolean(refusal?.suggestion));
    put(this.suggestion, refusal?.suggestion ? texts.be({ name: isolated(refusal.suggestion) }) : "");
    for (const button of [this.enter, this.watch, this.guest]) set(button, "disabled", state === "entering");
    this.#showEarlier();
  }

  #showCard() {
    const { invitation, app } = this;
    const isLink = invitation.code !== null;
    show(this.card, isLink);
    this.#card?.show(invitation, app);
    if (!isLink || this.#card !== undefined) return;
    this.#card = null;
    app.attempt(async () => {
      const { InvitationCard: Card } = await fetched(import("./invitation_card.js"));
      this.#card = new Card();
      this.card.replaceChildren(this.#card.node);
    });
  }

  /** The games, each a way to play a bot at once, as a guest.  Their pictures come when the door is there. */
  async #fillBoards() {
    if (this.boards.firstChild || this.boards.hidden || this.#isFilling) return;
    this.#isFilling = true; // once: where they cannot be had, that is said once
    await new Promise((resolve) => { setTimeout(resolve, BOARDS_MS); });
    this.app.attempt(async () => {
      const { doorBoards } = await fetched(import("./door_boards.js"));
      this.boards.replaceChildren(...doorBoards((game) => this.#playNow(game)));
    });
  }

  /** @param {string} game */
  #playNow(game) {
    write("game", game);
    this.app.playBot();
    this.#enter({});
  }

  focus() {
    if (!this.form.hidden) this.name.focus();
  }

  #showEarlier() {
    const names = keptNames();
    show(this.earlierPart, names.length > 0);
    keyed(this.earlier, names, ({ token }) => token, (kept) => {
      const label = texts.again({ name: kept.name });
      const button = el("button", { type: "button", "aria-label": label, onclick: () => this.#resume(kept) }, el("bdi", {}, kept.name));
      return el("li", {}, button);
    });
  }

  /** @param {KeptName} kept */
  #resume(kept) {
    this.#resumed = kept;
    write("token", kept.token);
    this.#decide("play");
    this.app.enter();
  }

  /** @param {SubmitEvent} event */
  #submit(event) {
    event.preventDefault();
    this.#enter({ name: this.name.value.trim() });
  }

  /** To watch, a name is welcome and not needed. */
  #watch() {
    const name = this.name.value.trim();
    this.#decide("watch");
    this.app.enter(name ? { name } : {});
  }

  /** @param {{name?: string}} hello */
  #enter(hello) {
    this.#decide("play");
    this.app.enter(hello);
  }

  /** What the link is followed for, once one is in.
   *  @param {"play" | "watch"} wish */
  #decide(wish) {
    if (this.invitation.code !== null) this.invitation.wish = wish;
  }

  /** @param {SubmitEvent} event */
  #bring(event) {
    event.preventDefault();
    this.app.enter({ link: this.code.value.trim() });
  }

  /** The link of another device brings its code along. */
  #readLink() {
    const link = new URLSearchParams(location.hash.slice(1)).get("link");
    if (!link) return;
    this.code.value = link;
    this.back.open = true;
  }

  #takeSuggestion() {
    this.name.value = this.app.connection.trouble?.suggestion ?? this.name.value;
    this.#enter({ name: this.name.value });
  }
}
