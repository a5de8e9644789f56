"""Who one is: names, tokens, coming back, several connections, bots that replace each other."""

from __future__ import annotations

from typing import Any

import pytest

from protocol import messages, parts
from protocol.devices import DeviceNews
from server.admin.core.events import Restricted, Target
from server.cluster.core.membership import MemberKey
from server.cluster.joining import LookUps
from server.cluster.members import FarServers
from server.config import Config
from server.core.names.devices import devices_of
from server.services.neighbours import Neighbours
from server.store.contract import SessionKey
from tests.server.scene import BLITZ, M, Player, Scene

SHRUG = parts.BotInfo(program="shrug", games=["tic_tac_toe"], slots=2)
DAY = 24 * 3_600_000


def hello(scene: Scene, kind: type[M] = messages.Welcome, **said: Any) -> M:
    """What a newcomer hears first, which is of this kind."""
    player = scene.connect()
    player.say(messages.Hello(version=1, **said))
    answer = player.heard()[0]
    assert isinstance(answer, kind), answer
    return answer


def absent(player: Player, seat: int) -> bool:
    who = player.last(messages.RoomState).seats[seat]
    assert who is not None
    return who.absent


def test_a_name_is_welcomed_only_when_it_is_stored(scene: Scene) -> None:
    ann = scene.connect()
    ann.send(messages.Hello(id=1, version=1, name="ann"))
    assert ann.heard() == []
    ann.send(messages.Lobby(id=2))
    assert ann.codes() == ["session/hello-first"]
    scene.store.settle()
    welcome = ann.last(messages.Welcome)
    assert (welcome.re, welcome.name, welcome.server) == (1, "ann", scene.store.server)
    assert welcome.now == scene.now()
    assert tuple(info.game for info in welcome.catalog) == welcome.games
    assert len(welcome.token or "") >= 43  # 256 bits
    assert scene.store.logins[1].token != (welcome.token or "").encode()


def test_a_name_that_could_not_be_stored_is_free(scene: Scene) -> None:
    scene.store.broken = True
    ann = scene.connect()
    ann.say(messages.Hello(id=1, version=1, name="ann"))
    assert ann.refusals() == [("server/not-stored", 1)]
    scene.store.broken = False
    hello(scene, name="ann")
    ann.say(messages.Hello(id=2, version=1, name="bea"))  # the connection is still good
    assert ann.last(messages.Welcome).name == "bea"


class SharedLog(Scene):
    """A server that looks up in the log whom a hello means."""

    def _neighbours(self) -> Neighbours:
        return Neighbours(FarServers(MemberKey(1, 1)), LookUps(self.store).ask)


def test_a_token_that_could_not_be_looked_up_is_not_called_wrong() -> None:
    scene = SharedLog()
    token = hello(scene, name="ann").token
    scene.store.broken = True
    tab = scene.connect()
    for n, said in enumerate([{"token": token}, {"token": "another server's"}, {"name": "bea"}]):
        tab.say(messages.Hello(id=n, version=1, **said))
        assert tab.refusals() == [("server/not-stored", n)]
    scene.store.broken = False
    tab.say(messages.Hello(id=3, version=1, token=token))
    assert tab.last(messages.Welcome).name == "ann"


def test_a_link_code_is_looked_up_however_it_was_typed(scene: Scene) -> None:
    ann = scene.enter("ann")
    code = ann.ask(messages.Link(id=1), messages.Linked).code
    look_ups = LookUps(scene.store)
    typed = messages.Hello(version=1, link=f" {code.lower()}")
    assert SessionKey("number", ann.peer.me().session) in look_ups._keys(scene.lobby.names, typed)


def test_the_token_of_a_linked_device_is_looked_up_by_its_session() -> None:
    scene = SharedLog()
    ann = scene.enter("ann")
    code = ann.ask(messages.Link(id=1), messages.Linked).code
    token = hello(scene, link=code).token
    scene.lobby.names.cut(1, 2)  # as at a server that has not heard of it
    assert hello(scene, token=token).name == "ann"
    assert hello(scene, messages.Error, token="7.x").code == "session/bad-token"


