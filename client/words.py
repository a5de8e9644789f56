"""The sentences that the terminal and reports share: players, results, offers, clocks, errors.

`me` is the seat of whoever reads: None for somebody who watches, and in a report.
"""

from __future__ import annotations

from typing import assert_never

from games import registry
from games.clock import PauseReason
from games.game import Game
from protocol.messages import MatchState
from protocol.parts import Clocks, OfferKind, Player, Seat
from records.results import full_title, points, result_text

__all__ = ["full_title", "points", "result_text"]  # which records have, too


def title(player: Player | None) -> str:
    """Return a player in short: a bot's program, a person's name."""
    if player is None:
        return "(free)"
    return player.program or player.name


def known_game(name: str) -> Game | None:
    """Return the rules of `name`, where they are known here: a server may have more games."""
    return registry.game(name) if name in registry.names() else None


def game_title(name: str) -> str:
    """Return the game's name for people."""
    game = known_game(name)
    return game.title if game is not None else name.replace("_", " ").capitalize()


def mark(game: Game | None, seat: int) -> str:
    """The game's name for a seat: X, White; first or second where the game is unknown here."""
    return game.seats[seat] if game is not None else ("first", "second")[seat]


def count(number: int, noun: str) -> str:
    """Such as `1 pair`, `1,204 pairs`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def sentence(text: str) -> str:
    """Return `text` with a capital, unless it is a name such as `house/mcts`, and a full stop."""
    text = text.strip()
    if not text:
        return text
    is_word = text.split()[0].strip(",;'’").isalpha()
    capital = text[0].upper() if is_word else text[0]
    return capital + text[1:] + ("" if text[-1] in ".!?…" else ".")


def match_result_text(match: MatchState, me: int | None) -> str:
    """Return how a match ended, as a sentence: `You win: line.`; empty while it is on."""
    if match.result is None:
        return ""
    one, two = match.seats
    text = result_text(match.result, (title(one), title(two)), me)
    begins_with_name = match.result.winner is not None and match.result.winner != me
    return f"{text}." if begins_with_name else f"{text[0].upper()}{text[1:]}."


def offer_text(kind: OfferKind, seat: Seat, match: MatchState, me: int | None) -> str:
    """Return an open offer, and what can be done about it."""
    match kind:
        case "draw":
            mine, theirs = "You offer a draw", "offers a draw"
        case "resign":
            lost = _stake(kind, seat, match)
            mine, theirs = f"You offer to resign for {lost}", f"offers to resign for {lost}"
        case "takeback":
            mine = "You ask to take back your last action"
            theirs = "asks to take back the last action"
        case _:
            assert_never(kind)
    if seat == me:
        return f"{mine}; /decline withdraws it."
    choices = ": /accept or /decline" if me is not None else ""
    return f"{title(match.seats[seat])} {theirs}{choices}."


def _stake(kind: OfferKind, seat: Seat, match: MatchState) -> str:
    """Return what an open offer to resign costs who has made it."""
    found = (o.points for o in match.offers if (o.kind, o.seat) == (kind, seat))
    return count(next(found, None) or 0, "point")


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
            return "the server was restarted"
        case "store":
            return "the server cannot store anything just now"
        case _:
            assert_never(reason)


def format_time(ms: int) -> str:
    """Time left: 4:51, 1:02:03, and tenths below ten seconds: 9.3."""
    if ms < 10_000:
        return f"{ms // 100 / 10:.1f}"
    seconds = ms // 1000
    hours, minutes = seconds // 3600, seconds // 60 % 60
    if hours:
        return f"{hours}:{minutes:02}:{seconds % 60:02}"
    return f"{minutes}:{seconds % 60:02}"


def note_text(note: str | None, player: Player) -> str:
    """Return what a bot thought, without its own name and after the first candidate."""
    if not note:
        return ""
    head, *rest = note.split(" | ")
    head = head.removeprefix(f"{player.program} ")
    return f"{head} | {rest[0]}" if rest else head
