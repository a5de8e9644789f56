/* Matches of one's own, read from files: `/imported` lists those that this browser keeps and takes more, by choice,
   drop or paste; `/imported#match=3&game=2` is a game of one, as the page of any match that is over. */

/** @import { AnyPush, ImportedGame } from "../library/messages.js" */
/** @import { FullReplay } from "../past/match_page.js" */
/** @import { KeptLine, KeptMatch } from "./store.js" */

import { boardOf } from "../boards/registry.js";
import { playerTitle, sentence } from "../library/words.js";
import { byId, el, keyed, put } from "../page/dom.js";
import { day, House } from "../past/house.js";
import { MatchPage } from "../past/match_page.js";
import { fileWords } from "../texts/imported/words.js";
import { aboutFile } from "./about_file.js";
import { isTooLarge, MAX_MIB, packed, readMatch, Unreadable } from "./reading.js";
import { findKept, keepMatch, listKept, removeKept } from "./store.js";

const texts = fileWords;
const PATH = "/imported";
const UNKEPT = 0; // the number of a match that the browser could not keep

/** @type {KeptMatch | null} */
let unkept = null;
/** @type {MatchPage | null} */
let page = null;
let shown = ""; // of the address: which game is on the page
const main = byId("main");
const house = new House(receive);

/** @param {AnyPush} message */
function receive(message) {
  if (message.type === "analysis_waits") {
    page?.review.wait(message);
    page?.series.wait(message);
  }
  if (message.type === "welcome" && page) entitle();
}

function entitle() {
  house.entitle(page ? `${house.replica.catalog.title(page.replay.game)}: ${page.names.join(" – ")}` : texts.title);
}

class Bring {
  constructor() {
    const input = el("input", { type: "file", id: "file", hidden: true, accept: ".mat,.sgf,.json,.txt,text/plain,application/json",
      onchange: (/** @type {Event & {target: HTMLInputElement}} */ { target }) => takeAll([...target.files ?? []]) });
    this.working = el("p", { class: "quiet", role: "status" });
    this.trouble = el("p", { class: "trouble", role: "alert" });
    this.kept = el("ul", { class: "kept" });
    this.none = el("p", { class: "quiet" });
    this.node = el("div", { class: "imported" },
      el("section", { class: "card bring" }, el("p", {}, texts.about), el("div", { class: "drop" },
        el("button", { type: "button", class: "primary", "data-do": "choose", onclick: () => input.click() }, texts.choose), input,
        el("span", {}, texts.orDrop)), this.working, this.trouble),
      el("section", { class: "card" }, el("h2", {}, texts.kept), this.none, this.kept));
  }

  async show() {
    const lines = await listKept().catch(() => []);
    put(this.none, lines.length ? "" : texts.none);
    keyed(this.kept, lines, ({ id }) => id, (line) => this.#line(line));
  }

  /** @param {KeptLine} line */
  #line({ id, name, title, at }) {
    return el("li", {}, el("a", { href: address(id) }, el("bdi", {}, title)), el("span", { class: "quiet" }, el("bdi", {}, name), ` · ${day(at)}`),
      removeButton(id));
  }
}

const bring = new Bring();

/** A button that deletes a match, once it is pressed again.
 *  @param {number} id */
function removeButton(id) {
  /** @type {HTMLElement} */
  const button = el("button", { type: "button", "data-do": "remove", onblur: () => put(button, texts.remove), onclick: async () => {
    if (button.textContent === texts.remove) {
      put(button, texts.reallyRemove);
      return;
    }
    if (id === UNKEPT) unkept = null;
    else await removeKept(id);
    house.notices.notify(texts.removed);
    if (location.hash) location.hash = "";
    else await bring.show();
  } }, texts.remove);
  return button;
}

/** Where a game of a match is.
 *  @param {number} id
 *  @param {string} game
 *  @param {number} [ply] */
const address = (id, game = "1", ply = undefined) => `${PATH}#match=${id}&game=${game}${ply === undefined ? "" : `&ply=${ply}`}`;

/** Take files one after the other; go to the last that could be read.
 *  @param {File[]} files */
