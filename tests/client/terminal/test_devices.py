"""The devices of one's name, in the terminal."""

from __future__ import annotations

from datetime import datetime

from protocol.devices import DeviceLine, DeviceList, Devices
from tests.client.terminal.fakes import Stage


async def test_devices_are_listed_and_cut_off_by_their_numbers(stage: Stage) -> None:
    await stage.begin()
    at = int(datetime(2026, 11, 28, 9, 30).timestamp() * 1000)  # noqa: DTZ001 - as it is shown
    lines = (
        DeviceLine(number=1, seen=at, label="Firefox on Linux"),
        DeviceLine(number=2, seen=at, here=True, linked=at),
        DeviceLine(number=4, seen=at, label="terminal on den", here=True, own=True),
    )
    stage.connection.answers[Devices] = DeviceList(devices=lines)
    shown = await stage.type("/devices")
    for part in (
        "1 Firefox on Linux (last seen 2026-11-28 09:30)",
        "2 a device that says nothing of itself (connected, linked 2026-11-28 09:30)",
        "4 terminal on den (this one)", "/devices cut 1", "/recovery",
    ):  # fmt: skip
        assert part in shown
    await stage.type("/devices cut 2")
    assert stage.connection.asked_for(Devices) == [Devices(), Devices(cut=2)]
    assert "by its number" in await stage.type("/devices cut it")
