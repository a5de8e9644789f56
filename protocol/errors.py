"""Every way a message can fail, and the stable code word for each.

    PlyhouseError
    ├── ProtocolError   the peer broke the protocol: the answer says why, then the connection closes
    └── Refusal         a request that cannot be granted: the answer says why, and all goes on

A third kind of failure, a bug, has no class here: it is whatever Python raises.
Codes are part of the protocol: docs/reference/limits.md lists them, and none changes its meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum


class Code(StrEnum):
    """A stable word, `area/what`, that a program acts upon; the sentence beside is for people."""

    PROTOCOL_BAD_FRAME = "protocol/bad-frame"
    PROTOCOL_BAD_MESSAGE = "protocol/bad-message"
    PROTOCOL_TOO_LARGE = "protocol/too-large"
    PROTOCOL_UNKNOWN_TYPE = "protocol/unknown-type"
    PROTOCOL_WRONG_VERSION = "protocol/wrong-version"

    SESSION_BAD_BOT = "session/bad-bot"
    SESSION_BAD_LINK = "session/bad-link"
    SESSION_BAD_NAME = "session/bad-name"
    SESSION_BAD_TOKEN = "session/bad-token"
    SESSION_BANNED = "session/banned"
    SESSION_FLOOD = "session/flood"
    SESSION_HAS_RECOVERY = "session/has-recovery"
    SESSION_HELLO_AGAIN = "session/hello-again"
    SESSION_HELLO_FIRST = "session/hello-first"
    SESSION_KICKED = "session/kicked"
    SESSION_MOVED = "session/moved"
    SESSION_NAME_TAKEN = "session/name-taken"
    SESSION_NO_DEVICE = "session/no-device"
    SESSION_RELEASED = "session/released"
    SESSION_REPLACED = "session/replaced"
    SESSION_TOO_MANY = "session/too-many"
    SESSION_TOO_MANY_NAMES = "session/too-many-names"

    LOBBY_BAD_OPTION = "lobby/bad-option"
    LOBBY_NO_ROOM = "lobby/no-room"
    LOBBY_TOO_MANY_ROOMS = "lobby/too-many-rooms"
    LOBBY_UNKNOWN_GAME = "lobby/unknown-game"

    ROOM_BUSY = "room/busy"
    ROOM_CLOSED = "room/closed"
    ROOM_FAILED = "room/failed"
    ROOM_FULL = "room/full"
    ROOM_MATCH_ON = "room/match-on"
    ROOM_MOVING = "room/moving"
    ROOM_NO_MATCH = "room/no-match"
    ROOM_NOT_OWNER = "room/not-owner"
    ROOM_NOT_SEATED = "room/not-seated"
    ROOM_PURGED = "room/purged"
    ROOM_SEAT_EMPTY = "room/seat-empty"
    ROOM_SEAT_TAKEN = "room/seat-taken"
    ROOM_WRONG_CODE = "room/wrong-code"

    MATCH_BAD_NOTATION = "match/bad-notation"
    MATCH_BAD_NOTE = "match/bad-note"
    MATCH_BAD_SALT = "match/bad-salt"
    MATCH_ILLEGAL_ACTION = "match/illegal-action"
    MATCH_NO_DRAWING = "match/no-drawing"
    MATCH_NO_OFFER = "match/no-offer"
    MATCH_NOT_ABSENT = "match/not-absent"
    MATCH_NOT_ALLOWED = "match/not-allowed"
    MATCH_NOT_YOUR_TURN = "match/not-your-turn"
    MATCH_OFFER_AGAIN = "match/offer-again"
    MATCH_OVER = "match/over"
    MATCH_STALE_TURN = "match/stale-turn"
    MATCH_TOO_LATE_TO_ABORT = "match/too-late-to-abort"

    CHAT_BAD_TEXT = "chat/bad-text"
    CHAT_MUTED = "chat/muted"

    ANALYSIS_BAD_REPORT = "analysis/bad-report"
    ANALYSIS_BUSY = "analysis/busy"
    ANALYSIS_NO_BOT = "analysis/no-bot"
    ANALYSIS_NOT_OVER = "analysis/not-over"
    HINT_BUSY = "hint/busy"
    HINT_NO_BOT = "hint/no-bot"
    INVITE_BUSY = "invite/busy"
    INVITE_NOT_INVITED = "invite/not-invited"
    INVITE_NO_SUCH_PLAYER = "invite/no-such-player"
    INVITE_PRIVATE = "invite/private"

    LADDER_BAD_FORMAT = "ladder/bad-format"
    LADDER_BAD_NAME = "ladder/bad-name"
    LADDER_BAD_OPTION = "ladder/bad-option"
    LADDER_FINISHED = "ladder/finished"
    LADDER_NAME_TAKEN = "ladder/name-taken"
    LADDER_NO_PLAYER = "ladder/no-player"
    LADDER_NO_RATINGS = "ladder/no-ratings"
    LADDER_NOT_A_BOT = "ladder/not-a-bot"
    LADDER_NOT_INVITED = "ladder/not-invited"
    LADDER_NOT_JOINED = "ladder/not-joined"
    LADDER_NOT_OWNER = "ladder/not-owner"
    LADDER_QUOTA = "ladder/quota"
    LADDER_SIBLINGS = "ladder/siblings"
    LADDER_SUSPENDED = "ladder/suspended"
    LADDER_TOO_MANY = "ladder/too-many"
    LADDER_UNKNOWN = "ladder/unknown"
    LADDER_VERSION_CLASH = "ladder/version-clash"
    LADDER_WRONG_GAME = "ladder/wrong-game"

    PAST_NO_PERSON = "past/no-person"

    SERVER_CLOSING = "server/closing"
    SERVER_DISK_FULL = "server/disk-full"
    SERVER_DRAINING = "server/draining"
    SERVER_MOVING = "server/moving"
    SERVER_NOT_STORED = "server/not-stored"
    SERVER_UNANSWERED = "server/unanswered"


class PlyhouseError(Exception):
    """The root of everything that is raised on purpose across the wire."""

    def __init__(self, code: Code | str, text: str) -> None:
        super().__init__(f"{text} [{code}]")
        self.code = code
        self.text = text


class ProtocolError(PlyhouseError):
    """The peer sent bytes that are no message of this protocol.

    `re` is the id of the request at fault where it could still be read.
    `fatal` says whether the connection closes after the answer.
    """

    def __init__(
        self, code: Code | str, text: str, *, re: int | None = None, fatal: bool = True
    ) -> None:
        super().__init__(code, text)
        self.re = re
        self.fatal = fatal


class Refusal(PlyhouseError):
    """A coded "no".  `legal`: the legal actions where that helps, `suggestion` a better try.

    `retry_ms`: when the same may be asked again.  `match`: of a request that was not looked at.
    """

    def __init__(
        self,
        code: Code | str,
        text: str,
        *,
        legal: Sequence[str] | None = None,
        suggestion: str | None = None,
        retry_ms: int | None = None,
        match: str | None = None,
    ) -> None:
        super().__init__(code, text)
        self.legal = tuple(legal) if legal is not None else None
        self.suggestion = suggestion
        self.retry_ms = retry_ms
        self.match = match
