"""What requests cost: whoever spends too much is told when to go on, and others notice nothing."""

from __future__ import annotations

import math

import pytest

from protocol import codec, messages, parts
from protocol.ladder import LadderStatus
from server.config import PLAYED, PUSH, REFUSED, REPEATED, WRONG_CODE, Config
from server.core.session import AddressBuckets, TokenBucket
from server.hub import MAX_RESTS, MAX_UNREAD
from tests.server.scene import FakeTransport, Player, Scene

LOBBY = messages.Lobby(id=1, follow=False)
NO_PLAY = messages.Play(id=1, match="9.9", turn=1, action="1")
PRIVATE = parts.Options(public=False)
SHRUG = parts.BotInfo(program="shrug", games=["tic_tac_toe"], slots=1_000)


def spent(player: Player) -> float:
    """What is gone of a connection's own allowance."""
    own = player.peer.allowances[0]
    return own.burst - own.level


def cost(player: Player, request: messages.Request) -> float:
    """What a request costs, without the bytes of a long answer."""
    before = spent(player)
    player.say(request)
    return spent(player) - before


def until_refused(player: Player, request: messages.Request) -> messages.Error:
    """Ask for something until nothing is left: the refusal."""
    for _ in range(10_000):
        player.send(request)
        for error in player.heard_of(messages.Error):
            if error.code == "session/flood":
                return error
    raise AssertionError("it is never refused")


def test_an_accepted_play_costs_nothing_and_a_refused_one_does(scene: Scene) -> None:
    at = scene.match()
    play = at.play("5", id=1)
    assert cost(at.ann, play) == 0
    assert cost(at.ann, play) == REPEATED
    assert cost(at.ann, messages.Play(id=1, match=at.name, turn=at.turn, action="1")) == REFUSED
    assert cost(at.ann, NO_PLAY) == REFUSED


def test_who_has_spent_all_is_told_when_to_ask_again(scene: Scene) -> None:
    ann = scene.enter("ann")
    error = until_refused(ann, LOBBY)
    assert (error.code, error.re, error.match) == ("session/flood", 1, None)
    assert error.text == "too much was asked for; ask again in 0.1 s"
    assert error.retry_ms is not None
    scene.wait(error.retry_ms + 1)
    assert ann.ask(LOBBY, messages.LobbyList).total == 0


def test_a_play_that_was_not_looked_at_is_named(scene: Scene) -> None:
    at = scene.match()
    until_refused(at.ann, NO_PLAY)
    at.ann.say(at.play("5"))
    error = at.ann.last(messages.Error)
    assert (error.code, error.re, error.match) == ("session/flood", None, at.name)
    assert error.retry_ms is not None
    scene.wait(error.retry_ms + 1)
    at.ann.say(at.play("5"))  # the same again
    assert at.ann.last(messages.MatchState).ply == 1


def test_who_does_not_listen_is_not_read_for_a_while_and_then_cut(scene: Scene) -> None:
    ann = scene.enter("ann")
    until_refused(ann, LOBBY)
    for _ in range(MAX_UNREAD):
        ann.send(LOBBY)
    assert len(ann.transport.rests) == 1
    ann.heard()
    for _ in range(MAX_UNREAD * MAX_RESTS):
        ann.send(LOBBY)
    assert len(ann.transport.rests) == MAX_RESTS
    assert ann.codes()[-1] == "session/flood"
    assert ann.transport.ended == (1008, "session/flood")


def test_what_has_no_meaning_costs_as_well(scene: Scene) -> None:
    ann = scene.enter("ann")
    for _ in range(10_000):
        ann.send_bytes(b"\x82\xa4type\xa3abc\xa2id\x01")
        if "session/flood" in ann.codes():
            return
    raise AssertionError("it is never refused")


def test_all_connections_of_a_session_pay_together(scene: Scene) -> None:
    ann = scene.enter("ann")
    for _ in range(2):
        until_refused(scene.enter(token=ann.token), LOBBY)
    assert ann.refused(LOBBY) == "session/flood"  # who has hardly asked for anything herself
    assert scene.enter("bob").ask(LOBBY, messages.LobbyList).total == 0


@pytest.mark.parametrize(
    "request_", [NO_PLAY, LOBBY, LadderStatus(id=1)], ids=lambda r: type(r).__name__
)
def test_one_address_costs_no_more_than_it_may(scene: Scene, request_: messages.Request) -> None:
    """Sixteen sessions ask as fast as they can for three seconds, and are answered for so much."""
    config = Config()
    address = AddressBuckets(
        costs=(TokenBucket(config.address_micros, config.address_micros, scene.now()),),
        pace=TokenBucket(1, 1, scene.now()),
        plays=(TokenBucket(1, 1, scene.now()),),
    )
    players = [scene.enter() for _ in range(16)]
    for player in players:
        player.peer.allowances += address.costs
    data, answered = codec.encode(request_), 0
    for _ in range(30):
        for player in players:
            for _ in range(40):
                player.send_bytes(data)
            answered += sum(code != "session/flood" for code in codes(player))
        scene.wait(100)
    dearest = max(messages.Lobby.price, LadderStatus.price, REFUSED)
    assert answered < 4 * config.address_micros / 60 + 16
    assert answered > config.address_micros / dearest


