"""Strangers who know only SPEC.md: a provocation for every code of its table."""

from __future__ import annotations

import asyncio
import json
import re
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from tests.live.house import SPEC, Come, House, open_house, read
from tests.live.provoking import (
    ANN,
    CLOCK,
    CODE,
    LADDER,
    MATCH,
    NEXT,
    NOW,
    ROOM,
    TURN,
    Deed,
    Scene,
    Setting,
    asks,
    at_once,
    begun,
    bot_asks,
    changes_its_version,
    closed,
    connects_too_often,
    finds_all_bots_busy,
    four,
    hoards_rooms,
    invites_a_busy_bot,
    ladder,
    lobby,
    moved,
    offered,
    over,
    private,
    rated,
    reports,
    sends,
    stopped,
    table,
    wants_two_analyses,
)
from tests.live.stranger import CUT, Refused, Stranger

pytestmark = pytest.mark.socket

CONTRADICTION = {"clock": {"base_ms": 60_000, "per_move_ms": 1_000}}
SHOW_LEGAL = {"match/bad-notation", "match/illegal-action"}
CLOSING = {"protocol/bad-frame", "protocol/bad-message", "protocol/too-large"}

# A scene, who provokes the server in it, by what deed, and the code that this gets.
PROVOCATIONS: list[tuple[str, Setting, str, Deed]] = [
    ("protocol/bad-frame", lobby, "ann", sends("{")),
    ("protocol/bad-frame", lobby, "ann", sends('{"type": "link"} {"type": "link"}')),
    ("protocol/bad-frame", lobby, "ann", sends('{"type": "lobby", "number": NaN}')),
    ("protocol/bad-frame", lobby, "ann", sends(b"\xc1")),
    ("protocol/bad-frame", lobby, "nobody", sends("not json")),
    ("protocol/bad-message", lobby, "ann", sends("[1, 2]")),
    ("protocol/bad-message", lobby, "ann", sends('{"id": 1}')),
    ("protocol/bad-message", lobby, "nobody", asks("hello")),
    ("protocol/bad-message", lobby, "nobody", asks("hello", version=1.0)),
    ("protocol/bad-message", lobby, "ann", asks("create", game=4)),
    ("protocol/bad-message", lobby, "ann", asks("create", game="tic_tac_toe", seat=2)),
    ("protocol/bad-message", lobby, "ann", asks("join", room=2**53)),
    ("protocol/bad-message", lobby, "ann", asks("join", room=-1)),
    ("protocol/bad-message", lobby, "ann", asks("create", game="x" * 257)),
    ("protocol/too-large", lobby, "ann", sends(json.dumps({"type": "link", "x": "y" * 65_536}))),
    ("protocol/unknown-type", lobby, "ann", asks("castle")),
    ("protocol/unknown-type", lobby, "ann", asks("welcome")),
    ("protocol/wrong-version", lobby, "nobody", asks("hello", version=2)),
    ("session/bad-bot", lobby, "nobody", asks("hello", version=1, bot={"program": "a b"})),
    (
        "session/bad-bot",
        lobby,
        "nobody",
        asks("hello", version=1, bot={"program": "a", "games": ["chess"]}),
    ),
    ("session/bad-link", lobby, "nobody", asks("hello", version=1, link="NOSUCHLINK")),
    ("session/bad-name", lobby, "nobody", asks("hello", version=1, name="a/b")),
    ("session/bad-name", lobby, "nobody", asks("hello", version=1, name="a@b")),
    ("session/bad-name", lobby, "nobody", asks("hello", version=1, name=" ")),
    ("session/bad-name", lobby, "nobody", asks("hello", version=1, name="x" * 25)),
    ("session/bad-name", lobby, "nobody", asks("hello", version=1, bot={"program": "a/b"})),
    ("session/bad-token", lobby, "nobody", asks("hello", version=1, token="nobody's")),
    ("session/flood", lobby, "ann", at_once(200, "lobby", follow=False)),
    ("session/hello-again", lobby, "ann", asks("hello", version=1)),
    ("session/hello-first", lobby, "nobody", asks("lobby")),
    ("session/name-taken", lobby, "nobody", asks("hello", version=1, name=ANN)),
    ("session/too-many", lobby, "ann", connects_too_often),
    ("lobby/bad-option", lobby, "ann", asks("create", game="tic_tac_toe", options=CONTRADICTION)),
    (
        "lobby/bad-option",
        lobby,
        "ann",
        asks("create", game="tic_tac_toe", options={"rated": True}),
    ),
    ("lobby/no-room", lobby, "ann", asks("join", room=2**53 - 1)),
    ("lobby/no-room", lobby, "ann", asks("watch")),
    ("lobby/no-room", lobby, "ann", asks("history", room=0)),
    ("lobby/no-room", lobby, "ann", asks("resign", match="nonsense")),
    ("lobby/no-room", lobby, "ann", asks("analyse", match="nonsense")),
    ("lobby/no-room", lobby, "ann", asks("analyse", match="0.1")),
    ("lobby/too-many-rooms", lobby, "ann", hoards_rooms),
    ("lobby/unknown-game", lobby, "ann", asks("create", game="chess")),
    ("room/busy", table, "ann", at_once(20, "say", room=ROOM, text="now")),
    ("room/closed", closed, "bob", asks("join", room=ROOM)),
    ("room/closed", closed, "ann", asks("say", room=ROOM, text="still there?")),
    ("room/full", table, "cyd", asks("join", room=ROOM)),
    ("room/match-on", begun, "ann", asks("leave", room=ROOM)),
    ("room/match-on", begun, "ann", asks("kick", room=ROOM, seat=1)),
    ("room/no-match", private, "ann", asks("resign", match=MATCH)),
    ("room/not-owner", table, "bob", asks("kick", room=ROOM, seat=0)),
    ("room/not-seated", table, "cyd", asks("ready", room=ROOM)),
    ("room/not-seated", table, "cyd", asks("say", room=ROOM, text="hello?")),
    ("room/not-seated", begun, "cyd", asks("play", match=MATCH, turn=TURN, action="1")),
    ("room/not-seated", begun, "cyd", asks("resign", match=MATCH)),
    ("room/seat-empty", private, "ann", asks("kick", room=ROOM, seat=1)),
    ("room/seat-taken", private, "bob", asks("join", code=CODE, seat=0)),
    ("room/wrong-code", private, "bob", asks("join", room=ROOM)),
    ("room/wrong-code", private, "bob", asks("join", room=ROOM, code="AAAAAA")),
    ("room/wrong-code", private, "bob", asks("watch", code="AAAAAA")),
    ("room/wrong-code", private, "bob", asks("history", room=ROOM)),
    ("room/wrong-code", private, "bob", asks("analyse", match=MATCH)),
    ("room/wrong-code", private, "bob", asks("analyse", match=MATCH, code="AAAAAA")),
    ("match/bad-notation", begun, "ann", asks("play", match=MATCH, turn=TURN, action="middle")),
    (
        "match/bad-note",
        begun,
        "ann",
        asks("play", match=MATCH, turn=TURN, action="1", note="é" * 257),
    ),
    ("match/bad-salt", table, "ann", asks("ready", room=ROOM, salt="salt")),
    ("match/bad-salt", table, "ann", asks("ready", room=ROOM, salt="a" * 65)),
    ("match/illegal-action", moved, "ann", asks("play", match=MATCH, turn=NOW, action="2")),
    ("match/no-offer", begun, "ann", asks("answer", match=MATCH, kind="draw", accept=True)),
    ("match/no-offer", offered, "ann", asks("answer", match=MATCH, kind="draw", accept=True)),
    ("match/no-offer", lobby, "ann", asks("advise", ask=2**53 - 1, action="1")),
    ("match/no-offer", lobby, "ann", asks("report_analysis", ask=2**53 - 1)),
    ("match/not-absent", begun, "ann", asks("claim", match=MATCH)),
    ("match/not-allowed", begun, "ann", asks("offer", match=MATCH, kind="takeback")),
    ("match/not-allowed", rated, "ann", asks("offer", match=MATCH, kind="takeback")),
    ("match/not-allowed", rated, "ann", asks("hint", match=MATCH)),
    ("match/not-allowed", rated, "ann", asks("claim", match=MATCH)),
    ("match/not-your-turn", begun, "bob", asks("play", match=MATCH, turn=TURN, action="1")),
    ("match/not-your-turn", begun, "bob", asks("hint", match=MATCH)),
    ("match/offer-again", offered, "ann", asks("offer", match=MATCH, kind="draw")),
    ("match/offer-again", offered, "bob", asks("offer", match=MATCH, kind="draw")),
    ("match/over", over, "ann", asks("play", match=MATCH, turn=TURN, action="1")),
    ("match/over", over, "bob", asks("resign", match=MATCH)),
    ("match/over", over, "bob", asks("offer", match=MATCH, kind="draw")),
    ("match/stale-turn", moved, "ann", asks("play", match=MATCH, turn=TURN, action="3")),
    ("match/stale-turn", moved, "bob", asks("play", match=MATCH, turn=TURN, action="1")),
    ("match/too-late-to-abort", moved, "bob", asks("abort", match=MATCH)),
    ("chat/bad-text", table, "ann", asks("say", room=ROOM, text="")),
    ("chat/bad-text", table, "ann", asks("say", room=ROOM, text="\u200b")),
    ("chat/bad-text", table, "ann", asks("say", room=ROOM, text="é" * 501)),
    ("analysis/bad-report", over, "ann", reports(game="chess")),
    ("analysis/bad-report", over, "ann", reports(left=[0])),
    (
        "analysis/bad-report",
        over,
        "ann",
        reports(plays=[{"ply": 0, "seat": 0, "action": "5", "loss": 0.0}]),
    ),
    ("analysis/busy", over, "ann", wants_two_analyses),
    ("analysis/busy", over, "cyd", finds_all_bots_busy),
    ("analysis/no-bot", over, "cyd", asks("analyse", match=MATCH)),
    ("analysis/not-over", begun, "cyd", asks("analyse", match=MATCH)),
    ("analysis/not-over", over, "ann", asks("analyse", match=NEXT)),
    ("hint/no-bot", four, "ann", asks("hint", match=MATCH)),
    ("invite/busy", private, "ann", invites_a_busy_bot),
    ("invite/no-such-player", private, "ann", asks("invite", room=ROOM, who="nobody at all")),
    (
        "ladder/bad-format",
        lobby,
        "ann",
        asks("ladder_create", name="cup", game="tic_tac_toe", clock=CLOCK, format="knockout"),
    ),
    (
        "ladder/bad-name",
        lobby,
        "ann",
        asks("ladder_create", name="the cup", game="tic_tac_toe", clock=CLOCK),
    ),
    (
        "ladder/bad-option",
        lobby,
        "ann",
        asks("ladder_create", name="cup", game="tic_tac_toe", clock=CONTRADICTION["clock"]),
    ),
    ("ladder/finished", stopped, "ann", asks("ladder_stop", ladder=LADDER)),
    ("ladder/finished", stopped, "ann", bot_asks({}, "ladder_join", ladder=LADDER)),
    (
        "ladder/name-taken",
        ladder,
        "bob",
        asks("ladder_create", name=LADDER, game="connect_four", clock=CLOCK),
    ),
    ("ladder/not-a-bot", ladder, "ann", asks("ladder_join", ladder=LADDER)),
    ("ladder/not-joined", ladder, "ann", asks("ladder_leave", ladder=LADDER)),
    ("ladder/not-owner", ladder, "bob", asks("ladder_stop", ladder=LADDER)),
    ("ladder/quota", ladder, "bob", bot_asks({}, "ladder_join", ladder=LADDER, slots=17)),
    ("ladder/unknown", lobby, "ann", asks("ladder_status", ladder="nowhere")),
    ("ladder/version-clash", ladder, "bob", changes_its_version),
    (
        "ladder/wrong-game",
        ladder,
        "bob",
        bot_asks({"games": ["connect_four"]}, "ladder_join", ladder=LADDER),
    ),
]

