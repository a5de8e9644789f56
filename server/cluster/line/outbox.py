"""What one server says to another: signals in order, sent together once a turn of the loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from server.cluster.line.signals import FramePushed, Signal

MAX_WAITING: Final = 8 * 1024 * 1024  # bytes on their way: nothing more is forwarded until fewer


class Outbox:
    """The end of a line that is written to.

    `flush_soon` is called when something has to be sent; it calls `take` when there is time.
    `waiting` returns the bytes that the other side has not taken yet; `lag_ms` is the line's, one
    way; `reached`: when the other side was last known to be there and to hear this one.
    """

    def __init__(
        self, flush_soon: Callable[[], None], waiting: Callable[[], int] = lambda: 0
    ) -> None:
        self._flush_soon = flush_soon
        self._signals: list[Signal] = []
        self._waiting = waiting
        self.lag_ms = 0
        self.reached = 0  # by the clock of the rooms, in ms

    def send(self, signal: Signal) -> None:
        """Send a signal behind all that were sent before."""
        if not self._signals:
            self._flush_soon()
        self._signals.append(signal)

    def push(self, peer: int, frame: bytes, key: str | None, in_turn: bool) -> None:
        """Send a frame to a connection; the same one for the next connection goes along."""
        last = self._signals[-1] if self._signals else None
        if (
            type(last) is FramePushed
            and last.frame is frame
            and last.key == key
            and last.in_turn == in_turn
        ):
            last.peers.append(peer)
        else:
            self.send(FramePushed([peer], frame, key, in_turn))

    def is_full(self) -> bool:
        """Return whether so much is on its way that nothing should be forwarded."""
        return self._waiting() > MAX_WAITING

    def take(self) -> list[Signal]:
        signals, self._signals = self._signals, []
        return signals
