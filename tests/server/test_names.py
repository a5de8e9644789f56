"""Whose a name is: the house's, on several devices, stolen and brought back, forgotten."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path
from typing import cast

import pytest

from protocol import ladder, messages
from protocol.devices import DeviceList, DeviceNews, Devices, KeptSettings, Settings, prove
from protocol.messages import Hello, Link, Linked, Welcome
from protocol.parts import BotInfo, ClockOptions, Options
from server import sessions
from server.admin.house import FILE, open_house
from server.app import opened
from server.config import Config
from server.core.names.register import HOUSE
from server.core.session import hash_token
from server.store import open_store
from server.store.contract import SessionRow
from tests.server.scene import M, Player, Scene

RANDOM = BotInfo(program="random", games=["tic_tac_toe"], slots=2)
HOUR = 3_600_000
DAY = 24 * HOUR


def hello(scene: Scene, kind: type[M], **said: object) -> tuple[Player, M]:
    """Somebody new, and what it hears first, which is of this kind."""
    player = scene.connect()
    player.say(Hello(version=1, **said))  # type: ignore[arg-type]
    answer = player.heard()[0]
    assert isinstance(answer, kind), answer
    return player, answer


def recovery(player: Player) -> str:
    """The code that brings this player's name back."""
    linked = player.ask(Link(id=70, recovery=True), Linked)
    assert linked.expires_ms == 0
    return linked.code


# ------------------------------------------------------------ the house


def test_nobody_says_hello_as_the_house(scene: Scene) -> None:
    for name in ("house", "h\u043euse", "House", "guest-1234", "server", "admin"):
        _, no = hello(scene, messages.Error, name=name)
        assert (no.code, no.suggestion) == ("session/name-taken", "player")
    house = scene.house(RANDOM)
    lines = house.ask(messages.Lobby(id=1), messages.LobbyList).bots
    assert [(line.name, line.program) for line in lines] == [("house", "random")]


def test_only_the_house_s_own_bots_are_anchors(scene: Scene) -> None:
    scene.store.logins[1] = SessionRow(1, "house", b"?", 0, 0)  # a stranger's, of an older server
    scene = Scene(store=scene.store)
    ann = scene.enter("ann")
    clock = ClockOptions(base_ms=60_000)
    create = ladder.LadderCreate(id=1, name="daily", game="tic_tac_toe", clock=clock)
    ann.ask(create, ladder.LadderState)
    join = ladder.LadderJoin(id=2, ladder="daily")
    bots = [scene.enter("houze", bot=RANDOM), scene.house(RANDOM)]
    for bot in bots:
        bot.heard()
        bot.ask(join, messages.Ok)
    players = scene.ladders.by_name["daily"].ladder.players
    assert [(player.who.name, player.anchor) for player in players] == [
        ("houze", False), ("house", True),
    ]  # fmt: skip


