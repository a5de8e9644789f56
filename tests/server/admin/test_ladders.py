"""What a host does about ladders, in a scene."""

from __future__ import annotations

import pytest

from protocol import ladder, messages
from protocol.parts import ClockOptions
from server.config import Config
from tests.server.admin.test_service import Host
from tests.server.ladder.scene import CLOCK, NAME, Bot, LadderScene, first
from tests.server.scene import Scene

NEW = {"act": "open", "ladder": "new"}
TERMS = {"game": "tic_tac_toe", "clock": "24h"}


def names(scene: Scene) -> list[str]:
    status = ladder.LadderStatus(id=1)
    return [line.name for line in scene.enter().ask(status, ladder.Ladders).ladders]


def test_a_host_stops_and_removes_any_ladder_also_over_a_restart(scene: Scene) -> None:
    stage, host = LadderScene(scene), Host(scene)
    bots = stage.bots(first, first)
    stage.run(bots, lambda: len(stage.ladder.running) == 1)
    assert host.does("ladder", act="stop", ladder="DAILY") == "the ladder daily is stopped"
    assert stage.ladder.finished == "stopped by the host"
    assert host.refused("ladder", act="stop", ladder=NAME) == "ladder/finished"
    create = ladder.LadderCreate(id=1, name="more", game="tic_tac_toe", clock=CLOCK)
    stage.ann.ask(create, ladder.LadderState)
    for bot in bots:
        bot.join("more")
    assert host.does("ladder", act="remove", ladder="more") == "the ladder more is removed"
    scene.wait(10)
    assert host.does("ladder", act="remove", ladder=NAME) == "the ladder daily is removed"
    scene.wait(10)
    assert not scene.rooms.actors
    for each in (scene, scene.again()):
        assert names(each) == []
        assert len(each.ladders.by_number) == len(each.ladders.by_name) == 0
    acts = ("removed", "daily"), ("removed", "more"), ("stopped", "daily")
    assert [row["text"] for row in host.sees("log")] == [f"{a} the ladder {n}" for a, n in acts]


def test_a_host_drops_a_bot_of_anybody_s_ladder(scene: Scene) -> None:
    stage, host = LadderScene(scene), Host(scene)
    stage.bots(first, first)
    done = host.does("ladder", act="drop", ladder=NAME, player="bob1/bot")
    assert done == "bob1/bot@1 begins no more pairs on daily"
    assert stage.ladder.players[1].suspended == "dropped by the host"
    assert host.sees("log")[0]["text"] == "dropped bob1/bot@1 of the ladder daily"


def test_a_host_opens_a_ladder_where_nobody_else_may_and_it_goes_on() -> None:
    scene = Scene(Config(ladders=1, ladder_idle_ms=3_600_000))
    LadderScene(scene)
    host = Host(scene)
    rules = {"quota": "7", "code": "friday", "members": "ann, bob", "by_owner": "true"}
    done = host.does("ladder", act="open", ladder="league", **rules, **TERMS)
    assert done == "the ladder league is open"
    made = scene.ladders.by_name["league"].ladder.made
    assert (made.owner.name, made.quota, made.code) == ("house", 7, "friday")
    assert (made.members, made.siblings, made.by_owner) == (("ann", "bob"), False, True)
    assert made.clock == ClockOptions(base_ms=24 * 3_600_000)
    Bot(scene, "cat").join("league", code="FRIDAY")
    scene.enter("eve").ask(ladder.LadderStop(id=1, ladder="league"), messages.Error)
    for player in list(scene.lobby.connected.values()):
        for link in player.links:
            scene.hub.lost(link)  # type: ignore[arg-type]
    scene.wait(3 * 3_600_000)
    ladders = [actor.ladder for actor in scene.ladders.by_number.values()]
    assert [each.made.name for each in ladders if each.finished is None] == ["league"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"act": "burn"}, "admin/bad-field"),
        ({"act": "stop", "ladder": "no such"}, "ladder/unknown"),
        ({"act": "stop", "player": "x"}, "admin/bad-field"),
        ({"act": "stop", "clock": "5+3"}, "admin/bad-field"),
        ({"act": "drop"}, "admin/bad-field"),
        ({"act": "drop", "player": "nobody"}, "ladder/no-player"),
        (NEW, "admin/bad-field"),
        (NEW | TERMS | {"game": "go"}, "lobby/unknown-game"),
        (NEW | TERMS | {"clock": "soon"}, "admin/bad-field"),
        (NEW | TERMS | {"clock": "none"}, "admin/bad-field"),
        (NEW | TERMS | {"quota": "many"}, "admin/bad-field"),
        (NEW | TERMS | {"by_owner": "perhaps"}, "admin/bad-field"),
        (NEW | TERMS | {"player": "x"}, "admin/bad-field"),
        (NEW | TERMS | {"format": "swiss"}, "ladder/bad-format"),
        (NEW | TERMS | {"code": "x"}, "ladder/bad-option"),
        ({"act": "open", **TERMS}, "ladder/name-taken"),
    ],
)
def test_a_wrong_order_about_ladders_is_refused_and_changes_nothing(
    scene: Scene, fields: dict[str, str], code: str
) -> None:
    stage, host = LadderScene(scene), Host(scene)
    stage.bots(first)
    before = (scene.store.kinds(stage.ladder.number), names(scene))
    assert host.refused("ladder", **({"ladder": NAME} | fields)) == code
    assert (scene.store.kinds(stage.ladder.number), names(scene)) == before
    assert host.sees("log") == []
