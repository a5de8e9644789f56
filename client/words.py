"""The sentences that the terminal and reports share: players, results, offers, clocks, errors.

`me` is the reader's seat: None for somebody who watches, and in a report.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, TypeAlias, assert_never

from games import registry
from games.clock import DAY, PauseReason
from games.game import Game
from protocol.messages import MatchState
from protocol.notation import format_clock
from protocol.parts import Clocks, GameInfo, Offer_, Options, Player, Series
from protocol.past import RatedPerson, RatingTable
from protocol.records.plain_text import pad
from protocol.records.plain_text import width as width_of
from protocol.records.results import full_title, points, reason_text, result_text

__all__ = ["full_title", "points", "reason_text", "result_text"]  # which records have, too

NamedGame: TypeAlias = Game | GameInfo  # what has a title, and names for its two sides


# Words that sentences of ours and of servers begin with.
_COMMON: Final = frozenset({
    "a", "all", "an", "at", "both", "each", "for", "give", "good", "if", "in", "it", "its",
    "join", "leave", "level", "match", "milliseconds", "ms", "name", "no", "nobody", "nodes",
    "none", "not", "nothing", "of", "on", "one", "only", "room", "say", "seat", "six", "some",
    "such", "that", "the", "their", "there", "these", "they", "this", "those", "to", "turn",
    "two", "void", "what", "which", "who", "write", "yes", "you", "your",
})  # fmt: skip


def title(player: Player | None) -> str:
    """Return a player in short: a bot's program, a person's name."""
    if player is None:
        return "(free)"
    return player.program or player.name


def rating_text(row: RatedPerson) -> str:
    """A rating with its 95 % interval: `+104 ±40`, or a dash without one."""
    if row.elo is None or row.error is None:
        return "–"
    return f"{row.elo:+.0f} ±{row.error:.0f}"


def rating_lines(table: RatingTable, game: str) -> list[str]:
    """The best at a game, one a line, and what their numbers mean."""
    if not table.rows:
        needed = f"a rating takes {table.least} rated matches against people"
        return [f"No player has a rating at {game} yet: {needed}."]
    width = max(width_of(row.name) for row in table.rows)
    lines = [
        f"{place:3}  {pad(row.name, width)}  {rating_text(row):>10}  {row.matches} matches"
        for place, row in enumerate(table.rows, 1)
    ]
    return [f"The best at {game}, in Elo from the mean of those who play:", *lines]


def series_text(series: Series) -> str:
    """Where a series stands: `3 – 2 to 7`, `game 4, Crawford` where neither doubles."""
    text = f"{series.score[0]} – {series.score[1]} to {series.points}"
    if series.winner is not None:
        return f"{text}, over"
    return f"{text}, game {series.game}{', Crawford' if series.crawford else ''}"


def clock_text(options: Options) -> str:
    """Return by what clock is played: such as 5 min + 3 s, or any where a seek leaves it open."""
    return "any clock" if "clock" in (options.sought or ()) else format_clock(options.clock)


def terms_text(options: Options, series: Series | None = None) -> list[str]:
    """By what a room plays where that can be chosen: `to 7 points`, `3 – 2`, `Crawford`."""
    parts = [f"to {counted_points(options.points)}"] if options.points is not None else []
    if series is not None and series.score != (0, 0):
        parts.append(f"{series.score[0]} – {series.score[1]}")
    if series is not None and series.winner is None and series.crawford:
        parts.append("Crawford")
    parts += ["Jacoby"] * options.jacoby + ["beavers"] * options.beavers
    parts += ["no cube"] * (not options.cube)
    parts += ["from a position"] * bool(options.position)
    return parts + ([options.start] if options.start not in ("", "standard") else [])


def series_result_text(series: Series, seats: tuple[Player, Player], me: int | None) -> str:
    """What a series has come to after a game, as a sentence."""
    score = f"{series.score[0]} – {series.score[1]}"
    if series.winner is None:
        return f"{score}, to {counted_points(series.points)}."
    won = "You have won" if series.winner == me else f"{title(seats[series.winner])} has won"
    if series.conceded:
        return f"{won} the match to {series.points}: the other side has given it up."
    return f"{won} the match, {score}."


def known_game(name: str) -> Game | None:
    """Return the rules of `name`, where they are known here: a server may have more games."""
    return registry.game(name) if name in registry.names() else None


def named_game(name: str, catalog: Collection[GameInfo] = ()) -> NamedGame | None:
    """Return the rules of `name`, or else what the server's catalog says of it."""
    listed = [info for info in catalog if info.game == name]
    return known_game(name) or (listed[0] if listed else None)


