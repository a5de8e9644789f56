"""The requests of one member that are not done with: unsent, unanswered, or standing.

    unsent      waits for a connection; certainly has not happened
    unanswered  was sent.  When the connection is lost under it, it is sent again if that does no
                harm (REPEATABLE), else its caller learns that nobody knows whether it happened
    standing    a granted `watch` or `lobby{follow}`: the server forgets these with the
                connection, so they are asked for again on the next one

Knows no socket.  Futures are the only part of asyncio in here.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from msgspec.structs import replace

from client.errors import Interrupted, OutboxFull
from client.verbs import answer_type
from protocol.errors import Code, PlyhouseError, ProtocolError, Refusal
from protocol.ladder import LadderHistory, LadderPairs, LadderStatus
from protocol.messages import (
    Create,
    Error,
    History,
    Join,
    Leave,
    Lobby,
    LobbyList,
    MatchState,
    Ok,
    Play,
    Push,
    Request,
    RoomState,
    Watch,
)

MAX_UNSENT = (
    256  # messages that wait for a connection; a program that goes on regardless is told so
)
# A play is exactly-once by its `turn`; the others change nothing, or nothing twice.
REPEATABLE = (Play, Lobby, History, Watch, LadderStatus, LadderPairs, LadderHistory)


@dataclass(slots=True)
class _Waiting:
    request: Request
    answer: asyncio.Future[Push]
    sent: bool = False


class Ledger:
    """What was asked for and not yet had."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._unsent: deque[Request] = deque()
        self._unanswered: dict[int, _Waiting] = {}
        self._watches: dict[int, Watch] = {}
        self._follows = False

    def number(self, request: Request) -> tuple[Request, asyncio.Future[Push]]:
        """The request with an id of its own, and the future of its answer."""
        number = next(self._numbers)
        request = replace(request, id=number)
        answer: asyncio.Future[Push] = asyncio.get_running_loop().create_future()
        self._unanswered[number] = _Waiting(request, answer)
        return request, answer

    def queue(self, request: Request) -> None:
        """Keep a message until there is a connection.

        Raises:
            OutboxFull: it is not kept.
        """
        if len(self._unsent) >= MAX_UNSENT:
            raise OutboxFull
        self._unsent.append(request)

    def next_unsent(self) -> Request | None:
        """The oldest message that waits for a connection and is still wanted, or None."""
        while self._unsent:
            request = self._unsent.popleft()
            waiting = self._waiting(request)
            if waiting is None or not waiting.answer.done():
                return request
            self.drop(request)
        return None

    def sent(self, request: Request) -> None:
        """Note that a message is on its way."""
        waiting = self._waiting(request)
        if waiting is not None:
            waiting.sent = True

    def drop(self, request: Request) -> None:
        """Forget a request that will not be sent."""
        self._unanswered.pop(request.id or 0, None)

    def settle(self, reply: Push) -> Push | None:
        """Hand a reply to who waits for it; what is returned is news for everybody, too.

        The server may answer an act, such as a play that it has had before, with the state that the
        act led to: then the caller gets `ok`, and the state is the news.
        """
        waiting = self._unanswered.pop(reply.re or 0, None)
        if waiting is None:
            return None
        self._note(waiting.request, reply)
        expected = answer_type(waiting.request)
        if isinstance(reply, expected):
            _resolve(waiting, reply)
        elif isinstance(reply, Error):
            _reject(waiting, refusal(reply))
        elif expected is Ok and isinstance(reply, RoomState | MatchState):
            _resolve(waiting, Ok(re=reply.re, seq=reply.seq))
            return replace(reply, re=None)
        else:
            _reject(waiting, _mismatch(waiting.request, reply))
        return None

    def reject(self, error: ProtocolError) -> None:
        """The reply to request `error.re` could not be read."""
        waiting = self._unanswered.pop(error.re or 0, None)
        if waiting is not None:
            _reject(waiting, error)

    def lost(self) -> None:
        """The connection is gone: queue what may be repeated of what was sent; give up the rest."""
        again: list[Request] = []
        for number, waiting in list(self._unanswered.items()):
            if not waiting.sent:
                continue
            if isinstance(waiting.request, REPEATABLE) and not waiting.answer.done():
                waiting.sent = False
                again.append(waiting.request)
            else:
                del self._unanswered[number]
                _reject(waiting, Interrupted(_tag(waiting.request)))
        self._unsent.extendleft(reversed(again))

    def fail(self, error: Callable[[], PlyhouseError]) -> None:
        """There will be no further connection: everybody who waits gets an error of their own."""
        for waiting in self._unanswered.values():
            _reject(waiting, error())
        self._unanswered.clear()
        self._unsent.clear()

    def standing(self) -> list[Request]:
        """What is to be asked for again on a new connection."""
        lobby: list[Request] = [Lobby(follow=True)] if self._follows else []
        return [*lobby, *self._watches.values()]

    def revoke(self, request: Request) -> None:
        """Stop asking for a standing request: the server does not grant it any longer."""
        if isinstance(request, Lobby):
            self._follows = False
        self._watches = {room: watch for room, watch in self._watches.items() if watch != request}

    def observe(self, message: Push) -> None:
        """Learn from a pushed message: nobody watches a closed room."""
        if isinstance(message, RoomState) and message.state == "closed":
            self._watches.pop(message.room, None)

    def _waiting(self, request: Request) -> _Waiting | None:
        return None if request.id is None else self._unanswered.get(request.id)

    def _note(self, request: Request, reply: Push) -> None:
        """Learn from a reply what stands from now on."""
        match request, reply:
            case Lobby(follow=follow), LobbyList():
                self._follows = follow
            case Watch(), RoomState(room=room):
                self._watches[room] = replace(request, id=None)
            case Create(), RoomState(room=room, seat=None, code=code):
                self._watches[room] = Watch(room=room, code=code)
            case Join(), RoomState(room=room):
                self._watches.pop(room, None)
            case Leave(room=room), Ok():
                self._watches.pop(room, None)


def refusal(error: Error) -> Refusal:
    """What to raise for an `error` message."""
    return Refusal(error.code, error.text, legal=error.legal, suggestion=error.suggestion)


def _mismatch(request: Request, reply: Push) -> ProtocolError:
    return ProtocolError(
        Code.PROTOCOL_BAD_MESSAGE,
        f"the server answered `{_tag(request)}` with `{_tag(reply)}`",
        re=reply.re,
    )


def _tag(message: Request | Push) -> str:
    return str(message.__struct_config__.tag)


def _resolve(waiting: _Waiting, reply: Push) -> None:
    if not waiting.answer.done():
        waiting.answer.set_result(reply)


def _reject(waiting: _Waiting, error: PlyhouseError) -> None:
    if not waiting.answer.done():
        waiting.answer.set_exception(error)
