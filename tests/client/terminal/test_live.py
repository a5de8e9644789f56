"""The terminal at a real server with a real bot: in a pipe, and where pexpect types."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

pytestmark = pytest.mark.socket
ROOT = Path(__file__).parents[3]
PLYHOUSE = [sys.executable, str(ROOT / "plyhouse.py")]


class Server:
    """`plyhouse serve` as a process, on a free port, or on the one it had before."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.port = "0"
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [*PLYHOUSE, "serve", "--port", self.port, "--data", str(self.data)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.port = self.process.stdout.readline().strip().rpartition(":")[2]

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(how)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.process.wait(timeout=10)

    @property
    def url(self) -> str:
        return f"127.0.0.1:{self.port}"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the bot `random`."""
    home = tmp_path_factory.mktemp("house")
    made = Server(home)
    words = ["bot", "random", "--name", "house", "--slots", "9", "--url", made.url, "--quiet"]
    bot = subprocess.Popen(
        [*PLYHOUSE, *words],
        env={**os.environ, "XDG_DATA_HOME": str(home), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert bot.stdout is not None
    assert " is at " in bot.stdout.readline()
    yield made
    bot.kill()  # asked to end, it would first play to the end
    bot.stdout.close()
    bot.wait(timeout=10)
    made.stop()


def person(home: Path, name: str) -> dict[str, str]:
    """The environment of somebody with this login."""
    terminal = {"TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1", "LOGNAME": name}
    return {**os.environ, **terminal, "XDG_DATA_HOME": str(home)}


@pytest.fixture
def pipe(server: Server, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command without a terminal, with `lines` as its input."""

    def run(*words: str, lines: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*PLYHOUSE, *words, "--url", server.url],
            input=lines,
            env=person(tmp_path, "ada"),
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

    return run


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., pexpect.spawn[str]]]:
    """Run a command in a terminal of 24 x 80."""
    opened: list[pexpect.spawn[str]] = []

    def run(*words: str, name: str = "ada") -> pexpect.spawn[str]:
        child: pexpect.spawn[str] = pexpect.spawn(
            PLYHOUSE[0],
            [PLYHOUSE[1], *words],
            env=person(tmp_path / name, name),  # type: ignore[arg-type]  # any mapping does
            dimensions=(24, 80),
            encoding="utf-8",
            timeout=15,
        )
        opened.append(child)
        return child

    yield run
    for child in opened:
        child.close(force=True)


Pipe = Callable[..., "subprocess.CompletedProcess[str]"]
Terminal = Callable[..., "pexpect.spawn[str]"]


def ended(child: pexpect.spawn[str]) -> int | None:
    """The exit code of a child that has ended by itself."""
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus


# ---- pipes


