"""Pairs from end to end: their rooms, their dice, bots that come, go, and fail."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games import registry
from games.dice import commitment
from games.game import Ints
from protocol import ladder, messages, parts
from server.core.events import DiceRolled, Ended, Passed, Played, read_body
from tests.server.ladder.scene import (
    NAME,
    Bot,
    LadderScene,
    at_random,
    first,
    resign_all,
    resigning,
)
from tests.server.scene import Scene


def test_two_bots_play_a_round_robin_to_its_end(scene: Scene) -> None:
    stage = LadderScene(scene, format="roundrobin:4")
    bots = stage.bots(at_random(1), at_random(2))
    stage.run(bots, lambda: stage.ladder.finished is not None)
    scene.wait(2_000)
    state = stage.state()
    assert (state.ladder.state, state.ladder.pairs, state.rated) == ("finished", 4, 4)
    assert [row.pairs for row in state.standings] == [4, 4]
    assert sum(row.score for row in state.standings) == 8
    assert [row.wins + row.draws + row.losses for row in state.standings] == [8, 8]
    assert [row.rank for row in state.standings] == [1, 2]
    assert all(row.rating is not None and row.error is not None for row in state.standings)
    pairs = stage.page().pairs
    assert [pair.pair for pair in pairs] == [1, 2, 3, 4]
    assert [pair.one for pair in pairs] == [bots[k].title for k in (0, 1, 0, 1)]
    assert [pair.opening for pair in pairs] == list(stage.ladder.openings[:4])
    assert scene.rooms.actors == {}
    assert all(leg.result is not None for pair in pairs for leg in pair.legs)
    assert stage.ladder.finished == "all pairs are played"


def test_where_the_rules_fail_the_ladder_ends_and_says_so(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = registry.game("tic_tac_toe")

    def stumbling(state: Ints, out: Ints, tmp: Ints) -> int:
        if state[2] > 4:
            raise IndexError("list index out of range")
        return honest.legal(state, out, tmp)

    broken = replace(honest, legal=stumbling)
    monkeypatch.setattr(registry, "game", lambda name, version=None: broken)
    stage = LadderScene(scene, format="roundrobin:4")
    bots = stage.bots(at_random(1), at_random(2))
    stage.run(bots, lambda: stage.ladder.finished is not None)
    scene.wait(2_000)
    assert stage.ladder.finished == "the rules of Tic-tac-toe failed"
    assert [pair.void for pair in stage.ladder.over] == ["the ladder ended"]
    assert scene.rooms.actors == {}


def test_both_legs_have_one_opening_and_swapped_seats(stage: LadderScene, bots: list[Bot]) -> None:
    stage.scene.wait(0)
    for seat, bot in enumerate(bots):  # who is sent its room as if it had joined
        bot.hear()
        room = next(m for m in bot.seen if isinstance(m, messages.RoomState))
        assert (room.ladder, room.pair, room.leg, room.state) == (NAME, 1, 0, "playing")
        assert room.seat == seat
        (match,) = bot.states.values()
        assert [e.kind for e in match.events] == ["opening", "opening"]
        assert (match.legal is None) == (match.to_move != room.seat)
    stage.run(bots, stage.pairs_over(1))
    (pair,) = stage.page().pairs[:1]
    rooms = [int((leg.match or "").partition(".")[0]) for leg in pair.legs]
    for leg, number in enumerate(rooms):
        page = stage.ann.ask(messages.History(id=1, room=number), messages.HistoryPage)
        assert tuple(e.action for e in page.events if e.kind == "opening") == pair.opening
        (started,) = [e for e in page.events if e.kind == "started"]
        names = [p.name for p in started.players or ()]
        assert names == (["bob0", "bob1"] if leg == 0 else ["bob1", "bob0"])
        (made,) = [e for e in page.events if e.kind == "created"]
        assert (made.ladder, made.pair, made.leg) == (NAME, 1, leg)
    assert stage.scene.store.kinds(rooms[0])[-1] == "closed"


def check_rolls(scene: Scene, rooms: tuple[int, int]) -> int:
    """Both legs have the same dice, and no roll of one was seen before the other had come to it;
    how many they share.
    """
    reached, rolls = dict.fromkeys(rooms, 0.0), {room: dict[int, str]() for room in rooms}
    for row in scene.store.events.values():  # in the order in which they came
        if row.room not in rooms:
            continue
        event, other = read_body(row.kind, row.body), rooms[1 - rooms.index(row.room)]
        if isinstance(event, DiceRolled):
            assert reached[other] >= event.ply
            rolls[row.room][event.ply] = event.action
        if isinstance(event, DiceRolled | Played | Passed):
            reached[row.room] = event.ply + 1
        elif isinstance(event, Ended):
            reached[row.room] = float("inf")
    one, two = (rolls[room] for room in rooms)
    shared = set(one) & set(two)
    assert {ply: one[ply] for ply in shared} == {ply: two[ply] for ply in shared}
    return len(shared)


@pytest.mark.parametrize("game", ["pebbles", "backgammon"])
def test_a_pair_with_dice_is_in_lockstep(scene: Scene, game: str) -> None:
    stage = LadderScene(scene, game)
    bots = stage.bots(at_random(1), at_random(2))
    eve = scene.enter("eve")
    scene.wait(0)
    for room in (2, 3):
        eve.ask(messages.Watch(id=room, room=room), messages.RoomState)
    paused, secrets = 0, set[str | None]()
    while not stage.ladder.over:
        for bot in bots:
            bot.act()
            scene.store.settle()
            legs = [scene.rooms.actors.get(room) for room in (2, 3)]
            over = all(leg is None or leg.room.state in ("over", "closed") for leg in legs)
            for message in [*bot.hear(), *eve.heard()]:
                if isinstance(message, messages.MatchState):
                    paused += message.clocks is not None and message.clocks.paused == "pair"
                    assert message.secret is None or over
                    secrets.add(message.secret)
        scene.wait(10)
    bots[0].hear()
    assert paused > 0
    assert check_rolls(scene, (2, 3)) > 1
    (secret,) = secrets - {None}
    rooms = [m for m in bots[0].seen if isinstance(m, messages.RoomState) and m.pair == 1]
    told = {m.commitment for m in rooms if m.state == "playing"}
    assert told == {commitment(bytes.fromhex(secret or ""))}
    assert [bots[0].states[match].secret for match in ("2.1", "3.1")] == [secret, secret]


def test_a_bot_leaves_and_comes_back(stage: LadderScene, bots: list[Bot]) -> None:
    stage.run(bots, lambda: len(stage.ladder.running) == 1)
    bots[0].player.heard()
    bots[0].player.ask(ladder.LadderLeave(id=1, ladder=NAME), messages.Ok)
    bots[0].player.ask(ladder.LadderStatus(id=2, ladder=NAME), ladder.LadderState)
    bots[0].states.clear()
    for actor in list(stage.scene.rooms.actors.values()):
        bots[0].player.say(messages.Join(room=actor.room.number))
    stage.run(bots, stage.pairs_over(1))  # what is on is played to its end
    stage.scene.wait(60_000)
    assert len(stage.ladder.over) == 1
    assert stage.ladder.running == {}
    bots[0].join()
    stage.run(bots, stage.pairs_over(2))
    bots[0].go()  # membership outlives a connection
    stage.scene.wait(61_000)
    assert [p.member for p in stage.ladder.players] == [True, True]
    assert stage.state().ladder.here == 1
    count = len(stage.ladder.over)
    bots[0].connect(stage.scene)
    stage.run(bots, stage.pairs_over(count + 1))


def test_a_bot_that_fails_too_often_is_suspended_until_it_is_another(stage: LadderScene) -> None:
    bots = stage.bots(first, resigning)
    for _ in range(200):
        if stage.ladder.players[1].suspended is not None:
            break
        bots[0].act()
        resign_all(bots[1], crashed=True)
        stage.scene.wait(20)
    assert stage.ladder.players[1].losses == 6
    resign_all(bots[1])
    stage.scene.wait(10_000)
    assert stage.ladder.running == {}
    assert "ladder/suspended" in bots[1].told()
    answer = bots[1].ask_to_join()
    assert isinstance(answer, messages.Error)
    assert answer.code == "ladder/suspended"
    assert stage.state().standings[1].suspended is not None
    bots[1].go()
    bots[1].info = parts.BotInfo(program="bot", version="2")
    bots[1].connect(stage.scene)
    bots[1].join()
    stage.scene.wait(0)
    assert len(stage.ladder.running) == 1


def test_another_version_waits_for_the_pairs_of_the_last(
    stage: LadderScene, bots: list[Bot]
) -> None:
    stage.run(bots, lambda: len(stage.ladder.running) == 1)
    newer = stage.scene.connect()
    bot = parts.BotInfo(program="bot", version="2")
    newer.say(messages.Hello(id=1, version=messages.VERSION, token=bots[0].token, bot=bot))
    assert newer.codes() == ["ladder/version-clash"]
    assert bots[0].player.transport.ended is None
    bots[0].player.say(ladder.LadderLeave(id=1, ladder=NAME))
    stage.run(bots, lambda: stage.ladder.running == {})
    bots[0].info = bot
    bots[0].connect(stage.scene)
    bots[0].join()
    stage.run(bots, lambda: len(stage.ladder.players[2].opponents) > 0)
    assert [(p.title, p.member) for p in stage.ladder.players] == [
        ("bob0/bot@1", False), ("bob1/bot@1", True), ("bob0/bot@2", True),
    ]  # fmt: skip
