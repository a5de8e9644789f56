"""The pushed messages that the program has not taken yet: in order, and never without bound.

A `match`, `lobby` or `ladder` message is a whole truth, so while the program is behind (more than
BEHIND unread) only the newest of each match, each ladder and the lobby are kept; no other message
is ever skipped.  This is what the server does with a client that does not read.  Sans-I/O.
"""

from __future__ import annotations

from collections import deque

from protocol.ladder import LadderState
from protocol.messages import LobbyList, MatchState, Push

BEHIND = 64  # unread messages from which on whole truths are collapsed; below it nothing is skipped
FULL = 4_096  # unread messages, none of which may be skipped, that make an inbox overflow


class Inbox:
    """A queue of pushed messages."""

    def __init__(self) -> None:
        self._unread: deque[Push] = deque()
        self._collapse_at = BEHIND

    def __len__(self) -> int:
        return len(self._unread)

    def put(self, message: Push) -> bool:
        """Queue a message; False where there is no room for it, and then it is not queued."""
        if len(self._unread) >= self._collapse_at:
            self._collapse()
        if len(self._unread) >= FULL:
            return False
        self._unread.append(message)
        return True

    def take(self) -> Push:
        """Return the oldest message; the caller has checked that there is one."""
        return self._unread.popleft()

    def clear(self) -> None:
        self._unread.clear()
        self._collapse_at = BEHIND

    def _collapse(self) -> None:
        """Keep only the newest of each whole truth; the next time is when twice as many wait."""
        newest: set[str] = set()
        remaining: deque[Push] = deque()
        for message in reversed(self._unread):
            truth = _truth(message)
            if truth is None or truth not in newest:
                remaining.appendleft(message)
            if truth is not None:
                newest.add(truth)
        self._unread = remaining
        self._collapse_at = min(FULL, max(BEHIND, 2 * len(remaining)))


def _truth(message: Push) -> str | None:
    """Return what a message is the whole truth about: a match, a ladder or the lobby; else None."""
    if isinstance(message, MatchState):
        return message.match
    if isinstance(message, LobbyList):
        return "lobby"
    if isinstance(message, LadderState):
        return f"ladder {message.ladder.name}"
    return None
