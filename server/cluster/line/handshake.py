"""How the two ends of a line make sure that they belong to one cluster, and cut it into frames.

Each end sends a random number; each answers with an HMAC of both numbers, both names and its own
role under the secret that all servers share.  So the secret never goes over the line, what was
overheard is of no use another time, and an end cannot be answered with its own words.  What follows
is neither encrypted nor signed: a line belongs into a private network.

A frame is its length, four bytes with the highest first, and so many bytes.
"""

from __future__ import annotations

import hashlib
import hmac
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from server.cluster.core.membership import MemberKey

Role = Literal["dials", "answers"]
SECRET_FILE: Final = "cluster.secret"  # in the data folder, unless somebody says otherwise
MIN_SECRET: Final = 16  # bytes
MAX_GREETING: Final = 1_024  # bytes, from somebody who has proved nothing
MAX_FRAME: Final = 16 * 1024 * 1024  # a signal holds one message or the head of one room
HEAD: Final = 4


class BadSecret(Exception):
    """The file with the secret of the cluster cannot be used; the sentence says why."""


class BadLine(Exception):
    """What came over a line is not what a server of this cluster says."""


class Introduction(Struct, frozen=True, array_like=True):
    """The first frame of each end.  `url`: where its clients connect; `nonce`: random."""

    number: int
    epoch: int
    url: str
    nonce: bytes

    @property
    def key(self) -> MemberKey:
        """Whose it is."""
        return MemberKey(self.number, self.epoch)


_encode = msgspec.msgpack.Encoder().encode
_read = msgspec.msgpack.Decoder(Introduction).decode


def read_secret(path: Path) -> bytes:
    """Return the secret in a file that no other user can read.

    Raises:
        BadSecret: it is not there, too short, or others could read it.
    """
    try:
        mode, secret = path.stat().st_mode, path.read_bytes().strip()
    except OSError as error:
        raise BadSecret(f"the cluster's secret {path} cannot be read: {error.strerror}") from None
    if stat.S_IMODE(mode) & 0o077:
        raise BadSecret(f"others can read the cluster's secret: chmod 600 {path}")
    if len(secret) < MIN_SECRET:
        raise BadSecret(
            f"the cluster's secret {path} has {len(secret)} bytes, and needs {MIN_SECRET}:"
            f" head -c 32 /dev/urandom | base64 > {path}"
        )
    return secret


def write_introduction(introduction: Introduction) -> bytes:
    return _encode(introduction)


def read_introduction(payload: bytes) -> Introduction:
    """Read what the other end says it is.

    Raises:
        BadLine: this is no server of ours.
    """
    try:
        introduction = _read(payload)
    except (ValueError, RecursionError) as error:  # also of texts that are no UTF-8
        raise BadLine(f"this is no introduction: {error}") from None
    if len(introduction.nonce) != 32:
        raise BadLine("a random number of 32 bytes is missing")
    return introduction


def proof(secret: bytes, role: Role, dialing: Introduction, answering: Introduction) -> bytes:
    """Return what only somebody who knows the secret can say in this role and on this line."""
    text = b"plyhouse line 1:" + role.encode() + _encode((dialing, answering))
    return hmac.new(secret, text, hashlib.sha256).digest()


def is_proof(said: bytes, due: bytes) -> bool:
    """Compare in a time that tells nothing."""
    return hmac.compare_digest(said, due)


def frame(payload: bytes) -> bytes:
    return len(payload).to_bytes(HEAD, "big") + payload


class Frames:
    """Cuts what comes over a line into payloads.  `most`: bytes that one may have."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._data = bytearray()

    def take(self, data: bytes) -> Iterator[bytes]:
        """Yield the payloads that are whole now.

        Raises:
            BadLine: one would be longer than it may.
        """
        self._data += data
        while len(self._data) >= HEAD:
            end = HEAD + int.from_bytes(self._data[:HEAD], "big")
            if end > HEAD + self.most:
                raise BadLine(f"a frame of {end - HEAD:,} bytes")
            if len(self._data) < end:
                return
            payload = bytes(self._data[HEAD:end])
            del self._data[:end]
            yield payload
