"""A request that the server could not take just now is sent again, and not too soon."""

from __future__ import annotations

import pytest

from bots.online import requests
from client.backoff import Backoff
from protocol.errors import Code, Refusal


async def test_a_request_is_not_sent_again_before_the_server_said_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(requests, "RETRYING", Backoff(first=0.5, sleep=sleep, jitter=lambda: 0.0))
    answers = iter([3_000, None, 0])

    async def ask() -> None:
        wait = next(answers)
        if wait != 0:
            raise Refusal(Code.SESSION_FLOOD, "too much at once", retry_ms=wait)

    await requests.ask_until_taken(ask)
    assert waits == [3.0, 1.0]
