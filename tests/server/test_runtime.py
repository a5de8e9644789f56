"""The runtime: one thing at a time in a room, nothing shown that is not stored, fair clocks."""

from __future__ import annotations

from protocol.messages import (
    Create,
    Error,
    Hello,
    Join,
    Leave,
    MatchState,
    Ok,
    Ready,
    Resign,
    RoomState,
    Said,
    Say,
    Watch,
)
from server.config import Config
from tests.server.scene import BLITZ, Player, Scene


def all_of(player: Player) -> list[str]:
    return [type(message).__name__ for message in player.heard()]


# ---------------------------------------------------------------- stored, then shown


def test_nothing_is_shown_before_it_is_stored(scene: Scene) -> None:
    at = scene.match(watcher=True)
    at.ann.send(at.play("5", id=7))
    assert at.ann.heard() == at.bob.heard() == at.eve.heard() == []
    scene.store.settle()
    assert all_of(at.ann) == ["MatchState", "Ok"]
    assert all_of(at.bob) == all_of(at.eve) == ["MatchState"]


def test_what_could_not_be_stored_is_shown_to_nobody(scene: Scene) -> None:
    at = scene.match(watcher=True)
    scene.store.broken = True
    at.ann.say(at.play("5", id=7))
    assert at.ann.last(Error) == Error(
        re=7,
        code="server/not-stored",
        text="the server could not store this, so it did not happen; clocks stand still",
    )
    assert {m.ply for p in (at.bob, at.eve) for m in p.heard_of(MatchState)} == {0}
    assert scene.store.kinds(at.room)[-1] == "started"


def test_a_room_takes_one_request_at_a_time_and_in_order(scene: Scene) -> None:
    at = scene.match()
    at.ann.send(at.play("5"))
    at.ann.send(Say(room=at.room, text="one"))
    at.bob.send(Say(room=at.room, text="two"))
    scene.store.answer_one()
    assert all_of(at.ann) == ["MatchState"]
    scene.store.answer_one()
    scene.store.answer_one()
    assert [said.text for said in at.ann.heard_of(Said)] == ["one", "two"]
    assert scene.store.kinds(at.room)[-3:] == ["play", "said", "said"]


