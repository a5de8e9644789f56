"""A ladder over lines that go down, with every machine in a network namespace of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from lab.arena.local_server import ROOT
from tests.chaos.remote import RemoteReport

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.socket]

INSIDE = ["unshare", "--user", "--map-root-user", "--net"]
TIMES = ["--away", "12", "--silent", "4000", "--long-away", "72"]  # anybody may be away for 60 s
TRIED = ["sh", "-c", "ip link add dev one type veth peer name two && unshare --net true"]


def no_namespaces() -> str | None:
    """Why there can be none here; None if there can."""
    missing = [tool for tool in ("unshare", "nsenter", "ip") if shutil.which(tool) is None]
    if missing:
        return f"there is no {missing[0]} here (Debian: util-linux, iproute2)"
    tried = subprocess.run([*INSIDE, *TRIED], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        return f"network namespaces cannot be made here: {tried.stderr.strip()}"
    return None


def test_a_ladder_goes_on_when_one_side_is_cut_off(tmp_path: Path) -> None:
    if why := no_namespaces():
        pytest.skip(why)
    done = subprocess.run(
        [*INSIDE, sys.executable, "-m", "tests.chaos.remote", str(tmp_path), *TIMES],
        cwd=ROOT,
        env={**os.environ, "PLYHOUSE_PLAIN": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    outcome = msgspec.json.decode(done.stdout, type=RemoteReport)
    assert outcome.problems == []
    _, _, _, back, killed, _, again = outcome.phases
    for phase in (back, killed, again):
        assert phase.north > 0, "the north plays on by itself"
    assert outcome.how["disconnect"] + outcome.void.get("both away", 0) > 0
    assert set(outcome.how) <= {"rules", "disconnect"}
    assert set(outcome.void) <= {"both away", "the ladder ended"}
    assert all(row.suspended is None for row in outcome.standing)
