"""What bounds a ladder: its rooms, its players, its looks for pairs, its clock and its time."""

from __future__ import annotations

import pytest

from lab.arena.local_server import SETTINGS
from protocol import ladder, messages, parts
from protocol.errors import Code
from server.config import Config
from server.core.room import HOUSE
from server.ladder import directory
from server.ladder.core import schedule
from server.rooms.admission import Concerned
from tests.server.ladder.scene import CLOCK, NAME, Bot, LadderScene, at_random, first
from tests.server.scene import Scene

HOUR_MS = 3_600_000
EVIL = "198.51.100.7"
GOOD = "203.0.113.9"


def create(name: str, **more: object) -> ladder.LadderCreate:
    fields = {"id": 1, "name": name, "game": "tic_tac_toe", "clock": CLOCK} | more
    return ladder.LadderCreate(**fields)  # type: ignore[arg-type]


def rooms_of(scene: Scene, name: str) -> int:
    number = scene.ladders.by_name[name].ladder.number
    legs = (actor.room.leg for actor in scene.rooms.actors.values())
    return sum(1 for leg in legs if leg is not None and leg.ladder == number)


def test_the_rooms_of_ladders_count_for_owner_and_address_and_leave_the_house_to_others() -> None:
    scene = Scene(Config(rooms=16, rooms_per_address=3))
    host = scene.enter("host", address=EVIL)
    for name in ("one", "two"):
        host.ask(create(name, quota=100), ladder.LadderState)
    evil = [Bot(scene, f"evil{i}", address=EVIL, slots=20) for i in range(3)]
    scene.enter("judge", address=GOOD).ask(create("fair", quota=100), ladder.LadderState)
    for bot in evil:
        for name in ("one", "two", "fair"):
            bot.join(name)
    scene.wait(10_000)
    assert rooms_of(scene, "one") + rooms_of(scene, "two") + rooms_of(scene, "fair") == 3
    good = [Bot(scene, f"good{i}", address=f"192.0.2.{i}", slots=20) for i in range(2)]
    for bot in good:
        bot.join("fair")
    scene.wait(1_000)
    assert 3 < len(scene.rooms.actors) <= 16 // 4
    scene.enter("newcomer").ask(messages.Create(id=1, game="tic_tac_toe"), messages.RoomState)
    for bot in (*evil, *good):
        bot.go()
    scene.wait(3_600_000)
    assert scene.hub.admission.legs_left(Concerned(addresses=frozenset([EVIL]))) == 3, (
        "what is over is counted no more"
    )


def test_rooms_that_were_read_from_the_log_count_for_the_owners_of_their_bots(scene: Scene) -> None:
    stage = LadderScene(scene)
    stage.run(stage.bots(first, first), lambda: len(stage.ladder.running) == 1)
    sessions = [player.who.session for player in stage.ladder.players]
    most = scene.config.rooms_per_address
    stage.again()
    stage.scene.wait(0)
    admission = stage.scene.hub.admission
    left = [admission.legs_left(Concerned(frozenset([session]))) for session in sessions]
    assert left == [most - 1] * 2


def test_who_never_moves_gets_one_pair_at_a_time_until_it_does(scene: Scene) -> None:
    stage = LadderScene(scene)
    asleep = Bot(scene, "asleep", slots=2)
    others = [Bot(scene, f"bob{i}", slots=2) for i in range(3)]
    for bot in (asleep, *others):
        bot.join()
    asleep.silent = True
    player = stage.ladder.players[0]
    stage.run(others, lambda: player.running == 2)
    stage.run(others, lambda: player.losses == 4, rounds=20_000)
    for _ in range(100):
        assert player.running <= 1
        stage.run(others, lambda: player.running == 1)
        scene.wait(10)
    asleep.silent = False
    stage.run([asleep, *others], lambda: player.running == 2)
    assert player.absent == 0


@pytest.mark.parametrize("of_host", [False, True])
def test_anchors_play_one_pair_at_a_time_with_one_owner_but_on_the_host_s_ladders(
    scene: Scene, of_host: bool
) -> None:
    stage = LadderScene(scene)
    if of_host:
        scene.ladders.remove(stage.actor)
        scene.store.settle()
        scene.wait(10)
        request = create(NAME)
        scene.ladders.open(scene.ladders.made(request, HOUSE, scene.now()))
        scene.store.settle()
    for i in range(3):
        house = scene.house(parts.BotInfo(program=f"anchor{i}", version="1", slots=2))
        house.ask(ladder.LadderJoin(id=1, ladder=NAME), messages.Ok)
    eve = Bot(scene, "eve", program="a", slots=3)
    others = [eve, Bot(scene, "eve", program="b", slots=3, token=eve.token), Bot(scene, "fred")]
    for bot in others:
        bot.join()
    scene.wait(1_000)
    running = stage.ladder.running.values()
    owners = [
        {stage.ladder.players[n].who.name for n in (pair.event.one, pair.event.two)}
        for pair in running
    ]
    served = sum(names == {"eve", "house"} for names in owners)
    assert served > 1 if of_host else served == 1


