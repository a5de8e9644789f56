"""The short way of a plain play comes to the same as the table of life.py, play by play."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from games import registry
from protocol.errors import Refusal
from protocol.messages import Play
from protocol.parts import ClockOptions, Options
from server.core import events, life, plain_play, playing
from server.core import room as rooms
from server.core.effects import SHOW_MATCH
from server.core.events import Who
from server.core.orders import Restarted
from server.core.plain_play import PlainPlay
from server.core.room import NOBODY, Asker, Fresh, Room
from tests.server.core.cast import ANN, BLITZ, BOB, CAT, PER_MOVE

FRESH = Fresh(bytes(32), "QF7KDM")
STRICT = Options(clock=ClockOptions(base_ms=1_000))  # flags fall in it
OPTIONS = {"untimed": Options(), "blitz": BLITZ, "a move": PER_MOVE, "strict": STRICT}


def begun(game: str, options: Options) -> Room:
    """A room in which a match has just begun, its clock running."""
    room = rooms.create(17, events.Created(0, game, options, ANN, None))
    rules = registry.game(game)
    deal = "17.1" if rules.has_chance else None
    happened: list[events.Event] = [events.Joined(0, 0, ANN), events.Joined(0, 1, BOB)]
    if deal is not None:
        happened.append(events.Dealt(0, deal, bytes(32)))
    happened.append(
        events.Started(0, game, rules.rules_version, options, (ANN, BOB), deal, ("", ""))
    )
    for event in happened:
        room = rooms.fold(room, event)
    return room


def by_the_table(room: Room, play: Play, asker: Asker, now: int, shown: int) -> life.Handled | None:
    """What a play comes to as life.py has it, shown; None if it is refused, or rolls follow."""
    try:
        after, happened, effects = life.handle(room, play, asker, now, FRESH)
    except Refusal:
        return None
    kinds = [type(event) for event in happened]
    if kinds not in ([events.Played], [events.Played, events.Ended]):
        return None
    assert after.match is not None
    return playing.shown(after, after.match.turn, shown), happened, effects


def by_the_short_way(room: Room, play: PlainPlay, shown: int) -> life.Handled:
    """What a plain play comes to, shown."""
    if play.ended is None:
        return plain_play.fold(room, play, shown), [play.event], [SHOW_MATCH]
    return plain_play.end(room, play)


def some_play(room: Room, chance: random.Random) -> Play:
    """A play, mostly a legal one."""
    match = room.match
    assert match is not None
    legal = match.position.legal_notation()
    action = chance.choice(legal) if legal and chance.random() < 0.9 else "nonsense"
    if chance.random() < 0.05:
        action = f" {action}"
    return Play(
        match=match.name if chance.random() < 0.95 else "17.2",
        turn=match.turn if chance.random() < 0.95 else match.turn - 1,
        action=action,
        note="thinking" if chance.random() < 0.05 else None,
    )


def some_asker(room: Room, chance: random.Random) -> Asker:
    """Mostly whose turn it is."""
    match = room.match
    assert match is not None
    seat = match.position.to_move
    who: Who | None = room.seats[seat] if seat >= 0 else ANN
    if who is None or chance.random() < 0.1:
        who = chance.choice((ANN, BOB, CAT))
    return Asker(who, lag=chance.choice((0, 0, 30, 500)))


@pytest.mark.parametrize("options", OPTIONS.values(), ids=list(OPTIONS))
@pytest.mark.parametrize("game", registry.names())
def test_both_ways_come_to_the_same_room(game: str, options: Options) -> None:
    chance = random.Random(f"{game} {options}")
    plain = ended = 0
    for _ in range(6):
        room, now = begun(game, options), 0
        assert room.match is not None
        room = playing.shown(room, room.match.turn, now)
        for _ in range(150):
            now += chance.choice((0, 3, 40, 400))
            play, asker = some_play(room, chance), some_asker(room, chance)
            shown = now + chance.choice((0, 2))
            judged = plain_play.judge(room, play, asker, now)
            general = by_the_table(room, play, asker, now, shown)
            if judged is not None:
                plain += 1
                ended += judged.ended is not None
                assert by_the_short_way(room, judged, shown) == general
                assert rooms.match_of(room, judged.event) == room.played
            if general is not None:
                room = general[0]
            elif room.match is not None and room.match.position.to_move < 0:
                break  # dice, which only the table rolls
    has_chance = registry.game(game).has_chance
    assert (plain > 20) == (not has_chance)
    assert ended > 0 or has_chance or options is STRICT


def test_a_play_that_is_out_of_turn_is_no_plain_one() -> None:
    room = begun("tic_tac_toe", Options())
    assert room.match is not None
    before_it_was_shown = Play(match="17.1", turn=room.match.turn, action="1")
    assert plain_play.judge(room, before_it_was_shown, Asker(ANN), 5) is None
    for who, cell in ((ANN, "1"), (BOB, "4"), (ANN, "2"), (BOB, "5")):
        assert room.match is not None
        room = playing.shown(room, room.match.turn, 5)
        play = Play(match="17.1", turn=room.match.turn, action=cell)
        assert plain_play.judge(room, play, Asker(CAT), 5) is None
        judged = plain_play.judge(room, play, Asker(who), 5)
        assert judged is not None
        room = plain_play.fold(room, judged, 5)
    assert room.match is not None


def test_a_play_is_dated_no_earlier_than_what_happened_before_and_costs_what_passed_here() -> None:
    room = replace(begun("connect_four", BLITZ), touched=9_000)  # by a clock that was ahead
    assert room.match is not None
    room = playing.shown(room, room.match.turn, 100)
    play = Play(match="17.1", turn=room.match.turn, action="4")
    judged = plain_play.judge(room, play, Asker(ANN), 400)
    after, happened, _ = life.handle(room, play, Asker(ANN), 400, FRESH)
    assert judged is not None
    assert [judged.event] == happened
    assert (judged.event.at, judged.event.spent, after.touched) == (9_000, 300, 9_000)
    read, _, _ = life.handle(after, Restarted(), NOBODY, 500, FRESH)
    assert (read.touched, read.away) == (9_000, (500, 500))
