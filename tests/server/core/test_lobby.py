"""The one list of everything: names and tokens, who is here, invitations, the list of rooms."""

from __future__ import annotations

import random
from typing import Any

import pytest
from msgspec.structs import replace

from games import registry
from protocol.errors import Code, Refusal
from protocol.messages import VERSION, Hello, Invited
from protocol.parts import BotInfo, GameInfo, Options, Strength
from server.core import room as rooms
from server.core.effects import SendInvitation
from server.core.events import Who
from server.core.lobby import (
    MAX_LINES,
    Greeting,
    LobbyState,
    LoginSecrets,
    Presence,
    catalog,
)
from server.core.session import Session, hash_token
from tests.server.core.cast import ANN
from tests.server.core.score import Table

HOUR = 3_600_000
DAY = 24 * HOUR
GUEST = "guest-4821"
MCTS = BotInfo(program="mcts", games=["tic_tac_toe"], slots=2)


@pytest.fixture
def lobby() -> LobbyState:
    """A lobby that nobody has come to."""
    return LobbyState()


def greet(lobby: LobbyState, now: int = 0, token: str = "t", **said: Any) -> Greeting:
    hello = Hello(**{"version": VERSION} | said)
    return lobby.greet(hello, LoginSecrets(token, GUEST), now)


def refused(lobby: LobbyState, now: int = 0, **said: Any) -> Refusal:
    with pytest.raises(Refusal) as no:
        greet(lobby, now, **said)
    return no.value


def resume(lobby: LobbyState, token: str, now: int = 0) -> Greeting:
    fresh = LoginSecrets("unused", GUEST)
    return lobby.greet(Hello(version=VERSION, token=token, name="x"), fresh, now)


def dead(lobby: LobbyState, token: str) -> bool:
    """Whether no session has this token."""
    try:
        resume(lobby, token)
    except Refusal as no:
        return no.code == Code.SESSION_BAD_TOKEN
    return False


def arrive(lobby: LobbyState, name: str, bot: BotInfo | None = None, session: int = 1) -> Presence:
    """Somebody is connected."""
    presence = lobby.presence(Who(session, name, bot.program if bot else None))
    presence.bot = bot
    lobby.connect(presence, object())
    return presence


def leave(lobby: LobbyState, presence: Presence) -> None:
    """All connections of somebody are gone."""
    for link in list(presence.links):
        lobby.disconnect(presence, link)


def test_a_name_makes_a_session_and_who_has_none_is_a_guest(lobby: LobbyState) -> None:
    greeting = greet(lobby, now=7, token="secret", name="Ann")
    assert greeting.session == Session(1, "Ann", hash_token("secret"), 7)
    assert (greeting.who, greeting.token, greeting.bot) == (Who(1, "Ann"), "secret", None)
    assert greet(lobby, token="other", name="bob").session.number == 2
    lobby = LobbyState()
    assert greet(lobby).session == Session(1, GUEST, hash_token("t"), 0, guest=True)
    assert greet(lobby, token="u").session.name == f"{GUEST}-2"


def test_a_token_resumes_its_session_and_a_bad_one_none(lobby: LobbyState) -> None:
    greet(lobby, token="secret", name="ann")
    resumed = resume(lobby, "secret", now=9)
    assert resumed.session == Session(1, "ann", hash_token("secret"), 9)
    assert resumed.token is None
    for token in ("Secret", "", "ann"):
        assert dead(lobby, token)


def test_a_wrong_version_is_refused_before_all_else_and_then_a_bad_name() -> None:
    no = refused(LobbyState(), version=2, name="/")
    assert no.code == Code.PROTOCOL_WRONG_VERSION
    assert no.text == "this server speaks version 1, you speak 2"
    assert refused(LobbyState(), name="a/b").code == Code.SESSION_BAD_NAME