def codes(player: Player) -> list[str]:
    """What each request was answered with."""
    return [getattr(message, "code", "") for message in player.heard() if message.re == 1]


def test_plays_of_an_address_are_free_up_to_a_number(scene: Scene) -> None:
    at = scene.match()
    at.ann.peer.plays = (TokenBucket(500, 1, scene.now()),)
    assert cost(at.ann, at.play("5")) == 0
    assert cost(at.ann, at.play("5")) > REPEATED  # no more are free in this millisecond


def test_a_play_that_costs_nothing_takes_of_its_address_s_share_of_the_time(scene: Scene) -> None:
    at = scene.match()
    pace = at.ann.peer.pace = TokenBucket(1_000, 1_000, scene.now())
    assert cost(at.ann, at.play("5")) == 0
    assert pace.level == 1_000 - PLAYED
    assert cost(at.ann, NO_PLAY) == REFUSED
    assert pace.level == 1_000 - PLAYED - REFUSED  # what is refused has its price alone


def test_a_guess_of_a_code_is_dear(scene: Scene) -> None:
    room, _, bob = scene.gather("ann", "bob", options=PRIVATE)
    for guess in (messages.Watch(id=1, code="QQQQQQ"), messages.Watch(id=1, room=room, code="Q")):
        assert cost(bob, guess) == messages.Watch.price + WRONG_CODE
    seconds = math.prod([31] * 6) / 100 / (Config().address_micros / WRONG_CODE)
    assert seconds / 86_400 > 25  # to one of a hundred rooms, on average


def test_who_talks_pays_for_all_who_listen(scene: Scene) -> None:
    room, ann = scene.gather("ann")
    alone = cost(ann, messages.Say(room=room, text="x" * 500))
    for _ in range(50):
        scene.enter().say(messages.Watch(room=room))
    assert cost(ann, messages.Say(room=room, text="x" * 500)) > alone + 50 * (PUSH + 5)


def test_who_looks_on_pays_for_what_is_shown_and_players_do_not(scene: Scene) -> None:
    at = scene.match(watcher=True)
    before = [spent(player) for player in (at.ann, at.bob, at.eve)]
    at.ann.say(at.play("5"))
    after = [spent(player) for player in (at.ann, at.bob, at.eve)]
    assert after[:2] == before[:2]
    assert PUSH < after[2] - before[2] < 2 * PUSH


def test_a_list_is_encoded_once_until_it_changes(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []
    listing = scene.lobby.listing
    monkeypatch.setattr(
        scene.lobby, "listing", lambda now, *rooms: written.append(now) or listing(now, *rooms)
    )
    room, ann = scene.gather("ann")
    players = [scene.enter(text=text) for text in (False, True, False, True)]
    for player in players:
        assert [line.room for line in player.ask(LOBBY, messages.LobbyList).rooms] == [room]
        assert player.ask(LadderStatus(id=7), messages.Push).re == 7  # type: ignore[type-abstract]
    assert len(written) == 2  # once for each encoding
    ann.say(messages.Leave(room=room))
    assert players[0].ask(LOBBY, messages.LobbyList).rooms == ()


def test_nobody_is_called_all_the_time(scene: Scene) -> None:
    bob = scene.enter("bob")
    callers = [scene.gather(name) for name in ("ann", "cat", "dan")]
    answers: list[messages.Push] = []
    for room, caller in callers:
        for _ in range(5):
            invite = messages.Invite(id=1, room=room, who="bob")
            answers.append(caller.ask(invite, messages.Push))  # type: ignore[type-abstract]
    assert len(bob.heard_of(messages.Invited)) == Config().invitations
    refusals = [answer for answer in answers if isinstance(answer, messages.Error)]
    assert {error.code for error in refusals} == {"invite/busy"}
    assert refusals[0].text == "bob has been invited by many just now; try again in 1 s"
    scene.wait(2_000)
    room, cat = callers[1]
    cat.ask(messages.Invite(id=1, room=room, who="bob"), messages.Ok)


def test_nobody_calls_all_the_time(scene: Scene) -> None:
    scene.enter("greta", bot=SHRUG)
    room, ann = scene.gather("ann")
    invite = messages.Invite(id=1, room=room, who="shrug")
    for _ in range(Config().invitations):
        ann.ask(invite, messages.Ok)
    error = ann.ask(invite, messages.Error)
    assert (error.code, error.retry_ms) == ("invite/busy", 1)


def test_allowances_of_sessions_are_forgotten(scene: Scene) -> None:
    for _ in range(3):
        scene.enter().go()
    known = scene.hub.sessions._allowances
    assert len(known) == 3
    scene.hub.sweep(scene.now())
    assert len(known) == 3  # they owe something
    scene.wait(5_000)
    scene.hub.sweep(scene.now())
    assert len(known) == 0


def test_a_hello_and_what_it_asks_for_are_paid_by_the_address(scene: Scene) -> None:
    costs, pace, plays = (TokenBucket(1_000, 1_000, scene.now()) for _ in range(3))
    address = AddressBuckets((costs,), pace, (plays,))
    transport = FakeTransport()
    peer = scene.hub.connected(transport, address)
    hello = codec.encode(messages.Hello(id=1, version=messages.VERSION, name="ann"))
    scene.hub.receive(peer, hello, False)
    assert costs.level == pace.level == 1_000 - messages.Hello.price
