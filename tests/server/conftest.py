"""What the tests of the server share."""

from __future__ import annotations

import pytest

from tests.server.scene import Scene


@pytest.fixture
def scene() -> Scene:
    """A house without sockets."""
    return Scene()
