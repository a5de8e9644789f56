"""Strangers who know only SPEC.md: whole matches, offers, clocks, notes."""

from __future__ import annotations

import asyncio

import pytest

from tests.live.house import (
    CELLS,
    GAMES,
    RULES,
    Come,
    ended,
    moves,
    of,
    read,
    seen,
    sit,
    start,
    tic_tac_toe,
)
from tests.live.stranger import Refused

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


async def test_a_rematch_changes_seats_and_the_score_goes_with_the_players(come: Come) -> None:
    ann, bob = await come("ann"), await come("bob")
    room = await sit(ann, bob)
    first = await start(room, ann, bob)
    await bob.ask("resign", match=first)
    result = (await ended(ann, first))["result"]
    assert result == {"winner": 0, "returns": [1, -1], "how": "resign", "reason": "resign"}
    await ann.until(lambda: ann.rooms[room]["score"] == [1, 0])
    second = await start(room, ann, bob)
    assert second == f"{room}.2"
    said = ann.rooms[room]
    assert (said["seat"], said["score"], said["owner"]) == (1, [0, 1], ann.name)
    assert bob.matches[second]["legal"] == CELLS
    assert bob.matches[second]["seats"] == [{"name": bob.name}, {"name": ann.name}]
    await moves(second, [bob, ann], ["1", "4", "2", "5", "3"])
    assert (await ended(ann, second))["result"]["winner"] == 0
    await ann.until(lambda: ann.rooms[room]["score"] == [1, 1])


async def test_a_draw_is_offered_withdrawn_offered_again_and_agreed(come: Come) -> None:
    ann, bob = await come("ann"), await come("bob")
    room = await sit(ann, bob)
    match = await start(room, ann, bob)
    draw = {"match": match, "kind": "draw"}
    turn = ann.matches[match]["turn"]
    await bob.ask("offer", **draw)
    said = await seen(ann, match, offers=[{"kind": "draw", "seat": 1}])
    assert (said["turn"], said["legal"]) == (turn, CELLS)
    assert said["seq"] > turn
    await bob.ask("answer", **draw, accept=False)
    await seen(ann, match, offers=None)
    await ann.play(match, "5")
    await bob.ask("offer", **draw)
    await seen(ann, match, ply=1, offers=[{"kind": "draw", "seat": 1}])
    await ann.ask("answer", **draw, accept=True)
    said = await ended(bob, match)
    assert (said["to_move"], "legal" in said, "offers" in said) == (-2, False, False)
    assert (said["result"]["winner"], said["result"]["how"]) == (None, "agreement")
    await ann.until(lambda: ann.rooms[room]["score"] == [0.5, 0.5])


async def test_an_offer_lapses_with_the_next_action(come: Come) -> None:
    ann, bob = await come("ann"), await come("bob")
    match = await start(await sit(ann, bob), ann, bob)
    await ann.ask("offer", match=match, kind="draw")
    await ann.play(match)
    assert "offers" not in await seen(bob, match, ply=1)
    with pytest.raises(Refused, match="match/no-offer"):
        await bob.ask("answer", match=match, kind="draw", accept=True)


@pytest.mark.parametrize(("asker", "ply"), [(0, 0), (1, 1)])
async def test_a_takeback_returns_to_the_position_before_the_askers_last_decision(
    come: Come, asker: int, ply: int
) -> None:
    ann, bob = players = [await come("ann"), await come("bob")]
    room = await sit(ann, bob)
    match = await start(room, ann, bob)
    await moves(match, players, ["5", "1"])
    old = ann.matches[match]["turn"]
    await players[asker].ask("offer", match=match, kind="takeback")
    await seen(players[1 - asker], match, offers=[{"kind": "takeback", "seat": asker}])
    await players[1 - asker].ask("answer", match=match, kind="takeback", accept=True)
    said = await seen(players[asker], match, ply=ply)
    assert (said["position"], said["legal"]) == tic_tac_toe(["5", "1"][:ply])
    (back,) = of("takeback", await read(ann, room))
    assert (back["ply"], back["seat"], said["turn"]) == (ply, asker, back["seq"])
    with pytest.raises(Refused, match="match/stale-turn"):
        await ann.ask("play", match=match, turn=old, action="9")
    await asyncio.gather(ann.play_out(match), bob.play_out(match))
    replayed: list[str] = []
    for event in await read(bob, room):
        if event["kind"] == "play":
            replayed.append(event["action"])
        elif event["kind"] == "takeback":
            del replayed[event["ply"] :]
    assert tic_tac_toe(replayed)[0] == ann.matches[match]["position"]


async def test_a_match_is_called_off_free_of_charge_until_both_have_moved(come: Come) -> None:
    ann, bob = await come("ann"), await come("bob")
    room = await sit(ann, bob)
    match = await start(room, ann, bob)
    await ann.play(match)
    await bob.ask("abort", match=match)
    result = (await ended(ann, match))["result"]
    assert (result["how"], result["winner"], result["returns"]) == ("abort", None, [0, 0])
    await ann.until(lambda: ann.rooms[room]["state"] == "waiting")
    assert ann.rooms[room]["score"] == [0, 0]


async def test_who_runs_out_of_time_loses(come: Come) -> None:
    ann, bob = await come("ann"), await come("bob")
    match = await start(await sit(ann, bob, clock={"per_move_ms": 150}), ann, bob)
    clocks = next(said for said in bob.heard if said["type"] == "match")["clocks"]
    assert (clocks["per_move_ms"], clocks["running"]) == (150, 0)
    assert clocks["suggested_ms"] <= 50
    result = (await ended(bob, match))["result"]
    assert (result["winner"], result["how"]) == (1, "flag")
    assert {"running", "suggested_ms"}.isdisjoint(bob.matches[match]["clocks"])


async def test_a_clock_counts_down_for_the_side_to_move_and_gains_the_increment(
    come: Come,
) -> None:
    ann, bob = await come("ann"), await come("bob")
    clock = {"base_ms": 60_000, "increment_ms": 1_000}
    match = await start(await sit(ann, bob, clock=clock), ann, bob)
    clocks = ann.matches[match]["clocks"]
    assert clocks == {
        "remaining": [60_000, 60_000],
        "increment_ms": 1_000,
        "running": 0,
        "suggested_ms": 2_800,
    }
    await ann.play(match)
    said = await seen(bob, match, ply=1)
    (play,) = said["events"]
    charged = play["spent_ms"] - play["lag_ms"]
    assert said["clocks"]["remaining"][0] == 61_000 - charged
    assert said["clocks"]["running"] == 1


async def test_a_note_is_seen_at_once_but_in_a_rated_match_only_after_its_end(come: Come) -> None:
    ann, bob = await come("ann"), await come("bob")
    clock = {"base_ms": 60_000}
    for rated in (False, True):
        room = await sit(ann, bob, rated=rated, clock=clock)
        match = await start(room, ann, bob)
        turn = ann.matches[match]["turn"]
        await ann.ask("play", match=match, turn=turn, action="5", note="é" * 256)
        (play,) = (await seen(bob, match, ply=1))["events"]
        assert play.get("note") == (None if rated else "é" * 256)
        await bob.ask("resign", match=match)
        await ended(ann, match)
        assert of("play", await read(bob, room))[0]["note"] == "é" * 256
