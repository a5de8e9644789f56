"""GNU Backgammon, where it is installed, as a program that is told what to do."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

GNUBG = shutil.which("gnubg") or "/usr/games/gnubg"
SELF_PLAY = (  # both sides by its nets alone, one with more noise than the other
    "set automatic game on", "set confirm new off", "set rng mersenne", "set display off",
    *(
        f"set player {side} {what}"
        for side, noise in ((0, "0.06"), (1, "0.04"))
        for what in (
            "gnubg",
            *(
                f"{kind} evaluation {how}"
                for kind in ("chequerplay", "cubedecision")
                for how in ("plies 0", f"noise {noise}", "deterministic on")
            ),
        )
    ),
)  # fmt: skip


def run_gnubg(folder: Path, *commands: str, timeout: float = 120) -> str:
    """Have it carry out commands, and return what it prints."""
    script = folder / "commands.py"
    lines = ["import gnubg", *(f"gnubg.command({command!r})" for command in commands)]
    script.write_text("\n".join([*lines, ""]))
    done = subprocess.run(
        [GNUBG, "-t", "-q", "-r", "-p", str(script)], stdin=subprocess.DEVNULL, check=False,
        capture_output=True, text=True, timeout=timeout,
    )  # fmt: skip
    return done.stdout
