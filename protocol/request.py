"""What a request is: its fields, and beside them all that server and clients know of it.

A class says once what the tables are made from: which requests there are, where one goes, what it
costs, what answers it, what refuses it, whether it may be asked again.  docs/new-request.md adds
one.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal, TypeVar

from msgspec import Struct

from protocol.errors import Code
from protocol.parts import Whole

S = TypeVar("S", bound=Struct)
# Of a room: no match is on; one is; a ladder's match is on, or over, in the room that is for it.
State = Literal["waiting", "playing", "leg", "over"]
ANY_STATE: Final[tuple[State, ...]] = ("waiting", "playing", "leg", "over")
# What any request may hear, so no class names it.
ALWAYS: Final = frozenset({
    Code.PROTOCOL_BAD_FRAME, Code.PROTOCOL_BAD_MESSAGE, Code.PROTOCOL_TOO_LARGE,
    Code.PROTOCOL_UNKNOWN_TYPE, Code.SESSION_FLOOD, Code.SESSION_HELLO_FIRST, Code.ROOM_BUSY,
    Code.ROOM_MOVING, Code.SERVER_MOVING, Code.SERVER_NOT_STORED, Code.SERVER_UNANSWERED,
})  # fmt: skip
# What one that a room answers may hear, and of these one about a match.
OF_A_ROOM: Final = frozenset({Code.LOBBY_NO_ROOM, Code.ROOM_CLOSED, Code.ROOM_FAILED})
OF_A_MATCH: Final = frozenset({Code.MATCH_OVER, Code.ROOM_NO_MATCH, Code.ROOM_NOT_SEATED})
# What a request hears in a state of the room in which it is not answered.
NOT_IN: Final[dict[State, frozenset[Code]]] = {
    "waiting": OF_A_MATCH,
    "playing": frozenset({Code.ROOM_MATCH_ON}),
    "leg": frozenset({Code.MATCH_NOT_ALLOWED}),
    "over": frozenset({Code.MATCH_OVER}),
}


class Request(
    Struct, frozen=True, omit_defaults=True, kw_only=True, forbid_unknown_fields=True
):  # the codec leaves those out
    """What all requests share: `id`, of the client's choice, comes back as `re` in the answer.

    `price`: microseconds of the server's CPU, in all its threads, rounded up from what
    `plyhouse bench prices` measures for one that comes alone; what is stored has a commit of its
    own then.  Long answers, and what others are sent of it, are charged beside it.
    `answer`: the type of the message that grants it.
    `repeatable`: it changes nothing, or nothing twice, so that a client which has lost its
    connection may send it again.
    `states`: those of a room in which the room itself answers; none: it is for another part.
    `owner_only`: it is for the owner of the room.
    `begins`: it begins something, which is refused shortly before the server stops, and to who has
    stored enough for a day; `speech`: others read what it says, so a muted player may not.
    `refusals`: the codes that it may hear beside those that follow from all this; see refusals_of.
    """

    id: Whole | None = None
    price: ClassVar[int] = 1_000  # of nearly all that is stored
    answer: ClassVar[str] = "ok"
    repeatable: ClassVar[bool] = False
    states: ClassVar[tuple[State, ...]] = ()
    owner_only: ClassVar[bool] = False
    begins: ClassVar[bool] = False
    speech: ClassVar[bool] = False
    refusals: ClassVar[tuple[Code, ...]] = ()


def refusals_of(kind: type[Request]) -> tuple[Code, ...]:
    """Return the codes that a request may hear beside those of `ALWAYS`, in the order of `Code`."""
    codes = {*kind.refusals}
    if kind.states:
        codes |= OF_A_ROOM.union(
            *[NOT_IN[state] for state in ANY_STATE if state not in kind.states]
        )
        codes |= OF_A_MATCH if "match" in kind.__struct_fields__ else set()
    if kind.owner_only:
        codes.add(Code.ROOM_NOT_OWNER)
    if kind.begins:
        codes |= {Code.SERVER_DRAINING, Code.SERVER_DISK_FULL}
    if kind.speech:
        codes |= {Code.CHAT_MUTED, Code.SERVER_DISK_FULL}
    return tuple(code for code in Code if code in codes)


def of_module(base: type[S], module: str) -> tuple[type[S], ...]:
    """Return the messages of one side that a module defines, in their order there."""
    return tuple(each for each in base.__subclasses__() if each.__module__ == module)
