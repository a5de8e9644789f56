"""`plyhouse verify`: from a file, without a server; and from a server, for who may see it."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

import plyhouse
from client.connection import Connection
from client.names.sign_in import sign_in
from protocol.messages import MatchState
from protocol.parts import ClockOptions, Options
from tests.client.conftest import Run
from tests.client.records.played import FIVE_PLUS_THREE, Played, file
from tests.support.live_server import live_server

TIMED = Options(clock=ClockOptions(base_ms=60_000, increment_ms=1_000), public=False)


@pytest.fixture
def run(plyhouse_main: Run) -> Run:
    """Run `plyhouse verify` in this process."""
    return partial(plyhouse_main, "verify")


def with_dice() -> Played:
    """A match of pebbles with a clock."""
    return Played("pebbles", FIVE_PLUS_THREE).plays_on(2)


def test_a_match_that_holds_is_told_in_a_few_lines(run: Run, tmp_path: Path) -> None:
    played = with_dice()
    code, out, err = run(file(tmp_path, played))
    assert (code, err) == (0, "")
    first, checked, commitment, salts = out.splitlines()
    assert first.startswith("ok: match 17.2 of pebbles, ann against house/mcts: ")
    assert " won" in first
    rolls = sum(event.kind == "roll" for event in played.events)
    assert checked == (
        f"checked: {played.ply} actions by the rules, {rolls} rolls from the promised secret and"
        " both salts, the clocks, and the result"
    )
    assert commitment == f"commitment: {played.events[0].commitment}"
    assert salts == "salts: 00ff, none"


def test_without_dice_and_clock_nothing_is_said_of_them(run: Run, tmp_path: Path) -> None:
    played = Played("tic_tac_toe").plays("5", "1", "4", "2", "6")
    assert run(file(tmp_path, played)) == (
        0,
        "ok: match 17.2 of tic_tac_toe, ann against house/mcts: X won: three in a row\n"
        "checked: 5 actions by the rules, and the result\n",
        "",
    )


def test_as_json_it_says_the_same(run: Run, tmp_path: Path) -> None:
    path = file(tmp_path, with_dice())
    code, out, _ = run(path, "--json")
    said = json.loads(out)
    assert (code, said["ok"], said["match"], said["game"]) == (0, True, "17.2", "pebbles")
    assert (said["actions"], said["timed"]) == (with_dice().ply, True)
    assert said["players"] == [{"name": "ann"}, {"name": "house", "program": "mcts"}]
    assert said["salts"] == ["00ff", ""]
    path.write_bytes(path.read_bytes().replace(b'"spent_ms":1500', b'"spent_ms":1501', 1))
    code, out, _ = run(path, "--json")
    said = json.loads(out)
    assert (code, said["ok"], said["event"] is None) == (1, False, False)
    assert said["why"].startswith(f"line {said['line']}, event {said['event']}: its hash")


def test_a_file_forged_with_care_is_named_by_its_first_event_that_does_not_hold(
    run: Run, tmp_path: Path
) -> None:
    played = with_dice()
    at = [i for i, event in enumerate(played.events) if event.kind == "roll"][2]
    roll = played.events[at]
    other = "4" if roll.action != "4" else "7"
    played.events[at] = replace(roll, action=other)
    code, out, _ = run(file(tmp_path, played))
    gives = f"the deal gives {roll.action} for ply {roll.ply}"
    assert (code, out) == (1, f"not ok: event {roll.seq}: the roll is {other}, and {gives}\n")


def test_nothing_in_a_file_commands_the_terminal(run: Run, tmp_path: Path) -> None:
    played = Played("tic_tac_toe").plays("5")
    played.add("said\x1b[2J", text="\x07")
    code, out, _ = run(file(tmp_path, played))
    assert (code, "\x1b" in out, "\x07" in out) == (1, False, False)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "is neither a match, such as 17.2, nor a file"),
        ("hello", "this is no record of a match"),
        (
            '{"plyhouse-record":9,"match":"1.1","events":[\n]}\n',
            "version 9; only version 1 can be read here",
        ),
    ],
)
def test_what_is_no_record_is_asked_wrongly(
    run: Run, tmp_path: Path, content: str | None, sentence: str
) -> None:
    path = tmp_path / "match.json"
    if content is not None:
        path.write_text(content)
    code, out, err = run(path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert sentence in err


def test_of_a_game_that_is_not_here_nothing_is_said(run: Run, tmp_path: Path) -> None:
    played = Played("tic_tac_toe").plays("5", "1", "4", "2", "6")
    played.events[0] = replace(played.events[0], game="go")
    code, out, err = run(file(tmp_path, played))
    assert (code, out) == (2, "")
    assert "the game 'go' is not known here" in err


async def play(connection: Connection, match: str) -> None:
    """Play the first legal action of each turn until the match is over."""
    async for message in connection:
        if isinstance(message, MatchState) and message.match == match:
            if message.result is not None:
                return
            if message.legal is not None:
                await connection.play(match, message.turn, message.legal[0])


@pytest.mark.socket
async def test_a_match_of_a_server_holds_by_its_name_and_as_a_file(
    run: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async with live_server(tmp_path / "data") as server:
        url = f"127.0.0.1:{server.port}"
        ask = ("1.1", "--url", url)
        async with await sign_in(url, "bob") as bob, await sign_in(url, "ann") as ann:
            room = await ann.create("pebbles", TIMED)
            await bob.join(room.room, room.code)
            await bob.say(room.room, "good luck")
            assert (await asyncio.to_thread(run, *ask))[0] == 2  # before there is a match
            await ann.ready(room.room, "c0ffee")
            await bob.ready(room.room, "00")
            code, out, err = await asyncio.to_thread(run, *ask)
            assert (code, out) == (2, "")
            assert "match 1.1 is still on" in err
            await asyncio.gather(play(ann, "1.1"), play(bob, "1.1"))

        code, out, err = await asyncio.to_thread(run, *ask)  # as ann, who has played it
        assert (code, err) == (0, "")
        assert out.startswith("ok: match 1.1 of pebbles, ann against bob: ")
        assert f"commitment: {room.commitment}\nsalts: c0ffee, 00\n" in out
        stranger = ("--name", "eve")
        code, _, err = await asyncio.to_thread(run, *ask, *stranger)
        assert code == 2
        assert "private" in err
        again = await asyncio.to_thread(run, *ask, *stranger, "--code", room.code)
        assert again == (0, out, "")
        for match, sentence in (("1.2", "no match 1.2"), ("77.1", "no room"), ("1", "neither")):
            code, _, err = await asyncio.to_thread(run, match, "--name", "ann", *ask[1:])
            assert (code, sentence in err) == (2, True), err

        path = tmp_path / "exported.json"
        for words in (["export", "--out", str(path)], ["replay"]):
            told = [*words, *ask, *stranger, "--code", room.code]
            assert await asyncio.to_thread(plyhouse.main, told) == 0
    assert "\nply 1 of " in capfd.readouterr().out
    assert run(path) == (0, out, "")  # the server is gone
