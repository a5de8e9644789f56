"""Responses of HTTP: their headers, and those that are one sentence.

A response says nothing of its connection: whether that is kept open, visits.py decides.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Final

from websockets.datastructures import Headers
from websockets.http11 import Response

JSON: Final = "application/json"
TEXT: Final = "text/plain; charset=utf-8"
ASK_AGAIN: Final = "no-cache"  # a browser may keep it, and asks each time whether it still holds
RULES: Final = (
    "default-src 'self'; script-src 'self'{scripts}; style-src 'self'; object-src 'none';"
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
# What a browser is told of anything that it may show as a page of its own.
DOCUMENT: Final = {
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


def policy(*hashes: str) -> str:
    """Return the Content-Security-Policy of a document that has these scripts in itself."""
    return RULES.format(scripts="".join(f" 'sha256-{each}'" for each in hashes))


def response(
    status: HTTPStatus,
    kind: str,
    body: bytes,
    more: Mapping[str, str] | None = None,
) -> Response:
    """Return a response; `more` headers come after those that each has."""
    headers = Headers(
        {
            "Date": _date(int(time.time())),
            "Content-Length": str(len(body)),
            "Content-Type": kind,
            "X-Content-Type-Options": "nosniff",
            **(more or {}),
        }
    )
    return Response(status.value, status.phrase, headers, body)


@lru_cache(1)
def _date(now: int) -> str:
    return formatdate(now, usegmt=True)


def answer(status: HTTPStatus, kind: str, body: bytes) -> Response:
    """Return a response that was made for this request, and may be another the next time."""
    rules = {"Content-Security-Policy": policy(), **DOCUMENT, "Cache-Control": ASK_AGAIN}
    return response(status, kind, body, rules)


def sentence(status: HTTPStatus, text: str) -> Response:
    """Return a response for people to read."""
    return answer(status, TEXT, text.encode())


def not_understood() -> Response:
    text = "This server speaks HTTP and WebSocket; it did not understand this request.\n"
    return sentence(HTTPStatus.BAD_REQUEST, text)


def too_large(most: int) -> Response:
    """Return the refusal of a request with more than `most` bytes before its body."""
    text = f"The line and the headers of a request are at most {most:,} bytes.\n"
    return sentence(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, text)


def body_too_large(text: str) -> Response:
    return sentence(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, text)


def too_much(wait: int) -> Response:
    """Return the refusal for an address that has spent what it may, for `wait` ms."""
    text = "Too much was asked for from here; try again later.\n"
    refusal = sentence(HTTPStatus.TOO_MANY_REQUESTS, text)
    refusal.headers["Retry-After"] = str((wait + 999) // 1000)
    return refusal


def last(closing: Response) -> Response:
    """Return the response, which says now that its connection ends with it."""
    if "Connection" not in closing.headers:
        closing.headers["Connection"] = "close"
    return closing
