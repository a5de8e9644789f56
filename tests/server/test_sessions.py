"""Who one is: names, tokens, coming back, several connections, bots that replace each other."""

from __future__ import annotations

import pytest

from protocol import codec
from protocol.errors import Code
from protocol.messages import (
    BotInfo,
    Bye,
    Create,
    Error,
    Hello,
    Join,
    Link,
    Linked,
    Lobby,
    MatchState,
    Ok,
    Ready,
    Request,
    RoomState,
    Say,
    Watch,
    Welcome,
)
from server.config import Config
from tests.server.scene import BLITZ, Player, Scene

SHRUG = BotInfo(program="shrug", games=["tic_tac_toe"], slots=2)
DAY = 24 * 3_600_000


def hello(scene: Scene, request: Hello, text: bool = False) -> Welcome | Error:
    player = scene.connect(text)
    player.say(request)
    answer = player.heard()[0]
    assert isinstance(answer, Welcome | Error)
    return answer


def absent(player: Player, seat: int) -> bool:
    who = player.last(RoomState).seats[seat]
    assert who is not None
    return who.absent


# ---------------------------------------------------------------- names and tokens


def test_a_name_is_welcomed_only_when_it_is_stored(scene: Scene) -> None:
    ann = scene.connect()
    ann.send(Hello(id=1, version=1, name="ann"))
    assert ann.heard() == []
    ann.send(Lobby(id=2))
    assert ann.codes() == ["session/hello-first"]
    scene.store.settle()
    welcome = ann.last(Welcome)
    assert (welcome.re, welcome.name, welcome.server) == (1, "ann", scene.store.server)
    assert welcome.now == scene.house.now()
    assert "tic_tac_toe" in welcome.games
    assert len(welcome.token or "") >= 43  # 256 bits
    assert scene.store.logins[1].token != (welcome.token or "").encode()


def test_a_name_that_could_not_be_stored_is_free(scene: Scene) -> None:
    scene.store.broken = True
    ann = scene.connect()
    ann.say(Hello(id=1, version=1, name="ann"))
    assert [(e.code, e.re) for e in ann.heard_of(Error)] == [("server/not-stored", 1)]
    scene.store.broken = False
    assert isinstance(hello(scene, Hello(version=1, name="ann")), Welcome)
    ann.say(Hello(id=2, version=1, name="bea"))  # the connection is still good
    assert ann.last(Welcome).name == "bea"


def test_a_taken_name_is_refused_with_another(scene: Scene) -> None:
    scene.enter("ann")
    answer = hello(scene, Hello(version=1, name="ANN"))
    assert isinstance(answer, Error)
    assert (answer.code, answer.suggestion) == ("session/name-taken", "ANN-2")
    assert isinstance(hello(scene, Hello(version=1, name="ANN-2")), Welcome)


def test_two_who_want_a_name_at_once_do_not_both_get_it(scene: Scene) -> None:
    one, two = scene.connect(), scene.connect()
    one.send(Hello(version=1, name="ann"))
    two.send(Hello(version=1, name="ann"))
    scene.store.settle()
    assert one.last(Welcome).name == "ann"
    assert two.codes() == ["session/name-taken"]


@pytest.mark.parametrize("name", ["", "  ", "a/b", "a@b", "x" * 25, "a\u202eb", "\x1b[2J"])
def test_what_is_no_name_is_refused(scene: Scene, name: str) -> None:
    answer = hello(scene, Hello(version=1, name=name))
    assert isinstance(answer, Error)
    assert answer.code == "session/bad-name"


def test_no_name_makes_a_guest(scene: Scene) -> None:
    names = {
        answer.name
        for _ in range(5)
        if isinstance(answer := hello(scene, Hello(version=1)), Welcome)
    }
    assert len(names) == 5
    assert all(name.startswith("guest-") for name in names)


def test_another_version_is_told_which_one_is_spoken(scene: Scene) -> None:
    ann = scene.connect()
    ann.say(Hello(id=1, version=2, name="ann"))
    error = ann.last(Error)
    assert (error.code, error.re) == ("protocol/wrong-version", 1)
    assert "speaks version 1" in error.text
    ann.say(Hello(version=1, name="ann"))
    assert ann.last(Welcome).name == "ann"


def test_hello_is_said_once(scene: Scene) -> None:
    ann = scene.enter("ann")
    assert ann.ask(Hello(id=5, version=1, name="bea"), Error).code == "session/hello-again"


def test_a_token_is_shown_once_and_resumes(scene: Scene) -> None:
    ann = scene.enter("ann")
    answer = hello(scene, Hello(version=1, token=ann.token))
    assert isinstance(answer, Welcome)
    assert (answer.name, answer.token) == ("ann", None)
    answer = hello(scene, Hello(version=1, token="stolen"))
    assert isinstance(answer, Error)
    assert answer.code == "session/bad-token"


