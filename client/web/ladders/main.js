/* The composition root of a ladder's page, `/ladder/NAME`; `/ladder` alone lists them all.

       wire -> hear -> what is known -> (soon) render -> views

   The page is a guest that follows a ladder: the server sends a new standing at most once a
   second, and it is drawn only while somebody can see it.  #match=17.1 replays a match. */

import { el, show } from "../dom.js";
import { Notices } from "../notices.js";
import { Refusal, Wire } from "../wire.js";
import { Board } from "./board.js";
import { List } from "./list.js";
import { Replay } from "./replay.js";

const HISTORY_MS = 60_000; // between two questions: meanwhile each standing adds a point
const KEPT = 600; // standings seen since the history was fetched
const BEAT_MS = 5_000;
const QUIET_MS = 25_000; // after so long without a word it is time to ask: the server pings every 20 s

const name = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const scheme = location.protocol === "https:" ? "wss:" : "ws:";
const wire = new Wire(`${scheme}//${location.host}/ws`, hear, soon);
const notices = new Notices(document, { hurry: () => wire.hurry(), again: () => wire.enter({}) });
const app = { wire, house: { invitations: new Map() } };
const known = { ladder: null, ladders: null, history: [], seen: [], offset: 0 };
const board = new Board(name);
const list = new List();
const replay = new Replay({ stepped, analyse, close: () => { location.hash = ""; } });
const coming = el("p", { class: "card" }, "Going to the ladder …");
const nothing = el("p", { class: "card", role: "alert" });
let refused = null; // the server's sentence about this ladder
let askedAt = -Infinity; // when the history was asked for
let askedPairs = -1;
let rendering = false;
const later = new MessageChannel();
later.port1.onmessage = render;

/* ---- what comes */

function hear(message) {
  if (message.type === "welcome") {
    known.offset = message.now - Date.now();
    ask();
  }
  if (message.type === "ladder") learn(message);
  if (message.type === "ladders") known.ladders = message.ladders;
  soon();
}

function learn(state) {
  const newest = known.ladder;
  if (newest && newest.ladder.at === state.ladder.at && newest.seq > state.seq) return;
  known.ladder = state;
  const { rated: pairs = 0, standings = [] } = state;
  if (pairs <= (newestPoint()?.pairs ?? 0)) return;
  const rows = standings.filter((row) => (row.rating ?? null) !== null);
  const ratings = rows.map(({ player, rating, error }) => ({ player, rating, error: error ?? 0 }));
  known.seen = [...known.seen, { at: Date.now() + known.offset, pairs, ratings }].slice(-KEPT);
}

const newestPoint = () => known.seen.at(-1) ?? known.history.at(-1);

/* Ask for what is shown here, and go on being told. */
async function ask() {
  try {
    hear(await wire.request(name ? { type: "ladder_status", ladder: name, follow: true } : { type: "ladder_status" }));
    refused = null;
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    refused = refusal.message;
  }
  soon();
}

/* Fetch the ratings over time where they have changed, and not too often. */
async function refresh() {
  const pairs = known.ladder?.rated ?? 0;
  const now = performance.now();
  if (!known.ladder || pairs === askedPairs || now - askedAt < HISTORY_MS || wire.state !== "linked") return;
  [askedAt, askedPairs] = [now, pairs];
  try {
    known.history = (await wire.request({ type: "ladder_history", ladder: name })).points ?? [];
    const told = known.history.at(-1)?.pairs ?? 0;
    known.seen = known.seen.filter((point) => point.pairs > told);
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal; // what was seen is drawn, at least
  }
  soon();
}

/* ---- what is shown */

function soon() {
  if (rendering || document.hidden) return;
  rendering = true;
  later.port2.postMessage(null);
}

function render() {
  rendering = false;
  const main = document.getElementById("main");
  const view = viewed();
  if (main.firstElementChild !== view) main.replaceChildren(view);
  notices.show(app);
  if (view === board.node) board.show(known.ladder, [...known.history, ...known.seen]);
  if (view === list.node) list.show(known.ladders);
  nothing.textContent = refused ?? "";
  const title = view === replay.node ? replay.title : name || "Ladders";
  document.title = `${title} · Plyhouse`;
  show(document.getElementById("invitations"), false);
  refresh();
}

function viewed() {
  if (place().match) return replay.node;
  if (refused) return nothing;
  if (name) return known.ladder ? board.node : coming;
  return known.ladders ? list.node : coming;
}

/* ---- the match that is replayed, as the address says */

function place() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const ply = fields.get("ply");
  return { match: fields.get("match"), ply: ply === null ? null : Number(ply) || 0 };
}

async function go() {
  const { match, ply } = place();
  soon();
  if (match) await replay.open(match, ply);
  soon();
}

/* A bot's answer, or null where there is none: then its sentence is shown. */
async function analyse(match) {
  try {
    return await wire.request({ type: "analyse", match });
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    notices.tell(refusal.message);
    return null;
  }
}

function stepped(match, ply) {
  history.replaceState(null, "", `#match=${match}&ply=${ply}`);
}

function beat() {
  if (wire.state === "linked" && (wire.quietFor() > QUIET_MS || !name)) ask();
  soon();
}

addEventListener("hashchange", go);
addEventListener("online", () => wire.hurry());
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  wire.hurry();
  soon();
});
setInterval(beat, BEAT_MS);
wire.enter({});
go();
