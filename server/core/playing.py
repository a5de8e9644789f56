"""What happens while a match is on: actions, dice, forced passes, flags, offers, and its ends."""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from games.clock import LAG_PER_MOVE, PauseReason
from games.game import CHANCE
from protocol import messages as wire
from protocol.errors import Code, Refusal
from protocol.hints import Hint
from protocol.notation import format_match
from protocol.parts import Offer_, Result
from server.core import absence, events, offers
from server.core import match as matches
from server.core.effects import (
    SHOW_MATCH,
    SHOW_ROOM,
    Ask,
    Broadcast,
    LogError,
    Reply,
    Resend,
    refusal,
)
from server.core.match import How, Match
from server.core.orders import Alarm, Close, Release, Restarted, Stalled, Stepped, Unstalled
from server.core.past import plies
from server.core.room import NOBODY_AWAY, Room, Work, claims, later, next_game_at, resignations

RESUME_MS = 30_000  # how long a restart waits for the player to move before its clock goes on
IDLE_MS = 30 * 60_000  # a room without players, or with all of them away, is closed after this
# A player who is not ready and away for so long gives up the seat, and a room never played in is
# closed when no one has been there for so long: long enough for a page to load again, for a phone
# to wake up and for a server to restart, and too short to keep places that are not used.
VACANT_MS = 60_000
# The same for the seats of two who have just played: there is a result to see, and a rematch.
REMATCH_MS = 10 * 60_000
# A player who is away for so long loses a ladder's match: long enough to restart a program or to
# reconnect, and short enough that a clock of hours does not hold an opponent's slot.
AWAY_MS = 60_000
MAX_STRIKES = 3  # illegal actions of one seat in a ladder's match: the last one loses it
MAX_STRUCK = 40  # characters of such an action that are recorded
RULES_FAILED = "the rules failed"  # why a match is void
FORCED = (matches.PASS,)  # the legal actions of who can only pass
STRIKES = frozenset({Code.MATCH_ILLEGAL_ACTION, Code.MATCH_BAD_NOTATION})


def play(work: Work, request: wire.Play) -> None:
    """Play an action; match.check_play says what is refused."""
    match = work.room.match
    if match is None or match.name != request.match:
        match = _match(work, request.match)
    clock, to_move, who = match.clock, match.position.to_move, work.asker.who
    # Nearly always it is the same value who plays that sits there.
    seat = to_move if to_move >= 0 and work.room.seats[to_move] is who else work.seat()
    if match.result is not None:
        _repeated_or_over(work, match, seat, request)
        return
    try:
        action, note = matches.check_play(match, seat, request)
    except Refusal as no:
        if work.room.leg is None or no.code not in STRIKES:
            raise
        _strike(work, seat, request.action, no)
        return
    if action is None:
        work.then(Resend())
        return
    spent = clock.spent(seat, work.now)
    lag = work.asker.lag if clock.timed else 0
    lag = lag and max(0, min(spent - clock.free, clock.credit(seat, lag)))
    work.record(events.Played(work.now, match.ply, seat, action, spent, lag, note))
    work.effects.append(SHOW_MATCH)
    settle(work)


def _strike(work: Work, seat: int, text: str, no: Refusal) -> None:
    """Refuse what is no action, and record it; the third strike loses.

    It is recorded in printable ASCII, so without control characters and look-alikes.
    """
    tried = ascii(text)[1:-1][:MAX_STRUCK]
    work.record(events.Struck(work.now, work.match().ply, seat, tried))
    work.then(Reply(refusal(no)))
    if work.match().strikes[seat] >= MAX_STRIKES:
        finish(work, matches.lost_by(work.match(), seat, "illegal"))


def _repeated_or_over(work: Work, match: Match, seat: int, request: wire.Play) -> None:
    """Accept the last action of a match again; refuse every other."""
    if not plies.answered_before(match.last, match.game, seat, request.turn, request.action):
        raise Refusal(Code.MATCH_OVER, "this match is over")
    work.then(Resend())


