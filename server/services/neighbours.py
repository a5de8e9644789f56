"""What a server has in common with the others of its cluster, as the parts of it see that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from protocol.messages import Hello
from protocol.parts import RoomLine
from server.core.names.numbers import NumberBlocks
from server.core.names.register import Register

Owner: TypeAlias = tuple[int, int]  # the number and the epoch of a server
# Has the names know whom a hello means, and calls back: whether that could be looked up.
LookUp: TypeAlias = Callable[[Register, Hello, Callable[[bool], None]], None]


class OtherServers(Protocol):
    """The other servers; a Protocol, as what implements it stands above all that asks."""

    def total(self) -> int:
        """Return how many public rooms there are."""

    def rows(self) -> Iterable[RoomLine]:
        """Return the lobby's rows of the newest."""

    def best_for(self, owners: Sequence[Owner], here: int) -> str | None:
        """Return where a player best connects who has a room at each owner, and some `here`."""


class Neighbours(NamedTuple):
    """All of it.  `rooms` and `sessions`: the numbers that new ones get."""

    servers: OtherServers
    look_up: LookUp | None = None
    rooms: NumberBlocks | None = None
    sessions: NumberBlocks | None = None