@pytest.mark.parametrize("name", ["ann", "ANN", " Ann "])
def test_a_taken_name_is_refused_with_one_that_is_free(name: str, lobby: LobbyState) -> None:
    greet(lobby, name="Ann")
    no = refused(lobby, name=name)
    assert no.code == Code.SESSION_NAME_TAKEN
    assert no.suggestion == f"{name.strip()}-2"
    greet(lobby, token="u", name=no.suggestion)
    assert refused(lobby, name=name).suggestion == f"{name.strip()}-3"


def test_a_suggestion_is_no_longer_than_a_name_may_be(lobby: LobbyState) -> None:
    greet(lobby, name="x" * 24)
    assert refused(lobby, name="x" * 24).suggestion == "x" * 22 + "-2"


def test_a_name_is_free_again_a_day_after_it_could_be_seen_last(lobby: LobbyState) -> None:
    greet(lobby, now=0, token="old", name="ann")
    assert refused(lobby, now=DAY, name="ann").code == Code.SESSION_NAME_TAKEN
    taken = greet(lobby, now=DAY + 1, token="new", name="Ann")
    assert (taken.session.number, taken.session.name) == (2, "Ann")
    assert dead(lobby, "old")
    assert resume(lobby, "new").who.session == 2
    lobby = LobbyState([Session(1, "ann", b"a", 0)], since=9 * DAY)
    assert refused(lobby, now=10 * DAY, name="ann").code == Code.SESSION_NAME_TAKEN
    assert greet(lobby, now=10 * DAY + 1, name="ann").session.number == 2


def test_whoever_was_seen_keeps_the_name(lobby: LobbyState) -> None:
    greet(lobby, now=0, name="ann")
    assert lobby.names.seen(1, 5, 1).seen == 5
    assert refused(lobby, now=DAY + 5, name="ann").code == Code.SESSION_NAME_TAKEN
    greet(lobby, now=DAY + 6, token="u", name="ann")


def test_who_is_here_or_sits_somewhere_keeps_the_name(lobby: LobbyState) -> None:
    greet(lobby, now=0, name="ann")
    presence = arrive(lobby, "ann")
    presence.sit(17)
    assert refused(lobby, now=2 * DAY, name="ann").code == Code.SESSION_NAME_TAKEN
    leave(lobby, presence)
    lobby.tidy(presence)
    assert refused(lobby, now=2 * DAY, name="ann").code == Code.SESSION_NAME_TAKEN
    presence.rise(17)
    lobby.tidy(presence)
    assert greet(lobby, now=2 * DAY, token="u", name="ann").session.number == 2


def test_of_two_stored_sessions_the_newer_has_the_name() -> None:
    lobby = LobbyState([Session(5, "ANN", b"new", 0), Session(2, "ann", b"old", 0)])
    assert list(lobby.names.sessions) == [5]
    assert (list(lobby.names.by_token), lobby.names.by_name) == ([b"new"], {"ann": 5})
    assert greet(lobby, name="bob").session.number == 6


def unused(lobby: LobbyState, now: int, most: int = 99) -> list[int]:
    return [session.number for session in lobby.names.forget_unused(now, most)]


def test_names_that_hold_nothing_are_forgotten_guests_after_an_hour(lobby: LobbyState) -> None:
    for n, name in enumerate(("ann", None, None, None, "bob", "cyd")):
        greet(lobby, token=f"{n}", name=name)
    arrive(lobby, f"{GUEST}-2", session=3)
    lobby.names.holders.append(lambda: {4})  # a ladder
    lobby.names.set_recovery(5, "CODE")
    assert unused(lobby, HOUR) == []
    assert unused(lobby, HOUR + 1) == [2]
    assert unused(lobby, DAY + 1, most=0) == []
    assert unused(lobby, DAY + 1) == [1]  # number 6 is the newest
    greet(lobby, now=DAY, token="u", name="dan")
    assert unused(lobby, DAY + 1) == [6]
    assert unused(lobby, 180 * DAY) == []
    assert unused(lobby, 180 * DAY + 1) == [5]
    assert dead(lobby, "5")


