"""Hints: a person asks, the server asks some bot, and the bot's choice is the answer."""

from __future__ import annotations

from collections import Counter
from typing import Final

from protocol.errors import Code, Refusal
from protocol.hints import AdviceWanted, Advise, DelayAdvice, Hinted, HintWaits
from protocol.messages import Ok, Request
from server.core import match as matches
from server.core.effects import Ask
from server.core.lobby import Presence
from server.rooms.peers import Peer
from server.services.questions import Question, Questions

MAX_QUESTIONS: Final = 2  # to a bot at once: its thinking time is that of the matches it plays


class Hints(Questions[Ask]):
    """The hints that somebody waits for: one at most for each session."""

    unanswered = Code.HINT_NO_BOT

    def ask(self, about: Ask, peer: Peer, request: Request) -> None:
        """Ask the bot that should know best; its choice becomes the answer to the request.

        Where it still gets ready to answer an earlier one of the asker's, that one gives way.

        Raises:
            Refusal: hint/no-bot or hint/busy.
        """
        self._drop_delayed(peer, about)
        if self._waits(peer.me().session):
            raise Refusal(Code.HINT_BUSY, "you wait for a hint already")
        able = [p for p in self._bots(peer, about.only) if p.plays(about.game)]
        if not able:
            text = f"no bot that plays {about.game} is connected"
            if about.only is not None:
                text += ", and others are not told of a private match"
            raise Refusal(Code.HINT_NO_BOT, text)
        best = self._best(able, peer)
        number = self._add(Question(peer, request.id, about, best))
        self._send_bot(
            best,
            AdviceWanted(ask=number, game=about.game, position=about.position, legal=about.legal),
        )

    def _drop_delayed(self, peer: Peer, about: Ask) -> None:
        """Refuse what this connection asked in an earlier position, and no bot has begun with."""
        for number in list(self._delayed):
            question = self._open[number]
            before = question.about
            if question.peer is peer and (before.match, before.turn) != (about.match, about.turn):
                self._close(number)
                text = "the match has gone on before the bot was ready"
                peer.refuse(Refusal(Code.MATCH_STALE_TURN, text), question.re)

    def delay(self, peer: Peer, request: DelayAdvice, now: int) -> None:
        """Wait longer, and tell the player for about how long.

        Raises:
            Refusal: match/no-offer.
        """
        question = self._wait_longer(request.ask, peer, now)
        match, wait = question.about.match, min(request.wait_ms, self.delay_ms)
        question.peer.notify(HintWaits(match=match, bot=peer.me().title(), wait_ms=wait))
        if request.id is not None:
            peer.send(Ok(re=request.id))

    def _best(self, able: list[Presence], asker: Peer) -> Presence:
        """Return the bot to ask that has not enough to do: of the house's with most levels, or
        else of the strangers'.

        Raises:
            Refusal: hint/busy.
        """
        busy = Counter(id(question.bot) for question in self._open.values())
        house = [p for p in able if self.lobby.is_of_house(p)]
        most = max((_levels(p) for p in house), default=0)
        best = [p for p in house if _levels(p) == most] or able
        free = [p for p in best if busy[id(p)] < MAX_QUESTIONS]
        if not free:
            raise Refusal(Code.HINT_BUSY, "the bots are thinking about other hints; ask again soon")
        return min(free, key=lambda bot: (*self._standing(bot, asker), self._games(bot)))

    def _games(self, bot: Presence) -> int:
        """How many games a bot of the house plays: who plays few was made for them."""
        games = len(bot.bot.games) if bot.bot is not None and self.lobby.is_of_house(bot) else 0
        return games or 1_000

    def answer(self, peer: Peer, request: Advise, now: int) -> None:
        """Hand a bot's advice on.

        Raises:
            Refusal: match/no-offer, match/illegal-action or match/bad-note.
        """
        question = self._find(request.ask, peer)
        about, note = question.about, matches.check_note(request.note)
        if request.action not in about.legal:
            raise Refusal(Code.MATCH_ILLEGAL_ACTION, "that is not legal there", legal=about.legal)
        self._close(request.ask)
        by = peer.me().title()
        question.peer.send(
            Hinted(re=question.re, match=about.match, turn=about.turn, action=request.action,
                   by=by, note=note)
        )  # fmt: skip
        if request.id is not None:
            peer.send(Ok(re=request.id))


def _levels(bot: Presence) -> int:
    return bot.bot.levels if bot.bot is not None else 0