def settle(work: Work) -> None:
    """Do what follows without a decision: rolls, forced passes, the end by the rules."""
    while work.room.state == "playing" and (match := work.room.match) is not None:
        to_move, result = match.position.to_move, matches.natural_end(match)
        if result is not None:
            finish(work, result)
        elif to_move == CHANCE:
            if match.paired:
                return
            _roll(work)
        elif match.position.legal_notation() == FORCED:
            work.record(events.Passed(work.now, match.ply, to_move, matches.PASS))
        else:
            return


def _roll(work: Work) -> None:
    match = work.match()
    assert match.deal is not None, "a game with dice has a deal from its room's first event on"
    action = match.deal.roll(match.ply, match.position.chance())
    work.record(
        events.DiceRolled(work.now, match.ply, match.game.format_action(match.position, action))
    )


def waiting_ply(room: Room) -> int | None:
    """Return the ply whose roll waits for the other match of a pair, or None."""
    match = room.playing()
    waits = match is not None and match.paired and match.position.to_move == CHANCE
    return match.ply if match is not None and waits else None


def release(work: Work, order: Release) -> None:
    """Roll the dice that wait; nothing happens if this ply does not wait (any more)."""
    if order.ply != waiting_ply(work.room):
        return
    _roll(work)
    work.then(SHOW_MATCH)
    settle(work)
    match, resume_at = work.room.playing(), work.room.resume_at
    if match is None or match.clock.running is None or resume_at is None:
        return
    if work.room.away[match.clock.running] is not None and work.now < resume_at:
        pause(work, match, "server")  # a restart is charged to no player, whatever it interrupted


def close(work: Work, order: Close) -> None:
    """Close a room that its ladder no longer needs; now the secret of its dice may be seen."""
    match = work.match()
    if work.room.state == "playing":
        finish(work, matches.result((0.0, 0.0), "void", "called off"))
    work.record(events.Closed(work.now, order.why))
    if match.paired:
        work.then(SHOW_MATCH)
    work.then(SHOW_ROOM)


def finish(work: Work, result: Result) -> None:
    """End the match, and deal for the next one where there are dice.

    A match that was called off before anybody decided is played anew with the dice that were seen:
    no player rolls until the opening suits.  After a decision, whose reply was seen as well, they
    are dealt anew: no player decides again and knows it.
    """
    unheard = [Broadcast(line, seated=True) for line in work.room.unheard]
    work.record(events.Ended(work.now, result, work.match().clock.thought(work.now)))
    match = work.match()
    if match.game.has_chance and work.room.leg is None:
        deal, secret = format_match(work.room.number, work.room.played + 1), work.fresh.secret
        if match.deal is not None and matches.called_off(match) and not match.decided:
            deal, secret = match.deal.name, match.deal.secret
        work.record(events.Dealt(work.now, deal, secret))
    work.then(SHOW_MATCH, SHOW_ROOM, *unheard)


def give_up(work: Work, why: str) -> None:
    """End a match void whose rules, a file of the host's own, have failed at a message.

    The position is the last one that they could judge.
    """
    match = work.match()
    finish(work, matches.result((0.0, 0.0), "void", RULES_FAILED))
    work.then(LogError(f"{match.name} is void: {why}"))
    text = f"the rules of {match.game.title} failed, so this match is void"
    work.then(Reply(refusal(Refusal(Code.MATCH_OVER, text))))


def resign(work: Work, request: wire.Resign) -> None:
    """Give up, by choice or because the player's program has failed.

    For fewer points than the full price it is only an offer.
    """
    match, seat, points = _match(work, request.match), work.seat(), request.points
    prices = resignations(work.room)[seat]
    if request.crashed or points is None or points == prices[-1]:
        how: How = "crash" if request.crashed else "resign"
        finish(work, matches.lost_by(match, seat, how))
        return
    if points not in prices:
        allowed = " or ".join(map(str, prices))
        raise Refusal(Code.MATCH_NOT_ALLOWED, f"to resign costs {allowed} here, not {points}")
    offers.check_new(match.offers, match.declined, "resign", seat, points)
    work.record(events.Offered(work.now, seat, "resign", points))
    work.then(SHOW_MATCH)


