/* The board of connect four: seven columns, "1" to "7" from the left, where stones fall behind a frame
   with holes.  Seen from the other side, column 1 is on the right. */

/** @import { Board, BoardView } from "./board.js" */
/** @import { Place } from "./grid/squares.js" */

import { set, svg } from "../page/dom.js";
import { words } from "../texts/words.js";
import { strokes, winningLine } from "./grid/ink.js";
import { appear, draw, fall, isMoving, LINE_MS, newPlaces, orderIn, restOf } from "./grid/motion.js";
import { lay, Squares } from "./grid/squares.js";
import { ownerOf, tell, typeOne, whoOf } from "./grid/telling.js";
import { moverOf, seatsOf, setMarks, stillDrawing } from "./shapes.js";
import { planOf } from "./view.js";

const SIZE = 60; // of a cell
const RADIUS = 24; // of a hole; a stone is a bit larger, behind the frame
const EDGE = 8; // of the frame, around the cells
const FOOT = 24; // where the numbers of the columns stand
const COLUMNS = 7;
const ROWS = 6;
const WIDTH = COLUMNS * SIZE + 2 * EDGE;
const HEIGHT = ROWS * SIZE + 2 * EDGE;
const PLACES = [...Array(COLUMNS * ROWS).keys()]; // row by row from the top left
const DIRECTIONS = [[1, 0], [0, 1], [1, 1], [1, -1]];

/** @param {HTMLElement} host
 *  @param {(action: string) => unknown} play
 *  @returns {Board} */
export function create(host, play) {
  return new ConnectFour(host, play);
}

/** @param {string} position */
export function picture(position) {
  const seats = read42(position);
  const at = (/** @type {number} */ seat) => PLACES.filter((place) => seats[place] === seat).map(centre);
  return stillDrawing(WIDTH, HEIGHT, "picture of-connect_four",
    svg("rect", { class: "back", x: 2, y: 2, width: WIDTH - 4, height: HEIGHT - 4, rx: 14 }),
    ...[0, 1].map((seat) => svg("path", { class: `seat-${seat}`, d: at(seat).map(({ x, y }) => disc(x, y, RADIUS + 2)).join("") })),
    svg("path", { class: "sign", d: at(0).map(crossAt).join("") + at(1).map(({ x, y }) => disc(x, y, 10)).join("") }),
    frame(), ...foursOf(seats).map((line) => winningLine(centre(line[0]), centre(line[line.length - 1]), RADIUS / 2)));
}

/** @param {BoardView} view */
export function read(view) {
  const seats = read42(view.position);
  const columns = [...Array(COLUMNS).keys()].map((column) => ({
    column: column + 1,
    whose: PLACES.filter((place) => place % COLUMNS === column && seats[place] !== null).toReversed()
      .map((place) => whoOf(view, seats[place] ?? 0)),
  }));
  return tell(view, [words.boards.connect_four.read(columns.filter(({ whose }) => whose.length))], say);
}

/** @param {string} action */
export const say = (action) => words.boards.connect_four.say(action);

/** @param {string} position */
export function mayCome(position) {
  const seats = read42(position);
  const free = [...Array(COLUMNS).keys()].map((column) => PLACES.filter((place) => place % COLUMNS === column && seats[place] === null));
  const landing = free.flatMap((places) => places.slice(-1));
  const answered = landing.filter((place) => foursOf(seats.with(place, moverOf(position))).length === 0); // those that do not win
  const isOpen = (/** @type {number} */ column) => free[column].length > 0 && answered.some((place) => place % COLUMNS !== column || free[column].length > 1);
  return [...free.keys()].filter(isOpen).map((column) => String(column + 1));
}

/** @param {string} reason */
export const why = (reason) => words.boards.why(reason, words.boards.connect_four.line);

class ConnectFour {
  /** @type {BoardView | null} */
  #view = null;
  /** @type {(number | null)[] | null} */
  #seats = null; // what is shown, by place
  #look = ""; // how it is drawn: flipped, with coordinates
  #won = "";
  /** @type {Stone[]} */
  #stones = [];
  /** @type {Squares} */
  #squares;

  /** @param {HTMLElement} host
   *  @param {(action: string) => unknown} play */
  constructor(host, play) {
    this.host = host;
    this.play = play;
    this.#squares = this.#build({});
  }

