"""What happens while a match is on: actions, dice, forced passes, flags, offers, and its ends."""

from __future__ import annotations

from msgspec.structs import replace

from games.clock import LAG_PER_MOVE
from games.game import CHANCE
from protocol.errors import Code, Refusal
from protocol.messages import Abort, Answer, Claim, Hint, Offer, Play, Resign, Result
from server.core import match as matches
from server.core import offers
from server.core.effects import SHOW_MATCH, SHOW_ROOM, Ask, Remind, Reply, refusal
from server.core.events import (
    Answered,
    Closed,
    Dealt,
    Ended,
    Offered,
    Passed,
    Played,
    Rolled,
    Struck,
    TakenBack,
)
from server.core.match import Match
from server.core.orders import Alarm, Close, Release, Restarted, Stalled, Unstalled
from server.core.room import Room, Work

CLAIM_MS = (
    120_000  # how long an opponent must be absent before a match without clock can be claimed
)
RESUME_MS = 30_000  # how long a restart waits for the player to move before its clock goes on
IDLE_MS = (
    30 * 60_000
)  # a room whose players are all away, or that nobody sits in, is closed after this
ABANDONED_MS = 24 * 3_600_000  # a match without clock that both have left is void after this
# Who is away for so long loses a ladder's match: long enough for a program that is started anew or
# a line that is cut, and short enough that an opponent's slot is not held by a clock of hours.
AWAY_MS = 60_000
MAX_STRIKES = 3  # actions that are none, of one seat in a ladder's match: the last one loses it
MAX_STRUCK = 40  # characters that are kept of such an action
STRIKES = frozenset({Code.MATCH_ILLEGAL_ACTION, Code.MATCH_BAD_NOTATION})


def play(work: Work, request: Play) -> None:
    """An action; see match.check_play for what is refused."""
    match = _match(work, request.match)
    seat = work.seat()
    if match.result is not None:
        _repeated_or_over(work, match, seat, request)
        return
    note = matches.check_note(request.note)
    try:
        action = matches.check_play(match, seat, request.turn, request.action)
    except Refusal as no:
        if work.room.leg is None or no.code not in STRIKES:
            raise
        _strike(work, seat, request.action, no)
        return
    if action is None:
        work.then(Remind())
        return
    spent = match.clock.spent(seat, work.now)
    lag = min(spent, match.clock.credit(seat, work.asker.lag)) if match.clock.timed else 0
    work.record(Played(work.now, match.ply, seat, action, spent, lag, note))
    work.then(SHOW_MATCH)
    settle(work)


def _strike(work: Work, seat: int, text: str, no: Refusal) -> None:
    """Refuse what is no action as ever, and write it down; the third one loses.

    It is kept in printable ASCII, which no control character or look-alike passes through.
    """
    kept = ascii(text)[1:-1][:MAX_STRUCK]
    work.record(Struck(work.now, work.match().ply, seat, kept))
    work.then(Reply(refusal(no)))
    if work.match().strikes[seat] >= MAX_STRIKES:
        finish(work, matches.lost_by(work.match(), seat, "illegal"))


def _repeated_or_over(work: Work, match: Match, seat: int, request: Play) -> None:
    """The last action of a match may come twice, too."""
    if not matches.answered_before(match, seat, request.turn, request.action):
        raise Refusal(Code.MATCH_OVER, "this match is over")
    work.then(Remind())


def settle(work: Work) -> None:
    """Do what follows by itself: rolls, forced passes, the end by rules."""
    while (match := work.match()).result is None:
        result = matches.natural_end(match)
        if result is not None:
            finish(work, result)
        elif match.position.to_move == CHANCE:
            if match.paired:
                return
            _roll(work)
        elif matches.is_forced_pass(match.position):
            work.record(Passed(work.now, match.ply, match.position.to_move, matches.PASS))
        else:
            return


def _roll(work: Work) -> None:
    match = work.match()
    assert match.deal is not None, "a game with dice has a deal from its room's first event on"
    action = match.deal.roll(match.ply, match.position.chance())
    work.record(Rolled(work.now, match.ply, match.game.format_action(match.position, action)))


def waiting_ply(room: Room) -> int | None:
    """The ply whose roll waits for the other match of a pair, or None."""
    match = room.playing()
    waits = match is not None and match.paired and match.position.to_move == CHANCE
    return match.ply if match is not None and waits else None


def release(work: Work, order: Release) -> None:
    """Roll the dice that wait; of a ply that does not wait nothing comes, however often."""
    if order.ply != waiting_ply(work.room):
        return
    _roll(work)
    work.then(SHOW_MATCH)
    settle(work)
    match, resume_at = work.room.playing(), work.room.resume_at
    if match is None or match.clock.running is None or resume_at is None:
        return
    if work.room.away[match.clock.running] is not None and work.now < resume_at:
        pause(work, match, "server")  # a restart is charged to nobody, whatever it interrupted


