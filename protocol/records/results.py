"""How a match ended, and who played it, in words for people."""

from __future__ import annotations

from typing import Final

from protocol.parts import Player, Result

Names = tuple[str, str]  # what the two seats are called, by seat
_LOST_BY: Final = {  # how, of the reader and of somebody else
    "resign": ("you resigned", "{} resigned"),
    "flag": ("your time ran out", "{} ran out of time"),
    "abandon": ("you were away for too long", "{} was away for too long"),
    "disconnect": ("you were away for too long", "{} was away for too long"),
    "illegal": ("you played an illegal action", "{} played an illegal action"),
    "crash": ("your program crashed", "{} crashed"),
}
_REASONS: Final = {  # what the rules of our games call an end, in words
    ("connect_four", "line"): "four in a row",
    ("tic_tac_toe", "line"): "three in a row",
    ("ultimate_tic_tac_toe", "line"): "three boards in a row",
    ("ultimate_tic_tac_toe", "full"): "all boards are closed",
    ("backgammon", "single"): "bearing off all checkers",
    ("backgammon", "gammon"): "a gammon",
    ("backgammon", "backgammon"): "a backgammon",
    ("backgammon_cube", "single"): "bearing off all checkers",
    ("backgammon_cube", "gammon"): "a gammon",
    ("backgammon_cube", "backgammon"): "a backgammon",
    ("backgammon_cube", "drop"): "a dropped double",
}
_USUAL_REASONS: Final = {"line": "a full line", "full": "the board is full"}


def full_title(player: Player) -> str:
    """Return a player as an invitation would name it: `house/mcts`, `ada`."""
    return f"{player.name}/{player.program}" if player.program else player.name


def points(value: float) -> str:
    """Points in as few characters as possible: 1, 0.5."""
    return f"{value:g}"


def reason_text(game: str, reason: str) -> str:
    """Return what the rules of `game` call an end, in words: `line` is `four in a row`."""
    return _REASONS.get((game, reason)) or _USUAL_REASONS.get(reason, reason)


def result_text(result: Result | None, game: str, names: Names, me: int | None = None) -> str:
    """How a match of `game` ended, without a full stop: `X won 2 points: a gammon`.

    `me`: the seat of the reader, who is spoken to: `you won: O resigned`.
    """
    if result is None:
        return "not over"
    if result.winner is None:
        return _undecided(result, game)
    loser, winner = 1 - result.winner, names[result.winner]
    won = max(result.returns)
    stake = f" {points(won)} points" if won != 1 else ""
    by_rules = result.how == "rules"
    why = reason_text(game, result.reason) if by_rules else _lost_by(result, names[loser], me)
    if loser != me:
        return f"{'you' if result.winner == me else winner} won{stake}: {why}"
    if by_rules:
        return f"you lost{stake}: {why} for {winner}"
    if result.how == "resign":
        return f"{why}: {winner} won{stake}"
    return f"you lost{stake}{f' to {winner}' if stake else ''}: {why}"


def _lost_by(result: Result, loser: str, me: int | None) -> str:
    mine, theirs = _LOST_BY.get(result.how, (f"by {result.how}", f"{{}} lost by {result.how}"))
    return theirs.format(loser) if result.winner == me or me is None else mine


def _undecided(result: Result, game: str) -> str:
    match result.how:
        case "abort":
            return "called off: nobody won"
        case "void":
            return f"void: {result.reason}"
        case "agreement":
            return "a draw, by agreement"
        case _:  # `how` is text on the wire: only the rules can end in a draw
            return f"a draw: {reason_text(game, result.reason)}"
