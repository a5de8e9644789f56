"""The lobby and a room in which no match has begun, as lines.

The rows of the lobby are numbered, and typing a number takes the row.  A row keeps its number while
it is there, however the lobby changes: no one sits down in the wrong room because a row moved up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from client.styled_text import StyledPart, StyledText, pad, styled, width
from client.terminal.shown.invitation import Invitation, with_invitation
from client.terminal.typed.commands import CreateRoom, JoinRoom, SessionCommand, WatchRoom
from client.terminal.typed.terms import RoomReference
from client.words import (
    clock_text,
    full_title,
    game_title,
    mark,
    named_game,
    points,
    terms_text,
    title,
)
from protocol.messages import LobbyList, RoomState
from protocol.parts import BotLine, GameInfo, Player, RoomLine, Strength

NAMED_PEOPLE: Final = 8
ROOM_ESSENTIAL: Final = (3, 0)  # cells of a narrow window's rows: the clock goes, then the room
BOT_ESSENTIAL: Final = (3,)  # how many matches more it takes
NAMED_GAMES: Final = 2  # of a bot that plays so few, they are named
USUAL_LEVEL: Final = 4  # of the house's bots by default, where there is no clock


@dataclass(frozen=True, slots=True)
class Pick:
    """A bot was chosen, but not yet the game or its level."""

    bot: BotLine
    game: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One choice; `head` is the title of its group."""

    number: int
    head: str
    cells: tuple[str, ...]
    choice: SessionCommand | Pick
    least: tuple[int, ...] = ()  # the cells that matter least, by number: the first goes first


@dataclass(frozen=True, slots=True)
class Menu:
    """Rows to choose from, with a line of help below."""

    rows: tuple[Row, ...] = ()
    foot: str = ""
    people: str = ""  # who else is here
    numbers: Mapping[str, int] = field(default_factory=dict)

    def choice(self, text: str) -> SessionCommand | Pick | None:
        """Return what the number `text` stands for."""
        digits = text.removeprefix("#")
        choices = [row.choice for row in self.rows if str(row.number) == digits]
        return choices[0] if choices else None


def lobby_menu(
    lobby: LobbyList,
    me: str,
    before: Menu,
    games: Collection[str] = (),
    catalog: Collection[GameInfo] = (),
) -> Menu:
    """The rooms and bots, numbered as in `before` where they were there; `games`: the server's."""
    keys = [f"room {entry.room}" for entry in lobby.rooms] + [_bot_key(bot) for bot in lobby.bots]
    numbers = _number(before.numbers, keys)
    rooms = [
        Row(
            numbers[f"room {entry.room}"],
            "Rooms",
            _room_cells(entry, me, catalog),
            _room_choice(entry, me),
            ROOM_ESSENTIAL,
        )
        for entry in lobby.rooms
    ]
    bots = [
        Row(numbers[_bot_key(bot)], "Bots", _bot_cells(bot, games), Pick(bot), BOT_ESSENTIAL)
        for bot in lobby.bots
    ]
    more = lobby.total - len(lobby.rooms)
    foot = "Type a number, or /create GAME to open a room; /help lists the rest."
    if more > 0:
        foot = f"{more:,} more rooms are here.  Type a number, or /create GAME; /help tells more."
    return Menu((*rooms, *bots), foot, _people(lobby, me), numbers)


def _people(lobby: LobbyList, me: str) -> str:
    """Return who else is here: `bob, eve (playing)`."""
    others = [person for person in lobby.people if person.name != me]
    names = [f"{each.name} (playing)" if each.playing else each.name for each in others]
    more = f" and {len(names) - NAMED_PEOPLE} more" if len(names) > NAMED_PEOPLE else ""
    return ", ".join(names[:NAMED_PEOPLE]) + more


def _bot_key(bot: BotLine) -> str:
    return f"{bot.name}/{bot.program}"


def _number(before: Mapping[str, int], keys: Iterable[str]) -> dict[str, int]:
    """Return a number for each key: the one it had, or a new one that no other had a moment ago."""
    wanted = list(keys)
    numbers = {key: before[key] for key in wanted if key in before}
    top = max(before.values(), default=0) if numbers else 0
    for key in wanted:
        if key not in numbers:
            top += 1
            numbers[key] = top
    return numbers


def _room_cells(entry: RoomLine, me: str, catalog: Collection[GameInfo]) -> tuple[str, ...]:
    players = " – ".join(full_title(p) if p else "(free)" for p in entry.seats)
    game = game_title(entry.game, catalog)
    clock = clock_text(entry.options)
    state = ", ".join([*terms_text(entry.options, entry.series), _state(entry, me)])
    return (f"room {entry.room} {entry.name}".rstrip(), game, players, clock, state)


def _state(entry: RoomLine, me: str) -> str:
    if _sits(entry, me):
        return "yours"
    if entry.state == "playing":
        return f"playing, ply {entry.ply}"
    if entry.state == "over":
        return "over"
    return "waiting for a player" if None in entry.seats else "between matches"


def _sits(entry: RoomLine, me: str) -> bool:
    return any(p is not None and p.program is None and p.name == me for p in entry.seats)


def _room_choice(entry: RoomLine, me: str) -> SessionCommand:
    place = RoomReference(room=entry.room)
    free = None in entry.seats and entry.state == "waiting"
    return JoinRoom(place) if _sits(entry, me) or free else WatchRoom(place)


def _bot_cells(bot: BotLine, games: Collection[str]) -> tuple[str, ...]:
    levels = f"levels 1 to {bot.levels}" if bot.levels else ""
    return (_bot_key(bot), _played(bot, games), levels, f"{bot.free} free")


