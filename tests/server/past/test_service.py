"""The past as people ask for it: lists of matches, persons, and what is private."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from protocol import messages, parts, past
from protocol.series import number_of_last
from server.config import Config
from server.past import ratings
from tests.server.scene import Player, Scene

PRIVATE = parts.Options(public=False)
RATED = parts.Options(rated=True, clock=parts.ClockOptions(base_ms=60_000))
PRIVATE_RATED = parts.Options(public=False, rated=True, clock=RATED.clock)


def meet(
    scene: Scene, one: Player, two: Player, *actions: str, options: parts.Options | None = None
) -> str:
    """A match of tic-tac-toe that `one` begins; if the rules do not end it, `one` resigns."""
    room = scene.room(one, options=options)
    two.say(messages.Join(room=room, code=scene.rooms.actors[room].room.code))
    for player in (one, two):
        player.say(messages.Ready(room=room))
    name = f"{room}.1"
    for n, action in enumerate(actions):
        turn = scene.rooms.actors[room].room.match.turn  # type: ignore[union-attr]
        (one, two)[n % 2].say(messages.Play(match=name, turn=turn, action=action))
    one.say(messages.Resign(match=name))
    for player in (one, two):
        player.say(messages.Leave(room=room))
        player.heard()
    return name


def listed(player: Player, who: str | None = None, **more: object) -> list[str]:
    page = player.ask(past.Matches(id=3, who=who, **more), past.MatchPage)  # type: ignore[arg-type]
    return [line.match for line in page.matches]


def person(player: Player, name: str) -> past.PersonPage:
    player.send(past.Person(id=3, name=name))
    player.scene.store.settle()
    player.scene.wait(5_000)
    (page,) = player.heard_of(past.PersonPage)
    return replace(page, re=None)


def test_a_match_stands_in_the_list_with_its_end(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    name = meet(scene, ann, bob, "1", "4", "2", "5", "3")
    (line,) = bob.ask(past.Matches(id=1, who="Ann"), past.MatchPage).matches
    assert (line.match, line.game, line.plies, line.rated) == (name, "tic_tac_toe", 5, False)
    assert [seat.name for seat in line.seats] == ["ann", "bob"]
    assert (line.result.winner, line.result.reason) == (0, "line")
    assert (line.position, line.at, line.former) == ("xxx/oo1/3 o", scene.now(), ())


def test_a_game_of_a_series_tells_what_that_has_come_to(scene: Scene) -> None:
    at = scene.match(options=parts.Options(points=5), game="backgammon_cube")
    at.ann.say(messages.Resign(match=at.name))
    (line,) = at.bob.ask(past.Matches(id=1, who="ann"), past.MatchPage).matches
    won = int(line.result.returns[1])
    assert line.series == parts.Series(points=5, score=(0, won), game=2)
    assert number_of_last(line.series, line.result) == 1


def test_pages_follow_each_other_and_the_list_of_all_is_public(scene: Scene) -> None:
    ann, bob, eve = (scene.enter(name) for name in ("ann", "bob", "eve"))
    names = []
    for n in range(7):
        scene.wait(10)
        names.append(meet(scene, ann, bob, "1", options=PRIVATE if n == 3 else None))
    public = [name for name in names[::-1] if name != names[3]]
    assert listed(eve) == public
    assert listed(eve, "bob") == public
    assert listed(bob, "bob") == listed(ann, "ann") == names[::-1]
    page = bob.ask(past.Matches(id=1, who="bob", limit=3), past.MatchPage)
    assert ([line.match for line in page.matches], page.more) == (names[:3:-1], True)
    page = bob.ask(past.Matches(id=1, who="bob", limit=3, before=names[4]), past.MatchPage)
    assert ([line.match for line in page.matches], page.more) == (names[3:0:-1], True)
    page = bob.ask(past.Matches(id=1, who="bob", before=names[1]), past.MatchPage)
    assert ([line.match for line in page.matches], page.more) == (names[:1], False)
    assert listed(bob, before=names[0]) == []


def test_a_private_match_is_told_to_its_players_with_its_code(scene: Scene) -> None:
    ann, bob, eve = (scene.enter(name) for name in ("ann", "bob", "eve"))
    room = scene.rooms.last_number + 1
    name = meet(scene, ann, bob, "1", "4", "2", "5", "3", options=PRIVATE)
    (line,) = bob.ask(past.Matches(id=1, who="bob"), past.MatchPage).matches
    created = scene.store.events[room, 1]
    assert line.code is not None
    assert line.code.encode() in created.body
    assert listed(eve, "ann") == []
    assert eve.refused(past.Matches(id=1, before=name)) == "lobby/no-room"
    assert listed(ann, "ann", before=name) == []
    assert person(eve, "ann") == past.PersonPage(name="ann", here=True)
    own = person(ann, "ann")
    assert (own.streak, own.games) == (1, (past.GameTally(game="tic_tac_toe", won=1),))


def test_a_person_is_what_they_played(scene: Scene) -> None:
    ann, bob, cem = (scene.enter(name) for name in ("ann", "bob", "cem"))
    began = scene.now()
    meet(scene, ann, bob, "1", "4", "2", "5", "3")  # ann wins
    scene.wait(5)
    meet(scene, bob, ann, "1")  # bob resigns
    scene.wait(5)
    meet(scene, cem, ann, "1", "2", "3", "5", "4", "6", "8", "7", "9")  # a draw
    scene.wait(5)
    aborted = scene.room(ann)
    bob.say(messages.Join(room=aborted))
    for player in (ann, bob):
        player.say(messages.Ready(room=aborted))
    ann.say(messages.Abort(match=f"{aborted}.1"))
    page = person(bob, "ANN")
    assert (page.name, page.program, page.here, page.since) == ("ann", None, True, began)
    assert (page.counted, page.streak) == (3, 0)
    assert page.games == (past.GameTally(game="tic_tac_toe", won=2, drawn=1),)
    assert [(o.player.name, o.won, o.drawn, o.lost) for o in page.opponents] == [
        ("bob", 2, 0, 0), ("cem", 0, 1, 0)
    ]  # fmt: skip
    assert person(cem, "bob").streak == -2
    ann.go()
    assert not person(bob, "ann").here
    assert bob.refused(past.Person(id=1, name="nobody")) == "past/no-person"
    assert bob.refused(past.Matches(id=1, who="nobody")) == "past/no-person"
    assert bob.refused(past.Matches(id=1, before="999.1")) == "lobby/no-room"
    assert bob.refused(past.Matches(id=1, before="x")) == "lobby/no-room"


def test_a_bot_has_a_past_of_its_own(scene: Scene) -> None:
    bot = scene.house(parts.BotInfo(program="Mcts", levels=8))
    other = scene.enter("greta", bot=parts.BotInfo(program="mcts"))
    ann = scene.enter("ann")
    name = meet(scene, ann, bot, "1")
    meet(scene, ann, other, "1")
    assert listed(ann, "house/mcts") == [name]
    assert listed(ann, "house") == []
    page = person(ann, "house/mcts")
    assert (page.name, page.program, page.here, page.streak) == ("house", "Mcts", True, 1)
    assert page.opponents == (past.OpponentTally(player=parts.Player(name="ann"), won=1),)
    assert ann.refused(past.Person(id=1, name="house/chess")) == "past/no-person"
    seats = [o.player for o in person(ann, "ann").opponents]
    assert seats == [parts.Player(name="greta", program="mcts"),
                     parts.Player(name="house", program="Mcts")]  # fmt: skip


def test_a_bot_is_looked_up_and_not_sought_among_all_connections(scene: Scene) -> None:
    class Unread(dict[Any, Any]):
        def values(self) -> Any:
            raise AssertionError("a house has 10,000")

    bot, ann = scene.house(parts.BotInfo(program="Mcts", levels=8)), scene.enter("ann")
    scene.hub.lobby.connected = Unread(scene.hub.lobby.connected)
    assert person(ann, "house/MCTS").program == "Mcts"
    bot.go()
    assert ann.refused(past.Person(id=1, name="house/mcts")) == "past/no-person"


def test_who_takes_a_name_that_was_free_begins_without_a_past(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    name = meet(scene, ann, bob, "1")
    number = ann.peer.me().session
    ann.go()
    scene.lobby.names.drop(scene.lobby.names.sessions[number])
    assert listed(bob, "Ann") == [name]  # as long as nobody has the name
    assert person(bob, "ann").since is not None
    assert person(bob, "ann").former
    assert not person(bob, "bob").former
    again = scene.enter("ann")
    assert again.peer.me().session != number
    assert listed(bob, "ann") == listed(again, "ann") == []
    assert person(again, "ann") == past.PersonPage(name="ann", here=True)
    (line,) = bob.ask(past.Matches(id=1, who="bob"), past.MatchPage).matches
    assert line.former == (0,)
    assert person(bob, "bob").opponents[0].former
    meet(scene, again, bob, "1")
    assert sorted(o.former for o in person(bob, "bob").opponents) == [False, True]
    assert [(o.player.name, o.lost) for o in person(bob, "bob").opponents] == [
        ("ann", 0), ("ann", 0)
    ]  # fmt: skip


def test_a_tally_has_a_bound_and_says_so() -> None:
    scene = Scene(Config(tallied_matches=2))
    ann, bob = scene.enter("ann"), scene.enter("bob")
    for _ in range(3):
        scene.wait(5)
        meet(scene, ann, bob, "1")
    page = person(bob, "bob")
    assert (page.counted, page.games[0].won, page.streak) == (2, 2, 2)


def test_the_index_that_cannot_be_read_is_told(scene: Scene) -> None:
    ann = scene.enter("ann")
    scene.store.broken = True
    for request in (
        past.Matches(id=1), past.Matches(id=1, who="ann"), past.Matches(id=1, before="1.1"),
        past.Matches(id=1, who="gone"), past.Person(id=1, name="ann"),
    ):  # fmt: skip
        assert ann.refused(request) == "server/not-stored"
        scene.wait(1_000)


def test_who_has_gone_is_answered_nothing(scene: Scene) -> None:
    ann = scene.enter("ann")
    ann.send(past.Person(id=1, name="ann"))
    ann.vanish()
    scene.store.settle()
    scene.wait(1_000)


def test_people_are_rated_after_enough_matches(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    for n in range(ratings.MIN_RATED - 1):
        scene.wait(100)
        meet(scene, *((ann, bob) if n % 3 else (bob, ann)), "1",
             options=PRIVATE_RATED if n == 1 else RATED)  # fmt: skip
    meet(scene, ann, bob, "1")  # which is not rated
    few = past.PersonRating(
        game="tic_tac_toe", matches=ratings.MIN_RATED - 1, least=ratings.MIN_RATED
    )
    assert person(bob, "bob").ratings == (few,)
    meet(scene, ann, bob, "1", options=RATED)
    (rating,) = person(bob, "bob").ratings
    assert (rating.matches, rating.field) == (ratings.MIN_RATED, 2)
    assert rating.elo is not None
    assert rating.interval is not None
    assert rating.interval[0] < 0 < rating.elo < rating.interval[1]
    (other,) = person(ann, "ann").ratings
    assert other.elo == -rating.elo
    assert len(rating.curve) == 1


def test_the_table_of_ratings_tells_the_best_or_those_asked_for(scene: Scene) -> None:
    ann, bob, cem = (scene.enter(name) for name in ("ann", "bob", "cem"))
    meet(scene, ann, cem, "1", options=RATED)
    for n in range(ratings.MIN_RATED):
        scene.wait(100)
        meet(scene, *((ann, bob) if n % 3 else (bob, ann)), "1", options=RATED)

    def table(*of: str) -> past.RatingTable:
        cem.send(past.PeopleRatings(id=3, game="tic_tac_toe", of=of))
        scene.store.settle()
        scene.wait(5_000)
        (found,) = cem.heard_of(past.RatingTable)
        return found

    cem.send(past.PeopleRatings(id=4, game="tic_tac_toe"))
    assert cem.refused(past.PeopleRatings(id=5, game="tic_tac_toe")) == "room/busy"
    scene.store.settle()
    scene.wait(5_000)
    cem.heard()
    all_of_it = table()
    assert [row.name for row in all_of_it.rows] == ["bob", "ann"]
    assert (all_of_it.total, all_of_it.least) == (2, ratings.MIN_RATED)
    bob_s, ann_s = all_of_it.rows
    assert bob_s.elo is not None
    assert ann_s.elo is not None
    assert bob_s.error is not None
    assert bob_s.elo > ann_s.elo
    asked = table("BOB", "cem", "nobody").rows
    assert [row.name for row in asked] == ["BOB", "cem", "nobody"]
    assert [(row.elo, row.matches) for row in asked] == [(bob_s.elo, 10), (None, 1), (None, 0)]
    assert cem.refused(past.PeopleRatings(id=5, game="go")) == "lobby/unknown-game"


def test_a_log_that_cannot_be_read_is_not_a_log_without_matches(scene: Scene) -> None:
    ann, bob = scene.enter("ann"), scene.enter("bob")
    for _ in range(ratings.MIN_RATED):
        scene.wait(100)
        meet(scene, ann, bob, "1", options=RATED)
    (rating,) = person(bob, "bob").ratings
    meet(scene, ann, bob, "1", options=RATED)
    scene.wait(10_000)
    rater, served = scene.hub.services.past.rater, list[bool]()
    scene.store.broken = True
    rater.ask(["tic_tac_toe"], lambda: served.append(True))
    scene.store.settle()
    scene.store.broken = False
    assert served  # with what is known
    assert rater.games["tic_tac_toe"].field.now.ratings
    scene.wait(10_000)
    (again,) = person(bob, "bob").ratings
    assert again.matches == rating.matches + 1


def test_only_two_people_with_names_are_rated(scene: Scene) -> None:
    ann, guest = scene.enter("ann"), scene.enter()
    bot = scene.enter("greta", bot=parts.BotInfo(program="x"))
    for other in (guest, bot):
        meet(scene, ann, other, "1", options=RATED)
    assert [row.rated for row in scene.store.past.values()] == [0, 0]
    assert person(ann, "ann").ratings == ()
    (line, _) = ann.ask(past.Matches(id=1, who="ann"), past.MatchPage).matches
    assert line.rated
