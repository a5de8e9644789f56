"""What a session asks its server for by itself: actions that are missing, drawings of boards."""

from __future__ import annotations

from collections.abc import Callable

from client.connection import Connection
from client.replica import Replica
from client.terminal.shown.board import Drawing, draw
from client.words import known_game
from protocol.errors import Refusal
from protocol.messages import MatchState


class MissingActions:
    """Fetches the actions of matches that are missing, as after joining in the middle.

    Of a match it asks for one page after the other: one that came twice would be taken for another.
    """

    def __init__(self, connection: Connection, replica: Replica) -> None:
        self._connection = connection
        self._replica = replica
        self._fetching: set[str] = set()

    def of(self, match: str) -> bool:
        """Return whether some are to be fetched."""
        return match not in self._fetching and self._replica.gap(match) is not None

    async def fetch(self, match: str, show: Callable[[], None]) -> None:
        """Fetch them, and `show` them."""
        room = self._replica.matches[match].room
        self._fetching.add(match)
        try:
            while (since := self._replica.gap(match)) is not None:
                self._replica.fill(await self._connection.history(room, since))
        finally:
            self._fetching.discard(match)
        show()


MAX_DRAWN = 16  # boards of matches, the newest: one can look at some at once


class DrawnBoards:
    """The boards of games that are not known here, as the server draws them."""

    def __init__(self) -> None:
        self._drawn: dict[str, tuple[int, Drawing | None]] = {}  # by match: at which turn, what

    def of(self, match: MatchState) -> Drawing | None:
        """Return the drawing of a match, of its newest position that was drawn."""
        return self._drawn.get(match.match, (0, None))[1]

    def lacks(self, match: MatchState) -> bool:
        """Return whether only the server can draw this position, and was not asked for it yet."""
        turn, _ = self._drawn.get(match.match, (-1, None))
        return turn != match.turn and draw(known_game(match.game), match.position) is None

    async def fetch(
        self, connection: Connection, match: MatchState, show: Callable[[], None]
    ) -> None:
        """Have a match drawn, and `show` it.

        A server that cannot draw it is not asked again in this position.
        """
        before = self.of(match)
        try:
            drawn = await connection.draw(match.match)
        except Refusal:
            self._note(match.match, match.turn, before)
        else:
            self._note(match.match, drawn.turn, tuple(drawn.lines))
        show()

    def _note(self, match: str, turn: int, drawing: Drawing | None) -> None:
        self._drawn.pop(match, None)  # the newest stands last
        self._drawn[match] = (turn, drawing)
        if len(self._drawn) > MAX_DRAWN:
            del self._drawn[next(iter(self._drawn))]
