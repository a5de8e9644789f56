"""What reads strangers' bytes, as functions that a fuzzer calls: bytes in, and nothing out.

What is refused as it should be is caught here; whatever else is raised is a fault.  What was read
must be whole: it can be written, read again, and is the same.  `inputs/NAME.txt` beside this holds
what is tried first, and what has found a fault once, a line each as Python writes bytes.
"""

from __future__ import annotations

import ast
import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack, suppress
from functools import cache, lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import msgspec

from client.terminal.typed import actions, commands, grammar
from games import registry
from games.game import Game, IllegalAction, NotationError, Position
from lab.arena.local_server import NO_ALLOWANCES
from protocol import codec, notation
from protocol.errors import ProtocolError
from protocol.messages import VERSION, Hello
from protocol.notation import BadNotation
from protocol.reading import files
from protocol.reading.positions import read_position
from protocol.records import formats
from protocol.records.record import Altered, MatchRecord, NotARecord
from server.app import opened
from server.cluster.line import handshake, signals
from server.config import Config
from server.core.events import Who
from server.net.sockets import Socket
from tests.client.records.played import Played
from tests.support.live_server import RawClient, request_frame
from tests.vectors.record_protocol import FULL, LEAST

INPUTS: Final = Path(__file__).parent / "inputs"
VECTORS: Final = Path(__file__).parents[1] / "vectors"
GAMES: Final = tuple(registry.game(name) for name in registry.names())
READERS: Final = (codec.decode_request, codec.decode_reply)
A_POSITION: Final = 40  # plies that are played before an action is read


class Target(NamedTuple):
    """One of them.  `seeds`: what is tried first beside `inputs/`; `most`: bytes of an input."""

    run: Callable[[bytes], None]
    seeds: Callable[[], Iterable[bytes]] = tuple
    most: int = 4_096


def text_of(data: bytes) -> str:
    """Return what somebody may have typed or pasted."""
    return data.decode("utf-8", "replace")


# --- frames


def read_frame(data: bytes) -> None:
    """The first byte says whether a text frame came, and which side reads."""
    text, read = bool(data[:1] and data[0] & 1), READERS[bool(data[:1] and data[0] & 2)]
    with suppress(ProtocolError):
        said: Any = read(data[1:], text)
        written = codec.encode(said, text)
        assert codec.encode(read(written, text), text) == written


def frames() -> Iterable[bytes]:
    for message in (*LEAST, *FULL):
        side = 2 * (type(message) in codec.REPLIES.values())
        yield bytes((side,)) + codec.encode(message)
        yield bytes((side + 1,)) + codec.encode(message, text=True)


# --- notation


def read_words(data: bytes) -> None:
    """A clock, a match's name, a room's code, a line in the terminal."""
    text = text_of(data)
    with suppress(BadNotation):
        clock = notation.parse_clock(text)
        assert notation.parse_clock(notation.format_clock(clock)) == clock
    with suppress(BadNotation):
        room, number = notation.parse_match(text)
        assert notation.parse_match(notation.format_match(room, number)) == (room, number)
    assert notation.same_code(notation.parse_code(text), text)
    with suppress(commands.BadCommand):
        grammar.parse(text)
    with suppress(commands.BadCommand):
        grammar.parse_bare(text)


def words() -> Iterable[bytes]:
    lines = ["5+3", "30s", "3d", "90s/move", "untimed", "17.2", "5min+0.5s", "qf7kdm"]
    lines += [f"/{name} {more}" for name in grammar.BY_NAME for more in ("", "17", "3d rated 5")]
    return (line.encode() for line in lines)


@lru_cache(4_096)
def played(game: Game, choices: bytes) -> Position:
    """Return a position of a game: each byte chooses an action, if the game is not over."""
    if not choices:
        return game.initial()
    before = played(game, choices[:-1])
    legal = before.legal_actions()
    return before.apply(legal[choices[-1] % len(legal)]) if legal else before


def read_action(data: bytes) -> None:
    """The first byte is a game, the second how many of the next play it on; the rest an action."""
    if len(data) < 2:
        return
    game, plies = GAMES[data[0] % len(GAMES)], data[1] % A_POSITION
    position = played(game, data[2 : 2 + plies])
    text, legal_texts = text_of(data[2 + plies :]), position.legal_notation()
    if not legal_texts:  # the match is over, and nothing is read of an action
        return
    with suppress(NotationError, IllegalAction):
        action = game.parse_action(position, text)
        assert action in position.legal_actions()
        assert game.parse_action(position, game.format_action(position, action)) == action
    with suppress(actions.BadAction):
        written = actions.read_action(text, legal_texts, game, game.format_position(position))
        assert written in legal_texts


