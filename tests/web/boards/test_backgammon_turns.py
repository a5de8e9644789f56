"""Turns of backgammon that are built up on the page: exactly the legal ones, and each of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

import pytest
from playwright.sync_api import Page

from games.game import Position
from tests.games.backgammon import brute
from tests.web.boards.gammon import GAME, positions, question

pytestmark = pytest.mark.browser

Dice = tuple[int, ...]
Offers = dict[str, Any]  # board and dice left as text -> the steps from there, or the turn it is

# Walks through all that is offered from the start of a turn.
WALK = """async ({ position, seat, legal }) => {
  const turns = await import("/boards/backgammon/turn.js");
  const { begin, boardOf, parsePosition, take } = turns;
  const seen = {};
  const walk = (turn) => {
    const left = [...turn.left].sort().join("");
    const name = [...turn.board].map((count) => count.toString(16)).join("") + " " + left;
    if (name in seen) return;
    seen[name] = turn.action ?? turn.steps.map(({ from, die }) => `${from}:${die}`).sort();
    for (const step of turn.steps) walk(take(turn, step));
  };
  const parsed = parsePosition(position);
  walk(begin(boardOf(parsed, seat), parsed.dice, legal));
  return seen;
}"""


def offers_by_force(position: Position) -> Offers:
    """All that should be offered: each way of moving single checkers from which some sequence of
    further ones leads to the result of a legal turn.
    """
    seat = position.to_move
    results = {
        brute.board(position.apply(action).state, seat): text
        for action, text in zip(position.legal_actions(), position.legal_notation(), strict=True)
    }
    offers: Offers = {}

    @cache
    def leads_there(board: brute.Board, dice: Dice) -> bool:
        steps = [step for step, *after in moves(board, dice) if leads_there(*after)]
        return bool(steps) or board in results

    def offer(board: brute.Board, dice: Dice) -> None:
        if (name := name_of(board, dice)) not in offers:
            steps = [move for move in moves(board, dice) if leads_there(*move[1:])]
            offers[name] = sorted(step for step, *_ in steps) or results[board]
            for _, *after in steps:
                offer(*after)

    offer(*start_of(position))
    return offers


def start_of(position: Position) -> tuple[brute.Board, Dice]:
    """The board as the mover sees it, and the dice, two or four."""
    high, low = position.state[53:55]
    board = brute.board(position.state, position.to_move)
    return board, (low, high) if high != low else (low,) * 4


def moves(board: brute.Board, dice: Dice) -> Iterator[tuple[str, brute.Board, Dice]]:
    """What one checker can do with one of the dice: as text, and what there is after it."""
    for die in set(dice):
        left = list(dice)
        left.remove(die)
        for source, after in brute.steps(board, die).items():
            yield f"{source}:{die}", after, tuple(left)


def name_of(board: brute.Board, dice: Dice) -> str:
    counts = "".join(f"{side.count(point):x}" for side in board for point in range(26))
    return f"{counts} {''.join(map(str, sorted(dice)))}"


def test_exactly_the_steps_that_lead_to_a_legal_turn_are_offered(door: Page) -> None:
    for number, position in enumerate(islice(positions(seed=3), 600)):
        offered = door.evaluate(WALK, question(position))
        assert offered == offers_by_force(position), f"number {number}: {position}"
        ends = {end for end in offered.values() if isinstance(end, str)}
        assert ends == set(position.legal_notation()), f"number {number}: {position}"


def test_of_two_thousand_turns_each_can_be_built(door: Page) -> None:
    spread = {3, 5, 7, 8, 10, 12, 13, 14, 15, 16, 18, 20, 21, 23, 24}
    own = [int(point in spread) for point in range(26)]
    position = Position(GAME, (*own, 14, *[0] * 24, 1, 0, 1, 1))
    offered = door.evaluate(WALK, question(position))
    ends = [end for end in offered.values() if isinstance(end, str)]
    assert sorted(ends) == sorted(position.legal_notation())
    assert len(ends) > 2000


def test_typed_text_means_each_legal_turn_that_it_names(door: Page) -> None:
    typed = """async ({ position, seat, legal }) => {
      const { begin, boardOf, parsePosition, take } = await import("/boards/backgammon/turn.js");
      const { stepsOf } = await import("/boards/backgammon/typed.js");
      const parsed = parsePosition(position);
      const turn = begin(boardOf(parsed, seat), parsed.dice, legal);
      return legal.map((action) => (stepsOf(turn, action) ?? []).reduce(take, turn).action);
    }"""
    for number, position in enumerate(islice(positions(seed=8), 120)):
        asked = question(position)
        legal = asked["legal"][:60]
        means = door.evaluate(typed, asked)[:60]
        assert means == legal, f"number {number}: {position}"
