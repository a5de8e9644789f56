"""Invitations: handing them to the connections of the player they mean, and how many there may be.
What somebody who opens the link to a room is shown before they have a name: less than `watch` shows
to a client with the same code.

A window that rings all the time is a nuisance, so there is a limit to what one person gets and to
what one player sends; and one to the slots of bots that one player, and one address, may hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from protocol.errors import Code, Refusal
from protocol.messages import Decline, Declined, Ok
from protocol.parts import Options, Player
from server.config import Config
from server.core import room as rooms
from server.core.admission import networks
from server.core.admission.networks import customer
from server.core.effects import SendInvitation
from server.core.events import Who
from server.core.lobby import LobbyState, Presence
from server.core.names.text import clean
from server.core.room import Room, RoomPhase
from server.core.session import TokenBucket, wait_ms
from server.rooms.directory import RoomDirectory
from server.rooms.peers import Peer, connections_of
from server.rooms.wall_clock import WallClock

EVERY_MS: Final = 2_000
ANSWERED_MS: Final = 120_000  # so long somebody may turn an invitation down, and its sender hears
OPEN_TABLE: Final = re.compile(r"room-(\d{1,15})")
WORDS: Final = 200  # characters of a bot's


class Call(NamedTuple):
    """Who has called a bot to a room."""

    bot: Presence
    room: int
    session: int
    address: str

    def holds(self, now: int) -> bool:
        """Return whether the bot sits there, or may still come."""
        return self.room in self.bot.rooms or self.bot.held.get(self.room, 0) > now

    def takes_slot(self, now: int) -> bool:
        """Return whether the call takes a slot: that is over while its match rests."""
        return self.holds(now) and self.room not in self.bot.resting


class OpenInvitation(NamedTuple):
    """An invitation that may still be turned down, and by whom it was sent."""

    by: Who
    until: int


class Invitations:
    """Finds the players whom rooms invite.

    Each player sends at most `config.invitations` at once, and one more every EVERY_MS; and each
    person gets no more than that.  It subscribes to `reseated` and `removed`: no slot is held
    for a room that is closed, or where both seats are taken.
    """

    def __init__(self, lobby: LobbyState, clock: WallClock, config: Config) -> None:
        self.lobby = lobby
        self.clock = clock
        self.config = config
        # Called when a slot is held for a room or let go: whose, for which, and until when, or 0.
        self.held: list[Callable[[Who, int, int], None]] = []
        self._awaited: dict[int, set[Presence]] = {}  # by room: the bots that may come to it
        self._calls: list[Call] = []  # of bots; as many as they have slots, about
        self._sent: dict[str, TokenBucket] = {}  # by the title of who sent them
        self._received: dict[str, TokenBucket] = {}
        # By room and invited player, the oldest first.
        self._open: dict[tuple[int, int, str | None], OpenInvitation] = {}

    def invite(self, room: int, effect: SendInvitation, by: Peer) -> None:
        """Hand an invitation to the player it means.

        Raises:
            Refusal: invite/no-such-player, invite/private or invite/busy.
        """
        now = self.clock.now()
        self._check_number(self._sent, effect.invited.by, "you have invited many", now)
        presence = self.lobby.find(effect, room, now)
        if presence.bot is None:
            title = presence.who.title()
            self._check_number(self._received, title, f"{title} has been invited by many", now)
        elif presence.who.session != by.me().session:
            self._count(Call(presence, room, by.me().session, by.transport.origin), now)
        if presence.bot is not None:
            self._awaited.setdefault(room, set()).add(presence)
        self._tell(presence, room, presence.held.get(room, 0))
        self._note(room, presence.who, OpenInvitation(by.me(), now + ANSWERED_MS), now)
        for peer in connections_of(self.lobby, presence.who):
            peer.notify(effect.invited)

    def decline(self, peer: Peer, request: Decline, now: int) -> None:
        """Tell those who have invited this player that they do not come, and free their slot.

        Raises:
            Refusal: invite/not-invited.
        """
        who = peer.me()
        sent = self._open.pop(_key(request.room, who), None)
        if sent is None or sent.until <= now:
            text = "nobody has invited you there, or not lately"
            raise Refusal(Code.INVITE_NOT_INVITED, text)
        presence = self.lobby.present.get((who.session, who.program))
        if presence is not None:
            self._free(presence, request.room)
        # A person's words would be chat that no mute holds for.
        words = clean(request.text or "")[:WORDS] if who.program is not None else ""
        no = Declined(room=request.room, by=who.title(), why=request.why, text=words)
        for each in connections_of(self.lobby, sent.by):
            each.notify(no)
        if request.id is not None:
            peer.send(Ok(re=request.id))

    def reseated(self, old: Room | None, new: Room) -> None:
        """Hold no slot for a room where both seats are taken."""
        if None not in new.seats:
            self.removed(new)

    def removed(self, room: Room) -> None:
        """Hold no slot for a closed room: the player who has invited there has left."""
        for presence in self._awaited.pop(room.number, ()):
            self._free(presence, room.number)

    def _free(self, presence: Presence, room: int) -> None:
        if presence.release(room):
            self._tell(presence, room, 0)

    def _tell(self, presence: Presence, room: int, until: int) -> None:
        for tell in self.held:
            tell(presence.who, room, until)

    def step(self, ms: int) -> None:
        """Let the time go forward: what is open stays so for as long."""
        self._open = {key: sent._replace(until=sent.until + ms) for key, sent in self._open.items()}

    def _note(self, room: int, invited: Who, sent: OpenInvitation, now: int) -> None:
        """Remember who has sent an invitation, and forget those of long ago."""
        while self._open and self._open[oldest := next(iter(self._open))].until <= now:
            del self._open[oldest]
        self._open.pop(_key(room, invited), None)
        self._open[_key(room, invited)] = sent

    def _count(self, new: Call, now: int) -> None:
        """Count one more call of a bot; who calls the same one to the same room again has it."""
        self._calls = [call for call in self._calls if call.holds(now)]
        if any(call.bot is new.bot and call.room == new.room for call in self._calls):
            return
        try:
            self._check(new, now)
        except Refusal:
            new.bot.release(new.room)
            raise
        self._calls.append(new)

    def _check(self, new: Call, now: int) -> None:
        own = [call for call in self._calls if call.session == new.session]
        if len(own) >= self.config.bots_per_session:
            raise Refusal(
                Code.INVITE_BUSY,
                f"{len(own)} matches with bots are open that you have called; finish one, or give"
                " it up first",
            )
        taking = [call for call in self._calls if call.takes_slot(now)]
        addresses = [call.address for call in taking]
        full = networks.full(new.address, addresses, self.config.bots_per_address)
        # Each has a first one, however many there are at an address: a class, an office.
        if full is not None and any(call.session == new.session for call in taking):
            raise Refusal(
                Code.INVITE_BUSY,
                f"{full.here} bots play with people at {full.words} already; try again in a while",
            )
        whose = customer(new.address)
        if whose and any(c.bot is new.bot and customer(c.address) == whose for c in taking):
            self._check_kept(new.bot, now)

    def _check_kept(self, presence: Presence, now: int) -> None:
        """Leave a bot's last slots to others; the slot that is asked for is held already.

        Else two addresses could have all of them.
        """
        slots = presence.bot.slots if presence.bot is not None else 0
        if presence.free(now) < slots // self.config.kept_slots:
            raise Refusal(
                Code.INVITE_BUSY,
                f"{presence.who.title()} plays with people at your address already, and keeps its"
                " last slots for others; try again in a while",
            )

    def _check_number(
        self, counts: dict[str, TokenBucket], title: str, what: str, now: int
    ) -> None:
        """Count an invitation of this player.

        Raises:
            Refusal: invite/busy, saying when to try again.
        """
        for each in [each for each, allowance in counts.items() if allowance.is_full(now)]:
            del counts[each]
        allowance = counts.get(title)
        if allowance is None:
            allowance = counts[title] = TokenBucket(1000 / EVERY_MS, self.config.invitations, now)
        wait = wait_ms([allowance], now)
        if wait:
            text = f"{what} just now; try again in {(wait + 999) // 1000} s"
            raise Refusal(Code.INVITE_BUSY, text, retry_ms=wait)
        allowance.level -= 1


def _key(room: int, invited: Who) -> tuple[int, int, str | None]:
    return room, invited.session, invited.program


class InvitationCard(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Who plays what in a room, and by which terms.  `owner`: who opened it."""

    room: int
    game: str
    options: Options
    seats: tuple[Player | None, Player | None]
    state: RoomPhase
    owner: str


def invitation_card(directory: RoomDirectory, code: str) -> bytes | None:
    """Return as JSON what the open room with this code is, or the public one `room-17`.

    None: there is none.
    """
    number = OPEN_TABLE.fullmatch(code)
    try:
        room = directory.room(int(number[1]) if number else directory.lobby.room_by_code(code))
    except Refusal:
        return None
    if room is None or (number and not room.options.public):
        return None
    card = InvitationCard(
        room=room.number,
        game=room.game,
        options=room.options,
        seats=rooms.players(room),
        state=room.state,
        owner=room.owner.title(),
    )
    return msgspec.json.encode(card)
