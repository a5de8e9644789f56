"""The figures of a ladder as words: ratings, scores, times, and what a match came to.

A pair is always seen from the side of its `one`.  What others wrote is cleaned here, so that the
texts may go to a terminal as they are.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from client.address import origin
from client.styled_text import clean
from client.words import count, game_title
from protocol.ladder import LadderLine, LadderState, PairLine, Standing, Verdict
from protocol.notation import format_clock

REASONS: Final = ("flag", "illegal", "crash", "disconnect", "resign")
OPEN: Final = "open ladder: ratings can be bought"  # by who plays under several names
BY_OWNER: Final = "each owner counts once in the ratings"
UNCONNECTED: Final = "unconnected"
UNCOUNTED: Final = ("void", "abort")  # how a match ends that counts for no player


def page_of(url: str, ladder: str) -> str:
    return f"{origin(url)}/ladder/{quote(ladder)}"


def kind_text(line: LadderLine) -> str:
    game = game_title(line.game)
    return clean(f"{game}, {format_clock(line.clock)}, {line.format}")


def first_move_text(state: LadderState) -> str:
    """Return what moving first is worth; empty before that is known."""
    if state.first_move is None:
        return ""
    error = f" ±{state.first_move_error:.0f}" if state.first_move_error is not None else ""
    return f"moving first is worth {signed(state.first_move)}{error} Elo"


def field_text(field: float) -> str:
    """Return against what a ± is."""
    return f"± is to the field, whose mean is {field:.0f}".replace("-", "−")


def facts(state: LadderState) -> list[str]:
    """Return a ladder as a whole, in a few clauses."""
    line = state.ladder
    clauses = [f"{count(line.pairs, 'pair')} of {count(line.players, 'player')}, {line.here} here"]
    if state.rated != line.pairs:
        clauses.append(f"the ratings rest on {count(state.rated, 'pair')}")
    clauses.append(first_move_text(state))
    if state.pinned is not None:
        clauses.append(f"{clean(state.pinned)} is 0")
    if state.field is not None:
        clauses.append(field_text(state.field))
    if line.by_owner:
        clauses.append(BY_OWNER)
    if not line.invited:
        clauses.append(OPEN)
    return [text for text in clauses if text]


def hypotheses_text(verdict: Verdict) -> str:
    """Return between what a test decides, how often it may be wrong, and when it speaks."""
    return (
        f"H0: {verdict.elo0:+g} Elo, H1: {verdict.elo1:+g} Elo, alpha {verdict.alpha:g}, "
        f"beta {verdict.beta:g}, no verdict before {verdict.least} pairs"
    )


def walk_text(verdict: Verdict) -> str:
    """Return how far a test has come."""
    return (
        f"{count(verdict.pairs, 'pair')}, LLR {verdict.llr:.2f} "
        f"between {verdict.lower:.2f} and {verdict.upper:.2f}"
    ).replace("-", "−")


def notes(state: LadderState) -> list[str]:
    """Sentences about single players: waited for, suspended, unconnected, uneven."""
    sentences = [clean(wait.text) for wait in state.waits]
    sentences += [
        f"{clean(row.player)} is suspended: {clean(row.suspended)}"
        for row in state.standings
        if row.suspended is not None
    ]
    if any(row.group for row in state.standings):
        sentences.append(
            f"{UNCONNECTED}: no chain of pairs leads to the others, so no rating compares them"
        )
    sentences += [
        f"{clean(row.player)} has more than its rating from {clean(row.most_from)}: uneven by"
        f" {row.uneven:.1f}, where chance seldom makes 3"
        for row in state.standings
        if row.uneven is not None and row.most_from is not None
    ]
    return sentences


def signed(value: float) -> str:
    """Return a whole number with its sign; 0 has none."""
    return f"{value:+.0f}".replace("-", "−") if round(value) else "0"


def rating_text(row: Standing) -> str:
    """Return the rating, or that it cannot be compared."""
    if row.rating is None:
        return ""
    return UNCONNECTED if row.group else f"{row.rating:.0f}".replace("-", "−")


def error_text(row: Standing) -> str:
    """Return the ± of a rating to the field, without the sign; empty where there is none."""
    return "" if not row.error or row.group else f"{row.error:.0f}"


def share(row: Standing) -> float | None:
    """Return the part of all match points that a player has; None before its first pair."""
    return row.score / (2 * row.pairs) if row.pairs else None


def share_text(row: Standing) -> str:
    """That part in per cent."""
    part = share(row)
    return "" if part is None else f"{100 * part:.1f} %"


def points_text(row: Standing) -> str:
    """Points a game with their ±; empty where the game has none."""
    if row.points is None:
        return ""
    error = f" ±{row.points_error:.2f}" if row.points_error is not None else ""
    return f"{row.points:+.2f}{error}".replace("-", "−")


def time_text(ms: float | None) -> str:
    """Return the mean time of a move."""
    if ms is None:
        return ""
    if ms < 10:
        return f"{ms:.1f} ms"
    return f"{ms:.0f} ms" if ms < 10_000 else f"{ms / 1000:.1f} s"


def uneven_text(row: Standing) -> str:
    """Return how far the results against single opponents depart from the rating."""
    return "" if row.uneven is None else f"{row.uneven:.1f}".replace("-", "−")


def place_text(row: Standing) -> str:
    """Return whether a player is here, and how many of its slots are busy."""
    if row.suspended is not None:
        return "suspended"
    if row.former:
        return "former name"
    return f"{row.busy} of {row.slots}" if row.slots else "away"


def forfeits(row: Standing) -> dict[str, int]:
    """How often each reason but the rules decided: matches lost, and pairs that were void."""
    return {**{why: row.lost_by.get(why, 0) for why in REASONS}, "void": row.voids}


def half(value: float) -> str:
    """Match points, with ½ for a half."""
    whole = int(value)
    if value == whole:
        return str(whole)
    return f"{whole or ''}½" if value == whole + 0.5 else f"{value:g}"


def leg_score(pair: PairLine, leg: int) -> float | None:
    """Return what `one` has of a match: 1, ½ or 0; None where it is on, or counts for neither."""
    result = pair.legs[leg].result
    if result is None or result.how in UNCOUNTED:
        return None
    return 0.5 if result.winner is None else float(result.winner == leg)


def pair_score(pair: PairLine) -> str:
    """The pair as `one` – `two`, such as 1½–½, or that it is void; empty before a leg is over."""
    if pair.void is not None:
        return "void"
    scores = [score for leg in (0, 1) if (score := leg_score(pair, leg)) is not None]
    if not scores:
        return ""
    return f"{half(sum(scores))}–{half(len(scores) - sum(scores))}"


def leg_text(pair: PairLine, leg: int) -> str:
    """Return a match that is over: how it ended for `one`, such as `1–0 line`, `0–2 gammon`."""
    result = pair.legs[leg].result
    if result is None:
        return "not over"
    why = clean(result.reason if result.how == "rules" else result.how)
    score = leg_score(pair, leg)
    if score is None:
        return "void"
    if score == 0.5:
        return f"½–½ {why}"
    won = f"{max(result.returns):g}"
    return f"{won}–0 {why}" if score else f"0–{won} {why}"


def matches_text(pair: PairLine) -> str:
    """Return the matches of a pair by their names, each with how it ended."""
    if pair.void is not None:
        return clean(f"void: {pair.void}")
    texts = [
        f"{clean(leg.match)} {leg_text(pair, i)}"
        for i, leg in enumerate(pair.legs)
        if leg.match is not None
    ]
    return ", ".join(texts)


def on_now(pair: PairLine) -> list[str]:
    return [clean(leg.match) for leg in pair.legs if leg.match is not None and leg.result is None]
