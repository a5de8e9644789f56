"""TLS between a TCP connection and a protocol above it: https and wss without a proxy.

On ssl's own sans-I/O object, because asyncio's TLS has 256 kB of buffer for each connection and
shows it to the protocol above only once the handshake is done: one whose handshake never ends would
be counted, paid and dropped by no one.  Here the protocol above has its connection from the first
moment, and all its limits hold.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

from server.config import CONTROL, TLS_HANDSHAKE

READ: Final = 16 * 1024  # bytes of one read: the longest record of TLS

log = logging.getLogger("plyhouse")


class BadCertificate(Exception):
    """A certificate or its key cannot be used."""


class Certificate:
    """The server's certificate, as it stands in two files of PEM.

    `chain`: the certificate and what leads from it to an authority.  `key`: its private key,
    without a password.  `context` is for connections to come.

    Raises:
        BadCertificate: naming the file and what is wrong with it.
    """

    def __init__(self, chain: Path, key: Path) -> None:
        self.chain = chain
        self.key = key
        self.context = self._read()

    def renew(self) -> None:
        """Read the files again, for connections to come; if they are wrong, keep what is."""
        try:
            self.context = self._read()
            log.warning("the certificate in %s was read again", self.chain)
        except BadCertificate as error:
            log.error("the certificate stays as it was: %s", error)

    def _read(self) -> ssl.SSLContext:
        for file in (self.chain, self.key):
            try:
                pem = file.read_bytes()
            except OSError as error:
                raise BadCertificate(f"cannot read {file}: {error.strerror or error}") from None
            if b"-----BEGIN " not in pem:
                raise BadCertificate(f"{file} is no PEM file: it has no line -----BEGIN ...")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.options |= ssl.OP_NO_RENEGOTIATION
        context.set_alpn_protocols(["http/1.1"])
        try:
            context.load_cert_chain(self.chain, self.key, self._refuse_password)
        except ssl.SSLError as error:
            if error.reason == "KEY_VALUES_MISMATCH":
                text = f"the key in {self.key} is not that of the certificate in {self.chain}"
            else:
                why = error.reason or "no certificate and key in PEM"
                text = f"cannot use {self.chain} with the key {self.key}: {why}"
            raise BadCertificate(text) from None
        return context

    def _refuse_password(self) -> str:
        raise BadCertificate(f"the key in {self.key} has a password; store it without one")


class TlsLayer(asyncio.Transport, asyncio.Protocol):
    """The protocol of a TCP connection, and the transport of the protocol `above`.

    Args:
        above: what reads and writes the plain bytes; it gets its connection at once, but writes
            nothing before it has read something.
        context: with the server's certificate.
        charge: is told, in microseconds, what was done of which the protocol above knows nothing.
        not_tls: returns the bytes for a client that speaks plain HTTP here.

    It holds one read at most, as no more comes while the protocol above reads nothing.  What is to
    be sent is handed on at once, and counted by the protocol above as what its peer does not take.
    ssl bounds a handshake's messages.  The protocol above is let go of with the connection.
    """

    __slots__ = (
        "_above", "_below", "_charge", "_closing", "_greeted", "_incoming", "_not_tls", "_outgoing",
        "_reading", "_ready", "_tls",
    )  # fmt: skip

    def __init__(
        self,
        above: asyncio.Protocol,
        context: ssl.SSLContext,
        charge: Callable[[float], None],
        not_tls: Callable[[], bytes],
    ) -> None:
        super().__init__()
        self._above = above
        self._below: asyncio.Transport
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._charge = charge
        self._not_tls = not_tls
        self._greeted = False  # the server has done its costly part of the handshake
        self._ready = False  # the handshake is done
        self._reading = True
        self._closing = False  # nothing more is read or written

    # ------------------------------------------------------------ as a protocol, from below

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Hand the connection on; what it says is encrypted."""
        self._below = cast(asyncio.Transport, transport)
        self._above.connection_made(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._closing = True
        self._above.connection_lost(exc)
        del self._above, self._charge  # which hold this, and nothing more comes

    def pause_writing(self) -> None:
        self._above.pause_writing()

    def resume_writing(self) -> None:
        self._above.resume_writing()

    def data_received(self, data: bytes) -> None:
        """Go on with the handshake, or decrypt."""
        if self._closing:
            return
        self._incoming.write(data)
        if not ((self._ready or self._shake_hands()) and self._read()):
            self._charge(CONTROL)

    def eof_received(self) -> bool:
        """Let the protocol above end it, or finish what it is about."""
        return not self._closing and bool(self._above.eof_received())

    def _shake_hands(self) -> bool:
        """Take the next step of the handshake, and return whether it was the last."""
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._flush()
            return False
        except ssl.SSLError as error:
            self._flush()  # an alert that says why
            if error.reason == "HTTP_REQUEST":
                self._below.write(self._not_tls())
            self._closing = True
            self._below.close()
            return False
        self._ready = True
        self._flush()
        return True

    def _read(self) -> bool:
        """Decrypt what has come, for as long as the protocol above reads; return whether it did."""
        had_any = not self._reading
        while self._reading and not self._closing:
            try:
                data = self._tls.read(READ)
            except ssl.SSLWantReadError:
                break
            except ssl.SSLError:  # no record of this connection
                self._flush()
                self.abort()
                break
            if not data:  # the peer's last word
                if not self._above.eof_received():
                    self.close()
                break
            had_any = True
            self._above.data_received(data)
        self._flush()
        return had_any

    def _flush(self) -> None:
        data = self._outgoing.read()
        if not data:
            return
        if not self._greeted:
            self._greeted = True
            self._charge(TLS_HANDSHAKE)
        if not self._below.is_closing():
            self._below.write(data)

    # ------------------------------------------------------------ as a transport, from above

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """As asyncio says; `ssl_object` is there as over asyncio's own TLS."""
        return self._tls if name == "ssl_object" else self._below.get_extra_info(name, default)

    @property
    def max_size(self) -> int:
        """How many bytes are read at once, as of asyncio's own transports; of encrypted ones."""
        return int(getattr(self._below, "max_size", READ))

    @max_size.setter
    def max_size(self, size: int) -> None:
        if hasattr(self._below, "max_size"):
            self._below.max_size = size

    def is_closing(self) -> bool:
        return self._closing or self._below.is_closing()

    def pause_reading(self) -> None:
        """Decrypt and read nothing more for now."""
        self._reading = False
        self._below.pause_reading()

    def resume_reading(self) -> None:
        """Go on with what had come."""
        self._reading = True
        self._below.resume_reading()
        asyncio.get_running_loop().call_soon(self._read_on)

    def _read_on(self) -> None:
        if self._ready and not self._closing:
            self._read()

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Encrypt, and hand on."""
        if self.is_closing():
            return
        left = memoryview(data)
        try:
            while left:
                left = left[self._tls.write(left) :]
        except ssl.SSLError:  # it has failed in this very moment
            self.abort()
        self._flush()

    def can_write_eof(self) -> bool:
        """As asyncio says; the end of TLS and that of TCP go together."""
        return True

    def write_eof(self) -> None:
        """Say that this was all; what still comes is read no more."""
        self._say_end()
        self._below.write_eof()

    def close(self) -> None:
        """Say that this was all, and close when it is sent."""
        self._say_end()
        self._below.close()

    def abort(self) -> None:
        self._closing = True
        self._below.abort()

    def _say_end(self) -> None:
        if self._ready and not self._closing:
            with contextlib.suppress(ssl.SSLError):  # the peer's own end is not waited for
                self._tls.unwrap()
            self._flush()
        self._closing = True

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """As asyncio says, of encrypted bytes."""
        self._below.set_write_buffer_limits(high, low)

    def get_write_buffer_size(self) -> int:
        """As asyncio says, of encrypted bytes."""
        return self._below.get_write_buffer_size()
