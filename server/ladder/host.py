"""What the actor of a ladder needs from around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

from server.core.admission.networks import NetworkCounts
from server.core.events import Who
from server.core.lobby import LobbyState, PlayerKey, Presence
from server.ladder.core.ladder import Ladder
from server.ladder.core.players import LadderPlayer
from server.rooms.directory import RoomDirectory
from server.rooms.wall_clock import WallClock
from server.store.contract import Store


class Busy(NamedTuple):
    """`pairs`: how many each bot plays, on all ladders; `served`: owners that play an anchor, and
    `served_from` which addresses.
    """

    pairs: Counter[PlayerKey]
    served: frozenset[int]
    served_from: NetworkCounts


class LadderHost(Protocol):
    """What a ladder's actor uses: the server's rooms, and what all ladders share.

    It is a Protocol as its one implementation, LadderDirectory, makes the actors.
    """

    store: Store
    clock: WallClock
    lobby: LobbyState
    rooms: RoomDirectory
    stopped: bool
    paired: list[Callable[[], None]]

    def next_stamp(self) -> int:
        """Return a number that is larger than those before it."""

    def freed(self, players: Iterable[LadderPlayer]) -> None:
        """Have the ladders of these bots look for new pairs: each has a slot again."""

    def may_look(self) -> bool:
        """Return whether there is time for one more pair; if not, all ladders look again soon."""

    def looked(self, seconds: float) -> None:
        """Count the processor time of a look for a pair."""

    def began(self, pairs: int) -> None:
        """Count pairs that begin; below zero: that are over, which others may follow at once."""

    def legs_left(self, ladder: Ladder, who: Who | None = None) -> int:
        """Return how many rooms may be opened for the owner of a ladder, or for a bot on it."""

    def leg_opened(self, number: int, ladder: Ladder, one: Who, two: Who) -> None:
        """Count a room of a ladder in which these bots play."""

    def shelve(self) -> None:
        """Let go of the oldest ladders that are over, if there are too many."""

    def free_slots(self, presence: Presence) -> int:
        """Return the slots of a bot for pairs, those that it plays included."""

    def busy(self) -> Busy:
        """Return who plays now, on all ladders."""

    def is_served(self, busy: Busy, who: Who) -> bool:
        """Return whether an anchor plays a bot of this owner, or one from its address, already."""
