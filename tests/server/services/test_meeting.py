"""How people and bots find each other: the lobby, invitations, codes, and what was said."""

from __future__ import annotations

import json

import pytest

from protocol import codec, messages, parts
from server.config import Config
from server.core.absence import REST_MS
from server.core.events import Who
from server.core.lobby import MAX_LINES, MAX_PEOPLE, MAX_POSITIONS, LobbyState
from server.core.room import CLAIM_MS, LAST_POSITION_MS, MAX_SHOWN
from server.services.invitations import ANSWERED_MS, invitation_card
from tests.server.scene import BLITZ, Scene

SHRUG = parts.BotInfo(program="shrug", games=["tic_tac_toe"], slots=2)
PRIVATE = parts.Options(public=False)


def test_a_new_room_is_seen_by_who_follows_the_lobby(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    assert bob.ask(messages.Lobby(id=1), messages.LobbyList).rooms == ()
    room = scene.room(ann)
    assert bob.heard() == []
    scene.wait(250)
    lists = bob.heard_of(messages.LobbyList)
    assert [line.room for line in lists[0].rooms] == [room]
    assert lists[0].rooms[0].seats[0] is not None
    assert bob.ask(messages.Lobby(id=2), messages.LobbyList).rooms == lists[0].rooms


def test_many_changes_are_one_list_for_who_follows(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    bob.say(messages.Lobby())
    bob.heard()
    made = [scene.room(ann) for _ in range(10)]
    scene.wait(1_000)
    assert [len(one.rooms) for one in bob.heard_of(messages.LobbyList)] == [10]
    for room in made:
        ann.say(messages.Leave(room=room))
        scene.wait(100)
    scene.wait(300)
    lists = bob.heard_of(messages.LobbyList)
    assert 3 <= len(lists) <= 5
    assert lists[-1].rooms == ()
    bob.say(messages.Lobby(follow=False))
    bob.heard()
    scene.room(ann)
    scene.wait(1_000)
    assert bob.heard() == []  # who follows no more hears no more
    assert scene.loop.pending() == 0


def test_the_lobby_shows_how_far_a_match_is(scene: Scene) -> None:
    at = scene.match()
    at.ann.say(at.play("5"))
    line = at.bob.ask(messages.Lobby(id=1), messages.LobbyList).rooms[0]
    assert (line.state, line.match, line.ply) == ("playing", at.name, 1)


def test_the_lobby_shows_bots_and_their_free_slots(scene: Scene) -> None:
    bot, ann = scene.enter("greta", bot=SHRUG, text=True), scene.enter("ann")
    ann.say(messages.Lobby())
    (line,) = ann.last(messages.LobbyList).bots
    assert (line.name, line.program, line.games, line.free) == (
        "greta", "shrug", ["tic_tac_toe"], 2,
    )  # fmt: skip
    room = scene.room(ann)
    scene.wait(300)
    ann.say(messages.Invite(room=room, who="shrug"))
    scene.wait(300)
    assert ann.last(messages.LobbyList).bots[0].free == 1
    bot.say(messages.Join(room=room))
    scene.wait(300)
    assert ann.last(messages.LobbyList).bots[0].free == 1
    bot.go()
    scene.wait(300)
    assert ann.last(messages.LobbyList).bots == ()


def test_one_player_and_one_address_hold_so_many_slots_of_bots() -> None:
    scene = Scene(Config(bots_per_session=2, bots_per_address=3))
    bot = scene.enter("greta", bot=parts.BotInfo(program="shrug", slots=16))
    crowd = [scene.enter(name, address="198.51.100.7") for name in ("ann", "bob")]
    rooms = [scene.room(player) for player in crowd for _ in range(3)]
    calls = [messages.Invite(id=1, room=room, who="shrug") for room in rooms]
    for call in (*calls[:2], calls[0]):  # the last one once more
        crowd[0].ask(call, messages.Ok)
    no = crowd[0].ask(calls[2], messages.Error)
    assert (no.code, no.text) == (
        "invite/busy",
        "2 matches with bots are open that you have called; finish one, or give it up first",
    )
    crowd[1].ask(calls[3], messages.Ok)
    no = crowd[1].ask(calls[4], messages.Error)
    assert no.text == "3 bots play with people at your address already; try again in a while"
    cat = scene.enter("cat")
    cat.say(messages.Lobby())
    assert cat.last(messages.LobbyList).bots[0].free == 13
    bot.say(messages.Join(room=rooms[0]))
    scene.wait(10_000)  # the invitations have run out, and the bot sits in one room
    crowd[0].ask(calls[2], messages.Ok)
    assert crowd[0].refused(calls[1]) == "invite/busy"
    crowd[0].say(messages.Kick(room=rooms[0], seat=1))
    crowd[0].ask(calls[1], messages.Ok)


def test_the_bots_of_one_owner_may_call_each_other() -> None:
    scene = Scene(Config(bots_per_session=1))
    ann = scene.enter("ann")
    scene.enter(token=ann.token, bot=parts.BotInfo(program="shrug", slots=9))
    for _ in range(3):
        ann.ask(messages.Invite(id=1, room=scene.room(ann), who="ann/shrug"), messages.Ok)


def test_sixteen_who_close_their_tabs_in_mid_match_hold_a_bot_for_minutes_only() -> None:
    scene = Scene()
    bot = scene.house(parts.BotInfo(program="mcts", slots=16))
    for _ in range(16):
        guest = scene.enter()
        room = scene.room(guest)
        guest.ask(messages.Invite(id=1, room=room, who="mcts"), messages.Ok)
        for player, request in (
            (bot, messages.Join(room=room)), (bot, messages.Ready(room=room)),
            (guest, messages.Ready(room=room)),
        ):  # fmt: skip
            player.say(request)
        guest.go()
    ann = scene.enter("ann")
    call = messages.Invite(id=1, room=scene.room(ann), who="mcts")
    assert ann.refused(call) == "invite/busy"
    scene.wait(REST_MS + 10)
    ann.ask(call, messages.Ok)
    lobby = ann.ask(messages.Lobby(id=2), messages.LobbyList)
    assert [line.state for line in lobby.rooms].count("playing") == 16  # which all still wait
    assert lobby.bots[0].free == 15


def test_an_answer_is_never_replaced_by_a_newer_list(scene: Scene) -> None:
    ann = scene.enter("ann", text=True)
    bob = scene.enter("bob")
    for player in (ann, bob):
        player.say(messages.Lobby(id=1))
        assert player.transport.keys[-1] is None
        player.heard()
    scene.room(ann)
    scene.wait(300)
    assert ann.transport.keys[-1] == bob.transport.keys[-1] == "lobby"
    assert ann.last(messages.LobbyList) == bob.last(messages.LobbyList)


def test_an_invitation_reaches_every_connection_of_a_person(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    tab = scene.enter(token=bob.token)
    room = scene.room(ann, options=PRIVATE)
    ann.ask(messages.Invite(id=1, room=room, who="Bob"), messages.Ok)
    for player in (bob, tab):
        invited = player.last(messages.Invited)
        assert (invited.room, invited.by, invited.expires_ms) == (room, "ann", 10_000)
        assert invited.code is not None
    bob.ask(messages.Join(id=1, room=room, code=invited.code), messages.RoomState)


def test_who_has_invited_is_told_who_does_not_come_and_why(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    tab, bot = scene.enter(token=ann.token), scene.enter("greta", bot=SHRUG)
    room = scene.room(ann)
    for who in ("bob", "greta/shrug"):
        ann.ask(messages.Invite(id=1, room=room, who=who), messages.Ok)
    bob.ask(messages.Decline(id=1, room=room, text="buy my \u202ewatches"), messages.Ok)
    bot.ask(messages.Decline(id=1, room=room, why="terms", text="No\x07 clock. " * 99), messages.Ok)
    for player in (ann, tab):
        first, second = player.heard_of(messages.Declined)
        assert first == messages.Declined(room=room, by="bob")  # a person's words are for the chat
        assert (second.by, second.why, len(second.text)) == ("greta/shrug", "terms", 200)
        assert second.text.isprintable()
    line = ann.ask(messages.Lobby(id=2), messages.LobbyList).bots[0]
    assert line.free == 2  # its slot is held no longer
    for player in (bob, bot, ann):
        assert player.refused(messages.Decline(id=3, room=room)) == "invite/not-invited"
    ann.ask(messages.Invite(id=4, room=room, who="bob"), messages.Ok)
    scene.wait(ANSWERED_MS)
    assert bob.refused(messages.Decline(id=4, room=room)) == "invite/not-invited"


def test_a_private_room_s_code_goes_to_no_stranger_s_bot_that_its_owner_has_not_named(
    scene: Scene,
) -> None:
    room, ann = scene.gather("ann", options=PRIVATE)
    bot = scene.enter("greta", bot=SHRUG)
    invite = messages.Invite(id=1, room=room, who="shrug")
    no = ann.ask(invite, messages.Error)
    assert (no.code, no.suggestion) == ("invite/private", "greta/shrug")
    assert bot.heard() == []
    ann.ask(messages.Invite(id=2, room=room, who="greta/shrug"), messages.Ok)
    assert bot.last(messages.Invited).code is not None
    own = scene.house(SHRUG)
    ann.ask(invite, messages.Ok)
    assert own.last(messages.Invited).code is not None
    assert bot.heard() == []


def test_a_guest_of_a_private_room_hands_its_code_to_no_stranger_s_bot(scene: Scene) -> None:
    ann, bob, bot = scene.enter("ann"), scene.enter("bob"), scene.enter("greta", bot=SHRUG)
    create = messages.Create(id=1, game="tic_tac_toe", seat=None, options=PRIVATE)
    opened = ann.ask(create, messages.RoomState)
    bob.say(messages.Join(code=opened.code))
    bob.heard()
    for who in ("shrug", "greta/shrug"):
        invite = messages.Invite(id=1, room=opened.room, who=who)
        assert bob.refused(invite) == "invite/private"
    assert bot.heard() == []


def test_a_private_room_is_joined_by_its_code_alone(scene: Scene) -> None:
    ann, bob, eve = scene.enter("ann"), scene.enter("bob"), scene.enter("eve")
    state = ann.ask(messages.Create(id=1, game="tic_tac_toe", options=PRIVATE), messages.RoomState)
    assert state.code is not None
    assert len(state.code) == 6
    joined = bob.ask(messages.Join(id=1, code=f" {state.code.lower()} "), messages.RoomState)
    assert (joined.room, joined.code, joined.seat) == (state.room, state.code, 1)
    watched = eve.ask(messages.Watch(id=1, room=state.room, code=state.code), messages.RoomState)
    assert (watched.code, watched.seat) == (None, None)


def test_a_private_room_is_closed_to_who_has_no_code(scene: Scene) -> None:
    room, ann, bob = scene.gather("ann", "bob", options=PRIVATE)
    for request in (
        messages.Join(id=1, room=room), messages.Join(id=1, code="QQQQQQ"),
        messages.Watch(id=1, room=room), messages.Watch(id=1, room=room, code="wrong"),
        messages.History(id=1, room=room),
    ):  # fmt: skip
        assert bob.refused(request) == "room/wrong-code"
    assert bob.refused(messages.Join(id=1)) == "lobby/no-room"
    ann.say(messages.Leave(room=room))
    assert bob.refused(messages.History(id=1, room=room)) == "room/wrong-code"
    ann.ask(messages.History(id=1, room=room), messages.HistoryPage)


def test_every_room_and_every_dice_secret_is_new(scene: Scene) -> None:
    ann = scene.enter("ann")
    codes = {
        ann.ask(messages.Create(id=n, game="pebbles", options=PRIVATE), messages.RoomState).code
        for n in range(9)
    }
    assert len(codes) == 9
    secrets = {scene.rooms.actors[n].room.secret for n in range(1, 10)}
    assert len(secrets) == 9


def test_the_history_of_a_closed_room_can_still_be_read(scene: Scene) -> None:
    room, ann, bob = scene.gather("ann", "bob")
    ann.say(messages.Leave(room=room))
    kinds = [
        e.kind for e in bob.ask(messages.History(id=1, room=room), messages.HistoryPage).events
    ]
    assert kinds == ["created", "joined", "left", "closed"]
    assert bob.refused(messages.History(id=1, room=99)) == "lobby/no-room"
    assert bob.refused(messages.Join(id=1, room=room)) == "room/closed"
    bob.send(messages.History(id=1, room=room))
    bob.vanish()  # before the answer, which disturbs nobody
    scene.store.settle()
    assert bob.heard() == []


def test_who_is_sent_away_from_a_private_room_hears_no_more_of_it(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    ann.say(messages.Create(game="tic_tac_toe", options=PRIVATE))
    opened = ann.last(messages.RoomState)
    room = opened.room
    bob.say(messages.Join(code=opened.code))
    ann.say(messages.Kick(room=room, seat=1))
    bob.heard()
    ann.say(messages.Say(room=room, text="between ourselves"))
    assert bob.heard() == []
    assert bob.refused(messages.Say(id=1, room=room, text="still here")) == "room/not-seated"
    assert bob.refused(messages.History(id=2, room=room)) == "room/wrong-code"
    assert bob.refused(messages.Watch(id=3, room=room)) == "room/wrong-code"


@pytest.mark.parametrize("seat", [0, 1])
def test_seats_and_presences_stay_in_step(scene: Scene, seat: int) -> None:
    room, ann, bob = scene.gather("ann", "bob")
    bob.say(messages.Join(room=room))
    present = scene.lobby.present
    assert present[1, None].rooms == present[2, None].rooms == (room,)
    leaver, stayer = ((ann, bob), (bob, ann))[seat]
    leaver.say(messages.Leave(room=room))
    assert [p.rooms for p in present.values()] == [(), (room,)][:: 1 if leaver is ann else -1]
    leaver.go()
    stayer.say(messages.Leave(room=room))
    stayer.go()
    assert present == {}


def test_the_lobby_shows_who_is_here_and_who_plays(scene: Scene) -> None:
    at = scene.match()
    scene.enter("greta", bot=SHRUG)
    zoe = scene.enter("zoe")
    people = zoe.ask(messages.Lobby(id=1), messages.LobbyList).people
    assert [(one.name, one.playing) for one in people] == [
        ("zoe", False), ("ann", True), ("bob", True),
    ]  # fmt: skip
    at.bob.go()
    scene.wait(300)
    assert [one.name for one in zoe.last(messages.LobbyList).people] == ["zoe", "ann"]


def test_the_lobby_shows_where_a_match_stands_until_a_while_after_its_end(scene: Scene) -> None:
    at = scene.match()
    eve = scene.enter("eve")

    def shown() -> str | None:
        scene.wait(300)
        return eve.ask(messages.Lobby(id=1, follow=False), messages.LobbyList).rooms[0].position

    assert shown() == "3/3/3 x"
    at.ann.say(at.play("5"))
    assert shown() == "3/1x1/3 o"
    at.bob.say(messages.Resign(match=at.name))
    assert shown() == "3/1x1/3 o"
    scene.wait(LAST_POSITION_MS)
    assert shown() is None


def test_positions_are_few_and_short(scene: Scene) -> None:
    ann, eve = scene.enter("ann"), scene.enter("eve")
    others = [scene.enter(f"p{number}") for number in range(MAX_POSITIONS + 2)]
    for other in others:
        room = scene.room(ann)
        other.say(messages.Join(room=room))
        for player in (ann, other):
            player.say(messages.Ready(room=room))
    rooms = eve.ask(messages.Lobby(id=1), messages.LobbyList).rooms
    assert [line.position is not None for line in rooms] == [True] * MAX_POSITIONS + [False] * 2


def test_the_longest_list_fits_into_a_frame() -> None:
    lobby, name, text = LobbyState(), "\N{MUSICAL SYMBOL G CLEF}" * 24, "x" * MAX_SHOWN
    game = "ultimate_tic_tac_toe"
    who = parts.Player(name=name, program=name, absent=True)
    clock = parts.ClockOptions(base_ms=10**8, increment_ms=10**6)
    lines = []
    for number in range(2**40, 2**40 + MAX_LINES):
        lines.append(parts.RoomLine(
            room=number, game=game, state="playing", seats=(who, who), match=f"{number}.1000",
            options=parts.Options(clock=clock, rated=True), ply=1_000, position=text,
        ))  # fmt: skip
        for program in (None, name):
            presence = lobby.presence(Who(number, name, program))
            lobby.connect(presence, object())
            if program is not None:
                presence.bot = parts.BotInfo(program=name, version=name, games=[game])
    listing = lobby.listing(0, lines, len(lines))
    assert (len(listing.people), len(listing.rooms)) == (MAX_PEOPLE, MAX_LINES)
    for text_frame in (False, True):
        size = len(codec.encode(listing, text_frame))
        assert size <= messages.MAX_SERVER_FRAME, size


def test_whoever_is_away_shows_when_the_match_can_be_claimed(scene: Scene) -> None:
    at = scene.match()
    at.bob.go()
    seats = at.ann.last(messages.RoomState).seats
    assert seats[1] == parts.Player(name="bob", absent=True, claim_ms=CLAIM_MS)
    scene.wait(50_000)
    at.ann.say(messages.Watch(room=at.room))
    heard = at.ann.heard()
    for kind in (messages.RoomState, messages.MatchState):
        (state,) = (one for one in heard if isinstance(one, kind))
        assert state.seats[1].claim_ms == CLAIM_MS - 50_000
        assert state.seats[0].claim_ms is None
    scene.wait(CLAIM_MS)
    at.ann.say(messages.Watch(room=at.room))
    assert at.ann.last(messages.RoomState).seats[1].claim_ms == 0
    at.ann.say(messages.Claim(match=at.name))
    assert at.ann.result().how == "abandon"


def test_with_a_clock_nobody_may_claim(scene: Scene) -> None:
    at = scene.match(options=BLITZ)
    at.bob.go()
    seat = at.ann.last(messages.RoomState).seats[1]
    assert (seat.absent, seat.claim_ms) == (True, None)


def test_an_invitation_says_who_asks_to_what_and_nothing_more(scene: Scene) -> None:
    ann = scene.enter("ann")
    room = ann.ask(messages.Create(id=1, game="tic_tac_toe", options=PRIVATE), messages.RoomState)
    assert room.code is not None
    for typed in (room.code, room.code.lower()):
        card = invitation_card(scene.rooms, typed)
        assert card is not None
        assert json.loads(card) == {
            "room": room.room, "game": "tic_tac_toe", "options": {"public": False},
            "seats": [{"name": "ann"}, None], "state": "waiting", "owner": "ann",
        }  # fmt: skip
    assert invitation_card(scene.rooms, "WRONG2") is None
    ann.say(messages.Leave(room=room.room))
    assert invitation_card(scene.rooms, room.code) is None