def test_a_program_of_the_house_is_no_person(scene: Scene) -> None:
    early = scene.enter("random")  # before the house's bots were here
    room, ann = scene.gather("ann", options=Options(public=False))
    house = scene.house(RANDOM)
    for name in ("random", "RANDOM", "rand\u043em"):
        assert hello(scene, messages.Error, name=name)[1].code == "session/name-taken"
    invite = messages.Invite(id=1, room=room, who="random")
    ann.ask(invite, messages.Ok)
    assert house.last(messages.Invited).room == room
    house.go()
    assert ann.refused(invite) == "invite/no-such-player"
    assert early.heard() == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder."""
    return tmp_path / "data"


def token_in(folder: Path) -> str:
    path = folder / FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    return cast(str, json.loads(path.read_text())[HOUSE])


async def test_the_house_s_token_lies_in_the_data_folder_and_stays_good(folder: Path) -> None:
    async with opened(folder, Config()) as running:
        first = running.hub.lobby.names
        token = token_in(folder)
        assert first.of_token(token) == first.house
    async with opened(folder, Config()):
        assert token_in(folder) == token
    old = {"http://127.0.0.1:8765 house": token}  # as bots have written it
    (folder / FILE).write_text(json.dumps(old))
    async with opened(folder, Config()) as running:
        assert token_in(folder) == token
        assert running.hub.lobby.names.house == first.house


async def test_a_stranger_who_was_called_house_is_so_no_more(folder: Path) -> None:
    store = open_store(folder)
    written = asyncio.get_running_loop().create_future()
    store.append([SessionRow(7, "House", b"stolen", 0, 0)], written.set_result)
    assert await written is None
    store.close()
    async with opened(folder, Config()) as running:
        names = running.hub.lobby.names
        assert names.of_token(token_in(folder)) == names.house == 7
        assert b"stolen" not in names.by_token
    store = open_store(folder)
    assert [row.number for row in store.sessions() if row.token != b"stolen"] == [7]
    store.close()


async def test_a_file_that_makes_no_sense_is_replaced(tmp_path: Path, scene: Scene) -> None:
    (tmp_path / FILE).write_text("[1")
    opening = asyncio.ensure_future(open_house(tmp_path, scene.store, scene.lobby.names, 0))
    await asyncio.sleep(0)
    scene.store.settle()
    await opening
    assert scene.lobby.names.of_token(token_in(tmp_path)) == scene.lobby.names.house


# ------------------------------------------------------------ linked, cut off, brought back


def listed(player: Player) -> list[tuple[int, str, bool, bool]]:
    """The devices of a name, as this one of them is told."""
    lines = player.ask(Devices(id=71), DeviceList).devices
    return [(line.number, line.label, line.here, line.own) for line in lines]


def test_the_devices_of_a_name_are_listed_and_one_is_cut_off(scene: Scene) -> None:
    ann, first = hello(scene, Welcome, name="ann", device="Firefox on Linux")
    assert listed(ann) == [(1, "Firefox on Linux", True, True)]
    scene.wait(5)
    phone, welcome = hello(scene, Welcome, link=ann.ask(Link(id=1), Linked).code, device="phone")
    bot = scene.enter(token=welcome.token, bot=RANDOM)
    room = scene.room(ann)
    proofs = scene.hub.sessions.describe("ann", "5f", ("a", "b"))["proofs"]
    tokens = (first.token, welcome.token)
    assert proofs == [prove(hash_token(token or ""), "5f", "a", "b") for token in tokens]
    assert listed(phone) == [(1, "Firefox on Linux", True, False), (2, "phone", True, True)]
    line = ann.ask(Devices(id=2), DeviceList).devices[1]
    assert (line.linked, line.seen) == (scene.now(), scene.now())
    pending = phone.ask(Link(id=3), Linked).code
    assert ann.refused(Devices(id=4, cut=7)) == "session/no-device"
    left = ann.ask(Devices(id=5, cut=2), DeviceList)
    assert [line.number for line in left.devices] == [1]
    for lost in (phone, bot):
        assert lost.codes() == ["session/moved"]
        assert lost.transport.ended == (1008, "session/moved")
    assert ann.refused(Devices(id=6, cut=1)) == "session/no-device"  # the last one
    assert not scene.rooms.actors[room].room.away[0]
    for server in (scene, scene.again()):
        assert hello(server, messages.Error, token=welcome.token)[1].code == "session/bad-token"
        assert hello(server, messages.Error, link=pending)[1].code == "session/bad-link"
        assert hello(server, Welcome, token=first.token)[1].name == "ann"


def test_a_device_that_could_not_be_cut_off_is_so_when_it_is_asked_for_again(scene: Scene) -> None:
    ann = scene.enter("ann")
    phone, welcome = hello(scene, Welcome, link=ann.ask(Link(id=1), Linked).code)
    scene.store.broken = True
    ann.say(Devices(id=2, cut=1))
    assert ann.codes() == ["server/not-stored"]
    scene.store.broken = False
    assert (len(listed(phone)), phone.codes()) == (2, [])
    phone.say(Devices(id=3, cut=1))
    assert ann.codes() == ["session/moved"]
    again = scene.again()
    assert hello(again, messages.Error, token=ann.token)[1].code == "session/bad-token"
    assert hello(again, Welcome, token=welcome.token)[1].name == "ann"


def test_what_one_device_has_kept_with_the_name_another_one_reads(scene: Scene) -> None:
    ann, first = hello(scene, Welcome, name="ann")
    phone, _ = hello(scene, Welcome, link=ann.ask(Link(id=1), Linked).code)
    assert phone.ask(Settings(id=2), KeptSettings).kept == ""
    text = '{"board": "classic", "friends": ["J\u00f6rg"]}'
    assert ann.ask(Settings(id=3, keep=text), KeptSettings).kept == text
    assert phone.ask(Settings(id=4), KeptSettings).kept == text
    assert scene.enter("bob").ask(Settings(id=5), KeptSettings).kept == ""
    scene.store.broken = True
    for request in (Settings(id=6), Settings(id=7, keep="")):
        assert phone.refused(request) == "server/not-stored"
    scene.store.broken = False
    ann, _ = hello(scene.again(), Welcome, token=first.token)
    assert ann.ask(Settings(id=8), KeptSettings).kept == text


def test_a_recovery_code_brings_a_stolen_name_back(scene: Scene) -> None:
    ann = scene.enter("ann")
    code = recovery(ann)
    assert code.encode() not in b"".join(row.recovery for row in scene.store.logins.values())
    thief = scene.enter(token=ann.token)
    assert thief.refused(Link(id=3, recovery=True)) == "session/has-recovery"
    assert thief.refused(Link(id=4, recovery=True, old="QF7K")) == "session/has-recovery"
    thief, kept = hello(scene, Welcome, link=thief.ask(Link(id=5), Linked).code)
    assert len(thief.ask(Devices(id=6, cut=1), DeviceList).devices) == 1  # he makes it his
    assert ann.codes() == ["session/moved"]
    typed = f" {code.replace('-', ' ').lower()}"
    back, welcome = hello(scene, Welcome, link=typed)
    back.ask(Devices(id=1, cut=2), DeviceList)
    assert thief.codes() == ["session/moved"]
    assert hello(scene, messages.Error, token=kept.token)[1].code == "session/bad-token"
    scene = scene.again()
    assert hello(scene, Welcome, token=welcome.token)[1].name == "ann"
    ann, welcome = hello(scene, Welcome, link=code)  # as often as its owner has nothing else left
    assert (welcome.name, welcome.recovery) == ("ann", None)
    later = ann.ask(Link(id=1, recovery=True, old=code.lower()), Linked).code
    assert hello(scene, messages.Error, link=code)[1].code == "session/bad-link"
    assert hello(scene, Welcome, link=later)[1].name == "ann"


def device_news(player: Player) -> list[tuple[str, str]]:
    """What this player has heard of the name's other devices since this was last asked."""
    return [(each.news, each.device) for each in player.heard() if isinstance(each, DeviceNews)]


