"""A ladder says what it waits for, who never meets, who was dropped, that it is over."""

from __future__ import annotations

import pytest

from protocol import ladder, messages
from protocol.ladder import LadderTold
from tests.server.ladder.scene import NAME, Bot, LadderScene, first
from tests.server.scene import Scene


def waits(stage: LadderScene) -> list[tuple[str, str]]:
    return [(wait.why, wait.text) for wait in stage.state().waits]


def drop(stage: LadderScene, name: str) -> messages.Push:
    stage.ann.heard()
    return stage.ann.ask(ladder.LadderDrop(id=1, ladder=NAME, player=name), messages.Push)


def test_it_says_how_many_have_to_join_and_then_for_whom_it_waits(scene: Scene) -> None:
    stage = LadderScene(scene, players=2)
    assert waits(stage) == [("players", "waits for 2 more bots to join")]
    (bob,) = stage.bots(first)
    assert waits(stage) == [("players", "waits for 1 more bot to join")]
    cat = Bot(scene, "cat")
    cat.join()
    stage.run([bob, cat], lambda: bool(stage.ladder.running))
    assert waits(stage) == []
    cat.silent = True
    cat.go()
    stage.run([bob], lambda: len(stage.ladder.over) == 1, rounds=20_000)
    assert waits(stage) == [("away", "waits for cat/bot@1, not connected")]
    bob.go()
    assert waits(stage) == [("away", "waits for bob0/bot@1 and cat/bot@1, not connected")]
    cat.connect(scene)
    bob.connect(scene)
    scene.wait(10)
    assert waits(stage) == []


def test_a_round_robin_that_lacks_a_bot_goes_on_without_it(scene: Scene) -> None:
    stage = LadderScene(scene, format="roundrobin:1")
    bots = stage.bots(first, first, first)
    bots[2].go()
    stage.run(bots[:2], lambda: bool(stage.ladder.over) and not stage.ladder.running)
    assert waits(stage) == [("away", "waits for bob2/bot@1, not connected")]
    assert stage.state().ladder.state == "running"
    assert isinstance(drop(stage, "bob2/bot"), messages.Ok)
    scene.wait(10)
    assert stage.state().ladder.state == "finished"
    assert waits(stage) == []
    (row,) = [row for row in stage.state().standings if row.player == bots[2].title]
    assert row.suspended == "dropped by ann, the ladder's owner"


def test_a_dropped_bot_is_told_and_stays_away_through_a_restart(
    stage: LadderScene, bots: list[Bot]
) -> None:
    assert isinstance(drop(stage, bots[0].title), messages.Ok)
    assert isinstance(drop(stage, bots[0].title), messages.Ok)  # which changes nothing
    bots[0].hear()
    assert bots[0].told() == ["ladder/suspended"]
    assert stage.kinds().count("suspended") == 1
    stage.again(bots=bots)
    answer = bots[0].ask_to_join()
    assert isinstance(answer, messages.Error)
    assert (answer.code, "dropped by ann" in answer.text) == ("ladder/suspended", True)


@pytest.mark.parametrize(
    ("who", "name", "code"),
    [("ann", "nobody", "ladder/no-player"), ("ann", "bot", "ladder/no-player"),
     ("eve", "bob0/bot", "ladder/not-owner")],
)  # fmt: skip
def test_only_the_owner_drops_and_only_one_who_is_there(
    stage: LadderScene, bots: list[Bot], who: str, name: str, code: str
) -> None:
    player = stage.ann if who == "ann" else stage.scene.enter("eve")
    player.heard()
    assert player.refused(ladder.LadderDrop(id=1, ladder=NAME, player=name)) == code
    assert "suspended" not in stage.kinds()


def test_two_bots_of_one_owner_are_told_that_they_do_not_meet(scene: Scene) -> None:
    stage = LadderScene(scene)
    one = Bot(scene, "bob", program="a")
    two = Bot(scene, "bob", program="b", token=one.token)
    for bot in (one, two):
        bot.join()
        bot.hear()
    text = (
        "bob/a@1 and bob/b@1 are of one owner and do not meet here: that takes a ladder made with"
        " --siblings"
    )
    first_reason, kin = stage.state().waits
    assert first_reason.why == "opponents"
    assert (kin.why, kin.text, kin.players, kin.count) == (
        "siblings", text, ("bob/a@1", "bob/b@1"), 2,
    )  # fmt: skip
    told = [m for m in two.seen if isinstance(m, LadderTold)]
    assert [(m.code, "bob/b@1 and bob/a@1 are of one owner" in m.text) for m in told] == [
        ("ladder/siblings", True)
    ]
    assert one.told() == []


def test_where_siblings_meet_nothing_is_said_of_them(scene: Scene) -> None:
    stage = LadderScene(scene, siblings=True)
    one = Bot(scene, "bob", program="a")
    two = Bot(scene, "bob", program="b", token=one.token)
    for bot in (one, two):
        bot.join()
        bot.hear()
    assert (waits(stage), two.told()) == ([], [])


def test_a_test_says_which_of_its_two_bots_has_not_joined(scene: Scene) -> None:
    stage = LadderScene(scene, format="sprt:bob0/bot,cat/bot")
    stage.bots(first)
    assert waits(stage) == [("joining", "waits for cat/bot, not joined yet")]


def test_a_bot_that_plays_with_people_is_waited_for(scene: Scene) -> None:
    stage = LadderScene(scene, players=2)
    (bob,) = stage.bots(first)
    cat = Bot(scene, "cat")
    eve = scene.enter("eve")
    room = scene.room(eve)
    eve.say(messages.Invite(room=room, who="cat/bot"))
    cat.player.say(messages.Join(room=room))
    cat.join()
    scene.wait(10)
    assert waits(stage) == [("busy", "waits for a slot of cat/bot@1")]
    eve.say(messages.Kick(room=room, seat=1))
    stage.run([bob, cat], lambda: bool(stage.ladder.running))
    assert waits(stage) == []


def test_many_are_not_all_named(scene: Scene) -> None:
    stage = LadderScene(scene)
    bots = stage.bots(*[first] * 12)
    for bot in bots:
        bot.go()
    stage.run([], lambda: not stage.ladder.running, rounds=20_000)
    (wait,) = stage.state().waits
    assert (len(wait.players), wait.count) == (8, 12)
    assert wait.text.endswith(" and 4 more, not connected")


def test_members_hear_that_a_ladder_is_over(stage: LadderScene, bots: list[Bot]) -> None:
    stage.ann.heard()
    stage.ann.ask(ladder.LadderStop(id=1, ladder=NAME), messages.Ok)
    for bot in bots:
        bot.hear()
        (told,) = [m for m in bot.seen if isinstance(m, LadderTold)]
        assert told == LadderTold(
            ladder=NAME, code="ladder/finished", text="daily is over: stopped by its owner"
        )
