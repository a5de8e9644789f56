"""What can go wrong on the client's side of the wire.

    PlyhouseError            (protocol/errors.py)
    ├── Refusal              the server said no; the connection goes on
    ├── Unreachable          no Plyhouse server answers there; also an OSError
    ├── Interrupted          the connection was lost before the answer; it may have happened or not
    ├── OutboxFull           too much waits to be sent; this message was not queued
    ├── LinkLost             one socket is gone; never raised to a program, as the next is tried
    └── ConnectionOver       the connection is over and is not resumed
        └── Replaced         because the same player, or the name's owner, is elsewhere now

    ClientError              what was asked for cannot be done; no server was needed to know it

The codes of all but Refusal and Replaced start with `client/`: no server sends them.
"""

from __future__ import annotations

from protocol.errors import Code, PlyhouseError

# The server could not take a request just now; nothing is wrong with it, so it may be repeated.
BUSY = frozenset({Code.ROOM_BUSY, Code.ROOM_MOVING, Code.SESSION_FLOOD, Code.SERVER_NOT_STORED})


class ClientError(Exception):
    """What was asked for cannot be done here; the text is a sentence for people."""


class Unreachable(PlyhouseError, OSError):
    """No Plyhouse server answers there; the text is a sentence for people."""

    def __init__(self, text: str, code: str = "client/unreachable") -> None:
        super().__init__(code, text)


class Interrupted(PlyhouseError):
    """The connection was lost after the request was sent and before it was answered."""

    def __init__(self, what: str) -> None:
        super().__init__(
            "client/interrupted",
            f"the connection was lost before `{what}` was answered, so it may have happened or not",
        )


class OutboxFull(PlyhouseError):
    """Too much waits to be sent; the message at hand was not queued."""

    def __init__(self) -> None:
        super().__init__("client/outbox-full", "too many messages wait to be sent to the server")


class LinkLost(PlyhouseError):
    """One socket is gone; the text says what was seen of it."""

    def __init__(self, text: str) -> None:
        super().__init__("client/link-lost", f"the connection was lost: {text}")


class ConnectionOver(PlyhouseError):
    """The connection is over: it was closed here, or for the reason that text and code give."""

    def __init__(
        self, text: str = "this connection is closed", code: Code | str = "client/closed"
    ) -> None:
        super().__init__(code, text)


class Replaced(ConnectionOver):
    """The server gave this player's place to a newer connection; to resume would only fight it.

    Or its whole name was moved or set free: then the token is worth nothing any more.  Or the host
    has ended it, and only a person decides to come back.
    """

    def __init__(self, text: str, code: Code | str = Code.SESSION_REPLACED) -> None:
        super().__init__(text, code)
