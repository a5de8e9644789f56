"""History: what its pages tell, and to whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from games import dice, registry
from protocol import codec, messages, parts
from protocol.errors import Code
from server.core.events import Chatted, Closed, Dealt, Event, Who, read_body, write_body
from server.core.room import Room
from server.rooms.actor import Peer
from server.services import history
from server.services.purged import PURGED
from server.services.purged import write_body as write_purged
from server.store.contract import EventRow
from tests.server.core.score import (
    ANN,
    BOB,
    BOT,
    CAT,
    CODE,
    MATCH,
    PRIVATE,
    RATED,
    ROOM,
    Table,
    fresh,
    ready,
    seated,
    started,
)
from tests.server.memory_store import RowStore
from tests.server.scene import FakeTransport, Player, Scene


def row(seq: int, event: Event, match: int | None = 1) -> EventRow:
    return EventRow(ROOM, seq, 1, event.kind, match, write_body(event))


def asked(
    rows: Sequence[EventRow] | None,
    who: Who = ANN,
    room: Room | None = None,
    since: int = 0,
    code: str | None = None,
    page: int = 200,
    follows: bool = False,
) -> Any:
    """The answer to `history`; `room`: the room if it is open."""
    transport = FakeTransport()
    peer = Peer(transport)
    peer.who = who
    peer.follows = (ROOM,) if follows else ()
    request = messages.History(id=3, room=ROOM, since=since, code=code)
    history.answer(RowStore(rows), page, peer, request, room)
    (frame,) = transport.frames
    assert len(frame) <= messages.MAX_SERVER_FRAME
    return codec.decode_reply(frame)


def told(answer: Any) -> messages.HistoryPage:
    assert isinstance(answer, messages.HistoryPage)
    assert answer.re == 3
    return answer


def both_ready(table: Table, other: Who = BOB) -> None:
    table.at(0, ANN, ready())
    table.at(0, other, ready())


def refused(answer: Any) -> str:
    assert isinstance(answer, messages.Error)
    assert answer.re == 3
    return answer.code


def closed(options: parts.Options | None = None) -> Table:
    table = started(options=options)
    table.plays("1", "4", "2", "5", "3")
    table.at(0, ANN, messages.Leave(room=ROOM))
    table.at(0, BOB, messages.Leave(room=ROOM))
    return table


def test_history_tells_all_in_order_and_in_pages() -> None:
    table = started()
    kinds = ["created", "joined", "joined", "ready", "ready", "started"]
    page = told(asked(table.rows, room=table.room))
    assert [(e.seq, e.kind) for e in page.events] == list(enumerate(kinds, 1))
    assert (page.events[-1].match, page.next) == (MATCH, None)
    page = told(asked(table.rows, room=table.room, page=4))
    assert ([e.seq for e in page.events], page.next) == ([1, 2, 3, 4], 4)
    page = told(asked(table.rows, room=table.room, page=4, since=4))
    assert ([e.seq for e in page.events], page.next) == ([5, 6], None)
    page = told(asked(table.rows, room=table.room, since=6))
    assert (page.events, page.next) == ((), None)


@pytest.mark.parametrize("text", ["𝄞" * 500, '"' * 500])
def test_a_page_is_no_larger_than_a_frame(text: str) -> None:
    table = started()
    for _ in range(300):
        table.at(0, ANN, messages.Say(room=ROOM, text=text))
    seqs, since = [], 0
    while True:
        page = told(asked(table.rows, room=table.room, since=since))
        seqs += [e.seq for e in page.events]
        if page.next is None:
            break
        since = page.next
    assert seqs == list(range(1, 307))
    rows = [row(1, Chatted(0, ANN, "x" * 100_000), None), row(2, Chatted(0, ANN, "y"), None)]
    room = replace(table.room, seq=2)
    page = told(asked(rows, room=room))  # a body beyond all bounds does not stop the pages
    assert ([e.seq for e in page.events], page.next) == ([1], 1)


def test_a_log_that_cannot_be_read_is_said_so() -> None:
    assert refused(asked(None, room=started().room)) == Code.SERVER_NOT_STORED
    assert refused(asked(None)) == Code.SERVER_NOT_STORED
    assert refused(asked([])) == Code.SERVER_NOT_STORED
    assert (
        refused(asked(started("pebbles").rows)) == Code.SERVER_NOT_STORED
    )  # its end is not stored


def test_a_secret_is_in_history_once_its_match_is_over() -> None:
    table = seated("pebbles", secret=5)
    secrets = [fresh(5).secret.hex()]

    def seen() -> list[tuple[str | None, str | None]]:
        page = told(asked(table.rows, room=table.room))
        return [(e.commitment, e.secret) for e in page.events if e.kind == "dealt"]

    promised = dice.commitment(fresh(5).secret)
    assert seen() == [(promised, None)]
    both_ready(table)
    assert seen() == [(promised, None)]
    table.at(0, ANN, messages.Abort(match=MATCH))  # so it serves the next match as well
    assert seen() == [(promised, None)] * 2
    both_ready(table)
    assert seen() == [(promised, None)] * 2
    table.at(0, ANN, messages.Resign(match="17.2"))
    assert [secret for _, secret in seen()] == [secrets[0], secrets[0], None]
    both_ready(table)
    assert [secret for _, secret in seen()] == [secrets[0], secrets[0], None]
    dealt = [read_body(r.kind, r.body) for r in table.rows if r.kind == "dealt"]
    assert isinstance(dealt[2], Dealt)
    secrets += [secrets[0], dealt[2].secret.hex()]
    table.at(0, ANN, messages.Resign(match="17.3"))
    assert [secret for _, secret in seen()] == [*secrets, None]


def test_a_thought_in_a_rated_match_is_in_history_once_it_is_over() -> None:
    table = started(options=RATED)
    table.at(0, ANN, table.play("5", note="the middle"))
    assert told(asked(table.rows, room=table.room)).events[6].note is None
    table.at(0, BOB, messages.Resign(match=MATCH))
    assert told(asked(table.rows, room=table.room)).events[6].note == "the middle"


def test_a_closed_room_is_an_open_book() -> None:
    table = closed(RATED)
    page = told(asked(table.rows, who=CAT))
    assert page.events[-1].kind == "closed"
    assert told(asked(table.rows, who=CAT, since=12)).events[0].seq == 13


def test_a_private_one_is_for_who_owned_it_or_knows_its_code() -> None:
    rows = closed(PRIVATE).rows
    for who, code in ((ANN, None), (CAT, CODE), (CAT, CODE.lower()), (BOB, CODE)):
        assert told(asked(rows, who=who, code=code)).events[-1].kind == "closed"
    for code in (None, "AAAAAA"):
        assert refused(asked(rows, who=CAT, code=code)) == Code.ROOM_WRONG_CODE
    table = Table(options=PRIVATE, seat=None, owner=CAT)  # a host that never sat there
    rows = [*table.rows, row(2, Closed(0, "nobody was here"), None)]
    assert told(asked(rows, who=CAT)).events[0].kind == "created"


def test_what_ends_before_the_room_does_is_no_history(caplog: pytest.LogCaptureFixture) -> None:
    table = started()
    for rows in (table.rows[:-1], []):
        assert refused(asked(rows, room=table.room)) == Code.SERVER_NOT_STORED
        assert f"events from seq {len(rows) + 1} on are missing" in caplog.text
    assert told(asked(table.rows, room=table.room, since=table.room.seq)).events == ()


def test_a_damaged_row_is_left_out_and_lets_nobody_in() -> None:
    table = started()
    table.rows[2] = table.rows[2]._replace(body=b"\xc1")
    assert [e.seq for e in told(asked(table.rows, room=table.room)).events] == [1, 2, 4, 5, 6]
    rows = closed(PRIVATE).rows
    rows[5] = rows[5]._replace(body=b"\xc1")
    assert rows[5].kind == "started"
    assert refused(asked(rows, who=BOB)) == Code.ROOM_WRONG_CODE
    assert told(asked(rows, who=ANN)).events


def test_what_the_host_has_purged_is_told_as_that() -> None:
    rows = [EventRow(ROOM, 1, 1, PURGED, None, write_purged(1_700_000_000_000))]
    for since in (0, 3):
        answer = asked(rows, who=CAT, since=since)
        assert refused(answer) == Code.ROOM_PURGED
        assert "purged by the host on 2023-11-14" in answer.text


def left_private() -> Table:
    """Ann and bob have played in ann's private room; bob has left, and cat sits there now."""
    table = started("pebbles", PRIVATE)
    table.at(0, ANN, messages.Resign(match=MATCH))
    table.at(0, BOB, messages.Leave(room=ROOM))
    table.at(0, ANN, messages.Say(room=ROOM, text="between ourselves"))
    table.at(0, CAT, messages.Join(room=ROOM, code=CODE))
    return table


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
def test_who_has_played_in_a_private_room_reads_up_to_the_own_last_match(is_open: bool) -> None:
    table = left_private()
    if not is_open:
        table.at(0, CAT, messages.Leave(room=ROOM))
        table.at(0, ANN, messages.Leave(room=ROOM))
    page = told(asked(table.rows, who=BOB, room=table.room if is_open else None))
    assert (page.events[-1].kind, page.next) == ("ended", None)
    assert [e.secret is not None for e in page.events if e.kind == "dealt"] == [True]
    page = told(asked(table.rows, who=BOB, room=table.room if is_open else None, page=5))
    assert page.next == 5


