"""Seeks at a server: two who want the same sit at one table, however they came."""

from __future__ import annotations

import random
from unittest import mock

import pytest
from msgspec.structs import replace

from protocol.messages import (
    Create,
    Join,
    Leave,
    Lobby,
    LobbyList,
    MatchState,
    Ready,
    RoomState,
    Seek,
)
from protocol.parts import BotInfo, ClockOptions, Options, Term
from protocol.records.terms import agreed, sought
from server.core.events import Who
from server.core.playing import VACANT_MS
from server.services.seeking import OpenTable, Seeker, choose, moves_on
from tests.server.cluster.far_scene import FarScene
from tests.server.scene import BLITZ, Player, Scene

FAST, LONG = ClockOptions(base_ms=180_000, increment_ms=2_000), ClockOptions(base_ms=900_000)


def wish(*left_open: Term, **terms: object) -> Options:
    return sought(Options(sought=left_open, **terms))  # type: ignore[arg-type]


def table(number: int, options: Options, elo: float | None = None, since: int = 0) -> OpenTable:
    return OpenTable(number, options, Who(number, f"p{number}"), since, elo)


@pytest.mark.parametrize(
    ("one", "two", "clock"),
    [
        (wish(clock=FAST), wish(clock=FAST), FAST),
        (wish(clock=FAST), wish(clock=LONG), None),
        (wish("clock"), wish(clock=LONG), LONG),
        (wish("clock", clock=LONG), wish("clock", clock=LONG), LONG),
        (wish("clock"), wish(clock=LONG, rated=True), None),
        (wish("clock", "rated"), wish(clock=LONG, rated=True), LONG),
        (wish(clock=FAST), Options(clock=FAST), None),  # a table that names no time to begin
        (wish("points", clock=FAST), wish(clock=FAST, points=5), FAST),
    ],
)
def test_who_suits_whom_is_the_same_whoever_comes_first(
    one: Options, two: Options, clock: ClockOptions | None
) -> None:
    for comes, waits in ((one, two), (two, one)):
        terms = agreed(comes, waits)
        assert (terms is None) == (clock is None)
        if terms is not None and clock is not None:
            assert terms.clock is not None
            assert terms.clock.base_ms == clock.base_ms


def test_of_two_who_leave_the_clock_open_the_one_who_waits_has_chosen() -> None:
    terms = agreed(wish("clock", clock=FAST), wish("clock", clock=LONG))
    assert terms is not None
    assert terms.clock == wish(clock=LONG).clock


def test_no_two_wait_who_could_play_and_no_player_is_paired_twice() -> None:
    rng = random.Random(32)
    for _ in range(30):
        waiting: dict[int, OpenTable] = {}
        paired: list[int] = []
        for number in range(1, 60):
            left_open = tuple(t for t in ("clock", "rated") if rng.random() < 0.2)
            clock = rng.choice([FAST, LONG])
            options = wish(*left_open, clock=clock, rated=rng.random() < 0.5)
            elo = rng.choice([None, rng.gauss(0, 300)])
            seeker = Seeker(Who(number, f"p{number}"), options, elo)
            chosen = choose(seeker, waiting.values(), number * 1_000)
            if chosen is None:
                waiting[number] = table(number, options, elo, number * 1_000)
            else:
                paired += [number, waiting.pop(chosen.room).room]
        assert len(set(paired)) == len(paired)
        assert sorted([*paired, *waiting]) == list(range(1, 60))
        for one in waiting.values():
            others = [other for other in waiting.values() if other is not one]
            assert all(agreed(one.options, other.options) is None for other in others)


def test_near_ratings_come_first_and_the_longer_one_waits_the_less_they_count() -> None:
    seeker = Seeker(Who(9, "p9"), wish(), 0.0)
    tables = [table(1, wish(), 400.0), table(2, wish(), 150.0, since=5_000), table(3, wish(), None)]
    assert [choose(seeker, tables[:2], now).room for now in (6_000, 40_000)] == [2, 1]  # type: ignore[union-attr]
    without = seeker._replace(elo=None)
    assert choose(without, tables, 6_000) == tables[0]