def test_two_who_want_a_name_at_once_do_not_both_get_it(scene: Scene) -> None:
    one, two = scene.connect(), scene.connect()
    for player in (one, two):
        player.send(messages.Hello(version=1, name="ann"))
    scene.store.settle()
    assert one.last(messages.Welcome).name == "ann"
    assert two.codes() == ["session/name-taken"]


def test_no_name_makes_a_guest(scene: Scene) -> None:
    names = {hello(scene).name for _ in range(5)}
    assert len(names) == 5
    assert all(name.startswith("guest-") for name in names)


def test_a_token_is_shown_once_and_resumes_even_at_the_next_start(scene: Scene) -> None:
    ann = scene.enter("ann")
    answer = hello(scene, token=ann.token)
    assert (answer.name, answer.token) == ("ann", None)
    assert hello(scene, messages.Error, token="stolen").code == "session/bad-token"
    again = scene.again()
    assert hello(again, token=ann.token).name == "ann"
    hello(again, messages.Error, name="ann")


def test_a_token_that_nobody_was_shown_does_not_keep_the_name(scene: Scene) -> None:
    ann = scene.connect()
    ann.send(messages.Hello(version=1, name="ann"))
    ann.vanish()
    scene.store.settle()
    assert ann.heard() == []
    hello(scene, name="ann")
    assert scene.lobby.present.keys() == {(2, None)}


def test_guests_who_stay_away_are_forgotten_and_nobody_else(scene: Scene) -> None:
    guests = [scene.enter() for _ in range(3)]
    ann = scene.enter("ann")
    scene.room(guests[1])
    for player in (guests[0], guests[1], ann):
        player.go()
    scene.wait(DAY + 3_600_000)  # the third guest is still here
    scene.enter("bob")
    known = [s.name for s in scene.lobby.names.sessions.values()]
    assert len(known) == 3
    assert known[1:] == ["ann", "bob"]
    hello(scene, token=ann.token)


def test_a_link_brings_a_name_to_another_device_and_leaves_it_on_this_one(scene: Scene) -> None:
    ann = scene.enter("ann")
    linked = ann.ask(messages.Link(id=1), messages.Linked)
    assert linked.expires_ms == 120_000
    answer = hello(scene, link=linked.code.lower())
    assert answer.name == "ann"
    assert answer.token not in (None, ann.token)
    assert hello(scene, messages.Error, link=linked.code).code == "session/bad-link"
    assert ann.heard() == [DeviceNews(news="linked")]
    scene = scene.again()
    for token in (ann.token, answer.token):
        assert hello(scene, token=token).name == "ann"


@pytest.mark.parametrize("how", ["not stored", "gone"])
def test_a_link_that_comes_to_nothing_leaves_the_old_token_good(scene: Scene, how: str) -> None:
    ann = scene.enter("ann")
    other = scene.connect()
    code = ann.ask(messages.Link(id=1), messages.Linked).code
    scene.store.broken = how == "not stored"
    other.send(messages.Hello(version=1, link=code))
    if how == "gone":
        other.vanish()
    scene.store.settle()
    scene.store.broken = False
    for server in (scene, scene.again()):
        hello(server, token=ann.token)
        assert len(devices_of(server.lobby.names.sessions[1])) == 1


@pytest.mark.parametrize("how", ["not stored", "gone", "banned"])
def test_a_link_code_is_used_up_by_a_hello_that_is_granted_and_by_no_other(
    scene: Scene, how: str
) -> None:
    ann, other = scene.enter("ann"), scene.connect(address="10.0.0.7")
    code = ann.ask(messages.Link(id=1), messages.Linked).code
    scene.store.broken = how == "not stored"
    if how == "banned":
        at = Target("address", "10.0.0.7")
        scene.hub.rules.fold(Restricted(scene.now(), "host", "ban", at, None, ""), seq=1)
    other.send(messages.Hello(version=1, link=code))
    if how != "not stored":
        other.vanish()
    scene.store.settle()
    assert other.heard_of(messages.Welcome) == []
    scene.store.broken = False
    assert hello(scene, link=code).name == "ann"
    assert hello(scene, messages.Error, link=code).code == "session/bad-link"


