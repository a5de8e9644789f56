"""Every file that the product opens, spoiled in every way: a sentence, or the right answer.

What is spoiled and may hold what cannot be made once more is there still afterwards, under its own
or another name; and nothing lies about that was not there before.
"""

from __future__ import annotations

import argparse
import builtins
import contextlib
import errno
import io
import os
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bots.backgammon import weights
from bots.backgammon.cube import match_table
from bots.commands import arguments
from bots.engine import book
from bots.online.tokens import BadTokenFile, Tokens
from bots.outside.program import _read_errors
from client import connection
from client.commands import completion
from client.errors import ClientError
from client.names import keys
from client.records import source
from games import own_files
from lab.experiments.journal import BadJournal, Journal
from protocol.errors import PlyhouseError
from protocol.files import running
from protocol.records.record import Altered, RecordError
from server.admin import house
from server.admin.token import NoAdminToken, find_token, keep_token
from server.cluster.entry import _make_secret
from server.cluster.line.handshake import BadSecret, read_secret
from server.net.tls import BadCertificate, Certificate
from server.store import open_store
from server.store.contract import StoreError
from server.store.sqlite import copies
from tests.client.records.played import file as record_file
from tests.faults import opened
from tests.support.certificates import HOUSE

# The errors that every command says in one sentence.
SENTENCES = (
    OSError, ClientError, PlyhouseError, RecordError, Altered, StoreError, NoAdminToken, BadSecret,
    BadCertificate, BadTokenFile, BadJournal, weights.BadWeights, match_table.BadTable,
    book.BadBook, own_files.BrokenFile, arguments.BadOption,
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A file of the product: how it comes about in a folder, and what uses it.

    places: the functions that open it, as tests/faults/opened.py finds them.
    precious: what cannot be made once more: it, or the whole file, must be there afterwards.
    """

    make: Callable[[Path], Path]
    use: Callable[[Path], object]
    places: str
    precious: str = ""


def _copied(content: Path, name: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(content.read_bytes())
        (folder / name).chmod(0o600)
        return folder / name

    return make


def _text(text: str, name: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o600)
        return path

    return make


def _house(name: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        open_store(folder).close()
        return folder / name

    return make


def _use_house(path: Path) -> None:
    open_store(path.parent).close()


def _restore(path: Path) -> None:
    copies.restore(path, path.parent / "restored")


def _journal(folder: Path) -> Path:
    with Journal(folder / "journal.jsonl", {"journal": "sweep"}):
        return folder / "journal.jsonl"


def _use_journal(path: Path) -> None:
    with Journal(path, {"journal": "sweep"}) as journal:
        journal.compact()


def _report(folder: Path) -> Path:
    path = folder / source.REPORTED
    path.write_text('{"match": "17.2", "record": {}}\n')
    return path


def _use_tokens(path: Path) -> None:
    tokens = Tokens(path)
    tokens.get("a:1", "ann")
    tokens.put("a:1", "bob", "two")


def _use_keys(path: Path) -> None:
    keys.load("a:1")
    keys.remember("a:1", "bob", "two")


def _use_secret(path: Path) -> None:
    if not path.exists():
        _make_secret(path)
    read_secret(path)


def _log_errors(path: Path) -> None:
    _read_errors(io.BytesIO(b"a complaint\n"), deque(), path)


def _engine_log(path: Path) -> None:
    arguments.make_engines(argparse.Namespace(engine_log=path, engine=["e=cat"]), ("tic_tac_toe",))


TOKEN = "t" * 43
CASES = {
    "keys of a person": Case(
        _text('{"own": "ann", "tokens": {"ann": "one"}}', "plyhouse/keys/a_1.json"), _use_keys,
        "client/names/keys.py:_read client/names/keys.py:_change", precious='"ann": "one"',
    ),
    "tokens of bots": Case(
        _text('{"a:1 ann": "one"}', "tokens.json"), _use_tokens,
        "bots/online/tokens.py:Tokens._read", precious='"a:1 ann": "one"',
    ),
    "token of the house": Case(
        _text('{"house": "one"}', house.FILE), house.read_tokens,
        "server/admin/house.py:read_tokens",
        precious='"house": "one"',
    ),
    "token of the host": Case(
        _text(f"{TOKEN}\nhttp://127.0.0.1:1\n", "admin.token"),
        lambda path: keep_token(path.parent, find_token(path.parent), "http://127.0.0.1:1"),
        "server/admin/token.py:read_token server/admin/token.py:find_token", precious=TOKEN,
    ),
    "secret of a cluster": Case(
        _text("s" * 44, "secret"), _use_secret,
        "server/cluster/line/handshake.py:read_secret server/cluster/entry.py:_make_secret",
        precious="s" * 44,
    ),
    "certificate": Case(
        _copied(HOUSE.chain, "house.pem"), lambda path: Certificate(path, HOUSE.key),
        "server/net/tls.py:Certificate._read",
    ),
    "certificates that are trusted": Case(
        _copied(HOUSE.chain, "house.pem"), lambda path: connection.trust(str(path)),
        "client/connection.py:trust",
    ),
    "database": Case(
        _house("plyhouse.db"), _use_house,
        "server/store/sqlite/opening.py:connect server/store/sqlite/opening.py:_make"
        " server/store/files.py:make_file server/store/files.py:sync"
        " server/store/sqlite/reading.py:ReadThread.__init__", precious="SQLite format",
    ),
    "mark of a database": Case(
        _house("plyhouse.mark"), _use_house,
        "server/store/sqlite/mark.py:read_mark server/store/sqlite/mark.py:MarkFile.__init__",
    ),
    "lock of a database": Case(
        _house("plyhouse.lock"), _use_house, "server/store/sqlite/lock.py:take",
    ),
    "backup": Case(
        _house("plyhouse.db"), _restore, "server/store/sqlite/copies.py:_part",
        precious="SQLite format",
    ),
    "where a server runs": Case(
        _text('{"url": "http://127.0.0.1:1", "pid": 1}', "plyhouse/1.json"),
        lambda path: (running.urls(), running.tell("http://127.0.0.1:1")),
        "protocol/files/running.py:_served",
    ),
    "what a shell was offered": Case(
        _text('{"rooms": ["1"]}', "plyhouse/completion-127.0.0.1_1.json"),
        lambda path: completion.server_offers("127.0.0.1:1"),
        "client/commands/completion.py:server_offers",
    ),
    "record": Case(
        record_file, lambda path: source.find_match(source.RecordSource(str(path), "")),
        "client/records/source.py:find_match", precious="plyhouse-record",
    ),
    "matches of a report": Case(
        _report,
        lambda path: source.find_match(source.RecordSource(str(path.parent / "17.2"), "a:1")),
        "client/records/source.py:_reported",
    ),
    "nets": Case(
        lambda folder: _sealed(folder / "my.nets"),
        lambda path: (weights.unseal(path), weights.digest(path)),
        "bots/backgammon/weights.py:unseal bots/backgammon/weights.py:digest",
    ),
    "table of a match": Case(
        _copied(match_table.FILE, "table.json"), match_table.read,
        "bots/backgammon/cube/match_table.py:read",
    ),
    "openings": Case(_copied(book.FILE, "book"), book.read, "bots/engine/book.py:read"),
    "journal of an experiment": Case(
        _journal, _use_journal, "lab/experiments/journal.py:Journal.__init__",
        precious='"journal"',
    ),
    "game of one's own": Case(
        _text("GAME = 1\n", "mine.py"), lambda path: own_files.load("mine_of_a_test", path),
        "games/own_files.py:load",
    ),
    "what a program complains of": Case(
        _text("before\n", "errors.log"), _log_errors, "bots/outside/program.py:_read_errors",
        precious="before",
    ),
    "where complaints go": Case(
        _text("before\n", "errors.log"), _engine_log, "bots/commands/arguments.py:make_engines",
        precious="before",
    ),
}  # fmt: skip

OF_THE_INSTALLATION = "it comes with the program, which does not start without its files"
TEMPORARY = "it lies in a temporary folder of this process's own, which it removes"
WHOLE = "whole_file.write, which tests/protocol/files holds"
ELSEWHERE = {
    "protocol/files/whole_file.py:write": WHOLE,
    "protocol/files/whole_file.py:_beside": WHOLE,
    "protocol/files/whole_file.py:sync_folder": WHOLE,
    "protocol/files/whole_file.py:alone": WHOLE,
    "protocol/files/whole_file.py:read_object": "keys, tokens and running servers above",
    "protocol/shell/streams.py:_open": "/dev/null",
    "server/downloads/launcher.py:main": "the terminal",
    "server/downloads/launcher.py:install": "a mark in an environment that pip has just filled",
    "server/downloads/downloads.py:launcher": OF_THE_INSTALLATION,
    "server/downloads/downloads.py:Downloads._find": OF_THE_INSTALLATION,
    "server/downloads/wheel.py:_sources": OF_THE_INSTALLATION,
    "server/downloads/wheel.py:build": OF_THE_INSTALLATION,
    "server/net/http/files.py:_slim": OF_THE_INSTALLATION,
    "bots/engine/compiled.py:_source": OF_THE_INSTALLATION,
    "bots/engine/compiled.py:refuse": OF_THE_INSTALLATION,
    "lab/tracing/page_file.py:_read": OF_THE_INSTALLATION,
    "lab/farm/identity.py:_digest": OF_THE_INSTALLATION,
    "server/cli/doctor.py:_database": TEMPORARY,
    "server/store/sqlite/transfer.py:read_house_file": TEMPORARY,
    "lab/arena/local_server.py:local_server": TEMPORARY,
    "lab/arena/local_server.py:ServerProcess.start": TEMPORARY,
    "lab/arena/local_server.py:ServerProcess.complaints": TEMPORARY,
    "lab/commands/doctor_bot.py:_started": TEMPORARY,
    "lab/commands/doctor_bot.py:_running": TEMPORARY,
    "lab/commands/doctor_bot.py:_written": TEMPORARY,
    "bots/roster/gnubg.py:_folder": TEMPORARY,
    "bots/roster/gnubg.py:GnuBackgammon.new_program": TEMPORARY,
    "server/store/sqlite/checking.py:_expected": "in memory",
    "server/store/sqlite/reading.py:PagesCheck.__init__": "a database that is open",
    "server/store/sqlite/transfer.py:HouseWriter.__init__": "tests/server/store/sqlite",
    "bots/engine/code_cache.py:SafeCache.__init__": "tests/bots/engine/test_code_cache.py",
    "bots/engine/code_cache.py:_temporary": "tests/bots/engine/test_code_cache.py",
    "bots/engine/compiled.py:mark_ready": "a mark, which may be missing",
    "lab/book.py:read_journal": "only who makes the shipped book has one",
    "lab/book.py:Maker._best": "only who makes the shipped book has one",
    "lab/commands/results.py:machine": "/proc",
    "lab/experiments/plots.py:draw": "matplotlib writes it; a picture can be drawn once more",
}


def _sealed(path: Path) -> Path:
    weights.seal(path, {"a": 1}, b"content")
    return path


# ------------------------------------------------------------ what is done to a file


def _replaced(content: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda path: _write(path, content(path.read_bytes()))


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _to_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


SPOILED: dict[str, Callable[[Path], None]] = {
    "empty": _replaced(lambda data: b""),
    "cut short": _replaced(lambda data: data[: len(data) // 2]),
    "a byte order mark": _replaced(lambda data: b"\xef\xbb\xbf" + data),
    "zeros": _replaced(lambda data: bytes(len(data))),
    "vanished": Path.unlink,
    "a folder": _to_folder,
}
REFUSED = {"another's": errno.EACCES, "a bad block": errno.EIO}
FULL = {"a full disk": errno.ENOSPC, "a broken disk": errno.EIO, "read-only": errno.EROFS}
REST = ("a broken disk", "read-only")
SLOW = pytest.mark.slow  # they are many, and hardly differ from the first


@pytest.fixture
def new_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Path]:
    """Make a folder, which is from then on where this person's files are."""

    def new_folder() -> Path:
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        for variable in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
            monkeypatch.setenv(variable, str(folder))
        return folder

    return new_folder


@pytest.fixture
def folder(new_folder: Callable[[], Path]) -> Path:
    return new_folder()


@contextlib.contextmanager
def _failing(number: int, fails: Callable[[Path, object], bool]) -> Iterator[None]:
    """Let Python's ways to open a file fail for those that are meant."""
    openers = [(io, "open"), (builtins, "open"), (os, "open")]
    with pytest.MonkeyPatch.context() as patch:
        for module, name in openers:
            real: Callable[..., Any] = getattr(module, name)

            def opens(
                path: Any, mode: Any = "r", *more: Any, _real: Any = real, **named: Any
            ) -> Any:
                if not isinstance(path, int) and fails(Path(os.fsdecode(path)), mode):
                    raise OSError(number, os.strerror(number), os.fspath(path))
                return _real(path, mode, *more, **named)

            patch.setattr(module, name, opens)
        yield


def _writes(mode: object) -> bool:
    if isinstance(mode, int):
        return bool(mode & (os.O_WRONLY | os.O_RDWR))
    return not set("wax+").isdisjoint(str(mode))


def _outcome(use: Callable[[Path], object], path: Path) -> None:
    """Use a file; it works, or there is one sentence."""
    try:
        use(path)
    except SENTENCES as error:
        text = str(getattr(error, "strerror", None) or error)
        assert text
        assert "\n" not in text


def _contents(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


def _assert_nothing_lies_about(folder: Path) -> None:
    names = [path.name for path in folder.rglob("*")]
    assert [
        name for name in names if name.startswith(".") or name.endswith((".part", ".new"))
    ] == []


@pytest.mark.parametrize("name", CASES)
def test_a_spoiled_file_is_a_sentence_or_does_not_matter_and_is_kept(
    new_folder: Callable[[], Path], name: str
) -> None:
    case = CASES[name]
    for how, spoil in SPOILED.items():
        folder = new_folder()
        path = case.make(folder)
        spoil(path)
        before = path.read_bytes() if path.is_file() else b""
        _outcome(case.use, path)
        _assert_nothing_lies_about(folder)
        if case.precious and before:
            kept = (before, case.precious.encode())
            assert any(part in content for content in _contents(folder) for part in kept), how


@pytest.mark.parametrize("how", ["another's", pytest.param("a bad block", marks=SLOW)])
@pytest.mark.parametrize("name", CASES)
def test_a_file_that_the_system_does_not_let_be_read_stays_as_it_is(
    folder: Path, name: str, how: str
) -> None:
    case = CASES[name]
    path = case.make(folder)
    before = path.read_bytes()
    with _failing(REFUSED[how], lambda opened, mode: opened == path):
        _outcome(case.use, path)
    _assert_nothing_lies_about(folder)
    if case.precious:
        assert path.read_bytes().startswith(before[:100])


@pytest.mark.parametrize("how", ["a full disk", *(pytest.param(how, marks=SLOW) for how in REST)])
@pytest.mark.parametrize("name", CASES)
def test_where_nothing_can_be_written_what_there_was_is_there_still(
    folder: Path, name: str, how: str
) -> None:
    case = CASES[name]
    path = case.make(folder)
    before = path.read_bytes()
    with _failing(FULL[how], lambda opened, mode: folder in opened.parents and _writes(mode)):
        _outcome(case.use, path)
    _assert_nothing_lies_about(folder)
    if case.precious:
        assert path.read_bytes().startswith(before[:100])


@pytest.mark.parametrize("name", CASES)
def test_on_a_disk_that_fills_while_it_is_written_to_nothing_is_lost(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = CASES[name]
    path = case.make(folder)
    before = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        _outcome(case.use, path)
    _assert_nothing_lies_about(folder)
    if case.precious:
        assert path.read_bytes().startswith(before[:100])


def test_every_place_that_opens_a_file_has_a_case_or_a_reason() -> None:
    held = {place for case in CASES.values() for place in case.places.split()}
    places, known = opened.places(), held | ELSEWHERE.keys()
    assert places - known == set(), "a new place: give it a case, or say why not"
    assert ELSEWHERE.keys() - places == set(), "it opens none any more"
    assert held & ELSEWHERE.keys() == set()
    whole = {"client/names/keys.py:_change", "server/cluster/entry.py:_make_secret"}
    assert held - places - whole == set(), "it opens none any more"
