"""Strangers who know only protocol/SPEC.md visit a real server and find what the page promises.

The server runs as a process of its own, on a free port and an empty database.  Lines of SPEC.md are
not repeated here; each test is a promise of that page, put as a sentence.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from tests.live.stranger import CUT, Message, Refused, Stranger

pytestmark = pytest.mark.socket

ROOT = Path(__file__).resolve().parents[2]
SPEC = (ROOT / "protocol" / "SPEC.md").read_text(encoding="utf-8")
LISTENING = "plyhouse: listening on http://"
GAMES = ["connect_four", "tic_tac_toe"]
CELLS = [str(cell) for cell in range(1, 10)]
COUNT = itertools.count(1)

Come = Callable[..., Awaitable[Stranger]]


class House:
    """A server process that we started, and where it listens."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith(LISTENING), line
        self.process = process
        self.address = line.removeprefix(LISTENING).strip()
        self.url = f"ws://{self.address}/ws"

    def stop(self) -> None:
        """Ask the server to end, and see it do so in good order."""
        self.process.send_signal(signal.SIGTERM)
        try:
            assert self.process.wait(10) == 0
        finally:
            self.process.kill()


@contextmanager
def open_house(data: Path) -> Iterator[House]:
    """Run a server on `data`; whatever it regrets would stand in the log as a traceback."""
    log = data.with_suffix(".log")
    command = [sys.executable, "-m", "plyhouse", "serve", "--port", "0", "--data", str(data)]
    with (
        log.open("w", encoding="utf-8") as regrets,
        subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=regrets, text=True
        ) as process,
    ):
        try:
            house = House(process)
            yield house
            house.stop()
        finally:
            process.kill()
    assert "Traceback" not in log.read_text(encoding="utf-8")


