"""A match as somebody wrote it, played again by the rules: what comes out are records.

No dice were promised and no clock ran, so there is neither a deal nor a time; a record names its
games 0.1, 0.2 ..., as no room of a server is called.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec.structs import replace

from games import registry
from games.game import (
    CHANCE,
    END,
    Game,
    IllegalAction,
    NotationError,
    Outcome,
    Position,
    UnplayableTerms,
)
from protocol.parts import Event, Options, Result, Seat, Series
from protocol.reading.written import (
    Unreadable,
    WrittenEnd,
    WrittenGame,
    WrittenMatch,
    WrittenTurn,
)
from protocol.records.record import MatchRecord
from protocol.records.replay import ROLL
from protocol.records.terms import first_position

PASS = "pass"


@dataclass(slots=True)
class PlayedAgain:
    """`records`: a game each, as far as the rules follow; `fault`: why no further; `remarks`: what
    the file says otherwise than the rules, in sentences.
    """

    records: list[MatchRecord] = field(default_factory=list)
    fault: Unreadable | None = None
    remarks: list[str] = field(default_factory=list)


def play_again(match: WrittenMatch) -> PlayedAgain:
    """Play the games of a match, up to the first turn that the rules do not follow."""
    played = PlayedAgain(fault=match.fault)
    score, seq = (0, 0), 1
    had_crawford = False
    for number, game in enumerate(match.games, 1):
        following = match.games[number].score if number < len(match.games) else None
        series = _series(match, game, score, had_crawford)
        one = _Game(match, game, series, f"0.{number}", seq)
        try:
            one.play(following)
        except Unreadable as error:
            one.fault = error
        if one.wants_jacoby():
            return play_again(_with_jacoby(match))
        if one.events:
            played.records.append(MatchRecord(one.name, tuple(one.events)))
        played.remarks += one.remarks
        if one.fault is not None:
            played.fault = one.fault
            break
        seq += len(one.events)
        score = one.score_after(score)
        had_crawford = had_crawford or (series is not None and series.crawford)
    return played


def _with_jacoby(match: WrittenMatch) -> WrittenMatch:
    match.jacoby = True
    return match


def _series(
    match: WrittenMatch, game: WrittenGame, score: tuple[int, int], had_crawford: bool
) -> Series | None:
    """Return where the series stands before a game: by what is written, else by those before it."""
    points = match.points
    if points is None:
        return None
    score = game.score if game.score is not None else score
    least = 1 if score == (0, 0) else 2
    number = min(max(game.number, least), 1 + sum(score))
    one_away = max(score) == points - 1
    crawford = game.crawford
    if crawford is None:
        doubled = any(turn.text == "double" for turn in game.turns)
        crawford = one_away and min(score) < points - 1 and not (had_crawford or doubled)
    return Series(points=points, score=score, game=number, crawford=crawford or points == 1)


class _Game:
    """One game while it is played again."""

    def __init__(
        self, match: WrittenMatch, game: WrittenGame, series: Series | None, name: str, seq: int
    ) -> None:
        self.name = name
        self.events: list[Event] = []
        self.fault: Unreadable | None = None
        self.remarks: list[str] = []
        self._match = match
        self._game = game
        self._series = series
        self._seq = seq
        self._ply = 0
        self._waits: WrittenTurn | None = None  # a roll whose turn is not written
        self._result: Result | None = None
        self._rules: Game = registry.game(match.game)

    def play(self, following: tuple[int, int] | None) -> None:
        """Play it; `following`: the score after it, where one is written.

        Raises:
            Unreadable: at the first line that the rules do not follow.
        """
        self._position = self._start()
        for turn in self._game.turns:
            self._play(turn)
        end = self._game.end
        if end is None and following is not None:
            end = self._end_by_score(following)
        outcome = self._position.outcome()
        if outcome is not None:
            self._end_by_rules(outcome, end)
        elif end is not None:
            self._give_up(end)
        elif following is not None or self._is_followed():
            raise Unreadable(self._last_line(), "the game is not over: `Wins` was expected")

    def wants_jacoby(self) -> bool:
        """Return whether only the Jacoby rule explains the points, and nothing is said of it."""
        end, result, match = self._game.end, self._result, self._match
        if match.points is not None or match.jacoby is not None or end is None or result is None:
            return False
        return (
            match.game == "backgammon_cube"
            and result.how == "rules"
            and end.points == 1 < max(result.returns)
            and not any(turn.text == "take" for turn in self._game.turns)
        )

    def score_after(self, score: tuple[int, int]) -> tuple[int, int]:
        result = self._result
        if self._series is not None:
            score = self._series.score
        if result is None or result.winner is None:
            return score
        won = int(max(result.returns))
        return (score[0] + won, score[1]) if result.winner == 0 else (score[0], score[1] + won)

    def _is_followed(self) -> bool:
        return self._game is not self._match.games[-1]

    def _last_line(self) -> int:
        turns = self._game.turns
        return turns[-1].line if turns else self._game.line

    def _start(self) -> Position:
        match, rules = self._match, self._rules
        with_cube = rules.name == "backgammon_cube"
        options = Options(points=match.points)
        if with_cube:
            options = Options(
                points=match.points, cube=match.cube, jacoby=bool(match.jacoby) and match.cube,
                beavers=match.beavers and match.cube, start=match.start,
            )  # fmt: skip
            if match.points is not None:
                options = replace(options, jacoby=False, beavers=False)
        try:
            position = first_position(rules, options, self._series)
        except UnplayableTerms as error:
            raise Unreadable(self._game.line, str(error)) from None
        self._add(
            "started", players=match.players, game=rules.name, options=options,
            rules_version=rules.rules_version, series=self._series,
        )  # fmt: skip
        return position

    def _play(self, turn: WrittenTurn) -> None:
        if self._waits is not None:
            what = f"a turn for the roll {self._waits.dice} was expected"
            raise Unreadable(self._waits.line, what)
        if self._position.to_move == END:
            raise Unreadable(turn.line, "the game is over by the rules, and goes on in the file")
        if turn.dice:
            self._roll(turn)
        self._check_seat(turn)
        position = self._position
        if turn.dice and position.legal_notation() == (PASS,) and _says_nothing(turn.text):
            self._apply(turn, PASS, PASS)
        elif not turn.text:
            self._waits = turn
        else:
            self._apply(turn, "play", turn.text)

    def _roll(self, turn: WrittenTurn) -> None:
        """Let the dice of a turn fall, the decision not to double before them included."""
        position = self._position
        if not self._rules.has_chance:
            raise Unreadable(turn.line, f"there are no dice in {self._rules.title}")
        is_first = position.to_move == CHANCE and self._ply == 0
        if not is_first:
            self._check_seat(turn)
        if position.to_move >= 0:
            if ROLL not in position.legal_notation():
                expected = " or ".join(position.legal_notation()[:3])
                raise Unreadable(turn.line, f"{expected} was expected, not a roll")
            self._apply(turn, "play", ROLL)
        low, high = sorted(turn.dice)
        seat = turn.seat or 0
        self._apply(turn, "roll", high + low if not is_first or seat == 0 else low + high)

    def _check_seat(self, turn: WrittenTurn) -> None:
        mover = self._position.to_move
        if mover == CHANCE and self._ply:  # whose roll it is
            return
        if mover == CHANCE:
            raise Unreadable(turn.line, "the first roll was expected")
        if turn.seat is not None and turn.seat != mover:
            who = self._match.players[mover].name
            raise Unreadable(turn.line, f"it is the turn of {who}, and this is the other side's")

    def _apply(self, turn: WrittenTurn, kind: str, text: str) -> None:
        position = self._position
        try:
            action = position.read(text)
            following = position.apply(action)
        except (NotationError, IllegalAction) as error:
            why = error.why if isinstance(error, IllegalAction) and error.why else str(error)
            rolled = f"{turn.dice}: " if turn.dice else ""
            raise Unreadable(turn.line, f"{rolled}{text[:60]} cannot be played: {why}") from None
        written = position.game.format_action(position, action)
        spent = {"spent_ms": 0, "lag_ms": 0} if kind == "play" else {}
        seat = -1 if kind == "roll" else position.to_move
        self._add(kind, ply=self._ply, seat=seat, action=written, **spent)
        self._ply += 1
        self._position = following

    def _end_by_rules(self, outcome: Outcome, end: WrittenEnd | None) -> None:
        first = outcome.returns[0]
        winner: Seat | None = None if first == 0 else 0 if first > 0 else 1
        points = round(abs(first))
        if end is not None and end.winner is not None and end.points not in (None, points):
            self.remarks.append(
                f"line {end.line}: the file says {end.points} points, the rules say {points}"
            )
        self._end(Result(winner=winner, returns=outcome.returns, how="rules",
                         reason=outcome.reason))  # fmt: skip

    def _end_by_score(self, following: tuple[int, int]) -> WrittenEnd | None:
        """Return the end of a game whose end is not written, by the score of the next one."""
        before = self._series.score if self._series is not None else self._game.score or (0, 0)
        gained = following[0] - before[0], following[1] - before[1]
        if min(gained) != 0 or max(gained) <= 0:
            return None
        return WrittenEnd(self._last_line(), gained.index(max(gained)), max(gained))

    def _give_up(self, end: WrittenEnd) -> None:
        """End a game that the rules had not ended."""
        if end.winner is None:
            if end.how == "agreement":
                self._agree("draw", 0, None)
            self._end(Result(winner=None, returns=(0.0, 0.0), how=end.how, reason=end.reason))
            return
        loser = 1 - end.winner
        prices = self._rules.resignations(self._position, loser)
        points = max((price for price in prices if price <= (end.points or 1)), default=prices[0])
        if points != (end.points or points):
            self.remarks.append(
                f"line {end.line}: the file says {end.points} points, and {points} can be lost"
            )
        if points != prices[-1] and end.how == "resign":
            self._agree("resign", loser, points)
        lost = float(points)
        returns = (-lost, lost) if loser == 0 else (lost, -lost)
        winner: Seat = 1 if loser == 0 else 0
        self._end(Result(winner=winner, returns=returns, how=end.how, reason=end.how))

    def _agree(self, offer: str, seat: int, points: int | None) -> None:
        self._add("offered", seat=seat, offer=offer, points=points)
        self._add("answered", seat=1 - seat, offer=offer, accept=True)

    def _end(self, result: Result) -> None:
        self._result = result
        self._add("ended", result=result, spent_ms=0)

    def _add(self, kind: str, **fields: object) -> None:
        seq = self._seq + len(self.events)
        event = Event(seq=seq, kind=kind, match=self.name, at=self._match.at, **fields)  # type: ignore[arg-type]
        self.events.append(event)


def _says_nothing(text: str) -> bool:
    return not text or "/" not in text