def test_a_greeting_that_was_not_stored_gives_back_what_it_took(lobby: LobbyState) -> None:
    greet(lobby, token="old", name="ann")
    lobby.forget(greet(lobby, now=DAY + 1, token="new", name="ann"))
    assert resume(lobby, "old").who == Who(1, "ann")
    lobby.names.link(1, "CODE", 0)
    lobby.forget(greet(lobby, token="new", link="CODE"))
    assert resume(lobby, "old").who == Who(1, "ann")


def test_a_greeting_is_forgotten_once_and_a_resumed_session_stays(lobby: LobbyState) -> None:
    greeting = greet(lobby, name="ann")
    lobby.forget(greeting)
    lobby.forget(greeting)
    assert (lobby.names.sessions, lobby.names.by_name, lobby.names.by_token) == ({}, {}, {})
    assert greet(lobby, name="ann").session.number == 2
    lobby = LobbyState()
    greet(lobby, token="old", name="ann")
    lobby.forget(resume(lobby, "old"))
    assert list(lobby.names.sessions) == [1]


def test_a_link_is_good_for_two_minutes_and_one_use(lobby: LobbyState) -> None:
    greet(lobby, name="ann")
    lobby.names.link(1, "CODE", 0)
    assert refused(lobby, now=120_001, link="CODE").code == Code.SESSION_BAD_LINK
    lobby.names.link(1, "CODE", 0)
    greet(lobby, token="u", link="CODE")
    assert refused(lobby, link="CODE").code == Code.SESSION_BAD_LINK
    assert refused(lobby, link="").code == Code.SESSION_BAD_LINK
    lobby = LobbyState()
    greeting = greet(lobby, name="ann")
    lobby.names.link(greeting.who.session, "CODE", 0)
    lobby.forget(greeting)
    assert refused(lobby, link="CODE").code == Code.SESSION_BAD_LINK


def test_a_session_has_one_link_at_a_time_and_old_ones_are_forgotten(lobby: LobbyState) -> None:
    greet(lobby, name="ann")
    greet(lobby, token="u", name="bob")
    lobby.names.link(1, "A1", 0)
    lobby.names.link(2, "B1", 60_000)
    lobby.names.link(1, "A2", 60_000)
    assert set(lobby.names.link_codes) == {"B1", "A2"}
    lobby.names.link(1, "A3", 180_001)
    assert set(lobby.names.link_codes) == {"A3"}


def test_a_bot_is_a_player_beside_its_owner(lobby: LobbyState) -> None:
    greeting = greet(lobby, name="ann", bot=MCTS)
    assert greeting.who == Who(1, "ann", "mcts")
    assert greeting.who.title() == "ann/mcts"
    assert greeting.bot == MCTS
    assert ANN.same(Who(1, "annie"))
    assert not ANN.same(Who(1, "ann", "mcts"))
    assert not ANN.same(None)


def test_of_a_bot_only_games_that_are_here_are_told_and_a_version_that_is_short_and_clean() -> None:
    games = ["go", "tic_tac_toe", "chess", "tic_tac_toe"]
    bot = BotInfo(program="mcts", version="\x1b[2J1.2 " + "x" * 100, games=games)
    greeting = greet(LobbyState(), name="ann", bot=bot)
    assert greeting.bot is not None
    assert greeting.bot.games == ["tic_tac_toe"]
    assert greeting.bot.version == ("[2J1.2 " + "x" * 100)[:24]


