"""A ladder as the fold of its events: who may join, which pairs come, what is made of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from protocol.errors import Code, Refusal
from server.core.events import NotReplayed, Who, write_body
from server.ladder.core import events
from server.ladder.core.ladder import FORFEITS, RECENT, Ladder, Pair
from tests.server.ladder.core.fields import ANN, BOB, CAT, DAN, OWNER, Table, draw, ended, made, win

OVER = ("5", "1", "2", "8", "3")


def refused(call: Any) -> tuple[str, str]:
    with pytest.raises(Refusal) as caught:
        call()
    return caught.value.code, caught.value.text


def join(table: Table, who: Who, version: str = "1", slots: int = 1) -> Any:
    return lambda: table.ladder.join(who, version, "", slots, False, 0)


def test_players_are_numbered_as_they_come_and_a_new_version_is_another_one(table: Table) -> None:
    table.join(CAT, version="2", slots=3)
    assert [(p.number, p.title, p.slots, p.member) for p in table.ladder.players] == [
        (0, "ann/bot@1", 2, True), (1, "bob/bot@1", 2, True), (2, "cat/bot@2", 3, True),
    ]  # fmt: skip
    table = Table()
    table.join(ANN, BOB)
    table.join(ANN, version="2")
    titles = [(p.title, p.member) for p in table.ladder.players]
    assert titles == [("ann/bot@1", False), ("bob/bot@1", True), ("ann/bot@2", True)]
    table.join(ANN, version="1")
    assert [p.member for p in table.ladder.players] == [True, True, False]


def test_who_joins_again_is_the_same_player_unless_its_name_has_a_new_owner(table: Table) -> None:
    table.play()
    table.take(table.ladder.leave(ANN, 0))
    assert not table.ladder.players[0].member
    entered = table.ladder.join(replace(ANN, name="anna"), "1", "ff", 4, False, 0)
    table.take(entered)
    player = table.ladder.players[0]
    assert (entered.player, len(table.ladder.players), player.member) == (0, 2, True)
    assert (player.title, player.salt, player.slots, player.pairs) == ("anna/bot@1", "ff", 4, 1)
    table = Table()
    table.join(ANN, BOB)
    other = replace(ANN, session=77)
    assert table.ladder.find(other, "1") is None
    table.join(other)
    assert [p.who.session for p in table.ladder.players] == [1, 2, 77]
    assert [p.member for p in table.ladder.players] == [True, True, True]


def test_the_bots_of_an_owner_share_its_quota_and_anchors_have_none() -> None:
    table = Table(quota=4)
    other = replace(ANN, program="other")
    table.join(ANN, slots=3)
    code, text = refused(join(table, other, slots=2))
    assert code == Code.LADDER_QUOTA
    assert "3 are taken" in text
    table.join(other, slots=1)
    table.join(ANN, slots=3)  # its own do not count twice
    assert refused(join(table, ANN, slots=4))[0] == Code.LADDER_QUOTA
    table.take(table.ladder.leave(other, 0))
    for stranger in (other, CAT):  # only members leave
        assert refused(partial(table.ladder.leave, stranger, 0))[0] == Code.LADDER_NOT_JOINED
    table.join(ANN, slots=4)
    table.join(BOB, slots=5, anchor=True)


def test_its_owner_ends_it_for_good(table: Table) -> None:
    table.play()
    number = table.pair()
    table.end(number, 0, win(0))
    assert refused(lambda: table.ladder.stop(ANN, 0))[0] == Code.LADDER_NOT_OWNER
    table.take(table.ladder.stop(OWNER, 7))
    assert [pair.void for pair in table.ladder.over] == [None, "the ladder ended"]
    assert table.ladder.finished == "stopped by its owner"
    assert refused(lambda: table.ladder.stop(OWNER, 0))[0] == Code.LADDER_FINISHED
    assert refused(join(table, CAT))[0] == Code.LADDER_FINISHED
    assert table.ladder.leg_over(number, 1, 1, ended(win(0)), 0) == []
    table.take(table.ladder.leave(ANN, 0))


def test_openings_come_in_order_and_round_again() -> None:
    table = Table()
    table.join(ANN, BOB, CAT)
    count = len(table.ladder.openings)
    for k in range(count + 2):
        pair = table.play()
        event = table.ladder.over[-1].event
        assert (event.pair, event.ordinal, pair) == (k + 1, k, k + 1)
        assert event.opening == table.ladder.openings[k % count]
        assert (event.deal, event.secret, event.salts) == (None, None, ("", ""))
    table.play(2, 0)  # every pairing begins with the first
    assert table.ladder.over[-1].event.opening == table.ladder.openings[0]
    assert table.ladder.played(0, 1) == table.ladder.played(1, 0) == count + 2


def test_dice_have_a_deal_of_their_own() -> None:
    table = Table("backgammon")
    table.take(table.ladder.join(ANN, "1", "aa", 1, False, 0))
    table.take(table.ladder.join(BOB, "1", "bb", 1, False, 0))
    event = table.ladder.begin(1, 0, "why", b"x" * 32, 5)
    assert (event.deal, event.secret, event.salts) == ("L12.1", b"x" * 32, ("bb", "aa"))
    assert event.opening == ()


def test_a_void_pair_gives_its_opening_back(table: Table) -> None:
    numbers = [table.pair() for _ in range(4)]
    for k in (2, 1):
        table.end(numbers[k], 0, win(0))
        table.end(numbers[k], 1, draw("void"))
    assert table.ladder.played(0, 1) == 2
    assert [p.voids for p in table.ladder.players] == [2, 2]
    assert list(table.ladder.players[0].opponents) == [1, 1]
    ordinals = [table.ladder.running[table.pair()].event.ordinal for _ in range(3)]
    assert ordinals == [1, 2, 4]
    assert [p.pairs for p in table.ladder.players] == [0, 0]
    assert [(p.wins, p.losses) for p in table.ladder.players] == [(0, 0), (0, 0)]


def test_what_is_known_of_a_leg_is_not_scored_twice(table: Table) -> None:
    number = table.pair()
    table.end(number, 0, win(0))
    seq = table.ladder.seq
    table.end(number, 0, win(1))
    assert table.ladder.seq == seq
    table.end(number, 1, win(0))
    table.end(number, 1, win(0))
    assert table.ladder.seq == seq + 1


def test_points_wins_moves_and_reasons(table: Table) -> None:
    table.play(results=(win(0), win(1)), actions=OVER)  # ann wins as either side
    table.play(1, 0, results=(draw("rules"), win(0, "flag")))  # ann again, who has seat 0 in leg 1
    table.play(results=(win(1, "crash"), win(0, "resign")))
    ann, bob = table.ladder.players
    assert (ann.pairs, ann.score, ann.wins, ann.draws, ann.losses) == (3, 3.5, 3, 1, 2)
    assert (bob.pairs, bob.score, bob.wins, bob.draws, bob.losses) == (3, 2.5, 2, 1, 3)
    assert (dict(ann.lost_by), dict(bob.lost_by)) == ({"crash": 1, "resign": 1}, {"flag": 1})
    assert (ann.moves, ann.spent) == (4, 40)  # one ply of five was the opening
    assert (bob.moves, bob.spent) == (4, 40)
    assert table.ladder.tally == {(0, 1): (3, 3.5)}
    assert ann.points == {1.0: 1, 0.5: 1, -1.0: 1}
    assert bob.points == {-1.0: 1, -0.5: 1, 1.0: 1}
    table.play(results=(win(0, points=3.0), win(0, points=2.0)))
    assert (ann.points[0.5], bob.points[-0.5]) == (2, 2)


@pytest.mark.parametrize("how", ["flag", "illegal", "crash", "disconnect"])
def test_the_sixth_forfeit_of_the_last_fifty_suspends(how: str, table: Table) -> None:
    for k in range(FORFEITS + 1):
        assert table.ladder.players[1].suspended is None
        number = table.pair()
        table.end(number, 0, win(0, how))
        if k < FORFEITS:
            table.end(number, 1, win(0))
    assert table.ladder.players[0].suspended is None
    why = table.ladder.players[1].suspended
    assert why is not None
    assert why.startswith("6 of its last 50 matches were lost by")
    code, text = refused(join(table, BOB))
    assert (code, text) == (Code.LADDER_SUSPENDED, f"bob/bot@1: {why}")
    table.join(BOB, version="2")
    table.end(number, 1, win(0, how))  # what is on is played to its end, and says it once
    assert [kind for kind, _ in table.log].count("suspended") == 1


@pytest.mark.parametrize(("between", "suspended"), [(44, True), (45, False)])
def test_forfeits_are_forgotten_after_fifty_matches(
    between: int, suspended: bool, table: Table
) -> None:
    legs = ["flag"] * FORFEITS + ["rules"] * between + ["flag"]
    for k, how in enumerate(legs):
        if k % 2 == 0:
            number = table.pair()
        table.end(number, k % 2, win(k % 2, how))  # bob loses them all
    assert len(legs) == RECENT + (not suspended)
    assert (table.ladder.players[1].suspended is not None) is suspended


def test_other_losses_suspend_nobody(table: Table) -> None:
    for _ in range(30):
        table.play(results=(win(0, "resign"), win(1, "rules")))
    assert table.ladder.players[1].suspended is None


def play_round(table: Table, pairs: int, change: Sequence[int] = ()) -> None:
    """Pairs that always go alike, on alternating sides; those in `change` go another way."""
    for _ in range(pairs):
        k = table.ladder.played(0, 1)
        actions = ("1", "2", "3") if k in change else ("1", "2")
        table.play(*((0, 1) if k % 2 == 0 else (1, 0)), actions=actions)


def test_bots_that_always_play_alike_are_exhausted_and_others_never(table: Table) -> None:
    count = len(table.ladder.openings)
    play_round(table, count + 2)
    assert not table.ladder.is_exhausted(0, 1)
    play_round(table, 1)
    assert table.ladder.is_exhausted(1, 0)
    counts = [table.ladder.counts(pair) for pair in table.ladder.counted]
    assert counts == [True] * count + [False] * 3
    table = Table()
    table.join(ANN, BOB)
    play_round(table, 4 * count, change=[count + 1])
    assert not table.ladder.exhausted
    assert all(table.ladder.counts(pair) for pair in table.ladder.counted)


def test_neither_a_void_pair_nor_dice_count_as_a_repetition(table: Table) -> None:
    play_round(table, len(table.ladder.openings))
    for _ in range(8):
        number = table.pair()
        table.end(number, 0, win(0), ("1", "2"))
        table.end(number, 1, draw("void"))
    assert not table.ladder.exhausted
    table = Table("backgammon")
    table.join(ANN, BOB)
    for _ in range(9):
        table.play(actions=())
    assert not table.ladder.exhausted


RESULTS = (
    win(0), win(1), draw(), draw("void"), win(0, "flag"), win(1, "crash"), win(1, "resign"),
    win(0, "disconnect"), win(1, points=2.0),
)  # fmt: skip


def happen(table: Table, dice: random.Random) -> None:
    """One thing that may happen next."""
    ladder = table.ladder
    table.now += 10
    what = dice.random()
    who = dice.choice((ANN, BOB, CAT, DAN))
    try:
        if what < 0.06 or len(ladder.players) < 2:
            table.join(who, version=dice.choice("12"), slots=dice.randint(1, 4))
        elif what < 0.08:
            table.take(ladder.leave(who, table.now))
        elif ladder.finished is not None:
            return
        elif what < 0.4 or not ladder.running:
            one, two = dice.sample(range(len(ladder.players)), 2)
            table.pair(one, two)
        elif what < 0.999:
            number = dice.choice(list(ladder.running))
            actions = dice.choice((("1", "2"), ("1", "2", "3")))
            table.end(number, dice.randint(0, 1), dice.choice(RESULTS), actions)
        else:
            table.take(ladder.stop(OWNER, table.now))
    except Refusal:
        pass


def consistent(ladder: Ladder) -> None:
    """Sums that have to be right whatever has happened."""
    for player in ladder.players:
        mine = [p for p in ladder.counted if player.number in (p.event.one, p.event.two)]
        on = [p for p in ladder.running.values() if player.number in (p.event.one, p.event.two)]
        assert (player.pairs, player.running) == (len(mine), len(on))
        assert player.wins + player.draws + player.losses == 2 * player.pairs == 2 * len(mine)
        assert player.score == player.wins + player.draws / 2
        assert sum(player.lost_by.values()) <= player.losses
        assert len(player.opponents) <= RECENT
    assert sum(p.score for p in ladder.players) == 2 * len(ladder.counted)
    assert sum(count for count, _ in ladder.tally.values()) == len(ladder.counted)
    pairings: dict[frozenset[int], list[int]] = {}
    for pair in (*ladder.counted, *ladder.running.values()):
        pairings.setdefault(frozenset((pair.event.one, pair.event.two)), []).append(
            pair.event.ordinal
        )
    for two, ordinals in pairings.items():
        assert len(set(ordinals)) == len(ordinals) == ladder.played(*two)
    titles = [p.title for p in ladder.players]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("game", ["tic_tac_toe", "backgammon"])
@pytest.mark.parametrize("seed", range(6))
def test_what_is_read_from_the_log_is_what_was(game: str, seed: int) -> None:
    dice, table = random.Random(seed), Table(game)
    for k in range(400):
        happen(table, dice)
        if k % 50 == 0:
            consistent(table.ladder)
    consistent(table.ladder)
    again = table.again()
    live, read_ = vars(table.ladder) | {"game": None}, vars(again) | {"game": None}
    assert live.keys() == read_.keys()
    for name in live:
        assert live[name] == read_[name], name
    assert again.game.name == table.ladder.game.name


def scored(pair: int, leg: int) -> events.Scored:
    return events.Scored(0, pair, leg, 1, win(0), 5, (1, 1), (9, 9), b"12345678")


def paired(number: int, **more: Any) -> events.Paired:
    event = events.Paired(0, number, 0, 1, 1, (), None, None, ("", ""), "why")
    return replace(event, **more)


IMPOSSIBLE: tuple[events.LadderEvent, ...] = (
    made(),
    events.Entered(0, 5, CAT, "1", "", 1),
    events.Entered(0, 0, CAT, "1", "", 1),
    events.Entered(0, 2, ANN, "1", "", 1),
    events.Entered(0, -1, CAT, "1", "", 1),
    events.Withdrew(0, 2),
    events.Withdrew(0, -1),
    paired(1),
    paired(3),
    paired(2, one=2),
    paired(2, two=-1),
    paired(2, two=0),
    paired(2, ordinal=0),
    paired(2, ordinal=7),
    scored(1, 0),
    scored(1, 2),
    scored(1, -1),
    scored(2, 0),
    events.Voided(0, 2, "why"),
    events.Suspended(0, 2, "why"),
    events.Finished(0, "a pair is on"),
)


@pytest.mark.parametrize("event", IMPOSSIBLE, ids=repr)
def test_what_cannot_have_happened_is_not_replayed(event: events.LadderEvent, table: Table) -> None:
    table.end(table.pair(), 0, win(0))
    with pytest.raises(NotReplayed):
        table.ladder.fold(event)


def test_nothing_comes_after_the_end_and_a_pair_that_is_on_has_no_score(table: Table) -> None:
    table.play()
    table.take(table.ladder.stop(OWNER, 0))
    for event in (paired(2), events.Suspended(0, 0, ""), events.Finished(0, "")):
        with pytest.raises(NotReplayed):
            table.ladder.fold(event)
    pair = Pair(paired(1), [None, None], [None, None])
    assert not pair.over
    with pytest.raises(NotReplayed):
        pair.score(0)


@pytest.mark.parametrize(
    ("kind", "body"),
    [("created", write_body(made())), ("entered", b"\xc1"), ("paired", b"\x90"), ("", b"")],
)
def test_a_row_that_nobody_wrote_is_not_read(kind: str, body: bytes) -> None:
    with pytest.raises(NotReplayed):
        events.read(kind, body)