def test_rooms_do_not_wait_for_each_other(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    one, two = scene.room(ann), scene.room(bob)
    ann.send(Say(room=one, text="slow"))
    bob.send(Say(room=two, text="fast"))
    assert [k.busy for k in scene.house.rooms.values()] == [True, True]
    scene.store.settle()
    assert len(ann.heard_of(Said)) == len(bob.heard_of(Said)) == 1


# ---------------------------------------------------------------- a bounded inbox


def test_four_requests_of_one_connection_may_wait(scene: Scene) -> None:
    ann = scene.enter("ann")
    room = scene.room(ann)
    for n in range(6):  # one is being stored, four wait, the sixth is too much
        ann.send(Say(id=n, room=room, text="hey"))
    assert [(e.code, e.re) for e in ann.heard_of(Error)] == [("room/busy", 5)]
    scene.store.settle()
    assert [ok.re for ok in ann.heard_of(Ok)] == [0, 1, 2, 3, 4]
    ann.ask(Say(id=6, room=room, text="hey"), Ok)


def test_so_many_requests_of_all_may_wait_in_a_room() -> None:
    scene = Scene(Config(inbox=10))
    ann = scene.enter("ann")
    room = scene.room(ann)
    guests = [scene.enter() for _ in range(4)]
    for guest in guests:
        guest.say(Watch(room=room))
        guest.heard()
    ann.send(Say(room=room, text="being stored"))
    for guest in guests:
        for n in range(4):
            guest.send(Say(id=n, room=room, text="hey"))
    refused = [error for guest in guests for error in guest.heard_of(Error)]
    assert [(error.code, error.re) for error in refused] == [
        ("room/busy", n) for n in (2, 3, *range(4))
    ]
    scene.store.settle()
    assert len(ann.heard_of(Said)) == 11


def test_what_the_house_itself_has_to_say_is_never_refused() -> None:
    scene = Scene(Config(inbox=1))
    at = scene.match(options=BLITZ)
    at.ann.send(Say(room=at.room, text="being stored"))
    at.ann.send(Say(room=at.room, text="waiting"))
    at.bob.vanish()
    scene.store.settle()
    assert at.ann.last(RoomState).seats[1].absent  # type: ignore[union-attr]


# ---------------------------------------------------------------- who hears what


def test_only_the_mover_hears_what_is_legal_on_each_of_its_connections(scene: Scene) -> None:
    at = scene.match(watcher=True)
    tab = scene.enter(token=at.ann.token)
    tab.heard()
    at.ann.say(at.play("5"))
    assert [p.last(MatchState).legal for p in (at.ann, tab, at.eve)] == [None] * 3
    state = at.bob.last(MatchState)
    assert state.legal == ("1", "2", "3", "4", "6", "7", "8", "9")
    at.turn = state.turn
    at.bob.say(at.play("1"))
    assert at.ann.last(MatchState).legal == tab.last(MatchState).legal is not None
    assert at.bob.last(MatchState).legal is at.eve.last(MatchState).legal is None


def test_each_connection_hears_its_own_encoding(scene: Scene) -> None:
    ann, bob, eve = scene.enter("ann"), scene.enter("bob", text=True), scene.enter("eve", text=True)
    room = scene.room(ann)
    for player in (bob, eve):
        player.say(Watch(room=room))
    ann.heard(), bob.heard(), eve.heard()
    ann.say(Say(room=room, text="hey"))
    assert bob.line.frames == eve.line.frames
    assert bob.line.frames[0].startswith(b'{"type":"said"')
    assert ann.last(Said) == bob.last(Said)


def test_everybody_sees_the_room_as_it_may(scene: Scene) -> None:
    at = scene.match(watcher=True)
    at.ann.say(Resign(match=at.name))
    seats = [player.last(RoomState).seat for player in (at.ann, at.bob, at.eve)]
    assert seats == [0, 1, None]


def test_an_answer_follows_only_a_request_with_a_number(scene: Scene) -> None:
    ann = scene.enter("ann")
    room = scene.room(ann)
    ann.say(Ready(room=room))
    assert all_of(ann) == ["RoomState"]
    ann.say(Ready(id=2, room=room))
    assert ann.heard() == [Ok(re=2, seq=3)]
    ann.say(Ready(room=99))
    assert ann.heard_of(Error)[0].re is None


def test_messages_of_a_match_may_replace_each_other_and_no_others(scene: Scene) -> None:
    at = scene.match()
    at.ann.send(at.play("5"))
    at.ann.send(Say(room=at.room, text="hey"))
    at.ann.send(Resign(id=3, match=at.name))
    scene.store.settle()
    keys = list(zip(map(type, at.ann.line.frames), at.ann.line.keys, strict=True))
    assert [key for _, key in keys] == [at.name, None, at.name, None, None]
    assert all_of(at.ann) == ["MatchState", "Said", "MatchState", "RoomState", "Ok"]


# ---------------------------------------------------------------- time


def test_a_clock_runs_from_when_the_position_was_shown(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    scene.wait(1_000)
    at.ann.send(at.play("5"))
    scene.loop.at += 3  # the disk takes its time
    scene.store.settle()
    clocks = at.bob.last(MatchState).clocks
    assert clocks is not None
    assert (clocks.remaining, clocks.running) == ((59_000, 60_000), 1)


def test_a_flag_falls_by_itself(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    scene.wait(60_300)  # the time, and the lag that may have to be forgiven
    result = at.bob.last(MatchState).result
    assert result is not None
    assert (result.how, result.winner) == ("flag", 1)
    assert scene.store.kinds(at.room)[-1] == "ended"


def test_who_played_in_time_is_in_time_even_if_the_disk_is_slow(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    scene.loop.at += 59.9
    at.ann.send(at.play("5"))
    scene.loop.next(scene.loop.at + 5)  # her flag would fall meanwhile
    scene.store.settle()
    assert at.bob.last(MatchState).result is None
    assert scene.house.rooms[at.room].room.state == "playing"


def test_who_plays_after_its_flag_has_fallen_is_told_both(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    scene.loop.at += 60.1  # before the timer, which waits for lag that could be forgiven
    at.ann.send(at.play("5", id=4))
    scene.store.settle()
    heard = at.ann.heard()
    assert [(m.code, m.re) for m in heard if isinstance(m, Error)] == [("match/over", 4)]
    assert [m.result.how for m in heard if isinstance(m, MatchState) and m.result] == ["flag"]


def test_an_action_that_comes_twice_counts_once_and_is_answered_twice(scene: Scene) -> None:
    at = scene.match()
    at.ann.ask(at.play("5", id=1), Ok)
    at.bob.heard()
    at.ann.send(at.play("5", id=2))
    assert [type(m).__name__ for m in at.ann.heard()] == ["MatchState", "Ok"]
    assert at.bob.heard() == []
    at.ann.say(at.play("5"))
    assert [type(m).__name__ for m in at.ann.heard()] == ["MatchState"]


def test_a_room_has_one_timer_however_much_is_played(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    before = scene.loop.pending()
    for n, action in enumerate("52378"):
        player = (at.ann, at.bob)[n % 2]
        player.say(at.play(action))
        at.turn = player.last(MatchState).turn
        scene.wait(100)
    assert scene.loop.pending() == before


def test_a_room_that_nobody_is_in_closes_and_leaves_nothing_behind(scene: Scene) -> None:
    ann = scene.enter("ann")
    room = scene.room(ann)
    ann.go()
    scene.wait(31 * 60_000)
    assert scene.store.kinds(room) == ["created", "joined", "closed"]
    assert scene.house.rooms == scene.house.lobby.lines == scene.house.lobby.present == {}
    assert scene.loop.pending() == 0
    assert scene.store.open_rooms() == []


# ---------------------------------------------------------------- a room closes while others wait


def test_who_waits_for_a_room_that_closes_is_told_so(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    room = scene.room(ann)
    ann.send(Leave(id=2, room=room))
    bob.send(Join(id=3, room=room))
    ann.send(Say(id=4, room=room, text="am I still here?"))
    scene.store.settle()
    assert [type(m) for m in ann.heard() if m.re is not None] == [Ok, Error]
    assert bob.codes() == ["room/closed"]
    assert scene.house.rooms == scene.house.lobby.lines == {}


def test_who_comes_back_while_its_room_closes_leaves_no_trace_of_it(scene: Scene) -> None:
    ann = scene.enter("ann")
    room = scene.room(ann)
    ann.go()
    scene.loop.next(scene.loop.at + 31 * 60)  # the room is being closed
    back = scene.connect()
    back.send(Hello(version=1, token=ann.token))
    while scene.store.kinds(room)[-1] != "closed":
        scene.store.answer_one()
    scene.store.settle()
    assert scene.house.rooms == scene.house.lobby.lines == {}
    assert back.peer.follows in (None, set())


def test_a_closed_room_forgets_its_followers(scene: Scene) -> None:
    ann, eve = scene.enter("ann"), scene.enter("eve")
    room = scene.room(ann)
    eve.say(Watch(room=room))
    ann.say(Leave(room=room))
    assert eve.last(RoomState).state == "closed"
    assert eve.peer.follows == ann.peer.follows == set()


# ---------------------------------------------------------------- a connection goes meanwhile


def test_who_goes_while_its_join_is_stored_sits_there_absent(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    room = scene.room(ann)
    bob.send(Join(room=room))
    bob.vanish()
    scene.store.settle()
    seat = ann.last(RoomState).seats[1]
    assert seat is not None
    assert (seat.name, seat.absent) == ("bob", True)
    assert bob.peer not in scene.house.rooms[room].peers


def test_who_goes_while_its_room_is_opened_leaves_one_that_will_close(scene: Scene) -> None:

    ann = scene.enter("ann")
    ann.send(Create(game="tic_tac_toe"))
    ann.vanish()
    scene.store.settle()
    assert scene.house.rooms[1].peers == []
    scene.wait(31 * 60_000)
    assert scene.house.rooms == {}


def test_who_is_back_before_its_join_is_stored_is_shown_the_room(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    room = scene.room(ann)
    bob.send(Join(room=room))
    bob.vanish()
    back = scene.connect()
    scene.store._asked.insert(0, lambda: None)
    back.send(Hello(version=1, token=bob.token))
    scene.store._asked.insert(0, scene.store._asked.pop())  # the hello is stored first
    scene.store.settle()
    assert back.last(RoomState).seat == 1
    assert not ann.last(RoomState).seats[1].absent  # type: ignore[union-attr]
    assert back.peer in scene.house.rooms[room].peers


def test_a_watcher_that_goes_meanwhile_is_not_followed_up(scene: Scene) -> None:
    ann, eve = scene.enter("ann"), scene.enter("eve")
    room = scene.room(ann)
    ann.send(Say(room=room, text="busy"))
    eve.send(Watch(room=room))
    eve.vanish()
    scene.store.settle()
    assert scene.house.rooms[room].peers == [ann.peer]