def abort(work: Work, request: wire.Abort) -> None:
    """End without a result; match.check_abort says until when."""
    match = _match(work, request.match)
    work.seat()
    matches.check_abort(match)
    finish(work, matches.result((0.0, 0.0), "abort", "abort"))


def claim(work: Work, request: wire.Claim) -> None:
    """Win against an opponent who has been away for long: see room.claims."""
    match = _match(work, request.match)
    other = 1 - work.seat()
    if match.clock.timed:
        raise Refusal(Code.MATCH_NOT_ALLOWED, "this match has a clock, and that will decide")
    wait = claims(work.room, work.now)[other]
    if wait != 0:
        advice = f"; wait {_in_words(wait)} more" if wait is not None else ""
        raise Refusal(Code.MATCH_NOT_ABSENT, f"your opponent has not been away for long{advice}")
    finish(work, matches.lost_by(match, other, "abandon"))


def _in_words(ms: int) -> str:
    """Return a time as a person is told it, in seconds or, where it is long, in hours."""
    return f"{ms // 1000 + 1} s" if ms < 3_600_000 else f"{ms // 3_600_000 + 1} hours"


def offer(work: Work, request: wire.Offer) -> None:
    """Offer a draw, or ask for one's last decision back."""
    match = _match(work, request.match)
    seat = work.seat()
    kind = request.kind
    if kind == "draw" and not match.game.draws:
        raise Refusal(Code.MATCH_NOT_ALLOWED, f"no match of {match.game.title.lower()} is drawn")
    offers.check_new(match.offers, match.declined, kind, seat)
    match kind:
        case "draw":
            pass
        case "takeback":
            matches.check_takeback(match, seat)
        case _:
            assert_never(kind)
    work.record(events.Offered(work.now, seat, kind))
    work.then(SHOW_MATCH)


def answer(work: Work, request: wire.Answer) -> None:
    """Accept or decline an offer, or withdraw one's own."""
    match = _match(work, request.match)
    seat = work.seat()
    accepted = offers.check_answer(match.offers, request.kind, seat, request.accept)
    work.record(events.Answered(work.now, seat, request.kind, request.accept))
    if request.accept:
        _carry_out(work, accepted)
    work.then(SHOW_MATCH)


def _carry_out(work: Work, offer: Offer_) -> None:
    """Do what has been offered."""
    match offer.kind:
        case "draw":
            finish(work, matches.result((0.0, 0.0), "agreement", "draw"))
        case "takeback":
            ply = matches.takeback_ply(work.match(), offer.seat)
            work.record(events.TakenBack(work.now, offer.seat, ply))
        case "resign":
            assert offer.points is not None, "only `resign` offers that, and with points"
            finish(work, matches.resigned(offer.seat, offer.points))
        case _:
            assert_never(offer.kind)


def hint(work: Work, request: Hint) -> None:
    """Have a bot asked what it would play here."""
    match = _match(work, request.match)
    if match.rated:
        raise Refusal(Code.MATCH_NOT_ALLOWED, "in a rated match nobody is helped")
    if match.position.to_move != work.seat():
        raise Refusal(Code.MATCH_NOT_YOUR_TURN, "it is the other side's turn")
    position = match.position
    players = tuple(player.session for player in match.players)
    work.then(
        Ask(match.name, match.turn, match.game.name, match.game.format_position(position),
            position.legal_notation(), players if work.room.code is not None else None)
    )  # fmt: skip


def _match(work: Work, name: str) -> Match:
    match = work.room.match or work.match()
    if name != match.name:
        raise Refusal(
            Code.MATCH_OVER, f"match {name[:20]!r} is not on here; {match.name} is the last"
        )
    return match