async function takeAll(files) {
  const troubles = [];
  /** @type {number | null} */
  let last = null;
  for (const file of files) {
    const name = file.name || texts.pasted;
    put(bring.working, texts.reading(name));
    try {
      last = await take(file, name);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      troubles.push(texts.refused({ name, why: sentence(error.message) }));
    }
  }
  put(bring.working, "");
  put(bring.trouble, troubles.join(" "));
  if (troubles.length && page) for (const trouble of troubles) house.notices.notify(trouble);
  if (last !== null && !troubles.length) location.hash = address(last).slice(PATH.length);
  else bring.show();
}

/** Have a file read, and keep it; the number that it has.
 *  @param {File} file
 *  @param {string} name */
async function take(file, name) {
  if (isTooLarge(file)) throw new Unreadable(texts.tooLarge({ name, most: MAX_MIB }));
  const body = await packed(file);
  const match = await readMatch(body);
  const [{ game, seats }] = match.games;
  const title = `${house.replica.catalog.title(game)}: ${seats.map(playerTitle).join(" – ")}`;
  const kept = { name, file: body, match };
  return keepMatch({ name, title, at: Date.now() }, kept).catch(() => {
    unkept = { ...kept, id: UNKEPT };
    house.notices.keep(texts.notKept);
    return UNKEPT;
  });
}

/** Show what the address says: a game, or the list. */
async function open() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const wanted = `${fields.get("match")}.${fields.get("game") ?? 1}`;
  if (wanted === shown && page) return page.arrive();
  shown = wanted;
  page = null;
  const id = fields.get("match");
  const kept = id === null ? null : Number(id) === UNKEPT ? unkept : await findKept(Number(id)).catch(() => null);
  const game = kept?.match.games.find(({ match }) => match === `0.${fields.get("game") ?? 1}`);
  if (kept && game) await openGame(kept, game);
  else {
    main.replaceChildren(bring.node);
    put(bring.trouble, id === null ? bring.trouble.textContent ?? "" : texts.gone);
    await bring.show();
  }
  entitle();
}

/** @param {KeptMatch} kept
 *  @param {ImportedGame} game */
async function openGame(kept, game) {
  const { id, match: { games, story = [] } } = kept;
  const result = game.result.reason === "unfinished" ? { ...game.result, reason: texts.unfinished } : game.result;
  const replay = /** @type {FullReplay} */ ({ ...game, result, games: story });
  const numberOf = (/** @type {string} */ match) => match.split(".")[1];
  const path = (/** @type {string} */ match, /** @type {number | undefined} */ ply = undefined) => address(id, numberOf(match), ply);
  page = new MatchPage(house, replay, await boardOf(game.game), {
    isOurs: false, path, about: aboutFile(house, kept, game.match, path, removeButton(id)),
    analyse: (match) => house.connection.request(asked(/** @type {ImportedGame} */ (games.find((each) => each.match === match)))),
  });
  main.replaceChildren(page.node);
  page.show();
}

/** The request to go through a game.
 *  @param {ImportedGame} game */
function asked({ match, game, moments, options, series = null, resignations = [] }) {
  const actions = moments.flatMap(({ event }) => (event ? [{ kind: /** @type {"play"} */ (event.kind), seat: event.seat ?? -1, action: event.action ?? "" }] : []));
  return /** @type {const} */ ({ type: "analyse_own", name: match, game, actions, options, series, resignations });
}

/** @param {DragEvent} event */
const holdsFiles = ({ dataTransfer }) => Boolean(dataTransfer?.types.includes("Files"));

addEventListener("dragover", (event) => {
  if (!holdsFiles(event)) return;
  event.preventDefault();
  document.body.dataset.dropping = "";
});
addEventListener("dragleave", ({ relatedTarget }) => {
  if (!relatedTarget) delete document.body.dataset.dropping;
});
addEventListener("drop", (event) => {
  delete document.body.dataset.dropping;
  if (!holdsFiles(event)) return;
  event.preventDefault();
  takeAll([...event.dataTransfer?.files ?? []]);
});
addEventListener("paste", ({ clipboardData }) => {
  const files = [...clipboardData?.files ?? []];
  const text = clipboardData?.getData("text/plain") ?? "";
  if (files.length) takeAll(files);
  else if (text.trim()) takeAll([new File([text], "")]);
});
addEventListener("hashchange", open);

entitle();
house.enter();
open();
