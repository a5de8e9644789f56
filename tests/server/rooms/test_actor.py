"""The actor of a room: one thing at a time, nothing shown that is not stored, fair clocks."""

from __future__ import annotations

from protocol import codec, messages
from server.config import Config
from server.core import room as rooms
from server.rooms.peers import AT_ONCE
from tests.server.scene import BLITZ, Player, Scene


def all_of(player: Player) -> list[str]:
    return [type(message).__name__ for message in player.heard()]


def test_nothing_is_shown_before_it_is_stored(scene: Scene) -> None:
    at = scene.match(watcher=True)
    at.ann.send(at.play("5", id=7))
    assert at.ann.heard() == at.bob.heard() == at.eve.heard() == []
    scene.store.settle()
    assert all_of(at.ann) == ["MatchState", "Ok"]
    assert all_of(at.bob) == all_of(at.eve) == ["MatchState"]


def test_a_room_takes_one_request_at_a_time_and_in_order(scene: Scene) -> None:
    at = scene.match()
    at.ann.send(at.play("5"))
    at.ann.send(messages.Say(room=at.room, text="one"))
    at.bob.send(messages.Say(room=at.room, text="two"))
    scene.store.answer_one()
    assert all_of(at.ann) == ["MatchState"]
    scene.store.answer_one()
    scene.store.answer_one()
    assert [said.text for said in at.ann.heard_of(messages.Said)] == ["one", "two"]
    assert scene.store.kinds(at.room)[-3:] == ["play", "said", "said"]


def test_all_who_follow_a_room_see_its_new_name_and_it_outlives_the_server(scene: Scene) -> None:
    at = scene.match(watcher=True)
    at.ann.say(messages.RoomRename(room=at.room, name="the den"))
    assert [each.last(messages.RoomState).name for each in (at.ann, at.bob, at.eve)] == [
        "the den"
    ] * 3
    later = scene.again()
    ann = later.enter(token=at.ann.token)
    assert ann.last(messages.RoomState).name == "the den"


def test_the_lobby_shows_the_name_of_a_room(scene: Scene) -> None:
    at = scene.match(watcher=True)
    at.ann.say(messages.RoomRename(room=at.room, name="the den"))
    (line,) = at.eve.ask(messages.Lobby(id=1, follow=False), messages.LobbyList).rooms
    assert line.name == "the den"


