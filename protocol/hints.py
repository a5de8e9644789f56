"""The messages about hints: a person asks what a bot would play, and a connected bot answers."""

from __future__ import annotations

from protocol.errors import Code
from protocol.messages import Push, Request
from protocol.parts import Short, Text, Whole
from protocol.request import of_module


class Hint(Request, frozen=True, tag="hint"):
    """Ask for advice in a match where it is one's turn; a connected bot gives it."""

    price = 3_000  # a bot thinks about it
    answer = "hint"
    states = ("playing",)
    refusals = (Code.MATCH_NOT_ALLOWED, Code.MATCH_NOT_YOUR_TURN,
                Code.MATCH_STALE_TURN, Code.HINT_BUSY, Code.HINT_NO_BOT)  # fmt: skip
    match: Short


class Advise(Request, frozen=True, tag="advise"):
    """A bot's answer to `advice_wanted`."""

    price = 100
    refusals = (Code.MATCH_BAD_NOTE, Code.MATCH_ILLEGAL_ACTION, Code.MATCH_NO_OFFER)
    ask: Whole
    action: Text
    note: Text | None = None


class DelayAdvice(Request, frozen=True, tag="delay_advice"):
    """A bot's word that it begins to think about `advice_wanted` only in about `wait_ms`."""

    price = 200  # two short messages
    refusals = (Code.MATCH_NO_OFFER,)
    ask: Whole
    wait_ms: Whole


class AdviceWanted(Push, frozen=True, tag="advice_wanted"):
    """A person asks this bot what it would play; answer with `advise` and the same `ask`."""

    ask: Whole
    game: str
    position: str
    legal: tuple[str, ...]


class Hinted(Push, frozen=True, tag="hint"):
    """The answer to `hint`."""

    match: str
    turn: Whole
    action: str
    by: str
    note: str | None = None


class HintWaits(Push, frozen=True, tag="hint_waits"):
    """To who waits for a hint: the bot gets ready first, and the hint comes in about `wait_ms`."""

    match: str
    bot: str
    wait_ms: Whole


HINT_REQUESTS = of_module(Request, __name__)
HINT_REPLIES = of_module(Push, __name__)
