"""What the core asks its caller to do once the events are durable.  Values, nothing else."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from protocol.errors import Refusal
from protocol.messages import Error, Invited, Push
from protocol.parts import Strength
from server.core.events import Who


class Reply(Struct, frozen=True):
    """Answer the request that is being handled (its `id` is filled in)."""

    message: Push


class Broadcast(Struct, frozen=True):
    """Send one message to all who follow the room; `seated`: to those alone who sit there, or, if
    it is False, to those who look on.
    """

    message: Push
    seated: bool | None = None


class ShowRoom(Struct, frozen=True):
    """Send the room's new state to all who follow it, and to the lobby."""


class ShowMatch(Struct, frozen=True):
    """Send the match's new state to all who follow the room."""


class Resend(Struct, frozen=True):
    """Send the match's state to the asker alone, who seems to have missed it."""


class Follow(Struct, frozen=True):
    """Let the asker's connection follow the room, and show it; or follow no longer."""

    on: bool


class Dismiss(Struct, frozen=True):
    """Let this player's connections follow the room no longer."""

    who: Who


class SendInvitation(Struct, frozen=True):
    """Find the player whom `name` means and hand over the invitation, or refuse.

    `private`: the invitation holds a private room's code; `by_owner`: that room's owner asks.
    """

    name: str
    game: str
    strength: Strength
    invited: Invited
    private: bool = False
    by_owner: bool = True


class Ask(Struct, frozen=True):
    """Find a bot that plays this game and ask it for advice on behalf of the asker.

    `only`: the sessions that play a private match, about which no other stranger's bot is asked.
    """

    match: str
    turn: int
    game: str
    position: str
    legal: tuple[str, ...]
    only: tuple[int, ...] | None = None


class LogError(Struct, frozen=True):
    """Tell the host, in the text that a server prints, of rules that failed."""

    text: str


Effect: TypeAlias = (
    Reply | Broadcast | ShowRoom | ShowMatch | Resend | Follow | Dismiss | SendInvitation | Ask
    | LogError
)  # fmt: skip

SHOW_ROOM = ShowRoom()
SHOW_MATCH = ShowMatch()


def refusal(no: Refusal) -> Error:
    """Return a refusal as the wire says it."""
    return Error(
        code=str(no.code), text=no.text, legal=no.legal, suggestion=no.suggestion,
        retry_ms=no.retry_ms, match=no.match,
    )  # fmt: skip
