"""The one command: what it says to wrong arguments, and that it imports only what is needed."""

from __future__ import annotations

import argparse
import asyncio
import errno
import shutil
import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path

import pytest
from argcomplete.finders import CompletionFinder

import plyhouse
from bots import registry
from bots.commands import bot
from bots.roster import gnubg
from client.backoff import Backoff
from client.commands import completion
from protocol.shell.command_line import CommandLine

ROOT = Path(__file__).parent.parent


VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        ([], 0, tuple(plyhouse.COMMANDS)),
        (["--version"], 0, (f"plyhouse {VERSION}\n",)),
        *(
            (f"{name} --help".split(), 0, (f"plyhouse {name}", f"\n  plyhouse {name}"))
            for name in plyhouse.COMMANDS
        ),
    ],
    ids=str,
)
def test_it_explains_itself_and_its_commands_with_an_example_of_each(
    argv: list[str], code: int, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        plyhouse.main(argv)
    assert end.value.code == code
    text = capsys.readouterr()
    assert all(word in (text.err if code else text.out) for word in words)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("think connect_four --bot mcts 4 4", {"actions": ["4", "4"], "bot": "mcts"}),
        ("think connect_four 4 --bot mcts 4", {"actions": ["4", "4"], "bot": "mcts"}),
        ("think --seed 1 connect_four", {"game": "connect_four", "actions": []}),
        ("solve connect_four --no-book 4453", {"actions": ["4453"], "no_book": True}),
        ("bot mcts --slots 2 random", {"bots": ["mcts", "random"], "slots": 2}),
        ("match mcts --games 2 random flat", {"a": "mcts", "b": "random", "more": ["flat"]}),
        ("play --clock -5+3 connect_four", {"game": "connect_four", "clock": "-5+3"}),
        ("ladder list", {"what": "list", "ladder": None}),
    ],
)
def test_options_may_stand_anywhere(line: str, words: dict[str, object]) -> None:
    name = plyhouse._name(line.split())
    parser = CommandLine()
    plyhouse._fill(parser, plyhouse.COMMANDS[name])
    args = vars(parser.read(line.split()[len(name.split()) :]))
    assert {name: args[name] for name in words} == words


def test_what_makes_no_sense_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    for line in ("think", "play --clock", "match random --games x", "ladder lists", "admin kick"):
        with pytest.raises(SystemExit, match="2"):
            plyhouse.main(line.split())
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.count("\n") == 1
        assert said.err.endswith("--help` tells more\n")
    assert plyhouse.main(["--foo"]) == 2
    assert "there is no command '--foo'" in capsys.readouterr().err


