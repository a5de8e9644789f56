"""Which blows a cluster gets."""

import random

from bench.cluster.blows import KINDS, drawn


def test_blows_are_drawn_from_the_seed_and_each_kind_comes_where_there_are_enough() -> None:
    blows = drawn(50, random.Random(1), is_silent=True)
    assert blows == drawn(50, random.Random(1), is_silent=True)
    assert blows != drawn(50, random.Random(2), is_silent=True)
    assert {kind.what for kind in blows} == {kind.what for kind in KINDS}
    assert len(set(drawn(len(KINDS), random.Random(3), is_silent=True))) == len(KINDS)


def test_what_takes_a_silent_network_is_left_out_elsewhere() -> None:
    blows = drawn(50, random.Random(1), is_silent=False)
    assert {kind.is_silent for kind in blows} == {False}
    assert len(drawn(2, random.Random(1), is_silent=False)) == 2
