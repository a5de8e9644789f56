"""Pairs from end to end: their rooms, their dice, bots that come, go, and fail."""

from __future__ import annotations

import pytest

from games.dice import commitment
from protocol.ladder import (
    LadderLeave,
    LadderState,
    LadderStatus,
)
from protocol.messages import (
    VERSION,
    BotInfo,
    Error,
    Hello,
    History,
    HistoryPage,
    Join,
    MatchState,
    Ok,
    RoomState,
    Watch,
)
from server.core.events import Ended, Passed, Played, Rolled, read_body
from tests.server.ladder_scene import (
    NAME,
    Stage,
    at_random,
    first,
    resign_all,
    resigning,
)
from tests.server.scene import Scene

# ---------------------------------------------------------------- pairs


def test_two_bots_play_a_round_robin_to_its_end(scene: Scene) -> None:
    stage = Stage(scene, format="roundrobin:4")
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
    assert scene.house.rooms == {}
    assert all(leg.result is not None for pair in pairs for leg in pair.legs)
    assert stage.ladder.finished == "all pairs are played"


def test_both_legs_begin_with_the_opening_and_seats_are_swapped(scene: Scene) -> None:
    stage = Stage(scene)
    bots = stage.bots(first, first)
    stage.run(bots, stage.pairs_over(1))
    (pair,) = stage.page().pairs[:1]
    rooms = [int((leg.match or "").partition(".")[0]) for leg in pair.legs]
    for leg, room in enumerate(rooms):
        page = stage.ann.ask(History(id=1, room=room), HistoryPage)
        shown = [e.action for e in page.events if e.kind == "opening"]
        assert tuple(shown) == pair.opening
        (started,) = [e for e in page.events if e.kind == "started"]
        names = [p.name for p in started.players or ()]
        assert names == (["bob0", "bob1"] if leg == 0 else ["bob1", "bob0"])
        (made,) = [e for e in page.events if e.kind == "created"]
        assert (made.ladder, made.pair, made.leg) == (NAME, 1, leg)
    assert scene.store.kinds(rooms[0])[-1] == "closed"


def test_what_bots_are_sent_is_their_rooms_as_if_they_had_joined(scene: Scene) -> None:
    stage = Stage(scene)
    bots = stage.bots(first, first)
    for bot in bots:
        scene.wait(0)
        bot.hear()
        room = next(m for m in bot.seen if isinstance(m, RoomState))
        assert (room.ladder, room.pair, room.leg, room.state) == (NAME, 1, 0, "playing")
        assert room.seat == bots.index(bot)
        (match,) = bot.states.values()
        assert [e.kind for e in match.events] == ["opening", "opening"]
        assert (match.legal is None) == (match.to_move != room.seat)


def check_rolls(scene: Scene, rooms: tuple[int, int]) -> int:
    """Both legs have the same dice, and no roll of one was seen before the other had come to it;
    how many they share.
    """
    reached, rolls = dict.fromkeys(rooms, 0.0), {room: dict[int, str]() for room in rooms}
    for row in scene.store.events.values():  # in the order in which they came
        if row.room not in rooms:
            continue
        event, other = read_body(row.kind, row.body), rooms[1 - rooms.index(row.room)]
        if isinstance(event, Rolled):
            assert reached[other] >= event.ply
            rolls[row.room][event.ply] = event.action
        if isinstance(event, Rolled | Played | Passed):
            reached[row.room] = event.ply + 1
        elif isinstance(event, Ended):
            reached[row.room] = float("inf")
    one, two = (rolls[room] for room in rooms)
    shared = set(one) & set(two)
    assert {ply: one[ply] for ply in shared} == {ply: two[ply] for ply in shared}
    return len(shared)


@pytest.mark.parametrize("game", ["pebbles", "backgammon"])
def test_a_pair_with_dice_is_in_lockstep(scene: Scene, game: str) -> None:
    stage = Stage(scene, game)
    bots = stage.bots(at_random(1), at_random(2))
    eve = scene.enter("eve")
    scene.wait(0)
    for room in (2, 3):
        eve.ask(Watch(id=room, room=room), RoomState)
    paused, secrets = 0, set[str | None]()
    while not stage.ladder.over:
        for bot in bots:
            bot.act()
            scene.store.settle()
            legs = [scene.house.rooms.get(room) for room in (2, 3)]
            over = all(leg is None or leg.room.state in ("over", "closed") for leg in legs)
            for message in [*bot.hear(), *eve.heard()]:
                if isinstance(message, MatchState):
                    paused += message.clocks is not None and message.clocks.paused == "pair"
                    assert message.secret is None or over
                    secrets.add(message.secret)
        scene.wait(10)
    bots[0].hear()
    assert paused > 0
    assert check_rolls(scene, (2, 3)) > 1
    (secret,) = secrets - {None}
    rooms = [m for m in bots[0].seen if isinstance(m, RoomState) and m.pair == 1]
    told = {m.commitment for m in rooms if m.state == "playing"}
    assert told == {commitment(bytes.fromhex(secret or ""))}
    assert [bots[0].states[match].secret for match in ("2.1", "3.1")] == [secret, secret]


def test_the_first_leg_to_end_keeps_its_secret(scene: Scene) -> None:
    stage = Stage(scene, "backgammon")
    bots = stage.bots(at_random(1), at_random(2))
    scene.wait(0)
    for _ in range(20):
        for bot in bots:
            bot.act()
        scene.wait(10)
    bots[0].resign("2.1")
    assert stage.kinds()[-1] == "scored"
    for bot in bots:
        bot.hear()
        assert bot.states["2.1"].result is not None
        assert bot.states["2.1"].secret is None
        assert bot.states["3.1"].result is None
    for room in (2, 3):
        page = stage.ann.ask(History(id=1, room=room), HistoryPage)
        assert [e.secret for e in page.events if e.kind == "dealt"] == [None]
        stage.ann.heard()
    stage.run(bots, stage.pairs_over(1))  # the other goes on by itself
    for bot in bots:
        bot.hear()
        assert bot.states["2.1"].secret == bot.states["3.1"].secret is not None


