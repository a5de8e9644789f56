"""Finished matches over HTTP, with the positions that `history` leaves out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from games import registry
from protocol import messages, parts
from server.config import REPLAYED, REPLAYING, price_of_read
from server.core.events import Created, Ended, Opened, Played, Started, Struck, write_body
from server.net import replays
from server.net.replays import NoReplay, ReplayRequest, ReplayService
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
    answer,
    finished,
    offer,
    ready,
    started,
)
from tests.server.memory_store import RowStore
from tests.server.net.test_pages import ask, get
from tests.support.live_server import LiveServer
from tests.support.series_played import played


def service_of(log: RowStore) -> ReplayService:
    """A service that reads this log."""
    loop = asyncio.get_running_loop()
    return ReplayService(LogReads(log, loop), loop, lambda number: None)


async def told(rows: Sequence[EventRow] | None, match: int = 1, room: int = ROOM) -> Any:
    """What is told of a match: JSON, or why not."""
    return (await many(service_of(RowStore(rows)), (room, match)))[0]


async def many(
    service: ReplayService, *wanted: tuple[int, int] | ReplayRequest, code: str | None = None
) -> list[Any]:
    """The answers to several questions that come at once."""
    loop = asyncio.get_running_loop()
    waiting = [loop.create_future() for _ in wanted]
    for request, future in zip(wanted, waiting, strict=True):
        service.ask(ReplayRequest(*request), code, future.set_result)
    answers = await asyncio.wait_for(asyncio.gather(*waiting), 60)
    return [json.loads(a) if isinstance(a, bytes) else a for a in answers]


async def test_a_match_is_told_position_by_position() -> None:
    replay = await told(finished().rows)
    assert (replay["match"], replay["game"]) == (f"{ROOM}.1", "tic_tac_toe")
    assert [seat["name"] for seat in replay["seats"]] == ["ann", "bob"]
    positions = [moment["position"] for moment in replay["moments"]]
    assert positions[0] == registry.game("tic_tac_toe").format_position(
        registry.game("tic_tac_toe").initial()
    )
    assert positions[-1] == "xxx/oo1/3 o"
    assert [m["event"]["action"] for m in replay["moments"][1:]] == ["1", "4", "2", "5", "3"]
    assert [moment["to_move"] for moment in replay["moments"]] == [0, 1, 0, 1, 0, -2]
    assert (replay["result"]["winner"], replay["result"]["reason"]) == (0, "line")


async def test_what_a_bot_thought_is_told() -> None:
    table = started(options=RATED)
    table.at(5, ANN, table.play("1", note="the corner"))
    table.at(9, BOB, messages.Resign(match=table.match.name))
    event = (await told(table.rows))["moments"][1]["event"]
    assert (event["note"], event["spent_ms"]) == ("the corner", 5)


async def test_what_was_taken_back_is_not_told() -> None:
    table = started()
    table.plays("1", "4")
    table.at(0, BOB, offer("takeback"))
    table.at(0, ANN, answer("takeback", accept=True))
    table.plays("5")
    table.at(0, ANN, messages.Resign(match=table.match.name))
    moments = (await told(table.rows))["moments"]
    assert [m["event"]["action"] for m in moments[1:]] == ["1", "5"]
    assert moments[-1]["position"] == "x2/1o1/3 x"


async def test_an_opening_is_told_and_a_strike_is_not() -> None:
    table = finished()
    first = [row.kind for row in table.rows].index("started") + 1
    events = [Opened(0, 0, 0, "1"), Struck(0, 1, 1, "halma"), Played(0, 1, 1, "4", 5, 0)]
    rows = [
        EventRow(ROOM, seq, 1, event.kind, 1, write_body(event))
        for seq, event in enumerate(events, first + 1)
    ]
    end = table.rows[-1]._replace(seq=rows[-1].seq + 1)
    moments = (await told([*table.rows[:first], *rows, end]))["moments"]
    assert [m["event"]["kind"] for m in moments[1:]] == ["opening", "play"]
    assert moments[-1]["position"] == "x2/o2/3 x"


async def test_the_dice_are_told_and_their_secret_is_not() -> None:
    table = started("backgammon")
    table.plays(table.match.position.legal_notation()[0])
    table.at(0, ANN, messages.Resign(match=table.match.name))
    replay = await told(table.rows)
    assert [m["event"]["kind"] for m in replay["moments"][1:]][:2] == ["roll", "play"]
    assert all(m["position"].startswith("XGID=") for m in replay["moments"])
    assert "secret" not in json.dumps(replay)


@pytest.mark.parametrize("game", registry.names())
async def test_every_game_is_told(game: str) -> None:
    table = started(game, RATED)
    table.at(0, table.mover(), table.play(table.match.position.legal_notation()[-1]))
    expected = table.match.game.format_position(table.match.position)
    table.at(0, ANN, messages.Resign(match=table.match.name))
    assert (await told(table.rows))["moments"][-1]["position"] == expected


@pytest.mark.parametrize("options", [None, RATED])
async def test_a_match_that_is_on_is_told_as_far_as_it_has_come_and_each_time_anew(
    options: parts.Options | None,
) -> None:
    table = started(options=options)
    table.at(5, ANN, table.play("1", note="the corner"))
    table.plays("4", "2")
    if options is None:  # else nothing is taken back
        table.at(0, ANN, offer("takeback"))
        table.at(0, BOB, answer("takeback", accept=True))
    log = RowStore(table.rows)
    service, wanted = service_of(log), ReplayRequest(ROOM, 1, so_far=True)
    (found,) = await many(service, wanted)
    assert found.keys() == {"match", "moments"}
    positions = [moment["position"] for moment in found["moments"]]
    assert positions[0] == "3/3/3 x"
    assert positions[-1] == table.match.game.format_position(table.match.position)
    assert len(positions) == table.match.ply + 1
    assert ("note" in found["moments"][1]["event"]) == (options is None)
    table.plays("7")
    log.rows = list(table.rows)
    assert len((await many(service, wanted))[0]["moments"]) == len(positions) + 1
    table.at(9, ANN, messages.Resign(match=table.match.name))
    log.rows = list(table.rows)
    again = (await many(service, wanted))[0]["moments"]
    assert again == (await many(service, (ROOM, 1)))[0]["moments"]
    assert await many(service, wanted._replace(match=2)) == [NoReplay(replays.NOT_FOUND)]
    private = service_of(RowStore(started(options=PRIVATE).rows))
    assert await many(private, wanted) == [NoReplay(replays.NOT_FOUND)]
    assert len((await many(private, wanted, code=CODE))[0]["moments"]) == 1


async def test_a_room_s_second_match_is_another() -> None:
    table = finished()
    table.at(0, ANN, ready())
    table.at(0, BOB, ready())
    assert (await told(table.rows, 2)).text == replays.NOT_FOUND
    table.plays("5")
    table.at(0, BOB, messages.Abort(match=table.match.name))
    assert len((await told(table.rows, 1))["moments"]) == 6
    assert len((await told(table.rows, 2))["moments"]) == 2


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        ([], 1),
        (started().rows, 1),  # it goes on
        (finished(PRIVATE).rows, 1),
        (finished().rows, 2),
        (finished().rows[1:], 1),  # nobody knows whether it was public
    ],
)
async def test_what_is_not_for_everybody_is_not_told(rows: list[EventRow], match: int) -> None:
    assert await told(rows, match) == NoReplay(replays.NOT_FOUND)


async def test_a_private_match_is_told_to_who_has_the_code() -> None:
    asked = service_of(RowStore(finished(PRIVATE).rows))
    wanted = (ROOM, 1)
    for wrong in (None, "", "AAAAAA"):
        assert await many(asked, wanted, code=wrong) == [NoReplay(replays.NOT_FOUND)]
    assert (await many(asked, wanted, code=CODE.lower()))[0]["match"] == f"{ROOM}.1"
    for wrong in (None, "", "AAAAAA"):  # as before, though it is known by now
        assert await many(asked, wanted, code=wrong) == [NoReplay(replays.NOT_FOUND)]
    assert (await many(asked, wanted, wanted, code=CODE))[1]["match"] == f"{ROOM}.1"


async def test_whoever_waits_beside_one_with_the_code_is_told_nothing() -> None:
    loop = asyncio.get_running_loop()
    asked = service_of(RowStore(finished(PRIVATE).rows))
    waiting = [loop.create_future() for _ in range(3)]
    for code, future in zip((CODE, None, "AAAAAA"), waiting, strict=True):
        asked.ask(ReplayRequest(ROOM, 1), code, future.set_result)
    right, *wrong = await asyncio.wait_for(asyncio.gather(*waiting), 60)
    assert isinstance(right, bytes)
    assert wrong == [NoReplay(replays.NOT_FOUND)] * 2
    asked = service_of(RowStore(finished().rows))  # a public match needs none
    assert (await many(asked, (ROOM, 1), code="AAAAAA"))[0]["match"] == f"{ROOM}.1"


async def test_who_asks_for_a_replay_pays_for_all_that_is_read_for_it() -> None:
    table = finished()
    for _ in range(300):
        table.at(0, ANN, messages.Say(room=ROOM, text="x" * 500))
    service, paid = service_of(RowStore(table.rows)), list[float]()
    loop = asyncio.get_running_loop()

    async def costs(request: ReplayRequest) -> float:
        document = loop.create_future()
        service.ask(request, None, document.set_result, paid.append)
        await asyncio.wait_for(document, 60)
        cost = sum(paid)
        paid.clear()
        return cost

    short = await costs(ReplayRequest(ROOM, 1))
    assert short > price_of_read(sum(len(row.body) for row in table.rows if row.match))
    assert await costs(ReplayRequest(ROOM, 1)) == 0  # it was asked for before
    long = started("connect_four")
    for _ in range(50):
        long.at(0, ANN, long.play("1"))
        long.at(0, ANN, offer("takeback"))
        long.at(0, BOB, answer("takeback", True))
    long.at(0, ANN, messages.Resign(match=long.match.name))
    service = service_of(RowStore(long.rows))
    assert await costs(ReplayRequest(ROOM, 1)) > REPLAYED * 200 - REPLAYING


async def test_what_is_too_long_or_cannot_be_read_now(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await told(None) == NoReplay(replays.UNREADABLE, busy=True)
    monkeypatch.setattr(replays, "MAX_ROWS", 3)
    assert await told(finished().rows) == NoReplay(replays.NOT_FOUND)


def other(table: Table, kind: str, **change: Any) -> list[EventRow]:
    """The log with some fields of the events of one kind changed."""
    types: dict[str, Any] = {"started": Started, "play": Played, "created": Created}
    rows = []
    for row in table.rows:
        if row.kind == kind:
            event = replays.read_body(kind, row.body)
            fields = {name: getattr(event, name) for name in event.__struct_fields__}
            row = row._replace(body=write_body(types[kind](**(fields | change))))
        rows.append(row)
    return rows


@pytest.mark.parametrize(
    ("kind", "change"),
    [("started", {"rules_version": 99}), ("started", {"game": "halma"}), ("play", {"action": "9"}),
     ("play", {"action": "?"})],
)  # fmt: skip
async def test_what_today_s_rules_cannot_play_is_told(kind: str, change: dict[str, Any]) -> None:
    assert await told(other(finished(), kind, **change)) == NoReplay(replays.NOT_REPLAYABLE)


async def test_what_was_told_is_kept_and_a_second_question_reads_nothing() -> None:
    log = RowStore(finished().rows)
    service = service_of(log)
    first, second = await many(service, (ROOM, 1), (ROOM, 1))
    assert first == second == (await many(service, (ROOM, 1)))[0]
    assert log.reads == 2  # the outline and the match, once


async def test_whose_name_is_not_theirs_any_more_is_told_from_then_on() -> None:
    gone: set[str] = set()
    loop = asyncio.get_running_loop()
    reads = LogReads(RowStore(finished().rows), loop)
    service = ReplayService(reads, loop, lambda number: None, lambda who: who.name in gone)
    assert "former" not in (await many(service, (ROOM, 1)))[0]
    gone.add("bob")
    assert (await many(service, (ROOM, 1)))[0]["former"] == [1]


async def test_too_many_at_once_are_told_so_and_the_others_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replays, "MAX_WAITING", 2)
    monkeypatch.setattr(replays, "MAX_CACHED", 1)
    service = service_of(RowStore(finished().rows))
    answers = await many(service, (ROOM, 1), (ROOM, 7), (ROOM, 1))
    assert answers[0]["match"] == f"{ROOM}.1"
    assert answers[1:] == [NoReplay(replays.NOT_FOUND), NoReplay(replays.BUSY, busy=True)]
    assert len(await many(service, (ROOM, 1))) == 1


async def test_a_bug_is_logged_and_the_next_one_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    service = service_of(RowStore(finished().rows))
    with monkeypatch.context() as broken:
        broken.setattr(replays, "replayed", lambda rows: 1 // 0)
        assert await many(service, (ROOM, 1)) == [NoReplay(replays.NOT_REPLAYABLE)]
    assert "could not be replayed" in caplog.text
    assert (await many(service, (ROOM, 1)))[0]["game"] == "tic_tac_toe"


async def test_a_bug_before_the_thread_is_told_too_and_so_is_that_there_is_no_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    service = service_of(RowStore(finished().rows))
    for where, what in ((replays, "_bounds"), (service.loop, "run_in_executor")):
        with monkeypatch.context() as broken:
            broken.setattr(where, what, fail)
            assert await many(service, (ROOM, 1)) == [NoReplay(replays.NOT_REPLAYABLE)]
    assert (await many(service, (ROOM, 1)))[0]["game"] == "tic_tac_toe"


def fail(*_: object) -> None:
    """What a system does that has no thread left."""
    raise RuntimeError("can't start new thread")


def test_rows_that_are_no_match_are_none() -> None:
    with pytest.raises(replays.NotReplayed):
        replays.replayed([row for row in finished().rows if row.kind in (Played.kind, Ended.kind)])


async def a_match(server: LiveServer, options: parts.Options | None = None) -> str:
    """The path of a match that two people have just ended."""
    ann, bob = await server.enter("ann"), await server.enter("bob")
    create = messages.Create(id=1, game="tic_tac_toe", options=options or parts.Options())
    made = await ann.ask(create, messages.RoomState)
    room = made.room
    await bob.ask(messages.Join(id=1, room=room, code=made.code), messages.RoomState)
    await ann.ask(messages.Ready(id=2, room=room), messages.Ok)
    await bob.ask(messages.Ready(id=2, room=room), messages.Ok)
    match = (await ann.hear(messages.MatchState)).match
    await ann.ask(messages.Resign(id=3, match=match), messages.Ok)
    return f"/replay/{match}.json"


@pytest.mark.socket
async def test_a_replay_is_json_and_other_answers_wait_for_it(
    server: LiveServer,
) -> None:
    path = await a_match(server)
    status, headers, body = await ask(server, get(path))
    assert (status, headers["Content-Type"]) == ("200 OK", "application/json")
    assert json.loads(body)["result"]["how"] == "resign"
    status, headers, nothing = await ask(server, get(path, "HEAD"))
    assert (status, headers["Content-Length"], nothing) == ("200 OK", str(len(body)), b"")
    for _ in range(3):  # who do not wait for it, and disturb nobody
        raw = await server.raw()
        raw.send(get(path))
        await raw.close()
    raw = await server.raw()
    raw.send(get(path, Connection="") + get("/healthz", Connection="") + get(path))
    raw.writer.write_eof()
    assert (await raw.head()).startswith("HTTP/1.1 200 ")
    rest = await raw.reader.read()
    answers = [rest.find(b'"match"'), rest.find(b'"ok"'), rest.rfind(b'"match"')]
    assert -1 < answers[0] < answers[1] < answers[2]


async def test_a_game_of_a_series_tells_of_all_its_games() -> None:
    table = played(parts.Options(points=5), seed=0)
    last = table.room.played
    for match in (1, 2, last):
        document = await told(table.rows, match)
        assert document["moments"][0]["to_move"] == -1  # its own, and none of another game
        games = document["games"]
        assert [game["match"] for game in games] == [f"{ROOM}.{n}" for n in range(1, last + 1)]
    scores = [game["series"].get("score", [0, 0]) for game in games]
    won = [max(game["result"]["returns"]) for game in games]
    assert [sum(score) for score in scores] == [sum(won[:n]) for n in range(last)]
    cube = [[each["action"] for each in game.get("cube", [])] for game in games]
    assert any(cube)
    assert all(set(actions) <= {"double", "take", "drop"} for actions in cube)
    for actions, game in zip(cube, games, strict=True):
        assert (actions[-1:] == ["drop"]) == (game["result"]["reason"] == "drop")


async def test_the_story_of_a_series_that_goes_on_is_told_anew() -> None:
    table = played(parts.Options(points=25), seed=0, most=3)
    log = RowStore([row for row in table.rows if (row.match or 0) < 3])
    service = service_of(log)
    (one,) = await many(service, (ROOM, 1))
    assert len(one["games"]) == 2
    log.rows[:] = table.rows
    (two,) = await many(service, (ROOM, 1))
    assert len(two["games"]) == 3
    assert "games" not in await told(finished().rows)


@pytest.mark.socket
async def test_a_private_replay_is_served_with_its_code(server: LiveServer) -> None:
    path = await a_match(server, parts.Options(public=False))
    (code,) = server.hub.lobby.codes
    assert (await ask(server, get(path)))[0] == "404 Not Found"
    assert (await ask(server, get(f"{path}?code=")))[0] == "404 Not Found"
    assert (await ask(server, get(f"{path}?code={code}")))[0] == "200 OK"


@pytest.mark.socket
@pytest.mark.parametrize(
    ("path", "text"),
    [(f"/replay/{name}.json", replays.NOT_FOUND) for name in ("1.1", "999999999999999.1")]
    + [
        (f"/replay/{rest}", "There is no such page.\n")
        for rest in ("0.1.json", "1.json", "1.1", "-1.1.json", "1.1.json/", f"{10**16 - 1}.1.json")
    ],
)
async def test_there_is_nothing_to_replay(server: LiveServer, path: str, text: str) -> None:
    status, _, body = await ask(server, get(path))
    assert (status, body) == ("404 Not Found", text.encode())
