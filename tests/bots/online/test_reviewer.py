"""Matches that are gone through for others, and hints: what is told, when it ends, what fits."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec
import pytest
from msgspec.structs import replace

from bots import registry
from bots.analysis import analysts
from bots.analysis.analyst import Analyst, Judgement
from bots.online import readiness, reviewer, runner
from bots.online.entry import make_entry
from bots.online.reviewer import COMPILING_MS, fit_frame, introduce
from games.game import Game, Ints, Position
from protocol import codec
from protocol.analysis import (
    AnalysedPlay,
    AnalysedRoll,
    AnalysisUnwanted,
    AnalysisWanted,
    ConsiderUnwanted,
    ConsiderWanted,
    MatchAnalysis,
    ReportAnalysis,
    Unit,
)
from protocol.errors import Code
from protocol.hints import AdviceWanted
from protocol.messages import MAX_CLIENT_FRAME, Welcome
from protocol.parts import MAX_INT, Event
from server.core import analysis as server_analysis
from tests.bots.analysis import parts
from tests.bots.analysis.parts import option
from tests.bots.online.fake_connection import FakeConnection, eventually, refusal
from tests.support.pausable_bot import PausableBot

Compiling: TypeAlias = tuple[asyncio.Event, list[tuple[str, str]]]

ACTIONS = ("5", "2", "1", "9", "4", "7", "6")
WANTED = AnalysisWanted(ask=3, game="tic_tac_toe", actions=ACTIONS, expires_ms=60_000, given=1)
HINT = AdviceWanted(ask=5, game="tic_tac_toe", position="3/3/3 x", legal=("1",))


class Slow(Analyst):
    """Takes as long over each play as a test wants, and finds that nothing was lost."""

    PROGRAM, by, blunder = "solver", "slow", None
    unit: Unit = "value"
    go = threading.Event()
    broken = False
    looked: list[str]
    stopped = threading.Event()

    @classmethod
    def create(cls, game: Game, depth: Any) -> Analyst:
        return cls()

    def judge(self, position: Position, action: int, stop: Ints) -> Judgement | None:
        text = position.game.format_action(position, action)
        self.looked.append(text)
        while not stop[0] and not Slow.go.wait(0.001):
            pass
        if Slow.broken:
            raise RuntimeError("out of ideas")
        if stop[0]:
            Slow.stopped.set()
            return None
        return Judgement(0.0, None, False, False, [option(text, 0.0)])


@pytest.fixture(autouse=True)
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Slow is every game's analyst, and takes no time unless a test wants it to."""
    Slow.go, Slow.stopped = threading.Event(), threading.Event()
    Slow.looked, Slow.broken = [], False
    Slow.go.set()
    monkeypatch.setattr(analysts, "make_analyst", lambda game, depth=None: Slow())
    yield
    Slow.go.set()


async def reported(
    connection: FakeConnection, *wanted: AnalysisWanted, count: int = 1
) -> tuple[int, MatchAnalysis | None, str]:
    """Push these, and return the last of so many reports: for whom, what, and what went wrong."""
    *_, (_, ask, found, error) = await connection.until("report_analysis", *wanted, count=count)
    return ask, found, error


async def begin(connection: FakeConnection) -> None:
    """Let it look at a first play, for as long as nobody stops it."""
    Slow.go.clear()
    Slow.stopped.clear()
    connection.push(WANTED)
    await eventually(lambda: Slow.looked)


async def test_a_match_is_gone_through_and_told(connection: FakeConnection) -> None:
    ask, found, error = await reported(connection, WANTED)
    assert (ask, error) == (3, None)
    assert found is not None
    assert (found.by, found.left) == ("slow", [])
    assert [play.ply for play in found.plays] == [*range(1, 7)]
    assert [total.plays for total in found.totals] == [3, 3]
    assert Slow.looked == list(ACTIONS[1:])


@pytest.mark.parametrize(
    ("game", "actions", "why"),
    [
        ("chess", (), "chess"),
        ("tic_tac_toe", ("5", "5"), "is not legal"),
        ("tic_tac_toe", ("middle",), "middle"),
    ],
)
async def test_what_is_no_match_is_declined(
    connection: FakeConnection, game: str, actions: tuple[str, ...], why: str
) -> None:
    wanted = AnalysisWanted(ask=4, game=game, actions=actions, expires_ms=60_000)
    ask, found, error = await reported(connection, wanted)
    assert (ask, found) == (4, None)
    assert why in error


