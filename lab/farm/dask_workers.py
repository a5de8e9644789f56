"""The workers of a dask scheduler, on any machines.

dask gives a task whose worker was lost to another one.  A task that a worker has begun cannot be
interrupted: after Ctrl-C it is done to its end there, and its result is dropped.  A client that
reaches the scheduler can run anything on its workers; where dask's own configuration names a
certificate, the connection is by TLS.
"""

from __future__ import annotations

import importlib
import logging
import pickle
import time
import warnings
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Any, Final, ParamSpec, TypeVar

from lab.farm.executor import FarmExecutor, WorkerFailed, context, portable
from lab.farm.interrupts import undisturbed
from lab.farm.where import BadFarm

CONNECT_S: Final = 5.0  # for the scheduler to answer
FIRST_S: Final = 10.0  # for its first worker to come
COUNTED_S: Final = 5.0  # for which the number of threads holds
QUIET: Final = ("distributed", "distributed.client", "tornado.application")  # loggers
AHEAD: Final = 2  # tasks for each thread: one there and back takes some ten milliseconds

P = ParamSpec("P")
T = TypeVar("T")


class DaskExecutor(FarmExecutor):
    """See above."""

    def __init__(self, address: str, say: Callable[[str], None]) -> None:
        """Raises BadFarm."""
        self._address = address
        self._max_workers, self._counted_at = 0, 0.0
        self._client = _connected(address)
        try:
            self._identity = self._check_workers(say)
        except BaseException:
            self._client.close()
            raise
        self._executor = self._client.get_executor()

    @property
    def max_workers(self) -> int:
        """The threads of all workers, at least one."""
        if self._max_workers == 0 or time.monotonic() - self._counted_at > COUNTED_S:
            with suppress(Exception):  # dask's own: `outcome` says that the scheduler is gone
                self._max_workers = max(1, sum(self._threads().values()))
            self._counted_at = time.monotonic()
        return max(1, self._max_workers)

    @property
    def wanted(self) -> int:
        """More than there are threads, as a task takes time to come here."""
        return AHEAD * self.max_workers

    @undisturbed()
    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have a worker do it."""
        call = pickle.dumps((fn, args, kwargs))  # one value, in which dask looks for nothing
        try:
            future: Future[T] = self._executor.submit(_call, self._identity, call)
        except Exception as error:  # dask's own: the connection is lost
            raise WorkerFailed(self._gone()) from error
        return future

    def outcome(self, future: Future[T], title: str) -> T:
        """The result, or why there is none."""
        try:
            return future.result()
        except CancelledError:
            raise WorkerFailed(f"{self._gone()}, in the middle of {title}") from None
        except _distributed().KilledWorker as error:
            raise WorkerFailed(
                f"{error.allowed_failures + 1} workers have ended in the middle of {title}, one "
                f"after the other, at last {error.last_worker.address}: it kills them, or there "
                "is too little memory for it"
            ) from None

    def trouble(self) -> str | None:
        """Whether all workers are gone; raises WorkerFailed once dask has given up."""
        if self._client.status == "closed":  # its futures would wait for ever
            raise WorkerFailed(self._gone())
        try:
            if self._threads():
                return None
        except Exception:  # noqa: BLE001  # dask's own; the client tries again, and gives up by itself
            return f"the scheduler at {self._address} does not answer"
        return f"the scheduler at {self._address} has no workers now: this waits for some"

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the scheduler; what it has not begun by then is never done."""
        with (
            warnings.catch_warnings(),
            suppress(Exception),
        ):  # dask's own: there may be no scheduler
            warnings.simplefilter("ignore")  # about connections that go with it
            self._executor.shutdown(wait=wait and not cancel_futures)
        with warnings.catch_warnings(), suppress(Exception):  # the same
            warnings.simplefilter("ignore")
            self._client.close()

    def _gone(self) -> str:
        return f"the scheduler at {self._address} is gone"

    def _threads(self) -> dict[str, int]:
        """The threads of each worker, by its address."""
        threads: dict[str, int] = self._client.nthreads()
        return threads

    def _check_workers(self, say: Callable[[str], None]) -> Any:
        """Hold all workers against this machine, and say who they are; our identity.

        Raises:
            BadFarm: there are none, or one is not like this machine.
        """
        from lab.farm import identity

        ours, workers = identity.identity(), self._asked()
        for worker, theirs in workers.items():
            identity.check(f"the worker {worker}", theirs, ours)
        threads = self._threads()
        counts = _counted(sum(threads.values()), "hand"), _counted(len(threads), "worker")
        say(f"{counts[0]} of {counts[1]} at dask://{self._address}")
        kinds = {ours.processor, *(each.processor for each in workers.values())}
        if len(kinds) > 1:
            names = ", ".join(sorted({name for name, _ in kinds}))
            say(
                f"processors differ ({names}), so nets may round differently; "
                "NUMBA_CPU_NAME=generic on all machines makes results the same"
            )
        if any(count > 1 for count in threads.values()):
            say(
                "workers with several threads share their CPU time among tasks: "
                "`dask worker --nthreads 1 --nworkers N` is faster, and measures better"
            )
        return ours

    def _asked(self) -> dict[str, Any]:
        try:
            self._client.wait_for_workers(1, timeout=FIRST_S)
            answers: dict[str, Any] = self._client.run(_who)
        except TimeoutError:
            raise BadFarm(
                f"the scheduler at {self._address} has no workers; "
                f"`dask worker {self._address}` is one"
            ) from None
        except Exception as error:  # whatever another version of anything raises over there
            raise BadFarm(
                f"the workers of {self._address} cannot run what this machine sends: {error}; "
                "Plyhouse, Python and distributed have to be the same there"
            ) from error
        return answers


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _is_not_dasks(record: logging.LogRecord) -> bool:
    """Whether a record tells of anything but a callback of distributed's own.

    One fails for each future that is cancelled when its scheduler is gone.
    """
    trace = record.exc_info[2] if record.exc_info else None
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__", "").startswith("distributed."):
            return False
        trace = trace.tb_next
    return True


