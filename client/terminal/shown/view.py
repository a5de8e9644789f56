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

Where the terminal is narrow or low, one line at the top has title and players:

    Backgammon   X ada (you) 4:51 ◀   O gammon 4:58

and the rest is given up in this order: blank lines, most of the legal actions, the latest one, the
players' own lines, all legal actions, and at last the board from its top.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec.structs import replace

from client import words
from client.styled_text import StyledPart, StyledText, beside, cut, pad, shorten, styled, width
from client.terminal.shown import menus
from client.terminal.shown.board import Drawing, board_lines
from client.terminal.shown.cube import question
from client.terminal.shown.invitation import Invitation
from client.terminal.shown.menus import Menu
from client.terminal.shown.moves import NumberedMove, last_roll, move_line, moves
from client.terminal.typed.actions import list_lines, matching
from client.words import NamedGame
from protocol.messages import MatchState, RoomState
from protocol.notation import format_clock
from protocol.parts import Event, GameInfo, Player, Series
from protocol.series import is_on

PANEL = 24  # columns beside a board that make a panel worth while
MAX_LEGAL_ROWS = 8
KEPT_LEGAL_ROWS = 3  # that come before the players' own lines


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
    begin: int | None = None  # ms that the player to move has to begin
    before: str | None = None  # the position before the last one
    flip: bool = False
    menu: Menu = field(default_factory=Menu)
    typed: str = ""  # what stands at the prompt
    past: bool = False  # for the log: without what could be done next
    notes: bool = True  # whether the thoughts of bots are shown
    catalog: tuple[GameInfo, ...] = ()  # the server's games
    drawing: Drawing | None = None  # by the server, of a game that is not known here
    waits_for_drawing: bool = False  # of the newest position
    invitation: Invitation | None = None  # to the room, where no match has begun there
    room_ms: int = 0  # since the room was heard of last

    def runs(self) -> bool:
        """Return whether it changes with time: by a clock, or by the time until a claim."""
        if self.match is None or self.match.result is not None:
            return False
        seats = self.room.seats if self.room is not None else ()
        claims = any(player is not None and player.claim_ms is not None for player in seats)
        return self.match.clocks is not None or claims


def frame(view: ViewModel, wide: int, rows: int) -> list[StyledText]:
    """Return what to show in `rows` lines of `wide` columns."""
    if view.match is not None:
        lines = _match(view, view.match, wide, rows)
    elif view.room is not None:
        lines = menus.room_lines(view.room, view.seat, view.catalog, view.invitation, wide, rows)
    else:
        lines = menus.menu_lines(view.menu, rows, wide=wide)
    return [cut(line, wide) for line in lines[:rows]]


def frame_for_log(view: ViewModel, wide: int, rows: int) -> list[StyledText]:
    """Return what to keep of a view: all of the board, laid out for `rows` lines if that can be."""
    match = view.match
    if match is None:
        return frame(view, wide, rows)
    game = _game(view, match)
    least = 1 + len(_board(view, match, game, None)) + len(status_lines(view, match, game))
    return frame(view, wide, max(rows, least))


def plain_frame(view: ViewModel, wide: int) -> list[StyledText]:
    """Return what to print in a pipe: the board without what was printed before."""
    match = view.match
    if match is None:
        return frame(view, wide, 1000)
    game = _game(view, match)
    lines = [*_board(view, match, game, None), *status_lines(view, match, game)]
    if view.left is not None and match.result is None:
        times = [
            f"{words.mark(game, seat)} {words.format_time(view.left[seat])}" for seat in (0, 1)
        ]
        lines.append(styled("   ".join(times)))
    if match.legal:
        lines += list_lines(match.legal, wide, MAX_LEGAL_ROWS)
    return lines


def _game(view: ViewModel, match: MatchState) -> NamedGame | None:
    return words.named_game(match.game, view.catalog)


def _board(
    view: ViewModel, match: MatchState, game: NamedGame | None, before: str | None
) -> list[StyledText]:
    view_from = (view.seat or 0) ^ view.flip
    over = match.result is not None
    return board_lines(game, match.position, view_from, before, over, view.drawing)


