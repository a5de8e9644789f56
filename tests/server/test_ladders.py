"""Ladders as bots and people meet them: what is asked and answered, who shares, who looks on."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from protocol import codec
from protocol.ladder import (
    LADDER_REQUESTS,
    LadderCreate,
    LadderHistory,
    LadderJoin,
    LadderLeave,
    LadderPairs,
    Ladders,
    LadderState,
    LadderStatus,
    LadderStop,
    PairPage,
    RatingHistory,
)
from protocol.messages import (
    MAX_SERVER_FRAME,
    VERSION,
    BotInfo,
    ClockOptions,
    Error,
    Hello,
    History,
    HistoryPage,
    Invite,
    Join,
    Leave,
    Lobby,
    LobbyList,
    Ok,
    Play,
    Push,
    Request,
    RoomState,
    Watch,
)
from server.config import Config
from server.core.events import Who
from server.ladder import rating, standing
from server.ladder.rating import Ratings
from tests.server.ladder_scene import (
    CLOCK,
    NAME,
    Bot,
    Stage,
    at_random,
    first,
    resign_all,
    resigning,
)
from tests.server.scene import Player, Scene


def code_of(player: Player, request: Request) -> str:
    player.heard()
    return player.ask(request, Error).code


def create(**more: Any) -> LadderCreate:
    return LadderCreate(**{"id": 1, "name": NAME, "game": "tic_tac_toe", "clock": CLOCK} | more)


# ---------------------------------------------------------------- requests


def test_a_ladder_is_made_listed_and_shown(scene: Scene) -> None:
    stage = Stage(scene, format=" roundrobin:3 ", quota=5)
    line = stage.made.ladder
    assert (line.name, line.game, line.format, line.owner) == (
        NAME, "tic_tac_toe", "roundrobin:3", "ann",
    )  # fmt: skip
    assert (line.state, line.players, line.here, line.pairs) == ("running", 0, 0, 0)
    stage.ann.ask(create(name="nightly"), LadderState)
    eve = scene.enter("eve")
    listed = eve.ask(LadderStatus(id=2), Ladders).ladders
    assert [each.name for each in listed] == ["nightly", NAME]
    state = eve.ask(LadderStatus(id=3, ladder=" DAILY "), LadderState)
    assert state.ladder == line
    assert eve.ask(LadderPairs(id=4, ladder=NAME), PairPage).pairs == ()
    assert eve.ask(LadderHistory(id=5, ladder=NAME), RatingHistory).points == ()


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"name": "two words"}, "ladder/bad-name"),
        ({"name": "\x07"}, "ladder/bad-name"),
        ({"name": "x" * 65}, "ladder/bad-name"),
        ({"name": NAME.upper()}, "ladder/name-taken"),
        ({"name": "b", "game": "go"}, "lobby/unknown-game"),
        ({"name": "b", "format": "swiss"}, "ladder/bad-format"),
        ({"name": "b", "clock": ClockOptions()}, "ladder/bad-option"),
        ({"name": "b", "clock": ClockOptions(base_ms=1000, per_move_ms=1000)}, "ladder/bad-option"),
    ],
)
def test_a_ladder_that_cannot_be_is_refused(scene: Scene, wrong: dict[str, Any], code: str) -> None:
    stage = Stage(scene)
    assert code_of(stage.ann, create(**wrong)) == code
    assert len(stage.ann.ask(LadderStatus(id=2), Ladders).ladders) == 1


def test_there_are_no_ladders_without_numpy(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = scene.enter("ann")
    monkeypatch.setattr(rating, "available", lambda: False)
    assert code_of(ann, create()) == "ladder/no-ratings"


def test_there_are_only_so_many_ladders() -> None:
    scene = Scene(Config(ladders=1))
    stage = Stage(scene)
    assert code_of(stage.ann, create(name="nightly")) == "ladder/too-many"


def test_a_name_is_taken_while_its_ladder_is_being_stored(scene: Scene) -> None:
    ann, eve = scene.enter("ann"), scene.enter("eve")
    ann.send(create())
    assert code_of(eve, create()) == "ladder/name-taken"
    assert isinstance(ann.heard()[-1], LadderState)


def test_who_cannot_join_is_told_why(scene: Scene) -> None:
    stage = Stage(scene, quota=3)
    join = LadderJoin(id=1, ladder=NAME)
    assert code_of(stage.ann, join) == "ladder/not-a-bot"
    assert code_of(stage.ann, LadderJoin(id=1, ladder="nightly")) == "ladder/unknown"
    bot = Bot(scene, "bob", games=["connect_four"])
    assert code_of(bot.player, join) == "ladder/wrong-game"
    many = Bot(scene, "cat", slots=4)
    assert code_of(many.player, join) == "ladder/quota"
    many.join(slots=3)
    other = Bot(scene, "dan")
    assert code_of(other.player, LadderJoin(id=1, ladder=NAME, salt="xyz")) == "match/bad-salt"
    assert code_of(other.player, LadderLeave(id=1, ladder=NAME)) == "ladder/not-joined"
    assert code_of(stage.ann, LadderLeave(id=1, ladder=NAME)) == "ladder/not-joined"


def test_only_the_owner_stops_a_ladder_and_once(scene: Scene) -> None:
    stage = Stage(scene)
    bots = stage.bots(first, first)
    stage.run(bots, lambda: len(stage.ladder.running) == 1)
    eve = scene.enter("eve")
    stop = LadderStop(id=1, ladder=NAME)
    assert code_of(eve, stop) == "ladder/not-owner"
    stage.ann.heard()
    stage.ann.ask(stop, Ok)
    assert code_of(stage.ann, stop) == "ladder/finished"
    assert getattr(bots[0].ask_to_join(), "code", "") == "ladder/finished"
    state = stage.state()
    assert state.ladder.state == "finished"
    assert [(pair.void, state.live) for pair in state.recent] == [("the ladder ended", ())]
    assert [r.seats for r in _rooms(scene)] == []
    for bot in bots:
        bot.hear()
        assert [s.result and s.result.how for s in bot.states.values()] == ["void"]
    assert stage.kinds()[-2:] == ["voided", "finished"]


def _rooms(scene: Scene) -> list[Any]:
    return [keeper.room for keeper in scene.house.rooms.values()]


@pytest.mark.parametrize("request_", LADDER_REQUESTS, ids=lambda cls: cls.__name__)
def test_what_names_no_ladder_says_which_there_are(scene: Scene, request_: type[Request]) -> None:
    if request_ is LadderCreate:
        return
    stage = Stage(scene)
    bot = Bot(scene, "bob")
    answer = bot.player.ask(request_(id=1, ladder="no\x1b such"), Error)  # type: ignore[call-arg]
    assert answer.code == "ladder/unknown"
    assert NAME in answer.text
    assert answer.text.isprintable()
    assert stage.ladder.players == []


def test_a_ladder_is_no_room(scene: Scene) -> None:
    """Its number is one of theirs, but nothing of its log is shown as theirs is."""
    stage = Stage(scene, "pebbles")
    bots = stage.bots(first, first)
    stage.run(bots, lambda: len(stage.ladder.running) == 1)
    number = stage.ladder.number
    stage.ann.heard()
    assert code_of(stage.ann, Join(id=1, room=number)) == "room/closed"
    assert code_of(stage.ann, Watch(id=1, room=number)) == "room/closed"
    assert code_of(stage.ann, Play(id=1, match=f"{number}.1", turn=1, action="1")) == "room/closed"
    (answer,) = [m for m in _asked(stage.ann, History(id=1, room=number)) if m.re == 1]
    assert isinstance(answer, Error) or (isinstance(answer, HistoryPage) and answer.events == ())


def _asked(player: Player, request: Request) -> list[Push]:
    player.heard()
    player.say(request)
    return player.heard()


# ---------------------------------------------------------------- slots


def test_slots_and_quotas_hold_at_all_times(scene: Scene) -> None:
    stage = Stage(scene, quota=3)
    bots = [Bot(scene, f"bob{i}", at_random(i), slots=n) for i, n in enumerate((3, 2, 2, 1))]
    for bot in bots:
        bot.join()
    busiest = [0, 0, 0, 0]

    def enough() -> bool:
        for i, player in enumerate(stage.ladder.players):
            busiest[i] = max(busiest[i], player.running)
        return len(stage.ladder.over) >= 30

    stage.run(bots, enough)
    assert busiest == [3, 2, 2, 1]


def test_a_quota_is_shared_by_an_owner_s_bots(scene: Scene) -> None:
    stage = Stage(scene, quota=2)
    one = Bot(scene, "bob", first, program="a")
    other = scene.connect()
    other.say(Hello(version=VERSION, token=one.token, bot=BotInfo(program="b", slots=2)))
    one.join()
    assert code_of(other, LadderJoin(id=1, ladder=NAME)) == "ladder/quota"
    other.ask(LadderJoin(id=2, ladder=NAME, slots=1), Ok)
    scene.wait(0)
    assert len(stage.ladder.running) == 1


def test_two_ladders_share_a_bot_s_slot_and_take_turns(scene: Scene) -> None:
    stage = Stage(scene)
    stage.ann.ask(create(name="nightly", seed=2), LadderState)
    bots = stage.bots(first, first)
    for bot in bots:
        bot.join("nightly")
    ladders = [keeper.ladder for keeper in scene.house.ladders.by_number.values()]

    def enough() -> bool:
        assert sum(len(ladder.running) for ladder in ladders) <= 1
        return sum(len(ladder.over) for ladder in ladders) >= 6

    stage.run(bots, enough)
    assert [len(ladder.over) for ladder in ladders] == [3, 3]


def test_people_and_ladders_share_a_bot_s_slots(scene: Scene) -> None:
    stage = Stage(scene)
    bots = stage.bots(first)
    room = scene.room(stage.ann)
    stage.ann.ask(Invite(id=1, room=room, who="bot"), Ok)
    other = Bot(scene, "cat")
    other.join()
    scene.wait(5_000)
    assert stage.ladder.running == {}  # the slot is held while the invitation stands
    bots[0].player.say(Join(room=room))
    scene.wait(60_000)
    assert stage.ladder.running == {}
    stage.ann.heard()
    assert stage.ann.ask(Lobby(id=2), LobbyList).bots[0].free == 0
    bots[0].player.say(Leave(room=room))
    scene.wait(0)
    assert len(stage.ladder.running) == 1
    answer = stage.ann.ask(Invite(id=3, room=room, who="bob0/bot"), Error)
    assert answer.code == "invite/busy"


def test_an_invitation_that_nobody_takes_up_gives_its_slot_back(scene: Scene) -> None:
    stage = Stage(scene)
    stage.bots(first)
    room = scene.room(stage.ann)
    stage.ann.ask(Invite(id=1, room=room, who="bot"), Ok)
    Bot(scene, "cat").join()
    scene.wait(60_000)
    assert len(stage.ladder.running) == 1


# ---------------------------------------------------------------- who looks on


def test_everybody_can_watch_a_leg_and_nobody_can_sit_down(scene: Scene) -> None:
    stage = Stage(scene)
    bots = stage.bots(first, first)
    stage.run(bots, lambda: len(stage.ladder.running) == 1)
    (live,) = stage.state().live
    room = int((live.legs[0].match or "").partition(".")[0])
    eve = scene.enter("eve")
    assert code_of(eve, Join(id=1, room=room)) == "room/full"
    state = eve.ask(Watch(id=2, room=room), RoomState)
    assert (state.ladder, state.seat) == (NAME, None)
    line = eve.ask(Lobby(id=3), LobbyList).rooms[0]
    assert (line.room, line.ladder) == (room, NAME)
    stage.run(bots, stage.pairs_over(1))
    assert eve.last(RoomState).state == "closed"


def test_followers_are_sent_at_most_one_standing_a_second(scene: Scene) -> None:
    stage = Stage(scene)
    bots = stage.bots(at_random(1), at_random(2))
    eve, fred = scene.enter("eve"), scene.enter("fred", text=True)
    for who in (eve, fred):
        who.ask(LadderStatus(id=1, ladder=NAME, follow=True), LadderState)
    began = scene.loop.at
    stage.run(bots, stage.pairs_over(12))
    seconds = scene.loop.at - began
    shown = eve.heard_of(LadderState)
    assert 2 <= len(shown) <= seconds + 1
    assert len(fred.heard_of(LadderState)) == len(shown)
    assert all(one.seq <= two.seq for one, two in pairwise(shown))
    eve.ask(LadderStatus(id=2, ladder=NAME), LadderState)
    fred.go()
    stage.run(bots, stage.pairs_over(24))
    assert eve.heard_of(LadderState) == []
    assert stage.keeper.followers == set()


def test_the_first_pair_waits_for_so_many(scene: Scene) -> None:
    stage = Stage(scene, players=3, format="roundrobin:1")
    bots = stage.bots(first, first)
    scene.wait(60_000)
    assert stage.kinds() == ["ladder", "entered", "entered"]
    bots.append(Bot(scene, "cat", first))
    bots[-1].join()
    stage.run(bots, lambda: stage.ladder.finished is not None)
    assert sorted(stage.ladder.tally) == [(0, 1), (0, 2), (1, 2)]


def test_pairs_come_in_pages_and_ratings_with_their_history(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.ladders.PAGE", 2)
    stage = Stage(scene, format="roundrobin:5")
    stage.run(stage.bots(first, first), lambda: stage.ladder.finished is not None)
    scene.wait(5_000)
    found, since = [], 0
    while True:
        page = stage.page(since)
        found += [pair.pair for pair in page.pairs]
        if page.next is None:
            break
        since = page.next
    assert found == [1, 2, 3, 4, 5]
    assert stage.page(99).pairs == ()
    points = stage.ann.ask(LadderHistory(id=1, ladder=NAME), RatingHistory).points
    assert points[-1].pairs == 5
    assert [p.pairs for p in points] == sorted({p.pairs for p in points})


def test_a_test_of_two_bots_ends_with_its_verdict(scene: Scene) -> None:
    stage = Stage(scene, format="sprt:new,old")
    bots = [
        Bot(scene, "bob", at_random(1), program="new"),
        Bot(scene, "cat", resigning, program="old"),
    ]
    for bot in bots:
        bot.join()
    for _ in range(2_000):
        if stage.ladder.finished is not None:
            break
        bots[0].act()
        resign_all(bots[1])
        scene.wait(10)
    state = stage.state()
    assert state.verdict is not None
    assert state.verdict.word != "undecided"
    assert stage.ladder.finished == state.verdict.text


def test_a_history_of_many_players_with_long_names_fits_into_a_frame(scene: Scene) -> None:
    stage = Stage(scene)
    for i in range(60):
        name = f"{i}{'𝔛' * 24}"[:24]
        who = Who(100 + i, name, name)
        stage.ladder.fold(stage.ladder.join(who, "𝔛" * 24, "", 1, False, 0))
    elo = tuple(float(i) for i in range(60))
    fitted = Ratings(elo, elo, (0,) * 60, 0.0, 0.0, ())
    points = [standing.point(stage.ladder, fitted, 0, k) for k in range(1, 151)]
    stage.keeper.rater.history = points
    history = stage.ann.ask(LadderHistory(id=1, ladder=NAME), RatingHistory)
    assert 2 <= len(history.points) < 150
    assert history.points[-1] == points[-1]
    assert len(codec.encode(history, text=True)) <= MAX_SERVER_FRAME
