"""`plyhouse export` and `plyhouse replay`, from a file and from a server."""

from __future__ import annotations

import dataclasses
import errno
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from client.commands.arguments import guarded
from protocol.parts import Series
from protocol.records import mat, record, sgf, text
from protocol.records.record import MatchRecord
from protocol.records.replay import replay_events
from tests.client.conftest import Run
from tests.client.records.played import Played, file, won_at_connect_four
from tests.support.terminal import exit_code, in_terminal


@pytest.fixture
def run(plyhouse_main: Run) -> Run:
    """Run a command in this process."""
    return plyhouse_main


def backgammon() -> Played:
    return Played("backgammon").plays_on(seed=2)


def test_each_format_is_what_its_module_writes(run: Run, tmp_path: Path) -> None:
    path, replay = file(tmp_path, backgammon()), replay_events(backgammon().events)
    for name, wanted in (
        ("json", path.read_text()), ("text", text.write(replay)),
        ("mat", mat.write([replay])), ("sgf", sgf.write([replay])),
    ):  # fmt: skip
        assert run("export", path, "--format", name) == (0, wanted, "")
    assert run("export", path) == (0, path.read_text(), "")


@pytest.mark.parametrize(
    ("score", "crawford", "told"),
    [((6, 2), False, True), ((6, 2), True, False), ((5, 2), False, False), ((6, 6), False, False)],
)
def test_a_game_after_the_crawford_game_is_not_whole_in_match_text(
    score: tuple[int, int], crawford: bool, told: bool
) -> None:
    replay = replay_events(backgammon().events)
    game = dataclasses.replace(replay, series=Series(points=7, score=score, crawford=crawford))
    assert ("--format sgf says so" in (mat.unsaid([game]) or "")) is told
    first = dataclasses.replace(replay, series=Series(points=7))
    assert mat.unsaid([first, game]) is None  # it has been read how often each side won


def test_it_is_written_into_a_file(run: Run, tmp_path: Path) -> None:
    path, out = file(tmp_path), tmp_path / "out.txt"
    code, said, complaints = run("export", path, "--format", "text", "--out", out)
    assert (code, said, complaints) == (0, f"wrote {out}, {out.stat().st_size} bytes\n", "")
    assert out.read_text() == text.write(replay_events(won_at_connect_four()))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("export --format pgn", "no format 'pgn'; there are json, text, sgf, mat"),
        ("export --format mat", "mat is for backgammon; connect_four goes into json or text"),
        ("export --format sgf", "sgf is for backgammon; connect_four goes into json or text"),
        ("export --out /nowhere/at/all", "/nowhere/at/all: No such file or directory"),
        ("replay --seat third", "'third' is not a seat"),
        ("replay --every 0", "--every takes 0.01 to 3600 seconds"),
        ("replay --every nan", "--every takes 0.01 to 3600 seconds"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    run: Run, tmp_path: Path, words: str, sentence: str
) -> None:
    command, *options = words.split()
    code, out, err = run(command, file(tmp_path), *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert sentence in err


def test_a_failure_that_is_no_file_s_names_none(capsys: pytest.CaptureFixture[str]) -> None:
    def fill_the_disk() -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    assert guarded(fill_the_disk) == 2
    assert capsys.readouterr().err == "plyhouse: No space left on device\n"


def test_a_file_that_was_altered_is_not_read_on(run: Run, tmp_path: Path) -> None:
    path = file(tmp_path)
    path.write_bytes(path.read_bytes().replace(b'"action":"3"', b'"action":"2"', 1))
    for words in (("export", path, "--format", "text"), ("replay", path)):
        code, out, err = run(*words)
        assert (code, out) == (2, "")
        assert "was altered: line 4" in err


def test_a_pipe_gets_every_position_or_only_the_moves(run: Run, tmp_path: Path) -> None:
    code, out, err = run("replay", file(tmp_path))
    assert (code, err) == (0, "")
    assert out.count("\nply ") == 7
    assert out.endswith("ann won: four in a row.\n")
    assert "\x1b" not in out
    replay = replay_events(won_at_connect_four())
    assert run("replay", file(tmp_path), "--moves") == (0, text.write(replay), "")


def test_a_seat_turns_the_board(run: Run, tmp_path: Path) -> None:
    path = file(tmp_path, Played("backgammon").plays_on(seed=2, most=4).gives_up(0))
    first = run("replay", path, "--seat", "first")
    assert first == run("replay", path)
    assert first != run("replay", path, "--seat", "second")


def test_a_game_that_is_not_known_here_can_still_be_copied(run: Run, tmp_path: Path) -> None:
    path = file(tmp_path)
    start, *events = record.read(path.read_bytes()).events
    strange = MatchRecord("17.2", (replace(start, game="go"), *events))
    path.write_bytes(record.write(strange))
    assert run("export", path)[:2] == (0, path.read_text())
    code, _, err = run("export", path, "--format", "text")
    assert (code, "the game 'go' is not known here" in err) == (2, True)


def test_a_terminal_is_shown_no_strangers_control_characters(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file(tmp_path)
    start, *events = record.read(path.read_bytes()).events
    assert start.players is not None
    bad = "a\x9b2J\u202en\x7f"
    players = (replace(start.players[0], name=bad), start.players[1])
    path.write_bytes(record.write(MatchRecord("17.2", (replace(start, players=players), *events))))
    assert run("export", path)[1] == path.read_text(), "a pipe gets the record as it is"
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda stream: True, raising=False)
    for name, told in (("json", "a\\u009b2J\\u202en\\u007f"), ("text", "a2Jn")):
        code, shown, _ = run("export", path, "--format", name)
        assert (code, told in shown) == (0, True)
        assert not set("\x9b\u202e\x7f") & set(shown)


def test_in_a_terminal_one_steps_through_it(tmp_path: Path) -> None:
    words = ("replay", str(file(tmp_path)), "--every", "0.02")
    with in_terminal(tmp_path, *words, columns=100) as child:
        child.expect("ply 0 of 7")
        child.send("\x1b[C")
        child.expect("1. .*X")
        child.send(" ")
        child.expect("ann won: four in a row")
        child.send("q")
        assert exit_code(child) == 0


def test_the_ending_of_the_file_chooses_the_format(run: Run, tmp_path: Path) -> None:
    path, replay = file(tmp_path, backgammon()), replay_events(backgammon().events)
    for name, wanted in (
        ("a.mat", mat.write([replay])), ("a.SGF", sgf.write([replay])),
        ("a.txt", text.write(replay)), ("a.json", path.read_text()), ("a", path.read_text()),
    ):  # fmt: skip
        out = tmp_path / "out" / name
        out.parent.mkdir(exist_ok=True)
        assert run("export", path, "--out", out)[0] == 0
        assert out.read_text() == wanted
    assert run("export", path, "--format", "MAT") == (0, mat.write([replay]), "")


def test_a_format_that_the_ending_contradicts_is_refused(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "a.sgf"
    code, _, said = run("export", file(tmp_path, backgammon()), "--format", "mat", "--out", out)
    assert (code, out.exists()) == (2, False)
    assert said == f"plyhouse: {out} would hold mat, but its ending says sgf: leave one out\n"


def test_the_record_that_is_read_is_not_written_over(run: Run, tmp_path: Path) -> None:
    path = file(tmp_path, backgammon())
    before, link = path.read_bytes(), tmp_path / "link"
    link.symlink_to(path)
    for out in (path, link):
        code, _, said = run("export", path, "--format", "text", "--out", out)
        assert code == 2
        assert "is the record that is read; name another file with --out" in said
        assert path.read_bytes() == before
