"""Every request is answered, once, in every state in which it can be asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec import structs

from protocol import codec, messages, parts
from tests.server.scene import Player, Scene

KINDS = tuple(codec.REQUESTS.values())
FIELDS = {
    "version": 1, "game": "tic_tac_toe", "room": 1, "match": "1.1", "seat": 1, "who": "shrug",
    "turn": 6, "action": "5", "kind": "draw", "accept": True, "text": "hey", "ask": 1,
    "actions": ("5",),
    "name": "daily", "ladder": "daily", "player": "shrug",
    "clock": parts.ClockOptions(base_ms=10_000), "wait_ms": 9, "position": "3/3/3 x",
}  # fmt: skip


def sample(kind: type[messages.Request]) -> messages.Request:
    """A request with the fields that it must have, and its room."""
    needed = [f.name for f in structs.fields(kind) if f.required or f.name == "room"]
    return kind(id=7, **{name: FIELDS[name] for name in needed})


def test_there_is_a_way_for_each_request(scene: Scene) -> None:
    assert set(KINDS) == set(scene.hub.routes)


def before_hello(scene: Scene) -> Player:
    return scene.connect()


def before_welcome(scene: Scene) -> Player:
    player = scene.connect()
    player.send(messages.Hello(version=1, name="ann"))
    return player


def without_a_room(scene: Scene) -> Player:
    return scene.enter("ann")


def in_a_room(scene: Scene) -> Player:
    ann = scene.enter("ann")
    scene.room(ann)
    return ann


def in_a_match(scene: Scene) -> Player:
    return scene.match().ann


def beside_a_match(scene: Scene) -> Player:
    return scene.match(watcher=True).eve


def after_a_match(scene: Scene) -> Player:
    at = scene.match()
    at.ann.say(messages.Resign(match=at.name))
    return at.ann


def in_a_closed_room(scene: Scene) -> Player:
    ann = scene.enter("ann")
    scene.room(ann)
    ann.say(messages.Leave(room=1))
    return ann


def in_a_match_with_a_bot_about(scene: Scene) -> Player:
    scene.enter("greta", bot=parts.BotInfo(program="shrug", analyses=["tic_tac_toe"]))
    return scene.match().ann


def in_a_match_while_the_log_fails(scene: Scene) -> Player:
    ann = scene.match().ann
    scene.store.broken = True
    return ann


STATES = (
    before_hello, before_welcome, without_a_room, in_a_room, in_a_match, beside_a_match,
    after_a_match, in_a_closed_room, in_a_match_with_a_bot_about, in_a_match_while_the_log_fails,
)  # fmt: skip


@pytest.mark.parametrize("state", STATES, ids=lambda s: s.__name__)
def test_every_request_has_one_answer(state: Callable[[Scene], Player]) -> None:
    for kind in KINDS:
        scene = Scene()
        player = state(scene)
        player.heard()
        player.say(sample(kind))
        scene.wait(61_000)  # a hint takes its time, and an analysis more
        assert sum(message.re == 7 for message in player.heard()) == 1, kind
