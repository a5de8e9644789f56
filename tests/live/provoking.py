"""Situations at a server, and all that it refuses in them; test_refusals.py lets it happen."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from tests.live.matches import COUNT, ended, moves, sit, start
from tests.live.stranger import Refused, Stranger

CLOCK = {"base_ms": 60_000}


@dataclass
class Situation:
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

Deed = Callable[[Stranger, Situation], Awaitable[object]]
Setting = Callable[[Situation], Awaitable[None]]


async def lobby(at: Situation) -> None:
    """Nothing has happened yet."""


async def private(at: Situation) -> None:
    """Ann sits alone in a private room."""
    options = {"public": False}
    at.room = (await at.ann.ask("create", game="tic_tac_toe", options=options))["room"]
    at.match = f"{at.room}.1"


async def closed(at: Situation) -> None:
    """Ann has opened a room and left it."""
    at.room = (await at.ann.ask("create", game="tic_tac_toe"))["room"]
    await at.ann.ask("leave", room=at.room)


async def table(at: Situation) -> None:
    """Ann and bob sit in a room and nobody is ready."""
    at.room = await sit(at.ann, at.bob)


async def begun(at: Situation) -> None:
    """A match of ann's and bob's has begun, and it is ann's turn."""
    await table(at)
    at.match = await start(at.room, at.ann, at.bob)
    at.turn = at.ann.matches[at.match]["turn"]


async def moved(at: Situation) -> None:
    """Both have moved; `turn` is the one that ann has answered with 1."""
    await begun(at)
    await moves(at.match, [at.ann, at.bob], ["1", "2"])


async def offered(at: Situation) -> None:
    """Ann offers a draw."""
    await begun(at)
    await at.ann.ask("offer", match=at.match, kind="draw")


async def over(at: Situation) -> None:
    """Ann has resigned."""
    await begun(at)
    await at.ann.ask("resign", match=at.match)
    await ended(at.ann, at.match)


async def rated(at: Situation) -> None:
    """Both have moved in a rated match."""
    at.room = await sit(at.ann, at.bob, rated=True, clock=CLOCK)
    at.match = await start(at.room, at.ann, at.bob)
    await moves(at.match, [at.ann, at.bob], ["1", "2"])


async def four(at: Situation) -> None:
    """A match of connect four has begun, which no bot here plays."""
    at.room = await sit(at.ann, at.bob, "connect_four")
    at.match = await start(at.room, at.ann, at.bob)


async def ladder(at: Situation) -> None:
    """Ann has opened a ladder."""
    at.ladder = f"ladder{next(COUNT)}"
    await at.ann.ask("ladder_create", name=at.ladder, game="tic_tac_toe", clock=CLOCK)


async def by_invitation(at: Situation) -> None:
    """Ann has opened a ladder for somebody else."""
    at.ladder = f"ladder{next(COUNT)}"
    terms = {"game": "tic_tac_toe", "clock": CLOCK, "members": ["carl"]}
    await at.ann.ask("ladder_create", name=at.ladder, **terms)


async def stopped(at: Situation) -> None:
    """Ann has opened a ladder and stopped it."""
    await ladder(at)
    await at.ann.ask("ladder_stop", ladder=at.ladder)


def asks(request: str, /, **fields: Any) -> Deed:
    """Ask for something; a field that is a function is given the situation."""

    async def deed(who: Stranger, at: Situation) -> None:
        values = {name: value(at) if callable(value) else value for name, value in fields.items()}
        await who.ask(request, **values)

    return deed


@asynccontextmanager
async def another(who: Stranger, **about: Any) -> AsyncIterator[Stranger]:
    """Somebody else for a while: a bot of a program of its own, or the session of `who` again."""
    stranger = Stranger(who.url)
    stranger.token = who.token
    try:
        if about:
            await stranger.hello(None, {"program": f"bot{next(COUNT)}", **about})
        else:
            await stranger.resume()
        yield stranger
    finally:
        await stranger.close()


