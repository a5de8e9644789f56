"""Looks for bytes that break what reads them, led by which lines they reach.

    python -m tests.fuzz                        # every target for 60 seconds, two at a time
    python -m tests.fuzz files --seconds 3600   # one, for an hour
    python -m tests.fuzz files --input FILE     # what one input does

It ends with 1 where it has found something, and shows the input; put it into `inputs/` with a word
on what it found, and it is tried by every test run.  The fuzzer is atheris, which has
no wheel for every Python: `pip install atheris`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

SECONDS: Final = 60
MEMORY_MB: Final = 2_000
ONE_INPUT_S: Final = 10  # of processor time: that takes more is a fault, ...
HANGS_S: Final = 120  # ... or longer than this, also where other programs keep the processor
PACKAGES: Final = ["games", "protocol", "server", "client", "websockets"]
NAMES: Final = ("frames", "words", "actions", "positions", "files", "http", "behind", "line")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("targets", nargs="*", help=f"of {', '.join(NAMES)}; else all")
    parser.add_argument("--seconds", type=int, default=SECONDS)
    parser.add_argument("--seed", type=int, default=0, help="0: another one each time")
    parser.add_argument("--found", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--input", type=Path)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if unknown := set(args.targets) - set(NAMES):
        parser.error(f"there is no target {unknown.pop()!r}; there are {', '.join(NAMES)}")
    if args.here:
        _fuzz(args.targets[0], args.found, args.seconds, args.seed)
    if args.input is not None:
        from tests.fuzz.targets import TARGETS

        for name in args.targets:
            TARGETS[name].run(args.input.read_bytes())
        return 0
    more = ["--seconds", str(args.seconds), "--seed", str(args.seed), "--found", str(args.found)]

    def run(name: str) -> tuple[str, int, str]:
        command = [sys.executable, "-m", "tests.fuzz", name, "--here", *more]
        with TemporaryDirectory() as folder:  # the fuzzer ends without a word to what it has run
            done = subprocess.run(
                command, env={**os.environ, "TMPDIR": folder}, capture_output=True, text=True,
                errors="replace", check=False,
            )  # fmt: skip
        return name, done.returncode, done.stderr + done.stdout  # where an exception is told

    broken, before = 0, set(args.found.glob("*-*"))
    with ThreadPoolExecutor(2) as pool:
        for name, code, said in pool.map(run, args.targets or NAMES):
            lines = said.splitlines()
            print(f"{name:10} {'holds' if code == 0 else 'BROKEN'}  {_counted(lines)}", flush=True)
            if code:
                broken += 1
                print("\n".join(lines[-60:]), flush=True)
                for path in sorted(set(args.found.glob(f"{name}-*")) - before):
                    print(f"{path.name}: {path.read_bytes()!r}", flush=True)
    return 1 if broken else 0


def _counted(lines: list[str]) -> str:
    """What the fuzzer says it has done."""
    return next((line for line in reversed(lines) if line.startswith("Done")), "")


def _fuzz(name: str, found: Path, seconds: int, seed: int) -> None:
    """Fuzz one target in this process, which ends with it."""
    import atheris

    with atheris.instrument_imports(include=PACKAGES):
        from tests.fuzz.targets import TARGETS, kept
    target = TARGETS[name]

    def run(data: bytes) -> None:
        begun = time.process_time()
        target.run(data)
        assert time.process_time() - begun < ONE_INPUT_S, "it takes too long"

    corpus = found / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate([*target.seeds(), *kept(name)]):
        (corpus / f"seed{number}").write_bytes(data)
    atheris.Setup(
        [
            "fuzz", str(corpus), f"-max_total_time={seconds}", f"-max_len={target.most}",
            f"-rss_limit_mb={MEMORY_MB}", f"-timeout={HANGS_S}", f"-seed={seed}",
            f"-artifact_prefix={found}/{name}-",
        ],
        run,
    )  # fmt: skip
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