def flag(work: Work) -> bool:
    """End the match if a flag has fallen by now, whatever lag is forgiven."""
    match = work.room.playing()
    if match is None:
        return False
    seat = match.clock.running
    own = seat is not None and seat == work.room.seat_of(work.asker.who)
    if seat is None or not match.clock.fallen(work.now, work.asker.lag if own else LAG_PER_MOVE):
        return False
    finish(work, _lost_or_void(work.room, match, seat, "flag"))
    return True


def _lost_or_void(room: Room, match: Match, seat: int, how: How) -> Result:
    """Return the result if `seat` is out of time; void if both of a ladder are, or not begun."""
    if room.leg is not None and None not in room.away:
        return matches.result((0.0, 0.0), "void", "both away")
    return matches.UNBEGUN if matches.lapses(match) else matches.lost_by(match, seat, how)


def shown(room: Room, turn: int, now: int) -> Room:
    """Position `turn` was handed to the network at `now`: its clock runs, if none is waited for."""
    match = room.match
    if match is None or match.turn != turn:
        return room
    if room.away != NOBODY_AWAY and absence.waits_to_begin(room, match):
        return room
    clock = match.clock.shown(now)
    return room if clock is match.clock else replace(room, match=replace(match, clock=clock))


def wake_at(room: Room) -> int | None:
    """Return when the room wants to be told the time, or None."""
    match = room.playing()
    if match is not None:
        if room.leg is not None:
            return _leg_wakes_at(room, match)
        if match.clock.paused == "server":
            return room.resume_at
        times = [absence.given_up_at(room, match), absence.rests_at(room, match)]
        if matches.lapses(match):
            times.append(match.clock.begin_until())
        elif (deadline := match.clock.deadline(LAG_PER_MOVE)) is not None:
            times.append(deadline + 1)
        return min([time for time in times if time is not None], default=None)
    if room.state in ("over", "closed"):
        return None
    times = [_closes_at(room), next_game_at(room)]
    if room.away != NOBODY_AWAY:
        times += (_vacant_at(room, 0), _vacant_at(room, 1))
    return min([time for time in times if time is not None], default=None)


def _leg_wakes_at(room: Room, match: Match) -> int | None:
    """Return when a flag falls, a pause ends, or somebody has been away for too long."""
    times = [away + AWAY_MS for away in room.away if away is not None]
    deadline = match.clock.deadline(LAG_PER_MOVE)
    if deadline is not None:
        times.append(deadline + 1)
    if match.clock.paused == "server" and room.resume_at is not None:
        times.append(room.resume_at)
    return min(times, default=None)


def _closes_at(room: Room) -> int | None:
    """Return when a room without a match is closed; None while one sits there who keeps it open.

    One in which nothing was ever played is closed soon after the last has gone.
    """
    gone = 0
    for who, away in zip(room.seats, room.away, strict=True):
        if away is None and room.hosts(who):
            return None
        gone = max(gone, away or 0)
    if room.played == 0 and room.empty_since is not None:
        return max(gone, room.empty_since) + VACANT_MS
    return max(gone, room.touched) + IDLE_MS


def _vacant_at(room: Room, seat: int) -> int | None:
    """Return when a seat is freed because its player is away and not ready."""
    away = room.away[seat]
    if away is None or room.seats[seat] is None or room.ready[seat]:
        return None
    return max(away, room.touched) + REMATCH_MS if room.rematch else away + VACANT_MS


def alarm(work: Work, order: Alarm) -> None:
    """Do what was due; flags have been looked at before."""
    due = wake_at(work.room)
    if due is None or work.now < due:
        return
    match = work.room.playing()
    if match is None:
        _tidy(work)
    elif (seat := _long_absent(work.room, work.now)) is not None:
        finish(work, _lost_or_void(work.room, match, seat, "disconnect"))
    elif match.clock.paused == "server":
        go_on(work)
    elif due == absence.given_up_at(work.room, match):
        why = "both players left" if None not in work.room.away else "its player left"
        finish(work, matches.result((0.0, 0.0), "void", why))
    elif due == absence.rests_at(work.room, match):
        _rest(work)
    else:  # or its flag would have fallen before this was looked at
        finish(work, matches.UNBEGUN)


