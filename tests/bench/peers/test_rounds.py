"""The closed loop, the order of the rounds, and what is told where others cannot be had."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import msgspec
import pytest

from bench.peers import node, peers
from bench.peers.colyseus import GAME_OF_CELLS, ColyseusMatch, play_frame
from bench.peers.node import COLYSEUS
from bench.peers.peers import BARE, OURS, Job, jobs
from bench.support import rounds
from bench.support.generator import Generator, Load
from bench.support.report import Missing, Spread
from tests.support.command import Run


class ScriptedWire:
    """A wire without a server, which keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def send_bytes(self, data: bytes) -> None:
        self.sent.append(data)


def shown(moves: int) -> bytes:
    """The message that so many moves were made."""
    return b"\x0f\x81" + moves.to_bytes(4, "little")


def load(moves_per_s: float = 1.0) -> Load:
    return Load(seconds=1.0, moves=int(moves_per_s), p50_ms=1.0, p99_ms=2.0)


def test_the_next_move_goes_out_when_both_have_been_shown_the_last() -> None:
    generator, wires = Generator(), [ScriptedWire(), ScriptedWire()]
    match = ColyseusMatch(generator, wires)  # type: ignore[arg-type]
    match.play()
    for moves in range(1, 12):
        mover, other = match.seats[moves % 2], match.seats[1 - moves % 2]
        other.show(shown(moves))
        assert generator.counts.moves == moves - 1
        before = len(wires[moves % 2].sent)
        mover.show(shown(moves))
        assert generator.counts.moves == len(generator.counts.times) == moves
        assert wires[moves % 2].sent[before:] == [play_frame(GAME_OF_CELLS[moves % 9])]
    assert generator.counts.errors == 0
    match.seats[0].show(shown(3))
    assert generator.counts.complaints == ["move 12 was sent, and 3 shown"]
    generator.close()


def test_others_play_at_the_first_number_and_alone_and_ours_at_each() -> None:
    assert jobs([OURS, BARE], [200, 1, 10]) == [
        Job(OURS, 200), Job(BARE, 200), Job(OURS, 1), Job(BARE, 1), Job(OURS, 10),
    ]  # fmt: skip


def test_rounds_go_forwards_and_backwards_until_the_time_is_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, now = list[str](), [0.0]
    monkeypatch.setattr(rounds.time, "monotonic", lambda: now[0])

    def side(name: str, data: Path) -> float:
        assert not data.exists()
        data.touch()
        done.append(name)
        now[0] += 5.0
        return now[0]

    sides = {name: partial(side, name) for name in (OURS, BARE)}
    played = rounds.in_turns(sides, 7, tmp_path, str, limit_s=35.0)
    assert len(played) == 3, "a fourth would end after 40 s"
    assert done == [OURS, BARE, BARE, OURS, OURS, BARE]
    table = rounds.by_side("", {"time": float, "none": lambda _: None}, played, {"x": BARE})
    assert table.rows == {"time": [Spread(15.0, 10.0, 30.0)]}
    both = rounds.ratios("", {"time": float}, played, {"x": (OURS, BARE)})
    assert both.rows == {"time": [Spread(25 / 30, 0.5, 20 / 15)]}


def test_there_is_no_ratio_to_nothing() -> None:
    ratio = rounds.ratio
    assert (ratio(2.0, 4.0), ratio(None, 4.0), ratio(2.0, 0.0)) == (0.5, None, None)


@pytest.mark.parametrize("program", ["node", "npm"])
def test_where_a_program_is_missing_a_sentence_says_so(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None if name == program else name)
    with pytest.raises(Missing, match=f"left out, as there is no {program} here"):
        node.install(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_without_node_the_rest_is_measured(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> Path:
        raise Missing("there is no node here.")

    monkeypatch.setattr(node, "install", absent)
    monkeypatch.setattr(peers, "SYNCS", 5)
    monkeypatch.setattr(peers, "loaded", lambda job, *_: load(job.matches))
    said = run("bench peers", "--matches 4,1,2 --rounds 2")
    assert said.code == 0
    assert said.err.startswith("there is no node here.\n")
    assert "there is no node here." in said.out
    assert BARE in said.out
    assert COLYSEUS not in said.out
    assert "round 2 of 2: Plyhouse, 2 at once: 2 moves/s" in said.err


def test_the_lock_file_names_no_address_to_fetch_from() -> None:
    lock = msgspec.json.decode((node.SOURCES / "package-lock.json").read_bytes())
    packages = {name: about for name, about in lock["packages"].items() if name}
    assert [name for name, about in packages.items() if "resolved" in about] == []
    assert [name for name, about in packages.items() if "integrity" not in about] == []
    assert lock["packages"][""]["dependencies"] == node.pinned_versions()
