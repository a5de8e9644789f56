"""What an owner asks about a name's devices: a list, a link, a cut, what they share, a code.

What a device and a code mean is in core/names/; sessions.py stores them.
"""

from __future__ import annotations

import logging

from msgspec.structs import replace

from protocol.devices import DeviceLine, DeviceList, Devices, KeptSettings, Settings
from protocol.errors import Code
from protocol.messages import Error, Link, Linked, Request
from server.core.names.devices import devices_of, of_number, put_back
from server.core.names.register import LINK_MS
from server.rooms.directory import random_code
from server.rooms.peers import Peer
from server.sessions import Sessions
from server.store.contract import SettingsRow

log = logging.getLogger("plyhouse")
LINK_LENGTH = 10  # letters of a code that links a device
RECOVERY_GROUPS = 4  # of four letters each, a code that brings a name back: it is good for years


class OwnDevices:
    """Answers what the owner of a name asks about its devices and codes."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._store, self._disk = sessions.store, sessions.rooms.disk
        self._names = sessions.names

    def devices(self, peer: Peer, request: Devices, now: int) -> None:
        """Answer with the devices of the name, once one of them is cut off, if that is asked for.

        Raises:
            Refusal: session/no-device.
        """
        if request.cut is None:
            self._list(peer, request)
            return
        number = peer.me().session
        before = self._names.sessions[number]
        session = self._names.cut(number, request.cut)

        def stored(error: Exception | None) -> None:
            known = self._names.sessions.get(number)
            if error is None:
                self._sessions.end_cut_off(number)
                self._sessions.tell_devices(before, session, peer.device)
                if peer.state != "gone":
                    self._list(peer, request)
            elif known is not None:
                self._names.update(put_back(known, before, request.cut or 0))
                self._not_stored(peer, request, error, "cut that device off")

        self._sessions.store_session(session, stored)

    def _list(self, peer: Peer, request: Devices) -> None:
        session = self._names.sessions[peer.me().session]
        here = {other.device for other in self._sessions.connections(session.number)}
        devices = [
            DeviceLine(
                number=each.number, label=each.label, linked=each.linked or None, seen=each.seen,
                here=each.number in here, own=each.number == peer.device,
            )
            for each in devices_of(session)
        ]  # fmt: skip
        has_code = bool(session.recovery)
        peer.send(DeviceList(re=request.id, devices=tuple(devices), recovery=has_code))

    def settings(self, peer: Peer, request: Settings, now: int) -> None:
        """Answer with what is kept with the name: what comes, or else what is there.

        Raises:
            Refusal: server/disk-full, room/busy.
        """
        number, text = peer.me().session, request.keep
        if text is None:
            self._sessions.services.reads.ask(
                peer,
                lambda log: log.read_settings(number, lambda rows: self._show(peer, request, rows)),
            )
            return
        self._disk.check(peer, now)
        row = SettingsRow(number, text.encode())
        self._disk.charge(peer, len(row.body), now)

        def stored(error: Exception | None) -> None:
            if error is not None:
                self._not_stored(peer, request, error, "keep your settings")
            elif peer.state != "gone":
                peer.send(KeptSettings(re=request.id, kept=text))

        self._store.append([row], stored)

    def _show(self, peer: Peer, request: Settings, rows: list[SettingsRow] | None) -> None:
        if peer.state == "gone":
            return
        if rows is None:
            text = "the server could not read your settings; try again in a while"
            peer.send_error(Error(code=Code.SERVER_NOT_STORED, text=text), request.id)
            return
        kept = [row.body.decode() for row in rows]
        peer.send(KeptSettings(re=request.id, kept="".join(kept)))

    def link(self, peer: Peer, request: Link, now: int) -> None:
        """Answer with a code that links another device to the name.

        Raises:
            Refusal: session/has-recovery.
        """
        number = peer.me().session
        if request.recovery:
            self._give_recovery(peer, request, now)
            return
        code = random_code(LINK_LENGTH)
        self._names.link(number, code, now)
        for tell in self._sessions.news.linked:
            tell(number, code, now + LINK_MS)
        peer.send(Linked(re=request.id, code=code, expires_ms=LINK_MS))

    def _give_recovery(self, peer: Peer, request: Link, now: int) -> None:
        number, code = peer.me().session, _recovery_code()
        before = self._names.sessions[number]
        device = of_number(before, peer.device) if request.lost else None
        since = now - device.linked if device is not None else None
        session = self._names.set_recovery(number, code, request.old, since)

        def stored(error: Exception | None) -> None:
            if error is None and peer.state != "gone":
                peer.send(Linked(re=request.id, code=code, expires_ms=0))
                self._sessions.tell_devices(before, session, peer.device)
                return
            known = self._names.sessions.get(number)  # no client was shown the code
            if known is not None and known.recovery == session.recovery:
                known = self._names.update(replace(known, recovery=before.recovery))
                if error is None:
                    self._sessions.store_session(known)
            if error is not None:
                self._not_stored(peer, request, error, "store a recovery code")

        self._sessions.store_session(session, stored)

    def _not_stored(self, peer: Peer, request: Request, error: Exception, what: str) -> None:
        log.error("session %d: the server could not %s: %s", peer.me().session, what, error)
        text = f"the server could not {what}; try again in a while"
        peer.send_error(Error(code=Code.SERVER_NOT_STORED, text=text), request.id)


def _recovery_code() -> str:
    """Return a fresh recovery code, such as QF7K-DM2X-9HTB-WVRC: 79 bits."""
    return "-".join(random_code(4) for _ in range(RECOVERY_GROUPS))
