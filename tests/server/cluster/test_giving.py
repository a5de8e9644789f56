"""A room goes from one server to another: what is asked meanwhile waits, and nothing is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from games import registry
from protocol.messages import Create, Error, Hello, MatchState, Play, RoomState, Watch, Welcome
from server.cluster import handover
from server.cluster.cluster import Cluster
from server.cluster.core.membership import ClusterMember, MemberKey
from server.cluster.handover import Handover, leave
from server.cluster.joining import RoomTakeover
from server.cluster.line.signals import RulesKnown
from server.core.events import Leg, UnknownRules, read_body, write_body
from server.core.orders import Close
from server.rooms.snapshot import read_snapshot, write_snapshot
from server.services.loading import Loading
from server.store.contract import RoomRow
from tests.server.cluster.far_scene import FarScene
from tests.server.scene import BLITZ

FRONT, OWNER = MemberKey(1, 1), MemberKey(2, 1)
ALL_RULES = RulesKnown((("tic_tac_toe", (1,)), ("connect_four", (1,))))


class Moving:
    """A match at the owner, whose room is to be the front's; ann is to move for five seconds.

    `ahead`: of the front's clock is the owner's, in ms.
    """

    def __init__(self, ahead: int = 0) -> None:
        self.scene = FarScene()
        self.scene.owner.rooms.clock.begin_after(self.scene.now() + ahead)
        self.table = self.scene.match(options=BLITZ, watcher=True)
        self.room = self.table.room
        self.front, self.owner = self.scene.clusters
        self.taken: list[int] = []
        self.front.news.handed.append(self.taken.append)
        self.answers: list[Exception | None] = []
        self.scene.wait(5_000)
        for who in (self.table.ann, self.table.bob, self.table.eve):
            assert who is not None
            who.heard()

    def leave(self) -> None:
        """The log is asked to say that the room is the front's; it has not answered."""
        leave(self.scene.rooms.actors[self.room], "1.1", self._left)

    def _left(self, error: Exception | None) -> None:
        self.answers.append(error)
        if error is None:
            self.owner.give(self.room, FRONT)
            self.scene.pass_on()

    def arrive(self) -> None:
        """The front goes on with the room."""
        row, used = self.scene.store.rooms[self.room], self.front.arrivals.used(self.room)
        self.front.adopt(self.room, lambda: self.scene.front_loading.take_over(row, used))
        self.scene.pass_on()
        self.scene.store.settle()

    def play(self) -> Play:
        return Play(id=7, match=f"{self.room}.1", turn=self.table.turn, action="5")


def test_a_move_that_comes_while_a_room_leaves_is_made_where_it_arrives() -> None:
    moving = Moving()
    ann, bob, eve = moving.table.ann, moving.table.bob, moving.table.eve
    moving.leave()
    ann.send(moving.play())
    moving.scene.store.settle()
    assert (moving.answers, moving.taken, ann.heard()) == ([None], [moving.room], [])
    assert moving.scene.store.owners == {moving.room: "1.1"}
    assert moving.room not in moving.scene.rooms.actors
    moving.arrive()
    state = ann.last(MatchState)
    assert state.position == "3/1x1/3 o"
    assert state.clocks is not None
    assert state.clocks.remaining == (55_000, 60_000)
    assert bob.last(MatchState).legal
    assert eve is not None
    assert eve.last(MatchState).position == "3/1x1/3 o"


def test_who_was_refused_nothing_is_told_to_ask_again_if_a_room_takes_too_long() -> None:
    moving = Moving()
    moving.leave()
    moving.scene.store.settle()
    moving.table.ann.say(moving.play())
    assert moving.table.ann.codes() == []
    moving.scene.wait(2_500)
    assert moving.table.ann.refusals() == [("room/moving", 7)]


def test_a_welcome_tells_where_most_of_what_somebody_plays_is() -> None:
    moving = Moving()
    moving.front.servers.url = "ws://front/ws"
    assert moving.owner.servers.me == moving.front.servers.server(OWNER).key
    moving.front.servers.server(OWNER).url = "ws://owner/ws"
    tab = moving.scene.connect()
    tab.say(Hello(version=1, token=moving.table.ann.token))
    assert tab.last(Welcome).at == "ws://owner/ws"
    guest = moving.scene.connect()
    guest.say(Hello(version=1))
    assert guest.last(Welcome).at == "ws://front/ws"


