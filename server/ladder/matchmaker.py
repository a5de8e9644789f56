"""Which pair of a ladder is the next one, or why the ladder is over.

The rules for that are pure and stand in ladder/core/schedule.py; here is who is connected now, and
how many slots each bot and each owner has left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from protocol.ladder import MIN_PAIRS, LadderWait, Verdict
from server.core.lobby import Presence
from server.ladder.core import members, schedule, standing
from server.ladder.core.formats import names_player, parse_format
from server.ladder.core.ladder import Ladder
from server.ladder.core.players import LadderPlayer
from server.ladder.host import Busy, LadderHost
from server.ladder.rater import Rater


class Matchmaker:
    """Chooses the pairs of one ladder."""

    def __init__(self, host: LadderHost, ladder: Ladder, rater: Rater) -> None:
        self.host = host
        self.ladder = ladder
        self.rater = rater
        self.format = parse_format(ladder.made.format)
        self._verdict: tuple[int, Verdict] | None = None  # after so many pairs
        self._in_vain: object = None  # all that decided the last look, which found no pair

    def is_complete(self) -> bool:
        """Return whether as many have joined as there are to be, anchors left out."""
        return self._missing() <= 0

    def _missing(self) -> int:
        return self.ladder.made.players - self.ladder.players.guests

    def next_pairing(self) -> schedule.Pairing | None:
        """Return the pair to begin now, if there is one."""
        test = self.verdict()
        if test is not None and test.word != "undecided":
            return None
        ladder, busy = self.ladder, self.host.busy()
        if self.host.legs_left(ladder) < self._rooms:
            return None
        entrants = tuple(self._entrants(busy))
        if all(entrant.anchor for entrant in entrants):
            return None  # anchors are there for others
        field = schedule.Field(
            self.format,
            entrants,
            ladder.played,
            self._quota(entrants),
            self._never_meet,
            self.rater.ratings,
            ladder.is_one_sided,
            self._are_kin_paired,
            frozenset() if ladder.is_of_host else self._served(entrants, busy),
        )
        here = [(entrant.number, entrant.free > 0) for entrant in entrants]
        situation = (ladder.seq, here, field.quota, field.served)
        if situation == self._in_vain:
            return None
        pairing = schedule.choose(field)
        self._in_vain = situation if pairing is None else None
        return pairing

    @property
    def _rooms(self) -> int:
        """Rooms that a pair needs at once."""
        return 2 if self.ladder.game.has_chance else 1

    def _are_kin_paired(self, owner: int) -> bool:
        """Return whether two bots of this owner may meet."""
        made = self.ladder.made
        named = self.format.kind.tests or self.host.lobby.names.is_house(owner)
        return named or made.siblings or owner == made.owner.session

    def _never_meet(self, one: int, two: int) -> bool:
        return self.ladder.is_exhausted(one, two) or not self._may_meet(one, two)

    def _may_meet(self, one: int, two: int) -> bool:
        return self.format.kind.tests or self.ladder.may_meet(one, two)

    def _entrants(self, busy: Busy) -> Iterator[schedule.Entrant]:
        for player in self.ladder.players.active():
            presence = self._presence(player)
            if presence is not None:
                yield schedule.Entrant(
                    player.number,
                    player.title,
                    player.who.session,
                    self._free(player, presence, busy) if player.free > 0 else 0,
                    player.pairs + player.running,
                    player.opponents,
                    player.running,
                    player.anchor,
                )

    def _served(self, entrants: Sequence[schedule.Entrant], busy: Busy) -> frozenset[int]:
        """Return the owners who begin no pair with an anchor now."""
        guests = [self.ladder.players[each.number].who for each in entrants if not each.anchor]
        if len(guests) == len(entrants):
            return frozenset()
        return frozenset(who.session for who in guests if self.host.is_served(busy, who))

    def _free(self, player: LadderPlayer, presence: Presence, busy: Busy) -> int:
        """Return how many more pairs a player could begin now."""
        rooms = self.host.legs_left(self.ladder, player.who) // self._rooms
        return min(player.free, rooms, self.host.free_slots(presence) - busy.pairs[player.key])

    def _presence(self, player: LadderPlayer) -> Presence | None:
        """Return where the player is connected in its version; None if it is not."""
        who = player.who
        presence = self.host.lobby.present.get((who.session, who.program))
        if presence is None or not presence.links or presence.bot is None:
            return None
        return presence if presence.bot.version == player.version else None

    def _quota(self, entrants: Sequence[schedule.Entrant]) -> dict[int, int]:
        """Return the slots that each owner here may still use; anchors are not counted."""
        players, running = self.ladder.players, Counter[int]()
        for pair in self.ladder.running.values():
            running.update(players[n].who.session for n in (pair.event.one, pair.event.two))
        quota = self.ladder.made.quota
        return {e.owner: quota - running[e.owner] for e in entrants if not e.anchor}

    def slots(self) -> dict[int, int]:
        """Return the slots of the members that are connected."""
        return {
            player.number: player.slots
            for player in self.ladder.players.members.values()
            if self._presence(player) is not None
        }

    def is_attended(self) -> bool:
        """Return whether a bot is here that is no anchor."""
        members = self.ladder.players.members.values()
        return any(not p.anchor and self._presence(p) is not None for p in members)

    def waits(self) -> tuple[LadderWait, ...]:
        """Return what the ladder waits for, and who never meets on it."""
        ladder = self.ladder
        if ladder.finished is not None:
            return ()
        free = None
        if not ladder.running:
            free = {e.number: e.free for e in self._entrants(self.host.busy())}
        return members.waits(
            ladder, self.format, free, self._missing(), lambda a, b: not self._never_meet(a, b)
        )

    def conclusion(self) -> str | None:
        """Return why the ladder is over, if it is."""
        test = self.verdict()
        if test is not None and test.word != "undecided":
            return test.text
        ladder = self.ladder
        titles = {player.number: player.title for player in ladder.players.active()}
        if schedule.finished(self.format, titles, ladder.scored, self._never_meet):
            return "all pairs are played"
        return None

    def verdict(self) -> Verdict | None:
        """Return what a test of two bots says; None if there is no test or a bot is missing."""
        if not self.format.kind.tests:
            return None
        new, old = (
            next((p for p in reversed(self.ladder.players) if names_player(name, p.title)), None)
            for name in self.format.bots
        )
        if new is None or old is None or new is old:
            return None
        pairs = len(self.ladder.counted)
        if self._verdict is not None and self._verdict[0] == pairs:
            return self._verdict[1]
        test = standing.verdict(self.ladder, new.number, old.number, self.format.test)
        between = test.test
        verdict = Verdict(
            word=test.word, text=test.text, pairs=test.pairs, llr=round(test.llr, 3),
            lower=round(test.lower, 3), upper=round(test.upper, 3), more=test.more,
            elo0=between.elo0, elo1=between.elo1, alpha=between.alpha, beta=between.beta,
            least=MIN_PAIRS,
        )  # fmt: skip
        self._verdict = (pairs, verdict)
        return verdict
