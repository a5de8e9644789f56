"""The life of a connection as one table, what a name may be, and what a peer may cost the server.

A *connection* is one socket; a *session* is one login that survives sockets: a name and the hash of
its token.  A connection is `new` until its hello is answered, `greeting` while that is being
stored, then `open`.

The unit of an *allowance* is the microsecond of the server's CPU.  server/config.py says what a
request costs, and turns bytes and reads of the log into the same unit.  A peer pays from the
allowances of its connection, its session and its address at once, so the tightest one rules.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from protocol import codec
from protocol.errors import Code, Refusal
from protocol.messages import Hello, Request
from server.core.names.text import clean

MAX_NAME = 24  # characters
MAX_MARKS = 3  # accents one upon another: more than any script needs would cover other lines

# What shows nothing, though Unicode calls it a letter, a mark or a symbol: its default ignorable
# code points, and the blank ones of Braille, music, hieroglyphs and Khitan.
JOINERS = frozenset("\u200d\ufe0f")  # of emoji
INVISIBLE = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\ufffc"
    "\U00013441\U00013442\U00016fe4\U0001d159"
) | frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))

LIFE: dict[str, frozenset[type[Request]]] = {
    "new": frozenset({Hello}),
    "greeting": frozenset(),  # one thing at a time
    "open": frozenset(codec.REQUESTS.values()) - {Hello},
}


class Device(Struct, frozen=True, array_like=True):
    """A device of a name: `number` among them, `token` as in Session, when it was linked and last
    connected, in ms, and what it calls itself.
    """

    number: int
    token: bytes
    label: str = ""
    linked: int = 0
    seen: int = 0


class Session(Struct, frozen=True):
    """A login.

    `token`: SHA-256 of what its owner holds; `seen`: when it was last connected, in ms; `recovery`:
    SHA-256 of the code that brings the name back, empty if none was shown; `played`: whether
    it has begun a match; `devices`: see names/devices.py; `label`: what its only device calls
    itself, which is not stored.
    """

    number: int
    name: str
    token: bytes
    seen: int
    guest: bool = False
    recovery: bytes = b""
    played: bool = False
    devices: tuple[Device, ...] = ()
    label: str = ""


def unasked(state: str, request: Request) -> Refusal:
    """Return the answer to what this state of a connection does not know."""
    if type(request) is Hello or state == "open":
        return Refusal(Code.SESSION_HELLO_AGAIN, "this connection has said hello already")
    return Refusal(Code.SESSION_HELLO_FIRST, "say `hello` first, and wait for `welcome`")


def check_name(text: str) -> str:
    """Return the name as it will be shown: in NFKC, with single spaces.

    Raises:
        Refusal: session/bad-name, saying what is wrong with it.
    """
    typed = unicodedata.normalize("NFC", text).strip()
    if typed != clean(text):  # control characters, unusual spaces
        raise _invisible(typed)
    name = " ".join(unicodedata.normalize("NFKC", typed).split())
    _check_visible(name)
    if len(name) > MAX_NAME:
        raise Refusal(Code.SESSION_BAD_NAME, f"a name has at most {MAX_NAME} characters")
    if set(name) & set("/@"):
        raise Refusal(Code.SESSION_BAD_NAME, "a name holds no '/' and no '@'")
    return name


def _invisible(name: str) -> Refusal:
    """Return what is said of a name with something in it that shows nothing by itself."""
    if set(name) & JOINERS:
        text = "a name holds no emoji that is joined of several, such as a family or a flag"
    else:
        text = "a name is made of visible characters"
    return Refusal(Code.SESSION_BAD_NAME, text)


def _check_visible(name: str) -> None:
    """Refuse what shows nothing, or less than it is."""
    marks = 0
    letters = False
    before = " "
    for c in name:
        category = unicodedata.category(c)
        if c in INVISIBLE or category[0] == "C" or (category[0] == "Z" and c != " "):
            raise _invisible(name)
        marks = marks + 1 if category[0] == "M" else 0
        if category == "Me" or marks > MAX_MARKS or (marks and before not in "LNM"):
            raise Refusal(Code.SESSION_BAD_NAME, "a name has accents on its letters only, and few")
        letters = letters or category[0] in "LN"
        before = category[0]
    if not letters:
        raise Refusal(
            Code.SESSION_BAD_NAME, "a name has a letter or a digit, and visible characters only"
        )


def hash_token(token: str) -> bytes:
    """Return what is stored of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


class TokenBucket:
    """An allowance: `rate` microseconds come in a second, at most `burst` are saved up, and `debt`
    are owed.

    Its owner is a connection, a session or an address; it changes in place because it is asked at
    every message.  `level` is what is left: it may be below zero, as what something costs is often
    known only afterwards, and a debt has to be waited for.  To charge it, lower `level`.
    """

    __slots__ = ("at", "burst", "debt", "level", "rate")

    def __init__(self, rate: float, burst: float, now: int, debt: float | None = None) -> None:
        self.rate = rate
        self.burst = burst
        self.debt = burst if debt is None else debt
        self.level = burst
        self.at = now

    def refill(self, now: int) -> None:
        """Add what has come by `now` (ms)."""
        came = (now - self.at) * self.rate / 1000
        self.level = min(self.burst, max(-self.debt, self.level) + came)
        self.at = now

    def is_full(self, now: int) -> bool:
        """Return whether nothing is owed and all is saved up, so that it can be forgotten."""
        self.refill(now)
        return self.level >= self.burst


class AddressBuckets(NamedTuple):
    """What all connections from one address share.

    `costs`: if one is spent, what they ask is refused.  `pace`: if it is spent, it is delayed.
    `plays`: how many of them cost nothing.  Of costs and plays there is one for the address, and
    one for each network that it is of.
    """

    costs: tuple[TokenBucket, ...]
    pace: TokenBucket
    plays: tuple[TokenBucket, ...]


def wait_ms(allowances: Iterable[TokenBucket], now: int) -> int:
    """Fill these up, and return 0 if all have something left, else in how many ms they will."""
    wait = 0
    for allowance in allowances:
        allowance.refill(now)
        if allowance.level <= 0:
            wait = max(wait, 1 + int(-allowance.level * 1000 / allowance.rate))
    return wait
