"""The devices that a name is on, each with a token of its own, as values.

A name begins on one device, and most stay there: of those nothing is kept beside the session's
token.  The first of several devices is always the one with that token, so that what knows of one
token only, as an older server on the same database, goes on with the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from protocol.devices import DeviceNews
from server.core.names.text import clean
from server.core.session import Device, Session

MAX_DEVICES: Final = 16  # of a name: of more, the one that was seen longest ago gives way
MAX_LABEL: Final = 40  # characters
FIRST: Final = 1  # the number of a name's only device


def label_of(text: str | None) -> str:
    """Return what a device is called, as it is kept."""
    return clean(text or "")[:MAX_LABEL].strip()


def devices_of(session: Session) -> tuple[Device, ...]:
    """Return the devices of a name, of which there is always one, the oldest first."""
    only = Device(FIRST, session.token, session.label, 0, session.seen)
    return session.devices or (only,)


def tokens_of(session: Session) -> list[bytes]:
    """Return the hashes of all tokens of a name."""
    return [device.token for device in session.devices] or [session.token]


def number_of(session: Session, token: bytes) -> int:
    """Return the number of the device that has a token, 0 if none has."""
    return next((each.number for each in devices_of(session) if each.token == token), 0)


def of_number(session: Session, number: int) -> Device | None:
    """Return the device of a name that has this number, if one has."""
    return next((each for each in devices_of(session) if each.number == number), None)


def seen(session: Session, number: int, label: str, now: int) -> Session:
    """Return a session that was seen now, on this device; it may say anew what it is called."""
    if not session.devices:
        return replace(session, seen=now, label=label or session.label)
    devices = [
        replace(each, seen=now, label=label or each.label) if each.number == number else each
        for each in session.devices
    ]
    return replace(session, seen=now, devices=tuple(devices))


def linked(session: Session, token: bytes, label: str, now: int) -> Session:
    """Return a session with one device more."""
    known = devices_of(session)
    number = known[-1].number + 1
    if len(known) >= MAX_DEVICES:
        known = _without(known, min(known, key=lambda each: each.seen).number)
    return _on(session, (*known, Device(number, token, label, now, now)))


def without(session: Session, number: int) -> Session:
    """Return a session without one of its devices, of which it has another."""
    return _on(session, _without(devices_of(session), number))


def put_back(session: Session, before: Session, number: int) -> Session:
    """Return a session with the device that it had before, as that could not be cut off."""
    cut = next(each for each in devices_of(before) if each.number == number)
    others = _without(devices_of(session), number)
    return _on(session, tuple(sorted((cut, *others), key=lambda each: each.number)))


def news(before: Session, after: Session) -> list[DeviceNews]:
    """Return what those hear who were on a name's devices as it changed."""
    known, left = devices_of(before), devices_of(after)
    numbers, kept = ({each.number for each in devices} for devices in (known, left))
    told = [DeviceNews(news="linked", device=d.label) for d in left if d.number not in numbers]
    told += [DeviceNews(news="cut", device=d.label) for d in known if d.number not in kept]
    if before.recovery and before.recovery != after.recovery:
        told.append(DeviceNews(news="recovery"))
    return told


def linked_since(session: Session, number: int, since: int) -> list[DeviceNews]:
    """Return what a device of this number hears that was last there at `since`."""
    others = [each for each in devices_of(session) if each.number != number]
    return [DeviceNews(news="linked", device=d.label) for d in others if d.linked > since]


def _without(devices: Sequence[Device], number: int) -> tuple[Device, ...]:
    return tuple([each for each in devices if each.number != number])


def _on(session: Session, devices: tuple[Device, ...]) -> Session:
    seen = max(device.seen for device in devices)
    return replace(session, token=devices[0].token, devices=devices, seen=max(seen, session.seen))


def encode(devices: Sequence[Device]) -> bytes:
    """Return devices as they are stored."""
    return msgspec.json.encode(devices)


def decode(body: bytes, token: bytes) -> tuple[Device, ...]:
    """Return the devices of the session with this token, none if it has had only one.

    What is not of this token is older: a server that knew of one token only has given the name
    another one since, and all others up.
    """
    devices = msgspec.json.decode(body, type=tuple[Device, ...]) if body else ()
    return devices if devices and devices[0].token == token else ()
