"""What a bot answers whoever asks for a hint."""

from __future__ import annotations

import asyncio

import pytest

from bots.engine import readiness
from bots.online.reviewer import COMPILING_MS
from protocol.errors import Code
from protocol.messages import AdviceWanted
from tests.bots.online.fake_connection import FakeConnection, eventually, refusal
from tests.support.pausable_bot import PausableBot

pytestmark = pytest.mark.usefixtures("pausable_bot")
WANTED = AdviceWanted(ask=5, game="tic_tac_toe", position="3/3/3 x", legal=("1",))


async def test_advice_is_given_and_a_crash_over_it_is_reported_and_nothing_else(
    connection: FakeConnection, caplog: pytest.LogCaptureFixture
) -> None:
    assert await connection.until("advise", WANTED) == [("advise", 5, "9", "9 3 +0.20")]
    PausableBot.broken = True
    connection.push(WANTED)
    await eventually(lambda: "crashed when asked" in caplog.text)
    assert connection.verbs() == ["advise"]


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
    assert await connection.until("delay_advice", WANTED) == [("delay_advice", 5, COMPILING_MS)]
    await connection.settle()
    assert connection.verbs() == ["delay_advice"]
    done.set()
    connection.refuse["advise"] = [refusal(Code.MATCH_NO_OFFER)]  # nobody waits any more
    await connection.until("advise")
    assert await connection.until("advise", WANTED, count=2)
