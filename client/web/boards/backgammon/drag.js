/* Dragging a checker by mouse or finger, and what is under the mouse.  Nothing here knows the rules. */

/** The checker that is held; `shape` is its copy once it is dragged.
 *  @typedef {{from: number, x: number, y: number, shape: SVGElement | null}} Press */
/** `pointAt`: the viewer's point that an element belongs to; `canTake`: whether its checker can move; `lift`: a
 *  copy of it, to follow the pointer; `drop`: it was let go over a point, or over none; `hover`: the mouse is
 *  over a point, or over none.
 *  @typedef {object} Dragging
 *  @property {(target: EventTarget | null) => number | null} pointAt
 *  @property {(point: number) => boolean} canTake
 *  @property {(point: number) => SVGElement} lift
 *  @property {(from: number, target: number | null) => void} drop
 *  @property {(point: number | null) => void} hover */

const HOVERS = matchMedia("(hover: hover)"); // after a tap nothing hovers, whatever a browser makes of it

const FAR_ENOUGH = 8; // pixels that make a press a drag

export class Drag {
  #root;
  #board;
  /** @type {Press | null} */
  #press = null;
  #wasDragged = false; // whether the click that is about to come only ends a drag

  /** @param {SVGSVGElement} root
   *  @param {Dragging} board */
  constructor(root, board) {
    this.#root = root;
    this.#board = board;
    root.addEventListener("pointerover", (event) => {
      if (event.pointerType === "mouse" && HOVERS.matches && this.#press === null) board.hover(board.pointAt(event.target));
    });
    root.addEventListener("pointerleave", () => this.#press === null && board.hover(null));
    root.addEventListener("pointerdown", (event) => this.#take(event));
    root.addEventListener("pointermove", (event) => this.#move(event));
    root.addEventListener("pointerup", (event) => this.#end(event));
    root.addEventListener("pointercancel", () => this.#end(null));
    const hold = (/** @type {TouchEvent} */ event) => this.#press !== null && event.preventDefault();
    root.addEventListener("touchmove", hold, { passive: false }); // else the page scrolls
  }

  /** Whether a click only ended a drag; asked once for each click. */
  wasDrag() {
    const was = this.#wasDragged;
    this.#wasDragged = false;
    return was;
  }

  /** Nothing is held any more. */
  letGo() {
    this.#press = null;
  }

  /** @param {PointerEvent} event */
  #take(event) {
    this.#wasDragged = false;
    const from = this.#board.pointAt(event.target);
    if (event.button !== 0 || from === null || !this.#board.canTake(from)) return;
    this.#press = { from, x: event.clientX, y: event.clientY, shape: null };
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const press = this.#press;
    if (press === null) return;
    if (event.buttons === 0) {
      this.#end(null); // the checker was let go outside of the board
      return;
    }
    if (press.shape === null) {
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < FAR_ENOUGH) return;
      this.#root.setPointerCapture(event.pointerId);
      press.shape = this.#board.lift(press.from);
    }
    const place = new DOMPoint(event.clientX, event.clientY);
    const { x, y } = place.matrixTransform(this.#root.getScreenCTM()?.inverse());
    press.shape.setAttribute("transform", `translate(${x} ${y})`);
  }

  /** The drag ends: where the pointer is, or nowhere (null).
   *  @param {PointerEvent | null} event */
  #end(event) {
    const press = this.#press;
    this.#press = null;
    if (press === null || press.shape === null) return;
    this.#wasDragged = true;
    const target = event && this.#board.pointAt(document.elementFromPoint(event.clientX, event.clientY));
    this.#board.drop(press.from, target);
  }
}
