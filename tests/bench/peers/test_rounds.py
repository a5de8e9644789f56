"""The closed loop, the order of the rounds, and what is told where others cannot be had."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from bench.peers import interpreter, node, rounds
from bench.peers.load import GAME_OF_CELLS, PeerMatch
from bench.peers.node import COLYSEUS
from bench.peers.peers import ratio
from bench.peers.rounds import BARE, OURS, Job, jobs, play_rounds
from bench.peers.seat import PeerSeat
from bench.server.load import ServerLoad
from bench.support.generator import Generator
from bench.support.report import Missing
from tests.support.command import Run


class ScriptedSeat(PeerSeat):
    """A seat without a server: a message is the number of moves that it shows."""

    def __init__(self) -> None:
        self.shown = 0
        self.played: list[tuple[int, int]] = []

    def play(self, cell: int, moves: int) -> None:
        self.played.append((cell, moves))

    def moves_in(self, payload: bytes) -> int | None:
        return payload[0] if payload else None


def load(moves_per_s: float = 1.0) -> ServerLoad:
    return ServerLoad(
        seconds=1.0, moves=1, moves_per_s=moves_per_s, p50_ms=1.0, p99_ms=2.0, generator_busy=0.1,
        errors=0, complaints=[], matches=1, bytes_per_move=10.0, server_cpu_us=None,
        server_kernel_share=None, server_written=None,
    )  # fmt: skip


def test_the_next_move_goes_out_when_both_have_been_shown_the_last() -> None:
    generator, seats = Generator(), (ScriptedSeat(), ScriptedSeat())
    match = PeerMatch(generator, seats)
    match.play()
    for moves in range(1, 12):
        mover, other = seats[moves % 2], seats[1 - moves % 2]
        other.show(bytes((moves,)))
        other.show(b"")
        assert generator.counts.moves == moves - 1
        before = len(mover.played)
        mover.show(bytes((moves,)))
        assert generator.counts.moves == len(generator.counts.times) == moves
        assert mover.played[before:] == [(GAME_OF_CELLS[moves % 9], moves)]
    assert generator.counts.errors == 0
    generator.close()


def test_a_move_that_changes_nothing_is_blamed() -> None:
    generator, seats = Generator(), (ScriptedSeat(), ScriptedSeat())
    match = PeerMatch(generator, seats)
    match.play()
    seats[0].show(bytes((0,)))  # as boardgame.io answers what its rules refuse
    assert generator.counts.complaints == ["move 1 was sent, and 0 shown"]
    generator.close()


def test_others_play_at_the_first_number_and_alone_and_ours_at_each() -> None:
    assert jobs([OURS, BARE], [200, 1, 10]) == [
        Job(OURS, 200), Job(BARE, 200), Job(OURS, 1), Job(BARE, 1), Job(OURS, 10),
    ]  # fmt: skip


def test_rounds_go_forwards_and_backwards_until_the_time_is_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, now = list[Job](), [0.0]
    monkeypatch.setattr(rounds.time, "monotonic", lambda: now[0])

    def run(job: Job, data: Path) -> ServerLoad:
        assert not data.exists()
        done.append(job)
        now[0] += 5.0
        return load()

    plan = [Job(OURS, 2), Job(BARE, 2)]
    played = play_rounds(plan, run, tmp_path, most=7, limit_s=35.0)
    assert len(played) == 3, "a fourth would end after 40 s"
    assert done == [*plan, *plan[::-1], *plan]
    assert list(played[0].loads) == plan
    assert all(0 < each.sync[0] <= each.sync[1] for each in played)


def test_there_is_no_ratio_to_nothing() -> None:
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
    monkeypatch.setattr(interpreter, "TIMES", 1)
    monkeypatch.setattr(rounds, "SYNCS", 5)
    monkeypatch.setattr("bench.peers.peers.runner", lambda *_: lambda job, data: load(job.matches))
    said = run("bench peers", "--matches 4,1,2 --rounds 2")
    assert said.code == 0
    assert said.err.startswith("there is no node here.\n")
    assert "there is no node here." in said.out
    assert BARE in said.out
    assert COLYSEUS not in said.out
    assert "round 2: Plyhouse, 2 at once: 2 moves/s" in said.err


def test_the_lock_file_names_no_address_to_fetch_from() -> None:
    lock = msgspec.json.decode((node.SOURCES / "package-lock.json").read_bytes())
    packages = {name: about for name, about in lock["packages"].items() if name}
    assert [name for name, about in packages.items() if "resolved" in about] == []
    assert [name for name, about in packages.items() if "integrity" not in about] == []
    assert lock["packages"][""]["dependencies"] == node.pinned_versions()
