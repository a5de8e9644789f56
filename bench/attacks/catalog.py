"""All attacks by name.  A new one is a row in the table of its family."""

from __future__ import annotations

from typing import Final

from bench.attacks import floods, hoarding, ladders, malformed, sockets
from bench.attacks.hostile import Attack

ATTACKS: Final[dict[str, Attack]] = {
    attack.name: attack
    for family in (floods, hoarding, ladders, sockets, malformed)
    for attack in family.ATTACKS
}
