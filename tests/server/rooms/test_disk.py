"""Stored bytes are paid by day and address, and what is left of a full disk is for moves."""

from __future__ import annotations

import gc

from msgspec.structs import replace

from protocol import messages, parts
from server.config import STORED_BYTE, Config
from tests.server.scene import Player, Scene, SceneMatch

NOTE = "x" * 500
PLAY = messages.Play(match="1.1", turn=1, action="5", note=NOTE)
DAY_MS = 86_400_000


def play(at: SceneMatch, player: Player, action: str, note: str | None = None) -> None:
    """Answer the newest state of a match."""
    player.say(replace(at.play(action), note=note))
    at.turn = max(state.turn for state in player.heard_of(messages.MatchState))


def talk(at: SceneMatch, player: Player) -> list[tuple[str, int | None]]:
    """Say something in a room; the codes of what came."""
    player.say(messages.Say(id=90, room=at.room, text="hello there"))
    return player.refusals()


def last_note(scene: Scene, at: SceneMatch) -> str | None:
    """The note of the last play that is stored."""
    history = at.ann.ask(messages.History(id=91, room=at.room), messages.HistoryPage)
    return [event for event in history.events if event.kind == "play"][-1].note


def test_on_a_disk_that_is_nearly_full_nobody_chats_and_moves_go_on(scene: Scene) -> None:
    at = scene.match()
    scene.store.free = scene.config.disk_reserve_bytes - 1
    scene.wait(1_000)
    scene.hub.sweep(scene.now())
    at.ann.heard()
    assert talk(at, at.ann) == [("server/disk-full", 90)]
    for player, action in ((at.ann, "5"), (at.bob, "1"), (at.ann, "3")):
        play(at, player, action, NOTE)
        assert last_note(scene, at) is None
    scene.store.free = scene.config.disk_reserve_bytes
    scene.wait(1_000)
    at.ann.heard()
    assert talk(at, at.ann) == []


def test_who_has_stored_as_much_as_a_day_allows_plays_on_and_begins_nothing() -> None:
    scene = Scene(Config(stored_bytes_per_address=4_000))
    ann, bob, eve = (scene.enter(name, address=a) for name, a in ADDRESSES)
    room = scene.room(ann)
    for _ in range(20):
        ann.say(messages.Say(room=room, text=NOTE))
    assert ("server/disk-full", None) in ann.refusals()
    assert ann.refused(messages.Create(id=1, game="tic_tac_toe")) == "server/disk-full"
    assert bob.refused(messages.Create(id=1, game="tic_tac_toe")) == "server/disk-full"
    assert scene.room(eve)  # from elsewhere
    ann.say(messages.Leave(room=room))
    scene.wait(DAY_MS)
    assert scene.room(ann)
    for player in (ann, bob, eve):
        player.go()
    del ann, bob, eve, player
    scene.hub.sweep(scene.now() + DAY_MS)
    gc.collect()
    assert not scene.rooms.disk._left


def test_what_a_connection_has_stored_counts_when_it_is_gone() -> None:
    scene = Scene(Config(stored_bytes_per_address=4_000))
    ann = scene.enter("ann", address="10.0.0.1")
    room = scene.room(ann)
    for _ in range(20):
        ann.say(messages.Say(room=room, text=NOTE))
    ann.go()
    del ann
    gc.collect()
    scene.hub.sweep(scene.now())
    bob = scene.enter("bob", address="10.0.0.1")
    assert bob.refused(messages.Create(id=1, game="tic_tac_toe")) == "server/disk-full"


def test_the_bots_of_the_house_are_the_hosts() -> None:
    scene = Scene(Config(stored_bytes_per_address=1))
    scene.store.free = 0
    bot = scene.house(parts.BotInfo(program="random", games=["tic_tac_toe"]))
    room = scene.room(bot)
    bot.ask(messages.Say(id=2, room=room, text="hello there"), messages.Ok)


def test_a_long_note_is_paid_by_its_bytes() -> None:
    scene = Scene()
    at = scene.match()
    costs = []
    for player, action, note in ((at.ann, "5", None), (at.bob, "1", NOTE)):
        before = player.peer.allowances[0].level
        play(at, player, action, note)
        costs.append(round(before - player.peer.allowances[0].level))
    assert costs[0] == 0
    assert 350 * STORED_BYTE <= costs[1] <= 450 * STORED_BYTE


def test_that_notes_are_left_out_is_told_once_an_hour() -> None:
    scene = Scene()
    ann = scene.enter("ann", address="10.0.0.1")
    scene.store.free = 0
    ann.heard()
    for heard in (1, 0):
        assert scene.rooms.disk.let_play(PLAY, ann.peer, scene.now()).note is None
        assert len(ann.heard_of(messages.Notice)) == heard
    scene.wait(3_600_000)
    scene.hub.sweep(scene.now())
    assert scene.rooms.disk.let_play(PLAY, ann.peer, scene.now()).note is None
    assert len(ann.heard_of(messages.Notice)) == 1


ADDRESSES = [("ann", "10.0.0.1"), ("bob", "10.0.0.1"), ("eve", "10.0.9.1")]
