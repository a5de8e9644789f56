"""A server that stores nothing and checks little: what the load generator is tried on.

It seats two connections in a room and follows their tic-tac-toe matches, its frames made by hand.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from games import registry
from protocol.codec import decode_request, encode
from protocol.messages import (
    Create,
    Error,
    Hello,
    Join,
    MatchState,
    Options,
    Play,
    Player,
    Push,
    Ready,
    Request,
    Result,
    RoomState,
    Welcome,
)


def frame(payload: bytes) -> bytes:
    """A server's binary frame."""
    size = len(payload)
    head = bytes((size,)) if size < 126 else b"\x7e" + size.to_bytes(2)
    return b"\x82" + head + payload


class House:
    """The rooms, by number."""

    def __init__(self, refuse_ply: int | None = None) -> None:
        self.rooms: dict[int, Room] = {}
        self.refuse_ply = refuse_ply


class Room:
    """Two connections and their match."""

    def __init__(self, house: House, number: int) -> None:
        self.house = house
        self.number = number
        self.seats: list[Connection] = []
        self.ready: set[Connection] = set()
        self.matches = 0
        self.seq = 0
        self.position = registry.game("tic_tac_toe").initial()

    def show_room(self, to: Connection, re: int | None) -> None:
        """Tell one connection about the room."""
        state = RoomState(
            re=re, room=self.number, seq=self.seq, game="tic_tac_toe", state="waiting",
            owner="a", seats=(None, None), ready=(False, False), options=Options(),
        )  # fmt: skip
        to.tell(state)

    def agree(self, who: Connection) -> None:
        """Start a match, seats swapped, once both are ready."""
        self.ready.add(who)
        if len(self.ready) == 2:
            self.ready.clear()
            self.seats.reverse()
            self.matches += 1
            self.position = registry.game("tic_tac_toe").initial()
            self.show_match(0)

    def play(self, who: Connection, message: Play) -> None:
        """Apply an action and show it to both."""
        ply = self.position.state[2]
        if ply == self.house.refuse_ply:
            who.tell(Error(code="match/illegal-action", text="no"))
            return
        assert message.turn == self.seq
        assert who is self.seats[self.position.to_move]
        self.position = self.position.apply(
            self.position.game.parse_action(self.position, message.action)
        )
        self.show_match(ply + 1)

    def show_match(self, ply: int) -> None:
        """The match message to both."""
        self.seq += 1
        over = self.position.outcome()
        result = None
        if over is not None:
            result = Result(winner=None, returns=over.returns, how="rules", reason="full")
        for seat, connection in enumerate(self.seats):
            legal = self.position.legal_notation() if seat == self.position.to_move else None
            state = MatchState(
                match=f"{self.number}.{self.matches}", room=self.number, seq=self.seq,
                turn=self.seq, game="tic_tac_toe", ply=ply, position=str(self.position),
                seats=(Player(name="a"), Player(name="b")), to_move=self.position.to_move,
                events=(), legal=legal, result=result,
            )  # fmt: skip
            connection.tell(state)


class Connection(asyncio.Protocol):
    """One socket: handshake, then frames."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.room: Room | None = None
        self.data = b""
        self.open = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.data += data
        if not self.open:
            _, found, self.data = self.data.partition(b"\r\n\r\n")
            assert found
            self.open = True
            self.transport.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n")
        while len(self.data) >= 6 and len(self.data) >= 6 + self.data[1] - 128:
            size = self.data[1] - 128
            assert self.data[2:6] == b"\0\0\0\0"
            first, payload = self.data[0], self.data[6 : 6 + size]
            self.data = self.data[6 + size :]
            if first == 0x82:
                self.handle(decode_request(payload))
            else:
                assert (first, payload) == (0x8A, b"hi"), "only the pong to our ping may come"

    def handle(self, message: Request) -> None:
        """Answer one request."""
        if isinstance(message, Hello):
            # A ping right behind the answer: the generator has to live with one at any time.
            self.tell(Welcome(version=1, server="fake", name="a", now=0))
            self.transport.write(b"\x89\x02hi")
        elif isinstance(message, Create):
            room = Room(self.house, len(self.house.rooms) + 1)
            self.house.rooms[room.number] = room
            self.sit(room, message.id)
        elif isinstance(message, Join):
            assert message.room is not None
            self.sit(self.house.rooms[message.room], message.id)
        elif isinstance(message, Ready):
            assert self.room is not None
            self.room.agree(self)
        elif isinstance(message, Play):
            assert self.room is not None
            self.room.play(self, message)

    def sit(self, room: Room, re: int | None) -> None:
        """Take the next seat; everybody hears of it."""
        self.room = room
        room.seats.append(self)
        for connection in room.seats:
            room.show_room(connection, re if connection is self else None)

    def tell(self, message: Push) -> None:
        """Send one message."""
        self.transport.write(frame(encode(message)))


@contextmanager
def running(refuse_ply: int | None = None) -> Iterator[int]:
    """The fake server in a thread of its own; gives its port."""
    loop = asyncio.new_event_loop()
    house = House(refuse_ply)
    server = loop.run_until_complete(loop.create_server(lambda: Connection(house), "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        server.close()
        loop.run_until_complete(asyncio.sleep(0.05))
        loop.close()
