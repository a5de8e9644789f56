"""Strangers who know only SPEC.md: lines that are cut, plays that come twice, bots, hints."""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import suppress
from pathlib import Path

import pytest

from tests.live.house import (
    CELLS,
    COUNT,
    GAMES,
    RULES,
    SPEC,
    Come,
    House,
    ended,
    moves,
    of,
    open_house,
    read,
    running,
    seen,
    sit,
    start,
)
from tests.live.stranger import CUT, Refused, Stranger

pytestmark = pytest.mark.socket


async def test_a_play_that_is_sent_again_counts_once_even_when_it_ended_the_match(
    come: Come,
) -> None:
    ann, bob = players = [await come("ann"), await come("bob")]
    room = await sit(ann, bob)
    match = await start(room, ann, bob)
    first = {"match": match, "turn": ann.matches[match]["turn"], "action": "1"}
    await ann.ask("play", **first)
    await ann.ask("play", **first)
    await moves(match, players, ["1", "4"], since=1)
    await ann.ask("play", **first)
    with pytest.raises(Refused, match="match/stale-turn"):
        await ann.ask("play", **{**first, "action": "2"})
    await moves(match, players, ["1", "4", "2", "5"], since=2)
    last = {"match": match, "turn": ann.matches[match]["turn"], "action": "3"}
    await ann.ask("play", **last)
    await ended(ann, match)
    before = len(ann.heard)
    await ann.ask("play", **last)
    assert await ann.until(lambda: [m for m in ann.heard[before:] if m["type"] == "match"])
    plays = of("play", await read(ann, room))
    assert [event["action"] for event in plays] == ["1", "4", "2", "5", "3"]


@pytest.mark.parametrize("game", GAMES)
async def test_a_line_that_is_cut_again_and_again_loses_and_doubles_no_action(
    come: Come, game: str
) -> None:
    ann, bob = await come("ann"), await come("bob")
    room = await sit(ann, bob, game)
    match = await start(room, ann, bob)
    welcomes = len([said for said in ann.heard if said["type"] == "welcome"])

    async def cutting() -> None:
        """Cut ann's line when bob sees something new, whatever she is about just then."""
        for _ in range(8):
            if "result" in (said := bob.matches[match]):
                break
            await ann.cut()
            await bob.until(lambda old: bob.matches[match] is not old, said)

    last, *_ = await asyncio.gather(ann.play_out(match), bob.play_out(match), cutting())
    resumed = [said for said in ann.heard if said["type"] == "welcome"][welcomes:]
    assert resumed
    assert all(said["name"] == ann.name and said["rooms"] == [room] for said in resumed)
    plays = of("play", await read(bob, room))
    actions = [event["action"] for event in plays]
    assert [event["ply"] for event in plays] == list(range(last["ply"]))
    assert [event["seat"] for event in plays] == [ply % 2 for ply in range(last["ply"])]
    assert RULES[game](actions)[0] == last["position"]


async def test_a_play_whose_answer_was_cut_off_has_no_legal_after_the_resume(come: Come) -> None:
    ann, bob = await come("ann"), await come("bob")
    room = await sit(ann, bob)
    match = await start(room, ann, bob)
    turn = ann.matches[match]["turn"]
    unheard = asyncio.create_task(ann.play(match, "5"))
    await seen(bob, match, ply=1)
    await ann.cut()
    with suppress(*CUT):
        await unheard
    await bob.until(lambda: bob.rooms[room]["seats"][0].get("absent"))
    welcome = await ann.resume()
    assert (welcome["rooms"], welcome["matches"]) == ([room], [match])
    said = await seen(ann, match, ply=1)
    assert "legal" not in said
    await ann.ask("play", match=match, turn=turn, action="5")
    assert len(of("play", await read(ann, room))) == 1
    await bob.until(lambda: bob.rooms[room]["seats"][0] == {"name": ann.name})


async def test_an_end_that_came_while_one_was_away_is_shown_after_the_resume(come: Come) -> None:
    ann, bob = await come("ann"), await come("bob")
    room = await sit(ann, bob)
    match = await start(room, ann, bob)
    await ann.cut()
    await bob.ask("resign", match=match)
    welcome = await ann.resume()
    assert welcome["rooms"] == [room]
    assert "matches" not in welcome
    assert (await ended(ann, match))["result"]["winner"] == 0
    assert ann.rooms[room]["state"] == "waiting"


