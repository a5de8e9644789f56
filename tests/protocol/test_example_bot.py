"""The bot that docs/reference/ has to copy, played to without a socket: it says what the transcript
says, asks again, thinks once, gets up and comes back.
"""

from __future__ import annotations

import importlib.util
import json
import random
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosedError
from websockets.frames import Close

from tests.protocol.pages import PAGES, REFERENCE, SPEC, TRANSCRIPTS, fenced, transcript


class Line:
    """What the bot thinks is a socket: plays the server's side of the transcript to it."""

    def __init__(self, said: list[dict[str, Any]], end: Exception | None = None) -> None:
        self.said = said
        self.end = end  # what the library raises when the server has closed
        self.sent: list[dict[str, Any]] = []

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __iter__(self) -> Iterator[str]:
        yield from map(json.dumps, self.said)
        if self.end is not None:
            raise self.end

    def send(self, frame: str) -> None:
        self.sent.append(json.loads(frame))


@pytest.fixture
def bot(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The example bot with its key in a fresh folder; it plays the first legal action, and waits
    no time at all.
    """
    place = importlib.util.spec_from_file_location("example_bot", REFERENCE / "example_bot.py")
    assert place is not None
    assert place.loader is not None
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    monkeypatch.setattr(module, "KEY", tmp_path / "greta.token")
    monkeypatch.setattr(random, "choice", lambda legal: legal[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    return module


def told(*numbers: int) -> list[dict[str, Any]]:
    """What the bot of the transcript hears, or some of it."""
    heard = [said for arrow, said in transcript(TRANSCRIPTS[0]) if arrow == "←"]
    return [heard[n] for n in numbers] if numbers else heard


def test_the_heart_of_the_bot_is_what_the_page_prints() -> None:
    (printed,) = fenced("python", PAGES[SPEC])
    assert printed.strip() in (REFERENCE / "example_bot.py").read_text("utf-8")


def test_the_bot_says_what_its_transcript_says_and_keeps_its_token(bot: ModuleType) -> None:
    line = Line(told())
    bot.play(line)
    said = [said for arrow, said in transcript(TRANSCRIPTS[0]) if arrow == "→"]
    assert line.sent == said
    assert stat.S_IMODE(bot.KEY.stat().st_mode) == 0o600
    back = Line([])
    bot.play(back)
    resumed = {key: value for key, value in said[0].items() if key != "name"}
    assert back.sent == [{**resumed, "token": told(0)[0]["token"]}]


def test_the_bot_repeats_what_came_too_early_and_thinks_once_about_a_turn(bot: ModuleType) -> None:
    asks = next(said for said in told() if "legal" in said)
    busy = {"type": "error", "re": 2, "code": "room/busy", "text": "too many wait"}
    done = {"type": "ok", "re": 3, "seq": 8}
    line = Line([asks, asks, busy, done, {**asks, "legal": [*asks["legal"][1:]]}])
    bot.play(line)
    play = {"type": "play", "match": "17.1", "turn": 7, "action": "1"}
    assert line.sent[1:] == [{**play, "id": number} for number in (2, 3, 4)]


def test_the_bot_gets_up_when_the_other_player_has_left_but_not_before_one_has_come(
    bot: ModuleType,
) -> None:
    room = next(said for said in told() if said["type"] == "room")
    invited = next(said for said in told() if said["type"] == "invited")
    alone = {**room, "seats": [None, room["seats"][1]]}
    line = Line([invited, alone, room, alone])
    bot.play(line)
    assert [said["type"] for said in line.sent] == ["hello", "join", "ready", "leave"]


def test_the_bot_comes_back_until_it_is_replaced(
    bot: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = ConnectionClosedError(Close(1012, "server/closing"), None)
    closing = {"type": "bye", "code": "server/closing", "text": "come back later"}
    replaced = {"type": "bye", "code": "session/replaced", "text": "another one plays on"}
    lines = iter([Line([closing], cut), Line([], OSError("no route")), Line([replaced])])
    monkeypatch.setattr(bot, "connect", lambda url, compression: next(lines))
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    monkeypatch.setattr(random, "uniform", max)
    with pytest.raises(SystemExit):
        bot.main()
    assert pauses == [0.25 * 1.5, 0.5 * 1.5]
