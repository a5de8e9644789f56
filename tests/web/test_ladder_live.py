"""A ladder's page on a real server, where real bots play: the way to the table and to a replay."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.web.conftest import Visit
from tests.web.house import ROOT, House

pytestmark = pytest.mark.browser

PATIENCE_MS = 60_000  # for the first pair, on a busy machine
Run = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def run(own_house: House, tmp_path: Path) -> Iterator[Run]:
    """Start `plyhouse ... --url` of this house; what still runs at the end is killed."""
    started = []
    keeps = {
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path),
    }

    def run(*words: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "plyhouse", *words, "--url", own_house.url],
            cwd=ROOT, env=os.environ | keeps, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.wait(20)


def test_a_ladder_is_followed_watched_and_replayed(
    own_house: House, run: Run, visit: Visit
) -> None:
    visitor = visit()
    ladder, lobby = visitor.page, visitor.tab()
    lobby.goto(own_house.url)
    lobby.get_by_role("button", name="Play as a guest").click()
    opened = run("ladder", "create", "spring", "--game", "connect_four", "--clock", "60+1")
    assert opened.wait(60) == 0
    ladder.goto(f"{own_house.url}/ladder/spring")
    expect(ladder.locator(".about")).to_contain_text("Connect four")
    for name in ("ann", "bob"):
        run("bot", "flat", "--as", name, "--ms", "1000", "--at-once", "--ladder", "spring")

    pair = ladder.locator(".live tbody tr", has_text="/ann@")  # they take their time
    watch = pair.get_by_role("link", name="Watch").last
    expect(watch).to_be_visible(timeout=PATIENCE_MS)
    lobby.goto(own_house.url + (watch.get_attribute("href") or ""))
    expect(lobby.get_by_role("link", name="Ladder spring")).to_be_visible()
    lobby.locator(".brand").click()
    lobby.locator(".ladders a").click()
    expect(lobby).to_have_title("spring · Plyhouse")

    replays = ladder.locator(".recent a")
    expect(replays.first).to_be_visible(timeout=PATIENCE_MS)
    expect(ladder.locator(".plot .line").first).to_be_visible()
    assert ladder.locator(".standings tbody tr", has_text="/ann@").count() == 1
    ladder.reload()  # now the history is the server's
    expect(ladder.locator(".plot .line").first).to_be_visible()
    ladder.locator(".recent h2").hover()  # else the pairs that follow push them down
    replays.first.click()
    expect(ladder.locator(".replay .status")).to_contain_text("Ply")
    ladder.locator("[data-step=first]").click()
    expect(ladder.locator(".board")).to_have_attribute("data-position", "7/7/7/7/7/7 x")
