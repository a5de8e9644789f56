"""Typed lines and the commands they mean."""

from __future__ import annotations

import pytest

from client.terminal import dispatch
from client.terminal.typed import commands, completion, grammar
from client.terminal.typed.commands import (
    BadCommand,
    BareCommand,
    Command,
    CreateRoom,
    SeekOpponent,
)
from client.terminal.typed.completion import CompletionNames, complete
from client.terminal.typed.grammar import SPECS, help_lines, parse, parse_bare
from client.terminal.typed.terms import RoomReference
from protocol.parts import ClockOptions, Options, Strength


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("4", commands.TypedAction("4")),
        ("  8/5   6/5 ", commands.TypedAction("8/5 6/5")),
        ("#3", commands.TypedAction("#3")),
        ('"well played', commands.Chat("well played")),
        ('"well played"', commands.Chat("well played")),
        ("/say  well  played", commands.Chat("well  played")),
        ("/help", commands.Help("")),
        ("/help /join", commands.Help("join")),
        ("/?", commands.Help("")),
        ("/ROOMS", BareCommand("rooms")),
        ("/rematch", BareCommand("ready")),
        ("/undo", BareCommand("takeback")),
        ("/join 17", commands.JoinRoom(RoomReference(room=17))),
        ("/join qf7kdm", commands.JoinRoom(RoomReference(code="QF7KDM"))),
        ("/watch 17.2", commands.WatchRoom(RoomReference(room=17, match="17.2"))),
        ("/invite mcts", commands.InvitePlayer("mcts", Strength())),
        ("/invite mcts level 3", commands.InvitePlayer("mcts", Strength(level=3))),
        (
            "/invite a/b --nodes 500 c=2",
            commands.InvitePlayer("a/b", Strength(nodes=500, set={"c": "2"})),
        ),
        ('/invite "Ada L"', commands.InvitePlayer("Ada L", Strength())),
        ("/legal 8/", commands.Legal("8/")),
        ("/name Ada L", commands.Rename("Ada L")),
        ("/rename the den", commands.NameRoom("the den")),
        ("/best", commands.Best("")),
        ("/best connect four", commands.Best("connect four")),
        ("/quit", commands.Quit()),
        ("/quit later", commands.Quit(later=True)),
        ("exit", commands.Quit()),
        ("/create connect_four", CreateRoom("connect_four")),
        (
            "/seek connect_four 5+3 rated any-clock",
            SeekOpponent(
                "connect_four",
                Options(
                    clock=ClockOptions(base_ms=300_000, increment_ms=3_000),
                    rated=True,
                    sought=("clock",),
                ),
            ),
        ),
        (
            "/play backgammon against gammon level 2 5+3 private second",
            CreateRoom(
                "backgammon",
                Options(clock=ClockOptions(base_ms=300_000, increment_ms=3_000), public=False),
                1,
                "gammon",
                Strength(level=2),
            ),
        ),
        (
            "/create tic_tac_toe --per-move 2 rated any bob",
            CreateRoom(
                "tic_tac_toe",
                Options(clock=ClockOptions(per_move_ms=2_000), rated=True),
                None,
                "bob",
            ),
        ),
        (
            "/create backgammon_cube points 7 start nackgammon gammon",
            CreateRoom(
                "backgammon_cube", Options(points=7, start="nackgammon"), who="gammon"
            ),
        ),
        (
            "/create backgammon_cube jacoby beavers no-cube",
            CreateRoom("backgammon_cube", Options(jacoby=True, beavers=True, cube=False)),
        ),
    ],
)  # fmt: skip
def test_lines_mean_commands(text: str, command: Command) -> None:
    assert parse(text) == command


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("/rezign", r"there is no /rezign; did you mean /resign\?"),
        ("/xyzzy", "there is no /xyzzy; /help lists the commands"),
        ("/", "/help lists the commands"),
        ("/draw now", "/draw takes nothing after it"),
        ("/join", "/join needs a room's number or a code"),
        ("/join a-b", "is not a room"),
        ("/create", "/create needs a game"),
        ("/seek", "/seek needs a game"),
        ("/seek connect_four bob", "/seek finds whoever wants the same"),
        ("/create chess bob eve", "what is 'eve' here"),
        ("/create chess 5+x", "is no clock"),
        ("/invite", "/invite needs a name"),
        ("/invite mcts 5+3", "/invite needs a name"),
        ("/invite mcts level nine", "level must be a whole number"),
        ("/invite mcts =2", "write key=value"),
        ("/name", "/name needs the name"),
        ("/rename", "/rename needs the room's new name"),
        ("/quit now", "/quit ends"),
        ('"', "say what"),
    ],
)
def test_a_wrong_line_is_told_what_would_be_right(text: str, sentence: str) -> None:
    with pytest.raises(BadCommand, match=sentence):
        parse(text)


