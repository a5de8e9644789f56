/* The page of somebody, `/person/ann`, or of a program, `/person/house/mcts`: how their matches ended, by
   game and by opponent, how strong they are, and the last matches as small boards. */

/** @import { AnyPush, MatchLine, PersonPage } from "../library/messages.js" */

import { boardOf } from "../boards/registry.js";
import { fetched, Refusal } from "../library/connection.js";
import { fullName } from "../library/replica.js";
import { resultText } from "../library/result.js";
import { gameOfSeries } from "../library/series.js";
import { matchPath, named, personPath, sentence } from "../library/words.js";
import { SmallBoard } from "../lobby/small_board.js";
import { byId, el, nameNode, put, show } from "../page/dom.js";
import { words } from "../texts/words.js";
import { day, House } from "./house.js";
import { ratingItem } from "./rating.js";

const { past: texts } = words;
const MATCHES = 12; // at once
const name = location.pathname.split("/").slice(2).map(decodeURIComponent).join("/");
const main = byId("main");
const house = new House(receive);

class PersonView {
  /** @type {MatchLine[]} */
  #lines = []; // of the matches that are shown

  /** @param {PersonPage} person */
  constructor(person) {
    const { games = [], opponents = [], ratings = [], streak = 0, counted = 0 } = person;
    const about = [person.former ? texts.nobodys : person.here ? texts.here : texts.away, texts.streak(streak)];
    if (person.since) about.splice(1, 0, texts.since(day(person.since)));
    const title = (/** @type {string} */ game) => house.replica.catalog.title(game);
    const total = games.reduce((sum, { won = 0, drawn = 0, lost = 0 }) => sum + won + drawn + lost, 0);
    this.list = el("ul", { class: "list matches" });
    this.earlier = el("button", { type: "button", onclick: () => house.attempt(() => this.fetch()) }, texts.earlier);
    this.none = el("p", { class: "quiet" }, texts.noMatches);
    this.node = el("div", { class: "person" },
      el("section", { class: "card who" }, el("h1", {}, el("span", { class: person.here ? "here connected" : "here", "aria-hidden": "true" }),
        " ", nameNode(fullName(person))), el("p", { class: "quiet" }, about.filter(Boolean).join(" · "))),
      ...(ratings.length ? [el("section", { class: "card" }, el("h2", {}, texts.ratings),
        el("ul", { class: "ratings" }, ...ratings.map((rating) => ratingItem(rating, title(rating.game)))),
        el("p", { class: "quiet small" }, texts.ratingsAbout))] : []),
      ...(games.length ? [tallies(texts.byGame, games.map((tally) => ({ ...tally, node: title(tally.game) }))),
        tallies(texts.byOpponent, opponents.map((tally) => ({ ...tally, node: personLink(tally.player, tally.former) })),
          counted < total || counted >= 5000 ? texts.newest(counted) : "")] : []),
      el("section", { class: "card last" }, el("h2", {}, texts.lastMatches), this.none, this.list, this.earlier));
  }

  /** Fetch the matches before those that are shown. */
  async fetch() {
    const before = this.#lines.at(-1)?.match ?? null;
    const { matches, more = false } = await house.connection.request({ type: "matches", who: name, before, limit: MATCHES });
    this.#lines.push(...matches);
    const items = matches.map(matchItem);
    this.list.append(...items);
    show(this.none, this.#lines.length === 0);
    const hadFocus = document.activeElement === this.earlier;
    show(this.earlier, more);
    if (hadFocus && before) items[0]?.querySelector("a")?.focus(); // on with what has come
  }
}

/** @param {{name: string, program?: string | null}} player */
const personLink = (player, isFormer = false) => (isFormer
  ? el("span", { title: texts.formerWhy }, nameNode(fullName(player)), ` (${texts.former})`)
  : el("a", { href: personPath(player) }, nameNode(fullName(player))));

/** A table of results.
 *  @param {string} title
 *  @param {{won?: number, drawn?: number, lost?: number, node: Node | string}[]} rows
 *  @param {string} [note] */
function tallies(title, rows, note = "") {
  const { columns } = texts;
  const head = [columns.won, columns.drawn, columns.lost].map((text) => el("th", { scope: "col" }, text));
  const body = rows.map(({ node, won = 0, drawn = 0, lost = 0 }) => el("tr", {}, el("th", { scope: "row" }, node),
    ...[won, drawn, lost].map((count) => el("td", {}, String(count)))));
  const first = el("th", { scope: "col" }, el("span", { class: "unseen" }, columns.name));
  return el("section", { class: "card" }, el("h2", {}, title), el("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": title },
    el("table", { class: "tallies" }, el("thead", {}, el("tr", {}, first, ...head)), el("tbody", {}, ...body))),
  note ? el("p", { class: "quiet small" }, note) : null);
}

/** A match as a small board, with how it ended.
 *  @param {MatchLine} line */
function matchItem(line) {
  const { match, game, seats, result, position = "", code = null, at, former = [], series = null } = line;
  const [one, two] = seats.map((player, seat) =>
    named(player) + (former.includes(/** @type {0 | 1} */ (seat)) ? ` (${texts.former})` : ""));
  const board = new SmallBoard();
  board.show(game, position);
  const about = el("span", { class: "about" }, resultText(result, seats, null));
  boardOf(game).then((module) => put(about, resultText(result, seats, null, (reason) => module.why?.(reason)))).catch(() => null);
  return el("li", {}, el("a", { class: "tile", href: matchPath(match, code) }, board.node, about,
    el("span", { class: "quiet" }, texts.versus({ one, two })), el("span", { class: "quiet" }, [house.replica.catalog.title(game), gameOfSeries(series, result), day(at)].filter(Boolean).join(" · "))));
}

let isShown = false;
/** @type {import("./devices.js").Devices | null} */
let devices = null; // of the person who looks

/** @param {AnyPush} message */
function receive(message) {
  if (message.type === "welcome" && !isShown) open();
  if (message.type === "device_news") house.attempt(() => devices?.fetch());
}

async function open() {
  isShown = true;
  try {
    const person = await house.connection.request({ type: "person", name });
    const view = new PersonView(person);
    main.replaceChildren(view.node);
    house.entitle(fullName(person));
    await house.attempt(() => view.fetch());
    if (house.isNamed && house.replica.name === name) await house.attempt(() => showDevices(view.node));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    main.replaceChildren(el("h1", { class: "unseen" }, name), el("p", { class: "card", role: "alert" }, sentence(error.message)));
  }
}

/** On one's own page, where one comes by a token, is what can be done about one's name.
 *  @param {HTMLElement} page */
async function showDevices(page) {
  const { Devices } = await fetched(import("./devices.js"));
  devices = new Devices(house);
  await devices.fetch();
  page.append(devices.node);
  if (location.hash === "#devices") devices.node.scrollIntoView();
}

house.entitle(name);
house.enter();
