"""The commands that a person can type in a session, as values.

Parsing is in grammar.py; what each command does is in client/terminal/dispatch.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from client.errors import ClientError
from client.terminal.typed.terms import RoomReference
from protocol.parts import Options, Seat, Strength


@dataclass(frozen=True, slots=True)
class TypedAction:
    """Words without a slash: an action in notation, `#3`, or a number of what is shown."""

    text: str


@dataclass(frozen=True, slots=True)
class Chat:
    """Something to say at the table."""

    text: str


@dataclass(frozen=True, slots=True)
class AnalyseMatch:
    """Have a bot go through the match that is over, or through its whole series."""

    whole_series: bool = False


@dataclass(frozen=True, slots=True)
class CreateRoom:
    """Open a room, and invite `who` to it."""

    game: str
    options: Options = field(default_factory=Options)
    seat: Seat | None = 0
    who: str | None = None
    strength: Strength = field(default_factory=Strength)


@dataclass(frozen=True, slots=True)
class SeekOpponent:
    """Sit down with who wants the same, or wait for them."""

    game: str
    options: Options = field(default_factory=Options)


@dataclass(frozen=True, slots=True)
class JoinRoom:
    """Join a room."""

    place: RoomReference


@dataclass(frozen=True, slots=True)
class WatchRoom:
    """Watch a room."""

    place: RoomReference


@dataclass(frozen=True, slots=True)
class InvitePlayer:
    """Invite somebody to the room."""

    who: str
    strength: Strength


@dataclass(frozen=True, slots=True)
class Rename:
    """Go on under another name."""

    name: str


@dataclass(frozen=True, slots=True)
class NameRoom:
    """Name the room anew."""

    name: str


@dataclass(frozen=True, slots=True)
class Best:
    """List the best people at a game; at that of the room where none is named."""

    game: str


@dataclass(frozen=True, slots=True)
class Legal:
    """List the legal actions, those with `text` in them."""

    text: str


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Lose the match, or offer to lose so many points."""

    points: int | None = None


@dataclass(frozen=True, slots=True)
class Help:
    """The commands, or one of them."""

    topic: str


@dataclass(frozen=True, slots=True)
class Quit:
    """Quit; `later`: without giving up a match."""

    later: bool = False


@dataclass(frozen=True, slots=True)
class NewRecovery:
    """Show a recovery code, in place of the `old` one if there is one, or of one that is `lost`."""

    old: str | None = None
    lost: bool = False


@dataclass(frozen=True, slots=True)
class ListDevices:
    """List the devices of one's name; `cut`: after that one is cut off."""

    cut: int | None = None


@dataclass(frozen=True, slots=True)
class BareCommand:
    """A command without words after it, by its name."""

    what: str


# What a session carries out; Quit ends it.
SessionCommand: TypeAlias = (
    TypedAction
    | Chat
    | CreateRoom
    | SeekOpponent
    | JoinRoom
    | WatchRoom
    | InvitePlayer
    | Rename
    | NameRoom
    | Best
    | Legal
    | GiveUp
    | AnalyseMatch
    | Help
    | NewRecovery
    | ListDevices
    | BareCommand
)
Command: TypeAlias = SessionCommand | Quit


class BadCommand(ClientError):
    """A line that means no command; the text is a sentence that says what would."""
