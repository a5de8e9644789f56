"""What is said of a match that a bot loses, and what it does when nobody can see that any more."""

from __future__ import annotations

import asyncio
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from logging import LogRecord
from pathlib import Path

import pytest
from msgspec.structs import replace

from bots.bot import Bot, Budget, Choice
from bots.online import pool
from bots.online.output import CleanFormatter
from bots.online.pool import BotPool
from bots.online.search_task import MatchFollower
from bots.online.tokens import Tokens
from games import registry as games
from games.game import IllegalAction, Ints, Position
from protocol.shell.signals import ending_signals
from tests.bots.online.fake_connection import WON, FakeConnection, eventually, match_state
from tests.support.pausable_bot import PausableBot, seated

pytestmark = pytest.mark.usefixtures("pausable_bot")
FLAG = replace(WON, how="flag", reason="flag")


@pytest.mark.parametrize("silence", ["", "./e said nothing for 2 s"])
async def test_a_match_lost_on_time_is_told_with_what_the_bot_was_at(
    silence: str, seat: FakeConnection, caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(PausableBot, "silence", silence)
    PausableBot.go.clear()
    seat.push(match_state())
    await eventually(lambda: PausableBot.asked)
    lost = replace(FLAG, winner=0, returns=(1.0, -1.0))
    await seat.settle(match_state(turn=9, result=lost))
    (record,) = caplog.records
    assert record.getMessage().startswith("mcts lost match 7.1 on time, ply 3: ")
    assert record.getMessage().endswith(silence or " s")


async def test_nothing_is_said_where_the_opponent_s_flag_has_fallen(
    seat: FakeConnection, caplog: pytest.LogCaptureFixture
) -> None:
    await seat.until("play", match_state())
    await seat.settle(match_state(turn=9, result=FLAG))
    assert caplog.records == []


async def test_a_turn_that_ends_while_the_past_is_asked_for_is_not_thought_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, answered = asyncio.Event(), asyncio.Event()

    async def situation(*_: object) -> None:
        asked.set()
        await answered.wait()

    monkeypatch.setattr(PausableBot, "FOLLOWS", True)
    monkeypatch.setattr(MatchFollower, "situation", situation)
    async with seated() as seat:
        seat.push(match_state())
        await asked.wait()
        await seat.settle(match_state("3/3/3 x", turn=5))  # a move was taken back
        answered.set()
        await seat.until("play", match_state("x2/3/3 o", turn=7))
    assert len(PausableBot.asked) == 1


def test_an_error_is_told_once_with_the_lines_of_its_author() -> None:
    log, text = CleanFormatter(), []
    for number in range(2):
        try:
            raise ValueError(f"position {number}")  # as a bot's message may be new each time
        except ValueError as error:
            about = (type(error), error, error.__traceback__)
        text.append(log.format(LogRecord("", 40, "", 1, "it crashed", (), about)))
    assert __file__ in text[0]
    assert text[1] == "it crashed: the same error as before"


def test_an_illegal_choice_has_no_traceback_as_no_line_of_its_author_raised_it() -> None:
    position = games.game("tic_tac_toe").initial()
    with ThreadPoolExecutor(1) as worker:
        error = worker.submit(Cheat().choose, position, Budget(nodes=1)).exception()
    assert isinstance(error, IllegalAction)
    about = (type(error), error, error.__traceback__)
    first, *rest = CleanFormatter().format(LogRecord("", 40, "", 1, "no", (), about)).split("\n")
    assert first == "no"
    (line,) = rest
    assert "not legal in tic_tac_toe" in line


class Cheat(Bot):
    """Chooses what there is not."""

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        return Choice(99, value=0.0, nodes=1)


class Told:
    """A runner that notes what it is told."""

    def __init__(self) -> None:
        self.rooms: dict[int, object] = {}
        self.told: list[str] = []

    def drain(self) -> None:
        self.told.append("finish")

    async def abandon(self) -> None:
        self.told.append("resign")


async def test_a_bot_whose_terminal_is_closed_finishes_soon_or_resigns(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pool, "HANGUP_S", 0.0)
    bots, runner = BotPool("127.0.0.1:1", "ann", Tokens(str(tmp_path / "tokens.json"))), Told()
    bots.runners = [runner]  # type: ignore[list-item]
    bots.on_hangup()
    assert runner.told == ["finish"]
    await eventually(lambda: runner.told == ["finish", "resign"])


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_the_end_of_a_terminal_ends_a_command_unless_nohup_has_it_ignored() -> None:
    assert signal.SIGHUP in ending_signals()
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert signal.SIGHUP not in ending_signals()
    finally:
        signal.signal(signal.SIGHUP, before)
