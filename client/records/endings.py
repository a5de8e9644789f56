"""How a match can end, and what each end is worth: the last event of a record, checked."""

from __future__ import annotations

from client.records.checked_match import MAX_STRIKES, CheckedMatch, SeatOffer, Wrong, number
from games.clock import LAG_PER_MOVE
from protocol.history import NOT_BEGUN, TOO_MANY_EVENTS
from protocol.parts import Event, Result

GIVEN_UP = frozenset({"resign", "flag", "abandon", "illegal", "crash", "disconnect"})
UNREADABLE = "cannot be replayed"  # why a match is void whose log a server could not follow
RULES_FAILED = "the rules failed"  # ... or whose next action the host's own rules broke at
OF_A_LADDER = frozenset({"both away", "called off"})  # why a match of its is void
LEFT = frozenset({"both players left", "its player left"})  # the other one may be a bot
NOTHING = (0.0, 0.0)


def unreadable(event: Event) -> bool:
    """Return whether this is the end that a server gives to a match which it cannot go on with."""
    result = event.result
    return result is not None and (result.how, result.reason) == ("void", UNREADABLE)


def ended(match: CheckedMatch, event: Event) -> None:
    """Check the end: Wrong if the match cannot have ended so, or for so many points."""
    result, spent = event.result, number(event.spent_ms)
    assert result is not None, "event_fields.fault has found none missing"
    returns, reason = _due(match, result)
    _check_clock(match, spent, result)
    if result.returns != returns:
        raise Wrong(f"it gives {_pair(result.returns)} points, and {_pair(returns)} are due")
    winner = None if returns[0] == returns[1] else 0 if returns[0] > returns[1] else 1
    if result.winner != winner:
        raise Wrong(f"seat {result.winner} did not win")
    if result.reason != reason:
        raise Wrong(f"the reason is {reason}, not {result.reason}")
    match.result = result


def _due(match: CheckedMatch, result: Result) -> tuple[tuple[float, float], str]:
    """Return the points and the reason of an end of this kind here."""
    position, how = match.position, result.how
    outcome = position.outcome()
    if (outcome is not None) != (how == "rules"):
        raise Wrong("the rules ended it" if outcome is not None else "the rules had not ended it")
    if outcome is not None:
        return outcome.returns, outcome.reason
    if how == "void":
        return NOTHING, _void_because(match, result)
    if match.too_long():
        raise Wrong(f"it was void after {len(match.steps)} plies")
    if match.accepted is not None and match.accepted.kind == "resign":
        return _resigned(match.accepted, result), how
    if (how == "agreement") != (match.accepted is not None):
        raise Wrong("a draw was agreed" if match.accepted else "no draw was agreed")
    if how == "agreement":
        return NOTHING, "draw"
    if how == "abort":
        if match.both_decided():
            raise Wrong("both sides had moved, so it could not be aborted")
        return NOTHING, how
    if how not in GIVEN_UP:
        raise Wrong(f"no match ends by {how!r}")
    if result.winner is None:
        raise Wrong(f"it ended by {how}, and nobody has won")
    if how == "abandon" and match.clock.timed:
        raise Wrong("a match with a clock cannot be claimed")
    _check_strikes(match, 1 - result.winner, how)
    return position.game.forfeit(position, 1 - result.winner), how


def _resigned(offer: SeatOffer, result: Result) -> tuple[float, float]:
    """Return the points of a resignation for fewer than a forfeit costs, which was accepted."""
    if (result.how, result.winner) != ("resign", 1 - offer.seat):
        raise Wrong(f"it was agreed that seat {offer.seat} resigns")
    lost = float(number(offer.points))
    return (-lost, lost) if offer.seat == 0 else (lost, -lost)


def _check_strikes(match: CheckedMatch, loser: int, how: str) -> None:
    """Three lose a ladder's match, and fewer none; programs that run matches count none at all."""
    strikes = match.strikes[loser]
    if (how == "illegal") != (strikes >= MAX_STRIKES) and any(match.strikes):
        raise Wrong(f"it ended by {how}, and seat {loser} had {strikes} strikes")


def _void_because(match: CheckedMatch, result: Result) -> str:
    if result.reason in (UNREADABLE, RULES_FAILED):
        return result.reason
    if match.too_long():
        return f"{len(match.steps)} plies"
    if result.reason == TOO_MANY_EVENTS and match.has_many_events():
        return result.reason
    if match.rated and match.clock.timed and result.reason in OF_A_LADDER:
        return result.reason
    if match.clock.timed and not match.lapses():
        raise Wrong("a match with a clock does not become void")
    if result.reason == NOT_BEGUN and match.clock.timed:
        return NOT_BEGUN
    return result.reason if result.reason in LEFT else "both players left"


def _check_clock(match: CheckedMatch, spent: int, result: Result) -> None:
    """Check the time of the last turn: a flag fell if, and only if, the time had run out."""
    clock, seat, flag = match.clock, match.clock.running, result.how == "flag"
    if not match.promised:
        return
    if flag and (seat is None or not clock.timed or result.winner == seat):
        raise Wrong("a flag fell that was not running")
    if seat is None:
        if spent:
            raise Wrong(f"somebody thought for {spent} ms, and it was nobody's turn")
        return
    left = clock.remaining[seat] + clock.free
    if flag and match.lapses():
        raise Wrong("a flag fell before the match had begun")
    if result.reason == NOT_BEGUN and spent < clock.free:
        raise Wrong(f"seat {seat} had {spent} ms to begin, and {clock.free} ms were promised")
    if flag and spent <= left:
        raise Wrong(f"the flag fell after {spent} ms, and seat {seat} had {left} ms left")
    late = clock.timed and spent > left + clock.credit(seat, LAG_PER_MOVE)
    if late and not flag and result.reason != "both away":
        raise Wrong(f"seat {seat} had thought for {spent} ms, and had {left} ms left")
    match.check_thought(spent)


def _pair(returns: tuple[float, float]) -> str:
    return f"{returns[0]:g} and {returns[1]:g}"
