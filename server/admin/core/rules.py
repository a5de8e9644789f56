"""What a host has ordered, folded from the events: bans, mutes, the notice, a drain.

An owner and not a value: the server has one `HouseRules`, which changes in place.  `now` is always
an argument.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, assert_never

from msgspec import Struct

from protocol.errors import Code, Refusal
from protocol.messages import Notice
from server.admin.core.events import (
    Drained,
    HouseEvent,
    Kicked,
    LadderOrdered,
    Lifted,
    Noticed,
    Released,
    Restraint,
    Restricted,
    RoomShut,
    RoomsShut,
    Target,
)
from server.core.admission.networks import networks
from server.core.room import HOUSE

MAX_RESTRICTIONS: Final = 10_000  # each is looked up, not searched for: this bounds memory alone
DRAIN: Final = "The server is about to stop: matches go on to their end, and no new one begins."
DONE: Final = {"ban": "banned from this server", "mute": "muted on this server"}


class Restriction(Struct, frozen=True):
    """A ban or a mute that holds."""

    restraint: Restraint
    target: Target
    since: int
    until: int | None
    why: str

    def holds(self, now: int) -> bool:
        return self.until is None or now < self.until

    def sentence(self, now: int) -> str:
        """Return what its target is told."""
        who = "you are" if self.target.kind == "name" else "your address is"
        time = "" if self.until is None else f" for {words_of(self.until - now)}"
        why = f": {self.why}" if self.why else ""
        return f"{who} {DONE[self.restraint]}{time}{why}"


class HouseRules:
    """What holds now.  `seq`: of the last event.

    A drain and what it says end with the server; bans, mutes and notices outlast it.
    """

    def __init__(self) -> None:
        self.seq = 0
        self.draining = False
        self.last_released = 0  # the highest number of a session whose name was set free
        self._notice: Noticed | None = None
        self._restrictions: dict[tuple[Restraint, tuple[str, str]], Restriction] = {}

    def fold(self, event: HouseEvent, *, seq: int) -> None:
        """Take over one event."""
        self.seq = seq
        match event:
            case Restricted(at, _, restraint, target, until, why):
                restriction = Restriction(restraint, target, at, until, why)
                self._restrictions[restraint, target.key()] = restriction
            case Lifted(_, _, restraint, target):
                self._restrictions.pop((restraint, target.key()), None)
            case Noticed():
                self._notice = event
            case Released():
                self.last_released = max(self.last_released, event.session)
            case Kicked() | RoomShut() | RoomsShut() | Drained() | LadderOrdered():
                pass  # they happen once, and nothing follows for later
            case _:
                assert_never(event)

    def restrictions(self, now: int) -> list[Restriction]:
        """Return all that hold, the newest first."""
        holding = [each for each in self._restrictions.values() if each.holds(now)]
        return sorted(holding, key=lambda each: -each.since)

    def forget_expired(self, now: int) -> None:
        for key in [key for key, each in self._restrictions.items() if not each.holds(now)]:
            del self._restrictions[key]

    def restriction(
        self, restraint: Restraint, name: str, address: str, now: int
    ) -> Restriction | None:
        """Return why somebody of this name at this address is banned or muted, if it is so.

        The house's own bots never are: they come from the server's own machine.
        """
        if name == HOUSE.name:
            return None
        for target in _targets(name, address):
            restriction = self._restrictions.get((restraint, target.key()))
            if restriction is not None and restriction.holds(now):
                return restriction
        return None

    def is_restricted(self, restraint: Restraint, target: Target, now: int) -> bool:
        """Return whether this very target is banned or muted."""
        restriction = self._restrictions.get((restraint, target.key()))
        return restriction is not None and restriction.holds(now)

    def check_speech(self, name: str, address: str, now: int) -> None:
        """Let somebody speak.

        Raises:
            Refusal: chat/muted.
        """
        mute = self.restriction("mute", name, address, now)
        if mute is not None:
            raise Refusal(Code.CHAT_MUTED, mute.sentence(now))

    def check_open(self) -> None:
        """Let a room, a match or a ladder begin.

        Raises:
            Refusal: server/draining.
        """
        if self.draining:
            raise Refusal(Code.SERVER_DRAINING, "the server is about to stop; nothing new begins")

    def notices(self, now: int) -> list[Notice]:
        """Return what a client that comes now is told."""
        notices = []
        if self._notice is not None and now < (self._notice.until or 0):
            notices.append(Notice(text=self._notice.text))
        if self.draining:
            notices.append(Notice(text=DRAIN))
        return notices


def _targets(name: str, address: str) -> Iterator[Target]:
    yield Target("name", name)
    for network in networks(address):
        yield Target("address", network.name)


def words_of(ms: int) -> str:
    """Return a time in words, such as `2 h 5 min`; at least a second."""
    seconds = max(1, (ms + 999) // 1000)
    days, hours, minutes = seconds // 86_400, seconds // 3_600 % 24, seconds // 60 % 60
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (seconds % 60, "s")]
    words = [f"{count} {unit}" for count, unit in parts if count]
    return " ".join(words[:2])