def test_a_whole_match_comes_from_a_pipe(pipe: Pipe) -> None:
    cells = "\n".join("123456789" * 2)
    done = pipe("play", "tic_tac_toe", "--against", "random", lines=f"{cells}\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Match " in done.stdout
    assert "begins: you are X, random is O." in done.stdout
    assert "  1. X 1\n" in done.stdout
    assert any(
        end in done.stdout for end in ("You win: line.", "random wins: line.", "A draw: full.")
    )
    assert "\x1b" not in done.stdout


@pytest.mark.slow
def test_the_end_of_the_input_gives_the_match_up(pipe: Pipe) -> None:
    done = pipe("play", "connect_four", "--against", "random", lines="4\n3\n")
    assert done.returncode == 0
    assert done.stdout.endswith("You resign: random wins.\n")
    done = pipe("play", "connect_four", "--against", "random")
    assert done.stdout.endswith("The match was aborted.\n")
    assert "ada" not in pipe("rooms").stdout


def test_rooms_lists_what_is_there(pipe: Pipe) -> None:
    assert "house/random" in pipe("rooms").stdout
    found = json.loads(pipe("rooms", "--json").stdout)
    assert [bot["program"] for bot in found["bots"]] == ["random"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("play chess", "no game is called 'chess' here, there are backgammon, connect_four"),
        ("play tic_tac_toe --against deep", "bots that are: random"),
        ("play --join 99", "there is no room 99"),
        ("play --name a/b", "a name holds no '/'"),
        ("watch 99", "there is no room 99"),
    ],
)
def test_what_is_asked_wrongly_is_one_sentence(pipe: Pipe, words: str, sentence: str) -> None:
    done = pipe(*words.split())
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("plyhouse: ")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_reader_who_goes_is_no_error(server: Server, tmp_path: Path) -> None:
    words = [*PLYHOUSE, "play", "tic_tac_toe", "--against", "random", "--url", server.url]
    child = subprocess.Popen(
        words,
        env=person(tmp_path, "eve"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdout.close()
    _, err = child.communicate(b"5\n", timeout=30)
    assert (child.returncode, err) == (0, b"")


# ---- terminals


def test_a_person_plays_talks_errs_and_quits(server: Server, terminal: Terminal) -> None:
    eva = terminal("play", "tic_tac_toe", "--against", "random", "--url", server.url, name="eva")
    eva.expect("begins: you are X, random is O")
    eva.expect("Your turn, X")
    eva.send('"hello there\r')
    eva.expect("<eva> .*hello there")
    eva.send("/rezign\r")
    eva.expect(r"did you mean /resign\?")
    eva.send("5\r")
    eva.expect("2[.]")  # the bot has answered
    eva.send("\x03")
    eva.expect("is still on")
    eva.send("\x03")
    eva.expect("You resign: random wins")
    assert ended(eva) == 0


def test_two_people_meet_by_a_code(server: Server, terminal: Terminal) -> None:
    dan = terminal(
        "play", "tic_tac_toe", "--private", "--url", server.url, "--encoding", "json", name="dan"
    )
    dan.expect("play --join ([A-Z0-9]{6})")
    bob = terminal("play", "--join", str(dan.match[1]), "--url", server.url, name="bob")  # type: ignore[index]
    bob.expect("Waiting for dan to be ready")
    dan.expect("bob is ready")
    dan.send("/ready\r")
    dan.expect("begins: you are X, bob is O")
    bob.expect("begins: dan is X, you are O")
    dan.send("5\r")
    bob.expect("Your turn, O")
    bob.send("/draw\r")
    dan.expect("bob offers a draw")
    dan.send("/accept\r")
    bob.send("\x04")
    bob.expect("A draw, by agreement")
    assert ended(bob) == 0
    dan.expect("bob got up")
    dan.send("/quit\r")
    assert ended(dan) == 0


@pytest.mark.slow
def test_the_same_login_is_the_same_person_again(server: Server, terminal: Terminal) -> None:
    for name in ("zoe", "zoe"):
        zoe = terminal("play", "--url", server.url, name=name)
        zoe.expect("zoe at 127")
        zoe.send("\x04")
        assert ended(zoe) == 0


@pytest.mark.slow
def test_another_of_the_same_name_gets_a_name_near_it(server: Server, terminal: Terminal) -> None:
    one = terminal("play", "--url", server.url, name="max")
    one.expect("max at 127")
    two = terminal("play", "--url", server.url, "--name", "max", name="other")
    two.expect("max is taken here; you are max-2")
    two.expect("max-2 at 127")
    two.send("/name mux\r")
    two.expect("mux at 127")
    for child in (one, two):
        child.send("\x04")
        assert ended(child) == 0


def test_a_match_outlives_the_terminal(server: Server, terminal: Terminal) -> None:
    words = ("play", "connect_four", "--against", "random", "--url", server.url)
    one = terminal(*words, name="kim")
    one.expect("Your turn, X")
    one.kill(signal.SIGHUP)
    assert ended(one) == 0
    two = terminal(*words, name="kim")
    two.expect("You are back at your table")
    two.send("\x03\x03")
    two.expect("The match was aborted")
    assert ended(two) == 0


def test_ctrl_c_in_a_pipe_gives_the_match_up(server: Server, tmp_path: Path) -> None:
    child = subprocess.Popen(
        [*PLYHOUSE, "play", "connect_four", "--against", "random", "--url", server.url],
        env=person(tmp_path, "lea"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    for text in child.stdout:
        if text.startswith("Your turn"):
            break
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=30)
    assert (child.returncode, out.splitlines()[-1]) == (130, "The match was aborted.")


@pytest.mark.slow
def test_a_server_that_was_killed_is_found_again(tmp_path: Path, terminal: Terminal) -> None:
    made = Server(tmp_path / "data")
    try:
        ada = terminal("play", "connect_four", "--url", made.url)
        ada.expect("room 1, public")
        made.stop(signal.SIGKILL)
        ada.expect("Lost the connection to 127.0.0.1")
        made.start()
        ada.expect("Back[.]")
        ada.send("\x03")
        assert ended(ada) == 0
    finally:
        made.stop()
