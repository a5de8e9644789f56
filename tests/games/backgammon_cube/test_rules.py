"""The cube's rules one by one."""

from __future__ import annotations

import pytest

from games import registry
from games.game import CHANCE, END, MatchTerms, Outcome, Position, UnplayableTerms

GAME = registry.game("backgammon_cube")
MONEY, JACOBY = MatchTerms(), MatchTerms(jacoby=True)
BEAVERS = MatchTerms(beavers=True)
SECOND = ("31", "8/5 6/5")  # after it O is about to roll for the first time

LAST_ONE = f"XGID=-A{'-' * 22}a-:{{}}:1:11:{{}}"  # X bears off its last one, and O has one left
GAMMON = f"XGID=-A{'-' * 18}o{'-' * 5}:{{}}:1:11:{{}}"  # ... and O has borne off none


def after(*words: str, terms: MatchTerms = MONEY, first: Position | None = None) -> Position:
    """The position after these actions in words."""
    p = first or GAME.initial(terms)
    for word in words:
        p = p.apply(GAME.parse_action(p, word))
    return p


def decisions(p: Position) -> tuple[int, tuple[str, ...]]:
    """Who decides, and between what."""
    return p.to_move, p.legal_notation()


def test_nobody_doubles_before_the_opening_roll_nor_with_the_dice_on_the_table() -> None:
    p = GAME.initial()
    assert p.to_move == CHANCE
    p = after("31")
    assert p.to_move == 0
    assert "double" not in p.legal_notation()
    assert decisions(after(*SECOND)) == (1, ("roll", "double"))


def test_who_does_not_double_rolls_and_is_not_asked_again() -> None:
    p = after(*SECOND, "roll")
    assert p.to_move == CHANCE
    assert len(p.chance()) == 21
    assert after(*SECOND, "roll", "64").to_move == 1


def test_a_double_is_taken_and_the_cube_changes_sides() -> None:
    p = after(*SECOND, "double")
    assert decisions(p) == (0, ("take", "drop"))
    p = after("take", first=p)
    assert p.to_move == CHANCE
    p = after("64", "24/18 13/9", first=p)
    assert decisions(p) == (0, ("roll", "double"))
    p = after("roll", "52", "13/11 13/8", first=p)
    assert p.to_move == CHANCE, "O does not own the cube, so it rolls at once"


def test_a_double_that_is_dropped_costs_what_the_cube_showed_before() -> None:
    assert after(*SECOND, "double", "drop").outcome() == Outcome((-1.0, 1.0), "drop")
    p = after(*SECOND, "double", "take", "64", "24/18 13/9", "double", "drop")
    assert p.to_move == END
    assert p.outcome() == Outcome((2.0, -2.0), "drop")


def test_a_beaver_doubles_at_once_and_keeps_the_cube() -> None:
    p = after(*SECOND, "double", terms=BEAVERS)
    assert decisions(p) == (0, ("take", "drop", "beaver"))
    p = after("beaver", first=p)
    assert decisions(p) == (1, ("take", "drop", "raccoon"))
    assert after("drop", first=p).outcome() == Outcome((2.0, -2.0), "drop")
    taken = after("take", first=p)
    assert taken.to_move == CHANCE
    taken = after("64", "24/18 13/9", first=taken)
    assert decisions(taken) == (0, ("roll", "double"))
    assert after("double", "drop", first=taken).outcome() == Outcome((4.0, -4.0), "drop")


def test_a_raccoon_is_the_last_word() -> None:
    p = after(*SECOND, "double", "beaver", "raccoon", terms=BEAVERS)
    assert decisions(p) == (0, ("take", "drop"))
    assert after("drop", first=p).outcome() == Outcome((-4.0, 4.0), "drop")
    taken = after("take", "64", "24/18 13/9", first=p)
    assert after("double", "drop", first=taken).outcome() == Outcome((8.0, -8.0), "drop")


