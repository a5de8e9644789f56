"""The signals that ask a command to end."""

from __future__ import annotations

import signal
import sys


def ending_signals() -> tuple[signal.Signals, ...]:
    """Return Ctrl-C, SIGTERM, and SIGHUP, which comes when a terminal is closed.

    SIGHUP is left out where the parent process has it ignored, as `nohup` does.
    """
    if sys.platform == "win32" or signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        return (signal.SIGINT, signal.SIGTERM)
    return (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
