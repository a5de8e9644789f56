"""Makes the tests' own games known, also to the processes that a test starts; and has searches run
as plain Python, which is the same search: to compile them all would take half a minute.  Commands
that are not told of a server look for none.
tests/bots/engine/test_compiled.py holds the two against each other.
"""

import gc
import os
import signal
import sys
from collections.abc import Generator
from functools import cache
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

from lab.arena import local_server
from server.net.http import files
from tests.support import warm
from tests.support.databases import database, postgres_server

__all__ = ["database", "postgres_server"]

os.environ["PLYHOUSE_GAMES"] = str(Path(__file__).parent / "extra_games")
os.environ["PLYHOUSE_PLAIN"] = "1"
os.environ["PLYHOUSE_URL"] = "127.0.0.1:8765"

# Where somebody asks Python to keep no bytecode, every process would compile all of its modules
# again, and the tests start hundreds.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

warm.share({**os.environ})
local_server.subprocess = warm  # type: ignore[assignment]

files.minify = cache(files.minify)  # which takes a server half of its start

MEMORY = Path("/dev/shm")  # a folder in memory, on most systems


def is_roomy(folder: Path) -> bool:
    """Whether a gigabyte may be written to a folder, and run as programs."""
    if not os.access(folder, os.W_OK):
        return False
    there = os.statvfs(folder)
    return there.f_bavail * there.f_frsize > 1 << 30 and not there.f_flag & os.ST_NOEXEC


# A server that is opened and closed waits for the disk a dozen times.  What a test leaves in memory
# goes when it has passed (tmp_path_retention_policy).
if is_roomy(MEMORY):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# How long it takes is the machine's: a busy one fails no test.
settings.register_profile("house", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("house")

# Where it is ignored, as behind `&`, all that a test starts and interrupts would ignore it, too.
signal.signal(signal.SIGINT, signal.default_int_handler)

gc.disable()  # until all tests are collected: nothing that is made on the way is garbage

LONG = ("test_readme.py", "test_live.py", "test_compiled.py", "test_refusals.py")  # take longest
FROM_THE_END = os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579"


def pytest_configure(config: pytest.Config) -> None:
    """Have pytest-xdist keep the order of the files: its own puts what has most tests first."""
    config.option.loadscopereorder = False


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Have every second worker collect the files from the last to the first.

    Two thirds of the first collection go into rewriting assertions, and what one worker has
    rewritten another one reads: so two that come from both ends do half of it each.
    """
    report = yield
    if FROM_THE_END and isinstance(collector, pytest.Directory):
        report.result.reverse()
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Bring the files into one order, whichever way they were collected.

    The longest come first: one worker plays a file, and none shall wait for the last.
    """
    items.sort(key=lambda item: (item.path.name not in LONG, item.path.parts))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Have a worker of pytest-xdist report a test by one message, in place of five.

    That a test begins, is set up, is taken down and has ended shows nowhere, unless it fails; but
    to pack, send and count those messages takes a tenth of the whole run.
    """
    option = item.config.option
    if "PYTEST_XDIST_WORKER" not in os.environ or option.durations or option.xmlpath:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def pytest_collection_finish() -> None:
    """Let the collector of garbage begin, and leave aside what lives to the end."""
    gc.freeze()
    gc.enable()