def _rest(work: Work) -> None:
    """Let a match wait for its person without a slot of the bot that plays there."""
    work.room = replace(work.room, rested=work.room.seq)
    work.then(SHOW_ROOM)


def _tidy(work: Work) -> None:
    """Close an empty room, or free the seats whose players did not come back."""
    closes_at = _closes_at(work.room)
    if closes_at is not None and closes_at <= work.now:
        work.record(events.Closed(work.now, "nobody was here"))
        work.then(SHOW_ROOM)
        return
    times = [(seat, _vacant_at(work.room, seat)) for seat in (0, 1)]
    vacant = [seat for seat, time in times if time is not None and time <= work.now]
    for seat in vacant:
        work.record(events.Left(work.now, seat))
    seated = any(work.room.hosts(who) for who in work.room.seats)
    if vacant and not seated and work.room.empty_since is not None:
        work.record(events.Closed(work.now, "nobody was here"))
    work.then(SHOW_ROOM)


def _long_absent(room: Room, now: int) -> int | None:
    """Return the seat, in a ladder's room, that has been away for too long; None if none has."""
    for seat, away in enumerate(room.away):
        if room.leg is not None and away is not None and now - away >= AWAY_MS:
            return seat
    return None


def pause(work: Work, match: Match, why: PauseReason, now: int | None = None) -> None:
    """Stop the clock; see Clock.pause."""
    paused = replace(match, clock=match.clock.pause(why, now))
    work.room = replace(work.room, match=paused)


def go_on(work: Work) -> None:
    """End a pause: time passes again once the position has been shown."""
    match = work.match()
    work.room = replace(work.room, match=replace(match, clock=match.clock.resume()), resume_at=None)
    work.then(SHOW_MATCH)


def restarted(work: Work, order: Restarted) -> None:
    """No client is connected; a running clock waits for its player, and so does a bot."""
    one, two = work.room.seats
    away = (work.now if one else None, work.now if two else None)
    since, touched = work.room.touched, max(work.now, work.room.touched)
    work.room = replace(work.room, away=away, empty_since=work.now, touched=touched)
    match = work.room.playing()
    if match is not None:
        work.room = replace(work.room, resume_at=work.now + RESUME_MS)
        if absence.rests_at(work.room, match) is not None:
            _rest(work)  # at once: there may be many more of these than the bot has slots
    if match is not None and match.clock.paused != "pair":  # which lasts until its Release
        used = 0 if absence.waits_to_begin(work.room, match) else order.used
        if match.clock.is_long and not used:  # else it would begin anew with every restart
            used = max(0, order.until - since)
        clock = match.clock._replace(since=None, used=used)
        pause(work, replace(match, clock=clock), "server", work.now)


def stalled(work: Work, order: Stalled) -> None:
    """Stop the clock and say so: the log cannot be written.

    No flag falls before this (see life.handle): that could not be stored either.
    """
    match = work.room.playing()
    if match is not None and match.clock.paused is None:
        pause(work, match, "store", work.now)
        work.then(SHOW_MATCH)


def stepped(work: Work, order: Stepped) -> None:
    """Let the step pass, and show what is left of a clock that runs on."""
    work.room = later(work.room, order.ms, work.now)
    match = work.room.playing()
    if match is not None and match.clock.timed and match.clock.since is not None:
        work.then(SHOW_MATCH)


def unstalled(work: Work, order: Unstalled) -> None:
    """Go on: the log can be written again."""
    match = work.room.playing()
    if match is not None and match.clock.paused == "store":
        go_on(work)
