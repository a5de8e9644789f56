/* Shapes that several boards share, and how a shape is pressed by mouse, finger and keyboard. */

/** @import { Mark } from "./board.js" */

import { svg } from "../page/dom.js";

/** A drawing of width x height units that fills its host.
 *  @param {number} width
 *  @param {number} height
 *  @param {string} label
 *  @param {Node[]} children */
export function drawing(width, height, label, ...children) {
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label }, ...children);
}

/** Let `press` be called when the element is clicked, or Enter or Space is hit on it, while it is
 *  open; see `setOpen`.
 *  @param {SVGElement} node
 *  @param {() => void} press */
export function pressable(node, press) {
  const pressIfOpen = () => node.getAttribute("aria-disabled") === "false" && press();
  node.setAttribute("role", "button");
  node.addEventListener("click", pressIfOpen);
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    pressIfOpen();
  });
}

/** Whether a pressable element can be pressed now, and what it is called.
 *  @param {SVGElement} node
 *  @param {boolean} isOpen
 *  @param {string} label */
export function setOpen(node, isOpen, label) {
  node.classList.toggle("open", isOpen);
  node.setAttribute("aria-disabled", String(!isOpen));
  node.setAttribute("tabindex", isOpen ? "0" : "-1");
  node.setAttribute("aria-label", label);
}

/** The stone of a seat on a square of `size` at (x, y): a cross for seat 0, a ring for seat 1.
 *  @param {number} seat
 *  @param {number} x
 *  @param {number} y
 *  @param {number} size */
export function crossOrRing(seat, x, y, size) {
  const inset = size * 0.24;
  const [left, top, right, bottom] = [x + inset, y + inset, x + size - inset, y + size - inset];
  const look = { class: `mark seat-${seat}`, "stroke-width": size * 0.11 };
  const cross = `M${left} ${top}L${right} ${bottom}M${right} ${top}L${left} ${bottom}`;
  if (seat === 0) return svg("path", { ...look, d: cross });
  return svg("circle", { ...look, cx: x + size / 2, cy: y + size / 2, r: size / 2 - inset });
}

/** Show which of a view's marks are for an action, on an element with a child of class "aim".
 *  @param {SVGElement} node
 *  @param {Mark[]} marks
 *  @param {string} action */
export function setMarks(node, marks, action) {
  for (const kind of ["best", "played"]) {
    node.classList.toggle(kind, marks.some((mark) => mark.action === action && mark.kind === kind));
  }
}

/** A row of a position such as "2xo1": the seat of each cell, or null.
 *  @param {string} row
 *  @returns {(number | null)[]} */
export function seatsOf(row) {
  const cells = row.replace(/\d+/g, (gap) => ".".repeat(Number(gap)));
  return [...cells].map((cell) => (cell === "x" ? 0 : cell === "o" ? 1 : null));
}
