"""Whose each name is: all logins, by number, name, token and recovery code.

An owner and not a value: the lobby has one.  Tokens and codes are kept as hashes only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from msgspec.structs import replace

from protocol.errors import Code, Refusal
from protocol.notation import parse_code
from server.core import session as sessions
from server.core.events import Who
from server.core.names import devices, lookalikes
from server.core.names.numbers import NumberBlocks
from server.core.session import Session

LinkCodes: TypeAlias = Mapping[str, tuple[int, int]]  # code -> (session, until)
NO_LINKS: Final[LinkCodes] = MappingProxyType({})
HOUSE: Final = "house"  # the server's own name; only its bots' process has the token
FALLBACK_NAME: Final = "player"  # what somebody is offered who may not be called as they asked
MAX_TRIED: Final = 20  # names with a small number behind them that are tried
LINK_MS: Final = 120_000  # how long a code to link a device is good

SETTLED_MS: Final = 24 * 3_600_000  # until a device may say that the recovery code is lost

NEW_MS: Final = 3_600_000  # how long a name is new ...
YOUNG_MS: Final = 24 * NEW_MS  # ... and young
# How long an unused name stays its owner's.
GUEST_KEPT_MS: Final = 3_600_000  # a guest that has not played: a computer that slept for a moment
NAME_KEPT_MS: Final = 24 * 3_600_000  # a name that has not played
LONG_KEPT_MS: Final = 180 * 24 * 3_600_000  # who has played, or has a recovery code: long holidays


class Register:
    """Sessions and their names.  `since`: when the server began; no client was seen while it was
    off.

    `house`: the number of the house's own session, once there is one; `house_programs`: the names
    of its bots, as far as they are known.  Each of the `holders` says which sessions hold
    something, such as a seat or a ladder: their names are not free.  `numbers`: of new sessions,
    None where this server alone gives them out.
    """

    def __init__(
        self, stored: Iterable[Session], since: int, numbers: NumberBlocks | None = None
    ) -> None:
        self.since = since
        self.holders: list[Callable[[], Container[int]]] = []
        self.house: int | None = None
        self.house_programs: set[str] = set()
        self._house_skeletons: set[str] = set()
        self.sessions: dict[int, Session] = {}
        self.by_name: dict[str, int] = {}  # without regard to case; each name is there once
        self.by_skeleton: dict[str, tuple[int, ...]] = {}  # see lookalikes.keys
        self.by_token: dict[bytes, int] = {}
        self.by_recovery: dict[bytes, int] = {}
        self.link_codes: dict[str, tuple[int, int]] = {}
        self._to_look_at: list[int] = []  # sessions, by forget_unused, the last of them next
        self._born: dict[int, int] = {}  # when each new session began, the oldest first
        self.next_number = 1
        self.numbers = numbers
        for session in sorted(stored, key=lambda session: session.number):
            self.keep(session)

    def is_new(self, number: int, now: int, within: int = NEW_MS) -> bool:
        """Return whether a session began within the hour, or is a guest's, who is not known.

        `within`: or within so many ms, at most YOUNG_MS.  Sessions of before this server's start
        are not new: no row says when one began.
        """
        while self._born and now - next(iter(self._born.values())) > YOUNG_MS:
            del self._born[next(iter(self._born))]
        session = self.sessions.get(number)
        born = self._born.get(number, now - within - 1)
        return now - born <= within or (session is not None and session.guest)

    def note_new(self, session: Session) -> None:
        """Note that a session begins; its number does not tell, as each server has a block."""
        self._born[session.number] = session.seen

    def is_former(self, who: Who) -> bool:
        """Return whether somebody's name of some time is not theirs any more."""
        session = self.sessions.get(who.session)
        return session is None or session.name != who.name

    def keep(self, session: Session) -> Session | None:
        """Keep a session, and drop and return the one that had its name."""
        number, folded = session.number, lookalikes.fold(session.name)
        owner, born = self.by_name.get(folded), self._born.get(number)
        before = self.sessions[owner] if owner is not None else None
        if before is not None:
            self.drop(before)
        if born is not None:  # a name that comes to another device is no older for it
            self._born[number] = born
        self.sessions[number] = session
        self.by_name[folded] = number
        for key in lookalikes.keys(session.name):
            self.by_skeleton[key] = (*self.by_skeleton.get(key, ()), number)
        self.by_token |= dict.fromkeys(devices.tokens_of(session), number)
        if session.recovery:
            self.by_recovery[session.recovery] = number
        self.next_number = max(self.next_number, number + 1)
        return before

    def take(self, session: Session) -> None:
        """Keep a session as another server has stored it."""
        known = self.sessions.get(session.number)
        if known is None or known.name != session.name:
            if known is not None:
                self.drop(known)
            else:
                self.note_new(session)
            self.keep(session)
            return
        if devices.tokens_of(known) != devices.tokens_of(session):
            self.void_links(session.number)  # one is used up, or was a lost device's
        self.update(replace(session, label=known.label))

    def fresh_number(self) -> int:
        """Return the number of a new session.

        Raises:
            Refusal: room/busy, where there is none at the moment.
        """
        return self.next_number if self.numbers is None else self.numbers.take()

    def never_again(self, number: int) -> None:
        """Give no number up to this one to a new session: what was played under it is not its."""
        self.next_number = max(self.next_number, number + 1)

    def drop(self, session: Session) -> None:
        """Forget a session."""
        del self.sessions[session.number]
        self._born.pop(session.number, None)
        for token in devices.tokens_of(session):
            del self.by_token[token]
        del self.by_name[lookalikes.fold(session.name)]
        self.by_recovery.pop(session.recovery, None)
        for key in lookalikes.keys(session.name):
            others = tuple([n for n in self.by_skeleton.pop(key) if n != session.number])
            if others:
                self.by_skeleton[key] = others

    # ------------------------------------------------------------ who comes back

    def of_name(self, name: str) -> int | None:
        """Return the number of the session that has this name, in whatever case it is written."""
        return self.by_name.get(lookalikes.fold(name))

    def token_hashes(self, name: str) -> list[bytes]:
        """Return what is stored of the tokens of exactly this name; none if no session has it."""
        session = self.sessions.get(self.by_name.get(lookalikes.fold(name), 0))
        is_known = session is not None and session.name == name
        return devices.tokens_of(session) if session is not None and is_known else []

    def of_token(self, token: str) -> int:
        """Return the number of the session with this token; Refusal session/bad-token."""
        number = self.by_token.get(sessions.hash_token(token))
        if number is None:
            raise Refusal(
                Code.SESSION_BAD_TOKEN,
                "this server does not know you any more: it has another database, or this device"
                " was cut off, or your name was not used for long; start again under a new name",
            )
        return number

    def link(self, number: int, code: str, now: int) -> None:
        """Let `code` link another device to a session for two minutes."""
        self.link_until(number, code, now + LINK_MS, now)

    def link_until(self, number: int, code: str, until: int, now: int) -> None:
        """Let `code` link another device to a session until then."""
        self.void_links(number)
        self.link_codes = {c: (n, t) for c, (n, t) in self.link_codes.items() if t >= now}
        self.link_codes[code] = (number, until)

    def step(self, ms: int) -> None:
        """Let the time go forward: no client could be seen meanwhile, nor use a code."""
        self.since += ms
        self.link_codes = {c: (n, t + ms) for c, (n, t) in self.link_codes.items()}

    def void_links(self, number: int) -> LinkCodes:
        """Let no code link a device to this session any more; return those that could."""
        links = {c: (n, t) for c, (n, t) in self.link_codes.items() if n == number}
        for code in links:
            del self.link_codes[code]
        return links

    def linked(self, code: str, now: int) -> Session:
        """Return the session that a code links a device to: a link code or a recovery code.

        A link code is used up once `void_links` is called, as the hello that brings it is granted.

        Raises:
            Refusal: session/bad-link.
        """
        number, until = self.link_codes.get(parse_code(code), (0, 0))
        if now > until:
            number = self.by_recovery.get(hash_code(code), 0)
        if number not in self.sessions:
            text = "this code is wrong, was used, or is a link code older than two minutes"
            raise Refusal(Code.SESSION_BAD_LINK, text)
        return self.sessions[number]

    def set_recovery(
        self, number: int, code: str, old: str | None = None, since: int | None = None
    ) -> Session:
        """Give a session a recovery code in place of the `old` one; the row to store.

        `since`: for how long the device has been the name's that says that the old one is lost.
        One that has just been linked, by a code that somebody has seen in passing, cannot say so.

        Raises:
            Refusal: session/has-recovery.
        """
        session = self.sessions[number]
        knows = session.recovery == hash_code(old or "")
        if session.recovery and not knows and (since is None or since < SETTLED_MS):
            text = "this name has a recovery code, which was shown once; who has it can replace it"
            if since is not None:
                text = "this device is not a day old: only by the old code can it have a new one"
            raise Refusal(Code.SESSION_HAS_RECOVERY, text)
        return self.update(replace(session, recovery=hash_code(code)))

    def update(self, session: Session) -> Session:
        """Keep a session in place of the one with the same number and name."""
        before = self.sessions[session.number]
        if before.recovery != session.recovery:
            self.by_recovery.pop(before.recovery, None)
            if session.recovery:
                self.by_recovery[session.recovery] = session.number
        if before.token is not session.token or before.devices is not session.devices:
            for token in devices.tokens_of(before):
                del self.by_token[token]
            self.by_token |= dict.fromkeys(devices.tokens_of(session), session.number)
        self.sessions[session.number] = session
        return session

    def seen(self, number: int, now: int, device: int, label: str = "") -> Session:
        """Note that a session's owner was here, on this device; the row to store."""
        return self.update(devices.seen(self.sessions[number], device, label, now))

    def cut(self, number: int, device: int) -> Session:
        """Cut a device off from a name, which is on another one as well; the row to store.

        Raises:
            Refusal: session/no-device.
        """
        session = self.sessions[number]
        numbers = [each.number for each in devices.devices_of(session)]
        if device not in numbers:
            raise Refusal(Code.SESSION_NO_DEVICE, f"this name is on no device of number {device}")
        if len(numbers) == 1:
            text = "this name is on no other device: cut off from this one it would be lost"
            raise Refusal(Code.SESSION_NO_DEVICE, text)
        self.void_links(number)  # they may be the device's
        return self.update(devices.without(session, device))

    # ------------------------------------------------------------ the house

    def own_house(self, known: Iterable[str], token: str, now: int) -> tuple[Session | None, str]:
        """Make `house` the server's own session, whatever session had the name before.

        `known`: the tokens that the server has kept; `token`: a fresh one.

        Returns:
            The session, if it is to be stored, and the token that it has.
        """
        number = self.by_name.get(HOUSE)
        if number is None:
            session = Session(self.fresh_number(), HOUSE, sessions.hash_token(token), now)
            self.keep(session)
            self.house = session.number
            return session, token
        self.house, session = number, self.sessions[number]
        for each in known:
            if sessions.hash_token(each) == session.token:
                return None, each
        self.void_links(number)
        fresh = replace(
            session, token=sessions.hash_token(token), recovery=b"", guest=False, devices=()
        )
        return self.update(fresh), token

    def is_house(self, number: int) -> bool:
        """Return whether this is the house's own session."""
        return number == self.house

    def is_guest(self, number: int) -> bool:
        """Return whether a session has not chosen its name."""
        session = self.sessions.get(number)
        return session is not None and session.guest

    def add_house_program(self, program: str) -> None:
        """Note that a bot of the house has this name, which no other may take then."""
        self.house_programs.add(program.casefold())
        self.reserve(program)

    def reserve(self, program: str) -> None:
        """Let no one have the name of a bot, or one that looks like it."""
        self._house_skeletons |= lookalikes.keys(program)

    # ------------------------------------------------------------ which names are free

    def check_free(self, name: str, now: int) -> None:
        """Refuse a name that is somebody's, or looks as if it were.

        Raises:
            Refusal: session/name-taken, with one that is free.
        """
        if self._is_reserved(name):
            free = self.free(FALLBACK_NAME, now)
            text = f"{name!r} looks like a name of the server's own; {free!r} is free"
        else:
            free = self.free(name, now)
            if free == name:
                return
            text = f"{name!r} is somebody else's, or looks like it; {free!r} is free"
        raise Refusal(Code.SESSION_NAME_TAKEN, text, suggestion=free)

    def _is_reserved(self, name: str) -> bool:
        if lookalikes.is_reserved(name):
            return True
        return not self._house_skeletons.isdisjoint(lookalikes.keys(name))

    def free(self, name: str, now: int) -> str:
        """Return this name, or one with a number behind it that is free."""
        n, free = 2, name
        while not self._is_free(free, now):
            end = f"-{n}"
            n, free = n + 1, name[: sessions.MAX_NAME - len(end)] + end
            if n == MAX_TRIED:
                n = max(n, self.next_number)  # those who took the small ones cost no time
        return free

    def _is_free(self, name: str, now: int) -> bool:
        """Whether a name is free, or its owner long gone, and no other name looks like it."""
        owner = self.by_name.get(name.casefold())
        numbers = {n for key in lookalikes.keys(name) for n in self.by_skeleton.get(key, ())}
        if numbers - {owner}:
            return False
        return owner is None or (
            self._is_stale(self.sessions[owner], now, kept_ms(self.sessions[owner]))
            and not self._holds(owner)
        )

    def _is_stale(self, session: Session, now: int, kept: int) -> bool:
        """Whether a name's owner has been away for longer than it is `kept`, in ms."""
        away = now - max(session.seen, self.since)
        return away > kept and session.number != self.house

    def _holds(self, number: int) -> bool:
        return any(number in sessions() for sessions in self.holders)

    def forget_unused(self, now: int, most: int, limit: float = math.inf) -> list[Session]:
        """Look at the next `most` sessions, the newest first, and drop and return those whose names
        are free again: of more than `limit` sessions also those that have played.

        The newest stays, whatever it is: a number that the log has seen must not be given again
        after a restart.
        """
        if not self._to_look_at:
            self._to_look_at = list(self.sessions)
        held = [sessions() for sessions in self.holders]
        unused: list[Session] = []
        for _ in range(min(most, len(self._to_look_at))):
            session = self.sessions.get(self._to_look_at.pop())
            if session is None or session.number == self.next_number - 1:
                continue
            kept = kept_ms(session) if len(self.sessions) <= limit else least_kept_ms(session)
            if self._is_stale(session, now, kept) and not any(session.number in h for h in held):
                self.drop(session)
                unused.append(session)
        return unused

    def has_looked_at_all(self) -> bool:
        """Return whether `forget_unused` begins anew."""
        return not self._to_look_at


def kept_ms(session: Session) -> int:
    """Return how long a name stays its owner's after it was seen."""
    return LONG_KEPT_MS if session.played or session.recovery else least_kept_ms(session)


def least_kept_ms(session: Session) -> int:
    """Return how long it does so in a house that has more names than it keeps."""
    return GUEST_KEPT_MS if session.guest else NAME_KEPT_MS


def hash_code(code: str) -> bytes:
    """Return what is stored of a recovery code, however it was typed."""
    letters = "".join([c for c in parse_code(code) if c.isalnum()])
    return sessions.hash_token(letters)
