"""Matches that are gone through for others: what is told of them, when it ends, what fits."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import msgspec
import pytest

from bots import registry, terms
from bots.analysis import chosen
from bots.analysis.form import Analysis, Option, Play, Roll, Total, Unit
from bots.analysis.match import Analyst, Judged
from bots.reviewer import fit, introduce
from games.game import Game, Ints, Position
from protocol import codec
from protocol.analysis import (
    AnalysedOption,
    AnalysedPlay,
    AnalysedRoll,
    AnalysedTotal,
    AnalysisUnwanted,
    AnalysisWanted,
    MatchAnalysis,
    ReportAnalysis,
)
from protocol.errors import Code
from protocol.messages import MAX_CLIENT_FRAME, MAX_INT, Event, Welcome
from server.core import analysed
from tests.bots.fake_house import FakeHouse, eventually, refusal
from tests.bots.patient import running

ACTIONS = ("5", "2", "1", "9", "4", "7", "6")
WANTED = AnalysisWanted(ask=3, game="tic_tac_toe", actions=ACTIONS, expires_ms=60_000, given=1)


class Slow(Analyst):
    """Takes as long over each play as a test wants, and finds that nothing was lost."""

    PROGRAM, by, blunder = "solver", "slow", None
    unit: Unit = "value"
    go = threading.Event()
    broken = False
    looked: list[str]
    stopped = threading.Event()

    @classmethod
    def made(cls, game: Game, depth: Any) -> Analyst:
        return cls()

    def judge(self, position: Position, action: int, stop: Ints) -> Judged | None:
        text = position.game.format_action(position, action)
        self.looked.append(text)
        while not stop[0] and not Slow.go.wait(0.001):
            pass
        if Slow.broken:
            raise RuntimeError("out of ideas")
        if stop[0]:
            Slow.stopped.set()
            return None
        return Judged(0.0, None, False, False, (Option(text, 0.0),))


@pytest.fixture(autouse=True)
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Slow is every game's analyst, and takes no time unless a test wants it to."""
    Slow.go, Slow.stopped, Slow.looked, Slow.broken = (
        threading.Event(),
        threading.Event(),
        [],
        False,
    )
    Slow.go.set()
    monkeypatch.setattr(chosen, "analyst", lambda game: Slow())
    yield
    Slow.go.set()


async def reported(house: FakeHouse, count: int = 1) -> tuple[int, MatchAnalysis | None, str]:
    *_, (_, ask, found, error) = await house.until("report_analysis", count=count)
    return ask, found, error


# ---------------------------------------------------------------- answers


async def test_a_match_is_gone_through_and_told() -> None:
    async with running() as (house, _):
        house.push(WANTED)
        ask, found, error = await reported(house)
    assert (ask, error) == (3, None)
    assert found is not None
    assert (found.by, [play.ply for play in found.plays], found.left) == (
        "slow",
        [*range(1, 7)],
        [],
    )
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
async def test_what_is_no_match_is_declined(game: str, actions: tuple[str, ...], why: str) -> None:
    async with running() as (house, _):
        house.push(AnalysisWanted(ask=4, game=game, actions=actions, expires_ms=60_000))
        ask, found, error = await reported(house)
    assert (ask, found) == (4, None)
    assert why in error


