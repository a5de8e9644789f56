"""The line to the server under a session: what is told of its loss, and the play that waits for it.

A dead line says nothing.  While one's own clock runs the server is asked every second, so that it
is noticed in three; else the pings of client/connection.py are enough.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from client.connection import Connection
from client.presence import LineGap
from client.styled_text import styled
from client.terminal.shown.interface import UserInterface
from protocol.messages import MatchState, Ok

LOOK_S: Final = 1.0  # how often it is asked whether the line is dead ...
ANSWER_S: Final = 2.0  # ... and for how long an answer is waited for


class Line:
    """`running()`: the match looked at, if it is on."""

    def __init__(
        self,
        connection: Connection,
        interface: UserInterface,
        address: str,
        running: Callable[[], MatchState | None],
    ) -> None:
        self.connection = connection
        self.interface = interface
        self.address = address
        self.running = running
        self._play: asyncio.Future[Ok] | None = None  # until it is answered

    def changed(self, up: bool) -> None:
        """Tell that the line is lost, or back."""
        match = self.running()
        clock = " Your clock may be running." if match is not None and match.clocks else ""
        lost = f"Lost the connection to {self.address}; trying again …{clock}"
        text = back_text(self.connection.outage) if up else lost
        self.interface.tell(styled(("good" if up else "error", text)))
        if not up and self._play is not None:
            self._tell_waiting()
        self.interface.show()

    async def play(self, match: MatchState, action: str) -> bool:
        """Play; False: it waited for the line, and was taken back.

        Raises:
            Refusal: the server says no.
        """
        play = self.connection.play(match.match, match.turn, action)
        self._play = sending = asyncio.ensure_future(play)
        if not self.connection.linked:
            self._tell_waiting()
        try:
            await asyncio.wait({sending})
            return not sending.cancelled() and bool(sending.result())
        finally:
            self._play = None
            sending.cancel()

    def take_back(self) -> bool:
        """Take back the play that waits for the line, if one does.

        One that had got through before the line was lost is played all the same.
        """
        if self._play is None or self.connection.linked:
            return False
        self._play.cancel()
        self.interface.tell(styled(("event", "Your action is taken back.")))
        return True

    async def watch(self) -> None:
        """Notice in time that the line is dead while one's own clock runs."""
        while True:
            await asyncio.sleep(LOOK_S)
            match = self.running()
            if match is not None and match.legal is not None and match.clocks is not None:
                await self.connection.check(ANSWER_S)

    def _tell_waiting(self) -> None:
        text = "Your action waits for the line; /takeback takes it back."
        self.interface.tell(styled(("offer", text)))


def back_text(outage: LineGap | None) -> str:
    """Return what is told when the line is back: whether it was gone, or the server was."""
    if outage is None:
        return "Back."
    time = f"{max(1, round(outage.seconds))} s"
    if outage.servers:
        return f"Back. The server was away for {time}; no clock ran meanwhile."
    return f"Back. The line was down for {time}; clocks ran on."
