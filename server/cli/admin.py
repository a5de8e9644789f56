"""`plyhouse admin`: what a host sees of a server and does about it, from a terminal.

It asks the running server over HTTP, as the page /admin does.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import ssl
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode, urlsplit

from protocol.files import folders
from protocol.ladder import USAGE
from protocol.records.plain_text import pad, width
from server.admin.core.requests import VERBS
from server.admin.core.rules import words_of
from server.admin.token import FILE, NoAdminToken, TokenFile, read_token
from server.core.names.text import clean
from server.net.addresses import address_of

TIMEOUT_S: Final = 10.0
MAX_BYTES: Final = 8 * 1024 * 1024  # of an answer
ABOUT: Final = {
    "who": "list who is connected, and from where",
    "rooms": "list the open rooms",
    "ladders": "list the ladders",
    "bans": "list the bans and mutes that hold",
    "nodes": "list the servers of the house, where it has several",
    "disk": "how much is free, what the log takes, and who had most stored lately",
    "log": "list what the host has done",
    "close": "close a room, or with --of all that a name or an address has opened; matches that are"
    " on there end void",
    "kick": "end all connections of a name, which may come back",
    "ban": "let a name, an address (IPv6: its /64) or a network (/24; IPv6: /56, /48) in no more",
    "mute": "let a name or an address chat no more",
    "unban": "lift a ban",
    "unmute": "lift a mute",
    "release": "set a name free: its owner loses it",
    "ladder": "open a ladder, to which no limit of number or clock applies; stop or remove any; or"
    " drop a bot from one",
    "notice": "tell everybody something",
    "drain": "let nothing new begin, and stop with the last match; a second time: stop now; with"
    " --server: have one of several hand its rooms to the others while they are played, and stop",
}
HELP: Final = {
    "target": "a name or an address", "name": "a name", "room": "a room's number",
    "text": "what to say", "for": "for how long: 90s, 30min, 12h, 7d", "why": "the reason, as told",
    "rows": "how many, the newest first (default: 100)",
    "of": "a name, an address or a network: all rooms opened by or from there",
    "act": "open, stop, remove or drop", "ladder": "a ladder's name",
    "player": "of drop: such as mcts, ann/mcts or ann/mcts@2",
    "game": "of open: such as connect_four",
    "clock": "of open: time for each side, such as 10s+0.1s",
    "format": f"of open: {USAGE}",
    "quota": "of open: pairs at once of one owner's bots (default: 16)",
    "members": "of open: only these names join, separated by commas",
    "code": "of open: only who has this code joins",
    "siblings": "of open: two bots of one owner meet",
    "by_owner": "of open: each owner counts once in the ratings",
    "server": "of several servers this one alone, by its number in `nodes`",
}  # fmt: skip


class NoAnswer(Exception):
    """The server cannot be asked; the text is a sentence."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse admin`."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--url", help="the server's address (default: as the token's file says)")
    common.add_argument(
        "--data",
        type=folders.named,
        help="the server's data folder on this machine, where its token is",
    )
    common.add_argument(
        "--token-file", type=Path, help="a copy of it (default: PLYHOUSE_ADMIN_TOKEN, a token)"
    )
    common.add_argument("--ca", metavar="FILE", help="certificates to trust (default: PLYHOUSE_CA)")
    common.add_argument("--json", action="store_true", help="print the answer as JSON")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, verb in VERBS.items():
        each = verbs.add_parser(name, help=ABOUT[name], description=ABOUT[name], parents=[common])
        for field in verb.fields:
            many = "+" if field == "text" else "?" if verb.instead else None
            each.add_argument(field, nargs=many, metavar=field.upper(), help=HELP[field])
        for field in verb.optional:
            option = f"--{field.replace('_', '-')}"
            if field in verb.flags:
                given = partial(each.add_argument, action="store_const", const="true")
            else:
                given = partial(each.add_argument, metavar=field.upper())
            given(option, dest=field, help=HELP[field])


