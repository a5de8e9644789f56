"""What people do around a table: sit down, get up, get ready, invite, watch, talk; and how a
match starts.
"""

from __future__ import annotations

from msgspec.structs import replace

from games import registry
from games.game import Game
from protocol.errors import Code, Refusal
from protocol.messages import (
    Create,
    Invite,
    Invited,
    Join,
    Kick,
    Leave,
    Options,
    Ready,
    Say,
    Watch,
)
from server.core import playing, room
from server.core.effects import SHOW_MATCH, SHOW_ROOM, Dismiss, Follow, Summon
from server.core.events import (
    Closed,
    Created,
    Dealt,
    Joined,
    Left,
    Leg,
    Opened,
    Readied,
    Said,
    Started,
    Who,
)
from server.core.orders import Back, Gone
from server.core.room import HOUSE, NOBODY, Asker, Fresh, Room, Work
from server.core.text import clean

INVITATION_MS = 10_000  # how long an invited player's place is held
MAX_CHAT = 500  # characters
MAX_SALT = 64  # hex digits


def open_room(number: int, request: Create, asker: Asker, now: int, fresh: Fresh) -> Work:
    """Make a room; its first event is `Created`.

    Raises:
        Refusal: lobby/unknown-game or lobby/bad-option.
    """
    game = find_game(request.game)
    check_options(request.options)
    code = None if request.options.public else fresh.code
    created = Created(now, game.name, request.options, asker.who, code)
    work = Work(room.create(number, created), asker, now, fresh)
    work.events.append(created)
    if game.has_chance:
        work.record(Dealt(now, f"{number}.1", fresh.secret))
    if request.seat is not None:
        work.record(Joined(now, request.seat, asker.who))
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
    check_options(options)
    created = Created(now, rules.name, options, HOUSE, None, leg)
    work = Work(room.create(number, created), NOBODY, now, Fresh(b"", ""))
    work.events.append(created)
    for seat, who in enumerate(players):
        work.record(Joined(now, seat, who))
    if leg.deal is not None:
        if secret is None:
            raise ValueError("a pair's deal has a secret")
        work.record(Dealt(now, leg.deal, secret))
    version = rules.rules_version
    work.record(Started(now, rules.name, version, options, players, leg.deal, salts))
    for action in leg.opening:
        match = work.match()
        work.record(Opened(now, match.ply, match.position.to_move, action))
    work.then(SHOW_ROOM, SHOW_MATCH)
    playing.settle(work)
    return work


def find_game(name: str) -> Game:
    """The game that is asked for; Refusal lobby/unknown-game with those there are."""
    try:
        return registry.game(name)
    except registry.UnknownGame as error:
        raise Refusal(Code.LOBBY_UNKNOWN_GAME, str(error)) from None


def check_options(options: Options) -> None:
    """Refusal lobby/bad-option for terms that contradict each other."""
    clock = options.clock
    if clock is not None and (clock.base_ms is None) == (clock.per_move_ms is None):
        raise Refusal(Code.LOBBY_BAD_OPTION, "a clock has either `base_ms` or `per_move_ms`")
    if clock is not None and clock.per_move_ms is not None and clock.increment_ms:
        raise Refusal(Code.LOBBY_BAD_OPTION, "a clock with `per_move_ms` has no increment")
    if options.rated and clock is None:
        raise Refusal(Code.LOBBY_BAD_OPTION, "a rated match needs a clock")


def join(work: Work, request: Join) -> None:
    """Sit down at a free seat; who sits here already just follows the room again."""
    at = work.room
    if at.seat_of(work.asker.who) is None:
        if at.leg is not None:
            raise Refusal(Code.ROOM_FULL, "the ladder seats who plays in this room; you can watch")
        check_code(at, work.asker, request.code)
        work.record(Joined(work.now, _free_seat(at, request.seat), work.asker.who))
        work.then(SHOW_ROOM)
    work.then(Follow(on=True))


def _free_seat(at: Room, wish: int | None) -> int:
    free = [seat for seat in (0, 1) if at.seats[seat] is None]
    if not free:
        raise Refusal(Code.ROOM_FULL, "both seats are taken; you can watch")
    if wish is not None and wish not in free:
        raise Refusal(Code.ROOM_SEAT_TAKEN, f"seat {wish} is taken; seat {free[0]} is free")
    return free[0] if wish is None else wish


def may_enter(at: Room, asker: Asker, code: str | None) -> bool:
    """Whether a room is public, the asker's own, or opens to this code."""
    if at.code is None or at.seat_of(asker.who) is not None or at.owner.same(asker.who):
        return True
    return code is not None and code.strip().upper() == at.code


def check_code(at: Room, asker: Asker, code: str | None) -> None:
    """Refuse a stranger who does not know a private room's code."""
    if not may_enter(at, asker, code):
        raise wrong_code()


