"""Which Python runs, and how well it was built: one without optimisation is slower by a sixth.

What was asked of its build is not always on record (Debian's says nothing, and is optimised), so a
short loop of calls is timed as well, beside zlib, which does not depend on how Python was built.
"""

from __future__ import annotations

import sys
import sysconfig
import time
import zlib
from collections.abc import Callable
from typing import Final

import msgspec

TIMES: Final = 60  # the fastest counts, as others use the machine
STEPS: Final = 10_000
TEXT: Final = bytes(i * i % 251 for i in range(200_000))
# What `calls_to_zlib` was of Python 3.11 on one machine (AMD EPYC, gcc 12): built from source
# without a word about optimisation, and Debian's package.
PLAIN_BUILD, DEBIANS_BUILD = 42.0, 31.0


class CallStep:
    """An object that makes the next one: what a server in Python does all day."""

    __slots__ = ("count", "total")

    def __init__(self, count: int, total: int) -> None:
        self.count = count
        self.total = total

    def next(self, number: int) -> CallStep:
        """One call, one object, four attributes."""
        return CallStep(self.count + 1, self.total + number & 0xFFFF)


class Interpreter(msgspec.Struct):
    """A Python."""

    version: str  # sys.version
    asked_for_optimisation: bool | None  # by --enable-optimizations; None: nothing is on record
    calls_to_zlib: float  # time of a loop of calls, to that of a checksum by zlib

    @property
    def sentence(self) -> str:
        """It in words."""
        record = "nothing of that is on record"
        if self.asked_for_optimisation is not None:
            record = "yes" if self.asked_for_optimisation else "not by its own record"
        nearer = "a plain build from source"
        if self.calls_to_zlib < (PLAIN_BUILD + DEBIANS_BUILD) / 2:
            nearer = "an optimised build"
        return (
            f"Python {self.version}. Built with --enable-optimizations: {record}. A loop of calls"
            f" takes {self.calls_to_zlib:.0f} times as long as a checksum by zlib"
            f" (a plain build from source {PLAIN_BUILD:g}, Debian's {DEBIANS_BUILD:g}):"
            f" nearer to {nearer}."
        )


def interpreter() -> Interpreter:
    """The Python that runs this, and the servers of ours."""
    asked = sysconfig.get_config_var("CONFIG_ARGS")
    pairs = [(_seconds(_calls), _seconds(_checksum)) for _ in range(TIMES)]
    calls, checksum = (min(times) for times in zip(*pairs, strict=True))
    return Interpreter(
        " ".join(sys.version.split()),
        "--enable-optimizations" in asked if asked else None,
        calls / checksum,
    )


def _seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def _calls() -> CallStep:
    step = CallStep(0, 0)
    for number in range(STEPS):
        step = step.next(number)
    return step


def _checksum() -> int:
    return zlib.crc32(TEXT)
