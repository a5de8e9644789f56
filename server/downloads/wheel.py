"""Plyhouse as a wheel, made from the files that are running: no build tool is needed.

The format is that of PEP 427: a zip archive of the packages, and a folder with metadata, the entry
points, and a hash of each file.
"""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Final, NamedTuple

PACKAGES: Final = ("bots", "client", "games", "lab", "protocol", "server")
ROOT: Final = Path(__file__).resolve().parents[2]
DATE: Final = (1980, 1, 1, 0, 0, 0)  # the same files give the same bytes
WHEEL: Final = "Wheel-Version: 1.0\nGenerator: plyhouse\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


class Wheel(NamedTuple):
    """A wheel: its file name, its bytes, and their SHA-256 in hex digits."""

    name: str
    data: bytes
    digest: str


def build() -> Wheel:
    """Return the wheel of what runs here; a tenth of a second, so not in an event loop.

    Raises:
        PackageNotFoundError: it was not installed, so its version and needs are not known.
    """
    installed = metadata.distribution("plyhouse")
    info = f"plyhouse-{installed.version}.dist-info"
    files = dict(_sources())
    files[f"{info}/METADATA"] = (installed.read_text("METADATA") or "").encode()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nplyhouse = plyhouse:main\n"
    files[f"{info}/WHEEL"] = WHEEL.encode()
    record = f"{info}/RECORD"
    lines = [f"{name},sha256={_hash(data)},{len(data)}" for name, data in files.items()]
    files[record] = "".join(f"{line}\n" for line in [*lines, f"{record},,"]).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, DATE), data, zipfile.ZIP_DEFLATED)
    data = out.getvalue()
    digest = hashlib.sha256(data).hexdigest()
    return Wheel(f"plyhouse-{installed.version}-py3-none-any.whl", data, digest)


def _sources() -> Iterator[tuple[str, bytes]]:
    """The files of the packages, by the names that they have in a wheel."""
    yield "plyhouse.py", (ROOT / "plyhouse.py").read_bytes()
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc":
                yield path.relative_to(ROOT).as_posix(), path.read_bytes()


def _hash(data: bytes) -> str:
    """A file's hash as RECORD writes it."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
