"""How people and bots find each other: the lobby, invitations, codes, hints, and what was said."""

from __future__ import annotations

import pytest

from protocol.messages import (
    AdviceWanted,
    Advise,
    BotInfo,
    Create,
    Error,
    Hint,
    Hinted,
    History,
    HistoryPage,
    Invite,
    Invited,
    Join,
    Kick,
    Leave,
    Lobby,
    LobbyList,
    Ok,
    Options,
    Ready,
    RoomState,
    Say,
    Strength,
    Watch,
)
from server.config import Config
from tests.server.scene import Player, Scene

SHRUG = BotInfo(program="shrug", games=["tic_tac_toe"], slots=2)
PRIVATE = Options(public=False)


def rooms(player: Player) -> list[int]:
    return [line.room for line in player.last(LobbyList).rooms]


# ---------------------------------------------------------------- the lobby


def test_a_new_room_is_seen_by_who_follows_the_lobby(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    assert bob.ask(Lobby(id=1), LobbyList).rooms == ()
    room = scene.room(ann)
    assert bob.heard() == []
    scene.wait(250)
    lists = bob.heard_of(LobbyList)
    assert [line.room for line in lists[0].rooms] == [room]
    assert lists[0].rooms[0].seats[0] is not None
    assert bob.ask(Lobby(id=2), LobbyList).rooms == lists[0].rooms


def test_many_changes_are_one_list(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    bob.say(Lobby())
    bob.heard()
    made = [scene.room(ann) for _ in range(10)]
    scene.wait(1_000)
    assert [len(one.rooms) for one in bob.heard_of(LobbyList)] == [10]
    for room in made:
        ann.say(Leave(room=room))
        scene.wait(100)
    scene.wait(300)
    lists = bob.heard_of(LobbyList)
    assert 3 <= len(lists) <= 5
    assert lists[-1].rooms == ()


def test_who_follows_no_more_hears_no_more(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    bob.say(Lobby())
    bob.say(Lobby(follow=False))
    bob.heard()
    scene.room(ann)
    scene.wait(1_000)
    assert bob.heard() == []
    assert scene.loop.pending() == 0


def test_the_lobby_shows_how_far_a_match_is(scene: Scene) -> None:
    at = scene.match(watcher=True)
    at.ann.say(at.play("5"))
    line = at.eve.ask(Lobby(id=1), LobbyList).rooms[0]
    assert (line.state, line.match, line.ply) == ("playing", at.name, 1)


def test_the_lobby_shows_no_private_rooms(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    scene.room(ann, options=PRIVATE)
    room = scene.room(ann)
    bob.say(Lobby())
    assert rooms(bob) == [room]


def test_the_lobby_shows_bots_and_their_free_slots(scene: Scene) -> None:
    bot, ann = scene.enter("greta", bot=SHRUG, text=True), scene.enter("ann")
    ann.say(Lobby())
    (line,) = ann.last(LobbyList).bots
    assert (line.name, line.program, line.games, line.free) == (
        "greta", "shrug", ["tic_tac_toe"], 2,
    )  # fmt: skip
    room = scene.room(ann)
    ann.say(Invite(room=room, who="shrug"))
    scene.wait(300)
    assert ann.last(LobbyList).bots[0].free == 1
    bot.say(Join(room=room))
    scene.wait(300)
    assert ann.last(LobbyList).bots[0].free == 1
    bot.go()
    scene.wait(300)
    assert ann.last(LobbyList).bots == ()


def test_an_answer_is_never_replaced_by_a_newer_list(scene: Scene) -> None:
    ann = scene.enter("ann", text=True)
    bob = scene.enter("bob")
    for player in (ann, bob):
        player.say(Lobby(id=1))
        assert player.line.keys[-1] is None
        player.heard()
    scene.room(ann)
    scene.wait(300)
    assert ann.line.keys[-1] == bob.line.keys[-1] == "lobby"
    assert ann.last(LobbyList) == bob.last(LobbyList)


# ---------------------------------------------------------------- invitations


def test_an_invitation_reaches_every_connection_of_a_person(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    tab = scene.enter(token=bob.token)
    room = scene.room(ann, options=PRIVATE)
    ann.ask(Invite(id=1, room=room, who="Bob"), Ok)
    for player in (bob, tab):
        invited = player.last(Invited)
        assert (invited.room, invited.by, invited.expires_ms) == (room, "ann", 10_000)
        assert invited.code is not None
    bob.ask(Join(id=1, room=room, code=invited.code), RoomState)


def test_a_bot_is_invited_by_its_program_and_told_how_strong_to_be(scene: Scene) -> None:
    ann, bot = scene.enter("ann"), scene.enter("greta", bot=SHRUG)
    room = scene.room(ann)
    ann.ask(Invite(id=1, room=room, who="shrug", strength=Strength(level=3)), Ok)
    assert bot.last(Invited).strength == Strength(level=3)


def test_a_bot_has_as_many_invitations_open_as_it_has_slots(scene: Scene) -> None:
    ann, bot = scene.enter("ann"), scene.enter("greta", bot=SHRUG)
    made = [scene.room(ann) for _ in range(3)]
    for room in made[:2]:
        ann.ask(Invite(id=1, room=room, who="shrug"), Ok)
    assert ann.ask(Invite(id=2, room=made[2], who="greta/shrug"), Error).code == "invite/busy"
    scene.wait(10_010)
    ann.ask(Invite(id=3, room=made[2], who="shrug"), Ok)
    assert len(bot.heard_of(Invited)) == 3
    assert len(scene.house.lobby.present[2, "shrug"].held) == 1


def test_an_invitation_to_nobody_says_who_is_here(scene: Scene) -> None:
    ann = scene.enter("ann")
    scene.enter("greta", bot=SHRUG)
    gone = scene.enter("bob")
    gone.go()
    room = scene.room(ann)
    for who in ("bob", "carl", "mcts"):
        error = ann.ask(Invite(id=1, room=room, who=who), Error)
        assert error.code == "invite/no-such-player"
        assert "bots that are: shrug" in error.text
    other = scene.room(ann, game="connect_four")
    error = ann.ask(Invite(id=2, room=other, who="shrug"), Error)
    assert "does not play connect_four" in error.text


# ---------------------------------------------------------------- private rooms


def test_a_private_room_is_joined_by_its_code_alone(scene: Scene) -> None:
    ann, bob, eve = scene.enter("ann"), scene.enter("bob"), scene.enter("eve")
    state = ann.ask(Create(id=1, game="tic_tac_toe", options=PRIVATE), RoomState)
    assert state.code is not None
    assert len(state.code) == 6
    joined = bob.ask(Join(id=1, code=f" {state.code.lower()} "), RoomState)
    assert (joined.room, joined.code, joined.seat) == (state.room, state.code, 1)
    watched = eve.ask(Watch(id=1, room=state.room, code=state.code), RoomState)
    assert (watched.code, watched.seat) == (None, None)


def test_a_private_room_is_closed_to_who_has_no_code(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    room = scene.room(ann, options=PRIVATE)
    for request in (
        Join(id=1, room=room), Watch(id=1, room=room), Join(id=1, code="QQQQQQ"),
        Watch(id=1, room=room, code="wrong"), History(id=1, room=room),
    ):  # fmt: skip
        assert bob.ask(request, Error).code == "room/wrong-code"
    assert bob.ask(Join(id=1), Error).code == "lobby/no-room"
    ann.say(Leave(room=room))
    assert bob.ask(History(id=1, room=room), Error).code == "room/wrong-code"
    ann.ask(History(id=1, room=room), HistoryPage)


def test_every_room_and_every_dice_secret_is_new(scene: Scene) -> None:
    ann = scene.enter("ann")
    codes = {
        ann.ask(Create(id=n, game="pebbles", options=PRIVATE), RoomState).code for n in range(9)
    }
    assert len(codes) == 9
    secrets = {scene.house.rooms[n].room.secret for n in range(1, 10)}
    assert len(secrets) == 9


# ---------------------------------------------------------------- hints


def test_a_hint_comes_from_the_strongest_bot(scene: Scene) -> None:
    at = scene.match()
    scene.enter("greta", bot=SHRUG)
    bot = scene.enter("hugo", bot=BotInfo(program="mcts", levels=8))
    at.ann.send(Hint(id=4, match=at.name))
    wanted = bot.last(AdviceWanted)
    assert (wanted.game, wanted.position, len(wanted.legal)) == ("tic_tac_toe", "3/3/3 x", 9)
    bot.ask(Advise(id=1, ask=wanted.ask, action="5", note="the middle"), Ok)
    assert at.ann.last(Hinted) == Hinted(
        re=4, match=at.name, turn=at.turn, action="5", by="hugo/mcts", note="the middle"
    )
    assert bot.ask(Advise(id=2, ask=wanted.ask, action="5"), Error).code == "match/no-offer"


def test_among_equals_a_hint_comes_from_who_plays_fewer_games(scene: Scene) -> None:
    at = scene.match()
    games = ["connect_four", "tic_tac_toe"]
    for_all = scene.enter("hugo", bot=BotInfo(program="mcts", levels=8, slots=9))
    for_two = scene.enter("ivo", bot=BotInfo(program="solver", levels=8, games=games))
    at.ann.send(Hint(id=4, match=at.name))
    assert for_two.last(AdviceWanted).game == "tic_tac_toe"
    assert for_all.heard_of(AdviceWanted) == []


def test_only_the_bot_that_was_asked_may_answer_and_only_with_something_legal(
    scene: Scene,
) -> None:
    at = scene.match()
    bot = scene.enter("greta", bot=SHRUG)
    at.ann.send(Hint(id=4, match=at.name))
    ask = bot.last(AdviceWanted).ask
    assert at.bob.ask(Advise(id=1, ask=ask, action="5"), Error).code == "match/no-offer"
    error = bot.ask(Advise(id=1, ask=ask, action="\x1b[2J"), Error)
    assert (error.code, len(error.legal or ())) == ("match/illegal-action", 9)
    error = bot.ask(Advise(id=2, ask=ask, action="5", note="x" * 600), Error)
    assert error.code == "match/bad-note"
    bot.say(Advise(ask=ask, action="5"))
    assert at.ann.last(Hinted).action == "5"


def test_a_hint_that_nobody_can_give_is_refused(scene: Scene) -> None:
    at = scene.match()
    assert at.ann.ask(Hint(id=1, match=at.name), Error).code == "hint/no-bot"
    bot = scene.enter("greta", bot=SHRUG)
    at.ann.send(Hint(id=2, match=at.name))
    scene.wait(30_010)
    assert [(e.code, e.re) for e in at.ann.heard_of(Error)] == [("hint/no-bot", 2)]
    at.ann.send(Hint(id=3, match=at.name))
    bot.go()
    assert [(e.code, e.re) for e in at.ann.heard_of(Error)] == [("hint/no-bot", 3)]


def test_a_hint_whose_asker_is_gone_disturbs_nobody(scene: Scene) -> None:
    at = scene.match()
    bot = scene.enter("greta", bot=SHRUG)
    at.ann.send(Hint(id=2, match=at.name))
    at.ann.go()
    bot.ask(Advise(id=1, ask=bot.last(AdviceWanted).ask, action="5"), Ok)
    scene.wait(31_000)
    assert scene.loop.pending() == 0


# ---------------------------------------------------------------- history


def test_history_comes_in_pages() -> None:
    scene = Scene(Config(history_page=10))
    ann = scene.enter("ann")
    room = scene.room(ann)
    for n in range(23):
        ann.say(Say(room=room, text=f"{n}"))
        scene.wait(100)
    ann.heard()
    texts, since = [], 0
    for size in (10, 10, 5):
        page = ann.ask(History(id=1, room=room, since=since), HistoryPage)
        assert [event.seq for event in page.events] == list(range(since + 1, since + size + 1))
        texts += [event.text for event in page.events if event.kind == "said"]
        since = page.next or 0
    assert since == 0
    assert texts == [str(n) for n in range(23)]
    assert ann.ask(History(id=1, room=room, since=99), HistoryPage).events == ()


def test_the_history_of_a_closed_room_can_still_be_read(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    room = scene.room(ann)
    ann.say(Leave(room=room))
    kinds = [e.kind for e in bob.ask(History(id=1, room=room), HistoryPage).events]
    assert kinds == ["created", "joined", "left", "closed"]
    assert bob.ask(History(id=1, room=99), Error).code == "lobby/no-room"
    assert bob.ask(Join(id=1, room=room), Error).code == "room/closed"


def test_a_history_that_cannot_be_read_is_said_so(scene: Scene) -> None:
    ann = scene.enter("ann")
    room = scene.room(ann)
    scene.store.broken = True
    assert ann.ask(History(id=1, room=room), Error).code == "server/not-stored"


def test_a_history_whose_reader_is_gone_disturbs_nobody(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    room = scene.room(ann)
    ann.say(Leave(room=room))
    bob.send(History(id=1, room=room))
    bob.vanish()
    scene.store.settle()
    assert bob.heard() == []


# ---------------------------------------------------------------- kicked


def test_who_is_sent_away_from_a_private_room_hears_no_more_of_it(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    ann.say(Create(game="tic_tac_toe", options=PRIVATE))
    opened = ann.last(RoomState)
    room = opened.room
    bob.say(Join(code=opened.code))
    ann.say(Kick(room=room, seat=1))
    bob.heard()
    ann.say(Say(room=room, text="between ourselves"))
    assert bob.heard() == []
    assert bob.ask(Say(id=1, room=room, text="still here"), Error).code == "room/not-seated"
    assert bob.ask(History(id=2, room=room), Error).code == "room/wrong-code"
    assert bob.ask(Watch(id=3, room=room), Error).code == "room/wrong-code"


def test_who_is_sent_away_is_told_and_may_look_on(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    room = scene.room(ann)
    bob.say(Join(room=room))
    bob.say(Ready(room=room))
    bob.heard()
    ann.ask(Kick(id=1, room=room, seat=1), Ok)
    state = bob.last(RoomState)
    assert (state.seats[1], state.ready, state.seat) == (None, (False, False), None)
    assert scene.house.lobby.present[2, None].rooms == set()
    assert bob.ask(Watch(id=1, room=room), RoomState).seat is None


@pytest.mark.parametrize("seat", [0, 1])
def test_seats_and_presences_stay_in_step(scene: Scene, seat: int) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    room = scene.room(ann)
    bob.say(Join(room=room))
    present = scene.house.lobby.present
    assert present[1, None].rooms == present[2, None].rooms == {room}
    leaver, stayer = ((ann, bob), (bob, ann))[seat]
    leaver.say(Leave(room=room))
    assert [p.rooms for p in present.values()] == [set(), {room}][:: 1 if leaver is ann else -1]
    leaver.go()
    stayer.say(Leave(room=room))
    stayer.go()
    assert present == {}
