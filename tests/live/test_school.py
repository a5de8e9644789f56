"""A class: sixty sessions behind one address that all want to play a bot at once."""

from __future__ import annotations

import asyncio
from pathlib import Path

from client.connection import Connection, connect
from protocol.errors import Refusal
from protocol.messages import Invited, MatchState
from protocol.parts import BotInfo, Options, Strength
from server.config import Config
from tests.support.live_server import LiveServer, live_server

PUPILS = 60
BOTS = ("mcts", "minimax", "flat", "hybrid", "solver")
LEVEL = Strength(level=4)


async def bring(server: LiveServer, program: str) -> Connection:
    """A bot of the house that comes to whoever asks."""
    bot = BotInfo(program=program, slots=16, levels=8)
    return await connect(server.ws, token="the house's", bot=bot)


async def serve(bot: Connection) -> None:
    async for message in bot:
        if isinstance(message, Invited):
            await bot.join(message.room, message.code, level=message.strength.level)
            await bot.ready(message.room)


async def play_a_bot(server: LiveServer) -> Connection:
    """Come in, open a table and call the bot that is chosen, or any other, as the page does."""
    pupil = await connect(server.ws)
    state = await pupil.create("tic_tac_toe", Options(), seat=0)
    try:
        await pupil.invite(state.room, "house/mcts", LEVEL)
    except Refusal:  # it has no slot left
        await pupil.invite(state.room, "house", LEVEL)
    await pupil.ready(state.room)
    async for message in pupil:
        if isinstance(message, MatchState) and message.legal:
            return pupil
    raise AssertionError("the connection has ended")


async def test_sixty_behind_one_address_all_play_a_bot_with_one_setting(tmp_path: Path) -> None:
    config = Config().with_settings(["school=on"])
    limits = {name: getattr(config, name) for name in Config.__struct_fields__}
    async with live_server(tmp_path, **limits) as server, asyncio.timeout(60):
        names = server.hub.lobby.names
        names.own_house(["the house's"], "the house's", server.hub.now())
        bots = [await bring(server, program) for program in BOTS]
        serving = [asyncio.create_task(serve(bot)) for bot in bots]
        pupils = await asyncio.gather(*(play_a_bot(server) for _ in range(PUPILS)))
        assert len({pupil.name for pupil in pupils}) == PUPILS
        for each in (*pupils, *bots):
            await each.close()
        await asyncio.gather(*serving)
