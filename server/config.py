"""Every limit of the server, and every price but those of requests, with its reason.

A request's price stands on its class in protocol.  All limits can be set by
`plyhouse serve --set name=value`.
"""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from protocol.messages import MAX_CLIENT_FRAME
from server.core.room import CLAIM_BOT_MS, CLAIM_MS

Limit = Annotated[int, Meta(ge=1, lt=10**15)]  # far beyond any use, and still exact everywhere

# What things cost: microseconds of the server's CPU, as the `price` of a request's class is.
LOBBY_LIST: Final = 600  # the first who asks after a change has the list written anew
LADDER_STANDING: Final = 600  # likewise
LADDER_DIFFERENCE: Final = 4  # of two players
REFUSED: Final = 90  # beside its price: it has a sentence, and nothing good has come of it
WRONG_TOKEN: Final = 100_000  # of a host: one guess a second from an address, of 2**256
WRONG_CODE: Final = 25_000  # four guesses a second from an address: 25 days to one of 100 rooms
REPEATED: Final = 150  # a play that is said again, and the match shown once more
MANY_PLAYS: Final = 500  # an accepted play beyond those that are free
PLAYED: Final = 250  # one that is free takes so much of its share: all that are free fit into one
LOOK_AT_TABLE: Final = 8  # one open table that a seek is compared with
UNREAD: Final = 40  # what is refused before it is looked at, because nothing is left
CONTROL: Final = 35  # a ping, which is answered, or a fragment of a message
PART: Final = 50  # what is no whole frame or request yet: a turn of the loop for it alone
CONNECTION: Final = 360  # accepted and forgotten
TLS_HANDSHAKE: Final = 1_000  # keys are agreed on, and one of RSA with 2,048 bits signs
HANDSHAKE: Final = 420  # a WebSocket is built, and taken down again
PAGE: Final = 250  # a request of HTTP, whatever it asks for, also where many come at once
FIGURES: Final = 2_000  # /metrics: all figures are formatted anew
REPLAYING: Final = 8_000  # a match is played through, if it was not asked for lately ...
REPLAYED: Final = 60  # ... and each of its events, beyond those that this pays for
IMPORTING: Final = 40_000  # a file is read in a process of its own, of which there is one
PUSH: Final = 20  # one frame for one who looks on ...
BYTES_PER_MICRO: Final = 100  # ... and its bytes; a tenth of a core sends 10 MB a second
READ_PER_MICRO: Final = 160  # bytes of rows that are read from the log, decoded and shown
STORED_BYTE: Final = (
    2  # a byte of rows that are stored, told to all who follow, and kept for good ...
)
STORED_BYTES: Final = 192  # ... beyond those that each request has paid for: a move, a short note
SMALL: Final = 512  # bytes of an answer that its request has paid for


def price_of_read(size: int) -> int:
    """Return what reading rows with bodies of `size` bytes from the log costs, in microseconds."""
    return 1 + size // READ_PER_MICRO


READ: Final = 400  # of the log, which looks through the newest rows of all rooms
READ_ROW: Final = 5  # a row of the log that is read, decoded and shown, beside its bytes
LOOKED_PER_MICRO: Final = 3  # rows of the log that are passed over, as they are not wanted
LAST_PLAYED: Final = 5_000  # of up to 10,000 matches of a room the last that somebody has played
TALLIED: Final = 3  # a match that is added up with others
LISTED: Final = 10  # a match that is told in a list, beside reading and sending it


SCHOOL: Final = 8  # times as much as an address may have, where a school or an office has one
OF_ADDRESS: Final = ("address_micros", "share_micros", "free_plays")  # ... beside what is called so


class BadConfig(ValueError):
    """A setting that does not exist, or cannot have this value."""


