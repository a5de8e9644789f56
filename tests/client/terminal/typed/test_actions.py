"""Actions as they are typed, and the legal ones as they are listed."""

from __future__ import annotations

import pytest

from client.terminal.typed.actions import BadAction, are_numbers, list_lines, matching, read_action
from games import registry
from tests.client.terminal.states import match, texts

TURNS = ("8/5 6/5", "8/7 8/5", "13/10 13/12", "bar/22")


def test_notation_is_taken_as_it_is_and_a_number_is_one_of_the_list() -> None:
    assert read_action("8/7 8/5", TURNS, None, "") == "8/7 8/5"
    assert read_action("BAR/22", TURNS, None, "") == "bar/22"
    assert read_action("3", TURNS, None, "") == "13/10 13/12"
    assert read_action("#3", TURNS, None, "") == "13/10 13/12"


def test_notation_wins_where_actions_are_numbers() -> None:
    cells = ("2", "5", "7")
    assert are_numbers(cells)
    assert read_action("5", cells, None, "") == "5"
    assert read_action("#1", cells, None, "") == "2"
    with pytest.raises(BadAction, match=r"3 is not legal here; legal: 2 5 7"):
        read_action("3", cells, None, "")


def test_a_number_beyond_the_list_says_how_long_it_is() -> None:
    for text in ("0", "5", "#0", "#5", "#", "#x", "#²", "#99999999999999999999"):
        with pytest.raises(BadAction, match="the list goes from #1 to #4"):
            read_action(text, TURNS, None, "")


def test_the_rules_read_other_ways_of_writing_an_action() -> None:
    rules = registry.game("pebbles")
    shown = match("pebbles", "white hand")
    assert shown.legal is not None
    with pytest.raises(BadAction, match="0-0-00 is not legal here"):
        read_action("0-0-00", shown.legal, rules, shown.position)
    assert read_action("0-0-1", shown.legal, rules, shown.position) == "0-0-1"


def test_the_rules_say_what_is_wrong_with_an_action() -> None:
    start = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
    rules = registry.game("backgammon")
    legal = rules.parse_position(start).legal_notation()
    assert read_action("6/5, 8/5", legal, rules, start) == "8/5 6/5"
    with pytest.raises(BadAction, match="8/7 is not legal here: 8/7 leaves the 3 unplayed"):
        read_action("8/7", legal, rules, start)


def test_what_is_not_legal_is_told_what_is_near() -> None:
    with pytest.raises(BadAction, match=r"near it: 8/5 6/5 \(#1\), 8/7 8/5 \(#2\)$"):
        read_action("8/5", TURNS, None, "")
    with pytest.raises(BadAction, match=r"near it: 13/10 13/12 \(#3\)"):
        read_action("13/10 13/11", TURNS, None, "")
    with pytest.raises(BadAction, match="/legal lists all 4"):
        read_action("zzz", TURNS, None, "")
    many = tuple(f"8/{i} x" for i in range(9))
    with pytest.raises(BadAction, match="and 4 more"):
        read_action("8/", many, None, "")


def test_a_list_is_numbered_unless_notation_is_numbers_and_keeps_them_when_filtered() -> None:
    assert texts(list_lines(TURNS, 40, 8)) == (
        " 1 8/5 6/5        2 8/7 8/5\n 3 13/10 13/12    4 bar/22"
    )
    assert texts(list_lines(("1", "2", "3"), 40, 8)) == "1   2   3"
    assert matching("8/ 5", TURNS) == [(1, "8/5 6/5"), (2, "8/7 8/5")]
    assert texts(list_lines(TURNS, 40, 8, "13/")) == " 3 13/10 13/12"
    assert texts(list_lines(TURNS, 40, 8, "7/1")) == "None of the 4 legal actions has 7/1 in it."


def test_a_list_of_thousands_is_shortened() -> None:
    legal = match("pebbles", "white hand").legal
    assert legal is not None
    assert len(legal) == 3_000
    assert texts(list_lines(legal, 40, 3)) == (
        " 1 pass      2 0-0-1     3 0-0-2\n"
        " 4 0-0-3     5 0-0-4     6 0-0-5\n"
        "… 2,994 more: /legal lists all 3,000, /legal TEXT some"
    )
    assert len(list_lines(legal, 100, 60)) == 60
    assert texts(list_lines(legal, 40, 1)) == " 1 pass   … 2,999 more: /legal"
    assert texts(list_lines(legal, 24, 1)) == "… 3,000 more: /legal"
