"""What holds for every room, whatever is asked of it in whatever order, in every game.

Long seeded scores of mostly sensible messages are played through a Table, which folds each event
from its stored bytes; after each message the laws are looked at.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import replace

from games import registry
from server.core import room as rooms
from server.core.effects import Effect
from server.core.events import EVENTS, Ended, Started, read_body
from server.core.room import Room
from server.rooms import replay
from server.rooms import snapshot as snapshots
from tests.server.core.cast import CODE, ROOM
from tests.server.core.score import EVE, TERMS, THOUGHT, Score, check_sense, plain

# The game with the cube has all of backgammon, and more.
GAMES = [name for name in registry.names() if name != "backgammon"]
each_game = pytest.mark.parametrize("game", GAMES)


def each_game_on(terms: Iterable[str]) -> pytest.MarkDecorator:
    """Each game on all terms: in every run on a third of them, the next game on another third."""
    numbered = itertools.product(enumerate(GAMES), enumerate(terms))
    pairs = [
        pytest.param(game, each, marks=pytest.mark.slow if (row + column) % 3 else ())
        for (row, game), (column, each) in numbered
    ]
    return pytest.mark.parametrize(("game", "terms"), pairs)


def untouched(room: Room) -> Any:
    return plain(replace(room, touched=0))


@each_game_on(TERMS)
def test_a_room_is_the_fold_of_its_events(game: str, terms: str) -> None:
    for table in Score(game, terms).steps():
        assert plain(table.room) == plain(table.stored)
        check_sense(table.room)
    assert table.room.seq == len(table.rows)
    assert [row.seq for row in table.rows] == list(range(1, len(table.rows) + 1))
    replayed = replay.replay(table.rows)
    assert replayed is not None
    room, broken, *_ = replayed
    assert broken is None
    assert untouched(room) == untouched(table.room)


@each_game_on(name for name in TERMS if name != "ladder")
def test_a_room_is_the_same_if_only_its_newest_matches_are_read(game: str, terms: str) -> None:
    table, before, base, newest, reads = None, None, None, None, 0
    for now in Score(game, terms).steps():
        if now is not table:  # another room, whose first match is to come
            table, base, newest = now, None, None
        elif before is not None and (begun := snapshots.base_before(before, now.events)):
            newest = begun
            base = begun if now.room.played % 3 != 1 else base
        before = now.room
        if base is None or not {"started", "ended", "joined", "left"}.intersection(now.kinds()):
            continue
        snapshot = snapshots.read_snapshot(
            snapshots.write_snapshot(snapshots.of_room(now.room, base))
        )
        assert snapshot is not None
        old = snapshot.room(ROOM)
        assert old is not None
        room = replay.replay_on(old, now.rows[base.seq :])
        assert room is not None
        assert untouched(room) == untouched(now.room)
        reads += 1
    replayed = replay.replay(table.rows) if table is not None else None
    assert replayed is not None
    assert replayed.base == newest
    assert reads > 0


@each_game_on(TERMS)
def test_a_room_is_kept_as_it_stands_at_any_moment(game: str, terms: str) -> None:
    for number, now in enumerate(Score(game, terms, seed=3).steps()):
        if number % 5 == 0 and now.room.state != "closed":
            snapshot = snapshots.of_room(now.room, snapshots.base_of(now.room))
            read = snapshots.read_snapshot(snapshots.write_snapshot(snapshot))
            room = read.room(ROOM) if read is not None else None
            assert room is not None
            assert plain(room) == plain(now.room)


@each_game
def test_each_match_starts_once_and_ends_once(game: str) -> None:
    table = list(Score(game, "blitz", seed=2).steps())[-1]
    marks = [e for row in table.rows
             if isinstance(e := read_body(row.kind, row.body), Started | Ended)]  # fmt: skip
    kinds = [type(e) for e in marks]
    assert kinds[::2] == [Started] * len(kinds[::2])
    assert kinds[1::2] == [Ended] * len(kinds[1::2])


@each_game
def test_handling_leaves_the_old_room_as_it_was(game: str) -> None:
    score = Score(game, "blitz", seed=3)
    before, looked = score.table.room, repr(plain(score.table.room))
    for table in score.steps():
        assert repr(plain(before)) == looked
        before, looked = table.room, repr(plain(table.room))


@each_game
def test_the_same_score_gives_the_same_room(game: str) -> None:
    ends = [list(Score(game, "blitz", seed=4).steps())[-1] for _ in range(2)]
    assert ends[0].rows == ends[1].rows
    assert plain(ends[0].room) == plain(ends[1].room)


@each_game_on(TERMS)
def test_nothing_that_is_shown_tells_a_secret_a_code_or_a_rated_thought(
    game: str, terms: str
) -> None:
    for table in Score(game, terms, seed=5).steps():
        room = table.room
        hidden = [CODE] if room.code is not None else []
        if room.secret is not None:
            hidden += [room.secret.hex(), msgspec.json.encode(room.secret).decode().strip('"')]
        if room.options.rated:
            hidden.append(THOUGHT)
        if room.state == "over" and room.match is not None and room.match.deal is not None:
            hidden.append(room.match.deal.secret.hex())
        views = [rooms.state(room), rooms.state(room, EVE), rooms.lobby_row(room)]
        if room.match is not None:
            views.append(table.seen(0))
        sent = msgspec.json.encode([views, [e for e in table.effects if hasattr(e, "message")]])
        for word in hidden:
            assert word.encode() not in sent


@pytest.mark.slow
def test_the_scores_are_lively() -> None:
    kinds: set[str] = set()
    for name in registry.names():
        for terms in TERMS:
            score = Score(name, terms, seed=6)
            for table in itertools.chain([score.table], score.steps()):
                kinds |= set(table.kinds())
                kinds |= {type(effect).__name__ for effect in table.effects}
    assert kinds >= {event.kind for event in EVENTS} - {"created", "opening"}  # which open a room
    assert kinds >= {effect.__name__ for effect in get_args(Effect)} - {"LogError"}  # of bad rules
