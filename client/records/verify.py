"""Whether a match was played by the rules, with the dice that were promised, on its clocks.

The judgement of a server made again by somebody who trusts none: from the events alone, with the
rules of games/, its dice and its clocks, and no word of the server's code.

    rules     turns, plies and seats follow; each action is legal and written canonically; a pass
              stands where nothing else was possible and nowhere else
    dice      the secret is the one that was promised, and gives each roll of each ply
    clocks    nobody acted after the flag, a flag that fell had run out, and no more lag was
              forgiven than may be
    the end   by the rules, or by what both players did; it costs what the game says

What a server alone knows is taken as it stands: how long somebody thought, how long a line took,
who was away, and that a match had to be void.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from client.records.record import Record
from games import clock as clocks
from games import registry
from games.clock import LAG_PER_MOVE, Clock
from games.dice import SECRET_BYTES, Deal
from games.game import CHANCE, END, IllegalAction, NotationError, Position
from protocol.messages import ClockOptions, Event, Result

PASS = "pass"
GIVEN_UP = frozenset({"resign", "flag", "abandon", "illegal", "crash", "disconnect"})


class Wrong(Exception):
    """An event does not hold; the text is why."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`wrong`: why the match does not hold, None if it does; `seq`: of the first event that does
    not, None where something is missing.  The counts are of what was looked at until then.
    """

    match: str
    game: str
    wrong: str | None
    seq: int | None
    actions: int
    rolls: int
    timed: bool
    result: Result | None


@dataclass(frozen=True, slots=True)
class _Step:
    """What stood before an action, for a takeback."""

    event: Event
    position: Position
    clock: Clock


@dataclass(slots=True)
class _Match:
    """The match as far as it has been looked at."""

    name: str
    position: Position | None = None
    clock: Clock = field(default_factory=clocks.untimed)
    rated: bool = False
    deal: Deal | None = None
    promise: tuple[bytes, str] | None = None  # secret, and what was shown of it
    steps: list[_Step] = field(default_factory=list)
    offers: set[tuple[str, int]] = field(default_factory=set)
    accepted: str | None = None  # what the event before agreed to
    accepted_of: int = -1  # and by whose offer
    at: int = 0
    result: Result | None = None
    actions: int = 0
    rolls: int = 0


def verify(record: Record) -> Verdict:
    """Go through a match, event by event, up to the first that does not hold."""
    match = _Match(record.match)
    for event in record.events:
        try:
            _check(match, event)
        except Wrong as error:
            return _verdict(match, str(error), event.seq)
    missing = None
    if match.position is None:
        missing = "the match does not start"
    elif match.result is None:
        missing = "the match does not end"
    return _verdict(match, missing, None)


def _verdict(match: _Match, wrong: str | None, seq: int | None) -> Verdict:
    name = match.position.game.name if match.position is not None else ""
    return Verdict(
        match.name, name, wrong, seq, match.actions, match.rolls, match.clock.timed, match.result
    )


def _check(match: _Match, event: Event) -> None:
    check = _CHECKS.get(event.kind)
    if check is None:
        raise Wrong(f"no event of a match is called {event.kind!r}")
    if event.match != match.name:
        raise Wrong(f"it is of another match, {event.match}")
    if match.result is not None:
        raise Wrong("the match was over")
    if (match.position is None) != (event.kind in ("dealt", "started")):
        raise Wrong("it comes before the start" if match.position is None else "it starts again")
    if event.at is None or event.at < match.at:
        raise Wrong("its time is before that of the event above")
    check(match, event)
    match.at = event.at
    if event.kind != "answered":
        match.accepted = None


def _here(match: _Match) -> Position:
    assert match.position is not None, "_check asks for the start first"
    return match.position


# ---------------------------------------------------------------- the beginning


def _dealt(match: _Match, event: Event) -> None:
    try:
        secret = bytes.fromhex(event.secret or "")
    except ValueError:
        raise Wrong("the secret is no hexadecimal number") from None
    if len(secret) != SECRET_BYTES or event.secret != secret.hex():
        raise Wrong(f"the secret is not {SECRET_BYTES} bytes, in small letters")
    if event.commitment != hashlib.sha256(secret).hexdigest():
        raise Wrong("the secret is not the one that was promised: the commitment is another's")
    match.promise = (secret, event.commitment)


def _started(match: _Match, event: Event) -> None:
    name = event.game or ""
    if name not in registry.names():
        raise Wrong(f"the game {name!r} is not known here; PLYHOUSE_GAMES may name its folder")
    game = registry.game(name)
    if game.rules_version != event.rules_version:
        raise Wrong(
            f"it was played by version {event.rules_version} of the rules,"
            f" and known here is {game.rules_version}"
        )
    if event.players is None or event.options is None:
        raise Wrong("it does not say who plays, and by what options")
    if game.has_chance != (match.promise is not None):
        raise Wrong("dice were promised" if match.promise else "no dice were promised")
    if game.has_chance:
        if event.salts is None:
            raise Wrong("the salts are missing")
        secret = match.promise[0] if match.promise is not None else b""
        match.deal = Deal(match.name, secret, event.salts)
    match.position = game.initial()
    match.rated = event.options.rated
    match.clock = _clock(event.options.clock).start(_runner(match.position))


def _clock(options: ClockOptions | None) -> Clock:
    if options is None:
        return clocks.untimed()
    if options.per_move_ms is not None:
        return clocks.each_move(options.per_move_ms)
    return clocks.fischer(options.base_ms or 0, options.increment_ms)


def _runner(position: Position) -> int | None:
    return position.to_move if position.to_move >= 0 else None


# ---------------------------------------------------------------- actions


def _acted(match: _Match, event: Event) -> None:
    """A play, a pass or a roll: whose turn, what is allowed, and what it is called."""
    old = _here(match)
    if event.ply != len(match.steps):
        raise Wrong(f"it is called ply {event.ply}, and ply {len(match.steps)} is next")
    if old.to_move == END:
        raise Wrong("the rules had ended the match")
    if event.seat != old.to_move:
        raise Wrong(f"it is by seat {event.seat}, and {_whose(old)}")
    kind = _kind_of(old)
    if event.kind != kind:
        raise Wrong(f"it is a {event.kind}, and only a {kind} was possible")
    action = _read(old, event.action or "")
    if event.kind == "roll":
        _check_roll(match, event, action)
    clock = match.clock if event.kind != "play" else _press(match.clock, event)
    match.steps.append(_Step(event, old, match.clock))
    match.position = old.apply(action)
    match.clock = clock.start(_runner(match.position))
    match.offers = set()
    match.actions += 1


def _whose(position: Position) -> str:
    return "the dice are next" if position.to_move == CHANCE else f"seat {position.to_move} is next"


def _kind_of(position: Position) -> str:
    if position.to_move == CHANCE:
        return "roll"
    return PASS if position.legal_notation() == (PASS,) else "play"


def _read(position: Position, text: str) -> int:
    written = position.legal_notation()
    if text in written:
        return position.legal_actions()[written.index(text)]
    try:
        action = position.game.parse_action(position, text)
        position.apply(action)
    except (NotationError, IllegalAction) as error:
        raise Wrong(str(error)) from None
    raise Wrong(f"{text} is written {position.game.format_action(position, action)}")


def _check_roll(match: _Match, event: Event, action: int) -> None:
    position = _here(match)
    assert match.deal is not None, "a game with dice starts with a deal"
    dealt = match.deal.roll(len(match.steps), position.chance())
    if action != dealt:
        shown = position.game.format_action(position, dealt)
        raise Wrong(f"the roll is {event.action}, and the deal gives {shown} for ply {event.ply}")
    match.rolls += 1


def _press(clock: Clock, event: Event) -> Clock:
    """The clock after a play: in time, and with no more lag forgiven than may be."""
    seat, spent, lag = event.seat or 0, event.spent_ms, event.lag_ms
    if spent is None or lag is None:
        raise Wrong("it does not say how long it took")
    if clock.timed and clock.credit(seat, lag) != lag:
        raise Wrong(f"{lag} ms of lag were forgiven, and at most {clock.credit(seat, lag)} may be")
    if lag > spent or (lag and not clock.timed):
        raise Wrong(f"{lag} ms of lag were forgiven of {spent} ms that it took")
    if clock.timed and spent - lag > clock.remaining[seat]:
        raise Wrong(f"it took {spent} ms, and seat {seat} had {clock.remaining[seat]} ms left")
    return clock.press(spent, lag)


# ---------------------------------------------------------------- offers


def _offered(match: _Match, event: Event) -> None:
    if event.offer is None or event.seat not in (0, 1):
        raise Wrong("it does not say who offers what")
    if match.rated and event.offer == "takeback":
        raise Wrong("in a rated match nothing is taken back")
    if any(kind == event.offer for kind, _ in match.offers):
        raise Wrong(f"a {event.offer} was offered already")
    match.offers.add((event.offer, event.seat))


def _answered(match: _Match, event: Event) -> None:
    by = next((seat for kind, seat in match.offers if kind == event.offer), None)
    if by is None or event.offer is None:
        raise Wrong(f"no {event.offer} was offered")
    if event.accept and by == event.seat:
        raise Wrong("nobody accepts an own offer")
    match.offers.discard((event.offer, by))
    match.accepted = event.offer if event.accept else None
    match.accepted_of = by


def _taken_back(match: _Match, event: Event) -> None:
    if match.accepted != "takeback" or event.seat != match.accepted_of:
        raise Wrong("no takeback was agreed upon")
    own = [s for s in match.steps if s.event.kind == "play" and s.event.seat == event.seat]
    if not own or own[-1].event.ply != event.ply:
        raise Wrong(f"ply {event.ply} is not the last decision of seat {event.seat}")
    step = own[-1]
    del match.steps[match.steps.index(step) :]
    match.position = step.position
    match.clock = step.clock.start(_runner(step.position))
    match.offers = set()


# ---------------------------------------------------------------- the end


def _ended(match: _Match, event: Event) -> None:
    result = event.result
    if result is None:
        raise Wrong("it does not say how")
    _check_time(match.clock, event.spent_ms or 0, result)
    returns = _returns(match, result)
    if result.returns != returns:
        raise Wrong(f"it gives {_pair(result.returns)} points, and {_pair(returns)} are due")
    winner = None if returns[0] == returns[1] else 0 if returns[0] > returns[1] else 1
    if result.winner != winner:
        raise Wrong(f"seat {result.winner} is not who has won")
    match.result = result
    match.clock = match.clock.stop(event.spent_ms or 0).start(None)


def _check_time(clock: Clock, spent: int, result: Result) -> None:
    seat = clock.running
    if result.how == "flag" and (seat is None or not clock.timed or result.winner == seat):
        raise Wrong("a flag fell that was not running")
    if seat is None or not clock.timed:
        return
    left = clock.remaining[seat]
    if result.how == "flag" and spent <= left:
        raise Wrong(f"the flag fell after {spent} ms, and seat {seat} had {left} ms left")
    if result.how not in ("flag", "void") and spent > left + clock.credit(seat, LAG_PER_MOVE):
        raise Wrong(f"seat {seat} had thought for {spent} ms, and had {left} ms left")


def _returns(match: _Match, result: Result) -> tuple[float, float]:
    """What this end is worth; Wrong if it cannot have ended so."""
    position = _here(match)
    outcome = position.outcome()
    if (outcome is not None) != (result.how == "rules"):
        raise Wrong("the rules ended it" if outcome is not None else "the rules had not ended it")
    if outcome is not None:
        if result.reason != outcome.reason:
            raise Wrong(f"the reason is {outcome.reason}, not {result.reason}")
        return outcome.returns
    if result.how in GIVEN_UP:
        if result.winner is None:
            raise Wrong(f"it ended by {result.how}, and nobody has won")
        if result.how == "abandon" and match.clock.timed:
            raise Wrong("a match with a clock is not claimed")
        return position.game.forfeit(position, 1 - result.winner)
    moved = {step.event.seat for step in match.steps if step.event.kind == "play"}
    if result.how == "agreement" and match.accepted != "draw":
        raise Wrong("no draw was agreed upon")
    if result.how == "abort" and len(moved) == 2:
        raise Wrong("both sides had moved, so it could not be aborted")
    if result.how not in ("agreement", "abort", "void"):
        raise Wrong(f"no match ends by {result.how!r}")
    return (0.0, 0.0)


def _pair(returns: tuple[float, float]) -> str:
    return f"{returns[0]:g} and {returns[1]:g}"


_CHECKS: dict[str, Callable[[_Match, Event], None]] = {
    "dealt": _dealt,
    "started": _started,
    "play": _acted,
    "pass": _acted,
    "roll": _acted,
    "offered": _offered,
    "answered": _answered,
    "takeback": _taken_back,
    "ended": _ended,
}
