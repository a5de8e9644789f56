"""What an event of a match has to carry, whatever happened: the table of messages.md, strictly."""

from __future__ import annotations

import re

from protocol.notation import BadNotation, parse_match
from protocol.parts import Event, Options, Series

ALWAYS = frozenset({"seq", "kind", "match", "at"})
NEEDED: dict[str, frozenset[str]] = {
    "dealt": frozenset({"commitment", "secret"}),
    "started": frozenset({"players", "game", "rules_version", "options"}),
    "play": frozenset({"ply", "seat", "action", "spent_ms", "lag_ms"}),
    "pass": frozenset({"ply", "seat", "action"}),
    "roll": frozenset({"ply", "seat", "action"}),
    "opening": frozenset({"ply", "seat", "action"}),
    "strike": frozenset({"ply", "seat", "action"}),
    "offered": frozenset({"seat", "offer"}),
    "answered": frozenset({"seat", "offer", "accept"}),
    "takeback": frozenset({"ply", "seat"}),
    "ended": frozenset({"result", "spent_ms"}),
}
CALLED = {
    "dealt": "a deal", "started": "a start", "play": "a play", "pass": "a pass", "roll": "a roll",
    "opening": "an opening", "strike": "a strike",
    "offered": "an offer", "answered": "an answer", "takeback": "a takeback", "ended": "an end",
}  # fmt: skip
ALLOWED: dict[str, frozenset[str]] = {
    "started": frozenset({"salts", "series"}), "play": frozenset({"note"}),
    "dealt": frozenset({"deal"}), "offered": frozenset({"points"}),
}  # fmt: skip
_SALT = re.compile(r"[0-9a-f]{0,64}")
_DEAL_OF_A_PAIR = re.compile(r"L[0-9]{1,15}\.[0-9]{1,15}")


def fault(event: Event) -> str | None:
    """Return what is missing or too much in an event, in words; None if it has the right form."""
    needed = NEEDED.get(event.kind)
    if needed is None:
        return f"no event of a match is called {event.kind!r}"
    present = {name for name in event.__struct_fields__ if getattr(event, name) is not None}
    wanted = needed | ALWAYS
    if missing := wanted - present:
        return f"it lacks {', '.join(sorted(missing))}"
    if strange := present - wanted - ALLOWED.get(event.kind, frozenset()):
        return f"it carries {', '.join(sorted(strange))}, which is not for {CALLED[event.kind]}"
    return None


def bad_options(options: Options) -> str | None:
    """Return why no match could have been played by these terms, or None."""
    clock = options.clock
    if clock is None:
        return "a rated match needs a clock" if options.rated else None
    return (clock.fault() or "").replace("`", "") or None


def bad_series(series: Series) -> str | None:
    """Return why no series can stand so before a game of it, or None."""
    if series.winner is not None or series.conceded:
        return "the series was over"
    if max(series.score) >= series.points:
        return f"a series to {series.points} points is over at {_score(series)}"
    if series.game < 1 or sum(series.score) < series.game - 1:
        return f"before game {series.game} of a series the score is not {_score(series)}"
    if series.game == 1 and (max(series.score) > 0 or series.crawford != (series.points == 1)):
        return "a series begins at 0 to 0, and with the Crawford game only if it is to one point"
    if series.game > 1 and max(series.score) == 0:
        return "after its first game somebody has points in a series"
    if series.crawford and max(series.score) < series.points - 1:
        return "it is not the Crawford game, as nobody lacks one point"
    return None


def _score(series: Series) -> str:
    return f"{series.score[0]} to {series.score[1]}"


def is_of_a_pair(deal: str) -> bool:
    """Return whether a pair's deal is called so, such as `L12.34`: ladder 12, pair 34."""
    return _DEAL_OF_A_PAIR.fullmatch(deal) is not None


def bad_deal(deal: str, match: str) -> bool:
    """Return whether `match` cannot have a deal of this name.

    Beside its own it may have a pair's, or that of an earlier match of its room.
    """
    if is_of_a_pair(deal):
        return False
    try:
        earlier, this = parse_match(deal), parse_match(match)
    except BadNotation:
        return True
    return earlier.room != this.room or not 0 < earlier.number < this.number


def bad_salts(salts: tuple[str, str]) -> bool:
    """Return whether one of them is no salt: up to 64 hex digits, in small letters."""
    return not all(_SALT.fullmatch(salt) for salt in salts)