def _match(view: ViewModel, match: MatchState, wide: int, rows: int) -> list[StyledText]:
    game = _game(view, match)
    board = _board(view, match, game, view.before)
    status = status_lines(view, match, game)
    free = wide - max(map(width, board)) - 4
    spare = rows - 1 - len(board) - len(status)
    if spare < 0:
        return [_short_header(view, match, game, wide), *board[-spare:], *status]
    is_beside = free >= PANEL
    if is_beside:
        board = beside(board, _panel(view, match, game, free, len(board)))
    room = _shared_out(spare, _legal_rows(view, match, wide), is_beside, view)
    players = _players(view, match, game) if room.players else []
    head = _header(view, match) if is_beside or players else _short_header(view, match, game, wide)
    latest = _moves(view)[-1:] if room.latest else []
    return [
        *(head, *[()] * room.blank_above, *players, *board),
        *(move_line(move, match.seats, game, wide) for move in latest),
        *([()] * room.blank_below),
        *status,
        *_legal(view, match, wide, room.legal),
    ]


class _Room(NamedTuple):
    """What the lines that board and status leave are used for."""

    players: bool
    latest: bool
    blank_above: int
    blank_below: int
    legal: int


def _shared_out(spare: int, wanted: int, is_beside: bool, view: ViewModel) -> _Room:
    """Share `spare` lines out; `wanted`: of the legal actions.

    What a player's own turn needs is kept free in the other's, so that the board stays in place.
    """
    kept = KEPT_LEGAL_ROWS if view.seat is not None and not view.past else 0
    legal = min(wanted, KEPT_LEGAL_ROWS, spare)
    left = max(0, spare - max(legal, kept))
    players = not is_beside and left >= 3
    left -= 2 if players else 0
    latest = not is_beside and bool(view.events) and spare - legal - 2 * players > 0
    left -= 1 if latest and left > 0 else 0
    below = min(1, left)
    above = min(1, left - below)
    left -= below + above
    return _Room(players, latest, above, below, legal + min(wanted - legal, left))


def _legal_rows(view: ViewModel, match: MatchState, wide: int) -> int:
    return len(_legal(view, match, wide, MAX_LEGAL_ROWS))


def _legal(view: ViewModel, match: MatchState, wide: int, rows: int) -> list[StyledText]:
    if not match.legal or view.past or rows < 1:
        return []
    return list_lines(match.legal, wide, rows, _filter(view.typed, match.legal))


def _moves(view: ViewModel) -> list[NumberedMove]:
    return moves(view.events, view.notes)


def _filter(typed: str, legal: tuple[str, ...]) -> str:
    """What of the prompt narrows the list while it is typed: an action's beginning, no command."""
    if not typed or typed[0] in '/"#' or typed.isdigit():
        return ""
    return typed if matching(typed, legal) else ""


def _header(view: ViewModel, match: MatchState) -> StyledText:
    parts = [f"room {match.room}", f"match {match.match}", *_terms(view)]
    if view.room is not None and view.room.watching:
        parts.append(f"{view.room.watching} watching")
    title = words.game_title(match.game, view.catalog)
    return styled(("title", title), ("dim", f"   {', '.join(parts)}"))


def _terms(view: ViewModel) -> list[str]:
    """The clock, and where the series stands, or the score of the matches before."""
    if view.room is None:
        return []
    score, series = view.room.score, view.room.series
    played = [f"score {' – '.join(map(words.points, score))}"] if any(score) else []
    if series is not None:
        played = [words.series_text(series)]
    chosen = words.terms_text(replace(view.room.options, points=None))
    return [format_clock(view.room.options.clock), *played, *chosen]