def test_a_mistyped_command_is_answered_by_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert plyhouse.main(["paly", "connect_four"]) == 2
    assert "'paly'; did you mean `plyhouse play`?" in capsys.readouterr().err
    assert plyhouse.main(["xyz"]) == 2
    assert "did you mean" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "some"),
    [
        ("plyhouse pl", {"play "}),
        ("plyhouse think con", {"connect_four "}),
        ("plyhouse think tic_tac_toe --bot m", {"mcts", "minimax"}),
        ("plyhouse ladder ", {"join", "create", "status"}),
        ("plyhouse ladder join friday ga", {"gammon "}),
        ("plyhouse completion f", {"fish "}),
        ("plyhouse watch ", {"17", "18"}),
        ("plyhouse play connect_four --against ", {"mcts", "flat"}),
    ],
)
def test_a_shell_completes_commands_games_bots_and_rooms(
    line: str, some: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    offers = {"rooms": ["17", "18"], "bots": ["mcts", "flat"]}
    monkeypatch.setattr(completion, "server_offers", lambda address: offers)
    words = line.split(" ")
    finder = CompletionFinder(plyhouse.completing_parser(words[1:]))
    assert some <= set(finder._get_completions(words[:-1], words[-1], "", None))


def test_the_line_for_a_shell_runs_the_code_that_registers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert plyhouse.main(["completion", "bash"]) == 0
    assert capsys.readouterr().out.endswith('completion bash --code)"\n')
    for shell in completion.SHELLS:
        assert plyhouse.main(["completion", shell, "--code"]) == 0
        assert "plyhouse" in capsys.readouterr().out


def test_only_the_app_that_was_asked_for_is_imported() -> None:
    code = "import atexit, plyhouse, sys; atexit.register(lambda: print(*sys.modules)); "
    code += "plyhouse.main(['serve', '--help'])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "server.app" in loaded
    assert not {"bots", "client", "lab", "numba", "rich", "prompt_toolkit"} & loaded


def test_the_house_offers_every_bot_of_the_roster() -> None:
    roster = {path.stem for path in (ROOT / "bots" / "roster").glob("[a-z]*.py")}
    assert set(plyhouse.HOUSE_BOTS.split(",")) == roster & set(registry.own_names())


def test_a_bot_whose_engine_is_missing_says_so_and_stays_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = "GNU Backgammon is not installed (apt-get install gnubg)"
    monkeypatch.setattr(gnubg.GnuBackgammon, "missing", lambda: sentence)
    assert "gnubg (not installed)" in registry.described()
    for words in ("match gnubg random --game backgammon", "bot gnubg", "up --bots random,gnubg"):
        assert plyhouse.main([*words.split()]) == 2
        assert capsys.readouterr().err == f"plyhouse: gnubg: {sentence}\n"


def test_who_stops_reading_early_sees_no_error() -> None:
    command = [sys.executable, "plyhouse.py", "solve", "tic_tac_toe"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(60) == 141
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_an_installed_plyhouse_says_where_the_measurements_are(tmp_path: Path) -> None:
    installed = shutil.copy(ROOT / "plyhouse.py", tmp_path)
    shutil.copytree(ROOT / "protocol", tmp_path / "protocol")
    done = subprocess.run(
        [sys.executable, "-S", installed, "bench", "server"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "plyhouse: `bench` comes with the source tree only\n"


def test_a_ladder_is_joined_by_the_bots_own_command() -> None:
    parser = argparse.ArgumentParser()
    bot.add_join_arguments(parser)
    args = parser.parse_args(["daily", "--slots", "3", "mcts", "random"])
    assert (args.ladder, args.bots, args.slots) == ("daily", ["mcts", "random"], 3)
    assert plyhouse.COMMANDS["ladder join"].run == plyhouse.COMMANDS["bot"].run


async def test_the_pause_before_the_bots_start_again_shrinks_after_a_steady_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each run of the bots takes as long as `lasts` says; pauses take no time."""
    lasts, pauses, clock = [0.0, 5.0, 59.0, 60.0, 1.0], [], [0.0]

    class Child:
        async def wait(self) -> int:
            clock[0] += lasts.pop(0) if lasts else 0.0
            return 1 if len(pauses) < 5 else 2

    async def start(*command: str, **how: object) -> Child:
        return Child()

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start)
    fake = partial(Backoff, jitter=lambda: 0.0, sleep=sleep, now=lambda: clock[0])
    monkeypatch.setattr("client.backoff.Backoff", fake)
    await plyhouse._keep_bots("ws://here", ["random"], tmp_path)
    assert pauses == [1.0, 2.0, 4.0, 1.0, 2.0]


async def test_bots_that_cannot_be_started_just_now_are_started_later(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    starts: list[object] = []

    class Child:
        async def wait(self) -> int:
            return 2  # wrong arguments

    async def start(*command: str, **how: object) -> Child:
        starts.append(command)
        if len(starts) == 1:
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        return Child()

    async def sleep(seconds: float) -> None:
        """No time passes."""

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start)
    monkeypatch.setattr("client.backoff.Backoff", partial(Backoff, sleep=sleep))
    await plyhouse._keep_bots("ws://here", ["random"], tmp_path)
    assert len(starts) == 2
    assert "the bots could not be started (Resource temporarily" in capsys.readouterr().out


def test_up_tells_the_server_which_bots_it_brings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told: list[object] = []

    def run(args: object, page: object, companion: object, programs: object, again: bool) -> int:
        told.append(programs)
        return 0

    monkeypatch.setattr("server.app.run", run)
    assert plyhouse.main(["up", "--bots", "random, mcts", "--data", str(tmp_path)]) == 0
    assert told == [["random", "mcts"]]
