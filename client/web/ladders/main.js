/* The composition root of a ladder's page, `/ladder/NAME`; `/ladder` alone lists them all.

       connection -> receive -> what is known -> (soon) render -> views

   The page is a guest that follows a ladder: the server sends its state at most once a
   second, and it is drawn only while somebody can see it.  Each match has its own page, to which
   #match=17.1&ply=4 leads as well. */

/** @import { AnyPush, LadderLine, LadderState, RatingPoint } from "../library/messages.js" */

import { Catalog } from "../library/catalog.js";
import { Connection, Refusal, socketUrl } from "../library/connection.js";
import { matchPath } from "../library/words.js";
import { batched, byId, el, put, show } from "../page/dom.js";
import { Notices } from "../page/notices.js";
import { texts } from "../texts/ladders/words.js";
import { Comparison } from "./comparison.js";
import { LadderView } from "./ladder.js";
import { LadderListView } from "./ladder_list.js";

const HISTORY_MS = 60_000; // between two requests: meanwhile each new state adds a point
const NEW_POINTS = 600; // at most, since the history was fetched
const BEAT_MS = 5_000;
const QUIET_MS = 25_000; // after so long without a message it is time to ask: the server pings every 20 s

const name = nameIn(location.pathname);
const catalog = new Catalog();
const connection = new Connection(socketUrl(), receive, renderSoon);
const notices = new Notices({ hurry: () => connection.hurry(), again: () => connection.enter({}) });
const comparison = new Comparison(compare, renderSoon);
const ladder = new LadderView(name, comparison);
const list = new LadderListView();
const waiting = el("p", { class: "card" }, texts.going);
const refused = el("p", { class: "card", role: "alert" });

/** @type {LadderState | null} */
let state = null; // of the ladder that is followed
/** @type {LadderLine[] | null} */
let ladders = null;
/** @type {RatingPoint[]} */
let history = []; // as it was fetched
/** @type {RatingPoint[]} */
let newPoints = []; // from the states that came since
let clockOffset = 0; // the server's clock less this one
/** @type {string | null} */
let refusal = null; // the server's sentence about this ladder
let fetchedAt = -Infinity; // when the history was asked for,
let fetchedPairs = -1; // and how many pairs were rated then
const renderOnce = batched(render);

/** The name of the ladder in a path; one that is written wrong is no ladder's, and the server says so.
 *  @param {string} path */
function nameIn(path) {
  const written = path.split("/")[2] ?? "";
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}

/** @param {AnyPush} message */
function receive(message) {
  if (message.type === "welcome") {
    clockOffset = message.now - Date.now();
    catalog.read(message);
    ask();
  }
  if (message.type === "ladder") update(message);
  notices.hear(message);
  if (message.type === "ladders") ({ ladders } = message);
  renderSoon();
}

/** Take over a newer state, and add its ratings to the plot.
 *  @param {LadderState} next */
function update(next) {
  if (state && state.ladder.at === next.ladder.at && state.seq > next.seq) return;
  state = next;
  const { rated: pairs = 0, standings = [] } = next;
  if (pairs <= ((newPoints.at(-1) ?? history.at(-1))?.pairs ?? 0)) return;
  const ratings = standings.flatMap(({ player, rating = null, error }) =>
    (rating === null ? [] : [{ player, rating, error: error ?? 0 }]));
  newPoints = [...newPoints, { at: Date.now() + clockOffset, pairs, ratings }].slice(-NEW_POINTS);
}

/** Ask for what is shown here, and follow it. */
async function ask() {
  refusal = await refusalOf(async () => {
    receive(await connection.request(name
      ? { type: "ladder_status", ladder: name, follow: true } : { type: "ladder_status" }));
  });
  renderSoon();
}

/** Fetch the ratings over time where they have changed, and not too often. */
async function fetchHistory() {
  const pairs = state?.rated ?? 0;
  const now = performance.now();
  if (!state || pairs === fetchedPairs || now - fetchedAt < HISTORY_MS || connection.state !== "linked") return;
  [fetchedAt, fetchedPairs] = [now, pairs];
  await refusalOf(async () => { // where it is refused, the new points are drawn at least
    const { points } = await connection.request({ type: "ladder_history", ladder: name });
    history = points ?? [];
    newPoints = newPoints.filter((point) => point.pairs > (history.at(-1)?.pairs ?? 0));
  });
  renderSoon();
}

/** How much stronger a player is than each other one; null where the server does not say so now.
 *  @param {string} player */
async function compare(player) {
  if (connection.state !== "linked") return null;
  try {
    return await connection.request({ type: "ladder_compare", ladder: name, players: [player] });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return null;
  }
}

/** The server's sentence, if it refuses; null if all is well.
 *  @param {() => Promise<void>} work */
async function refusalOf(work) {
  try {
    await work();
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
}

function renderSoon() {
  if (!document.hidden) renderOnce();
}

function render() {
  const main = byId("main");
  const node = currentView();
  if (main.firstElementChild !== node) main.replaceChildren(node);
  notices.showConnection(connection);
  if (node === ladder.node && state) ladder.show(state, [...history, ...newPoints], catalog);
  if (node === list.node) list.show(ladders ?? [], catalog);
  put(refused, refusal ?? "");
  document.title = `${name || texts.ladders} · Plyhouse`;
  show(byId("invitations"), false);
  fetchHistory();
}

function currentView() {
  if (refusal) return refused;
  if (name) return state ? ladder.node : waiting;
  return ladders ? list.node : waiting;
}

/** Where a link to a match of the ladder leads. */
function goToMatch() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const [match, ply] = [fields.get("match"), fields.get("ply")];
  if (match) location.replace(`${matchPath(match)}${ply === null ? "" : `#ply=${ply}`}`);
}

function beat() {
  if (connection.state === "linked" && (connection.quietFor() > QUIET_MS || !name)) ask();
  renderSoon();
}

addEventListener("hashchange", goToMatch);
addEventListener("online", () => connection.hurry());
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  connection.hurry();
  renderSoon();
});
setInterval(beat, BEAT_MS);
for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-word]"))) {
  put(node, texts.page[/** @type {keyof typeof texts.page} */ (node.dataset.word)]);
}
byId("tables").ariaLabel = texts.pages;
connection.enter({});
goToMatch();
renderSoon();
