"""The standing as tables, at the widths that terminals have."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from client.ladder import tables
from protocol.ladder import LadderState
from tests.client.ladder import scenes

PAGE = "http://127.0.0.1:8765/ladder/daily"


def shown(state: LadderState, width: int, rows: int | None = None) -> list[str]:
    """What a terminal without colours of this width shows."""
    out = io.StringIO()
    to = Console(file=out, width=width, height=rows or 50, force_terminal=True, no_color=True)
    to.print(tables.whole(state, to, PAGE, rows))
    return [line.rstrip() for line in _bare(out.getvalue()).splitlines()]


def _bare(text: str) -> str:
    import re

    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def columns(lines: list[str], word: str) -> list[str]:
    """The cells below the head with this word in it, of one table."""
    at = next(i for i, line in enumerate(lines) if word in line)
    return [line for line in lines[at : at + 6] if line]


@pytest.mark.parametrize("width", [80, 100, 120, 160])
def test_nothing_is_cut_off_at_usual_widths(width: int) -> None:
    lines = shown(scenes.state(), width)
    text = "\n".join(lines)
    assert max(map(len, lines)) <= width
    for row in scenes.standings():
        assert text.count(row.player) >= 1
    for word in ("unconnected", "236–11–73", "75.5 %", "disconnect", "1½–½", "suspended", "98 ms"):
        assert word in text
    for word in ("642.1", "641.1", "639.1 1–0 line", "most to be learnt", PAGE):
        assert (word in text) == (word != "641.1")  # that match is over, the pair is still on


def test_wide_is_one_table_and_narrow_two() -> None:
    heads = [line for line in shown(scenes.state(), 160) if "player " in line]
    assert len(heads) == 1
    assert "crash" in heads[0]
    narrow = [line for line in shown(scenes.state(), 80) if "player " in line]
    assert ["crash" in line for line in narrow] == [False, True]


def test_reasons_that_nobody_has_lost_by_have_no_column() -> None:
    text = "\n".join(shown(scenes.state(), 160))
    assert "illegal" not in text
    first = "\n".join(shown(scenes.state(standings=scenes.standings()[2:3]), 160))
    assert "crash" not in first


def test_a_long_name_is_shortened_and_no_number_is() -> None:
    from msgspec.structs import replace

    rows = tuple(replace(r, player=f"{'x' * 60}{r.player}") for r in scenes.standings())
    lines = shown(scenes.state(standings=rows), 80)
    assert max(map(len, lines)) <= 80
    assert "236–11–73" in "\n".join(lines)
    assert "xx…" in "\n".join(lines)


@pytest.mark.parametrize("rows", [12, 24, 40])
def test_a_screen_shows_players_before_pairs(rows: int) -> None:
    lines = shown(scenes.state(), 120, rows)
    text = "\n".join(lines)
    assert scenes.MCTS in text
    assert ("on now" in text) == (rows >= 24)
    assert len(lines) <= max(rows, 18)


def test_an_empty_ladder_has_a_sentence() -> None:
    assert "Nobody has joined yet." in shown(scenes.EMPTY, 80)


def test_a_name_is_no_markup() -> None:
    from msgspec.structs import replace

    row = replace(scenes.standings()[0], player="[red]x[/red]/y@1")
    assert "[red]x[/red]/y@1" in "\n".join(shown(scenes.state(standings=(row,)), 120))


def test_a_verdict_is_told_in_its_own_words() -> None:
    assert "better after 64 pairs" in shown(scenes.judged("better", over=True), 80)
