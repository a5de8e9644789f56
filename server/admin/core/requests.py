"""What a host may ask: the verbs, the fields of each, and what a field may hold.

The fields come as texts, from a command line or a page; here they become values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple, get_args

from protocol.errors import Refusal
from server.admin.core.events import LadderVerb
from server.core.names.text import clean

BAD_FIELD: Final = "admin/bad-field"
UNKNOWN_VERB: Final = "admin/unknown-verb"
MAX_TEXT: Final = 500  # characters of a notice, as of a chat message
MAX_WHY: Final = 200
MAX_ROWS: Final = 1_000  # of a list that is asked for
MAX_RESTRICTION_MS: Final = 10 * 366 * 86_400_000
UNITS_MS: Final = {"s": 1_000, "min": 60_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
ACTS: Final[tuple[LadderVerb, ...]] = get_args(LadderVerb)
_DURATION: Final = re.compile(r"(\d{1,9})(s|min|m|h|d)", re.ASCII)


class Verb(NamedTuple):
    """What can be asked.  `fields`: those it needs first, then (`optional`) those it may have.

    `instead`: one of the latter that may take the place of all it needs; `flags`: those of the
    latter that are either given, as "true", or not.
    """

    fields: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    changes: bool = True
    instead: str = ""
    flags: tuple[str, ...] = ()


LADDER_FLAGS: Final = ("siblings", "by_owner")
VERBS: Final[dict[str, Verb]] = {
    "who": Verb(changes=False),
    "rooms": Verb(changes=False),
    "ladders": Verb(changes=False),
    "bans": Verb(changes=False),
    "nodes": Verb(changes=False),
    "disk": Verb(changes=False),
    "log": Verb(optional=("rows",), changes=False),
    "close": Verb(("room",), ("of", "why"), instead="of"),
    "kick": Verb(("name",), ("why",)),
    "ban": Verb(("target",), ("for", "why")),
    "mute": Verb(("target",), ("for", "why")),
    "unban": Verb(("target",)),
    "unmute": Verb(("target",)),
    "release": Verb(("name",)),
    "ladder": Verb(
        ("act", "ladder"),
        ("player", "game", "clock", "format", "quota", "members", "code", *LADDER_FLAGS),
        flags=LADDER_FLAGS,
    ),
    "notice": Verb(("text",), ("for",)),
    "drain": Verb(optional=("server",)),
}


class Fields:
    """The fields of one request.

    Raises:
        Refusal: admin/unknown-verb, or admin/bad-field where one is missing or too many.
    """

    def __init__(self, name: str, given: Mapping[str, str]) -> None:
        verb = VERBS.get(name)
        if verb is None:
            raise Refusal(UNKNOWN_VERB, f"there is no {name[:40]!r}; there are {', '.join(VERBS)}")
        instead = bool(given.get(verb.instead, "").strip())
        for field in verb.fields:
            if instead and field in given:
                raise Refusal(BAD_FIELD, f"`{name}` takes `{field}` or `{verb.instead}`, not both")
            if not instead and not given.get(field, "").strip():
                either = f" or `{verb.instead}`" if verb.instead else ""
                raise Refusal(BAD_FIELD, f"`{name}` needs `{field}`{either}")
        unknown = sorted(given.keys() - {*verb.fields, *verb.optional})
        if unknown:
            raise Refusal(BAD_FIELD, f"`{name}` has no `{unknown[0][:40]}`")
        self.verb = name
        self.changes = verb.changes
        self._given = given

    def name(self) -> str:
        """Return the name that is meant, as it was typed."""
        return self._given["name"].strip()

    def target(self) -> str:
        """Return the name or address that is meant, as it was typed."""
        return self._given["target"].strip()

    def of(self) -> str:
        """Return the name, address or network whose rooms are meant, as it was typed, or ""."""
        return self._given.get("of", "").strip()

    def act(self) -> LadderVerb:
        """Return what is to be done about a ladder."""
        text = self._given["act"].strip()
        for act in ACTS:
            if act == text:
                return act
        acts = ", ".join(f"`{act}`" for act in ACTS)
        raise Refusal(
            BAD_FIELD, f"nothing called {text[:40]!r} is done to a ladder; there are {acts}"
        )

    def ladder(self) -> str:
        """Return the name of a ladder, as it was typed."""
        return self._given["ladder"].strip()

    def option(self, field: str) -> str:
        """Return what this field says, as it was typed; empty: nothing."""
        return self._given.get(field, "").strip()

    def room(self) -> int:
        return self._number("room", 2**53 - 1)

    def server(self) -> int:
        """Return the number of the server that alone is meant, 0 where none is."""
        return self._number("server", 2**31) if "server" in self._given else 0

    def rows(self) -> int:
        """Return how many rows of the log are asked for."""
        return self._number("rows", MAX_ROWS) if "rows" in self._given else 100

    def why(self) -> str:
        """Return the reason, which may be empty."""
        return self._text("why", MAX_WHY)

    def text(self) -> str:
        text = self._text("text", MAX_TEXT)
        if not text:
            raise Refusal(BAD_FIELD, "nothing of this text can be shown")
        return text

    def until(self, now: int) -> int | None:
        """Return when it ends; None: never, or where nothing is said."""
        text = self._given.get("for", "").strip()
        if not text:
            return None
        duration = _DURATION.fullmatch(text)
        ms = int(duration[1]) * UNITS_MS[duration[2]] if duration is not None else 0
        if not 0 < ms <= MAX_RESTRICTION_MS:
            raise Refusal(
                BAD_FIELD,
                f"{text[:40]!r} is no time up to ten years: write 90s, 30min, 12h or 7d",
            )
        return now + ms

    def _number(self, field: str, most: int) -> int:
        text = self._given[field].strip()
        number = int(text) if re.fullmatch(r"[0-9]{1,16}", text) else 0
        if not 1 <= number <= most:
            raise Refusal(BAD_FIELD, f"`{field}` is a number from 1 to {most:,}, not {text[:40]!r}")
        return number

    def _text(self, field: str, most: int) -> str:
        text = clean(self._given.get(field, "")).strip()
        if len(text) > most:
            raise Refusal(BAD_FIELD, f"`{field}` has {len(text)} characters; it may have {most}")
        return text
