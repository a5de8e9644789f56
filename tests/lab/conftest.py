"""What the tests of the bots share, for those of the laboratory."""

from tests.bots.conftest import with_numba  # noqa: F401  # a fixture
