"""A log that went back: who saw what it lacks is told so, and comes back to what it has."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from client.replica import Replica
from protocol.messages import Bye, Notice
from server.core.room import Room
from server.rooms.outage import tell_what_was_lost, what_was_lost
from tests.server.core import score
from tests.server.scene import Player, Scene, SceneMatch


async def begin_anew(scene: Scene) -> Scene:
    """The log is one that lacks something: what a server does then, until it is there again."""
    scene.store.remote = True
    telling = asyncio.ensure_future(tell_what_was_lost(scene.rooms))
    while not telling.done():
        await asyncio.sleep(0)
        scene.store.settle()
    await telling
    scene.store.remote = False
    scene.close()
    return scene.again()


def played(*actions: str) -> tuple[Scene, SceneMatch]:
    """A match that was played so far."""
    scene = Scene()
    table = scene.match(watcher=True)
    for number, action in enumerate(actions):
        (table.ann, table.bob)[number % 2].say(table.play(action))
        table.turn += 1
    return scene, table


def lose(scene: Scene, room: int, count: int) -> None:
    """Have the log lack the last events of a room."""
    seqs = sorted(seq for number, seq in scene.store.events if number == room)
    for seq in seqs[len(seqs) - count :]:
        del scene.store.events[room, seq]


def feed(replica: Replica, player: Player) -> None:
    for message in player.heard():
        replica.feed(message)


async def test_who_saw_moves_that_are_lost_is_told_and_plays_on_from_before_them() -> None:
    scene, table = played("5", "1", "2")
    other = scene.room(scene.enter("carol"))
    replicas = {who.token: Replica() for who in (table.ann, table.bob, table.eve)}
    everybody = (table.ann, table.bob, table.eve)
    for who in everybody:
        feed(replicas[who.token], who)
    lose(scene, table.room, 2)
    del scene.store.rooms[other]
    lose(scene, other, 99)
    again = await begin_anew(scene)
    for who in everybody:
        heard = who.heard()
        assert [m.text for m in heard if isinstance(m, Notice)] == [
            f"in room {table.room}: the last 2 moves were lost with the database; it is bob to move"
        ]
        assert isinstance(heard[-1], Bye)
    ann, bob = (again.enter(token=who.token) for who in everybody[:2])
    replica = replicas[table.bob.token]
    feed(replica, bob)
    assert replica.matches[table.name].position == "3/1x1/3 o"
    assert [event.action for event in replica.actions(table.name)] == ["5"]
    table.turn -= 2
    bob.say(table.play("9"))
    feed(replica, bob)
    assert replica.matches[table.name].position == "3/1x1/2o x"
    numbers = [seq for number, seq in again.store.events if number == table.room]
    assert sorted(numbers) == list(range(1, len(numbers) + 1)), "there is no hole"
    assert again.room(ann) > other, "no number is given twice"


async def test_who_lost_nothing_hears_nothing() -> None:
    scene, table = played("5")
    table.ann.heard()
    await begin_anew(scene)
    assert [type(message) for message in table.ann.heard()] == [Bye]


def after(*actions: str) -> Room:
    """A room of ann's and bob's after these."""
    table = score.started()
    table.plays(*actions)
    return table.room


@pytest.mark.parametrize(
    ("held", "kept", "text"),
    [
        (after(), None, "room 1 was lost with the database"),
        (after("1"), replace(after(), match=None, played=0, state="waiting"),
         "in room 1: the newest match was lost with the database"),
        (after("1"), after(),
         "in room 1: the last move was lost with the database; it is ann to move"),
        (after("1"), after("1"),
         "in room 1: what happened last was lost with the database; it is bob to move"),
        (after("1", "4", "2", "5", "3"), after("1", "4"),
         "in room 1: the last 3 moves were lost with the database; it is ann to move"),
        (replace(after(), match=None), after("1", "4", "2", "5", "3"),
         "in room 1: what happened last was lost with the database"),
    ],
)  # fmt: skip
def test_what_was_lost_is_said_in_words(held: Room, kept: Room | None, text: str) -> None:
    assert what_was_lost(held, kept).replace(f"room {score.ROOM}", "room 1") == text
