"""Arguments that several commands of the laboratory have: where their work is done."""

from __future__ import annotations

import argparse

from bots.commands import arguments
from bots.commands.arguments import BadOption
from lab.farm import where
from lab.farm.where import MAX_WORKERS, BadFarm, Where, cores

BAD_INPUT = (*arguments.BAD_INPUT, BadFarm)


def add_farm(parser: argparse.ArgumentParser, instead: str) -> None:
    """The option that says where the work is done, and its default."""
    parser.add_argument("--farm", metavar="WHERE", help=f"{where.HELP} (default: {instead})")


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """The option for processes of this machine."""
    parser.add_argument(
        "--jobs", "--concurrency", type=int, metavar="N",
        help="processes that play (default: one a core)",
    )  # fmt: skip


def parse_jobs(args: argparse.Namespace) -> Where:
    """Where --jobs, or --farm if there is such an option, has the work done.

    Raises:
        BadOption, BadFarm: with what is allowed.
    """
    farm, jobs = getattr(args, "farm", None), args.jobs
    if farm is not None:
        if jobs is not None:
            raise BadOption(f"--jobs {jobs} is --farm processes:{jobs}; give one of them")
        return where.parse_where(farm)
    if jobs is not None and not 1 <= jobs <= MAX_WORKERS:
        raise BadOption(f"--jobs must be 1 to {MAX_WORKERS}, not {jobs}")
    return where.processes(cores() if jobs is None else jobs)
