"""When Python's garbage collector looks for cycles: seldom, and ever more seldom in a large house.

What a move makes holds no cycles and is freed without the collector, which would still walk through
all that was made lately, again and again.  It looks once so many more objects have been made than
freed.  While a thousand rooms wait for one commit, that many are on their way all the time and are
taken for growth; so the number grows with the connections, and with it what a cycle may keep.
"""

from __future__ import annotations

import gc
from typing import Final

LEAST: Final = 10_000  # objects made and not freed, until the youngest are looked at
EACH: Final = 16  # ... by each connection: a move on its way is about 20, for two of them
OLDER: Final = (5, 20)  # looks at the youngest until the older ones are, and so on


def relieve() -> None:
    """Have the collector not look at what there is already, and seldom at the rest."""
    gc.freeze()
    fit(0)


def fit(connections: int) -> None:
    """Have it look as seldom as fits a server with so many connections."""
    gc.set_threshold(max(LEAST, EACH * connections), *OLDER)
