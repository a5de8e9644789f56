"""A phone that sleeps in a match without clock: whoever wakes it plays on, and is told the rest."""

from __future__ import annotations

import pytest

from protocol import messages, parts, past
from server.config import Config
from server.core.room import CLAIM_MS
from tests.server.scene import Player, Scene

MINUTE, HOUR = 60_000, 3_600_000
BOT = parts.BotInfo(program="shrug", slots=1)


def turn(scene: Scene, room: int, player: Player, action: str) -> None:
    match = scene.rooms.actors[room].room.match
    assert match is not None
    player.say(messages.Play(match=match.name, turn=match.turn, action=action))


def begin(scene: Scene, ann: Player, other: Player) -> int:
    """A match in which each has moved once, and ann is to move."""
    room = scene.room(ann)
    other.say(messages.Join(room=room))
    for player in (other, ann):
        player.say(messages.Ready(room=room))
    turn(scene, room, ann, "5")
    turn(scene, room, other, "1")
    return room


@pytest.mark.parametrize("asleep", [10 * MINUTE, 8 * HOUR])
@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("bot", [BOT, None])
def test_who_wakes_goes_on_where_the_match_stood(
    bot: parts.BotInfo | None, restarted: bool, asleep: int
) -> None:
    scene = Scene()
    ann, other = scene.enter("ann"), scene.enter("greta", bot=bot)
    room = begin(scene, ann, other)
    ann.go()
    scene.wait(asleep // 2)
    if restarted:
        scene = scene.again(lazy=True)
        other = scene.enter(token=other.token, bot=bot)
    scene.wait(asleep - asleep // 2)
    ann = scene.enter(token=ann.token)
    shown = ann.last(messages.MatchState)
    assert (shown.match, shown.ply, shown.result) == (f"{room}.1", 2, None)
    assert shown.legal
    turn(scene, room, ann, "2")
    other.heard()
    turn(scene, room, other, "3")
    assert ann.last(messages.MatchState).ply == 4


def test_who_sleeps_for_days_finds_who_has_claimed_the_match_and_when() -> None:
    scene = Scene()
    ann, ben = scene.enter("ann"), scene.enter("ben")
    room = begin(scene, ann, ben)
    turn(scene, room, ann, "2")
    ann.go()
    claim = messages.Claim(id=1, match=f"{room}.1")
    scene.wait(CLAIM_MS - MINUTE)
    assert ben.refused(claim) == "match/not-absent"
    scene.wait(MINUTE)
    ben.ask(claim, messages.Ok)
    claimed = scene.now()
    scene.wait(24 * HOUR)
    ann = scene.enter(token=ann.token)
    ann.heard()
    (line,) = ann.ask(past.Matches(id=2, who="ann"), past.MatchPage).matches
    assert (line.result.how, line.result.winner, line.at) == ("abandon", 1, claimed)


def test_the_host_says_after_how_long_a_match_without_clock_can_be_claimed() -> None:
    at = Scene(Config(claim_ms=60_000)).match()
    at.bob.go()
    assert at.ann.refused(messages.Claim(id=1, match=at.name)) == "match/not-absent"
    later = at.scene.again()
    ann = later.enter(token=at.ann.token)
    later.wait(60_000)
    ann.ask(messages.Claim(id=2, match=at.name), messages.Ok)