def test_a_device_of_a_day_replaces_a_recovery_code_that_is_lost(scene: Scene) -> None:
    ann = scene.enter("ann")
    code = recovery(ann)
    thief, _ = hello(scene, Welcome, link=ann.ask(Link(id=1), Linked).code)
    scene.wait(DAY - 1)
    assert thief.refused(Link(id=2, recovery=True, lost=True)) == "session/has-recovery"
    later = ann.ask(Link(id=3, recovery=True, lost=True), Linked).code
    assert device_news(thief) == [("recovery", "")]
    assert hello(scene, messages.Error, link=code)[1].code == "session/bad-link"
    scene.wait(1)
    last = thief.ask(Link(id=4, recovery=True, lost=True), Linked).code
    assert hello(scene, messages.Error, link=later)[1].code == "session/bad-link"
    assert hello(scene.again(), Welcome, link=last)[1].name == "ann"


def test_what_is_done_with_a_name_is_told_to_its_other_devices(scene: Scene) -> None:
    ann, first = hello(scene, Welcome, name="ann")
    bot = scene.enter(token=first.token, bot=RANDOM)
    code = ann.ask(Link(id=1), Linked).code
    phone, welcome = hello(scene, Welcome, link=code, device="phone")
    assert device_news(ann) == [("linked", "phone")]
    assert device_news(phone) == device_news(bot) == []
    phone.go()
    scene.wait(5)
    code = ann.ask(Link(id=2), Linked).code
    hello(scene, Welcome, link=code, device="Firefox")[0].go()
    for expected in ([("linked", "Firefox")], []):
        scene.wait(5)
        phone = scene.connect()
        phone.say(Hello(version=1, token=welcome.token))
        assert device_news(phone) == expected
    ann.ask(Devices(id=3, cut=3), DeviceList)
    assert device_news(phone) == [("cut", "Firefox")]
    assert device_news(ann) == device_news(bot) == []


@pytest.mark.parametrize("how", ["not stored", "gone"])
def test_a_recovery_code_that_nobody_was_shown_is_none(scene: Scene, how: str) -> None:
    ann, tab = scene.enter("ann"), scene.connect()
    tab.say(Hello(version=1, token=ann.token))
    scene.store.broken = how == "not stored"
    tab.send(Link(id=1, recovery=True))
    if how == "gone":
        tab.vanish()
    scene.store.settle()
    scene.store.broken = False
    assert tab.codes() == (["server/not-stored"] if how == "not stored" else [])
    code = recovery(ann)
    scene.store.broken = how == "not stored"
    other = scene.enter(token=ann.token) if how == "gone" else ann
    other.send(Link(id=2, recovery=True, old=code))
    if how == "gone":
        other.vanish()
    scene.store.settle()
    scene.store.broken = False
    assert hello(scene, Welcome, link=code)[1].name == "ann"


# ------------------------------------------------------------ too many, and forgotten