def bot_asks(request: str, /, games: Sequence[str] = ("tic_tac_toe",), **fields: Any) -> Deed:
    """A bot comes in, asks, and goes."""

    async def deed(who: Stranger, at: Situation) -> None:
        async with another(who, games=games) as greta:
            await asks(request, **fields)(greta, at)

    return deed


def sends(frame: str | bytes) -> Deed:
    """Send a frame that is none, and hear what the server says before it closes the connection."""

    async def deed(who: Stranger, at: Situation) -> None:
        await who.send(frame)
        await who.until(lambda: who.farewell)
        assert who.heard[-1]["type"] == "error"
        raise Refused(who.heard[-1])

    return deed


def at_once(times: int, request: str, /, **fields: Any) -> Deed:
    """Ask so often without waiting for an answer that some are refused, and each answered.

    All is written at once: the server reads it before it could store the first, however fast it is.
    """

    async def deed(who: Stranger, at: Situation) -> None:
        with who.corked():
            asking = [asyncio.create_task(asks(request, **fields)(who, at)) for _ in range(times)]
            await asyncio.sleep(0)  # each has sent its request and waits for the answer
        answers = await asyncio.gather(*asking, return_exceptions=True)
        refusals = [answer for answer in answers if answer is not None]
        assert 0 < len(refusals) < times
        assert all(isinstance(refusal, Refused) for refusal in refusals)
        assert refusals[0] is not None
        raise refusals[0]

    return deed


async def connects_too_often(who: Stranger, at: Situation) -> None:
    """Open a ninth connection of one session."""
    async with AsyncExitStack() as tabs:
        for _ in range(8):
            await tabs.enter_async_context(another(who))


async def invites_a_busy_bot(who: Stranger, at: Situation) -> None:
    """Invite a bot whose only slot is held for another room."""
    async with another(who, program="busy", games=["tic_tac_toe"]) as bot:
        other = (await who.ask("create", game="tic_tac_toe"))["room"]
        await who.ask("invite", room=other, who=f"{bot.name}/busy")
        await who.ask("invite", room=at.room, who=f"{bot.name}/busy")


async def invites_a_program_of_bob_s(who: Stranger, at: Situation) -> None:
    """Invite a bot of bob's without saying whose it is."""
    bot = Stranger(who.url)
    bot.token, bot.bot = at.bob.token, {"program": "bobs", "games": ["tic_tac_toe"]}
    try:
        await bot.resume()
        await who.ask("invite", room=at.room, who="bobs")
    finally:
        await bot.close()


async def wants_two_hints(who: Stranger, at: Situation) -> None:
    """Ask for a hint while a bot still thinks about another."""
    async with another(who, games=["tic_tac_toe"]) as greta:
        await who.send(json.dumps({"type": "hint", "match": at.match}))
        await greta.until(lambda: greta.heard[-1]["type"] == "advice_wanted")
        await who.ask("hint", match=at.match)


async def wants_two_recovery_codes(who: Stranger, at: Situation) -> None:
    """Ask for a second recovery code, as a thief would."""
    await who.ask("link", recovery=True)
    await who.ask("link", recovery=True)


async def changes_its_version(who: Stranger, at: Situation) -> None:
    """Two bots play a pair, and one of them connects again as another version."""
    async with another(who, program="left", version="1") as one, another(who, version="1") as two:
        for bot in (one, two):
            await bot.ask("ladder_join", ladder=at.ladder)
        await one.until(lambda: one.matches)
        bot = {"program": "left", "version": "2"}
        newer = await Stranger(who.url).dial()
        try:
            await newer.ask("hello", version=1, token=one.token, bot=bot)
        finally:
            await newer.close()


async def hoards_rooms(who: Stranger, at: Situation) -> None:
    """Sit down in one room more than anybody may."""
    for _ in range(65):
        await who.ask("create", game="tic_tac_toe")


@asynccontextmanager
async def asked_to_analyse(who: Stranger, at: Situation) -> AsyncIterator[Stranger]:
    """A bot that was sent the match on behalf of `who`, who does not wait for it."""
    async with another(who, games=["tic_tac_toe"], analyses=["tic_tac_toe"]) as greta:
        await who.send(json.dumps({"type": "analyse", "match": at.match}))
        await greta.until(lambda: greta.heard[-1]["type"] == "analysis_wanted")
        yield greta


