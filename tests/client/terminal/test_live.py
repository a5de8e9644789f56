"""The terminal at a real server with a real bot: in a pipe, and where pexpect types."""

from __future__ import annotations

import os
import signal
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pexpect
import pytest

from client.commands import completion
from lab.arena.local_server import ServerProcess
from tests.support.command import Run
from tests.support.playing_by_eye import is_settled, play_to_the_end
from tests.support.screen import Size, window
from tests.support.terminal import PLYHOUSE, environment, exit_code, in_terminal

pytestmark = pytest.mark.socket
Pipe = Callable[..., "subprocess.CompletedProcess[str]"]
Terminal = Callable[..., "pexpect.spawn[str]"]
AGAINST_RANDOM = ("play", "tic_tac_toe", "--against", "random")


@pytest.fixture
def pipe(server: ServerProcess, tmp_path: Path) -> Pipe:
    """Run a command without a terminal, with `lines` as its input."""

    def run(*words: str, lines: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*PLYHOUSE, *words, "--url", server.url],
            input=lines,
            env=environment(tmp_path),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def terminal(server: ServerProcess, tmp_path: Path) -> Iterator[Terminal]:
    """Run a command in a terminal, for somebody with this login."""
    with ExitStack() as opened:
        yield lambda *words, name: opened.enter_context(
            in_terminal(tmp_path / name, *words, "--url", server.url, name=name)
        )


def test_a_whole_match_comes_from_a_pipe(pipe: Pipe) -> None:
    cells = "\n".join("123456789" * 2)
    done = pipe(*AGAINST_RANDOM, lines=f"{cells}\n")
    assert done.stderr == ""
    assert "begins: you are X, random is O.\n" in done.stdout
    assert "  1. X 1\n" in done.stdout
    codes = {
        "You won: three in a row.": 0,
        "You lost: three in a row for random.": 4,
        "A draw: the board is full.": 5,
    }
    assert [code for end, code in codes.items() if end in done.stdout] == [done.returncode]
    assert "No match is on" not in done.stdout, "the cells that are left need no answer"
    assert "\x1b" not in done.stdout


