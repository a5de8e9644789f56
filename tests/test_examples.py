"""The examples in docstrings are true, and what others build on has one."""

from __future__ import annotations

import doctest
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.serving import serving

# What games, bots and clients of others are made with; ADDRESS is that of a server.
PUBLIC = {
    "games.game": ("Game", "Position", "replay"),
    "games.registry": ("names", "game"),
    "games.dice": ("commitment",),
    "games.clock": ("Clock",),
    "bots.bot": ("Bot", "Budget", "Setting", "fit", "format_value"),
    "client.address": ("parse_address", "host_and_port"),
    "client.backoff": ("Backoff",),
    "client.connection": ("connect",),
    "client.replica": ("Replica",),
}
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("server") / "data") as server:
        yield server.url


@pytest.mark.socket
@pytest.mark.parametrize("module", PUBLIC)
def test_an_example_is_true(module: str, request: pytest.FixtureRequest) -> None:
    loaded = importlib.import_module(module)
    served = "ADDRESS" in Path(str(loaded.__file__)).read_text("utf-8")
    given = {"ADDRESS": request.getfixturevalue("address")} if served else {}
    tests = [
        test for test in doctest.DocTestFinder().find(loaded, extraglobs=given) if test.examples
    ]
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    complaints: list[str] = []
    for test in tests:
        runner.run(test, out=complaints.append)
    assert runner.failures == 0, "".join(complaints)
    shown = {test.name.removeprefix(f"{module}.").partition(".")[0] for test in tests}
    assert set(PUBLIC[module]) <= shown
