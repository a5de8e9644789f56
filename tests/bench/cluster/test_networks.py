"""Servers of a cluster are cut apart, in both kinds of network, and play on."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from bench.cluster import blows
from bench.cluster.blows import KINDS, BlowKind
from bench.cluster.cluster import ClusterPlan, ClusterReport, Stuck, carry_out
from bench.support.namespaces import EVERYWHERE, Namespace, NetworkMachine, NoNamespaces, Router
from bench.support.report import Missing

PATIENCE = 60.0  # seconds, for what the kernel does at once
SHORT_S = (1.5, 1.5)
CUTS = ("cut from one other, one way", "machine gone")


def _kinds(*names: str) -> tuple[BlowKind, ...]:
    return tuple(kind for kind in KINDS if kind.what in names)


def _run(plan: ClusterPlan, folder: Path) -> ClusterReport:
    try:
        return asyncio.run(carry_out(plan, folder))
    except Missing as why:
        pytest.skip(str(why))


@pytest.fixture
def router() -> Router:
    try:
        return Router()
    except NoNamespaces as why:
        pytest.skip(str(why))


@pytest.mark.socket
def test_a_router_drops_what_goes_one_way_and_lets_it_through_again(router: Router) -> None:
    one, two, three = machines = [NetworkMachine(router, number) for number in (1, 2, 3)]
    mouths = [_datagrams(machine) for machine in machines]
    ears = [_datagrams(machine) for machine in machines]

    def send(text: bytes, source: int, target: int) -> None:
        mouths[source].sendto(text, ears[target].getsockname())

    try:
        send(b"whole", 0, 1)
        assert ears[1].recv(16) == b"whole"
        router.cut(one.address, two.address)
        router.cut(one.address, two.address)  # it is cut, and stays so
        send(b"lost", 0, 1)
        send(b"from three", 2, 1)
        assert ears[1].recv(16) == b"from three"
        send(b"back", 1, 0)
        assert ears[0].recv(16) == b"back"
        router.cut(EVERYWHERE, three.address)
        send(b"lost", 0, 2)
        send(b"lost", 1, 2)
        router.heal()
        send(b"healed", 0, 1)
        assert ears[1].recv(16) == b"healed"
        send(b"healed", 1, 2)
        assert ears[2].recv(16) == b"healed"
    finally:
        for socket_ in (*mouths, *ears):
            socket_.close()
        for each in (one, two, three, router):
            each.close()


def _datagrams(machine: NetworkMachine) -> socket.socket:
    """A socket on a machine, which listens at a port of its own."""
    with machine.entered():
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind((machine.address, 0))
    made.settimeout(PATIENCE)
    return made


@pytest.mark.postgres
def test_servers_on_machines_of_their_own_play_on_when_one_vanishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blows, "KINDS", _kinds(*CUTS))
    monkeypatch.setattr(blows, "LASTS_S", SHORT_S)
    monkeypatch.setattr(blows, "GONE_S", 4.0)
    plan = ClusterPlan(servers=2, rooms=3, times=2, network="namespaces")
    report = _run(plan, tmp_path)
    assert report.problems == []
    assert sorted(blow.what for blow in report.blows) == sorted(CUTS)
    assert report.matches >= 3


@pytest.mark.postgres
def test_servers_behind_wires_play_on_when_their_lines_are_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blows, "KINDS", _kinds("cut from the other servers"))
    monkeypatch.setattr(blows, "LASTS_S", SHORT_S)
    report = _run(ClusterPlan(servers=2, rooms=2, times=1, network="wires"), tmp_path)
    assert report.problems == []
    assert (report.network, len(report.blows)) == ("wires", 1)
    assert (
        report.blows[0].played_on_s > 1.0
    )  # both rooms have a player at either server: none goes on while it is cut


def test_what_cannot_be_made_here_is_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.support.namespaces.shutil.which", lambda name: None)
    with pytest.raises(NoNamespaces, match="apt-get install iproute2"):
        Namespace()
    with pytest.raises(Missing, match="iproute2"):
        asyncio.run(carry_out(ClusterPlan(network="namespaces"), tmp_path))


@pytest.mark.postgres
def test_rooms_that_do_not_go_on_are_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blows, "KINDS", _kinds("PostgreSQL killed"))
    monkeypatch.setattr("bench.cluster.cluster.HEALTHY_S", 0.0)
    with pytest.raises(Stuck, match="after PostgreSQL killed nothing more was played in rooms"):
        _run(ClusterPlan(servers=2, rooms=2, times=1, network="wires"), tmp_path)
