"""What stands above the prompt: a view model in, lines of text out.  No terminal, clock or network.

    Connect four   room 17, match 17.2, 5 min + 3 s

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

from client import words
from client.styled_text import StyledPart, StyledText, beside, cut, pad, styled, width
from client.terminal.shown import menus
from client.terminal.shown.board import board_lines
from client.terminal.shown.menus import Menu
from client.terminal.shown.moves import last_roll, move_line, moves
from client.terminal.typed.actions import list_lines, matching
from games.game import Game
from protocol.messages import MatchState, RoomState
from protocol.notation import format_clock
from protocol.parts import Event, Player

PANEL = 24  # columns beside a board that make a panel worth while
MAX_LEGAL_ROWS = 8


@dataclass(frozen=True, slots=True)
class ViewModel:
    """Everything that one drawing of the screen needs."""

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


def frame(view: ViewModel, wide: int, rows: int) -> list[StyledText]:
    """Return what to show in `rows` lines of `wide` columns."""
    if view.match is not None:
        lines = _match(view, view.match, wide, rows)[-rows:]
    elif view.room is not None:
        lines = menus.room_lines(view.room, view.seat)
    else:
        lines = menus.menu_lines(view.menu, rows)
    return [cut(line, wide) for line in lines[:rows]]


def plain_frame(view: ViewModel, wide: int) -> list[StyledText]:
    """Return what to print in a pipe: the board without what was printed before."""
    match = view.match
    if match is None:
        return frame(view, wide, 1000)
    game = words.known_game(match.game)
    view_from = (view.seat or 0) ^ view.flip
    lines = [*board_lines(game, match.position, view_from, None), *status_lines(view, match, game)]
    if view.left is not None and match.result is None:
        times = [
            f"{words.mark(game, seat)} {words.format_time(view.left[seat])}" for seat in (0, 1)
        ]
        lines.append(styled("   ".join(times)))
    if match.legal:
        lines += list_lines(match.legal, wide, MAX_LEGAL_ROWS)
    return lines


def _match(view: ViewModel, match: MatchState, wide: int, rows: int) -> list[StyledText]:
    game = words.known_game(match.game)
    view_from = (view.seat or 0) ^ view.flip
    board = board_lines(game, match.position, view_from, view.before)
    free = wide - max(map(width, board)) - 4
    if free >= PANEL:
        middle = beside(board, _panel(view, match, game, free, len(board)))
    else:
        latest = [move_line(move, match.seats, game, wide) for move in moves(view.events)[-1:]]
        middle = [*_players(view, match, game), *board, *latest]
    status = status_lines(view, match, game)
    spare = rows - len(middle) - len(status)
    lines = [*middle, *([()] if spare > 3 else []), *status]
    if spare > 1:
        lines = [_header(view, match, game), *([()] if spare > 4 else []), *lines]
    if match.legal and not view.past:
        limit = min(MAX_LEGAL_ROWS, max(1, rows - len(lines)))
        lines += list_lines(match.legal, wide, limit, _filter(view.typed, match.legal))
    return lines


def _filter(typed: str, legal: tuple[str, ...]) -> str:
    """What of the prompt narrows the list while it is typed: an action's beginning, no command."""
    if not typed or typed[0] in '/"#' or typed.isdigit():
        return ""
    return typed if matching(typed, legal) else ""


def _header(view: ViewModel, match: MatchState, game: Game | None) -> StyledText:
    parts = [f"room {match.room}", f"match {match.match}"]
    if view.room is not None:
        parts.append(format_clock(view.room.options.clock))
        if any(view.room.score):
            parts.append(f"score {' – '.join(map(words.points, view.room.score))}")
        if view.room.watching:
            parts.append(f"{view.room.watching} watching")
    return styled(("title", words.game_title(match.game)), ("dim", f"   {', '.join(parts)}"))


def _players(view: ViewModel, match: MatchState, game: Game | None) -> list[StyledText]:
    here = [_as_in_room(view, player) for player in match.seats]
    names = [_name(player, seat == view.seat) for seat, player in enumerate(here)]
    wide = max(map(width, names)) + 2
    marks = max(width(words.mark(game, seat)) for seat in (0, 1))
    lines: list[StyledText] = []
    for seat, name in enumerate(names):
        time = words.format_time(view.left[seat]) if view.left is not None else ""
        turn: StyledPart = ("turn", " ◀" if match.to_move == seat else "")
        side: StyledPart = (f"seat{seat}", pad(words.mark(game, seat), marks))
        clock = _clock_part(view, match, seat, time)
        lines.append(styled(side, f"  {pad(name, wide)}", clock, turn))
    return lines


