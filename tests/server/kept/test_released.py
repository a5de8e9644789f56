"""A house that visitors came to, played in and left holds what it held before."""

from __future__ import annotations

from collections import Counter

import pytest

from protocol import messages, parts
from protocol.analysis import Analyse, Consider
from protocol.hints import Hint
from protocol.ladder import LadderCreate, LadderPairs, LadderState, LadderStatus, LadderStop
from protocol.past import Matches, Person
from server.config import Config
from tests.server.cluster.far_scene import FarScene
from tests.server.conftest import Opener
from tests.server.kept.census import census
from tests.server.ladder.scene import CLOCK, Bot
from tests.server.scene import BLITZ, Player, Scene
from tests.support.live_server import TEXT, LiveServer, frame, request_frame

LONG_MS = 181 * 24 * 3_600_000  # after which nobody's name is kept any more

SHRUG = parts.BotInfo(
    program="shrug", games=["tic_tac_toe"], analyses=["tic_tac_toe"],
    considers=["tic_tac_toe"],
)  # fmt: skip


def play(scene: Scene, visit: str) -> None:
    """Two play a match in sight of a guest, with all that can be asked for beside it."""
    ann, bob, cid = (
        scene.enter(f"{name}{visit}", address=f"10.{ord(visit)}.0.{n}")
        for n, name in enumerate(("ann", "bob", "cid"))
    )
    guest = scene.enter(address=f"10.{ord(visit)}.0.9")
    shrug = scene.enter(f"dan{visit}", bot=SHRUG)
    for public in (True, False):
        room = scene.room(ann, options=parts.Options(clock=BLITZ.clock, public=public))
        code = scene.rooms.actors[room].room.code
        ann.say(messages.Invite(room=room, who=f"cid{visit}"))
        cid.say(messages.Decline(room=room))
        ann.say(messages.Invite(room=room, who=f"dan{visit}/shrug"))
        bob.say(messages.Join(room=room, code=code))
        guest.say(messages.Watch(room=room, code=code))
        guest.say(messages.Lobby(follow=True))
        ann.say(messages.Say(room=room, text="hello"))
        ann.say(messages.Ready(room=room))
        bob.say(messages.Ready(room=room))
        bob.heard()
        turn, match = ann.last(messages.MatchState).turn, f"{room}.1"
        ann.say(Hint(match=match))
        ann.say(messages.Play(match=match, turn=turn, action="5"))
        ann.say(messages.Offer(match=match, kind="takeback"))
        bob.say(messages.Resign(match=match))
        bob.say(messages.History(room=room, code=code))
        bob.say(Analyse(match=match, code=code))
        shrug.say(Consider(game="tic_tac_toe", position="3/3/3 x"))
        bob.say(Matches())
        bob.say(Person(name=f"ann{visit}"))
        cid.say(messages.Link())
        scene.wait(1_000)
    for player in (shrug, ann, bob, cid, guest):
        player.go()
    scene.wait(1_000)


def pair(scene: Scene, visit: str) -> None:
    """Two bots play pairs on a ladder, which is stopped."""
    name = f"club{visit}"
    owner = scene.enter(f"eve{visit}")
    owner.ask(LadderCreate(id=1, name=name, game="tic_tac_toe", clock=CLOCK), LadderState)
    bots = [Bot(scene, f"{name}-{n}") for n in range(2)]
    for bot in bots:
        bot.join(name)
    owner.say(LadderStatus(ladder=name, follow=True))
    ladder = scene.ladders.by_name[name].ladder
    while len(ladder.over) < 2:
        for bot in bots:
            bot.act()
        scene.store.settle()
        scene.wait(10)
    owner.say(LadderPairs(ladder=name))
    owner.say(LadderStop(ladder=name))
    while ladder.finished is None:
        for bot in bots:
            bot.act()
        scene.store.settle()
        scene.wait(1_000)
    for bot in bots:
        bot.go()
    owner.go()


def rest(scene: Scene) -> None:
    """Let so much time pass that nothing of those who have gone is worth keeping.

    It passes as on a machine that sleeps: each timer rings once, not every minute of half a year.
    """
    for _ in range(3):
        scene.loop.at += LONG_MS / 1000
        scene.wait(1_000)
        last: Player = scene.enter("zoe", address="10.255.0.1")
        last.go()
    for hub in (scene.hub, scene.rooms_hub):
        hub.sweep(scene.now())


@pytest.mark.parametrize("kind", [Scene, FarScene])
def test_a_house_that_all_have_left_keeps_what_it_kept_before(kind: type[Scene]) -> None:
    scene = kind(Config(finished_ladders=1))
    kept = []
    for visit in "abc":  # after the first, there are tables that grow once
        play(scene, visit)
        pair(scene, visit)
        rest(scene)
        kept.append(census())
    assert kept[2] - kept[1] == Counter()
    scene.close()


@pytest.mark.socket
async def test_visitors_over_sockets_leave_nothing_behind_however_they_end(
    open_server: Opener,
) -> None:
    server: LiveServer = await open_server(sweep_ms=20)
    token = (await (await server.raw()).hello("ann")).token
    await server.close()
    kept = []
    for _ in range(3):
        await visit(server, token)
        await server.close()
        await server.until(lambda: not (server.gateway.sockets or len(server.gateway.addresses)))
        await server.until(lambda: not server.hub.peers)
        server.hub.rooms.disk.sweep(server.hub.now() + 86_400_000)  # what was stored is made up
        kept.append(census())
    assert kept[2] - kept[1] == Counter()


async def visit(server: LiveServer, token: str | None) -> None:
    """Come in all ways, and be gone with the connections."""
    half = await server.raw()
    half.send(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
    idle = await server.raw()
    idle.send(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
    assert (await idle.head()).startswith("HTTP/1.1 200 ")
    wrong = await server.raw()
    wrong.send(b"\r\n".join([b"nonsense", b""] * 2))
    await wrong.head()
    silent = await server.raw()
    await silent.upgrade()
    ann = await server.raw()
    await ann.upgrade(request_frame(messages.Hello(version=messages.VERSION, token=token)))
    await ann.hear(messages.Welcome)
    room = (await ann.ask(messages.Create(id=1, game="tic_tac_toe"), messages.RoomState)).room
    await ann.ask(messages.Leave(id=2, room=room), messages.Ok)
    ann.send(frame(b"{", TEXT, fin=False))
