"""What a bot that follows a match is told of it: all actions, the missing ones from the server."""

from __future__ import annotations

from bots.online.search_task import MatchFollower
from games import registry
from protocol import messages
from protocol.errors import Code, Refusal
from protocol.messages import HistoryPage, MatchState
from protocol.parts import Clocks, Event
from tests.bots.online.fake_connection import ME, RIVAL

GAME = registry.game("connect_four")
COLUMNS = "1122112244"
EVENTS = tuple(
    Event(seq=10 + ply, kind="play", match="3.1", ply=ply, seat=ply % 2, action=column)
    for ply, column in enumerate(COLUMNS)
)


class PastConnection:
    """A connection that has the past of one room."""

    name = "house"

    def __init__(self, refuses: bool = False) -> None:
        self.asked: list[int] = []
        self._refuses = refuses

    async def history(self, room: int, since: int = 0) -> HistoryPage:
        self.asked.append(since)
        if self._refuses:
            raise Refusal(Code.LOBBY_NO_ROOM, "there is no such room")
        page = [event for event in EVENTS if event.seq > since][:1]
        more = page and page[-1].seq < EVENTS[-1].seq
        return HistoryPage(room=room, events=tuple(page), next=page[-1].seq if more else None)


def state(plies: int) -> MatchState:
    """The match after so many plies, as its message has it."""
    position = GAME.initial()
    for column in COLUMNS[:plies]:
        position = position.apply(GAME.parse_action(position, column))
    return messages.MatchState(
        match="3.1", room=3, seq=9 + plies, turn=9 + plies, game="connect_four", ply=plies,
        position=GAME.format_position(position), seats=(ME, RIVAL), to_move=plies % 2,
        clocks=Clocks(remaining=(5000, 6000)), events=EVENTS[:plies][-8:],
    )  # fmt: skip


async def test_what_was_heard_from_the_start_is_not_asked_for() -> None:
    connection = PastConnection()
    follower = MatchFollower(connection)  # type: ignore[arg-type]
    for plies in range(0, 11, 2):
        follower.take(state(plies))
    situation = await follower.situation(state(10))
    assert (situation.match, situation.actions) == ("3.1", tuple(COLUMNS))
    assert situation.clocks == Clocks(remaining=(5000, 6000))
    assert connection.asked == []


async def test_who_comes_back_in_mid_match_asks_for_the_rest() -> None:
    connection = PastConnection()
    follower = MatchFollower(connection)  # type: ignore[arg-type]
    follower.take(state(10))
    assert (await follower.situation(state(10))).actions == tuple(COLUMNS)
    assert len(connection.asked) > 1, "the past comes in pages"


async def test_what_cannot_be_known_is_none() -> None:
    follower = MatchFollower(PastConnection(refuses=True))  # type: ignore[arg-type]
    follower.take(state(10))
    assert (await follower.situation(state(10))).actions is None