def test_names_and_tokens_outlive_the_server(scene: Scene) -> None:
    ann = scene.enter("ann")
    scene = scene.again()
    answer = hello(scene, Hello(version=1, token=ann.token))
    assert isinstance(answer, Welcome)
    assert answer.name == "ann"
    refused = hello(scene, Hello(version=1, name="ann"))
    assert isinstance(refused, Error)


def test_a_token_that_nobody_was_shown_does_not_keep_the_name(scene: Scene) -> None:
    ann = scene.connect()
    ann.send(Hello(version=1, name="ann"))
    ann.vanish()
    scene.store.settle()
    assert ann.heard() == []
    assert isinstance(hello(scene, Hello(version=1, name="ann")), Welcome)
    assert scene.house.lobby.present.keys() == {(2, None)}


def test_guests_who_stay_away_are_forgotten_and_nobody_else(scene: Scene) -> None:
    guests = [scene.enter() for _ in range(3)]
    ann = scene.enter("ann")
    scene.room(guests[1])
    for player in (guests[0], guests[1], ann):
        player.go()
    scene.wait(DAY + 3_600_000)  # the third guest is still here
    scene.enter("bob")
    known = [s.name for s in scene.house.lobby.sessions.values()]
    assert len(known) == 3
    assert known[1:] == ["ann", "bob"]
    assert isinstance(hello(scene, Hello(version=1, token=ann.token)), Welcome)


# ---------------------------------------------------------------- another device


def test_a_link_moves_a_name_to_another_device(scene: Scene) -> None:
    ann = scene.enter("ann")
    linked = ann.ask(Link(id=1), Linked)
    assert linked.expires_ms == 120_000
    answer = hello(scene, Hello(version=1, link=linked.code.lower()))
    assert isinstance(answer, Welcome)
    assert answer.name == "ann"
    assert answer.token not in (None, ann.token)
    for old in (Hello(version=1, token=ann.token), Hello(version=1, link=linked.code)):
        refused = hello(scene, old)
        assert isinstance(refused, Error)
        assert refused.code in ("session/bad-token", "session/bad-link")


def test_a_link_is_good_for_two_minutes(scene: Scene) -> None:
    ann = scene.enter("ann")
    code = ann.ask(Link(id=1), Linked).code
    scene.wait(120_010)
    answer = hello(scene, Hello(version=1, link=code))
    assert isinstance(answer, Error)
    assert answer.code == "session/bad-link"


@pytest.mark.parametrize("how", ["not stored", "gone"])
def test_a_link_that_comes_to_nothing_leaves_the_old_token_good(scene: Scene, how: str) -> None:
    ann = scene.enter("ann")
    other = scene.connect()
    code = ann.ask(Link(id=1), Linked).code
    scene.store.broken = how == "not stored"
    other.send(Hello(version=1, link=code))
    if how == "gone":
        other.vanish()
    scene.store.settle()
    scene.store.broken = False
    for house in (scene, scene.again()):
        assert isinstance(hello(house, Hello(version=1, token=ann.token)), Welcome)


# ---------------------------------------------------------------- several connections


def test_a_session_has_eight_connections(scene: Scene) -> None:
    ann = scene.enter("ann")
    tabs = [scene.enter(token=ann.token) for _ in range(7)]
    answer = hello(scene, Hello(version=1, token=ann.token))
    assert isinstance(answer, Error)
    assert answer.code == "session/too-many"
    tabs[0].go()
    assert isinstance(hello(scene, Hello(version=1, token=ann.token)), Welcome)


def test_a_session_has_eight_connections_even_if_all_come_at_once(scene: Scene) -> None:
    ann = scene.enter("ann")
    tabs = [scene.connect() for _ in range(9)]
    for tab in tabs:
        tab.send(Hello(id=1, version=1, token=ann.token))
    scene.store.settle()
    refused = [tab for tab in tabs if tab.codes() == ["session/too-many"]]
    assert refused == tabs[7:]
    tabs[0].go()
    refused[0].say(Hello(version=1, token=ann.token))
    assert refused[0].last(Welcome).name == "ann"


