"""One game with one clock: the fold of its actions, dice included.

Everything that moves a match stands here: `start`, `played`, `rolled`, `passed`, `opened`,
`struck`, `taken_back`, `ended` are the folds of the events of the same names, and `check_play` is
where an action is judged. What a match looks like on the wire is `state`.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from games import clock as clocks
from games import registry
from games.clock import Clock
from games.dice import Deal
from games.game import CHANCE, END, Game, IllegalAction, NotationError, Position
from protocol.errors import Code, Refusal
from protocol.messages import ClockOptions, Clocks, Event, MatchState, Player, Result
from server.core.events import (
    Ended,
    NotReplayed,
    Opened,
    Passed,
    Played,
    Rolled,
    Started,
    Struck,
    TakenBack,
    Who,
)
from server.core.offers import Offers
from server.core.text import clean

SHOWN_EVENTS = 8  # how many actions a match message carries
MAX_NOTE = 512  # bytes
PASS = "pass"  # what every game calls the action of doing nothing


class Step(Struct, frozen=True):
    """One ply of the past, linked to the one before it: what takeback and a repeated play need.

    It holds the state and not the position, whose cache of legal actions would stay with it.
    """

    turn: int  # the turn it answered
    event: Event
    state: tuple[int, ...]  # as it stood before, like all that follows
    clock: Clock
    moved: tuple[int, int]
    before: Step | None


class Match(Struct, frozen=True):
    """A match as a value.

    `turn`: seq of the event that made `position`; `moved`: decisions of each seat; `declined`:
    offers that were turned down or withdrawn in this position; `strikes`: what each seat tried that
    is no legal action, counted on a ladder alone; `paired`: another match has the same deal, so
    that the rolls wait for it, and the secret is not shown while the room is open.
    """

    number: int
    name: str
    game: Game
    players: tuple[Who, Who]
    rated: bool
    deal: Deal | None
    position: Position
    ply: int
    turn: int
    clock: Clock
    moved: tuple[int, int] = (0, 0)
    last: Step | None = None
    recent: tuple[Event, ...] = ()
    offers: Offers = ()
    declined: Offers = ()
    result: Result | None = None
    strikes: tuple[int, int] = (0, 0)
    paired: bool = False


def make_clock(options: ClockOptions | None) -> Clock:
    """The clock that these options ask for."""
    if options is None:
        return clocks.untimed()
    if options.per_move_ms is not None:
        return clocks.each_move(options.per_move_ms)
    return clocks.fischer(options.base_ms or 0, options.increment_ms)


# ---------------------------------------------------------------- folds


def start(
    room: int, number: int, seq: int, event: Started, secret: bytes | None, paired: bool = False
) -> Match:
    """The first position of a match."""
    game = registry.game(event.game)
    if game.rules_version != event.rules_version:
        raise RulesChanged(game, event.rules_version)
    position = game.initial()
    deal = None
    if event.deal is not None:
        if secret is None:
            raise NotReplayed("dice without a secret")
        deal = Deal(event.deal, secret, event.salts)
    return Match(
        number=number,
        name=f"{room}.{number}",
        game=game,
        players=event.players,
        rated=event.options.rated,
        deal=deal,
        position=position,
        ply=0,
        turn=seq,
        clock=_start(make_clock(event.options.clock), position, paired),
        paired=paired,
    )


class RulesChanged(NotReplayed):
    """A match was played by another version of the rules, so that it cannot be gone on with."""

    def __init__(self, game: Game, version: int) -> None:
        super().__init__(f"{game.name} was rules version {version}, is {game.rules_version}")


def played(match: Match, seq: int, event: Played) -> Match:
    """The fold of a decision."""
    seat = event.seat
    shown = Event(
        seq=seq,
        kind="play",
        ply=event.ply,
        seat=seat,
        action=event.action,
        spent_ms=event.spent,
        lag_ms=event.lag,
        note=None if match.rated else event.note,
    )
    moved = (
        (match.moved[0] + 1, match.moved[1]) if seat == 0 else (match.moved[0], match.moved[1] + 1)
    )
    return _advance(match, seq, shown, match.clock.press(event.spent, event.lag), moved)


def passed(match: Match, seq: int, event: Passed) -> Match:
    """The fold of a forced pass."""
    shown = Event(seq=seq, kind="pass", ply=event.ply, seat=event.seat, action=event.action)
    return _advance(match, seq, shown, match.clock, match.moved)


def rolled(match: Match, seq: int, event: Rolled) -> Match:
    """The fold of a roll."""
    shown = Event(seq=seq, kind="roll", ply=event.ply, seat=-1, action=event.action)
    return _advance(match, seq, shown, match.clock, match.moved)


def opened(match: Match, seq: int, event: Opened) -> Match:
    """The fold of an action that a ladder has set; nobody has decided it."""
    shown = Event(seq=seq, kind="opening", ply=event.ply, seat=event.seat, action=event.action)
    return _advance(match, seq, shown, match.clock, match.moved)


def struck(match: Match, seq: int, event: Struck) -> Match:
    """The fold of an action that was none; the position stands, and its clock runs on."""
    one, two = match.strikes
    return replace(match, strikes=(one + 1, two) if event.seat == 0 else (one, two + 1))


def _advance(match: Match, seq: int, shown: Event, clock: Clock, moved: tuple[int, int]) -> Match:
    old = match.position
    if (shown.ply, shown.seat) != (match.ply, old.to_move):
        raise NotReplayed(f"ply {shown.ply} by seat {shown.seat} is not the next")
    position = old.apply(read_action(old, shown.action or ""))
    step = Step(match.turn, shown, old.state, match.clock, match.moved, match.last)
    return replace(
        match,
        position=position,
        ply=match.ply + 1,
        turn=seq,
        clock=_start(clock, position, match.paired),
        moved=moved,
        last=step,
        recent=(*match.recent[1 - SHOWN_EVENTS :], shown),
        offers=(),
        declined=(),
    )


def taken_back(match: Match, seq: int, event: TakenBack) -> Match:
    """The fold of a takeback: the position, clocks and moves of `event.ply`; rolls stay bound
    to their plies.
    """
    step = match.last
    while step is not None and step.event.ply != event.ply:
        step = step.before
    if step is None:
        raise NotReplayed(f"there is no ply {event.ply} to go back to")
    position = Position(match.game, step.state)
    return replace(
        match,
        position=position,
        ply=event.ply,
        turn=seq,
        clock=step.clock.start(_runner(position)),
        moved=step.moved,
        last=step.before,
        recent=_recent(step.before),
        offers=(),
        declined=(),
    )


def _recent(step: Step | None) -> tuple[Event, ...]:
    shown: list[Event] = []
    while step is not None and len(shown) < SHOWN_EVENTS:
        shown.append(step.event)
        step = step.before
    return tuple(reversed(shown))


def ended(match: Match, event: Ended) -> Match:
    """The fold of the end; the clock stops."""
    clock = match.clock.stop(event.spent).start(None)
    return replace(match, result=event.result, clock=clock, offers=(), declined=())


def _runner(position: Position) -> int | None:
    return position.to_move if position.to_move >= 0 else None


def _start(clock: Clock, position: Position, paired: bool) -> Clock:
    """The clock of a new position; where dice wait for another match, it says so."""
    clock = clock.start(_runner(position))
    return clock.pause("pair") if paired and position.to_move == CHANCE else clock


# ---------------------------------------------------------------- judgement


def check_play(match: Match, seat: int, turn: int, text: str) -> str | None:
    """Judge an answer to a position; clocks are the room's to look at first.

    Returns:
        The action in its one canonical notation, or None for a repetition of what this seat already
        did, which is answered with the current state and changes nothing.

    Raises:
        Refusal: match/stale-turn, match/not-your-turn, match/bad-notation or match/illegal-action.
    """
    position = match.position
    if turn != match.turn:
        if answered_before(match, seat, turn, text):
            return None
        raise Refusal(
            Code.MATCH_STALE_TURN, f"turn {turn} is not the one to answer; that is {match.turn}"
        )
    if position.to_move != seat:
        raise Refusal(Code.MATCH_NOT_YOUR_TURN, "it is the other side's turn")
    if text in position.legal_notation():
        return text
    try:
        action = match.game.parse_action(position, text)
        position.apply(action)
    except NotationError as error:
        raise _no(Code.MATCH_BAD_NOTATION, str(error), position) from None
    except IllegalAction as error:
        why = f"{text[:40]!r} is not legal here" + (f": {error.why}" if error.why else "")
        raise _no(Code.MATCH_ILLEGAL_ACTION, why, position) from None
    return match.game.format_action(position, action)


def answered_before(match: Match, seat: int, turn: int, text: str) -> bool:
    """Whether `seat` has answered position `turn` with just this action, however it is spelt."""
    step = match.last
    while step is not None and step.turn > turn:
        step = step.before
    if step is None or step.turn != turn or (step.event.kind, step.event.seat) != ("play", seat):
        return False
    return text == step.event.action or _means(Position(match.game, step.state), text, step.event)


def _means(position: Position, text: str, event: Event) -> bool:
    try:
        action = position.game.parse_action(position, text)
    except (NotationError, IllegalAction):
        return False
    return action == position.game.parse_action(position, event.action or "")


def _no(code: Code, why: str, position: Position) -> Refusal:
    return Refusal(code, why, legal=position.legal_notation())


def read_action(position: Position, text: str) -> int:
    """The action that canonical notation means here: a look into the legal ones, which are at
    hand.
    """
    try:
        return position.legal_actions()[position.legal_notation().index(text)]
    except ValueError:
        return position.game.parse_action(position, text)


def check_note(note: str | None) -> str | None:
    """The note as it will be shown, None if nothing is left of it; Refusal if it is too long."""
    if note is None:
        return None
    note = clean(note)
    if len(note) * 4 > MAX_NOTE and len(note.encode()) > MAX_NOTE:
        raise Refusal(Code.MATCH_BAD_NOTE, f"a note has at most {MAX_NOTE} bytes")
    return note or None


def takeback_ply(match: Match, seat: int) -> int:
    """The ply of this seat's last decision; Refusal if it has made none."""
    step = match.last
    while step is not None:
        if step.event.kind == "play" and step.event.seat == seat and step.event.ply is not None:
            return step.event.ply
        step = step.before
    raise Refusal(
        Code.MATCH_NOT_ALLOWED, "you have not moved yet, so there is nothing to take back"
    )


