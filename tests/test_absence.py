"""What is not installed is a sentence where it is needed, and done without elsewhere.

Each time one extra is absent, or all that `make run` does not install, or all extras: then every
command and every measurement explains itself, and what needs an absent package says so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import plyhouse
from bench.app import MEASUREMENTS
from tests.support.absent.environment import EXTRAS, HERE, having, without

HELP = [
    *(f"{name} --help" for name in plyhouse.COMMANDS),
    *(f"bench {module.__name__.rpartition('.')[2]} --help" for module, _ in MEASUREMENTS),
    "man --print",
]
POSTGRES = "--database postgresql://127.0.0.1:1/house"
SMALL = "--game tic_tac_toe --games 2"
NEEDED = "a PostgreSQL needs asyncpg: pip install 'plyhouse[postgres]'"
# What is asked where an extra is absent, and what is said then.
ASKED: dict[str, dict[str, str]] = {
    "lan": {"doctor": "without zeroconf"},
    "fast": {
        "think tic_tac_toe --bot mcts --nodes 50": "without numba, searches run as plain Python",
        "think backgammon 31 --bot gammon --level 1": "",  # as was said
        f"match minimax random {SMALL}": "",
        f"sweep mcts --iterations 5 --jobs 1 {SMALL}": "",
        "train backgammon --games 1 --hidden 2,2,2 --threads 1 --pairs 0 --lessons 0"
        " --refinements 0 --wide-rounds 0 --out my.nets": "without numba this takes",
        "results --minutes 0 --out results": "ratings need numpy: pip install 'plyhouse[fast]'",
        "bench ladder": "a ladder needs numpy",
    },
    "farm": {f"match mcts mcts {SMALL} --farm dask://127.0.0.1:1": "needs dask.distributed: pip"},
    "postgres": dict.fromkeys(
        (
            f"serve {POSTGRES}", f"doctor {POSTGRES}", f"backup {POSTGRES} house.backup",
            f"restore house.backup {POSTGRES}", f"bench kill {POSTGRES}",
            "bench server --database here", "bench chaos --database here", "bench cluster",
        ),
        NEEDED,
    ),
    "plots": {f"sweep mcts --iterations 5 {SMALL} --plot sweep.png": "a plot needs matplotlib"},
    "bench": {"bench search": "OpenSpiel is not installed"},
}  # fmt: skip
WHOLLY = {
    "asyncpg": ("server.store.postgres.", "server.cluster."),
    "numpy": ("server.ladder.core.fitting", "server.ladder.core.rated_table"),
}
# The environment of `make run`, which lacks the most at once, is looked at in every run.
RUN = ("farm", "postgres", "plots", "bench")


def walk(lines: list[str], lacking: dict[str, str], folder: Path) -> dict[str, Any]:
    """What is answered to command lines, and the modules that lack a package."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PLYHOUSE_", "XDG_"))}
    done = subprocess.run(
        [sys.executable, HERE / "walk.py"], input=json.dumps(lines), capture_output=True,
        text=True, check=False, cwd=folder, env={**kept, **lacking, "HOME": str(folder)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


def check(lines: dict[str, str], lacking: dict[str, str], folder: Path) -> None:
    """Each line is answered as it says, and no module lacks what it could do without."""
    said = walk([*HELP, *lines], lacking, folder)
    for words, (code, text) in zip([*HELP, *lines], said["answers"], strict=True):
        assert "Traceback" not in text, f"{words}: {text}"
        assert lines.get(words, "") in text, f"{words}: {text}"
        assert code == 0 or words in lines, f"{words}: {text}"
    for module, name in said["missing"].items():
        assert module.startswith(WHOLLY[name]), f"{module} cannot be imported without {name}"


def test_all_commands_are_there_in_the_environment_of_make_run(tmp_path: Path) -> None:
    asked = {words: answer for extra in RUN for words, answer in ASKED[extra].items()}
    check(asked, having("lan", "fast"), tmp_path)


@pytest.mark.slow
def test_all_commands_are_there_without_any_extra(tmp_path: Path) -> None:
    check({words: a for asked in ASKED.values() for words, a in asked.items()}, having(), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("extra", EXTRAS)
def test_all_commands_are_there_without_one_extra(extra: str, tmp_path: Path) -> None:
    check(ASKED.get(extra, {}), without(extra), tmp_path)
