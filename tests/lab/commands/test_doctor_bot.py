"""`plyhouse doctor bot`: what it prints, its exit codes, and the house's own bots."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

import pytest

import plyhouse
from bots import registry
from bots.online.entry import make_entry
from bots.online.runner import Runner, enter
from lab.commands import doctor_bot
from lab.doctor import cases
from lab.doctor.checklist import CaseResult, examine
from lab.doctor.script import Guest
from lab.doctor.wire import listening
from tests.support.serving import serving

INSTALLED = [name for name in registry.names() if registry.bot_class(name).missing() is None]
OK = CaseResult("It is good", "ok")
FAILED = CaseResult("It waits", "failed", "a pause", "there was none")
UNTRIED = CaseResult("With dice", "not tried", why="it plays no such game")


async def checked(name: str, *only: cases.Case) -> list[CaseResult]:
    """A bot of ours in this process, at the scripted server."""
    entry = make_entry(name, seed=1, only=("tic_tac_toe",))
    async with listening("127.0.0.1", 0) as wire:
        entering = asyncio.create_task(enter(entry, wire.url, "ann"))
        await wire.reopen(20)
        results = examine(wire, Guest(), cases=only)
        first = await anext(results)
        runner = Runner(await entering, entry)
        serving = asyncio.create_task(runner.serve())
        rest = [result async for result in results]
        await runner.connection.close()
        await serving
    return [first, *rest]


@pytest.mark.socket
async def test_a_bot_of_the_house_passes_what_is_done_to_it() -> None:
    only = (cases.whole_match, cases.refused_action, cases.cut_in_mid_match)
    results = await checked("random", *only)
    assert [r.state for r in results] == ["ok"] * 4, results


@pytest.mark.slow
@pytest.mark.parametrize("name", INSTALLED)
def test_every_bot_of_the_house_passes_it_all(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    if name == "gammon":  # as plain Python it needs more than the second that it is given
        monkeypatch.delenv("PLYHOUSE_PLAIN")
    code = plyhouse.main(["doctor", "bot", name, "--patience", "2", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert (code, report["ok"]) == (0, True), [c for c in report["cases"] if c["state"] == "failed"]
    assert len(report["cases"]) == len(cases.CASES) + 1


@pytest.mark.slow
async def test_the_example_of_the_docs_passes_it_all(tmp_path: Path) -> None:
    """A bot that connects by itself, in a process of its own: the one to be copied."""
    example = Path(__file__).parents[3] / "docs" / "reference" / "example_bot.py"
    async with listening("127.0.0.1", 0) as wire:
        text = example.read_text("utf-8").replace("ws://localhost:8765/ws", wire.url)
        (tmp_path / "bot.py").write_text(text, "utf-8")
        process = await asyncio.create_subprocess_exec(sys.executable, "bot.py", cwd=tmp_path)
        try:
            await wire.reopen(30)
            results = [result async for result in examine(wire, Guest(), 2.0)]
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()
    assert [r for r in results if r.state == "failed"] == []
    assert {r.why for r in results if r.why} == {
        "it does not play a game with dice",
        "it does not play backgammon",
    }


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit code, output, and what was said beside it."""
    code = plyhouse.main(["doctor", "bot", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "name a bot, or say --listen"),
        (("random", "--listen"), "name a bot, or say --listen"),
        (("--listen", "--url", "localhost"), "do not go together"),
        (("--listen", "somewhere"), "'somewhere' is no HOST:PORT"),
        (("--listen", "127.0.0.1:99999"), "is no HOST:PORT"),
        (("--listen", "127.0.0.1:0", "--wait", "0.05"), "nobody connected within 0.05 s"),
        (("random", "--patience", "0"), "--patience is from 0.1 to 100"),
        (("nosuch",), "no bot is called 'nosuch'"),
        (("nosuch.py",), "there is no file 'nosuch.py'"),
        (("random", "--url", "127.0.0.1:1"), "no server answers at 127.0.0.1:1"),
    ],
)
def test_bad_input_is_a_sentence(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str
) -> None:
    code, _, said = run(capsys, *words)
    assert code == 2
    assert sentence in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("file", "text", "sentence"),
    [
        ("timid.py", "BOT = 1 // 0\n", "line 1: ZeroDivisionError"),
        ("timid.py", "", "BOT"),
        ("random.py", "BOT = 1\n", "a bot of the house is called 'random'"),
    ],
)
def test_a_file_that_is_no_bot_is_a_sentence(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    file: str,
    text: str,
    sentence: str,
) -> None:
    monkeypatch.setenv("PLYHOUSE_BOTS", "")  # which the command adds to
    (tmp_path / file).write_text(text, "utf-8")
    code, _, said = run(capsys, str(tmp_path / file))
    assert code == 2
    assert sentence in said
    assert said.count("\n") == 1


def scripted(monkeypatch: pytest.MonkeyPatch, *results: CaseResult) -> None:
    """Have an invitation end so."""

    async def invite(url: str, bot: str, patience: float):  # type: ignore[no-untyped-def]
        for result in results:
            yield result

    monkeypatch.setattr(doctor_bot, "invite", invite)


def test_the_checklist_and_its_exit_code(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted(monkeypatch, OK, UNTRIED)
    code, out, _ = run(capsys, "random", "--url", "x")
    assert code == 0
    assert out.splitlines() == [
        "ok         It is good",
        "not tried  With dice",
        "           it plays no such game",
        "",
        "1 ok, 0 failed, of 2",
    ]
    scripted(monkeypatch, OK, FAILED)
    code, out, _ = run(capsys, "random", "--url", "x")
    assert code == 1
    assert out.splitlines()[1:4] == [
        "failed     It waits",
        "           expected: a pause",
        "           seen:     there was none",
    ]


def test_the_checklist_as_json(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted(monkeypatch, OK, FAILED)
    code, out, _ = run(capsys, "random", "--url", "x", "--json")
    report = json.loads(out)
    assert (code, report["ok"]) == (1, False)
    assert report["cases"][1] == {
        "case": "It waits", "state": "failed", "expected": "a pause", "seen": "there was none",
        "why": "",
    }  # fmt: skip


@pytest.mark.slow
def test_a_bot_at_a_real_server_is_invited_and_played_with(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("up", "--bots", "random", "--no-anchors")
    with serving(tmp_path / "data", command=words) as server:
        for _ in range(100):
            code, out, said = run(capsys, "house/random", "--url", server.address)
            if "is connected there" not in said:
                break
            time.sleep(
                0.2
            )  # until the bot has come, which no message tells before there is a lobby
        assert code == 0, out
    assert len([line for line in out.splitlines() if line.startswith("ok ")]) == 7
