"""The standing as tables, at the widths that terminals have."""

from __future__ import annotations

import csv
import io
import re

import pytest
from msgspec.structs import replace
from rich.console import Console

from client.ladder import csv as ladder_csv
from client.ladder import differences, tables
from client.ladder import page as report_page
from protocol.ladder import LadderDifferences, LadderState
from tests.client.ladder import states
from tests.client.ladder.states import MINE

PAGE = "http://127.0.0.1:8765/ladder/daily"


def shown(state: LadderState, width: int, rows: int | None = None) -> list[str]:
    """What a terminal without colours of this width shows."""
    out = io.StringIO()
    to = Console(file=out, width=width, height=rows or 50, force_terminal=True, no_color=True)
    to.print(tables.whole(state, to, PAGE, rows))
    bare = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())
    return [line.rstrip() for line in bare.splitlines()]


@pytest.mark.parametrize("width", [80, 100, 120, 160])
def test_nothing_is_cut_off_at_usual_widths(width: int) -> None:
    lines = shown(states.state(), width)
    text = "\n".join(lines)
    assert max(map(len, lines)) <= width
    for row in states.standings():
        assert text.count(row.player) >= 1
    for word in ("unconnected", "236–11–73", "75.5 %", "disconnect", "1½–½", "suspended", "98 ms"):
        assert word in text
    for word in ("642.1", "641.1", "639.1 1–0 line", "most to be learnt", PAGE):
        assert (word in text) == (word != "641.1")  # that match is over, the pair is still on


def test_a_crosstable_has_a_cell_for_each_two_that_have_met() -> None:
    state = states.state()
    drawn = tables.crosstable(state.standings, state.cross)
    assert drawn is not None
    out = io.StringIO()
    tables.say(tables.console(out), drawn)
    assert [line.split() for line in out.getvalue().splitlines()[2:]] == [
        ["1", "house/mcts@1", "·", "49–33", "236½–1½"],
        ["2", "ann/fourmind@0.3", "33–49", "·", "=", "18–0"],
        ["3", "house/random@1", "1½–236½", "=", "0–18", "·"],
    ]
    assert tables.crosstable(state.standings, ()) is None


def test_wide_is_one_table_and_narrow_two() -> None:
    heads = [line for line in shown(states.state(), 160) if "player " in line]
    assert len(heads) == 1
    assert "crash" in heads[0]
    narrow = [line for line in shown(states.state(), 80) if "player " in line]
    assert ["crash" in line for line in narrow] == [False, True]


def test_uneven_results_have_a_column_where_they_are_known() -> None:
    rows = states.standings()
    uneven = states.state(standings=(replace(rows[0], uneven=4.26, most_from=MINE), *rows[1:]))
    for state, column in ((states.state(), False), (uneven, True)):
        (head,) = [line for line in shown(state, 160) if "player " in line]
        assert ("uneven" in head.split()) is column
    assert any("4.3" in line.split() for line in shown(uneven, 80))
    assert "has more than its rating from ann/fourmind@0.3" in "\n".join(shown(uneven, 160))
    _, first, *_ = ladder_csv.standings(uneven).splitlines()
    assert first.endswith(",4.26,ann/fourmind@0.3,0")
    page = report_page.write(uneven, states.differences(), states.RECENT, {})
    assert "<th>uneven</th>" in page
    assert "title='most beyond its rating from ann/fourmind@0.3'>4.3</td>" in page
    assert "<th>uneven</th>" not in report_page.write(
        states.state(), states.differences(), states.RECENT, {}
    )


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_no_name_is_a_formula_to_a_spreadsheet(name: str) -> None:
    rows = [replace(row, player=name) for row in states.standings()[:1]]
    text = ladder_csv.standings(states.state(standings=tuple(rows)))
    head, row = csv.reader(io.StringIO(text))
    assert dict(zip(head, row, strict=True))["player"] == f"'{name}"
    assert ladder_csv.plain_row({"n": -1, "x": 2.5, "name": name, "no": None}) == {
        "n": -1, "x": 2.5, "name": f"'{name}", "no": None,
    }  # fmt: skip


def test_reasons_that_nobody_has_lost_by_have_no_column() -> None:
    text = "\n".join(shown(states.state(), 160))
    assert "illegal" not in text
    first = "\n".join(shown(states.state(standings=states.standings()[2:3]), 160))
    assert "crash" not in first


