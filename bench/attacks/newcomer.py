"""A newcomer: somebody who comes to a server that is under attack, or was, and wants to play."""

from __future__ import annotations

import itertools
import time
from contextlib import suppress
from typing import Final

import msgspec

from bench.support.wire import Wire, WireError
from bots.online.anchors import LEVELS, ZERO
from protocol.codec import decode_reply
from protocol.ladder import LadderCreate, LadderJoin, LadderState, LadderStatus, LadderStop
from protocol.messages import (
    Create,
    Hello,
    Invite,
    Leave,
    Lobby,
    LobbyList,
    MatchState,
    Ok,
    Play,
    Push,
    Request,
    RoomState,
    Welcome,
)
from protocol.parts import BotInfo, ClockOptions

GAME: Final = "tic_tac_toe"
NUMBERS: Final = itertools.count(1)
CLOCK: Final = ClockOptions(base_ms=60_000)
WAIT_S: Final = 10.0  # for the bot to come into the room, which takes milliseconds
ANCHORS_S: Final = 40.0  # for each anchor to come to a new ladder and begin a pair: 3 to 15 s


class NewcomerFigures(msgspec.Struct, kw_only=True):
    """What a newcomer got.  `refused`: what was not to be had, and why; `rooms`: open ones."""

    hello_ms: float
    rooms: int
    refused: dict[str, str]


def visit(host: str, port: int, *, ladders: bool = True, anchors: bool = False) -> NewcomerFigures:
    """Come in from an address where nobody was before, and try what everybody wants.

    `anchors`: see that they come to a ladder, too.
    """
    number = next(NUMBERS)
    refused: dict[str, str] = {}
    source = f"127.0.{100 + number // 200}.{1 + number % 200}"
    begin = time.monotonic()
    try:
        wire = Wire(host, port, source=source)
    except (OSError, WireError) as error:
        return NewcomerFigures(hello_ms=0.0, rooms=0, refused={"hello": str(error)})
    try:
        name = f"newcomer {number}"
        welcome = _try(wire, refused, "hello", Hello(version=1, name=name), Welcome)
        hello_ms = 1000 * (time.monotonic() - begin)
        if welcome is None:
            return NewcomerFigures(hello_ms=hello_ms, rooms=0, refused=refused)
        rooms = _try(wire, refused, "lobby", Lobby(id=1, follow=False), LobbyList)
        room = _try(wire, refused, "create", Create(id=2, game=GAME), RoomState)
        if isinstance(room, RoomState):
            invite = Invite(id=3, room=room.room, who="random")
            if _try(wire, refused, "invite", invite, Ok) is not None:
                _await_bot(wire, refused)
            _try(wire, {}, "leave", Leave(id=4, room=room.room), Ok)
        if ladders:
            ladder = f"cup-{number}"
            made = LadderCreate(id=5, name=ladder, game=GAME, clock=CLOCK)
            if _try(wire, refused, "ladder_create", made, LadderState) is not None:
                _try(wire, refused, "ladder_stop", LadderStop(id=6, ladder=ladder), Ok)
        if anchors:
            _await_anchors(refused, host, port, source, f"anchored-{number}")
        total = rooms.total if isinstance(rooms, LobbyList) else 0
        return NewcomerFigures(hello_ms=hello_ms, rooms=total, refused=refused)
    finally:
        wire.close()


def _await_anchors(refused: dict[str, str], host: str, port: int, source: str, ladder: str) -> None:
    try:
        missing = _missing_anchors(host, port, source, ladder)
    except OSError as error:
        refused["anchors"] = str(error)
        return
    if missing:
        refused["anchors"] = f"{', '.join(sorted(missing))} did not come in {ANCHORS_S:g} s"


def _missing_anchors(host: str, port: int, source: str, ladder: str) -> set[str]:
    """Open a ladder, have a bot play there, and return which anchors it was not paired with.

    Raises:
        OSError: it was refused.
    """
    wire, missing = Wire(host, port, source=source), {ZERO, *(f"{a}-{n}" for a, n in LEVELS)}
    try:
        bot = BotInfo(program="newcomer", games=[GAME])
        wire.ask(Hello(version=1, name=ladder, bot=bot), Welcome)
        wire.ask(LadderCreate(id=1, name=ladder, game=GAME, clock=CLOCK), LadderState)
        wire.ask(LadderJoin(id=2, ladder=ladder), Ok)
        wire.send(LadderStatus(id=3, ladder=ladder, follow=True))
        wire.sock.settimeout(WAIT_S)
        deadline = time.monotonic() + ANCHORS_S
        with suppress(TimeoutError):  # nothing has come for WAIT_S
            while missing and time.monotonic() < deadline:
                message = decode_reply(wire.read())
                if isinstance(message, MatchState) and message.legal:
                    action = message.legal[0]
                    wire.send(Play(match=message.match, turn=message.turn, action=action))
                elif isinstance(message, LadderState):
                    rows = [row for row in message.standings if row.anchor and row.pairs + row.busy]
                    missing -= {row.player.partition("/")[2].partition("@")[0] for row in rows}
        return missing
    finally:
        wire.close()


def _try(
    wire: Wire, refused: dict[str, str], what: str, request: Request, answer: type[Push]
) -> Push | None:
    try:
        return wire.ask(request, answer)
    except (OSError, WireError) as error:
        refused[what] = str(error)
        return None


def _await_bot(wire: Wire, refused: dict[str, str]) -> None:
    """See that the bot sits down."""
    wire.sock.settimeout(WAIT_S)
    try:
        while not all(wire.wait_for(RoomState).seats):
            pass
    except (OSError, WireError) as error:
        refused["bot"] = f"it did not come: {error}"
