"""Strangers who know only SPEC.md: whole matches, also while connections are cut, and its bot."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from lab.arena.local_server import ServerProcess
from tests.live.matches import GAMES, REFERENCE, RULES, Come, ended, of, read, running, sit, start

pytestmark = pytest.mark.socket


@pytest.mark.parametrize("game", GAMES)
async def test_a_whole_match_is_the_same_truth_to_both_players_and_to_a_spectator(
    come: Come, game: str
) -> None:
    ann, bob, cyd = await come("ann"), await come("bob"), await come("cyd")
    room = await sit(ann, bob, game)
    await cyd.ask("watch", room=room)
    match = await start(room, ann, bob)
    assert match == f"{room}.1"
    last, _ = await asyncio.gather(ann.play_out(match), bob.play_out(match))
    await ended(cyd, match)
    await ann.until(lambda: ann.rooms[room]["state"] == "waiting")

    events = await read(cyd, room)
    plays = of("play", events)
    actions = [event["action"] for event in plays]
    assert [event["ply"] for event in plays] == list(range(len(plays)))
    assert [event["seat"] for event in plays] == [ply % 2 for ply in range(len(plays))]
    assert {event["match"] for event in plays} == {match}
    (began,) = of("started", events)
    assert began["players"] == [{"name": ann.name}, {"name": bob.name}]
    turns = [began["seq"]] + [event["seq"] for event in plays]

    for stranger in (ann, bob, cyd):
        shown = [said for said in stranger.heard if said["type"] == "match"]
        assert [said["seq"] for said in shown] == sorted({said["seq"] for said in shown})
        for said in shown:
            ply = said["ply"]
            position, legal = RULES[game](actions[:ply])
            assert said["match"] == match
            assert said["room"] == room
            assert said["game"] == game
            assert said["position"] == position
            assert said["turn"] == turns[ply]
            assert said["to_move"] == (-2 if "result" in said else ply % 2)
            mine = said["to_move"] == stranger.rooms[room].get("seat")
            assert said.get("legal") == (legal if mine else None)
            assert "clocks" not in said
            assert [(e["ply"], e["action"]) for e in said["events"]] == [
                (number, actions[number]) for number in range(max(0, ply - 8), ply)
            ]
            assert all({"match", "at"}.isdisjoint(event) for event in said["events"])

    result = last["result"]
    assert result == of("ended", events)[0]["result"]
    assert result["how"] == "rules"
    winner = result["winner"]
    assert result["reason"] == ("full" if winner is None else "line")
    assert result["returns"] == {None: [0, 0], 0: [1, -1], 1: [-1, 1]}[winner]
    score = {None: [0.5, 0.5], 0: [1, 0], 1: [0, 1]}[winner]
    assert ann.rooms[room]["score"] == score
    assert ann.rooms[room]["ready"] == [False, False]


@pytest.mark.parametrize("game", GAMES)
async def test_a_connection_that_is_cut_again_and_again_loses_and_doubles_no_action(
    come: Come, game: str
) -> None:
    ann, bob = await come("ann"), await come("bob")
    room = await sit(ann, bob, game)
    match = await start(room, ann, bob)
    welcomes = len([said for said in ann.heard if said["type"] == "welcome"])

    async def cutting() -> None:
        """Cut ann's connection when bob sees something new, whatever she is about just then."""
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


async def test_the_example_bot_plays_outlives_a_kill_and_stops_after_one_match(
    come: Come, server: ServerProcess, tmp_path: Path
) -> None:
    code = (REFERENCE / "example_bot.py").read_text(encoding="utf-8")
    program = tmp_path / "greta.py"
    program.write_text(code.replace("localhost:8765", server.address), encoding="utf-8")
    ann, cyd = await come("ann"), await come("cyd")
    await ann.ask("lobby", follow=True)
    with running(program):
        await ann.until(lambda: '"name": "greta"' in json.dumps(ann.heard[-1].get("bots")))
        room = (await ann.ask("create", game="connect_four"))["room"]
        await cyd.ask("watch", room=room)
        await ann.ask("invite", room=room, who="greta/shrug")
        match = await start(room, ann)
        await ann.play(match)
        await ann.until(lambda: ann.matches[match]["ply"] == 2)
    await ann.play(match)  # while it is dead
    await ann.until(lambda: ann.rooms[room]["seats"][1].get("absent"))
    with running(program):
        for last in (match, f"{room}.2"):
            await ann.play_out(last)
            await ann.until(lambda: ann.rooms[room]["state"] == "waiting")
            if last == match:
                assert await start(room, ann) == f"{room}.2"
        assert ann.rooms[room]["ready"] == [False, False]
        await ann.ask("leave", room=room)
        await cyd.until(lambda: cyd.rooms[room]["state"] == "closed")
