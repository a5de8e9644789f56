"""What can go wrong on the client's side of the wire.

    PlyhouseError            (protocol/errors.py)
    ├── Refusal              the server said no; the connection goes on
    ├── Unreachable          no Plyhouse server answers there; also an OSError
    ├── Interrupted          the connection was lost under a request: did it happen? nobody knows
    ├── OutboxFull           more was sent than the network takes; nothing of this message was
    ├── LinkLost             one socket is gone; stays inside, for another is tried
    └── Closed               the connection is over and is not resumed
        └── Replaced         because the same player connected again from elsewhere

The codes of all but Refusal and Replaced start with `client/`: no server sends them.
"""

from __future__ import annotations

from protocol.errors import Code, PlyhouseError


class Unreachable(PlyhouseError, OSError):
    """No server answers there, or none of ours; the text is one sentence for people."""

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


class Closed(PlyhouseError):
    """The connection is over: it was closed here, or for the reason given as the cause."""

    def __init__(
        self, text: str = "this connection is closed", code: Code | str = "client/closed"
    ) -> None:
        super().__init__(code, text)


class Replaced(Closed):
    """The server gave this player's place to a newer connection; to resume would only fight it."""

    def __init__(self, text: str) -> None:
        super().__init__(text, Code.SESSION_REPLACED)
