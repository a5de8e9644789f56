"""Several versions of a game's rules side by side: a match goes on by those that it began with."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from client.records.verify import verify
from games import registry
from games.game import Game, Position
from games.own_files import BrokenFile
from protocol.parts import Result
from protocol.records.record import MatchRecord
from protocol.records.replay import replay_events
from server.core import room as rooms
from server.core.events import Started, read_body
from tests.client.records.played import Played
from tests.server.core import score

PEBBLES = Path(__file__).parents[1] / "extra_games" / "pebbles.py"
# The same game, but by its second version a win is worth one point, always.
SECOND_VERSION = """

@kernel
def single_points(s: Ints) -> int:
    \"\"\"One point for whoever wins.\"\"\"
    won = points(s)
    return 0 if won == 0 else 1 if won > 0 else -1


import dataclasses

GAME = dataclasses.replace(GAME, rules_version=2, points=single_points, earlier=(GAME,))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `flat_pebbles` in two versions."""
    folder = tmp_path_factory.mktemp("versions")
    source = PEBBLES.read_text("utf-8").replace('name="pebbles"', 'name="flat_pebbles"')
    (folder / "flat_pebbles.py").write_text(source + SECOND_VERSION, "utf-8")
    return folder


@pytest.fixture(autouse=True)
def both_versions(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Game:
    monkeypatch.setenv("PLYHOUSE_GAMES", str(folder))
    return registry.game("flat_pebbles")


def played(version: int) -> Played:
    """A match by these rules, to its end."""
    rules = registry.game("flat_pebbles", version)
    match = Played("flat_pebbles")
    match.events[1] = replace(match.events[1], rules_version=version)
    match.history = [Position(rules, position.state) for position in match.history]
    return match.plays_on(seed=3)


def test_without_a_version_the_newest_rules_are_meant(both_versions: Game) -> None:
    assert both_versions.rules_version == 2
    assert registry.game("flat_pebbles", 2) is both_versions
    assert registry.game("flat_pebbles", 1).rules_version == 1
    with pytest.raises(registry.UnknownVersion, match="was rules version 3, and here is 1, 2"):
        registry.game("flat_pebbles", 3)


@pytest.mark.parametrize("version", [1, 2])
def test_a_record_is_replayed_and_verified_by_the_rules_that_it_began_with(version: int) -> None:
    match = played(version)
    verification = verify(MatchRecord("17.2", tuple(match.events)))
    assert verification.wrong is None
    replay = replay_events(match.events)
    assert replay.game.rules_version == version
    last = replay.steps[-1].position.outcome()
    assert replay.result is not None
    assert last is not None
    assert replay.result.returns == last.returns


def test_the_points_of_one_version_do_not_hold_by_the_other() -> None:
    match = played(1)
    result = match.events[-1].result
    assert result is not None
    assert max(result.returns) > 1, "the two versions differ here"
    match.events[1] = replace(match.events[1], rules_version=2)
    wrong = verify(MatchRecord("17.2", tuple(match.events))).wrong
    assert wrong is not None
    assert "1 and -1 are due" in wrong or "-1 and 1 are due" in wrong


@pytest.mark.parametrize("version", [1, 2])
def test_a_match_in_the_log_goes_on_by_the_rules_that_it_began_with(version: int) -> None:
    table = score.started(game="flat_pebbles")
    events = [read_body(row.kind, row.body) for row in table.rows]
    events = [
        replace(event, rules_version=version) if isinstance(event, Started) else event
        for event in events
    ]
    room = rooms.create(score.ROOM, events[0])  # type: ignore[arg-type]  # the first one is Created
    for event in events[1:]:
        room = rooms.fold(room, event)
    table.room = table.stored = room
    while room.playing() is not None:
        action = table.match.position.legal_notation()[0]
        table.plays(action if action != "pass" else table.match.position.legal_notation()[-1])
        room = table.room
    assert table.match.game.rules_version == version
    ended: Result | None = table.match.result
    outcome = table.match.position.outcome()
    assert ended is not None
    assert outcome is not None
    assert ended.returns == outcome.returns


def test_a_file_whose_versions_do_not_fit_is_refused(tmp_path: Path) -> None:
    source = PEBBLES.read_text("utf-8")
    more = "\nimport dataclasses\nGAME = dataclasses.replace(GAME, earlier=(GAME,))\n"
    (tmp_path / "pebbles.py").write_text(source + more, "utf-8")
    with pytest.raises(BrokenFile, match="holds other versions of 'pebbles', each once"):
        registry.read(tmp_path / "pebbles.py")
