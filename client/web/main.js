/* The composition root of the page: builds the parts, hands them to each other, and decides which
   view is shown.

       connection -> receive -> replica -> (soon) render -> views     what comes
       views -> attempt -> seating / connection                       what is asked

   The address says where the person is: nothing = the lobby, #room=17 = a table, #code=RDW7HQ = a
   friend's invitation, #table=17 = one to an open table, #link=... = a name that comes to one device more.  What a view looks like is
   in the view; what a message means is in replica.js. */

/** @import { AnyPush, Declined, Welcome } from "./library/messages.js" */
/** @import { HelloFields } from "./library/connection.js" */
/** @import { App } from "./page/app.js" */
/** @import { InvitedView } from "./lobby/invited.js" */
/** @import { LobbyView } from "./lobby/lobby.js" */
/** @import { Invitations } from "./page/invitations.js" */
/** @import { SharedSettings } from "./settings/shared_settings.js" */
/** @import { SettingsSheet } from "./settings/settings_sheet.js" */
/** @import { TableView } from "./table/table.js" */

import { Connection, fetched, Refusal, socketUrl } from "./library/connection.js";
import { noteMatches } from "./library/awaited.js";
import { keepName } from "./library/names.js";
import { Ratings } from "./library/ratings.js";
import { Replica, seatIn } from "./library/replica.js";
import { onChoice } from "./library/settings.js";
import { hasCode, Seating } from "./library/seating.js";
import { read, write } from "./library/storage.js";
import { isolated, matchPath, spoken } from "./library/words.js";
import { Invitation, OPEN_TABLE } from "./lobby/invitation.js";
import { SignInView } from "./lobby/sign_in.js";
import { Announcer } from "./page/announcer.js";
import { batched, byId, el, put, set, show } from "./page/dom.js";
import { Header } from "./page/header.js";
import { icon } from "./page/icons.js";
import { Notices } from "./page/notices.js";
import { keepFromSecondPress } from "./page/second_press.js";
import { words } from "./texts/words.js";

const BEAT_MS = 2_000; // for what passes without a message: an invitation, a seat that is held
const QUIET_MS = 25_000; // after so long without a message it is time to ask: the server pings every 20 s
const WORTHLESS = ["session/bad-token", "session/moved", "session/released"]; // then the stored token is
const SLEPT_MS = 1_000; // by which the wall clock goes ahead of the page's: nothing else takes so long
const WATCH_MS = 500; // how often it is looked whether the line is dead, while one's own clock runs,
const SILENT_MS = 1_000; // and after how long without a message it is asked
const TICK_MS = 100; // clocks show tenths below ten seconds

const renderSoon = batched(render);
const connection = new Connection(socketUrl(), receive, stateChanged, () => replica.timedMatch() !== null);
const replica = new Replica();
const seating = new Seating(connection, replica);
const ratings = new Ratings(connection, renderSoon);
const notices = new Notices({ hurry: () => connection.hurry(), again: () => enter() });
const announcer = new Announcer();
/** @type {SettingsSheet | null} */
let settingsSheet = null; // comes when it is opened
const main = byId("main");
const where = el("p", { id: "where" }); // the title of the view, where the header has room for no more
const { changed: viewChanged } = keepFromSecondPress(main);
document.body.append(announcer.node);
byId("tables").before(where);
const big = gear("projector", words.table.big, () => toggleBig(!("big" in document.body.dataset)));
const rules = gear("rules", words.boards.rules.open, () => attempt(openRules));
byId("me").after(big, rules, gear("settings", words.settings.title, () => attempt(openSettings)));
main.tabIndex = -1;
byId("tables").ariaLabel = words.share.tables;
for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-word]"))) {
  put(node, words.ways[/** @type {keyof typeof words.ways} */ (node.dataset.word)]);
}

/** A button of the header.
 *  @param {string} name
 *  @param {string} title
 *  @param {() => unknown} open */
function gear(name, title, open) {
  return el("button", { type: "button", class: `gear ${name}`, "data-do": name, "aria-label": title, title, onclick: open }, icon(name));
}