def run(args: argparse.Namespace) -> int:
    """Ask and print: 0 done, 1 the server says no or does not answer, 2 there is no token."""
    verb = VERBS[args.verb]
    fields = {name: getattr(args, name) for name in (*verb.fields, *verb.optional)}
    given = {name: _text(value) for name, value in fields.items() if value is not None}
    try:
        key = _key(args)
        answer = _ask(key, args.verb, given, args.ca or os.environ.get("PLYHOUSE_CA"))
        shown = _words(args.verb, answer)
    except NoAdminToken as error:
        print(f"plyhouse: {error}", file=sys.stderr)
        return 2
    except NoAnswer as error:
        print(f"plyhouse: {error}", file=sys.stderr)
        return 1
    print(json.dumps(answer, ensure_ascii=True) if args.json else shown)
    return 0


def _text(value: str | list[str]) -> str:
    return value if isinstance(value, str) else " ".join(value)


def _key(args: argparse.Namespace) -> TokenFile:
    """Return whom to ask, with which token."""
    token = os.environ.get("PLYHOUSE_ADMIN_TOKEN")
    if args.token_file is not None:
        key = read_token(args.token_file)
    elif token and args.data is None:
        key = TokenFile(token.strip())
    else:
        key = read_token((args.data or folders.data()) / FILE)
    url = args.url or key.url
    if not url:
        raise NoAdminToken("no server is named: say --url")
    return TokenFile(key.token, url)


# ------------------------------------------------------------ asking


