"""One game with one clock: the fold of its actions, dice included.

Everything that changes a match is here.  `start`, `acted`, `struck`, `taken_back`, `offered`,
`answered` and `ended` fold events; `check_play` judges an action; `state` is the match
as the wire shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias

from msgspec import Raw, Struct
from msgspec.structs import replace

from games import registry
from games.clock import Clock
from games.dice import Deal
from games.game import (
    CHANCE,
    END,
    Game,
    IllegalAction,
    NotationError,
    Position,
    UnplayableTerms,
)
from protocol.errors import Code, Refusal
from protocol.history import MAX_EVENTS, NOT_BEGUN, TOO_MANY_EVENTS
from protocol.messages import MatchState, Play
from protocol.notation import format_match
from protocol.parts import Clocks, Event, Player, Result, Series
from protocol.records.terms import clock_of, first_position
from protocol.series import after as after_game
from server.core import events, offers
from server.core.events import NotReplayed, UnknownRules, Who
from server.core.names.text import clean
from server.core.offers import Offers
from server.core.past import plies
from server.core.past.plies import PastPly, ShownPly

SHOWN_EVENTS = 8  # how many actions a match message carries
MAX_NOTE = 512  # bytes
MAX_TAKEBACKS = 50  # in a match: people want one or two back, and each keeps a match from ending
PASS = "pass"  # what every game calls the action of doing nothing
UNBEGUN: Final = Result(winner=None, returns=(0.0, 0.0), how="void", reason=NOT_BEGUN)
How = Literal[
    "rules", "resign", "flag", "abandon", "agreement", "abort", "illegal", "crash", "disconnect",
    "void",
]  # fmt: skip


class Match(Struct, frozen=True):
    """A match as a value.

    `seated`: the players as the wire shows them while none is away; `turn`: seq of the event that
    made `position`; `moved`: decisions of each seat; `declined`:
    offers that were turned down or withdrawn in this position; `strikes`: how often each seat sent
    what is no legal action, counted only on a ladder; `paired`: another match has the same deal, so
    rolls wait for it, and the secret stays hidden while the room is open; `withheld`: it was called
    off, and its deal serves the room's next match as well, so the secret stays hidden until then;
    `newest`: the last plies, encoded as a message shows them; `series`: of which it is a game, as
    it stands before this one, and once it is over after it; `decided`: whether anybody has made a
    decision, be it taken back, so that dice after it were seen; `takebacks`: how many there were;
    `rows`: its events so far, from its start on.
    """

    number: int
    name: str
    game: Game
    players: tuple[Who, Who]
    seated: tuple[Player, Player]
    rated: bool
    deal: Deal | None
    position: Position
    ply: int
    turn: int
    clock: Clock
    moved: tuple[int, int] = (0, 0)
    last: PastPly | None = None
    newest: tuple[Raw, ...] = ()
    offers: Offers = ()
    declined: Offers = ()
    result: Result | None = None
    strikes: tuple[int, int] = (0, 0)
    paired: bool = False
    withheld: bool = False
    series: Series | None = None
    decided: bool = False
    takebacks: int = 0
    rows: int = 1

    @property
    def recent(self) -> tuple[Event, ...]:
        """The last plies, as the wire shows them."""
        return tuple([plies.read(event) for event in self.newest])


def start(
    room: int,
    number: int,
    seq: int,
    event: events.Started,
    secret: bytes | None,
    paired: bool = False,
    is_ladder: bool = False,
) -> Match:
    """Return the first position of a match."""
    game = rules_of(event)
    try:
        position = first_position(game, event.options, event.series)
    except UnplayableTerms as error:
        raise NotReplayed(str(error)) from None
    deal = None
    if event.deal is not None:
        if secret is None:
            raise NotReplayed("dice without a secret")
        deal = Deal(event.deal, secret, event.salts)
    clock = clock_of(event.options.clock).forgiving(is_ladder).start(position.seat)
    return Match(
        number=number,
        name=format_match(room, number),
        game=game,
        players=event.players,
        seated=seated(event.players),
        rated=event.options.rated,
        deal=deal,
        position=position,
        ply=0,
        turn=seq,
        clock=_waiting(clock, position) if paired else clock,
        paired=paired,
        series=event.series,
    )


def seated(players: tuple[Who, Who]) -> tuple[Player, Player]:
    """Return the players as the wire shows them while none is away."""
    one, two = players
    return one.player(), two.player()


def rules_of(start: events.Started) -> Game:
    """Return the rules that a match began by, be they those of today or earlier ones.

    Raises:
        UnknownRules: they are not here any more, so it cannot go on.
        UnknownGame: the game is not here.
    """
    try:
        return registry.game(start.game, start.rules_version)
    except registry.UnknownVersion as error:
        raise UnknownRules(str(error)) from None


Action: TypeAlias = events.Played | events.Passed | events.DiceRolled | events.Opened


def acted(match: Match, seq: int, event: Action) -> Match:
    """Return the fold of an action: a decision, or what no player decided."""
    old, clock, ply, moved = match.position, match.clock, match.ply, match.moved
    decided = type(event) is events.Played
    if type(event) is events.Played:
        note, (one, two) = None if match.rated else event.note, moved
        moved = (one + 1, two) if event.seat == 0 else (one, two + 1)
        action = ShownPly(
            seq, "play", event.ply, event.seat, event.action, event.spent, event.lag, note
        )
    else:
        action = ShownPly(seq, event.kind, **event.public_fields())
    if action.ply != ply or action.seat != old.to_move:
        raise NotReplayed(f"ply {action.ply} by seat {action.seat} is not the next")
    position = old.after(action.action)
    try:
        start = plies.write((old.state, clock.remaining, clock.lag_left))
    except (OverflowError, TypeError, ValueError) as error:
        raise plies.broken(match.game, error) from error
    seat = position.to_move if position.to_move >= 0 else None
    if type(event) is events.Played:
        clock = clock.hand_over(event.spent, event.lag, seat)
    else:
        clock = clock.start(seat)
    written = Raw(plies.write(action))
    return replace(
        match,
        position=position,
        ply=ply + 1,
        turn=seq,
        clock=_waiting(clock, position) if match.paired else clock,
        moved=moved,
        last=PastPly(match.turn, written, start, match.last),
        newest=(*match.newest[1 - SHOWN_EVENTS :], written),
        offers=(),
        declined=(),
        decided=match.decided or decided,
        rows=match.rows + 1,
    )


def struck(match: Match, seq: int, event: events.Struck) -> Match:
    """Return the fold of an action that was none; the position stands, and its clock runs on."""
    one, two = match.strikes
    strikes = (one + 1, two) if event.seat == 0 else (one, two + 1)
    return replace(match, strikes=strikes, rows=match.rows + 1)


def taken_back(match: Match, seq: int, event: events.TakenBack) -> Match:
    """Return the fold of a takeback to `event.ply`; rolls stay bound to their plies."""
    past, moved = match.last, list(match.moved)
    while past is not None:
        action = past.shown()
        if action.kind == "play":
            moved[action.seat or 0] -= 1
        if action.ply == event.ply:
            break
        past = past.before
    if past is None:
        raise NotReplayed(f"there is no ply {event.ply} to go back to")
    stood = past.stood()
    position, left = Position(match.game, stood.state), (moved[0], moved[1])
    return replace(
        match,
        position=position,
        ply=event.ply,
        turn=seq,
        clock=match.clock.back_to(stood.remaining, stood.lag_left, left, position.seat),
        moved=left,
        last=past.before,
        newest=plies.newest(past.before, SHOWN_EVENTS),
        offers=(),
        declined=(),
        takebacks=match.takebacks + 1,
        rows=match.rows + 1,
    )


def offered(match: Match, seq: int, event: events.Offered) -> Match:
    """Return the fold of an offer."""
    offer = offers.make(match.offers, event.offer, event.seat, event.points)
    return replace(match, offers=offer, rows=match.rows + 1)


def answered(match: Match, seq: int, event: events.Answered) -> Match:
    """Return the fold of an answer; an offer that was not accepted cannot be made again here."""
    declined = () if event.accept else tuple(o for o in match.offers if o.kind == event.offer)
    return replace(match, offers=offers.drop(match.offers, event.offer),
                   declined=match.declined + declined, rows=match.rows + 1)  # fmt: skip


# What happens in a match that is on, and changes nothing else of its room.
FOLDS: Final[dict[type[events.Event], Callable[[Match, int, Any], Match]]] = {
    events.Played: acted,
    events.Passed: acted,
    events.DiceRolled: acted,
    events.Opened: acted,
    events.Struck: struck,
    events.TakenBack: taken_back,
    events.Offered: offered,
    events.Answered: answered,
}


def ended(match: Match, event: events.Ended) -> Match:
    """Return the fold of the end; the clock stops."""
    clock = match.clock.stop(event.spent).start(None)
    series = match.series
    if series is not None:
        series = after_game(series, event.result)
    return replace(match, result=event.result, clock=clock, offers=(), declined=(), series=series)


def dealt(match: Match | None, event: events.Dealt) -> Match | None:
    """Return the fold of a deal for the next match; it may be that of the last one once more."""
    if match is None or match.deal is None or match.deal.name != event.deal:
        return match
    return replace(match, withheld=True)


def called_off(match: Match | None) -> bool:
    """Return whether this match ended without counting because somebody called it off, or a player
    did not begin.
    """
    result = match.result if match is not None else None
    return result is not None and (result.how == "abort" or result == UNBEGUN)


def lapses(match: Match) -> bool:
    """Return whether the match is void if the next action does not come in the time to begin.

    Not where a player would be rid of something that way: of dice that were seen in a rated match,
    of a series that is being lost.  There the clock runs after that time.
    """
    if 0 not in match.moved or not match.clock.free or match.result is not None:
        return False
    begun = match.series is not None and match.series.game > 1
    return not begun and not (match.rated and match.game.has_chance and match.decided)


def is_hardly_begun(match: Match) -> bool:
    """Return whether not both sides have moved twice: who leaves it then hardly comes back."""
    return min(match.moved) < 2


def check_abort(match: Match) -> None:
    """Refuse to call a match off once both sides have moved.

    With dice a rated one is not called off after the first decision: who sees the next roll before
    it is due would know it in the match that is played instead, or be rid of it.

    Raises:
        Refusal: match/too-late-to-abort.
    """
    if match.moved[0] and match.moved[1]:
        text = "both sides have moved: resign, or offer a draw"
    elif match.rated and match.game.has_chance and match.decided:
        text = "somebody has moved, and the dice after it were seen: resign"
    else:
        return
    raise Refusal(Code.MATCH_TOO_LATE_TO_ABORT, text)


def _waiting(clock: Clock, position: Position) -> Clock:
    """Return the clock of a match whose dice wait for another one: where they do, it says so."""
    return clock.pause("pair") if position.to_move == CHANCE else clock


def check_play(match: Match, seat: int, play: Play) -> tuple[str | None, str | None]:
    """Judge an answer to a position.  The room has looked at the clocks before.

    Returns:
        The action in its one canonical notation, None if this seat has given this answer before,
        which changes nothing; and the note.

    Raises:
        Refusal: match/bad-note, match/stale-turn, match/not-your-turn, match/bad-notation or
            match/illegal-action.
    """
    note = check_note(play.note) if play.note is not None else None
    position, turn, text = match.position, play.turn, play.action
    if turn != match.turn:
        if plies.answered_before(match.last, match.game, seat, turn, text):
            return None, note
        raise Refusal(
            Code.MATCH_STALE_TURN, f"turn {turn} is not the one to answer; that is {match.turn}"
        )
    if position.to_move != seat:
        raise Refusal(Code.MATCH_NOT_YOUR_TURN, "it is the other side's turn")
    if text in position.legal_notation():
        return text, note
    try:
        action = position.read(text)
        position.apply(action)
    except NotationError as error:
        raise _no(Code.MATCH_BAD_NOTATION, str(error), position) from None
    except IllegalAction as error:
        why = f"{text[:40]!r} is not legal here" + (f": {error.why}" if error.why else "")
        raise _no(Code.MATCH_ILLEGAL_ACTION, why, position) from None
    return match.game.format_action(position, action), note


def _no(code: Code, why: str, position: Position) -> Refusal:
    return Refusal(code, why, legal=position.legal_notation())


def check_note(note: str | None) -> str | None:
    """The note as it will be shown, None if nothing is left of it; Refusal if it is too long."""
    if note is None:
        return None
    note = note.strip() if note.isascii() and note.isprintable() else clean(note)
    if len(note) * 4 > MAX_NOTE and len(note.encode()) > MAX_NOTE:
        raise Refusal(Code.MATCH_BAD_NOTE, f"a note has at most {MAX_NOTE} bytes")
    return note or None


def check_takeback(match: Match, seat: int) -> None:
    """Refuse to take back a decision of this seat in a rated match, or where it has made none, or
    where too many were taken back.
    """
    if match.rated:
        raise Refusal(Code.MATCH_NOT_ALLOWED, "in a rated match nothing is taken back")
    if match.takebacks >= MAX_TAKEBACKS:
        raise Refusal(Code.MATCH_NOT_ALLOWED, f"{MAX_TAKEBACKS} takebacks are the most in a match")
    takeback_ply(match, seat)


def takeback_ply(match: Match, seat: int) -> int:
    """Return the ply of this seat's last decision; Refusal if it has made none."""
    ply = plies.last_decision(match.last, seat)
    if ply is not None:
        return ply
    raise Refusal(
        Code.MATCH_NOT_ALLOWED, "you have not moved yet, so there is nothing to take back"
    )