def test_anchors_play_one_pair_at_a_time_with_all_names_from_one_address(scene: Scene) -> None:
    stage = LadderScene(scene, format="gauntlet:anchor")
    house = scene.house(parts.BotInfo(program="anchor", version="1", slots=9))
    house.ask(ladder.LadderJoin(id=1, ladder=NAME), messages.Ok)
    bots = [Bot(scene, f"bob{n}", address=f"10.0.{n % 2}.1") for n in range(6)]
    for bot in bots:
        bot.join()
    scene.wait(1_000)
    playing = [player.who.name for player in stage.ladder.players if player.running == 1]
    assert playing == ["bob0", "bob1"]


def test_versions_without_a_pair_give_way_and_those_with_pairs_stay(scene: Scene) -> None:
    scene = Scene(Config(ladder_players=4, ladder_players_per_owner=2))
    stage = LadderScene(scene)
    played = stage.bots(first, first)
    stage.run(played, stage.pairs_over(1))
    for bot in played:
        bot.go()
    scene.wait(120_000)
    eve = Bot(scene, "eve", version="1")
    eve.join()
    for version in ("2", "3", "4"):
        eve.go()
        eve = Bot(scene, "eve", version=version, token=eve.token)
        eve.join()
    titles = [player.title for player in stage.ladder.players]
    assert titles == [*(bot.title for bot in played), "eve/bot@3", "eve/bot@4"]
    fred = Bot(scene, "fred", first)
    fred.join()
    assert [player.title for player in stage.ladder.players][2:] == [fred.title, "eve/bot@4"]
    stage.run([eve, fred], lambda: stage.ladder.players[2].pairs > 0)
    answer = Bot(scene, "gus").ask_to_join()
    assert getattr(answer, "code", "") == Code.LADDER_QUOTA
    before = [(player.title, player.pairs) for player in stage.ladder.players]
    stage.again()
    assert [(player.title, player.pairs) for player in stage.ladder.players] == before


def test_a_member_that_gives_way_is_told(scene: Scene) -> None:
    scene = Scene(Config(ladder_players_per_owner=1))
    LadderScene(scene)
    one = Bot(scene, "eve", program="a")
    one.join()
    Bot(scene, "eve", program="b", token=one.token).join()
    one.hear()
    assert one.told() == [Code.LADDER_QUOTA]


def test_whatever_others_do_ladders_look_for_pairs_ten_times_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = Scene(Config(saved_ms=60_000))
    stage = LadderScene(scene)
    looks: list[int] = []
    advance = stage.actor.advance
    monkeypatch.setattr(stage.actor, "advance", lambda: (looks.append(1), advance())[1])
    eve = scene.enter("eve")
    scene.wait(1_000)
    looks.clear()
    for _ in range(100):
        room = scene.room(eve)
        eve.say(messages.Leave(room=room))
        scene.wait(10)
    assert 5 <= len(looks) <= 11