EXCUSED = {
    "ladder/no-ratings": "only a server without numpy says it",
    "ladder/suspended": "seen where a bot fails six times",
    "ladder/too-many": "only a server full of ladders says it",
    "room/failed": "only a mistake in the server makes it",
    "server/not-stored": "only a failing disk makes it",
    "server/closing": "seen where a server is stopped",
    "session/replaced": "seen where a bot connects twice",
}


@pytest.mark.parametrize(
    ("code", "setting", "name", "deed"),
    [pytest.param(*row, id=f"{number}-{row[0]}") for number, row in enumerate(PROVOCATIONS)],
)
async def test_a_provocation_gets_its_code_and_changes_nothing(
    come: Come, house: House, code: str, setting: Setting, name: str, deed: Deed
) -> None:
    nobody = await Stranger(house.url).dial()
    scene = Scene(await come("ann"), await come("bob"), await come("cyd"), nobody)
    await setting(scene)
    who: Stranger = getattr(scene, name)
    before = await read(scene.ann, scene.room) if scene.room else []

    with pytest.raises(Refused) as refused:
        await deed(who, scene)
    error = refused.value.error
    assert (error["code"], bool(error["text"])) == (code, True)
    legal = scene.ann.matches[scene.match].get("legal") if code in SHOW_LEGAL else None
    assert error.get("legal") == legal
    assert ("suggestion" in error) == (code == "session/name-taken")

    if code in CLOSING:
        await who.until(lambda: who.farewell)
        assert who.farewell is not None
        assert who.farewell[0] in ({1009} if code == "protocol/too-large" else {1002, 1007})
    elif who is nobody:
        await nobody.ask("hello", version=1, name=error.get("suggestion"))
    elif code != "session/flood":
        await who.ask("lobby", follow=False)
    if code not in {"room/busy", "session/flood"} and scene.room:
        assert await read(scene.ann, scene.room) == before
    await nobody.close()


