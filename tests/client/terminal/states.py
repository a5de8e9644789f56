"""Scenes as tests want them: rooms and matches in the middle of something."""

from __future__ import annotations

from collections.abc import Sequence

from client.styled_text import StyledText, text_of
from client.terminal.shown.view import ViewModel
from games import registry
from games.game import CHANCE
from protocol import messages, parts
from tests.client import fake_server

ADA = parts.Player(name="ada")
BOB = parts.Player(name="bob")
MCTS = parts.Player(name="house", program="mcts")
FIVE_PLUS_THREE = parts.ClockOptions(base_ms=300_000, increment_ms=3_000)


def texts(lines: Sequence[StyledText]) -> str:
    """Lines as one text without styles or blanks at the ends."""
    return "\n".join(text_of(shown).rstrip() for shown in lines)


def match(
    game: str,
    actions: str = "",
    *,
    seat: int | None = 0,
    seats: tuple[parts.Player, parts.Player] = (ADA, MCTS),
    notes: dict[int, str] | None = None,
    result: parts.Result | None = None,
    name: str = "17.1",
    **more: object,
) -> messages.MatchState:
    """The match after `actions`, written with spaces between, as `seat` is shown it."""
    rules = registry.game(game)
    position = rules.initial()
    events: list[parts.Event] = []
    for ply, action in enumerate(actions.split()):
        mover = position.to_move
        position = position.apply(rules.parse_action(position, action))
        kind = "roll" if mover == CHANCE else "play"
        note = (notes or {}).get(ply)
        events.append(
            parts.Event(seq=5 + ply, kind=kind, ply=ply, seat=mover, action=action, note=note)
        )
    over = position.outcome()
    if over is not None and result is None:
        winner = None if over.returns[0] == 0 else int(over.returns[0] < 0)
        result = parts.Result(winner=winner, returns=over.returns, how="rules", reason=over.reason)
    known: dict[str, object] = {
        "turn": 4 + len(events),
        "game": game,
        "ply": len(events),
        "position": rules.format_position(position),
        "seats": seats,
        "to_move": -2 if result else position.to_move,
        "events": tuple(events[-8:]),
        "legal": position.legal_notation() if result is None and position.to_move == seat else None,
        "result": result,
    }
    return fake_server.match(name, 4 + len(events), **known, **more)


def room(game: str = "connect_four", *, number: int = 17, **more: object) -> messages.RoomState:
    """A room of ada's, by default against a bot."""
    return fake_server.room(number, 3, game=game, **{"owner": "ada", "seats": (ADA, MCTS), **more})


def view(shown: messages.MatchState, *, seat: int | None = 0, **more: object) -> ViewModel:
    """A look at a match; all of its events are known if there are at most eight."""
    at = {"room": room(shown.game, seats=shown.seats, seat=seat, match=shown.match)}
    known = {"me": "ada", "match": shown, "seat": seat, "events": shown.events, **at, **more}
    return ViewModel(**known)  # type: ignore[arg-type]


def lobby(
    *rooms: parts.RoomLine, bots: Sequence[parts.BotLine] = (), total: int | None = None
) -> messages.LobbyList:
    """The lobby."""
    return messages.LobbyList(
        rooms=rooms, bots=tuple(bots), total=len(rooms) if total is None else total
    )


def entry(
    number: int, *seats: parts.Player | None, state: str = "waiting", **more: object
) -> parts.RoomLine:
    """A room in the lobby."""
    known = {"game": "connect_four", "options": parts.Options(), **more}
    return parts.RoomLine(room=number, state=state, seats=seats, **known)  # type: ignore[arg-type]


def bot(program: str, *games: str, levels: int = 8, free: int = 2) -> parts.BotLine:
    """A bot in the lobby."""
    return parts.BotLine(
        name="house", program=program, version="1", games=list(games), levels=levels, free=free
    )
