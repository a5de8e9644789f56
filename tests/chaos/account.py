"""What was shown of a ladder, and whether its log, its rooms and the rules say the same.

As in bench/support/transcript.py, what people were shown is only added to, never corrected, and the
log of a server that has ended is read from its database.  The server's ladder code is not used:
the events are counted again, and each match is judged by client/records, which trusts no server.
Problems are sentences; an empty list is the proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from bench.support.transcript import Transcript, check_shown, public_event, read_rows
from client.records.verify import verify
from protocol.ladder import LadderState, PairLine
from protocol.parts import Event, Result
from protocol.records.record import of_room
from server.ladder.core.events import LadderEvent, Made, Paired, Scored, Voided, read

LegKey: TypeAlias = tuple[int, int]  # a pair's number, and which of its legs


@dataclass(slots=True)
class LadderTranscript:
    """Everything that followers were shown of one ladder."""

    seq: int = 0
    pairs: int = 0
    results: dict[LegKey, tuple[str, Result]] = field(default_factory=dict)
    over: dict[int, str | None] = field(default_factory=dict)  # pair -> why it is void, or None
    last: LadderState | None = None
    problems: list[str] = field(default_factory=list)

    def note(self, state: LadderState) -> None:
        """Write down the standings."""
        if state.seq < self.seq or state.ladder.pairs < self.pairs:
            self.problems.append(f"the standings went back to seq {state.seq} from {self.seq}")
        self.seq, self.pairs, self.last = state.seq, state.ladder.pairs, state
        for row in state.live:
            self._note_legs(row)
            if row.pair in self.over:
                self.problems.append(f"pair {row.pair} was over and is on again")
        for row in state.recent:
            self.note_over(row)

    def note_over(self, row: PairLine) -> None:
        """Write down a pair that is shown as over."""
        self._note_legs(row)
        if self.over.setdefault(row.pair, row.void) != row.void:
            self.problems.append(f"pair {row.pair} was {self.over[row.pair]}, now {row.void}")

    def _note_legs(self, row: PairLine) -> None:
        for number, leg in enumerate(row.legs):
            if leg.result is not None:
                outcome = (leg.match or "", leg.result)
                if self.results.setdefault((row.pair, number), outcome) != outcome:
                    self.problems.append(f"leg {number} of pair {row.pair} changed to {outcome}")


@dataclass(slots=True)
class Log:
    """The database of a server that has ended, with one ladder in it."""

    ladder: list[tuple[int, LadderEvent]]  # with seq
    rooms: dict[int, list[Event]]  # all others

    @property
    def creation(self) -> Made:
        """How the ladder began."""
        event = self.ladder[0][1]
        assert isinstance(event, Made), "read_log finds the ladder by this event"
        return event

    def legs(self) -> Iterator[tuple[LegKey, int]]:
        """Which leg each of the ladder's rooms is of."""
        for room, events in self.rooms.items():
            first = events[0]
            if first.pair is not None and first.leg is not None:
                yield (first.pair, first.leg), room


def read_log(database: Path) -> Log:
    """Read it; there is one ladder."""
    rows = read_rows(database)
    number = next(room for room, _, kind, _, _ in rows if kind == "ladder")
    log = Log([], {})
    for row in rows:
        room, seq, kind, _, body = row
        if room == number:
            log.ladder.append((seq, read(kind, body)))
        else:
            log.rooms.setdefault(room, []).append(public_event(row))
    return log


