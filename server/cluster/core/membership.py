"""Who is a member of a cluster, when one is dead, and who takes what it leaves.

A member is one run of one server: its number with its epoch.  It holds a *lease*, a row of the
database that it renews; only the database's clock decides when that has run out.  The row is
also the fence: each append names it in its own statement, so once another member has deleted it,
nothing of the old owner's is stored, whatever that still believes.

So the lease is for liveness alone.  No clock that jumps can make two owners: a server's own clock
is asked for intervals only, and what the database's does early is a takeover without need.
All functions are of (state, now); times are seconds of a monotonic clock, unless they say more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

BEATS: Final = 3  # heartbeats in the time of a lease: two may be lost
GRACE_S: Final = 0.3  # after a member's session has ended, until its lease counts for nothing

LATE_S: Final = 0.02  # after a lease has run out, until others look whether it has


class MemberKey(NamedTuple):
    """One run of one server: `epoch` grows with each."""

    number: int
    epoch: int


class ClusterMember(NamedTuple):
    """A row of the table of members, as it was read.

    `address`: of its line, HOST:PORT; `url`: where its clients connect, "" where it does not say;
    `version`: of what it writes; `left_s`: what was left of its lease then, by the database's
    clock, negative once it has run out; `draining`: it has handed over what it had, and takes
    nothing more.
    """

    key: MemberKey
    address: str
    url: str
    version: int
    left_s: float
    draining: bool


class Lease(NamedTuple):
    """One's own lease.  `renewed`: when the last renewal that succeeded was sent; `ttl_s`: how long
    it is good from then on; `since`: from when on it has been good all the time.
    """

    renewed: float
    ttl_s: float
    since: float

    def renewal(self, sent: float) -> Lease:
        return Lease(sent, self.ttl_s, self.since if self.is_good(sent) else sent)

    def is_good(self, now: float) -> bool:
        """Return whether it has not run out: only if this server's session has ended can somebody
        have been given the right to take over.

        It is counted from when the renewal was sent, which is before the database granted it.
        """
        return now < self.renewed + self.ttl_s

    def is_settled(self, now: float) -> bool:
        """Return whether it has been good for so long that others had time to renew theirs.

        When a database comes back all leases have run out, and who is first takes nothing over.
        """
        return self.is_good(now) and now >= self.since + self.ttl_s

    def is_cut_off(self, now: float) -> bool:
        """Return whether another lease that is good shows that the database is well.

        It was renewed when this one could not be any more.
        """
        return now >= self.renewed + 2 * self.ttl_s

    def next_beat(self) -> float:
        return self.renewed + self.ttl_s / BEATS


def may_take(seen: ClusterMember, again: ClusterMember | None, waited_s: float) -> bool:
    """Return whether a member may be taken over.

    Args:
        seen: its row when it was looked at first.
        again: its row now; None: somebody else was quicker.
        waited_s: how long ago its session was seen to end, 0 if it was not.
    """
    if again is None or again.key != seen.key:
        return False
    if again.left_s < 0:
        return True
    has_renewed = again.left_s > seen.left_s - waited_s + GRACE_S / 2
    return waited_s >= GRACE_S and not has_renewed


def next_look(lease: Lease, now: float, members: Iterable[ClusterMember]) -> float:
    """Return when to renew one's own lease: sooner if that of another runs out before.

    `members`: as they were read now.
    """
    left = [member.left_s for member in members if member.left_s > 0]
    return min([lease.next_beat(), *[now + left_s + LATE_S for left_s in left]])


def successor(me: int, members: Iterable[ClusterMember]) -> ClusterMember | None:
    """Return whose session this member watches: the next one in the ring of numbers."""
    others = sorted((m for m in members if m.key.number != me), key=lambda m: m.key.number)
    after = [member for member in others if member.key.number > me]
    return next(iter(after or others), None)


def may_claim(written_by: int, mine: int) -> bool:
    """Return whether a server may go on with what a version has written.

    An older one would fold what it does not know, and end the match void.
    """
    return written_by <= mine


def share(rooms: int, takers: Collection[ClusterMember], mine: MemberKey) -> int:
    """Return how many of so many rooms without an owner a member is to take at once.

    Together the takers take all; one that comes too late finds fewer, and none waits for another.
    A member that is draining takes none unless all are.
    """
    able = [member for member in takers if not member.draining] or list(takers)
    if mine not in [member.key for member in able]:
        return 0
    return -(-rooms // len(able))


def keeper(members: Iterable[ClusterMember]) -> MemberKey | None:
    """Return who has the ladders: the member that is here the longest and is not draining.

    It is the same for all who ask, and another one only when that member is gone, or drains: its
    row says so once it has let go of them.
    """
    everybody = list(members)
    able = [member.key for member in everybody if not member.draining]
    keys = able or [member.key for member in everybody]
    return min(keys, key=lambda key: key.epoch, default=None)
