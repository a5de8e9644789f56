"""A ladder in the simulated house: who plays on it, and whether it counts each pair once.

Random bots play on it through all that goes wrong, at two pairs at once; they come, leave, and join
again.  One more opens and follows it.  Its log is judged by tests/chaos/account.py, which counts it
without the server's ladder code, and its ratings are those of the log when it is replayed.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from bench.support.transcript import public_event
from client.presence import Connection
from protocol import messages as wire
from protocol.errors import Code, Refusal
from protocol.ladder import LadderState
from protocol.parts import BotInfo, ClockOptions
from server.ladder.core import fitting, standing
from server.ladder.core.events import Made, read
from server.ladder.core.ladder import Ladder, counts
from tests.chaos.account import LadderTranscript, Log, judge
from tests.simulation.players import GONE, Player, Table
from tests.simulation.story import Wrong

LADDER = "climb"
GAME = "tic_tac_toe"
BOTS = 4
NOWHERE = Table(-1, GAME, None)  # type: ignore[arg-type] - they sit at no table of their own


class LadderBot(Player):
    """A program that plays at random."""

    def __init__(self, world: Any, number: int) -> None:
        super().__init__(world, number, NOWHERE, 0, 8.0)
        self.bot = BotInfo(program="random", games=[GAME], slots=2)
        self.joined: str | None = None  # the name under which it has

    def _turns(self) -> list[wire.MatchState]:
        return [m for m in self.replica.matches.values() if m.legal and m.result is None]

    def _is_asked(self) -> bool:
        return bool(self._turns())

    async def _act(self, connection: Connection) -> None:
        draw = self.rng.random()
        if self.world.hurries or (self.joined and draw < 0.05):
            if self.joined is not None:
                self.doing = "leave the ladder"
                await connection.ladder_leave(LADDER)
                self.joined = None
        elif self.joined != connection.name and draw < 0.5:
            self.doing = "join the ladder"
            await connection.ladder_join(LADDER)
            self.joined = connection.name
        turns = self._turns()
        if turns:
            self.doing = "play on the ladder"
            match = self.rng.choice(turns)
            try:
                await self._play(connection, match, match.turn, self.rng.choice(match.legal))
            except Refusal as no:
                if no.code in GONE and no.match is None:
                    self.replica.forget(match.room)
                raise


class LadderOwner(Player):
    """Who has opened the ladder, and looks on."""

    def __init__(self, world: Any, number: int) -> None:
        super().__init__(world, number, NOWHERE, 0, 20.0)

    def _is_asked(self) -> bool:
        return False

    async def _act(self, connection: Connection) -> None:
        self.doing = "follow the ladder"
        try:
            await connection.ladder_status(LADDER, follow=True)
        except Refusal as no:
            if no.code == Code.LADDER_UNKNOWN and not self.world.hurries:
                clock = ClockOptions(base_ms=60_000, increment_ms=1_000)
                await connection.ladder_create(LADDER, GAME, clock, seed=self.number)


class Standings:
    """What was shown of the ladder, by connection."""

    def __init__(self, disk: Any) -> None:
        self.disk = disk
        self.lines: defaultdict[int, LadderTranscript] = defaultdict(LadderTranscript)
        self.number: int | None = None

    def note(self, line: Any, state: LadderState, mark: float) -> None:
        """Write down what a client was shown, as it was written at `mark`."""
        self.lines[line.number].note(state)
        when = self.disk.when.get((self.find(), state.seq))
        if when is None or when > mark:
            raise Wrong(f"event {state.seq} of the ladder was shown before it was stored")

    def find(self) -> int | None:
        """Return the ladder's number, once it is stored."""
        if self.number is None:
            rooms = self.disk.by_room.items()
            self.number = next((n for n, rows in rooms if rows[0].kind == Made.kind), None)
        return self.number

    def check(self, server: Any) -> None:
        """Hold what was shown, the log, and what the server has of the ladder against each other.

        Raises:
            Wrong: if they differ.
        """
        number = self.find()
        if number is None:
            return
        rows = sorted(self.disk.by_room[number], key=lambda row: row.seq)
        actor = server.hub.services.ladders.by_number[number]
        shown = LadderTranscript(last=actor.state())
        for transcript in self.lines.values():
            shown.problems += transcript.problems
            for leg, result in transcript.results.items():
                if shown.results.setdefault(leg, result) != result:
                    raise Wrong(f"leg {leg} was shown as {result}, too")
            shown.over.update(transcript.over)
        legs = {}
        for room, events in self.disk.by_room.items():
            if room != number:
                in_order = sorted(events, key=lambda row: row.seq)
                legs[room] = [
                    public_event((row.room, row.seq, row.kind, row.match, row.body))
                    for row in in_order
                ]
        log = Log([(row.seq, read(row.kind, row.body)) for row in rows], legs)
        problems = judge(log, shown, {})
        if problems:
            raise Wrong(f"the ladder: {problems[0]}")
        self._check_ratings(actor, replayed(number, log))

    def _check_ratings(self, actor: Any, ladder: Ladder) -> None:
        """The server's ratings are those of the log."""
        if ladder.running:
            raise Wrong(f"pairs {list(ladder.running)} of the ladder have no end")
        if not ladder.counted:
            return
        telling = [p for p in ladder.counted if counts(p, len(ladder.openings), ladder.exhausted)]
        ratings = fitting.fit(
            len(ladder.players), standing.pairs(telling, frozenset(ladder.exhausted)),
            standing.pinned(ladder), (),
        )  # fmt: skip
        theirs = actor.rater.ratings
        if actor.rater.rated != len(ladder.counted) or theirs is None or theirs.elo != ratings.elo:
            raise Wrong(
                f"ratings of {actor.rater.rated} pairs are {theirs and theirs.elo}, and those of"
                f" the log's {len(ladder.counted)} {ratings.elo}"
            )


def replayed(number: int, log: Log) -> Ladder:
    """Return the ladder that the log makes."""
    ladder = Ladder(number, log.creation)
    for _, event in log.ladder[1:]:
        ladder.fold(event)
    return ladder
