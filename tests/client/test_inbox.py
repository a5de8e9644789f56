"""The queue of what was pushed and not yet taken."""

import pytest

from client.inbox import BEHIND, FULL, Inbox
from protocol.messages import MatchState, Push, Said
from tests.client.fake_server import lobby, match, room
from tests.client.ladder import states


def fill(inbox: Inbox, *messages: Push) -> None:
    for message in messages:
        assert inbox.put(message)


def drain(inbox: Inbox) -> list[Push]:
    return [inbox.take() for _ in range(len(inbox))]


def said(seq: int) -> Said:
    return Said(room=17, seq=seq, name="bob", text="hm", at=0)


@pytest.mark.parametrize(
    "news",
    [[match(seq=seq) for seq in range(BEHIND)], [said(seq) for seq in range(3 * BEHIND)]],
    ids=["while the program keeps up", "that may not be"],
)
def test_nothing_is_skipped(news: list[Push]) -> None:
    inbox = Inbox()
    fill(inbox, *news)
    assert drain(inbox) == news


def test_only_the_newest_whole_truths_are_kept_when_it_is_behind() -> None:
    inbox = Inbox()
    old = [match("17.1", seq=1), lobby(1), room(seq=2), match("18.1", seq=3), lobby(2)]
    newer = [match("17.1", seq=seq) for seq in range(4, BEHIND - 1)]
    fill(inbox, *old, *newer, said(99))
    assert drain(inbox) == [room(seq=2), match("18.1", seq=3), lobby(2), newer[-1], said(99)]


def test_of_a_ladder_the_newest_standing_is_kept() -> None:
    inbox = Inbox()
    one, other = states.state(seq=1), states.state(seq=2, ladder=states.line(name="weekly"))
    newer = [states.state(seq=seq) for seq in range(3, BEHIND + 2)]
    fill(inbox, one, other, *newer)
    assert drain(inbox) == [other, *newer[-2:]]


def test_match_messages_alone_never_fill_it() -> None:
    inbox = Inbox()
    for seq in range(3 * FULL):
        assert inbox.put(match(seq=seq))
        assert len(inbox) <= BEHIND
    *_, last = drain(inbox)
    assert isinstance(last, MatchState)
    assert last.seq == 3 * FULL - 1


def test_it_is_bounded_and_says_when_it_is_full() -> None:
    inbox = Inbox()
    fill(inbox, *(said(seq) for seq in range(FULL)))
    assert not inbox.put(said(FULL))
    assert len(inbox) == FULL
    inbox.clear()
    fill(inbox, said(1))
    assert drain(inbox) == [said(1)]
