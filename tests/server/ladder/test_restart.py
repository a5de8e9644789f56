"""A ladder whose server is killed, or whose log fails: nothing is lost, and it goes on."""

from __future__ import annotations

import pytest

from protocol.ladder import LadderCreate, LadderHistory, LadderState, LadderStop, RatingHistory
from protocol.messages import Error, Ok
from server.core import match
from server.ladder.core.events import read
from server.ladder.core.ladder import Ladder
from server.store.contract import Done, Row
from tests.server.ladder.scene import CLOCK, NAME, Bot, LadderScene, at_random, first
from tests.server.memory_store import MemoryStore
from tests.server.scene import Scene


class Tape(MemoryStore):
    """A log that notes what was written at once, and fails from its `fails`-th write on, until
    `broken` is False again.
    """

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[list[Row]] = []
        self.fails = 0

    def append(self, rows: list[Row], done: Done) -> None:
        """As the contract says."""
        self.fails -= 1
        self.broken |= self.fails == 0
        super().append(rows, done)

    def _write(self, rows: list[Row]) -> Exception | None:  # type: ignore[override]
        error = super()._write(rows)
        if error is None:
            self.writes.append(rows)
        return error

    def until(self, count: int) -> MemoryStore:
        """A log with the first writes alone, as a crash leaves it."""
        store = MemoryStore()
        for rows in self.writes[:count]:
            assert store._write(rows) is None
        store.epoch = self.epoch + 1
        return store


def played(game: str, pairs: int) -> tuple[LadderScene, list[Bot], int]:
    """A ladder with so many pairs over; how many writes it took until both bots were there."""
    tape = Tape()
    stage = LadderScene(Scene(store=tape), game)
    bots = stage.bots(at_random(1), at_random(2))
    began = len(tape.writes)
    stage.run(bots, stage.pairs_over(pairs))
    return stage, bots, began


def check(stage: LadderScene) -> None:
    """What is in memory is what is in the log, and no room is open but those of pairs."""
    store, ladder = stage.scene.store, stage.ladder
    stage.scene.store.settle()
    rows = store.all_events(ladder.number)
    assert [row.seq for row in rows] == list(range(1, ladder.seq + 1))
    again = Ladder(ladder.number, ladder.made)
    for row in rows[1:]:
        again.fold(read(row.kind, row.body))
    assert [p.event for p in again.over] == [p.event for p in ladder.over]
    assert again.players == ladder.players
    rooms = {n for pair in ladder.running.values() for n in pair.rooms if n is not None}
    assert {n for n in store.open_rooms() if n != ladder.number} <= rooms
    assert set(stage.scene.rooms.actors) <= rooms
    assert all(pair.void is None for pair in ladder.over)
    done = [pair.event.pair for pair in (*ladder.over, *ladder.running.values())]
    assert sorted(done) == list(range(1, ladder.last_pair + 1))


@pytest.mark.parametrize("game", ["tic_tac_toe", pytest.param("pebbles", marks=pytest.mark.slow)])
def test_wherever_it_is_killed_the_same_pairs_go_on(game: str) -> None:
    stage, bots, began = played(game, pairs=1)
    tape, names = stage.scene.store, [bot.token for bot in bots]
    assert isinstance(tape, Tape)
    writes = range(began, len(tape.writes) + 1)
    for count in [*writes[:12], *writes[12:-12:4], *writes[-12:]]:
        stage.again(tape.until(count), bots)
        before = [pair.event for pair in (*stage.ladder.over, *stage.ladder.running.values())]
        over = len(stage.ladder.over)
        stage.run(bots, stage.pairs_over(over + 1))
        check(stage)
        after = [pair.event for pair in (*stage.ladder.over, *stage.ladder.running.values())]
        assert [e for e in after if e.pair <= len(before)] == before
    assert [bot.token for bot in bots] == names


@pytest.mark.parametrize("game", ["tic_tac_toe", "pebbles"])
def test_a_pair_survives_many_restarts(game: str) -> None:
    stage = LadderScene(Scene(), game)
    bots = stage.bots(first, first)
    for _ in range(12):
        for _ in range(3):
            for bot in bots:
                bot.act()
            stage.scene.store.settle()
        stage.again(bots=bots)
    stage.run(bots, stage.pairs_over(len(stage.ladder.over) + 1))
    check(stage)


def test_downtime_is_charged_to_nobody_but_who_does_not_come_back_loses(
    stage: LadderScene, bots: list[Bot]
) -> None:
    stage.again(bots=bots[:1])
    stage.scene.wait(61_000)
    (leg, _) = stage.ladder.running[1].legs
    assert leg is not None
    assert leg.result.how == "disconnect"
    assert stage.ladder.players[1].losses == 0  # of pairs that are over
    stage.again()
    stage.scene.wait(62_000)
    assert [pair.void for pair in stage.ladder.over] == ["both away"]


def test_ratings_are_there_again_with_their_history() -> None:
    stage = LadderScene(Scene(), format="roundrobin:3")
    stage.run(stage.bots(first, first), lambda: stage.ladder.finished is not None)
    stage.scene.wait(3_000)
    before = stage.state()
    stage.again()
    stage.scene.wait(10)
    after = stage.state()
    assert after.rated == 3
    assert [row.rating for row in after.standings] == [row.rating for row in before.standings]
    assert after.ladder.here == 0
    points = stage.ann.ask(LadderHistory(id=1, ladder=NAME), RatingHistory).points
    assert [point.pairs for point in points] == [1, 2, 3]
    assert stage.ladder.finished is not None