# ---------------------------------------------------------------- bots come, go, and fail


def test_a_bot_leaves_and_comes_back(scene: Scene) -> None:
    stage = Stage(scene)
    bots = stage.bots(first, first)
    stage.run(bots, lambda: len(stage.ladder.running) == 1)
    bots[0].player.heard()
    bots[0].player.ask(LadderLeave(id=1, ladder=NAME), Ok)
    bots[0].player.ask(LadderStatus(id=2, ladder=NAME), LadderState)
    bots[0].states.clear()
    for keeper in list(scene.house.rooms.values()):
        bots[0].player.say(Join(room=keeper.room.number))
    stage.run(bots, stage.pairs_over(1))  # what is on is played to its end
    scene.wait(60_000)
    assert len(stage.ladder.over) == 1
    assert stage.ladder.running == {}
    bots[0].join()
    stage.run(bots, stage.pairs_over(2))


def test_membership_outlives_a_connection(scene: Scene) -> None:
    stage = Stage(scene)
    bots = stage.bots(first, first)
    stage.run(bots, stage.pairs_over(1))
    bots[0].go()
    scene.wait(61_000)
    assert [p.member for p in stage.ladder.players] == [True, True]
    assert stage.state().ladder.here == 1
    count = len(stage.ladder.over)
    bots[0].connect(scene)
    stage.run(bots, stage.pairs_over(count + 1))


def test_who_is_away_for_a_minute_loses(scene: Scene) -> None:
    stage = Stage(scene)
    bots = stage.bots(first, first)
    scene.wait(0)
    bots[1].go()
    scene.wait(59_000)
    assert "scored" not in stage.kinds()
    scene.wait(1_500)
    assert stage.kinds().count("scored") == 1
    stage.state()
    scene.wait(61_000)
    (pair,) = stage.page().pairs
    assert [leg.result and leg.result.how for leg in pair.legs] == ["disconnect", "disconnect"]
    row = next(row for row in stage.state().standings if row.player == bots[1].title)
    assert (row.losses, row.lost_by, row.score) == (2, {"disconnect": 2}, 0)
    assert stage.ladder.running == {}


def test_if_both_are_away_the_pair_is_void_and_played_again(scene: Scene) -> None:
    stage = Stage(scene)
    bots = stage.bots(first, first)
    scene.wait(0)
    for bot in bots:
        bot.go()
    scene.wait(61_000)
    (pair,) = stage.page().pairs
    assert pair.void == "both away"
    assert [row.voids for row in stage.state().standings] == [1, 1]
    for bot in bots:
        bot.connect(scene)
    stage.run(bots, stage.pairs_over(2))
    again = stage.page().pairs[1]
    assert (again.opening, again.void) == (pair.opening, None)


def test_three_illegal_actions_lose(scene: Scene) -> None:
    stage = Stage(scene)
    bots = stage.bots(first, lambda _: "77")
    scene.wait(0)
    for _ in range(40):
        for bot in bots:
            bot.act()
            bot.answered.clear()
        scene.store.settle()
        if stage.ladder.over:
            break
        scene.wait(50)
    (pair,) = stage.page().pairs
    assert [leg.result and leg.result.how for leg in pair.legs] == ["illegal", "illegal"]
    assert stage.state().standings[1].lost_by == {"illegal": 2}


def test_a_bot_that_fails_too_often_is_suspended_until_it_is_another(scene: Scene) -> None:
    stage = Stage(scene)
    bots = stage.bots(first, resigning)
    for _ in range(200):
        if stage.ladder.players[1].suspended is not None:
            break
        bots[0].act()
        resign_all(bots[1], crashed=True)
        scene.wait(20)
    assert stage.ladder.players[1].losses == 6
    resign_all(bots[1])
    scene.wait(10_000)
    assert stage.ladder.running == {}
    assert "ladder/suspended" in bots[1].told()
    answer = bots[1].ask_to_join()
    assert isinstance(answer, Error)
    assert answer.code == "ladder/suspended"
    assert stage.state().standings[1].suspended is not None
    bots[1].go()
    bots[1].info = BotInfo(program="bot", version="2")
    bots[1].connect(scene)
    bots[1].join()
    scene.wait(0)
    assert len(stage.ladder.running) == 1


def test_another_version_waits_until_the_pairs_of_the_last_are_over(scene: Scene) -> None:
    stage = Stage(scene)
    bots = stage.bots(first, first)
    stage.run(bots, lambda: len(stage.ladder.running) == 1)
    newer = scene.connect()
    bot = BotInfo(program="bot", version="2")
    newer.say(Hello(id=1, version=VERSION, token=bots[0].token, bot=bot))
    assert newer.codes() == ["ladder/version-clash"]
    assert bots[0].player.line.ended is None
    bots[0].player.say(LadderLeave(id=1, ladder=NAME))
    stage.run(bots, lambda: stage.ladder.running == {})
    bots[0].info = bot
    bots[0].connect(scene)
    bots[0].join()
    stage.run(bots, lambda: len(stage.ladder.players[2].opponents) > 0)
    assert [(p.title, p.member) for p in stage.ladder.players] == [
        ("bob0/bot@1", False), ("bob1/bot@1", True), ("bob0/bot@2", True),
    ]  # fmt: skip
