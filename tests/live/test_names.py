"""Strangers who know only SPEC.md: names, tokens, links, tabs, the lobby, rooms, chat, history."""

from __future__ import annotations

import asyncio
import re

import pytest

from tests.live.house import (
    CELLS,
    GAMES,
    Come,
    of,
    read,
    seen,
    sit,
    start,
)
from tests.live.stranger import Message, Refused, Stranger

pytestmark = pytest.mark.socket


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
