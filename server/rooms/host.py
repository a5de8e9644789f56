"""What a room's actor needs from around it, and what it announces to subscribers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from protocol.messages import Request
from server.config import Config
from server.core.effects import Ask, SendInvitation
from server.core.lobby import LobbyState
from server.core.room import Room, Secrets
from server.figures.move_times import MoveTimes
from server.rooms.disk import Disk
from server.rooms.peers import Peer
from server.rooms.wall_clock import WallClock
from server.rooms.write_batch import WriteBatch
from server.store.contract import Store


class Announcements:
    """The subscribers of each kind of news about rooms, called in this order.

    A subscriber gets room values, never an actor; to tell a room something it finds the actor by
    the room's number.
    """

    def __init__(self) -> None:
        # A room is open, but its events were not read: what is known of it; Snapshot.unloaded.
        self.listed: list[Callable[[Room], None]] = []
        # Events were stored: what the room was (None: there was none), and what it is now.
        self.stored: list[Callable[[Room | None, Room], None]] = []
        # The same of those by which a room has opened or closed, or a match begun or ended.
        self.changed: list[Callable[[Room | None, Room], None]] = []
        # Others sit in the room than before; that two have changed seats is not told.
        self.reseated: list[Callable[[Room | None, Room], None]] = []
        # All who follow the room were sent its state.
        self.shown: list[Callable[[Room], None]] = []
        # A stored change of a ladder's room was sent to all: the ladder decides what comes next.
        self.leg_changed: list[Callable[[Room], None]] = []
        # The room is closed and its actor stopped.
        self.removed: list[Callable[[Room], None]] = []
        # Events of this room could not be stored.
        self.stalled: list[Callable[[Room], None]] = []


class Host(Protocol):
    """What a room's actor uses; a Protocol, as its one implementation makes the actors."""

    store: Store
    times: MoveTimes
    config: Config
    clock: WallClock
    lobby: LobbyState
    fresh: Secrets
    announcements: Announcements
    batch: WriteBatch
    disk: Disk

    def now(self) -> int:
        """Return the time in ms."""

    def refresh(self) -> None:
        """Replace `fresh`, of which the secret or the code was used."""

    def invite(self, room: int, effect: SendInvitation, by: Peer) -> None:
        """Hand an invitation of this connection to the player it means.

        Raises:
            Refusal: invite/no-such-player or invite/busy.
        """

    def ask_hint(self, effect: Ask, peer: Peer, request: Request) -> None:
        """Have a bot asked for a hint, which answers the request.

        Raises:
            Refusal: hint/no-bot.
        """

    def remove(self, number: int) -> None:
        """Let go of a room that is closed."""

    def not_stored(self, number: int, error: Exception | None, now: int) -> None:
        """Have a room wait for the log; or go on by that, if it has something else there."""
