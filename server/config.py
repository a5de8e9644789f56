"""Every limit of the server, and every price, with its reason.

All limits can be set by `plyhouse serve --set name=value`.
"""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from protocol.messages import MAX_CLIENT_FRAME

Limit = Annotated[int, Meta(ge=1, lt=10**15)]  # far beyond any use, and still exact everywhere

# What bytes cost, in the microseconds of Allowance: to encode, to copy, and above all to send.
BYTES_PER_MICRO: Final = 40  # a quarter of a core then is 10 MB a second, all there is to 100 Mbit
READ_PER_MICRO: Final = 25  # bytes of rows that are read from the log, decoded and shown


def price_of_read(size: int) -> int:
    """Return what reading rows with bodies of `size` bytes from the log costs, in microseconds."""
    return 1 + size // READ_PER_MICRO


READ_ROW: Final = 5  # a row of the log that is read, decoded and shown, beside its bytes


class BadConfig(ValueError):
    """A setting that does not exist, or cannot have this value."""


class Config(Struct, frozen=True):
    """The limits and times of a server; times are in ms unless the name says otherwise."""

    max_frame: int = MAX_CLIENT_FRAME  # a reader's memory is bounded by it
    hello_ms: int = 10_000  # a socket that says nothing costs memory
    ping_ms: int = 20_000  # often enough to keep a home router's mapping open
    silent_ms: int = 40_000  # two pings lost: nobody is there
    stuck_ms: int = 5_000  # a peer that does not read for so long is dropped, and may resume
    held_messages: int = 64  # what may wait for a peer that does not read ...
    held_bytes: int = 1024 * 1024  # ... and how much that may be
    connections_per_address: int = 64  # a household, or a bot author's farm; not a flood
    names_per_address: int = 300  # new ones an hour, guests' included: a school, not a flood
    connections_per_session: int = 8  # tabs and devices of one person
    connections: int = 10_000  # memory: about 7 kB each; the system's limit of open files is raised
    frames_per_second: int = 1_000  # of one connection, pings and fragments included: 10 ms of work
    messages_per_second: int = 20  # sustained, of a person's connection
    messages_burst: int = 120  # a page that comes back asks for much at once
    bot_messages_per_second: int = 400  # a bot with 20 slots at 20 moves a second
    inbox: int = 64  # waiting messages a room ...
    inbox_per_session: int = 4  # ... of which one connection of a session may have so many
    rooms: int = 5_000  # open rooms
    rooms_per_session: int = 64  # one player sits in, and all programs of one owner have opened
    rooms_per_address: int = 128  # a household, an office; it takes 40 of them to fill the house
    bots_per_session: int = 4  # slots of other people's bots that one player's invitations hold ...
    bots_per_address: int = 12  # ... and those of one address: a bot of the house has 16
    ladders: int = 100  # that are running
    ladders_per_session: int = 4  # ... of one owner; of a guest, whom nobody knows again, one
    ladders_per_address: int = 8
    finished_ladders: int = 100  # that are still shown, the newest
    history_page: int = 200  # events
    reads_waiting: int = 64  # requests that wait for the log, about 2 ms of work each ...
    reads_per_session: int = 4  # ... of which one session may have so many
    advice_ms: int = 30_000  # how long a bot may think about somebody else's position
    analysis_ms: int = 60_000  # ... and about a whole match that is over
    analyses: int = 8  # of them at once, each of which has a match read from the log
    lobby_every_ms: int = 250  # at most four lists a second, however much happens
    sweep_ms: int = 1_000  # how often all connections are looked at; the grain of the times above
    close_grace_ms: int = 2_000  # what a peer gets to say goodbye when the server ends
    retry_ms: int = 500  # first wait before a failed log is tried again; doubles to 30 s

    def with_settings(self, settings: list[str]) -> Config:
        """Return this configuration with `name=value` texts put in.

        Raises:
            BadConfig: naming what exists.
        """
        values: dict[str, int] = {}
        for setting in settings:
            name, _, value = setting.partition("=")
            if name not in self.__struct_fields__:
                names = ", ".join(sorted(self.__struct_fields__))
                raise BadConfig(f"no setting is called {name!r}; there are {names}")
            try:
                values[name] = msgspec.convert(value, Limit, strict=False)
            except msgspec.ValidationError:
                raise BadConfig(f"{name} is a whole number from 1, not {value[:20]!r}") from None
        return replace(self, **values)
