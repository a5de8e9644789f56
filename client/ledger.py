"""The requests of one member that are unsent, unanswered or standing.

    unsent      waits for a connection; certainly has not happened
    unanswered  was sent.  When the connection is lost under it, it is sent again if that does no
                harm (`repeatable`), else its caller learns that it may have happened or not
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
from typing import Literal

from msgspec.structs import replace

from client.errors import Interrupted, OutboxFull
from client.verbs import answer_type
from protocol import messages as wire
from protocol.errors import Code, PlyhouseError, ProtocolError, Refusal

MAX_UNSENT = 256  # messages that wait for a connection; one more raises OutboxFull


@dataclass(slots=True)
class _Waiting:
    """A request whose answer is due."""

    request: wire.Request
    answer: asyncio.Future[wire.Push]
    sent: bool = False


class Ledger:
    """Requests that are not finished."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._unsent: deque[wire.Request] = deque()
        self._unanswered: dict[int, _Waiting] = {}
        self._watches: dict[int, wire.Watch] = {}
        self._follows: bool | Literal["changes"] = False

    def number(self, request: wire.Request) -> tuple[wire.Request, asyncio.Future[wire.Push]]:
        """Return the request with an id of its own, and the future of its answer."""
        number = next(self._numbers)
        request = replace(request, id=number)
        answer: asyncio.Future[wire.Push] = asyncio.get_running_loop().create_future()
        self._unanswered[number] = _Waiting(request, answer)
        return request, answer

    def queue(self, request: wire.Request) -> None:
        """Keep a message until there is a connection.

        Raises:
            OutboxFull: it is not kept.
        """
        if len(self._unsent) >= MAX_UNSENT:
            raise OutboxFull
        self._unsent.append(request)

    def next_unsent(self) -> wire.Request | None:
        """Return the oldest message that waits for a connection and is still wanted, or None."""
        while self._unsent:
            request = self._unsent.popleft()
            waiting = self._waiting(request)
            if waiting is None or not waiting.answer.done():
                return request
            self.drop(request)
        return None

    def sent(self, request: wire.Request) -> None:
        """Note that a message is on its way."""
        waiting = self._waiting(request)
        if waiting is not None:
            waiting.sent = True

    def drop(self, request: wire.Request) -> None:
        self._unanswered.pop(request.id or 0, None)

    def settle(self, reply: wire.Push) -> wire.Push | None:
        """Hand a reply to the caller that waits for it; return what is news for everybody, too.

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
        elif isinstance(reply, wire.Error):
            _reject(waiting, refusal(reply))
        elif expected is wire.Ok and isinstance(reply, wire.RoomState | wire.MatchState):
            _resolve(waiting, wire.Ok(re=reply.re, seq=reply.seq))
            return replace(reply, re=None)
        else:
            _reject(waiting, _mismatch(waiting.request, reply))
        return None

    def reject(self, error: ProtocolError) -> None:
        """Fail the request `error.re`, whose reply could not be read."""
        waiting = self._unanswered.pop(error.re or 0, None)
        if waiting is not None:
            _reject(waiting, error)

    def lost(self) -> None:
        """Queue again what was sent and may be repeated; give up the rest of what was sent."""
        again: list[wire.Request] = []
        for number, waiting in list(self._unanswered.items()):
            if not waiting.sent:
                continue
            if waiting.request.repeatable and not waiting.answer.done():
                waiting.sent = False
                again.append(waiting.request)
            else:
                del self._unanswered[number]
                _reject(waiting, Interrupted(_tag(waiting.request)))
        self._unsent.extendleft(reversed(again))

    def fail(self, error: Callable[[], PlyhouseError]) -> None:
        """Fail all requests, each with an error of its own: there will be no further connection."""
        for waiting in self._unanswered.values():
            _reject(waiting, error())
        self._unanswered.clear()
        self._unsent.clear()

    def to_restore(self) -> list[wire.Request]:
        """Return what is to be asked for again on a new connection."""
        lobby: list[wire.Request] = [wire.Lobby(follow=self._follows)] if self._follows else []
        return [*lobby, *self._watches.values()]

    def revoke(self, request: wire.Request) -> None:
        """Stop asking for a standing request: the server does not grant it any longer."""
        if isinstance(request, wire.Lobby):
            self._follows = False
        self._watches = {room: watch for room, watch in self._watches.items() if watch != request}

    def observe(self, message: wire.Push) -> None:
        """Learn from a pushed message: a closed room has no spectators."""
        if isinstance(message, wire.RoomState) and message.state == "closed":
            self._watches.pop(message.room, None)

    def _waiting(self, request: wire.Request) -> _Waiting | None:
        return None if request.id is None else self._unanswered.get(request.id)

    def _note(self, request: wire.Request, reply: wire.Push) -> None:
        """Note which requests a reply makes standing, or ends."""
        match request, reply:
            case wire.Lobby(follow=follow), wire.LobbyList():
                self._follows = follow
            case wire.Watch(), wire.RoomState(room=room):
                self._watches[room] = replace(request, id=None)
            case wire.Create(), wire.RoomState(room=room, seat=None, code=code):
                self._watches[room] = wire.Watch(room=room, code=code)
            case wire.Join(), wire.RoomState(room=room):
                self._watches.pop(room, None)
            case wire.Leave(room=room), wire.Ok():
                self._watches.pop(room, None)


def refusal(error: wire.Error) -> Refusal:
    """Return what to raise for an `error` message."""
    return Refusal(
        error.code, error.text, legal=error.legal, suggestion=error.suggestion,
        retry_ms=error.retry_ms, match=error.match,
    )  # fmt: skip


def _mismatch(request: wire.Request, reply: wire.Push) -> ProtocolError:
    return ProtocolError(
        Code.PROTOCOL_BAD_MESSAGE,
        f"the server answered `{_tag(request)}` with `{_tag(reply)}`",
        re=reply.re,
    )


def _tag(message: wire.Request | wire.Push) -> str:
    return str(message.__struct_config__.tag)


def _resolve(waiting: _Waiting, reply: wire.Push) -> None:
    if not waiting.answer.done():
        waiting.answer.set_result(reply)


def _reject(waiting: _Waiting, error: PlyhouseError) -> None:
    if not waiting.answer.done():
        waiting.answer.set_exception(error)
