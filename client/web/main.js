/* The composition root of the page: builds the parts, hands them to each other, and decides which
   view is shown.

       wire -> hear -> house -> (soon) render -> views        what comes
       views -> attempt -> seating / wire                      what is asked

   The address says where the person is: nothing = the lobby, #room=17 = a table, #code=RDW7HQ = a
   friend's table.  What a view looks like is in the view; what a message means is in house.js. */

import { Door } from "./door.js";
import { House, seatIn } from "./house.js";
import { Lobby } from "./lobby.js";
import { read, write } from "./memory.js";
import { Notices } from "./notices.js";
import { Seating } from "./seating.js";
import { Table } from "./table.js";
import { Top } from "./top.js";
import { Refusal, Wire } from "./wire.js";

const BEAT_MS = 2_000; // for what passes without a message: an invitation, a seat that is held
const QUIET_MS = 25_000; // after so long without a word it is time to ask: the server pings every 20 s
const TICK_MS = 100; // clocks show tenths below ten seconds

const scheme = location.protocol === "https:" ? "wss:" : "ws:";
const wire = new Wire(`${scheme}//${location.host}/ws`, hear, moved);
const house = new House();
const seating = new Seating(wire, house);
const notices = new Notices(document, { hurry: () => wire.hurry(), again: enter });
const app = { wire, house, seating, attempt, enter, signOut, go, tell: (text) => notices.tell(text) };
const views = { door: new Door(app), lobby: new Lobby(app), table: new Table(app) };
const top = new Top(document, app);

let place = {}; // {room, code} as the address says
let rendering = false;
const later = new MessageChannel();
later.port1.onmessage = render;

/* ---- what comes */

function hear(message) {
  house.feed(message);
  if (message.type === "welcome") welcomed(message);
  if (message.type === "error") notices.tell(message.text);
  if (message.type === "match" && house.gap(message.match)) attempt(() => seating.complete(message));
  soon();
}

function welcomed(welcome) {
  if (welcome.token) write("token", welcome.token);
  seating.arrived();
  attempt(() => arrive(new Set(welcome.rooms ?? [])));
}

/* The line has changed its state. */
function moved() {
  const code = wire.state === "closed" ? wire.trouble?.code : null;
  if (code === "session/bad-token") write("token", null);
  if (wire.state === "closed") house.name = null;
  soon();
}

/* ---- where the person is */

function go(room) {
  location.hash = room ? `room=${room}` : "";
}

function addressed() {
  const fields = new URLSearchParams(location.hash.slice(1));
  return { room: Number(fields.get("room")) || null, code: fields.get("code") };
}

/* Follow what the address names; `seated` are rooms whose messages come by themselves. */
async function arrive(seated = new Set()) {
  const before = place;
  place = addressed();
  if (wire.state !== "linked") return;
  if (before.room && before.room !== place.room) await attempt(() => unwatch(before.room));
  try {
    if (place.code && !place.room) return await arriveByCode(place.code);
    if (place.room && !seated.has(place.room) && !isHere(place.room)) await seating.watch(place);
  } catch (refusal) {
    if (wire.state === "linked") go(null);
    throw refusal;
  } finally {
    soon();
  }
}

async function arriveByCode(code) {
  try {
    location.replace(`#room=${await seating.join({ code })}`);
  } catch (refusal) {
    if (refusal.code !== "room/full") throw refusal;
    const room = await seating.watch({ code });
    location.replace(`#room=${room}&code=${encodeURIComponent(code)}`);
  }
}

/* Whether this connection is told about a room anyway. */
function isHere(room) {
  return seatIn(house.rooms.get(room)) !== null;
}

async function unwatch(room) {
  const known = house.rooms.get(room);
  if (known && seatIn(known) === null) await seating.leave(room);
}

/* ---- what is asked */

/* Do something for the person; whether it was done.  A refusal is shown as its sentence. */
async function attempt(deed) {
  try {
    await deed();
    return true;
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    notices.tell(refusal.message);
    return false;
  } finally {
    soon();
  }
}

function enter(hello) {
  const token = read("token");
  wire.enter(hello ?? (token ? { token } : {}));
}

/* Go on under another name. */
function signOut() {
  write("token", null);
  wire.leave();
  go(null);
  soon();
}

/* ---- what is shown */

/* Render once for all that has come; by a message to itself, for in a tab that is not looked at
   animation frames rest and timers are slow. */
function soon() {
  if (rendering) return;
  rendering = true;
  later.port2.postMessage(null);
}

function render() {
  rendering = false;
  const view = house.name === null ? views.door : place.room ? views.table : views.lobby;
  const main = document.getElementById("main");
  if (main.firstElementChild !== view.node) main.replaceChildren(view.node);
  view.show(place.room);
  top.show(place.room);
  notices.show(app);
  document.title = view.title ? `${view.title} · Plyhouse` : "Plyhouse";
  if (wire.state === "linked") need();
}

/* The lobby is followed where it is shown, and where somebody is to be invited. */
async function need() {
  const room = house.rooms.get(place.room);
  const wanted = !place.room || (room !== undefined && room.seats.includes(null));
  try {
    if (await seating.need(wanted, room)) soon();
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    notices.tell(refusal.message);
  }
}

function beat() {
  if (wire.state === "linked" && wire.quietFor() > QUIET_MS) attempt(() => seating.probe());
  soon();
}

/* Back from sleep, or from another network: see at once whether the line still stands. */
function wake() {
  wire.hurry();
  if (wire.state === "linked" && wire.quietFor() > BEAT_MS) attempt(() => seating.probe());
}

addEventListener("hashchange", () => attempt(arrive));
addEventListener("online", wake);
document.addEventListener("visibilitychange", () => document.hidden || wake());
setInterval(() => house.name !== null && place.room && views.table.tick(), TICK_MS);
setInterval(beat, BEAT_MS);
place = addressed();
if (read("token")) enter();
soon();