def test_who_came_late_into_a_long_private_room_has_played_there_all_the_same() -> None:
    table = left_private()
    for _ in range(300):
        table.at(0, ANN, messages.Say(room=ROOM, text="all evening"))
    both_ready(table, CAT)
    table.at(0, ANN, messages.Resign(match="17.2"))
    table.at(0, CAT, messages.Leave(room=ROOM))
    table.at(0, ANN, messages.Leave(room=ROOM))
    last = told(asked(table.rows, who=CAT, since=table.rows[-8].seq)).events[-1]
    assert (last.kind, last.match) == ("ended", "17.2")


def test_who_only_sat_in_a_private_room_needs_its_code() -> None:
    table = left_private()
    table.at(0, CAT, messages.Leave(room=ROOM))
    assert refused(asked(table.rows, who=CAT, room=table.room)) == Code.ROOM_WRONG_CODE
    page = told(asked(table.rows, who=CAT, room=table.room, code=CODE))
    assert page.events[-1].kind == "left"


def test_a_running_match_is_for_those_in_the_room() -> None:
    table = left_private()
    both_ready(table, CAT)
    for who in (ANN, CAT):
        assert told(asked(table.rows, who=who, room=table.room)).events[-1].kind == "roll"
    assert told(asked(table.rows, who=BOB, room=table.room)).events[-1].match == MATCH
    watching = asked(table.rows, who=Who(9, "eve"), room=table.room, follows=True)
    assert told(watching).events[-1].kind == "roll"
    assert refused(asked(table.rows, who=Who(9, "eve"), room=table.room)) == Code.ROOM_WRONG_CODE