def test_a_long_name_is_shortened_no_number_is_and_none_is_markup() -> None:
    rows = tuple(replace(r, player=f"{'x' * 60}{r.player}") for r in states.standings())
    lines = shown(states.state(standings=rows), 80)
    assert max(map(len, lines)) <= 80
    assert "236–11–73" in "\n".join(lines)
    assert "xx…" in "\n".join(lines)
    row = replace(states.standings()[0], player="[red]x[/red]/y@1")
    assert "[red]x[/red]/y@1" in "\n".join(shown(states.state(standings=(row,)), 120))


@pytest.mark.parametrize("rows", [12, 24, 40])
def test_a_screen_shows_players_before_pairs(rows: int) -> None:
    lines = shown(states.state(), 120, rows)
    text = "\n".join(lines)
    assert states.MCTS in text
    assert ("on now" in text) == (rows >= 24)
    assert len(lines) <= max(rows, 18)


def test_a_verdict_and_an_empty_ladder_have_their_sentences() -> None:
    assert "better after 64 pairs" in shown(states.judged("better", over=True), 80)
    assert "Nobody has joined yet." in shown(states.EMPTY, 80)


def test_against_what_a_margin_is_and_between_what_a_test_decides_is_said() -> None:
    text = " ".join(" ".join(shown(states.state(), 80)).split())
    assert "± is to the field, whose mean is 384" in text
    tested = "64 pairs, LLR 1.00 between −2.90 and 2.90; H0: +0 Elo, H1: +30 Elo, alpha 0.05,"
    text = " ".join(" ".join(shown(states.judged("undecided", over=False), 80)).split())
    assert f"{tested} beta 0.05, no verdict before 64 pairs" in text


def drawn(answer: LadderDifferences, width: int) -> list[list[str]]:
    """The lines of differences at a width, without rules, as words."""
    out = io.StringIO()
    to = Console(file=out, width=width, force_terminal=True, no_color=True)
    to.print(tables.differences(answer, to))
    bare = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())
    return [line.split() for line in bare.splitlines() if "─" not in line]


def words(lines: list[list[str]]) -> list[str]:
    return [word for line in lines for word in line]


def test_two_players_are_compared_in_a_sentence_the_stronger_one_first() -> None:
    said = (
        "house/mcts@1 is 72 ±51 Elo stronger than ann/fourmind@0.3;"
        " LOS, the chance that it is the better one: 99.7 %"
    )
    both = states.differences(states.MCTS, states.MINE)
    turned = replace(both.differences[0], elo=-72.4, los=0.0028)
    assert differences.sentence(both) == said
    other = replace(both, players=(states.MINE, states.MCTS), differences=(turned,))
    assert differences.sentence(other) == said
    assert words(drawn(both, 200)) == said.split()
    apart = replace(both, players=(states.MCTS, "eve/odd@2"), differences=())
    assert differences.sentence(apart).endswith(
        "cannot be compared yet: no chain of pairs connects them"
    )


def test_many_are_compared_in_a_square_of_as_many_columns_as_fit() -> None:
    wide = drawn(states.differences(), 120)
    assert wide[0] == ["#", "player", "1", "2", "3"]
    assert wide[1] == ["1", "house/mcts@1", "·", "+72", "±51", "+612", "±120"]
    assert wide[2] == ["99.7", "%", ">", "99.9", "%"]
    assert wide[3] == ["2", "ann/fourmind@0.3", "−72", "±51", "·", "+540", "±126"]
    narrow = drawn(states.differences(), 40)
    assert narrow[0] == ["#", "player", "1"]
    assert "1 of 3 columns fit here" in " ".join(words(narrow))
    none = replace(states.differences(), differences=())
    assert "can be compared yet" in " ".join(words(drawn(none, 200)))


def test_one_is_compared_with_all_in_rows() -> None:
    whole = states.differences()
    alone = replace(whole, differences=whole.differences[:2])
    assert drawn(alone, 100)[:3] == [
        ["player", "Elo", "LOS"],
        ["ann/fourmind@0.3", "+72", "±51", "99.7", "%"],
        ["house/random@1", "+612", "±120", ">", "99.9", "%"],
    ]
    rest = replace(alone, differences=whole.differences[:1])
    assert drawn(rest, 100)[2] == ["house/random@1", "unconnected"]
