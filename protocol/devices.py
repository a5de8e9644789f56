"""A name on its devices: a list of them, what they share, and what each of their tokens proves.

How a server proves at a new address that it is the house that gave a name a token:
`GET /house?name=NAME&nonce=NONCE` is answered, for each device of the name, with an HMAC-SHA256
that has for its key the SHA-256 of its token, which the house stores, and for its message

    plyhouse NONCE CLIENT SERVER        such as  plyhouse 5f0c... 10.9.0.7:51234 10.9.0.1:8765

the addresses being the two ends of the connection that the question came by.  A server that only
says that it is another has no such key; and one that passes the question on to the real house gets
an answer for a connection that is not the asker's.  So behind a proxy or an address translation
there is no proof: there one has another name, as before.
"""

from __future__ import annotations

import hmac
import ipaddress
from typing import Any, Literal

from msgspec import Struct

from protocol.errors import Code
from protocol.messages import Push, Request
from protocol.parts import Text, Whole
from protocol.request import of_module


class Devices(Request, frozen=True, tag="devices"):
    """Ask which devices this name is on, after one of them is `cut` off."""

    answer = "devices"
    refusals = (Code.SESSION_NO_DEVICE,)
    cut: Whole | None = None


class DeviceLine(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A device that a name is on.  `linked`: since when, None where that was not noted; `here`: it
    is connected; `own`: the one that asks.
    """

    number: Whole
    seen: Whole
    label: str = ""
    linked: Whole | None = None
    here: bool = False
    own: bool = False


class DeviceList(Push, frozen=True, tag="devices"):
    """The devices of one's name, the oldest first; `recovery`: it has a recovery code."""

    devices: tuple[DeviceLine, ...]
    recovery: bool = False


class DeviceNews(Push, frozen=True, tag="device_news"):
    """To a name's devices: another one is `linked`, one was `cut` off, or the recovery code was
    replaced.  One that was away hears of those that were linked meanwhile as it comes back.
    """

    news: Literal["linked", "cut", "recovery"]
    device: str = ""


class Settings(Request, frozen=True, tag="settings"):
    """Ask for what is kept with this name for its owner's programs; with `keep` that is kept."""

    answer = "settings"
    repeatable = True
    refusals = (Code.SERVER_DISK_FULL,)
    keep: Text | None = None


class KeptSettings(Push, frozen=True, tag="settings"):
    """What is kept with one's name."""

    kept: str = ""


def end(name: Any) -> str:
    """Return one end of a connection, as a socket names it; "" for one that is not by IP."""
    try:
        ip = ipaddress.ip_address(name[0].partition("%")[0])
        port = int(name[1])
    except (TypeError, ValueError, IndexError, AttributeError):
        return ""
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return f"{mapped}:{port}" if mapped else f"[{ip}]:{port}" if ip.version == 6 else f"{ip}:{port}"


def prove(token_hash: bytes, nonce: str, client: str, server: str) -> str:
    """Return the proof, in hex; `token_hash`: the SHA-256 of the token."""
    message = f"plyhouse {nonce} {client} {server}"
    return hmac.new(token_hash, message.encode(), "sha256").hexdigest()


DEVICE_REQUESTS = of_module(Request, __name__)
DEVICE_REPLIES = of_module(Push, __name__)
