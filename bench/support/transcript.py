"""What players were shown of the matches in a room, and whether log and rules say the same.

A transcript is only added to, never corrected: what contradicts it later is a problem.  Problems
are sentences; an empty list is the proof that was asked for.  No sockets here.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from msgspec.structs import replace

from games import registry
from games.dice import Deal, commitment
from games.game import CHANCE, END, Game, Position
from protocol.history import ACTIONS
from protocol.messages import MatchState, RoomState
from protocol.notation import format_match
from protocol.parts import Event, Result, Seat
from server.core.events import public, read_body
from server.store.sqlite import newest

TOLD = frozenset({*ACTIONS, "started", "ended"})  # kinds of events after which a match is told
FACTS = ("seq", "kind", "match", "ply", "seat", "action")  # what must never differ


class Transcript:
    """Everything one member was ever shown about the matches in its room."""

    def __init__(self, name: str, *, sits: bool = True) -> None:
        """`sits`: no match begins without it, so that it sees the end of each."""
        self.name = name
        self.sits = sits
        self.actions: dict[int, Event] = {}  # by seq
        self.messages: dict[str, set[int]] = {}  # the seqs of its match messages, by match
        self.positions: dict[tuple[str, int], str] = {}  # by match and ply
        self.results: dict[str, Result] = {}
        self.final: dict[str, MatchState] = {}
        self.promised: dict[str, str | None] = {}  # the commitment that was shown before the match
        self.newest = 0
        self.plies = 0  # of the match that is on, or was last
        self.problems: list[str] = []
        self._commitment: str | None = None

    def note(self, state: MatchState) -> None:
        """Write down a match message."""
        if state.seq < self.newest:
            self._blame(f"was shown seq {state.seq} after {self.newest}: events were lost")
        self.newest, self.plies = max(state.seq, self.newest), state.ply
        self.messages.setdefault(state.match, set()).add(state.seq)
        for event in state.events:
            first = self.actions.setdefault(event.seq, _with_match(event, state.match))
            if facts(first) != facts(_with_match(event, state.match)):
                self._blame(f"seq {event.seq} was {facts(first)} and then {facts(event)}")
        place = (state.match, state.ply)
        if self.positions.setdefault(place, state.position) != state.position:
            self._blame(f"{place} was {self.positions[place]!r} and then {state.position!r}")
        self.promised.setdefault(state.match, self._commitment)
        if state.result is not None:
            self.final[state.match] = state
            if self.results.setdefault(state.match, state.result) != state.result:
                self._blame(f"the result of {state.match} changed to {state.result}")

    def note_room(self, state: RoomState) -> None:
        """Write down what a room message promises: the dice of the next match."""
        if state.state == "waiting":
            self._commitment = state.commitment

    def _blame(self, what: str) -> None:
        self.problems.append(f"{self.name} {what}")


def facts(event: Event) -> tuple[object, ...]:
    return tuple(getattr(event, name) for name in FACTS)


def _with_match(event: Event, match: str) -> Event:
    """The event with its match, which the events of a match message leave out."""
    return event if event.match is not None else replace(event, match=match)


def digest(events: Sequence[Event]) -> str:
    rows = sorted(facts(event) for event in events if event.kind in ACTIONS)
    return hashlib.sha256(repr(rows).encode()).hexdigest()


Row: TypeAlias = tuple[int, int, str, int | None, bytes]  # room, seq, kind, match, body


def read_rows(database: Path) -> list[Row]:
    db = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        query = f"{newest.union('room, seq, kind, match, body')} ORDER BY room, seq"
        return db.execute(query).fetchall()
    finally:
        db.close()


def public_event(row: Row) -> Event:
    """A room's event, as its players are shown it once the match is over."""
    room, seq, kind, match, body = row
    name = None if match is None else format_match(room, match)
    return public(seq, name, read_body(kind, body), sealed=False)


def public_events(rows: Sequence[Row]) -> dict[int, list[Event]]:
    log: dict[int, list[Event]] = {}
    for row in rows:
        log.setdefault(row[0], []).append(public_event(row))
    return log


def compare(
    transcripts: Sequence[Transcript], history: Sequence[Event], log: Sequence[Event]
) -> list[str]:
    """Everything that is wrong with what was shown of one room.

    Args:
        transcripts: of its players.
        history: its events as the server gives them over the wire.
        log: the same as they stand in the database.
    """
    problems = check_shown(transcripts, log)
    if [facts(event) for event in history] != [facts(event) for event in log]:
        problems.append(f"history and database differ: {len(history)} and {len(log)} events")
    if [event.seq for event in log] != list(range(1, len(log) + 1)):
        problems.append("the seqs of the log are not 1, 2, 3 ...")
    for started in (event for event in log if event.kind == "started"):
        problems += _check_match(started, log, transcripts)
    return problems