  /** @param {BoardView} view */
  show(view) {
    const before = this.#seats;
    const seats = read42(view.position);
    this.#view = view;
    this.#rebuild(view);
    const lowest = [...Array(COLUMNS).keys()].map((column) => seats.filter((seat, place) => place % COLUMNS === column && seat === null).length - 1);
    this.lane?.classList.toggle("open", view.legal !== null);
    const last = view.last && PLACES.find((place) => String(place % COLUMNS + 1) === view.last?.action && seats[place] !== null);
    this.#stones.forEach((stone, place) => stone.show(view, seats[place], {
      isLanding: Math.floor(place / COLUMNS) === lowest[place % COLUMNS], isLast: place === last,
    }));
    this.#squares.show((key) => this.#state(view, seats, lowest, last ?? null, key));
    this.#seats = seats;
    const order = (/** @type {number} */ place) => orderIn(view, String(place % COLUMNS + 1)) - place / 1000; // the lower one first
    const news = before && isMoving(view) ? newPlaces(before, seats, order) : [];
    const begin = news.length ? restOf(this.#stones.map(({ body }) => body)) : 0;
    const landed = news.reduce((delay, place) => this.#stones[place].fall(delay), begin);
    this.#showLast(last ?? null, landed);
    this.#showWon(view.over ? foursOf(seats) : [], news.length > 0 ? landed : null);
  }

  /** @param {string} text */
  type(text) {
    return typeOne(this.#view, text, this.play);
  }

  focus() {
    this.#squares.focus();
  }

  /** @param {BoardView} view */
  #rebuild({ flip = false, coordinates = false }) {
    const look = `${flip} ${coordinates}`;
    if (look === this.#look) return;
    const hadFocus = this.host.contains(document.activeElement);
    this.#squares = this.#build({ flip, coordinates });
    if (hadFocus) this.#squares.focus();
  }

  /** @param {{flip?: boolean, coordinates?: boolean}} look */
  #build({ flip = false, coordinates = false }) {
    this.#look = `${flip} ${coordinates}`;
    this.#won = "";
    const size = { width: WIDTH, height: HEIGHT + (coordinates ? FOOT : 0) };
    const seen = (/** @type {number} */ column) => (flip ? COLUMNS - 1 - column : column);
    this.#stones = PLACES.map((place) => new Stone(place, seen(place % COLUMNS)));
    this.lines = svg("g", { class: "won-lines" });
    this.lane = svg("rect", { class: "lane", y: EDGE, width: SIZE, height: ROWS * SIZE, rx: 10 });
    this.halo = svg("circle", { class: "halo", r: RADIUS + 1.5 });
    const numbers = [...Array(coordinates ? COLUMNS : 0).keys()].map((column) =>
      svg("text", { class: "number", x: EDGE + (seen(column) + 0.5) * SIZE, y: HEIGHT + FOOT / 2, "font-size": 18 }, String(column + 1)));
    const drawing = stillDrawing(size.width, size.height, "drawing of-connect_four",
      svg("rect", { class: "back", x: 2, y: 2, width: WIDTH - 4, height: HEIGHT - 4, rx: 14 }),
      ...this.#stones.map(({ node }) => node), frame(), this.lane, this.halo, this.lines, ...numbers);
    const rows = [...Array(ROWS).keys()].map((row) => [...Array(COLUMNS).keys()].map((place) => square(row, place, seen(place))));
    const squares = new Squares({ label: words.boards.connect_four.board, size, rows,
      press: (key) => this.play(key[0]), aim: (key) => this.#aim(key && key[0], seen) });
    lay(this.host, drawing, squares);
    return squares;
  }

  /** @param {BoardView} view
   *  @param {(number | null)[]} seats
   *  @param {number[]} lowest
   *  @param {number | null} last
   *  @param {string} key */
  #state(view, seats, lowest, last, key) {
    const [column, height] = key.split("-").map(Number);
    const place = (ROWS - height) * COLUMNS + column - 1;
    const isLegal = view.legal?.includes(String(column)) ?? false;
    const plan = planOf(view, String(column));
    const label = words.boards.connect_four.cell({ column, row: height, owner: ownerOf(view, seats[place]),
      isLast: place === last, lands: isLegal ? ROWS - lowest[column - 1] : null, plan });
    return { label, isOpen: isLegal || plan !== null, isLast: place === last };
  }

  /** Show where a stone would fall.
   *  @param {string | null} action
   *  @param {(column: number) => number} seen */
  #aim(action, seen) {
    const column = Number(action) - 1;
    this.lane?.classList.toggle("aimed", action !== null);
    if (action !== null) this.lane?.setAttribute("x", String(EDGE + seen(column) * SIZE));
    this.#stones.forEach(({ node }, place) => node.classList.toggle("aimed", action !== null && place % COLUMNS === column));
  }

  /** Put a ring around the stone that was played last.
   *  @param {number | null} place
   *  @param {number} delay */
  #showLast(place, delay) {
    if (!this.halo) return;
    this.halo.classList.toggle("there", place !== null);
    if (place === null) return;
    const { x, y } = this.#stones[place].at;
    set(this.halo, "cx", x);
    set(this.halo, "cy", y);
    if (delay > 0) appear(this.halo, delay);
  }

  /** @param {number[][]} lines
   *  @param {number | null} delay null: at once */
  #showWon(lines, delay) {
    const won = lines.map((line) => line.join(" ")).join();
    if (won === this.#won) return;
    this.#won = won;
    const nodes = lines.map((line) => winningLine(this.#stones[line[0]].at, this.#stones[line[line.length - 1]].at, RADIUS / 2));
    this.lines?.replaceChildren(...nodes);
    this.#stones.forEach(({ node }, place) => node.classList.toggle("won", lines.some((line) => line.includes(place))));
    if (delay !== null) for (const node of nodes) draw(strokes(node), LINE_MS, delay);
  }
}

/** A hole and the stone in it; its sign tells the seats apart without colours. */
class Stone {
  /** @param {number} place
   *  @param {number} seen its column from the left */
  constructor(place, seen) {
    this.row = Math.floor(place / COLUMNS);
    this.column = place % COLUMNS;
    this.at = centre(this.row * COLUMNS + seen);
    const { x, y } = this.at;
    const circle = (/** @type {string} */ kind, /** @type {number} */ r) => svg("circle", { class: kind, cx: x, cy: y, r });
    this.body = svg("g", { class: "body" }, circle("disc", RADIUS + 2), svg("path", { class: "sign cross", d: crossAt(this.at) }), circle("sign ring", 10));
    this.node = svg("g", {}, circle("landing", 5), this.body, circle("aim", RADIUS - 4));
  }

  /** @param {BoardView} view
   *  @param {number | null} seat
   *  @param {{isLanding: boolean, isLast: boolean}} state */
  show(view, seat, { isLanding, isLast }) {
    const action = String(this.column + 1);
    const isOpen = isLanding && view.seat !== null && (view.legal?.includes(action) ?? false);
    const mayPlan = isLanding && view.seat !== null && planOf(view, action) !== null;
    const { classList } = this.node;
    set(this.node, "class", ["stone", seat === null ? "" : `there seat-${seat}`, isOpen ? `ghost seat-${view.seat}` : mayPlan ? `thought-of seat-${view.seat}` : "",
      isLast ? "last" : "", ...["won", "aimed", "best", "played"].filter((name) => classList.contains(name))].filter(Boolean).join(" "));
    setMarks(this.node, isLanding ? view.marks : [], action);
  }

  /** @param {number} delay
   *  @returns {number} */
  fall(delay) {
    return fall(this.body, this.row + 1, SIZE, delay);
  }
}

/** The seats of all places.
 *  @param {string} position */
const read42 = (position) => position.split(" ")[0].split("/").flatMap(seatsOf);

/** @param {number} place */
const centre = (place) =>
  ({ x: EDGE + (place % COLUMNS + 0.5) * SIZE, y: EDGE + (Math.floor(place / COLUMNS) + 0.5) * SIZE });

/** @param {number} x
 *  @param {number} y
 *  @param {number} r */
const disc = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;

/** @param {{x: number, y: number}} spot */
const crossAt = ({ x, y }) => `M${x - 8} ${y - 8}l16 16m0 -16l-16 16`;

function frame() {
  const outer = `M16 2H${WIDTH - 16}a14 14 0 0 1 14 14V${HEIGHT - 16}a14 14 0 0 1 -14 14H16a14 14 0 0 1 -14 -14V16a14 14 0 0 1 14 -14Z`;
  const holes = PLACES.map(centre).map(({ x, y }) => disc(x, y, RADIUS)).join("");
  return svg("path", { class: "frame", "fill-rule": "evenodd", d: outer + holes });
}

/** What is pressed for a cell, "4-1" for the lowest of column 4; the top cell stands for its column.
 *  @param {number} row from the top
 *  @param {number} seen its column from the left
 *  @param {number} column
 *  @returns {Place} */
function square(row, seen, column) {
  const marks = row === 0 ? { "data-column": String(column + 1) } : undefined;
  return { key: `${column + 1}-${ROWS - row}`, x: EDGE + seen * SIZE, y: EDGE + row * SIZE, width: SIZE, height: SIZE, marks };
}

/** The longest lines of four and more, each as its places.
 *  @param {(number | null)[]} seats */
function foursOf(seats) {
  const seatAt = (/** @type {number} */ row, /** @type {number} */ column) =>
    row >= 0 && row < ROWS && column >= 0 && column < COLUMNS ? seats[row * COLUMNS + column] : null;
  const lines = [];
  for (const place of PLACES.filter((each) => seats[each] !== null)) {
    const [row, column] = [Math.floor(place / COLUMNS), place % COLUMNS];
    for (const [right, down] of DIRECTIONS) {
      if (seatAt(row - down, column - right) === seats[place]) continue; // it begins earlier
      const line = [];
      for (let step = 0; seatAt(row + step * down, column + step * right) === seats[place]; step++) {
        line.push((row + step * down) * COLUMNS + column + step * right);
      }
      if (line.length >= 4) lines.push(line);
    }
  }
  return lines;
}
