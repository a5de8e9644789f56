"""Guards of several servers that can be taken out: see tests/simulation/guards.py."""

from __future__ import annotations

from typing import Final

from tests.simulation.guards import Guard

CLUSTER_GUARDS: Final[dict[str, Guard]] = {
    "fence": Guard(
        "tests.simulation.cluster.tables:Tables.append_rows",
        "if node is None or node.epoch != epoch:",
        "if False:",
    ),
    "locks of a claim": Guard(
        "tests.simulation.cluster.tables:Statements._claim", "asks.lock(row.number)", "pass"
    ),
    "unanswered": Guard(
        "server.cluster.forwarding:Forwarding.parted",
        "peer.send(Error(code=Code.SERVER_UNANSWERED, text=text, re=re))",
        "pass",
    ),
    "shown by the new owner": Guard(
        "server.cluster.hosting:FarPeers.show_adopted", "actor.follow(peer)", "pass"
    ),
    "connections let go": Guard(
        "server.cluster.hosting:FarPeers.parted", "self._lose(peer)", "pass"
    ),
    "goodbye told": Guard(
        "server.cluster.forwarding:Forwarding.left",
        "self.servers.tell_all(PeerLeft(number))",
        "pass",
    ),
    "numbers": Guard(
        "tests.simulation.cluster.store:SimulatedShare.take_numbers",
        "counters[what] = first + count",
        "pass",
    ),
    "rooms claimed": Guard(
        "server.cluster.lease:LeaseKeeper._claim", "await self._claim_plain(table)", "pass"
    ),
}
