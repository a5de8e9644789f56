"""The arguments of play, watch and rooms, and what is said where they make no sense."""

from __future__ import annotations

import argparse

import pytest

from client.terminal import app
from client.terminal.commands import Command, Open, Sit
from client.terminal.terms import Place
from protocol.messages import ClockOptions, Options, Strength


def play(text: str) -> argparse.Namespace:
    """The arguments of `plyhouse play`."""
    parser = argparse.ArgumentParser()
    app.add_play_arguments(parser)
    return parser.parse_args(text.split())


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("", None),
        ("--join 17", Sit(Place(room=17))),
        ("connect_four", Open("connect_four")),
        (
            "connect_four --against mcts --level 3 --set c=2 --set playouts=4",
            Open(
                "connect_four",
                who="mcts",
                strength=Strength(level=3, set={"c": "2", "playouts": "4"}),
            ),
        ),
        (
            "backgammon --clock 5+3 --private --seat second",
            Open(
                "backgammon",
                Options(
                    clock=ClockOptions(base_ms=300_000, increment_ms=3_000),
                    public=False,
                ),
                1,
            ),
        ),
        (
            "backgammon --per-move 2.5 --rated --seat any --nodes 9",
            Open(
                "backgammon",
                Options(clock=ClockOptions(per_move_ms=2_500), rated=True),
                None,
                strength=Strength(nodes=9),
            ),
        ),
    ],
)
def test_arguments_mean_what_to_begin_with(words: str, command: Command | None) -> None:
    assert app.play_command(play(words)) == command


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("tic_tac_toe --against random --clock 5+x", "'5+x' is no clock"),
        ("tic_tac_toe --against random --seat third", "'third' is no seat"),
        ("tic_tac_toe --against random --level 9", "level is a whole number from 1 to 8"),
        ("tic_tac_toe --against random --set x", "'x' is no setting"),
        ("tic_tac_toe --join 17", "--join goes to a room that is there"),
        ("--against random", "which game against random?"),
        ("--url http://", "is no address of a server"),
        ("--url 127.0.0.1:1", "no server answers at 127.0.0.1:1"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(
    words: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert app.run_play(play(words)) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("plyhouse: ")
    assert sentence in err
    assert err.endswith("`plyhouse up` starts one\n") == ("no server" in sentence)


def test_watch_wants_a_room(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    app.add_watch_arguments(parser)
    assert app.run_watch(parser.parse_args(["a-b"])) == 2
    assert "'a-b' is no room" in capsys.readouterr().err


def test_the_server_can_be_named_once_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLYHOUSE_URL", raising=False)
    assert play("").url == "127.0.0.1:8765"
    monkeypatch.setenv("PLYHOUSE_URL", "play.example.org:9")
    assert play("").url == "play.example.org:9"
    assert app.place_of("https://play.example.org/ws") == "play.example.org"
    assert app.place_of("localhost") == "localhost:8765"
