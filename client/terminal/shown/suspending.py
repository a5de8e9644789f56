"""What a shell does to a program: Ctrl-Z, `fg`, `kill -STOP`.

A program that draws gives the shell its terminal when it is stopped, and takes it again after it.

prompt_toolkit has a way for Ctrl-Z alone, and none for a stop from outside: after that the terminal
stays as the shell has set it, in line mode and with echo.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def stop_all() -> None:
    """Stop this program, and all in a pipe with it, as Ctrl-Z does where no program draws."""
    if sys.platform != "win32":
        os.kill(0, signal.SIGTSTP)


@contextmanager
def suspendable(release: Callable[[], object], take: Callable[[], object]) -> Iterator[None]:
    """Let the program be stopped: `release` gives the terminal back, `take` takes it and draws.

    Where there is no shell that could have it go on, a stop is nothing but a new drawing.
    """
    if sys.platform == "win32":
        yield
        return
    loop = asyncio.get_running_loop()

    def stop() -> None:
        release()
        let_go()
        os.kill(os.getpid(), signal.SIGTSTP)  # which a shell ends by SIGCONT
        listen()
        take()

    def listen() -> None:
        loop.add_signal_handler(signal.SIGTSTP, stop)
        loop.add_signal_handler(signal.SIGCONT, take)

    def let_go() -> None:
        loop.remove_signal_handler(signal.SIGTSTP)
        loop.remove_signal_handler(signal.SIGCONT)

    listen()
    try:
        yield
    finally:
        let_go()