def test_every_code_of_the_page_is_provoked_or_excused() -> None:
    codes = re.findall(r"^\| `(\w+/[a-z-]+)` \|", SPEC.partition("## Codes")[2], flags=re.MULTILINE)
    assert sorted({row[0] for row in PROVOCATIONS} | set(EXCUSED)) == sorted(codes)


async def test_who_goes_on_flooding_is_sent_away(come: Come) -> None:
    ann = await come("ann")
    with suppress(*CUT):
        while ann.farewell is None:
            await ann.send('{"type": "lobby", "follow": false}')
            await asyncio.sleep(0)
    await ann.until(lambda: ann.farewell)
    assert (ann.heard[-1]["type"], ann.heard[-1]["code"]) == ("bye", "session/flood")
    assert ann.farewell is not None
    assert ann.farewell[0] == 1008


async def test_a_frame_may_be_as_large_as_the_page_says(come: Come) -> None:
    ann = await come("ann")
    empty = json.dumps({"type": "link", "id": 99, "unknown": ""})
    padding = "x" * (65_536 - len(empty))
    await ann.send(empty.replace('""', f'"{padding}"'))
    assert await ann.until(lambda: ann.heard[-1].get("re") == 99)
    assert ann.heard[-1]["type"] == "link"


# Over plain HTTP


def fetch(address: str, host: str | None = None) -> Any:
    """Get /healthz, as if the server were called `host`."""
    request = urllib.request.Request(f"http://{address}/healthz")
    if host is not None:
        request.add_header("Host", host)
    with urllib.request.urlopen(request, timeout=5) as answer:
        return json.load(answer)


async def test_the_state_of_health_names_the_same_database_as_the_welcome(
    come: Come, house: House
) -> None:
    health = await asyncio.to_thread(fetch, house.address)
    assert health["ok"] is True
    assert health["server"] == (await come()).heard[0]["server"]


@pytest.mark.parametrize("host", ["example.org", "localhost.example.org"])
async def test_a_host_of_an_unknown_name_is_misdirected(house: House, host: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="421") as error:
        await asyncio.to_thread(fetch, house.address, host)
    error.value.close()


async def test_an_address_has_sixty_four_connections_and_no_more(tmp_path: Path) -> None:
    with open_house(tmp_path / "data") as house:
        crowd = [await Stranger(house.url).dial() for _ in range(64)]
        with pytest.raises(InvalidStatus, match="503"):
            await Stranger(house.url).dial()
        await asyncio.gather(*[stranger.close() for stranger in crowd])
