"""Hints: a person asks, the server asks some bot, and the bot's choice is the answer."""

from __future__ import annotations

from protocol.errors import Code, Refusal
from protocol.messages import AdviceWanted, Advise, Hinted, Ok, Request
from server.core import match as matches
from server.core.effects import Ask
from server.core.lobby import Presence
from server.rooms.peers import Peer
from server.services.questions import Question, Questions


class Hints(Questions[Ask]):
    """The hints that somebody waits for."""

    unanswered = Code.HINT_NO_BOT

    def ask(self, about: Ask, peer: Peer, request: Request) -> None:
        """Ask the bot that should know best; its choice becomes the answer to the request.

        Raises:
            Refusal: hint/no-bot.
        """
        now = self.clock.now()
        able = [p for p in self._bots(peer) if p.plays(about.game)]
        if not able:
            raise Refusal(Code.HINT_NO_BOT, f"no bot that plays {about.game} is connected")
        best = min(able, key=lambda p: _rank(p, now))
        number = self._add(Question(peer, request.id, about, best))
        self._send_bot(
            best,
            AdviceWanted(ask=number, game=about.game, position=about.position, legal=about.legal),
        )

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


def _rank(bot: Presence, now: int) -> tuple[int, int, int]:
    """Lower is better: more levels, then fewer games, as such a bot was made for them."""
    info = bot.bot
    if info is None:
        return (0, 0, 0)
    return (-info.levels, len(info.games) or 1_000, -bot.free(now))
