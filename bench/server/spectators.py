"""A crowd of spectators in a process of its own: they watch one room, and read all that comes.

`python -m bench.server.spectators PORT ROOM COUNT` prints a line once all are there, and ends when
its standard input does.
"""

from __future__ import annotations

import selectors
import sys
from contextlib import suppress

from bench.support.wire import Wire
from protocol.messages import RoomState, Watch

CHUNK = 1 << 16


def main(port: int, room: int, count: int) -> None:
    """Watch until standard input ends."""
    crowd = []
    for _ in range(count):
        wire = Wire("127.0.0.1", port)
        wire.hello()
        wire.ask(Watch(id=1, room=room), RoomState)
        wire.go()
        crowd.append(wire)
    print("ready", flush=True)
    with selectors.DefaultSelector() as selector:
        selector.register(sys.stdin, selectors.EVENT_READ)
        for wire in crowd:
            selector.register(wire.sock, selectors.EVENT_READ, wire)
        while _read_all(selector):
            pass
    for wire in crowd:
        wire.close()


def _read_all(selector: selectors.BaseSelector) -> bool:
    """Read what has come; False when it is to end."""
    for key, _ in selector.select():
        if key.data is None:
            return False
        with suppress(BlockingIOError):
            key.data.receive()
    return True


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