class Config(Struct, frozen=True):
    """The limits and times of a server; times are in ms unless the name says otherwise."""

    max_frame: int = MAX_CLIENT_FRAME  # a reader's memory is bounded by it
    max_head: int = 16 * 1024  # bytes of a request's line and headers; browsers send 1 or 2 kB
    hello_ms: int = 10_000  # a socket that says nothing costs memory
    idle_ms: int = 20_000  # a browser asks for more over a connection that it has; for a while
    ping_ms: int = 20_000  # often enough to keep a home router's mapping open
    silent_ms: int = 40_000  # two pings lost: no client is there
    stuck_ms: int = 5_000  # a peer that does not read for so long is dropped, and may resume
    held_messages: int = 64  # what may wait for a peer that does not read ...
    held_bytes: int = 1024 * 1024  # ... and how much that may be
    held_per_address: int = 1536 * 1024  # of all that one address reads too slowly, or has ...
    held_in_all: int = 32 * 1024 * 1024  # ... not sent to its end; and of everybody
    connections_per_address: int = 64  # a household, or a bot author's farm; not a flood
    names_per_address: int = 300  # new ones an hour, guests' included: a school, not a flood
    # All together, at 1 kB; of more the newest go that were not used for a day, half a year else.
    names: int = 200_000
    connections_per_session: int = 8  # tabs and devices of one person
    spare_connections: int = 64  # beyond these limits, so that a refusal can be sent
    connections: int = 10_000  # memory: about 7 kB each; the system's limit of open files is raised
    frames_per_second: int = 1_000  # of one connection, pings and fragments included: 10 ms of work
    # What requests may cost, by the table above: microseconds of the server's CPU a second.
    connection_micros: int = 40_000  # a bot begins 40 matches a second
    session_micros: int = 60_000  # a person's tabs, or one bot on several machines
    address_micros: int = 100_000  # a tenth of a core, so that on a slower one it is a quarter
    saved_ms: int = 4_000  # so much of each may be saved up: a page with all its files, a room full
    # Of one address, at most so much of a second, as prices are no exact science: what they say
    # takes up to half as long again where others have had the core meanwhile.  Others are served
    # before it goes on after ...
    share_micros: int = 115_000
    pace_micros: int = 1_000  # ... so much, as a move may then come a millisecond later
    free_plays: int = 400  # a second from one address: 20 slots at 20 moves; more of them pay
    # A day, so that 20 of them fill a small disk in a day; a bot that makes 100 moves a second
    # all day stores as much.
    stored_bytes_per_address: int = 1_000_000_000
    disk_reserve_bytes: int = 256 * 1024 * 1024  # for moves alone: three millions of them
    invitations: int = 6  # that one person gets, or gives, at once; one more every two seconds
    inbox: int = 64  # waiting messages a room ...
    inbox_per_session: int = 4  # ... of which one connection of a session may have so many
    rooms: int = 5_000  # open rooms
    rooms_per_session: int = 64  # one player sits in, and all programs of one owner have opened
    rooms_per_address: int = 128  # a household, an office; it takes 40 of them to fill the house
    # Matches with other people's bots that one player has called them to, with those that rest.
    bots_per_session: int = 20
    # Slots of theirs that an address may hold, beyond a first one of each player: the house has 80.
    bots_per_address: int = 24
    kept_slots: int = 4  # one in so many slots of a bot is for addresses that hold none of it
    ladders: int = 100  # that are running
    ladders_per_session: int = 4  # ... of one owner; of a guest, who is not known again, one
    ladders_per_address: int = 8
    new_ladders_per_address: int = 4  # ... by guests, and under names younger than an hour
    ladder_base_ms: int = (
        3_600_000  # of a clock, by who is not the host: a slot is held so long ...
    )
    ladder_move_ms: int = 300_000  # ... and so much for one move
    ladder_players: int = 500  # that a ladder has had, versions included: a fit takes its cube ...
    ladder_players_per_owner: int = 50
    ladder_idle_ms: int = 86_400_000  # after which a ladder ends on which no player was
    finished_ladders: int = 100  # that are still shown, the newest
    history_page: int = 200  # events
    reads_waiting: int = 64  # requests that wait for the log, about 2 ms of work each ...
    reads_per_session: int = 4  # ... of which one session may have so many
    advice_ms: int = 30_000  # how long a bot may think about somebody else's position
    analysis_ms: int = 60_000  # ... and about a whole match that is over
    analysis_delay_ms: int = 300_000  # ... and so much more where its code is compiled first
    analyses: int = 8  # of them at once, each of which has a match read from the log
    tallied_matches: int = 5_000  # of one person: 9 ms of the reader's time
    rated_matches: int = 10_000  # of one game, that are rated together ...
    rated_people: int = 300  # ... and how many may have played them; a fit takes its cube
    analyses_kept: int = 2_000  # of the newest matches that somebody had analysed ...
    analyses_kept_bytes: int = 64 * 1024 * 1024  # ... and how much that may be on the disk
    claim_ms: int = CLAIM_MS  # that a person is away before a match without clock can be claimed
    claim_bot_ms: int = CLAIM_BOT_MS  # ... and a bot
    lobby_every_ms: int = 250  # at most four lists a second, however much happens ...
    lobby_follower_bytes: int = 8_000  # ... and fewer, if one who follows gets more a second ...
    lobby_bytes: int = 800_000  # ... and all of them together more than this
    sweep_ms: int = 1_000  # how often all connections are looked at; the grain of the times above
    close_grace_ms: int = 2_000  # what a peer gets to say goodbye when the server ends
    retry_ms: int = 500  # first wait before a failed log is tried again; doubles to 30 s

    def with_settings(self, settings: list[str]) -> Config:
        """Return this configuration with `name=value` texts put in.

        `school=on` is every limit of an address at once, but for those that are named as well.

        Raises:
            BadConfig: naming what exists.
        """
        values: dict[str, int] = {}
        school: dict[str, int] = {}
        for setting in settings:
            name, _, value = setting.partition("=")
            if setting == "school=on":
                each = [field for field in self.__struct_fields__ if field.endswith("_per_address")]
                school = {field: SCHOOL * getattr(self, field) for field in (*each, *OF_ADDRESS)}
                continue
            if name not in self.__struct_fields__:
                names = ", ".join(sorted(self.__struct_fields__))
                raise BadConfig(f"no setting is called {name!r}; there are {names}")
            try:
                values[name] = msgspec.convert(value, Limit, strict=False)
            except msgspec.ValidationError:
                raise BadConfig(f"{name} is a whole number from 1, not {value[:20]!r}") from None
        return replace(self, **(school | values))
