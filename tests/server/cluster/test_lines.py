"""Lines between servers: who is let in, and what happens when one breaks."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from server.cluster import lines as lines_module
from server.cluster.core.membership import ClusterMember, MemberKey
from server.cluster.line import handshake
from server.cluster.line.handshake import BadLine, BadSecret, Frames, Introduction, read_secret
from server.cluster.line.outbox import Outbox
from server.cluster.line.signals import FramePushed, PeerLeft, Signal
from server.cluster.lines import LineAddress, Lines, ServerLine
from server.cluster.members import FarServers

SECRET = b"a secret that all servers know"


class FakeCluster:
    """Notes what lines bring."""

    def __init__(self, number: int) -> None:
        self.servers = FarServers(MemberKey(number, 1), f"ws://{number}/ws")
        self.signals: list[Signal] = []
        self.silences: list[int] = []
        self.answers = 0
        self.outboxes: dict[MemberKey, Outbox] = {}
        self.news: list[str] = []

    def met(self, key: MemberKey, outbox: Outbox, url: str) -> None:
        self.outboxes[key] = outbox
        outbox.reached = self.now()
        self.news.append(f"met {key.number} of {url}")

    def parted(self, key: MemberKey) -> None:
        del self.outboxes[key]
        self.news.append(f"parted {key.number}")

    def received(self, key: MemberKey, signal: Signal) -> None:
        self.signals.append(signal)

    def now(self) -> int:
        return round(1000 * asyncio.get_running_loop().time())

    def plays_with(self, key: MemberKey) -> bool:
        return True

    def silent(self, key: MemberKey) -> None:
        self.silences.append(key.number)

    def heard(self, key: MemberKey) -> None:
        self.answers += 1


class Pair:
    """Two servers that can listen and dial."""

    def __init__(self, secrets: tuple[bytes, bytes]) -> None:
        self.fakes = FakeCluster(1), FakeCluster(2)
        self.reasons: list[str] = []  # why one of them was dismissed
        self.lines: list[Lines] = [
            Lines(fake, secret, lambda: True, self.reasons.append)  # type: ignore[arg-type]
            for fake, secret in zip(self.fakes, secrets, strict=True)
        ]
        self.address = LineAddress("", 0)

    async def open(self) -> None:
        """Have the first dial the second."""
        bound = socket.create_server(("127.0.0.1", 0))
        self.address = LineAddress(*bound.getsockname())
        await self.lines[1].listen(bound)
        member = ClusterMember(MemberKey(2, 1), str(self.address), "", 1, 1.0, False)
        self.lines[0].expect([member])

    async def until(self, condition: Callable[[], Any]) -> None:
        """Wait until something is true."""
        async with asyncio.timeout(60):
            while not condition():  # noqa: ASYNC110  (nobody tells)
                await asyncio.sleep(0.002)


@pytest.fixture
async def join() -> AsyncIterator[Callable[..., Any]]:
    """Joins two servers by a line."""
    pairs: list[Pair] = []

    async def join(one: bytes = SECRET, other: bytes = SECRET) -> Pair:
        pairs.append(Pair((one, other)))
        await pairs[-1].open()
        return pairs[-1]

    yield join
    for pair in pairs:
        for lines in pair.lines:
            await lines.close()


@pytest.mark.socket
async def test_what_is_said_arrives_in_order_and_the_same_for_many_goes_once(join: Any) -> None:
    pair = await join()
    one, two = pair.fakes
    await pair.until(lambda: one.outboxes and two.outboxes)
    assert (one.news, two.news) == (["met 2 of ws://2/ws"], ["met 1 of ws://1/ws"])
    outbox, payload = one.outboxes[MemberKey(2, 1)], bytes(100_000)
    outbox.send(PeerLeft(1))
    for peer in range(3):
        outbox.push(peer, payload, "lobby", False)
    outbox.push(3, payload, None, False)
    outbox.send(PeerLeft(2))
    await pair.until(lambda: len(two.signals) == 4)
    assert two.signals == [
        PeerLeft(1), FramePushed([0, 1, 2], payload, "lobby", False),
        FramePushed([3], payload, None, False), PeerLeft(2),
    ]  # fmt: skip


@pytest.mark.socket
async def test_a_line_that_breaks_is_made_anew(join: Any) -> None:
    pair = await join()
    one, two = pair.fakes
    await pair.until(lambda: one.outboxes and two.outboxes)
    next(iter(pair.lines[1].open)).cut()
    await pair.until(lambda: len(one.news) == len(two.news) == 3)
    assert one.news[1:] == ["parted 2", "met 2 of ws://2/ws"]


@pytest.mark.socket
async def test_an_end_that_does_not_answer_is_dialled_again(
    join: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, connect, dials = asyncio.get_running_loop(), asyncio.BaseEventLoop.create_connection, []

    async def silent_at_first(*words: Any) -> Any:
        dials.append(words)
        if len(dials) == 1:
            await loop.create_future()  # as TCP does while nothing gets through
        return await connect(loop, *words)  # type: ignore[arg-type]

    monkeypatch.setattr(loop, "create_connection", silent_at_first)
    monkeypatch.setattr("server.cluster.lines.DIAL_S", 0.01)
    pair = await join()
    await pair.until(lambda: len(dials) == 1)
    monkeypatch.setattr("server.cluster.lines.DIAL_S", 5.0)
    await pair.until(lambda: pair.fakes[0].outboxes and pair.fakes[1].outboxes)


@pytest.mark.socket
async def test_an_address_that_is_none_is_told_and_all_others_are_dialled(
    join: Any, caplog: pytest.LogCaptureFixture
) -> None:
    pair = await join()
    odd = ClusterMember(MemberKey(3, 1), "nowhere:at-all", "", 1, 1.0, False)
    here = ClusterMember(MemberKey(2, 1), str(pair.address), "", 1, 1.0, False)
    pair.lines[0].expect([here, odd])
    await pair.until(lambda: "a line to server 3, at nowhere:at-all, has failed" in caplog.text)
    await pair.until(lambda: pair.fakes[0].outboxes)
    assert not any(task.done() for task in pair.lines[0]._dialling.values())


@pytest.mark.socket
async def test_who_does_not_know_the_secret_gets_no_line(
    join: Any, caplog: pytest.LogCaptureFixture
) -> None:
    pair = await join(other=b"another secret altogether")
    await pair.until(lambda: "does not know the cluster's secret" in caplog.text)
    assert pair.fakes[0].news == pair.fakes[1].news == []


@pytest.mark.socket
async def test_a_server_that_was_declared_dead_gets_no_line(
    join: Any, caplog: pytest.LogCaptureFixture
) -> None:
    pair = await join()
    await pair.until(lambda: pair.fakes[1].outboxes)
    reasons = pair.reasons
    pair.lines[1].died(MemberKey(1, 1))
    await pair.until(lambda: reasons)
    assert "taken over" in reasons[0]
    await pair.until(lambda: "is no member any more" in caplog.text)
    await pair.until(lambda: len(reasons) == 2)
    assert pair.fakes[1].outboxes == {}


@pytest.mark.socket
async def test_noise_is_cut_off(join: Any, caplog: pytest.LogCaptureFixture) -> None:
    pair = await join()
    reader, writer = await asyncio.open_connection(pair.address.host, pair.address.port)
    writer.write(b"GET / HTTP/1.1\r\n\r\n")
    async with asyncio.timeout(60):
        introduction = await reader.read()
    assert handshake.read_introduction(introduction[4:]).number == 2
    assert "a frame of 1,195,725,856 bytes" in caplog.text
    writer.close()


def test_a_proof_is_of_one_line_and_one_role() -> None:
    one, two = (Introduction(n, 1, "", bytes([n] * 32)) for n in (1, 2))
    proofs = {
        handshake.proof(SECRET, "dials", one, two),
        handshake.proof(SECRET, "answers", one, two),
        handshake.proof(SECRET, "dials", two, one),
        handshake.proof(SECRET, "dials", one, msgspec_replaced(two)),
        handshake.proof(b"x" * 16, "dials", one, two),
    }
    assert len(proofs) == 5


def msgspec_replaced(introduction: Introduction) -> Introduction:
    """The same server on another line."""
    return Introduction(introduction.number, introduction.epoch, "", bytes(32))


def test_frames_are_cut_wherever_they_were_torn() -> None:
    payloads = [b"", b"one", bytes(300)]
    stream = b"".join(map(handshake.frame, payloads))
    for size in (1, 7, 400):
        frames, parts = Frames(300), range(0, len(stream), size)
        assert [p for n in parts for p in frames.take(stream[n : n + size])] == payloads
    with pytest.raises(BadLine):
        list(Frames(2).take(stream))


@pytest.mark.parametrize(
    ("content", "mode", "why"),
    [
        (None, 0o600, "cannot be read"),
        (b"short", 0o600, "has 5 bytes, and needs 16"),
        (SECRET, 0o644, "chmod 600"),
    ],
)
def test_a_secret_that_is_none_is_said_so(
    tmp_path: Path, content: bytes | None, mode: int, why: str
) -> None:
    path = tmp_path / "secret"
    if content is not None:
        path.write_bytes(content)
        path.chmod(mode)
    with pytest.raises(BadSecret, match=why):
        read_secret(path)


def test_a_secret_is_what_stands_in_its_file(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(SECRET + b"\n")
    path.chmod(0o600)
    assert read_secret(path) == SECRET


async def test_an_end_with_the_same_number_is_refused() -> None:
    fake = FakeCluster(1)
    lines = Lines(fake, SECRET, lambda: True, pytest.fail)  # type: ignore[arg-type]
    line = ServerLine(lines, None)
    with pytest.raises(BadLine, match="as is this one"):
        line._greet(handshake.write_introduction(lines.introduce()))


async def test_an_end_that_answers_no_beat_is_told_of_whatever_else_it_says(
    join: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines_module, "PLAYING_S", 0.02)
    pair = await join()
    one = pair.fakes[0]
    await pair.until(lambda: one.answers > 3)
    monkeypatch.setattr(
        ServerLine, "_take_beat", lambda line, beat: None if line.lines is pair.lines[1] else 0
    )
    await pair.until(lambda: len(one.silences) > 1)
    assert set(one.silences) == {2}