@pytest.mark.parametrize("program", ["solver", "mcts"])  # the game's own, and who stands in
async def test_code_that_is_not_compiled_is_not_waited_for(
    program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running() as (house, _):
        monkeypatch.setattr(Slow, "PROGRAM", program)
        kind = registry.kind(program)
        monkeypatch.setattr(kind, "ready", classmethod(lambda cls, game: False))
        house.push(WANTED)
        _, found, error = await reported(house)
    assert found is None
    assert "compiled" in error


async def test_a_crash_costs_one_analysis(caplog: pytest.LogCaptureFixture) -> None:
    async with running() as (house, _):
        Slow.broken = True
        house.push(WANTED)
        assert (await reported(house))[1:] == (None, "it failed")
        Slow.broken = False
        house.push(WANTED)
        assert (await reported(house, 2))[1] is not None
    assert "out of ideas" in caplog.text


async def test_a_report_that_does_not_fit_is_withdrawn(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    async with running() as (house, _):
        house.refuse["report_analysis"] = [refusal(Code.ANALYSIS_BAD_REPORT, "plays[0]: no")]
        house.push(WANTED)
        assert (await reported(house, 2))[1:] == (None, "what it found does not fit")
        house.refuse["report_analysis"] = [refusal(Code.MATCH_NO_OFFER)]
        house.push(WANTED)
        await reported(house, 3)
        await house.settle()
        assert [call[0] for call in house.calls].count("report_analysis") == 3
    assert "plays[0]: no" in caplog.text


# ---------------------------------------------------------------- how it ends


async def test_when_the_time_is_over_what_has_been_found_is_told() -> None:
    async with running() as (house, _):
        Slow.go.clear()
        house.push(msgspec.structs.replace(WANTED, expires_ms=20))
        assert (await reported(house))[1:] == (None, "the time did not last for a single play")


async def test_one_that_is_unwanted_ends_and_nothing_is_told_of_it() -> None:
    async with running() as (house, _):
        for end in (AnalysisUnwanted(ask=3), Welcome(version=1, server="", name="", now=0)):
            Slow.go.clear()
            Slow.stopped.clear()
            house.push(WANTED)
            await eventually(lambda: Slow.looked)
            house.push(AnalysisUnwanted(ask=99), end)
            await eventually(Slow.stopped.is_set)
            Slow.go.set()
            Slow.looked.clear()
        await house.settle()
        assert house.calls == []


async def test_they_are_made_one_after_the_other() -> None:
    async with running() as (house, _):
        Slow.go.clear()
        house.push(WANTED)
        await eventually(lambda: Slow.looked)
        house.push(msgspec.structs.replace(WANTED, ask=4))
        await eventually(Slow.stopped.is_set)
        Slow.go.set()
        assert (await reported(house))[0] == 4


async def test_it_ends_with_the_connection() -> None:
    async with running() as (house, _):
        Slow.go.clear()
        house.push(WANTED)
        await eventually(lambda: Slow.looked)
        house.end()
        await eventually(Slow.stopped.is_set)
    assert [call[0] for call in house.calls] == ["close"]


# ---------------------------------------------------------------- what a bot says of itself


@pytest.mark.parametrize(
    ("program", "analyses"),
    [
        ("solver", ["connect_four", "tic_tac_toe"]),
        ("gammon", ["backgammon"]),
        ("random", []),
    ],
)
def test_a_bot_goes_through_the_games_whose_analyst_it_is(
    program: str, analyses: list[str]
) -> None:
    assert introduce(terms.entry(program, seed=1)).analyses == analyses


def test_tree_search_stands_in_for_all_but_where_nobody_may_invite_it() -> None:
    entry = terms.entry("mcts", seed=1)
    assert introduce(entry).analyses == list(entry.games)
    assert introduce(terms.entry("mcts", seed=1, only=("tic_tac_toe",))).analyses == ["tic_tac_toe"]
    assert introduce(replace(entry, invited=False)).analyses == []


# ---------------------------------------------------------------- what one frame holds


@pytest.mark.parametrize(
    ("form", "wire", "more"),
    [
        (Analysis, MatchAnalysis, {"partial"}),
        (Play, AnalysedPlay, set()),
        (Option, AnalysedOption, set()),
        (Roll, AnalysedRoll, set()),
        (Total, AnalysedTotal, set()),
    ],
)
def test_the_wire_has_the_fields_of_an_analysis(form: Any, wire: Any, more: set[str]) -> None:
    assert {field.name for field in fields(form)} | more == set(wire.__struct_fields__)


def play(ply: int, loss: float | None, best: int = 5, played: int = 4, note: str = "") -> Play:
    options = [
        Option(f"13/{n} 6/{n}", 0.5 - n / 9, note or f"{n}0.1 % 12.2 %") for n in range(best)
    ]
    action = options[played].action
    blunder = loss is not None and loss > 0.08
    return Play(ply, ply // 2 % 2, action, loss, None, False, blunder, tuple(options))


def match_of(plays: int, losing: int, best: int = 5, note: str = "") -> Analysis:
    """A match of backgammon; every `losing`-th play lost something, the later the more."""
    made = [
        play(
            2 * n + 1, n / 1000 if n % losing == 0 else 0.0, best, 4 if n % losing == 0 else 0, note
        )
        for n in range(1, plays + 1)
    ]
    rolls = [Roll(2 * n, n % 2, "31", n / 7 * (-1) ** n) for n in range(1, plays + 1)]
    totals = [
        Total(
            plays=sum(p.seat == seat for p in made),
            blunders=sum(p.seat == seat and p.blunder for p in made),
            luck=1.5,
        )
        for seat in (0, 1)
    ]
    return Analysis(
        "backgammon", "gammon, 1 ply", "points", 0.08, tuple(made), tuple(rolls),
        (totals[0], totals[1]),
    )  # fmt: skip


def size(told: MatchAnalysis) -> int:
    return len(codec.encode(ReportAnalysis(id=MAX_INT, ask=MAX_INT, analysis=told)))


def test_a_short_match_is_told_whole() -> None:
    found = match_of(60, 3)
    told = fit(found)
    assert not told.partial
    assert msgspec.to_builtins(told) == msgspec.to_builtins(
        msgspec.convert(found, MatchAnalysis, from_attributes=True)
    )


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
    told = fit(found)
    assert told.partial
    assert size(told) <= MAX_CLIENT_FRAME
    assert (len(told.plays), {len(play.best) for play in told.plays}) == (listed, options)
    assert told == fit(found)
    assert all(not p.best or p.action in [o.action for o in p.best] for p in told.plays)
    assert told.totals[0].plays == found.totals[0].plays
    least = min(play.loss or 0.0 for play in told.plays if play.loss)
    kept = {play.ply for play in told.plays}
    assert all((p.loss or 0.0) <= least for p in found.plays if p.ply not in kept)


def test_even_the_longest_words_fit() -> None:
    told = fit(match_of(1_000, 1, note="𝄞" * 300))
    assert size(told) <= MAX_CLIENT_FRAME
    assert told.plays


def test_more_than_a_list_holds_is_cut() -> None:
    total = Total(plays=1_500)
    plays = tuple(play(ply, 0.0, 1, 0) for ply in range(1_500))
    found = Analysis("x", "x", "value", 0.2, plays, (), (total, total), tuple(range(2_000, 5_000)))
    told = fit(found)
    assert (len(told.plays), told.left, told.partial) == (0, [*range(2_000, 3_000)], True)


@pytest.mark.parametrize("loss", [float("nan"), float("inf"), -0.5])
def test_a_number_that_cannot_be_told_is_a_bug_here_and_no_broken_frame(loss: float) -> None:
    with pytest.raises(msgspec.ValidationError):
        fit(replace(match_of(1, 1), plays=(play(1, loss),)))


def test_a_server_lets_pass_what_is_told() -> None:
    for found in (match_of(60, 3), match_of(400, 2), match_of(900, 1)):
        actions = {p.ply: ("play", p.seat, p.action) for p in found.plays}
        actions |= {r.ply: ("roll", -1, r.roll) for r in found.rolls}
        events = [
            Event(seq=9 + ply, kind=kind, ply=ply, seat=seat, action=action)
            for ply in range(max(actions) + 1)
            for kind, seat, action in [actions.get(ply, ("pass", 0, "pass"))]
        ]
        told = fit(found)
        assert analysed.check(told, analysed.course("1.1", "backgammon", events)) == told
