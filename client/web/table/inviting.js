/* At a table with a free seat: the link of the table with its QR code, and how to call a bot or
   somebody who is here. */

/** @import { App } from "../page/app.js" */
/** @import { RoomState } from "../library/messages.js" */
/** @import { Invitation } from "../library/seating.js" */

import { seatIn } from "../library/replica.js";
import { isSeeking } from "../library/seating.js";
import { termsOf } from "../library/series.js";
import { clockOf, isolated } from "../library/words.js";
import { el, keyed, nameNode, put, set, show } from "../page/dom.js";
import { OpponentChoice } from "../page/opponent_choice.js";
import { Sharing } from "../page/sharing.js";
import { words } from "../texts/words.js";
import { inSeconds } from "./status.js";

const { lobby: texts } = words;
const LONG_MS = 30_000; // after which who seeks an opponent is offered a bot

export class Inviting {
  #room = 0; // 0: none that waits for somebody
  #since = 0; // when it was seen first
  #isProposed = false; // a bot

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.about = el("p", { class: "quiet" });
    this.sharing = new Sharing("table", app.notify);
    this.people = el("ul", { class: "row people" });
    this.bot = new OpponentChoice("guest");
    this.botForm = el("form", { class: "fields call", onsubmit: (event) => this.#callBot(event) },
      this.bot.node, el("button", {}, texts.call));
    this.name = el("input", { id: "person", autocomplete: "off", spellcheck: "false", required: true });
    this.personForm = el("form", { class: "fields call", onsubmit: (event) => this.#callPerson(event) },
      el("div", { class: "field" }, el("label", { for: "person" }, texts.byName), this.name), el("button", {}, texts.invite));
    this.more = el("details", {}, el("summary", {}, texts.callBot), this.botForm, this.personForm);
    this.node = el("section", { class: "inviting card" }, el("h2", {}, texts.inviting), this.about, this.sharing.node,
      this.people, this.more);
  }

  /** @param {RoomState} room */
  show(room) {
    const { replica, seating } = this.app;
    const isFree = room.seats.includes(null) && room.state === "waiting";
    const isOpen = isFree && seatIn(room) !== null && seating.expected(room.room) === null;
    show(this.node, isOpen);
    if (!isOpen || room.room !== this.#room) this.#since = performance.now();
    this.#room = isOpen ? room.room : 0;
    if (!isOpen) return;
    const code = room.code ?? null;
    put(this.about, isSeeking(room) ? this.#seeking(room) : code ? texts.inviteFriend : texts.waiting);
    const place = code ? `code=${encodeURIComponent(code)}` : `table=${room.room}`;
    this.sharing.show({ link: `${location.origin}/#${place}`, code, title: replica.catalog.title(room.game) });
    this.#showPeople(replica.catalog.title(room.game));
    this.bot.show(room.game, replica.lobby?.bots ?? []);
    show(this.botForm, this.bot.isPossible);
  }

  /** What is waited for, and how long; after a while a bot is proposed.
   *  @param {RoomState} room */
  #seeking({ game, options }) {
    const ms = performance.now() - this.#since;
    const isLong = ms > LONG_MS && this.bot.isPossible;
    if (isLong && !this.#isProposed) this.more.open = true;
    this.#isProposed = isLong;
    const terms = [...termsOf(game, options), clockOf(options), ...(options.rated ? [texts.ratedShort] : [])].join(", ");
    return texts.seeking({ terms, time: inSeconds(ms), isLong });
  }

  /** @param {string} game */
  #showPeople(game) {
    const { lobby, name: me } = this.app.replica;
    const others = (lobby?.people ?? []).filter(({ name }) => name !== me);
    show(this.people, others.length > 0);
    keyed(this.people, others, ({ name }) => name, ({ name }) => {
      const invite = () => this.#invite({ who: name, strength: {} });
      return el("li", {}, el("button", { type: "button", onclick: invite }, `${texts.invite} `, nameNode(name)));
    }, (item, { name }) => set(item.children[0], "aria-label", texts.inviteTo({ name, game })));
  }

  /** @param {SubmitEvent} event */
  #callBot(event) {
    event.preventDefault();
    const invitation = this.bot.value();
    if (invitation) this.#invite(invitation);
  }

  /** @param {SubmitEvent} event */
  async #callPerson(event) {
    event.preventDefault();
    if (await this.#invite({ who: this.name.value.trim(), strength: {} })) this.name.value = "";
  }

  /** @param {Invitation} invitation */
  async #invite(invitation) {
    const { attempt, seating, notify, replica } = this.app;
    const room = this.#room;
    const isDone = await attempt(async () => {
      await seating.invite(room, invitation);
      const { ready, seat } = replica.rooms.get(room) ?? {};
      if (!ready?.[seat ?? 0]) await seating.ready(room);
    });
    if (isDone) notify(texts.invited({ name: isolated(invitation.who) }));
    return isDone;
  }
}
