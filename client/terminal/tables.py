"""The lobby and a room in which nobody plays yet, as lines.

The rows of the lobby are numbered, and typing a number takes the row.  A row keeps its number while
it is there, however the lobby changes: nobody shall sit down elsewhere because a line moved up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from client.terminal.board import known_game
from client.terminal.commands import Command, Follow, Open, Sit
from client.terminal.lines import Line, Part, line, pad, width
from client.terminal.terms import Place, format_clock
from client.terminal.wording import full_title, game_title, mark, points, title
from protocol.messages import BotLine, LobbyList, Player, RoomLine, RoomState, Strength

NAMED_GAMES: Final = 2  # of a bot that plays so few, they are named
USUAL_LEVEL: Final = 4  # what the house's bots play at where nobody says, and there is no clock


@dataclass(frozen=True, slots=True)
class Pick:
    """A bot was chosen, but not the game yet, or not how strong it shall be."""

    bot: BotLine
    game: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that can be chosen; `head` is the title it stands under."""

    number: int
    head: str
    cells: tuple[str, ...]
    choice: Command | Pick


@dataclass(frozen=True, slots=True)
class Menu:
    """Rows to choose from, and what is said under them."""

    rows: tuple[Row, ...] = ()
    foot: str = ""
    numbers: Mapping[str, int] = field(default_factory=dict)

    def choice(self, text: str) -> Command | Pick | None:
        """What the number `text` stands for."""
        digits = text.removeprefix("#")
        found = [row.choice for row in self.rows if str(row.number) == digits]
        return found[0] if found else None


def lobby_menu(lobby: LobbyList, me: str, before: Menu, games: Collection[str] = ()) -> Menu:
    """The rooms and bots, numbered as in `before` where they were there; `games`: the house's."""
    keys = [f"room {entry.room}" for entry in lobby.rooms] + [_bot_key(bot) for bot in lobby.bots]
    numbers = _number(before.numbers, keys)
    rows = [
        Row(numbers[f"room {entry.room}"], "Rooms", _room_cells(entry, me), _room_choice(entry, me))
        for entry in lobby.rooms
    ] + [
        Row(numbers[_bot_key(bot)], "Bots", _bot_cells(bot, games), Pick(bot)) for bot in lobby.bots
    ]
    more = lobby.total - len(lobby.rooms)
    foot = "Type a number, or /create GAME to open a room; /help lists the rest."
    if more > 0:
        foot = f"{more:,} more rooms are here.  Type a number, or /create GAME; /help tells more."
    return Menu(tuple(rows), foot, numbers)


def _bot_key(bot: BotLine) -> str:
    return f"{bot.name}/{bot.program}"


def _number(before: Mapping[str, int], keys: Iterable[str]) -> dict[str, int]:
    """A number for each key: the one it had, or one that no other has or had just now."""
    wanted = list(keys)
    numbers = {key: before[key] for key in wanted if key in before}
    top = max(before.values(), default=0) if numbers else 0
    for key in wanted:
        if key not in numbers:
            top += 1
            numbers[key] = top
    return numbers


def _room_cells(entry: RoomLine, me: str) -> tuple[str, ...]:
    players = " – ".join(full_title(p) if p else "(free)" for p in entry.seats)
    game = game_title(entry.game, known_game(entry.game))
    clock = format_clock(entry.options.clock)
    return (f"room {entry.room}", game, players, clock, _state(entry, me))


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


def _room_choice(entry: RoomLine, me: str) -> Command:
    place = Place(room=entry.room)
    free = None in entry.seats and entry.state == "waiting"
    return Sit(place) if _sits(entry, me) or free else Follow(place)


def _bot_cells(bot: BotLine, games: Collection[str]) -> tuple[str, ...]:
    levels = f"levels 1 to {bot.levels}" if bot.levels else ""
    return (_bot_key(bot), _played(bot, games), levels, f"{bot.free} free")


def _played(bot: BotLine, games: Collection[str]) -> str:
    """What a bot plays, in a few words."""
    if not bot.games or (games and set(games) <= set(bot.games)):
        return "all games"
    missing = [game for game in games if game not in bot.games]
    if len(missing) == 1 and len(bot.games) > NAMED_GAMES:
        return f"all but {missing[0]}"
    if len(bot.games) > NAMED_GAMES:
        return f"{len(bot.games)} games"
    return ", ".join(bot.games)


