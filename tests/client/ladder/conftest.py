"""A fake house on a thread of its own, so that whole commands can be run against it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import plyhouse
from protocol.messages import Push, Request
from tests.client.fake_house import FakeHouse

Run = Callable[..., tuple[int, str, str]]


class Hosted(FakeHouse):
    """The fake house, for those who are not on its loop."""

    async def host(self, ready: threading.Event) -> None:
        """Serve until `end`."""
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        async with self:
            ready.set()
            await self._ended.wait()

    def end(self) -> None:
        """Serve no longer."""
        self._loop.call_soon_threadsafe(self._ended.set)

    def push_from_outside(self, message: Push) -> None:
        """Send a message to everybody."""
        self._loop.call_soon_threadsafe(self.push, message)

    def heard_of(self, kind: type[Request]) -> Request:
        """The one request of this type."""
        (request,) = self.of(kind)
        return request


@pytest.fixture
def house() -> Iterator[Hosted]:
    fake, ready = Hosted(), threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(fake.host(ready)))
    thread.start()
    assert ready.wait(10)
    yield fake
    fake.end()
    thread.join()


@pytest.fixture
def run(
    house: Hosted,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """Run `plyhouse ladder ...` at the fake house: the exit code, and what it wrote."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("PLYHOUSE_URL", house.url)

    def command(*words: object) -> tuple[int, str, str]:
        code = plyhouse.main(["ladder", *map(str, words)])
        out, err = capsys.readouterr()
        return code, out, err

    return command
