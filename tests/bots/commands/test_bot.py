"""`plyhouse bot`: at a server without a network, and a few whole stories at a real one."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bots.commands import bot as command
from bots.engine import compiled
from bots.online import anchors, output, pool
from bots.online.entry import Entry
from client.connection import Connection, connect
from lab.arena import local_server as servers
from protocol.errors import Code, Refusal
from protocol.ladder import LadderTold
from protocol.messages import Declined, MatchState, RoomState
from protocol.parts import Strength
from tests.bots.online.fake_connection import FakeConnection, refusal
from tests.support.command import Run
from tests.support.lent_server import here


async def _nothing(entries: object) -> None:
    """In place of compiling."""


async def _game_of(ladder: str, url: str) -> str:
    return "tic_tac_toe"


class FakeNetwork:
    """Where `enter` connects each entry to a fake server, which soon ends it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.connections: dict[str, FakeConnection] = {}
        self.entries: dict[str, Entry] = {}
        self.names: set[str] = set()
        self.refuse: list[Exception] = []  # to join a ladder
        self.told: LadderTold | None = None  # as soon as one has joined
        self.taken: dict[str, str] = {}  # name -> the one that the server suggests instead
        monkeypatch.setattr(pool, "enter", self.enter)
        monkeypatch.setattr(command, "game_of", _game_of)
        monkeypatch.setattr(compiled, "at_once", True)
        monkeypatch.setattr(anchors, "LOOK_S", 0.01)
        monkeypatch.setattr(command.readiness, "prepare_beside", _nothing)

    async def enter(
        self, entry: Entry, url: str, name: str, *more: object, **how: object
    ) -> object:
        if name in self.taken:
            raise Refusal(Code.SESSION_NAME_TAKEN, f"{name} is taken", suggestion=self.taken[name])
        connection = self.connections[entry.name] = FakeConnection()
        self.entries[entry.name] = entry
        self.names.add(name)
        connection.name = name
        if self.refuse:
            connection.refuse["ladder_join"] = [self.refuse.pop()]
        if self.told is not None:
            connection.push(self.told)  # which is read once it has joined
        asyncio.get_running_loop().call_later(0.05, connection.end)
        return connection


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> FakeNetwork:
    return FakeNetwork(monkeypatch)


@pytest.fixture
def bot(run: Run, tmp_path: Path) -> Run:
    return partial(run, "bot --at-once --quiet --token-file", tmp_path / "tokens.json")


def test_all_are_here_before_the_first_joins(network: FakeNetwork, bot: Run) -> None:
    assert bot("random minimax --ladder daily --slots 3 --name ann --version 7").code == 0
    joins = [connection.calls[0] for connection in network.connections.values()]
    assert [(call[0], call[1], call[3]) for call in joins] == [("ladder_join", "daily", 3)] * 2
    assert {entry.info().version for entry in network.entries.values()} == {"7"}
    assert {entry.games for entry in network.entries.values()} == {("tic_tac_toe",)}


def test_one_program_comes_under_another_name(network: FakeNetwork, bot: Run) -> None:
    said = bot("random --as random-2 --ladder daily --name ann")
    assert list(network.connections) == ["random-2"]
    assert said.out.endswith("as ann/random-2\n")


def test_a_refused_join_ends_it_with_the_sentence(network: FakeNetwork, bot: Run) -> None:
    network.refuse.append(refusal(Code.LADDER_UNKNOWN, "no such ladder; there is weekly"))
    code, _, err = bot("random --ladder daily")
    assert (code, err) == (2, "plyhouse: no such ladder; there is weekly\n")


@pytest.mark.parametrize(("told", "code"), [(Code.LADDER_FINISHED, 0), (Code.LADDER_SUSPENDED, 1)])
def test_it_ends_with_its_ladder(
    network: FakeNetwork, bot: Run, caplog: pytest.LogCaptureFixture, told: Code, code: int
) -> None:
    network.told = LadderTold(ladder="daily", code=told, text="daily is over: all are played")
    assert bot("random --ladder daily").code == code
    assert network.connections["random"].verbs().count("close") == 2  # its own, and the pool's
    assert "random, ladder daily: daily is over: all are played" in caplog.text


def test_it_stays_for_invitations_where_it_was_told_to(network: FakeNetwork, bot: Run) -> None:
    network.told = LadderTold(ladder="daily", code=Code.LADDER_FINISHED, text="daily is over")
    assert bot("random --ladder daily --stay").code == 0
    assert network.connections["random"].verbs().count("close") == 1  # the pool's, at its end


STEERING = "\x1b]0;owned\x07\x9b31m\u202eann"  # a title, a colour, and from right to left


def test_a_server_writes_on_nobody_s_terminal(network: FakeNetwork, bot: Run) -> None:
    network.taken["ann"] = "x"
    network.refuse.append(refusal(Code.LADDER_UNKNOWN, STEERING))
    told = [bot("random --name", STEERING), bot("random --name bob --ladder daily")]
    for text in (*(each.out for each in told), *(each.err for each in told)):
        assert all(line.isprintable() for line in text.split("\n")), repr(text)
    assert "as ]0;owned31mann/random\n" in told[0].out


