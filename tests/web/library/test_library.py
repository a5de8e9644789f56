"""The page's modules without a DOM: what it knows, and in which words it says so."""

from __future__ import annotations

from typing import Any

import pytest

from tests.web.conftest import Evaluate

pytestmark = pytest.mark.browser

FIXTURE = """
const { Replica, isFree } = await import("/library/replica.js");
let now = 1000;
const replica = new Replica(() => now);
const play = (ply, seq = 10 + ply, more = {}) =>
  ({ kind: "play", match: "1.1", ply, seq, seat: ply % 2, action: String(ply), ...more });
const match = (ply, events, more = {}) => ({
  type: "match", match: "1.1", room: 1, seq: 9 + ply, turn: 9 + ply, ply, events, position: "",
  seats: [{ name: "ann" }, { name: "bob" }], to_move: ply % 2, ...more });
const feed = (...all) => all.forEach((message) => replica.receive(message));
const range = (from, to) => Array.from({ length: to - from }, (_, index) => from + index);
const plays = (from, to) => range(from, to).map((ply) => play(ply));
const seqs = () => replica.actions("1.1").map((event) => event?.seq ?? null);
"""

# What is done, in JavaScript, and what comes of it.
KNOWN: dict[str, tuple[str, Any]] = {
    "actions grow beyond what one message holds": (
     """feed(match(8, plays(0, 8)), match(10, plays(2, 10)), match(12, plays(4, 12)));
      return [seqs(), replica.lacksActions("1.1")];""",
     [list(range(10, 22)), False]),
    "a gap is known and filled from history": (
     """feed(match(20, plays(12, 20)));
      const before = replica.lacksActions("1.1");
      replica.addHistory("1.1", plays(0, 19));
      return [before, replica.lacksActions("1.1"), seqs()];""",
     [True, False, list(range(10, 30))]),
    "messages that were skipped leave a gap": (
     """feed(match(8, plays(0, 8)), match(30, plays(22, 30)));
      return replica.lacksActions("1.1");""",
     True),
    "a takeback shortens a match and the next play replaces": (
     """feed(match(6, plays(0, 6)));
      feed(match(4, plays(0, 4), {seq: 17}));
      const short = seqs();
      feed(match(5, [...plays(0, 4), play(4, 18)], {seq: 18}));
      return [short, seqs()];""",
     [[10, 11, 12, 13], [10, 11, 12, 13, 18]]),
    "history with a takeback in it is replayed": (
     """const back = {kind: "takeback", match: "1.1", ply: 2, seq: 30, seat: 0};
      feed(match(12, range(4, 12).map((ply) => play(ply, 40 + ply)), {seq: 60}));
      replica.addHistory("1.1", [...plays(0, 12), back, play(2, 31), play(3, 32)]);
      return seqs().slice(0, 5);""",
     [10, 11, 31, 32, 44]),
    "a room goes back over a welcome alone, as its server may have lost the last moments": (
     """const welcome = {type: "welcome", server: "s", name: "ann", rooms: [1]};
      const room = {type: "room", room: 1, seat: 0};
      feed(welcome, {...room, seq: 9, match: "1.1"}, match(3, plays(0, 3)), {...room, seq: 8});
      const before = [replica.rooms.get(1).seq, seqs()];
      feed(welcome, {...room, seq: 10}, match(1, plays(0, 1)), match(0, []));
      return [before, replica.rooms.get(1).seq, seqs()];""",
     [[9, [10, 11, 12]], 10, [10]]),
    "rooms that are closed and invitations that have run out are forgotten in time": (
     """for (const room of range(1, 101)) {
        feed({type: "room", room, seq: 1}, {type: "said", room, seq: 2, name: "ann", text: "hm"});
        feed({type: "room", room, seq: 3, state: "closed"}, {type: "invited", room: 1000 + room});
        now += 10_000;
      }
      const { rooms, chat, invitations } = replica;
      return [rooms.size, chat.size, rooms.has(100), invitations.size];""",
     [16, 16, True, 12]),
    "what is older overwrites nothing": (
     """feed({type: "room", room: 1, seq: 14, match: "1.1"}, match(5, plays(0, 5)));
      feed({type: "room", room: 1, seq: 3, match: null}, match(2, plays(0, 2)));
      return [replica.current(1).ply, seqs().length];""",
     [5, 5]),
    "positions are known as far as they were heard": (
     """feed(match(0, [], {position: "start"}), match(1, plays(0, 1), {position: "one"}));
      feed(match(3, plays(0, 3), {position: "three", seq: 20}));
      const before = replica.moments("1.1").map((moment) => moment.position);
      feed(match(1, plays(0, 1), {position: "one", seq: 21}));
      const again = [...plays(0, 1), play(1, 30)];
      feed(match(2, again, {position: "other", seq: 31}));
      const brief = ({position, event}) => [position, event?.seq ?? 0];
      return [before, replica.moments("1.1").map(brief)];""",
     [["start", "one", None, "three"], [["start", 0], ["one", 10], ["other", 30]]]),
    "time passes on the running clock only": (
     """const clocks = {remaining: [5000, 4000], running: 0};
      feed(match(2, plays(0, 2), {clocks}));
      now += 1500;
      const left = [0, 1].map((seat) => replica.timeLeft("1.1", seat));
      feed(match(2, plays(0, 2), {clocks: {...clocks, paused: "store"}}));
      now += 1500;
      return [left, [0, 1].map((seat) => replica.timeLeft("1.1", seat))];""",
     [[3500, 4000], [5000, 4000]]),
    "a match is free to call off until both have moved": (
     """const pass = {kind: "pass", ply: 1, seq: 11, seat: 1, action: "pass"};
      const roll = {kind: "roll", ply: 1, seq: 12, seat: -1, action: "33"};
      const both = (each) => [isFree(each, true), isFree(each, false)];
      const games = [[], plays(0, 1), [play(0), pass], plays(0, 2), [roll], [roll, play(0)]];
      return games.map(both);""",
     [[True, True], [True, True], [True, True], [False, False], [True, True], [False, True]]),
    "another database is another server": (
     """feed({type: "welcome", server: "a", name: "ann"});
      feed({type: "room", room: 1, seq: 2, seat: 0});
      feed({type: "welcome", server: "a", name: "ann", rooms: [1]});
      const same = replica.rooms.size;
      feed({type: "welcome", server: "b", name: "ann", rooms: [1]});
      return [same, replica.rooms.size];""",
     [1, 0]),
    "chat is in order and each message once": (
     """const said = (seq) => ({type: "said", room: 1, seq, name: "ann", text: String(seq)});
      feed(said(5), said(7), said(7));
      replica.addOldChat(1, [3, 5].map((seq) =>
        ({kind: "said", seq, player: {name: "greta", program: "shrug"}, text: "old"})));
      return replica.chat.get(1).map(({seq, name}) => `${seq} ${name}`);""",
     ["3 greta/shrug", "5 ann", "7 ann"]),
    "times and scores in words": (
     """const { formatTime, formatScore, formatClock } = await import("/library/words.js");
      const clocks = [null, {base_ms: 180000, increment_ms: 2000}, {per_move_ms: 2500},
        {base_ms: 90000}, {per_move_days: 3}];
      return [[9999, 10000, 61000, 3723000, 0, 187200000].map(formatTime),
        [0, 0.5, 1, 2.5].map(formatScore), clocks.map(formatClock)];""",
     [["9.9", "0:10", "1:01", "1:02:03", "0.0", "2 d 4 h"], ["0", "½", "1", "2½"],
      ["no clock", "3 min + 2 s", "2.5 s a move", "90 s", "3 days a move"]]),
    "a roll stands before its turn in the list of moves": (
     """const roll = (ply, action) => ({kind: "roll", ply, seat: -1, action});
      const turn = (ply, seat, action) => ({kind: "play", ply, seat, action});
      const all = [roll(0, "13"), turn(1, 1, "8/5 6/5"), roll(2, "66"),
        turn(3, 0, "24/18"), roll(4, "21"), turn(5, 1, "pass"), roll(6, "54")];
      const { moveRows } = await import("/table/record/move_rows.js");
      return moveRows(all).map(({cells}) => cells);""",
     [["", "31: 8/5 6/5"], ["66: 24/18", "21: pass"]]),
    "an opening that a ladder has set is in brackets": (
     """const event = (kind, ply, action) => ({kind, ply, seat: ply % 2, action});
      const set = [event("opening", 0, "4"), event("opening", 1, "3")];
      const all = [...set, event("play", 2, "4")];
      const { moveRows } = await import("/table/record/move_rows.js");
      return moveRows(all).map(({cells}) => cells);""",
     [["(4)", "(3)"], ["4", ""]]),
    "the lobby is put together from its changes": (
     """const line = (room, state) => ({room, game: "x", state, seats: [null, null], options: {}});
      const bot = (name, program, free) => ({name, program, games: [], levels: 0, free});
      feed({type: "lobby", seq: 4, total: 2, rooms: [line(8, "a"), line(2, "a")],
        bots: [bot("house", "mcts", 2), bot("ann", "x", 1)],
        people: [{name: "bob"}, {name: "eve"}]});
      feed({type: "lobby_changed", seq: 4, total: 9, rooms_gone: [8, 2]});  // of an older list
      feed({type: "lobby_changed", seq: 5, total: 3, rooms: [line(2, "b"), line(9, "c")],
        bots: [bot("house", "new", 3)], people: [{name: "bob", playing: true}, {name: "Cat"}],
        bots_gone: ["ann/x"]});
      feed({type: "lobby_changed", seq: 6, total: 2, rooms_gone: [8], people_gone: ["eve"]});
      const { rooms, bots, people, total, seq } = replica.lobby;
      return [rooms.map(({room, state}) => room + state), bots.map(({program}) => program),
        people.map(({name}) => name), total, seq];""",
     [["9c", "2b"], ["mcts", "new"], ["Cat", "bob"], 2, 6]),
    "games are called what the welcome says": (
     """const entry = {game: "reversi", title: "Othello", start: "8/8 x", seats: ["B", "W"]};
      replica.receive({type: "welcome", server: "s", name: "ann", catalog: [entry]});
      const about = (game) => [replica.catalog.title(game), replica.catalog.start(game)];
      return ["reversi", "four_in_a_row"].map(about);""",
     [["Othello", "8/8 x"], ["Four in a row", None]]),
}  # fmt: skip


