"""Scenes as tests want them: rooms and matches in the middle of something."""

from __future__ import annotations

from collections.abc import Sequence

from client.terminal.lines import Line, text_of
from client.terminal.view import Scene
from games import registry
from games.game import CHANCE
from protocol.messages import (
    BotLine,
    ClockOptions,
    Clocks,
    Event,
    LobbyList,
    MatchState,
    Options,
    Player,
    Result,
    RoomLine,
    RoomState,
)

ADA = Player(name="ada")
BOB = Player(name="bob")
MCTS = Player(name="house", program="mcts")
FIVE_PLUS_THREE = ClockOptions(base_ms=300_000, increment_ms=3_000)


def texts(lines: Sequence[Line]) -> str:
    """Lines as one text without styles or blanks at the ends."""
    return "\n".join(text_of(shown).rstrip() for shown in lines)


def match(
    game: str,
    actions: str = "",
    *,
    seat: int | None = 0,
    seats: tuple[Player, Player] = (ADA, MCTS),
    notes: dict[int, str] | None = None,
    clocks: Clocks | None = None,
    result: Result | None = None,
    name: str = "17.1",
    **more: object,
) -> MatchState:
    """The match after `actions`, written with spaces between, as `seat` is shown it."""
    rules = registry.game(game)
    position = rules.initial()
    events: list[Event] = []
    for ply, action in enumerate(actions.split()):
        mover = position.to_move
        position = position.apply(rules.parse_action(position, action))
        kind = "roll" if mover == CHANCE else "play"
        note = (notes or {}).get(ply)
        events.append(Event(seq=5 + ply, kind=kind, ply=ply, seat=mover, action=action, note=note))
    over = position.outcome()
    if over is not None and result is None:
        winner = None if over.returns[0] == 0 else int(over.returns[0] < 0)
        result = Result(winner=winner, returns=over.returns, how="rules", reason=over.reason)
    mine = result is None and position.to_move == seat
    return MatchState(
        match=name,
        room=int(name.partition(".")[0]),
        seq=4 + len(events),
        turn=4 + len(events),
        game=game,
        ply=len(events),
        position=rules.format_position(position),
        seats=seats,
        to_move=-2 if result else position.to_move,
        events=tuple(events[-8:]),
        legal=position.legal_notation() if mine else None,
        clocks=clocks,
        result=result,
        **more,  # type: ignore[arg-type]
    )


def room(
    game: str = "connect_four",
    *,
    seats: tuple[Player | None, Player | None] = (ADA, MCTS),
    seat: int | None = 0,
    options: Options | None = None,
    number: int = 17,
    state: str = "waiting",
    **more: object,
) -> RoomState:
    """A room."""
    return RoomState(
        room=number,
        seq=3,
        game=game,
        state=state,
        owner="ada",
        seats=seats,
        seat=seat,  # type: ignore[arg-type]
        options=options or Options(),
        **{"ready": (False, False), **more},  # type: ignore[arg-type]
    )


def scene(shown: MatchState, *, seat: int | None = 0, **more: object) -> Scene:
    """A look at a match; all of its events are known if there are at most eight."""
    at = {"room": room(shown.game, seats=shown.seats, seat=seat, match=shown.match)}
    known = {"me": "ada", "match": shown, "seat": seat, "events": shown.events, **at, **more}
    return Scene(**known)  # type: ignore[arg-type]


def lobby(*rooms: RoomLine, bots: Sequence[BotLine] = (), total: int | None = None) -> LobbyList:
    """The lobby."""
    return LobbyList(rooms=rooms, bots=tuple(bots), total=len(rooms) if total is None else total)


def entry(number: int, *seats: Player | None, state: str = "waiting", **more: object) -> RoomLine:
    """A room in the lobby."""
    known = {"game": "connect_four", "options": Options(), **more}
    return RoomLine(room=number, state=state, seats=seats, **known)  # type: ignore[arg-type]


def bot(program: str, *games: str, levels: int = 8, free: int = 2) -> BotLine:
    """A bot in the lobby."""
    return BotLine(
        name="house", program=program, version="1", games=list(games), levels=levels, free=free
    )
