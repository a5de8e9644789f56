"""How a room leaves this server for another one, in the middle of whatever is going on there.

What is being stored is answered first.  Then the room stands still while the log is told whose it
is: so nothing is ever written to it here once it is somebody else's.  What its players ask
meanwhile waits, and goes along.
"""

from __future__ import annotations

from collections.abc import Callable

from server.rooms.actor import RoomActor
from server.store.contract import HandedRow


def leave(actor: RoomActor, owner: str, done: Callable[[Exception | None], None]) -> None:
    """Have the log say that another server, or nobody, owns a room; `done` hears how that went.

    If all is well, nothing happens in the room any more: whoever called this lets go of it.  Else
    it goes on as if nothing had been.
    """

    def answered(error: Exception | None) -> None:
        if error is not None:
            actor.busy = False
        done(error)
        if error is not None:
            actor.go_on()

    def begin() -> None:
        actor.leaving = None
        if actor.room.state == "closed":
            done(RoomShutMeanwhile(f"room {actor.room.number} is closed"))
            return
        actor.busy = True
        actor.host.append([HandedRow(actor.room.number, owner)], answered)

    actor.leaving = begin
    actor.go_on()


class RoomShutMeanwhile(Exception):
    """The room was closed before it could leave."""
