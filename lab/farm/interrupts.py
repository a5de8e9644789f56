"""A Ctrl-C ends what a farm does: it is never lost, and never amid the handing out of a task.

Python raises KeyboardInterrupt wherever the main thread happens to be.  In a finalizer it is
printed and forgotten; between the taking of a lock and its block the lock stays taken.  So it is
noted, too, and `check` raises it again; and an `undisturbed` block ends first.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from protocol.shell.signals import ending_signals


class _Wish:
    """Whether an end was asked for, and whether that may be said now."""

    asked = False
    held = False


_wish: Final = _Wish()


@contextmanager
def interruptible() -> Iterator[None]:
    """Let what asks for an end raise KeyboardInterrupt, also where a shell has Ctrl-C ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _wish.asked = False
    before = [(number, signal.signal(number, _interrupt)) for number in ending_signals()]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


@contextmanager
def undisturbed() -> Iterator[None]:
    """A block that no Ctrl-C leaves; it is raised at its end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _wish.held, asked = True, _wish.asked
    try:
        yield
    finally:
        _wish.held = False
        if not asked:
            check()


def check() -> None:
    """Raise KeyboardInterrupt if an end was asked for, on the main thread, that is not over yet."""
    if _wish.asked and threading.current_thread() is threading.main_thread():
        _wish.asked = False
        raise KeyboardInterrupt


def _interrupt(number: int, frame: FrameType | None) -> None:
    _wish.asked = True
    if not _wish.held:
        raise KeyboardInterrupt
