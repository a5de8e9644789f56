"""A ladder's room through the house: who is shown what, and what a new process makes of it."""

from __future__ import annotations

import pytest

from protocol.messages import (
    BotInfo,
    ClockOptions,
    Error,
    History,
    HistoryPage,
    MatchState,
    Options,
    Play,
    Resign,
    RoomState,
)
from server.core import seating
from server.core.events import Leg, Who
from server.core.orders import Alarm, Close, Release
from server.core.room import NOBODY
from server.runtime import Keeper, Waiting
from tests.server.scene import Player, Scene

BLITZ = Options(clock=ClockOptions(base_ms=600_000), rated=True)
SECRET = bytes(range(32))
LADDER = 99  # there is none of this number, so nobody but the test closes the room


class Pair:
    """Two bots, and the room of one leg that has just begun."""

    def __init__(self, game: str = "tic_tac_toe", opening: tuple[str, ...] = ()) -> None:
        self.scene = scene = Scene()
        self.one = scene.enter("ann", bot=BotInfo(program="mcts", slots=4))
        self.two = scene.enter("bob", bot=BotInfo(program="flat", slots=4))
        deal = "L99.1" if game == "backgammon" else None
        leg = Leg(LADDER, "knights", 1, 0, opening, deal)
        seats = (self._who(self.one), self._who(self.two))
        now, secret = scene.house.now(), SECRET if deal is not None else None
        work = seating.open_leg(1, leg, game, BLITZ, seats, ("", ""), secret, now)
        scene.house.last_room = 1
        scene.house.open_room(work, Waiting(Alarm(), NOBODY, None, now))
        scene.store.settle()

    def _who(self, player: Player) -> Who:
        assert player.peer.who is not None
        return player.peer.who

    def room(self, scene: Scene | None = None) -> Keeper:
        return (scene or self.scene).house.rooms[1]

    def tell(self, order: Release | Close) -> None:
        """What its ladder would tell the room."""
        self.room().tell(order, None, self.scene.house.now())
        self.scene.store.settle()

    def secret(self, asker: Player) -> str | None:
        """What history shows of the dice."""
        page = asker.ask(History(id=9, room=1), HistoryPage)
        (dealt,) = [event for event in page.events if event.kind == "dealt"]
        assert (dealt.match, dealt.deal) == ("1.1", "L99.1")
        return dealt.secret


def test_the_players_are_shown_the_room_and_the_match_unasked() -> None:
    pair = Pair(opening=("5", "1"))
    for player, legal in ((pair.one, True), (pair.two, False)):
        heard = player.heard()
        (room,) = [m for m in heard if isinstance(m, RoomState)]
        (match,) = [m for m in heard if isinstance(m, MatchState)]
        assert (room.state, room.ladder, room.pair, room.leg) == ("playing", "knights", 1, 0)
        assert [event.kind for event in match.events] == ["opening", "opening"]
        assert (match.legal is not None) == legal


def test_a_strike_answers_as_any_refusal_and_the_third_one_ends_the_match() -> None:
    pair = Pair()
    turn = pair.one.last(MatchState).turn
    for n in range(3):
        play = Play(id=n, match="1.1", turn=turn, action="e4")
        no = pair.one.ask(play, Error)
        assert (no.code, len(no.legal or ())) == ("match/bad-notation", 9)
    result = pair.two.last(MatchState).result
    assert result is not None
    assert (result.how, result.winner) == ("illegal", 1)
    assert pair.scene.store.kinds(1)[-4:] == ["strike", "strike", "strike", "ended"]


def test_the_secret_of_a_pair_is_shown_with_the_rooms_end_alone() -> None:
    pair = Pair("backgammon")
    pair.tell(Release(0))
    assert pair.secret(pair.two) is None
    pair.one.say(Resign(match="1.1"))
    assert pair.two.last(MatchState).secret is None
    assert pair.secret(pair.two) is None
    pair.tell(Close("scored"))
    heard = pair.two.heard()
    assert [m.secret for m in heard if isinstance(m, MatchState)] == [SECRET.hex()]
    assert [m.state for m in heard if isinstance(m, RoomState)] == ["closed"]
    assert pair.secret(pair.two) == SECRET.hex()


def test_a_bot_that_vanishes_loses_after_a_minute() -> None:
    pair = Pair()
    pair.two.go()
    pair.scene.wait(59_000)
    assert pair.room().room.state == "playing"
    pair.scene.wait(1_100)
    result = pair.one.last(MatchState).result
    assert result is not None
    assert (result.how, result.winner) == ("disconnect", 0)
    pair.scene.wait(24 * 3_600_000)
    assert pair.room().room.state == "over"  # until its ladder closes it


@pytest.mark.parametrize("over", [False, True])
def test_a_new_process_finds_the_room_as_it_was(over: bool) -> None:
    pair = Pair("backgammon")
    if over:
        pair.one.say(Resign(match="1.1"))
    before = pair.room().room
    again = pair.scene.again()
    room = pair.room(again).room
    assert (room.state, room.leg, room.seq) == (before.state, before.leg, before.seq)
    one = again.enter(token=pair.one.token, bot=BotInfo(program="mcts", slots=4))
    shown = one.last(MatchState)
    assert (shown.result is not None, shown.secret) == (over, None)
    assert shown.clocks is not None
    assert shown.clocks.paused == (None if over else "pair")
