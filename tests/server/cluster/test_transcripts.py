"""One story with every request of the protocol, told at the right server and through the wrong one.

What each player hears is the same, word by word; only what is drawn at random is left out, and new
lists of the lobby, which may come a quarter of a second later from elsewhere.
"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from protocol import analysis, ladder, messages, parts, past
from protocol.devices import Devices, Settings
from protocol.hints import Advise, DelayAdvice, Hint
from protocol.messages import Request
from server.rooms import wall_clock
from tests.server.cluster.far_scene import FarScene
from tests.server.scene import BLITZ, Player, Scene

RANDOM = {"token", "code", "commitment", "secret", "recovery", "ask"}
SHRUG = parts.BotInfo(
    program="shrug", games=["tic_tac_toe"], slots=4, analyses=["tic_tac_toe"],
    considers=["tic_tac_toe"],
)  # fmt: skip
PRIVATE = parts.Options(public=False)


class Story:
    """What is asked in a scene, and what everybody hears of it."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.players: dict[str, Player] = {}
        self.heard: list[tuple[str, Any]] = []
        self.asked: set[type[Request]] = set()
        self.last: dict[str, messages.Push] = {}
        self._ids = 0

    def enter(self, name: str, bot: parts.BotInfo | None = None, text: bool = False) -> None:
        """Somebody comes in."""
        self.players[name] = self.scene.connect(text)
        self.ask(name, messages.Hello(version=messages.VERSION, name=name, bot=bot))
        self.players[name].token = str(getattr(self.last[name], "token", ""))

    def ask(self, name: str, request: Request) -> messages.Push:
        """Say something, with an id; return the answer."""
        self._ids += 1
        self.asked.add(type(request))
        self.players[name].say(msgspec.structs.replace(request, id=self._ids))
        self.listen()
        self.scene.wait(600)  # the lobby's rows are as everybody has them
        self.listen()
        return self.last[name]

    def listen(self) -> None:
        """Note what everybody has heard."""
        for name, player in self.players.items():
            for message in player.heard():
                if message.re is not None or name not in self.last:
                    self.last[name] = message
                if message.re is not None or not isinstance(message, messages.LobbyList):
                    self.heard.append((name, _without_chance(msgspec.to_builtins(message))))

    def find(self, name: str, kind: str) -> dict[str, Any]:
        """The newest message of a kind that somebody has heard."""
        return next(m for who, m in reversed(self.heard) if who == name and m["type"] == kind)


def _without_chance(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: "?" if key in RANDOM and each is not None else _without_chance(each)
            for key, each in value.items()
        }
    return [_without_chance(each) for each in value] if isinstance(value, list | tuple) else value