def is_forced_pass(position: Position) -> bool:
    """Whether who is to move can do nothing but pass."""
    return len(position.legal_actions()) == 1 and position.legal_notation() == (PASS,)


def natural_end(match: Match) -> Result | None:
    """The result if the rules end the match here, or its bound of plies does."""
    outcome = match.position.outcome() if match.position.to_move == END else None
    if outcome is not None:
        return result(outcome.returns, "rules", outcome.reason)
    if match.ply >= match.game.max_plies:
        return result((0.0, 0.0), "void", f"{match.ply} plies")
    return None


def lost_by(match: Match, seat: int, how: str) -> Result:
    """The result when `seat` gives the match up: by resignation, flag, or absence."""
    return result(match.game.forfeit(match.position, seat), how, how)


def result(returns: tuple[float, float], how: str, reason: str) -> Result:
    """A result whose winner is who has the more points."""
    winner: Literal[0, 1] | None
    winner = 0 if returns[0] > returns[1] else 1 if returns[1] > returns[0] else None
    return Result(winner=winner, returns=returns, how=how, reason=reason)


# ---------------------------------------------------------------- what it looks like


def state(
    match: Match, room: int, seq: int, now: int, absent: tuple[bool, bool] = (False, False)
) -> MatchState:
    """The whole public truth, without `legal`."""
    position = match.position
    over = match.result is not None
    return MatchState(
        match=match.name,
        room=room,
        seq=seq,
        turn=match.turn,
        game=match.game.name,
        ply=match.ply,
        position=match.game.format_position(position),
        seats=_seats(match.players, absent),
        to_move=END if over else position.to_move,
        events=match.recent,
        clocks=_clocks(match.clock, now) if match.clock.timed else None,
        offers=match.offers,
        result=match.result,
        secret=_secret(match),
    )


def _secret(match: Match) -> str | None:
    """The dice's secret as everybody may see it: not before the last match of its deal is over."""
    if match.deal is None or match.result is None or match.paired:
        return None
    return match.deal.secret.hex()


def with_legal(state: MatchState, legal: tuple[str, ...]) -> MatchState:
    """The same message for the seat to move."""
    return replace(state, legal=legal)


def _seats(players: tuple[Who, Who], absent: tuple[bool, bool]) -> tuple[Player, Player]:
    return (players[0].player(absent[0]), players[1].player(absent[1]))


def _clocks(clock: Clock, now: int) -> Clocks:
    seat = clock.running
    return Clocks(
        remaining=(clock.left(0, now), clock.left(1, now)),
        increment_ms=clock.increment,
        per_move_ms=clock.per_move or None,
        running=seat,
        paused=clock.paused,  # type: ignore[arg-type]  # only reasons of the wire are ever given
        suggested_ms=None if seat is None else clock.suggested(seat),
    )