@pytest.mark.parametrize("story", KNOWN)
def test_what_the_page_knows_and_how_it_puts_it(evaluate: Evaluate, story: str) -> None:
    body, known = KNOWN[story]
    assert evaluate(f"async () => {{ {FIXTURE} {body} }}") == known


RESULTS = {  # by winner, how, reason, points for the first seat, and whose page it is
    (0, "rules", "line", 1, 0): "You won: a full line.",
    (0, "rules", "gammon", 2, None): "ann won 2 points: gammon.",
    (1, "resign", "resign", -1, 0): "You resigned: bob won.",
    (1, "flag", "flag", -1, 1): "You won: ann ran out of time.",
    (0, "abandon", "abandon", 1, None): "ann won: bob was away for too long.",
    (0, "illegal", "illegal", 1, None): "ann won: bob played an illegal action.",
    (0, "crash", "crash", 1, None): "ann won: bob crashed.",
    (0, "disconnect", "disconnect", 1, None): "ann won: bob was away for too long.",
    (1, "resign", "resign", -3, 0): "You resigned: bob won 3 points.",
    (0, "resign", "resign", 3, 0): "You won 3 points: bob resigned.",
    (0, "rules", "line", 1, 1): "You lost: a full line for ann.",
    (1, "flag", "flag", -1, 0): "You lost: your time ran out.",
    (None, "rules", "full", 0, 1): "A draw: the board is full.",
    (None, "agreement", "", 0, 1): "A draw, by agreement.",
    (None, "abort", "abort", 0, 1): "The match was called off: nobody won.",
    (None, "void", "plies", 0, 1): "The match is void: plies.",
    (None, "void", "not begun in time", 0, 1): "The match is void: no first move came in time.",
}
SENTENCES = """async (all) => {
  const { resultText } = await import("/library/result.js");
  return all.map(([winner, how, reason, points, me]) => resultText(
    { winner, how, reason, returns: [points, -points] }, [{name: "ann"}, {name: "bob"}], me));
}"""