def test_a_room_stays_if_the_log_cannot_be_told_and_what_waited_is_done() -> None:
    moving = Moving()
    moving.scene.store.broken = True
    moving.leave()
    moving.table.ann.send(moving.play())
    moving.scene.store.answer_one()
    moving.scene.store.broken = False
    moving.scene.store.settle()
    assert isinstance(moving.answers[0], OSError)
    assert moving.table.bob.last(MatchState).position == "3/1x1/3 o"


def test_a_room_that_closes_before_it_could_leave_does_not() -> None:
    moving = Moving()
    actor = moving.scene.rooms.actors[moving.room]
    actor.tell(Close("by the host"), None, moving.scene.now())
    moving.leave()
    moving.scene.store.settle()
    assert "is closed" in str(moving.answers[0])
    assert moving.scene.store.owners == {}


def test_a_room_of_a_server_whose_clock_is_ahead_moves_no_clock_of_others() -> None:
    moving = Moving(ahead=3_600_000)
    scene, hub = moving.scene, moving.scene.hub
    now, last = hub.now(), moving.owner.hub.rooms.actors[moving.room].room.touched
    assert last > now + 3_000_000
    moving.leave()
    scene.store.settle()
    moving.arrive()
    assert hub.now() == now
    ann, bob = moving.table.ann, moving.table.bob
    scene.wait(10_000)  # time passes at once, as the front tells it
    ann.say(moving.play())
    state = bob.last(MatchState)
    assert state.clocks is not None
    assert state.clocks.remaining == (45_000, 60_000)
    scene.wait(60_500)
    assert bob.result().how == "flag"
    assert hub.now() == now + 70_500
    times = [row.body for row in scene.store.all_events(moving.room)]
    ordered = [msgspec.msgpack.decode(body)[0] for body in times]
    assert ordered == sorted(ordered)
    assert ordered[-1] >= last


@pytest.mark.parametrize(
    ("lacks", "shown"),
    [
        ("play", "this room cannot be read any more, and is closed; its match is void"),
        ("created", "room 1 cannot be read any more, and stays shut"),
    ],
)
def test_all_are_told_of_a_match_that_cannot_go_on_at_a_takeover(lacks: str, shown: str) -> None:
    moving = Moving()
    table, store = moving.table, moving.scene.store
    for who in (table.ann, table.bob):
        who.say(Play(match=table.name, turn=table.turn, action=str(table.turn)))
        table.turn += 1
    moving.leave()
    store.settle()
    seq = next(n for (room, n), row in store.events.items() if row.kind == lacks)
    del store.events[moving.room, seq]
    everybody = (table.ann, table.bob, table.eve)
    for who in everybody:
        who.heard()
    moving.arrive()
    for who in everybody:
        heard = who.heard()
        assert [m.text for m in heard if isinstance(m, Error)] == [shown]
        assert [m.state for m in heard if isinstance(m, RoomState)][-1] == "closed"
        if lacks == "play":
            state = [m for m in heard if isinstance(m, MatchState)][-1]
            assert (state.result and state.result.how, state.ply) == ("void", 0)


class Taking:
    """A server that takes over two rooms; what reads one of them has a bug."""

    def __init__(self) -> None:
        self.scene = FarScene()
        ann = self.scene.enter("ann")
        create = Create(id=1, game="tic_tac_toe")
        self.bad, self.good = [ann.ask(create, RoomState).room for _ in range(2)]
        self.rows = [RoomRow(*self.scene.store.rooms[n]) for n in (self.bad, self.good)]
        self.has_bug = True
        self.front = self.scene.clusters[0]
        loading: Any = SimpleNamespace(take_over=self._take_over)
        lines: Any = None
        self.takeover = RoomTakeover(self.front, lines, loading, self.scene.store, lambda why: None)

    def _take_over(self, row: RoomRow, used: int) -> None:
        if row.number == self.bad and self.has_bug:
            raise ZeroDivisionError("a bug")
        self.scene.front_loading.take_over(row, used)

    def here(self) -> list[int]:
        """The rooms of the server that takes them."""
        return sorted(self.front.hub.rooms.actors)


