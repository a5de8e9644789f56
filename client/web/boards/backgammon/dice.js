/* The drawing of the dice, and how they tumble. */

/** `isFirst`: it is the one that a double tap plays.
 *  @typedef {{value: number, isUsed: boolean, isFirst?: boolean}} Die */
/** @import { Layout } from "./layout.js" */

import { svg } from "../../page/dom.js";

export const TUMBLE_MS = 350;
const FACES = 4; // that a die shows while it tumbles, the last one its own

/** Which spots of a 3 x 3 grid a die shows. */
const SPOTS = [[], [4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];

/** The dice of one side in a row.
 *  @param {Layout} layout
 *  @param {number} side
 *  @param {string} colour
 *  @param {Die[]} dice */
export function drawDice(layout, side, colour, dice) {
  return dice.map(({ value, isUsed, isFirst = false }, index) => {
    const { x, y, size } = layout.die(side, index, dice.length);
    const kinds = `die ${colour}${isUsed ? " used" : ""}${isFirst ? " first" : ""}`;
    const place = { transform: `translate(${x + size / 2} ${y + size / 2})` };
    const cube = svg("g", { class: "cube" }, body(size), face(value, size));
    return svg("g", { class: kinds, ...place, "data-die": value, "data-used": isUsed }, cube);
  });
}

/** @param {number} size */
const body = (size) => svg("rect", { class: "block", x: -size / 2, y: -size / 2, width: size, height: size, rx: size / 5 });

/** @param {number} value
 *  @param {number} size */
function face(value, size) {
  return svg("g", { class: "face" }, ...SPOTS[value].map((place) =>
    svg("circle", { cx: size * 0.25 * ((place % 3) - 1), cy: size * 0.25 * (Math.floor(place / 3) - 1), r: size / 10.5 })));
}

/** The two arrows beside dice that can change places.
 *  @param {Layout} layout
 *  @param {number} side */
export function swapSign(layout, side) {
  const { x, size } = layout.die(side, 2, 2);
  const [left, right, middle] = [x - 4, x + size - 12, layout.middle];
  const arrow = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ y) => {
    const back = to + Math.sign(from - to) * 9;
    return `M${from} ${y}H${to}M${back} ${y - 7}L${to} ${y}L${back} ${y + 7}`;
  };
  return svg("path", { class: "swap", d: arrow(left, right, middle - 9) + arrow(right, left, middle + 9) });
}

/** Let dice tumble to where they are drawn; each shows other faces on its way.
 *  @param {SVGElement[]} dice */
export function tumble(dice) {
  dice.forEach((die, index) => {
    const value = Number(die.dataset.die);
    const cube = die.firstElementChild;
    if (!(cube instanceof SVGElement)) return;
    const own = cube.lastElementChild;
    const size = Number(cube.firstElementChild?.getAttribute("width"));
    const way = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ angle) =>
      ({ transform: `translate(${x}px, ${y}px) rotate(${angle}deg)` });
    const timing = { duration: TUMBLE_MS, easing: "ease-out" };
    const turns = index % 2 ? -1 : 1;
    cube.animate([way(-70, 10 * turns, -300 * turns), way(-18, -size * 0.35, -80 * turns), way(0, 0, 0)], timing);
    for (let step = 0; step < FACES - 1; step += 1) {
      const other = face(((value + 2 * step + index) % 6) + 1, size);
      cube.append(other);
      other.animate(visibleIn(step), { duration: TUMBLE_MS }).finished.then(() => other.remove(), () => other.remove());
    }
    own?.animate(visibleIn(FACES - 1), { duration: TUMBLE_MS });
  });
}

/** Frames of a face that is seen in one part of the time only.
 *  @param {number} part */
const visibleIn = (part) =>
  Array.from({ length: FACES + 1 }, (_, index) =>
    ({ opacity: Math.min(index, FACES - 1) === part ? 1 : 0, easing: "step-end" }));
