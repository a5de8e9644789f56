"""The positions of a trace, each once, by its number."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from games.game import Game, Position


class Places:
    """Positions by number.

    rows      [position, mover], and where actions were asked for [.., actions, weights of rolls]
    drawings  for a game that a page has no pictures of: each position as text, else None
    size      how many bytes of JSON all of it takes, about
    """

    def __init__(self, game: Game, drawn: bool) -> None:
        self.game = game
        self.rows: list[list[Any]] = []
        self.drawings: list[str] | None = [] if drawn else None
        self.size = 0
        self._positions: list[Position] = []
        self._numbers: dict[tuple[int, ...], int] = {}

    def number(self, s: Sequence[int]) -> int:
        """The number of a state."""
        state = tuple([int(s[i]) for i in range(self.game.state_size)])
        if state not in self._numbers:
            self._numbers[state] = len(self.rows)
            position = Position(self.game, state)
            self._positions.append(position)
            self.rows.append([self.game.format_position(position), position.to_move])
            self.size += _length(self.rows[-1])
            if self.drawings is not None:
                self.drawings.append(self.game.draw(position))
                self.size += _length(self.drawings[-1])
        return self._numbers[state]

    def with_actions(self, s: Sequence[int]) -> int:
        """The number of a state whose row has its legal actions, ascending, and their weights."""
        number = self.number(s)
        row, position = self.rows[number], self._positions[number]
        if len(row) == 2:
            row += [list(position.legal_notation()), self.weights(number)]
            self.size += _length(row[2:])
        return number

    def index(self, number: int, action: int) -> int:
        return self._positions[number].legal_actions().index(action)

    def names(self, number: int, actions: list[int]) -> list[str]:
        """These actions of a position, in notation."""
        position = self._positions[number]
        legal = dict(zip(position.legal_actions(), position.legal_notation(), strict=True))
        return [legal[action] for action in actions]

    def weights(self, number: int) -> list[int]:
        """How often each roll of a position falls; nothing where a seat is to move."""
        return [weight for _, weight in self._positions[number].chance()]


def _length(value: Any) -> int:
    """The bytes of a value as JSON, with what stands between two."""
    return len(json.dumps(value, ensure_ascii=False).encode()) + 2
