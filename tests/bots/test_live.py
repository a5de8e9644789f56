"""Bots at a real server, started as `plyhouse serve` in a process of its own."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bots import app, local_server, versus
from bots.local_server import LocalServer, ServerFailed
from client.connection import Connection, connect
from protocol.messages import ClockOptions, MatchState, RoomState, Said, Strength

pytestmark = pytest.mark.socket
EXTRA = str(Path(__file__).parents[1] / "extra_games")


def match(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run `plyhouse match` here; exit code, stdout, stderr."""
    parser = argparse.ArgumentParser()
    versus.add_arguments(parser)
    code = versus.run(parser.parse_args(words))
    out, err = capsys.readouterr()
    return code, out, err


def test_a_duel_swaps_seats_and_counts(capsys: pytest.CaptureFixture[str]) -> None:
    words = "mcts random --game connect_four --games 4 --nodes 60 --seed 5 --json"
    code, out, err = match(capsys, *words.split(), "--a-set", "proofs=off")
    found: dict[str, Any] = json.loads(out)
    assert (code, err) == (0, "")
    assert [row["seat"] for row in found["records"]] == [0, 1, 0, 1]
    assert found["wins"] + found["draws"] + found["losses"] == 4
    assert found["wins"] >= 3
    assert found["sides"][0]["nodes"] == 60 * found["sides"][0]["choices"]
    assert found["sides"][0]["choices"] + found["sides"][1]["choices"] == found["plies"]
    assert len({row["a_seed"] for row in found["records"]}) == 4


@pytest.mark.slow
def test_the_same_seed_plays_the_same_matches(capsys: pytest.CaptureFixture[str]) -> None:
    words = "mcts mcts --games 3 --nodes 40 --b-nodes 20 --seed 5 --csv --a-set playouts=2"
    runs = [match(capsys, *words.split(), "--concurrency", "2")[1] for _ in range(2)]
    lines = [sorted(line.split(",")[-1] for line in run.splitlines()) for run in runs]
    assert lines[0] == lines[1]
    assert len(lines[0]) == 4


def test_dice_and_boards_are_shown_and_a_pipe_gets_plain_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLYHOUSE_GAMES", EXTRA)
    words = "minimax random --game pebbles --games 2 --nodes 30 --clock 60+1 --show"
    code, out, err = match(capsys, *words.split())
    assert code == 0
    assert out.startswith("match 1, ply 2: dice ")
    assert "match 2, ply" in out
    assert "a match" in out.splitlines()[-1]
    assert err.splitlines()[0].startswith("1/2 ")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("deep mcts", "no bot is called 'deep'; there are"),
        ("mcts mcts --game chess", "no game is called 'chess'; there are"),
        ("mcts mcts --nodes -1", "nodes must be 1 or more, not -1"),
        ("mcts mcts --games 0", "--games must be 1 or more, not 0"),
        ("mcts random --b-set depth=1", "random: there is no setting 'depth'"),
        (
            "mcts minimax --set exploration=x",
            "exploration=x is not possible: it takes 0.0",
        ),
        ("mcts minimax --set colour=red", "there is no setting 'colour'"),
        ("mcts mcts --clock soon", "'soon' is no clock"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(
    capsys: pytest.CaptureFixture[str], words: str, sentence: str
) -> None:
    code, out, err = match(capsys, *words.split())
    assert (code, out) == (2, "")
    assert err.startswith("plyhouse: ")
    assert sentence in err
    assert err.count("\n") == 1


def test_a_crashing_bot_loses_its_matches_and_the_duel_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fragile.py").write_text(
        "from bots.bot import Bot\n"
        "class Fragile(Bot):\n"
        "    def think(self, position, nodes, stop):\n"
        "        raise RuntimeError('out of ideas')\n"
        "BOT = Fragile\n"
    )
    monkeypatch.setenv("PLYHOUSE_BOTS", str(tmp_path))
    code, out, _ = match(capsys, "fragile", "random", "--games", "2", "--json")
    assert code == 1
    assert [row["how"] for row in json.loads(out)["records"]] == ["crash", "crash"]
    assert json.loads(out)["losses"] == 2


async def test_a_server_that_does_not_start_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_server, "SETTINGS", ("no_such_limit=1",))
    with pytest.raises(ServerFailed, match="no setting is called 'no_such_limit'"):
        async with LocalServer():
            pass


# ---------------------------------------------------------------- plyhouse bot


