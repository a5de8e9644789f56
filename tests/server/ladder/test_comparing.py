"""How players of a ladder differ, as it is asked and answered."""

from __future__ import annotations

import pytest

from protocol import ladder, messages
from server.config import LADDER_DIFFERENCE
from server.rooms.peers import Peer
from tests.server.ladder.scene import NAME, Bot, LadderScene, at_random, first
from tests.server.scene import Scene


@pytest.fixture
def played(scene: Scene) -> tuple[LadderScene, list[Bot]]:
    """A ladder on which three bots have played pairs that are rated."""
    stage = LadderScene(scene)
    bots = stage.bots(first, at_random(1), at_random(2))
    stage.run(bots, stage.pairs_over(12))
    scene.wait(5_000)
    return stage, bots


def compare(stage: LadderScene, *players: str) -> ladder.LadderDifferences:
    request = ladder.LadderCompare(id=3, ladder=NAME, players=players)
    stage.ann.heard()
    return stage.ann.ask(request, ladder.LadderDifferences)


def refusal(stage: LadderScene, *players: str) -> messages.Error:
    stage.ann.heard()
    request = ladder.LadderCompare(id=3, ladder=NAME, players=players)
    return stage.ann.ask(request, messages.Error)


def test_two_are_compared_by_any_name_that_means_one_of_them(
    played: tuple[LadderScene, list[Bot]],
) -> None:
    stage, (one, two, three) = played
    both = compare(stage, one.title, f" {two.name}/bot ")
    assert both.players == (one.title, two.title)
    (apart,) = both.differences
    rows = {row.player: row for row in stage.state().standings}
    ratings = [rows[bot.title].rating for bot in (one, two)]
    assert None not in ratings
    assert apart.elo == pytest.approx(ratings[0] - ratings[1], abs=0.11)  # type: ignore[operator]
    assert apart.error > 0
    assert (apart.los > 0.5) == (apart.elo > 0)
    (turned,) = compare(stage, two.title, one.title).differences
    assert (turned.elo, turned.error) == (-apart.elo, apart.error)
    assert turned.los == pytest.approx(1 - apart.los, abs=1e-4)
    assert both.rated == stage.state().rated == stage.actor.rater.rated
    assert three.title not in both.players


def test_one_is_compared_with_all_and_none_means_the_best(
    played: tuple[LadderScene, list[Bot]],
) -> None:
    stage, bots = played
    best = [row.player for row in stage.state().standings]
    alone = compare(stage, bots[1].title)
    assert alone.players[0] == bots[1].title
    assert sorted(alone.players) == sorted(best)
    assert [(d.one, d.two) for d in alone.differences] == [(0, 1), (0, 2)]
    everybody = compare(stage)
    assert list(everybody.players) == best
    assert [(d.one, d.two) for d in everybody.differences] == [(0, 1), (0, 2), (1, 2)]
    assert all(d.elo >= 0 and d.los >= 0.5 for d in everybody.differences)


def test_who_has_no_rating_or_no_chain_of_pairs_is_in_no_row(
    stage: LadderScene, scene: Scene
) -> None:
    assert compare(stage).players == ()
    new, other = stage.bots(first, first)
    unrated = compare(stage, new.title, other.title)
    assert (unrated.players, unrated.differences) == ((new.title, other.title), ())
    assert compare(stage, new.title).players == (new.title,)


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (("nobody",), "there is no 'nobody' of daily; there are: bob0/bot@1, bob1/bot@1"),
        (("bot",), "'bot' of daily may be any of: bob0/bot@1, bob1/bot@1"),
        (("bob0/bot", "bob0/bot@1"), "bob0/bot@1 is there twice"),
        (("",), "there is no '' of daily"),
    ],
)
def test_a_name_that_means_nobody_or_several_is_refused(
    stage: LadderScene, names: tuple[str, ...], why: str
) -> None:
    stage.bots(first, first)
    error = refusal(stage, *names)
    assert error.code == "ladder/no-player"
    assert error.text.startswith(why)


def test_an_answer_is_paid_by_the_difference(
    played: tuple[LadderScene, list[Bot]], monkeypatch: pytest.MonkeyPatch
) -> None:
    charges: list[float] = []
    monkeypatch.setattr(Peer, "charge", lambda peer, micros: charges.append(micros))
    compare(played[0])
    assert 3 * LADDER_DIFFERENCE in charges
