/* The lists of the host's page: visitors, rooms, ladders, restrictions, and acts. */

/** @import * as wire from "../library/messages.js" */
/** @import { Question } from "./question.js" */
/** @import { Fields } from "./api.js" */

import { ladderPath } from "../library/words.js";
import { el, keyed, put, show } from "../page/dom.js";

/** Do something once it is confirmed (null: at once).
 *  @typedef {(verb: string, fields: Fields, question: Question | null) => unknown} Act */
/** @template Row
 *  @typedef {object} Columns
 *  @property {string} title
 *  @property {string} none what is said where there is no row
 *  @property {string[]} head
 *  @property {(row: Row) => string} key a row with another key has other buttons
 *  @property {(row: Row) => (string | Node)[]} cells
 *  @property {(row: Row) => HTMLButtonElement[]} [acts] */

/** @template Row */
export class ListView {
  /** @param {Columns<Row>} columns */
  constructor(columns) {
    this.columns = columns;
    this.count = el("span");
    this.rows = el("tbody");
    this.none = el("p", { class: "quiet" }, columns.none);
    this.table = el("div", { class: "scroller" }, el("table", {},
      el("thead", {}, el("tr", {}, ...columns.head.map((word) => el("th", { scope: "col" }, word)),
        columns.acts ? el("td") : null)), this.rows));
    this.node = el("section", { class: "card" }, el("h2", {}, `${columns.title} `, this.count), this.none, this.table);
  }

  /** @param {Row[]} rows
   *  @param {number} total those that were left out included */
  show(rows, total) {
    const { key, cells, acts } = this.columns;
    put(this.count, total > rows.length ? `${rows.length} of ${total}` : String(total));
    show(this.none, rows.length === 0);
    show(this.table, rows.length > 0);
    keyed(this.rows, rows, key, (row) => el("tr", {}, ...cells(row).map(() => el("td")),
      acts ? el("td", { class: "acts" }, ...acts(row)) : null),
    (line, row) => cells(row).forEach((cell, index) => fill(line.children[index], cell)));
  }
}

/** Show something in a cell, and leave alone what is shown already.
 *  @param {Element} cell
 *  @param {string | Node} content */
function fill(cell, content) {
  if (typeof content === "string") put(cell, content);
  else if (cell.textContent !== content.textContent) cell.replaceChildren(content);
}

/** @param {string} text
 *  @param {() => unknown} onclick
 *  @param {string} label */
const button = (text, onclick, label) => el("button", { type: "button", onclick, "aria-label": label }, text);

/** @param {{name: string, program: string | null}} row */
const titleOf = ({ name, program }) => (program === null ? name : `${name}/${program}`);

/** A time in words, about.
 *  @param {number} ms */
export function spanText(ms) {
  const units = /** @type {[number, string][]} */ ([[86_400_000, "d"], [3_600_000, "h"], [60_000, "min"], [1_000, "s"]]);
  const [size, unit] = units.find(([each]) => ms >= each) ?? [1_000, "s"];
  return `${Math.max(1, Math.round(ms / size))} ${unit}`;
}

/** @param {Act} act
 *  @returns {ListView<wire.VisitorRow>} */
export function visitorList(act) {
  return new ListView({
    title: "Here now", none: "Nobody is connected.", head: ["Name", "From", "Rooms", ""],
    key: (row) => [titleOf(row), ...row.addresses].join(" "),
    cells: (row) => [titleOf(row), [...new Set(row.addresses)].join(", "), row.rooms.join(", "), row.muted ? "muted" : ""],
    acts: ({ name, addresses }) => (name === "house" ? [] : [
      button("Kick", () => act("kick", { name }, kicking(name)), `Kick ${name}`),
      button("Mute", () => act("mute", { target: name }, muting(name)), `Mute ${name}`),
      button("Ban", () => act("ban", { target: name }, banning(name)), `Ban ${name}`),
      ...[...new Set(addresses)].slice(0, 2).map((address) =>
        button("Ban address", () => act("ban", { target: address }, banning(address)), `Ban ${address}, the address of ${name}`)),
      button("Release", () => act("release", { name }, releasing(name)), `Release the name ${name}`),
    ]),
  });
}

/** @param {Act} act
 *  @returns {ListView<wire.RoomView>} */
export function roomList(act) {
  return new ListView({
    title: "Rooms", none: "No room is open.", head: ["Room", "Game", "State", "Seats", "Following", "Idle for"],
    key: ({ room }) => String(room),
    cells: (row) => [String(row.room), row.game, row.public ? row.state : `${row.state}, private`,
      row.seats.map((seat) => seat ?? "free").join(" – "), String(row.following ?? 0), spanText(row.idle_ms)],
    acts: ({ room }) => [button("Close", () => act("close", { room: String(room) }, {
      title: `Close room ${room}?`, consequence: "A match that is on there ends without a result.",
      done: "Close it", reasoned: true,
    }), `Close room ${room}`)],
  });
}

/** @returns {ListView<wire.LadderLine>} */
export function ladderList() {
  return new ListView({
    title: "Ladders", none: "There is no ladder.", head: ["Ladder", "Game", "Owner", "State", "Players", "Pairs"],
    key: ({ name }) => name,
    cells: (row) => [el("a", { href: ladderPath(row.name) }, row.name), row.game, row.owner, row.state,
      `${row.here ?? 0} here of ${row.players ?? 0}`, String(row.pairs ?? 0)],
  });
}

/** @param {Act} act
 *  @returns {ListView<wire.RestrictionRow>} */
export function banList(act) {
  return new ListView({
    title: "Bans and mutes", none: "Nobody is banned or muted.", head: ["Who", "What", "How long still", "Why"],
    key: ({ restraint, target }) => `${restraint} ${target}`,
    cells: (row) => [row.target, row.restraint, row.for_ms === null ? "for good" : spanText(row.for_ms), row.why],
    acts: ({ restraint, target }) => [
      button("Lift", () => act(`un${restraint}`, { target }, null), `Lift the ${restraint} of ${target}`)],
  });
}

/** @returns {ListView<wire.LogRow>} */
export function logList() {
  return new ListView({
    title: "What was done", none: "Nothing yet.", head: ["When", "From", "What"],
    key: ({ seq }) => String(seq),
    cells: (row) => [new Date(row.at).toLocaleString(), row.by, row.text],
  });
}

/** @param {string} name
 *  @returns {Question} */
const kicking = (name) => ({
  title: `Kick ${name}?`, consequence: "All connections of this name end. It may come back.", done: "Kick", reasoned: true,
});

/** @param {string} target
 *  @returns {Question} */
const muting = (target) => ({
  title: `Mute ${target}?`, consequence: "Chat from there is refused.", done: "Mute", timed: true, reasoned: true,
});

/** @param {string} target
 *  @returns {Question} */
const banning = (target) => ({
  title: `Ban ${target}?`, consequence: "All connections from there end, and no new one is let in.",
  done: "Ban", timed: true, reasoned: true,
});

/** @param {string} name
 *  @returns {Question} */
const releasing = (name) => ({
  title: `Release the name ${name}?`, consequence: "Whoever has it loses it for good, with all that is open under it.",
  done: "Release",
});