/** The table as large as it can be, for a projector, with nothing of the chat.  Leaving the full screen ends it.
 *  @param {boolean} isOn */
function toggleBig(isOn) {
  document.body.toggleAttribute("data-big", isOn);
  set(big, "aria-pressed", String(isOn));
  if (isOn) document.documentElement.requestFullscreen?.().catch(() => {}); // where it may not be, it is big all the same
  else if (document.fullscreenElement) document.exitFullscreen();
  dispatchEvent(new Event("resize"));
}

/** The game of the table where the person is, or null. */
function gameHere() {
  return replica.name === null || place.room === null ? null : replica.rooms.get(place.room)?.game ?? null;
}

let wantsBot = false; // as soon as the lobby knows one

/** @type {App} */
const app = {
  connection, replica, seating, ratings, announcer, attempt, enter, signOut, go,
  notify: (text) => notices.notify(text),
  playBot: () => { wantsBot = true; },
};
const invitation = new Invitation(app, renderSoon);
const signIn = new SignInView(app, invitation);
// What comes after the door, which is there sooner without it.
/** @type {LobbyView | null} */
let lobby = null;
/** @type {InvitedView | null} */
let invited = null;
/** @type {Invitations | null} */
let invitations = null;
/** @type {TableView | null} */
let table = null;
const header = new Header(app);

let place = address(); // where the person is
let ahead = Date.now() - performance.now(); // of the page's clock, and more so after a sleep
/** @type {string | null} */
let token = null; // what this tab came in with

/** @param {AnyPush} message */
function receive(message) {
  const before = message.type === "room" ? replica.rooms.get(message.room) : undefined;
  replica.receive(message);
  if (message.type === "room") goToOwnTable();
  if (before && message.type === "room") arrived = table?.events.arrival(before, message) || arrived;
  if (message.type === "welcome") welcomed(message);
  if (message.type === "error") notices.notify(message.text);
  notices.hear(message);
  if (message.type === "declined") tellDeclined(message);
  if (message.type === "analysis_waits") table?.review.wait(message);
  if (message.type === "hint_waits") table?.statusArea.waitForHint(message);
  if (message.type === "match" && replica.lacksActions(message.match)) attempt(() => seating.fetchActions(message));
  renderSoon();
}

let arrived = ""; // who has sat down at a table of this person's while the page was out of sight

/** One's own link leads to one's own table. */
function goToOwnTable() {
  const own = place.room === null && place.code !== null ? replica.seatedRooms().find(({ code }) => code === place.code) : undefined;
  if (own) location.replace(`#room=${own.room}`);
}

/** @param {Declined} declined */
function tellDeclined({ room, by, why = "no", text = "" }) {
  seating.declined(room);
  notices.notify(words.connection.declined({ name: isolated(by), why, text: spoken(by, text) }));
}

/** @param {Welcome} welcome */
function welcomed(welcome) {
  if (welcome.token) {
    token = welcome.token;
    write("token", token);
  }
  if (token) keepName(welcome.name, token);
  seating.connected();
  if (!welcome.token || place.link || read("settings")) attempt(shareSettings); // else there is nothing to share yet
  attempt(() => followAddress(new Set(welcome.rooms ?? [])));
}

/** @type {SharedSettings | null} */
let sharedSettings = null;

/** What was chosen goes along with a name. */
async function shareSettings() {
  const { SharedSettings: Shared } = await fetched(import("./settings/shared_settings.js"));
  sharedSettings ??= new Shared(connection);
  await sharedSettings.bring();
}

function stateChanged() {
  const { state, trouble } = connection;
  if (state === "closed" && WORTHLESS.some((code) => hasCode(trouble, code)) && read("token") === token) {
    write("token", null); // another tab may have stored a newer one
  }
  if (state === "closed") replica.name = null;
  renderSoon();
}

/** @param {number | null} room */
function go(room) {
  location.hash = room ? `room=${room}` : "";
}

