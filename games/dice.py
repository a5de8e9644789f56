"""A deal: the dice of one match, fixed by a secret before it starts, checkable once it is over.

The server keeps `secret` (32 bytes) and shows its `commitment` first; each player adds a salt.  The
chance action of a ply follows from all three, so no one can choose it afterwards: not the server,
not a player.

    number(i) = first 8 bytes, big-endian, of HMAC-SHA256(key=secret, message_i)
    message_i = "plyhouse-deal-1\\n{deal}\\n{salt 0}\\n{salt 1}\\n{ply}\\n{i}"   ASCII, i = 0, 1 ...

The first number below the largest multiple of the sum of weights that is at most 2**64 is taken
modulo that sum, and falls on the chance actions in ascending order, each as wide as its weight.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass

SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal.  `name`: its public name; `salts`: what each seat added, lower-case hex or empty.

    >>> Deal("17.1", secret=bytes(32), salts=("00ff", "")).roll(0, [(1, 1), (2, 1), (3, 1)])
    1
    """

    name: str
    secret: bytes
    salts: tuple[str, str] = ("", "")

    def roll(self, ply: int, chances: Sequence[tuple[int, int]]) -> int:
        """The chance action of `ply`, among (action, weight) pairs in ascending order of action."""
        total = sum(weight for _, weight in chances)
        fair = 2**64 - 2**64 % total
        i = 0
        while (number := self._number(ply, i)) >= fair:
            i += 1
        point = number % total
        for action, weight in chances:
            point -= weight
            if point < 0:
                return action
        raise AssertionError("a point below the sum of weights falls on some action")

    def _number(self, ply: int, i: int) -> int:
        message = f"plyhouse-deal-1\n{self.name}\n{self.salts[0]}\n{self.salts[1]}\n{ply}\n{i}"
        digest = hmac.digest(self.secret, message.encode("ascii"), "sha256")
        return int.from_bytes(digest[:8], "big")


def commitment(secret: bytes) -> str:
    """Return what is shown before the match: SHA-256 of the secret, in hex.

    >>> commitment(bytes(32))[:16]
    '66687aadf862bd77'
    """
    return hashlib.sha256(secret).hexdigest()
