"""Two certificates for localhost that sign themselves, valid until 2126.

Nobody trusts them but tests.  For NAME `house` and `other` they were made by

    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 \
        -subj /CN=NAME -addext subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1 \
        -addext basicConstraints=critical,CA:TRUE \
        -addext keyUsage=critical,digitalSignature,keyCertSign -keyout NAME.key -out NAME.pem
"""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Final, NamedTuple

FOLDER: Final = Path(__file__).parent


class CertificateFiles(NamedTuple):
    """A certificate and its key, in PEM."""

    chain: Path
    key: Path

    def trusted(self) -> ssl.SSLContext:
        """What a client trusts that knows this one alone."""
        return ssl.create_default_context(cafile=str(self.chain))


HOUSE: Final = CertificateFiles(FOLDER / "house.pem", FOLDER / "house.key")
OTHER: Final = CertificateFiles(FOLDER / "other.pem", FOLDER / "other.key")
