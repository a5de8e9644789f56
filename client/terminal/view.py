"""What stands above the prompt: a scene in, lines of text out.  No terminal, no clock, no network.

    Connect four   room 17, match 17.2, 5+3

    │   │   │   │   │   │   │   │    X  ada (you)    4:51 ◀
    │   │   │   │   │   │   │   │    O  mcts         4:58
    │   │   │   │ O │   │   │   │
    │   │   │ X │ X │   │   │   │     1. X 4
    └───┴───┴───┴───┴───┴───┴───┘     2. O 4  812 nodes 0.30 s | 4 400 +0.21
      1   2   3   4   5   6   7       3. X 3

    Your turn, X.
    1   2   3   4   5   6   7

Where the terminal is narrow the players stand above the board; where it is low, the legal actions
are cut first, then the blank lines and the header, and at last the board from its top.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from client.terminal import tables
from client.terminal.actions import list_lines, matching
from client.terminal.board import board_lines, known_game
from client.terminal.lines import Line, Part, beside, cut, line, pad, width
from client.terminal.moves import last_roll, move_line, moves
from client.terminal.tables import Menu
from client.terminal.terms import format_clock
from client.terminal.wording import (
    format_time,
    full_title,
    game_title,
    mark,
    offer_text,
    pause_text,
    points,
    result_text,
    title,
)
from games.game import Game
from protocol.messages import Event, MatchState, Player, RoomState

PANEL = 24  # columns beside a board that make a panel worth while
MOST_LEGAL_ROWS = 8


@dataclass(frozen=True, slots=True)
class Scene:
    """All that one look at the screen needs."""

    me: str  # this person's name
    address: str = ""  # of the server
    linked: bool = True  # whether there is a connection
    room: RoomState | None = None
    match: MatchState | None = None
    seat: int | None = None  # this person's, in the match, or in the room where there is none
    events: tuple[Event, ...] = ()  # of the match, from its first action on
    left: tuple[int, int] | None = None  # ms on the clocks
    before: str | None = None  # the position before the last one
    flip: bool = False
    menu: Menu = field(default_factory=Menu)
    typed: str = ""  # what stands at the prompt
    past: bool = False  # for the log: without what could be done next


def frame(scene: Scene, wide: int, rows: int) -> list[Line]:
    """What to show in `rows` lines of `wide` columns."""
    if scene.match is not None:
        lines = _match(scene, scene.match, wide, rows)[-rows:]
    elif scene.room is not None:
        lines = tables.room_lines(scene.room, scene.seat)
    else:
        lines = tables.menu_lines(scene.menu, rows)
    return [cut(shown, wide) for shown in lines[:rows]]


def plain_frame(scene: Scene, wide: int) -> list[Line]:
    """What to print in a pipe: the board without what was printed before."""
    match = scene.match
    if match is None:
        return frame(scene, wide, 1000)
    game = known_game(match.game)
    view_from = (scene.seat or 0) ^ scene.flip
    lines = [*board_lines(game, match.position, view_from, None), *status_lines(scene, match, game)]
    if scene.left is not None and match.result is None:
        times = [f"{mark(game, seat)} {format_time(scene.left[seat])}" for seat in (0, 1)]
        lines.append(line("   ".join(times)))
    if match.legal:
        lines += list_lines(match.legal, wide, MOST_LEGAL_ROWS)
    return lines


def _match(scene: Scene, match: MatchState, wide: int, rows: int) -> list[Line]:
    game = known_game(match.game)
    view_from = (scene.seat or 0) ^ scene.flip
    board = board_lines(game, match.position, view_from, scene.before)
    room = wide - max(map(width, board)) - 4
    if room >= PANEL:
        middle = beside(board, _panel(scene, match, game, room, len(board)))
    else:
        middle = [*_players(scene, match, game), *board, *_latest(scene, match, game, wide)]
    status = status_lines(scene, match, game)
    spare = rows - len(middle) - len(status)
    lines = [*middle, *([()] if spare > 3 else []), *status]
    if spare > 1:
        lines = [_header(scene, match, game), *([()] if spare > 4 else []), *lines]
    if match.legal and not scene.past:
        most = min(MOST_LEGAL_ROWS, max(1, rows - len(lines)))
        lines += list_lines(match.legal, wide, most, _filter(scene.typed, match.legal))
    return lines


def _filter(typed: str, legal: tuple[str, ...]) -> str:
    """What of the prompt narrows the list while it is typed: an action's beginning, no command."""
    if not typed or typed[0] in '/"#' or typed.isdigit():
        return ""
    return typed if matching(typed, legal) else ""


def _header(scene: Scene, match: MatchState, game: Game | None) -> Line:
    parts = [f"room {match.room}", f"match {match.match}"]
    if scene.room is not None:
        parts.append(format_clock(scene.room.options.clock))
        if any(scene.room.score):
            parts.append(f"score {' – '.join(map(points, scene.room.score))}")
        if scene.room.watching:
            parts.append(f"{scene.room.watching} watching")
    return line(("title", game_title(match.game, game)), ("dim", f"   {', '.join(parts)}"))


