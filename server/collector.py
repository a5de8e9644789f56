"""When Python's garbage collector looks for cycles: seldom, and ever more seldom in a large house.

What a move makes holds no cycles and is freed without the collector, which would still walk through
all that was made lately, again and again.  It looks once so many more objects have been made than
freed.  While a thousand rooms wait for one commit, that many are on their way all the time and are
taken for growth; so the number grows with the connections.  What does make cycles is looked at by
the sweep, once a second at most.  A connection is none when it ends, as it may have read much:
see connection_lost of net/sockets.py.
"""

from __future__ import annotations

import gc
from typing import Final

MIN_OBJECTS: Final = 10_000  # objects made and not freed, until the youngest are looked at
EACH: Final = 16  # ... by each connection: a move on its way is about 20, for two of them
OLDER: Final = (5, 20)  # looks at the youngest until the older ones are, and so on


def relieve() -> None:
    """Have the collector not look at what there is already, and seldom at the rest."""
    gc.freeze()
    gc.set_threshold(MIN_OBJECTS, *OLDER)


def sweep(connections: int) -> None:
    """Look if there is enough to look at, and let that be all for a server of this size."""
    gc.set_threshold(max(MIN_OBJECTS, EACH * connections), *OLDER)
    youngest, looks, _ = gc.get_count()
    if youngest > MIN_OBJECTS:
        gc.collect(1 if looks > OLDER[0] else 0)