@contextmanager
def running(program: Path) -> Iterator[None]:
    """Run a Python program beside us."""
    with subprocess.Popen([sys.executable, str(program)], stdout=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One server for all tests; they keep out of each other's way by names and rooms."""
    with open_house(tmp_path_factory.mktemp("house") / "data") as house:
        yield house


@pytest.fixture
async def come(house: House) -> AsyncIterator[Come]:
    """Bring strangers in: `await come("ann")` is one who has been welcomed, under a fresh name."""
    here: list[Stranger] = []

    async def come(
        name: str | None = None, bot: Message | None = None, house: House = house
    ) -> Stranger:
        stranger = Stranger(house.url, seed=len(here))
        await stranger.hello(f"{name}-{next(COUNT)}" if name else None, bot)
        here.append(stranger)
        return stranger

    yield come
    for stranger in here:
        await stranger.close()


# Positions, as SPEC.md writes them.


def written(rows: list[list[str]], ply: int) -> str:
    """A board from the top row down, with a digit for so many empty cells, and the side to move."""
    lines = [re.sub(r"\.+", lambda gap: str(len(gap[0])), "".join(row)) for row in rows]
    return "/".join(lines) + " " + "xo"[ply % 2]


def tic_tac_toe(actions: list[str]) -> tuple[str, list[str]]:
    """The position after these actions, and the cells that are free in it."""
    cells = ["."] * 9
    for ply, action in enumerate(actions):
        cells[int(action) - 1] = "xo"[ply % 2]
    rows = [cells[0:3], cells[3:6], cells[6:9]]
    return written(rows, len(actions)), [cell for cell in CELLS if cell not in actions]


def connect_four(actions: list[str]) -> tuple[str, list[str]]:
    """The position after these actions, and the columns that are not full in it."""
    rows = [["."] * 7 for _ in range(6)]
    for ply, action in enumerate(actions):
        row = max(row for row in range(6) if rows[row][int(action) - 1] == ".")
        rows[row][int(action) - 1] = "xo"[ply % 2]
    return written(rows, len(actions)), [c for c in CELLS[:7] if rows[0][int(c) - 1] == "."]


RULES = {"tic_tac_toe": tic_tac_toe, "connect_four": connect_four}


# What strangers do again and again.


async def sit(ann: Stranger, bob: Stranger, game: str = "tic_tac_toe", **options: Any) -> int:
    """Seat ann on seat 0 and bob on seat 1 of a new room."""
    room = int((await ann.ask("create", game=game, options=options))["room"])
    await bob.ask("join", room=room, code=ann.rooms[room].get("code"))
    return room


async def start(room: int, *players: Stranger) -> str:
    """Get everybody ready, and wait until each has seen the match begin."""
    for player in players:
        await player.ask("ready", room=room)
    for player in players:
        await player.until(lambda p: p.rooms[room]["state"] == "playing", player)
        await player.until(lambda p: p.rooms[room]["match"] in p.matches, player)
    return str(players[0].rooms[room]["match"])


async def seen(stranger: Stranger, match: str, **fields: Any) -> Message:
    """Wait until the newest message of a match has these fields, and return it."""

    def fits() -> Message | None:
        said = stranger.matches.get(match, {})
        return said if all(said.get(name) == value for name, value in fields.items()) else None

    said = await stranger.until(fits)
    assert said is not None
    return said


async def ended(stranger: Stranger, match: str) -> Message:
    """Wait for the last message of a match."""
    return (
        await stranger.until(lambda: "result" in stranger.matches.get(match, {}))
        and (stranger.matches[match])
    )


async def moves(match: str, players: list[Stranger], actions: list[str], since: int = 0) -> None:
    """Let both players in turn make these actions of a match, from ply `since` on."""
    for ply in range(since, len(actions)):
        await seen(players[ply % 2], match, ply=ply, to_move=ply % 2)
        await players[ply % 2].play(match, actions[ply])
    for player in players:
        await seen(player, match, ply=len(actions))


async def read(stranger: Stranger, room: int, code: str | None = None) -> list[Message]:
    """Read all events of a room, page by page, and see that none is missing."""
    events: list[Message] = []
    since: int | None = 0
    while since is not None:
        page = await stranger.ask("history", room=room, since=since, code=code)
        assert page["room"] == room
        assert len(page["events"]) <= 200
        events += page["events"]
        since = page.get("next")
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert all(isinstance(event["at"], int) for event in events)
    return events


def of(kind: str, events: list[Message]) -> list[Message]:
    """Those events that are of this kind."""
    return [event for event in events if event["kind"] == kind]


# Names and sessions


async def test_a_name_gets_a_token_and_the_token_brings_the_name_back(come: Come) -> None:
    ann = await come("Ann")
    first = ann.heard[0]
    assert (first["type"], first["re"], first["version"]) == ("welcome", 1, 1)
    assert (first["name"], first["token"]) == (ann.name, ann.token)
    assert set(GAMES) <= set(first["games"])
    assert {"rooms", "matches"}.isdisjoint(first)
    await ann.close()
    again = await ann.resume()
    assert "token" not in again
    assert (again["name"], again["server"]) == (first["name"], first["server"])
    assert again["now"] >= first["now"]


async def test_who_has_no_name_is_given_one(come: Come) -> None:
    guest = await come()
    assert guest.name.startswith("guest-")
    assert guest.token


async def test_a_link_moves_the_name_and_makes_the_old_token_worthless(come: Come) -> None:
    ann = await come("ann")
    link = await ann.ask("link")
    assert link["expires_ms"] == 120_000
    tablet = await Stranger(ann.url).dial()
    welcome = await tablet.ask("hello", version=1, link=link["code"])
    assert welcome["name"] == ann.name
    assert welcome["token"] != ann.token
    for stale in ({"token": ann.token}, {"link": link["code"]}):
        late = await Stranger(ann.url).dial()
        with pytest.raises(Refused, match="session/bad-"):
            await late.ask("hello", version=1, **stale)
        await late.close()
    await tablet.close()


async def test_the_newest_connection_of_a_bot_wins_and_the_older_must_stay_away(
    come: Come,
) -> None:
    older = await come("greta", {"program": "shrug", "games": ["tic_tac_toe"]})
    newer = Stranger(older.url)
    newer.token, newer.bot = older.token, older.bot
    await newer.resume()
    await older.until(lambda: older.farewell)
    assert older.heard[-1]["type"] == "bye"
    assert older.heard[-1]["code"] == "session/replaced"
    assert older.farewell is not None
    assert older.farewell[0] == 1008
    with pytest.raises(Refused, match="session/replaced"):
        await older.come_back()
    person = Stranger(older.url)
    person.token = older.token
    await person.resume()
    assert newer.farewell is None
    await newer.close()
    await person.close()


async def test_two_tabs_of_one_person_hold_the_same_seat(come: Come) -> None:
    ann, bob = await come("ann"), await come("bob")
    match = await start(await sit(ann, bob), ann, bob)
    tab = Stranger(ann.url)
    tab.token = ann.token
    assert (await tab.resume())["matches"] == [match]
    await seen(tab, match, legal=CELLS)
    await tab.play(match, "5")
    await seen(ann, match, ply=1)
    await tab.close()
    await bob.play(match, "1")
    assert not any(player.get("absent") for player in (await seen(ann, match, ply=2))["seats"])


# Rooms


async def test_the_lobby_shows_public_rooms_newest_first_and_no_private_one(come: Come) -> None:
    ann, bob = await come("ann"), await come("bob")
    await bob.ask("lobby", follow=True)
    clock = {"base_ms": 60_000, "increment_ms": 1_000}
    first = await ann.ask("create", game="tic_tac_toe", options={"clock": clock})
    hidden = await ann.ask("create", game="tic_tac_toe", options={"public": False})
    second = await ann.ask("create", game="connect_four", seat=1)
    assert first["options"] == {"clock": clock}
    assert hidden["options"] == {"public": False}
    assert (first["seat"], second["seat"]) == (0, 1)

    def newest() -> list[Message]:
        said = [said for said in bob.heard if said["type"] == "lobby"][-1]
        return [line for line in said["rooms"] if line["room"] in ann.rooms]

    await bob.until(lambda: len(newest()) == 2)
    assert newest() == [
        {
            "room": second["room"],
            "game": "connect_four",
            "state": "waiting",
            "seats": [None, {"name": ann.name}],
            "options": {},
            "score": [0.0, 0.0],
        },
        {
            "room": first["room"],
            "game": "tic_tac_toe",
            "state": "waiting",
            "seats": [{"name": ann.name}, None],
            "options": {"clock": clock},
            "score": [0.0, 0.0],
        },
    ]
    assert (await bob.ask("lobby", follow=False))["total"] >= 2


async def test_a_private_room_opens_to_its_code_in_any_case_and_shows_it_to_players_only(
    come: Come,
) -> None:
    ann, bob, cyd = await come("ann"), await come("bob"), await come("cyd")
    created = await ann.ask("create", game="tic_tac_toe", options={"public": False})
    room, code = created["room"], created["code"]
    assert re.fullmatch("[A-Z0-9]{6}", code)
    watched = await cyd.ask("watch", code=code.lower())
    assert watched["room"] == room
    assert "code" not in watched
    assert "seat" not in watched
    assert watched["watching"] == 1
    joined = await bob.ask("join", code=code.lower())
    assert (joined["seat"], joined["code"]) == (1, code)
    assert joined["seats"] == [{"name": ann.name}, {"name": bob.name}]
    await ann.until(lambda: ann.rooms[room]["seq"] == joined["seq"])
    assert of("joined", await read(await come("dan"), room, code))[1]["player"] == {
        "name": bob.name
    }


async def test_a_host_without_a_seat_invites_kicks_and_a_room_closes_with_its_last_player(
    come: Come,
) -> None:
    host, ann, bob = await come("host"), await come("ann"), await come("bob")
    created = await host.ask("create", game="tic_tac_toe", seat=None, options={"public": False})
    room = created["room"]
    assert "seat" not in created
    await host.ask("invite", room=room, who=ann.name)
    call = await ann.until(lambda: ann.invitations and ann.invitations.pop())
    assert (call["room"], call["by"], call["game"]) == (room, host.name, "tic_tac_toe")
    await ann.ask("join", room=room, code=call["code"])
    await bob.ask("join", code=created["code"], seat=1)
    await host.ask("kick", room=room, seat=0)
    await ann.until(lambda: "seat" not in ann.rooms[room])
    await bob.ask("leave", room=room)
    await host.until(lambda: host.rooms[room]["state"] == "closed")
    assert [event["kind"] for event in await read(host, room)] == [
        "created",
        "joined",
        "joined",
        "left",
        "left",
        "closed",
    ]


async def test_what_is_said_reaches_players_and_spectators_cleaned(come: Come) -> None:
    ann, bob, cyd = await come("ann"), await come("bob"), await come("cyd")
    room = await sit(ann, bob)
    await cyd.ask("watch", room=room)
    seq = (await ann.ask("say", room=room, text="gl\u200b <b>hf</b>"))["seq"]
    await cyd.ask("say", room=room, text="é" * 500)
    for stranger in (ann, bob, cyd):
        heard = await stranger.until(
            lambda s: len(said := [m for m in s.heard if m["type"] == "said"]) == 2 and said,
            stranger,
        )
        assert [(line["name"], line["text"]) for line in heard] == [
            (ann.name, "gl <b>hf</b>"),
            (cyd.name, "é" * 500),
        ]
        assert [line["seq"] for line in heard] == [seq, seq + 1]


async def test_a_long_history_comes_in_pages_of_two_hundred(come: Come) -> None:
    ann, bob = await come("ann"), await come("bob")
    room = await sit(ann, bob)

    async def talk(who: Stranger) -> None:
        for line in range(102):
            await who.ask("say", room=room, text=f"{line}")

    await asyncio.gather(talk(ann), talk(bob))
    first = await ann.ask("history", room=room)
    assert [event["seq"] for event in first["events"]] == list(range(1, 201))
    second = await ann.ask("history", room=room, since=first["next"])
    assert [event["seq"] for event in second["events"]] == list(range(201, 208))
    assert "next" not in second
    said = of("said", await read(bob, room))
    assert [e["text"] for e in said if e["player"]["name"] == bob.name] == [
        str(line) for line in range(102)
    ]


# Matches


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


# Exactly once


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


# Refusals: a scene, who provokes the server in it, by what deed, and the code that this gets.


@dataclass
class Scene:
    """Who is there: ann and bob know each other, cyd is a passer-by, and nobody is not welcomed."""

    ann: Stranger
    bob: Stranger
    cyd: Stranger
    nobody: Stranger
    room: int = 0
    match: str = ""
    turn: int = 0

    @property
    def code(self) -> str:
        """What the private room is joined by."""
        return str(self.ann.rooms[self.room]["code"])

    @property
    def now(self) -> int:
        """The turn that is to be answered."""
        return int(self.ann.matches[self.match]["turn"])


ROOM, MATCH, TURN = attrgetter("room"), attrgetter("match"), attrgetter("turn")
ANN, CODE, NOW = attrgetter("ann.name"), attrgetter("code"), attrgetter("now")

Deed = Callable[[Stranger, Scene], Awaitable[object]]
Setting = Callable[[Scene], Awaitable[None]]


async def lobby(scene: Scene) -> None:
    """Nothing has happened yet."""


async def private(scene: Scene) -> None:
    """Ann sits alone in a private room."""
    options = {"public": False}
    scene.room = (await scene.ann.ask("create", game="tic_tac_toe", options=options))["room"]
    scene.match = f"{scene.room}.1"


async def closed(scene: Scene) -> None:
    """Ann has opened a room and left it."""
    scene.room = (await scene.ann.ask("create", game="tic_tac_toe"))["room"]
    await scene.ann.ask("leave", room=scene.room)


async def table(scene: Scene) -> None:
    """Ann and bob sit in a room and nobody is ready."""
    scene.room = await sit(scene.ann, scene.bob)


async def begun(scene: Scene) -> None:
    """A match of ann's and bob's has begun, and it is ann's turn."""
    await table(scene)
    scene.match = await start(scene.room, scene.ann, scene.bob)
    scene.turn = scene.ann.matches[scene.match]["turn"]


async def moved(scene: Scene) -> None:
    """Both have moved; `turn` is the one that ann has answered with 1."""
    await begun(scene)
    await moves(scene.match, [scene.ann, scene.bob], ["1", "2"])


async def offered(scene: Scene) -> None:
    """Ann offers a draw."""
    await begun(scene)
    await scene.ann.ask("offer", match=scene.match, kind="draw")


async def over(scene: Scene) -> None:
    """Ann has resigned."""
    await begun(scene)
    await scene.ann.ask("resign", match=scene.match)
    await ended(scene.ann, scene.match)


async def rated(scene: Scene) -> None:
    """Both have moved in a rated match."""
    clock = {"base_ms": 60_000}
    scene.room = await sit(scene.ann, scene.bob, rated=True, clock=clock)
    scene.match = await start(scene.room, scene.ann, scene.bob)
    await moves(scene.match, [scene.ann, scene.bob], ["1", "2"])


async def four(scene: Scene) -> None:
    """A match of connect four has begun, which no bot here plays."""
    scene.room = await sit(scene.ann, scene.bob, "connect_four")
    scene.match = await start(scene.room, scene.ann, scene.bob)


def asks(request: str, /, **fields: Any) -> Deed:
    """Ask for something; a field that can be called is looked up in the scene."""

    async def deed(who: Stranger, scene: Scene) -> None:
        known = {name: value(scene) if callable(value) else value for name, value in fields.items()}
        await who.ask(request, **known)

    return deed


def sends(frame: str | bytes) -> Deed:
    """Send a frame that is none, and hear what the server says before it closes the line."""

    async def deed(who: Stranger, scene: Scene) -> None:
        await who.send(frame)
        await who.until(lambda: who.farewell)
        if who.heard[-1]["type"] == "error":
            raise Refused(who.heard[-1])
        assert who.farewell is not None
        assert who.farewell[0] == 1009
        raise Refused({"code": "protocol/too-large", "text": "WebSocket itself closed the line"})

    return deed


def at_once(times: int, request: str, /, **fields: Any) -> Deed:
    """Ask so often without waiting for an answer that some are refused, and each answered."""

    async def deed(who: Stranger, scene: Scene) -> None:
        asking = [asks(request, **fields)(who, scene) for _ in range(times)]
        answers = await asyncio.gather(*asking, return_exceptions=True)
        refusals = [answer for answer in answers if answer is not None]
        assert 0 < len(refusals) < times
        assert all(isinstance(refusal, Refused) for refusal in refusals)
        assert refusals[0] is not None
        raise refusals[0]

    return deed


async def connects_too_often(who: Stranger, scene: Scene) -> None:
    """Open a ninth connection of one session."""
    tabs = [Stranger(who.url) for _ in range(8)]
    try:
        for tab in tabs:
            tab.token = who.token
            await tab.resume()
    finally:
        for tab in tabs:
            await tab.close()


async def invites_a_busy_bot(who: Stranger, scene: Scene) -> None:
    """Invite a bot whose only slot is held for another room."""
    greta, program = Stranger(who.url), f"busy{next(COUNT)}"
    await greta.hello(None, {"program": program, "games": ["tic_tac_toe"]})
    try:
        other = (await who.ask("create", game="tic_tac_toe"))["room"]
        await who.ask("invite", room=other, who=program)
        await who.ask("invite", room=scene.room, who=program)
    finally:
        await greta.close()


async def hoards_rooms(who: Stranger, scene: Scene) -> None:
    """Sit down in one room more than anybody may."""
    for _ in range(65):
        await who.ask("create", game="tic_tac_toe")


CONTRADICTION = {"clock": {"base_ms": 60_000, "per_move_ms": 1_000}}
SHOW_LEGAL = {"match/bad-notation", "match/illegal-action"}
CLOSING = {"protocol/bad-frame", "protocol/bad-message", "protocol/too-large"}

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
    ("hint/no-bot", four, "ann", asks("hint", match=MATCH)),
    ("invite/busy", private, "ann", invites_a_busy_bot),
    ("invite/no-such-player", private, "ann", asks("invite", room=ROOM, who="nobody at all")),
]

EXCUSED = {
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
        assert who.farewell == (1002, code) or code == "protocol/too-large"
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
