"""Questions that bots are asked on behalf of others: who waits for the answer, and how long."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from itertools import chain
from typing import ClassVar, Generic, NamedTuple, TypeVar

from protocol.errors import Code, Refusal
from protocol.messages import Push
from server.core.lobby import LobbyState, Presence
from server.rooms.peers import Peer, connections_of
from server.rooms.wall_clock import WallClock

T = TypeVar("T")


class Question(NamedTuple, Generic[T]):
    """A question to a bot, asked for the request `re` of a peer."""

    peer: Peer
    re: int | None
    about: T
    bot: Presence


class Questions(Generic[T]):
    """The open questions of one kind, by number.

    `unanswered` is the code of the refusal if no answer comes.  An answer may be delayed once, by
    up to `delay_ms`: a bot's code may have to be compiled first.
    """

    unanswered: ClassVar[Code]

    def __init__(self, lobby: LobbyState, clock: WallClock, wait_ms: int, delay_ms: int) -> None:
        self.lobby = lobby
        self.clock = clock
        self.wait_ms = wait_ms
        self.delay_ms = delay_ms
        self._delayed: set[int] = set()  # numbers of questions
        self._open: dict[int, Question[T]] = {}
        self._timers: dict[int, asyncio.TimerHandle] = {}
        self._next = self._step = 1

    def number_by(self, first: int, step: int) -> None:
        """Number the questions by `first`, `first` + `step` ...: other servers have others."""
        self._next, self._step = first, step

    def _bots(self, asker: Peer, only: Collection[int] | None) -> list[Presence]:
        """Return the bots that may be asked: all that are connected, except the one that asks.

        `only`: the sessions that play a private match.  Its room's owner has let them in, so bots
        of theirs may be asked about it beside those of the house, and no others.
        """
        bots = chain(self.lobby.house_bots.values(), self.lobby.bots.values())
        here = [p for p in bots if p is not asker.presence]
        if only is None:
            return here
        return [p for p in here if p.who.session in only or self.lobby.is_of_house(p)]

    def _standing(self, bot: Presence, asker: Peer) -> tuple[bool, bool, bool, int]:
        """Lower goes first: the house's, the asker's own, then whose owner has chosen a name; of
        those the oldest name.

        What strangers' bots claim of themselves does not count: it costs nothing.
        """
        if self.lobby.is_of_house(bot):
            return (False, False, False, 0)
        number = bot.who.session
        own = number == asker.me().session
        return (True, not own, self.lobby.names.is_guest(number), number)

    def _waits(self, session: int) -> bool:
        return any(question.peer.me().session == session for question in self._open.values())

    def _add(self, question: Question[T]) -> int:
        """Wait for an answer for `wait_ms`; return the number by which the bot is to give it."""
        number, self._next = self._next, self._next + self._step
        self._open[number] = question
        late = self.clock.now() + self.wait_ms
        self._timers[number] = self.clock.call_at(late, lambda: self._give_up(number))
        return number

    def _wait_longer(self, number: int, peer: Peer, now: int) -> Question[T]:
        """Return the open question that `peer` answers later; the first such word counts.

        Raises:
            Refusal: match/no-offer.
        """
        question = self._find(number, peer)
        if number not in self._delayed:
            self._delayed.add(number)
            self._timers[number].cancel()
            late = now + self.delay_ms + self.wait_ms
            self._timers[number] = self.clock.call_at(late, lambda: self._give_up(number))
        return question

    def _send_bot(self, bot: Presence, message: Push) -> None:
        for peer in connections_of(self.lobby, bot.who):
            peer.notify(message)

    def _find(self, number: int, peer: Peer) -> Question[T]:
        """Return the open question that `peer` answers.

        Raises:
            Refusal: match/no-offer.
        """
        question = self._open.get(number)
        if question is None or question.bot is not peer.presence:
            raise Refusal(Code.MATCH_NO_OFFER, "nobody asks you that, or not any more")
        return question

    def _close(self, number: int) -> Question[T]:
        self._timers.pop(number).cancel()
        self._delayed.discard(number)
        return self._open.pop(number)

    def bot_left(self, bot: Presence) -> None:
        for number in [n for n, question in self._open.items() if question.bot is bot]:
            self._give_up(number)

    def _give_up(self, number: int) -> None:
        question = self._close(number)
        no = Refusal(self.unanswered, "the bot that was asked did not answer")
        question.peer.refuse(no, question.re)
