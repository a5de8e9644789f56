"""A match that is over as a file, over HTTP: what it holds, what it is called, and who gets it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from client.records.verify import verify
from protocol import messages, parts
from protocol.records import record
from protocol.records.replay import replay_events
from server.core.room import Room
from server.net import exports
from server.net.exports import Download
from server.net.replays import NOT_FOUND, NoReplay, ReplayRequest, ReplayService
from server.past.log_reads import LogReads
from server.store.contract import EventRow
from tests.server.core.score import (
    ANN,
    BOB,
    CODE,
    PRIVATE,
    RATED,
    ROOM,
    Table,
    finished,
    on_a_ladder,
    ready,
    started,
)
from tests.server.memory_store import RowStore
from tests.server.net.test_pages import ask, get
from tests.server.net.test_replays import a_match
from tests.support.live_server import LiveServer
from tests.support.series_played import played


async def exported(
    rows: Sequence[EventRow], ending: str, room: Room | None = None, match: int = 1, **more: Any
) -> Any:
    """The file of a match, or why there is none."""
    loop = asyncio.get_running_loop()
    service = ReplayService(LogReads(RowStore(rows), loop), loop, lambda number: room)
    answer = loop.create_future()
    service.ask(ReplayRequest(ROOM, match, ending), more.get("code"), answer.set_result)
    return await asyncio.wait_for(answer, 60)


def resigned(game: str, options: parts.Options | None = None) -> Table:
    table = started(game, options)
    for _ in range(6):
        table.plays(table.match.position.legal_notation()[0])
    table.at(9, ANN, messages.Resign(match=table.match.name))
    return table


async def test_the_record_is_what_history_tells_and_can_be_verified() -> None:
    table = resigned("backgammon", options=RATED)
    file = await exported(table.rows, "json", table.room)
    read = record.read(file.body)
    assert verify(read).result is not None
    kinds = [event.kind for event in read.events]
    assert (kinds[0], kinds[1], kinds[-1]) == ("dealt", "started", "ended")
    assert file.name == "backgammon-17.1-ann-bob.json"


@pytest.mark.parametrize("ending", ["txt", "sgf", "mat"])
async def test_backgammon_goes_into_the_formats_of_others(ending: str) -> None:
    table = resigned("backgammon")
    file = await exported(table.rows, ending, table.room)
    events = record.read((await exported(table.rows, "json", table.room)).body).events
    writers = {"txt": "text", "sgf": "sgf", "mat": "mat"}
    module = __import__(f"protocol.records.{writers[ending]}", fromlist=["write"])
    replay = replay_events(events)
    assert file.body.decode() == module.write(replay if ending == "txt" else [replay])
    assert file.kind == exports.KINDS[ending]


async def test_what_a_game_has_no_format_for_is_told() -> None:
    no = await exported(finished().rows, "sgf")
    assert no == NoReplay("Sgf is for backgammon; tic_tac_toe goes into json or text.\n")


async def test_dice_that_another_match_still_has_are_told_later() -> None:
    table = on_a_ladder("backgammon")
    table.at(5, BOB, messages.Resign(match=table.match.name))
    no = await exported(table.rows, "json", table.room)
    assert (isinstance(no, NoReplay), no.busy) == (True, True)
    file = await exported(table.rows, "json", None)  # its room is closed
    assert isinstance(file, Download)


async def test_a_match_that_was_called_off_keeps_its_dice_until_the_next_is_over() -> None:
    table = started("backgammon")
    table.at(0, ANN, messages.Abort(match=table.match.name))
    for who in (ANN, BOB):
        table.at(0, who, ready())
    assert (await exported(table.rows, "json", table.room)).busy
    table.at(0, ANN, messages.Resign(match=table.match.name))
    assert isinstance(await exported(table.rows, "json", table.room), Download)
    second = record.read((await exported(table.rows, "json", table.room, match=2)).body)
    assert [event.match for event in second.events] == ["17.2"] * len(second.events)


async def test_a_private_match_is_for_who_has_the_code() -> None:
    rows = finished(PRIVATE).rows
    assert await exported(rows, "txt") == NoReplay(NOT_FOUND)
    assert isinstance(await exported(rows, "txt", code=CODE), Download)


def test_a_name_that_no_header_could_hold_is_written_twice() -> None:
    players = (parts.Player(name='J\u00fcrgen "x'), parts.Player(name="house", program="mcts"))
    event = parts.Event(seq=1, kind="started", game="connect_four", players=players)
    name = exports._name("17.2", event, "txt")
    assert name == 'connect-four-17.2-J\u00fcrgen-"x-house-mcts.txt'
    header = exports.disposition(name)
    assert header.isascii()
    assert 'filename="connect-four-17.2-J_rgen-_x-house-mcts.txt"' in header
    assert "filename*=UTF-8''connect-four-17.2-J%C3%BCrgen-%22x-house-mcts.txt" in header


@pytest.mark.socket
async def test_a_file_is_served_to_be_stored(server: LiveServer) -> None:
    match = (await a_match(server)).removeprefix("/replay/").removesuffix(".json")
    status, headers, body = await ask(server, get(f"/match/{match}.txt"))
    assert (status, headers["Content-Type"]) == ("200 OK", "text/plain; charset=utf-8")
    assert headers["Content-Disposition"].startswith('attachment; filename="tic-tac-toe-1.1-ann-b')
    assert body.startswith(b"Tic-tac-toe, match 1.1\n")
    assert (await ask(server, get(f"/match/{match}.mat")))[0] == "404 Not Found"
    assert (await ask(server, get(f"/match/{match}.pdf")))[2] == b"There is no such page.\n"


@pytest.mark.parametrize(("ending", "game"), [("mat", " Game {}\n"), ("sgf", "[game:{}]")])
async def test_of_a_match_to_points_all_games_stand_in_the_file_up_to_the_one_that_is_asked_for(
    ending: str, game: str
) -> None:
    table = played(parts.Options(points=5), seed=0)
    assert table.room.played == 4
    first = 0 if ending == "sgf" else 1
    for match in (1, 3, 4):
        file = await exported(table.rows, ending, match=match)
        text = file.body.decode()
        numbers = [n for n in range(first, first + 5) if game.format(n) in text]
        assert numbers == list(range(first, first + match))
        assert file.name.startswith(f"backgammon-cube-17.{match}-ann-bob")
    if ending == "mat":
        assert " 5 point match\n" in text
        assert "and the match\n" in text


async def test_a_record_or_text_of_a_game_of_a_series_holds_that_game_alone() -> None:
    table = played(parts.Options(points=5), seed=0)
    file = await exported(table.rows, "json", match=3)
    whole = record.read(file.body)
    assert {event.match for event in whole.events} == {"17.3"}
    assert verify(whole).wrong is None
