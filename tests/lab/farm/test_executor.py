"""Tasks are done wherever one wants, in any order, and their results are the same."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from lab.farm import dask_workers
from lab.farm import executor as farms
from lab.farm.executor import FarmExecutor, HereExecutor, Task, WorkerFailed, as_done, in_order
from lab.farm.farm import open_executor
from lab.farm.where import BadFarm, Where, cores, parse_where
from tests.lab.farm import work

SQUARES = [number * number for number in range(9)]


def squares() -> list[Task[int]]:
    return [Task(work.square, (number,)) for number in range(9)]


def test_a_place_is_written_as_it_is_read() -> None:
    for text in ("threads:3", "processes:2", "dask://10.0.0.7:8786", "dask://[::1]:8786"):
        assert str(parse_where(text)) == text
    assert parse_where("processes") == Where("processes", cores())
    assert parse_where("dask://farm.lan:8786/").address == "farm.lan:8786"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "'' is no place to work; there are threads:N, processes:N or dask://HOST:PORT"),
        ("here", "'here' is no place to work"),
        ("processes:0", "processes are 1 to 256, not 0"),
        ("threads:257", "threads are 1 to 256, not 257"),
        ("processes:two", "'processes:two' is no place"),
        ("dask://host", "'dask://host' is no place"),
        ("dask://host:0", "'dask://host:0' is no place"),
        ("dask://host:65536", "'dask://host:65536' is no place"),
        ("dask://ann@host:8786", "is no place"),
        ("tcp://host:8786", "is no place"),
    ],
)
def test_what_is_no_place_is_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(BadFarm) as error:
        open_executor(text)
    assert sentence in str(error.value)


class Backwards(FarmExecutor):
    """Does what it has been given when it is full: the last first."""

    def __init__(self, max_workers: int) -> None:
        self._max_workers = max_workers
        self.given: list[tuple[Future[object], Callable[[], object]]] = []

    @property
    def max_workers(self) -> int:
        return self._max_workers

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        future: Future[object] = Future()
        self.given.append((future, lambda: fn(*args, **kwargs)))
        if len(self.given) == self._max_workers:
            while self.given:
                other, call = self.given.pop()
                other.set_result(call())
        return future


def test_results_come_with_their_numbers_and_in_order_if_one_wants() -> None:
    assert list(as_done(HereExecutor(), squares())) == list(enumerate(SQUARES))
    assert list(in_order(Backwards(3), squares())) == SQUARES
    assert sorted(as_done(Backwards(3), squares())) == list(enumerate(SQUARES))


def test_a_task_is_taken_when_a_hand_is_free_for_it() -> None:
    results: list[int] = []

    def tasks() -> Iterator[Task[int]]:
        for number in range(9):
            assert number - len(results) <= 2, "at most three are waiting or done at once"
            yield Task(work.square, (number,))

    for _, result in as_done(Backwards(3), tasks()):
        results.append(result)
    assert sorted(results) == SQUARES


def test_none_is_begun_once_somebody_has_stopped_it() -> None:
    results: list[int] = []
    for _, result in as_done(HereExecutor(), squares(), stopped=lambda: len(results) == 4):
        results.append(result)
    assert results == SQUARES[:4]


def test_it_is_said_why_nothing_happens_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(farms, "LOOK_S", 0.01)
    monkeypatch.setattr(farms, "TIMEOUT_S", 0.03)
    executor, said = Backwards(2), list[str]()
    monkeypatch.setattr(executor, "trouble", lambda: "nobody is there")
    looks = iter(range(9))
    waiting = [Task(work.square, (1,))]
    done = as_done(executor, waiting, stopped=lambda: next(looks) == 8, say=said.append)
    assert list(done) == []
    assert said == ["nobody is there"], "once"
    assert executor.given[0][0].cancelled()


def test_threads_and_this_process_do_what_they_are_said_to() -> None:
    here = set(in_order(HereExecutor(), [Task(work.thread_of, (n,)) for n in range(4)]))
    assert len(here) == 1
    with open_executor("threads:2") as executor:
        assert list(in_order(executor, squares())) == SQUARES
        (process, thread) = next(in_order(executor, [Task(work.thread_of, (0,))]))
    assert process == os.getpid()
    assert (process, thread) not in here


def test_the_task_of_a_lost_process_is_done_again_and_errors_come_home(tmp_path: Path) -> None:
    with open_executor("processes:1") as executor:
        tasks = [Task(work.die_once, (tmp_path, 3)), *squares()]
        assert list(in_order(executor, tasks)) == [9, *SQUARES]
        with pytest.raises(RuntimeError, match=r"^Stubborn: no 5$"):
            next(in_order(executor, [Task(work.refuse, (5,))]))


@pytest.mark.slow
def test_each_of_several_processes_may_be_lost(tmp_path: Path) -> None:
    with open_executor("processes:3") as executor:
        tasks = [Task(work.die_once, (tmp_path, number)) for number in range(9)]
        assert list(in_order(executor, tasks)) == SQUARES


@pytest.mark.slow
def test_a_task_that_kills_every_process_is_a_sentence_and_the_others_are_done() -> None:
    with open_executor("processes:2") as executor:
        with pytest.raises(WorkerFailed, match=r"^3 processes have ended in the middle of that"):
            list(as_done(executor, [Task(work.die, (1,), "that"), *squares()]))
        assert list(in_order(executor, squares())) == SQUARES


@pytest.mark.slow
@pytest.mark.parametrize("where", ["threads:2", "processes:2"])
def test_an_error_ends_the_tasks_that_are_under_way(where: str, tmp_path: Path) -> None:
    begun, put_away, lost = tmp_path / "begun", tmp_path / "away", tmp_path / "lost"
    with suppress(KeyboardInterrupt), open_executor(where) as executor:
        executor.submit(work.wind_up, begun, put_away)
        if where == "processes:2":
            executor.submit(work.hang, lost)
        while not begun.exists() or (where == "processes:2" and not lost.exists()):
            time.sleep(0.01)  # between two looks at a file
        raise KeyboardInterrupt
    assert put_away.exists()


def test_only_what_dasks_own_callbacks_fail_at_is_kept_quiet(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = logging.getLogger("concurrent.futures")
    monkeypatch.setattr(log, "filters", [dask_workers._is_not_dasks])
    theirs: dict[str, Any] = {"__name__": "distributed.client"}
    exec("def callback(future): raise RuntimeError('closed')", theirs)
    for callback in (theirs["callback"], lambda future: 1 / 0):
        future: Future[None] = Future()
        future.add_done_callback(callback)
        future.cancel()
    assert [record.exc_info and record.exc_info[0] for record in caplog.records] == [
        ZeroDivisionError
    ]
