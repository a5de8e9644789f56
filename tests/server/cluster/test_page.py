"""docs/cluster.md: the command takes every `plyhouse` line of it; and servers beside the first."""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import plyhouse
from server.admin.token import FILE, keep_token, read_token
from server.cluster import siblings

PAGE = (Path(__file__).parents[3] / "docs" / "cluster.md").read_text("utf-8")


def lines() -> list[list[str]]:
    """The commands of the page's fences."""
    fences = "".join(re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
    joined = re.sub(r"\\\n\s*", "", fences).splitlines()
    return [shlex.split(line, comments=True) for line in joined if line.startswith("plyhouse ")]


def parsed(words: list[str]) -> argparse.Namespace:
    """A command line, as the command takes it."""
    parser = argparse.ArgumentParser(exit_on_error=False)
    plyhouse._function(plyhouse.COMMANDS[words[1]].add_arguments)(parser)
    return parser.parse_args(words[2:])


@pytest.mark.parametrize("words", lines(), ids=" ".join)
def test_the_command_takes_every_line(words: list[str]) -> None:
    args = parsed(words)
    assert args.server if words[1] == "admin" else args.database


def test_the_servers_beside_the_first_have_the_ports_behind_it(tmp_path: Path) -> None:
    args = parsed([*next(words for words in lines() if "--servers" in words), "--log", "json"])
    commands = siblings.prepare(args, tmp_path)
    assert commands is not None
    assert args.advertise == "127.0.0.1:8765"
    others = [parsed(["plyhouse", *words]) for words in commands]
    assert [other.port for other in others] == [8766, 8767]
    assert [other.advertise for other in others] == ["127.0.0.1:8766", "127.0.0.1:8767"]
    assert {other.secret for other in others} == {tmp_path / "cluster.secret"}
    assert len({other.data for other in others}) == 2
    assert {other.log for other in others} == {"json"}


async def test_a_server_beside_the_first_is_started_again_and_ends_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The program that stands in for a server says that it began, and as it ends."""
    program, began, over = tmp_path / "serve.py", tmp_path / "began", tmp_path / "over"
    program.write_text(
        "import pathlib, sys\n"
        f"pathlib.Path({str(began)!r}).write_text(' '.join(sys.argv[1:]))\n"
        "sys.stdin.read()\n"
        f"pathlib.Path({str(over)!r}).touch()\n"
    )
    start, fails = asyncio.create_subprocess_exec, [OSError(11, "Try again")]
    children: list[asyncio.subprocess.Process] = []

    async def start_at_the_second_time(*words: str, **how: Any) -> asyncio.subprocess.Process:
        if fails:
            raise fails.pop()
        children.append(await start(*words, **how))
        return children[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start_at_the_second_time)
    monkeypatch.setattr(siblings, "PAUSE_S", (0.0, 0.0))
    keeping = asyncio.ensure_future(siblings._keep(str(program), ["serve", "--port", "8766"]))
    async with asyncio.timeout(20):
        while not (began.exists() and began.read_text()):  # noqa: ASYNC110  (nobody tells)
            await asyncio.sleep(0.005)
        assert began.read_text() == "serve --port 8766 --until-eof"
        assert "the server at port 8766 could not be started: Try again" in capsys.readouterr().err
        standard_input = children[0].stdin
        assert standard_input is not None
        standard_input.close()  # as if the first server was killed
        while not over.exists():  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        keeping.cancel()
        await asyncio.wait([keeping])


async def test_the_servers_beside_the_first_are_kept_while_that_is_started_anew(
    tmp_path: Path,
) -> None:
    token, program, began = "t" * 43, tmp_path / "serve.py", tmp_path / "began"
    keep_token(tmp_path, token, "http://127.0.0.1:8765")
    program.write_text(
        "import os, pathlib, sys\n"
        f"pathlib.Path({str(began)!r}).write_text(str(os.getpid()))\n"
        "sys.stdin.read()\n"
    )
    words = ["serve", "--port", "8766", "--data", str(tmp_path / "server-2")]
    with siblings.Siblings(str(program), [words]) as beside:
        for _ in range(2):
            beside.begin(tmp_path)
        async with asyncio.timeout(20):
            while not (began.exists() and began.read_text()):  # noqa: ASYNC110  (nobody tells)
                await asyncio.sleep(0.005)
        assert read_token(tmp_path / "server-2" / FILE).token == token
    with pytest.raises(ProcessLookupError):
        os.kill(int(began.read_text()), 0)


@pytest.mark.parametrize("what", ["server", "bots"])
async def test_keeping_a_process_that_has_just_ended_by_itself_ends_when_told_to(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, what: str
) -> None:
    waited_for = asyncio.Event()

    class Ended:
        """A process whose end is not told yet, as asyncio has them for a moment."""

        async def wait(self) -> int:
            if not waited_for.is_set():
                waited_for.set()
                await asyncio.Event().wait()
            return 0

        def terminate(self) -> None:
            raise ProcessLookupError

        kill, stderr = terminate, None

    async def start(*_: str, **__: Any) -> Ended:
        return Ended()

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start)
    keep = {
        "server": siblings._keep("serve.py", ["serve", "--port", "8766"]),
        "bots": plyhouse._keep_bots("ws://here", ["random"], tmp_path),
    }
    keeping = asyncio.ensure_future(keep.pop(what))
    for other in keep.values():
        other.close()
    await waited_for.wait()
    keeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(keeping, 20)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("--servers 3", "--servers goes with --database"),
        ("--servers 99 --database postgresql://h/d", "--servers is 2 to 16"),
        ("--servers 3 --port 0 --database postgresql://h/d", "--servers needs a --port"),
        ("--servers 3 --host 0.0.0.0 --database postgresql://h/d", "needs --advertise"),
    ],
)
def test_what_does_not_go_together_is_said_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: str, why: str
) -> None:
    assert siblings.prepare(parsed(["plyhouse", "up", *words.split()]), tmp_path) is None
    assert why in capsys.readouterr().err
