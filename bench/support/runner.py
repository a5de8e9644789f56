"""Runs a measurement: in a folder that goes with it, until a report is printed."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import msgspec

from bench.support.report import BadPlan, Missing, Report, progress, show
from bots.outside.reaper import Reaper
from lab.arena.local_server import ServerFailed
from protocol.errors import PlyhouseError
from server.store.contract import StoreError

Measure: TypeAlias = Callable[[argparse.Namespace, Path], Report]


def run(what: str, measure: Measure, args: argparse.Namespace) -> int:
    """Measure and print.

    Returns:
        0; 1 if there are problems, 2 if it could not be measured.
    """
    folder = Path(tempfile.mkdtemp(prefix=f"plyhouse-{what}-"))
    reaper = Reaper(folder)
    try:
        report = measure(args, folder)
    except (
        BadPlan, Missing, ServerFailed, StoreError, PlyhouseError, OSError,
    ) as error:  # fmt: skip
        progress(f"plyhouse bench {what}: {str(error) or 'not done in time'}")
        return 2
    finally:
        reaper.dismiss()
        shutil.rmtree(folder, ignore_errors=True)
    if args.json:
        print(msgspec.json.encode(report).decode())
    else:
        show(report)
    return 1 if report.problems else 0
