"""Hints: a person asks, some bot is asked on its behalf, and what that says is the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from protocol.errors import Code, Refusal
from protocol.messages import AdviceWanted, Advise, Hinted, Ok, Request
from server.core import match as matches
from server.core.effects import Ask
from server.core.lobby import Presence
from server.questions import Question, Questions
from server.runtime import Peer

if TYPE_CHECKING:
    from server.house import House


class Advice(Questions[Ask]):
    """The hints that are waited for."""

    unanswered = Code.HINT_NO_BOT

    def ask(self, about: Ask, peer: Peer, re: int | None) -> None:
        """Ask the bot that should know best; its answer becomes that of the request `re`.

        Raises:
            Refusal: hint/no-bot.
        """
        now = self.house.now()
        able = [p for p in self._bots(peer) if p.plays(about.game)]
        if not able:
            raise Refusal(Code.HINT_NO_BOT, f"no bot that plays {about.game} is connected")
        best = min(able, key=lambda p: _rank(p, now))
        number = self._put(Question(peer, re, about, best), self.house.config.advice_ms)
        wanted = AdviceWanted(
            ask=number, game=about.game, position=about.position, legal=about.legal
        )
        for link in self.house.links(best.who):
            link.send(wanted)

    def answer(self, peer: Peer, request: Advise) -> None:
        """Hand a bot's advice on.

        Raises:
            Refusal: match/no-offer, match/illegal-action or match/bad-note.
        """
        asked = self._find(request.ask, peer)
        about, note = asked.about, matches.check_note(request.note)
        if request.action not in about.legal:
            raise Refusal(Code.MATCH_ILLEGAL_ACTION, "that is not legal there", legal=about.legal)
        self._close(request.ask)
        by = peer.me().title()
        asked.peer.send(
            Hinted(re=asked.re, match=about.match, turn=about.turn, action=request.action,
                   by=by, note=note)
        )  # fmt: skip
        if request.id is not None:
            peer.send(Ok(re=request.id))


def _rank(bot: Presence, now: int) -> tuple[int, int, int]:
    """Lower is better: more levels, then fewer games, for such a bot was made for them."""
    info = bot.bot
    if info is None:
        return (0, 0, 0)
    return (-info.levels, len(info.games) or 1_000, -bot.free(now))


def _advise(house: House, peer: Peer, request: Advise, now: int) -> None:
    house.advice.answer(peer, request)


ADVICE_ROUTES: dict[type[Request], Callable[..., None]] = {Advise: _advise}