def _ask(key: TokenFile, verb: str, given: dict[str, str], authorities: str | None) -> Any:
    """Return the server's answer, as JSON has it.

    Raises:
        NoAnswer: it says no, or nothing, or makes no sense.
    """
    where = f"/admin/api/{verb}" + (f"?{urlencode(given)}" if given else "")
    method = "POST" if VERBS[verb].changes else "GET"
    connection = _connection(key.url, authorities)
    try:
        connection.request(method, where, headers={"Authorization": f"Bearer {key.token}"})
        response = connection.getresponse()
        status, body = response.status, response.read(MAX_BYTES)
    except ssl.SSLCertVerificationError as error:
        why = f"its certificate is not trusted ({error.verify_message}); name its file with --ca"
        raise NoAnswer(f"{key.url}: {why}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise NoAnswer(f"no server answers at {key.url} ({why})") from None
    finally:
        connection.close()
    try:
        answer = json.loads(body)
    except ValueError:
        raise NoAnswer(f"{key.url} answers, but not as a Plyhouse server does ({status})") from None
    if status != 200 or not isinstance(answer, dict):
        text = answer.get("text") if isinstance(answer, dict) else None
        raise NoAnswer(clean(str(text or f"the server answers with status {status}")))
    return answer


def _connection(url: str, authorities: str | None) -> http.client.HTTPConnection:
    parts = urlsplit(url if "//" in url else f"http://{url}")
    try:
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    if parts.scheme in ("http", "ws") and host:
        if not _is_here(host):
            print(f"plyhouse: the token goes to {host} without encryption", file=sys.stderr)
        return http.client.HTTPConnection(host, port, timeout=TIMEOUT_S)
    if parts.scheme in ("https", "wss") and host:
        try:
            context = ssl.create_default_context(cafile=authorities)
        except OSError as error:
            why = error.strerror or str(error)
            raise NoAnswer(f"cannot read certificates from {authorities}: {why}") from None
        return http.client.HTTPSConnection(host, port, timeout=TIMEOUT_S, context=context)
    raise NoAnswer(f"{url!r} is no server's address; write one such as https://play.example")


def _is_here(host: str) -> bool:
    return host == "localhost" or address_of(host).startswith("127.") or host == "::1"


# ------------------------------------------------------------ printing


class Table(NamedTuple):
    """How rows are printed: the words above, the cells of a row, and what if there is none."""

    head: tuple[str, ...]
    cells: Callable[[dict[str, Any]], Sequence[object]]
    none: str


def _words(verb: str, answer: dict[str, Any]) -> str:
    """Return an answer as people read it.

    Raises:
        NoAnswer: it is not the answer to this.
    """
    try:
        return "\n".join(_lines(verb, answer)) if verb in TABLES else clean(answer["text"])
    except (LookupError, TypeError, ValueError, AttributeError):
        raise NoAnswer("the server answers, but not as a Plyhouse server of this version") from None


def _lines(verb: str, answer: dict[str, Any]) -> list[str]:
    """Return the rows as a table."""
    head, cells, none = TABLES[verb]
    rows = [head, *([_shown(cell) for cell in cells(row)] for row in answer["rows"])]
    widths = [max(width(row[i]) for row in rows) for i in range(len(head))]
    lines = ["  ".join(pad(c, w) for c, w in zip(row, widths, strict=True)) for row in rows]
    if not answer["rows"]:
        lines = [none]
    left_out = answer.get("total", 0) - len(answer["rows"])
    if left_out > 0:
        lines.append(f"... and {left_out:,} more")
    if answer.get("server"):
        lines.append("The server stops with the last match.")
    return [line.rstrip() for line in lines]


def _shown(cell: object) -> str:
    return "-" if cell in (None, "", []) else clean(str(cell))


def _visitor(row: dict[str, Any]) -> Sequence[object]:
    counts = Counter(row["addresses"])
    addresses = sorted(a if n == 1 else f"{a} ({n} times)" for a, n in counts.items())
    title = row["name"] if row.get("program") is None else f"{row['name']}/{row['program']}"
    rooms = ", ".join(map(str, row["rooms"]))
    return title, ", ".join(addresses), rooms, "muted" if row.get("muted") else ""


def _room(row: dict[str, Any]) -> Sequence[object]:
    seats = " - ".join(seat or "?" for seat in row["seats"])
    state = row["state"] if row["public"] else f"{row['state']}, private"
    idle = words_of(row["idle_ms"])
    return (
        row["room"], row["game"], state, seats, row.get("ply", ""), row.get("following", 0), idle,
        row["owner"], row.get("address", ""),
    )  # fmt: skip


def _ladder(row: dict[str, Any]) -> Sequence[object]:
    return row["name"], row["game"], row["format"], row["owner"], row.get("state", "")


def _ban(row: dict[str, Any]) -> Sequence[object]:
    left = "for good" if row["for_ms"] is None else words_of(row["for_ms"])
    return row["restraint"], row["target"], left, row["why"]


def _node(row: dict[str, Any]) -> Sequence[object]:
    lease = f"{row['lease_ms'] / 1000:.1f} s" if row["lease_ms"] > 0 else "run out"
    marks = [
        "this one" if row.get("here") else "" if row.get("line") else "no line to it",
        "ladders" if row.get("ladders") else "",
        "drains" if row.get("drains") else "",
    ]
    about = ", ".join(filter(None, marks))
    return (
        f"{row['node']} ({row['epoch']})", row["url"], row["version"], lease, row["rooms"],
        row["connections"], about,
    )  # fmt: skip


def _disk(row: dict[str, Any]) -> Sequence[object]:
    limit = "" if row["limit"] is None else f"{row['limit'] / 1e6:,.1f}"
    about = {"free": "less is for moves alone", "log": ""}.get(row["of"], "a day")
    return row["of"], f"{row['size'] / 1e6:,.1f}", limit, about


def _act(row: dict[str, Any]) -> Sequence[object]:
    at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(row["at"] / 1000))
    return row["seq"], at, row["by"], row["text"]


TABLES: Final[dict[str, Table]] = {
    "who": Table(("name", "from", "rooms", ""), _visitor, "nobody is connected"),
    "rooms": Table(
        ("room", "game", "state", "seats", "ply", "following", "idle for", "opened by", "from"),
        _room,
        "no room is open",
    ),
    "ladders": Table(("ladder", "game", "format", "owner", "state"), _ladder, "there is no ladder"),
    "bans": Table(("", "who", "how long still", "why"), _ban, "nobody is banned or muted"),
    "nodes": Table(
        ("server", "reached at", "version", "lease", "rooms", "connections", ""),
        _node,
        "this server is the only one",
    ),
    "disk": Table(("", "MB", "of", ""), _disk, "nothing is known of the disk"),
    "log": Table(("", "when", "from", "what"), _act, "nothing was done yet"),
}
