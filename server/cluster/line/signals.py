"""What servers of a cluster say to each other over a line, one Struct each.

The *front* is where a connection is, the *owner* where a room is.  A connection is known to others
by the number that its front gave it.  On the line a signal is a compact msgpack array that begins
with its number below; fields are only ever added at the end, with a default, and a signal that
a server does not know is passed over, so that servers of two versions get on.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec
from msgspec import Struct

from protocol.parts import BotInfo, RoomLine
from server.cluster.line.handshake import BadLine
from server.core.events import Who
from server.core.session import Device


class UnknownSignal(Exception):
    """What this server does not know, and passes over."""


class PeerEntered(Struct, frozen=True, array_like=True, tag=1):
    """To all: somebody was welcomed here.  `stamp`: of a bot's connections the greatest wins;
    `device`: see Peer.
    """

    peer: int
    who: Who
    bot: BotInfo | None
    origin: str
    text: bool
    stamp: int
    device: int = 0


class PeerLeft(Struct, frozen=True, array_like=True, tag=2):
    """To all: a connection is gone."""

    peer: int


class RequestForwarded(Struct, frozen=True, array_like=True, tag=3):
    """To the owner: a connection asks for something.  `request`: in msgpack; `lag`: in ms."""

    peer: int
    lag: int
    request: bytes


class RequestReturned(Struct, frozen=True, array_like=True, tag=4):
    """To the front: that room is not here any more."""

    peer: int
    request: bytes


class FramePushed(Struct, array_like=True, tag=5):
    """To the front: push a frame to these connections; see Transport.push for the rest."""

    peers: list[int]
    frame: bytes
    key: str | None
    in_turn: bool


class PeerEnded(Struct, frozen=True, array_like=True, tag=6):
    """To the front: end a connection."""

    peer: int
    code: int
    reason: str


class PeerRested(Struct, frozen=True, array_like=True, tag=7):
    """To the front: do not read a connection for so long."""

    peer: int
    ms: int


class PeerCharged(Struct, frozen=True, array_like=True, tag=8):
    """To the front: what a connection asked for has cost so much beyond its price."""

    peer: int
    micros: float


class PeerFollows(Struct, frozen=True, array_like=True, tag=9):
    """To the front: a connection is shown a room from now on, or no more."""

    peer: int
    room: int
    on: bool


class RoomHead(Struct, frozen=True, array_like=True, tag=10):
    """To all: a room is open here.  `body`: its Snapshot; `match`: the name of the one that is on;
    `state`: of the room; `rests`: see Room.rests.
    """

    room: int
    body: bytes
    state: str
    match: str | None
    rests: bool = False


class RoomGone(Struct, frozen=True, array_like=True, tag=11):
    """To all: a room is closed."""

    room: int


class LobbyRows(Struct, frozen=True, array_like=True, tag=12):
    """To all: of the newest public rooms here the rows that are others now, the numbers of those
    that are not among them any more, and how many there are.
    """

    rows: tuple[RoomLine, ...]
    gone: tuple[int, ...]
    total: int


class SessionStored(Struct, frozen=True, array_like=True, tag=13):
    """To all: a login as it stands in the log now; see Session.  `before`: the number of the one
    that had its name before, 0 if none; `devices`: None where an older server does not know them.
    """

    number: int
    name: str
    token: bytes
    seen: int
    guest: bool
    recovery: bytes
    played: bool
    before: int = 0
    devices: tuple[Device, ...] | None = None


class SessionForgotten(Struct, frozen=True, array_like=True, tag=14):
    """To all: a login is gone."""

    number: int


class NameLinked(Struct, frozen=True, array_like=True, tag=15):
    """To all: this code links a device to a session, until then."""

    number: int
    code: str
    until: int


class SlotHeld(Struct, frozen=True, array_like=True, tag=16):
    """To all: a slot of a bot is held for a room, until then."""

    who: Who
    room: int
    until: int


class HostActed(Struct, frozen=True, array_like=True, tag=17):
    """To all: the host's acts stand in the log up to this seq."""

    seq: int


class LaddersKept(Struct, frozen=True, array_like=True, tag=18):
    """To all: the ladders are here.  `sessions`: that hold something on one; `versions`: session,
    program, the version that it has to come as, the sentence that says so.
    """

    sessions: tuple[int, ...]
    versions: tuple[tuple[int, str | None, str, str], ...]


class AllTold(Struct, frozen=True, array_like=True, tag=19):
    """A line is up, and this was the last of what there is to know of this server."""


class Drains(Struct, frozen=True, array_like=True, tag=20):
    """To all: no new room here from now on, as this server is going to stop."""


class Beat(Struct, frozen=True, array_like=True, tag=21):
    """Is somebody there?  `at`: the asker's clock, in s; `answered`: this is the answer; `leased`:
    who says it has a lease that is good.
    """

    at: float
    answered: bool
    leased: bool


class MemberDismissed(Struct, frozen=True, array_like=True, tag=22):
    """To a server that is no member any more: its rooms were taken over."""


class RoomHanded(Struct, frozen=True, array_like=True, tag=23):
    """To all: in the log that room belongs to the member of this number and epoch from now on.

    `used`: what the player to move there had used before, in ms.
    """

    room: int
    number: int
    epoch: int
    used: int


class LaddersLeft(Struct, frozen=True, array_like=True, tag=24):
    """To all: the ladders are here no more; the next server has them."""


class MemberGone(Struct, frozen=True, array_like=True, tag=25):
    """To all: this server has declared that member dead; rooms of its have other owners soon."""

    number: int
    epoch: int


class LadderFollowed(Struct, frozen=True, array_like=True, tag=26):
    """To the front: a connection is sent the standings of this ladder from now on, or no more."""

    peer: int
    ladder: str
    on: bool


class LogWentBack(Struct, frozen=True, array_like=True, tag=30):
    """To all: the database is another one, or an older one: look at once.  `told`: all who are
    shown rooms of this server that it lacks moments of have been told.
    """

    told: bool


class RulesKnown(Struct, frozen=True, array_like=True, tag=31):
    """To all: by which versions of its rules each game is known here."""

    games: tuple[tuple[str, tuple[int, ...]], ...]


class RoomsRecalled(Struct, frozen=True, array_like=True, tag=32):
    """To a server that has not told of these rooms, which were handed to it: hand them back, but
    those that are being read.
    """

    rooms: tuple[int, ...]


Signal: TypeAlias = (
    PeerEntered | PeerLeft | RequestForwarded | RequestReturned | FramePushed | PeerEnded
    | PeerRested | PeerCharged | PeerFollows | RoomHead | RoomGone | LobbyRows | SessionStored
    | SessionForgotten | NameLinked | SlotHeld | HostActed | LaddersKept | AllTold | Drains | Beat
    | MemberDismissed | RoomHanded | LaddersLeft | MemberGone | LadderFollowed
    | LogWentBack | RulesKnown | RoomsRecalled
)  # fmt: skip

write_signal = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Signal).decode


def read_signal(payload: bytes) -> Signal:
    """Read what another server says.

    Raises:
        UnknownSignal: a server of another version says it.
        BadLine: it is no signal at all.
    """
    try:
        signal: Signal = _decode(payload)
    except msgspec.ValidationError as error:
        raise UnknownSignal(str(error)) from None
    except (ValueError, RecursionError) as error:  # also of texts that are no UTF-8
        raise BadLine(f"what is no signal: {error}") from None
    return signal
