"""The page's own modules without a DOM: what it knows, and in which words it says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.web.house import House

pytestmark = pytest.mark.browser

Run = Callable[[str], Any]

FIXTURE = """
const { House, isFree } = await import("/house.js");
const wording = await import("/wording.js");
let now = 1000;
const house = new House(() => now);
const play = (ply, seq = 10 + ply, more = {}) =>
  ({ kind: "play", match: "1.1", ply, seq, seat: ply % 2, action: String(ply), ...more });
const match = (ply, events, more = {}) => ({
  type: "match", match: "1.1", room: 1, seq: 9 + ply, turn: 9 + ply, ply, events, position: "",
  seats: [{ name: "ann" }, { name: "bob" }], to_move: ply % 2, ...more });
const feed = (...all) => all.forEach((message) => house.feed(message));
const range = (from, to) => Array.from({ length: to - from }, (_, index) => from + index);
const plays = (from, to) => range(from, to).map((ply) => play(ply));
const line = () => house.line("1.1").map((event) => event?.seq ?? null);
"""


@pytest.fixture(scope="module")
def page(browser: Browser, house: House) -> Iterator[Page]:
    """One page for all: each test imports what it needs, and keeps nothing."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(house.url)
        yield page


@pytest.fixture
def run(page: Page) -> Run:
    """Run a function's body in the page, with `house` and what makes messages at hand."""
    return lambda body: page.evaluate(f"async () => {{ {FIXTURE} {body} }}")


def test_a_line_grows_beyond_what_one_message_holds(run: Run) -> None:
    body = """feed(match(8, plays(0, 8)), match(10, plays(2, 10)), match(12, plays(4, 12)));
              return [line(), house.gap("1.1")];"""
    assert run(body) == [list(range(10, 22)), False]


def test_a_gap_is_known_and_filled_from_history(run: Run) -> None:
    body = """feed(match(20, plays(12, 20)));
              const before = house.gap("1.1");
              house.fill("1.1", plays(0, 19));
              return [before, house.gap("1.1"), line()];"""
    assert run(body) == [True, False, list(range(10, 30))]


def test_messages_that_were_skipped_leave_a_gap(run: Run) -> None:
    body = """feed(match(8, plays(0, 8)), match(30, plays(22, 30)));
              return house.gap("1.1");"""
    assert run(body) is True


def test_a_takeback_shortens_the_line_and_the_next_play_replaces(run: Run) -> None:
    body = """feed(match(6, plays(0, 6)));
              feed(match(4, plays(0, 4), {seq: 17}));
              const short = line();
              feed(match(5, [...plays(0, 4), play(4, 18)], {seq: 18}));
              return [short, line()];"""
    assert run(body) == [[10, 11, 12, 13], [10, 11, 12, 13, 18]]


def test_history_with_a_takeback_in_it_is_replayed(run: Run) -> None:
    body = """const back = {kind: "takeback", match: "1.1", ply: 2, seq: 30, seat: 0};
              feed(match(12, range(4, 12).map((ply) => play(ply, 40 + ply)), {seq: 60}));
              house.fill("1.1", [...plays(0, 12), back, play(2, 31), play(3, 32)]);
              return line().slice(0, 5);"""
    assert run(body) == [10, 11, 31, 32, 44]


def test_what_is_older_overwrites_nothing(run: Run) -> None:
    body = """feed({type: "room", room: 1, seq: 14, match: "1.1"}, match(5, plays(0, 5)));
              feed({type: "room", room: 1, seq: 3, match: null}, match(2, plays(0, 2)));
              return [house.current(1).ply, line().length];"""
    assert run(body) == [5, 5]


def test_positions_are_known_as_far_as_they_were_heard(run: Run) -> None:
    body = """feed(match(0, [], {position: "start"}), match(1, plays(0, 1), {position: "one"}));
              feed(match(3, plays(0, 3), {position: "three", seq: 20}));
              const before = house.moments("1.1").map((moment) => moment.position);
              feed(match(1, plays(0, 1), {position: "one", seq: 21}));
              const again = [...plays(0, 1), play(1, 30)];
              feed(match(2, again, {position: "other", seq: 31}));
              const seqs = ({position, event}) => [position, event?.seq ?? 0];
              return [before, house.moments("1.1").map(seqs)];"""
    assert run(body) == [
        ["start", "one", None, "three"],
        [["start", 0], ["one", 10], ["other", 30]],
    ]


def test_time_passes_on_the_running_clock_only(run: Run) -> None:
    body = """const clocks = {remaining: [5000, 4000], running: 0};
              feed(match(2, plays(0, 2), {clocks}));
              now += 1500;
              const left = [0, 1].map((seat) => house.timeLeft("1.1", seat));
              feed(match(2, plays(0, 2), {clocks: {...clocks, paused: "store"}}));
              now += 1500;
              return [left, [0, 1].map((seat) => house.timeLeft("1.1", seat))];"""
    assert run(body) == [[3500, 4000], [5000, 4000]]


