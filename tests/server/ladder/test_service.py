"""Ladders as bots and people meet them: what is asked and answered, who shares, who looks on."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from protocol import codec, ladder, messages, parts
from server.config import WRONG_CODE, Config
from server.core.events import Who
from server.core.names.register import YOUNG_MS
from server.ladder.core import rating, standing
from server.ladder.core.players import YOUNG
from server.ladder.core.rating import Ratings
from tests.server.ladder.scene import (
    CLOCK,
    NAME,
    Bot,
    LadderScene,
    at_random,
    first,
    resign_all,
    resigning,
)
from tests.server.scene import Player, Scene

TWO_CLOCKS = parts.ClockOptions(base_ms=1000, per_move_ms=1000)


def code_of(player: Player, request: messages.Request) -> str:
    player.heard()
    return player.ask(request, messages.Error).code


def create(**more: Any) -> ladder.LadderCreate:
    return ladder.LadderCreate(
        **{"id": 1, "name": NAME, "game": "tic_tac_toe", "clock": CLOCK} | more
    )


def test_a_ladder_is_made_listed_and_shown(scene: Scene) -> None:
    stage = LadderScene(scene, format=" roundrobin:3 ", quota=5)
    line = stage.made.ladder
    assert (line.name, line.game) == (NAME, "tic_tac_toe")
    assert (line.format, line.owner) == ("roundrobin:3", "ann")
    assert (line.state, line.players, line.here, line.pairs) == ("running", 0, 0, 0)
    stage.ann.ask(create(name="nightly"), ladder.LadderState)
    eve = scene.enter("eve")
    listed = eve.ask(ladder.LadderStatus(id=2), ladder.Ladders).ladders
    assert [each.name for each in listed] == ["nightly", NAME]
    state = eve.ask(ladder.LadderStatus(id=3, ladder=" DAILY "), ladder.LadderState)
    assert state.ladder == line
    assert eve.ask(ladder.LadderPairs(id=4, ladder=NAME), ladder.PairPage).pairs == ()
    assert eve.ask(ladder.LadderHistory(id=5, ladder=NAME), ladder.RatingHistory).points == ()


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"name": "two words"}, "ladder/bad-name"),
        ({"name": "\x07"}, "ladder/bad-name"),
        ({"name": "x" * 65}, "ladder/bad-name"),
        ({"name": NAME.upper()}, "ladder/name-taken"),
        ({"name": "b", "game": "go"}, "lobby/unknown-game"),
        ({"name": "b", "format": "swiss"}, "ladder/bad-format"),
        ({"name": "b", "clock": parts.ClockOptions()}, "ladder/bad-option"),
        ({"name": "b", "clock": TWO_CLOCKS}, "ladder/bad-option"),
    ],
)
def test_no_such_ladder_can_be_made(wrong: dict[str, Any], code: str, stage: LadderScene) -> None:
    assert code_of(stage.ann, create(**wrong)) == code
    assert len(stage.ann.ask(ladder.LadderStatus(id=2), ladder.Ladders).ladders) == 1


def test_there_are_only_so_many_ladders_of_so_many_names_and_none_without_numpy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = Scene(Config(ladders=1, ladders_per_session=9))
    ann, eve = scene.enter("ann"), scene.enter("eve")
    ann.send(create())
    assert code_of(eve, create()) == "ladder/name-taken"  # while it is being stored
    assert isinstance(ann.heard()[-1], ladder.LadderState)
    assert code_of(ann, create(name="nightly")) == "ladder/too-many"
    monkeypatch.setattr(rating, "available", lambda: False)
    assert code_of(ann, create()) == "ladder/no-ratings"


def test_one_owner_and_one_address_have_so_many_ladders_running_and_guests_one() -> None:
    scene = Scene(Config(ladders_per_session=2, ladders_per_address=3))
    crowd = [scene.enter(name, address="198.51.100.7") for name in ("ann", "bob", None)]
    made = [(0, "a"), (0, "b"), (2, "c")]
    for who, name in made:
        crowd[who].ask(create(name=name), ladder.LadderState)
    texts = [player.ask(create(name="x"), messages.Error).text for player in crowd]
    assert texts == [
        "2 of yours are running, and you may have 2: stop one",
        "3 are running that your address has opened",
        "1 of yours are running, and you may have 1: stop one",
    ]
    scene.enter("cat").ask(create(name="d"), ladder.LadderState)
    crowd[0].ask(ladder.LadderStop(id=1, ladder="a"), messages.Ok)
    crowd[1].ask(create(name="e"), ladder.LadderState)


def test_ladders_that_are_over_take_nobodys_place_and_only_the_newest_are_kept() -> None:
    scene = Scene(Config(ladders=2, ladders_per_session=2, finished_ladders=3))
    ann = scene.enter("ann")
    for i in range(9):
        ann.ask(create(name=f"l{i}"), ladder.LadderState)
        ann.ask(ladder.LadderStop(id=1, ladder=f"l{i}"), messages.Ok)
        scene.wait(1)
    ann.ask(create(name="l0"), ladder.LadderState)  # its name is free again
    for each in (scene, scene.again()):
        eve = each.enter()
        names = [k.name for k in eve.ask(ladder.LadderStatus(id=1), ladder.Ladders).ladders]
        assert names == ["l0", "l8", "l7", "l6"]
        assert code_of(eve, ladder.LadderStatus(id=1, ladder="l5")) == "ladder/unknown"
        assert len(each.ladders.by_number) == len(each.ladders.by_name) == 4


def test_a_ladder_for_who_was_invited(scene: Scene) -> None:
    stage = LadderScene(scene, members=["bob0"], code="X7K2M9")
    assert stage.made.ladder.invited
    stage.bots(first)
    cat = Bot(scene, "cat")
    for code in (None, "wrong1"):
        answer = cat.ask_to_join(code=code)
        assert getattr(answer, "code", "") == "ladder/not-invited"
    cat.join(code="X7K2M9")
    assert b"X7K2M9" not in codec.encode(stage.state(), text=True)
    for code in ("short", "x" * 65):
        assert code_of(stage.ann, create(name="b", code=code)) == "ladder/bad-option"


def test_a_code_is_the_same_however_it_is_typed_and_a_wrong_one_costs_as_a_guess(
    scene: Scene,
) -> None:
    LadderScene(scene, code="friday")
    bob, cat = Bot(scene, "bob"), Bot(scene, "cat")
    level = bob.player.peer.allowances[0].level
    assert getattr(bob.ask_to_join(code="monday"), "code", "") == "ladder/not-invited"
    assert level - bob.player.peer.allowances[0].level >= WRONG_CODE
    bob.join(code="friday")
    cat.join(code=" FRIDAY ")


def test_the_bots_of_one_owner_meet_others_and_each_other_only_where_the_ladder_says_so(
    scene: Scene,
) -> None:
    for name, siblings in (("strict", False), ("family", True)):
        scene.enter(f"{name}-host").ask(create(name=name, siblings=siblings), ladder.LadderState)
        both = [Bot(scene, name, program="a")]
        both.append(Bot(scene, name, program="b", token=both[0].token))
        for bot in both:
            bot.join(name)
        scene.wait(10)
        assert bool(scene.ladders.by_name[name].ladder.running) is siblings


def test_names_from_one_address_are_rated_as_one_owner_where_the_ladder_says_so(
    scene: Scene,
) -> None:
    zoe = Bot(scene, "zoe", address="10.0.0.9")
    scene = scene.again()  # which has forgotten that her name is new, and no other one is old
    zoe.connect(scene)
    stage = LadderScene(scene, by_owner=True)
    assert stage.made.ladder.by_owner
    bots = [*(Bot(scene, f"bob{n}", address=f"10.0.0.{n // 2}") for n in range(4)), zoe]
    for bot in bots:
        bot.join()
    players = stage.ladder.players
    now = scene.now()
    assert [players.voice(p, now) for p in players] == [*[YOUNG] * 4, players[4].who.session]
    first = players[0].who.session, players[2].who.session
    later = [first[0], first[0], first[1], first[1], players[4].who.session]
    assert [players.voice(p, now + YOUNG_MS) for p in players] == later
    stage.run(bots, lambda: stage.actor.rater.rated > 0)
    ratings = stage.actor.rater.ratings
    assert ratings is not None
    assert any(0 < (share or 0) < 1 for share in ratings.share)
    stage.again(bots=bots)
    assert [stage.ladder.players.voice(p, now + YOUNG_MS) for p in stage.ladder.players] == later
    eve = Bot(stage.scene, "eve", address="10.0.0.1")  # of those that came back it is known
    eve.join()
    assert stage.ladder.players.voice(stage.ladder.players[5], now + 3 * YOUNG_MS) == first[1]


def test_who_cannot_join_is_told_why(scene: Scene) -> None:
    stage = LadderScene(scene, quota=3)
    join = ladder.LadderJoin(id=1, ladder=NAME)
    assert code_of(stage.ann, join) == "ladder/not-a-bot"
    assert code_of(stage.ann, ladder.LadderJoin(id=1, ladder="nightly")) == "ladder/unknown"
    bot = Bot(scene, "bob", games=["connect_four"])
    assert code_of(bot.player, join) == "ladder/wrong-game"
    many = Bot(scene, "cat", slots=4)
    assert code_of(many.player, join) == "ladder/quota"
    many.join(slots=3)
    other = Bot(scene, "dan").player
    salted = ladder.LadderJoin(id=1, ladder=NAME, salt="xyz")
    assert code_of(other, salted) == "match/bad-salt"
    for player in (other, stage.ann):
        assert code_of(player, ladder.LadderLeave(id=1, ladder=NAME)) == "ladder/not-joined"


def test_only_the_owner_stops_a_ladder_and_once(stage: LadderScene, bots: list[Bot]) -> None:
    stage.run(bots, lambda: len(stage.ladder.running) == 1)
    eve = stage.scene.enter("eve")
    stop = ladder.LadderStop(id=1, ladder=NAME)
    assert code_of(eve, stop) == "ladder/not-owner"
    stage.ann.heard()
    stage.ann.ask(stop, messages.Ok)
    assert code_of(stage.ann, stop) == "ladder/finished"
    assert getattr(bots[0].ask_to_join(), "code", "") == "ladder/finished"
    state = stage.state()
    assert state.ladder.state == "finished"
    assert [(pair.void, state.live) for pair in state.recent] == [("the ladder ended", ())]
    assert stage.scene.rooms.actors == {}
    for bot in bots:
        bot.hear()
        assert [s.result and s.result.how for s in bot.states.values()] == ["void"]
    assert stage.kinds()[-2:] == ["voided", "finished"]


@pytest.mark.parametrize(
    "kind",
    [each for each in ladder.LADDER_REQUESTS if each is not ladder.LadderCreate],
    ids=lambda kind: kind.__name__,
)
def test_what_names_no_ladder_says_which_there_are(
    stage: LadderScene, kind: type[messages.Request]
) -> None:
    bot = Bot(stage.scene, "bob")
    more = {"player": "bob"} if kind is ladder.LadderDrop else {}
    request = kind(id=1, ladder="no\x1b such", **more)  # type: ignore[call-arg]
    answer = bot.player.ask(request, messages.Error)
    assert answer.code == "ladder/unknown"
    assert NAME in answer.text
    assert answer.text.isprintable()
    assert stage.ladder.players == []


def test_a_ladder_is_no_room(scene: Scene) -> None:
    """Its number is one of theirs, but nothing of its log is shown as theirs is."""
    stage = LadderScene(scene, "pebbles")
    bots = stage.bots(first, first)
    stage.run(bots, lambda: len(stage.ladder.running) == 1)
    number = stage.ladder.number
    stage.ann.heard()
    play = messages.Play(id=1, match=f"{number}.1", turn=1, action="1")
    for request in (messages.Join(id=1, room=number), messages.Watch(id=1, room=number), play):
        assert code_of(stage.ann, request) == "room/closed"
    stage.ann.heard()
    stage.ann.say(messages.History(id=1, room=number))
    (answer,) = [m for m in stage.ann.heard() if m.re == 1]
    assert isinstance(answer, messages.Error) or (
        isinstance(answer, messages.HistoryPage) and answer.events == ()
    )


def test_slots_and_quotas_hold_at_all_times(scene: Scene) -> None:
    stage = LadderScene(scene, quota=3)
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


def test_two_ladders_share_a_bot_s_slot_and_take_turns(stage: LadderScene) -> None:
    stage.ann.ask(create(name="nightly", seed=2), ladder.LadderState)
    bots = stage.bots(first, first)
    for bot in bots:
        bot.join("nightly")
    ladders = [actor.ladder for actor in stage.scene.ladders.by_number.values()]

    def enough() -> bool:
        assert sum(len(each.running) for each in ladders) <= 1
        return sum(len(each.over) for each in ladders) >= 6

    stage.run(bots, enough)
    assert [len(each.over) for each in ladders] == [3, 3]


def test_people_and_ladders_share_a_bot_s_slots(stage: LadderScene) -> None:
    bots = stage.bots(first)
    room = stage.scene.room(stage.ann)
    stage.ann.ask(messages.Invite(id=1, room=room, who="bot"), messages.Ok)
    other = Bot(stage.scene, "cat")
    other.join()
    stage.scene.wait(5_000)
    assert stage.ladder.running == {}  # the slot is held while the invitation stands
    bots[0].player.say(messages.Join(room=room))
    stage.scene.wait(60_000)
    assert stage.ladder.running == {}
    stage.ann.heard()
    assert stage.ann.ask(messages.Lobby(id=2), messages.LobbyList).bots[0].free == 0
    bots[0].player.say(messages.Leave(room=room))
    stage.scene.wait(0)
    assert len(stage.ladder.running) == 1
    answer = stage.ann.ask(messages.Invite(id=3, room=room, who="bob0/bot"), messages.Error)
    assert answer.code == "invite/busy"


def test_an_invitation_that_nobody_takes_up_gives_its_slot_back(stage: LadderScene) -> None:
    stage.bots(first)
    room = stage.scene.room(stage.ann)
    stage.ann.ask(messages.Invite(id=1, room=room, who="bot"), messages.Ok)
    Bot(stage.scene, "cat").join()
    stage.scene.wait(60_000)
    assert len(stage.ladder.running) == 1


def test_all_can_watch_a_leg_and_nobody_can_sit_down(stage: LadderScene, bots: list[Bot]) -> None:
    stage.run(bots, lambda: len(stage.ladder.running) == 1)
    (live,) = stage.state().live
    room = int((live.legs[0].match or "").partition(".")[0])
    eve = stage.scene.enter("eve")
    assert code_of(eve, messages.Join(id=1, room=room)) == "room/full"
    state = eve.ask(messages.Watch(id=2, room=room), messages.RoomState)
    assert (state.ladder, state.seat) == (NAME, None)
    line = eve.ask(messages.Lobby(id=3), messages.LobbyList).rooms[0]
    assert (line.room, line.ladder) == (room, NAME)
    stage.run(bots, stage.pairs_over(1))
    assert eve.last(messages.RoomState).state == "closed"


def test_followers_are_sent_at_most_one_standing_a_second(stage: LadderScene) -> None:
    bots = stage.bots(at_random(1), at_random(2))
    eve, fred = stage.scene.enter("eve"), stage.scene.enter("fred", text=True)
    for who in (eve, fred):
        who.ask(ladder.LadderStatus(id=1, ladder=NAME, follow=True), ladder.LadderState)
    began = stage.scene.loop.at
    stage.run(bots, stage.pairs_over(12))
    seconds = stage.scene.loop.at - began
    shown = eve.heard_of(ladder.LadderState)
    assert 2 <= len(shown) <= seconds + 1
    assert len(fred.heard_of(ladder.LadderState)) == len(shown)
    assert all(one.seq <= two.seq for one, two in pairwise(shown))
    eve.ask(ladder.LadderStatus(id=2, ladder=NAME), ladder.LadderState)
    fred.go()
    stage.run(bots, stage.pairs_over(24))
    assert eve.heard_of(ladder.LadderState) == []
    assert stage.actor.followers == set()


def test_the_first_pair_waits_for_so_many(scene: Scene) -> None:
    stage = LadderScene(scene, players=3, format="roundrobin:1")
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
    monkeypatch.setattr("server.ladder.service.PAGE", 2)
    stage = LadderScene(scene, format="roundrobin:5")
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
    points = stage.ann.ask(ladder.LadderHistory(id=1, ladder=NAME), ladder.RatingHistory).points
    assert points[-1].pairs == 5
    assert [p.pairs for p in points] == sorted({p.pairs for p in points})


def test_a_test_of_two_bots_ends_with_its_verdict(scene: Scene) -> None:
    stage = LadderScene(scene, format="sprt:new,old")
    choices = {"new": at_random(1), "old": resigning}
    bots = [Bot(scene, f"bob{name}", choose, program=name) for name, choose in choices.items()]
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


def test_a_history_of_many_players_with_long_names_fits_into_a_frame(stage: LadderScene) -> None:
    for i in range(60):
        name = f"{i}{'𝔛' * 24}"[:24]
        who = Who(100 + i, name, name)
        stage.ladder.fold(stage.ladder.join(who, "𝔛" * 24, "", 1, False, 0))
    elo = tuple(float(i) for i in range(60))
    fitted = Ratings(elo, elo, (0,) * 60, 0.0, 0.0, ())
    points = [standing.point(stage.ladder, fitted, 0, k) for k in range(1, 151)]
    stage.actor.rater.history = points
    history = stage.ann.ask(ladder.LadderHistory(id=1, ladder=NAME), ladder.RatingHistory)
    assert 2 <= len(history.points) < 150
    assert history.points[-1] == points[-1]
    assert len(codec.encode(history, text=True)) <= messages.MAX_SERVER_FRAME