class Program:
    """`plyhouse bot` in a process of its own."""

    def __init__(self, url: str, tokens: Path, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "plyhouse", "bot", *words, "--url", url, "--token-file", tokens],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(local_server.ROOT)},
        )

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def ready(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def wait(self) -> tuple[int, str]:
        """Exit code and what it said on stderr."""
        _, err = self.process.communicate(timeout=20)
        return self.process.returncode, err


async def next_of(house: Connection, kind: type[Any], fits: Any = lambda m: True) -> Any:
    async with asyncio.timeout(15):
        async for message in house:
            if isinstance(message, kind) and fits(message):
                return message
    raise AssertionError("the connection ended")


async def test_a_bot_is_invited_plays_finishes_on_ctrl_c_and_comes_back(tmp_path: Path) -> None:
    async with LocalServer() as server, connect(server.url, name="ann") as ann:
        words = ("mcts", "random", "--name", "carol", "--nodes", "50", "--seed", "1")
        with Program(server.url, tmp_path / "tokens.json", *words) as bots:
            lines = [await asyncio.to_thread(bots.ready) for _ in range(2)]
            assert lines == [
                f"plyhouse: mcts is at {server.url} as carol/mcts",
                f"plyhouse: random is at {server.url} as carol/random",
            ]
            room = (await ann.create("tic_tac_toe")).room
            await ann.invite(room, "carol/mcts", Strength(level=2))
            await ann.ready(room)
            state = await next_of(ann, MatchState, lambda m: m.legal)
            await ann.play(state.match, state.turn, "1")
            state = await next_of(ann, MatchState, lambda m: m.legal)
            bots.interrupt()
            while state.result is None:
                await ann.play(state.match, state.turn, state.legal[0])
                state = await next_of(ann, MatchState, lambda m: m.legal or m.result)
            await next_of(ann, RoomState, lambda m: m.seats[1] is None)
            code, said = await asyncio.to_thread(bots.wait)
            assert code == 0
            assert "finishing 1 match" in said

        with Program(server.url, tmp_path / "tokens.json", *words) as bots:
            lines = [await asyncio.to_thread(bots.ready) for _ in range(2)]
            assert lines[1].endswith("as carol/random")
            await ann.invite(room, "random", Strength(set={"depth": "3"}))
            said_in_room = await next_of(ann, Said)
            assert "there is no setting 'depth'" in said_in_room.text
            bots.interrupt()
            assert (await asyncio.to_thread(bots.wait))[0] == 0


@pytest.mark.slow
async def test_a_bot_that_was_killed_takes_up_its_match_again(tmp_path: Path) -> None:
    async with LocalServer() as server, connect(server.url, name="ann") as ann:
        words = ("mcts", "--name", "carol", "--nodes", "50")
        with Program(server.url, tmp_path / "tokens.json", *words) as bot:
            await asyncio.to_thread(bot.ready)
            room = (await ann.create("tic_tac_toe")).room
            await ann.invite(room, "mcts")
            await ann.ready(room)
            first = await next_of(ann, MatchState, lambda m: m.legal)
        await ann.play(first.match, first.turn, "5")
        with Program(server.url, tmp_path / "tokens.json", *words) as heir:
            state = await next_of(ann, MatchState, lambda m: m.legal and m.turn > first.turn)
            assert state.events[-1].seat == 1
            heir.interrupt()
            await asyncio.sleep(0.05)
            heir.interrupt()
            over = await next_of(ann, MatchState, lambda m: m.result)
            assert (over.result.winner, over.result.how) == (0, "resign")
            assert (await asyncio.to_thread(heir.wait))[0] == 0


@pytest.mark.slow
async def test_a_match_that_is_over_is_gone_through_for_whoever_asks(tmp_path: Path) -> None:
    async with LocalServer() as server, connect(server.url, name="ann") as ann:
        words = ("solver", "random", "--name", "carol")
        with Program(server.url, tmp_path / "tokens.json", *words) as bots:
            for _ in range(2):
                await asyncio.to_thread(bots.ready)
            room = (await ann.create("tic_tac_toe")).room
            await ann.invite(room, "random")
            await ann.ready(room)
            state = await next_of(ann, MatchState, lambda m: m.legal)
            await ann.play(state.match, state.turn, "5")
            await next_of(ann, MatchState, lambda m: m.legal)
            await ann.resign(state.match)
            async with connect(server.url, name="eve", text=True) as eve:
                told = await eve.analyse(state.match)
                [line] = [bot for bot in (await eve.lobby()).bots if bot.analyses]
        assert (told.match, told.bot, told.analysis.by) == (state.match, "carol/solver", "solver")
        assert (line.program, line.analyses) == ("solver", ["connect_four", "tic_tac_toe"])
        first, second = told.analysis.plays
        assert (first.action, first.loss, first.blunder) == ("5", 0.0, False)
        assert second.blunder == (second.action in "2468")


@pytest.mark.slow
async def test_a_name_that_somebody_else_has_is_refused_with_a_sentence(tmp_path: Path) -> None:
    async with LocalServer() as server, connect(server.url, name="ann"):
        with Program(server.url, tmp_path / "tokens.json", "mcts", "--name", "ann") as bot:
            code, said = await asyncio.to_thread(bot.wait)
        assert code == 2
        assert said.splitlines()[-1].startswith("plyhouse: ")
        assert "ann" in said
        assert "Traceback" not in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("solver --ladder dice", "dice is of backgammon; solver plays connect_four, tic_tac_toe"),
        ("random --ladder none", "there is no ladder called 'none'; there are: dice"),
    ],
)
async def test_a_bot_that_a_ladder_has_no_use_for_hears_it_before_it_compiles(
    tmp_path: Path, words: str, sentence: str
) -> None:
    async with LocalServer() as server, connect(server.url, name="ann") as ann:
        await ann.ladder_create("dice", "backgammon", ClockOptions(base_ms=60_000))
        with Program(server.url, tmp_path / "tokens.json", *words.split()) as bot:
            code, said = await asyncio.to_thread(bot.wait)
        assert code == 2
        assert sentence in said
        assert "Traceback" not in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("deep", "no bot is called 'deep'; there are"),
        ("mcts mcts", "a bot can be named only once"),
        ("mcts --games chess", "no game is called 'chess'; there are"),
        ("mcts --slots 0", "--slots must be 1 to 1000, not 0"),
        ("mcts --level 9", "mcts has levels 1 to 8, not 9"),
        ("mcts --set exploration", "'exploration' is no setting"),
        ("mcts --url ftp://x", "'ftp://x' is no address of a server"),
    ],
)
def test_a_wrong_bot_command_is_answered_with_a_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: str, sentence: str
) -> None:
    parser = argparse.ArgumentParser()
    app.add_arguments(parser)
    args = parser.parse_args([*words.split(), "--token-file", str(tmp_path / "t"), "--quiet"])
    assert app.run(args) == 2
    assert sentence in capsys.readouterr().err
