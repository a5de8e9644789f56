/* A rating with its interval, and how it came to be, as a small curve. */

/** @import { PersonRating, RatingMoment } from "../library/messages.js" */

import { signed } from "../library/words.js";
import { el, svg } from "../page/dom.js";
import { words } from "../texts/words.js";

const { past: texts } = words;
const [WIDTH, HEIGHT, EDGE] = [240, 64, 4];

/** @param {PersonRating} rating
 *  @param {string} game its title */
export function ratingItem(rating, game) {
  const { elo = null, interval = null, matches, least, field = 0, curve = [], doubtful = false } = rating;
  const lines = elo === null || interval === null ? [texts.ratedAfter({ least, matches })]
    : [texts.between({ low: signed(interval[0]), high: signed(interval[1]) }), texts.ofField({ matches, field })];
  if (doubtful) lines.push(texts.doubtful);
  return el("li", {}, el("h3", {}, game), elo === null ? null : el("p", { class: "elo" }, texts.elo(signed(elo))),
    ...lines.map((line) => el("p", { class: "quiet small" }, line)), curve.length > 1 ? picture(curve, game) : null);
}

/** The curve, and around it where the rating was in 95 of 100 cases.
 *  @param {RatingMoment[]} curve
 *  @param {string} game */
function picture(curve, game) {
  const [first, last] = [curve[0], curve[curve.length - 1]];
  const low = Math.min(0, ...curve.map(({ elo }) => elo), last.elo - last.error);
  const high = Math.max(0, ...curve.map(({ elo }) => elo), last.elo + last.error);
  const x = (/** @type {number} */ at) => round(EDGE + ((WIDTH - 2 * EDGE) * (at - first.at)) / (last.at - first.at || 1));
  const y = (/** @type {number} */ elo) =>
    round(EDGE + ((HEIGHT - 2 * EDGE) * (high - Math.max(low, Math.min(high, elo)))) / (high - low || 1));
  const way = (/** @type {RatingMoment[]} */ points, /** @type {number} */ side) =>
    points.map(({ at, elo, error }) => `${x(at)} ${y(elo + side * error)}`).join("L");
  const label = texts.curve({ game, from: signed(first.elo), to: signed(last.elo) });
  return svg("svg", { class: "curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
    svg("path", { class: "zone", d: `M${way(curve, 1)}L${way([...curve].reverse(), -1)}Z` }),
    svg("path", { class: "mean", d: `M0 ${y(0)}H${WIDTH}` }), svg("path", { class: "way", d: `M${way(curve, 0)}` }),
    svg("circle", { cx: x(last.at), cy: y(last.elo), r: 3 }));
}

/** @param {number} pixels */
const round = (pixels) => Math.round(pixels * 10) / 10;