def _short_header(
    view: ViewModel, match: MatchState, game: NamedGame | None, wide: int
) -> StyledText:
    """Title and players on one line, and the rest of the header as far as there is room."""
    title = words.game_title(match.game, view.catalog)
    sides = [words.mark(game, seat) for seat in (0, 1)]
    times = [f" {words.format_time(left)}" for left in view.left or ()] or ["", ""]
    marks = sum(width(f"   {sides[seat]}  {times[seat]} ◀") for seat in (0, 1))
    names = [_name(_as_in_room(view, p), s == view.seat) for s, p in enumerate(match.seats)]
    free = wide - width(title) - marks + 2  # only one side has the arrow
    if sum(map(width, names)) > free:
        names = [shorten(name, max(3, free // 2)) for name in names]
    parts: list[StyledPart] = [("title", title)]
    for seat, name in enumerate(names):
        parts += [("", "   "), (f"seat{seat}", sides[seat]), ("", f" {name}")]
        parts.append(_clock_part(view, match, seat, times[seat]))
        parts.append(("turn", " ◀" if match.to_move == seat else ""))
    more = ", ".join([f"match {match.match}", *_terms(view)])
    line = styled(*parts)
    return styled(*line, ("dim", f"   {more}")) if width(line) + 3 + width(more) <= wide else line


def _players(view: ViewModel, match: MatchState, game: NamedGame | None) -> list[StyledText]:
    here = [_as_in_room(view, player) for player in match.seats]
    names = [_name(player, seat == view.seat) for seat, player in enumerate(here)]
    wide = max(map(width, names)) + 2
    marks = max(width(words.mark(game, seat)) for seat in (0, 1))
    lines: list[StyledText] = []
    for seat, name in enumerate(names):
        time = f"{words.format_time(view.left[seat]):>7}" if view.left is not None else ""
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
    return ("low" if low else "", time)


def _panel(
    view: ViewModel, match: MatchState, game: NamedGame | None, wide: int, rows: int
) -> list[StyledText]:
    """Beside the board: who plays, and the latest actions, as many as are rows."""
    players = _players(view, match, game)
    latest = _moves(view)[-max(1, rows - len(players) - 1) :]
    longest = max((width(move.text) for move in latest), default=0)
    pad_to = min(wide // 2, longest)
    return [*players, (), *(move_line(move, match.seats, game, wide, pad_to) for move in latest)]


def status_lines(view: ViewModel, match: MatchState, game: NamedGame | None) -> list[StyledText]:
    """Return what the match waits for, or how it ended; offers; why a clock stands."""
    if match.result is not None:
        series = _series(view, match)
        texts = [words.match_result_text(match, view.seat)]
        if series is not None:
            texts.append(words.series_result_text(series, match.seats, view.seat))
        ended = [styled((_mood(match, view.seat), text)) for text in texts]
        return ended if view.past else [*ended, *_next(view, match)]
    texts = [words.offer_text(offer, match, view.seat) for offer in match.offers]
    texts.append(words.pause_text(match.clocks) or _begin(view, match))
    turn = ([] if view.past else question(match, view.seat)) or [_turn(view, match, game)]
    return [*map(styled, turn), *(styled(("offer", text)) for text in texts if text)]


def _series(view: ViewModel, match: MatchState) -> Series | None:
    """Return how the series stands after a match: the room is heard of later, but a side may have
    given all up there since.
    """
    conceded = view.room.series if view.room is not None else None
    return conceded if conceded is not None and conceded.conceded else match.series


def _mood(match: MatchState, seat: int | None) -> str:
    winner = match.result.winner if match.result is not None else None
    if seat is None or winner is None:
        return "title"
    return "good" if winner == seat else "bad"


def _turn(view: ViewModel, match: MatchState, game: NamedGame | None) -> StyledPart:
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
        claim = _claim(player, view.room_ms) if view.seat is not None else ""
        return ("dim", f"{words.title(player)} ({side}) is to move, and away{claim}.{rolled}")
    does = "is thinking" if player.program else "is to move"
    return ("dim", f"{words.title(player)} ({side}) {does} …{rolled}")


def _begin(view: ViewModel, match: MatchState) -> str:
    """Return that no clock runs yet, and for how long; empty once the match has begun."""
    if view.begin is None or match.clocks is None or match.to_move < 0 or view.past:
        return ""
    players = [_as_in_room(view, player) for player in match.seats]
    away = [words.title(player) for player in players if player.absent]
    if away:
        return f"Waiting for {' and '.join(away)}: no clock runs meanwhile."
    mine = match.to_move == view.seat
    who = "You have" if mine else f"{words.title(players[match.to_move])} has"
    after = "the match is void" if match.clocks.running is None else "the clock runs"
    return f"{who} {words.format_time(view.begin)} to begin; then {after}."


def _claim(player: Player, passed: int) -> str:
    """Return when a match against somebody who is away may be claimed; empty where never."""
    if player.claim_ms is None:
        return ""
    left = player.claim_ms - passed
    return f"; /claim wins{f' in {words.format_time(left)}' if left > 0 else ''}"


def _next(view: ViewModel, match: MatchState) -> list[StyledText]:
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
    if is_on(_series(view, match)):
        text = "/ready: the next game, which begins by itself in a minute; /leave gives all up."
    return [styled(("dim", text))]


def toolbar(view: ViewModel) -> StyledText:
    """Return the line at the very bottom: who one is, where, and the clocks."""
    if not view.linked:
        return styled(("low", f"  {view.address}: no connection, trying again … "))
    parts: list[StyledPart] = [("", f" {view.me} at {view.address} ")]
    match = view.match
    if match is not None and view.left is not None:
        game = _game(view, match)
        for seat in (0, 1):
            arrow = "◀" if match.to_move == seat else " "
            style, time = _clock_part(view, match, seat, words.format_time(view.left[seat]))
            parts.append((style, f"│ {words.mark(game, seat)} {time} {arrow} "))
    return styled(*parts, ("", "│ Tab completes, /help"))