@pytest.mark.parametrize(
    ("bot", "code", "why"),
    [
        (BotInfo(program="my bot"), Code.SESSION_BAD_BOT, "no spaces"),
        (BotInfo(program="a/b"), Code.SESSION_BAD_NAME, "'/'"),
        (BotInfo(program=""), Code.SESSION_BAD_NAME, "visible"),
        (BotInfo(program="m", games=["go"]), Code.SESSION_BAD_BOT, "no game here is called 'go'"),
    ],
)
def test_a_bad_bot_is_refused(bot: BotInfo, code: Code, why: str, lobby: LobbyState) -> None:
    no = refused(lobby, name="ann", bot=bot)
    assert no.code == code
    assert why in no.text
    assert not bot.games or all(name in no.text for name in registry.names())
    assert lobby.names.sessions == {}


def test_a_presence_is_made_once_and_tidied_away(lobby: LobbyState) -> None:
    presence = arrive(lobby, "ann")
    assert lobby.presence(Who(1, "ann")) is presence
    lobby.tidy(presence)
    assert lobby.presence(Who(1, "ann")) is presence
    leave(lobby, presence)
    lobby.tidy(presence)
    lobby.tidy(presence)
    assert lobby.presence(Who(1, "ann")) is not presence


def call(name: str, game: str = "tic_tac_toe", **more: Any) -> SendInvitation:
    """An invitation of somebody's."""
    invited = Invited(room=17, game=game, options=Options(), by="eve", expires_ms=1)
    return SendInvitation(name, game, Strength(), invited, **more)


def find(
    lobby: LobbyState, name: str, game: str = "tic_tac_toe", room: int = 17, now: int = 0
) -> str:
    return lobby.find(call(name, game), room, now).who.title()


def nobody(lobby: LobbyState, name: str, game: str = "tic_tac_toe", room: int = 17) -> Refusal:
    with pytest.raises(Refusal) as no:
        lobby.find(call(name, game), room, 0)
    return no.value


def test_people_and_bots_are_found_by_name_and_people_first(lobby: LobbyState) -> None:
    arrive(lobby, "Ann")
    arrive(lobby, "Ann", MCTS)
    assert find(lobby, "ann") == "Ann"
    assert find(lobby, " ANN/mcts ") == "Ann/mcts"
    assert find(lobby, "MCTS") == "Ann/mcts"
    lobby = LobbyState()
    arrive(lobby, "dan", MCTS)
    arrive(lobby, "mcts", session=2)
    assert find(lobby, "mcts") == "mcts"


def test_of_several_bots_the_one_with_least_to_do_is_asked_whatever_it_claims(
    lobby: LobbyState,
) -> None:
    arrive(lobby, "bob", MCTS).sit(3)
    arrive(lobby, "cat", MCTS, session=2)
    arrive(lobby, "evil", BotInfo(program="mcts", slots=1_000), session=3)
    rooms = [find(lobby, "mcts", room=room) for room in range(10, 15)]
    assert rooms == ["cat/mcts", "evil/mcts", "bob/mcts", "cat/mcts", "evil/mcts"]
    assert find(lobby, "mcts", room=10) == "cat/mcts"  # a slot is held for that room


def house(lobby: LobbyState, bot: BotInfo) -> Presence:
    """A bot of the house's is here."""
    token = "the house's"
    lobby.names.own_house([token], token, 0)
    who = resume(lobby, token).who
    lobby.greet(Hello(version=VERSION, token=token, bot=bot), LoginSecrets("", ""), 0)
    return arrive(lobby, who.name, bot, session=who.session)


def test_a_program_of_the_house_s_is_nobody_else(lobby: LobbyState) -> None:
    greet(lobby, name="mcts")
    greet(lobby, token="e", name="evil")
    arrive(lobby, "mcts")
    arrive(lobby, "evil", BotInfo(program="mcts", slots=1_000), session=2)
    assert find(lobby, "mcts") == "mcts"
    own = house(lobby, MCTS)
    for room in (1, 2):
        assert find(lobby, " \uff2dCTS", room=room) == "house/mcts"
    assert nobody(lobby, "mcts", room=3).code == Code.INVITE_BUSY
    assert find(lobby, "evil/mcts", room=4) == "evil/mcts"
    leave(lobby, own)
    assert nobody(lobby, "mcts", room=5).code == Code.INVITE_NO_SUCH_PLAYER


