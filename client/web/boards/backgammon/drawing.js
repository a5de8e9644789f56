/* The drawing of a backgammon board: what lies still, checkers, targets and arrows.
   Nothing here knows whose turn it is or what is legal. */

/** @import { Arrow } from "./arrows.js" */
/** @import { Layout, Spot } from "./layout.js" */
/** @import { BoardState } from "./turn.js" */
/** What a side did last: how many checkers left each of its own points, and how many came.
 *  @typedef {{side: number, from: Map<number, number>, to: Map<number, number>}} LastMove */
/** `movable`: points of the near side whose top checker may be moved; `held`: the one that is picked up.
 *  @typedef {{movable: Set<number>, held: number | null, last: LastMove | null}} Marks */

import { BAR, OFF, checkersOf, pips } from "./turn.js";
import { NEAR, POINT, RADIUS, SLAB, STACK } from "./layout.js";
import { svg } from "../../page/dom.js";

const SIDES = ["light", "dark"]; // by seat
const HEAD = 22; // the length of an arrow's head

/** The name of a seat's checkers, as the style sheet knows it.
 *  @param {number} seat */
export const colourOf = (seat) => SIDES[seat];

/** What never moves.
 *  @param {Layout} layout */
export function ground(layout) {
  const { left, right, top, bottom, column } = layout;
  const whole = { y: top.y, height: layout.height - 2 * top.y };
  const sides = column > 0 ? [layout.tray.x, -POINT] : [layout.tray.x];
  /** @type {SVGElement[]} */
  const shapes = [
    svg("rect", { class: "frame", x: -column, width: layout.width, height: layout.height, rx: 14 }),
    svg("rect", { class: "field", ...left, ...whole, rx: 3 }),
    svg("rect", { class: "field", ...right, ...whole, rx: 3 }),
    ...sides.flatMap((x) => [top, bottom].map((half) =>
      svg("rect", { class: "tray", width: POINT, ...half, x, rx: 5 }))),
  ];
  for (let point = 24; point > 0; point -= 1) shapes.push(...groundOf(layout, point));
  return shapes;
}

/** @param {Layout} layout
 *  @param {number} point */
function groundOf(layout, point) {
  const [x, upper] = [layout.pointX(point), layout.isUpper(point)];
  const base = upper ? layout.top.y : layout.height - layout.top.y;
  const tip = base + (upper ? 1 : -1) * (layout.half - 18);
  const half = POINT / 2 - 1;
  /** @type {SVGElement[]} */
  const shapes = [svg("path", {
    class: point % 2 ? "point odd" : "point even",
    d: `M${x - half} ${base}L${x} ${tip}L${x + half} ${base}Z`,
  })];
  if (layout.numbers) {
    shapes.push(svg("text", { class: "number", x, y: upper ? 24 : layout.height - 9 }, String(point)));
  }
  return shapes;
}

/** All checkers of a board of the near side's, whose seat is `seat`, on the board and off.
 *  @param {Layout} layout
 *  @param {BoardState} board
 *  @param {number} seat
 *  @param {Marks} marks */
export function checkers(layout, board, seat, { movable, held, last }) {
  const sides = checkersOf(board, NEAR);
  return sides.flatMap((counts, side) => {
    const colour = SIDES[side === NEAR ? seat : 1 - seat];
    const [from, to] = last?.side === side ? [last.from, last.to] : [new Map(), new Map()];
    /** @type {SVGElement[]} */
    const drawn = slabs(layout, side, counts[OFF], colour);
    for (let point = 1; point <= BAR; point += 1) {
      const others = point === BAR ? 0 : sides[1 - side][BAR - point];
      if (others === 0) drawn.push(...ghosts(layout, side, point, counts[point], from.get(point) ?? 0));
      const isOwn = side === NEAR;
      const kinds = { landed: to.get(point) ?? 0, movable: isOwn && movable.has(point), held: isOwn && held === point };
      drawn.push(...stack(layout, side, point, counts[point], colour, kinds));
    }
    return drawn;
  });
}

/** The checkers on a point: the newest `landed` came last, the top one may be `movable`, or `held`.
 *  @param {Layout} layout
 *  @param {number} side
 *  @param {number} point
 *  @param {number} count
 *  @param {string} colour
 *  @param {{landed: number, movable: boolean, held: boolean}} kinds */
function stack(layout, side, point, count, colour, { landed, movable, held }) {
  const height = Math.min(count, STACK);
  return Array.from({ length: height }, (_, index) => {
    const { x, y } = layout.spot(side, point, index);
    const isTop = index === height - 1;
    const shape = checker(colour, x, y, count > STACK && isTop ? count : "");
    shape.classList.toggle("movable", movable && isTop);
    shape.classList.toggle("held", held && isTop);
    shape.classList.toggle("landed", index >= height - landed);
    shape.dataset.spot = `${side}:${point}:${index}`;
    return shape;
  });
}

