/* A little paper in the colours of both sides, for a moment, over the board on which somebody has won. */

import { mayMove } from "../library/settings.js";
import { el } from "../page/dom.js";

const PIECES = 14;

/** @param {HTMLElement} place */
export function rejoice(place) {
  if (!mayMove()) return;
  const pieces = Array.from({ length: PIECES }, (_, index) => {
    const piece = el("i", { class: `seat-${index % 2}` });
    piece.style.setProperty("--x", `${(index + Math.random()) * (100 / PIECES)}%`);
    piece.style.setProperty("--late", `${Math.round(Math.random() * 500)}ms`);
    piece.style.setProperty("--turn", `${Math.round(Math.random() * 540 - 270)}deg`);
    return piece;
  });
  const joy = el("div", { class: "joy", "aria-hidden": "true" }, ...pieces);
  place.append(joy);
  setTimeout(() => joy.remove(), 3_000);
}
