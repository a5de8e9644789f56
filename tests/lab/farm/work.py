"""Work for the tests of farms: functions of a module, as other processes have to find them."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

from lab.farm.executor import grace_period, is_ending


class Stubborn(Exception):
    """An error that cannot be copied: it is made from two things, and keeps one."""

    def __init__(self, what: str, number: int) -> None:
        super().__init__(f"{what} {number}")


def square(number: int) -> int:
    return number * number


def thread_of(number: int) -> tuple[int, int]:
    """Where it is done."""
    return os.getpid(), threading.get_ident()


def refuse(number: int) -> int:
    raise Stubborn("no", number)


def die_once(flags: Path, number: int) -> int:
    """Be killed by somebody, the first time; the second time do it."""
    flag = flags / str(number)
    if not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return square(number)


def die(number: int) -> int:
    os._exit(9)


def wind_up(begun: Path, put_away: Path) -> None:
    """Work until nobody waits for it, and then put something away."""
    with grace_period():
        begun.touch()
        while not is_ending():
            time.sleep(0.01)  # between two looks; there is nothing to do
        put_away.touch()


def hang(begun: Path) -> None:
    """Work for ever."""
    begun.touch()
    while True:
        time.sleep(1.0)  # until this process is ended
