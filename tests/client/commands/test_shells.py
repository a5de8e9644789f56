"""Completion in real shells: Tab offers our commands."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pexpect
import pytest

pytestmark = pytest.mark.slow
SHELLS = {  # how each is started without anybody's configuration
    "bash": ["--norc", "--noprofile", "-i"],
    "zsh": ["-f", "-i"],
    "fish": ["--no-config", "-i"],
}


@pytest.mark.parametrize("shell", SHELLS)
def test_tab_completes_a_command_and_a_game(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    (tmp_path / "plyhouse").symlink_to(Path(sys.executable).parent / "plyhouse")
    env = {
        "PATH": f"{tmp_path}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "TERM": "xterm",
        "LANG": "C.UTF-8",
    }
    child = pexpect.spawn(
        shell, SHELLS[shell], env=env, encoding="utf-8", dimensions=(24, 80), timeout=60
    )  # type: ignore[arg-type]
    line = f"plyhouse completion {shell}"
    source = f"{line} | source" if shell == "fish" else f'eval "$({line})"'
    child.send(f"{source}; echo rea''dy\r")
    child.expect("ready\r")
    child.send("plyhouse doct\t")
    child.expect("doctor")
    child.send("\x15plyhouse think connect_f\t")
    child.expect("connect_four")
    child.send("\x15exit\r")
    child.expect(pexpect.EOF)
    child.close(force=True)
