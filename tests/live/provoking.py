"""Scenes at a server, and deeds in them that it refuses; test_refusals.py says which get what."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from tests.live.house import COUNT, ended, moves, sit, start
from tests.live.stranger import Refused, Stranger

CLOCK = {"base_ms": 60_000}


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
    ladder: str = ""

    @property
    def code(self) -> str:
        """What the private room is joined by."""
        return str(self.ann.rooms[self.room]["code"])

    @property
    def next(self) -> str:
        """The match that would be the room's next."""
        return f"{self.room}.2"

    @property
    def now(self) -> int:
        """The turn that is to be answered."""
        return int(self.ann.matches[self.match]["turn"])


ROOM, MATCH, TURN = attrgetter("room"), attrgetter("match"), attrgetter("turn")
LADDER = attrgetter("ladder")
ANN, CODE, NOW = attrgetter("ann.name"), attrgetter("code"), attrgetter("now")
NEXT = attrgetter("next")

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


async def ladder(scene: Scene) -> None:
    """Ann has opened a ladder."""
    scene.ladder = f"ladder{next(COUNT)}"
    await scene.ann.ask("ladder_create", name=scene.ladder, game="tic_tac_toe", clock=CLOCK)


async def stopped(scene: Scene) -> None:
    """Ann has opened a ladder and stopped it."""
    await ladder(scene)
    await scene.ann.ask("ladder_stop", ladder=scene.ladder)


def asks(request: str, /, **fields: Any) -> Deed:
    """Ask for something; a field that can be called is looked up in the scene."""

    async def deed(who: Stranger, scene: Scene) -> None:
        known = {name: value(scene) if callable(value) else value for name, value in fields.items()}
        await who.ask(request, **known)

    return deed


def bot_asks(bot: dict[str, Any], request: str, /, **fields: Any) -> Deed:
    """A bot comes in, asks, and goes."""

    async def deed(who: Stranger, scene: Scene) -> None:
        greta = Stranger(who.url)
        await greta.hello(None, {"program": f"bot{next(COUNT)}", **bot})
        try:
            await asks(request, **fields)(greta, scene)
        finally:
            await greta.close()

    return deed


def sends(frame: str | bytes) -> Deed:
    """Send a frame that is none, and hear what the server says before it closes the line."""

    async def deed(who: Stranger, scene: Scene) -> None:
        await who.send(frame)
        await who.until(lambda: who.farewell)
        assert who.heard[-1]["type"] == "error"
        raise Refused(who.heard[-1])

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


async def changes_its_version(who: Stranger, scene: Scene) -> None:
    """Two bots play a pair, and one of them connects again as another version."""
    one, two, newer = Stranger(who.url), Stranger(who.url), await Stranger(who.url).dial()
    try:
        for bot, program in ((one, "left"), (two, "right")):
            await bot.hello(None, {"program": program, "version": "1"})
            await bot.ask("ladder_join", ladder=scene.ladder)
        await one.until(lambda: one.matches)
        await newer.ask(
            "hello", version=1, token=one.token, bot={"program": "left", "version": "2"}
        )
    finally:
        for bot in (one, two, newer):
            await bot.close()


async def hoards_rooms(who: Stranger, scene: Scene) -> None:
    """Sit down in one room more than anybody may."""
    for _ in range(65):
        await who.ask("create", game="tic_tac_toe")


async def asked_to_analyse(who: Stranger, scene: Scene) -> Stranger:
    """A bot comes in, and is sent the scene's match on behalf of who does not wait for it."""
    greta = Stranger(who.url)
    bot = {"program": f"judge{next(COUNT)}", "games": ["tic_tac_toe"], "analyses": ["tic_tac_toe"]}
    await greta.hello(None, bot)
    await who.send(json.dumps({"type": "analyse", "match": scene.match}))
    await greta.until(lambda: greta.heard[-1]["type"] == "analysis_wanted")
    return greta


async def wants_two_analyses(who: Stranger, scene: Scene) -> None:
    """Ask for an analysis while another one is being made."""
    greta = await asked_to_analyse(who, scene)
    try:
        await who.ask("analyse", match=scene.match)
    finally:
        await greta.close()


async def finds_all_bots_busy(who: Stranger, scene: Scene) -> None:
    """Ask for an analysis while the only bot makes one for somebody else."""
    greta = await asked_to_analyse(scene.bob, scene)
    try:
        await who.ask("analyse", match=scene.match)
    finally:
        await greta.close()


def reports(**fields: Any) -> Deed:
    """Have a bot asked, and let it report this of the match, in which nobody moved."""

    async def deed(who: Stranger, scene: Scene) -> None:
        greta = await asked_to_analyse(who, scene)
        analysis = {"game": "tic_tac_toe", "by": "me", "unit": "value", "totals": [{}, {}]}
        try:
            ask = greta.heard[-1]["ask"]
            await greta.ask("report_analysis", ask=ask, analysis=analysis | fields)
        finally:
            await greta.close()

    return deed
