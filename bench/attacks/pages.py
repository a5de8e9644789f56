"""Plain HTTP, over and over: the page, and the figures."""

from __future__ import annotations

import asyncio
from typing import Final

from bench.attacks.hoarding import begin_between
from bench.attacks.hostile import HOST, Assault, Attack
from protocol.messages import MatchState, Ok, Ready, Resign

AT_ONCE: Final = 16
AHEAD: Final = 20  # requests that are sent at once
MATCHES: Final = 300  # in a room ...
A_MATCH: Final = 0.04  # seconds that one takes there
PAUSE: Final = 0.005  # seconds from some to the next


def fetching(name: str, path: str) -> Attack:
    """Fetch one path over and over."""

    async def strike(assault: Assault) -> None:
        request = _request(assault, path, "Connection: close\r\n")

        async def fetch(_: int) -> None:
            link = await assault.connect()
            try:
                link.write(request)
                status = await link.status()
                assault.counts.count(f"answered {status}")
            finally:
                link.leave()

        await assault.in_parallel(fetch, assault.crowd_size(AT_ONCE))

    return Attack(name, f"GET {path}, 16 at a time", strike)


async def ask_without_waiting(assault: Assault) -> None:
    """Ask for the page over kept connections, again and again, before anything is answered."""
    requests = _request(assault, "/") * AHEAD

    async def flood(_: int) -> None:
        link = await assault.connect()
        link.speak_http()
        while not assault.over and not link.closed:
            link.write(requests, AHEAD)
            await asyncio.sleep(PAUSE)  # the pace of the attack
        link.leave()

    await assault.in_parallel(flood, assault.crowd_size(AT_ONCE))


async def play_many(assault: Assault) -> None:
    """Play match after match in one room."""
    one, two = [await assault.guest() for _ in range(2)]
    match = await begin_between(assault, one, two)
    assault.room, numbers = match.room, assault.numbers
    for _ in range(assault.quota(MATCHES)):
        await asyncio.sleep(A_MATCH)
        over = match.match
        await one.ask(Resign(id=next(numbers), match=over), Ok)
        await two.ask(Ready(id=next(numbers), room=match.room), Ok)
        one.send(Ready(room=match.room))
        while match.match == over:
            match = await one.wait_for(MatchState)


async def fetch_replays(assault: Assault) -> None:
    """Ask for the replays of a room's matches, each at most once, so that none is kept."""

    async def fetch(number: int) -> None:
        link = await assault.connect()
        try:
            path = f"/replay/{assault.room}.{1 + number}.json"
            link.write(_request(assault, path, "Connection: close\r\n"))
            assault.counts.count(f"answered {await link.status()}")
        finally:
            link.leave()

    await assault.in_parallel(fetch, assault.crowd_size(AT_ONCE))


def _request(assault: Assault, path: str, header: str = "") -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: {HOST}:{assault.port}\r\n{header}\r\n".encode()


ATTACKS: Final = (
    fetching("page", "/"),
    Attack("kept", "GET / over kept connections, 20 ahead of the answers", ask_without_waiting),
    fetching("metrics", "/metrics"),
    Attack("replays", "replays of a room of 300 matches, 16 at a time", fetch_replays, play_many),
)
