/* An analysis as the page shows it: one row for each action, and its texts.  No DOM in here. */

/** @import { AnalysedOption, AnalysedPlay, Analysed, MatchAnalysis } from "../library/messages.js" */
/** @import { Action, Moment } from "../library/replica.js" */
/** @import { Mark } from "../boards/board.js" */

/** An action of a match.  `ply` is where it was chosen, `kind` that of its event; `roll` the roll before
 *  it or "", `luck` what that brought or null; `play` what the analysis has of it or null, and then
 *  `absent` is why, as far as that is known; `mark` is "??", "?" or ""; `isOpen`: the position is known;
 *  `marks` are drawn on the board.
 *  @typedef {object} Row
 *  @property {number} ply
 *  @property {number} seat
 *  @property {string} action
 *  @property {string} kind
 *  @property {AnalysedPlay | null} play
 *  @property {string} mark
 *  @property {Mark[]} marks
 *  @property {string} absent
 *  @property {string} roll
 *  @property {number | null} luck
 *  @property {boolean} isOpen
 *  @property {string} text */
/** @typedef {Omit<Row, "absent" | "roll" | "luck" | "isOpen" | "text">} AnalysedAction */
/** An analysis that a bot has made, ready to be shown.
 *  @typedef {{bot: string, analysis: MatchAnalysis, moments: Moment[], rows: Row[]}} Report */
/** @typedef {MatchAnalysis["unit"]} Unit */

import { words } from "../texts/words.js";
import { rollText } from "../table/record/move_rows.js";
import { figure } from "./totals.js";

const { analysis: texts, boards: { cube: { actions: cubeWords } } } = words;
const ROLL = "roll"; // instead of a double
const RESIGNING = /^(resign|accept|refuse) (\d+)$/;
const PLAY_ON = "play on"; // instead of resigning
const { forced: FORCED, notExamined: NOT_EXAMINED } = texts;

/** @param {Analysed} reply
 *  @param {Moment[]} moments
 *  @returns {Report} */
export function reportOf({ bot, analysis }, moments) {
  return { bot, analysis, moments, rows: rowsOf(analysis, moments) };
}

/** The rows of a match; a roll stands with the action that it was played by.
 *  @param {MatchAnalysis} analysis
 *  @param {Moment[]} moments
 *  @returns {Row[]} */
export function rowsOf(analysis, moments) {
  const { plays = [], rolls = [] } = analysis;
  const playAt = new Map(plays.map((play) => [play.ply, play]));
  const luckAt = new Map(rolls.map((roll) => [roll.ply, roll.luck]));
  const rows = [];
  for (let ply = 0; ply < moments.length - 1; ply++) {
    const { event } = moments[ply + 1];
    const before = ply > 0 ? moments[ply].event : null;
    const isLast = ply === moments.length - 2;
    if (!event || (event.seat < 0 && !isLast)) continue; // a roll is in the row of the next action
    const isUnplayed = event.seat < 0;
    if (isIdleRoll(event, playAt.get(ply) ?? null)) continue;
    const row = isUnplayed ? unplayed(event, ply, moments[ply + 1].to_move) : rowOf(event, ply, playAt.get(ply) ?? null);
    const roll = before?.seat === -1 ? rollText(before.action) : "";
    const luck = luckAt.get(isUnplayed ? ply : ply - 1) ?? null;
    const isOpen = moments[row.ply].position !== null;
    rows.push({ ...row, absent: absence(row, analysis), roll, luck, isOpen, text: textOf(row, roll) });
  }
  return withResignations(rows, analysis, moments);
}

/** The rows with those of who would resign there, and of the answers: before what was played then.
 *  @param {Row[]} rows
 *  @param {MatchAnalysis} analysis
 *  @param {Moment[]} moments
 *  @returns {Row[]} */
function withResignations(rows, { resignations = [] }, moments) {
  const added = resignations.map((play) => {
    const { ply, seat, action } = play;
    const row = { ply, seat, action, kind: "resign", play, mark: markOf(play), marks: [] };
    return { ...row, absent: "", roll: "", luck: null, isOpen: Boolean(moments[ply]?.position), text: textOf(row, "") };
  });
  const place = (/** @type {Row} */ { ply, kind }) => ply - (kind === "roll" ? 0.5 : kind === "resign" ? 0.25 : 0);
  return [...rows, ...added].sort((one, two) => place(one) - place(two));
}

/** Whether somebody did not double, and no player would have thought about it.
 *  @param {Action} event
 *  @param {AnalysedPlay | null} play */
const isIdleRoll = ({ seat, action }, play) => seat >= 0 && action === ROLL && (play === null || play.trivial === true);

/** @param {Action} event
 *  @param {number} ply
 *  @param {AnalysedPlay | null} play
 *  @returns {AnalysedAction} */
function rowOf({ seat, action, kind }, ply, play) {
  return { ply, seat, action, kind, play, mark: play ? markOf(play) : "", marks: play ? marksOf(play) : [{ action, kind: "played" }] };
}

/** @param {AnalysedPlay} play */
const markOf = ({ blunder, doubtful }) => (blunder ? "??" : doubtful ? "?" : "");