def test_each_connection_watches_for_itself(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    tab = scene.enter(token=bob.token)
    room = scene.room(ann)
    bob.say(Watch(room=room))
    bob.heard(), tab.heard()
    ann.say(Say(room=room, text="hey"))
    assert (len(bob.heard()), len(tab.heard())) == (1, 0)


# ---------------------------------------------------------------- coming back


def test_who_comes_back_is_shown_its_rooms_and_matches(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    at.ann.say(at.play("5"))
    at.ann.heard()
    at.ann.go()
    assert absent(at.bob, 0)
    back = scene.connect(text=True)
    back.say(Hello(id=1, version=1, token=at.ann.token))
    welcome, room, match, again = back.heard()
    assert isinstance(welcome, Welcome)
    assert (welcome.rooms, welcome.matches) == ((at.room,), (at.name,))
    assert isinstance(room, RoomState)
    assert room.seat == 0
    assert isinstance(match, MatchState)
    assert (match.match, match.ply) == (at.name, 1)
    assert isinstance(again, RoomState)
    assert not again.seats[0].absent  # type: ignore[union-attr]
    assert not absent(at.bob, 0)


def test_a_seat_is_absent_when_the_last_connection_is_gone(scene: Scene) -> None:
    at = scene.match()
    tab = scene.enter(token=at.ann.token)
    at.bob.heard()
    at.ann.go()
    assert at.bob.heard() == []
    tab.go()
    assert absent(at.bob, 0)
    assert scene.store.logins[1].seen == scene.house.now()


def test_who_comes_back_on_its_turn_is_asked_the_same_again(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    at.ann.go()
    scene.wait(5_000)
    back = scene.enter(token=at.ann.token)
    match = back.last(MatchState)
    assert match.turn == at.turn
    assert match.legal is not None
    assert match.clocks is not None
    assert match.clocks.remaining == (55_000, 60_000)  # the time in between was hers to lose


def test_after_a_restart_a_clock_waits_for_its_player(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    scene.wait(10_000)
    scene = scene.again()
    bob = scene.enter(token=at.bob.token)
    clocks = bob.last(MatchState).clocks
    assert clocks is not None
    assert (clocks.paused, clocks.remaining) == ("server", (60_000, 60_000))
    scene.wait(20_000)
    ann = scene.enter(token=at.ann.token)
    clocks = ann.last(MatchState).clocks
    assert clocks is not None
    assert (clocks.paused, clocks.running, clocks.remaining) == (None, 0, (60_000, 60_000))
    ann.ask(at.play("5", id=1), Ok)


def test_after_a_restart_a_clock_waits_for_half_a_minute(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    scene = scene.again()
    bob = scene.enter(token=at.bob.token)
    scene.wait(30_010)
    clocks = bob.last(MatchState).clocks
    assert clocks is not None
    assert (clocks.paused, clocks.running) == (None, 0)
    scene.wait(61_000)
    result = bob.last(MatchState).result
    assert result is not None
    assert result.how == "flag"


def test_time_never_runs_backwards_over_a_restart(scene: Scene) -> None:
    ann = scene.enter("ann")
    scene.room(ann)
    scene.wait(DAY)
    two = scene.room(ann)
    scene.loop.at += DAY / 1000
    ann.say(Say(room=two, text="this is the last event of all"))
    last = scene.house.now()
    scene.store.last_at = 0
    scene = Scene(store=scene.store)
    assert scene.house.now() >= last
    scene.wait(31 * 60_000)  # both rooms' timers know what time it is
    assert scene.house.rooms == {}


# ---------------------------------------------------------------- bots


def test_the_newest_connection_of_a_bot_replaces_the_older(scene: Scene) -> None:
    ann = scene.enter("ann")
    bot = scene.enter("greta", bot=SHRUG)
    room = scene.room(ann)
    bot.say(Join(room=room))
    ann.heard(), bot.heard()
    newer = scene.enter(token=bot.token, bot=SHRUG)
    bye = bot.heard()[-1]
    assert isinstance(bye, Bye)
    assert bye.code == "session/replaced"
    assert bot.line.ended == (1008, "session/replaced")
    scene.house.lost(bot.peer)
    ann.say(Say(room=room, text="hey"))
    assert [type(m).__name__ for m in ann.heard()] == ["Said"]  # nobody was absent
    assert [type(m).__name__ for m in newer.heard()] == ["Welcome", "RoomState", "Said"]


def test_what_a_replaced_bot_still_had_to_ask_reaches_nobody(scene: Scene) -> None:
    ann, bot = scene.enter("ann"), scene.enter("greta", bot=SHRUG)
    room = scene.room(ann)
    ann.send(Say(room=room, text="being stored"))
    bot.send(Join(room=room))
    newer = scene.connect()
    newer.send(Hello(version=1, token=bot.token, bot=SHRUG))
    scene.store.settle()
    assert bot.peer not in scene.house.rooms[room].peers
    assert newer.last(RoomState).seat == 1


def test_two_programs_of_one_name_do_not_replace_each_other(scene: Scene) -> None:
    bot = scene.enter("greta", bot=SHRUG)
    other = scene.enter(token=bot.token, bot=BotInfo(program="mcts"))
    person = scene.enter(token=bot.token)
    assert bot.line.ended is other.line.ended is person.line.ended is None
    room = scene.room(bot)
    other.say(Join(room=room))
    seats = bot.last(RoomState).seats
    assert [who.program for who in seats if who is not None] == ["shrug", "mcts"]
    assert person.ask(Join(id=1, room=room), Error).code == "room/full"


@pytest.mark.parametrize(
    "bot", [BotInfo(program="two words"), BotInfo(program="shrug", games=["poker"])]
)
def test_a_bot_that_makes_no_sense_is_refused(scene: Scene, bot: BotInfo) -> None:
    answer = hello(scene, Hello(version=1, name="greta", bot=bot))
    assert isinstance(answer, Error)
    assert answer.code == "session/bad-bot"


# ---------------------------------------------------------------- too much


def test_a_bot_may_say_four_hundred_things_at_once(scene: Scene) -> None:
    greta = scene.enter("greta", bot=BotInfo(program="shrug"))
    for n in range(410):
        greta.send(Lobby(id=n, follow=False))
    refused = [e for e in greta.heard_of(Error) if e.code == "session/flood"]
    assert [e.re for e in refused] == list(range(400, 410))


def test_a_person_may_say_twenty_things_a_second(scene: Scene) -> None:
    ann = scene.enter("ann")
    for n in range(140):
        ann.send(Lobby(id=n, follow=False))
    refused = [e for e in ann.heard_of(Error) if e.code == "session/flood"]
    assert [e.re for e in refused] == list(range(119, 140))  # a burst of 120, hello included
    scene.wait(1_000)
    for n in range(30):
        ann.send(Lobby(id=n, follow=False))
    assert len(ann.heard_of(Error)) == 10


def test_a_bot_may_say_more(scene: Scene) -> None:
    bot = scene.enter("greta", bot=SHRUG)
    scene.wait(1_000)
    for _ in range(400):
        bot.send(Lobby(follow=False))
    assert bot.codes() == []
    bot.send(Lobby(follow=False))
    assert bot.codes() == ["session/flood"]


def test_who_does_not_stop_is_cut_off(scene: Scene) -> None:
    ann = scene.enter("ann")
    for _ in range(400):
        ann.send(Lobby(follow=False))
    assert ann.line.ended == (1008, "session/flood")
    assert ann.codes().count("session/flood") == 201  # 200 refusals and the goodbye


def test_messages_of_unknown_types_are_a_flood_like_others(scene: Scene) -> None:
    ann = scene.enter("ann")
    for n in range(400):
        ann.send_bytes(b"\x82\xa4type\xa3abc\xa2id\xcd" + n.to_bytes(2, "big"))
    codes = ann.codes()
    assert codes.count("protocol/unknown-type") == 119
    assert ann.line.ended == (1008, "session/flood")


def test_what_is_no_message_ends_the_connection(scene: Scene) -> None:
    for data, code in (
        (b"\xc1", Code.PROTOCOL_BAD_FRAME),
        (b"\x01", Code.PROTOCOL_BAD_MESSAGE),
        (codec.encode(Request()), Code.PROTOCOL_BAD_MESSAGE),
    ):
        ann = scene.connect()
        ann.send_bytes(data)
        assert ann.line.ended == (1002, code)
        assert ann.codes() == [code]


def test_a_session_opens_so_many_rooms_and_sits_in_so_many() -> None:
    scene = Scene(Config(rooms_per_session=3))
    ann, bob, cat = scene.enter("ann"), scene.enter("bob"), scene.enter("cat")
    mine = [scene.room(ann) for _ in range(2)]
    bob.say(Join(room=mine[0]))
    host = Create(id=1, game="tic_tac_toe", seat=None)
    ann.ask(host, RoomState)
    assert ann.ask(host, Error).code == "lobby/too-many-rooms"  # three are open that are hers
    theirs = [cat.ask(host, RoomState).room, scene.room(cat)]
    ann.ask(Join(id=2, room=theirs[0]), RoomState)
    assert ann.ask(Join(id=3, room=theirs[1]), Error).code == "lobby/too-many-rooms"
    ann.ask(Join(id=4, room=theirs[0]), RoomState)  # there she sits already
    assert bob.ask(Ready(id=5, room=mine[0]), Ok).seq == 4


def test_a_server_keeps_so_many_rooms() -> None:
    scene = Scene(Config(rooms=2))
    ann = scene.enter("ann")
    scene.room(ann), scene.room(ann)
    assert ann.ask(Create(id=1, game="tic_tac_toe"), Error).code == "lobby/too-many-rooms"


# ---------------------------------------------------------------- the end


def test_a_house_that_closes_says_goodbye_to_all(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    new = scene.connect()
    scene.house.close()
    for player in (at.ann, at.bob, new):
        assert player.codes() == ["server/closing"]
        assert player.line.ended == (1012, "server/closing")
    for player in (at.ann, at.bob, new):
        scene.house.lost(player.peer)
    scene.store.settle()
    assert scene.store.kinds(at.room)[-1] == "started"