/** Where checkers stood before they left.
 *  @param {Layout} layout
 *  @param {number} side
 *  @param {number} point
 *  @param {number} count
 *  @param {number} gone */
function ghosts(layout, side, point, count, gone) {
  const length = Math.max(0, Math.min(gone, STACK - count));
  return Array.from({ length }, (_, index) => {
    const { x, y } = layout.spot(side, point, count + index);
    return svg("circle", { class: "ghost", cx: x, cy: y, r: RADIUS - 3 });
  });
}

/** One checker, with a number on it where it stands for more than can be drawn.  The light ones have a
 *  ring, the dark ones a square that stands on its corner.
 *  @param {string} colour
 *  @param {number} x
 *  @param {number} y
 *  @param {number | string} number */
export function checker(colour, x, y, number = "") {
  const size = RADIUS * 0.66;
  const groove = colour === SIDES[0]
    ? svg("circle", { class: "groove", r: size })
    : svg("path", { class: "groove", d: `M0 ${-size}L${size} 0L0 ${size}L${-size} 0Z` });
  return svg(
    "g",
    { class: `checker ${colour}`, transform: `translate(${x} ${y})` },
    svg("circle", { class: "body", r: RADIUS }),
    groove,
    ...(number === "" ? [] : [svg("text", { class: "many", y: 9 }, String(number))]),
  );
}

/** The checkers that a side has borne off, and how many they are.
 *  @param {Layout} layout
 *  @param {number} side
 *  @param {number} count
 *  @param {string} colour
 *  @returns {SVGElement[]} */
function slabs(layout, side, count, colour) {
  const { x } = layout.trayArea(side);
  const width = POINT - 8;
  const shapes = Array.from({ length: count }, (_, index) => {
    const y = layout.slabY(side, index, count) - SLAB / 2;
    return svg("rect", { class: `slab ${colour}`, x: x + 4, y, width, height: SLAB, rx: colour === SIDES[0] ? 7 : 2 });
  });
  if (count === 0) return shapes;
  const y = layout.slabY(side, 15.6) + 8;
  return [...shapes, svg("text", { class: "count", x: x + POINT / 2, y }, String(count))];
}

/** How many pips each side has still to go, between the trays.
 *  @param {Layout} layout
 *  @param {BoardState} board
 *  @param {number} seat */
export function pipCounts(layout, board, seat) {
  return checkersOf(board, NEAR).flatMap((counts, side) => {
    const below = layout.halfOf(side) === layout.bottom;
    const [x, y] = [layout.tray.x + POINT / 2, layout.middle + (below ? 26 : -26)];
    const colour = SIDES[side === NEAR ? seat : 1 - seat];
    return [
      svg("rect", { class: `pip ${colour}`, x: x - 25, y: y - 17, width: 50, height: 34, rx: colour === SIDES[0] ? 15 : 4 }),
      svg("text", { class: `pips ${colour}`, "data-pips": side === NEAR ? "near" : "far", x, y: y + 8 }, String(pips(counts))),
    ];
  });
}

/** Where a checker of the near side could go: `best` by a double tap, and the others; `hits` are those
 *  on which something is hit.
 *  @param {Layout} layout
 *  @param {BoardState} board
 *  @param {number | undefined} best
 *  @param {Iterable<number>} others
 *  @param {Set<number>} hits */
export function targets(layout, board, best, others, hits) {
  return [...others].map((point) => {
    const kind = `target${point === best ? " best" : ""}${hits.has(point) ? " hit" : ""}`;
    if (point === OFF) return svg("rect", { class: kind, "data-target": point, ...layout.trayArea(NEAR), rx: 5 });
    const { x, y } = layout.spot(NEAR, point, Math.min(board[point], STACK - 1));
    const column = svg("rect", { class: "column", ...layout.pointArea(point), rx: 6 });
    return svg("g", { class: kind, "data-target": point }, column, svg("circle", { cx: x, cy: y, r: RADIUS - 2 }));
  });
}

/** Moves that are pointed out.
 *  @param {Arrow[]} arrows
 *  @param {number} middle of the board, towards which they are bent */
export function drawArrows(arrows, middle) {
  return arrows.map(({ kind, spots }) => {
    const arcs = spots.slice(1).map((spot, index) => arc(spots[index], spot, middle));
    const d = arcs.map(({ path }) => path).join("");
    const { head } = arcs[arcs.length - 1];
    return svg("g", { class: `arrow ${kind}` },
      svg("path", { class: "casing", d }), svg("path", { class: "casing", d: head }),
      svg("path", { class: "shaft", d }), svg("path", { class: "head", d: head }));
  });
}

/** A curve from one spot to another, bent towards the middle of the board, and the head at its end.
 *  @param {Spot} from
 *  @param {Spot} to
 *  @param {number} middle */
function arc(from, to, middle) {
  const pull = middle - (from.y + to.y) / 2;
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
