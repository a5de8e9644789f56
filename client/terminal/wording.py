"""The sentences about players, results, offers and clocks, as `me` sees them: a seat, or None."""

from __future__ import annotations

from typing import Final

from games.game import Game
from protocol.messages import Clocks, MatchState, Player, Result

_PAUSED: Final = {
    "pair": "the clock waits for the other match of this pair",
    "server": "the clock waits: the server was restarted",
    "store": "the clock waits: the server cannot store anything just now",
}


def title(player: Player | None) -> str:
    """A player in short: a bot's program, a person's name."""
    if player is None:
        return "(free)"
    return player.program or player.name


def full_title(player: Player) -> str:
    """A player as an invitation would name it: `house/mcts`, `ada`."""
    return f"{player.name}/{player.program}" if player.program else player.name


def game_title(name: str, game: Game | None) -> str:
    """What people call a game."""
    return game.title if game is not None else name.replace("_", " ").capitalize()


def mark(game: Game | None, seat: int) -> str:
    """What the field calls a seat: X, White; first or second where the game is not known here."""
    return game.seats[seat] if game is not None else ("first", "second")[seat]


def sentence(text: str) -> str:
    """`text` with a capital and a full stop."""
    text = text.strip()
    if not text:
        return text
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?…" else ".")


def points(value: float) -> str:
    """Points as few characters: 1, 0.5."""
    return f"{value:g}"


def result_text(match: MatchState, me: int | None) -> str:
    """How a match ended: "You win: line." """
    result = match.result
    if result is None:
        return ""
    if result.winner is None:
        return _no_winner(result)
    loser = 1 - result.winner
    winner = title(match.seats[result.winner])
    wins = "you win" if result.winner == me else f"{winner} wins"
    if result.how == "rules":
        text = f"{wins}: {result.reason}"
    else:
        text = f"{_how(result.how, title(match.seats[loser]), loser == me)}: {wins}"
    # A name keeps its small letter, "you" does not.
    capital = "Y" + text[1:] if text.startswith("you") and me is not None else text
    return f"{capital}{_stake(result)}."


def _no_winner(result: Result) -> str:
    if result.how == "abort":
        return "The match was aborted."
    if result.how == "void":
        return sentence(f"the match is void: {result.reason}")
    if result.how == "agreement":
        return "A draw, by agreement."
    return sentence(f"a draw: {result.reason}")


def _stake(result: Result) -> str:
    won = max(result.returns)
    return f", {points(won)} points" if won != 1 else ""


def _how(how: str, loser: str, mine: bool) -> str:
    if mine:
        return {
            "resign": "you resign",
            "flag": "your time is up",
            "abandon": "you were away for too long",
            "disconnect": "you were away for too long",
        }.get(how, f"you lost by {how}")
    return {
        "resign": f"{loser} resigns",
        "flag": f"{loser} has no time left",
        "abandon": f"{loser} was away for too long",
        "disconnect": f"{loser} was away for too long",
        "illegal": f"{loser} played what is not legal",
        "crash": f"{loser} crashed",
    }.get(how, f"{loser} lost by {how}")


def offer_text(kind: str, seat: int, match: MatchState, me: int | None) -> str:
    """An open offer, and what can be done about it."""
    what = "a draw" if kind == "draw" else "to take back the last action"
    if seat == me:
        return f"You {'offer' if kind == 'draw' else 'ask'} {what}; /decline withdraws that."
    who = title(match.seats[seat])
    tail = ": /accept or /decline" if me is not None else ""
    return f"{who} {'offers' if kind == 'draw' else 'asks'} {what}{tail}."


def pause_text(clocks: Clocks | None) -> str:
    """Why no clock runs; empty where one does, or none should."""
    if clocks is None or clocks.paused is None:
        return ""
    return sentence(_PAUSED.get(clocks.paused, "the clock waits"))


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
    """What a bot thought, without its own name and after the first candidate."""
    if not note:
        return ""
    head, *rest = note.split(" | ")
    head = head.removeprefix(f"{player.program} ")
    return f"{head} | {rest[0]}" if rest else head
