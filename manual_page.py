"""Puts the manual page into a wheel, as `share/man/man1/plyhouse.1`, where one was made before.

`make wheel` makes it, by `plyhouse man`; a build alone cannot, for it has none of the libraries.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManualPage(BuildHookInterface):
    """Hatchling's hook for the wheel; an installation to develop in gets no page."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the page, if there is one."""
        page = Path(self.root) / "build" / "plyhouse.1"
        if version == "standard" and page.is_file():
            build_data["shared_data"][str(page)] = "share/man/man1/plyhouse.1"
