"""A yardstick for machines: the least server that the load generator accepts.

It keeps no log, no clocks, no rules, no sessions and checks nothing: it counts plies and sends them
to both players, over websockets' own server.  Compare a figure of the real server with one of this
from the same machine and minute; alone, neither means much.

    python -m bench.server.yardstick        prints its port, then serves until it is told to end
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from functools import partial

import msgpack
from websockets.asyncio.server import ServerConnection, serve

from bench.server.load import DRAWN
from bench.support.generator import GAME

Message = dict[str, object]
ROOM: Message = {
    "type": "room", "seq": 0, "game": GAME, "state": "waiting", "owner": "a",
    "seats": [None, None], "ready": [False, False], "options": {},
}  # fmt: skip


class YardstickRoom:
    """Two sockets, and how far their match is."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.sockets: list[ServerConnection] = []
        self.agreed = self.matches = self.ply = self.seq = 0

    async def take(self, kind: object) -> None:
        """Take any play; begin the next match once both are ready."""
        if kind == "ready":
            self.agreed += 1
            if self.agreed < 2:
                return
            self.agreed = self.ply = 0
            self.matches += 1
        else:
            self.ply += 1
        self.seq += 1
        state: Message = {
            "type": "match", "match": f"{self.number}.{self.matches}", "room": self.number,
            "seq": self.seq, "turn": self.seq, "ply": self.ply,
        }  # fmt: skip
        if self.ply == len(DRAWN):
            state["result"] = "draw"
        mover = None if "result" in state else self.ply % 2
        for seat, socket in enumerate(self.sockets):
            legal = {"legal": DRAWN[self.ply :]} if seat == mover else {}
            await socket.send(msgpack.packb(state | legal))


async def serve_one(rooms: dict[int, YardstickRoom], socket: ServerConnection) -> None:
    """The life of one connection: hello, a room, then matches."""
    room: YardstickRoom | None = None
    async for data in socket:
        message: Message = msgpack.unpackb(data if isinstance(data, bytes) else b"\x80")
        match message.get("type"):
            case "play" | "ready" as kind if room is not None:
                await room.take(kind)
            case "hello":
                welcome = {"type": "welcome", "version": 1, "server": "", "name": "", "now": 0}
                await socket.send(msgpack.packb(welcome))
            case "create" | "join":
                asked = message.get("room")
                number = asked if isinstance(asked, int) else len(rooms) + 1
                room = rooms.setdefault(number, YardstickRoom(number))
                room.sockets.append(socket)
                await socket.send(msgpack.packb(ROOM | {"room": number}))


async def main() -> None:
    logging.disable(logging.CRITICAL)  # a generator that hangs up without a word is no news
    serving, stop = partial(serve_one, dict[int, YardstickRoom]()), asyncio.Event()
    if sys.platform != "win32":  # where SIGTERM ends a process without being asked
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with serve(serving, "127.0.0.1", 0, compression=None) as server:
        port = server.sockets[0].getsockname()[1]
        print(f"plyhouse: listening on http://127.0.0.1:{port}", flush=True)
        await stop.wait()


if __name__ == "__main__":
    asyncio.run(main())
