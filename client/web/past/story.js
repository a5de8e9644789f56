/* The story of a match to points: its games one after the other, with how each was won, the cube, and the score. */

/** @import { Player, StoryGame } from "../library/messages.js" */

import { resultText } from "../library/result.js";
import { scoreAfter, seriesText } from "../library/series.js";
import { playerTitle } from "../library/words.js";
import { el } from "../page/dom.js";
import { words } from "../texts/words.js";

const { past: texts, boards: { cube }, lobby: { terms } } = words;
const RAISES = new Set(["double", "beaver", "raccoon"]);

/** A card with all games; null where the match is none of a series.
 *  @param {{match: string, seats: [Player, Player], games?: StoryGame[]}} replay
 *  @param {(match: string) => string} path where a game is shown
 *  @param {(reason: string) => string | undefined} why puts the reason of a result in words
 *  @param {Element} analysis what stands below the games */
export function storyCard({ match, seats, games = [] }, path, why, analysis) {
  const last = games.at(-1);
  if (last === undefined) return null;
  const rows = games.map((game) => row(game, seats, { isHere: game.match === match, path, why }));
  const heads = [texts.storyColumns.game, texts.storyColumns.end, texts.storyColumns.cube, texts.storyColumns.score];
  return el("section", { class: "card story" }, el("h2", {}, texts.story(last.series.points)),
    el("p", {}, seriesText(scoreAfter(last.series, last.result), seats, null)),
    el("div", { class: "story-table" }, el("table", {},
      el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, ...rows))), analysis);
}

/** @param {StoryGame} game
 *  @param {[Player, Player]} seats
 *  @param {{isHere: boolean, path: (match: string) => string, why: (reason: string) => string | undefined}} more */
function row({ match, series, result, cube: actions = [] }, seats, { isHere, path, why }) {
  const number = series.game ?? 1;
  const name = isHere ? el("strong", {}, texts.storyGame(number)) : el("a", { href: path(match) }, texts.storyGame(number));
  const mark = series.crawford ? el("small", { class: "quiet" }, ` ${terms.crawford}`) : null;
  const told = actions.length === 0 ? texts.storyNoCube : cubeText(actions, seats);
  return el("tr", isHere ? { "aria-current": "true" } : {}, el("th", { scope: "row" }, name, mark),
    el("td", {}, resultText(result, seats, null, why)), el("td", {}, told),
    el("td", { class: "score" }, terms.score(scoreAfter(series, result).score)));
}

/** What was decided about the cube, in a few sentences: "Bert doubles to 2. Anna takes."
 *  @param {NonNullable<StoryGame["cube"]>} actions
 *  @param {[Player, Player]} seats */
function cubeText(actions, seats) {
  let value = 1;
  return actions.map(({ seat, action }) => {
    const name = playerTitle(seats[seat]);
    if (!RAISES.has(action)) return cube.told(/** @type {"take" | "drop"} */ (action), name);
    value *= 2;
    return `${cube.offered({ verb: action === "double" ? "D" : action === "beaver" ? "B" : "R", owner: name, value })}.`;
  }).join(" ");
}