def test_words_without_a_slash_can_be_commands() -> None:
    assert parse_bare("flip") == BareCommand("flip")
    assert parse_bare("join 17") == commands.JoinRoom(RoomReference(room=17))
    assert parse_bare("8/5 6/5") is None
    assert parse("  ") is None
    no_quote = "/create tic_tac_toe o'hara"
    assert parse(no_quote) == CreateRoom("tic_tac_toe", who="o'hara")


def test_each_command_that_takes_nothing_is_carried_out() -> None:
    bare = {spec.name for spec in SPECS if not spec.words}
    assert {parse(f"/{name}") for name in bare} == {BareCommand(name) for name in bare}
    assert bare == set(dispatch._BARE), "each has a row in `_BARE`, and no other"


def test_help_has_a_line_for_each_command_and_more_on_each() -> None:
    lines = help_lines()
    for spec in SPECS:
        assert any(text.startswith(f"/{spec.name} ") for text in lines)
        assert help_lines(spec.name)[0].startswith(f"/{spec.name}")
    assert help_lines("undo")[0] == "/takeback"
    with pytest.raises(BadCommand, match="there is no /resing; did you mean /resign"):
        help_lines("resing")
    names = [name for spec in SPECS for name in (spec.name, *spec.also)]
    assert len(names) == len(set(names)) == len(grammar.BY_NAME)


KNOWN = CompletionNames(
    games=("connect_four", "backgammon"),
    bots={
        "mcts": ("connect_four", "backgammon"),
        "minimax": ("connect_four", "backgammon"),
        "gammon": ("backgammon",),
    },
    rooms=("17", "18"),
    legal=("8/5 6/5", "8/5 8/7", "bar/22"),
)


@pytest.mark.parametrize(
    ("text", "offers"),
    [
        ("/re", [("/ready", 3), ("/resign", 3), ("/rename", 3), ("/recovery", 3)]),
        ("/rem", [("/rematch", 4)]),
        ("/create c", [("connect_four", 1)]),
        ("/create connect_four m", [("mcts", 1), ("minimax", 1)]),
        ("/create backgammon g", [("gammon", 1)]),
        ("/create connect_four g", []),
        ("/create connect_four mcts level 8", [("8", 1)]),
        ("/invite ", [("mcts", 0), ("minimax", 0), ("gammon", 0)]),
        ("/invite mcts l", [("level", 1)]),
        ("/invite mcts level ", [(str(level), 0) for level in range(1, 9)]),
        ("/join 1", [("17", 1), ("18", 1)]),
        ("/join 17 1", []),
        ("/help tak", [("takeback", 3)]),
        ("/quit l", [("later", 1)]),
        ("/legal 8/5 8", [("8/5 8/7", 5)]),
        ("/xyzzy a", []),
        ("/draw ", []),
        ("8/", [("8/5 6/5", 2), ("8/5 8/7", 2)]),
        ("BAR", [("bar/22", 3)]),
    ],
)
def test_completion_offers_what_can_come_next(text: str, offers: list[tuple[str, int]]) -> None:
    assert complete(text, KNOWN) == offers


def test_at_a_table_those_who_play_its_game_are_offered_and_never_thousands() -> None:
    known = CompletionNames(games=KNOWN.games, bots=KNOWN.bots, game="connect_four")
    assert complete("/invite ", known) == [("mcts", 0), ("minimax", 0)]
    many = CompletionNames(legal=tuple(f"a{i}" for i in range(3_000)))
    assert len(complete("a", many)) == completion.MAX_COMPLETIONS
