"""What has to hold: of all that clients were shown, of the log, and of both together.

While a run goes on each message is held against what is on the disk at that moment.  At its end the
log is folded once more, by rules that are written here anew, as short as they can be, since a fold
that the server shares would not notice its own mistakes.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from games import registry
from games.game import Position
from protocol import messages as wire
from protocol.errors import Code, Refusal
from protocol.ladder import LadderState
from protocol.records.terms import first_position
from server.core import events
from server.core.events import read_body
from tests.simulation.history import History
from tests.simulation.log import Disk

SLACK_MS = 250  # what a charge may be off by: ways of the network are not known here
NEVER = frozenset({Code.MATCH_STALE_TURN, Code.MATCH_NOT_YOUR_TURN, Code.MATCH_ILLEGAL_ACTION,
                   Code.MATCH_BAD_NOTATION})  # fmt: skip


class Wrong(AssertionError):
    """What must never happen has happened."""


class Shown(NamedTuple):
    """A match at one event, as somebody was shown it."""

    position: str
    ply: int
    to_move: int
    turn: int
    result: Any


class Story:
    """All that was said."""

    def __init__(self, disk: Disk, trace: Any = None) -> None:
        self.disk = disk
        self.digest = hashlib.blake2b(digest_size=16)
        self.trace = trace  # a file, or None
        self.messages = 0
        self.history = History()
        self.standings: Any = None  # what was shown of the ladder, where there is one
        self.tried: set[tuple[str, int, str, str]] = set()  # match, turn, action, name
        self.granted: set[tuple[str, int, str, str]] = set()
        self.denied: set[tuple[str, int, str, str]] = set()
        self.matches: dict[tuple[str, int], Shown] = {}  # by name and seq
        self.actions: dict[tuple[int, int], tuple[Any, ...]] = {}  # by room and seq
        self.chat: dict[tuple[int, int], tuple[str, str]] = {}
        self.latest: dict[tuple[int, str], int] = {}  # by line and match: the newest seq
        self.away: list[tuple[float, float]] = []  # when no server was there

    def note(self, text: str) -> None:
        """Put into the trace what happens beside messages."""
        self.digest.update(text.encode())
        if self.trace is not None:
            self.trace.write(f"{self.disk.loop.now:.6f} {text}\n")

    def refused(self, key: tuple[str, int, str, str], no: Refusal) -> None:
        """Note that a play was refused, for good."""
        if no.code in NEVER:
            self.denied.add(key)

    def wrote(self, line: Any, payload: bytes, is_clients: bool) -> float:
        """See network.Watcher."""
        now = self.disk.loop.now
        self.messages += 1
        self.digest.update(b"%d %d %d " % (int(now * 1e6), line.number, is_clients))
        self.digest.update(payload)
        if self.trace is not None:
            way = ">" if is_clients else "<"
            self.trace.write(f"{now:.6f} {line.number} {line.client.name} {way} {payload.hex()}\n")
        return now

    def shown(self, line: Any, message: wire.Push, mark: float) -> None:
        """See network.Watcher; `mark`: when it was written."""
        if type(message) is wire.MatchState:
            self._check_stored(message.room, message.seq, mark)
            self._take_match(line, message)
        elif type(message) is wire.RoomState:
            self._check_stored(message.room, message.seq, mark)
        elif type(message) is wire.Said:
            self._check_stored(message.room, message.seq, mark)
            self._same(self.chat, (message.room, message.seq), (message.name, message.text))
        elif type(message) is wire.HistoryPage:
            for event in message.events:
                self._check_stored(message.room, event.seq, mark)
        elif type(message) is LadderState and self.standings is not None:
            self.standings.note(line, message, mark)

    def _check_stored(self, room: int, seq: int, mark: float) -> None:
        when = self.disk.when.get((room, seq))
        if when is None or when > mark:
            raise Wrong(f"event {seq} of room {room} was shown before it was stored")

    def _take_match(self, line: Any, state: wire.MatchState) -> None:
        newest = self.latest.get((line.number, state.match), 0)
        if state.seq < newest:
            raise Wrong(f"{line.client.name} was shown {state.match} at {state.seq} after {newest}")
        self.latest[line.number, state.match] = state.seq
        shown = Shown(state.position, state.ply, state.to_move, state.turn, state.result)
        self._same(self.matches, (state.match, state.seq), shown)
        for event in state.events:
            self._same(self.actions, (state.room, event.seq), _action(event))

    def _same(self, known: dict[Any, Any], key: Any, value: Any) -> None:
        before = known.setdefault(key, value)
        if before != value:
            raise Wrong(f"{key} was shown as {before}, and as {value}")

    # ------------------------------------------------------------ at the end

    def check_log(self) -> int:
        """Hold what was shown against the log; return how many plays it has."""
        plays = 0
        for room in sorted(self.disk.by_room):
            plays += self.fold(room)
        for match, turn, action, name in sorted(self.granted):
            raise Wrong(
                f"{name}'s {action} at turn {turn} of {match} was granted, and never happened"
            )
        return plays

    def fold(self, room: int) -> int:
        """Hold one room against its log; return how many plays it has."""
        return _Fold(self, room).run()

    def away_ms(self, since: float, until: float) -> float:
        """How long no server was there between two times."""
        total, end = 0.0, since
        for a, b in sorted(self.away):  # they may overlap
            total += max(0.0, min(b, until) - max(a, end))
            end = max(end, min(b, until))
        return 1000 * total


def _action(event: Any) -> tuple[Any, ...]:
    return (event.kind, event.ply, event.seat, event.action, event.spent_ms or 0, event.lag_ms or 0)


class _Fold:
    """The events of a room once more, in order."""

    def __init__(self, story: Story, room: int) -> None:
        self.story, self.room = story, room
        self.match: str | None = None
        self.game: Any = None
        self.stack: list[Position] = []
        self.players: tuple[str, str] = ("", "")
        self.turn = 0
        self.result: Any = None
        self.answered: set[int] = set()
        self.charged_from = 0.0
        self.plays = 0

    def run(self) -> int:
        """Go through them."""
        story, last_at = self.story, 0
        rows = sorted(story.disk.by_room[self.room], key=lambda row: row.seq)
        if rows and rows[0].kind != "created":
            return 0  # a ladder's, or the house's
        for seq, row in enumerate(rows, 1):
            if row.seq != seq:
                raise Wrong(f"room {self.room} has no event {seq}")
            event: Any = read_body(row.kind, row.body)
            if event.at < last_at:
                raise Wrong(f"time went back in room {self.room} at event {seq}")
            last_at = event.at
            self._take(row, event)
            self._compare(seq, event)
        if self.match is not None and self.result is None:
            raise Wrong(f"match {self.match} has not ended")
        return self.plays

    def _take(self, row: Any, event: Any) -> None:
        kind = type(event)
        if kind is events.Started:
            self.match = f"{self.room}.{row.match}"
            self.game = registry.game(event.game, event.rules_version)
            self.stack = [first_position(self.game, event.options, event.series)]
            self.players = (event.players[0].name, event.players[1].name)
            self.turn, self.result = row.seq, None
        elif kind is events.Played:
            self._check_play(row, event)
            self.stack.append(self.stack[-1].after(event.action))
            self.turn = row.seq
        elif kind in (events.Passed, events.DiceRolled, events.Opened):
            self.stack.append(self.stack[-1].after(event.action))
            self.turn = row.seq
        elif kind is events.TakenBack:
            del self.stack[event.ply + 1 :]
            self.turn = row.seq
        elif kind is events.Ended:
            if self.result is not None:
                raise Wrong(f"match {self.match} has ended twice")
            self.result = event.result
            self._check_charge(row, event.spent)
        else:
            return
        self.charged_from = self.story.disk.when[row.room, row.seq]

    def _check_play(self, row: Any, event: Any) -> None:
        self.plays += 1
        story, name = self.story, self.players[event.seat]
        position = self.stack[-1]
        where = f"event {row.seq} of room {self.room}"
        if self.result is not None or position.to_move != event.seat:
            raise Wrong(f"{where}: seat {event.seat} has played out of turn")
        if event.action not in position.legal_notation():
            raise Wrong(f"{where}: {event.action} is not legal")
        key = (self.match, self.turn, event.action, name)
        if key not in story.tried:
            raise Wrong(f"{where}: {name} never played {event.action} at turn {self.turn}")
        if key in story.denied:
            raise Wrong(f"{where}: what was refused has happened")
        story.granted.discard(key)
        self._check_charge(row, event.spent)

    def _check_charge(self, row: Any, spent: int) -> None:
        """No player pays for more time than has passed, nor for a time without a server."""
        story, until = self.story, self.story.disk.when[row.room, row.seq]
        passed = 1000 * (until - self.charged_from) - story.away_ms(self.charged_from, until)
        if spent > passed + SLACK_MS and self.charged_from:
            raise Wrong(
                f"event {row.seq} of room {self.room} charges {spent} ms, of {passed:.0f} ms in"
                " which there was a server"
            )

    def _compare(self, seq: int, event: Any) -> None:
        story = self.story
        told = story.actions.get((self.room, seq))
        if told is not None:
            real = _action_of(event)
            if told != real:
                raise Wrong(f"event {seq} of room {self.room} was shown as {told}; it is {real}")
        if isinstance(event, events.Chatted):
            said = story.chat.get((self.room, seq))
            if said is not None and said != (event.who.title(), event.text):
                raise Wrong(f"event {seq} of room {self.room} was shown as {said}")
        shown = story.matches.get((self.match or "", seq))
        if shown is None or not self.stack:
            return
        position = self.stack[-1]
        text = self.game.format_position(position)
        real = (text, len(self.stack) - 1, self.turn, self.result)
        if (shown.position, shown.ply, shown.turn, shown.result) != real:
            raise Wrong(f"match {self.match} was shown at {seq} as {shown}; it is {real}")


def _action_of(event: Any) -> tuple[Any, ...]:
    if isinstance(event, events.Played):
        return ("play", event.ply, event.seat, event.action, event.spent, event.lag)
    return (event.kind, event.ply, getattr(event, "seat", -1), event.action, 0, 0)