function address() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const open = fields.get("table"); // an open one, whose link needs no code
  return { room: Number(fields.get("room")) || null, code: open ? `${OPEN_TABLE}${open}` : fields.get("code"), link: fields.get("link") };
}

/** Go where the address says; `seated` are rooms whose messages come by themselves.
 *  @param {Set<number>} seated */
async function followAddress(seated = new Set()) {
  const before = place;
  const here = place = address();
  attempt(() => invitation.look(place.room ? null : place.code));
  if (connection.state !== "linked") return renderSoon();
  if (here.link) return go(null); // it has been used
  const { room, code } = here;
  const left = before.room;
  if (left && left !== room) await attempt(() => seating.leaveUnplayed(left));
  if (left && left !== room) await attempt(() => stopWatching(left));
  try {
    if (code && !room) await followInvitation();
    else if (room && !seated.has(room) && !isSeated(room)) await seating.watch({ room, code }, () => place === here);
  } catch (refusal) {
    const last = room && hasCode(refusal, "room/closed") ? await seating.lastMatchIn(room).catch(() => null) : null;
    if (connection.state !== "linked" || place !== here) throw refusal;
    if (last) return location.replace(matchPath(last.match, last.code)); // how it ended is told there
    go(null);
    throw refusal;
  } finally {
    renderSoon();
  }
}

/** Do what was decided while signing in; who has a name already is asked. */
async function followInvitation() {
  goToOwnTable();
  const { wish } = invitation;
  invitation.wish = null;
  if (wish && invitation.isGone) go(null);
  else if (wish) await invitation[wish]();
}

/** Whether this session sits in a room, so that its messages come anyway.
 *  @param {number} room */
const isSeated = (room) => seatIn(replica.rooms.get(room)) !== null;

/** @param {number} room */
async function stopWatching(room) {
  if (replica.rooms.has(room) && !isSeated(room)) await seating.leave(room);
}

/** Do something for the person; whether it was done.  A refusal is shown as its sentence.
 *  @param {() => unknown} work */
async function attempt(work) {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    notices.notify(error.message);
    return false;
  } finally {
    renderSoon();
  }
}

/** @param {HelloFields} [hello] */
function enter(hello) {
  token = read("token");
  connection.enter(hello ?? (token ? { token } : {}));
}

/** Leave this name for another.  It stays in this browser, where the door offers it again. */
function signOut() {
  write("token", null);
  connection.leave();
  go(null);
  renderSoon();
}

let shown = ""; // which view: its place, so that two tables are two views

/** The view of where the person is; null: it is still on its way. */
function viewHere() {
  if (replica.name === null) return signIn;
  if (place.room !== null) return table;
  return place.code !== null ? invited : lobby;
}

function render() {
  const { room } = place;
  noteMatches(replica, document.hidden ? null : room);
  notices.showConnection(connection);
  invitations?.show();
  const view = viewHere();
  if (!view) return; // it renders when it is here
  const focused = document.activeElement;
  const now = view === table ? `table ${room}` : view === lobby ? "lobby" : view === invited ? "invited" : "door";
  if (main.firstElementChild !== view.node) main.replaceChildren(view.node);
  document.body.dataset.view = now.split(" ")[0];
  if ("tick" in view) view.show(room ?? 0);
  else view.show();
  header.show(room);
  if (!document.hidden) arrived = "";
  document.title = [arrived, view.title, "Plyhouse"].filter(Boolean).join(" · ");
  const game = gameHere();
  put(where, game === null ? "" : view === table && table.terms ? table.terms : replica.catalog.title(game));
  show(rules, game !== null);
  if (now !== shown) enterView(view, shown === "");
  else if (focused !== document.activeElement && document.activeElement === document.body) focusOn(view);
  shown = now;
  if (wantsBot && view === lobby && lobby?.playBot()) wantsBot = false;
  if (connection.state === "linked") fetchMissing();
}

/** A person who comes to a view sees its top, has the focus in it, and presses nothing in it by the second
 *  half of a double click.
 *  @param {SignInView | InvitedView | LobbyView | TableView} view
 *  @param {boolean} isFirst */
