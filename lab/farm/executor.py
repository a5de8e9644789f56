"""What does tasks, and the results of tasks as they end; farm.py opens one.

An executor is one of `concurrent.futures`, and knows how many tasks it does at once.  A task is a
function of a module with its arguments; both may be sent to another machine.  What a task returns
depends on its arguments alone, so results are the same wherever it is done, and it may be done
again where a worker was lost.
"""

from __future__ import annotations

import pickle
import sys
import threading
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Final, Generic, NamedTuple, ParamSpec, Self, TypeVar

from lab.farm.interrupts import check, undisturbed

LOOK_S: Final = 0.5  # between two looks at whether somebody wants an end
TIMEOUT_S: Final = 10.0  # without a result, until it is said why there is none

P = ParamSpec("P")
T = TypeVar("T")


class WorkerFailed(RuntimeError):
    """A task cannot be done: workers end in the middle of it, or are gone; a sentence."""


class Task(NamedTuple, Generic[T]):
    """A function of a module, and what it is called with.  `title`: the work, in sentences."""

    function: Callable[..., T]
    arguments: tuple[Any, ...]
    title: str = "a task"


class FarmExecutor(Executor):
    """An executor that ends at once when an error, or Ctrl-C, leaves its block."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.shutdown(wait=kind is None, cancel_futures=kind is not None)

    @property
    @abstractmethod
    def max_workers(self) -> int:
        """Tasks that are done at once."""

    @property
    def wanted(self) -> int:
        """Tasks that shall be waiting or under way, so that no worker is idle."""
        return self.max_workers

    @abstractmethod
    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have a function called; its result, or what it raises."""

    def outcome(self, future: Future[T], title: str) -> T:
        """The result of a future that is done.

        Raises:
            WorkerFailed: its worker was lost, for good.
            Whatever the task raised.
        """
        return future.result()

    def trouble(self) -> str | None:
        """Why there may be no result for long, in a sentence.

        Raises:
            WorkerFailed: there will never be one.
        """
        return None


class HereExecutor(FarmExecutor):
    """Does each task when it is submitted: the plain loop."""

    @property
    def max_workers(self) -> int:
        return 1

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Call the function; what it prints is no result, and Ctrl-C goes to the caller."""
        future: Future[T] = Future()
        try:
            with redirect_stdout(sys.stderr):
                result = fn(*args, **kwargs)
        except Exception as error:  # noqa: BLE001  # the result's caller gets it
            future.set_exception(error)
        else:
            future.set_result(result)
        return future


class ThreadsExecutor(FarmExecutor):
    """Threads of this process; in its block, whatever is printed goes to stderr."""

    def __init__(self, max_workers: int) -> None:
        self._max_workers = max_workers
        self._ending = threading.Event()
        self._block = ExitStack()
        self._pool = ThreadPoolExecutor(max_workers, "farm", _enter_thread, (self._ending,))

    @property
    def max_workers(self) -> int:
        return self._max_workers

    @undisturbed()
    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        return self._pool.submit(fn, *args, **kwargs)

    def __enter__(self) -> Self:
        self._block.enter_context(redirect_stdout(sys.stderr))
        return self

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Tasks under way are done first, or end themselves where they ask `is_ending`."""
        if cancel_futures:
            self._ending.set()
        self._pool.shutdown(wait=True, cancel_futures=cancel_futures)
        self._block.close()


class WorkerContext(threading.local):
    """What a task can know of where it is done."""

    ending: threading.Event | None = None
    shares_process = False

    def __init__(self) -> None:
        self.kept: dict[Callable[..., object], tuple[tuple[Any, ...], Any]] = {}


context: Final = WorkerContext()
idle: Final = threading.Event()  # not set during a `grace_period` of a task of this process
idle.set()


def _enter_thread(ending: threading.Event) -> None:
    context.ending, context.shares_process = ending, True


def is_ending() -> bool:
    """Whether no caller waits for this task any more."""
    return context.ending is not None and context.ending.is_set()


@contextmanager
def grace_period() -> Iterator[None]:
    """A block that looks whether it `is_ending`, and gets a moment then to put things away."""
    idle.clear()
    try:
        yield
    finally:
        idle.set()


def shares_process() -> bool:
    """Whether other tasks may be under way in this process, and spend its CPU time."""
    return context.shares_process


def kept(make: Callable[..., T], *arguments: Any) -> T:
    """What `make` returns, kept by this worker for tasks that follow with the same arguments."""
    last = context.kept.get(make)
    if last is None or last[0] != arguments:
        last = context.kept[make] = arguments, make(*arguments)
    value: T = last[1]
    return value


def portable(error: Exception) -> Exception:
    """An error that can be sent to another process: this one, or what it says."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001  # what an error does when it is copied may be anything
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def as_done(
    executor: FarmExecutor,
    tasks: Iterable[Task[T]],
    *,
    stopped: Callable[[], bool] = lambda: False,
    say: Callable[[str], None] = lambda line: None,
) -> Generator[tuple[int, T], None, None]:
    """The results as they end, each with the number of its task, from 0.

    Tasks are taken from `tasks` when a worker is free for one, so what it yields may depend on the
    results that came before.  Once `stopped` says so, no more are begun, and none is waited for.

    Raises:
        WorkerFailed: a task cannot be done.
        KeyboardInterrupt: an end was asked for, and no caller has heard of it.
        Whatever a task raised.
    """
    # Not `concurrent.futures.wait`: it takes the lock of each future, and a Ctrl-C in the middle of
    # that would leave some taken, so that no task of theirs could ever end.
    over: SimpleQueue[Future[T]] = SimpleQueue()
    waiting: dict[Future[T], tuple[int, str]] = {}
    source, number, quiet = iter(tasks), 0, 0.0
    told: str | None = None  # of what is wrong
    try:
        while not stopped():
            while len(waiting) < executor.wanted and (task := next(source, None)) is not None:
                future = executor.submit(task.function, *task.arguments)
                waiting[future] = number, task.title
                number += 1
                with undisturbed():
                    future.add_done_callback(over.put)
            if not waiting:
                return
            done = _taken(over)
            check()
            quiet, told = (0.0, None) if done else (quiet + LOOK_S, told)
            if quiet >= TIMEOUT_S:
                quiet, trouble = 0.0, executor.trouble()
                if trouble is not None and trouble != told:
                    say(trouble)
                told = trouble
            for future in sorted(done, key=lambda each: waiting[each]):
                place, title = waiting.pop(future)
                yield place, executor.outcome(future, title)
    finally:
        for future in waiting:
            future.cancel()


def _taken(over: SimpleQueue[Future[T]]) -> list[Future[T]]:
    """What the queue holds, at once or within LOOK_S."""
    taken = []
    with suppress(Empty):
        taken.append(over.get(timeout=LOOK_S))
        while True:
            taken.append(over.get_nowait())
    return taken


def in_order(
    executor: FarmExecutor, tasks: Iterable[Task[T]], **how: Any
) -> Generator[T, None, None]:
    """The results in the order of their tasks; see `as_done`."""
    early: dict[int, T] = {}
    place = 0
    for number, result in as_done(executor, tasks, **how):
        early[number] = result
        while place in early:
            yield early.pop(place)
            place += 1
