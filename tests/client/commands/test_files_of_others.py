"""Files that other programs wrote, at every command that takes a match."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.records.source import RecordSource, find_match
from protocol.parts import Options
from protocol.reading import files
from protocol.records import formats, mat, sgf
from protocol.records.replay import replay_events
from tests.client.conftest import Run
from tests.support.series_played import played, records

GAMES = records(played(Options(points=3), seed=11))
REPLAYS = [replay_events(game.events) for game in GAMES]


@pytest.fixture
def run(plyhouse_main: Run) -> Run:
    """Run a command in this process."""
    return plyhouse_main


@pytest.fixture
def club(tmp_path: Path) -> Path:
    file = tmp_path / "club.mat"
    file.write_text(mat.write(REPLAYS), encoding="utf-16")
    return file


def test_replay_shows_all_games(run: Run, club: Path) -> None:
    code, out, err = run("replay", club, "--moves")
    assert (code, err) == (0, "")
    assert [line for line in out.splitlines() if line.startswith("series")] == [
        f"series  game {n} at {one} – {two} to 3{crawford}"
        for n, one, two, crawford in ((1, 0, 0, ""), (2, 0, 1, ""), (3, 2, 1, ", Crawford"))
    ]
    code, out, err = run("replay", club)
    assert (code, err, out.count("ply 0 of ")) == (0, "", 3)


def test_export_writes_a_whole_match_in_every_format(run: Run, club: Path, tmp_path: Path) -> None:
    for ending in ("sgf", "mat", "json", "txt"):
        out = tmp_path / f"again.{ending}"
        assert run("export", club, "--out", out)[0] == 0
        assert len(find_match(RecordSource(str(out), "")).games) == 3
    read = files.read(club.read_bytes())
    again = [replay_events(game.events) for game in read.games]
    assert (tmp_path / "again.sgf").read_text() == sgf.write(again)


def test_export_with_series_writes_all_games_of_a_file_of_ours(run: Run, tmp_path: Path) -> None:
    whole = tmp_path / "whole.json"
    whole.write_bytes(formats.write(GAMES[-1], "json", GAMES[:-1], whole=True))
    assert run("export", whole) == (0, whole.read_text(), "")
    code, out, _ = run("verify", whole)
    assert code == 0
    assert "game 3 of a match to 3 points, at 2 to 1, as the games before it make it" in out


def test_verify_says_what_nobody_promised(run: Run, club: Path) -> None:
    code, out, err = run("verify", club)
    assert (code, err) == (0, "")
    first, checked, series, promised = out.splitlines()
    assert first.startswith("ok: match 0.3 of backgammon_cube, ann against bob: ")
    assert checked.endswith("actions by the rules, and the result")
    assert series.endswith("as the games before it make it, each of which holds")
    assert promised.startswith("not checked: dice, times and names; no dice were promised")
    assert run("verify", club, "--json")[0] == 0


def test_verify_begins_where_the_file_does(run: Run, tmp_path: Path) -> None:
    last = tmp_path / "last.mat"
    last.write_text(mat.write(REPLAYS[2:]))
    code, out, _ = run("verify", last)
    assert code == 0
    assert "at 2 to 1; the games before it are not in this file" in out


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (" 9/7*", " 9/5*", "cannot be played"),
        ("Wins 2 points", "Wins 1 point", "the file says 1 points, and 2 can be lost"),
        ("bob : 1", "bob : 0", "the series: match 0.2 is game 1 at 0 to 0"),
    ],
)
def test_verify_finds_what_does_not_hold(
    run: Run, club: Path, old: str, new: str, why: str
) -> None:
    text = club.read_text(encoding="utf-16")
    assert old in text
    club.write_text(text.replace(old, new, 1))
    code, out, _ = run("verify", club)
    assert (code, out.startswith("not ok: ")) == (1, True)
    assert why in out


def test_a_file_that_breaks_off_is_shown_as_far_as_it_goes(run: Run, club: Path) -> None:
    lines = club.read_text(encoding="utf-16").split("\n")
    at = next(n for n, line in enumerate(lines) if line == " Game 2") + 4
    lines[at] = "  3) 66: 1/7\x1b[2J"
    club.write_text("\n".join(lines))
    for words in (("replay", club, "--moves"), ("export", club, "--format", "text")):
        code, out, err = run(*words)
        assert (code, out.count("\nseries  game ")) == (1, 2)
        assert err.startswith(f"plyhouse: {club}, line {at + 1}: ")
        assert err.endswith("what stands above it was read\n")
        assert "\x1b" not in err
    code, out, _ = run("verify", club)
    assert (code, out.startswith(f"not ok: line {at + 1}: ")) == (1, True)


def test_a_file_of_fifty_megabytes_is_refused_unread(run: Run, tmp_path: Path) -> None:
    large = tmp_path / "large.mat"
    with large.open("wb") as file:
        file.truncate(50 << 20)
    for command in ("analyse", "replay", "export", "verify"):
        code, out, err = run(command, large)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "a file of a match has 8 MiB at most, and this one more" in err
