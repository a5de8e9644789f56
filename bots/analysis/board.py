"""An analysis board as a value: a tree of positions, one of which is looked at.

    board = Board(position)
    board.play("4")                     # a branch, where something else was played there before
    board.back(); board.forward()

Nothing here thinks or prints.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from games.game import END, Position


class NoSuchStep(ValueError):
    """A way that the board cannot go; the sentence says why."""


@dataclass(eq=False, slots=True)
class BoardNode:
    """A position, how it came about, and what was tried there, in order."""

    position: Position
    action: str = ""
    before: BoardNode | None = None
    tried: list[BoardNode] = field(default_factory=list)


class Board:
    """The tree of what was tried from one position on; `at` is what is looked at."""

    def __init__(self, first: Position) -> None:
        self.at = BoardNode(first)

    @property
    def position(self) -> Position:
        return self.at.position

    def play(self, text: str) -> None:
        """Go on by an action as it is written, or by a roll; what was tried before stays.

        Raises:
            NotationError, IllegalAction: it is none there.
            NoSuchStep: the game is over.
        """
        position = self.position
        if position.to_move == END:
            raise NoSuchStep("the game is over here; `back` goes back")
        played = position.read(text)
        after = position.apply(played)
        action = position.game.format_action(position, played)
        known = next((node for node in self.at.tried if node.action == action), None)
        if known is None:
            known = BoardNode(after, action, self.at)
            self.at.tried.append(known)
        self.at = known

    def back(self) -> None:
        """Raises NoSuchStep at the first position."""
        if self.at.before is None:
            raise NoSuchStep("this is where the board began")
        self.at = self.at.before

    def forward(self, action: str = "") -> None:
        """Go to what was tried last here, or to this one; NoSuchStep: nothing was."""
        tried = [node for node in self.at.tried if action in ("", node.action)]
        if not tried:
            raise NoSuchStep("nothing was tried here" if not action else f"{action} was not tried")
        self.at = tried[-1]

    def line(self) -> list[str]:
        """The actions from the first position to this one."""
        actions, node = [], self.at
        while node.before is not None:
            actions.append(node.action)
            node = node.before
        return actions[::-1]