def test_a_match_is_free_to_call_off_until_both_have_moved(run: Run) -> None:
    body = """const pass = {kind: "pass", ply: 1, seq: 11, seat: 1, action: "pass"};
              return [[], plays(0, 1), [play(0), pass], plays(0, 2)].map(isFree);"""
    assert run(body) == [True, True, True, False]


def test_another_database_is_another_house(run: Run) -> None:
    body = """feed({type: "welcome", server: "a", name: "ann"});
              feed({type: "room", room: 1, seq: 2, seat: 0});
              feed({type: "welcome", server: "a", name: "ann", rooms: [1]});
              const same = house.rooms.size;
              feed({type: "welcome", server: "b", name: "ann", rooms: [1]});
              return [same, house.rooms.size];"""
    assert run(body) == [1, 0]


def test_chat_is_in_order_and_each_line_once(run: Run) -> None:
    body = """const said = (seq) => ({type: "said", room: 1, seq, name: "ann", text: String(seq)});
              feed(said(5), said(7), said(7));
              house.recall(1, [3, 5].map((seq) =>
                ({kind: "said", seq, player: {name: "greta", program: "shrug"}, text: "old"})));
              return house.chat.get(1).map(({seq, name}) => `${seq} ${name}`);"""
    assert run(body) == ["3 greta/shrug", "5 ann", "7 ann"]


def test_times_and_scores_in_words(run: Run) -> None:
    body = """const { formatTime, score, clockTerms } = wording;
              const clocks = [null, {base_ms: 180000, increment_ms: 2000}, {per_move_ms: 2500},
                {base_ms: 90000}];
              return [[9999, 10000, 61000, 3723000, 0].map(formatTime),
                [0, 0.5, 1, 2.5].map(score), clocks.map(clockTerms)];"""
    assert run(body) == [
        ["9.9", "0:10", "1:01", "1:02:03", "0.0"],
        ["0", "½", "1", "2½"],
        ["no clock", "3 min + 2 s", "2.5 s a move", "90 s"],
    ]


def test_a_roll_stands_before_its_turn_in_the_list_of_moves(run: Run) -> None:
    body = """const roll = (ply, action) => ({kind: "roll", ply, seat: -1, action});
              const turn = (ply, seat, action) => ({kind: "play", ply, seat, action});
              const all = [roll(0, "13"), turn(1, 1, "8/5 6/5"), roll(2, "66"),
                turn(3, 0, "24/18"), roll(4, "21"), turn(5, 1, "pass"), roll(6, "54")];
              return wording.moveRows(all).map(({cells}) => cells);"""
    assert run(body) == [["", "13: 8/5 6/5"], ["66: 24/18", "21: pass"]]


def test_an_opening_that_a_ladder_has_set_is_in_brackets(run: Run) -> None:
    body = """const event = (kind, ply, action) => ({kind, ply, seat: ply % 2, action});
              const set = [event("opening", 0, "4"), event("opening", 1, "3")];
              const all = [...set, event("play", 2, "4")];
              return wording.moveRows(all).map(({cells}) => cells);"""
    assert run(body) == [["(4)", "(3)"], ["4", ""]]


@pytest.mark.parametrize(
    ("result", "me", "text"),
    [
        ({"winner": 0, "how": "rules", "reason": "line", "returns": [1, -1]}, 0, "You win: line."),
        ({"winner": 0, "how": "rules", "reason": "gammon", "returns": [2, -2]}, None,
         "ann wins 2 points: gammon."),
        ({"winner": 1, "how": "resign", "reason": "resign", "returns": [-1, 1]}, 0,
         "You resigned. bob wins."),
        ({"winner": 1, "how": "flag", "reason": "flag", "returns": [-1, 1]}, 1,
         "ann has no time left. You win."),
        ({"winner": 0, "how": "abandon", "reason": "abandon", "returns": [1, -1]}, None,
         "bob was away for too long. ann wins."),
        ({"winner": 0, "how": "illegal", "reason": "illegal", "returns": [1, -1]}, None,
         "bob played what is not legal. ann wins."),
        ({"winner": 0, "how": "crash", "reason": "crash", "returns": [1, -1]}, None,
         "bob crashed. ann wins."),
        ({"winner": 0, "how": "disconnect", "reason": "disconnect", "returns": [1, -1]}, None,
         "bob was away for too long. ann wins."),
        ({"winner": None, "how": "rules", "reason": "full", "returns": [0, 0]}, 1, "A draw: full."),
        ({"how": "agreement", "reason": "", "returns": [0, 0]}, 1, "A draw, by agreement."),
        ({"how": "abort", "reason": "abort", "returns": [0, 0]}, 1, "The match was called off."),
        ({"how": "void", "reason": "plies", "returns": [0, 0]}, 1, "The match is void: plies."),
    ],
)  # fmt: skip
def test_a_result_is_a_sentence(
    page: Page, result: dict[str, Any], me: int | None, text: str
) -> None:
    said = page.evaluate(
        """async ([result, me]) => (await import("/wording.js"))
             .resultText({result, seats: [{name: "ann"}, {name: "bob"}]}, me)""",
        [result, me],
    )
    assert said == text
