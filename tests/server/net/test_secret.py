"""The secret of a deal is in no byte that anybody gets before the deal is over.

Every byte that a server sends over any socket is kept; when all is over, the secrets are read from
its database and looked for, in all the ways in which bytes are usually written.
"""

from __future__ import annotations

import asyncio
import base64
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from games import registry
from games.dice import commitment
from games.game import END
from protocol import messages, parts
from protocol.hints import AdviceWanted, Advise, Hint, Hinted
from server.core.events import Dealt, read_body
from server.store import FILE
from tests.support.live_server import PATIENCE, LiveServer, RawClient, live_server, request_frame

pytestmark = pytest.mark.socket
PAGE = Path(__file__).parents[3] / "client" / "web"
# The game with the cube has all of backgammon, and more.
GAMES = [
    pytest.param(name, marks=pytest.mark.slow if name == "backgammon" else ())
    for name in registry.names()
    if registry.game(name).has_chance
]
SALTS = "5a17" * 16, "0b0b" * 16
TOO_LATE = "beef" * 16  # for a salt that counts already
M = TypeVar("M", bound=messages.Push)


class Ear(asyncio.StreamReader):
    """A stream that writes down every byte as it comes from the socket."""

    def __init__(self, heard: bytearray) -> None:
        super().__init__(limit=1 << 18)
        self.heard = heard

    def feed_data(self, data: bytes) -> None:
        self.heard += data
        super().feed_data(data)


async def dial(port: int, heard: bytearray) -> RawClient:
    """A connection whose every byte goes into `heard`, too."""
    ear = Ear(heard)
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.create_connection(
        lambda: asyncio.StreamReaderProtocol(ear), "127.0.0.1", port
    )
    return RawClient(ear, asyncio.StreamWriter(transport, protocol, ear, loop), port)


class Guest:
    """Somebody at the server, through any number of connections, and all that was heard."""

    def __init__(self, name: str, *, text: bool, bot: parts.BotInfo | None = None) -> None:
        self.name, self.text, self.bot = name, text, bot
        self.heard = bytearray()
        self.token: str | None = None
        self.raw: RawClient

    async def come(self, server: LiveServer) -> Guest:
        """Connect, as newcomer or with the token."""
        self.raw = await dial(server.port, self.heard)
        name = self.name if self.token is None else None
        hello = messages.Hello(version=messages.VERSION, name=name, token=self.token, bot=self.bot)
        await self.raw.upgrade(request_frame(hello, text=self.text))
        welcome = await self.raw.hear(messages.Welcome)
        self.token = welcome.token or self.token
        return self

    async def ask(self, request: messages.Request, kind: type[M]) -> M:
        """The answer to a request, whose `id` is 7."""
        return await self.raw.ask(request, kind)

    async def look(self, room: int) -> messages.MatchState:
        """The newest state of the match in a room where one sits or looks on."""
        await self.ask(messages.Watch(id=7, room=room), messages.RoomState)
        return await self.raw.hear(messages.MatchState)

    async def read(self, room: int) -> None:
        """All that history tells."""
        since: int | None = 0
        while since is not None:
            page = await self.ask(
                messages.History(id=7, room=room, since=since), messages.HistoryPage
            )
            since = page.next

    async def go(self) -> None:
        """Be cut off."""
        await self.raw.close()


