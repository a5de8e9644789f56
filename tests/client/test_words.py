"""Sentences that people read."""

from __future__ import annotations

import pytest

from client.words import sentence


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("this room is full", "This room is full."),
        ("no bot is called deep", "No bot is called deep."),
        ("house/solver has no analysis", "house/solver has no analysis."),
        ("x3 is not legal here", "x3 is not legal here."),
        ("foo is not legal here; legal: 1 2", "foo is not legal here; legal: 1 2."),
        ("bob did not come", "bob did not come."),
        ("really?", "really?"),
        ("  ", ""),
    ],
)
def test_sentences_get_a_capital_and_names_keep_their_case(text: str, shown: str) -> None:
    assert sentence(text) == shown
