"""One's name on several devices, from the terminal: a link, a list, a cut, and a recovery code."""

from __future__ import annotations

from datetime import datetime

from client.styled_text import StyledText, styled
from client.terminal.session import TerminalSession
from client.terminal.shown.narrate import UNNAMED_DEVICE
from client.terminal.typed import commands
from protocol.devices import DeviceLine, DeviceList


async def link(session: TerminalSession) -> None:
    linked = await session.connection.link()
    text = f"On the other device, within {linked.expires_ms // 1000} s: "
    session.interface.tell(
        styled(text, ("key", f"plyhouse play --link {linked.code}")),
        styled("There and here you are the same then; /devices shows which devices you are on."),
    )


async def recovery(session: TerminalSession, command: commands.NewRecovery) -> None:
    linked = await session.connection.link(True, command.old, command.lost)
    session.interface.tell(*recovery_lines(session.connection.name, linked.code))


def recovery_lines(name: str, code: str) -> list[StyledText]:
    """Return what is said about a recovery code, the only time that it is shown."""
    return [
        styled("Keep this code; it is shown only now: ", ("key", code)),
        styled(f"It brings {name} back, also from a thief: plyhouse play --link {code}"),
    ]


async def devices(session: TerminalSession, command: commands.ListDevices) -> None:
    found = await session.connection.devices(command.cut)
    session.interface.tell(*device_lines(session.connection.name, found))


def device_lines(name: str, found: DeviceList) -> list[StyledText]:
    lines = [styled(f"{name} is on:"), *map(_line, found.devices)]
    others = [each for each in found.devices if not each.own]
    if others:
        lines.append(styled(("help", f"/devices cut {others[0].number} cuts that one off.")))
    if not found.recovery:
        text = "Without a recovery code a name is lost with its last device: /recovery shows one."
    else:
        text = "Its recovery code was shown; /recovery lost makes a new one in its place."
    lines.append(styled(("help", text)))
    return lines


def _line(device: DeviceLine) -> StyledText:
    if device.own:
        when = "this one"
    else:
        when = "connected" if device.here else f"last seen {_moment(device.seen)}"
    since = f", linked {_moment(device.linked)}" if device.linked else ""
    label = device.label or UNNAMED_DEVICE
    return styled(("key", f"{device.number:>4} "), f"{label} ({when}{since})")


def _moment(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1000):%Y-%m-%d %H:%M}"  # noqa: DTZ006 - a person's
