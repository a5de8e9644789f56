"""The last rounds of a training, in which wider nets learn."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bots.backgammon import weights
from bots.backgammon.kernels import net
from tests.lab.training.fake import SETTINGS, WIDENING, Log, nothing, training
from tests.lab.training.test_training import study, values, whole

change = msgspec.structs.replace


def test_wider_nets_learn_last_by_settings_of_their_own() -> None:
    """They are random at first, but for the one whose width stays; and turns that were not chosen
    are learnt."""
    log = Log()
    made = training(WIDENING, log=log)
    made.run(nothing)
    study(made, 3)
    assert (len(log.refined), log.others, made.nets.hidden) == (30, 0, WIDENING.hidden)
    old = weights.rounded(values(made))
    assert made.look_ahead(nothing)
    assert (len(log.refined), log.others, made.nets.hidden) == (50, 20, WIDENING.wide_hidden)
    expected = values(training(change(SETTINGS, hidden=WIDENING.wide_hidden)))
    n, there, here = net.size(3), net.size(4), net.size(5)
    expected[here : here + n] = old[there : there + n]
    assert log.fitted[-3][2] == expected
    before = values(made)
    assert made.look_ahead(nothing)
    assert log.fitted[-3][2] == before, "the same nets go on"
    assert list(made.datasets) == [5]
    assert {decay for _, decay in log.refined[30:]} == {0.5}
    assert log.steps[-6:] == [(4, 0.04)] * 6
    assert made.result().hidden == WIDENING.wide_hidden


def test_from_a_file_of_refined_nets_wider_ones_come_to_the_same(tmp_path: Path) -> None:
    file = tmp_path / "refined"
    both = whole(WIDENING), whole(change(WIDENING, wide_rounds=0))
    weights.save(file, both[1].result())
    alone = {"games": 0, "lessons": 0, "refinements": 0, "after": weights.digest(file)}
    then = whole(change(WIDENING, **alone), start=weights.load(file))
    assert values(then) == values(both[0])