def test_what_is_there_is_listed_and_what_is_not_is_one_sentence(
    server: ServerProcess, plyhouse_main: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = ("--url", server.url)
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        assert "house/random" in plyhouse_main("rooms", *at).out
        found = plyhouse_main("rooms --json", *at).json()
        assert [bot["program"] for bot in found["bots"]] == ["random"]
        for words, sentence in (
            ("play tic_tac_toe --against deep", "bots that are: random"),
            ("play --name a/b", "a name holds no '/'"),
            ("watch 99", "there is no room 99"),
        ):
            plyhouse_main(words, *at).refuses("plyhouse: ", sentence)


def test_a_shell_is_offered_what_the_server_has(
    server: ServerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    offers = completion.server_offers(server.url)
    assert offers["bots"] == ["random"]
    assert set(offers) == {"rooms", "matches", "bots", "ladders"}
    assert completion.server_offers("127.0.0.1:1") == {}
    monkeypatch.setattr(completion, "_ask", None)
    assert completion.server_offers(server.url) == offers, "a second press asks nobody"


def test_a_reader_who_goes_is_no_error(server: ServerProcess, tmp_path: Path) -> None:
    child = subprocess.Popen(
        [*PLYHOUSE, *AGAINST_RANDOM, "--url", server.url],
        env=environment(tmp_path, "eve"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None
    child.stdout.close()
    _, err = child.communicate(b"5\n", timeout=60)
    assert (child.returncode, err) == (141, b"")


def test_a_person_plays_talks_errs_and_quits(terminal: Terminal) -> None:
    eva = terminal(*AGAINST_RANDOM, name="eva")
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
    eva.expect("You resigned: random won")
    assert exit_code(eva) == 0


def test_a_small_window_shows_all_that_a_whole_match_needs(
    server: ServerProcess, tmp_path: Path
) -> None:
    words = [*AGAINST_RANDOM, "--url", server.url]
    with window(tmp_path, Size(60, 20), *words, name="zoe") as opened:
        opened.until(lambda: is_settled(opened))
        end = play_to_the_end(opened, "tic_tac_toe", "zoe")
        assert end in (
            "You won: three in a row.",
            "You lost: three in a row for random.",
            "A draw: the board is full.",
        )
        opened.press("\x04")
        opened.until_the_end()
        assert opened.shows("^Tic-tac-toe"), "the last board stays, with its title"
        assert exit_code(opened.child) == 0


def test_two_people_meet_by_a_code(terminal: Terminal) -> None:
    dan = terminal("play", "tic_tac_toe", "--private", "--encoding", "json", name="dan")
    dan.expect("play --join ([A-Z0-9]{6})")
    code = str(dan.match[1])  # type: ignore[index]
    dan.expect(f"#code={code}")
    bob = terminal("play", "--join", code, name="bob")
    dan.expect("begins: you are X, bob is O")
    bob.expect("begins: dan is X, you are O")
    dan.send("5\r")
    bob.expect("Your turn, O")
    bob.send("/draw\r")
    bob.expect("the same again does it")
    bob.send("/draw\r")
    dan.expect("bob offers a draw")
    dan.send("/accept\r")
    bob.expect("A draw, by agreement")
    bob.send("\x04")
    assert exit_code(bob) == 0
    dan.expect("bob got up")
    dan.send("/quit\r")
    assert exit_code(dan) == 0


@pytest.mark.slow
def test_another_of_the_same_name_gets_a_name_near_it(
    terminal: Terminal, server: ServerProcess
) -> None:
    one = terminal("play", name="max")
    one.expect("max at 127")
    two = terminal("play", "--url", server.url, "--name", "max", name="other")
    two.expect("max is taken here; you are max-2")
    two.expect("max-2 at 127")
    two.send("/name mux\r")
    two.expect("mux at 127")
    for child in (one, two):
        child.send("\x04")
        assert exit_code(child) == 0


def test_a_match_outlives_the_terminal(terminal: Terminal) -> None:
    words = ("play", "connect_four", "--against", "random")
    one = terminal(*words, name="kim")
    one.expect("Your turn, X")
    one.kill(signal.SIGHUP)
    assert exit_code(one) == 0
    two = terminal(*words, name="kim")
    two.expect("You are back in your room")
    two.send("\x03\x03")
    two.expect("Called off")
    assert exit_code(two) == 0


def test_ctrl_z_gives_the_shell_its_terminal_and_a_stopped_match_ends_with_it(
    server: ServerProcess, tmp_path: Path
) -> None:
    """Where it goes on it draws again; the keys are still its own, and so is the end."""
    shell: pexpect.spawn[str] = pexpect.spawn(
        "bash",
        ["--norc", "-i"],
        env=environment(tmp_path, "pia"),  # type: ignore[arg-type]  # any mapping does
        dimensions=(24, 80),
        encoding="utf-8",
        timeout=15,
    )
    shell.sendline(" ".join([*PLYHOUSE, *AGAINST_RANDOM, "--url", server.url]))
    shell.expect("Your turn, X")
    program = os.tcgetpgrp(shell.child_fd)
    for stop in ("ctrl-z", signal.SIGTSTP, signal.SIGSTOP):
        if isinstance(stop, str):
            shell.send("\x1a")
        else:
            os.kill(program, stop)
        shell.expect("Stopped")
        shell.sendline("fg")
        shell.expect("Your turn, X")
        line_mode = termios.tcgetattr(shell.child_fd)[3] & (termios.ICANON | termios.ECHO)
        assert not line_mode, stop
    shell.send("5\r")
    shell.expect("2[.]")
    shell.send("\x1a")
    shell.expect("Stopped")
    shell.kill(signal.SIGKILL)  # the system sends SIGHUP and SIGCONT to what it leaves
    shell.close(force=True)
    deadline = time.monotonic() + 30
    while Path(f"/proc/{program}/cmdline").exists():
        if time.monotonic() > deadline:
            os.kill(program, signal.SIGKILL)
            pytest.fail("it waits in a terminal that is gone")
        time.sleep(0.02)


def test_ctrl_c_in_a_pipe_gives_the_match_up(server: ServerProcess, tmp_path: Path) -> None:
    """Its input stays open: where that ends, the match would be given up for another reason."""
    with subprocess.Popen(
        [*PLYHOUSE, "play", "connect_four", "--against", "random", "--url", server.url],
        env=environment(tmp_path, "lea"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        late = threading.Timer(30, child.kill)
        late.start()
        for text in child.stdout:
            if text.startswith("Your turn"):
                child.send_signal(signal.SIGINT)
        code = child.wait()
        late.cancel()
    assert (code, text) == (130, "Called off: nobody won.\n")