async def test_a_server_that_is_stopped_says_bye_and_goes_on_with_its_matches(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    with open_house(data) as house:
        ann, bob = Stranger(house.url, 1), Stranger(house.url, 2)
        await ann.hello("ann")
        await bob.hello("bob")
        match = await start(await sit(ann, bob, clock={"base_ms": 60_000}), ann, bob)
        await ann.play(match, "5")
        await asyncio.to_thread(house.stop)
        for stranger in (ann, bob):
            await stranger.until(lambda s: s.farewell, stranger)
            assert stranger.heard[-1]["type"] == "bye"
            assert stranger.heard[-1]["code"] == "server/closing"
            assert stranger.farewell is not None
            assert stranger.farewell[0] == 1012
    server = ann.heard[0]["server"]
    with open_house(data) as house:
        ann.url = bob.url = house.url
        assert (await ann.resume())["server"] == server
        assert (await seen(ann, match, ply=1))["clocks"]["paused"] == "server"
        await bob.resume()
        await asyncio.gather(ann.play_out(match), bob.play_out(match))
        assert "paused" not in ann.matches[match]["clocks"]
        await ann.close()
        await bob.close()


# Bots


async def test_an_invited_bot_comes_plays_gives_a_rematch_and_goes_when_it_is_alone(
    come: Come,
) -> None:
    program = f"shrug{next(COUNT)}"
    about = {"program": program, "version": "2", "games": ["tic_tac_toe"], "levels": 3, "slots": 2}
    greta, ann = await come("greta", about), await come("ann")
    (line,) = [
        line
        for line in (await ann.ask("lobby", follow=False))["bots"]
        if line["program"] == program
    ]
    assert line == {
        "name": greta.name,
        "program": program,
        "version": "2",
        "games": ["tic_tac_toe"],
        "levels": 3,
        "free": 2,
    }
    attending = asyncio.create_task(greta.attend())
    created = await ann.ask("create", game="tic_tac_toe", options={"public": False})
    room, me = created["room"], {"name": ann.name}
    bot = {"name": greta.name, "program": program}
    strength = {"level": 2, "set": {"exploration": "1.4"}}
    await ann.ask("invite", room=room, who=program, strength=strength)
    for number, seats in ((1, [me, bot]), (2, [bot, me])):
        match = await start(room, ann)
        assert match == f"{room}.{number}"
        assert (await ann.play_out(match))["seats"] == seats
        await ann.until(lambda: ann.rooms[room]["state"] == "waiting")
    call = next(said for said in greta.heard if said["type"] == "invited")
    assert (call["by"], call["code"], call["expires_ms"]) == (ann.name, created["code"], 10_000)
    assert call["strength"] == strength
    await ann.ask("leave", room=room)
    await greta.until(lambda: greta.rooms[room]["state"] == "closed")
    attending.cancel()


async def test_the_bot_that_the_page_prints_plays_and_stops_after_one_match(
    come: Come, house: House, tmp_path: Path
) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", SPEC, flags=re.DOTALL)
    program = tmp_path / "greta.py"
    program.write_text(code.replace("localhost:8765", house.address), encoding="utf-8")
    ann, cyd = await come("ann"), await come("cyd")
    await ann.ask("lobby", follow=True)
    with running(program):
        await ann.until(lambda: '"name": "greta"' in json.dumps(ann.heard[-1].get("bots")))
        room = (await ann.ask("create", game="connect_four"))["room"]
        await cyd.ask("watch", room=room)
        await ann.ask("invite", room=room, who="greta/shrug")
        for _ in range(2):
            await ann.play_out(await start(room, ann))
            await ann.until(lambda: ann.rooms[room]["state"] == "waiting")
        assert ann.rooms[room]["ready"] == [False, False]
        await ann.ask("leave", room=room)
        await cyd.until(lambda: cyd.rooms[room]["state"] == "closed")


async def test_a_bot_is_asked_for_advice_and_its_answer_is_the_hint(come: Come) -> None:
    greta = await come("greta", {"program": "oracle", "games": ["tic_tac_toe"], "slots": 9})
    ann, bob = await come("ann"), await come("bob")
    match = await start(await sit(ann, bob), ann, bob)
    hint = asyncio.create_task(ann.ask("hint", match=match))
    wanted = await greta.until(
        lambda: next((said for said in greta.heard if said["type"] == "advice_wanted"), None)
    )
    assert wanted["legal"] == CELLS
    assert (wanted["game"], wanted["position"]) == ("tic_tac_toe", "3/3/3 x")
    await greta.ask("advise", ask=wanted["ask"], action="5", note="why not")
    answer = await hint
    assert {**answer, "re": 0} == {
        "type": "hint",
        "re": 0,
        "match": match,
        "turn": ann.matches[match]["turn"],
        "action": "5",
        "by": f"{greta.name}/oracle",
        "note": "why not",
    }
    with pytest.raises(Refused, match="match/no-offer"):
        await greta.ask("advise", ask=wanted["ask"], action="5")
