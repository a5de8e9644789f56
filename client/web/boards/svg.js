/* SVG elements for the boards: made, and made pressable by mouse, finger and keyboard. */

const SPACE = "http://www.w3.org/2000/svg";

/* An SVG element with attributes and children. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/* A drawing of width x height units that fills its host. */
export function drawing(width, height, label, ...children) {
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label }, ...children);
}

/* Let `press` be called when the element is clicked, or Enter or Space is hit on it, while it is
   `open`; see `setOpen`. */
export function pressable(node, press) {
  const pressed = () => node.getAttribute("aria-disabled") === "false" && press();
  node.setAttribute("role", "button");
  node.addEventListener("click", pressed);
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    pressed();
  });
  return node;
}

/* Whether a pressable element can be pressed now, and what it is called. */
export function setOpen(node, open, label) {
  node.classList.toggle("open", open);
  node.setAttribute("aria-disabled", String(!open));
  node.setAttribute("tabindex", open ? "0" : "-1");
  node.setAttribute("aria-label", label);
}

/* The stone of a seat on a square of `size` at (x, y): a cross for seat 0, a ring for seat 1. */
export function mark(seat, x, y, size) {
  const inset = size * 0.24;
  const [left, top, right, bottom] = [x + inset, y + inset, x + size - inset, y + size - inset];
  const look = { class: `mark seat-${seat}`, "stroke-width": size * 0.11 };
  const cross = `M${left} ${top}L${right} ${bottom}M${right} ${top}L${left} ${bottom}`;
  if (seat === 0) return svg("path", { ...look, d: cross });
  return svg("circle", { ...look, cx: x + size / 2, cy: y + size / 2, r: size / 2 - inset });
}

/* Show which of a view's `marks` are for an action, on an element with a child of class "aim". */
export function setMarks(node, marks, action) {
  const kinds = marks.filter((each) => each.action === action).map((each) => each.kind);
  for (const kind of ["best", "played"]) node.classList.toggle(kind, kinds.includes(kind));
}

/* A row of a position such as "2xo1": one of "x", "o", "." for each cell. */
export const cellsOf = (row) => [...row.replace(/\d+/g, (gap) => ".".repeat(Number(gap)))];

/* "x" is seat 0, "o" seat 1, anything else nobody. */
export const seatOf = (cell) => ({ x: 0, o: 1 })[cell] ?? null;
