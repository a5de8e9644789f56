"""Who may take over what; and that two servers never write to one room, whatever happens when.

The model below holds the two statements that count, as the database executes them one after the
other: an append that names its writer's lease, and a takeover that deletes it before rooms are
claimed.  Servers act on what they believe, which may be old.  At the end are leases at a database.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from server.cluster.core import membership
from server.cluster.core.membership import GRACE_S, ClusterMember, Lease, MemberKey
from server.cluster.lease import LeaseKeeper, OwnLease
from server.store.contract import DatabaseAway
from tests.server.cluster.test_database import House

TTL_S = 2.0
ROOMS = range(4)
SERVERS = range(3)


def member(
    number: int, left_s: float = 1.0, *, epoch: int = 1, draining: bool = False
) -> ClusterMember:
    return ClusterMember(MemberKey(number, epoch), f"h:{number}", "", 1, left_s, draining)


def test_a_lease_is_counted_from_when_its_renewal_was_sent() -> None:
    lease = Lease(renewed=10.0, ttl_s=TTL_S, since=10.0)
    assert lease.is_good(11.99)
    assert not lease.is_good(12.0)
    assert lease.next_beat() == pytest.approx(10.0 + TTL_S / 3)


def test_who_has_just_got_its_lease_back_waits_for_others_to_get_theirs() -> None:
    lease = Lease(renewed=10.0, ttl_s=TTL_S, since=1.0).renewal(11.0)
    assert lease.is_settled(11.5)
    late = lease.renewal(20.0)
    assert late.is_good(20.1)
    assert not late.is_settled(21.9)
    assert late.renewal(21.0).is_settled(22.0)


def test_a_server_knows_by_another_s_lease_that_it_alone_is_cut_off() -> None:
    lease = Lease(renewed=10.0, ttl_s=TTL_S, since=1.0)
    assert not lease.is_cut_off(12.1)  # the other lease may run out in this moment
    assert lease.is_cut_off(14.0)


def test_a_member_is_taken_over_when_its_lease_has_run_out() -> None:
    assert membership.may_take(member(1), member(1, -0.1), 0)
    assert not membership.may_take(member(1), member(1, 0.1), 0)


def test_who_has_not_renewed_its_lease_is_looked_at_as_soon_as_that_has_run_out() -> None:
    lease = Lease(renewed=10.0, ttl_s=TTL_S, since=1.0)
    assert membership.next_look(lease, 10.0, [member(1), member(2)]) == lease.next_beat()
    late = membership.next_look(lease, 10.0, [member(1), member(2, 0.1), member(3, -5.0)])
    assert 10.1 < late < 10.2


def test_nobody_is_taken_over_twice() -> None:
    assert not membership.may_take(member(1, -1), None, 0)
    assert not membership.may_take(member(1, -1), member(1, 2, epoch=2), 9)


def test_a_member_whose_session_has_ended_has_a_moment_to_renew_its_lease() -> None:
    seen = member(1, 1.5)
    assert not membership.may_take(seen, member(1, 1.4), GRACE_S / 3)
    assert membership.may_take(seen, member(1, 1.5 - GRACE_S), GRACE_S)
    assert not membership.may_take(seen, member(1, TTL_S), GRACE_S)


def test_each_watches_the_next_in_the_ring() -> None:
    ring = [member(3), member(1), member(7)]
    watched = [membership.successor(me, ring) for me in (1, 3, 7)]
    assert [one.key.number if one else None for one in watched] == [3, 7, 1]
    assert membership.successor(1, [member(1)]) is None


def test_the_takers_take_all_of_it_and_who_drains_takes_nothing() -> None:
    here = [member(1), member(2), member(3, draining=True)]
    shares = [membership.share(1_001, here, one.key) for one in here]
    assert shares == [501, 501, 0]
    assert membership.share(10, here[2:], here[2].key) == 10
    assert membership.share(10, here[:2], here[2].key) == 0


def test_an_older_server_claims_nothing_of_a_newer_one() -> None:
    assert membership.may_claim(1, 2)
    assert not membership.may_claim(2, 1)


def test_the_ladders_are_with_whoever_is_here_the_longest_and_stays() -> None:
    here = [member(1, epoch=9), member(2, epoch=4, draining=True), member(3, epoch=7)]
    assert membership.keeper(here) == MemberKey(3, 7)
    assert membership.keeper(here[:2]) == MemberKey(1, 9)
    assert membership.keeper(here[1:2]) == MemberKey(2, 4)
    assert membership.keeper([]) is None


@dataclass
class Database:
    """Rows, and the statements that servers send: each is executed as a whole."""

    clock: float = 100.0
    until: dict[MemberKey, float] = field(default_factory=dict)
    owner: dict[int, MemberKey | None] = field(default_factory=lambda: dict.fromkeys(ROOMS))
    events: dict[tuple[int, int], MemberKey] = field(default_factory=dict)
    epochs: int = 0

    def join(self, number: int) -> MemberKey:
        self.epochs += 1
        key = MemberKey(number, self.epochs)
        self.until[key] = self.clock + TTL_S
        return key

    def beat(self, me: MemberKey) -> bool:
        if me in self.until:
            self.until[me] = self.clock + TTL_S
        return me in self.until

    def take(self, seen: ClusterMember, me: MemberKey) -> bool:
        """DELETE ... WHERE the key is the same AND it has run out or was not renewed."""
        if me not in self.until:
            return False
        until = self.until.get(seen.key)
        if until is None or (until >= self.clock and until - self.clock > seen.left_s):
            return False
        del self.until[seen.key]
        return True

    def claim(self, me: MemberKey, most: int) -> list[int]:
        if me not in self.until:
            return []
        free = [room for room in ROOMS if self.owner[room] not in self.until][:most]
        self.owner.update(dict.fromkeys(free, me))
        return free

    def append(self, me: MemberKey, room: int, seq: int) -> str:
        """WITH mine AS (the writer's lease) INSERT ... SELECT FROM rows, mine."""
        if me not in self.until:
            return "fenced"
        if (room, seq) in self.events:
            return "conflict"
        self.events[room, seq] = me
        return "stored"

    def last(self, room: int) -> int:
        return max((seq for number, seq in self.events if number == room), default=0)

    def rows(self) -> list[ClusterMember]:
        return [
            ClusterMember(key, "", "", 1, until - self.clock, False)
            for key, until in self.until.items()
        ]


@dataclass
class Server:
    """What one server believes.  `rooms`: its own, with the seq of each that it has seen stored."""

    key: MemberKey
    lease: Lease
    rooms: dict[int, int] = field(default_factory=dict)
    seen: dict[MemberKey, tuple[ClusterMember, float]] = field(default_factory=dict)


class Takeovers(RuleBasedStateMachine):
    """Servers beat, stop, are woken, take over and write, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.base = Database()
        self.now = 0.0  # of the servers' monotonic clock, which the database does not share
        self.servers = [self.born(number) for number in SERVERS]

    def born(self, number: int) -> Server:
        return Server(self.base.join(number), Lease(self.now, TTL_S, self.now))

    @rule(seconds=st.floats(0.01, 1.0))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        self.base.clock += seconds

    @rule(seconds=st.floats(-5.0, 5.0))
    def the_clock_of_the_database_jumps(self, seconds: float) -> None:
        self.base.clock += seconds

    @rule(n=st.sampled_from(SERVERS))
    def a_server_beats(self, n: int) -> None:
        sent, one = self.now, self.servers[n]
        if self.base.beat(one.key):
            one.lease = one.lease.renewal(sent)
        else:
            self.servers[n] = self.born(n)  # it was declared dead: it begins anew with nothing

    @rule(n=st.sampled_from(SERVERS))
    def a_server_looks_at_the_others(self, n: int) -> None:
        one = self.servers[n]
        one.seen = {row.key: (row, self.now) for row in self.base.rows()}

    @rule(n=st.sampled_from(SERVERS), of=st.sampled_from(SERVERS), has_ended=st.booleans())
    def a_server_takes_over_another(self, n: int, of: int, has_ended: bool) -> None:
        one = self.servers[n]
        for key, (seen, at) in one.seen.items():
            if key.number != of or key == one.key:
                continue
            again = next((row for row in self.base.rows() if row.key == key), None)
            waited = self.now - at if has_ended else 0.0
            if membership.may_take(seen, again, waited) and again is not None:
                self.base.take(again, one.key)

    @rule(n=st.sampled_from(SERVERS))
    def a_server_claims_its_share(self, n: int) -> None:
        one = self.servers[n]
        free = sum(self.base.owner[room] not in self.base.until for room in ROOMS)
        for room in self.base.claim(one.key, membership.share(free, self.base.rows(), one.key)):
            one.rooms[room] = self.base.last(room)

    @rule(n=st.sampled_from(SERVERS), room=st.sampled_from(ROOMS))
    def a_server_writes_to_what_it_thinks_is_its_own(self, n: int, room: int) -> None:
        one = self.servers[n]
        if room not in one.rooms:
            return
        match self.base.append(one.key, room, one.rooms[room] + 1):
            case "stored":
                assert self.base.owner[room] == one.key, "only an owner's writes are accepted"
                one.rooms[room] += 1
            case "fenced":
                assert one.key not in self.base.until
                self.servers[n] = self.born(n)
            case other:
                raise AssertionError(f"two owners met at one seq: {other}")

    @precondition(lambda self: self.now > 0)
    @invariant()
    def at_most_one_server_could_write_to_a_room(self) -> None:
        for room in ROOMS:
            able = [s for s in self.servers if room in s.rooms and s.key in self.base.until]
            assert len(able) <= 1
            assert all(s.rooms[room] == self.base.last(room) for s in able), "it has seen it all"


TestTakeovers = Takeovers.TestCase
TestTakeovers.settings = settings(max_examples=8, stateful_step_count=30, deadline=None)


@pytest.mark.slow
def test_no_order_of_many_thousand_steps_makes_two_owners() -> None:
    run_state_machine_as_test(
        Takeovers, settings=settings(max_examples=400, stateful_step_count=60, deadline=None)
    )


@pytest.fixture
async def house(tmp_path: Path, database: str) -> AsyncIterator[House]:
    house = House(tmp_path, database)
    yield house
    await house.close()


@pytest.mark.postgres
@pytest.mark.socket
async def test_a_lease_is_not_good_any_more_once_others_may_wonder_about_its_lost_session(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = await house.open("one")
    lease, gone = house.entries["one"].lease, asyncio.Event()
    await one.until(lambda: house.entries["one"].cluster.ladders.here)  # nothing is under way
    connect = lease._connect

    async def connect_later() -> Any:
        await gone.wait()
        return await connect()

    renewals: list[None] = []
    monkeypatch.setattr(lease, "_connect", connect_later)
    monkeypatch.setattr(lease._takeover, "renewed", lambda: renewals.append(None))
    lease._table.db.terminate()
    assert lease.lease.is_good()
    await asyncio.sleep(GRACE_S + 0.05)  # nothing tells that so long has gone by
    assert (lease.lease.is_good(), lease.lease.left_s() > 0) == (False, True)
    assert not renewals
    gone.set()
    await one.until(lease.lease.is_good)
    assert len(renewals) == 1, "rooms are shown to who had to wait"


@pytest.mark.postgres
@pytest.mark.socket
async def test_a_server_that_cannot_join_for_its_database_says_so(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def say_nothing(lease: Any) -> None:
        raise TimeoutError

    monkeypatch.setattr(LeaseKeeper, "begin", say_nothing)
    with pytest.raises(DatabaseAway, match="cannot be reached: it does not answer"):
        await house.open("one")


async def test_a_server_whose_lease_nobody_keeps_any_more_ends_and_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def no_beat(keeper: LeaseKeeper) -> None:
        """All is well, at first."""

    async def fail(keeper: LeaseKeeper) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(LeaseKeeper, "_beat", no_beat)
    monkeypatch.setattr(LeaseKeeper, "_keep_watching", fail)
    monkeypatch.setattr("server.cluster.lease.process_of", lambda db: asyncio.sleep(0, (1, None)))
    monkeypatch.setattr("server.cluster.lease.timeline_of", lambda db: asyncio.sleep(0, ""))
    ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    nobody: Any = mock.MagicMock()
    keeper = LeaseKeeper(MemberKey(1, 1), OwnLease(TTL_S), nobody, nobody, nobody, ended.set_result)
    await keeper.begin()
    assert "its lease is not kept any more" in await asyncio.wait_for(ended, 5)
    assert "ZeroDivisionError: a bug" in caplog.text
    await keeper.close()
