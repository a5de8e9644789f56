/* The lists of the host's page: visitors, rooms, ladders, restrictions, and acts. */

/** @import * as wire from "../library/messages.js" */
/** @import { Question } from "./question.js" */
/** @import { Fields } from "./api.js" */

import { Catalog } from "../library/catalog.js";
import { ladderPath } from "../library/words.js";
import { el, keyed, put, show } from "../page/dom.js";
import { texts } from "../texts/admin/words.js";
import { language } from "../texts/words.js";

const catalog = new Catalog(); // which the server does not fill here: then a game's name is its title
const { kick, mute, ban, banAddress, release, close, closeAll, dropBot, stopLadder, removeLadder, drainOne, lift, spans } = texts;

/** @param {string} state */
const stateText = (state) => (Object.hasOwn(texts.states, state) ? texts.states[state] : state);

/** @param {string} restraint */
const restraintText = (restraint) => (Object.hasOwn(texts.restraints, restraint) ? texts.restraints[restraint] : restraint);

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
    put(this.count, total > rows.length ? texts.some({ shown: rows.length, total }) : String(total));
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
  const units = /** @type {[number, string][]} */ ([[86_400_000, spans.d], [3_600_000, spans.h], [60_000, spans.min], [1_000, spans.s]]);
  const [size, unit] = units.find(([each]) => ms >= each) ?? [1_000, spans.s];
  return `${Math.max(1, Math.round(ms / size))} ${unit}`;
}

/** @param {Act} act
 *  @returns {ListView<wire.VisitorRow>} */
export function visitorList(act) {
  return new ListView({
    ...texts.lists.who,
    key: (row) => [titleOf(row), ...row.addresses].join(" "),
    cells: (row) => [titleOf(row), [...new Set(row.addresses)].join(", "), row.rooms.join(", "), row.muted ? texts.muted : ""],
    acts: ({ name, addresses }) => (name === "house" ? [] : [
      button(kick.button, () => act("kick", { name }, kicking(name)), kick.label(name)),
      button(mute.button, () => act("mute", { target: name }, muting(name)), mute.label(name)),
      button(ban.button, () => act("ban", { target: name }, banning(name)), ban.label(name)),
      ...[...new Set(addresses)].slice(0, 2).map((address) =>
        button(banAddress.button, () => act("ban", { target: address }, banning(address)), banAddress.label({ address, name }))),
      button(release.button, () => act("release", { name }, releasing(name)), release.label(name)),
    ]),
  });
}

/** @param {Act} act
 *  @returns {ListView<wire.RoomView>} */
export function roomList(act) {
  return new ListView({
    ...texts.lists.rooms,
    key: ({ room }) => String(room),
    cells: (row) => [String(row.room), catalog.title(row.game), row.public ? stateText(row.state) : texts.private(stateText(row.state)),
      row.seats.map((seat) => seat ?? texts.free).join(" – "), String(row.following ?? 0), spanText(row.idle_ms)],
    acts: ({ room, owner, address, ladder }) => [
      button(close.button, () => act("close", { room: String(room) }, {
        ...close, title: close.title(String(room)), reasoned: true,
      }), close.label(String(room))),
      ...[ladder ? "" : owner.split("/")[0], address ?? ""].filter((of) => of !== "").map((of) =>
        button(closeAll.label(of), () => act("close", { of }, closing(of)), closeAll.label(of))),
    ],
  });
}

/** @param {Act} act
 *  @returns {ListView<wire.LadderLine>} */
export function ladderList(act) {
  return new ListView({
    ...texts.lists.ladders,
    key: ({ name, state }) => `${state} ${name}`,
    cells: (row) => [el("a", { href: ladderPath(row.name) }, row.name), catalog.title(row.game), row.owner, stateText(row.state),
      texts.hereOf({ here: row.here ?? 0, players: row.players ?? 0 }), String(row.pairs ?? 0)],
    acts: ({ name, state }) => [
      ...(state === "running" ? [
        button(dropBot.button, () => act("ladder", { act: "drop", ladder: name }, { ...dropBot, title: dropBot.title(name), named: true }),
          dropBot.label(name)),
        button(stopLadder.button, () => act("ladder", { act: "stop", ladder: name }, { ...stopLadder, title: stopLadder.title(name) }),
          stopLadder.label(name))] : []),
      button(removeLadder.button, () => act("ladder", { act: "remove", ladder: name }, { ...removeLadder, title: removeLadder.title(name) }),
        removeLadder.label(name)),
    ],
  });
}

/** @param {Act} act
 *  @returns {ListView<wire.RestrictionRow>} */
export function banList(act) {
  return new ListView({
    ...texts.lists.bans,
    key: ({ restraint, target }) => `${restraint} ${target}`,
    cells: (row) => [row.target, restraintText(row.restraint), row.for_ms === null ? texts.forGood : spanText(row.for_ms), row.why],
    acts: ({ restraint, target }) => [
      button(lift.button, () => act(`un${restraint}`, { target }, null), lift.label({ restraint: restraintText(restraint), target }))],
  });
}

/** @param {Act} act
 *  @returns {ListView<wire.NodeView>} */
export function nodeList(act) {
  const { here, cut, ladders, drains } = texts.node;
  return new ListView({
    ...texts.lists.nodes,
    key: ({ node, epoch }) => `${node} ${epoch}`,
    cells: (row) => [String(row.node), row.url, String(row.rooms), String(row.connections),
      [row.here ? here : row.line ? "" : cut, row.ladders ? ladders : "", row.drains ? drains : ""].filter(Boolean).join(", ")],
    acts: ({ node }) => [button(drainOne.button, () => act("drain", { server: String(node) }, {
      ...drainOne, title: drainOne.title(String(node)),
    }), drainOne.label(String(node)))],
  });
}

/** @param {number} bytes */
const megabytes = (bytes) => `${(bytes / 1e6).toLocaleString(language, { maximumFractionDigits: 1 })} MB`;

/** @param {Act} act
 *  @returns {ListView<wire.DiskRow>} */
export function diskList(act) {
  const { about, lately } = texts.disk;
  const known = (/** @type {string} */ of) => Object.hasOwn(about, of);
  return new ListView({
    ...texts.lists.disk,
    key: ({ of }) => of,
    cells: ({ of, size, limit }) => [known(of) ? about[of] : lately(of), megabytes(size), limit === null ? "" : megabytes(limit)],
    acts: ({ of }) => (known(of) ? [] : [
      button(ban.button, () => act("ban", { target: of }, banning(of)), ban.label(of)),
      button(closeAll.button, () => act("close", { of }, closing(of)), closeAll.label(of)),
    ]),
  });
}

/** @returns {ListView<wire.LogRow>} */
export function logList() {
  return new ListView({
    ...texts.lists.log,
    key: ({ seq }) => String(seq),
    cells: (row) => [new Date(row.at).toLocaleString(language), row.by, row.text],
  });
}

/** @param {string} name
 *  @returns {Question} */
export const kicking = (name) => ({ ...kick, title: kick.title(name), reasoned: true });

/** @param {string} target
 *  @returns {Question} */
export const muting = (target) => ({ ...mute, title: mute.title(target), timed: true, reasoned: true });

/** @param {string} target
 *  @returns {Question} */
export const banning = (target) => ({ ...ban, title: ban.title(target), timed: true, reasoned: true });

/** @param {string} of
 *  @returns {Question} */
export const closing = (of) => ({ ...closeAll, title: closeAll.title(of), reasoned: true });

/** @param {string} name
 *  @returns {Question} */
export const releasing = (name) => ({ ...release, title: release.title(name) });
