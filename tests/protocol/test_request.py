"""What stands on the class of a request."""

from __future__ import annotations

from protocol import codec


def test_what_grants_a_request_is_a_message_of_the_server() -> None:
    assert {kind.answer for kind in codec.REQUESTS.values()} <= set(codec.REPLIES)


def test_a_request_that_may_be_asked_again_is_not_one_that_is_stored() -> None:
    stored = [kind for kind in codec.REQUESTS.values() if kind.repeatable and kind.answer == "ok"]
    assert [kind.__name__ for kind in stored] == ["Play"]  # which counts once, by its `turn`