def check_shown(transcripts: Sequence[Transcript], log: Sequence[Event]) -> list[str]:
    """Every action that a player was ever shown stands in the log, where it was shown."""
    problems = [problem for transcript in transcripts for problem in transcript.problems]
    by_seq = {event.seq: event for event in log}
    for transcript in transcripts:
        for seq, shown in transcript.actions.items():
            logged = by_seq.get(seq)
            if logged is None:
                problems.append(f"{transcript.name} was shown {facts(shown)}, which is lost")
            elif facts(logged) != facts(shown):
                problems.append(
                    f"{transcript.name} was shown {facts(shown)}, logged is {facts(logged)}"
                )
    return problems


def check_told(transcripts: Sequence[Transcript], match: str) -> list[str]:
    """Each member was sent every message of a match, with its result, as nobody lost any."""
    everything = set[int]().union(*(each.messages.get(match, set()) for each in transcripts))
    problems = []
    for each in transcripts:
        if missing := sorted(everything - each.messages.get(match, set())):
            problems.append(f"{each.name} was not told of {match} at seq {missing}, as others were")
        if match not in each.results:
            problems.append(f"{each.name} was not told how {match} ended")
    return problems


def check_stopped(
    transcripts: Sequence[Transcript], log: Sequence[Event], is_still: bool
) -> list[str]:
    """What was lost of a room whose matches did not end in time.

    `is_still`: nothing has come for so long that nothing can be under way any more.
    """
    problems = check_shown(transcripts, log)
    newest = max((event for event in log if event.kind in TOLD), key=_seq, default=None)
    for each in transcripts:
        if is_still and newest is not None and each.newest < newest.seq:
            problems.append(
                f"{each.name} was shown nothing after seq {each.newest}; {newest.match} has come to"
                f" seq {newest.seq}, which nobody told it"
            )
    return problems


def _seq(event: Event) -> int:
    return event.seq


def _check_match(
    started: Event, log: Sequence[Event], transcripts: Sequence[Transcript]
) -> list[str]:
    """Replay one match by the rules beside what everybody was shown of it."""
    match = started.match or ""
    game = registry.game(started.game or "")
    actions = [event for event in log if event.match == match and event.kind in ACTIONS]
    if [event.ply for event in actions] != list(range(len(actions))):
        return [f"the plies of {match} are {[event.ply for event in actions]}"]
    deal = _deal(match, started, log)
    position, problems = game.initial(), []
    for event in actions:
        problems += _check_position(match, event.ply or 0, position, transcripts)
        if position.to_move == CHANCE and event.action != _roll(game, position, deal, event.ply):
            problems.append(f"{match} ply {event.ply}: the dice are not what the secret says")
        position = position.apply(game.parse_action(position, event.action or ""))
    problems += _check_position(match, len(actions), position, transcripts)
    problems += _check_end(match, position, transcripts)
    for transcript in transcripts:
        promise = transcript.promised.get(match)
        if deal is not None and promise not in (None, commitment(deal.secret)):
            problems.append(f"{transcript.name} was promised other dice for {match}")
    return problems


def _check_position(
    match: str, ply: int, position: Position, transcripts: Sequence[Transcript]
) -> list[str]:
    true = position.game.format_position(position)
    return [
        f"{transcript.name} was shown {shown!r} at ply {ply} of {match}, which is {true!r}"
        for transcript in transcripts
        if (shown := transcript.positions.get((match, ply), true)) != true
    ]


def _check_end(match: str, position: Position, transcripts: Sequence[Transcript]) -> list[str]:
    outcome = position.outcome()
    if position.to_move != END or outcome is None:
        return [f"{match} was not played to its end"]
    first, second = outcome.returns
    winner: Seat | None = None if first == second else 0 if first > second else 1
    due = Result(winner=winner, returns=outcome.returns, how="rules", reason=outcome.reason)
    return [
        f"{transcript.name} was shown {shown} as the end of {match}, the rules say {due}"
        for transcript in transcripts
        if (shown := transcript.results.get(match, None if transcript.sits else due)) != due
    ]


def _deal(match: str, started: Event, log: Sequence[Event]) -> Deal | None:
    if started.salts is None:
        return None
    dealt = [e for e in log if e.kind == "dealt" and e.seq < started.seq]
    if not dealt or dealt[-1].secret is None:
        return None
    return Deal(dealt[-1].deal or match, bytes.fromhex(dealt[-1].secret), started.salts)


def _roll(game: Game, position: Position, deal: Deal | None, ply: int | None) -> str | None:
    if deal is None or ply is None:
        return None
    return game.format_action(position, deal.roll(ply, position.chance()))