def test_nobody_doubles_in_the_crawford_game() -> None:
    crawford = MatchTerms(points=5, score=(4, 1), crawford=True)
    assert after(*SECOND, terms=crawford).to_move == CHANCE
    later = MatchTerms(points=5, score=(4, 2))
    assert decisions(after(*SECOND, terms=later)) == (1, ("roll", "double"))
    assert after(*SECOND, terms=MatchTerms(points=1, crawford=True)).to_move == CHANCE


def test_without_the_cube_nobody_doubles() -> None:
    assert after(*SECOND, terms=MatchTerms(cube=False)).to_move == CHANCE


@pytest.mark.parametrize(
    ("position", "returns", "reason"),
    [
        (LAST_ONE.format("2:1", "0:0:0:0:10"), 4.0, "single"),
        (GAMMON.format("2:1", "0:0:0:0:10"), 8.0, "gammon"),
        (GAMMON.format("0:0", "0:0:0:0:10"), 2.0, "gammon"),
        (GAMMON.format("0:0", "0:0:1:0:10"), 1.0, "single"),  # Jacoby
        (GAMMON.format("1:-1", "0:0:3:0:10"), 4.0, "gammon"),  # the cube was turned
        (GAMMON.format("0:0", "2:4:0:5:10"), 2.0, "gammon"),
        (GAMMON.format("3:-1", "2:2:0:5:10"), 16.0, "gammon"),  # more than it takes
    ],
)
def test_a_game_counts_what_the_cube_shows_times_its_kind(
    position: str, returns: float, reason: str
) -> None:
    p = GAME.parse_position(position)
    p = p.apply(p.legal_actions()[0])
    assert p.outcome() == Outcome((returns, -returns), reason)


@pytest.mark.parametrize(
    ("words", "one"),
    [((), 1), (("double",), 1), (("double", "take"), 2), (("double", "beaver"), 2)],
)
def test_a_resignation_costs_multiples_of_the_cube(words: tuple[str, ...], one: int) -> None:
    p = after(*SECOND, *words, terms=BEAVERS)
    for seat in (0, 1):  # each has checkers in the other's home, so it may be a backgammon
        assert GAME.resignations(p, seat) == (one, 2 * one, 3 * one)
        assert GAME.forfeit(p, seat)[1 - seat] == 3 * one


def test_by_the_jacoby_rule_giving_up_costs_one_point_until_the_cube_is_turned() -> None:
    p = after(*SECOND, terms=JACOBY)
    assert GAME.resignations(p, 0) == (1,)
    assert GAME.resignations(after("double", "take", first=p), 0) == (2, 4, 6)


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        (MatchTerms(points=99), "a match is to 1 to 25 points, not to 99"),
        (MatchTerms(points=-1), "a match is to 1 to 25 points, not to -1"),
        (MatchTerms(start="longgammon"), "there are standard, nackgammon, hypergammon"),
        (MatchTerms(points=5, jacoby=True), "the Jacoby rule: that is for games of money"),
        (MatchTerms(points=5, beavers=True), "beavers: that is for games of money"),
        (MatchTerms(cube=False, beavers=True), "beavers: that is for games with the cube"),
        (MatchTerms(points=5, score=(5, 2)), "at 5 to 2 a match to 5 points is over"),
        (MatchTerms(points=5, score=(3, 2), crawford=True), "not the Crawford game"),
        (MatchTerms(points=5, score=(4, 4), crawford=True), "the Crawford game is over"),
        (MatchTerms(crawford=True), "the Crawford game is one of a match to points"),
    ],
)
def test_terms_by_which_nobody_plays_are_refused_in_a_sentence(terms: MatchTerms, why: str) -> None:
    with pytest.raises(UnplayableTerms, match=why):
        GAME.initial(terms)


def test_a_game_with_one_start_knows_no_terms() -> None:
    with pytest.raises(UnplayableTerms, match="Connect four has one start, and no cube"):
        registry.game("connect_four").initial(MatchTerms(points=3))
