"""Random matches with cube and score, each judged event by event by an independent referee."""

from __future__ import annotations

import random

import pytest

from games import registry
from games.backgammon_cube.rules import DROP, OFFER
from games.game import CHANCE, END, Position
from protocol import series as fold
from protocol.parts import Options, Result
from protocol.records.terms import first_position
from tests.games.backgammon import brute
from tests.games.backgammon_cube.referee import Agreement, Foul, RefereedGame, RefereedMatch

GAME = registry.game("backgammon_cube")
DROPS = 0.25  # how often an offer is refused: nearly every game would end there otherwise
GIVEN_UP = 0.002  # of decisions
SHORT = 40  # from so many plies on somebody resigns, as random games are long
LONG = 2_000  # where there is time


def options(rng: random.Random) -> Options:
    """Terms of any kind; short starts more often, as their games are."""
    start = rng.choice(("", "standard", "nackgammon", *["hypergammon"] * 5))
    cube = rng.random() < 0.9
    if rng.random() < 0.25:
        jacoby, beavers = (rng.random() < 0.5 and cube for _ in range(2))
        return Options(start=start, cube=cube, jacoby=jacoby, beavers=beavers)
    return Options(start=start, cube=cube, points=rng.choice((1, 2, 3, 5, 7, 11, 25)))


def play_match(seed: int, plies: int = SHORT) -> int:
    """One random match, or one game of money; how many events both sides agreed about."""
    rng = random.Random(seed)
    terms = options(rng)
    agreed = Agreement(
        terms.points or 0, terms.start or "standard", terms.cube, terms.jacoby, terms.beavers
    )
    judge = RefereedMatch(agreed)
    series = fold.begin(terms.points) if terms.points else None
    events = 0
    while True:
        position, game = first_position(GAME, terms, series), judge.next_game()
        result, count = play_game(position, game, rng, plies)
        events += count
        judge.count(game)
        if series is None:
            return events
        series = fold.after(series, result)
        assert series.score == tuple(judge.score)
        assert series.winner == judge.winner
        if series.winner is not None:
            return events


def play_game(
    p: Position, game: RefereedGame, rng: random.Random, plies: int
) -> tuple[Result, int]:
    """One game, each event judged by both; given up after so many."""
    count = 0
    while p.to_move != END:
        count += 1
        compare(p, game)
        if p.to_move >= 0 and (count > plies or rng.random() < GIVEN_UP):
            return resign(p, game, rng), count
        action = chosen(p, rng)
        word = GAME.format_action(p, action)
        if p.to_move == CHANCE:
            game.roll(word)
        else:
            game.act(p.to_move, word)
        p = p.apply(action)
    compare(p, game)
    outcome = p.outcome()
    assert outcome is not None
    assert game.over is not None
    won = outcome.returns[game.over.winner]
    assert (won, outcome.reason) == (game.over.counts, game.over.word)
    winner = game.over.winner
    return Result(winner=winner, returns=outcome.returns, how="rules", reason=outcome.reason), count  # type: ignore[arg-type]


def chosen(p: Position, rng: random.Random) -> int:
    """A random action: offers are taken often, dice fall by their weights."""
    if p.to_move == CHANCE:
        actions, weights = zip(*p.chance(), strict=True)
        return rng.choices(actions, weights)[0]
    if p.state[OFFER] and rng.random() > DROPS:
        return rng.choice([action for action in p.legal_actions() if action != DROP])
    return rng.choice(p.legal_actions())


def resign(p: Position, game: RefereedGame, rng: random.Random) -> Result:
    """Somebody gives up for as many points as the rules here offer."""
    seat = rng.randrange(2)
    prices = GAME.resignations(p, seat)
    assert prices == tuple(game.at_stake() * kind for kind in range(1, game.price(seat) + 1))
    points = rng.choice(prices)
    game.resign(seat, points)
    returns = (-float(points), float(points)) if seat == 0 else (float(points), -float(points))
    return Result(winner=1 - seat, returns=returns, how="resign", reason="resign")  # type: ignore[arg-type]


def compare(p: Position, game: RefereedGame) -> None:
    """Both say the same of whose turn it is, of what may be done, and of the checkers."""
    acting = game.to_act()
    assert (p.to_move if p.to_move >= 0 else None) == acting
    assert (p.to_move == END) == (game.over is not None)
    mine, theirs = brute.board(p.state, 0)
    assert [list(mine), list(theirs)] == [_on_board(game, seat) for seat in (0, 1)]
    if p.to_move >= 0 and game.dice is None:
        assert set(p.legal_notation()) == game.words()
    elif p.to_move >= 0:
        assert len(p.legal_actions()) == len(game.boards())


def _on_board(game: RefereedGame, seat: int) -> list[int]:
    return sorted(game.checkers[seat])


def test_forty_matches_are_judged_alike() -> None:
    assert sum(play_match(seed) for seed in range(40)) > 1_000


@pytest.mark.slow
@pytest.mark.parametrize("thousand", range(1, 11))
def test_ten_thousand_matches_are_judged_alike(thousand: int) -> None:
    first = 1_000 * thousand
    assert sum(play_match(seed, LONG) for seed in range(first, first + 1_000)) > 100_000


@pytest.mark.parametrize(
    ("player", "word"),
    [(1, "8/5 6/5"), (0, "8/4 6/5"), (0, "8/5"), (0, "pass"), (1, "double"), (1, "roll")],
)
def test_the_referee_sees_a_foul(player: int, word: str) -> None:
    game = RefereedMatch(Agreement(length=3)).next_game()
    game.roll("31")
    with pytest.raises(Foul):
        game.act(player, word)


def test_the_referee_lets_nobody_double_in_the_crawford_game_and_everybody_after_it() -> None:
    match = RefereedMatch(Agreement(length=3), score=[2, 0])
    for may_double in (False, True):
        game = match.next_game()
        game.roll("31")
        game.act(0, "8/5 6/5")
        assert (game.to_act() == 1) == may_double
        if may_double:
            game.act(1, "double")
            assert game.words() == {"take", "drop"}
        else:
            game.resign(0, 1)
            match.count(game)
    assert match.score == [2, 1]
