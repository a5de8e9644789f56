/* What a match came to for both sides, or several matches together: sums, ratings, and their texts.
   No DOM in here. */

/** @import { AnalysedTotal, MatchAnalysis } from "../library/messages.js" */
/** @typedef {MatchAnalysis["unit"]} Unit */
/** @typedef {NonNullable<AnalysedTotal["cube"]>} Cube */

import { words } from "../texts/words.js";

const { analysis: texts } = words;
const MINUS = "\u2212";
const DIGITS = { points: 3, score: 0, value: 2, chance: 2 };
const RATING_FACTOR = 500; // by which a mean loss becomes a performance rating
const NONE = "–";

/** A figure in the unit of an analysis: 0.123, +0.050, −2, 1.25 %.
 *  @param {number} value
 *  @param {Unit} unit */
export function figure(value, unit, withSign = false) {
  const isChance = unit === "chance";
  const text = Math.abs(isChance ? 100 * value : value).toFixed(DIGITS[unit] ?? 2);
  const written = words.common.decimal(text) + (isChance ? "\u00a0%" : "");
  if (Number(text) === 0) return written;
  return (value < 0 ? MINUS : withSign ? "+" : "") + written;
}

/** A performance rating: 500 times the mean loss of the decisions that count; "–" without any.
 *  @param {number | null | undefined} normalised
 *  @param {number} decisions */
export function ratingText(normalised, decisions) {
  if (typeof normalised !== "number" || decisions === 0) return NONE;
  return words.common.decimal((RATING_FACTOR * normalised / decisions).toFixed(2));
}

/** The sums of one side over several matches; luck and rating only where all have them.
 *  @param {AnalysedTotal[]} totals
 *  @returns {AnalysedTotal} */
export function added(totals) {
  const sum = (/** @type {(number | null | undefined)[]} */ values) => values.reduce((/** @type {number} */ all, value) => all + (value ?? 0), 0);
  const ofAll = (/** @type {(number | null | undefined)[]} */ values) => (values.every((value) => typeof value === "number") ? sum(values) : null);
  const cubes = totals.flatMap(({ cube }) => cube ?? []);
  const resigning = totals.flatMap((total) => total.resigning ?? []);
  return {
    plays: sum(totals.map(({ plays }) => plays)), forced: sum(totals.map(({ forced }) => forced)),
    unknown: sum(totals.map(({ unknown }) => unknown)), loss: sum(totals.map(({ loss }) => loss)),
    doubtful: sum(totals.map(({ doubtful }) => doubtful)), blunders: sum(totals.map(({ blunders }) => blunders)),
    luck: ofAll(totals.map(({ luck }) => luck)), rated: sum(totals.map(({ rated }) => rated)),
    normalised: ofAll(totals.map(({ normalised }) => normalised)),
    cube: cubes.length === 0 ? null : {
      plays: sum(cubes.map(({ plays }) => plays)), loss: sum(cubes.map(({ loss }) => loss)),
      normalised: sum(cubes.map(({ normalised }) => normalised)), doubtful: sum(cubes.map(({ doubtful }) => doubtful)),
      blunders: sum(cubes.map(({ blunders }) => blunders)),
    },
    resigning: resigning.length === 0 ? null : {
      decisions: sum(resigning.map(({ decisions }) => decisions)), loss: sum(resigning.map(({ loss }) => loss)),
      doubtful: sum(resigning.map(({ doubtful }) => doubtful)), blunders: sum(resigning.map(({ blunders }) => blunders)),
    },
  };
}

/** The rows of the table of totals: {name, cells: [text, text]} by seat.
 *  @param {Pick<MatchAnalysis, "totals" | "unit">} analysis */
export function totalRows({ totals, unit }) {
  const { totals: names } = texts;
  const row = (/** @type {string} */ name, /** @type {(total: AnalysedTotal) => string} */ text) =>
    ({ name, cells: totals.map(text) });
  const has = (/** @type {keyof AnalysedTotal} */ field) => totals.some((total) => Number.isFinite(total[field]));
  const isRated = has("normalised");
  return [
    row(names.plays, ({ plays = 0, rated = 0 }) => String(isRated ? rated : plays)),
    ...(has("forced") && !isRated ? [row(names.forced, ({ forced = 0 }) => String(forced))] : []),
    ...(totals.some(({ unknown }) => unknown) ? [row(names.unknown, ({ unknown = 0 }) => String(unknown))] : []),
    ...(totals.some(({ cube }) => cube) ? lossRows(unit, row) : [row(names.loss, lossPerPlay(unit))]),
    ...(totals.some(({ resigning }) => resigning) ? [row(names.byResigning, (total) => figure(byResigning(total), unit))] : []),
    row(names.blunders, ({ blunders = 0 }) => String(blunders)),
    row(names.doubtful, ({ doubtful = 0 }) => String(doubtful)),
    ...(has("luck") ? [row(names.luck, ({ luck }) => figure(luck ?? 0, unit, true))] : []),
    ...(isRated ? [row(names.rating, ({ normalised, rated = 0 }) => ratingText(normalised, rated))] : []),
  ];
}

/** What was lost in all, by plays and by decisions about the cube.
 *  @template T
 *  @param {Unit} unit
 *  @param {(name: string, text: (total: AnalysedTotal) => string) => T} row */
function lossRows(unit, row) {
  const { totals: names } = texts;
  const ofCube = (/** @type {AnalysedTotal} */ { cube }) => cube?.loss ?? 0;
  return [
    row(names.lost, ({ loss = 0 }) => figure(loss, unit)),
    row(names.byPlays, (total) => figure(Math.max(0, (total.loss ?? 0) - ofCube(total) - byResigning(total)), unit)),
    row(names.byCube, (total) => figure(ofCube(total), unit)),
  ];
}

/** @param {AnalysedTotal} total */
const byResigning = ({ resigning }) => resigning?.loss ?? 0;

/** @param {Unit} unit
 *  @returns {(total: AnalysedTotal) => string} */
const lossPerPlay = (unit) => ({ plays = 0, unknown = 0, loss = 0, resigning }) =>
  (plays > unknown ? figure(Math.max(0, loss - (resigning?.loss ?? 0)) / (plays - unknown), unit === "score" ? "value" : unit) : NONE);
