"""Boards drawn by the server, for clients that do not know the game."""

from __future__ import annotations

import dataclasses

import pytest
from msgspec.structs import replace

from games import registry
from games.game import Position
from protocol import messages, parts
from server.services.drawings import MAX_COLUMNS, MAX_ROWS
from tests.server.scene import Player, Scene

PRIVATE = parts.Options(public=False)


def drawn(player: Player, match: str) -> messages.Drawn:
    """The board as somebody is shown it."""
    return player.ask(messages.Draw(id=7, match=match), messages.Drawn)


@pytest.mark.parametrize("game", ["backgammon", "connect_four", "ultimate_tic_tac_toe"])
def test_each_player_and_who_looks_on_is_drawn_the_board_of_the_rules(
    scene: Scene, game: str
) -> None:
    at = scene.match(game=game, watcher=True)
    match = scene.rooms.actors[at.room].room.match
    assert match is not None
    for player, seat in ((at.ann, 0), (at.bob, 1), (at.eve, 0), (scene.enter("fay"), 0)):
        answer = drawn(player, at.name)
        rules = registry.game(game)
        assert "\n".join(answer.lines) == rules.draw(match.position, seat)
        assert (answer.match, answer.turn) == (at.name, match.turn)


def test_a_match_that_is_over_is_drawn_until_the_next_one(scene: Scene) -> None:
    at = scene.match()
    at.ann.say(at.play("5"))
    at.bob.say(messages.Resign(match=at.name))
    assert "x" in "".join(drawn(at.ann, at.name).lines).lower()
    other = messages.Draw(id=1, match=f"{at.room}.2")
    assert at.ann.refused(other) == "match/over"


def test_what_there_is_not_cannot_be_drawn(scene: Scene) -> None:
    ann = scene.enter("ann")
    room = scene.room(ann)
    assert ann.refused(messages.Draw(id=1, match=f"{room}.1")) == "room/no-match"
    assert ann.refused(messages.Draw(id=1, match="99.1")) == "lobby/no-room"
    assert ann.refused(messages.Draw(id=1, match="x")) == "lobby/no-room"


def test_a_private_room_is_drawn_for_who_follows_it_alone(scene: Scene) -> None:
    at = scene.match(options=PRIVATE)
    eve = scene.enter("eve")
    assert eve.refused(messages.Draw(id=1, match=at.name)) == "room/wrong-code"
    code = scene.rooms.actors[at.room].room.code
    eve.say(messages.Watch(code=code))
    eve.heard()
    assert drawn(eve, at.name).lines == drawn(at.ann, at.name).lines


def test_rules_that_cannot_draw_cost_an_answer_and_no_match(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    at = scene.match()

    def broken(*_: object) -> str:
        raise ZeroDivisionError

    actor = scene.rooms.actors[at.room]
    match = actor.room.match
    assert match is not None
    rules, state = match.game, match.position.state
    for draw in (broken, lambda *_: "x" * (MAX_COLUMNS + 1), lambda *_: "\n" * MAX_ROWS):
        position = Position(dataclasses.replace(rules, draw=draw), state)
        actor.room = replace(actor.room, match=replace(match, position=position))
        assert at.ann.refused(messages.Draw(id=1, match=at.name)) == "match/no-drawing"
    assert "could not draw" in caplog.text
    actor.room = replace(actor.room, match=match)
    at.ann.say(at.play("5"))
    assert at.bob.last(messages.MatchState).ply == 1