def test_a_guest_s_bot_is_asked_by_its_whole_name_only(lobby: LobbyState) -> None:
    greet(lobby)
    arrive(lobby, GUEST, MCTS)
    assert nobody(lobby, "mcts").code == Code.INVITE_NO_SUCH_PLAYER
    assert find(lobby, f"{GUEST}/mcts") == f"{GUEST}/mcts"


def test_a_private_room_is_told_to_no_stranger_s_bot_that_its_owner_has_not_named(
    lobby: LobbyState,
) -> None:
    arrive(lobby, "evil", MCTS)
    arrive(lobby, "bob", session=2)

    def refused(name: str, by_owner: bool) -> tuple[str, str | None]:
        with pytest.raises(Refusal) as no:
            lobby.find(call(name, private=True, by_owner=by_owner), 17, 0)
        return str(no.value.code), no.value.suggestion

    assert refused("mcts", True) == ("invite/private", "evil/mcts")
    assert refused("evil/mcts", False) == ("invite/private", None)
    for name, by_owner in (("evil/mcts", True), ("bob", False)):
        assert lobby.find(call(name, private=True, by_owner=by_owner), 17, 0)


def test_a_bot_has_no_more_slots_than_the_server_believes() -> None:
    lobby = LobbyState(most_slots=64)
    bot = greet(lobby, name="evil", bot=BotInfo(program="mcts", slots=1_000)).bot
    assert bot is not None
    assert bot.slots == 64


def test_nobody_of_that_name_is_here_and_the_bots_that_are_get_named(lobby: LobbyState) -> None:
    assert nobody(lobby, "eve").text == "nobody called 'eve' is here; bots that are: none"
    arrive(lobby, "ann", MCTS)
    arrive(lobby, "ann", BotInfo(program="alpha"))
    no = nobody(lobby, "eve")
    assert no.code == Code.INVITE_NO_SUCH_PLAYER
    assert no.text == "nobody called 'eve' is here; bots that are: alpha, mcts"


def test_who_is_not_connected_or_sits_in_the_room_is_not_called_there(lobby: LobbyState) -> None:
    lobby.presence(Who(1, "ann")).sit(3)
    assert nobody(lobby, "ann").code == Code.INVITE_NO_SUCH_PLAYER
    arrive(lobby, "ann")
    assert nobody(lobby, "").code == Code.INVITE_NO_SUCH_PLAYER
    lobby.presence(Who(1, "ann")).sit(17)
    no = nobody(lobby, "ann")
    assert (no.code, no.text) == (Code.INVITE_BUSY, "ann sits in this room already")
    assert find(lobby, "ann", room=18) == "ann"


def test_a_bot_that_does_not_play_the_game_is_not_asked(lobby: LobbyState) -> None:
    arrive(lobby, "ann", MCTS)
    no = nobody(lobby, "mcts", game="connect_four")
    text = "mcts does not play connect_four, only tic_tac_toe"
    assert (no.code, no.text) == (Code.INVITE_NO_SUCH_PLAYER, text)
    arrive(lobby, "eve", BotInfo(program="shrug"), session=3)
    no = nobody(lobby, "mcts", game="connect_four")
    assert no.text == f"{text}; bots here that do: shrug"
    arrive(lobby, "bob", BotInfo(program="mcts"), session=2)  # which plays everything
    assert find(lobby, "mcts", game="connect_four") == "bob/mcts"


def test_a_slot_is_held_for_ten_seconds(lobby: LobbyState) -> None:
    bot = arrive(lobby, "ann", BotInfo(program="mcts"))
    find(lobby, "mcts", room=17, now=0)
    assert (bot.free(9_999), bot.free(10_000)) == (0, 1)
    assert nobody(lobby, "mcts", room=18).code == Code.INVITE_BUSY
    assert find(lobby, "mcts", room=17, now=5_000) == "ann/mcts"  # the same room may ask again
    assert find(lobby, "mcts", room=18, now=15_000) == "ann/mcts"
    assert bot.held == {18: 25_000}


