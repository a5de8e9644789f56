"""What has become of one's matches between two visits, and a bot that has no time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from client.names import keys
from client.terminal import meanwhile
from client.terminal.typed.commands import CreateRoom
from protocol import messages, past
from protocol.errors import Code, Refusal
from protocol.parts import Result, Strength
from tests.client.terminal.fakes import Stage, begun
from tests.client.terminal.states import ADA, BOB, bot, lobby, texts

URL = "127.0.0.1:8765"
NOW = datetime.now(UTC)
CLAIMED = Result(winner=1, returns=(-1.0, 1.0), how="abandon", reason="abandon")
RESIGNED = Result(winner=0, returns=(1.0, -1.0), how="resign", reason="resign")
BUSY = Refusal(Code.INVITE_BUSY, "mcts has no free slot; try again in a while")


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    keys.remember(URL, "ada", "secret")


def over(match: str, result: Result, ago: timedelta) -> past.MatchLine:
    at = int((NOW - ago).timestamp() * 1000)
    return past.MatchLine(
        match=match, game="tic_tac_toe", seats=(ADA, BOB), result=result, at=at, plies=4
    )


async def test_what_was_on_and_is_over_is_told_once_on_the_next_visit(stage: Stage) -> None:
    keys.await_ends(URL, "ada", ["17.1", "9.2", "8.1"])
    lines = (
        over("9.2", CLAIMED, timedelta(days=2)), over("8.1", RESIGNED, timedelta(days=40)),
        over("5.1", RESIGNED, timedelta(days=41)),
    )  # fmt: skip
    stage.connection.answers[past.Matches] = past.MatchPage(matches=lines)
    await stage.begin()
    await stage.hear(*begun())
    told = stage.interface.log
    told.clear()
    await meanwhile.tell(stage.session, URL)
    said = ["".join(text for _, text in line) for line in told]
    day, long_ago = NOW - timedelta(days=2), NOW - timedelta(days=40)
    assert said == [
        f"While you were away, on {long_ago.astimezone():%Y-%m-%d}, against bob: you won:"
        " bob resigned (Tic-tac-toe, 8.1).",
        f"While you were away, bob claimed the match on {day.astimezone():%A} (Tic-tac-toe, 9.2).",
    ]
    assert keys.awaited(URL, "ada") == ["17.1"]
    told.clear()
    await meanwhile.tell(stage.session, URL)
    assert told == []


async def test_where_no_list_is_to_be_had_the_visit_goes_on(stage: Stage) -> None:
    keys.await_ends(URL, "ada", ["9.2"])
    stage.connection.refuse[past.Matches] = Refusal(Code.ROOM_BUSY, "not now")
    await stage.begin()
    await meanwhile.tell(stage.session, URL)
    assert keys.awaited(URL, "ada") == []


@pytest.mark.parametrize(("who", "level"), [("mcts", 3), ("house/MCTS", None)])
async def test_where_a_bot_of_the_house_has_no_time_another_of_that_strength_comes(
    stage: Stage, who: str, level: int | None
) -> None:
    stage.connection.answers[messages.Lobby] = lobby(bots=[bot("mcts", "tic_tac_toe")])
    stage.connection.refuse[messages.Invite] = BUSY
    await stage.begin(CreateRoom("tic_tac_toe", who=who, strength=Strength(level=level)))
    first, second = stage.connection.asked_for(messages.Invite)
    assert (first.who, second.who) == (who, "house")
    assert second.strength == Strength(level=level or 4)
    said = texts(stage.interface.log)
    assert f"{who} has no time just now: another bot of that strength comes." in said


@pytest.mark.parametrize(("who", "nodes", "patient"), [("bob", None, False), ("mcts", 9, False),
                                                       ("mcts", None, True)])  # fmt: skip
async def test_nobody_comes_in_place_of_a_person_or_where_it_matters_which_bot_it_is(
    who: str, nodes: int | None, patient: bool
) -> None:
    stage = Stage(patient=patient)
    stage.connection.answers[messages.Lobby] = lobby(bots=[bot("mcts", "tic_tac_toe")])
    stage.connection.refuse[messages.Invite] = BUSY
    with pytest.raises(Refusal, match="no free slot"):
        await stage.begin(CreateRoom("tic_tac_toe", who=who, strength=Strength(nodes=nodes)))
    assert len(stage.connection.asked_for(messages.Invite)) == 1
