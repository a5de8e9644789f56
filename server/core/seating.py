"""What happens around a match: join, leave, get ready, invite, watch, talk; and how it starts."""

from __future__ import annotations

from msgspec.structs import replace

from games import registry
from games.game import Game, UnplayableTerms
from protocol import messages as wire
from protocol.errors import Code, Refusal
from protocol.notation import format_match
from protocol.parts import Options
from protocol.records.terms import agreed, check_terms, sought, with_begin
from protocol.series import begin, is_on
from server.core import absence, access, events, playing, room
from server.core import match as matches
from server.core.effects import SHOW_MATCH, SHOW_ROOM, Broadcast, Dismiss, Follow, SendInvitation
from server.core.events import Leg, Who
from server.core.names.text import clean
from server.core.orders import (
    Alarm,
    Close,
    Disconnected,
    Emptied,
    Occupied,
    Reconnected,
    Unreached,
)
from server.core.room import HOUSE, NOBODY, Asker, Room, Secrets, Work

INVITATION_MS = 10_000  # how long an invited player's place is held
MAX_CHAT = 500  # characters
MAX_ROOM_NAME = 40  # characters, so that it stands on one line of a list
MAX_SALT = 64  # hex digits


def open_room(number: int, request: wire.Create, asker: Asker, now: int, fresh: Secrets) -> Work:
    """Make a room; its first event is `Created`.

    Raises:
        Refusal: lobby/unknown-game or lobby/bad-option.
    """
    game = find_game(request.game)
    check_options(game, request.options)
    code = None if request.options.public else fresh.code
    created = events.Created(now, game.name, with_begin(request.options), asker.who, code)
    work = Work(room.create(number, created), asker, now, fresh)
    work.events.append(created)
    if game.has_chance:
        work.record(events.Dealt(now, format_match(number, 1), fresh.secret))
    if request.seat is not None:
        work.record(events.Joined(now, request.seat, asker.who))
    work.then(Follow(on=True))
    return work


def open_leg(
    number: int, leg: Leg, game: str, options: Options, players: tuple[Who, Who],
    salts: tuple[str, str], secret: bytes | None, now: int,
) -> Work:  # fmt: skip
    """Make a ladder's room with its match under way.

    `players`: by seat; `salts`: of the pair's two players in the same order for both legs;
    `secret`: of the pair's deal, in a game with dice.  A match of a ladder is public and rated.

    Raises:
        Refusal: lobby/bad-option, such as no clock.
    """
    rules, options = registry.game(game), replace(options, public=True, rated=True)
    check_options(rules, options)
    created = events.Created(now, rules.name, options, HOUSE, None, leg)
    work = Work(room.create(number, created), NOBODY, now, Secrets(b"", ""))
    work.events.append(created)
    for seat, who in enumerate(players):
        work.record(events.Joined(now, seat, who))
    if leg.deal is not None:
        if secret is None:
            raise ValueError("a pair's deal has a secret")
        work.record(events.Dealt(now, leg.deal, secret))
    version = rules.rules_version
    work.record(events.Started(now, rules.name, version, options, players, leg.deal, salts))
    for action in leg.opening:
        match = work.match()
        work.record(events.Opened(now, match.ply, match.position.to_move, action))
    work.then(SHOW_ROOM, SHOW_MATCH)
    playing.settle(work)
    return work


def find_game(name: str) -> Game:
    """Return the game that is asked for; Refusal lobby/unknown-game with those there are."""
    try:
        return registry.game(name)
    except registry.UnknownGame as error:
        raise Refusal(Code.LOBBY_UNKNOWN_GAME, str(error)) from None


def check_options(game: Game, options: Options) -> None:
    """Refusal lobby/bad-option for terms that contradict each other, or that a game has not."""
    clock = options.clock
    if clock is not None and (why := clock.fault()):
        raise Refusal(Code.LOBBY_BAD_OPTION, why)
    if options.rated and clock is None:
        raise Refusal(Code.LOBBY_BAD_OPTION, "a rated match needs a clock")
    if options.rated and options.position:
        raise Refusal(Code.LOBBY_BAD_OPTION, "a match that begins in a position is not rated")
    try:
        check_terms(game, options)
    except UnplayableTerms as error:
        raise Refusal(Code.LOBBY_BAD_OPTION, str(error)) from None


def join(work: Work, request: wire.Join) -> None:
    """Sit down at a free seat; a player who sits here already follows the room again."""
    at = work.room
    if at.seat_of(work.asker.who) is None:
        if at.leg is not None:
            raise Refusal(
                Code.ROOM_FULL, "a ladder chooses the players of this room; you can watch"
            )
        access.check_code(at, work.asker, request.code)
        who = work.asker.who
        if who.program is not None:
            who = replace(who, level=request.level)
        work.record(events.Joined(work.now, _free_seat(at, request.seat), who))
        work.then(SHOW_ROOM)
    work.then(Follow(on=True))


