"""Which pair of a ladder is the next one, or why the ladder is over.

The rules for that are pure and stand in ladder/core/schedule.py; here is who is connected now, and
how many slots each bot and each owner has left.
"""

from __future__ import annotations

from collections.abc import Iterator

from protocol.ladder import LEAST, LadderWait, Verdict
from server.core.lobby import Presence
from server.ladder.core import members, schedule, standing
from server.ladder.core.formats import names_player, parse_format
from server.ladder.core.ladder import Ladder, LadderPlayer
from server.ladder.host import LadderHost
from server.ladder.rater import Rater


class Matchmaker:
    """Chooses the pairs of one ladder."""

    def __init__(self, host: LadderHost, ladder: Ladder, rater: Rater) -> None:
        self.host = host
        self.ladder = ladder
        self.rater = rater
        self.format = parse_format(ladder.made.format)
        self._verdict: tuple[int, Verdict] | None = None  # after so many pairs

    def is_complete(self) -> bool:
        """Return whether as many have joined as there are to be, anchors left out."""
        return self._missing() <= 0

    def _missing(self) -> int:
        guests = sum(1 for player in self.ladder.players if not player.anchor)
        return self.ladder.made.players - guests

    def next_pairing(self) -> schedule.Pairing | None:
        """Return the pair to begin now, if there is one."""
        test = self.verdict()
        if test is not None and test.word != "undecided":
            return None
        ladder, entrants = self.ladder, tuple(self._entrants())
        if all(ladder.players[entrant.number].anchor for entrant in entrants):
            return None  # anchors are there for others
        return schedule.choose(
            schedule.Field(
                self.format,
                entrants,
                ladder.played,
                self._quota(),
                self._never_meet,
                self.rater.ratings,
                ladder.is_one_sided,
            )
        )

    def _never_meet(self, one: int, two: int) -> bool:
        return self.ladder.is_exhausted(one, two) or not self._may_meet(one, two)

    def _may_meet(self, one: int, two: int) -> bool:
        return self.format.kind == "sprt" or self.ladder.may_meet(one, two)

    def _entrants(self) -> Iterator[schedule.Entrant]:
        pairs = self.host.running_pairs()
        for player in self.ladder.players:
            presence = self._presence(player)
            if player.member and player.suspended is None and presence is not None:
                free = self.host.free_slots(presence)
                yield schedule.Entrant(
                    player.number,
                    player.title,
                    player.who.session,
                    min(
                        player.slots - player.running,
                        free - pairs[player.who.session, player.who.program],
                    ),
                    player.pairs + player.running,
                    tuple(player.opponents),
                    player.running,
                )

    def _presence(self, player: LadderPlayer) -> Presence | None:
        """Return where the player is connected in its version; None if it is not."""
        who = player.who
        presence = self.host.lobby.present.get((who.session, who.program))
        if presence is None or not presence.links or presence.bot is None:
            return None
        return presence if presence.bot.version == player.version else None

    def _quota(self) -> dict[int, int]:
        """Return the slots that each owner may still use; anchors are not counted."""
        left: dict[int, int] = {}
        for player in self.ladder.players:
            if not player.anchor:
                owner = player.who.session
                left[owner] = left.get(owner, self.ladder.made.quota) - player.running
        return left

    def slots(self) -> dict[int, int]:
        """Return the slots of the members that are connected."""
        return {
            player.number: player.slots
            for player in self.ladder.players
            if player.member and self._presence(player) is not None
        }

    def waits(self) -> tuple[LadderWait, ...]:
        """Return what the ladder waits for, and who never meets on it."""
        ladder = self.ladder
        if ladder.finished is not None:
            return ()
        free = None if ladder.running else {e.number: e.free for e in self._entrants()}
        return members.waits(
            ladder, self.format, free, self._missing(), lambda a, b: not self._never_meet(a, b)
        )

    def conclusion(self) -> str | None:
        """Return why the ladder is over, if it is."""
        test = self.verdict()
        if test is not None and test.word != "undecided":
            return test.text
        ladder = self.ladder
        titles = {p.number: p.title for p in ladder.players if p.member and p.suspended is None}
        if schedule.finished(self.format, titles, ladder.scored, self._never_meet):
            return "all pairs are played"
        return None

    def verdict(self) -> Verdict | None:
        """Return what a test of two bots says; None if there is no test or a bot is missing."""
        if self.format.kind != "sprt":
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
            least=LEAST,
        )  # fmt: skip
        self._verdict = (pairs, verdict)
        return verdict
