"""What a fuzzer starts from, and what it has found once, is read as it should be."""

from __future__ import annotations

import pytest

from tests.fuzz.__main__ import NAMES
from tests.fuzz.targets import TARGETS, kept


def test_each_target_has_a_name() -> None:
    assert tuple(TARGETS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_what_is_known_is_read_or_refused(name: str) -> None:
    target = TARGETS[name]
    inputs = [*target.seeds(), *kept(name)]
    assert len(inputs) > 4
    for data in inputs:
        target.run(data)