/** The last roll, where the match ended before it was played.
 *  @param {Action} event
 *  @param {number} ply
 *  @param {number | null} seat
 *  @returns {AnalysedAction} */
function unplayed({ action }, ply, seat) {
  return { ply: ply + 1, seat: seat ?? -1, action: `${rollText(action)}:`, kind: "roll", play: null, mark: "", marks: [] };
}

/** Why there is nothing about a row; what was cut away to make it fit may have been anything.
 *  @param {AnalysedAction} row
 *  @param {MatchAnalysis} analysis */
function absence({ ply, play, kind }, { left = [], partial = false }) {
  if (play || kind !== "play") return "";
  if (left.includes(ply)) return NOT_EXAMINED;
  return partial ? "" : FORCED;
}

/** @param {AnalysedPlay} play
 *  @returns {Mark[]} */
function marksOf(play) {
  const best = bestOf(play);
  return [{ action: play.action, kind: "played" }, ...(best === null ? [] : [/** @type {Mark} */ ({ action: best, kind: "best" })])];
}

/** The best action there was, or null; of several, the one that was played.
 *  @param {AnalysedPlay} play */
export const bestOf = ({ action, loss, best = [] }) => (loss === 0 ? action : best[0]?.action ?? null);

/** @param {AnalysedAction} row
 *  @param {string} roll */
function textOf({ action, kind, play }, roll) {
  const text = kind === "opening" ? `(${action})` : actionText(action, play);
  return roll ? `${roll}: ${text}` : text;
}

/** An action in notation, or a decision about the cube or a resignation in words.
 *  @param {string} action
 *  @param {AnalysedPlay | null} play of which it is one */
export function actionText(action, play) {
  const [, verb, points] = RESIGNING.exec(action) ?? [];
  if (verb) return texts.resigning[/** @type {keyof typeof texts.resigning} */ (verb)](Number(points));
  if (action === PLAY_ON) return texts.playOn;
  return play?.cube && Object.hasOwn(cubeWords, action) ? cubeWords[/** @type {keyof typeof cubeWords} */ (action)] : action;
}

/** What an action is worth; chances have no sign.
 *  @param {number} value
 *  @param {Unit} unit */
export const worthText = (value, unit) => figure(value, unit, unit !== "chance");

/** What an option is worth, at a score with its equity beside it.
 *  @param {AnalysedOption} option
 *  @param {Unit} unit */
export function optionText({ value = null, equity = null }, unit) {
  if (value === null) return "?";
  return worthText(value, unit) + (equity === null ? "" : ` (${worthText(equity, "points")})`);
}

/** What a row lost, in short.
 *  @param {Row} row
 *  @param {Unit} unit */
export function lossText({ play, absent }, unit) {
  if (!play) return absent;
  const { loss = null } = play;
  if (loss === null) return texts.notProven;
  return loss === 0 ? texts.best : figure(-loss, unit);
}

/** @param {Row} row
 *  @param {Unit} unit */
export const luckText = ({ luck }, unit) => (luck === null ? "" : texts.luck(figure(luck, unit, true)));

/** What was wrong about the cube, and what that showed, where that is worth a word.
 *  @param {Row} row */
export function cubeText({ play }) {
  const { mistake, shows = 1 } = play ?? {};
  return [mistake ? texts.mistakes[mistake] : "", shows > 1 ? texts.cubeShows(shows) : ""].filter(Boolean).join(" · ");
}

/** What a row lost, in a sentence.
 *  @param {Row} row
 *  @param {Unit} unit */
export function verdictText({ play, absent }, unit) {
  const { verdicts } = texts;
  if (!play) {
    if (absent === FORCED) return verdicts.forced;
    return absent === NOT_EXAMINED ? verdicts.notExamined : "";
  }
  const { loss = null, blunder, doubtful, mistake } = play;
  if (loss === 0) return verdicts.best;
  if (loss === null) return blunder ? verdicts.blunderUnproven : verdicts.unproven;
  const error = play.error ? ` ± ${figure(play.error, unit)}` : "";
  const lost = figure(loss, unit) + error;
  if (mistake) return verdicts.ofCube({ mistake: texts.mistakes[mistake], loss: lost });
  return blunder ? verdicts.blunder(lost) : doubtful ? verdicts.doubtful(lost) : verdicts.other(lost);
}

/** Who has looked at the match, what the figures are, and what is missing.
 *  @param {Report} report */
export function aboutText({ bot, analysis: { by, unit, left = [], partial = false, totals }, rows }) {
  const hasCube = totals.some(({ cube }) => cube);
  const parts = [texts.by({ bot, by }), hasCube && unit === "points" ? texts.unitWithCube : texts.units[unit] ?? ""];
  if (totals.some(({ normalised }) => typeof normalised === "number")) parts.push(texts.aboutRating);
  if (left.length) parts.push(texts.left(left.length));
  if (partial) parts.push(texts.partial);
  if (rows.some((row) => !row.isOpen)) parts.push(texts.unheard);
  return parts.filter(Boolean).join(" ");
}