def tell(story: Story) -> None:
    """People and bots meet, play, talk, ask and leave."""
    ask, enter = story.ask, story.enter
    enter("ann"), enter("bob", text=True), enter("eve")
    enter("greta", SHRUG)
    ask("eve", messages.Lobby(follow=True))
    room = ask("ann", messages.Create(game="tic_tac_toe", options=BLITZ)).room  # type: ignore[attr-defined]
    ask("ann", messages.Create(game="chess"))
    ask("bob", messages.Join(room=room))
    ask("bob", messages.Join(room=room + 7))
    waits = ask(
        "eve", messages.Seek(game="tic_tac_toe", options=parts.Options(sought=("clock",)))
    ).room  # type: ignore[attr-defined]
    ask("bob", messages.Seek(game="tic_tac_toe", options=BLITZ))
    ask("bob", messages.Leave(room=waits))
    ask("eve", messages.Leave(room=waits))
    ask("eve", messages.Watch(room=room))
    ask("ann", messages.RoomRename(room=room, name="the den"))
    ask("bob", messages.RoomRename(room=room, name="my den"))
    ask("ann", messages.Kick(room=room, seat=1))
    ask("bob", messages.Join(room=room))
    ask("bob", messages.Say(room=room, text="hello"))
    ask("eve", messages.Say(room=room, text="hello from the crowd"))
    ask("ann", messages.Ready(room=room))
    ask("bob", messages.Ready(room=room))
    name = f"{room}.1"
    turn = story.find("ann", "match")["turn"]
    ask("bob", messages.Play(match=name, turn=turn, action="1"))
    ask("ann", messages.Play(match=name, turn=turn, action="nonsense"))
    ask("ann", messages.Play(match=name, turn=turn, action="5"))
    ask("ann", messages.Play(match=name, turn=turn, action="5"))
    ask("ann", messages.Play(match="999.1", turn=turn, action="5"))
    ask("bob", Hint(match=name))
    question = story.players["greta"], story.find("greta", "advice_wanted")
    assert question[1]["ask"] == "?"
    ask("greta", DelayAdvice(ask=_asked(story, "hints"), wait_ms=5))
    ask("greta", Advise(ask=_asked(story, "hints"), action="1"))
    ask("greta", Advise(ask=_asked(story, "hints", gone=True), action="1"))
    ask("eve", messages.Draw(match=name))
    ask("ann", messages.Offer(match=name, kind="draw"))
    ask("bob", messages.Answer(match=name, kind="draw", accept=False))
    ask("ann", messages.Abort(match=name))
    ask("ann", messages.Claim(match=name))
    ask("eve", messages.History(room=room))
    _come_again(story, "bob", room)
    ask("bob", messages.Resign(match=name))
    ask("ann", analysis.Analyse(match=name))
    ask("greta", analysis.DelayAnalysis(ask=_asked(story, "analyses"), wait_ms=5))
    ask("greta", analysis.ReportAnalysis(ask=_asked(story, "analyses"), error="too hard"))
    ask("ann", analysis.AnalyseOwn(game="tic_tac_toe", actions=()))
    ask("ann", analysis.Try(game="tic_tac_toe", position="3/1x1/3 o", action="5"))
    ask("ann", analysis.Try(game="tic_tac_toe", position="3/1x1/3 o", action="1"))
    ask("ann", analysis.Consider(game="tic_tac_toe", position="3/1x1/3 o"))
    ask("greta", analysis.Consider(game="tic_tac_toe", position="3/1x1/3 o"))
    ask("greta", analysis.ReportConsidered(ask=0))
    ask("eve", messages.Leave(room=room))
    ask("bob", messages.Leave(room=room))
    ask("ann", messages.Invite(room=room, who="shrug"))
    ask("greta", messages.Decline(room=room, why="busy", text="later"))
    ask("ann", messages.Invite(room=room, who="shrug"))
    ask("greta", messages.Join(room=room, level=2))
    private = ask("eve", messages.Create(game="connect_four", options=PRIVATE)).room  # type: ignore[attr-defined]
    ask("bob", messages.Join(room=private))
    code = story.scene.rooms.actors[private].room.code
    ask("bob", messages.Watch(code=code))
    ask("bob", messages.Join(code=code))
    ask("ann", past.Matches(who="ann"))
    ask("ann", past.Person(name="bob"))
    ask("ann", past.PeopleRatings(game="tic_tac_toe", of=("bob",)))
    _climb(story)
    ask("ann", messages.Link())
    link = story.scene.hub.lobby.names.link_codes
    story.players["ann on another device"] = story.scene.connect()
    ask("ann on another device", messages.Hello(version=1, link=next(iter(link))))
    ask("ann on another device", Devices())
    ask("ann on another device", Settings(keep="{}"))
    ask("ann", Settings())
    ask("ann on another device", Devices(cut=1))
    ask("ann on another device", messages.Leave(room=room))
    ask("eve", messages.Lobby(follow=False))


def _asked(story: Story, service: str, gone: bool = False) -> int:
    """The number of the one question that a bot was asked."""
    service = getattr(story.scene.rooms_hub.services, service)
    return int(next(iter(service._open)) if not gone else service._next - service._step)


def _come_again(story: Story, name: str, room: int) -> None:
    """Somebody's connection goes, and they come back."""
    player = story.players.pop(name)
    player.go()
    story.scene.wait(5_000)
    story.listen()
    story.players[name] = story.scene.connect(player.text)
    story.ask(name, messages.Hello(version=1, token=player.token))


def _climb(story: Story) -> None:
    """A ladder is opened, joined, looked at and stopped."""
    ask, clock = story.ask, parts.ClockOptions(base_ms=60_000)
    ask("ann", ladder.LadderCreate(name="cup", game="tic_tac_toe", clock=clock, seed=1))
    ask("ann", ladder.LadderCreate(name="cup", game="tic_tac_toe", clock=clock))
    ask("ann", ladder.LadderJoin(ladder="cup"))
    ask("greta", ladder.LadderJoin(ladder="cup"))
    ask("eve", ladder.LadderStatus(ladder="cup"))
    ask("eve", ladder.LadderPairs(ladder="cup"))
    ask("eve", ladder.LadderHistory(ladder="cup"))
    ask("eve", ladder.LadderCompare(ladder="cup", players=[]))
    ask("greta", ladder.LadderLeave(ladder="cup"))
    ask("eve", ladder.LadderDrop(ladder="cup", player="nobody"))
    ask("ann", ladder.LadderDrop(ladder="cup", player="nobody"))
    ask("eve", ladder.LadderStop(ladder="cup"))
    ask("ann", ladder.LadderStop(ladder="cup"))


def test_every_request_has_the_same_transcript_through_the_wrong_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(wall_clock.time, "time", lambda: 1_800_000_000.0)
    right, wrong = Story(Scene()), Story(FarScene())
    for story in (right, wrong):
        tell(story)
    assert right.asked == set(right.scene.hub.routes), "a request is missing in the story"
    assert len(right.heard) > 120
    for one, other in zip(right.heard, wrong.heard, strict=True):
        assert one == other
