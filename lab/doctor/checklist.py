"""Plays a bot through all cases, one after the other, and says what became of each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Final, Literal, NamedTuple

from lab.doctor.cases import CASES, Case, title
from lab.doctor.script import CaseFailed, Guest, NotTried, Script
from lab.doctor.wire import BotWire, WireLost

FIRST_ROOM: Final = 17
INTRODUCTION: Final = "It says `hello`, as a program with a name and the games that it plays"
BETWEEN_S: Final = 20.0  # for a bot that a case has put out of step to connect again


class CaseResult(NamedTuple):
    """What became of a case: `why` of one that was not tried; else what was expected and seen."""

    case: str
    state: Literal["ok", "failed", "not tried"]
    expected: str = ""
    seen: str = ""
    why: str = ""


async def examine(
    wire: BotWire, guest: Guest, patience: float = 1.0, cases: Sequence[Case] = CASES
) -> AsyncIterator[CaseResult]:
    """Play the bot that has just connected through the cases.

    Args:
        patience: what all waits are multiplied by, for bots that are slow by nature.
    """
    lobby = Script(wire, guest, FIRST_ROOM, patience)
    try:
        await lobby.welcome(await lobby.hear_hello(first=True))
    except (CaseFailed, WireLost) as error:
        yield _failed(INTRODUCTION, error)
        for case in cases:
            yield CaseResult(title(case), "not tried", why="the bot is not in")
        return
    yield CaseResult(INTRODUCTION, "ok")
    lost = False
    for number, case in enumerate(cases):
        if lost:
            yield CaseResult(title(case), "not tried", why="the bot did not come back")
            continue
        script = Script(wire, guest, FIRST_ROOM + number, patience)
        yield await _tried(case, script)
        lost = not await _is_back(script) if case is not cases[-1] else False


async def _tried(case: Case, script: Script) -> CaseResult:
    try:
        await case(script)
    except NotTried as reason:
        return CaseResult(title(case), "not tried", why=str(reason))
    except (CaseFailed, WireLost) as error:
        return _failed(title(case), error)
    return CaseResult(title(case), "ok")


def _failed(what: str, error: CaseFailed | WireLost) -> CaseResult:
    if isinstance(error, CaseFailed):
        return CaseResult(what, "failed", error.expected, error.seen)
    return CaseResult(what, "failed", "the connection to stay open", str(error))


async def _is_back(script: Script) -> bool:
    """End what is left of a case; False if the bot is away and does not come back."""
    try:
        await script.part()
    except (CaseFailed, WireLost):
        script.seated = False
        try:
            await script.wire.cut()
            await script.back(BETWEEN_S)
        except (CaseFailed, WireLost):
            return False
    return True