def test_bots_of_one_owner_that_do_not_meet_are_not_compared(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = LadderScene(scene)
    bots = [Bot(scene, "eve", program="p0")]
    bots += [Bot(scene, "eve", program=f"p{i}", token=bots[0].token) for i in range(1, 8)]
    for bot in bots:
        bot.join()
    asked: list[int] = []
    may_meet = schedule._may_meet
    monkeypatch.setattr(schedule, "_may_meet", lambda *them: (asked.append(1), may_meet(*them))[1])
    scene.enter("fred")
    scene.wait(1_000)
    assert not asked
    Bot(scene, "gus").join()
    assert stage.ladder.running
    assert len(asked) <= len(bots) + 1


def test_looks_have_a_bounded_share_of_a_core_and_go_on_when_they_may(scene: Scene) -> None:
    stage = LadderScene(scene)
    scene.ladders.looked(0.6)  # half a second more than was saved up
    stage.bots(first, first)
    scene.wait(4_000)
    assert not stage.ladder.running
    scene.wait(2_000)
    assert stage.ladder.running


def test_more_pairs_come_to_be_played_at_once_few_by_few_and_one_follows_another_at_once(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scene.ladders, "looked", lambda seconds: None)  # a core's time is no clock
    slots = directory.SPARED + 4
    stage = LadderScene(scene, "connect_four", quota=1_000)
    for each in (bots := stage.bots(at_random(1), at_random(2), slots=slots)):
        each.silent = True
    scene.wait(0)
    assert len(stage.ladder.running) == directory.SPARED
    scene.wait(4_000 // directory.GROWTH + 200)
    assert len(stage.ladder.running) == slots
    for each in bots:
        each.silent = False
    stage.run(bots, stage.pairs_over(slots), rounds=100)  # a second
    scene.wait(110)
    assert len(stage.ladder.running) == slots, "others followed at once"


@pytest.mark.parametrize(
    "clock",
    [
        parts.ClockOptions(base_ms=3_600_001),
        parts.ClockOptions(base_ms=60_000, increment_ms=300_001),
        parts.ClockOptions(per_move_ms=300_001),
        parts.ClockOptions(per_move_days=1),
    ],
)
def test_a_clock_on_a_ladder_ends_a_match_within_hours(
    scene: Scene, clock: parts.ClockOptions
) -> None:
    ann = scene.enter("ann")
    no = ann.ask(create("slow", clock=clock), messages.Error)
    assert no.code == Code.LADDER_BAD_OPTION
    assert "60 minutes for a match and 5 for a move" in no.text
    begins = parts.ClockOptions(base_ms=60_000, begin_ms=1)
    no = ann.ask(create("slow", clock=begins), messages.Error)
    assert "no match of a ladder has a time to begin" in no.text
    ann.ask(create("slow", clock=parts.ClockOptions(base_ms=3_600_000)), ladder.LadderState)


def test_a_tournament_of_one_s_own_has_any_clock() -> None:
    ann = Scene(Config(**SETTINGS)).enter("ann")
    for i, clock in enumerate(
        (
            parts.ClockOptions(base_ms=7 * 24 * HOUR_MS, increment_ms=HOUR_MS),
            parts.ClockOptions(per_move_ms=24 * HOUR_MS),
        )
    ):
        ann.ask(create(f"slow{i}", clock=clock), ladder.LadderState)


def test_new_names_of_one_address_open_few_ladders_and_old_ones_more() -> None:
    scene = Scene(Config(new_ladders_per_address=2))
    crowd = [scene.enter(f"name{i}", address=EVIL) for i in range(3)]
    for i in (0, 1):
        crowd[i].ask(create(f"l{i}"), ladder.LadderState)
    no = crowd[2].ask(create("l2"), messages.Error)
    assert (no.code, no.text[:2]) == (Code.LADDER_TOO_MANY, "2 ")
    scene.enter("cat", address=GOOD).ask(create("l3"), ladder.LadderState)
    scene.wait(3_600_001)
    crowd[2].ask(create("l2"), ladder.LadderState)


def test_ladders_of_before_a_start_count_for_the_address_that_their_owner_comes_back_from() -> None:
    scene = Scene(Config(ladders_per_address=2, rooms_per_address=3))
    owner = scene.enter("ann", address=EVIL)
    for name in ("l0", "l1"):
        owner.ask(create(name), ladder.LadderState)
    scene = scene.again()
    scene.enter(token=owner.token, address=EVIL)
    no = scene.enter("bob", address=EVIL).ask(create("l2"), messages.Error)
    assert (no.code, no.text[:2]) == (Code.LADDER_TOO_MANY, "2 ")
    scene.enter("cat", address=GOOD).ask(create("l3"), ladder.LadderState)


def test_a_ladder_ends_on_which_nobody_was_for_long_also_over_restarts() -> None:
    scene = Scene(Config(ladder_idle_ms=4 * HOUR_MS))
    stage = LadderScene(scene)
    (bob,) = stage.bots(first)
    scene.wait(5 * HOUR_MS)
    assert stage.ladder.finished is None, "a bot waits there"
    bob.go()
    scene.wait(2 * HOUR_MS)
    stage.again()
    stage.scene.wait(HOUR_MS // 2)
    assert stage.ladder.finished is None
    stage.scene.wait(4 * HOUR_MS)
    assert stage.ladder.finished == "nobody was here for long"
    stage.ann.ask(create(f"{NAME}2"), ladder.LadderState)


def test_a_ladder_that_somebody_looks_at_goes_on(scene: Scene) -> None:
    stage = LadderScene(scene)
    status = ladder.LadderStatus(id=1, ladder=NAME, follow=True)
    stage.ann.ask(status, ladder.LadderState)
    scene.wait(48 * HOUR_MS)
    assert stage.ladder.finished is None


def test_on_a_ladder_no_more_requests_wait_for_the_log_than_in_a_room(scene: Scene) -> None:
    at = LadderScene(scene)
    (bot,) = at.bots(first)
    bot.hear()
    for number in range(scene.config.inbox + 3):
        bot.player.send(ladder.LadderLeave(id=number, ladder=NAME))
    assert [code for code, _ in bot.player.refusals()] == ["room/busy"] * 2  # one is being stored
    scene.store.settle()
    assert bot.player.refused(ladder.LadderLeave(id=999, ladder=NAME)) != "room/busy"
