"""The arguments of play, watch and rooms, and what is said where they make no sense."""

from __future__ import annotations

import argparse

import pytest

from client.address import host_and_port
from client.commands import discovery, play, watch
from client.terminal.typed.commands import Command, CreateRoom, JoinRoom
from client.terminal.typed.terms import RoomReference
from protocol.parts import ClockOptions, Options, Strength


def arguments(text: str) -> argparse.Namespace:
    """The arguments of `plyhouse play`."""
    parser = argparse.ArgumentParser()
    play.add_arguments(parser)
    return parser.parse_args(text.split())


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("", None),
        ("--join 17", JoinRoom(RoomReference(room=17))),
        ("connect_four", CreateRoom("connect_four")),
        (
            "connect_four --against mcts --level 3 --set c=2 --set playouts=4",
            CreateRoom(
                "connect_four",
                who="mcts",
                strength=Strength(level=3, set={"c": "2", "playouts": "4"}),
            ),
        ),
        (
            "backgammon --clock 5+3 --private --seat second",
            CreateRoom(
                "backgammon",
                Options(clock=ClockOptions(base_ms=300_000, increment_ms=3_000), public=False),
                1,
            ),
        ),
        (
            "backgammon --per-move 2.5 --rated --seat any --nodes 9",
            CreateRoom(
                "backgammon",
                Options(clock=ClockOptions(per_move_ms=2_500), rated=True),
                None,
                strength=Strength(nodes=9),
            ),
        ),
        (
            "backgammon_cube --points 7 --start nackgammon",
            CreateRoom("backgammon_cube", Options(points=7, start="nackgammon")),
        ),
        (
            "tic_tac_toe --position x8 --seat second",
            CreateRoom("tic_tac_toe", Options(position="x8"), 1),
        ),
        (
            "backgammon_cube --jacoby --beavers --no-cube",
            CreateRoom("backgammon_cube", Options(jacoby=True, beavers=True, cube=False)),
        ),
    ],
)
def test_arguments_mean_what_to_begin_with(words: str, command: Command | None) -> None:
    assert play.first_command(arguments(words)) == command


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("tic_tac_toe --against random --clock 5+x", "'5+x' is no clock"),
        ("tic_tac_toe --against random --seat third", "'third' is not a seat"),
        ("tic_tac_toe --against random --level 9", "level must be a whole number from 1 to 8"),
        ("tic_tac_toe --against random --set x", "'x' is not a setting"),
        ("backgammon_cube --points many", "'many' is not a number of points"),
        ("tic_tac_toe --join 17", "--join goes to an existing room"),
        ("--seek", "which game?"),
        ("tic_tac_toe --seek --private", "--seek finds whoever comes"),
        ("--against random", "which game against random?"),
        ("--url http://", "is no address of a server"),
        ("--url 127.0.0.1:1", "no server answers at 127.0.0.1:1"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(
    words: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play.run(arguments(words)) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("plyhouse: ")
    assert sentence in err
    assert err.endswith("`plyhouse up` starts one\n") == ("no server" in sentence)


def test_watch_wants_a_room(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    watch.add_arguments(parser)
    assert watch.run(parser.parse_args(["a-b"])) == 2
    assert "'a-b' is not a room" in capsys.readouterr().err


def test_the_server_can_be_named_once_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLYHOUSE_URL", "play.example.org:9")
    args = arguments("")
    discovery.fill_in(args)
    assert args.url == "play.example.org:9"
    args = arguments("--url a:1")
    discovery.fill_in(args)
    assert args.url == "a:1"
    assert host_and_port("https://play.example.org/ws") == "play.example.org"
    assert host_and_port("localhost") == "localhost:8765"