def pick_menu(pick: Pick, games: Iterable[str]) -> Menu | Open:
    """What is to be chosen next about a bot: one of `games`, then a level; or all is chosen."""
    played = [game for game in games if not pick.bot.games or game in pick.bot.games]
    if pick.game is None and len(played) != 1:
        return game_menu(pick.bot, played)
    game = pick.game or played[0]
    return level_menu(pick.bot, game) if pick.bot.levels else Open(game, who=_bot_key(pick.bot))


def game_menu(bot: BotLine, games: Iterable[str]) -> Menu:
    """The games that can be played against a bot."""
    rows = [
        Row(i, f"Which game against {bot.program}?", (game,), Pick(bot, game))
        for i, game in enumerate(games, 1)
    ]
    return Menu(tuple(rows), "Type a number; /rooms goes back.")


def level_menu(bot: BotLine, game: str) -> Menu:
    """The levels of a bot: a row's number is its level."""
    said = {1: "the weakest", USUAL_LEVEL: "the usual one", bot.levels: "the strongest"}
    rows = [
        Row(
            level,
            f"How strong shall {bot.program} be?",
            (f"level {level}", said.get(level, "")),
            Open(game, who=_bot_key(bot), strength=Strength(level=level)),
        )
        for level in range(1, bot.levels + 1)
    ]
    return Menu(tuple(rows), "Type a number; /rooms goes back.")


def menu_lines(menu: Menu, rows: int = 1000, numbered: bool = True) -> list[Line]:
    """The menu in at most `rows` lines."""
    found: list[Line] = []
    for head in dict.fromkeys(row.head for row in menu.rows):
        group = [row for row in menu.rows if row.head == head]
        found += [line(("title", head)), *row_lines(group, numbered), ()]
    if not found:
        found = [line(("dim", "No rooms and no bots here yet.")), ()]
    over = len(found) + 1 - rows
    if over > 0:
        found = [*found[: max(0, rows - 2)], line(("dim", "… more: /rooms lists all"))]
    return [*found, line(("dim", menu.foot))] if menu.foot else found[:-1]


def row_lines(rows: list[Row], numbered: bool) -> list[Line]:
    """Rows with their cells in columns."""
    wide = [max(map(width, column)) for column in zip(*(row.cells for row in rows), strict=True)]
    found: list[Line] = []
    for row in rows:
        cells = "   ".join(pad(cell, w) for cell, w in zip(row.cells, wide, strict=True))
        number: Part = ("key", f"{row.number:3}  " if numbered else "  ")
        found.append(line(number, cells.rstrip()))
    return found


def room_lines(room: RoomState, seat: int | None) -> list[Line]:
    """A room before its first match: who sits there, and what is needed for it to start."""
    game = known_game(room.game)
    private = f"private, code {room.code}" if room.code else "private"
    kind = "public" if room.options.public else private
    head = f"   room {room.room}, {kind}, {format_clock(room.options.clock)}"
    found = [line(("title", game_title(room.game, game)), ("dim", head)), ()]
    marks = max(width(mark(game, s)) for s in (0, 1))
    for s, player in enumerate(room.seats):
        side: Part = (f"seat{s}", pad(mark(game, s), marks))
        found.append(line(side, f"  {_seat_text(room, s, player, seat)}"))
    return [*found, (), line(("turn" if seat is not None else "dim", _need(room, seat)))]


def _seat_text(room: RoomState, s: int, player: Player | None, mine: int | None) -> str:
    if player is None:
        return "(free)"
    you = " (you)" if s == mine else " (away)" if player.absent else ""
    ready = "ready" if room.ready[s] else "not ready yet"
    score = f", {points(room.score[s])} won" if any(room.score) else ""
    return f"{title(player)}{you}, {ready}{score}"


def _need(room: RoomState, seat: int | None) -> str:
    """What the room waits for, as this seat can help it."""
    key = room.code or str(room.room)
    if seat is None:
        free = f"; /join {key} takes the free seat" if None in room.seats else ""
        return f"You are watching{free}."
    if room.seats[1 - seat] is None:
        return f"plyhouse play --join {key}  lets anybody in; /invite WHO asks somebody here"
    if room.ready[seat]:
        return f"Waiting for {title(room.seats[1 - seat])} to be ready."
    return "/ready starts the match."