def test_a_result_is_a_sentence(evaluate: Evaluate) -> None:
    assert evaluate(SENTENCES, list(RESULTS)) == list(RESULTS.values())


def test_an_offer_of_a_newer_server_is_not_taken_for_another(evaluate: Evaluate) -> None:
    body = """async (offers) => {
      const { offerText } = await import("/table/status.js");
      const seats = [{name: "ann"}, {name: "bob"}];
      return offers.map(([kind, seat]) => offerText({ kind, seat }, { seats }, 0));
    }"""
    assert evaluate(body, [["draw", 0], ["takeback", 1], ["double", 1]]) == [
        "You offer a draw.",
        "bob asks to take back the last move.",
        "bob offers \u201cdouble\u201d, which this page does not know.",
    ]


SEATING = """
const { Refusal } = await import("/library/connection.js");
const { Seating } = await import("/library/seating.js");
let asked = 0;
const request = async ({ type }) => {
  if (++asked <= refusals.length) throw new Refusal({ code: refusals[asked - 1], text: "no" });
  return { type, room: 7 };
};
const seating = new Seating({ request }, { receive() {}, rooms: new Map() });
const outcome = await (doIt(seating)).catch((refusal) => refusal.code);
return [outcome, asked];
"""


@pytest.mark.parametrize(
    ("refusals", "deed", "outcome"),
    [
        (["room/moving", "server/unanswered", "room/busy"], "watch({room: 7})", [7, 4]),
        (["room/moving"], "watch({room: 7}, () => false)", ["room/moving", 1]),
        (["room/closed"], "watch({room: 7})", ["room/closed", 1]),
        (["room/moving", "server/unanswered"], "ready(7)", ["server/unanswered", 2]),
    ],
)
def test_what_may_be_granted_later_is_asked_for_again(
    evaluate: Evaluate, refusals: list[str], deed: str, outcome: list[object]
) -> None:
    script = f"const refusals = {refusals}, doIt = (seating) => seating.{deed};{SEATING}"
    assert evaluate(f"async () => {{ {script} }}") == outcome