def natural_end(match: Match) -> Result | None:
    """Return the result if the rules end the match here, or its bound of plies does."""
    outcome = match.position.outcome() if match.position.to_move == END else None
    if outcome is not None:
        return result(outcome.returns, "rules", outcome.reason)
    if match.ply >= match.game.max_plies:
        return result((0.0, 0.0), "void", f"{match.ply} plies")
    if match.rows >= MAX_EVENTS:
        return result((0.0, 0.0), "void", TOO_MANY_EVENTS)
    return None


def lost_by(match: Match, seat: int, how: How) -> Result:
    """Return the result when `seat` gives the match up: by resignation, flag, or absence."""
    return result(match.game.forfeit(match.position, seat), how, how)


def resigned(seat: int, points: int) -> Result:
    """Return the result when `seat` resigns for so many points, to which the other side agrees."""
    lost = float(points)
    return result((-lost, lost) if seat == 0 else (lost, -lost), "resign", "resign")


def result(returns: tuple[float, float], how: How, reason: str) -> Result:
    """Return a result; the side with more points wins."""
    winner: Literal[0, 1] | None
    winner = 0 if returns[0] > returns[1] else 1 if returns[1] > returns[0] else None
    return Result(winner=winner, returns=returns, how=how, reason=reason)


def seats(
    match: Match,
    absent: tuple[bool, bool] = (False, False),
    claims: tuple[int | None, int | None] = (None, None),
) -> tuple[Player, Player]:
    """Return the players as the state of a match shows them.

    `claims`: of each seat, in how many ms the other one may claim the match; None: it may not.
    """
    one, two = match.players
    return one.player(absent[0], claims[0]), two.player(absent[1], claims[1])