def test_a_room_counts_once_whether_held_or_joined_and_for_bots_alone(lobby: LobbyState) -> None:
    bot = arrive(lobby, "ann", MCTS)
    find(lobby, "mcts")
    bot.sit(17)
    assert bot.free(0) == 1
    for room in (1, 2):
        bot.sit(room)
    assert lobby.listing(0, [], 0).bots[0].free == 0
    lobby = LobbyState()
    ann = arrive(lobby, "ann")
    for room in (1, 2, 3):
        ann.sit(room)
    assert find(lobby, "ann") == "ann"
    assert ann.free(0) == 1


def test_the_list_shows_rooms_and_connected_bots(lobby: LobbyState) -> None:
    line = rooms.lobby_row(Table().room)
    arrive(lobby, "ann")
    arrive(lobby, "ann", MCTS)
    lobby.presence(Who(2, "bob", "mcts")).bot = MCTS  # not connected any more
    listing = lobby.listing(0, [replace(line, room=number) for number in (9, 5, 3)], 3)
    assert ([r.room for r in listing.rooms], listing.total) == ([9, 5, 3], 3)
    (bot,) = listing.bots
    assert (bot.name, bot.program, bot.games, bot.free) == ("ann", "mcts", ["tic_tac_toe"], 2)


def test_a_list_looks_at_no_more_than_it_shows(
    lobby: LobbyState, monkeypatch: pytest.MonkeyPatch
) -> None:
    lobby.names.own_house(["t"], "t", 0)
    for number in range(2 * MAX_LINES):
        arrive(lobby, f"bot{number}", MCTS, session=number + 100)
        arrive(lobby, f"ann{number}", session=number + 1_000)
    arrive(lobby, "house", MCTS, session=lobby.names.house or 0)
    free, looks = Presence.free, list[Presence]()
    monkeypatch.setattr(Presence, "free", lambda who, now: looks.append(who) or free(who, now))
    monkeypatch.setattr(lobby, "connected", None)
    listing = lobby.listing(0, [], 0)
    assert (len(listing.bots), len(looks)) == (MAX_LINES, MAX_LINES)
    assert [bot.name for bot in listing.bots[:2]] == ["house", "bot0"]


def test_a_long_list_of_bots_is_cut(lobby: LobbyState) -> None:
    for number in range(MAX_LINES + 1):
        arrive(lobby, f"bot{number}", MCTS, session=number + 1)
    assert len(lobby.listing(0, [], 0).bots) == MAX_LINES


def test_a_private_room_is_found_by_its_code(lobby: LobbyState) -> None:
    lobby.codes["QF7KDM"] = 17
    assert lobby.room_by_code(" qf7kdm") == 17
    with pytest.raises(Refusal) as no:
        lobby.room_by_code("QF7KDN")
    assert no.value.code == Code.ROOM_WRONG_CODE


def test_the_catalog_says_how_each_game_begins() -> None:
    four = GameInfo(
        game="connect_four", title="Connect four", start="7/7/7/7/7/7 x", seats=("X", "O")
    )
    assert four in catalog()
    assert [info.game for info in catalog()] == list(registry.names())


def test_a_player_can_sit_in_many_rooms_and_leave_them_in_any_order() -> None:
    ann, rng = LobbyState().presence(Who(1, "ann")), random.Random(5)
    rooms: set[int] = set()
    for _ in range(400):
        room = rng.randrange(30)
        if rng.random() < 0.6:
            rooms.add(room)
            ann.sit(room)
        else:
            rooms.discard(room)
            ann.rise(room)
        assert (len(ann.rooms), set(ann.rooms)) == (len(rooms), rooms)
    for room in range(30):
        ann.rise(room)
    assert not ann.rooms
