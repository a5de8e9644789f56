"""What the tests of the server's commands share."""

from tests.support.command import run  # noqa: F401  # a fixture