def seek(work: Work, request: wire.Seek) -> None:
    """Sit down with who waits here by terms that suit; a player who sits here follows it again.

    A refusal is no answer: who seeks is seated elsewhere then.
    """
    at = work.room
    if at.seat_of(work.asker.who) is None:
        _free_seat(at, None)
        terms = agreed(sought(request.options), at.options)
        if terms is None or at.played or not at.options.public:
            raise Refusal(Code.ROOM_FULL, "this table is not for who seeks by these terms")
        check_options(find_game(at.game), terms)
        if terms != at.options:
            work.record(events.Agreed(work.now, terms))
    join(work, wire.Join())


def _free_seat(at: Room, wanted: int | None) -> int:
    free = [seat for seat in (0, 1) if at.seats[seat] is None]
    if not free:
        raise Refusal(Code.ROOM_FULL, "both seats are taken; you can watch")
    if wanted is not None and wanted not in free:
        raise Refusal(Code.ROOM_SEAT_TAKEN, f"seat {wanted} is taken; seat {free[0]} is free")
    return free[0] if wanted is None else wanted


def watch(work: Work, request: wire.Watch) -> None:
    """Follow a room without a seat."""
    if not access.may_look(work.room, work.asker, request.code):
        raise access.wrong_code()
    work.then(Follow(on=True))


def leave(work: Work, request: wire.Leave) -> None:
    """Get up; the last one to leave closes the room, but for a ladder's."""
    seat = work.room.seat_of(work.asker.who)
    if seat is not None:
        if work.room.playing() is not None:
            how = "resign or abort it" if work.room.leg is None else "resign it"
            raise Refusal(Code.ROOM_MATCH_ON, f"a match is under way: {how} first")
        work.record(events.Left(work.now, seat))
        if work.room.seats == (None, None) and work.room.leg is None:
            work.record(events.Closed(work.now, "everybody left"))
        work.then(SHOW_ROOM)
    work.then(Follow(on=False))


def kick(work: Work, request: wire.Kick) -> None:
    """Free a seat."""
    who = work.room.seats[request.seat]
    if who is None:
        raise Refusal(Code.ROOM_SEAT_EMPTY, f"nobody sits on seat {request.seat}")
    if is_on(work.room.series) and not who.same(work.asker.who):
        raise Refusal(Code.ROOM_MATCH_ON, "a match to points is under way, which nobody ends so")
    work.record(events.Left(work.now, request.seat))
    work.then(SHOW_ROOM)
    if not who.same(work.asker.who):  # an owner who frees their own seat still follows the room
        work.then(Dismiss(who))


def ready(work: Work, request: wire.Ready) -> None:
    """Agree to start; the match starts when both have."""
    seat = work.seat()
    if work.room.playing() is not None:
        return  # the match has begun meanwhile, which is what a player agrees to
    salt = checked_salt(request.salt)
    if work.room.ready[seat]:
        return
    work.record(events.Readied(work.now, seat, salt))
    if work.room.ready == (True, True):
        _start(work)
    else:
        work.then(SHOW_ROOM)


def checked_salt(text: str | None) -> str:
    """Return a player's salt for the dice as it is stored; Refusal match/bad-salt if it is none."""
    if not text:
        return ""
    salt = text.lower()
    if len(salt) > MAX_SALT or salt.strip("0123456789abcdef"):
        raise Refusal(Code.MATCH_BAD_SALT, f"a salt is at most {MAX_SALT} hex digits")
    return salt


def _start(work: Work) -> None:
    at = work.room
    one, two = at.seats
    assert one is not None, "only who is seated can be ready"
    assert two is not None
    game = registry.game(at.game)
    players = _players(at, one, two)
    salts = at.salts if players[0] is one else at.salts[::-1]
    deal = format_match(at.number, at.played + 1) if game.has_chance else None
    if at.match is not None and at.match.withheld and at.match.deal is not None:
        deal, salts = at.match.deal.name, at.match.deal.salts
    series = at.series if is_on(at.series) else None
    if series is None and at.options.points is not None:
        series = begin(at.options.points)
    version, options = game.rules_version, replace(at.options, sought=None)
    work.record(events.Started(work.now, at.game, version, options, players, deal, salts, series))
    work.then(SHOW_ROOM, SHOW_MATCH)
    playing.settle(work)


def alarm(work: Work, order: Alarm) -> None:
    """Do what was due: begin the next game of a series, or what playing.alarm says."""
    begins = room.next_game_at(work.room)
    if begins is not None and begins <= work.now:
        _start(work)
    else:
        playing.alarm(work, order)


def _players(at: Room, one: Who, two: Who) -> tuple[Who, Who]:
    """Return who has which seat in the next match: the other one than in the last.

    After a match that was called off they keep theirs, so that no player gains by that; and through
    all of a series.
    """
    if is_on(at.series):
        return (one, two)
    if at.match is not None and matches.called_off(at.match):
        first, second = at.match.players
        return (two, one) if first.same(two) and second.same(one) else (one, two)
    return (two, one) if at.rematch else (one, two)