LOBBY = """
const { Refusal } = await import("/library/connection.js");
const { Seating } = await import("/library/seating.js");
const asked = [];
const request = async ({ type }) => {
  asked.push(type);
  const isFirst = asked.filter((other) => other === type).length === 1;
  if (isFirst) throw new Refusal({ code: "lobby/no-room", text: "no" });
  return { type, events: [] };
};
const rooms = new Map();
const seating = new Seating({ request }, { receive() {}, addOldChat() {}, rooms });
const need = () => seating.need(true, { room: 7, seq: 1 }).catch(() => "refused");
return [await need(), await need(), await need(), await need(), await need(), asked];
"""


def test_a_lobby_or_a_chat_that_was_refused_is_asked_for_again(evaluate: Evaluate) -> None:
    *outcomes, asked = evaluate(f"async () => {{ {LOBBY} }}")
    assert outcomes == ["refused", "refused", "refused", True, False]
    assert asked == [
        "lobby",
        "lobby",
        "ladder_status",
        "lobby",
        "ladder_status",
        "history",
        "history",
    ]


FAR = """
const { Seating } = await import("/library/seating.js");
const asked = [], seq = 1_000_000;
const request = async ({ since }) => {
  asked.push(seq - since);
  return { events: since < seq - 1000 ? [{ match: "7.9", kind: "started" }] : [] };
};
const seating = new Seating({ request }, { receive() {}, addHistory() {}, rooms: new Map() });
await seating.fetchActions({ match: "7.9", room: 7, seq, ply: 20 });
return asked;
"""


def test_of_a_long_room_no_more_is_read_than_a_few_times_what_a_match_takes(
    evaluate: Evaluate,
) -> None:
    assert evaluate(f"async () => {{ {FAR} }}") == [120, 480, 1_920]


WAITING = """
const { Connection } = await import("/library/connection.js");
const before = window.WebSocket;
const times = [];
window.WebSocket = class {
  constructor() { setTimeout(() => this.onopen(), 0); }
  close() {}
  send(text) {
    const { type, id } = JSON.parse(text);
    if (type !== "hello") times.push(type);
    const wait = waits[times.length - 1];
    const no = { type: "error", re: id, code: "session/flood", text: "later", retry_ms: wait };
    const yes = { type: type === "hello" ? "welcome" : "ok", re: id };
    const reply = type === "hello" || wait === undefined ? yes : no;
    setTimeout(() => this.onmessage({ data: JSON.stringify(reply) }), 0);
  }
};
try {
  const linked = Promise.withResolvers();
  const link = () => connection.state === "linked" && linked.resolve();
  const connection = new Connection("ws://nowhere", () => {}, link);
  connection.enter({});
  await linked.promise;
  const asking = connection.request({ type: "leave", room: 7 });
  const outcome = await asking.then((reply) => reply.type, (no) => no.code);
  connection.leave();
  return [outcome, times.length];
} finally {
  window.WebSocket = before;
}
"""


@pytest.mark.parametrize(
    ("waits", "outcome"), [([1, 1], ["ok", 3]), ([1, 60_000], ["session/flood", 2])]
)
def test_what_the_server_puts_off_is_asked_again_when_it_says(
    evaluate: Evaluate, waits: list[int], outcome: list[object]
) -> None:
    assert evaluate(f"async () => {{ const waits = {waits}; {WAITING} }}") == outcome