async def wants_two_analyses(who: Stranger, at: Situation) -> None:
    """Ask for an analysis while another one is being made."""
    async with asked_to_analyse(who, at):
        await who.ask("analyse", match=at.match)


async def finds_all_bots_busy(who: Stranger, at: Situation) -> None:
    """Ask for an analysis while the only bot makes one for somebody else."""
    async with asked_to_analyse(at.bob, at):
        await who.ask("analyse", match=at.match)


def reports(**fields: Any) -> Deed:
    """Have a bot asked, and let it report this of the match, in which nobody moved."""

    async def deed(who: Stranger, at: Situation) -> None:
        analysis = {"game": "tic_tac_toe", "by": "me", "unit": "value", "totals": [{}, {}]}
        async with asked_to_analyse(who, at) as greta:
            ask = greta.heard[-1]["ask"]
            await greta.ask("report_analysis", ask=ask, analysis=analysis | fields)

    return deed


def analyses_own(game: str = "tic_tac_toe") -> Deed:
    """Have a bot look at a match of no room."""
    return asks("analyse_own", game=game, actions=[{"seat": 0, "action": "5"}])


async def wants_two_own_analyses(who: Stranger, at: Situation) -> None:
    """Ask about a match of no room while another one is being analysed."""
    async with asked_to_analyse(who, at):
        await analyses_own()(who, at)


def considers(position: str) -> Deed:
    """Have a bot look at a position of no match."""
    return asks("consider", game="tic_tac_toe", position=position)


def opens(**fields: Any) -> Deed:
    """Open a room of tic-tac-toe, or of whatever `fields` say."""
    return asks("create", **{"game": "tic_tac_toe", **fields})


def opens_ladder(**fields: Any) -> Deed:
    """Open a ladder of which all is well but `fields`."""
    good = {"name": "cup", "game": "tic_tac_toe", "clock": CLOCK}
    return asks("ladder_create", **{**good, **fields})


def greets(**fields: Any) -> Deed:
    """Say hello."""
    return asks("hello", **{"version": 1, **fields})


def plays(action: str, turn: Any = attrgetter("turn"), **fields: Any) -> Deed:
    """Play in the match that is on."""
    return asks("play", match=MATCH, turn=turn, action=action, **fields)


def offers(kind: str) -> Deed:
    """Offer something in the match that is on."""
    return asks("offer", match=MATCH, kind=kind)


CONTRADICTION = {"base_ms": 60_000, "per_move_ms": 1_000}

