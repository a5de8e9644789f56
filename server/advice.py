"""Hints: a person asks, some bot is asked on its behalf, and what that says is the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from protocol.errors import Code, Refusal
from protocol.messages import AdviceWanted, Advise, Hinted, Ok
from server.core import match as matches
from server.core.effects import Ask
from server.core.lobby import Presence
from server.runtime import Peer

if TYPE_CHECKING:
    from server.house import House


class Asked(NamedTuple):
    """A hint that is due: to whom, in answer to what, about what, and from whom."""

    peer: Peer
    re: int | None
    about: Ask
    bot: Presence


class Advice:
    """The questions that are open."""

    def __init__(self, house: House) -> None:
        self.house = house
        self._asked: dict[int, Asked] = {}
        self._next = 1

    def ask(self, about: Ask, peer: Peer, re: int | None) -> None:
        """Ask the bot that should know best; its answer becomes that of the request `re`.

        Raises:
            Refusal: hint/no-bot.
        """
        now = self.house.now()
        here = [p for p in self.house.lobby.present.values() if p.bot is not None and p.links]
        able = [p for p in here if p is not peer.presence and p.plays(about.game)]
        if not able:
            raise Refusal(Code.HINT_NO_BOT, f"no bot that plays {about.game} is connected")
        best = min(able, key=lambda p: _rank(p, now))
        number, self._next = self._next, self._next + 1
        self._asked[number] = Asked(peer, re, about, best)
        self.house.call_at(now + self.house.config.advice_ms, lambda: self._give_up(number))
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
        asked = self._asked.get(request.ask)
        if asked is None or asked.bot is not peer.presence:
            raise Refusal(Code.MATCH_NO_OFFER, "nobody asks you that, or not any more")
        about, note = asked.about, matches.check_note(request.note)
        if request.action not in about.legal:
            raise Refusal(Code.MATCH_ILLEGAL_ACTION, "that is not legal there", legal=about.legal)
        del self._asked[request.ask]
        by = peer.me().title()
        asked.peer.send(
            Hinted(re=asked.re, match=about.match, turn=about.turn, action=request.action,
                   by=by, note=note)
        )  # fmt: skip
        if request.id is not None:
            peer.send(Ok(re=request.id))

    def left(self, bot: Presence) -> None:
        """A bot is gone; it answers nothing any more."""
        for number in [n for n, asked in self._asked.items() if asked.bot is bot]:
            self._give_up(number)

    def _give_up(self, number: int) -> None:
        asked = self._asked.pop(number, None)
        if asked is not None:
            no = Refusal(Code.HINT_NO_BOT, "the bot that was asked did not answer")
            asked.peer.refuse(no, asked.re)


def _rank(bot: Presence, now: int) -> tuple[int, int, int]:
    """Lower is better: more levels, then fewer games, for such a bot was made for them."""
    info = bot.bot
    if info is None:
        return (0, 0, 0)
    return (-info.levels, len(info.games) or 1_000, -bot.free(now))
