"""The openings: one of each kind, legal, and in an order that the seed decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import permutations, product

import pytest

from games import registry
from games.game import END, Game, Position
from server.ladder.core.openings import Opening, openings

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
    drawn = {()}
    for _ in range(PLIES[game.name]):
        drawn = {(*o, a) for o in drawn for a in after(game, o).legal_notation()}
    return drawn


def seen_from_all_sides(game: Game, opening: Opening) -> frozenset[Opening]:
    """The same opening on the board as it is, turned and mirrored: by geometry, not by a table."""
    if game.name == "connect_four":
        return frozenset({opening, tuple([str(8 - int(c)) for c in opening])})
    drawn = set()
    for swapped, right, down in product((False, True), repeat=3):

        def moved(cell: str, swapped: bool = swapped, r: bool = right, d: bool = down) -> str:
            x, y = (int(cell) - 1) % 3, (int(cell) - 1) // 3
            x, y = (y, x) if swapped else (x, y)
            return str(1 + (2 - x if r else x) + 3 * (2 - y if d else y))

        drawn.add(tuple(["".join(map(moved, action)) for action in opening]))
    return frozenset(drawn)


@pytest.mark.parametrize("name", WITHOUT_DICE)
def test_there_is_one_opening_of_each_kind(name: str) -> None:
    game = registry.game(name)
    kinds = {seen_from_all_sides(game, o) for o in everything(game)}
    drawn = openings(game, 1)
    assert len(kinds) == len(drawn) == COUNTS[name]
    assert {seen_from_all_sides(game, o) for o in drawn} == kinds


@pytest.mark.parametrize("name", registry.names())
def test_a_match_goes_on_after_every_opening(name: str) -> None:
    game = registry.game(name)
    drawn = openings(game, 2)
    assert len(set(drawn)) == len(drawn) > 0
    for opening in drawn:
        assert len(opening) == PLIES.get(name, len(opening))
        assert after(game, opening).to_move != END


@pytest.mark.parametrize("name", WITHOUT_DICE)
def test_the_seed_decides_the_order_and_nothing_else(name: str) -> None:
    game = registry.game(name)
    orders = [openings(game, seed) for seed in range(20)]
    assert len(set(orders)) == 20
    assert len({frozenset(order) for order in orders}) == 1
    assert [openings(game, seed) for seed in range(20)] == orders


def test_a_seed_s_order_never_changes_and_every_order_comes_up_alike() -> None:
    drawn = openings(registry.game("tic_tac_toe"), 1)
    assert " ".join("".join(opening) for opening in drawn) == "27 51 52 25 24 15 13 28 21 19 16 12"
    game = registry.game("tic_tac_toe")
    # Each opening stands first in about a twelfth of 360 orders.
    firsts = [openings(game, seed)[0] for seed in range(360)]
    counts = [firsts.count(opening) for opening in set(firsts)]
    assert sum((n - 30) ** 2 / 30 for n in counts) < 31.3  # once in a thousand
    assert len(counts) == 12


def test_a_game_without_symmetries_has_every_opening() -> None:
    """Few first actions give two plies, and many give one."""
    four = replace(registry.game("connect_four"), symmetries=())
    assert len(openings(four, 5)) == 49
    noughts = replace(registry.game("tic_tac_toe"), symmetries=())
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

    return replace(game, symmetries=(), mover=mover, legal=legal)


def test_dice_are_the_opening_and_one_that_ends_the_game_is_left_out() -> None:
    for name in ("backgammon", "pebbles"):
        assert openings(registry.game(name), 3) == ((),)
    assert sorted(openings(ends_at_once(3), 6)) == sorted(permutations("123", 2))
    assert openings(ends_at_once(2), 6) == ((),)
    assert openings(ends_at_once(1), 6) == ((),)