def game_title(name: str, catalog: Collection[GameInfo] = ()) -> str:
    game = named_game(name, catalog)
    return game.title if game is not None else name.replace("_", " ").capitalize()


def mark(game: NamedGame | None, seat: int) -> str:
    """The game's name for a seat: X, White; first or second where the game is not known."""
    return game.seats[seat] if game is not None else ("first", "second")[seat]


def count(number: int, noun: str) -> str:
    """Such as `1 pair`, `1,204 pairs`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def sentence(text: str) -> str:
    """Return `text` with a full stop, and with a capital where it begins with a common word.

    Names and what somebody typed keep their case: `house/solver`, `bob`, `x3`.
    """
    text = text.strip()
    if not text:
        return text
    capital = text[0].upper() if text.split()[0].strip(",;:'’") in _COMMON else text[0]
    return capital + text[1:] + ("" if text[-1] in ".!?…" else ".")


def counted_points(value: float) -> str:
    """Such as `1 point`, `3 points`, `0.5 points`."""
    return f"{points(value)} point{'' if value == 1 else 's'}"


def match_result_text(match: MatchState, me: int | None) -> str:
    """Return how a match ended, as a sentence: `You won: four in a row.`; empty while it is on."""
    if match.result is None:
        return ""
    one, two = match.seats
    text = result_text(match.result, match.game, (title(one), title(two)), me)
    begins_with_name = match.result.winner is not None and me is None
    return f"{text}." if begins_with_name else f"{text[0].upper()}{text[1:]}."


def offer_text(offer: Offer_, match: MatchState, me: int | None) -> str:
    """Return an open offer, and what can be done about it."""
    match offer.kind:
        case "draw":
            mine, theirs = "You offer a draw", "offers a draw"
        case "resign":
            lost = counted_points(offer.points or 0)
            mine, theirs = f"You offer to resign for {lost}", f"offers to resign for {lost}"
        case "takeback":
            mine = "You ask to take back your last action"
            theirs = "asks to take back the last action"
        case _:
            assert_never(offer.kind)
    if offer.seat == me:
        return f"{mine}; /decline withdraws it."
    choices = ": /accept or /decline" if me is not None else ""
    return f"{title(match.seats[offer.seat])} {theirs}{choices}."


def pause_text(clocks: Clocks | None) -> str:
    """Return why no clock runs; empty where one does, or none should."""
    if clocks is None or clocks.paused is None:
        return ""
    return f"The clock waits: {_pause_reason(clocks.paused)}."


def _pause_reason(reason: PauseReason) -> str:
    match reason:
        case "pair":
            return "the other match of this pair is still on"
        case "server":
            return "a server was away"
        case "store":
            return "the server cannot store anything just now"
        case _:
            assert_never(reason)


def format_time(ms: int) -> str:
    """Time left: 4:51, 1:02:03, tenths below ten seconds: 9.3, and of days: 2 d 4 h."""
    if ms >= DAY:
        return f"{ms // DAY} d {ms % DAY // 3_600_000} h"
    if ms < 10_000:
        return f"{ms // 100 / 10:.1f}"
    seconds = ms // 1000
    hours, minutes = seconds // 3600, seconds // 60 % 60
    if hours:
        return f"{hours}:{minutes:02}:{seconds % 60:02}"
    return f"{minutes}:{seconds % 60:02}"


def note_text(note: str | None, player: Player) -> str:
    """Return what a bot thought: its first candidate, then what it took, without its own name."""
    if not note:
        return ""
    head, *rest = note.split(" | ")
    head = head.removeprefix(f"{player.program} ")
    return f"{rest[0]} | {head}" if rest else head


def other_candidates(note: str | None) -> list[str]:
    """Return what a bot wrote behind its first candidate."""
    return (note or "").split(" | ")[2:]