async def test_a_room_that_cannot_be_read_for_a_bug_keeps_no_other_waiting(
    caplog: pytest.LogCaptureFixture,
) -> None:
    taking = Taking()
    await taking.takeover.adopt(taking.rows)
    assert taking.here() == [taking.good]
    (record,) = caplog.records
    assert record.message == f"room {taking.bad} cannot be taken over: the server has a bug"
    assert record.exc_info is not None
    taking.has_bug = False
    await taking.takeover.adopt(taking.rows)
    assert taking.here() == [taking.bad, taking.good]


async def test_a_room_that_was_looked_at_in_vain_is_looked_at_once_until_it_was_here() -> None:
    taking = Taking()
    lacking, own = taking.takeover.lacking, [taking.bad, taking.good]
    taking.has_bug = False
    assert [lacking(own) for _ in range(3)] == [[], own, []]
    await taking.takeover.adopt(taking.rows)
    assert [lacking(own) for _ in range(2)] == [[], []]
    del taking.front.hub.rooms.actors[taking.good]  # its word was lost, once more
    assert [lacking(own) for _ in range(3)] == [[], [taking.good], []]


class WithoutRules(Moving):
    """The same match, of a game or by rules that the front does not know."""

    def __init__(self) -> None:
        super().__init__()
        self.loading: Any = self.scene.front_loading
        lines: Any = None
        self.takeover = RoomTakeover(self.front, lines, self.loading, self.scene.store, pytest.fail)

    def row(self) -> RoomRow:
        return self.scene.store.rooms[self.room]

    def told(self) -> list[tuple[str, str]]:
        """What bob hears of his room."""
        self.table.bob.say(Watch(id=9, room=self.room))
        return [(m.code, m.text) for m in self.table.bob.heard() if isinstance(m, Error)]


