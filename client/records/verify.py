"""Checks that a match followed the rules, the promised dice and the clocks.

It judges as a server does, but trusts none: from the events alone, with the rules, dice and clocks
of games/, and without the server's code.

    form      each event carries what its kind has to, and nothing else; numbers and times go on
    rules     turns, plies and seats follow; each action is legal and written canonically; a pass
              stands where nothing else was possible, a roll where the dice are next, and only there
    dice      the secret is the one that was promised, and gives each roll of each ply
    clocks    no player acted after the flag, a flag that fell had run out, no more lag was forgiven
              than may be, and no player thought for longer than the position stood
    a series  the position begins with its score, and that can be before a game of this number
    a ladder  its opening comes first; a strike is no legal action, and the third one ends it
    the end   by the rules, or by what both players did; it costs what the game says

What a server alone knows is taken as it stands: who the players were and what they chose among what
was allowed, that one of them resigned or was away, how slow a connection was, that a room's log
could not be read.  And whether the commitment is the one that was shown before the match, only who
has seen it can say: the verdict shows it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from client.records import endings, event_fields
from client.records.checked_match import (
    NOUNS,
    PASS,
    CheckedAction,
    CheckedMatch,
    SeatOffer,
    Unknown,
    Wrong,
    number,
)
from games import registry
from games.clock import LAG_PER_MOVE, Clock
from games.dice import SECRET_BYTES, Deal
from games.game import (
    CHANCE,
    BrokenRules,
    IllegalAction,
    NotationError,
    Position,
    UnplayableTerms,
)
from protocol.parts import Event, Player, Result, Series
from protocol.records.record import MatchRecord
from protocol.records.terms import clock_of, first_position

GIVING_UP = frozenset({"offered", "answered", "ended"})
MAX_STRUCK = 40  # characters that a server keeps of a strike

__all__ = ["Unknown", "Verification", "verify"]


@dataclass(frozen=True, slots=True)
class Verification:
    """`wrong`: why the match does not hold, None if it does; `seq`: of the first event that does
    not, None where something is missing.  The counts are of what was looked at until then.
    """

    match: str
    game: str
    players: tuple[Player, ...]  # none before the start
    wrong: str | None
    seq: int | None
    actions: int  # what was taken back included
    rolls: int
    timed: bool
    commitment: str | None
    salts: tuple[str, str] | None
    result: Result | None
    series: Series | None = None  # before this game of it


def verify(record: MatchRecord, *, promised: bool = True) -> Verification:
    """Check a match, event by event, up to the first that does not hold.

    `promised`: its dice were; else, in a file that another program wrote, they are only followed.

    Raises:
        Unknown: the game, or that version of its rules, is not known here.
    """
    match = CheckedMatch(record.match, promised)
    for event in record.events:
        try:
            _check(match, event)
        except Wrong as error:
            return _verdict(match, str(error), event.seq)
    missing = None
    if match.start is None:
        missing = "the match does not start"
    elif match.result is None:
        missing = "the match does not end"
    return _verdict(match, missing, None)


def _verdict(match: CheckedMatch, wrong: str | None, seq: int | None) -> Verification:
    start, dealt = match.start, match.dealt
    return Verification(
        match=match.name,
        game=start.game or "" if start is not None else "",
        players=start.players or () if start is not None else (),
        wrong=wrong,
        seq=seq,
        actions=match.actions,
        rolls=match.rolls,
        timed=match.clock.timed,
        commitment=dealt.commitment if dealt is not None else None,
        salts=start.salts if start is not None else None,
        result=match.result,
        series=start.series if start is not None else None,
    )


def _check(match: CheckedMatch, event: Event) -> None:
    if event.match != match.name:
        raise Wrong(f"it is of another match, {event.match}")
    if match.result is not None:
        raise Wrong("the match was over")
    if (match.start is None) != (event.kind in ("dealt", "started")):
        raise Wrong("it comes before the start" if match.start is None else "it starts again")
    if match.start is not None:
        _check_due(match, event)
    if fault := event_fields.fault(event):
        raise Wrong(fault)
    if event.seq <= match.seq:
        raise Wrong(f"it follows event {match.seq}")
    if number(event.at) < match.at:
        raise Wrong("its time is before that of the event above")
    match.seq, match.at = event.seq, number(event.at)
    _CHECKS[event.kind](match, event)
    if event.kind != "answered":
        match.accepted = None


def _dealt(match: CheckedMatch, event: Event) -> None:
    if match.dealt is not None:
        raise Wrong("the dice were dealt twice")
    try:
        secret = bytes.fromhex(event.secret or "")
    except ValueError:
        raise Wrong("the secret is not a hexadecimal number") from None
    if len(secret) != SECRET_BYTES or event.secret != secret.hex():
        raise Wrong(f"the secret is not {SECRET_BYTES} bytes, in small letters")
    if event.commitment != hashlib.sha256(secret).hexdigest():
        raise Wrong("the secret does not match the commitment")
    if event.deal is not None and event_fields.bad_deal(event.deal, match.name):
        raise Wrong(f"{event.deal!r} is not the name of a deal that this match can have")
    match.dealt = event


def _started(match: CheckedMatch, event: Event) -> None:
    name, options = event.game or "", event.options
    assert options is not None, "event_fields.fault has found none missing"
    if name not in registry.names():
        raise Unknown(f"the game {name!r} is not known here; PLYHOUSE_GAMES may name its folder")
    try:
        game = registry.game(name, event.rules_version)
    except registry.UnknownVersion:
        raise Unknown(
            f"it was played by version {event.rules_version} of the rules of {name},"
            f" but here is version {registry.game(name).rules_version}"
        ) from None
    if why := event_fields.bad_options(options):
        raise Wrong(why)
    dealt = game.has_chance and match.promised
    if dealt != (match.dealt is not None):
        raise Wrong("dice were promised" if match.dealt else "no dice were promised")
    if dealt != (event.salts is not None):
        raise Wrong("the salts are missing" if game.has_chance else "salts, and no dice")
    if match.dealt is not None and event.salts is not None:
        if event_fields.bad_salts(event.salts):
            raise Wrong("a salt is up to 64 hexadecimal digits, in small letters")
        name = match.dealt.deal or match.name
        match.deal = Deal(name, bytes.fromhex(match.dealt.secret or ""), event.salts)
    match.start, match.rated = event, options.rated
    if event.series is not None and (why := event_fields.bad_series(event.series)):
        raise Wrong(why)
    try:
        first = first_position(game, options, event.series)
    except UnplayableTerms as error:
        raise Wrong(str(error)) from None
    match.turn(first, clock_of(options.clock))


def _check_due(match: CheckedMatch, event: Event) -> None:
    due = match.due()
    if due is None:
        if event.kind in ("roll", PASS):
            raise Wrong(f"it is {event_fields.CALLED[event.kind]}, and only a play was possible")
        return
    kind, why = due
    if (kind, event.kind) == ("roll", "ended") and match.waits():
        return
    if not match.promised and kind in ("roll", PASS) and event.kind in GIVING_UP:
        return  # elsewhere a player may give up between the other's turn and the dice
    if event.kind != kind and not endings.unreadable(event):
        raise Wrong(f"it is {event_fields.CALLED.get(event.kind, event.kind)}, and {why}")


def _acted(match: CheckedMatch, event: Event) -> None:
    """Check an action: whose turn it is, that it is legal, and how it is written."""
    old = match.position
    if event.ply != len(match.steps):
        missing = number(event.ply) - len(match.steps)
        hole = f": {missing} are missing" if missing > 0 else ""
        raise Wrong(f"it is called ply {event.ply}, and ply {len(match.steps)} is next{hole}")
    if event.seat != old.to_move:
        next_one = "the dice are" if old.to_move == CHANCE else f"seat {old.to_move} is"
        raise Wrong(f"it is by seat {event.seat}, and {next_one} next")
    action = _read(old, event.action or "")
    if event.kind == "opening":
        _check_opening(match)
    if event.kind == "roll":
        _check_roll(match, event, action)
    clock = _press(match, event) if event.kind == "play" else match.clock
    match.steps.append(CheckedAction(event, old, match.clock))
    match.turn(old.apply(action), clock)
    match.actions += 1


def _check_opening(match: CheckedMatch) -> None:
    """Only a ladder, whose matches are rated, sets an opening; it stands before all else."""
    if not match.rated:
        raise Wrong("a match that is not rated has no opening")
    if any(step.event.kind != "opening" for step in match.steps) or any(match.strikes):
        raise Wrong("an opening comes first")


def _struck(match: CheckedMatch, event: Event) -> None:
    """Check a strike: an attempt that was no legal action; a long one is stored only in part."""
    seat, text = number(event.seat), event.action or ""
    if not match.rated:
        raise Wrong("only a ladder counts strikes, and this match is not rated")
    if (event.ply, seat) != (len(match.steps), match.position.to_move):
        raise Wrong(f"it is for ply {event.ply} by seat {seat}, who was not to move")
    if len(text) < MAX_STRUCK and _is_legal(match.position, text):
        raise Wrong(f"{text} was a legal action")
    match.strikes[seat] += 1


def _is_legal(position: Position, text: str) -> bool:
    try:
        position.apply(position.game.parse_action(position, text))
    except (NotationError, IllegalAction):
        return False
    return True


def _read(position: Position, text: str) -> int:
    written = position.legal_notation()
    if text in written:
        return position.legal_actions()[written.index(text)]
    try:
        action = position.game.parse_action(position, text)
        position.apply(action)
    except (NotationError, IllegalAction, BrokenRules) as error:
        raise Wrong(str(error)) from None
    raise Wrong(f"{text} is written {position.game.format_action(position, action)}")


def _check_roll(match: CheckedMatch, event: Event, action: int) -> None:
    if not match.promised:
        match.rolls += 1
        return
    position = match.position
    assert match.deal is not None, "a game with dice starts with a deal"
    dealt = match.deal.roll(len(match.steps), position.chance())
    if action != dealt:
        text = position.game.format_action(position, dealt)
        raise Wrong(f"the roll is {event.action}, and the deal gives {text} for ply {event.ply}")
    match.rolls += 1


def _press(match: CheckedMatch, event: Event) -> Clock:
    """Return the clock after a play: in time, and with no more lag forgiven than may be."""
    clock, seat = match.clock, event.seat or 0
    spent, lag = number(event.spent_ms), number(event.lag_ms)
    most = min(LAG_PER_MOVE, clock.lag_left[seat])  # servers of today forgive less, older ones this
    if clock.timed and not 0 <= lag <= most:
        raise Wrong(f"{lag} ms of lag were forgiven, and the limit is {most} ms")
    if lag > spent or (lag and not clock.timed):
        raise Wrong(f"{lag} ms of lag were forgiven of {spent} ms that it took")
    left = clock.remaining[seat] + clock.free
    if clock.timed and spent - lag > left:
        raise Wrong(f"it took {spent} ms, and seat {seat} had {left} ms left")
    match.check_thought(spent)
    return clock.press(spent, lag)


def _offered(match: CheckedMatch, event: Event) -> None:
    offer = _offer_of(event)
    if offer.seat not in (0, 1):
        raise Wrong("the dice offer nothing")
    _check_offer(match, offer)
    standing = {other for other in match.offers if other.kind == offer.kind}
    if any(other.seat != offer.seat or offer.is_no_more_than(other) for other in standing):
        raise Wrong(f"a {NOUNS[offer.kind]} was offered already")
    if any(offer.is_no_more_than(other) for other in match.declined):
        raise Wrong(f"the {NOUNS[offer.kind]} was declined or withdrawn in this position")
    match.offers = (match.offers - standing) | {offer}


def _check_offer(match: CheckedMatch, offer: SeatOffer) -> None:
    """Check that this could be offered at all."""
    if (offer.points is not None) != (offer.kind == "resign"):
        raise Wrong("only a resignation is offered for points, and always")
    match offer.kind:
        case "draw":
            return
        case "resign":
            prices = match.position.game.resignations(match.position, offer.seat)
            if offer.points not in prices[:-1]:
                raise Wrong(f"to resign for {offer.points} points could not be offered")
        case "takeback":
            if match.rated:
                raise Wrong("in a rated match nothing is taken back")
            if match.last_decision(offer.seat) is None:
                raise Wrong(f"seat {offer.seat} has decided nothing that could be taken back")
        case _:
            assert_never(offer.kind)


def _answered(match: CheckedMatch, event: Event) -> None:
    kind, seat, _ = _offer_of(event)
    offer = next((offer for offer in match.offers if offer.kind == kind), None)
    if offer is None or seat not in (0, 1):
        raise Wrong(f"no {NOUNS[kind]} was offered")
    if event.accept and offer.seat == seat:
        raise Wrong("a seat cannot accept its own offer")
    match.offers.discard(offer)
    if event.accept:
        match.accepted = offer
    else:
        match.declined.add(offer)


def _offer_of(event: Event) -> SeatOffer:
    assert event.offer is not None, "event_fields.fault has found none missing"
    return SeatOffer(event.offer, number(event.seat), event.points)


def _taken_back(match: CheckedMatch, event: Event) -> None:
    if match.accepted is None or match.accepted[:2] != ("takeback", event.seat):
        raise Wrong("no takeback was agreed")
    index = match.last_decision(number(event.seat))
    if index is None or index != event.ply:
        raise Wrong(f"ply {event.ply} is not the last decision of seat {event.seat}")
    step = match.steps[index]
    del match.steps[index:]
    match.turn(step.position, step.clock)


_CHECKS: dict[str, Callable[[CheckedMatch, Event], None]] = {
    "dealt": _dealt,
    "started": _started,
    "play": _acted,
    "pass": _acted,
    "roll": _acted,
    "opening": _acted,
    "strike": _struck,
    "offered": _offered,
    "answered": _answered,
    "takeback": _taken_back,
    "ended": endings.ended,
}