def typed_actions() -> Iterable[bytes]:
    for number, game in enumerate(GAMES):
        position = game.initial()
        for ply in range(6):
            legal = position.legal_notation()
            yield bytes((number, ply, *[0] * ply)) + legal[0].encode()
            position = position.after(legal[0])


# --- positions and files


def read_pasted(data: bytes) -> None:
    """The first byte is a game, or none; the rest what was pasted as a position."""
    which = data[0] % (len(GAMES) + 1) if data else 0
    name = GAMES[which - 1].name if which else None
    with suppress(NotationError):
        position = read_position(text_of(data[1:]), name)
        position.legal_notation()
        written = position.game.format_position(position)
        assert position.game.parse_position(written) == position
        assert position.game.drawing(position)


def positions() -> Iterable[bytes]:
    rows = (VECTORS / "positions.jsonl").read_bytes().splitlines()
    names = [game.name for game in GAMES]
    for line in rows[:: max(1, len(rows) // 60)]:
        row = msgspec.json.decode(line)
        if "position" not in row:
            continue
        yield bytes((0,)) + row["position"].encode()
        yield bytes((names.index(row["game"]) + 1,)) + row["position"].encode()
    yield b"\x034453"
    yield b"\x00XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
    yield b"\x004HPwATDgc/ABMA:cAkAAAAAAAAA"


def read_file(data: bytes) -> None:
    """A file with a match, as far as it goes."""
    with suppress(NotARecord, Altered):
        match = files.read(data)
        last, before = match.games[-1], match.games[:-1]
        for name in formats.FORMATS:
            with suppress(formats.UnknownFormat):
                formats.write(last, name, before, whole=True)


def match_files() -> Iterable[bytes]:
    """Short matches in every format, as we write them and as others do."""
    for name in ("tic_tac_toe", "backgammon", "backgammon_cube"):
        events = Played(name).plays_on(3, 7).gives_up(1).events
        for each in formats.FORMATS:
            with suppress(formats.UnknownFormat):
                yield formats.write(MatchRecord("17.2", tuple(events)), each)
    yield MATCH.encode()
    yield ("\ufeff" + MATCH.replace("\n", "\r\n")).encode("utf-16")
    yield TREE.encode()


MATCH: Final = """ 3 point match

 Game 1
 anna : 0                       bo : 0
  1) 31: 8/5 6/5                 64: 24/14*
  2)  Doubles => 2               Takes
  3) 22: bar/23 ????             Cannot Move
  4) 65:                          Drops
      Wins 1 point
"""
TREE: Final = """(;FF[4]GM[6]AP[GNU Backgammon:1.06]MI[length:3][game:0][ws:0][bs:0]PW[a]PB[b]
RU[Crawford]
;W[31hefe];B[64xrrn];W[double];B[take]C[a
note]A[E ver 3 2C 1 0.5 0.1];AE[a]PL[W]CP[2])"""


# --- the network


class Wire(asyncio.Transport):
    """The other end of a socket that is none."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 4), "sockname": ("127.0.0.1", 5)})
        self.written = bytearray()
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        assert not self.closed
        self.written += data

    def writelines(self, parts: Iterable[bytes | bytearray | memoryview[Any]]) -> None:
        self.write(b"".join(parts))

    def close(self) -> None:
        self.closed = True

    abort = write_eof = close

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def get_write_buffer_size(self) -> int:
        return 0


class House:
    """A server that listens to nothing but what it is handed."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.loop = asyncio.new_event_loop()
        self.loop.set_exception_handler(lambda _, context: self.faults.append(str(context)))
        logging.getLogger("plyhouse").addHandler(Faults(self.faults))
        config = Config(**NO_ALLOWANCES)
        self.folder = TemporaryDirectory()
        self.open = AsyncExitStack()
        self.running = self.loop.run_until_complete(
            self.open.enter_async_context(opened(Path(self.folder.name), config))
        )

    def visit(self, pieces: Iterable[bytes]) -> bytes:
        """Return what the server says to a visitor that says this, and then hangs up."""
        return self.loop.run_until_complete(self._visit(pieces))

    async def _visit(self, pieces: Iterable[bytes]) -> bytes:
        wire, socket = Wire(), Socket(self.running.gateway, "127.0.0.1")
        socket.connection_made(wire)
        for piece in pieces:
            if piece and not wire.closed:
                socket.data_received(piece)
                await self._turn()
        wire.closed = True  # as asyncio's are by then
        socket.connection_lost(None)
        await self._turn()
        assert not self.faults, self.faults.pop()
        return bytes(wire.written)

    async def _turn(self) -> None:
        for _ in range(3):
            await asyncio.sleep(0)


class Faults(logging.Handler):
    """What a server complains about, as faults."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__(logging.ERROR)
        self.faults = faults

    def emit(self, record: logging.LogRecord) -> None:
        self.faults.append(record.getMessage())


house: Final = cache(House)


def say_http(data: bytes) -> None:
    """The first byte says where the rest is cut in two."""
    cut = 1 + data[0] if data else 0
    said = house().visit([data[1:cut], data[cut:]])
    assert not said or said.startswith(b"HTTP/1.1 ")


HEADS: Final = (
    b"GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip;q=0.5\r\nAccept-Language: de-CH\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.2.3.4, [::1]:9\r\n\r\n",
    b'GET /match/17.2?as=mat HTTP/1.0\r\nHost: [::1]:80\r\nIf-None-Match: "x"\r\n\r\n',
    b"GET /past?who=ann HTTP/1.1\r\nHost: a\r\nRange: bytes=0-9\r\n\r\n",
    b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
)


def heads() -> Iterable[bytes]:
    return (b"\xff" + head for head in (*HEADS, upgrade()))


def upgrade() -> bytes:
    return RawClient.handshake(RawClient(None, None, 80))  # type: ignore[arg-type]


def say_frames(data: bytes) -> None:
    """Bytes behind a handshake and a hello; the first one says where they are cut in two."""
    cut = 1 + data[0] if data else 0
    entered = upgrade() + request_frame(Hello(version=VERSION))
    assert house().visit([entered, data[1:cut], data[cut:]]).startswith(b"HTTP/1.1 101 ")


def requests() -> Iterable[bytes]:
    asked = [message for message in LEAST if type(message) in codec.REQUESTS.values()]
    return (b"\xff" + request_frame(message, text=text) for message in asked for text in (0, 1))


# --- between servers


def introduced() -> Iterable[bytes]:
    said = handshake.Introduction(2, 7, "http://10.0.0.7:8765", bytes(32))
    told = (
        signals.PeerLeft(4),
        signals.RequestForwarded(4, 20, b"x"),
        signals.PeerEnded(4, 1001, "away"),
        signals.NameLinked(3, "QF7KDM", 9),
        signals.SlotHeld(Who(7, "ann"), 3, 9),
        signals.RoomHanded(1, 2, 3, 4),
        signals.FramePushed([1, 2], b"x", "m", True),
        signals.Beat(1.5, False, True),
    )
    texts = [handshake.write_introduction(said), *map(signals.write_signal, told)]
    return (*map(handshake.frame, texts), b"".join(map(handshake.frame, texts)))


def read_line(data: bytes) -> None:
    """What another server says: an introduction, then signals."""
    payloads = handshake.Frames(handshake.MAX_GREETING)
    with suppress(handshake.BadLine):
        for payload in payloads.take(data):
            with suppress(handshake.BadLine):
                said = handshake.read_introduction(payload)
                assert handshake.read_introduction(handshake.write_introduction(said)) == said
            with suppress(handshake.BadLine, signals.UnknownSignal):
                signal = signals.read_signal(payload)
                written = signals.write_signal(signal)  # a NaN is unequal to itself
                assert signals.write_signal(signals.read_signal(written)) == written


TARGETS: Final[dict[str, Target]] = {
    "frames": Target(read_frame, frames),
    "words": Target(read_words, words, 400),
    "actions": Target(read_action, typed_actions, 400),
    "positions": Target(read_pasted, positions),
    "files": Target(read_file, match_files, 3_000),
    "http": Target(say_http, heads),
    "behind": Target(say_frames, requests),
    "line": Target(read_line, introduced),
}


def kept(name: str) -> list[bytes]:
    """Return the inputs that are kept for a target."""
    path = INPUTS / f"{name}.txt"
    text = path.read_text("utf-8") if path.exists() else ""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [ast.literal_eval(line) for line in lines]
