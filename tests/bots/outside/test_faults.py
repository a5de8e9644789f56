"""An outside engine with each fault that a program can have: a right answer, or one sentence."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from bots import registry
from bots.bot import Budget, CannotPlay
from bots.outside import engine
from bots.outside.engine import EngineBot, make_engine
from bots.outside.program import Program, close_all
from games import registry as games
from tests.bots.outside import engines

PLAYS = ""  # the fault does not keep it from playing
FAULTS = {
    "dies": (engines.DIES, "ended with code 7 both times; it wrote: no luck"),
    "dies once": (engines.DIES_ONCE, PLAYS),
    "is killed": (engines.KILLED, "ended with code -9 both times"),
    "answers, and dies": (engines.ANSWERS_AND_DIES, PLAYS),
    "says nothing": (engines.SILENT, "said nothing for 1 s; it wrote: I sulk"),
    "writes half a line": (engines.HALF, "wrote '5' without a line end in 1 s"),
    "floods its output": (engines.FLOODS, "it answered 'info"),
    "floods its error": (engines.COMPLAINS, PLAYS),
    "greets": (engines.GREETS, PLAYS),
    "answers twice": (engines.TWICE, PLAYS),
    "answers nonsense": (engines.NONSENSE, "it answered 'castles', which is not legal"),
    "nests too deep": (engines.DEEP, "which is not legal"),
    "closes its output": (engines.CLOSES_OUTPUT, "was started twice for one question"),
    "closes its input": (engines.CLOSES_INPUT, "was started twice|said nothing for 1 s"),
    "has a helper that holds its output": (engines.HELPER, "ended with code 7 both times"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_an_engine_with_a_fault_plays_or_is_told_of_and_leaves_nothing(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, sentence = FAULTS[fault]
    monkeypatch.setattr(registry, "_added", {})
    monkeypatch.setattr(engine, "TIMEOUT_MS", 1_000)
    monkeypatch.setattr(engine, "GREETING_S", 0.3)
    command = engines.command(tmp_path, code, str(tmp_path / "file"))
    bot_class = registry.bot_class(make_engine(shlex.join(command), ("connect_four",)))
    assert issubclass(bot_class, EngineBot)
    started: list[int] = []
    start = Program.start

    def noted(program: Program) -> None:
        start(program)
        assert program._process is not None
        started.append(program._process.pid)

    monkeypatch.setattr(Program, "start", noted)
    position = games.game("connect_four").initial()
    bot = bot_class()
    try:
        if sentence == PLAYS:
            for _ in range(2):
                assert bot.choose(position, Budget(ms=1)).action in position.legal_actions()
        else:
            with pytest.raises(CannotPlay, match=sentence):
                bot.choose(position, Budget(ms=1))
    finally:
        bot.close()
        close_all()
    assert started
    for pid in started:
        engines.wait_until(lambda pid=pid: not engines.group(pid))  # type: ignore[misc]
