"""The past as people ask for it: lists of matches, persons, and what is private."""

from __future__ import annotations

from protocol import messages, parts, past
from tests.server.scene import Player, Scene

PRIVATE = parts.Options(public=False)
RATED = parts.Options(rated=True, clock=parts.ClockOptions(base_ms=60_000))


def meet(
    scene: Scene, one: Player, two: Player, *actions: str, options: parts.Options | None = None
) -> str:
    """A match of tic-tac-toe that `one` begins; if the rules do not end it, `one` resigns."""
    room = scene.room(one, options=options)
    two.say(messages.Join(room=room, code=scene.rooms.actors[room].room.code))
    for player in (one, two):
        player.say(messages.Ready(room=room))
    name = f"{room}.1"
    for n, action in enumerate(actions):
        turn = scene.rooms.actors[room].room.match.turn  # type: ignore[union-attr]
        (one, two)[n % 2].say(messages.Play(match=name, turn=turn, action=action))
    one.say(messages.Resign(match=name))
    for player in (one, two):
        player.say(messages.Leave(room=room))
        player.heard()
    return name


def listed(player: Player, who: str | None = None, **more: object) -> list[str]:
    page = player.ask(past.Matches(id=3, who=who, **more), past.MatchPage)  # type: ignore[arg-type]
    return [line.match for line in page.matches]


def person(player: Player, name: str) -> past.PersonPage:
    player.send(past.Person(id=3, name=name))
    player.scene.store.settle()
    player.scene.wait(5_000)
    (page,) = player.heard_of(past.PersonPage)
    return page


def test_a_match_stands_in_the_list_with_its_end(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    name = meet(scene, ann, bob, "1", "4", "2", "5", "3")
    (line,) = bob.ask(past.Matches(id=1, who="Ann"), past.MatchPage).matches
    assert (line.match, line.game, line.plies, line.rated) == (name, "tic_tac_toe", 5, False)
    assert [seat.name for seat in line.seats] == ["ann", "bob"]
    assert (line.result.winner, line.result.reason) == (0, "line")
    assert (line.position, line.at, line.former) == ("xxx/oo1/3 o", scene.now(), ())
