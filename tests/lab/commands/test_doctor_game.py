"""`plyhouse doctor game`: what it prints, its exit codes, and the comparison with machine code."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import plyhouse
from bots.engine import compiled
from bots.engine.kernels import probe
from games import registry
from games.laws import check
from games.laws.perft import perft as plain_perft
from games.laws.sample import Sample
from lab.doctor import comparison
from lab.doctor.comparison import agree, compare, perft

TIC = Path(registry.__file__).parent / "tic_tac_toe.py"
PEBBLES = Path(__file__).parents[2] / "extra_games" / "pebbles.py"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit code, output, and what was said beside it."""
    code = plyhouse.main(["doctor", "game", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def broken(folder: Path, old: str, new: str) -> Path:
    """Tic-tac-toe as a file of one's own, with a mistake."""
    source = TIC.read_text("utf-8").replace('name="tic_tac_toe"', 'name="mine"')
    assert old in source
    file = folder / "mine.py"
    file.write_text(source.replace(old, new), "utf-8")
    return file


def test_a_good_game_keeps_all_laws(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, str(PEBBLES), "--quick")
    assert code == 0
    rows = out.splitlines()
    assert rows[0] == f"Pebbles (pebbles), {PEBBLES}"
    assert len([row for row in rows if row.startswith(("ok ", "- "))]) == len(check.LAWS)
    assert "drawing  5 lines of 31 columns: it fits a terminal of 60" in rows
    assert rows[-1] == f"all {len(check.LAWS)} laws hold"


def test_a_broken_law_is_shown_with_position_and_actions(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = broken(tmp_path, "= 3, 9, 0, 9, 1, 1", "= 3, 9, 0, 5, 1, 1")
    code, out, _ = run(capsys, str(file))
    assert code == 1
    rows = out.splitlines()
    at = rows.index(f"failed  {check.title(check.LAWS[1])}")
    assert rows[at + 1].strip() == "it took 9 plies to its end; max_plies is 5"
    game = registry.game("tic_tac_toe")
    position = game.initial()
    for text in rows[at + 3].split()[1:]:
        position = position.apply(game.parse_action(position, text))
    assert rows[at + 2].strip() == f"in {game.format_position(position)}"
    assert "speed    not tried: the laws above come first" in rows
    assert rows[-1] == f"1 of {len(check.LAWS)} laws are broken"


def test_json_says_all_of_it_and_what_a_file_prints_is_no_part_of_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = broken(tmp_path, "def draw(p: Position", "print('here I am')\n\n\ndef draw(p: Position")
    code, out, said = run(capsys, str(file), "--json", "--quick")
    report = json.loads(out)
    assert (code, report["ok"], report["game"]) == (0, True, "mine")
    assert "here I am" in said
    assert [law["law"] for law in report["laws"]] == [check.title(law) for law in check.LAWS]
    assert report["drawing"] == {"lines": 5, "columns": 11}
    assert report["not_tried"]["perft"] == "--quick"


@pytest.mark.parametrize(
    ("file", "text", "sentence"),
    [
        ("mine.py", "GAME = 1 // 0\n", "line 1: ZeroDivisionError"),
        ("mine.py", "", "must end in GAME = Game(name='mine'"),
        ("mine.txt", "GAME", "is no Python file"),
        ("none.py", None, "there is no file"),
        ("mine/readme", "", "there is no file"),
    ],
)
def test_a_file_that_is_no_game_is_a_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, file: str, text: str | None, sentence: str
) -> None:
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    if text is not None:
        path.write_text(text, "utf-8")
    code, out, said = run(capsys, str(path if file != "mine/readme" else path.parent))
    assert (code, out) == (2, "")
    assert sentence in said
    assert said.count("\n") == 1


def test_an_unknown_name_is_answered_with_those_that_exist(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, _, said = run(capsys, "chess")
    assert code == 2
    assert said.startswith("plyhouse: no game is called 'chess'; there are backgammon, ")


@pytest.mark.parametrize("name", ["tic_tac_toe", "pebbles"])
def test_perft_by_the_kernel_counts_as_the_plain_one(name: str) -> None:
    game = registry.game(name)
    depth = 4
    counts = [perft(game, n, plain=True) for n in range(1, depth + 1)]
    assert counts == plain_perft(game, depth)


def copy_of(name: str, **instead: Any) -> SimpleNamespace:
    """The kernels of a game as a copy has them, one of them another."""
    kernels = vars(compiled.search(probe, registry.game(name), plain=True))
    return SimpleNamespace(**{**kernels, **instead})


@pytest.mark.parametrize(
    ("name", "kernel", "wrong"),
    [
        ("tic_tac_toe", "key", lambda s: 1),
        ("tic_tac_toe", "mover", lambda s: 0),
        ("tic_tac_toe", "points", lambda s: 2),
        ("pebbles", "evaluate", lambda s: 77),
        ("pebbles", "weight", lambda s, a: 9),
        ("pebbles", "tactic", lambda s, out, tmp: 2),
    ],
)
def test_a_kernel_that_differs_from_plain_is_found(name: str, kernel: str, wrong: Any) -> None:
    def differing(sample: Sample) -> None:
        compare(sample, copy_of(name, **{kernel: wrong}))  # type: ignore[arg-type]

    sample = Sample(registry.game(name))
    what = check.check(differing, sample).what
    assert what is not None
    assert what.startswith(f"{kernel}() ")
    assert check.check(agree, sample).what is None


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
@pytest.mark.parametrize("name", registry.names())
def test_a_game_of_the_house_passes_with_machine_code(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    code, out, _ = run(capsys, name)
    assert code == 0, out
    assert check.title(comparison.agree) in out


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_an_int_that_overflows_in_machine_code_only_is_found(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = broken(
        tmp_path,
        "return s[0] | s[1] << 9",
        "return ((s[0] | s[1] << 9) * 6364136223846793005 * 7 >> 3) % 1000003",
    )
    code, out, _ = run(capsys, str(file))
    assert code == 1
    assert "key() says " in out
