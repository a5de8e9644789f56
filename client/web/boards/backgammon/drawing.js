/* The drawing of a backgammon board: what never changes, checkers, dice, marks and buttons.
   Nothing here knows whose turn it is or what is legal. */

/** @import { Arrow } from "./arrows.js" */
/** @import { Spot } from "./layout.js" */
/** @import { BoardState, Checkers } from "./turn.js" */
/** @typedef {"checkers" | "arrows" | "targets" | "moving" | "dice"} Layer */
/** What a side did last: how many checkers left each of its own points, and how many came.
 *  @typedef {{side: number, from: Map<number, number>, to: Map<number, number>}} LastMove */
/** @typedef {{value: number, isUsed: boolean}} Die */

import { BAR, OFF, checkersOf, pips } from "./turn.js";
import * as at from "./layout.js";
import { svg } from "../../page/dom.js";
import { drawing } from "../shapes.js";

export const SIDES = ["light", "dark"]; // by seat
const HEAD = 22; // the length of an arrow's head

/** Which spots of a 3 x 3 grid a die shows. */
const SPOTS = [[], [4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];

/** The empty board.  `layers` are filled again and again; `zones` (by the viewer's point, 25 the
 *  bar, 0 the tray) lie over them and take the clicks. */
export function drawBoard() {
  const layer = (/** @type {Layer} */ name) => svg("g", { class: name });
  const [checkers, arrows, targets, moving, dice] =
    [layer("checkers"), layer("arrows"), layer("targets"), layer("moving"), layer("dice")];
  /** @type {Map<number, SVGGElement>} */
  const zones = new Map();
  for (let point = BAR; point >= OFF; point -= 1) {
    const area = svg("rect", { ...at.zone(point), rx: 6 });
    zones.set(point, svg("g", { class: "zone", "data-point": point }, area));
  }
  const shapes = [...ground(), checkers, targets, ...zones.values(), moving, dice, arrows];
  const root = drawing(at.width, at.height, "Backgammon board", ...shapes);
  return { root, layers: { checkers, arrows, targets, moving, dice }, zones };
}

function ground() {
  const whole = { y: at.top.y, height: at.height - 2 * at.top.y };
  /** @type {SVGElement[]} */
  const shapes = [
    svg("rect", { class: "frame", width: at.width, height: at.height, rx: 14 }),
    svg("rect", { class: "field", ...at.left, ...whole, rx: 3 }),
    svg("rect", { class: "field", ...at.right, ...whole, rx: 3 }),
    svg("rect", { class: "tray", ...at.tray, ...at.top, rx: 5 }),
    svg("rect", { class: "tray", ...at.tray, ...at.bottom, rx: 5 }),
  ];
  for (let point = 24; point > 0; point -= 1) shapes.push(...groundOf(point));
  return shapes;
}

/** @param {number} point */
function groundOf(point) {
  const [x, upper] = [at.pointX(point), at.isUpper(point)];
  const base = upper ? at.top.y : at.height - at.top.y;
  const tip = base + (upper ? 1 : -1) * (at.HALF - 18);
  const half = at.POINT / 2 - 1;
  return [
    svg("path", {
      class: point % 2 ? "point odd" : "point even",
      d: `M${x - half} ${base}L${x} ${tip}L${x + half} ${base}Z`,
    }),
    svg("text", { class: "number", x, y: upper ? 22 : at.height - 11 }, String(point)),
  ];
}

/** Fill the layer of the checkers from a board of the near side's, whose seat is `seat`; `movable` are
 *  the near side's points whose top checker may be moved.
 *  @param {SVGElement} layer
 *  @param {BoardState} board
 *  @param {number} seat
 *  @param {Set<number>} movable
 *  @param {LastMove | null} last */
export function drawCheckers(layer, board, seat, movable, last) {
  const sides = checkersOf(board, at.NEAR);
  const shapes = sides.flatMap((checkers, side) => {
    const colour = SIDES[side === at.NEAR ? seat : 1 - seat];
    const [from, to] = last?.side === side ? [last.from, last.to] : [new Map(), new Map()];
    /** @type {SVGElement[]} */
    const drawn = [...slabs(side, checkers[OFF], colour), ...pipCount(side, checkers, colour)];
    for (let point = 1; point <= BAR; point += 1) {
      const others = point === BAR ? 0 : sides[1 - side][BAR - point];
      if (others === 0) drawn.push(...ghosts(side, point, checkers[point], from.get(point) ?? 0));
      const kinds = { landed: to.get(point) ?? 0, movable: side === at.NEAR && movable.has(point) };
      drawn.push(...stack(side, point, checkers[point], colour, kinds));
    }
    return drawn;
  });
  layer.replaceChildren(...shapes);
}

/** The checkers on a point: the newest `landed` came last, the top one may be `movable`.
 *  @param {number} side
 *  @param {number} point
 *  @param {number} count
 *  @param {string} colour
 *  @param {{landed: number, movable: boolean}} kinds */
function stack(side, point, count, colour, { landed, movable }) {
  const height = Math.min(count, at.STACK);
  return Array.from({ length: height }, (_, index) => {
    const { x, y } = at.spot(side, point, index);
    const isTop = index === height - 1;
    const shape = checker(colour, x, y, count > at.STACK && isTop ? count : "");
    shape.classList.toggle("movable", movable && isTop);
    shape.classList.toggle("landed", index >= height - landed);
    shape.dataset.spot = `${side}:${point}:${index}`;
    return shape;
  });
}

/** Where checkers stood before they left.
 *  @param {number} side
 *  @param {number} point
 *  @param {number} count
 *  @param {number} gone */
function ghosts(side, point, count, gone) {
  const length = Math.max(0, Math.min(gone, at.STACK - count));
  return Array.from({ length }, (_, index) => {
    const { x, y } = at.spot(side, point, count + index);
    return svg("circle", { class: "ghost", cx: x, cy: y, r: at.RADIUS - 3 });
  });
}

/** One checker, with a number on it where it stands for more than can be drawn.
 *  @param {string} colour
 *  @param {number} x
 *  @param {number} y
 *  @param {number | string} number */
export function checker(colour, x, y, number = "") {
  return svg(
    "g",
    { class: `checker ${colour}`, transform: `translate(${x} ${y})` },
    svg("circle", { class: "body", r: at.RADIUS }),
    svg("circle", { class: "groove", r: at.RADIUS * 0.66 }),
    svg("text", { y: 8 }, String(number)),
  );
}

/** The checkers that a side has borne off.
 *  @param {number} side
 *  @param {number} count
 *  @param {string} colour */
function slabs(side, count, colour) {
  /** @type {SVGElement[]} */
  const shapes = [];
  const width = at.POINT - 8;
  for (let index = 0; index < count; index += 1) {
    const y = at.slabY(side, index) - at.SLAB / 2;
    const place = { x: at.tray.x + 4, y, width, height: at.SLAB, rx: 4 };
    shapes.push(svg("rect", { class: `slab ${colour}`, ...place }));
  }
  if (count > 0) {
    const y = at.slabY(side, 15.4) + 7;
    shapes.push(svg("text", { class: "count", x: at.tray.x + at.POINT / 2, y }, String(count)));
  }
  return shapes;
}

/** @param {number} side
 *  @param {Checkers} checkers
 *  @param {string} colour */
function pipCount(side, checkers, colour) {
  const y = at.middle + (side === at.NEAR ? 22 : -22);
  const name = side === at.NEAR ? "near" : "far";
  return [
    svg("circle", { class: `pip ${colour}`, cx: at.tray.x + 4, cy: y, r: 6 }),
    svg(
      "text",
      { class: "pips", "data-pips": name, x: at.tray.x + at.POINT, y: y + 7 },
      String(pips(checkers)),
    ),
  ];
}

/** Show where a checker of the near side could go: `best` by a click, `others` by a drag.
 *  @param {SVGElement} layer
 *  @param {BoardState} board
 *  @param {number | undefined} best
 *  @param {Iterable<number>} others */
export function drawTargets(layer, board, best, others) {
  const shapes = [...others].map((point) => {
    const kind = point === best ? "target best" : "target";
    if (point === OFF) return svg("rect", { class: kind, ...at.tray, ...at.bottom, rx: 5 });
    const { x, y } = at.spot(at.NEAR, point, Math.min(board[point], at.STACK - 1));
    return svg("circle", { class: kind, cx: x, cy: y, r: at.RADIUS - 2 });
  });
  layer.replaceChildren(...shapes);
}

/** Point out moves.
 *  @param {SVGElement} layer
 *  @param {Arrow[]} arrows */
export function drawArrows(layer, arrows) {
  layer.replaceChildren(...arrows.map(({ kind, spots }) => {
    const arcs = spots.slice(1).map((spot, index) => arc(spots[index], spot));
    const d = arcs.map(({ path }) => path).join("");
    const { head } = arcs[arcs.length - 1];
    return svg("g", { class: `arrow ${kind}` },
      svg("path", { class: "casing", d }), svg("path", { class: "casing", d: head }),
      svg("path", { class: "shaft", d }), svg("path", { class: "head", d: head }));
  }));
}

/** A curve from one spot to another, bent towards the middle of the board, and the head at its end.
 *  @param {Spot} from
 *  @param {Spot} to */
function arc(from, to) {
  const pull = at.middle - (from.y + to.y) / 2;
  const bend = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 + pull * 0.45 };
  const length = Math.hypot(to.x - bend.x, to.y - bend.y) || 1;
  const [dx, dy] = [(to.x - bend.x) / length, (to.y - bend.y) / length];
  const neck = { x: to.x - HEAD * dx, y: to.y - HEAD * dy };
  const [sx, sy] = [dy * HEAD * 0.55, -dx * HEAD * 0.55];
  return {
    path: `M${from.x} ${from.y}Q${bend.x} ${bend.y} ${neck.x} ${neck.y}`,
    head: `M${to.x} ${to.y}L${neck.x + sx} ${neck.y + sy}L${neck.x - sx} ${neck.y - sy}Z`,
  };
}

