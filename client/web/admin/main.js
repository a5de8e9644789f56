/* The composition root of the host's page, /admin: the token, the lists, the acts.

       AdminApi -> refresh -> lists        every few seconds, while somebody looks
       buttons -> confirmed -> AdminApi    each act is confirmed, and shown in the list of acts

   The token is kept for this tab alone. */

/** @import { Fields } from "./api.js" */
/** @import { Question } from "./question.js" */

import { byId, el, put, show } from "../page/dom.js";
import { texts } from "../texts/admin/words.js";
import { AdminApi, No } from "./api.js";
import { absentCard, ladderCard } from "./forms.js";
import { banList, diskList, ladderList, logList, nodeList, roomList, visitorList } from "./lists.js";
import { confirmed, TIMES, timeChoice } from "./question.js";

const TOKEN = /^[\w-]{43}/; // the file has the address behind it, without a line feed once it is pasted
const KEY = "plyhouse.admin"; // in the tab's own storage
const REFRESH_MS = 3_000;
const NOTICE_TIMES = /** @type {[string, string][]} */ ([["", texts.present], ...TIMES.slice(1).map(
  ([value, text]) => /** @type {[string, string]} */ ([value, texts.within(text)]))]);

/** @type {AdminApi | null} */
let api = null;
let refreshing = false;
let draining = false;

const state = byId("state");
const lists = {
  nodes: nodeList(act), who: visitorList(act), rooms: roomList(act), ladders: ladderList(act), bans: banList(act), disk: diskList(act),
  log: logList(),
};

const token = el("input", { type: "password", id: "token", autocomplete: "off", required: true });
const signIn = el("form", { class: "card sign-in", onsubmit: enter },
  el("h2", {}, texts.title), el("label", { for: "token" }, texts.token), token,
  el("div", { class: "row" }, el("button", { class: "primary" }, texts.enter)));

const text = el("input", { type: "text", id: "notice", maxlength: 500, autocomplete: "off", required: true });
const time = timeChoice(NOTICE_TIMES);
time.setAttribute("aria-label", texts.told);
const drain = el("button", { type: "button", class: "danger", onclick: () => askDrain() }, texts.drain.button);
const noticeForm = el("form", { class: "row notice-form", onsubmit: tell },
  el("div", { class: "grow" }, el("label", { for: "notice" }, texts.notice), text), time,
  el("button", { class: "primary" }, texts.send));
const desk = el("div", { class: "host" },
  el("section", { class: "card" }, el("h2", {}, texts.tellAll), noticeForm),
  lists.nodes.node, lists.who.node, absentCard(act), lists.rooms.node, lists.ladders.node, ladderCard(act), lists.bans.node, lists.disk.node, lists.log.node,
  el("section", { class: "card row" }, el("p", { class: "grow" },
    texts.drainAbout), drain));
lists.disk.node.append(el("p", { class: "quiet" }, `${texts.purge} `, el("code", {}, "plyhouse purge --help")));
const leave = el("button", { type: "button", class: "link", onclick: () => forget("") }, texts.forget);

/** @param {Event} event */
function enter(event) {
  event.preventDefault();
  open(TOKEN.exec(token.value.trim())?.[0] ?? token.value.trim());
}

/** @param {string} value */
function open(value) {
  api = new AdminApi(value);
  token.value = "";
  refresh();
}

/** Show what went well or wrong.
 *  @param {string} sentence */
function say(sentence, good = false) {
  put(state, sentence);
  state.className = good ? "good" : "trouble";
}

/** Go back to the form.
 *  @param {string} why */
function forget(why) {
  api = null;
  store(null);
  say(why);
  leave.remove();
  byId("main").replaceChildren(signIn);
}

/** @param {string | null} value */
function store(value) {
  try {
    if (value === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, value);
  } catch {
    // forbidden: then the token has to be typed again
  }
}

function stored() {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** Ask for all lists, and show them. */
async function refresh() {
  const asked = api;
  if (asked === null || refreshing) return;
  refreshing = true;
  try {
    const nodes = await asked.see("nodes"); // alone: a wrong token is one wrong try
    const [who, rooms, ladders, bans, disk, log] = await Promise.all([asked.see("who"), asked.see("rooms"),
      asked.see("ladders"), asked.see("bans"), asked.see("disk"), asked.see("log")]);
    if (api !== asked) return;
    lists.nodes.show(nodes.rows, nodes.total);
    show(lists.nodes.node, nodes.total > 1);
    lists.who.show(who.rows, who.total);
    lists.rooms.show(rooms.rows, rooms.total);
    lists.ladders.show(ladders.rows, ladders.total);
    lists.bans.show(bans.rows, bans.total);
    lists.disk.show(disk.rows, disk.total);
    lists.log.show(log.rows, log.total);
    showDrain(rooms.server === "draining");
    welcome(asked.token);
  } catch (error) {
    trouble(error);
  } finally {
    refreshing = false; // eslint-disable-line require-atomic-updates -- no other call sets it meanwhile
  }
}

/** @param {string} value */
function welcome(value) {
  if (desk.isConnected) return;
  store(value);
  say("");
  byId("me").replaceChildren(leave);
  byId("main").replaceChildren(desk);
}

/** @param {boolean} isDraining */
function showDrain(isDraining) {
  draining = isDraining;
  put(drain, (draining ? texts.stop : texts.drain).button);
}

/** @param {unknown} error */
function trouble(error) {
  if (!(error instanceof No)) throw error;
  if (error.code === "admin/wrong-token") forget(error.message);
  else say(error.message);
}

/** Do something, once it is confirmed.
 *  @param {string} verb
 *  @param {Fields} fields
 *  @param {Question | null} question */
async function act(verb, fields, question) {
  const more = question === null ? {} : await confirmed(question);
  if (more === null || api === null) return false;
  try {
    const done = await api.act(verb, { ...fields, ...more });
    say(texts.done(done), true);
    await refresh();
    return true;
  } catch (error) {
    trouble(error);
    return false;
  }
}

/** @param {Event} event */
async function tell(event) {
  event.preventDefault();
  if (await act("notice", { text: text.value, for: time.value }, null)) noticeForm.reset();
}

function askDrain() {
  return act("drain", {}, draining ? texts.stop : texts.drain);
}

for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-word]"))) {
  put(node, texts.page[/** @type {keyof typeof texts.page} */ (node.dataset.word)]);
}
byId("tables").ariaLabel = texts.pages;
setInterval(() => document.hidden || refresh(), REFRESH_MS);
const known = stored();
if (known) open(known);
else forget("");
