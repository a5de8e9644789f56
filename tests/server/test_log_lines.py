"""What a server logs as JSON: one object a line, with what the line is about, and nothing else."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from protocol.errors import Code, Refusal
from server.log_lines import AT_ONCE, MAX_LINE, JsonLines, LogLimit, relayed
from tests.server.scene import Scene

ROOT = Path(__file__).resolve().parents[2]
# All ways by which something may get onto standard error.
NOISE = """
import logging, threading, warnings
from server import log_lines
log_lines.open_log("json")
logging.getLogger("asyncio").error("room %d: %s\\nsecond line", 7, "late")
warnings.warn("a warning")
thread = threading.Thread(target=lambda: 1 / 0)
thread.start(); thread.join()
class Dying:
    def __del__(self): raise ValueError("at its end")
Dying()
log_lines.complain("json", "it cannot start")
raise OSError("nobody catches this")
"""


def line(text: str, *args: object, error: Exception | None = None, **extra: object) -> Any:
    """What becomes of a record."""
    logger = logging.getLogger("plyhouse")
    info = (type(error), error, error.__traceback__) if error is not None else None
    record = logger.makeRecord("plyhouse", logging.ERROR, "", 0, text, args, info, extra=extra)
    written = JsonLines().format(record)
    assert "\n" not in written
    return json.loads(written)


def test_a_line_says_when_how_bad_what_and_about_which_room() -> None:
    told = line("room %d, seq %d cannot be read: %s", 17, 4, "100 % gone")
    assert told.pop("time").endswith("+00:00")
    assert told == {
        "level": "error", "logger": "plyhouse", "room": 17, "seq": 4,
        "message": "room 17, seq 4 cannot be read: 100 % gone",
    }  # fmt: skip


def test_one_of_several_servers_says_which_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "server" not in line("all is well")
    monkeypatch.setattr(JsonLines, "server", 3)
    assert line("room %d is gone", 17)["server"] == 3


def test_names_are_found_behind_other_values_and_percent_signs() -> None:
    told = line("%.1f %% of session %s, in %d s: %r", 2.5, "ann", 3, "room")
    assert (told["session"], told["message"]) == ("ann", "2.5 % of session ann, in 3 s: 'room'")
    assert "room" not in told
    assert line("the rooms %d")["message"] == "the rooms %d"


def test_an_error_has_its_traceback_and_a_refusal_its_code() -> None:
    def fail() -> None:
        raise Refusal(Code.ROOM_BUSY, "wait")

    with pytest.raises(Refusal) as caught:
        fail()
    told = line("room %d failed", 3, error=caught.value)
    assert (told["error"], told["code"]) == ("Refusal", "room/busy")
    assert told["traceback"].startswith("Traceback (most recent call last):\n")
    assert "in fail" in told["traceback"]
    assert line("no", code=Code.SERVER_NOT_STORED)["code"] == "server/not-stored"


def test_what_the_limit_has_counted_still_says_which_room() -> None:
    now = 0.0
    limit = LogLimit(lambda: now)
    for number in range(AT_ONCE + 3):
        record = logging.LogRecord("x", logging.ERROR, "", 0, "room %d: no", (number,), None)
        limit.filter(record)
    now = 60.0
    record = logging.LogRecord("x", logging.ERROR, "", 0, "room %d: no", (99,), None)
    assert limit.filter(record)
    told = json.loads(JsonLines().format(record))
    assert (told["room"], told["message"]) == (99, "room 99: no (3 more like this)")


def test_a_room_that_cannot_store_is_told_with_room_and_code(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    at = scene.match()
    scene.store.broken = True  # type: ignore[attr-defined]
    at.ann.say(at.play("5"))
    told = json.loads(JsonLines().format(caplog.records[0]))
    assert (told["room"], told["code"]) == (at.room, "server/not-stored")
    caplog.clear()


def test_nothing_else_is_on_that_stream() -> None:
    done = subprocess.run(
        [sys.executable, "-c", NOISE], cwd=ROOT, check=False, capture_output=True, text=True
    )
    told = [json.loads(each) for each in done.stderr.splitlines()]
    assert [each["level"] for each in told] == [
        "error", "warning", "critical", "critical", "critical", "critical",
    ]  # fmt: skip
    assert [each.get("error") for each in told] == [
        None, None, "ZeroDivisionError", "ValueError", None, "OSError",
    ]  # fmt: skip
    assert told[0]["room"] == 7
    assert (done.returncode, done.stdout) == (1, "")


async def test_what_another_program_writes_is_logged_a_record_a_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    stream = asyncio.StreamReader()
    stream.feed_data(b"100 % so\n\nTraceback (most recent call last):\n  File x\n")
    async with relayed(stream, "bots"):
        await asyncio.sleep(0)  # so that it reads a part
        stream.feed_data(
            b"    1 / 0\nZeroDivisionError: no\nlater\n" + b"y" * (20 * MAX_LINE) + b"\n"
        )
        stream.feed_data(b"Traceback (most recent call last):\n  brok")
        stream.feed_eof()
    records = [json.loads(JsonLines().format(each)) for each in caplog.records]
    caplog.clear()
    messages = [each["message"] for each in records]
    assert messages[:3] == ["100 % so", "ZeroDivisionError: no", "later"]
    assert messages[3:] == ["y" * MAX_LINE, "brok"]
    assert records[1]["traceback"].count("\n") == 3
    assert {each["logger"] for each in records} == {"plyhouse.bots"}
    async with relayed(None, "bots"):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("words", [["serve", "--set", "x=1"], ["up", "--bots", "nobody"]])
def test_a_server_that_cannot_start_says_so_in_json_too(words: list[str]) -> None:
    command = [sys.executable, "plyhouse.py", *words, "--log", "json"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    (told,) = [json.loads(each) for each in done.stderr.splitlines()]
    assert (done.returncode, told["level"]) == (2, "critical")
    assert "nobody" in told["message"] or "no setting" in told["message"]