def _players(scene: Scene, match: MatchState, game: Game | None) -> list[Line]:
    here = [_as_in_room(scene, player) for player in match.seats]
    names = [_name(player, seat == scene.seat) for seat, player in enumerate(here)]
    wide = max(map(width, names)) + 2
    marks = max(width(mark(game, seat)) for seat in (0, 1))
    found: list[Line] = []
    for seat, name in enumerate(names):
        time = format_time(scene.left[seat]) if scene.left is not None else ""
        turn: Part = ("turn", " ◀" if match.to_move == seat else "")
        side: Part = (f"seat{seat}", pad(mark(game, seat), marks))
        clock = _clock_part(scene, match, seat, time)
        found.append(line(side, f"  {pad(name, wide)}", clock, turn))
    return found


def _as_in_room(scene: Scene, player: Player) -> Player:
    """The player as the room knows it: who is away is said there first."""
    seats = scene.room.seats if scene.room is not None else ()
    same = [p for p in seats if p is not None and full_title(p) == full_title(player)]
    return same[0] if same else player


def _name(player: Player, mine: bool) -> str:
    more = " (you)" if mine else " (away)" if player.absent else ""
    return title(player) + more


def _clock_part(scene: Scene, match: MatchState, seat: int, time: str) -> Part:
    low = scene.left is not None and scene.left[seat] < 20_000 and match.result is None
    return ("low" if low else "", f"{time:>7}" if time else "")


def _panel(scene: Scene, match: MatchState, game: Game | None, room: int, rows: int) -> list[Line]:
    """Beside the board: who plays, and the latest actions, as many as are rows."""
    players = _players(scene, match, game)
    shown = moves(scene.events)[-max(1, rows - len(players) - 1) :]
    wide = min(room // 2, max((width(move.text) for move in shown), default=0))
    return [*players, (), *(move_line(move, match.seats, game, room, wide) for move in shown)]


def _latest(scene: Scene, match: MatchState, game: Game | None, room: int) -> list[Line]:
    """Under the board where there is no room beside it: the last action."""
    return [move_line(move, match.seats, game, room) for move in moves(scene.events)[-1:]]


def status_lines(scene: Scene, match: MatchState, game: Game | None) -> list[Line]:
    """What the match waits for, or how it ended; offers; why a clock stands."""
    if match.result is not None:
        ended = line((_mood(match, scene.seat), result_text(match, scene.seat)))
        return [ended] if scene.past else [ended, *_next(scene)]
    texts = [offer_text(offer.kind, offer.seat, match, scene.seat) for offer in match.offers]
    texts.append(pause_text(match.clocks))
    return [line(_turn(scene, match, game)), *(line(("offer", text)) for text in texts if text)]


def _mood(match: MatchState, seat: int | None) -> str:
    winner = match.result.winner if match.result is not None else None
    if seat is None or winner is None:
        return "title"
    return "good" if winner == seat else "bad"


def _turn(scene: Scene, match: MatchState, game: Game | None) -> Part:
    seat = match.to_move
    if seat < 0:
        return ("dim", "The dice are rolling.")
    roll = last_roll(match.events)
    side = mark(game, seat)
    if seat == scene.seat:
        return ("turn", f"Your turn, {side}." + (f" You rolled {roll}." if roll else ""))
    player = _as_in_room(scene, match.seats[seat])
    rolled = f" Rolled: {roll}." if roll else ""
    if scene.past:
        return ("dim", f"{title(player)} ({side}) to move.{rolled}")
    if player.absent:
        can_claim = scene.seat is not None and scene.left is None
        claim = "; /claim wins after two minutes" if can_claim else ""
        return ("dim", f"{title(player)} ({side}) is to move, and away{claim}.{rolled}")
    does = "is thinking" if player.program else "is to move"
    return ("dim", f"{title(player)} ({side}) {does} …{rolled}")


def _next(scene: Scene) -> list[Line]:
    """After the end: how the next match starts."""
    room, seat = scene.room, scene.seat
    if room is None or seat is None or room.seat is None:
        return []
    other = room.seats[1 - room.seat]
    if other is None:
        return [line(("dim", "The other seat is free: /invite WHO, or /leave."))]
    if room.ready[room.seat]:
        return [line(("dim", f"Waiting for {title(other)} to be ready."))]
    wants = f"{title(other)} wants a rematch. " if room.ready[1 - room.seat] else ""
    text = f"{wants}/rematch plays again with seats swapped, /leave gets up."
    return [line(("dim", text))]


def toolbar(scene: Scene) -> Line:
    """The line at the very bottom: who one is, where, and the clocks."""
    if not scene.linked:
        return line(("low", f"  {scene.address}: no connection, trying again … "))
    parts: list[Part] = [("", f" {scene.me} at {scene.address} ")]
    match = scene.match
    if match is not None and scene.left is not None:
        game = known_game(match.game)
        for seat in (0, 1):
            arrow = "◀" if match.to_move == seat else " "
            style, time = _clock_part(scene, match, seat, format_time(scene.left[seat]))
            parts.append((style, f"│ {mark(game, seat)} {time.strip()} {arrow} "))
    return line(*parts, ("", "│ Tab completes, /help"))
