"""Plain HTTP, over and over: the page, and the figures."""

from __future__ import annotations

from typing import Final

from bench.attacks.hostile import HOST, Assault, Attack

AT_ONCE: Final = 16


def fetching(name: str, path: str) -> Attack:
    """Fetch one path over and over."""

    async def strike(assault: Assault) -> None:
        request = f"GET {path} HTTP/1.1\r\nHost: {HOST}:{assault.port}\r\n\r\n".encode()

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


ATTACKS: Final = (fetching("page", "/"), fetching("metrics", "/metrics"))