def close(work: Work, order: Close) -> None:
    """The ladder needs this room no more; now the secret of its dice may be seen."""
    match = work.match()
    if work.room.state == "playing":
        finish(work, matches.result((0.0, 0.0), "void", "called off"))
    work.record(Closed(work.now, order.why))
    if match.paired:
        work.then(SHOW_MATCH)
    work.then(SHOW_ROOM)


def finish(work: Work, result: Result) -> None:
    """End the match, and deal for the next one where there are dice."""
    clock = work.match().clock
    spent = clock.spent(clock.running, work.now) if clock.running is not None else 0
    work.record(Ended(work.now, result, spent))
    if work.match().game.has_chance and work.room.leg is None:
        deal = f"{work.room.number}.{work.room.played + 1}"
        work.record(Dealt(work.now, deal, work.fresh.secret))
    work.then(SHOW_MATCH, SHOW_ROOM)


def resign(work: Work, request: Resign) -> None:
    """Give up, or because one's program has failed."""
    how = "crash" if request.crashed else "resign"
    finish(work, matches.lost_by(_match(work, request.match), work.seat(), how))


def abort(work: Work, request: Abort) -> None:
    """End without a result while one side has not moved yet."""
    match = _match(work, request.match)
    work.seat()
    if match.moved[0] and match.moved[1]:
        raise Refusal(
            Code.MATCH_TOO_LATE_TO_ABORT, "both sides have moved: resign, or offer a draw"
        )
    finish(work, matches.result((0.0, 0.0), "abort", "abort"))


def claim(work: Work, request: Claim) -> None:
    """Win against an opponent who has been away for two minutes."""
    match = _match(work, request.match)
    other = 1 - work.seat()
    if match.clock.timed:
        raise Refusal(Code.MATCH_NOT_ALLOWED, "this match has a clock, and that will decide")
    away = work.room.away[other]
    if away is None or work.now - away < CLAIM_MS:
        wait = CLAIM_MS - (work.now - away) if away is not None else None
        hint = f"; wait {wait // 1000 + 1} s more" if wait is not None else ""
        raise Refusal(Code.MATCH_NOT_ABSENT, f"your opponent has not been away for long{hint}")
    finish(work, matches.lost_by(match, other, "abandon"))


def offer(work: Work, request: Offer) -> None:
    """Offer a draw, or ask to take back one's last decision."""
    match = _match(work, request.match)
    seat = work.seat()
    offers.check_new(match.offers, match.declined, request.kind, seat)
    if request.kind == "takeback":
        if match.rated:
            raise Refusal(Code.MATCH_NOT_ALLOWED, "in a rated match nothing is taken back")
        matches.takeback_ply(match, seat)
    work.record(Offered(work.now, seat, request.kind))
    work.then(SHOW_MATCH)


def answer(work: Work, request: Answer) -> None:
    """Accept or decline, or withdraw what one has offered."""
    match = _match(work, request.match)
    seat = work.seat()
    offers.check_answer(match.offers, request.kind, seat, request.accept)
    work.record(Answered(work.now, seat, request.kind, request.accept))
    if request.accept and request.kind == "draw":
        finish(work, matches.result((0.0, 0.0), "agreement", "draw"))
        return
    if request.accept:
        work.record(TakenBack(work.now, 1 - seat, matches.takeback_ply(match, 1 - seat)))
    work.then(SHOW_MATCH)


def hint(work: Work, request: Hint) -> None:
    """Have a bot asked what it would play here."""
    match = _match(work, request.match)
    if match.rated:
        raise Refusal(Code.MATCH_NOT_ALLOWED, "in a rated match nobody is helped")
    if match.position.to_move != work.seat():
        raise Refusal(Code.MATCH_NOT_YOUR_TURN, "it is the other side's turn")
    position = match.position
    work.then(
        Ask(match.name, match.turn, match.game.name, match.game.format_position(position),
            position.legal_notation())
    )  # fmt: skip


def _match(work: Work, name: str) -> Match:
    match = work.match()
    if name != match.name:
        raise Refusal(
            Code.MATCH_OVER, f"match {name[:20]!r} is not on here; {match.name} is the last"
        )
    return match


# ---------------------------------------------------------------- time