def test_an_address_takes_so_many_new_names_an_hour() -> None:
    scene, home = Scene(Config(names_per_address=3)), "192.0.2.1"
    ann = scene.enter("ann", address=home)
    for _ in range(2):
        scene.enter(address=home)

    def come(address: str, **said: str) -> str | None:
        player = scene.connect(address=address)
        player.say(Hello(version=1, **said))  # type: ignore[arg-type]
        return next(iter(player.codes()), None)

    assert come(home) == come(home, name="bob") == "session/too-many-names"
    assert come(home, token=ann.token) is None
    assert come("192.0.2.2", name="bob") is None  # which was not taken by who was refused
    scene.wait(HOUR // 3 + 1)
    assert come(home) is None


def test_names_that_hold_nothing_are_forgotten_in_the_log_too(scene: Scene) -> None:
    at = scene.match()
    at.ann.say(at.play("5"))
    guests = [scene.enter() for _ in range(3)]
    cat, dan = scene.enter("cat"), scene.enter("dan")
    room = scene.room(guests[1])
    at.ann.say(messages.Resign(match=at.name))
    recovery(dan)
    for player in (at.ann, at.bob, *guests[:2], cat, dan):
        player.go()
    assert len(scene.store.logins) == 7
    scene.wait(HOUR + 1)
    eve = scene.enter("eve")
    assert sorted(row.name for row in scene.store.logins.values() if row.guest) == sorted(
        [scene.store.logins[guests[2].peer.me().session].name]
    )
    assert room not in scene.rooms.actors  # half an hour after its player had gone
    scene.wait(DAY)
    eve.go()
    scene.enter("fay")
    names = {row.name for row in scene.store.logins.values() if not row.guest}
    assert names == {"ann", "bob", "dan", "eve", "fay"}
    scene.store.last_at = 0  # the clock of this machine has not seen that day
    again = Scene(store=scene.store)
    for player in (at.ann, at.bob, dan):
        hello(again, Welcome, token=player.token)
    assert hello(again, messages.Error, token=cat.token)[1].code == "session/bad-token"
    assert hello(again, messages.Error, name="ann")[1].code == "session/name-taken"


def test_of_more_names_than_a_house_keeps_the_newest_are_forgotten_after_a_day() -> None:
    scene = Scene(Config(names=4))
    for names in (("ann", "bob"), ("cat", "dan"), ("eve", "fay")):
        at = scene.match(names=names)
        at.ann.say(messages.Resign(match=at.name))
        recovery(at.ann)
        for player in (at.ann, at.bob):
            player.go()
    scene.wait(DAY)
    scene.enter("gil").go()
    assert len(scene.lobby.names.sessions) == 7  # all were here within a day
    scene.wait(sessions.FORGET_EVERY_MS)
    scene.enter("hal").go()
    assert set(scene.lobby.names.by_name) == {"ann", "bob", "cat", "gil", "hal"}
    assert {row.name for row in scene.store.logins.values()} == {"ann", "bob", "cat", "gil", "hal"}


def test_names_are_looked_at_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "FORGET_MOST", 2)
    scene = Scene()
    for name in ("ann", "bob", "cat"):
        scene.enter(name).go()
    scene.wait(DAY + 1)
    left = []
    for name in ("dan", "eve", "fay"):
        scene.enter(name).go()
        left.append(len(scene.lobby.names.sessions))
        scene.wait(sessions.FORGET_NEXT_MS)
    assert left == [3, 3, 4]


@pytest.mark.parametrize("heard", [True, False], ids=["welcomed", "gone"])
def test_a_name_that_somebody_takes_over_is_in_the_log_once(scene: Scene, heard: bool) -> None:
    ann = scene.enter("ann")
    ann.go()
    scene.wait(DAY + 1)
    late = scene.connect()
    late.send(Hello(version=1, name="Ann"))
    if not heard:
        late.vanish()
    scene.store.settle()
    assert [(row.number, row.name) for row in scene.store.logins.values()] == [
        (2, "Ann") if heard else (1, "ann")
    ]
    scene.store.last_at = 0
    again = Scene(store=scene.store)
    _, answer = hello(again, messages.Error if heard else Welcome, token=ann.token)
    assert isinstance(answer, Welcome) != heard


def test_a_name_that_could_not_be_forgotten_is_so_with_the_next_login(scene: Scene) -> None:
    """Else its row would stand in the way of whoever takes the name."""
    scene.enter("ann")
    number = scene.lobby.names.by_name["ann"]
    scene.store.broken = True
    scene.hub.sessions.forget(number)
    scene.store.settle()
    scene.store.broken = False
    assert number in scene.store.logins
    scene.enter("bob")
    assert number not in scene.store.logins