def _connected(address: str) -> Any:
    """A client of the scheduler.

    Raises:
        BadFarm: no scheduler answers, or distributed is not installed.
    """
    distributed = _distributed()
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is said in sentences
    logging.getLogger("concurrent.futures").addFilter(_is_not_dasks)  # once, however often added
    security = distributed.Security()
    scheme = "tls" if security.tls_client_cert or security.require_encryption else "tcp"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about versions, which are looked at below
            return distributed.Client(
                f"{scheme}://{address}", timeout=CONNECT_S, set_as_default=False,
                security=security, name="plyhouse",
            )  # fmt: skip
    except (OSError, ValueError, TypeError) as error:  # a TimeoutError is the first of these
        why = f": {error.__cause__ or error}" if scheme == "tls" else ""
        raise BadFarm(f"no dask scheduler answers at {address}{why}") from None


def _distributed() -> Any:
    try:
        return importlib.import_module("distributed")
    except ModuleNotFoundError:
        raise BadFarm("dask:// needs dask.distributed: pip install 'plyhouse[farm]'") from None


# --- in a worker


def _who() -> Any:
    """Who this worker is."""
    from lab.farm import identity

    return identity.identity()


def _call(asker: Any, call: bytes) -> Any:
    """Do a task for somebody who is like this worker.

    Raises:
        BadFarm: it has come later than those that were looked at, and is different.
    """
    from lab.farm import identity

    worker = importlib.import_module("distributed").get_worker()
    identity.check(f"the worker {worker.address}", identity.identity(), asker)
    context.shares_process = worker.state.nthreads > 1
    function, arguments, named = pickle.loads(call)
    try:
        return function(*arguments, **named)
    except Exception as error:  # whatever it is, the task's caller gets it
        raise portable(error) from error
