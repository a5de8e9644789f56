"""What a host asks over HTTP: requests under /admin/api, behind the token.

`GET` shows something, `POST` changes something; the fields stand in the query, and the answer is
JSON.  The token comes in a header that no page of another server can send.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Final, NamedTuple, Protocol, TypeAlias
from urllib.parse import parse_qsl

import msgspec
from websockets.http11 import Request

from protocol.errors import Code, Refusal
from server.admin.core.requests import VERBS

PATH: Final = "/admin/api/"
WRONG_TOKEN: Final = "admin/wrong-token"
WRONG_METHOD: Final = "admin/wrong-method"
BAD_QUERY: Final = "admin/bad-query"
MAX_FIELDS: Final = 8
SCHEME: Final = "Bearer "
STATUS: Final[dict[str, HTTPStatus]] = {
    WRONG_TOKEN: HTTPStatus.UNAUTHORIZED,
    WRONG_METHOD: HTTPStatus.METHOD_NOT_ALLOWED,
    str(Code.SERVER_NOT_STORED): HTTPStatus.SERVICE_UNAVAILABLE,
}


class Document(NamedTuple):
    """An answer: JSON, and how it went."""

    status: HTTPStatus
    json: bytes


Done: TypeAlias = Callable[[Document], None]


class AdminHandler(Protocol):
    """Does what is asked for; server/admin/service.py has it, which stands above this folder."""

    def ask(
        self, verb: str, given: Mapping[str, str], by: str, answer: Callable[[object], None]
    ) -> None:
        """Answer with a value to be encoded, or with a Refusal."""


class AdminApi:
    """Lets requests with the right token through to the handler."""

    def __init__(self, token: str, handler: AdminHandler) -> None:
        self._token = token.encode()
        self._handler = handler

    def answer(
        self, request: Request, by: str, charge_wrong: Callable[[], None], done: Done
    ) -> None:
        """Hand `done` the answer, now or once something is stored.

        Args:
            by: the address that it came from.
            charge_wrong: is called for a token that is not the host's.
        """

        def answer(result: object) -> None:
            done(_document(result))

        try:
            if not self.is_host(request):
                charge_wrong()
                raise Refusal(WRONG_TOKEN, "this is not the host's token; it stands in admin.token")
            path, _, query = request.path.partition("?")
            verb = path[len(PATH) :]
            _check_method(verb, request.method)
            self._handler.ask(verb, _fields(query), by, answer)
        except Refusal as no:
            answer(no)

    def is_host(self, request: Request) -> bool:
        """Return whether a request has the token, in a time that says nothing about it."""
        headers = request.headers.get_all("Authorization")
        given = headers[0].removeprefix(SCHEME) if len(headers) == 1 else ""
        return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), self._token)


def _check_method(verb: str, method: str) -> None:
    if verb in VERBS:
        wanted = "POST" if VERBS[verb].changes else "GET"
        if method != wanted:
            raise Refusal(WRONG_METHOD, f"`{verb}` is a {wanted}")


def _fields(query: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            query, keep_blank_values=True, strict_parsing=bool(query), errors="strict",
            max_num_fields=MAX_FIELDS,
        )  # fmt: skip
    except ValueError as error:
        raise Refusal(BAD_QUERY, f"the query of the address cannot be read: {error}") from None
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise Refusal(BAD_QUERY, "the query of the address says something twice")
    return fields


def _document(result: object) -> Document:
    if isinstance(result, Refusal):
        status = STATUS.get(str(result.code), HTTPStatus.BAD_REQUEST)
        result = {"code": str(result.code), "text": result.text}
    else:
        status = HTTPStatus.OK
    return Document(status, msgspec.json.encode(result))
