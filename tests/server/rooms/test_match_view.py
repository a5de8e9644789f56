"""A state of a match says the same in both encodings, and to each what is for them."""

from __future__ import annotations

import random

import pytest

from games import registry
from protocol import codec
from protocol.messages import Answer, MatchState, Offer, Play, Resign, Watch
from server.rooms.match_view import MatchView
from tests.server.scene import BLITZ, Scene


@pytest.mark.parametrize("game", registry.names())
def test_a_state_in_msgpack_says_what_it_says_in_text(scene: Scene, game: str) -> None:
    chance = random.Random(game)
    at = scene.match(game=game, options=BLITZ, watcher=True)
    actor = scene.rooms.actors[at.room]
    everybody = (at.ann, at.bob, at.eve)
    for step in range(24):
        for player in everybody:
            player.say(Watch(room=at.room))
            heard = player.last(MatchState)
            match, now = actor.room.match, scene.now()
            assert match is not None
            view = MatchView(actor.room, match, now)
            for text in (False, True):
                payload = view.payload(view.view_of(player.peer), text)
                assert codec.decode_reply(payload, text) == heard
        if match.result is not None:
            break
        mover, other = (at.ann, at.bob) if match.position.to_move == 0 else (at.bob, at.ann)
        if step == 7:
            other.say(Offer(match=match.name, kind="takeback"))
            mover.say(Answer(match=match.name, kind="takeback", accept=True))
        elif step == 20:
            mover.say(Resign(match=match.name))
        else:
            action = chance.choice(match.position.legal_notation())
            mover.say(Play(match=match.name, turn=match.turn, action=action))


def test_a_play_in_msgpack_is_none_in_a_text_frame(scene: Scene) -> None:
    at = scene.match()
    data = codec.encode(at.play("5"))
    scene.hub.receive(at.ann.peer, data, True)
    scene.store.settle()
    assert at.ann.codes() == ["protocol/bad-frame"]
    assert at.ann.transport.ended is not None
