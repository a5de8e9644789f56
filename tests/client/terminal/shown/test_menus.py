"""The numbers of the lobby, and what each stands for."""

from __future__ import annotations

from client.terminal.shown.menus import Menu, Pick, lobby_menu, pick_menu
from client.terminal.typed.commands import CreateRoom, JoinRoom, WatchRoom
from client.terminal.typed.terms import RoomReference
from protocol.parts import Strength
from tests.client.terminal.states import ADA, BOB, MCTS, bot, entry, lobby


def numbers(menu: Menu) -> dict[str, int]:
    return {row.cells[0]: row.number for row in menu.rows}


def test_a_row_keeps_its_number_while_it_is_there() -> None:
    first = lobby_menu(lobby(entry(17, BOB, None), bots=[bot("mcts")]), "ada", Menu())
    assert numbers(first) == {"room 17": 1, "house/mcts": 2}
    rooms = (entry(18, BOB, None), entry(17, BOB, None))
    second = lobby_menu(lobby(*rooms, bots=[bot("mcts")]), "ada", first)
    assert numbers(second) == {"room 18": 3, "room 17": 1, "house/mcts": 2}
    third = lobby_menu(lobby(bots=[bot("mcts"), bot("random")]), "ada", second)
    assert numbers(third) == {"house/mcts": 2, "house/random": 4}
    assert numbers(lobby_menu(lobby(entry(19, BOB, None)), "ada", third)) == {"room 19": 1}


def test_a_number_takes_a_free_seat_or_watches_or_picks_a_bot() -> None:
    listing = lobby(
        entry(17, BOB, None),
        entry(18, BOB, MCTS, state="playing"),
        entry(19, ADA, BOB),
        entry(20, None, BOB, state="over"),  # a ladder's
        bots=[bot("mcts")],
    )
    menu = lobby_menu(listing, "ada", Menu())
    assert menu.choice("1") == JoinRoom(RoomReference(room=17))
    assert menu.choice("#2") == WatchRoom(RoomReference(room=18))
    assert menu.choice("3") == JoinRoom(RoomReference(room=19))
    assert menu.choice("4") == WatchRoom(RoomReference(room=20))
    assert menu.rows[3].cells[-1] == "over"
    assert menu.choice("5") == Pick(bot("mcts"))
    assert menu.choice("6") is None
    assert menu.choice("mcts") is None


GAMES = ("backgammon", "connect_four", "tic_tac_toe")


def test_after_a_bot_comes_the_game_and_then_its_level() -> None:
    menu = pick_menu(Pick(bot("mcts")), GAMES)
    assert isinstance(menu, Menu)
    assert menu.choice("2") == Pick(bot("mcts"), "connect_four")
    menu = pick_menu(Pick(bot("mcts"), "connect_four"), GAMES)
    assert isinstance(menu, Menu)
    asked = Strength(level=8)
    assert menu.choice("8") == CreateRoom("connect_four", who="house/mcts", strength=asked)
    assert [row.cells[1] for row in menu.rows if row.cells[1]] == [
        "the weakest",
        "the usual one",
        "the strongest",
    ]


def test_what_there_is_no_choice_of_is_not_asked() -> None:
    one = bot("gammon", "backgammon")
    menu = pick_menu(Pick(one), GAMES)
    assert isinstance(menu, Menu)
    assert menu.rows[0].head == "How strong should gammon play?"
    plain = bot("greedy", "backgammon", levels=0)
    assert pick_menu(Pick(plain), GAMES) == CreateRoom("backgammon", who="house/greedy")


def test_a_bot_that_plays_few_games_names_them() -> None:
    bots = [
        bot("mcts", *GAMES),
        bot("flat", *GAMES, "pebbles"),
        bot("solver", "connect_four", "tic_tac_toe"),
        bot("odd", GAMES[0], "go", "pebbles"),
        bot("hybrid", *GAMES[1:], "pebbles"),
        bot("any"),
    ]
    menu = lobby_menu(lobby(bots=bots), "ada", Menu(), GAMES)
    assert [row.cells[1] for row in menu.rows] == [
        "all games",
        "all games",
        "connect_four, tic_tac_toe",
        "3 games",
        "all but backgammon",
        "all games",
    ]