/** The dice of one side in a row.
 *  @param {number} side
 *  @param {number} seat
 *  @param {Die[]} dice */
export function drawDice(side, seat, dice) {
  const size = dice.length > 2 ? 40 : 48;
  const start = (side === at.NEAR ? at.right.x : at.left.x) + 12;
  return dice.map(({ value, isUsed }, index) => {
    const [x, y] = [start + index * (size + 7), at.middle - size / 2];
    return svg(
      "g",
      {
        class: `die ${SIDES[seat]}${isUsed ? " used" : ""}`,
        transform: `translate(${x} ${y})`,
        "data-die": value,
        "data-used": isUsed,
      },
      svg("rect", { width: size, height: size, rx: size / 5 }),
      ...SPOTS[value].map((place) =>
        svg("circle", {
          cx: size * (0.25 + 0.25 * (place % 3)),
          cy: size * (0.25 + 0.25 * Math.floor(place / 3)),
          r: size / 10.5,
        }),
      ),
    );
  });
}

/** A button on the board.
 *  @param {string} label
 *  @param {string} kind
 *  @param {{x: number, width: number}} place
 *  @param {Record<string, string>} attributes */
export function button(label, kind, place, attributes) {
  const { x, width } = place;
  const height = 60;
  return svg(
    "g",
    { class: `button ${kind}`, role: "button", tabindex: 0, "aria-label": label, ...attributes },
    svg("rect", { x, width, y: at.middle - height / 2, height, rx: 10 }),
    svg("text", { x: x + width / 2, y: at.middle + 8 }, label),
  );
}