@pytest.fixture
def compiling(monkeypatch: pytest.MonkeyPatch) -> Compiling:
    """Nothing is compiled until the event is set; and what was asked for."""
    done = asyncio.Event()
    asked: list[tuple[str, str]] = []

    async def compile_beside(program: str, game: str) -> None:
        asked.append((program, game))
        await done.wait()

    monkeypatch.setattr(readiness, "compile_beside", compile_beside)
    for program in ("solver", "mcts"):
        kind = registry.bot_class(program)
        monkeypatch.setattr(kind, "ready", classmethod(lambda cls, game: done.is_set()))
    return done, asked


@pytest.mark.parametrize("program", ["solver", "mcts"])  # the game's own, and who stands in
async def test_code_that_is_not_compiled_is_waited_for_and_that_is_said(
    connection: FakeConnection, program: str, monkeypatch: pytest.MonkeyPatch, compiling: Compiling
) -> None:
    done, asked = compiling
    monkeypatch.setattr(Slow, "PROGRAM", program)
    delays = await connection.until("delay_analysis", WANTED)
    assert delays == [("delay_analysis", 3, COMPILING_MS)]
    await connection.settle(AnalysisUnwanted(ask=3), replace(WANTED, ask=4))  # and once more
    assert asked == [(program, "tic_tac_toe")]
    done.set()
    ask, found, error = await reported(connection)
    assert (ask, error, connection.verbs().count("report_analysis")) == (4, None, 1)
    assert found is not None
    assert found.left == []


async def test_code_that_cannot_be_compiled_is_not_waited_for_without_end(
    connection: FakeConnection, monkeypatch: pytest.MonkeyPatch, compiling: Compiling
) -> None:
    monkeypatch.setattr(reviewer, "MAX_COMPILING_S", 0.01)
    _, found, error = await reported(connection, WANTED)
    assert found is None
    assert "compiled in time" in error


async def test_a_server_that_knows_of_no_delay_gets_its_analysis_all_the_same(
    connection: FakeConnection, compiling: Compiling
) -> None:
    compiling[0].set()
    connection.refuse["delay_analysis"] = [refusal(Code.PROTOCOL_UNKNOWN_TYPE)]
    assert (await reported(connection, WANTED))[1] is not None


async def test_a_crash_costs_one_analysis(
    connection: FakeConnection, caplog: pytest.LogCaptureFixture
) -> None:
    Slow.broken = True
    assert (await reported(connection, WANTED))[1:] == (None, "it failed")
    Slow.broken = False
    assert (await reported(connection, WANTED, count=2))[1] is not None
    assert "out of ideas" in caplog.text


