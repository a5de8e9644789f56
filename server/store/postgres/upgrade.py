"""What asyncpg leaves behind of a connection that nobody waits for any more, and its mend.

Before it speaks to the database asyncpg asks whether it may do so by TLS, and waits for the answer
in a future of its own, `on_data`.  Somebody may give up while the socket is being opened: a server
that ends, a beat that has taken too long, or asyncpg itself, which opens a connection for each
statement that is cancelled.  The socket is closed then before anybody waits for that answer, so the
future fails and nobody asks why, which asyncio logs: when the database is killed or restarted while
others connect to it, or when a server ends in the middle of a statement.
"""

from __future__ import annotations

from asyncpg import connect_utils


class UpgradeProtocol(connect_utils.TLSUpgradeProto):  # type: ignore[misc]
    """Asks for TLS as asyncpg does.  Whoever waits for the answer is told of the loss as before."""

    def connection_lost(self, exc: Exception | None) -> None:
        """Note the loss, of which somebody may not hear who has given up already."""
        super().connection_lost(exc)
        if self.on_data.done() and not self.on_data.cancelled():
            self.on_data.exception()  # it counts as retrieved


def retrieve_lost_answers() -> None:
    """Have asyncpg ask for TLS as above, from now on."""
    connect_utils.TLSUpgradeProto = UpgradeProtocol
