"""How a match ended, and who played it, in words for people."""

from __future__ import annotations

from typing import Final

from protocol.parts import Player, Result

Names = tuple[str, str]  # what the two seats are called, by seat
_LOST_BY: Final = {
    "resign": "{} resigned",
    "flag": "{} ran out of time",
    "abandon": "{} {} away for too long",
    "disconnect": "{} {} away for too long",
    "illegal": "{} played an illegal action",
    "crash": "{} crashed",
}


def full_title(player: Player) -> str:
    """Return a player as an invitation would name it: `house/mcts`, `ada`."""
    return f"{player.name}/{player.program}" if player.program else player.name


def points(value: float) -> str:
    """Points in as few characters as possible: 1, 0.5."""
    return f"{value:g}"


def result_text(result: Result | None, names: Names, me: int | None = None) -> str:
    """How a match ended, without a full stop: `X wins 2 points: gammon`, `you win: O resigned`."""
    if result is None:
        return "not over"
    if result.winner is None:
        return _undecided(result)
    loser = 1 - result.winner
    wins = "you win" if result.winner == me else f"{names[result.winner]} wins"
    won = max(result.returns)
    stake = f" {points(won)} points" if won != 1 else ""
    why = _lost_by(result, "you" if loser == me else names[loser])
    return f"{wins}{stake}: {why}"


def _lost_by(result: Result, loser: str) -> str:
    if result.how == "rules":
        return result.reason
    template = _LOST_BY.get(result.how, f"{{}} lost by {result.how}")
    return template.format(loser, "were" if loser == "you" else "was")


def _undecided(result: Result) -> str:
    match result.how:
        case "abort":
            return "aborted"
        case "void":
            return f"void: {result.reason}"
        case "agreement":
            return "a draw, by agreement"
        case _:  # `how` is text on the wire: only the rules can end in a draw
            return f"a draw: {result.reason}"
