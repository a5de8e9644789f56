"""Requests that are unsent, unanswered or standing."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from client.errors import ConnectionOver, Interrupted, OutboxFull
from client.ledger import MAX_UNSENT, Ledger
from protocol import messages
from protocol.errors import Code, ProtocolError, Refusal
from protocol.ladder import LadderCompare, LadderHistory, LadderPairs, LadderStatus
from tests.client.fake_server import lobby, match, room

PLAY = messages.Play(match="17.1", turn=3, action="5")
SAY = messages.Say(room=17, text="hm")


@pytest.fixture
async def ledger() -> Ledger:
    return Ledger()


def sent(ledger: Ledger, request: messages.Request) -> asyncio.Future[messages.Push]:
    numbered, answer = ledger.number(request)
    ledger.sent(numbered)
    return answer


def granted(
    ledger: Ledger, request: messages.Request, reply: messages.Push
) -> messages.Push | None:
    numbered, _ = ledger.number(request)
    ledger.sent(numbered)
    return ledger.settle(replace(reply, re=numbered.id))


def unsent(ledger: Ledger) -> list[messages.Request]:
    requests = []
    while (request := ledger.next_unsent()) is not None:
        requests.append(request)
    return requests


async def test_each_request_gets_a_number_and_its_own_answer(ledger: Ledger) -> None:
    one, two = sent(ledger, SAY), sent(ledger, SAY)
    assert ledger.settle(messages.Ok(re=2, seq=8)) is None
    assert ledger.settle(messages.Ok(re=1, seq=7)) is None
    assert (one.result(), two.result()) == (messages.Ok(re=1, seq=7), messages.Ok(re=2, seq=8))


async def test_answer_that_nobody_asked_for_or_waits_for_is_dropped(ledger: Ledger) -> None:
    assert ledger.settle(messages.Ok(re=9)) is None
    ledger.reject(ProtocolError(Code.PROTOCOL_BAD_MESSAGE, "no", re=9))
    for reply in (messages.Ok(), messages.Error(code="x/y", text="no")):
        numbered, answer = ledger.number(SAY)
        ledger.sent(numbered)
        answer.cancel()
        assert ledger.settle(replace(reply, re=numbered.id)) is None
    ledger.sent(SAY)  # it has no number
    ledger.drop(SAY)
    assert unsent(ledger) == []


async def test_refusal_reaches_its_asker(ledger: Ledger) -> None:
    answer = sent(ledger, PLAY)
    error = messages.Error(
        re=1, code=Code.MATCH_ILLEGAL_ACTION, text="no", legal=("1",), suggestion="1"
    )
    ledger.settle(error)
    no = answer.exception()
    assert isinstance(no, Refusal)
    assert (no.code, no.text, no.legal, no.suggestion) == (error.code, "no", ("1",), "1")


async def test_answer_of_a_wrong_type_is_a_protocol_error(ledger: Ledger) -> None:
    answer = sent(ledger, messages.Lobby())
    assert ledger.settle(room(re=1)) is None
    assert isinstance(answer.exception(), ProtocolError)
    assert "answered `lobby` with `room`" in str(answer.exception())


async def test_state_in_place_of_an_ok_is_both_answer_and_news(ledger: Ledger) -> None:
    answer = sent(ledger, PLAY)
    assert ledger.settle(match(seq=9, re=1)) == match(seq=9)
    assert answer.result() == messages.Ok(re=1, seq=9)


async def test_unsent_requests_wait_in_order_but_those_nobody_waits_for(ledger: Ledger) -> None:
    (first, answer), (left, left_answer) = ledger.number(SAY), ledger.number(SAY)
    for request in (first, left, PLAY):
        ledger.queue(request)
    ledger.lost()
    assert not answer.done()
    left_answer.cancel()
    assert unsent(ledger) == [first, PLAY]


async def test_unsent_requests_are_bounded(ledger: Ledger) -> None:
    for _ in range(MAX_UNSENT):
        ledger.queue(PLAY)
    with pytest.raises(OutboxFull):
        ledger.queue(PLAY)


async def test_lost_requests_are_repeated_if_that_is_harmless(ledger: Ledger) -> None:
    repeatable: list[messages.Request] = [
        PLAY,
        messages.Lobby(),
        messages.History(room=17),
        messages.Watch(room=17),
    ]
    repeatable += [LadderStatus(), LadderPairs(ladder="x"), LadderHistory(ladder="x")]
    repeatable += [LadderCompare(ladder="x")]
    answers = [sent(ledger, request) for request in repeatable]
    ledger.queue(SAY)
    ledger.lost()
    assert not any(answer.done() for answer in answers)
    expected = [replace(request, id=number + 1) for number, request in enumerate(repeatable)]
    assert unsent(ledger) == [*expected, SAY]


async def test_lost_requests_are_interrupted_else(ledger: Ledger) -> None:
    answer = sent(ledger, SAY)
    left = sent(ledger, PLAY)
    left.cancel()
    ledger.lost()
    assert isinstance(answer.exception(), Interrupted)
    assert "`say`" in str(answer.exception())
    assert unsent(ledger) == []
    assert ledger.settle(messages.Ok(re=1)) is None


async def test_at_the_end_everybody_gets_an_error_of_their_own(ledger: Ledger) -> None:
    one, two = sent(ledger, SAY), sent(ledger, PLAY)
    ledger.queue(SAY)
    ledger.fail(ConnectionOver)
    assert isinstance(one.exception(), ConnectionOver)
    assert one.exception() is not two.exception()
    assert unsent(ledger) == []


async def test_granted_watches_and_lobby_stand(ledger: Ledger) -> None:
    assert ledger.to_restore() == []
    granted(ledger, messages.Lobby(), lobby())
    granted(ledger, messages.Watch(code="QF7KDM"), room(23, seat=None))
    granted(ledger, messages.Create(game="x", seat=None), room(24, seat=None, code="ABCDEF"))
    granted(ledger, messages.Create(game="x"), room(25))
    granted(ledger, messages.History(room=17), messages.HistoryPage(room=17, events=()))
    granted(ledger, messages.Watch(room=26), messages.Error(code=Code.ROOM_WRONG_CODE, text="no"))
    assert ledger.to_restore() == [
        messages.Lobby(),
        messages.Watch(code="QF7KDM"),
        messages.Watch(room=24, code="ABCDEF"),
    ]


async def test_what_stands_ends(ledger: Ledger) -> None:
    granted(ledger, messages.Lobby(), lobby())
    for number in (1, 2, 3, 4):
        granted(ledger, messages.Watch(room=number), room(number, seat=None))
    granted(ledger, messages.Lobby(follow=False), lobby())
    granted(ledger, messages.Leave(room=1), messages.Ok())
    granted(ledger, messages.Join(room=2), room(2))
    ledger.observe(room(3, state="closed"))
    ledger.observe(room(4))
    ledger.observe(lobby())
    assert ledger.to_restore() == [messages.Watch(room=4)]
    ledger.revoke(messages.Watch(room=4))
    granted(ledger, messages.Lobby(follow="changes"), lobby())
    assert ledger.to_restore() == [messages.Lobby(follow="changes")]
    ledger.revoke(messages.Lobby())
    assert ledger.to_restore() == []
