"""How a server proves at a new address that it is the house that gave a name its token.

`GET /house?name=NAME&nonce=NONCE` is answered with an HMAC-SHA256 that has for its key the SHA-256
of the name's token, which the house stores, and for its message

    plyhouse NONCE CLIENT SERVER        such as  plyhouse 5f0c... 10.9.0.7:51234 10.9.0.1:8765

the addresses being the two ends of the connection that the question came by.  A server that only
says that it is another has no such key; and one that passes the question on to the real house gets
an answer for a connection that is not the asker's.  So behind a proxy or an address translation
there is no proof: there one has another name, as before.
"""

from __future__ import annotations

import hmac
import ipaddress
from typing import Any


def end(name: Any) -> str:
    """Return one end of a connection, as a socket names it; "" for one that is not by IP."""
    try:
        ip = ipaddress.ip_address(name[0].partition("%")[0])
        port = int(name[1])
    except (TypeError, ValueError, IndexError, AttributeError):
        return ""
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return f"{mapped}:{port}" if mapped else f"[{ip}]:{port}" if ip.version == 6 else f"{ip}:{port}"


def prove(token_hash: bytes, nonce: str, client: str, server: str) -> str:
    """Return the proof, in hex; `token_hash`: the SHA-256 of the token."""
    message = f"plyhouse {nonce} {client} {server}"
    return hmac.new(token_hash, message.encode(), "sha256").hexdigest()