class Company:
    """Two players, one of each encoding, a spectator, a stranger, and a bot that gives hints."""

    def __init__(self, game: str) -> None:
        self.ann, self.bob = Guest("ann", text=False), Guest("bob", text=True)
        self.eve, self.zoe = Guest("eve", text=True), Guest("zoe", text=False)
        shrug = parts.BotInfo(program="shrug", games=[game])
        self.bot = Guest("greta", text=False, bot=shrug)
        self.all = [self.ann, self.bob, self.eve, self.zoe, self.bot]
        self.pages = bytearray()

    def heard(self) -> bytes:
        """Every byte so far; connections are kept apart."""
        return b"\0\0".join([*(bytes(guest.heard) for guest in self.all), bytes(self.pages)])

    async def fetch_pages(self, port: int) -> None:
        """What the server says to browsers and to Prometheus."""
        for path in ("/", "/main.js", "/healthz", "/metrics", "/nothing", "/ws"):
            raw = await dial(port, self.pages)
            raw.send(f"GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            async with asyncio.timeout(PATIENCE):
                assert await raw.reader.read(), path  # until the server hangs up
            await raw.close()

    async def turn(self, room: int) -> tuple[Guest, Guest, messages.MatchState]:
        """Play one action of the match: who did, who did not, and what was answered."""
        match = await self.ann.look(room)
        players = {match.seats[seat].name: seat for seat in (0, 1)}
        mine = players["ann"] == match.to_move
        mover, other = (self.ann, self.bob) if mine else (self.bob, self.ann)
        state = await mover.look(room)
        assert state.legal is not None
        play = messages.Play(id=7, match=state.match, turn=state.turn, action=harmless(state))
        await mover.ask(play, messages.Ok)
        return mover, other, state


def harmless(state: messages.MatchState) -> str:
    """A legal action that does not end the match."""
    position = registry.game(state.game).parse_position(state.position)
    after = ((text, position.apply(position.game.parse_action(position, text)).to_move)
             for text in state.legal or ())  # fmt: skip
    return next(text for text, to_move in after if to_move != END)


def spellings(secret: bytes) -> list[bytes]:
    """The secret and its beginning, as programs write bytes."""
    found: list[bytes] = []
    for part in (secret, secret[:8], secret[::-1]):
        plain = base64.b64encode(part).rstrip(b"=")
        whole = plain if len(part) * 8 % 6 == 0 else plain[:-1]  # the last depends on what follows
        found += [part, part.hex().encode(), part.hex().upper().encode(), whole]
        found.append(whole.replace(b"+", b"-").replace(b"/", b"_"))
        found += [repr(part).encode()[2:-1], ", ".join(map(str, part)).encode()]
    return found


def dealt(folder: Path) -> list[bytes]:
    """The secrets in a server's database, in order."""
    with sqlite3.connect(folder / FILE) as db:
        rows = db.execute("SELECT kind, body FROM event WHERE kind = 'dealt' ORDER BY room, seq")
        events = [read_body(kind, body) for kind, body in rows]
    db.close()
    return [event.secret for event in events if isinstance(event, Dealt)]


def leaks(heard: bytes, secret: bytes) -> list[bytes]:
    """The ways in which a secret is written in what was heard."""
    return [spelt for spelt in spellings(secret) if spelt in heard]


@asynccontextmanager
async def met(folder: Path, company: Company) -> AsyncIterator[LiveServer]:
    """The server is open, and all are there."""
    async with live_server(folder, PAGE) as server:
        for guest in company.all:
            await guest.come(server)
        try:
            yield server
        finally:
            for guest in company.all:
                await guest.go()


async def begin(company: Company, game: str) -> int:
    """Open a room and start a match with salts: the room; the commitment is there before them."""
    ann, bob, eve = company.ann, company.bob, company.eve
    room = (await ann.ask(messages.Create(id=7, game=game), messages.RoomState)).room
    seen = {(await bob.ask(messages.Join(id=7, room=room), messages.RoomState)).commitment}
    seen.add((await eve.ask(messages.Watch(id=7, room=room), messages.RoomState)).commitment)
    await ann.ask(messages.Ready(id=7, room=room, salt=SALTS[0]), messages.Ok)
    seen.add((await eve.ask(messages.Watch(id=7, room=room), messages.RoomState)).commitment)
    await ann.ask(messages.Ready(id=7, room=room, salt=TOO_LATE), messages.Ok)
    await bob.ask(messages.Ready(id=7, room=room, salt=SALTS[1]), messages.Ok)
    seen.add((await eve.ask(messages.Watch(id=7, room=room), messages.RoomState)).commitment)
    assert len(seen) == 1
    assert None not in seen
    return room


async def ask_around(company: Company, server: LiveServer, room: int) -> None:
    """Ask for all that can be asked for."""
    for guest in (company.ann, company.bob, company.eve, company.zoe):
        await guest.read(room)
        await guest.ask(messages.Lobby(id=7), messages.LobbyList)
    await company.ann.ask(messages.Say(id=7, room=room, text="what are the dice?"), messages.Ok)
    await company.bob.ask(messages.Link(id=7), messages.Linked)
    await company.zoe.ask(messages.Join(id=7, room=room), messages.Error)
    await company.zoe.ask(messages.Watch(id=7, room=room), messages.RoomState)
    await company.fetch_pages(server.port)


async def take_a_hint(company: Company, room: int) -> None:
    """Who is to move is advised by the bot."""
    state = await company.ann.look(room)
    mover = company.ann if state.seats[state.to_move].name == "ann" else company.bob
    mover.raw.send(request_frame(Hint(id=7, match=state.match)))
    wanted = await company.bot.raw.hear(AdviceWanted)
    await company.bot.ask(Advise(id=7, ask=wanted.ask, action=wanted.legal[0]), messages.Ok)
    await mover.raw.hear(Hinted)


async def take_back(company: Company, room: int) -> None:
    """One action is played and taken back, and then another is played."""
    mover, other, state = await company.turn(room)
    await mover.ask(messages.Offer(id=7, match=state.match, kind="takeback"), messages.Ok)
    await other.ask(
        messages.Answer(id=7, match=state.match, kind="takeback", accept=True), messages.Ok
    )
    await company.turn(room)


@pytest.mark.parametrize("game", GAMES)
async def test_no_byte_tells_the_secret_before_the_deal_is_over(game: str, tmp_path: Path) -> None:
    company = Company(game)
    async with met(tmp_path, company) as server:
        room = await begin(company, game)
        for _ in range(3):
            await company.turn(room)
        await take_a_hint(company, room)
        await take_back(company, room)
        await company.ann.go()
        await company.ann.come(server)
        await company.turn(room)
        await ask_around(company, server, room)
    async with met(tmp_path, company) as server:  # the same server again, after a restart
        await company.eve.ask(messages.Watch(id=7, room=room), messages.RoomState)
        await company.turn(room)
        await ask_around(company, server, room)
        before = company.heard()
        await company.ann.ask(messages.Resign(id=7, match=f"{room}.1"), messages.Ok)
        last = await company.bob.raw.hear(messages.MatchState)
        while last.result is None:
            last = await company.bob.raw.hear(messages.MatchState)
        await ask_around(company, server, room)
    first, second = dealt(tmp_path)
    assert leaks(before, first) == []
    assert leaks(company.heard(), second) == []
    assert last.secret == first.hex()
    assert commitment(first).encode() in before
    for guest in (company.ann, company.bob, company.eve, company.zoe):
        assert first.hex().encode() in guest.heard
    assert SALTS[0].encode() in before  # it stands in `started`, whose dice are under way
    assert TOO_LATE.encode() not in company.heard()


def test_a_leak_would_be_found() -> None:
    secret = bytes(range(100, 132))
    assert leaks(b"nothing to see", secret) == []
    for shape in (bytes.hex, lambda b: b.hex().upper(), repr, lambda b: str(list(b))):
        assert leaks(b"..." + shape(secret).encode() + b"...", secret)
        assert leaks(b"..." + shape(secret[:8]).encode() + b"...", secret)
    for spelt in (secret, base64.b64encode(secret), base64.urlsafe_b64encode(secret[:9])):
        assert leaks(b"..." + spelt + b"...", secret)