def test_who_has_gone_stays_gone_where_its_login_cannot_be_stored(scene: Scene) -> None:
    ann = scene.connect()
    scene.store.broken = True
    ann.send(messages.Hello(version=1, name="ann"))
    ann.vanish()
    scene.store.settle()
    assert (ann.peer.state, ann.heard()) == ("gone", [])


def test_a_session_has_eight_connections_even_if_all_come_at_once(scene: Scene) -> None:
    ann = scene.enter("ann")
    tabs = [scene.connect() for _ in range(9)]
    for tab in tabs:
        tab.send(messages.Hello(id=1, version=1, token=ann.token))
    scene.store.settle()
    refused = [tab for tab in tabs if tab.codes() == ["session/too-many"]]
    assert refused == tabs[7:]
    assert hello(scene, messages.Error, token=ann.token).code == "session/too-many"
    tabs[0].go()
    refused[0].say(messages.Hello(version=1, token=ann.token))
    assert refused[0].last(messages.Welcome).name == "ann"


def test_each_connection_watches_for_itself(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    tab = scene.enter(token=bob.token)
    room = scene.room(ann)
    bob.say(messages.Watch(room=room))
    bob.heard(), tab.heard()
    ann.say(messages.Say(room=room, text="hey"))
    assert (len(bob.heard()), len(tab.heard())) == (1, 0)


def test_who_comes_back_is_shown_its_rooms_and_matches(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    at.ann.say(at.play("5"))
    at.ann.heard()
    at.ann.go()
    assert absent(at.bob, 0)
    back = scene.connect(text=True)
    back.say(messages.Hello(id=1, version=1, token=at.ann.token))
    welcome, room, match, again = back.heard()
    assert isinstance(welcome, messages.Welcome)
    assert (welcome.rooms, welcome.matches) == ((at.room,), (at.name,))
    assert isinstance(room, messages.RoomState)
    assert room.seat == 0
    assert isinstance(match, messages.MatchState)
    assert (match.match, match.ply) == (at.name, 1)
    assert isinstance(again, messages.RoomState)
    assert not again.seats[0].absent  # type: ignore[union-attr]
    assert not absent(at.bob, 0)


def test_a_seat_is_absent_when_the_last_connection_is_gone(scene: Scene) -> None:
    at = scene.match()
    tab = scene.enter(token=at.ann.token)
    at.bob.heard()
    at.ann.go()
    assert at.bob.heard() == []
    scene.wait(1_000)
    tab.go()
    assert absent(at.bob, 0)
    assert scene.store.logins[1].seen == scene.now()


def test_who_comes_back_on_its_turn_is_asked_again_and_is_shown_an_end(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    at.ann.go()
    scene.wait(5_000)
    back = scene.enter(token=at.ann.token)
    match = back.last(messages.MatchState)
    assert (match.turn, match.legal is not None) == (at.turn, True)
    assert match.clocks is not None
    assert match.clocks.remaining == (55_000, 60_000)  # the time in between was hers to lose
    back.go()
    at.bob.say(messages.Resign(match=at.name))
    back = scene.connect()
    back.say(messages.Hello(version=1, token=at.ann.token))
    welcome, _, end, *_ = back.heard()
    assert isinstance(welcome, messages.Welcome)
    assert welcome.matches == ()
    assert isinstance(end, messages.MatchState)
    assert end.result is not None
    assert end.result.winner == 0


@pytest.mark.parametrize("waits", [20_000, 30_010], ids=["for its player", "half a minute"])
def test_after_a_restart_a_clock_waits(scene: Scene, waits: int) -> None:
    at = scene.match(options=BLITZ)
    scene.wait(10_000)
    scene = scene.again()
    bob = scene.enter(token=at.bob.token)
    clocks = bob.clocks()
    assert (clocks.paused, clocks.remaining) == ("server", (60_000, 60_000))
    scene.wait(waits)
    player = scene.enter(token=at.ann.token) if waits == 20_000 else bob
    clocks = player.clocks()
    assert (clocks.paused, clocks.running, clocks.remaining) == (None, 0, (60_000, 60_000))
    scene.wait(61_000)
    assert player.result().how == "flag"


def test_time_never_runs_backwards_over_a_restart(scene: Scene) -> None:
    ann = scene.enter("ann")
    scene.room(ann)
    scene.wait(DAY // 3)
    two = scene.room(ann)
    scene.loop.at += DAY / 3000
    ann.say(messages.Say(room=two, text="this is the last event of all"))
    last = scene.now()
    scene.store.last_at = 0
    scene = Scene(store=scene.store)
    assert scene.now() >= last
    scene.wait(31 * 60_000)  # both rooms' timers know what time it is
    assert scene.rooms.actors == {}


def test_the_newest_connection_of_a_bot_replaces_the_older(scene: Scene) -> None:
    ann = scene.enter("ann")
    bot = scene.enter("greta", bot=SHRUG)
    room = scene.room(ann)
    bot.say(messages.Join(room=room))
    ann.heard(), bot.heard()
    newer = scene.enter(token=bot.token, bot=SHRUG)
    bye = bot.heard()[-1]
    assert isinstance(bye, messages.Bye)
    assert bye.code == "session/replaced"
    assert bot.transport.ended == (1008, "session/replaced")
    scene.hub.lost(bot.peer)
    ann.say(messages.Say(room=room, text="hey"))
    assert [type(m).__name__ for m in ann.heard()] == ["Said"]  # nobody was absent
    assert [type(m).__name__ for m in newer.heard()] == ["Welcome", "RoomState", "Said"]


def test_what_a_replaced_bot_still_had_to_ask_reaches_nobody(scene: Scene) -> None:
    ann, bot = scene.enter("ann"), scene.enter("greta", bot=SHRUG)
    room = scene.room(ann)
    ann.send(messages.Say(room=room, text="being stored"))
    bot.send(messages.Join(room=room))
    newer = scene.connect()
    newer.send(messages.Hello(version=1, token=bot.token, bot=SHRUG))
    scene.store.settle()
    assert bot.peer not in scene.rooms.actors[room].peers
    assert newer.last(messages.RoomState).seat == 1


def test_two_programs_of_one_name_do_not_replace_each_other(scene: Scene) -> None:
    bot = scene.enter("greta", bot=SHRUG)
    other = scene.enter(token=bot.token, bot=parts.BotInfo(program="mcts"))
    person = scene.enter(token=bot.token)
    assert bot.transport.ended is other.transport.ended is person.transport.ended is None
    room = scene.room(bot)
    other.say(messages.Join(room=room))
    seats = bot.last(messages.RoomState).seats
    assert [who.program for who in seats if who is not None] == ["shrug", "mcts"]
    assert person.refused(messages.Join(id=1, room=room)) == "room/full"


def test_a_session_has_so_many_rooms() -> None:
    scene = Scene(Config(rooms_per_session=3))
    ann, bob, cat = scene.enter("ann"), scene.enter("bob"), scene.enter("cat")
    mine = [scene.room(ann) for _ in range(2)]
    bob.say(messages.Join(room=mine[0]))
    host = messages.Create(id=1, game="tic_tac_toe", seat=None)
    ann.ask(host, messages.RoomState)
    assert ann.refused(host) == "lobby/too-many-rooms"  # three are open that are hers
    theirs = [cat.ask(host, messages.RoomState).room, scene.room(cat)]
    ann.ask(messages.Join(id=2, room=theirs[0]), messages.RoomState)
    assert ann.refused(messages.Join(id=3, room=theirs[1])) == "lobby/too-many-rooms"
    ann.ask(messages.Join(id=4, room=theirs[0]), messages.RoomState)  # there she sits already
    assert bob.ask(messages.Ready(id=5, room=mine[0]), messages.Ok).seq == 4


def test_a_server_that_closes_says_goodbye_to_all(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    new = scene.connect()
    scene.close()
    for player in (at.ann, at.bob, new):
        assert player.codes() == ["server/closing"]
        assert player.transport.ended == (1012, "server/closing")
    for player in (at.ann, at.bob, new):
        scene.hub.lost(player.peer)
    scene.store.settle()
    assert scene.store.kinds(at.room)[-1] == "started"
