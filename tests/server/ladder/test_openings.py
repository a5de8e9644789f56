"""The openings: one of each kind, legal, and in an order that the seed decides."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import permutations, product

import pytest

from games import registry
from games.game import END, Game, Position
from server.ladder.openings import SYMMETRIES, Opening, images, openings

COUNTS = {"tic_tac_toe": 12, "connect_four": 25, "ultimate_tic_tac_toe": 15}
PLIES = {"tic_tac_toe": 2, "connect_four": 2, "ultimate_tic_tac_toe": 1}
WITHOUT_DICE = sorted(COUNTS)


def after(game: Game, opening: Iterable[str]) -> Position:
    """The position after these actions, each of which has to be legal."""
    position = game.initial()
    for action in opening:
        position = position.apply(game.parse_action(position, action))
    return position


def everything(game: Game) -> set[Opening]:
    """All ways to begin this game, as long as its openings are."""
    found = {()}
    for _ in range(PLIES[game.name]):
        found = {(*o, a) for o in found for a in after(game, o).legal_notation()}
    return found


def seen_from_all_sides(game: Game, opening: Opening) -> frozenset[Opening]:
    """The same opening on the board as it is, turned and mirrored: by geometry, not by a table."""
    if game.name == "connect_four":
        return frozenset({opening, tuple([str(8 - int(c)) for c in opening])})
    found = set()
    for swapped, right, down in product((False, True), repeat=3):

        def moved(cell: str, swapped: bool = swapped, r: bool = right, d: bool = down) -> str:
            x, y = (int(cell) - 1) % 3, (int(cell) - 1) // 3
            x, y = (y, x) if swapped else (x, y)
            return str(1 + (2 - x if r else x) + 3 * (2 - y if d else y))

        found.add(tuple(["".join(map(moved, action)) for action in opening]))
    return frozenset(found)


@pytest.mark.parametrize("name", WITHOUT_DICE)
def test_there_is_one_opening_of_each_kind(name: str) -> None:
    game = registry.game(name)
    kinds = {seen_from_all_sides(game, o) for o in everything(game)}
    found = openings(game, 1)
    assert len(kinds) == len(found) == COUNTS[name]
    assert {seen_from_all_sides(game, o) for o in found} == kinds


@pytest.mark.parametrize("name", registry.names())
def test_a_match_goes_on_after_every_opening(name: str) -> None:
    game = registry.game(name)
    found = openings(game, 2)
    assert len(set(found)) == len(found) > 0
    for opening in found:
        assert len(opening) == PLIES.get(name, len(opening))
        assert after(game, opening).to_move != END


@pytest.mark.parametrize("name", ["backgammon", "pebbles"])
def test_dice_are_the_opening(name: str) -> None:
    assert openings(registry.game(name), 3) == ((),)


@pytest.mark.parametrize("name", WITHOUT_DICE)
def test_the_seed_decides_the_order_and_nothing_else(name: str) -> None:
    game = registry.game(name)
    orders = [openings(game, seed) for seed in range(20)]
    assert len(set(orders)) == 20
    assert len({frozenset(order) for order in orders}) == 1
    assert [openings(game, seed) for seed in range(20)] == orders


def test_the_order_of_a_seed_never_changes() -> None:
    found = openings(registry.game("tic_tac_toe"), 1)
    assert " ".join("".join(opening) for opening in found) == "27 51 52 25 24 15 13 28 21 19 16 12"


def test_every_order_comes_up_alike() -> None:
    """Each opening stands first in about a twelfth of 360 orders."""
    game = registry.game("tic_tac_toe")
    firsts = [openings(game, seed)[0] for seed in range(360)]
    counts = [firsts.count(opening) for opening in set(firsts)]
    assert sum((n - 30) ** 2 / 30 for n in counts) < 31.3  # once in a thousand
    assert len(counts) == 12


@pytest.mark.parametrize("name", sorted(SYMMETRIES))
def test_a_symmetry_changes_nothing_but_names(name: str) -> None:
    """Matches at random, each played on all boards that the symmetries make of one at once."""
    game, rng = registry.game(name), random.Random(4)
    for _ in range(3):
        sides = [game.initial()] * len(list(images(game, ())))
        while sides[0].to_move != END:
            action = rng.choice(sides[0].legal_notation())
            moved = [image for (image,) in images(game, (action,))]
            sides = [p.apply(game.parse_action(p, a)) for p, a in zip(sides, moved, strict=True)]
            choices = images(game, sides[0].legal_notation())
            assert all(
                set(p.legal_notation()) == set(c) for p, c in zip(sides, choices, strict=True)
            )
        assert len({p.outcome() for p in sides}) == 1


@pytest.mark.parametrize("name", sorted(SYMMETRIES))
def test_symmetries_rename_one_to_one_and_are_all_different(name: str) -> None:
    table = SYMMETRIES[name]
    assert {frozenset(image) for image in table} == {frozenset(table[0])}
    assert all(len(image) == len(set(image)) for image in table)
    assert len(set(table)) == len(table)


def test_a_game_whose_symmetry_is_not_known_gets_every_opening() -> None:
    """Few first actions give two plies, and many give one."""
    four = replace(registry.game("connect_four"), name="four_in_a_row")
    assert len(openings(four, 5)) == 49
    noughts = replace(registry.game("tic_tac_toe"), name="noughts")
    assert sorted(openings(noughts, 5)) == [(str(cell),) for cell in range(1, 10)]


def ends_at_once(when: int) -> Game:
    """Tic-tac-toe on its first row alone, over after `when` plies."""
    game = registry.game("tic_tac_toe")

    def mover(s: Sequence[int]) -> int:
        return END if s[2] >= when else s[2] & 1

    def legal(s: Sequence[int], out: list[int], tmp: object) -> int:
        free = [c for c in range(3) if not (s[0] | s[1]) >> c & 1]
        out[: len(free)] = free
        return len(free) if mover(s) != END else 0

    return replace(game, name="brief", mover=mover, legal=legal)


def test_an_opening_that_ends_the_game_is_left_out() -> None:
    assert sorted(openings(ends_at_once(3), 6)) == sorted(permutations("123", 2))
    assert openings(ends_at_once(2), 6) == ((),)
    assert openings(ends_at_once(1), 6) == ((),)
