"""Where the programs of one user keep their files on a machine.

    data()     $XDG_DATA_HOME/plyhouse     ~/.local/share/plyhouse     names and tokens, databases
    cache()    $XDG_CACHE_HOME/plyhouse    ~/.cache/plyhouse           what can be made once more

No folder is made here.
"""

from __future__ import annotations

import argparse
import errno
import os
from pathlib import Path


class NoHome(OSError):
    """HOME is not set, and the system knows no name of this user: the folder could be anywhere."""

    def __init__(self, variable: str) -> None:
        why = f"HOME is not set, and this user has no name; {variable} can name a folder"
        super().__init__(errno.ENOENT, why)


def data() -> Path:
    """Return the folder of what cannot be made once more.

    Raises:
        NoHome: there is none.
    """
    return _folder("XDG_DATA_HOME", ".local/share")


def named(text: str) -> Path:
    """Return a folder that a command line names; an empty text, not set, would be this folder.

    Raises:
        argparse.ArgumentTypeError: it is empty.
    """
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty; leave it out for the usual folder")
    return Path(text)


def cache() -> Path:
    """Return the folder of what can be made once more.

    Raises:
        NoHome: there is none.
    """
    return _folder("XDG_CACHE_HOME", ".cache")


def _folder(variable: str, usual: str) -> Path:
    named = os.environ.get(variable)
    if named:
        return Path(named) / "plyhouse"
    try:
        return Path.home() / usual / "plyhouse"
    except RuntimeError:
        raise NoHome(variable) from None