def _as_in_room(view: ViewModel, player: Player) -> Player:
    """Return the player as the room has it: only the room's state says who is away now."""
    seats = view.room.seats if view.room is not None else ()
    same = [p for p in seats if p is not None and words.full_title(p) == words.full_title(player)]
    return same[0] if same else player


def _name(player: Player, mine: bool) -> str:
    more = " (you)" if mine else " (away)" if player.absent else ""
    return words.title(player) + more


def _clock_part(view: ViewModel, match: MatchState, seat: int, time: str) -> StyledPart:
    low = view.left is not None and view.left[seat] < 20_000 and match.result is None
    return ("low" if low else "", f"{time:>7}" if time else "")


def _panel(
    view: ViewModel, match: MatchState, game: Game | None, wide: int, rows: int
) -> list[StyledText]:
    """Beside the board: who plays, and the latest actions, as many as are rows."""
    players = _players(view, match, game)
    latest = moves(view.events)[-max(1, rows - len(players) - 1) :]
    longest = max((width(move.text) for move in latest), default=0)
    pad_to = min(wide // 2, longest)
    return [*players, (), *(move_line(move, match.seats, game, wide, pad_to) for move in latest)]


def status_lines(view: ViewModel, match: MatchState, game: Game | None) -> list[StyledText]:
    """Return what the match waits for, or how it ended; offers; why a clock stands."""
    if match.result is not None:
        ended = styled((_mood(match, view.seat), words.match_result_text(match, view.seat)))
        return [ended] if view.past else [ended, *_next(view)]
    texts = [words.offer_text(offer.kind, offer.seat, match, view.seat) for offer in match.offers]
    texts.append(words.pause_text(match.clocks))
    return [styled(_turn(view, match, game)), *(styled(("offer", text)) for text in texts if text)]


def _mood(match: MatchState, seat: int | None) -> str:
    winner = match.result.winner if match.result is not None else None
    if seat is None or winner is None:
        return "title"
    return "good" if winner == seat else "bad"


def _turn(view: ViewModel, match: MatchState, game: Game | None) -> StyledPart:
    seat = match.to_move
    if seat < 0:
        return ("dim", "The dice are rolling.")
    roll = last_roll(match.events)
    side = words.mark(game, seat)
    if seat == view.seat:
        return ("turn", f"Your turn, {side}." + (f" You rolled {roll}." if roll else ""))
    player = _as_in_room(view, match.seats[seat])
    rolled = f" Rolled: {roll}." if roll else ""
    if view.past:
        return ("dim", f"{words.title(player)} ({side}) to move.{rolled}")
    if player.absent:
        can_claim = view.seat is not None and view.left is None
        claim = "; /claim wins after two minutes" if can_claim else ""
        return ("dim", f"{words.title(player)} ({side}) is to move, and away{claim}.{rolled}")
    does = "is thinking" if player.program else "is to move"
    return ("dim", f"{words.title(player)} ({side}) {does} …{rolled}")


def _next(view: ViewModel) -> list[StyledText]:
    """After the end: how the next match starts."""
    room, seat = view.room, view.seat
    if room is None or seat is None or room.seat is None:
        return []
    other = room.seats[1 - room.seat]
    if other is None:
        return [styled(("dim", "The other seat is free: /invite WHO, or /leave."))]
    if room.ready[room.seat]:
        return [styled(("dim", f"Waiting for {words.title(other)} to be ready."))]
    wants = f"{words.title(other)} wants a rematch. " if room.ready[1 - room.seat] else ""
    text = f"{wants}/rematch plays again with seats swapped, /leave gets up."
    return [styled(("dim", text))]


def toolbar(view: ViewModel) -> StyledText:
    """Return the line at the very bottom: who one is, where, and the clocks."""
    if not view.linked:
        return styled(("low", f"  {view.address}: no connection, trying again … "))
    parts: list[StyledPart] = [("", f" {view.me} at {view.address} ")]
    match = view.match
    if match is not None and view.left is not None:
        game = words.known_game(match.game)
        for seat in (0, 1):
            arrow = "◀" if match.to_move == seat else " "
            style, time = _clock_part(view, match, seat, words.format_time(view.left[seat]))
            parts.append((style, f"│ {words.mark(game, seat)} {time.strip()} {arrow} "))
    return styled(*parts, ("", "│ Tab completes, /help"))
