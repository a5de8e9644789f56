"""What is decided about the doubling cube, as a sentence: roll or double, take or drop."""

from __future__ import annotations

from client.styled_text import StyledPart
from client.words import counted_points, known_game, title
from games.backgammon.rules import TURN
from games.backgammon_cube.actions import OFFERS
from games.backgammon_cube.rules import CUBE, LENGTH, OFFER, SCORE, stake
from games.game import BrokenRules, NotationError, Position
from protocol.messages import MatchState

GAME = "backgammon_cube"
_VERBS = {"double": "doubles", "beaver": "beavers", "raccoon": "raccoons"}


def question(match: MatchState, seat: int | None) -> list[StyledPart]:
    """Return what `seat` is asked or waits for, in lines; none where no cube is decided about."""
    position = _position(match)
    if position is None or position.to_move < 0 or match.result is not None:
        return []
    if position.state[OFFER]:
        return _offer(match, position, seat)
    if match.to_move == seat and match.legal is not None and "double" in match.legal:
        value = 1 << position.state[CUBE] + 1
        mine = position.game.seats[seat]
        return [("turn", f"Your turn, {mine}: roll (r), or double to {value} (d).")]
    return []


def _position(match: MatchState) -> Position | None:
    game = known_game(match.game) if match.game == GAME else None
    if game is None:
        return None
    try:
        return game.parse_position(match.position)
    except (NotationError, BrokenRules):
        return None


def _offer(match: MatchState, position: Position, seat: int | None) -> list[StyledPart]:
    """Return an offer as the one who answers reads it, or as everybody else does."""
    s = list(position.state)
    verb, value = OFFERS[s[OFFER]], 1 << s[CUBE] + s[OFFER]
    by, asked = 1 - position.to_move, position.to_move
    other = title(match.seats[by])
    if asked != seat:
        says = f"You {verb}" if by == seat else f"{other} {_VERBS[verb]}"
        return [("dim", f"{says} to {value}. {title(match.seats[asked])} takes or drops …")]
    mine = position.game.seats[asked]
    heir = "yours" if 1 - s[TURN] == seat else f"{title(match.seats[1 - s[TURN]])}'s"
    cost = stake(s)
    is_last = s[LENGTH] > 0 and s[SCORE + by] + cost >= s[LENGTH]
    loses = "lose the match" if is_last else f"lose {counted_points(cost)}"
    raises = [name for name in match.legal or () if name not in ("take", "drop")]
    return [
        ("offer", f"Your turn, {mine}: {other} {_VERBS[verb]} to {value}! Take or drop?"),
        ("offer", f"take (t): the cube is {heir}; drop (p): {loses}"),
        *(("offer", f"{name}: double at once, to {2 * value}") for name in raises),
    ]


def is_question(match: MatchState) -> bool:
    """Return whether somebody has doubled, and the receiver is to answer."""
    return match.game == GAME and match.legal is not None and "take" in match.legal
