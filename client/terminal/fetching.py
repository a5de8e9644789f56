"""What a session asks its server for by itself: actions that are missing, drawings of boards."""

from __future__ import annotations

from collections.abc import Callable

from client.connection import Connection
from client.replica import Replica
from client.terminal.shown.board import Drawing, draw
from client.words import known_game
from protocol.errors import Refusal
from protocol.messages import MatchState


async def fill(
    connection: Connection, replica: Replica, match: str, since: int, show: Callable[[], None]
) -> None:
    """Fetch the actions that are missing, as after joining in the middle, and `show` them."""
    room = replica.matches[match].room
    while True:
        page = await connection.history(room, since)
        replica.fill(page)
        if page.next is None or match not in replica.matches:
            break
        since = page.next
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