def test_rooms_do_not_wait_for_each_other(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    one, two = scene.room(ann), scene.room(bob)
    ann.send(messages.Say(room=one, text="slow"))
    bob.send(messages.Say(room=two, text="fast"))
    assert [actor.busy for actor in scene.rooms.actors.values()] == [True, True]
    scene.store.settle()
    assert len(ann.heard_of(messages.Said)) == len(bob.heard_of(messages.Said)) == 1


def test_four_requests_of_one_connection_may_wait(scene: Scene) -> None:
    room, ann = scene.gather("ann")
    for n in range(6):  # one is being stored, four wait, the sixth is too much
        ann.send(messages.Say(id=n, room=room, text="hey"))
    assert ann.refusals() == [("room/busy", 5)]
    scene.store.settle()
    assert [ok.re for ok in ann.heard_of(messages.Ok)] == [0, 1, 2, 3, 4]
    ann.ask(messages.Say(id=6, room=room, text="hey"), messages.Ok)


def test_so_many_requests_of_all_may_wait_in_a_room() -> None:
    scene = Scene(Config(inbox=10))
    room, ann = scene.gather("ann")
    guests = [scene.enter() for _ in range(4)]
    for guest in guests:
        guest.say(messages.Watch(room=room))
        guest.heard()
    ann.send(messages.Say(room=room, text="being stored"))
    for guest in guests:
        for n in range(4):
            guest.send(messages.Say(id=n, room=room, text="hey"))
    refused = [error for guest in guests for error in guest.heard_of(messages.Error)]
    assert [(error.code, error.re) for error in refused] == [
        ("room/busy", n) for n in (2, 3, *range(4))
    ]
    scene.store.settle()
    assert len(ann.heard_of(messages.Said)) == 11


def test_an_order_of_the_server_is_never_refused() -> None:
    scene = Scene(Config(inbox=1))
    at = scene.match(options=BLITZ)
    at.ann.send(messages.Say(room=at.room, text="being stored"))
    at.ann.send(messages.Say(room=at.room, text="waiting"))
    at.bob.vanish()
    scene.store.settle()
    assert at.ann.last(messages.RoomState).seats[1].absent  # type: ignore[union-attr]


def test_each_is_shown_what_it_may_see_and_the_mover_what_is_legal(scene: Scene) -> None:
    at = scene.match(watcher=True)
    tab = scene.enter(token=at.ann.token)
    tab.heard()
    at.ann.say(at.play("5"))
    assert [p.last(messages.MatchState).legal for p in (at.ann, tab, at.eve)] == [None] * 3
    state = at.bob.last(messages.MatchState)
    assert state.legal == ("1", "2", "3", "4", "6", "7", "8", "9")
    at.turn = state.turn
    at.bob.say(at.play("1"))
    assert at.ann.last(messages.MatchState).legal == tab.last(messages.MatchState).legal is not None
    assert at.bob.last(messages.MatchState).legal is at.eve.last(messages.MatchState).legal is None
    at.ann.say(messages.Resign(match=at.name))
    seats = [player.last(messages.RoomState).seat for player in (at.ann, at.bob, at.eve)]
    assert seats == [0, 1, None]


def test_each_connection_hears_its_own_encoding(scene: Scene) -> None:
    ann, bob, eve = scene.enter("ann"), scene.enter("bob", text=True), scene.enter("eve", text=True)
    room = scene.room(ann)
    for player in (bob, eve):
        player.say(messages.Watch(room=room))
    ann.heard(), bob.heard(), eve.heard()
    ann.say(messages.Say(room=room, text="hey"))
    assert bob.transport.frames == eve.transport.frames
    assert bob.transport.frames[0].startswith(b'{"type":"said"')
    assert ann.last(messages.Said) == bob.last(messages.Said)


def test_an_answer_follows_only_a_request_with_a_number(scene: Scene) -> None:
    room, ann = scene.gather("ann")
    ann.say(messages.Ready(room=room))
    assert all_of(ann) == ["RoomState"]
    ann.say(messages.Ready(id=2, room=room))
    assert ann.heard() == [messages.Ok(re=2, seq=3)]
    ann.say(messages.Ready(room=99))
    assert ann.heard_of(messages.Error)[0].re is None


def test_messages_of_a_match_may_replace_each_other_and_no_others(scene: Scene) -> None:
    at = scene.match()
    at.ann.send(at.play("5"))
    at.ann.send(messages.Say(room=at.room, text="hey"))
    at.ann.send(messages.Resign(id=3, match=at.name))
    scene.store.settle()
    keys = list(zip(map(type, at.ann.transport.frames), at.ann.transport.keys, strict=True))
    assert [key for _, key in keys] == [at.name, None, at.name, None, None]
    assert all_of(at.ann) == ["MatchState", "Said", "MatchState", "RoomState", "Ok"]


def test_a_clock_runs_from_when_the_position_was_shown(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    scene.wait(1_000)
    at.ann.send(at.play("5"))
    scene.loop.at += 3  # the disk takes its time
    scene.store.settle()
    clocks = at.bob.clocks()
    assert (clocks.remaining, clocks.running) == ((59_000, 60_000), 1)


def test_who_played_in_time_is_in_time_even_if_the_disk_is_slow(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    scene.loop.at += 59.9
    at.ann.send(at.play("5"))
    scene.loop.next(scene.loop.at + 5)  # her flag would fall meanwhile
    scene.store.settle()
    assert at.bob.last(messages.MatchState).result is None
    assert scene.rooms.actors[at.room].room.state == "playing"


def test_who_plays_after_its_flag_has_fallen_is_told_both(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    scene.loop.at += 60.1  # before the timer, which waits for lag that could be forgiven
    at.ann.send(at.play("5", id=4))
    scene.store.settle()
    heard = at.ann.heard()
    assert [(m.code, m.re) for m in heard if isinstance(m, messages.Error)] == [("match/over", 4)]
    assert [m.result.how for m in heard if isinstance(m, messages.MatchState) and m.result] == [
        "flag"
    ]
    assert [m for m in heard if isinstance(m, messages.Ok)] == []


def test_who_plays_is_answered_before_the_crowd_is_shown_it(scene: Scene) -> None:
    at = scene.match()
    crowd = [scene.enter(f"eve {n}") for n in range(AT_ONCE)]
    for each in crowd:
        each.say(messages.Watch(room=at.room))
    for each in (at.ann, at.bob, *crowd):
        each.heard()
    order: list[bytes] = []
    for each in (at.ann, at.bob, *crowd):
        each.transport.frames = order
    at.ann.say(at.play("5", id=7))
    kinds = [type(codec.decode_reply(frame)).__name__ for frame in order]
    assert kinds == ["MatchState"] * AT_ONCE + ["Ok"] + ["MatchState"] * 2


def test_an_action_that_comes_twice_counts_once_and_is_answered_twice(scene: Scene) -> None:
    at = scene.match()
    at.ann.ask(at.play("5", id=1), messages.Ok)
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
        at.turn = player.last(messages.MatchState).turn
        scene.wait(100)
    assert scene.loop.pending() == before


def test_a_room_that_nobody_is_in_closes_and_leaves_nothing_behind(scene: Scene) -> None:
    ann, room = scene.enter("ann"), 1
    ann.send(messages.Create(game="tic_tac_toe"))
    ann.vanish()  # while it is being opened
    scene.store.settle()
    assert scene.rooms.actors[room].peers == []
    scene.wait(31 * 60_000)
    assert scene.store.kinds(room) == ["created", "joined", "closed"]
    assert scene.rooms.actors == scene.lobby.present == {}
    assert scene.loop.pending() == 0
    assert scene.store.open_rooms() == []


def test_who_waits_for_a_room_that_closes_is_told_so(scene: Scene) -> None:
    room, ann, bob = scene.gather("ann", "bob")
    eve = scene.enter("eve")
    eve.say(messages.Watch(room=room))
    ann.heard()
    ann.send(messages.Leave(id=2, room=room))
    bob.send(messages.Join(id=3, room=room))
    ann.send(messages.Say(id=4, room=room, text="am I still here?"))
    scene.store.settle()
    assert [type(m) for m in ann.heard() if m.re is not None] == [messages.Ok, messages.Error]
    assert bob.codes() == ["room/closed"]
    assert eve.last(messages.RoomState).state == "closed"
    assert eve.peer.follows == ann.peer.follows == ()
    assert scene.rooms.actors == {}


def test_who_comes_back_while_its_room_closes_leaves_no_trace_of_it(scene: Scene) -> None:
    room, ann = scene.gather("ann")
    ann.go()
    scene.loop.next(scene.loop.at + 31 * 60)  # the room is being closed
    back = scene.connect()
    back.send(messages.Hello(version=1, token=ann.token))
    while scene.store.kinds(room)[-1] != "closed":
        scene.store.answer_one()
    scene.store.settle()
    assert scene.rooms.actors == {}
    assert back.peer.follows == ()


def test_who_goes_while_its_join_is_stored_sits_there_absent(scene: Scene) -> None:
    room, ann, bob = scene.gather("ann", "bob")
    bob.send(messages.Join(room=room))
    bob.vanish()
    scene.store.settle()
    seat = ann.last(messages.RoomState).seats[1]
    assert seat is not None
    assert (seat.name, seat.absent) == ("bob", True)
    assert bob.peer not in scene.rooms.actors[room].peers


def test_who_is_back_before_its_join_is_stored_is_shown_the_room(scene: Scene) -> None:
    room, ann, bob = scene.gather("ann", "bob")
    bob.send(messages.Join(room=room))
    bob.vanish()
    back = scene.connect()
    scene.store._asked.insert(0, lambda: None)
    back.send(messages.Hello(version=1, token=bob.token))
    scene.store._asked.insert(0, scene.store._asked.pop())  # the hello is stored first
    scene.store.settle()
    assert back.last(messages.RoomState).seat == 1
    assert not ann.last(messages.RoomState).seats[1].absent  # type: ignore[union-attr]
    assert back.peer in scene.rooms.actors[room].peers


def test_a_watcher_that_goes_meanwhile_is_not_followed_up(scene: Scene) -> None:
    room, ann, eve = scene.gather("ann", "eve")
    ann.send(messages.Say(room=room, text="busy"))
    eve.send(messages.Watch(room=room))
    eve.vanish()
    scene.store.settle()
    assert scene.rooms.actors[room].peers == [ann.peer]


def test_a_rematch_seats_nobody_anew_though_both_change_seats(scene: Scene) -> None:
    at = scene.match()
    room = scene.rooms.actors[at.room].room
    told: list[int] = []
    scene.rooms.announcements.reseated.append(lambda old, new: told.append(new.number))
    at.ann.say(messages.Resign(match=at.name))
    at.ann.say(messages.Ready(room=at.room))
    at.bob.say(messages.Ready(room=at.room))
    assert scene.rooms.actors[at.room].room.seats == room.seats[::-1]
    assert told == []
    presences = [player.peer.presence for player in (at.ann, at.bob)]
    assert [each.rooms for each in presences if each is not None] == [(at.room,), (at.room,)]
    at.bob.say(messages.Resign(match=f"{at.room}.2"))
    at.bob.say(messages.Leave(room=at.room))
    assert told == [at.room]


def test_a_room_is_told_as_its_state_says_whoever_is_away(scene: Scene) -> None:
    at = scene.match(watcher=True)
    room = at.room
    for change in (
        lambda: at.ann.say(messages.Resign(match=at.name)),
        lambda: at.ann.say(messages.Ready(room=room)),
        at.bob.go,
        lambda: at.ann.say(messages.Kick(room=room, seat=1)),
    ):
        change()
        now = scene.rooms.actors[room].room
        for player in (at.ann, at.eve):
            state = rooms.state(now, player.peer.who, 1, scene.now())
            assert player.last(messages.RoomState) == state