def _played(bot: BotLine, games: Collection[str]) -> str:
    """Return what a bot plays, in a few words."""
    if not bot.games or (games and set(games) <= set(bot.games)):
        return "all games"
    missing = [game for game in games if game not in bot.games]
    if len(missing) == 1 and len(bot.games) > NAMED_GAMES:
        return f"all but {missing[0]}"
    if len(bot.games) > NAMED_GAMES:
        return f"{len(bot.games)} games"
    return ", ".join(bot.games)


def pick_menu(pick: Pick, games: Iterable[str]) -> Menu | CreateRoom:
    """Return the next choice about a bot, of `games` or a level, or at last the command."""
    played = [game for game in games if not pick.bot.games or game in pick.bot.games]
    if pick.game is None and len(played) != 1:
        return game_menu(pick.bot, played)
    game = pick.game or played[0]
    return (
        level_menu(pick.bot, game) if pick.bot.levels else CreateRoom(game, who=_bot_key(pick.bot))
    )


def game_menu(bot: BotLine, games: Iterable[str]) -> Menu:
    """Return the games that can be played against a bot."""
    rows = [
        Row(i, f"Which game against {bot.program}?", (game,), Pick(bot, game))
        for i, game in enumerate(games, 1)
    ]
    return Menu(tuple(rows), "Type a number; /rooms goes back.")


def level_menu(bot: BotLine, game: str) -> Menu:
    """Return the levels of a bot: a row's number is its level."""
    remarks = {1: "the weakest", USUAL_LEVEL: "the usual one", bot.levels: "the strongest"}
    rows = [
        Row(
            level,
            f"How strong should {bot.program} play?",
            (f"level {level}", remarks.get(level, "")),
            CreateRoom(game, who=_bot_key(bot), strength=Strength(level=level)),
        )
        for level in range(1, bot.levels + 1)
    ]
    return Menu(tuple(rows), "Type a number; /rooms goes back.")


def menu_lines(
    menu: Menu, rows: int = 1000, numbered: bool = True, wide: int = 1000
) -> list[StyledText]:
    """Return the menu in at most `rows` lines; what matters least goes where they are narrow."""
    lines: list[StyledText] = []
    for head in dict.fromkeys(row.head for row in menu.rows):
        group = [row for row in menu.rows if row.head == head]
        lines += [styled(("title", head)), *row_lines(group, numbered, wide), ()]
    if not lines:
        lines = [styled(("dim", "No rooms and no bots here yet.")), ()]
    if menu.people:
        lines = [styled(("title", "Here now  "), menu.people), (), *lines]
    surplus = len(lines) + 1 - rows
    if surplus > 0:
        lines = [*lines[: max(0, rows - 2)], styled(("dim", "… more: /rooms lists all"))]
    return [*lines, styled(("dim", menu.foot))] if menu.foot else lines[:-1]


def row_lines(rows: list[Row], numbered: bool, wide: int = 1000) -> list[StyledText]:
    """Rows with their cells in columns, those that matter least left out until they fit."""
    widths = [max(map(width, column)) for column in zip(*(row.cells for row in rows), strict=True)]
    gone: set[int] = set()
    for cell in rows[0].least:
        if 5 + sum(w + 3 for i, w in enumerate(widths) if i not in gone) - 3 > wide:
            gone.add(cell)
    widths = [w for i, w in enumerate(widths) if i not in gone]
    lines: list[StyledText] = []
    for row in rows:
        kept = [cell for i, cell in enumerate(row.cells) if i not in gone]
        cells = "   ".join(pad(cell, w) for cell, w in zip(kept, widths, strict=True))
        number: StyledPart = ("key", f"{row.number:3}  " if numbered else "  ")
        lines.append(styled(number, cells.rstrip()))
    return lines


def room_lines(
    room: RoomState,
    seat: int | None,
    catalog: Collection[GameInfo] = (),
    invitation: Invitation | None = None,
    wide: int = 80,
    rows: int = 1000,
) -> list[StyledText]:
    """Return a room before its first match: who sits there, what it waits for, who else gets in."""
    game = named_game(room.game, catalog)
    private = f"private, code {room.code}" if room.code else "private"
    kind = "public" if room.options.public else private
    terms = [*terms_text(room.options), clock_text(room.options)]
    called = [room.name] if room.name else []
    head = f"   {', '.join([f'room {room.room}', *called, kind, *terms])}"
    lines = [styled(("title", game_title(room.game, catalog)), ("dim", head)), ()]
    marks = max(width(mark(game, s)) for s in (0, 1))
    for s, player in enumerate(room.seats):
        side: StyledPart = (f"seat{s}", pad(mark(game, s), marks))
        lines.append(styled(side, f"  {_seat_text(room, s, player, seat)}"))
    lines += [(), styled(("turn" if seat is not None else "dim", _need(room, seat)))]
    if invitation is None or seat is None or None not in room.seats:
        return lines
    return with_invitation(lines, invitation, wide, rows)


def _seat_text(room: RoomState, s: int, player: Player | None, mine: int | None) -> str:
    if player is None:
        return "(free)"
    you = " (you)" if s == mine else " (away)" if player.absent else ""
    ready = "ready" if room.ready[s] else "not ready yet"
    score = f", {points(room.score[s])} won" if any(room.score) else ""
    return f"{title(player)}{you}, {ready}{score}"


def _need(room: RoomState, seat: int | None) -> str:
    """Return what the room waits for, as this seat can help it."""
    key = room.code or str(room.room)
    if seat is None:
        free = f"; /join {key} takes the free seat" if None in room.seats else ""
        return f"You are watching{free}."
    if room.seats[1 - seat] is None:
        if room.ready[seat]:
            return "The match starts as soon as somebody joins."
        return "/ready, and who joins starts the match."
    if room.ready[seat]:
        return f"Waiting for {title(room.seats[1 - seat])} to be ready."
    return "/ready starts the match."
