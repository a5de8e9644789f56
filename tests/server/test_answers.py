"""Every request is answered, once, in every state in which it can be asked."""

from __future__ import annotations

import pytest

from protocol.analysis import ANALYSIS_REQUESTS, Analyse, ReportAnalysis
from protocol.ladder import (
    LADDER_REQUESTS,
    LadderCreate,
    LadderHistory,
    LadderJoin,
    LadderLeave,
    LadderPairs,
    LadderStatus,
    LadderStop,
)
from protocol.messages import (
    REQUESTS,
    Abort,
    Advise,
    Answer,
    BotInfo,
    Claim,
    ClockOptions,
    Create,
    Hello,
    Hint,
    History,
    Invite,
    Join,
    Kick,
    Leave,
    Link,
    Lobby,
    Offer,
    Play,
    Ready,
    Request,
    Resign,
    Say,
    Watch,
)
from server.house import _ROUTES
from tests.server.scene import Player, Scene

SAMPLES: tuple[Request, ...] = (
    Hello(id=7, version=1),
    Lobby(id=7),
    Create(id=7, game="tic_tac_toe"),
    Join(id=7, room=1),
    Watch(id=7, room=1),
    Leave(id=7, room=1),
    Ready(id=7, room=1),
    Invite(id=7, room=1, who="shrug"),
    Kick(id=7, room=1, seat=1),
    Play(id=7, match="1.1", turn=6, action="5"),
    Resign(id=7, match="1.1"),
    Abort(id=7, match="1.1"),
    Claim(id=7, match="1.1"),
    Offer(id=7, match="1.1", kind="draw"),
    Answer(id=7, match="1.1", kind="draw", accept=True),
    Say(id=7, room=1, text="hey"),
    Hint(id=7, match="1.1"),
    Advise(id=7, ask=1, action="5"),
    History(id=7, room=1),
    Link(id=7),
    LadderCreate(id=7, name="daily", game="tic_tac_toe", clock=ClockOptions(base_ms=10_000)),
    LadderJoin(id=7, ladder="daily"),
    LadderLeave(id=7, ladder="daily"),
    LadderStatus(id=7),
    LadderPairs(id=7, ladder="daily"),
    LadderHistory(id=7, ladder="daily"),
    LadderStop(id=7, ladder="daily"),
    Analyse(id=7, match="1.1"),
    ReportAnalysis(id=7, ask=1),
)


def test_there_is_a_sample_and_a_way_for_each_request() -> None:
    known = {*REQUESTS, *LADDER_REQUESTS, *ANALYSIS_REQUESTS}
    assert {type(sample) for sample in SAMPLES} == known == set(_ROUTES)


def answers(scene: Scene, player: Player, request: Request) -> int:
    player.heard()
    player.say(request)
    scene.wait(61_000)  # a hint takes its time, and an analysis more
    return sum(message.re == 7 for message in player.heard())


def before_hello(scene: Scene) -> Player:
    return scene.connect()


def before_welcome(scene: Scene) -> Player:
    player = scene.connect()
    player.send(Hello(version=1, name="ann"))
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
    at.ann.say(Resign(match=at.name))
    return at.ann


def in_a_closed_room(scene: Scene) -> Player:
    ann = scene.enter("ann")
    scene.room(ann)
    ann.say(Leave(room=1))
    return ann


STATES = (
    before_hello, before_welcome, without_a_room, in_a_room, in_a_match, beside_a_match,
    after_a_match, in_a_closed_room,
)  # fmt: skip


@pytest.mark.parametrize("request_", SAMPLES, ids=lambda r: type(r).__name__.lower())
@pytest.mark.parametrize("state", STATES, ids=lambda s: s.__name__)
def test_every_request_has_one_answer(scene: Scene, state: object, request_: Request) -> None:
    assert callable(state)
    assert answers(scene, state(scene), request_) == 1


@pytest.mark.parametrize("request_", SAMPLES, ids=lambda r: type(r).__name__.lower())
def test_every_request_has_one_answer_with_a_bot_about(scene: Scene, request_: Request) -> None:
    scene.enter("greta", bot=BotInfo(program="shrug", analyses=["tic_tac_toe"]))
    at = scene.match()
    assert answers(scene, at.ann, request_) == 1


@pytest.mark.parametrize("request_", SAMPLES, ids=lambda r: type(r).__name__.lower())
def test_every_request_has_one_answer_while_the_log_fails(scene: Scene, request_: Request) -> None:
    at = scene.match()
    scene.store.broken = True
    assert answers(scene, at.ann, request_) == 1
