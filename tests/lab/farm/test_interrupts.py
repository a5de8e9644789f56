"""A Ctrl-C ends what a farm does wherever Python happens to be, and leaves no lock taken."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from lab.farm.executor import HereExecutor, Task, ThreadsExecutor, as_done
from lab.farm.interrupts import interruptible
from tests.lab.farm import work


def ctrl_c() -> None:
    """What a terminal sends."""
    os.kill(os.getpid(), signal.SIGINT)


class Finalizer:
    """Is ended by a Ctrl-C, of which Python says that it ignores it."""

    def __del__(self) -> None:
        ctrl_c()


def endless() -> Iterator[Task[int]]:
    while True:
        yield Task(work.square, (3,))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_one_that_a_finalizer_has_swallowed_ends_it_all_the_same() -> None:
    results = 0

    def play() -> None:
        nonlocal results
        for _ in as_done(HereExecutor(), endless()):
            results += 1
            if results == 3:
                Finalizer()

    with interruptible(), pytest.raises(KeyboardInterrupt):
        play()
    assert results == 3


def test_one_in_the_middle_of_handing_out_waits_for_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole: list[Future[object]] = []
    with ThreadsExecutor(1) as executor:
        submit = executor._pool.submit

        def interrupted(*task):  # type: ignore[no-untyped-def]
            ctrl_c()
            whole.append(submit(*task))
            return whole[-1]

        monkeypatch.setattr(executor._pool, "submit", interrupted)
        with interruptible(), pytest.raises(KeyboardInterrupt):
            list(as_done(executor, endless()))
    assert len(whole) == 1, "it is handed out whole, and no other is"


def test_handlers_are_as_before_and_other_threads_have_none() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interruptible():
        assert signal.getsignal(signal.SIGINT) is not before
        thread = threading.Thread(
            target=lambda: [*as_done(HereExecutor(), [Task(work.square, (3,))])]
        )
        thread.start()
        thread.join()
    assert signal.getsignal(signal.SIGINT) is before