async def test_a_room_of_a_game_that_a_server_does_not_know_is_not_claimed_there(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    at = WithoutRules()
    assert at.takeover.is_plain(at.row())
    at.leave()
    at.scene.store.settle()
    with monkeypatch.context() as patch:
        patch.setattr(registry, "versions", lambda name: ())
        assert [at.takeover.is_plain(at.row()) for _ in range(2)] == [False, False]
    why = f"room {at.room} waits for a server that has its rules; here no game is called"
    assert [record.message for record in caplog.records] == [f"{why} 'tic_tac_toe'"]
    at.front.arrivals.end(at.room)
    assert at.told() == [("room/moving", f"{why} 'tic_tac_toe'")]
    leg = replace(read_snapshot(at.row().body), leg=Leg(9, "ladder", 1, 0))  # type: ignore[type-var]
    with pytest.raises(UnknownRules):  # all ladders wait
        at.takeover.is_known(RoomRow(at.room, 1, write_snapshot(leg)))  # type: ignore[arg-type]


async def test_a_match_by_rules_that_a_server_does_not_know_is_given_back_and_not_void() -> None:
    at = WithoutRules()
    store = at.scene.store
    at.leave()
    store.settle()
    key, row = next((k, row) for k, row in store.events.items() if row.kind == "started")
    started = read_body("started", row.body)
    newer = write_body(replace(started, rules_version=99))  # type: ignore[type-var]
    store.events[key], events = row._replace(body=newer), len(store.events)
    await at.takeover.adopt([at.row()])
    store.settle()
    assert (store.owners[at.room], len(store.events)) == ("", events)
    ((code, text),) = at.told()
    assert code == "room/moving"
    assert "tic_tac_toe was rules version 99, and here is 1" in text
    assert not at.takeover.is_plain(at.row())
    store.events[key] = row  # as a server sees it that has them
    at.front.hub.rooms.unknown.clear()
    await at.takeover.adopt([at.row()])
    assert at.front.hub.rooms.actors[at.room].room.playing()


class Leaving:
    """The owner hands over what it has; `front` does what it likes with what it is handed."""

    def __init__(self, *games: str, rules: RulesKnown | None = ALL_RULES) -> None:
        self.scene = FarScene()
        ann = self.scene.enter("ann")
        self.rooms = [ann.ask(Create(id=1, game=name), RoomState).room for name in games]
        self.front, self.owner = self.scene.clusters
        far = self.owner.servers.server(FRONT)
        far.draining, far.rules = False, None  # as the front of a scene is not
        if rules is not None:
            self.owner.received(FRONT, rules)
        self.owner.ladders.here = False
        store, scene = self.scene.store, self.scene
        loading = Loading(store, scene.rooms, scene.ladders, scene.rooms.clock)
        self.takes = True
        self.front.news.handed.append(self.hear)
        self.owner.news.handed.append(lambda room: self._take(self.owner, loading, room))
        self.handover = Handover(self.owner, self._lease(), store)
        Handover(self.front, self._lease(), store)

    def _lease(self) -> Any:
        async def leave() -> None:
            """There is nothing."""

        members = [ClusterMember(key, "", "", 1, 3.0, False) for key in (FRONT, OWNER)]
        return SimpleNamespace(
            leave=leave, members=members, return_rooms=list, returned=lambda number: None
        )

    def hear(self, room: int) -> None:
        """The front hears that a room is its own."""
        if self.takes or room == self.rooms[0]:
            self.take(room)

    def take(self, room: int) -> None:
        """The front goes on with a room."""
        self._take(self.front, self.scene.front_loading, room)

    def _take(self, cluster: Cluster, loading: Loading, room: int) -> None:
        row = self.scene.store.rooms[room]
        cluster.adopt(room, lambda: loading.take_over(row, 0))

    async def all(self) -> None:
        """It drains, to the end."""
        handing = asyncio.ensure_future(self.handover.all())
        while not handing.done():
            await asyncio.sleep(0)
            self.scene.store.settle()
            self.scene.pass_on()
        await handing

    def here(self) -> tuple[list[int], list[int]]:
        """The rooms of both."""
        return list(self.scene.rooms.actors), list(self.front.hub.rooms.actors)


@pytest.mark.parametrize(
    ("rules", "goes"), [(ALL_RULES, 2), (RulesKnown((("tic_tac_toe", (1,)),)), 1), (None, 0)]
)
async def test_rooms_are_handed_to_who_says_that_it_has_their_rules_and_the_others_are_left(
    rules: RulesKnown | None, goes: int, caplog: pytest.LogCaptureFixture
) -> None:
    at = Leaving("tic_tac_toe", "connect_four", rules=rules)
    await at.all()
    assert at.here() == (at.rooms[goes:], at.rooms[:goes])
    left = ", ".join(map(str, at.rooms[goes:]))
    said = [f"left in the log, as no other server takes them now: rooms {left}"] if left else []
    assert [record.message for record in caplog.records] == said


async def test_rooms_that_a_server_does_not_take_are_taken_back(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(handover, "ARRIVED_S", 0.01)
    at = Leaving("tic_tac_toe", "connect_four")
    at.takes = False
    await at.all()
    assert at.here() == (at.rooms[1:], at.rooms[:1])
    assert at.scene.store.owners[at.rooms[1]] == "2.1"
    assert at.front.hub.rooms.far[at.rooms[1]].owner == OWNER
    asked_back = f"server 1 has not taken rooms [{at.rooms[1]}]; they are asked back"
    assert caplog.records[0].message == asked_back


async def test_who_hands_rooms_over_does_not_end_while_they_are_being_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(handover, "ARRIVED_S", 0.01)
    at = Leaving("tic_tac_toe")
    at.front.news.handed.remove(at.hear)
    recalled: list[int] = []

    def read_at_last(_: MemberKey, rooms: Sequence[int]) -> None:
        recalled.extend(rooms)
        if len(recalled) == 3:
            at.take(rooms[0])

    at.front.news.recalled[:] = [read_at_last]
    await at.all()
    assert (at.here(), recalled) == (([], at.rooms), 3 * at.rooms)