async def test_a_report_that_does_not_fit_is_withdrawn(
    connection: FakeConnection, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    connection.refuse["report_analysis"] = [refusal(Code.ANALYSIS_BAD_REPORT, "plays[0]: no")]
    assert (await reported(connection, WANTED, count=2))[1:] == (None, "what it found does not fit")
    connection.refuse["report_analysis"] = [refusal(Code.MATCH_NO_OFFER)]
    await reported(connection, WANTED, count=3)
    await connection.settle()
    assert connection.verbs().count("report_analysis") == 3
    assert "plays[0]: no" in caplog.text


async def test_when_the_time_is_over_what_has_been_found_is_told(
    connection: FakeConnection,
) -> None:
    Slow.go.clear()
    _, analysis, error = await reported(connection, replace(WANTED, expires_ms=20))
    assert (analysis, error) == (None, "there was not enough time for a single play")


async def test_one_that_is_unwanted_ends_and_nothing_is_told_of_it(
    connection: FakeConnection,
) -> None:
    for end in (AnalysisUnwanted(ask=3), Welcome(version=1, server="", name="", now=0)):
        await begin(connection)
        connection.push(AnalysisUnwanted(ask=99), end)
        await eventually(Slow.stopped.is_set)
        Slow.go.set()
        Slow.looked.clear()
    await connection.settle()
    assert connection.calls == []


async def test_they_are_made_one_after_the_other(connection: FakeConnection) -> None:
    await begin(connection)
    connection.push(replace(WANTED, ask=4))
    await eventually(Slow.stopped.is_set)
    Slow.go.set()
    assert (await reported(connection))[0] == 4


async def test_it_ends_with_the_connection(connection: FakeConnection) -> None:
    await begin(connection)
    connection.end()
    await eventually(Slow.stopped.is_set)
    assert connection.calls == []


@pytest.mark.parametrize(
    ("program", "how", "analyses"),
    [
        ("solver", {}, ["connect_four", "tic_tac_toe"]),
        ("gammon", {}, ["backgammon", "backgammon_cube"]),
        ("random", {}, []),
        ("mcts", {}, list(make_entry("mcts", seed=1).games)),
        ("mcts", {"only": ("tic_tac_toe",)}, ["tic_tac_toe"]),
        ("mcts", {"invited": False}, []),
    ],
)
def test_a_bot_goes_through_the_games_whose_analyst_it_is_and_tree_search_stands_in_for_all(
    program: str, how: dict[str, Any], analyses: list[str]
) -> None:
    assert introduce(make_entry(program, seed=1, **how)).analyses == analyses


def play(ply: int, loss: float, best: int = 5, played: int = 4, note: str = "") -> AnalysedPlay:
    options = [
        option(f"13/{n} 6/{n}", 0.5 - n / 9, note or f"{n}0.1 % 12.2 %") for n in range(best)
    ]
    made = parts.play(ply, ply // 2 % 2, loss, options, blunder=loss > 0.08)  # type: ignore[arg-type]
    return replace(made, action=options[played].action)


def match_of(plays: int, losing: int, note: str = "") -> MatchAnalysis:
    """A match of backgammon; every `losing`-th play lost something, the later the more."""
    plies = range(1, plays + 1)
    listed = [
        play(2 * n + 1, 0.0 if n % losing else n / 1000, 5, 0 if n % losing else 4, note)
        for n in plies
    ]
    rolls = [AnalysedRoll(ply=2 * n, seat=n % 2, roll="31", luck=n / 7 * (-1) ** n) for n in plies]  # type: ignore[arg-type]
    seats = [[play for play in listed if play.seat == seat] for seat in (0, 1)]
    one, two = (parts.total(len(s), blunders=sum(p.blunder for p in s), luck=1.5) for s in seats)
    return MatchAnalysis(
        game="backgammon", by="gammon, 1 ply", unit="points", blunder=0.08, plays=listed,
        rolls=rolls, totals=(one, two),
    )  # fmt: skip


def size(told: MatchAnalysis) -> int:
    return len(codec.encode(ReportAnalysis(id=MAX_INT, ask=MAX_INT, analysis=told)))


def test_a_short_match_is_told_whole() -> None:
    assert fit_frame(match_of(60, 3)) == match_of(60, 3)


@pytest.mark.parametrize(
    ("plays", "losing", "listed", "options"),
    [
        (220, 3, 220, {3}),  # options beyond three go first
        (350, 3, 350, {0, 3}),  # then those of plays without loss
        (450, 2, 450, {0, 2}),  # then all but the best and the played
        (700, 3, 233, {2}),  # then the plays without loss
        (900, 1, 200, {2}),  # then all but those of the greatest loss
    ],
)
def test_of_a_long_match_as_much_is_told_as_a_frame_holds(
    plays: int, losing: int, listed: int, options: set[int]
) -> None:
    found = match_of(plays, losing)
    told = fit_frame(found)
    assert told.partial
    assert size(told) <= MAX_CLIENT_FRAME
    assert (len(told.plays), {len(play.best) for play in told.plays}) == (listed, options)
    assert told == fit_frame(found)
    assert all(not p.best or p.action in [o.action for o in p.best] for p in told.plays)
    assert told.totals[0].plays == found.totals[0].plays
    least = min(play.loss or 0.0 for play in told.plays if play.loss)
    kept = {play.ply for play in told.plays}
    assert all((p.loss or 0.0) <= least for p in found.plays if p.ply not in kept)


def test_even_the_longest_words_fit_frame() -> None:
    told = fit_frame(match_of(1_000, 1, note="𝄞" * 300))
    assert size(told) <= MAX_CLIENT_FRAME
    assert told.plays


def test_more_than_a_list_holds_is_cut() -> None:
    plays = [play(ply, 0.0, 1, 0) for ply in range(1_500)]
    cut = fit_frame(parts.solved(*plays, left=[*range(2_000, 5_000)]))
    assert (len(cut.plays), cut.left, cut.partial) == (0, [*range(2_000, 3_000)], True)


@pytest.mark.parametrize("loss", [float("nan"), float("inf"), -0.5])
def test_a_number_that_cannot_be_told_is_a_bug_here_and_no_broken_frame(loss: float) -> None:
    with pytest.raises(msgspec.ValidationError):
        fit_frame(replace(match_of(1, 1), plays=[play(1, loss)]))


def test_a_server_lets_pass_what_is_told() -> None:
    for found in (match_of(60, 3), match_of(400, 2), match_of(900, 1)):
        actions = {p.ply: ("play", p.seat, p.action) for p in found.plays}
        actions |= {r.ply: ("roll", -1, r.roll) for r in found.rolls}
        events = [
            Event(seq=9 + ply, kind=kind, ply=ply, seat=seat, action=action)
            for ply in range(max(actions) + 1)
            for kind, seat, action in [actions.get(ply, ("pass", 0, "pass"))]
        ]
        told = fit_frame(found)
        course = server_analysis.course("1.1", "backgammon", events)
        assert server_analysis.check(told, course) == told


@pytest.mark.usefixtures("pausable_bot")
async def test_advice_is_given_and_a_crash_over_it_is_reported_and_nothing_else(
    connection: FakeConnection, caplog: pytest.LogCaptureFixture
) -> None:
    assert await connection.until("advise", HINT) == [("advise", 5, "9", "9 3 +0.20")]
    PausableBot.broken = True
    connection.push(HINT)
    await eventually(lambda: "crashed when asked" in caplog.text)
    assert connection.verbs() == ["advise"]


@pytest.mark.usefixtures("pausable_bot")
async def test_a_program_that_ends_waits_for_no_hint(
    connection: FakeConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "ADVICE_MS", 600_000)
    PausableBot.go.clear()
    connection.push(HINT)
    await eventually(lambda: PausableBot.asked)
    tasks = set(connection.runner._tasks._tasks)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    await asyncio.wait_for(asyncio.to_thread(connection.runner._workers.shutdown), 60)


@pytest.mark.usefixtures("pausable_bot")
async def test_a_hint_waits_for_code_that_is_not_compiled_and_that_is_said(
    connection: FakeConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = asyncio.Event()

    async def compile_beside(program: str, game: str) -> None:
        assert (program, game) == ("mcts", "tic_tac_toe")
        await done.wait()

    monkeypatch.setattr(readiness, "compile_beside", compile_beside)
    monkeypatch.setattr(PausableBot, "ready", classmethod(lambda cls, game: done.is_set()))
    connection.refuse["delay_advice"] = [refusal(Code.PROTOCOL_UNKNOWN_TYPE)]  # and all the same
    assert await connection.until("delay_advice", HINT) == [("delay_advice", 5, COMPILING_MS)]
    await connection.settle()
    assert connection.verbs() == ["delay_advice"]
    done.set()
    connection.refuse["advise"] = [refusal(Code.MATCH_NO_OFFER)]  # nobody waits any more
    await connection.until("advise")
    assert await connection.until("advise", HINT, count=2)


POSITION = ConsiderWanted(ask=8, game="tic_tac_toe", position="3/1x1/3 o", expires_ms=60_000)


async def test_a_position_is_considered_beside_a_match(connection: FakeConnection) -> None:
    await begin(connection)
    connection.push(POSITION)
    await eventually(lambda: len(Slow.looked) > 1)
    Slow.go.set()
    (_, ask, found, error), *_ = await connection.until("report_considered")
    assert (ask, error) == (8, None)
    assert [each.action for each in found.options] == ["1"]


async def test_a_position_that_no_client_waits_for_is_dropped(connection: FakeConnection) -> None:
    Slow.go.clear()
    connection.push(POSITION)
    await eventually(lambda: Slow.looked)
    connection.push(ConsiderUnwanted(ask=8))
    await eventually(Slow.stopped.is_set)
    await connection.settle()
    assert "report_considered" not in connection.verbs()


@pytest.mark.parametrize(
    ("broken", "position", "why"), [(False, "nonsense", "nonsense"), (True, "3/3/3 x", "failed")]
)
async def test_a_position_without_an_answer_is_declined(
    connection: FakeConnection, broken: bool, position: str, why: str
) -> None:
    Slow.broken = broken
    wanted = replace(POSITION, position=position)
    (_, _, found, error), *_ = await connection.until("report_considered", wanted)
    assert found is None
    assert why in error