function enterView(view, isFirst) {
  viewChanged();
  if (isFirst) return; // the page has just come: it is at its top, and the browser keeps the focus
  scrollTo(0, 0);
  focusOn(view);
}

/** @param {SignInView | InvitedView | LobbyView | TableView} view */
function focusOn(view) {
  if ("focus" in view) view.focus();
  else (/** @type {HTMLElement | null} */ (main.querySelector("[autofocus]:not([hidden] *)")) ?? main).focus({ preventScroll: true });
  if (!main.contains(document.activeElement)) main.focus({ preventScroll: true });
}

/** Follow the lobby where it is shown, and where somebody can be invited. */
async function fetchMissing() {
  const room = place.room === null ? undefined : replica.rooms.get(place.room);
  const wantsLobby = place.room === null || (room?.seats.includes(null) ?? false);
  try {
    if (await seating.need(wantsLobby, room)) renderSoon();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    notices.notify(error.message);
  }
}

/** Fetch what comes after the door.  Where it cannot be had, that is said until somebody has read it. */
async function fetchViews() {
  try {
    await Promise.all([fetchLobby(), fetchTable()]);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    notices.keep(error.message);
  }
}

async function fetchLobby() {
  const [{ LobbyView: Lobby }, { InvitedView: Invited }, { Invitations: Open }] = await fetched(Promise.all([
    import("./lobby/lobby.js"), import("./lobby/invited.js"), import("./page/invitations.js")]));
  [lobby, invited, invitations] = [new Lobby(app), new Invited(app, invitation), new Open(app)];
  renderSoon();
}

async function fetchTable() {
  const { TableView: View } = await fetched(import("./table/table.js"));
  table = new View(app);
  renderSoon();
}

async function openRules() {
  const rulesSheet = await fetched(import("./rules/rules.js"));
  await rulesSheet.openRules(gameHere() ?? "");
}

async function openSettings() {
  const { SettingsSheet: Sheet } = await fetched(import("./settings/settings_sheet.js"));
  settingsSheet ??= new Sheet();
  settingsSheet.open();
}

/** After a sleep, in which the page's clock stood still, see what is left of the match's. */
function lookAgain() {
  const before = ahead;
  ahead = Date.now() - performance.now();
  const { room, code } = place;
  if (ahead - before < SLEPT_MS || connection.state !== "linked" || room === null) return;
  if (replica.rooms.get(room)?.state === "playing") attempt(() => seating.watch({ room, code }, () => place.room === room));
}

function beat() {
  lookAgain();
  if (connection.state === "linked") {
    if (connection.quietFor() > QUIET_MS) attempt(() => seating.probe());
    attempt(() => seating.seekOn((from, to) => place.room === from && go(to)));
  }
  renderSoon();
}

/** While one's own clock runs, see in time that the line is dead: the server does not speak by itself, and a page hears no pings. */
function watchLine() {
  const match = connection.state === "linked" ? replica.timedMatch() : null;
  if (match?.legal && connection.quietFor() > SILENT_MS) connection.probe({ type: "draw", match: match.match }).catch(() => {}); // lost: it is shown
}

/** Back from sleep, or from another network: see at once whether the connection is still there. */
function wake() {
  connection.hurry();
  lookAgain();
  if (connection.state === "linked" && connection.quietFor() > BEAT_MS) attempt(() => seating.probe());
}

document.addEventListener("fullscreenchange", () => document.fullscreenElement || toggleBig(false));
addEventListener("hashchange", () => attempt(() => followAddress()));
addEventListener("online", wake);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) wake();
  renderSoon();
});
onChoice(renderSoon);
onChoice(() => read("unsent", false) && connection.state === "linked" && attempt(shareSettings));
setInterval(() => replica.name !== null && place.room && table?.tick(), TICK_MS);
setInterval(beat, BEAT_MS);
setInterval(watchLine, WATCH_MS);
attempt(() => invitation.look(place.room ? null : place.code));
if (read("token") && !place.link) enter();
renderSoon();
fetchViews();
