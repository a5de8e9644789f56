"""One member's presence at a server, over as many links in turn as it takes.

    linked      a link is up: what is sent goes out, what comes in is taken
    unlinked    attempts to connect, ever further apart; what is sent waits in the ledger
    over        closed here, replaced, refused, or given up; `reason` says which

    linked --lost--> unlinked --welcomed--> linked;  either --final--> over

A link is one connection whose hello was answered with a welcome; `dial` makes one.  No socket in
here: client/connection.py supplies links that are WebSockets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from client.backoff import Backoff
from client.errors import BUSY, ConnectionOver, LinkLost, OutboxFull, Replaced, Unreachable
from client.inbox import Inbox
from client.ledger import Ledger
from client.verbs import Verbs
from protocol.codec import decode_request, encode
from protocol.errors import Code, PlyhouseError, ProtocolError, Refusal
from protocol.messages import Bye, Error, Hello, Push, Request, Welcome

MAX_BACKLOG = 256 * 1024  # bytes the network has not taken, above which sending is refused
SETTLED_S = 1.0  # a link that lasted so long was a good one: the back-off starts afresh
MAX_WAIT_S = 60.0  # for a server that puts one request off, again and again
RESTORE_S = 1.0  # before a watch that a busy server put off is asked for again

# Codes that the next attempt may not meet; any other "no" to a hello is final, and ends what is to
# be restored.  All of that may be asked for twice.
PASSING = BUSY | {
    "client/outbox-full",
    "client/unreachable",
    "client/untrusted",  # a certificate that has expired is soon renewed
    Code.SERVER_CLOSING,
    Code.SERVER_MOVING,
    Code.SERVER_UNANSWERED,
    Code.SESSION_TOO_MANY,
}

# Goodbyes after which there is nothing to come back to, or only when a person wants it.
FINAL = frozenset(
    {
        Code.SESSION_REPLACED, Code.SESSION_MOVED, Code.SESSION_BANNED, Code.SESSION_KICKED,
        Code.SESSION_RELEASED,
    }
)  # fmt: skip


class ServerLink(Protocol):
    """One connection that has been welcomed."""

    welcome: Welcome

    @property
    def open(self) -> bool:
        """Whether it still takes messages."""

    @property
    def latency_ms(self) -> int:
        """The last round trip of a ping, 0 before the first."""

    def write(self, message: Request) -> None:
        """Send without waiting."""

    @property
    def backlog(self) -> int:
        """How many bytes the network has not taken yet."""

    async def read(self) -> Push:
        """Return the next message; LinkLost at the end, ProtocolError if a frame is no message."""

    async def answers(self, within_s: float) -> bool:
        """Return whether the other end answers a ping in time."""

    def cut(self) -> None:
        """End it at once and without a word."""

    async def close(self) -> None:
        """End it with the closing handshake, within a bounded time; what was written goes first."""


@dataclass(frozen=True, slots=True)
class ConnectPlan:
    """How to connect, and how hard to try: `connect` describes the fields."""

    dial: Callable[[Hello], Awaitable[ServerLink]]
    patient: bool
    give_up_after: float | None
    backoff: Backoff
    on_link: Callable[[bool], None]
    # One attempt at another address of the same house; None: only ever where it was.
    dial_at: Callable[[str, Hello], Awaitable[ServerLink]] | None = None


class LineGap(NamedTuple):
    """A time without a connection; `servers`: the server was away, not just the line to it."""

    seconds: float
    servers: bool


class Connection(Verbs):
    """A member at a server: ask by the methods, `send`, iterate over what is pushed, `close`.

    `name`, `token` (None where the server gave none) and `welcome` are the newest ones; `reason`
    is why it is over, or None; `trouble` is why there was no link when last there was none, and
    `outage` for how long.
    """

    name: str
    welcome: Welcome

    def __init__(self, plan: ConnectPlan, hello: Hello) -> None:
        self._plan = plan
        self._hello = hello
        self._ledger = Ledger()
        self._inbox = Inbox()
        self._news = asyncio.Event()
        self._link: ServerLink | None = None
        self._linked_at = 0.0
        self._failures = 0
        self._over = False
        self._at: str | None = None  # where the server that said goodbye has sent us
        self._task: asyncio.Task[None] | None = None
        self.token = hello.token
        self.reason: PlyhouseError | None = None
        self.trouble: PlyhouseError | None = None
        self.outage: LineGap | None = None
        self._lost_at: float | None = None

    @property
    def linked(self) -> bool:
        """Whether there is a link right now; while there is none, requests wait for the next."""
        return self._link is not None

    @property
    def closed(self) -> bool:
        """Whether it is over; `reason` says why, and is None where `close` was called here."""
        return self._over

    @property
    def latency_ms(self) -> int:
        """The last round trip of a ping, 0 before the first."""
        return 0 if self._link is None else self._link.latency_ms

    async def start(self) -> None:
        """Make the first link; `connect` has done this."""
        try:
            await self._enter()
        except (Unreachable, Refusal) as error:
            if not (self._plan.patient and _passes(error)):
                raise
            self.trouble = error
            await self._reenter()
        self._task = asyncio.create_task(self._run(), name=f"plyhouse {self.name}")

    async def close(self) -> None:
        """Say goodbye and end; what was sent before goes out first.  May be called again."""
        self._finish(None)
        assert self._task is not None  # `start` made it
        self._task.cancel()
        await asyncio.wait({self._task})
        if self._link is not None:  # the task had not yet begun when it was cancelled
            await self._link.close()
        if not self._task.cancelled():
            self._task.result()  # a bug in there must not pass unseen

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    def __aiter__(self) -> Connection:
        return self

    async def __anext__(self) -> Push:
        while not self._inbox:
            if self._over:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._inbox.take()

    def send(self, message: Request) -> None:
        """Send without waiting for an answer; a refusal arrives among the pushed messages.

        A message sent while there is no link goes out on the next; one that was on its way when the
        link was lost may be lost with it.  Use `request` for `watch` and `lobby`: only what was
        granted to a request is asked for again on the next link.

        Raises:
            ProtocolError: it breaks the protocol's limits, for which the server would hang up.
            OutboxFull, ConnectionOver: it was not sent.
        """
        if self._over:
            raise self._ending()
        payload = encode(message)
        decode_request(payload)
        if self._link is None or not self._link.open:
            self._ledger.queue(message)
        elif self._link.backlog + len(payload) > MAX_BACKLOG:
            raise OutboxFull
        else:
            self._write(self._link, message)

    async def check(self, within_s: float) -> None:
        """Give the link up unless the server answers in time: for who cannot wait for a ping."""
        link = self._link
        if link is not None and not await link.answers(within_s):
            link.cut()

    async def request(self, request: Request) -> Push:
        """Send a request and return its reply; the id is filled in here.

        Where the server says that it may be asked again and when (`retry_ms`), it is: who asks for
        much has to wait, and no program here takes that for the end.

        Raises:
            Refusal: the server said no, or has put it off for longer than anybody waits.
            Interrupted: the link was lost under it, and it is not known whether it happened.
            ProtocolError, OutboxFull, ConnectionOver: it was not sent.
        """
        backoff = self._plan.backoff
        until = backoff.now() + MAX_WAIT_S
        while True:
            try:
                return await self._request_once(request)
            except Refusal as no:
                if no.retry_ms is None or backoff.now() + no.retry_ms / 1000 > until:
                    raise
                wait_s = no.retry_ms / 1000
            await backoff.sleep(wait_s)

    async def _request_once(self, request: Request) -> Push:
        request, answer = self._ledger.number(request)
        try:
            self.send(request)
        except PlyhouseError:
            self._ledger.drop(request)
            raise
        return await answer

    def _write(self, link: ServerLink, message: Request) -> None:
        link.write(message)
        self._ledger.sent(message)

    async def _run(self) -> None:
        try:
            while True:
                await self._serve()
                await self._reenter()
        except PlyhouseError as reason:
            self._finish(reason)
        finally:
            self._finish(None)

    async def _serve(self) -> None:
        """Take what comes over the link until it is lost, and clear up behind it.

        Raises:
            Replaced: the server wants no more of us.
        """
        link = self._link
        assert link is not None  # `_enter` set it
        restoring = asyncio.create_task(self._restore(), name="plyhouse restore")
        try:
            while True:
                await self._take(link)
        except (LinkLost, ProtocolError) as error:
            self.trouble = error
        finally:
            await self._leave(link, restoring)

    async def _leave(self, link: ServerLink, restoring: asyncio.Task[None]) -> None:
        """Close a link and end what went on over it."""
        self._link = None
        self._lost_at = self._plan.backoff.now()
        if self._lost_at - self._linked_at >= SETTLED_S:
            self._failures = 0
        restoring.cancel()
        try:
            await asyncio.wait({restoring})
            await link.close()
        finally:
            link.cut()
        self._ledger.lost()
        self._plan.on_link(False)
        if not restoring.cancelled():
            restoring.result()  # a bug in there must not pass unseen

    async def _take(self, link: ServerLink) -> None:
        """Take one message."""
        try:
            message = await link.read()
        except ProtocolError as error:
            self._ledger.reject(error)
            if error.fatal:
                raise
            return  # a type of message that only a newer client knows
        news = message if message.re is None else self._ledger.settle(message)
        if news is not None and not self._push(news):
            raise LinkLost("the program has left too much unread")
        if isinstance(message, Bye) and message.code in FINAL:
            raise Replaced(message.text, message.code)
        if isinstance(message, Bye) and message.code == Code.SERVER_MOVING:
            self._at = message.at

    def _push(self, message: Push) -> bool:
        """Queue a message for the program.

        Where the program is so far behind that the inbox overflows (False), all that is unread goes
        and the link is made anew, as the server does with a client that does not read: after the
        next `Welcome` come the whole truths again.
        """
        self._ledger.observe(message)
        self._news.set()
        if self._inbox.put(message):
            return True
        self._inbox.clear()
        if self._link is not None:
            self._link.cut()
        return False

    async def _enter(self, at: str | None = None) -> None:
        """Connect, there if somebody has sent us there, and send what waits for it."""
        if at is not None and self._plan.dial_at is not None:
            link = await self._plan.dial_at(at, self._hello)
        else:
            link = await self._plan.dial(self._hello)
        welcome = link.welcome
        self._linked_at = self._plan.backoff.now()
        if self._lost_at is not None:
            seconds, up_ms = self._linked_at - self._lost_at, welcome.up_ms
            self.outage = LineGap(seconds, up_ms is not None and up_ms < seconds * 1000)
        self.welcome, self.name = welcome, welcome.name
        self.token = welcome.token or self.token
        if self.token is not None:
            self._hello = replace(self._hello, token=self.token, name=None, link=None)
        if not self._push(welcome):
            self._push(welcome)  # there is room now
        self._link = link
        while (message := self._ledger.next_unsent()) is not None:
            self._write(link, message)
        self._plan.on_link(True)

    async def _reenter(self) -> None:
        """Try to connect until it works.

        Raises:
            Unreachable: not within `give_up_after` seconds.
            Refusal: the server does not want this session any longer.
        """
        backoff, patience = self._plan.backoff, self._plan.give_up_after
        lost_at = backoff.now()
        at, self._at = self._at, None
        if at is not None and self._failures == 0:  # else two servers might send us to and fro
            self._failures = 1
            try:
                return await self._enter(at)
            except (Unreachable, Refusal) as error:  # it is not for us to reach, perhaps
                self.trouble = error
        while True:
            wait = backoff.wait(self._failures)
            if patience is not None:
                wait = min(wait, max(0.0, lost_at + patience - backoff.now()))
            await backoff.sleep(wait)
            self._failures += 1
            try:
                return await self._enter()
            except (Unreachable, Refusal) as error:
                self.trouble = error
                if not _passes(error):
                    raise
                if patience is not None and backoff.now() - lost_at >= patience:
                    raise _given_up(error, patience) from error

    async def _restore(self) -> None:
        """Ask again for what the server forgot with the last link, one at a time: no flood."""
        for request in self._ledger.to_restore():
            while not await self._restored(request):
                await self._plan.backoff.sleep(RESTORE_S)

    async def _restored(self, request: Request) -> bool:
        """Return whether that is settled, granted or not; False asks for another try."""
        try:
            reply = await self.request(request)
        except ConnectionOver:
            return True
        except (OutboxFull, Refusal, ProtocolError) as error:
            if _passes(error):
                return False
            self._ledger.revoke(request)
            reply = Error(code=error.code, text=error.text)
        self._push(replace(reply, re=None))
        return True

    def _finish(self, reason: PlyhouseError | None) -> None:
        """End it: every waiting request fails.  Only the first call counts."""
        if self._over:
            return
        self._over = True
        self.reason = reason
        self._ledger.fail(self._ending)
        self._news.set()

    def _ending(self) -> ConnectionOver:
        """Return what to raise once it is over."""
        if self.reason is None:
            return ConnectionOver()
        if isinstance(self.reason, Replaced):
            return Replaced(self.reason.text, self.reason.code)
        return ConnectionOver(self.reason.text, self.reason.code)


def _passes(error: PlyhouseError) -> bool:
    """Return whether a further attempt may do better."""
    return error.code in PASSING


def _given_up(error: Unreachable | Refusal, patience: float) -> Unreachable:
    return Unreachable(f"gave up after {patience:g} seconds without a connection: {error.text}")