def test_no_player_meets_an_own_device_or_a_program() -> None:
    mine = Seeker(Who(1, "p1"), wish())
    programs = [table(2, wish())._replace(who=Who(2, "p2", "shrug"))]
    assert choose(mine, [table(1, wish()), *programs], 0) is None
    greta = Seeker(Who(1, "p1", "gretchen"), wish())
    assert choose(greta, [table(3, wish()), *programs], 0) == programs[0]


def test_of_two_seeks_that_missed_each_other_the_later_one_moves() -> None:
    one, two, opened = table(1, wish()), table(2, wish()), table(3, Options())
    assert [moves_on(one, two), moves_on(two, one), moves_on(one, opened)] == [False, True, True]


GAME = "tic_tac_toe"
SLOW = Options(clock=ClockOptions(base_ms=900_000, begin_ms=0))


def seek(player: Player, options: Options = BLITZ, *left_open: Term) -> RoomState:
    request = Seek(id=1, game=GAME, options=replace(options, sought=left_open))
    return player.ask(request, RoomState)


def names(room: RoomState) -> set[str]:
    return {player.name for player in room.seats if player is not None}


@pytest.mark.parametrize("kind", [Scene, FarScene])
def test_two_who_seek_the_same_play(kind: type[Scene]) -> None:
    at = kind()
    ann, bob = at.enter("ann"), at.enter("bob")
    waits = seek(ann)
    assert (names(waits), waits.options.public, waits.options.sought) == ({"ann"}, True, ())
    ann.say(Ready(room=waits.room))
    room = seek(bob)
    assert (room.room, names(room)) == (waits.room, {"ann", "bob"})
    bob.say(Ready(room=room.room))
    assert names(ann.last(RoomState)) == {"ann", "bob"}
    assert bob.last(MatchState).clocks is not None


def test_those_who_come_in_one_moment_are_paired_two_by_two(scene: Scene) -> None:
    players = [scene.enter(f"p{n}") for n in range(7)]
    for player in players:
        player.send(Seek(id=1, game=GAME, options=BLITZ))
    scene.store.settle()
    rooms = [room for room in scene.rooms.actors.values() if room.room.state != "closed"]
    assert sorted(sum(who is not None for who in each.room.seats) for each in rooms) == [1, 2, 2, 2]
    seated = [who.name for each in rooms for who in each.room.seats if who is not None]
    assert sorted(seated) == [f"p{n}" for n in range(7)]
    for player in players:
        assert [state.re for state in player.heard_of(RoomState)].count(1) == 1


