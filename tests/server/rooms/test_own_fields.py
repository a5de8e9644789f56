"""What of a match is for one player alone: whose turn it is, and for how much they may resign."""

from __future__ import annotations

from protocol import messages
from tests.server.scene import Scene


def test_each_player_sees_for_how_much_they_may_resign_and_nobody_else_does(scene: Scene) -> None:
    at = scene.match(game="backgammon", watcher=True)
    for player in (at.ann, at.bob, at.eve):
        player.say(messages.Watch(room=at.room))
    states = [player.last(messages.MatchState) for player in (at.ann, at.bob, at.eve)]
    assert [state.resign for state in states] == [(1, 2, 3), (1, 2, 3), None]
    assert [state.legal is None for state in states].count(False) == 1
    at.ann.say(messages.Resign(match=at.name, points=1))
    shown = [player.last(messages.MatchState) for player in (at.ann, at.bob, at.eve)]
    assert {state.offers[0].points for state in shown} == {1}
    assert [state.resign for state in shown] == [(1, 2, 3), (1, 2, 3), None]
    at.bob.say(messages.Answer(match=at.name, kind="resign", accept=True))
    over = at.ann.last(messages.MatchState)
    assert over.result is not None
    assert (over.result.returns, over.resign) == ((-1.0, 1.0), None)


def test_where_a_forfeit_costs_a_point_nothing_is_said_of_it(scene: Scene) -> None:
    at = scene.match(watcher=True)
    at.ann.say(at.play("5"))
    for player in (at.ann, at.bob, at.eve):
        assert player.last(messages.MatchState).resign is None