def test_what_bots_log_is_clean_and_has_its_traceback() -> None:
    try:
        raise ValueError(STEERING)
    except ValueError as error:
        about = (type(error), error, error.__traceback__)
    record = logging.LogRecord("x", logging.ERROR, "x", 1, "%s\nbob: hello", (STEERING,), about)
    formatter = output.CleanFormatter()
    first, *traceback = formatter.format(record).split("\n")
    assert first == "]0;owned31mann bob: hello"
    assert traceback[0].startswith("Traceback")
    assert all(line.isprintable() for line in traceback)
    assert formatter.format(record) == f"{first}: the same error as before"


def test_the_anchors_alone_are_the_houses(network: FakeNetwork, bot: Run) -> None:
    assert bot("--anchors").code == 0
    assert list(network.connections) == ["random"]
    assert network.names == {"house"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", "name a bot; there are"),
        ("deep", "no bot is called 'deep'; there are"),
        ("mcts mcts", "a bot can be named only once"),
        ("mcts --games chess", "no game is called 'chess'; there are"),
        ("mcts --slots 0", "--slots must be 1 to 1000, not 0"),
        ("mcts --level 9", "mcts has levels 1 to 8, not 9"),
        ("mcts --set exploration", "'exploration' is not a setting"),
        ("gammon --ladder daily", "daily is a ladder of tic_tac_toe; gammon plays backgammon"),
        ("random minimax --as both", "--as names one bot"),
        ("random --as a/b", "'a/b' is not a name for a program: use 1 to 24 letters"),
        ("random --version 1@2", "'1@2' is not a name for a version: use 1 to 24 letters"),
    ],
)
def test_wrong_words_are_answered_with_a_sentence(
    network: FakeNetwork, bot: Run, words: str, sentence: str
) -> None:
    code, _, err = bot(words)
    assert code == 2
    assert sentence in err
    assert network.connections == {}


@pytest.mark.parametrize(("chosen", "code", "names"), [("", 0, {"ann2"}), ("--name ann", 2, set())])
def test_only_a_name_that_nobody_chose_gives_way_to_the_suggested_one(
    network: FakeNetwork, bot: Run, monkeypatch: pytest.MonkeyPatch,
    chosen: str, code: int, names: set[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(pool.getpass, "getuser", lambda: "ann")
    network.taken["ann"] = "ann2"
    assert bot("random", chosen).code == code
    assert network.names == names


class Program:
    """`plyhouse bot` in a process of its own."""

    def __init__(self, url: str, tokens: Path, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "plyhouse", "bot", *words, "--url", url, "--token-file", tokens],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(servers.ROOT)},
        )

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    async def ready(self, bots: int = 2) -> list[str]:
        """The line that each says when it is there."""
        assert self.process.stdout is not None
        read = self.process.stdout.readline
        return [(await asyncio.to_thread(read)).strip() for _ in range(bots)]

    async def ended(self) -> tuple[int, str]:
        """Exit code and what it said on stderr, of one that was interrupted."""
        _, err = await asyncio.to_thread(self.process.communicate, timeout=60)
        return self.process.returncode, err


async def next_of(connection: Connection, kind: type[Any], fits: Any = lambda m: True) -> Any:
    async with asyncio.timeout(60):
        async for message in connection:
            if isinstance(message, kind) and fits(message):
                return message
    raise AssertionError("the connection ended")


@pytest.mark.socket
async def test_a_bot_is_invited_plays_finishes_on_ctrl_c_and_comes_back(tmp_path: Path) -> None:
    async with here(tmp_path) as server, connect(server.url, name="ann") as ann:
        words = ("mcts", "random", "--name", "carol", "--nodes", "50", "--seed", "1")
        with Program(server.url, tmp_path / "tokens.json", *words) as bots:
            assert await bots.ready() == [
                f"plyhouse: mcts is at {server.url} as carol/mcts",
                f"plyhouse: random is at {server.url} as carol/random",
            ]
            room = (await ann.create("tic_tac_toe")).room
            await ann.invite(room, "carol/mcts", Strength(level=2))
            await ann.ready(room)
            state = await next_of(ann, MatchState, lambda m: m.legal)
            await ann.play(state.match, state.turn, "1")
            state = await next_of(ann, MatchState, lambda m: m.legal)
            bots.process.send_signal(signal.SIGINT)
            while state.result is None:
                await ann.play(state.match, state.turn, state.legal[0])
                state = await next_of(ann, MatchState, lambda m: m.legal or m.result)
            await next_of(ann, RoomState, lambda m: m.seats[1] is None)
            code, said = await bots.ended()
            assert code == 0
            assert "finishing 1 match" in said

        with Program(server.url, tmp_path / "tokens.json", *words) as bots:
            assert (await bots.ready())[1].endswith("as carol/random")
            await ann.invite(room, "random", Strength(set={"depth": "3"}))
            no = await next_of(ann, Declined)
            assert "there is no setting 'depth'" in no.text
            bots.process.send_signal(signal.SIGINT)
            assert (await bots.ended())[0] == 0
