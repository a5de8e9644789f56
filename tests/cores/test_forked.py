"""Tests on two cores: what comes of each is told as by one process, that of a dead one too."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = {
    "test_first.py": """
import os, warnings, pytest
def test_that_passes(tmp_path): warnings.warn(SyntaxWarning("a stray backslash"))
def test_that_fails():
    os.system("echo heard")
    assert [1] == [2]
def test_that_is_skipped(): pytest.skip()
@pytest.fixture
def broken():
    yield
    assert not "torn down"
def test_whose_end_fails(broken): pass
""",
    "test_second.py": """
import os, signal
def test_before(): pass
def test_that_dies(): os.kill(os.getpid(), signal.SIGKILL)
def test_after(): pass
""",
}


def test_what_comes_of_tests_on_two_cores_is_told_also_where_a_process_dies(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    options = ["--cores", "2", "-rf", "--basetemp", tmp_path / "base", "-c", os.devnull]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.cores.forked", *options, "."],
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)},
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == 1
    assert "3 failed, 3 passed, 1 skipped, 1 warning, 1 error" in ran.stdout, ran.stdout
    assert "\nheard\n" in ran.stdout
    failed = re.findall(r"(?m)^FAILED \S*::(\S*) - (.*)$", ran.stdout)
    died = "its process ended before it did"
    assert {*failed} == {
        ("test_that_fails", "assert [1] == [2]"), ("test_that_dies", died), ("test_after", died),
    }  # fmt: skip
