/* The cube in words: what is asked and offered, where it lies, what a decision is.  No DOM. */

/** @import { BoardView } from "../board.js" */
/** @import { Facts, Verb } from "./position.js" */

import { words } from "../../texts/words.js";
import { factsOf, isVerb, verbsOf } from "./position.js";

const { cube: text, backgammon } = words.boards;

/** What a seat is called, whatever direction its letters run in; null: it is the viewer's.
 *  @param {BoardView} view
 *  @param {number} seat */
function nameOf({ seat: me, names }, seat) {
  if (seat === me) return null;
  return names === undefined ? [backgammon.light, backgammon.dark][seat] : `\u2068${names[seat]}\u2069`;
}

/** What is offered, such as "Bert doubles to 4", or null.
 *  @param {BoardView} view
 *  @param {Facts} facts */
export function offerText(view, { offer }) {
  if (offer === null || view.over) return null;
  return text.offered({ verb: offer.verb, owner: nameOf(view, offer.by), value: offer.value });
}

/** Below an offer: what becomes of the cube, or who is waited for.
 *  @param {BoardView} view
 *  @param {Facts} facts */
export function offerDetail(view, { offer, heir }) {
  if (offer === null) return "";
  if (offer.asked === view.seat) return text.heir(nameOf(view, heir));
  return text.waits(nameOf(view, offer.asked) ?? "");
}

/** What a decision means, in a few words: "to 4", "lose 2 points"; "": nothing is to be said of it.
 *  @param {Verb} verb
 *  @param {BoardView} view
 *  @param {Facts} facts */
export function meaning(verb, { seat }, { cube, offer, score, points }) {
  if (verb === "double") return text.to(cube * 2);
  if (offer === null || verb === "roll") return "";
  if (verb === "take") return text.playFor(offer.value);
  if (verb !== "drop") return text.to(offer.value * 2);
  const isLast = score !== null && seat !== null && score[1 - seat] + offer.cost >= points;
  return isLast ? text.loseMatch : text.lose(offer.cost);
}

/** What the viewer is asked or waits for, as a sentence; null where it is only whose turn it is.
 *  @param {BoardView} view */
export function asks(view) {
  const verbs = verbsOf(view);
  if (verbs.includes("roll")) return text.rollOrDouble;
  const facts = factsOf(view.position);
  if (facts.offer === null || view.over) return null;
  if (verbs.length === 0) return `${offerText(view, facts)}. ${offerDetail(view, facts)}`;
  return text.question({ offer: offerText(view, facts) ?? "", cost: facts.offer?.cost ?? 0, raise: verbs[2] ?? null });
}

/** A decision about the cube as it is told: "Bert doubles."; null where it is no such decision.
 *  @param {string} action
 *  @param {string | null} name null: the viewer's own */
export const told = (action, name) => (isVerb(action) ? text.told(action, name) : null);

/** The cube, the score and what is offered, in a few sentences.
 *  @param {BoardView} view */
export function read(view) {
  const facts = factsOf(view.position);
  const owner = facts.owner === null ? null : nameOf(view, facts.owner);
  const parts = [offerText(view, facts)];
  if (facts.isCrawford) parts.push(text.crawford);
  else if (!facts.isOff) parts.push(text.cube({ value: facts.cube, isCentred: facts.owner === null, owner }));
  if (facts.score !== null) {
    const [one, two] = [0, 1].map((seat) => nameOf(view, seat) ?? text.you);
    parts.push(text.score({ one, two, score: facts.score, points: facts.points }));
  }
  return parts.filter((part) => part !== null).map((part) => `${part}.`).join(" ");
}
