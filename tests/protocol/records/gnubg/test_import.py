"""GNU Backgammon imports the files of matches with cube and score, and counts the same."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from client.records.series import games_of
from protocol.parts import Options
from protocol.records import formats
from tests.support.series_played import played, records

GNUBG = shutil.which("gnubg") or "/usr/games/gnubg"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path(GNUBG).exists(), reason="GNU Backgammon is not installed"),
]
TERMS = {
    "3 points": Options(points=3),
    "7 points": Options(points=7),
    "25 points": Options(points=25),
    "1 point": Options(points=1),
    "nackgammon": Options(points=5, start="nackgammon"),
    "hypergammon": Options(points=5, start="hypergammon"),
    "money": Options(),
    "money by Jacoby": Options(jacoby=True),
    "money with beavers": Options(beavers=True),
    "no cube": Options(points=3, cube=False),
}


class Counted(NamedTuple):
    """What a game tree says: who won how much, the score before, and whether nobody doubled."""

    winner: str
    points: int
    white: int
    black: int
    is_crawford: bool


def trees(text: str) -> list[Counted]:
    """Each game of an SGF file."""
    games = []
    for root in re.findall(r"\(;FF\[4\].*?(?=\n;|\n\(|\))", text, re.DOTALL):
        result = re.search(r"RE\[([WB])\+(\d+)R?\]", root)
        score = re.search(r"\[ws:(\d+)\]\[bs:(\d+)\]", root)
        assert result, root
        assert score, root
        rules = re.search(r"RU\[(.*?)\]", root)
        crawford = rules is not None and "CrawfordGame" in rules[1]
        games.append(Counted(result[1], int(result[2]), int(score[1]), int(score[2]), crawford))
    return games


def turned(game: Counted) -> Counted:
    """The same with the colours exchanged: of match text the left side becomes White."""
    winner = "W" if game.winner == "B" else "B"
    return game._replace(winner=winner, white=game.black, black=game.white)


def imported(file: Path, *first: str) -> str:
    """What GNU Backgammon writes as SGF of a file that it has read."""
    out, script = file.with_suffix(".out.sgf"), file.with_suffix(".txt")
    read = f"import mat {file}" if file.suffix == ".mat" else f"load match {file}"
    script.write_text("\n".join([*first, "set automatic game off", read, f"save match {out}", ""]))
    command = [GNUBG, "-t", "-q", "-r", "-c", str(script)]
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    return out.read_text("utf-8")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", TERMS)
def test_it_reads_what_we_export_and_counts_the_same(name: str, seed: int, tmp_path: Path) -> None:
    options = TERMS[name]
    table = played(options, seed, most=99 if options.points else 1)
    *before, last = games_of(records(table))
    ours = formats.write(last, "sgf", before).decode()
    for ending in ("sgf", "mat"):
        file = tmp_path / f"match.{ending}"
        file.write_bytes(formats.write(last, ending, before))
        jacoby = "on" if options.jacoby else "off"
        found = trees(imported(file, f"set jacoby {jacoby}"))
        expected = trees(ours)
        if options.points == 1:  # where it has another name for what is the same
            found = [game._replace(is_crawford=True) for game in found]
        assert found == (expected if ending == "sgf" else [turned(game) for game in expected])


def test_a_gammon_of_plain_backgammon_counts_two_once_jacoby_is_off(tmp_path: Path) -> None:
    """As docs/reference/records.md says of match text; of SGF it knows that by itself."""
    vectors = Path(__file__).parents[3] / "vectors" / "records"
    expected = trees((vectors / "backgammon.sgf").read_text("utf-8"))
    assert expected[0].points == 2
    for ending in ("sgf", "mat"):
        file = tmp_path / f"gammon.{ending}"
        file.write_bytes((vectors / f"backgammon.{ending}").read_bytes())
        found = trees(imported(file, *(["set jacoby off"] if ending == "mat" else [])))
        assert [game.points for game in found] == [2]
