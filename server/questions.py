"""Questions that bots are asked on behalf of others: who waits for the answer, and for how long."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar, Generic, NamedTuple, TypeVar

from protocol.errors import Code, Refusal
from server.core.lobby import Presence
from server.runtime import Peer

if TYPE_CHECKING:
    from server.house import House

T = TypeVar("T")


class Question(NamedTuple, Generic[T]):
    """An answer that is due: to whom, in answer to what, about what, and from whom."""

    peer: Peer
    re: int | None
    about: T
    bot: Presence


class Questions(Generic[T]):
    """Those of one kind that are open, by number.  `unanswered`: what is said if nothing comes."""

    unanswered: ClassVar[Code]

    def __init__(self, house: House) -> None:
        self.house = house
        self._open: dict[int, Question[T]] = {}
        self._timers: dict[int, asyncio.TimerHandle] = {}
        self._next = 1

    def _bots(self, asker: Peer) -> list[Presence]:
        """The bots that are connected, but for the one that asks."""
        here = [p for p in self.house.lobby.present.values() if p.bot is not None and p.links]
        return [p for p in here if p is not asker.presence]

    def _put(self, question: Question[T], wait_ms: int) -> int:
        """Wait for an answer so long; the number by which the bot is to give it."""
        number, self._next = self._next, self._next + 1
        self._open[number] = question
        late = self.house.now() + wait_ms
        self._timers[number] = self.house.call_at(late, lambda: self._give_up(number))
        return number

    def _find(self, number: int, peer: Peer) -> Question[T]:
        """The open question that `peer` answers.

        Raises:
            Refusal: match/no-offer.
        """
        question = self._open.get(number)
        if question is None or question.bot is not peer.presence:
            raise Refusal(Code.MATCH_NO_OFFER, "nobody asks you that, or not any more")
        return question

    def _close(self, number: int) -> Question[T]:
        """Nothing more is waited for."""
        self._timers.pop(number).cancel()
        return self._open.pop(number)

    def left(self, bot: Presence) -> None:
        """A bot's connection is gone; it answers nothing any more."""
        for number in [n for n, question in self._open.items() if question.bot is bot]:
            self._give_up(number)

    def _give_up(self, number: int) -> None:
        question = self._close(number)
        no = Refusal(self.unanswered, "the bot that was asked did not answer")
        question.peer.refuse(no, question.re)
