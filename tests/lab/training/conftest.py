"""Nets of backgammon as compiled code, for the longer tests."""

from tests.bots.backgammon.conftest import fast  # noqa: F401  # a fixture