# A situation, who provokes the server in it, by what deed, and the code that this gets.
PROVOCATIONS: list[tuple[str, Setting, str, Deed]] = [
    ("protocol/bad-frame", lobby, "ann", sends("{")),
    ("protocol/bad-frame", lobby, "ann", sends(b"\xc1")),
    ("protocol/bad-message", lobby, "ann", sends("[1, 2]")),
    ("protocol/bad-message", lobby, "ann", sends('{"id": 1}')),
    ("protocol/bad-message", lobby, "nobody", asks("hello")),
    ("protocol/bad-message", lobby, "nobody", greets(version=1.0)),
    ("protocol/bad-message", lobby, "ann", opens(game=4)),
    ("protocol/bad-message", lobby, "ann", opens(seat=2)),
    ("protocol/bad-message", lobby, "ann", asks("join", room=2**53)),
    ("protocol/bad-message", lobby, "ann", asks("join", room=-1)),
    ("protocol/too-large", lobby, "ann", sends(json.dumps({"type": "link", "x": "y" * 65_536}))),
    ("protocol/unknown-type", lobby, "ann", asks("welcome")),
    ("protocol/wrong-version", lobby, "nobody", greets(version=2)),
    ("session/bad-bot", lobby, "nobody", greets(bot={"program": "a b"})),
    ("session/bad-link", lobby, "nobody", greets(link="NOSUCHLINK")),
    ("session/bad-name", lobby, "nobody", greets(name="a/b")),
    ("session/bad-token", lobby, "nobody", greets(token="nobody's")),
    ("session/flood", lobby, "ann", at_once(900, "link")),
    ("session/has-recovery", lobby, "ann", wants_two_recovery_codes),
    ("session/no-device", lobby, "ann", asks("devices", cut=1)),
    ("session/hello-again", lobby, "ann", greets(version=1)),
    ("session/hello-first", lobby, "nobody", asks("lobby")),
    ("session/name-taken", lobby, "nobody", greets(name=ANN)),
    ("session/name-taken", lobby, "nobody", greets(name="h\u043euse")),
    ("session/too-many", lobby, "ann", connects_too_often),
    ("lobby/bad-option", lobby, "ann", opens(options={"clock": CONTRADICTION})),
    ("lobby/bad-option", lobby, "ann", opens(options={"rated": True})),
    ("lobby/no-room", lobby, "ann", asks("join", room=2**53 - 1)),
    ("lobby/no-room", lobby, "ann", asks("history", room=0)),
    ("lobby/no-room", lobby, "ann", asks("resign", match="nonsense")),
    ("lobby/no-room", lobby, "ann", asks("analyse", match="nonsense")),
    ("lobby/too-many-rooms", lobby, "ann", hoards_rooms),
    ("lobby/unknown-game", lobby, "ann", opens(game="chess")),
    ("room/busy", table, "ann", at_once(20, "say", room=ROOM, text="now")),
    ("room/closed", closed, "bob", asks("join", room=ROOM)),
    ("room/closed", closed, "ann", asks("say", room=ROOM, text="still there?")),
    ("room/full", table, "cyd", asks("join", room=ROOM)),
    ("room/match-on", begun, "ann", asks("leave", room=ROOM)),
    ("room/match-on", begun, "ann", asks("kick", room=ROOM, seat=1)),
    ("room/no-match", private, "ann", asks("resign", match=MATCH)),
    ("room/not-owner", table, "bob", asks("kick", room=ROOM, seat=0)),
    ("room/not-owner", table, "bob", asks("room_rename", room=ROOM, name="Den")),
    ("room/not-seated", table, "cyd", asks("ready", room=ROOM)),
    ("room/not-seated", table, "cyd", asks("say", room=ROOM, text="hello?")),
    ("room/not-seated", begun, "cyd", plays("1")),
    ("room/not-seated", begun, "cyd", asks("resign", match=MATCH)),
    ("room/seat-empty", private, "ann", asks("kick", room=ROOM, seat=1)),
    ("room/seat-taken", private, "bob", asks("join", code=CODE, seat=0)),
    ("room/wrong-code", private, "bob", asks("join", room=ROOM)),
    ("room/wrong-code", private, "bob", asks("watch", code="AAAAAA")),
    ("room/wrong-code", private, "bob", asks("history", room=ROOM)),
    ("room/wrong-code", private, "bob", asks("analyse", match=MATCH)),
    ("room/wrong-code", private, "bob", asks("analyse", match=MATCH, code="AAAAAA")),
    ("match/bad-notation", begun, "ann", plays("middle")),
    ("match/bad-note", begun, "ann", plays("1", note="é" * 257)),
    ("match/bad-salt", table, "ann", asks("ready", room=ROOM, salt="a" * 65)),
    ("match/illegal-action", moved, "ann", plays("2", turn=NOW)),
    ("match/no-offer", begun, "ann", asks("answer", match=MATCH, kind="draw", accept=True)),
    ("match/no-offer", offered, "ann", asks("answer", match=MATCH, kind="draw", accept=True)),
    ("match/no-offer", lobby, "ann", asks("advise", ask=2**53 - 1, action="1")),
    ("match/no-offer", lobby, "ann", asks("report_analysis", ask=2**53 - 1)),
    ("lobby/unknown-game", lobby, "ann", asks("ratings", game="go")),
    ("match/no-offer", lobby, "ann", asks("report_considered", ask=2**53 - 1)),
    ("lobby/unknown-game", lobby, "ann", asks("try", game="chess")),
    ("match/over", lobby, "ann", considers("xxx/oo1/3 o")),
    ("lobby/unknown-game", lobby, "ann", analyses_own("chess")),
    ("match/not-allowed", rated, "ann", analyses_own()),
    ("analysis/no-bot", lobby, "ann", analyses_own()),
    ("analysis/busy", over, "ann", wants_two_own_analyses),
    ("match/not-allowed", rated, "ann", considers("3/1x1/3 o")),
    ("analysis/no-bot", lobby, "ann", considers("3/1x1/3 o")),
    ("past/no-person", lobby, "ann", asks("person", name="nobody")),
    ("match/no-offer", lobby, "ann", asks("delay_analysis", ask=2**53 - 1, wait_ms=9)),
    ("match/not-absent", begun, "ann", asks("claim", match=MATCH)),
    ("match/not-allowed", begun, "ann", offers("takeback")),
    ("match/not-allowed", begun, "ann", asks("resign", match=MATCH, points=2)),
    ("match/not-allowed", rated, "ann", offers("takeback")),
    ("match/not-allowed", rated, "ann", asks("hint", match=MATCH)),
    ("match/not-allowed", rated, "ann", asks("claim", match=MATCH)),
    ("match/not-your-turn", begun, "bob", plays("1")),
    ("match/not-your-turn", begun, "bob", asks("hint", match=MATCH)),
    ("match/offer-again", offered, "ann", offers("draw")),
    ("match/offer-again", offered, "bob", offers("draw")),
    ("match/over", over, "ann", plays("1")),
    ("match/over", over, "bob", asks("resign", match=MATCH)),
    ("match/over", over, "bob", offers("draw")),
    ("match/stale-turn", moved, "ann", plays("3")),
    ("match/stale-turn", moved, "bob", plays("1")),
    ("match/too-late-to-abort", moved, "bob", asks("abort", match=MATCH)),
    ("chat/bad-text", table, "ann", asks("say", room=ROOM, text="")),
    ("chat/bad-text", table, "ann", asks("room_rename", room=ROOM, name="\u202e")),
    ("analysis/bad-report", over, "ann", reports(game="chess")),
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
    ("hint/busy", begun, "ann", wants_two_hints),
    ("hint/no-bot", four, "ann", asks("hint", match=MATCH)),
    ("invite/busy", private, "ann", invites_a_busy_bot),
    ("invite/no-such-player", private, "ann", asks("invite", room=ROOM, who="nobody at all")),
    ("invite/not-invited", private, "bob", asks("decline", room=ROOM)),
    ("invite/private", private, "ann", invites_a_program_of_bob_s),
    ("ladder/bad-format", lobby, "ann", opens_ladder(format="knockout")),
    ("ladder/bad-name", lobby, "ann", opens_ladder(name="the cup")),
    ("ladder/bad-option", lobby, "ann", opens_ladder(clock=CONTRADICTION)),
    ("ladder/finished", stopped, "ann", asks("ladder_stop", ladder=LADDER)),
    ("ladder/finished", stopped, "ann", bot_asks("ladder_join", ladder=LADDER)),
    ("ladder/name-taken", ladder, "bob", opens_ladder(name=LADDER, game="connect_four")),
    ("ladder/no-player", stopped, "bob", asks("ladder_compare", ladder=LADDER, players=["nobody"])),
    ("ladder/not-a-bot", ladder, "ann", asks("ladder_join", ladder=LADDER)),
    ("ladder/not-invited", by_invitation, "bob", bot_asks("ladder_join", ladder=LADDER)),
    ("ladder/not-joined", ladder, "ann", asks("ladder_leave", ladder=LADDER)),
    ("ladder/not-owner", ladder, "bob", asks("ladder_stop", ladder=LADDER)),
    ("ladder/quota", ladder, "bob", bot_asks("ladder_join", ladder=LADDER, slots=17)),
    ("ladder/unknown", lobby, "ann", asks("ladder_status", ladder="nowhere")),
    ("ladder/version-clash", ladder, "bob", changes_its_version),
    (
        "ladder/wrong-game",
        ladder,
        "bob",
        bot_asks("ladder_join", games=["connect_four"], ladder=LADDER),
    ),
]