def test_who_leaves_the_clock_open_plays_by_that_of_who_comes(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    waits = seek(ann, Options(), "clock")
    assert waits.options.sought == ("clock",)
    room = seek(bob, SLOW)
    assert (room.room, room.options.clock) == (waits.room, SLOW.clock)
    later = scene.again()
    assert later.rooms.actors[room.room].room.options == room.options
    later_ann, later_bob = later.enter(token=ann.token), later.enter(token=bob.token)
    for player in (later_ann, later_bob):
        player.say(Ready(room=room.room))
    match = later.rooms.actors[room.room].room.match
    assert match is not None
    assert match.clock.timed


def test_who_opens_a_table_and_who_seeks_meet(scene: Scene) -> None:
    ann, bob, eve = scene.enter("ann"), scene.enter("bob"), scene.enter("eve")
    opened = scene.room(ann, options=BLITZ)
    assert seek(bob).room == opened
    waits = seek(eve)
    assert eve.ask(Lobby(id=2), LobbyList).rooms[0].options.sought == ()
    carl = scene.enter("carl")
    assert carl.ask(Join(id=1, room=waits.room), RoomState).room == waits.room


def test_terms_that_contradict_each_other_pair_no_two(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    one = seek(ann, Options(), "rated")
    two = seek(bob, replace(BLITZ, rated=True), "clock")
    assert one.room != two.room  # a rated match without a clock
    assert ann.refused(Seek(id=2, game=GAME, options=Options(rated=True))) == ("lobby/bad-option")
    assert ann.refused(Seek(id=3, game="chess")) == "lobby/unknown-game"


def test_who_asks_again_stays_and_so_does_a_second_device(scene: Scene) -> None:
    ann = scene.enter("ann")
    waits = seek(ann)
    assert [seek(ann).room, seek(scene.enter(token=ann.token)).room] == [waits.room] * 2
    assert scene.rooms.total() == 1


def test_who_asks_again_goes_to_a_table_that_was_opened_since(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    waits, opened = seek(ann), scene.room(bob, options=BLITZ)
    assert seek(ann).room == opened
    assert waits.room not in scene.rooms.actors


def test_two_whose_seeks_have_missed_each_other_meet_by_asking_again(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    waits = seek(ann)
    ann.go()  # a player who is away is paired with none ...
    alone = seek(bob)
    assert alone.room != waits.room
    ann = scene.enter(token=ann.token)
    assert seek(ann).room == waits.room
    assert names(seek(bob)) == {"ann", "bob"}  # ... and the later of two seeks gives way
    assert scene.rooms.total() == 1


def test_two_who_each_wait_at_a_server_of_their_own_meet_by_asking_again() -> None:
    at = FarScene()
    at.clusters[0].forwarding.draining = False  # each server opens rooms
    at.owner.rooms.take_number()  # of its own, as servers of one house have them
    ann, front = at.enter("ann"), at.hub
    at.hub = at.owner
    bob = at.enter("bob")
    at.store.answered = lambda: None
    with mock.patch.object(at.lines, "pass_on"):  # neither server hears of the other's table
        for player, hub in ((ann, front), (bob, at.owner)):
            at.hub = hub
            player.send(Seek(id=1, game=GAME, options=BLITZ))
        at.store.settle()
    at.store.answered = at.lines.pass_on
    at.pass_on()
    one, two = ann.last(RoomState), bob.last(RoomState)
    assert (names(one), names(two)) == ({"ann"}, {"bob"})
    for player, hub in ((ann, front), (bob, at.owner)):
        at.hub = hub
        player.say(Seek(id=2, game=GAME, options=BLITZ))
    rooms = [room for player in (ann, bob) for room in player.heard_of(RoomState)]
    assert any(names(room) == {"ann", "bob"} for room in rooms)


def test_a_seek_ends_by_leaving_and_a_minute_after_its_line_was_lost(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    waits = seek(ann)
    ann.say(Leave(room=waits.room))
    assert waits.room not in scene.rooms.actors
    waits = seek(bob)
    bob.say(Ready(room=waits.room))
    bob.go()
    scene.wait(VACANT_MS + 1)
    assert waits.room not in scene.rooms.actors


def test_a_seek_outlives_the_server(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    waits = seek(ann)
    later = scene.again(lazy=True)
    later.enter(token=ann.token)
    assert names(seek(later.enter(token=bob.token))) == {"ann", "bob"}
    assert later.rooms.total() == 1
    assert waits.room in later.rooms.actors


def test_programs_meet_programs(scene: Scene) -> None:
    greta = scene.enter("greta", bot=BotInfo(program="shrug"))
    gus = scene.enter("gus", bot=BotInfo(program="shrug"))
    ann = scene.enter("ann")
    assert names(seek(greta)) == {"greta"}
    assert names(seek(ann)) == {"ann"}
    assert names(seek(gus)) == {"greta", "gus"}


def test_a_table_where_a_match_was_played_or_that_is_private_is_none_for_seeks(
    scene: Scene,
) -> None:
    at = scene.match(options=BLITZ)
    at.ann.say(at.play("5"))
    scene.enter("carl").say(Create(game=GAME, options=Options(clock=BLITZ.clock, public=False)))
    bob = at.bob
    at.ann.go()
    scene.wait(100_000)
    room = seek(scene.enter("eve"))
    assert names(room) == {"eve"}
    bob.heard()


def test_the_lines_of_a_seek_cost_what_it_looks_at(scene: Scene) -> None:
    room = seek(scene.enter("ann"))
    bob = scene.enter("bob")
    before = bob.peer.allowances[0].level
    assert seek(bob, SLOW).room != room.room
    assert before - bob.peer.allowances[0].level > Seek.price
