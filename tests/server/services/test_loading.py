"""A server whose rooms are not loaded at first looks like one that has read them all."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from protocol import messages, parts
from server.admin.service import AdminService
from server.config import Config
from server.core.lobby import MAX_LINES
from server.core.playing import RESUME_MS, VACANT_MS
from server.core.room import players
from server.metrics import Metrics
from server.rooms import replay
from server.rooms import snapshot as snapshots
from server.services import lobby_list
from server.store.contract import RoomRow
from tests.server.core.score import plain
from tests.server.memory_store import MemoryStore
from tests.server.scene import BLITZ, Player, Scene

PRIVATE = parts.Options(public=False)
HOUR_MS = 3_600_000


class Table:
    """A room, and who sits there: two newcomers, of whom the first has opened it."""

    def __init__(self, scene: Scene, game: str, options: parts.Options | None = None) -> None:
        self.scene = scene
        self.players: tuple[Player, ...] = (scene.enter(), scene.enter())
        self.room = scene.room(self.players[0], game, options)

    def join(self) -> Table:
        code = self.scene.rooms.actors[self.room].room.code
        self.players[1].say(messages.Join(room=self.room, code=code))
        return self

    def ready(self, *seats: int) -> Table:
        for seat in seats or (0, 1):
            self.players[seat].say(messages.Ready(room=self.room))
        return self

    def play(self, plies: int) -> Table:
        for _ in range(plies):
            match = self.scene.rooms.actors[self.room].room.match
            assert match is not None
            mover = next(
                p for p in self.players if match.players[match.position.to_move].same(p.peer.who)
            )
            action = match.position.legal_notation()[0]
            mover.say(messages.Play(match=match.name, turn=match.turn, action=action))
        return self

    def resign(self) -> Table:
        match = self.scene.rooms.actors[self.room].room.match
        assert match is not None
        self.players[0].say(messages.Resign(match=match.name))
        return self


def again(table: Table) -> Table:
    """One more match."""
    return table.resign().ready()


STATES: list[Callable[[Scene], Table]] = [
    lambda scene: Table(scene, "tic_tac_toe"),
    lambda scene: Table(scene, "pebbles", PRIVATE).join(),
    lambda scene: Table(scene, "tic_tac_toe").join().ready(1),
    lambda scene: Table(scene, "tic_tac_toe", BLITZ).join().ready(),
    lambda scene: Table(scene, "pebbles", BLITZ).join().ready().play(3),
    lambda scene: Table(scene, "connect_four", PRIVATE).join().ready().play(2),
    lambda scene: Table(scene, "tic_tac_toe").join().ready().play(2).resign(),
    lambda scene: again(Table(scene, "pebbles", BLITZ).join().ready().play(2)).play(1),
    lambda scene: again(again(Table(scene, "tic_tac_toe", PRIVATE).join().ready())).resign(),
    lambda scene: left(again(Table(scene, "pebbles").join().ready().play(1)).play(2).resign()),
    lambda scene: left(again(Table(scene, "tic_tac_toe").join().ready()).resign()).join(),
]


def left(table: Table) -> Table:
    """The second player gets up."""
    table.players[1].say(messages.Leave(room=table.room))
    return table


def filled(times: int = 1, config: Config | None = None) -> tuple[Scene, list[Table]]:
    """A server with rooms in every state, which ends an hour later."""
    scene = Scene(config)
    tables = [make(scene) for _ in range(times) for make in STATES]
    scene.store.settle()
    scene.store.last_at = scene.now() + HOUR_MS  # where the clocks of all that come after begin
    scene.store.epoch += 1
    return scene, tables


def seen(scene: Scene, tables: list[Table], wait_ms: int) -> list[Any]:
    """What all who come back, and somebody who looks on, are told."""
    told: list[Any] = []
    for number, table in enumerate(tables):
        if number % 3:
            watcher = scene.enter(f"watcher-{number}")
            watcher.say(messages.Watch(id=number, room=table.room))
            told.append(watcher.heard())
        back = [scene.enter(token=p.token) for p in table.players[: number % 4]]
        told += [player.heard() for player in back]
    eve = scene.enter("eve")
    eve.say(messages.Lobby(id=1, follow=True))
    told.append(eve.heard())
    for _ in range(2):
        scene.wait(wait_ms)
        told.append(eve.heard_of(messages.LobbyList)[-1:])
    for table in tables:
        owner = scene.enter(token=table.players[0].token)
        owner.say(messages.History(id=1, room=table.room))
        told.append(owner.heard())
    told.append((scene.hub.rooms.total(), sorted(scene.lobby.codes), scene.lobby.playing))
    told.append(sorted((who, sorted(p.rooms)) for who, p in scene.lobby.present.items() if p.rooms))
    return told


@pytest.mark.parametrize("wait_ms", [RESUME_MS + 100, VACANT_MS + 100])
def test_nobody_can_tell_a_server_whose_rooms_sleep_from_one_that_has_read_all(
    wait_ms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.sessions.secrets.randbelow", lambda most: most // 2)
    monkeypatch.setattr("server.rooms.directory.secrets.token_bytes", bytes)
    ended, tables = filled(times=5)
    told = []
    for lazy in (False, True):
        scene = Scene(ended.config, copy.deepcopy(ended.store), lazy)
        assert len(scene.rooms.unloaded) == (len(tables) if lazy else 0)
        told.append(seen(scene, tables, wait_ms))
        assert not scene.rooms.unloaded
    for one, other in zip(*told, strict=True):
        assert one == other


def test_what_was_due_while_a_room_slept_happens_before_anybody_sees_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("server.services.loading.SLICE_S", -1)  # rooms are loaded when asked for
    ended, tables = filled()
    scene = Scene(store=ended.store, lazy=True)
    scene.wait(VACANT_MS + 100)
    assert len(scene.rooms.unloaded) == len(tables)
    eve = scene.enter("eve")
    assert eve.refused(messages.Watch(id=1, room=tables[0].room)) == "room/closed"
    eve.say(messages.Watch(id=2, room=tables[3].room))
    clocks = eve.clocks()
    assert (clocks.paused, clocks.running, clocks.remaining[0]) == (None, 0, 60_000)


def test_what_is_kept_of_a_room_is_what_its_events_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.rooms.snapshot.MIN_TAIL", 0)
    scene, tables = filled()
    for table in tables:
        rows = scene.store.all_events(table.room)
        replayed = replay.replay(rows)
        snapshot = snapshots.read_snapshot(scene.store.rooms[table.room].body)
        assert replayed is not None
        assert snapshot is not None
        room, _, base, _ = replayed
        assert snapshot == replace(snapshots.of_room(room, base), seats=snapshot.seats)
        assert snapshot.seats in (room.seats, room.seats[::-1])


def kept(store: MemoryStore, room: int, change: Callable[[snapshots.Snapshot], Any]) -> None:
    """Keep something else of a room."""
    row = store.rooms[room]
    snapshot = snapshots.read_snapshot(row.body)
    assert snapshot is not None
    store.rooms[room] = row._replace(body=snapshots.write_snapshot(change(snapshot)))


def test_a_room_is_kept_anew_seldom_and_wakes_as_it_was() -> None:
    scene = Scene()
    table = Table(scene, "tic_tac_toe").join()
    kept_at = set()
    for _ in range(20):  # of five events each
        table.ready().play(1).resign()
        snapshot = snapshots.read_snapshot(scene.store.rooms[table.room].body)
        assert snapshot is not None
        kept_at.add(snapshot.since)
    table.ready().play(1)
    assert 1 < len(kept_at) <= 1 + 120 // snapshots.MIN_TAIL
    before = scene.rooms.actors[table.room].room
    assert max(kept_at) < before.seq - 6  # so more than one match is read
    after = scene.again(lazy=True).rooms.room(table.room)
    assert after is not None
    assert after.match == replace(before.match, clock=after.match.clock)
    assert (after.seq, after.seats, after.score) == (before.seq, before.seats, before.score)


@pytest.mark.parametrize("on", [False, True])
def test_chat_and_takebacks_without_end_are_not_read_at_a_start(
    monkeypatch: pytest.MonkeyPatch, on: bool
) -> None:
    monkeypatch.setattr("server.rooms.snapshot.MANY", 20)
    scene = Scene()
    table = Table(scene, "tic_tac_toe").join()
    if on:
        table.ready().play(3)
    ann = table.players[0]
    for number in range(100):
        ann.say(messages.Say(room=table.room, text=str(number)))
        scene.wait(100)
    before = scene.rooms.actors[table.room].room
    snapshot = snapshots.read_snapshot(scene.store.rooms[table.room].body)
    assert snapshot is not None
    assert before.seq - snapshot.since <= 25
    again = scene.again(lazy=True)
    monkeypatch.setattr("server.rooms.replay.replay", None)  # it is not read whole
    after = again.rooms.room(table.room)
    assert after is not None
    assert plain(replace(after, touched=0)) == plain(replace(before, touched=0))


def test_what_is_kept_and_wrong_costs_time_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("server.rooms.snapshot.MIN_TAIL", 0)
    ended, tables = filled()
    store = ended.store
    store.rooms[tables[4].room] = RoomRow(tables[4].room, 1, b"\xc1")
    kept(store, tables[5].room, lambda snapshot: replace(snapshot, version=99))
    played = tables[7].room
    kept(store, played, lambda s: replace(s, base=replace(s.base, seq=s.base.seq + 1)))
    kept(store, tables[8].room, lambda s: replace(s, seats=(s.owner, None)))
    scene = Scene(store=store, lazy=True)
    assert sorted(scene.rooms.actors) == [tables[4].room, tables[5].room]
    scene.wait(0)
    for table in tables:
        room, before = scene.rooms.actors[table.room].room, ended.rooms.actors[table.room].room
        assert (room.seq, room.score, players(room)) == (
            before.seq,
            before.score,
            before_away(before),
        )
    ann, bob = (scene.enter(token=p.token) for p in tables[8].players)
    for player in (ann, bob):
        assert player.heard_of(messages.Welcome)[0].rooms == (tables[8].room,)
    again = Scene(store=store, lazy=True)
    assert tables[4].room in again.rooms.unloaded  # the next start knows of it


def before_away(room: Any) -> Any:
    return players(replace(room, away=(1, 1)))


def test_a_host_sees_all_rooms_and_no_count_of_matches_before_they_are_read() -> None:
    ended, tables = filled()
    listings = []
    for lazy in (False, True):
        scene = Scene(ended.config, copy.deepcopy(ended.store), lazy)
        metrics = Metrics(scene.hub, scene.outage)
        assert metrics.health()["rooms"] == len(tables)
        assert ("matches" in metrics.figures().gauges) != lazy
        service = AdminService(scene.hub, lambda: None)
        service.ask("rooms", {}, "127.0.0.1", listings.append)
        assert metrics.figures().gauges["matches"] == 4
    assert listings[0] == listings[1]


def test_in_a_full_house_a_room_that_sleeps_gives_way_or_none_does() -> None:
    told = []
    for lazy in (False, True):
        ended, tables = filled()
        config = Config(rooms=len(tables))
        scene = Scene(config, ended.store, lazy)
        room = scene.room(scene.enter())
        there = scene.rooms.actors.keys() | scene.rooms.unloaded.keys()
        told.append((room, {table.room for table in tables} - there, scene.hub.rooms.total()))
        assert len(scene.rooms.unloaded) == (len(tables) - 1 if lazy else 0)
    assert told[0] == told[1]
    assert len(told[0][1]) == 1


def test_a_room_that_sleeps_and_cannot_be_read_is_gone_without_a_trace(
    caplog: pytest.LogCaptureFixture,
) -> None:
    ended, tables = filled()
    private, public = tables[1], tables[0]
    for table in (private, public):
        first = ended.store.events[table.room, 1]
        ended.store.events[table.room, 1] = first._replace(body=b"\xc1")
    code = ended.rooms.actors[private.room].room.code
    scene = Scene(Config(rooms_per_session=1), ended.store, lazy=True)
    owner = scene.enter(token=private.players[0].token)
    assert owner.heard_of(messages.Welcome)[0].rooms == ()
    assert f"room {private.room} cannot be read and stays shut" in caplog.text
    assert scene.room(owner) > private.room  # it does not count any more
    eve = scene.enter("eve")
    assert eve.refused(messages.Watch(id=1, room=public.room)) == "room/closed"
    assert eve.refused(messages.Watch(id=2, code=code)) == "room/wrong-code"
    listed = eve.ask(messages.Lobby(id=3), messages.LobbyList)
    assert public.room not in [line.room for line in listed.rooms]
    assert listed.total == len(listed.rooms)


def test_a_match_that_was_not_stored_is_not_what_the_next_start_goes_by() -> None:
    scene = Scene()
    table = Table(scene, "tic_tac_toe").join().ready().resign().ready(0)
    scene.store.broken = True
    table.ready(1)  # its match would begin
    scene.store.broken = False
    scene.wait(60_000)
    left(table).join().ready().play(1)
    room = scene.rooms.actors[table.room].room
    assert (room.played, room.state) == (2, "playing")
    scene = scene.again(lazy=True)
    assert table.room in scene.rooms.unloaded
    assert scene.rooms.room(table.room) is not None
    replayed = replay.replay(scene.store.all_events(table.room))
    assert replayed is not None
    assert scene.rooms.actors[table.room].base == replayed.base


def test_a_list_reads_and_writes_no_more_rooms_than_it_shows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[int] = []
    scene = Scene(Config(rooms_per_address=1_000))
    owners = [scene.enter() for _ in range(MAX_LINES // 10 + 5)]
    rooms = [scene.room(owner) for owner in owners for _ in range(10)]
    scene = scene.again(lazy=True)
    row_of = lobby_list.rooms.lobby_row
    monkeypatch.setattr(
        lobby_list.rooms,
        "lobby_row",
        lambda room, now: written.append(room.number) or row_of(room, now),
    )
    eve = scene.enter("eve")
    listed = eve.ask(messages.Lobby(id=1, follow=True), messages.LobbyList)
    assert [line.room for line in listed.rooms] == rooms[: -MAX_LINES - 1 : -1] == written
    assert (listed.total, sorted(scene.rooms.unloaded)) == (len(rooms), rooms[:-MAX_LINES])
    written.clear()
    eve.say(messages.Join(room=rooms[-3]))
    scene.wait(scene.config.lobby_every_ms)
    listed = eve.last(messages.LobbyList)
    assert listed.rooms[2].seats[1] is not None
    assert written == [rooms[-3]]
    eve.say(messages.Leave(room=rooms[-3]))
    back = scene.enter(token=owners[-1].token)
    back.say(messages.Leave(room=rooms[-1]))
    scene.wait(scene.config.lobby_every_ms)
    listed = eve.last(messages.LobbyList)
    assert [line.room for line in listed.rooms] == rooms[-2 : -MAX_LINES - 2 : -1]


def remote(table: Table) -> Scene:
    """The same log, which takes a while to be read, at a server that has just started."""
    table.scene.store.remote = True
    return table.scene.again(lazy=True)


def test_who_comes_back_is_welcomed_once_their_rooms_are_loaded() -> None:
    table = Table(Scene(), "pebbles", BLITZ).join().ready().play(3)
    turn = table.scene.rooms.actors[table.room].room.match
    scene = remote(table)
    players = [scene.connect() for _ in table.players]
    for player, before in zip(players, table.players, strict=True):
        player.send(messages.Hello(version=1, token=before.token))
        scene.store.answer_one()  # the session is stored
        assert player.heard() == []
    scene.store.settle()
    for player in players:
        welcome, *rest = player.heard()
        assert isinstance(welcome, messages.Welcome)
        assert welcome.matches == (f"{table.room}.1",)
        states = [message for message in rest if isinstance(message, messages.MatchState)]
        assert turn is not None
        assert states[-1].turn == turn.turn
    assert any(actor.room.playing() for actor in scene.rooms.actors.values())


def test_what_is_asked_of_a_room_that_sleeps_waits_and_is_done_in_order() -> None:
    table = Table(Scene(), "tic_tac_toe").join().ready().play(2)
    scene = remote(table)
    eve = scene.enter("eve")
    eve.send(messages.Watch(id=1, room=table.room))
    eve.send(messages.History(id=2, room=table.room))
    eve.send(messages.Say(id=3, room=table.room, text="hello"))
    assert eve.heard() == []
    scene.store.settle()
    answers = [message for message in eve.heard() if message.re is not None]
    assert sorted((type(answer).__name__, answer.re) for answer in answers) == [
        ("HistoryPage", 2), ("Ok", 3), ("RoomState", 1),
    ]  # fmt: skip


def test_who_asks_for_a_room_that_cannot_be_read_now_is_told_when_to_ask_again() -> None:
    table = Table(Scene(), "tic_tac_toe").join()
    scene = remote(table)
    eve = scene.enter("eve")
    scene.store.broken = True
    eve.say(messages.Watch(id=1, room=table.room))
    (error,) = eve.heard_of(messages.Error)
    assert (error.code, error.re, error.retry_ms) == ("room/busy", 1, 500)
    scene.store.broken = False
    assert eve.ask(messages.Watch(id=2, room=table.room), messages.RoomState).room == table.room


def test_a_lobby_shows_a_room_once_it_is_loaded() -> None:
    table = Table(Scene(), "tic_tac_toe")
    scene = remote(table)
    eve = scene.enter("eve")
    eve.send(messages.Lobby(id=1, follow=True))
    assert eve.last(messages.LobbyList).rooms == ()
    scene.store.settle()
    scene.wait(2 * scene.config.lobby_every_ms)
    assert [line.room for line in eve.last(messages.LobbyList).rooms] == [table.room]