def invite(work: Work, request: wire.Invite) -> None:
    """Have somebody called to the free seat."""
    at = work.room
    if at.seat_of(work.asker.who) is None and not at.owner.same(work.asker.who):
        raise Refusal(Code.ROOM_NOT_SEATED, "only the room's players and its owner invite")
    if None not in at.seats:
        raise Refusal(Code.ROOM_FULL, "both seats are taken")
    invited = wire.Invited(
        room=at.number,
        game=at.game,
        options=at.options,
        by=work.asker.who.title(),
        expires_ms=INVITATION_MS,
        code=at.code,
        strength=request.strength,
    )
    private, by_owner = at.code is not None, at.owner.same(work.asker.who)
    work.then(SendInvitation(request.who, at.game, request.strength, invited, private, by_owner))


def say(work: Work, request: wire.Say) -> None:
    """Chat, cleaned of what could disturb a screen; players read what spectators say afterwards."""
    is_player = work.room.seat_of(work.asker.who) is not None
    if not is_player and not work.asker.follows:
        raise Refusal(Code.ROOM_NOT_SEATED, "join or watch the room to talk in it")
    text = clean(request.text)
    if not 0 < len(text) <= MAX_CHAT:
        raise Refusal(Code.CHAT_BAD_TEXT, f"a line of chat has 1 to {MAX_CHAT} characters")
    chatted = events.Chatted(max(work.now, work.room.touched), work.asker.who, text)
    work.record(chatted)
    is_heard_later = work.room.playing() is not None and not is_player
    said = room.said(work.room, work.room.seq, chatted)
    work.then(Broadcast(said, seated=False if is_heard_later else None))


def room_rename(work: Work, request: wire.RoomRename) -> None:
    """Name the room anew; its name is read by others, as chat is."""
    name = clean(request.name)
    if not 0 < len(name) <= MAX_ROOM_NAME:
        raise Refusal(Code.CHAT_BAD_TEXT, f"a room's name has 1 to {MAX_ROOM_NAME} characters")
    if name != work.room.name:
        work.record(events.Renamed(work.now, work.asker.who, name))
        work.then(SHOW_ROOM)


def disconnected(work: Work, order: Disconnected) -> None:
    """Note that a player's last connection is gone; the seat stays, and no time to begin passes."""
    _presence(work, work.now)
    match = work.room.playing()
    if (
        match is not None
        and match.clock.since is not None
        and absence.waits_to_begin(work.room, match)
    ):
        waiting = replace(match, clock=match.clock.wait())
        work.room = replace(work.room, match=waiting)
        work.then(SHOW_MATCH)


def emptied(work: Work, order: Emptied) -> None:
    """Note that no client follows the room any more that could begin a match."""
    work.room = replace(work.room, empty_since=work.now)


def occupied(work: Work, order: Occupied) -> None:
    """Note that somebody follows the room again."""
    work.room = replace(work.room, empty_since=None)


def close(work: Work, order: Close) -> None:
    """Close a room in which no match is on: it gives way to others."""
    work.record(events.Closed(work.now, order.why))
    work.then(SHOW_ROOM)


def close_if_full(work: Work) -> None:
    """Close a room that has had as much as one may have, once no match is on."""
    if work.room.state == "waiting":
        why = f"this room has had {room.FULL:,} events: open another one"
        work.record(events.Closed(work.now, why))
        work.then(SHOW_ROOM)


def unreached(work: Work, order: Unreached) -> None:
    """Stop the clock of a player who is not reached, as a restart does, until that one is back."""
    match = work.room.playing()
    if match is None or match.clock.paused is not None or not match.clock.timed:
        return
    if match.clock.running == work.room.seat_of(work.asker.who):
        playing.pause(work, match, "server", order.since)
        work.room = replace(work.room, resume_at=work.now + playing.RESUME_MS)
        work.then(SHOW_MATCH)


def reconnected(work: Work, order: Reconnected) -> None:
    """Note that a player is back; a clock that a restart stopped for this player goes on, and the
    time to begin that all were waited for.
    """
    _presence(work, None)
    match = work.room.playing()
    if match is None:
        return
    if match.clock.paused == "server":
        if match.clock.running == work.room.seat_of(work.asker.who):
            playing.go_on(work)
    elif match.clock.since is None and work.room.away == room.NOBODY_AWAY and matches.lapses(match):
        work.then(SHOW_MATCH)


def _presence(work: Work, away: int | None) -> None:
    seat = work.room.seat_of(work.asker.who)
    if seat is None or (work.room.away[seat] is None) == (away is None):
        return
    pair = (away, work.room.away[1]) if seat == 0 else (work.room.away[0], away)
    work.room = replace(work.room, away=pair)
    work.then(SHOW_ROOM)