@dataclass(slots=True)
class Account:
    """A ladder counted again from its events."""

    paired: dict[int, Paired] = field(default_factory=dict)
    scored: dict[LegKey, Scored] = field(default_factory=dict)
    void: dict[int, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def counted(self) -> list[int]:
        """The pairs that count: both legs are scored."""
        return [
            pair
            for pair in self.paired
            if pair not in self.void and (pair, 0) in self.scored and (pair, 1) in self.scored
        ]

    def add(self, event: LadderEvent) -> None:
        """Note an event; what cannot follow those before it is a problem."""
        if isinstance(event, Paired):
            if event.pair != len(self.paired) + 1:
                self.problems.append(f"pair {event.pair} follows {len(self.paired)} others")
            self.paired[event.pair] = event
        elif isinstance(event, Scored):
            leg = (event.pair, event.leg)
            if leg in self.scored or event.pair in self.void or event.pair not in self.paired:
                self.problems.append(f"leg {leg} was scored out of its turn, or twice")
            self.scored[leg] = event
        elif isinstance(event, Voided):
            if event.pair in self.void or event.pair in self.counted():
                self.problems.append(f"pair {event.pair} is void after it was over")
            self.void[event.pair] = event.why


def recount(log: Log) -> Account:
    """Count the ladder's events."""
    account = Account()
    seqs = [seq for seq, _ in log.ladder]
    if seqs != list(range(1, len(seqs) + 1)):
        account.problems.append("the seqs of the ladder are not 1, 2, 3 ...")
    for _, event in log.ladder:
        account.add(event)
    return account


def judge(
    log: Log, transcript: LadderTranscript, transcripts: Mapping[int, Sequence[Transcript]]
) -> list[str]:
    """Everything that is wrong.

    Args:
        transcripts: by room, what its players were shown of the match.
    """
    account = recount(log)
    problems = [*transcript.problems, *account.problems, *_rooms(log, account)]
    for leg, scored in account.scored.items():
        problems += _match(leg, scored, log, account)
    for pair in account.counted():
        problems += _alike(pair, log, account)
    problems += _held(transcript, account)
    for room, players in transcripts.items():
        room_problems = check_shown(players, log.rooms.get(room, []))
        problems += [f"room {room}: {problem}" for problem in room_problems]
    return problems


def _rooms(log: Log, account: Account) -> list[str]:
    """Each leg has one room, whose events are numbered without a gap, and whose end is scored."""
    problems: list[str] = []
    at: dict[LegKey, int] = {}
    for leg, room in log.legs():
        events = log.rooms[room]
        if at.setdefault(leg, room) != room:
            problems.append(f"leg {leg} was played in the rooms {at[leg]} and {room}")
        if [event.seq for event in events] != list(range(1, len(events) + 1)):
            problems.append(f"the seqs of room {room} are not 1, 2, 3 ...")
        ended = next((event.result for event in events if event.kind == "ended"), None)
        if ended is not None and leg not in account.scored and leg[0] not in account.void:
            problems.append(f"leg {leg} ended as {ended} in room {room} and was not scored")
    return problems


def _match(leg: LegKey, scored: Scored, log: Log, account: Account) -> list[str]:
    """The match of a leg is the ladder's, holds by its rules and dice, and has the noted result."""
    name, events = f"{scored.room}.1", log.rooms.get(scored.room, [])
    if not events or (events[0].pair, events[0].leg) != leg:
        return [f"room {scored.room} is not that of leg {leg}"]
    record = of_room(name, events)
    verdict = verify(record)
    if verdict.wrong is not None:
        return [f"match {name} does not hold: event {verdict.seq}: {verdict.wrong}"]
    problems: list[str] = []
    if verdict.result != scored.result:
        problems.append(f"match {name} ended as {verdict.result}, and is noted as {scored.result}")
    if verdict.actions != scored.plies:
        problems.append(f"match {name} has {verdict.actions} plies, noted are {scored.plies}")
    paired = account.paired[leg[0]]
    opening = tuple(event.action for event in events if event.kind == "opening")
    if opening != paired.opening:
        problems.append(f"match {name} began with {opening}, and not {paired.opening}")
    return problems


def _alike(pair: int, log: Log, account: Account) -> list[str]:
    """Both legs have the same two players with seats swapped, and the same dice."""
    first, second = (log.rooms.get(account.scored[pair, leg].room, []) for leg in (0, 1))
    begun = [next(e for e in events if e.kind == "started") for events in (first, second)]
    seats = [[p.name for p in event.players or ()] for event in begun]
    problems: list[str] = []
    if seats[0] != seats[1][::-1]:
        problems.append(f"the legs of pair {pair} were played by {seats[0]} and {seats[1]}")
    paired = account.paired[pair]
    for leg, events in enumerate((first, second)):
        dealt = [(e.deal, e.secret) for e in events if e.kind == "dealt"]
        secret = paired.secret
        if dealt != ([(paired.deal, secret.hex())] if secret is not None else []):
            problems.append(f"leg {leg} of pair {pair} has other dice than its pair")
    if begun[0].salts != begun[1].salts:
        problems.append(
            f"the legs of pair {pair} have the salts {begun[0].salts}, {begun[1].salts}"
        )
    one, two = ({e.ply: e.action for e in events if e.kind == "roll"} for events in (first, second))
    return problems + [
        f"ply {ply} of pair {pair}: {one[ply]} and {two[ply]} were rolled"
        for ply in one.keys() & two.keys()
        if one[ply] != two[ply]
    ]


def _held(transcript: LadderTranscript, account: Account) -> list[str]:
    """What was shown stands in the log, and the last standings count what the log does."""
    problems: list[str] = []
    for leg, (match, result) in transcript.results.items():
        scored = account.scored.get(leg)
        if scored is None or (f"{scored.room}.1", scored.result) != (match, result):
            problems.append(f"leg {leg} was shown as {match}, {result}, and is noted as {scored}")
    counted = set(account.counted())
    for pair, void in transcript.over.items():
        if void != account.void.get(pair) or (void is None) != (pair in counted):
            problems.append(f"pair {pair} was shown as over ({void}), and is not in the log")
    if transcript.last is not None:
        problems += _counts(transcript.last, account, counted)
    return problems


def _counts(last: LadderState, account: Account, counted: set[int]) -> list[str]:
    """The score of each player in the last standings, beside that of the log."""
    if last.ladder.pairs != len(counted):
        return [f"the last standings count {last.ladder.pairs} pairs, the log {len(counted)}"]
    score = dict.fromkeys(range(len(last.standings)), 0.0)
    for pair in counted:
        for leg in (0, 1):
            paired, result = account.paired[pair], account.scored[pair, leg].result
            for seat, player in enumerate((paired.one, paired.two)[:: 1 if leg == 0 else -1]):
                score[player] += 0.5 if result.winner is None else float(result.winner == seat)
    scores = sorted(row.score for row in last.standings)
    if scores != sorted(score.values()):
        return [f"the last standings' scores are {scores}, the log's {sorted(score.values())}"]
    return []