def wrong_code() -> Refusal:
    """What a stranger is told."""
    return Refusal(Code.ROOM_WRONG_CODE, "this room is private, and that is not its code")


def watch(work: Work, request: Watch) -> None:
    """Follow a room without a seat."""
    if not work.asker.follows:
        check_code(work.room, work.asker, request.code)
    work.then(Follow(on=True))


def leave(work: Work, request: Leave) -> None:
    """Get up; the last one to leave closes the room, but for a ladder's."""
    seat = work.room.seat_of(work.asker.who)
    if seat is not None:
        if work.room.playing() is not None:
            how = "resign or abort it" if work.room.leg is None else "resign it"
            raise Refusal(Code.ROOM_MATCH_ON, f"a match is under way: {how} first")
        work.record(Left(work.now, seat))
        if work.room.seats == (None, None) and work.room.leg is None:
            work.record(Closed(work.now, "everybody left"))
        work.then(SHOW_ROOM)
    work.then(Follow(on=False))


def kick(work: Work, request: Kick) -> None:
    """The owner frees a seat."""
    if not work.room.owner.same(work.asker.who):
        raise Refusal(Code.ROOM_NOT_OWNER, f"only {work.room.owner.title()} may do that")
    who = work.room.seats[request.seat]
    if who is None:
        raise Refusal(Code.ROOM_SEAT_EMPTY, f"nobody sits on seat {request.seat}")
    work.record(Left(work.now, request.seat))
    work.then(SHOW_ROOM)
    if not who.same(work.asker.who):  # an owner who frees the own seat stays as a host
        work.then(Dismiss(who))


def ready(work: Work, request: Ready) -> None:
    """Agree to start; the match starts when both have."""
    seat = work.seat()
    salt = checked_salt(request.salt)
    if work.room.ready[seat]:
        return
    work.record(Readied(work.now, seat, salt))
    if work.room.ready == (True, True):
        _start(work)
    else:
        work.then(SHOW_ROOM)


def checked_salt(text: str | None) -> str:
    """A player's share of the dice as it is kept; Refusal match/bad-salt if it is none."""
    salt = (text or "").lower()
    if len(salt) > MAX_SALT or salt.strip("0123456789abcdef"):
        raise Refusal(Code.MATCH_BAD_SALT, f"a salt is at most {MAX_SALT} hex digits")
    return salt


def _start(work: Work) -> None:
    at = work.room
    one, two = at.seats
    assert one is not None, "only who is seated can be ready"
    assert two is not None
    game = registry.game(at.game)
    deal = f"{at.number}.{at.played + 1}" if game.has_chance else None
    players, salts = ((two, one), at.salts[::-1]) if at.rematch else ((one, two), at.salts)
    work.record(Started(work.now, at.game, game.rules_version, at.options, players, deal, salts))
    work.then(SHOW_ROOM, SHOW_MATCH)
    playing.settle(work)


def invite(work: Work, request: Invite) -> None:
    """Have somebody called to the free seat."""
    at = work.room
    if at.seat_of(work.asker.who) is None and not at.owner.same(work.asker.who):
        raise Refusal(Code.ROOM_NOT_SEATED, "only the room's players and its owner invite")
    if None not in at.seats:
        raise Refusal(Code.ROOM_FULL, "both seats are taken")
    invited = Invited(
        room=at.number,
        game=at.game,
        options=at.options,
        by=work.asker.who.title(),
        expires_ms=INVITATION_MS,
        code=at.code,
        strength=request.strength,
    )
    work.then(Summon(request.who, at.game, request.strength, invited))


def say(work: Work, request: Say) -> None:
    """Chat, cleaned of what could disturb a screen."""
    if work.room.seat_of(work.asker.who) is None and not work.asker.follows:
        raise Refusal(Code.ROOM_NOT_SEATED, "join or watch the room to talk in it")
    text = clean(request.text)
    if not 0 < len(text) <= MAX_CHAT:
        raise Refusal(Code.CHAT_BAD_TEXT, f"a line of chat has 1 to {MAX_CHAT} characters")
    work.record(Said(work.now, work.asker.who, text))
    work.then(room.chat(work.room, work.asker.who, text, work.now))


def gone(work: Work, order: Gone) -> None:
    """A player's last connection went; the seat stays."""
    _presence(work, work.now)


def back(work: Work, order: Back) -> None:
    """A player is here again; a clock that a restart had stopped for it goes on."""
    _presence(work, None)
    match = work.room.playing()
    if match is None or match.clock.paused != "server":
        return
    if match.clock.running == work.room.seat_of(work.asker.who):
        playing.go_on(work)


def _presence(work: Work, away: int | None) -> None:
    seat = work.room.seat_of(work.asker.who)
    if seat is None or (work.room.away[seat] is None) == (away is None):
        return
    pair = (away, work.room.away[1]) if seat == 0 else (work.room.away[0], away)
    work.room = replace(work.room, away=pair)
    work.then(SHOW_ROOM)
