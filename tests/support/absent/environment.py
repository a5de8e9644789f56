"""Environments that lack what an extra installs, made of the one that the tests run in."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[2]
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS: Final = PROJECT["optional-dependencies"]


def without(extra: str) -> dict[str, str]:
    """Variables for a Python that lacks an extra, and all that cannot be installed without it."""
    named = _names(EXTRAS[extra])
    return _lacking(name for name in _needs() if named & _closure({name}))


def having(*extras: str) -> dict[str, str]:
    """Variables for a Python that has the project with these extras, and nothing else."""
    asked = [text for extra in extras for text in EXTRAS[extra]]
    named = _names([PROJECT["name"], *PROJECT["dependencies"], *asked])
    return _lacking(_needs().keys() - _closure(named))


def _lacking(gone: Iterable[str]) -> dict[str, str]:
    absent = set(gone)
    modules = [
        module
        for module, distributions in metadata.packages_distributions().items()
        if _names(distributions) <= absent
    ]
    return {"ABSENT": ",".join(modules), "PYTHONPATH": f"{HERE}:{ROOT}"}


def _closure(names: set[str]) -> set[str]:
    """These distributions and all that they need."""
    found, new = set[str](), names
    while new:
        found |= new
        new = {each for name in new for each in _needs().get(name, ())} - found
    return found


@cache
def _needs() -> dict[str, set[str]]:
    """What each installed distribution needs."""
    return {
        canonicalize_name(each.name): _names(each.requires or [])
        for each in metadata.distributions()
    }


def _names(requirements: Iterable[str]) -> set[str]:
    """The names of requirements that apply here; those of extras do not."""
    parsed = map(Requirement, requirements)
    return {
        canonicalize_name(each.name)
        for each in parsed
        if each.marker is None or each.marker.evaluate({"extra": ""})
    }
