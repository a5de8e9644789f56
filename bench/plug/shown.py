"""What clients of a house were shown, read off what its server sent, and whether a disk has it."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Final

from bench.plug.disk import SentBytes
from bench.support.transcript import facts, public_event
from bench.support.wire import BINARY, split_frames
from protocol.codec import decode_reply
from protocol.history import ACTIONS
from protocol.messages import HistoryPage, MatchState, Push, RoomState, Said, Welcome
from protocol.parts import Event
from server.core.session import hash_token
from server.store.contract import EventRow, SessionRow

_HEAD_ENDS: Final = b"\r\n\r\n"
QUOTED: Final = 3  # of what is missing


class Shown:
    """Everything that somebody was shown so far."""

    def __init__(self) -> None:
        self.names: dict[str, bytes] = {}  # the hash of the token of each
        self.events: dict[tuple[int, int], tuple[object, ...]] = {}  # by room and seq
        self.newest: dict[int, int] = {}  # how far each room has come
        self._streams: dict[str, bytes] = {}  # of each WebSocket, a frame that is not whole yet

    def copy(self) -> Shown:
        new = Shown()
        new.names, new.events, new.newest = {**self.names}, {**self.events}, {**self.newest}
        return new

    def hear(self, sent: SentBytes) -> None:
        data, rest = sent.data, self._streams.get(sent.stream)
        if rest is None:
            head, ends, data = data.partition(_HEAD_ENDS)
            if not head.startswith(b"HTTP/1.1 101") or not ends:
                return
        frames, self._streams[sent.stream] = split_frames((rest or b"") + data)
        for first, payload in frames:
            if first == BINARY:
                self.note(decode_reply(payload))

    def note(self, message: Push) -> None:
        match message:
            case Welcome(name=name, token=str(token)):
                self.names[name] = hash_token(token)
            case RoomState(room=room, seq=seq):
                self._reach(room, seq)
            case MatchState(room=room, seq=seq, events=events, match=match):
                self._reach(room, seq)
                self._see(room, events, match)
            case HistoryPage(room=room, events=events):
                self._see(room, events, None)
            case Said(room=room, seq=seq, name=name, text=text):
                self._reach(room, seq)
                self.events[room, seq] = ("said", name, text)

    def _reach(self, room: int, seq: int) -> None:
        self.newest[room] = max(seq, self.newest.get(room, 0))

    def _see(self, room: int, events: Sequence[Event], match: str | None) -> None:
        for event in events:
            self._reach(room, event.seq)
            self.events[room, event.seq] = _seen(event, match or event.match)

    def missing(
        self, sessions: Sequence[SessionRow], rooms: Mapping[int, Sequence[EventRow]]
    ) -> list[str]:
        """What of it is not there or otherwise, and what is there that cannot be."""
        tokens = {row.name: row.token for row in sessions}
        problems = [
            f"the name {name} is lost"
            for name, token in self.names.items()
            if tokens.get(name) != token
        ]
        there = {(row.room, row.seq): row for rows in rooms.values() for row in rows}
        for key, seen in self.events.items():
            row = there.get(key)
            if row is None or _logged(row) != seen:
                problems.append(f"{seen} of {key} was shown, and {row} is there")
        for room, seq in self.newest.items():
            if (room, seq) not in there:
                problems.append(f"room {room} was shown at seq {seq}, which is lost")
        for room, rows in rooms.items():
            problems += _disorder(room, rows)
        return problems[:QUOTED]


def _disorder(room: int, rows: Sequence[EventRow]) -> list[str]:
    """See that no event of a room is left out or there twice, nor a ply of a match."""
    if [row.seq for row in rows] != list(range(1, len(rows) + 1)):
        return [f"the events of room {room} are {[row.seq for row in rows]}"]
    plies: dict[int | None, list[int | None]] = {}
    for row in rows:
        if row.kind in ACTIONS:
            plies.setdefault(row.match, []).append(_event(row).ply)
    return [
        f"the plies of {room}.{match} are {each}"
        for match, each in plies.items()
        if each != list(range(len(each)))
    ]


@functools.lru_cache(maxsize=100_000)
def _event(row: EventRow) -> Event:
    return public_event((row.room, row.seq, row.kind, row.match, row.body))


@functools.lru_cache(maxsize=100_000)
def _logged(row: EventRow) -> tuple[object, ...]:
    event = _event(row)
    return _seen(event, event.match)


def _seen(event: Event, match: str | None) -> tuple[object, ...]:
    """What of an event must never differ."""
    if event.kind == "said":
        name = None if event.player is None else event.player.name
        return ("said", name, event.text)
    seq, kind, _, *others = facts(event)
    return (seq, kind, match, *others)
