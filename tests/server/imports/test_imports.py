"""Files of matches that people bring over HTTP: read in a process beside the server, not kept."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from games import registry
from protocol.reading import files, match_text
from protocol.reading.imported import imported_match
from protocol.records.record import Altered, RecordError
from server.config import Config
from server.imports import imports as imports_module
from server.imports import worker
from server.imports.imports import (
    BUSY,
    MAX_UPLOAD,
    ROOT,
    TOO_MUCH,
    Imported,
    Imports,
    NotImported,
    WaitingFile,
)
from tests.server.conftest import Opener
from tests.server.net.test_pages import answer, ask
from tests.support.live_server import LiveServer, RawClient

MAT = """\
 3 point match

 Game 1
 <script>alert(1)</script> : 0          bob : 0
  1)                                    31: 8/5 6/5
  2) 52: 13/8 24/22                     Doubles => 2
  3)  Takes                             64: 24/14
  4)  Doubles => 4                       Drops
      Wins 2 points

 Game 2
 <script>alert(1)</script> : 2          bob : 0
  1) 31: 8/5 6/5                        66: 24/18(2) 13/7(2)
  2) 21: 3/off
"""
FAULT = "line 14: 21: 3/off cannot be played"


def post(body: bytes, path: str = "/import", **headers: str) -> bytes:
    given = {"Host": "localhost", "Content-Length": str(len(body)), "Connection": "close"}
    lines = "".join(f"{name}: {value}\r\n" for name, value in (given | headers).items())
    return f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode() + body


def test_a_document_has_each_game_with_its_positions_and_where_the_file_stops() -> None:
    document = imported_match(files.read(MAT.encode()))
    one, two = document.games
    assert one.seats[0].name == "<script>alert(1)</script>"  # which a page shows as text
    assert [game.match for game in document.story] == [one.match] == ["0.1"]
    assert [each.action for each in document.story[0].cube] == ["double", "take", "double", "drop"]
    assert one.result.winner == 0
    assert two.series is not None
    assert two.series.score == (2, 0)
    assert two.result.how == "void"  # it is not over
    assert document.fault is not None
    assert document.fault.startswith(FAULT)
    for game in document.games:
        position = registry.game(game.game).parse_position(game.moments[-1].position)
        assert position.to_move == game.moments[-1].to_move
        actions = [moment.event.action for moment in game.moments if moment.event is not None]
        assert len(actions) == len(game.moments) - 1


@pytest.mark.socket
async def test_a_file_that_is_posted_is_answered_with_its_games(server: LiveServer) -> None:
    body = gzip.compress(MAT.encode("utf-16"))
    status, headers, packed = await ask(server, post(body, Origin="http://localhost"))
    assert (status, headers["Content-Type"]) == ("200 OK", "application/json")
    document = json.loads(gzip.decompress(packed))
    assert [game["game"] for game in document["games"]] == ["backgammon_cube"] * 2
    assert document["fault"].startswith(FAULT)
    assert not server.gateway.held.bytes


@pytest.mark.parametrize("name", ["json", "text", "sgf", "mat"])
def test_a_file_is_written_in_another_format_with_all_its_games(name: str) -> None:
    assert len(files.read(worker.answer(MAT.encode(), name)).games) == 2


BAD = {
    "no match": (b"hello", "this is no record of a match"),
    "an end of a zip": (b"\x1f\x8b\0\0", "damaged"),
    "a bomb": (gzip.compress(bytes(9 << 20)), "8 MiB at most"),
    "no dice": (MAT.replace("31: 8/5 6/5", "79: 8/5 6/5", 1).encode(), "line 5: "),
    "a turn that cannot be": (MAT.replace("8/5 6/5", "8/1", 1).encode(), "line 5: 31: 8/1"),
}


@pytest.mark.parametrize(("body", "why"), BAD.values(), ids=BAD.keys())
def test_what_is_no_match_is_refused_with_a_sentence(body: bytes, why: str) -> None:
    with pytest.raises((RecordError, Altered), match=re.escape(why)):
        worker.answer(body, None)


def test_a_match_of_far_too_many_turns_is_read_as_far_as_a_file_may_go() -> None:
    rows = "\n".join(f"{n:4}) 66: 24/18(2)     66: 24/18(2)" for n in range(9_999))
    match = match_text.read(f" 0 point match\n Game 1\n a : 0   b : 0\n{rows}".split("\n"))
    assert str(match.fault) == "line 3004: a file has 6,000 turns at most; this one has more"


@pytest.mark.socket
async def test_who_may_not_send_a_file_is_refused_before_it_is_read(server: LiveServer) -> None:
    foreign = post(b"hello", Origin="http://elsewhere")
    assert (await ask(server, foreign))[0][:3] == "403"
    large = b"POST /import HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000000\r\n\r\n"
    raw = await server.raw()
    raw.send(large + bytes(300_000))
    status, _, text = await answer(raw)
    assert (status[:3], text[:9]) == ("413", b"A file of")
    twice = post(b"hello", **{"content-length": "4"})
    assert (await ask(server, twice))[0][:3] == "400"
    assert (await ask(server, post(b"hello", "/elsewhere")))[0][:3] == "400"


@pytest.mark.socket
async def test_a_file_in_pieces_is_held_until_it_is_whole_and_counted(server: LiveServer) -> None:
    raw = await server.raw()
    request = post(bytes(100_000), "/import")
    for at in range(0, 90_000, 1_000):  # the head in pieces, too
        raw.send(request[at : at + 1_000])
        await asyncio.sleep(0)
    await server.until(lambda: server.gateway.held.bytes > 80_000)
    await raw.close()
    await server.until(lambda: not server.gateway.held.bytes and not server.gateway.sockets)


@pytest.mark.socket
async def test_requests_behind_a_file_are_answered_in_order(open_server: Opener) -> None:
    server: LiveServer = await open_server()
    raw: RawClient = await server.raw()
    head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    whole = post(b"hello", Connection="keep-alive") + head
    for at in range(0, len(whole), 7):
        raw.send(whole[at : at + 7])
        await asyncio.sleep(0)
    for status in ("422", "200"):
        first, *lines = (await raw.head()).strip().split("\r\n")
        assert first.split()[1] == status
        size = next(int(line[16:]) for line in lines if line.startswith("Content-Length: "))
        await raw.reader.readexactly(size)


@pytest.fixture
async def service() -> Any:
    service = Imports(asyncio.get_running_loop())
    yield service
    service.close()


def asking(service: Imports, data: bytes, address: str = "here") -> asyncio.Future[Any]:
    done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    take: Callable[[Imported | NotImported], None] = done.set_result
    service.ask(data, None, address, take)
    return done


async def test_one_file_of_an_address_waits_and_few_of_all(
    service: Imports, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports_module, "MAX_WAITING", 2)
    monkeypatch.setattr(Imports, "_read", lambda self, file: NotImported(file.address))
    one = asking(service, b"hello")
    assert (await asking(service, b"hello")) == NotImported(BUSY, busy=True)
    two = asking(service, b"hello", "there")
    assert (await asking(service, b"hello", "elsewhere")) == NotImported(BUSY, busy=True)
    assert [(await done).text for done in (one, two)] == ["here", "there"]


async def test_what_takes_too_long_is_given_up(
    service: Imports, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports_module, "SECONDS", 0.0)
    assert await asyncio.wait_for(asking(service, b"hello"), 60) == NotImported(TOO_MUCH)
    assert service._child is None


async def test_a_server_that_ends_ends_a_reading_that_it_has_just_begun(
    service: Imports, monkeypatch: pytest.MonkeyPatch
) -> None:
    popen = subprocess.Popen

    def start(*words: Any, **settings: Any) -> Any:
        child = popen(*words, **settings)
        service.close()
        return child

    monkeypatch.setattr(imports_module.subprocess, "Popen", start)
    file = WaitingFile(b"hello", None, "here", print)
    service._waiting.append(file)
    assert service._read(file) == NotImported(TOO_MUCH)


def test_a_file_is_read_no_further_once_who_wants_it_is_gone() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "server.imports.worker"],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as child:  # fmt: skip
        assert child.stdout is not None
        child.stdout.close()
        assert child.wait(60) == 1  # though its file is not whole yet


def test_a_file_is_smaller_than_what_an_address_may_hold() -> None:
    assert Config().held_per_address > MAX_UPLOAD
