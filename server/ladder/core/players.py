"""The players of a ladder, and what of them is asked too often for a walk through all.

A player keeps its number for good once it is in a pair.  Until then it may have to give its number
to another, so that names and versions that only join do not make a ladder grow.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from protocol.errors import Code, Refusal
from server.core.events import NotReplayed, Who
from server.core.lobby import PlayerKey
from server.core.names.register import YOUNG_MS
from server.core.names.text import clean
from server.ladder.core.events import Entered

RECENT: Final = 50  # pairs and matches by which a player's opponents and forfeits are judged
ABSENT: Final = (
    2  # matches in a row, lost without a move; from there on it plays one pair at a time
)
YOUNG: Final = 0  # the voice that all owners have whose names are new, which is no session's


class Most(NamedTuple):
    """How many players a ladder has room for, and of these how many of one owner."""

    players: int = 500
    of_owner: int = 50


@dataclass(slots=True)
class LadderPlayer:
    """A player and its results; `score` counts match points, `voids` pairs.

    `absent`: its last matches in a row that it lost without a single move; `paired`: whether it has
    ever been in a pair; `network`: from where it joined, as far as that is known: it is not stored.
    """

    number: int
    who: Who
    version: str
    salt: str
    slots: int
    anchor: bool
    member: bool = True
    suspended: str | None = None
    running: int = 0
    pairs: int = 0  # that count and are over
    score: float = 0.0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    voids: int = 0
    moves: int = 0
    spent: int = 0
    absent: int = 0
    paired: bool = False
    network: str = ""
    lost_by: Counter[str] = field(default_factory=Counter)
    points: Counter[float] = field(default_factory=Counter)  # of a pair -> how often
    opponents: tuple[int, ...] = ()  # of the last RECENT pairs, the newest last
    forfeits: deque[bool] = field(default_factory=lambda: deque(maxlen=RECENT))

    @property
    def title(self) -> str:
        """`owner/program@version`."""
        return f"{self.who.title()}@{self.version}"

    @property
    def free(self) -> int:
        """Slots for another pair that it has on this ladder."""
        slots = 1 if self.absent >= ABSENT else self.slots
        return slots - self.running

    @property
    def key(self) -> PlayerKey:
        """Return the bot that it is a version of."""
        return self.who.session, self.who.program

    def meets(self, other: int) -> None:
        """Note a pair with another that begins."""
        self.running += 1
        self.paired = True
        self.opponents = (*self.opponents, other)[-RECENT:]

    def forget_pair(self, other: int) -> None:
        """Note that the last pair with another was void."""
        self.voids += 1
        at = max((i for i, number in enumerate(self.opponents) if number == other), default=None)
        if at is not None:
            self.opponents = self.opponents[:at] + self.opponents[at + 1 :]

    def lost_or_not(self, forfeited: bool, moves: int) -> None:
        """Note a match that is over: whether it forfeited that, and after how many moves."""
        self.forfeits.append(forfeited)
        self.absent = self.absent + 1 if forfeited and not moves else 0


class LadderPlayers(list[LadderPlayer]):
    """All players by number.

    `members`: those that have joined and not left, by number; `guests`: how many are no anchors.
    """

    def __init__(self) -> None:
        super().__init__()
        self.members: dict[int, LadderPlayer] = {}
        self.guests = 0
        self.gave_way: LadderPlayer | None = None  # whose number the last one that entered has
        self._numbers: dict[tuple[int, str | None, str], int] = {}  # session, program, version
        self._playing: dict[PlayerKey, LadderPlayer] = {}  # the version of a bot that is a member
        self._of_bot: dict[PlayerKey, set[int]] = {}
        self._of_owner: dict[int, set[int]] = {}
        self._unpaired: dict[int, None] = {}  # who may have to give way, the oldest first
        self._voices: dict[int, int] = {}  # by owner: the session with whose bots its own count
        self._young: dict[int, int] = {}  # by owner: since when it is here, under a new name

    def find(self, who: Who, version: str) -> LadderPlayer | None:
        """Return the player that a connected bot is."""
        number = self._numbers.get((who.session, who.program, clean(version)))
        return None if number is None else self[number]

    def of_bot(self, key: PlayerKey) -> Iterator[LadderPlayer]:
        return (self[number] for number in self._of_bot.get(key, ()))

    def is_member(self, key: PlayerKey) -> bool:
        """Return whether a version of this bot is a member."""
        return key in self._playing

    def of_owner(self, session: int) -> Iterator[LadderPlayer]:
        return (self[number] for number in self._of_owner.get(session, ()))

    def owners(self) -> Iterable[int]:
        """Return the sessions whose bots have joined."""
        return self._of_owner.keys()

    def voice(self, player: LadderPlayer, now: int) -> int:
        """Return as whose its results count, where each owner counts once.

        Anchors are the house's and no owner's voice, so each counts for itself.
        """
        if player.anchor:
            return -1 - player.number
        session = player.who.session
        if now - self._young.get(session, now - YOUNG_MS) < YOUNG_MS:
            return YOUNG
        return self._voices.get(session, session)

    def voice_from(self, network: str, who: Who) -> int:
        """Return with whom somebody is to count who joins from this network of one customer.

        That is with another owner who has joined from there, else with itself.
        """
        others = (
            self._voices.get(player.who.session, player.who.session)
            for player in self
            if network and player.network == network and player.who.session != who.session
        )
        return next(others, who.session)

    def active(self) -> Iterator[LadderPlayer]:
        """Yield those that may be paired, in the order of their numbers."""
        return (self[n] for n in sorted(self.members) if self[n].suspended is None)

    def place_for(self, who: Who, anchor: bool, most: Most) -> int:
        """Return the number of a new player; where there is no room, that of one without a pair.

        That is the oldest of the same owner who has as many as he may have, else of the owner who
        has most of them; one that plays here no more comes first.

        Raises:
            Refusal: ladder/quota.
        """
        if anchor:
            return len(self)
        own = self._of_owner.get(who.session, ())
        if len(own) >= most.of_owner:
            going = self._next_to_go(n for n in self._unpaired if n in own)
            if going is None:
                text = f"{len(own)} bots and versions of {who.name} have played here, which is the"
                raise Refusal(Code.LADDER_QUOTA, f"{text} most that one owner may have on a ladder")
            return going
        if self.guests < most.players:
            return len(self)
        going = self._next_to_go(self._unpaired)
        if going is None:
            text = f"{self.guests} players have played here, and a ladder has room for no more"
            raise Refusal(Code.LADDER_QUOTA, f"{text}: open another")
        return going

    def _next_to_go(self, unpaired: Iterable[int]) -> int | None:
        waiting = [number for number in unpaired if self[number].suspended is None]
        owners = Counter(self[number].who.session for number in waiting)
        return min(
            waiting, key=lambda n: (self[n].member, -owners[self[n].who.session]), default=None
        )

    def enter(self, e: Entered) -> None:
        """Have a player join, for the first time or again.

        Raises:
            NotReplayed: its number is not the next, and not of one that may give way.
        """
        self.gave_way = None
        player = self.find(e.who, e.version)
        if player is None:
            player = self._add(e)
        elif player.number != e.player:
            raise NotReplayed(f"{e.who.title()} is not player {e.player}")
        other = self._playing.get(player.key)
        if other is not None:  # another version of it, which leaves
            self.leave(other)
        player.who, player.salt, player.slots, player.member = e.who, e.salt, e.slots, True
        if e.voice is not None:
            self._voices[e.who.session] = e.voice
        if e.young:
            self._young.setdefault(e.who.session, e.at)
        self.members[player.number] = self._playing[player.key] = player

    def leave(self, player: LadderPlayer) -> None:
        player.member = False
        if self.members.pop(player.number, None) is not None:
            del self._playing[player.key]

    def begin(self, one: LadderPlayer, two: LadderPlayer) -> None:
        """Note that two begin a pair: their numbers are theirs for good."""
        for player, other in ((one, two), (two, one)):
            player.meets(other.number)
            self._unpaired.pop(player.number, None)

    def _add(self, e: Entered) -> LadderPlayer:
        player = LadderPlayer(e.player, e.who, e.version, e.salt, e.slots, e.anchor)
        if e.player == len(self):
            self.append(player)
        elif e.player in self._unpaired:
            self._remove(self[e.player])
            self[e.player] = player
        else:
            raise NotReplayed(f"{e.who.title()} is not player {e.player}")
        self.guests += not e.anchor
        self._numbers[*player.key, clean(e.version)] = e.player
        self._of_bot.setdefault(player.key, set()).add(e.player)
        self._of_owner.setdefault(e.who.session, set()).add(e.player)
        if not e.anchor:
            self._unpaired[e.player] = None
        return player

    def _remove(self, player: LadderPlayer) -> None:
        number = player.number
        self.gave_way = player if player.member else None
        self.leave(player)
        self.guests -= 1
        del self._unpaired[number], self._numbers[*player.key, clean(player.version)]
        self._of_bot[player.key].discard(number)
        if not self._of_bot[player.key]:
            del self._of_bot[player.key]
        self._of_owner[player.who.session].discard(number)
        if not self._of_owner[player.who.session]:
            del self._of_owner[player.who.session]
            self._voices.pop(player.who.session, None)
            self._young.pop(player.who.session, None)
