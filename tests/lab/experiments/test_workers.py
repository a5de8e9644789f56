"""Who plays which pairs, and that it makes no difference to what comes of them."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from lab.experiments import workers
from lab.experiments.cell import Batch, Cell, CellPlayer, Side, game_seed
from lab.experiments.sample import CellSample
from lab.experiments.workers import Schedule
from lab.farm import where
from lab.farm.executor import WorkerFailed
from lab.farm.farm import open_executor

RANDOM = Side("random", {}, 1)


def tree(nodes: int) -> Side:
    return Side("mcts", {"playouts": 2, "megabytes": 1}, nodes)


CELLS = {
    key: Cell(key, "tic_tac_toe", tree(nodes), RANDOM) for key, nodes in (("4", 4), ("12", 12))
}


def played(first: int, pairs: int, seconds: float, cell: str = "a") -> Batch:
    return Batch(cell, first, CellSample(pairs=pairs, seconds=seconds))


def numbers(schedule: Schedule, cost: dict[str, float], seed: int) -> dict[str, list[int]]:
    """The pairs that a schedule hands out to hands that end in any order, by cell."""
    rng, out = random.Random(seed), dict[str, list[int]]()
    waiting = [task for _ in range(3) if (task := schedule.next(3)) is not None]
    while waiting:
        task = waiting.pop(rng.randrange(len(waiting)))
        out.setdefault(task.cell, []).extend(range(task.first, task.first + task.pairs))
        schedule.done(played(task.first, task.pairs, cost[task.cell] * task.pairs, task.cell))
        if (task := schedule.next(3)) is not None:
            waiting.append(task)
    return out


@pytest.mark.parametrize("by_cost", [False, True])
def test_each_pair_is_handed_out_once_whatever_was_played_before(by_cost: bool) -> None:
    before = [played(0, 5, 1.0), played(9, 2, 1.0), played(30, 10, 1.0), played(0, 1, 1.0, "gone")]
    schedule = Schedule({"a": 40, "b": 3}, before, by_cost)
    assert schedule.games == 34
    found = numbers(schedule, {"a": 0.1, "b": 4.0}, seed=4)
    done = {*range(5), 9, 10, *range(30, 40)}
    assert sorted(found["a"]) == sorted(set(range(40)) - done)
    assert sorted(found["b"]) == [0, 1, 2]
    assert schedule.games == schedule.total == 86
    assert schedule.seconds_left() == 0


def test_cells_come_along_together_and_dear_ones_less_where_cost_counts() -> None:
    for by_cost, least in ((False, 12), (True, 3)):
        schedule = Schedule({"a": 1000, "b": 1000}, [], by_cost)
        for _ in range(40):
            task = schedule.next()
            assert task is not None
            seconds = {"a": 0.25, "b": 4.0}[task.cell] * task.pairs
            schedule.done(played(task.first, task.pairs, seconds, task.cell))
        a, b = (schedule.samples[key].pairs for key in "ab")
        assert a / b == pytest.approx(4 if by_cost else 1, rel=0.35)
        assert b >= least


def test_the_seed_of_a_game_follows_from_seed_cell_and_number() -> None:
    seeds = {game_seed(s, k, n) for s in (1, 2) for k in ("a", "b") for n in range(50)}
    assert len(seeds) == 200


def facts(batches: Iterable[Batch]) -> dict[str, object]:
    """All that the same seed repeats, by cell."""
    samples: dict[str, CellSample] = {}
    for batch in batches:
        samples.setdefault(batch.cell, CellSample()).merge(batch.sample)
    return {
        key: (s.pairs, s.outcomes, s.points, s.plies, s.a.choices, s.a.nodes, s.b.choices)
        for key, s in samples.items()
    }


def test_the_same_games_come_of_one_process_and_of_two_and_of_single_pairs() -> None:
    def batches(jobs: int) -> list[Batch]:
        schedule, found = Schedule(dict.fromkeys(CELLS, 6), []), []
        with open_executor(where.processes(jobs)) as executor:
            for batch in workers.play(CELLS, 7, lambda: schedule.next(jobs), executor):
                schedule.done(batch)
                found.append(batch)
        return found

    alone = facts(batches(1))
    assert alone == facts(batches(2))
    one_by_one = [
        CellPlayer(cell, 7).play(n, 1) for cell in CELLS.values() for n in range(5, -1, -1)
    ]
    assert alone == facts(one_by_one)
    assert alone != facts(CellPlayer(cell, 8).play(0, 6) for cell in CELLS.values())
    again = msgspec.json.decode(msgspec.json.encode(one_by_one[0]), type=Batch)
    assert again == one_by_one[0]


def test_in_a_shared_pair_both_games_have_the_same_dice() -> None:
    cell = Cell("p", "pebbles", RANDOM, RANDOM, shared=True)
    twin = msgspec.structs.replace(cell, shared=False)
    # Seat 0 has the same seed in both games and so has seat 1: only who sits there differs.
    sample = CellPlayer(cell, 3).play(0, 20).sample
    assert sample.points == 0
    assert sample.squares == 0
    assert CellPlayer(twin, 3).play(0, 20).sample.squares > 0


def test_a_worker_that_dies_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mortal.py").write_text(
        "import os\n"
        "from bots.bot import Bot\n"
        "class Mortal(Bot):\n"
        "    def think(self, position, nodes, stop):\n"
        "        os._exit(9)\n"
        "BOT = Mortal\n"
    )
    monkeypatch.setenv("PLYHOUSE_BOTS", str(tmp_path))
    cells = {"c": Cell("c", "tic_tac_toe", Side("mortal", {}, 1), RANDOM)}
    schedule = Schedule({"c": 4}, [])
    expected = r"^3 processes have ended in the middle of pair 1 of c, one after the other"
    with open_executor("processes:1") as executor, pytest.raises(WorkerFailed, match=expected):
        list(workers.play(cells, 1, schedule.next, executor))
