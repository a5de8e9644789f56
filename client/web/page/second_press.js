/* Keeps the second half of a double click from doing something in a view that the first half has
   opened: "Play", pressed twice, plays no move.

   Only the same place counts, and only for a moment: a person who aims at something is never slowed down. */

const MOMENT_MS = 600; // after the press that opened the view
const NEAR_PX = { mouse: 6, touch: 32 }; // a finger is less exact

/** Watch over `root`; call `changed()` when it shows another view.
 *  @param {HTMLElement} root */
export function keepFromSecondPress(root) {
  const none = { x: NaN, y: NaN, at: -Infinity };
  let last = none; // the newest press
  let opener = none; // the press that opened the view
  document.addEventListener("click", (event) => {
    if (event.detail === 0) return; // by a key
    if (isSecond(event, opener) && root.contains(/** @type {Node} */ (event.target))) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else {
      last = { x: event.clientX, y: event.clientY, at: performance.now() };
    }
  }, true);
  const changed = () => {
    opener = last;
    last = none; // it has opened this view, and no other
  };
  return { changed };
}

/** @param {MouseEvent} event
 *  @param {{x: number, y: number, at: number}} opener */
function isSecond(event, { x, y, at }) {
  if (performance.now() - at > MOMENT_MS) return false;
  const isTouch = event instanceof PointerEvent && event.pointerType === "touch";
  return event.detail > 1 || Math.hypot(event.clientX - x, event.clientY - y) < (isTouch ? NEAR_PX.touch : NEAR_PX.mouse);
}
