"""Processes of this machine that start afresh and end with this one.

Each worker is a pool of one process, so that it is known which task a lost process had: that task
alone is done again, by a new process.  Workers ignore Ctrl-C, which is for this process.  They end
when a pipe does that this process holds, also where it was killed: at once, or where a task has a
`grace_period`, after that.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent import futures
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Final, ParamSpec, TypeVar

from bots.online.output import log_to_stderr
from lab.farm.executor import (
    FarmExecutor,
    WorkerFailed,
    context,
    idle,
    portable,
)
from lab.farm.interrupts import undisturbed

TRIES: Final = 3  # of a task whose process was lost; more, and it is the task that kills them
GRACE_S: Final = 5.0  # for a task to put things away; a local server takes a second

P = ParamSpec("P")
T = TypeVar("T")


class _Job:
    """A call that is to be made, and how often its process was lost."""

    def __init__(self, call: tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]) -> None:
        self.call = call
        self.future: Future[Any] = Future()
        self.lost = 0


class ProcessesExecutor(FarmExecutor):
    """See above."""

    def __init__(self, max_workers: int) -> None:
        self._max_workers = max_workers
        self._context = get_context("spawn")  # no thread or lock of ours comes along
        self._theirs, self._ours = self._context.Pipe(duplex=False)
        self._lock = threading.RLock()
        self._waiting: deque[_Job] = deque()
        self._open: set[Future[Any]] = set()
        self._pools: dict[int, ProcessPoolExecutor] = {}
        self._broken: dict[int, ProcessPoolExecutor] = {}  # the last of each worker; see `_ended`
        self._free = list(range(max_workers))
        self._closed = False

    @property
    def max_workers(self) -> int:
        return self._max_workers

    @undisturbed()
    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have a process do it."""
        job = _Job((fn, args, kwargs))
        with self._lock:
            if self._closed:
                raise RuntimeError("an executor that is closed takes no tasks")
            self._waiting.append(job)
            self._open.add(job.future)
            self._hand_out()
        return job.future

    def outcome(self, future: Future[T], title: str) -> T:
        """The result, or why there is none."""
        try:
            return future.result()
        except BrokenProcessPool:
            raise WorkerFailed(
                f"{TRIES} processes have ended in the middle of {title}, one after the other: "
                "it kills them, or the machine has too little memory for it"
            ) from None

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes: after all tasks, or with `cancel_futures` in the middle of them."""
        if not cancel_futures:
            futures.wait(self._open)
        with self._lock:
            self._closed = True
            pools = list(self._pools.values())
            while self._waiting:
                self._drop(self._waiting.popleft())
            if cancel_futures:
                self._ours.close()
        for pool in pools:
            pool.shutdown(wait=True, cancel_futures=True)
        self._ours.close()
        self._theirs.close()

    def _drop(self, job: _Job) -> None:
        """Let go of a task, whose result no caller will get."""
        self._open.discard(job.future)
        if job.lost:
            job.future.set_exception(BrokenProcessPool("closed"))
        elif job.future.cancel():
            job.future.set_running_or_notify_cancel()  # so that its caller is told

    def _hand_out(self) -> None:
        """Give tasks that wait to workers that are free; the lock is held."""
        while self._free and self._waiting:
            job = self._waiting.popleft()
            if job.lost or job.future.set_running_or_notify_cancel():
                self._begin(self._free.pop(), job)
            else:
                self._open.discard(job.future)

    def _begin(self, worker: int, job: _Job) -> None:
        with _ctrl_c_waits():
            try:
                done = self._pool(worker).submit(_call, *job.call)
            except BrokenProcessPool:  # its process was lost while it had nothing to do
                del self._pools[worker]
                done = self._pool(worker).submit(_call, *job.call)
        done.add_done_callback(lambda result: self._ended(worker, job, result))

    def _pool(self, worker: int) -> ProcessPoolExecutor:
        if worker not in self._pools:
            how = (1, self._context, _enter_process, (self._theirs,))
            self._pools[worker] = ProcessPoolExecutor(*how)
        return self._pools[worker]

    def _ended(self, worker: int, job: _Job, done: Future[Any]) -> None:
        """A call is over, or its process is; this runs on a thread of the worker's pool.

        Since Python 3.12 that thread holds a lock of the pool where its process was lost, and
        a thread that lets go of a pool takes this lock.  So the pool is kept until the next is
        lost.
        """
        error = done.exception() if not done.cancelled() else BrokenProcessPool("closed")
        with self._lock:
            self._free.append(worker)
            if isinstance(error, BrokenProcessPool):
                self._broken[worker] = self._pools.pop(worker)
                job.lost += 1
                if job.lost < TRIES and not self._closed:
                    self._waiting.appendleft(job)
                    self._hand_out()
                    return
            self._open.discard(job.future)
            if not self._closed:
                self._hand_out()
        if error is not None:
            job.future.set_exception(error)
        else:
            job.future.set_result(done.result())


@contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Start processes in which a Ctrl-C waits until they can ignore it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --- in a worker

_ending: Final = threading.Event()


def _enter_process(parent: Connection) -> None:
    """Make a process ready for tasks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    os.dup2(2, 1)  # what bots print is no result
    log_to_stderr()
    context.ending = _ending
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Connection) -> None:
    """Wait until the other end of the pipe is closed, then end this process."""
    parent.poll(None)
    _ending.set()
    idle.wait(GRACE_S)
    os._exit(1)


def _call(function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    try:
        return function(*arguments, **named)
    except Exception as error:  # whatever it is, the task's caller gets it
        raise portable(error) from error