@pytest.mark.parametrize("game", ["tic_tac_toe", "pebbles"])
@pytest.mark.parametrize("kind", ["created", "play", "started"])
def test_a_leg_that_cannot_be_replayed_is_played_again(game: str, kind: str) -> None:
    stage = LadderScene(Scene(), game)
    bots = stage.bots(first, first)
    store = stage.scene.store
    stage.run(bots, lambda: store.kinds(3).count("play") > 1)
    assert not stage.ladder.over
    key = next(k for k, row in sorted(store.events.items()) if k[0] == 3 and row.kind == kind)
    store.events[key] = store.events[key]._replace(body=b"\xc1")
    stage.again(bots=bots)
    stage.run(bots, lambda: any(pair.void is None for pair in stage.ladder.over))
    scored = next(pair for pair in stage.ladder.over if pair.void is None)
    assert scored.event.ordinal == 0
    rooms = {n for pair in stage.ladder.running.values() for n in pair.rooms}
    assert set(stage.scene.rooms.actors) <= rooms
    assert {p.running for p in stage.ladder.players} <= {0, 1}
    for pair in stage.ladder.over:
        assert pair.void in (None, "its room could not go on", "a room of it is lost")


@pytest.mark.parametrize("gap", [False, True], ids=["a row that nobody wrote", "a row is lost"])
def test_a_ladder_that_cannot_be_read_stays_shut(
    stage: LadderScene, bots: list[Bot], gap: bool, caplog: pytest.LogCaptureFixture
) -> None:
    stage.run(bots, stage.pairs_over(1))
    create = LadderCreate(id=1, name="nightly", game="pebbles", clock=CLOCK)
    stage.ann.heard()
    stage.ann.ask(create, LadderState)
    rows = stage.scene.store.events
    key = sorted(key for key, row in rows.items() if row.kind == "entered")[1]
    row = rows.pop(key)
    if not gap:
        rows[key] = row._replace(body=b"\xc1")
    stage.again(bots=bots)
    assert list(stage.scene.ladders.by_name) == ["nightly"]
    assert f"ladder {key[0]} cannot be read and stays shut" in caplog.text
    stage.scene.wait(120_000)  # its rooms have nobody to score them, and harm nobody


def test_nothing_begins_once_the_server_is_closed(stage: LadderScene, bots: list[Bot]) -> None:
    stage.run(bots, lambda: len(stage.ladder.running) == 1)
    stage.scene.close()
    for bot in bots:
        bot.player.vanish()
    stage.scene.wait(5_000)
    stage.scene.store.settle()
    assert stage.kinds() == ["ladder", "entered", "entered", "paired"]


def test_a_room_that_fails_makes_its_pair_void_and_the_next_one_waits(
    stage: LadderScene, bots: list[Bot], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(match, "check_play", lambda *_: 1 / 0)
        began = stage.scene.loop.at
        stage.run(bots, stage.pairs_over(4))
        assert stage.scene.loop.at - began > 14
    assert {pair.void for pair in stage.ladder.over} == {"its room could not go on"}
    assert "room/failed" in bots[0].told()
    stage.run(bots, stage.pairs_over(6))
    assert [pair.event.ordinal for pair in stage.ladder.over] == [0, 0, 0, 0, 0, 1]


def fail_and_go_on(game: str, fails: int) -> None:
    """From its `fails`-th write on the log is broken for a quarter of a minute."""
    tape = Tape()
    stage = LadderScene(Scene(store=tape), game)
    bots = stage.bots(first, first)
    tape.fails = fails
    while not tape.broken:
        for bot in bots:
            bot.act()
        tape.settle()
        stage.scene.wait(10)
    count = tape.appends
    stage.scene.wait(15_000)
    assert tape.appends - count < 30  # it is tried again, not all the time
    tape.broken = False
    stage.scene.wait(40_000)
    stage.run(bots, stage.pairs_over(len(stage.ladder.over) + 2))
    check(stage)


@pytest.mark.parametrize("game", ["tic_tac_toe", "pebbles"])
@pytest.mark.parametrize("fails", [1, 2, 3, 4, 14, 17, 27, 51])
def test_a_log_that_fails_for_a_while_loses_nothing(game: str, fails: int) -> None:
    fail_and_go_on(game, fails)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["tic_tac_toe", "pebbles", "backgammon"])
def test_a_log_that_fails_at_any_time_loses_nothing(game: str) -> None:
    for fails in range(1, 80 if game != "backgammon" else 10):
        fail_and_go_on(game, fails)


def test_what_is_asked_while_the_log_fails_has_not_happened(scene: Scene) -> None:
    ann = scene.enter("ann")
    scene.store.broken = True
    create = LadderCreate(id=1, name=NAME, game="tic_tac_toe", clock=CLOCK)
    assert ann.ask(create, Error).code == "server/not-stored"
    scene.store.broken = False
    assert ann.ask(create, LadderState).ladder.players == 0
    bot = Bot(scene, "bob")
    scene.store.broken = True
    answer = bot.ask_to_join()
    assert isinstance(answer, Error)
    assert answer.code == "server/not-stored"
    ann.heard()
    assert ann.ask(LadderStop(id=2, ladder=NAME), Error).code == "server/not-stored"
    scene.store.broken = False
    bot.join()
    ann.heard()
    ann.ask(LadderStop(id=3, ladder=NAME), Ok)
    ladder = scene.ladders.by_name[NAME].ladder
    assert scene.store.kinds(ladder.number) == [ladder.made.kind, "entered", "finished"]
