"""A ladder of connect four with four players, as a server would tell of it."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from protocol import ladder
from protocol.parts import ClockOptions, Result

START = 1_794_500_000_000  # in November 2026
MCTS, MINIMAX, RANDOM, MINE = (
    "house/mcts@1",
    "house/minimax@1",
    "house/random@1",
    "ann/fourmind@0.3",
)


def line(**fields: Any) -> ladder.LadderLine:
    """What the list says of it."""
    blank: dict[str, Any] = {
        "name": "daily",
        "game": "connect_four",
        "format": "endless",
        "clock": ClockOptions(base_ms=10_000, increment_ms=100),
        "state": "running",
        "owner": "ada",
        "at": START,
        "players": 4,
        "here": 3,
        "pairs": 312,
    }
    return ladder.LadderLine(**(blank | fields))


def won(seat: int, how: str = "rules", reason: str = "line", points: float = 1.0) -> Result:
    """A match that `seat` has won."""
    returns = (points, -points) if seat == 0 else (-points, points)
    return Result(winner=seat, returns=returns, how=how, reason=reason)  # type: ignore[arg-type]


DRAWN = Result(winner=None, returns=(0.0, 0.0), how="rules", reason="full")


def leg(match: str | None, result: Result | None = None, plies: int = 21) -> ladder.PairLeg:
    """One match of a pair."""
    return ladder.PairLeg(match=match, result=result, plies=plies)


def pair(number: int, one: str, two: str, *legs: ladder.PairLeg, **fields: Any) -> ladder.PairLine:
    """A pair, by default over with a win for each side that moved first."""
    first = 2 * number + 15
    both = legs or (leg(f"{first}.1", won(0)), leg(f"{first + 1}.1", won(0)))
    at = START + 60_000 * number
    return ladder.PairLine(
        pair=number, one=one, two=two, at=at, legs=both, opening=("4", "3"), **fields
    )  # type: ignore[arg-type]


LIVE = (
    pair(
        313, MINE, MCTS, leg("641.1", won(0)), leg("642.1", None, 7),
        why="fewest pairs: ann/fourmind@0.3 has 41; p 0.44, ±61 between them",
    ),
    pair(314, MINIMAX, RANDOM, leg("643.1", None, 3), leg(None, None, 0), why="most to be learnt"),
)  # fmt: skip
RECENT = (
    pair(312, MCTS, MINIMAX, leg("639.1", won(0)), leg("640.1", DRAWN)),
    pair(311, MINE, RANDOM, leg("637.1", won(0)), leg("638.1", won(0, "flag", "flag"))),
    pair(310, MINE, MCTS, leg("635.1"), leg(None), void="both away"),
)


def standings() -> tuple[ladder.Standing, ...]:
    """Four players; the last has met nobody who has met the others."""
    return (
        ladder.Standing(
            player=MCTS, rank=1, rating=612.4, error=31.2, pairs=160, score=241.5, wins=236,
            draws=11, losses=73, lost_by={"flag": 2}, move_ms=98.2, slots=2, busy=1, anchor=True,
        ),
        ladder.Standing(
            player=MINE, rank=2, rating=540.0, error=58.8, pairs=41, score=50.0, wins=48,
            draws=4, losses=30, lost_by={"flag": 1, "crash": 3, "disconnect": 1}, voids=1,
            move_ms=230.0, slots=2, busy=1,
        ),
        ladder.Standing(
            player=RANDOM, rank=3, rating=0.0, error=None, pairs=200, score=9.5, wins=9,
            draws=1, losses=390, move_ms=0.2, slots=2, busy=1, anchor=True,
        ),
        ladder.Standing(
            player="eve/odd@2", rank=4, rating=21.0, error=80.0, group=1, pairs=4, score=6.0,
            wins=6, losses=2, lost_by={"resign": 2}, suspended="6 of its last 50 matches: flag",
        ),
    )  # fmt: skip


def state(**fields: Any) -> ladder.LadderState:
    """The whole ladder."""
    blank: dict[str, Any] = {
        "ladder": line(),
        "seq": 1_200,
        "standings": standings(),
        "cross": (
            ladder.Cross(one=0, two=1, pairs=41, score=49.0),
            ladder.Cross(one=0, two=2, pairs=119, score=236.5),
            ladder.Cross(one=1, two=2, pairs=9, score=18.0, exact=True),
        ),
        "live": LIVE,
        "recent": RECENT,
        "rated": 310,
        "pinned": RANDOM,
        "field": 384.1,
        "first_move": 23.4,
        "first_move_error": 9.1,
    }
    return ladder.LadderState(**(blank | fields))


EMPTY = state(
    ladder=line(players=0, here=0, pairs=0), standings=(), cross=(), live=(), recent=(), rated=0,
    pinned=None, field=None, first_move=None, first_move_error=None,
)  # fmt: skip


def judged(word: str, over: bool) -> ladder.LadderState:
    """A test of two versions that says so."""
    verdict = ladder.Verdict(
        word=word, text=f"{word} after 64 pairs", pairs=64, llr=1.0, lower=-2.9, upper=2.9
    )
    held = line(format="sprt:new,old", state="finished" if over else "running")
    return state(ladder=held, verdict=verdict)


def _of(player: str, rating: float, error: float) -> ladder.RatingOf:
    return ladder.RatingOf(player=player, rating=rating, error=error)


def history() -> ladder.RatingHistory:
    """Ratings after 20, 40, 80, 160 and 312 pairs."""
    points = tuple(
        ladder.RatingPoint(
            at=START + 60_000 * n,
            pairs=n,
            ratings=(
                _of(MCTS, 612 - 900 / n, 560 / n**0.5),
                _of(RANDOM, 0.0, 0.0),
                *([_of(MINE, 540 + 2_000 / n, 800 / n**0.5)] if n > 20 else []),
            ),
        )
        for n in (20, 40, 80, 160, 312)
    )
    return ladder.RatingHistory(ladder="daily", points=points)


def differences(*players: str) -> ladder.LadderDifferences:
    """How the three that can be compared differ, or these two of them."""
    rated = (MCTS, MINE, RANDOM)
    apart = {
        (MCTS, MINE): (72.4, 51.2, 0.9972),
        (MCTS, RANDOM): (612.4, 120.0, 1.0),
        (MINE, RANDOM): (540.0, 125.5, 1.0),
    }
    shown = players or rated
    return ladder.LadderDifferences(
        ladder="daily",
        rated=310,
        players=shown,
        differences=tuple(
            ladder.Difference(one=shown.index(a), two=shown.index(b), elo=e, error=r, los=los)
            for (a, b), (e, r, los) in apart.items()
            if a in shown and b in shown
        ),
    )


def pages() -> list[ladder.PairPage]:
    """The pairs that are over, on two pages."""
    first = ladder.PairPage(ladder="daily", pairs=(RECENT[2], RECENT[1]), next=312)
    return [first, ladder.PairPage(ladder="daily", pairs=(RECENT[0],))]


def listed(*names: str) -> ladder.Ladders:
    """A list of ladders."""
    return ladder.Ladders(ladders=tuple(replace(line(), name=name) for name in names))
