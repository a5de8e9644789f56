"""The commands are run in this process."""

from tests.support.command import run  # noqa: F401  # a fixture
