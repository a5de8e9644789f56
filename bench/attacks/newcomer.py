"""A newcomer: somebody who comes to a server that is under attack, or was, and wants to play."""

from __future__ import annotations

import itertools
import time
from contextlib import suppress
from typing import Final

import msgspec

from bench.support.wire import P, Wire, WireError
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
    Request,
    RoomState,
    Welcome,
)
from protocol.parts import BotInfo, ClockOptions

GAME: Final = "tic_tac_toe"
NUMBERS: Final = itertools.count(1)
CLOCK: Final = ClockOptions(base_ms=60_000)
QUICK: Final = ("random", "minimax-2", "minimax-4", "mcts-2")  # anchors, also in plain Python
ANCHORS_S: Final = 90.0  # for each to come to a new ladder and begin a pair: 3 to 20 s
WAIT_S: Final = 10.0  # for the bot to come into the room, which takes milliseconds


class NewcomerFigures(msgspec.Struct, kw_only=True):
    """What a newcomer got.  `refused`: what was not to be had, and why; `rooms`: open ones."""

    hello_ms: float = 0.0
    rooms: int = 0
    refused: dict[str, str] = {}


def visit(host: str, port: int, *, ladders: bool = True, anchors: bool = False) -> NewcomerFigures:
    """Come in from an address where nobody was before, and try what everybody wants.

    `anchors`: see that they come to a ladder, too.
    """
    number, figures = next(NUMBERS), NewcomerFigures()
    refused, begin = figures.refused, time.monotonic()
    source = f"127.0.{100 + number // 200}.{1 + number % 200}"
    try:
        wire = Wire(host, port, source=source)
    except OSError as error:
        refused["hello"] = str(error)
        return figures

    def get(what: str, request: Request, answer: type[P]) -> P | None:
        try:
            return wire.ask(request, answer)
        except OSError as error:
            refused[what] = str(error)
            return None

    try:
        hello = Hello(version=1, name=f"newcomer {number}")
        if get("hello", hello, Welcome) is None:
            return figures
        figures.hello_ms = 1000 * (time.monotonic() - begin)
        if (lobby := get("lobby", Lobby(id=1, follow=False), LobbyList)) is not None:
            figures.rooms = lobby.total
        if (room := get("create", Create(id=2, game=GAME), RoomState)) is not None:
            invite = Invite(id=3, room=room.room, who="random")
            if get("invite", invite, Ok) is not None:
                _await_bot(wire, refused)
            get("leave", Leave(id=4, room=room.room), Ok)
            refused.pop("leave", None)  # the room may be gone with the bot
        if ladders:
            ladder = f"cup-{number}"
            made = LadderCreate(id=5, name=ladder, game=GAME, clock=CLOCK)
            if get("ladder_create", made, LadderState) is not None:
                get("ladder_stop", LadderStop(id=6, ladder=ladder), Ok)
        if anchors:
            missing = _missing_anchors(host, port, source, f"anchored-{number}")
            if missing:
                refused["anchors"] = f"{', '.join(sorted(missing))} did not come"
        return figures
    except OSError as error:
        refused["anchors"] = str(error)
        return figures
    finally:
        wire.close()


def _missing_anchors(host: str, port: int, source: str, ladder: str) -> set[str]:
    """Open a ladder, have a bot play there, and return which quick anchors it was not paired with.

    Raises:
        OSError: it was refused.
    """
    wire, missing = Wire(host, port, source=source), set(QUICK)
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


def _await_bot(wire: Wire, refused: dict[str, str]) -> None:
    wire.sock.settimeout(WAIT_S)
    try:
        while not all(wire.wait_for(RoomState).seats):
            pass
    except (OSError, WireError) as error:
        refused["bot"] = f"it did not come: {error}"