def flag(work: Work) -> bool:
    """End the match if a flag has fallen by now; before anything else is looked at."""
    match = work.room.playing()
    if match is None or not match.clock.fallen(work.now, 0):
        return False  # nearly always, and asked at every message
    seat = match.clock.running
    own = seat is not None and seat == work.room.seat_of(work.asker.who)
    if seat is None or not match.clock.fallen(work.now, work.asker.lag if own else LAG_PER_MOVE):
        return False
    finish(work, _lost_or_void(work.room, match, seat, "flag"))
    return True


def _lost_or_void(room: Room, match: Match, seat: int, how: str) -> Result:
    """The result if `seat` has run out of time; on a ladder nobody wins who is away as well."""
    if room.leg is not None and None not in room.away:
        return matches.result((0.0, 0.0), "void", "both away")
    return matches.lost_by(match, seat, how)


def shown(room: Room, turn: int, now: int) -> Room:
    """Position `turn` was handed to the network at `now`: its clock runs."""
    match = room.match
    if match is None or match.turn != turn or match.clock.since is not None:
        return room
    return replace(room, match=replace(match, clock=match.clock.shown(now)))


def wake_at(room: Room) -> int | None:
    """When the room wants to be told the time, or None."""
    match = room.playing()
    if match is not None:
        if room.leg is not None:
            return _leg_wakes_at(room, match)
        if match.clock.paused == "server":
            return room.resume_at
        if match.clock.timed:
            deadline = match.clock.deadline(LAG_PER_MOVE)
            return None if deadline is None else deadline + 1
        one, two = room.away
        return None if one is None or two is None else max(one, two) + ABANDONED_MS
    if room.state in ("over", "closed"):
        return None
    return _idle_since(room, IDLE_MS)


def _leg_wakes_at(room: Room, match: Match) -> int | None:
    """When a flag falls, a pause ends, or somebody has been away for too long."""
    times = [away + AWAY_MS for away in room.away if away is not None]
    deadline = match.clock.deadline(LAG_PER_MOVE)
    if deadline is not None:
        times.append(deadline + 1)
    if match.clock.paused == "server" and room.resume_at is not None:
        times.append(room.resume_at)
    return min(times, default=None)


def _idle_since(room: Room, patience: int) -> int | None:
    since = room.touched
    for who, away in zip(room.seats, room.away, strict=True):
        if who is not None and away is None:
            return None
        since = max(since, away or 0)
    return since + patience


def alarm(work: Work, order: Alarm) -> None:
    """Do what was due; flags have been looked at before."""
    due = wake_at(work.room)
    if due is None or work.now < due:
        return
    match = work.room.playing()
    if match is None:
        work.record(Closed(work.now, "nobody was here"))
        work.then(SHOW_ROOM)
    elif (seat := _deserter(work.room, work.now)) is not None:
        finish(work, _lost_or_void(work.room, match, seat, "disconnect"))
    elif match.clock.paused == "server":
        go_on(work)
    else:  # without a clock, or its flag would have fallen before this was looked at
        finish(work, matches.result((0.0, 0.0), "void", "both players left"))


def _deserter(room: Room, now: int) -> int | None:
    """The seat, in a ladder's room, that has been away for too long; None if none has."""
    for seat, away in enumerate(room.away):
        if room.leg is not None and away is not None and now - away >= AWAY_MS:
            return seat
    return None


def pause(work: Work, match: Match, why: str, now: int | None = None) -> None:
    """Stop the clock; see Clock.pause."""
    paused = replace(match, clock=match.clock.pause(why, now))
    work.room = replace(work.room, match=paused)


def go_on(work: Work) -> None:
    """End a pause: time passes again once the position has been shown."""
    match = work.match()
    work.room = replace(work.room, match=replace(match, clock=match.clock.resume()), resume_at=None)
    work.then(SHOW_MATCH)


def restarted(work: Work, order: Restarted) -> None:
    """Nobody is connected; a running clock waits for its player."""
    one, two = work.room.seats
    away = (work.now if one else None, work.now if two else None)
    work.room = replace(work.room, away=away, touched=work.now)
    match = work.room.playing()
    if match is not None:
        work.room = replace(work.room, resume_at=work.now + RESUME_MS)
    if match is not None and match.clock.paused != "pair":  # which lasts until its Release
        pause(work, match, "server")


def stalled(work: Work, order: Stalled) -> None:
    """The log fails: stop the clock where it stands and say so.

    No flag falls before this (see life.handle): that could not be stored either.
    """
    match = work.room.playing()
    if match is not None and match.clock.paused is None:
        pause(work, match, "store", work.now)
        work.then(SHOW_MATCH)


def unstalled(work: Work, order: Unstalled) -> None:
    """The log works again."""
    match = work.room.playing()
    if match is not None and match.clock.paused == "store":
        go_on(work)