@pytest.mark.parametrize("program", [None, "mcts", "random"])
def test_what_a_program_may_read_its_owner_and_the_other_programs_may(program: str | None) -> None:
    table = Table("pebbles", PRIVATE)
    table.at(0, BOT, messages.Join(room=ROOM, code=CODE))
    both_ready(table, BOT)
    asker = Who(BOT.session, BOT.name, program)
    assert told(asked(table.rows, who=asker, room=table.room)).events[-1].kind == "roll"
    table.at(0, BOT, messages.Resign(match=MATCH))
    table.at(0, BOT, messages.Leave(room=ROOM))
    assert told(asked(table.rows, who=asker, room=table.room)).events[-1].kind == "ended"


def test_all_kinds_of_all_games_are_told() -> None:
    for name in registry.names():
        table = started(name)
        table.at(0, table.mover(), table.play(table.match.position.legal_notation()[0]))
        assert len(told(asked(table.rows, room=table.room)).events) == len(table.rows)


def test_a_closed_room_that_fits_a_page_is_read_once(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = scene.enter("ann")
    room = scene.room(ann)
    ann.say(messages.Leave(room=room))
    with monkeypatch.context() as patched:
        patched.delattr(type(scene.store), "read_outline")
        page = ann.ask(messages.History(id=1, room=room), messages.HistoryPage)
    assert [event.kind for event in page.events][-1] == "closed"
    assert page.next is None
    rest = ann.ask(messages.History(id=2, room=room, since=1), messages.HistoryPage)
    assert rest.events == page.events[1:]


def test_players_read_what_spectators_say_after_their_match(scene: Scene) -> None:
    at = scene.match(watcher=True)
    history = messages.History(id=7, room=at.room)

    def read(player: Player) -> list[str | None]:
        page = player.ask(history, messages.HistoryPage)
        return [event.text for event in page.events if event.kind == "said"]

    for player, text in ((at.eve, "Play 5!"), (at.bob, "Hello")):
        player.say(messages.Say(room=at.room, text=text))
    heard = [[said.text for said in p.heard_of(messages.Said)] for p in (at.ann, at.bob, at.eve)]
    assert heard == [["Hello"], ["Hello"], ["Play 5!", "Hello"]]
    assert [read(each) for each in (at.ann, at.eve)] == [["Hello"], ["Play 5!", "Hello"]]
    at.ann.say(messages.Abort(match=at.name))
    for player in (at.ann, at.bob):
        assert [said.text for said in player.heard_of(messages.Said)] == ["Play 5!"]
    assert at.eve.heard_of(messages.Said) == []
    assert read(at.bob) == ["Play 5!", "Hello"]
    at.eve.say(messages.Say(room=at.room, text="Well played"))
    assert [said.text for said in at.ann.heard_of(messages.Said)] == ["Well played"]
