/* Keeps the second half of a double click from doing something in a view that the first half has
   opened: "Play", pressed twice, plays no move.

   Only the same place counts, and only for a moment: whoever aims at something is never slowed down. */

const MOMENT_MS = 450; // after the press that opened the view
const NEAR_PX = 48;

/** Watch over `root`; call `changed()` when it shows another view.
 *  @param {HTMLElement} root */
export function keepFromSecondPress(root) {
  const none = { x: NaN, y: NaN, at: -Infinity };
  let last = none; // the newest press that counted
  let opener = none; // the press that opened the view
  const isSecond = (/** @type {MouseEvent} */ event) =>
    performance.now() - opener.at < MOMENT_MS
    && Math.hypot(event.clientX - opener.x, event.clientY - opener.y) < NEAR_PX;
  const press = (/** @type {MouseEvent} */ event) => {
    if (isSecond(event)) return swallow(event);
    last = { x: event.clientX, y: event.clientY, at: performance.now() };
  };
  const click = (/** @type {MouseEvent} */ event) => {
    const isByPointer = event.detail > 0; // a key has none
    if (isByPointer && isSecond(event)) swallow(event);
  };
  document.addEventListener("pointerdown", press, true);
  root.addEventListener("click", click, true);
  const changed = () => {
    opener = last;
    last = none; // it has opened this view, and no other
  };
  return { changed };
}

/** @param {Event} event */
function swallow(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}