def state(
    match: Match,
    room: int,
    seq: int,
    now: int,
    players: tuple[Player, Player],
    actions: tuple[Event, ...],
) -> MatchState:
    """Return the match as everybody may see it, without what is for its players alone.

    `players` and `actions` are `seats` and `recent`.
    """
    position, result = match.position, match.result
    return MatchState(
        match.name,
        room,
        seq,
        match.turn,
        match.game.name,
        match.ply,
        match.game.format_position(position),
        players,
        position.to_move if result is None else END,
        actions,
        clocks=_clocks(match, now) if match.clock.timed else None,
        offers=match.offers,
        result=result,
        secret=None if result is None else _secret(match),
        rules_version=match.game.rules_version,
        series=match.series,
    )


def _secret(match: Match) -> str | None:
    """The dice's secret as everybody may see it: not before the last match of its deal is over."""
    if match.deal is None or match.result is None or match.paired or match.withheld:
        return None
    return match.deal.secret.hex()


def _clocks(match: Match, now: int) -> Clocks:
    clock = match.clock
    seat, remaining, since = clock.running, clock.remaining, clock.since
    if clock.used or (since is not None and since < now):  # hardly ever when it is first shown
        if seat == 0:
            remaining = (clock.left(0, now), remaining[1])
        elif seat == 1:
            remaining = (remaining[0], clock.left(1, now))
    shown = Clocks(
        remaining=remaining,
        increment_ms=clock.increment,
        per_move_ms=clock.per_move or None,
        running=seat,
        paused=clock.paused,
        suggested_ms=None if seat is None else clock.suggested(seat),
    )
    if 0 not in match.moved:
        return shown
    running = None if lapses(match) else seat
    return replace(shown, running=running, begin_ms=clock.to_begin(now) or None)
