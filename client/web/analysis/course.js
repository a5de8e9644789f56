/* How an analysed match went: the chances of the first player as a graph, a press on which leads there, and
   the three worst moments, each of which can be tried again on an analysis board. */

/** @import { Report, Row, Unit } from "./rows.js" */
/** @import { AnalysedOption, Player } from "../library/messages.js" */

import { boardPath, playerTitle } from "../library/words.js";
import { el, keyed, put, set, show, svg } from "../page/dom.js";
import { words } from "../texts/words.js";
import { lossText } from "./rows.js";

const { analysis: texts } = words;
const [WIDTH, HEIGHT] = [300, 90];
const WORST = 3;
const WINS = /^wins (\d+(?:\.\d+)?) %/; // of a note in points

export class Course {
  /** @type {Report | null} */
  #report = null;
  /** @type {{x: number, index: number}[]} */
  #points = [];

  /** `go(at)` shows the row of that index on the board.
   *  @param {(at: number) => void} go */
  constructor(go) {
    this.go = go;
    this.area = svg("path", { class: "area" });
    this.way = svg("path", { class: "way" });
    this.blunders = svg("g", { class: "blunders" });
    this.here = svg("path", { class: "here" });
    this.graph = svg("svg", { class: "course", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" },
      svg("rect", { class: "second", width: WIDTH, height: HEIGHT }), this.area, svg("path", { class: "even", d: `M0 ${HEIGHT / 2}H${WIDTH}` }),
      this.way, this.blunders, this.here);
    this.graph.addEventListener("click", (event) => this.#press(event));
    this.about = el("p", { class: "quiet" });
    this.worst = el("ol", { class: "worst", "aria-label": texts.worst });
    this.node = el("div", { class: "course-of-match" }, this.graph, this.about, el("h3", {}, texts.worst), this.worst);
  }

  /** `at`: the index of the row that is on the board, or null.
   *  @param {Report} report
   *  @param {number | null} at
   *  @param {Player[]} seats */
  show(report, at, seats) {
    if (report !== this.#report) this.#draw(report, seats);
    const here = this.#points.find(({ index }) => index === at);
    set(this.here, "d", here ? `M${here.x} 0V${HEIGHT}` : "");
  }

  /** @param {Report} report
   *  @param {Player[]} seats */
  #draw(report, seats) {
    this.#report = report;
    const { rows, analysis: { unit }, moments } = report;
    const last = Math.max(1, moments.length - 1);
    const points = rows.flatMap((row, index) => {
      const chance = chanceOf(row, unit);
      return chance === null ? [] : [{ x: round((WIDTH * row.ply) / last), y: round(HEIGHT * (1 - chance)), index, row }];
    });
    this.#points = points;
    show(this.graph, points.length > 1);
    const way = points.map(({ x, y }) => `${x} ${y}`).join("L");
    set(this.way, "d", points.length ? `M${way}` : "");
    set(this.area, "d", points.length ? `M${points[0].x} ${HEIGHT}L${way}V${HEIGHT}Z` : "");
    this.blunders.replaceChildren(...points.filter(({ row }) => row.mark === "??").map(({ x, y }) => svg("path", { d: `M${x} ${y}h.01` })));
    const about = texts.course(playerTitle(seats[0]));
    set(this.graph, "aria-label", about);
    put(this.about, points.length > 1 ? about : "");
    const worst = worstOf(rows);
    keyed(this.worst, worst, (index) => index, (index) => this.#item(rows[index], index, report, seats));
    show(this.worst, worst.length > 0);
    show(/** @type {Element} */ (this.worst.previousElementSibling), worst.length > 0);
  }

  /** @param {Row} row
   *  @param {number} index
   *  @param {Report} report
   *  @param {Player[]} seats */
  #item(row, index, { analysis: { game, unit }, moments }, seats) {
    const text = `${playerTitle(seats[row.seat])}: ${row.text} ${row.mark} ${lossText(row, unit)}`;
    return el("li", {}, el("button", { type: "button", onclick: () => this.go(index) }, text),
      el("a", { href: `${boardPath(game, moments[row.ply].position)}&hidden=1` }, texts.tryAgain));
  }

  /** Go to the row that is nearest to where the graph was pressed.
   *  @param {MouseEvent} event */
  #press({ clientX }) {
    const { left, width } = this.graph.getBoundingClientRect();
    const x = (WIDTH * (clientX - left)) / width;
    const [nearest] = [...this.#points].sort((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x));
    if (nearest) this.go(nearest.index);
  }
}

/** The chance of the first player after a row's play, from 0 to 1; null where that is not known.
 *  @param {Row} row
 *  @param {Unit} unit */
function chanceOf({ play, seat, kind }, unit) {
  const option = kind === "resign" ? undefined : play?.best?.find(({ action }) => action === play.action);
  const own = option ? ownChance(option, unit) : null;
  return own === null || seat < 0 ? null : Math.max(0, Math.min(1, seat === 0 ? own : 1 - own));
}

/** @param {AnalysedOption} option
 *  @param {Unit} unit */
function ownChance({ value = null, note = "" }, unit) {
  if (value === null) return null;
  const [, percent] = WINS.exec(note) ?? [];
  if (unit === "points" && percent) return Number(percent) / 100;
  if (unit === "chance") return value;
  return unit === "score" ? (1 + Math.sign(value)) / 2 : (1 + value) / 2;
}

/** The indexes of the worst rows, the worst first: what is marked, by what it lost.
 *  @param {Row[]} rows */
function worstOf(rows) {
  const lost = (/** @type {number} */ index) => rows[index].play?.normalised ?? rows[index].play?.loss ?? Infinity;
  const rank = (/** @type {number} */ index) => (rows[index].mark === "??" ? 1 : 0);
  return rows.flatMap(({ mark, isOpen, seat, kind }, index) => (mark && isOpen && seat >= 0 && kind !== "resign" ? [index] : []))
    .sort((a, b) => rank(b) - rank(a) || lost(b) - lost(a)).slice(0, WORST);
}

/** @param {number} pixels */
const round = (pixels) => Math.round(pixels * 10) / 10;
