"""The composition root: builds every part of a server but sockets, and hands each what it needs.

No part builds another, and only here is said who subscribes to the rooms' announcements.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from server.config import Config
from server.core.lobby import LobbyState
from server.figures.move_times import MoveTimes
from server.hub import Hub
from server.ladder.service import LadderService
from server.past.indexing import Indexing
from server.past.kept_analyses import KeptAnalyses
from server.past.log_reads import LogReads
from server.past.rater import PeopleRater
from server.past.service import PastService
from server.rooms.admission import Admission
from server.rooms.directory import RoomDirectory
from server.rooms.outage import Outage
from server.rooms.wall_clock import WallClock
from server.services.analyses import Analyses, Considerations
from server.services.drawings import Drawings
from server.services.hints import Hints
from server.services.invitations import Invitations
from server.services.loading import Loading, read_rules, read_sessions
from server.services.lobby_list import LobbyFeed
from server.services.neighbours import Neighbours
from server.services.presences import Presences
from server.services.seeking import Seeking
from server.services.services import Services
from server.sessions import Sessions
from server.store.contract import Store


class Assembly(NamedTuple):
    """A server without sockets: it takes frames and answers them."""

    hub: Hub
    outage: Outage
    clock: WallClock
    loading: Loading


def assemble(
    store: Store,
    config: Config,
    loop: asyncio.AbstractEventLoop,
    neighbours: Neighbours | None = None,
) -> Assembly:
    """Build a server over a log, and open the rooms and ladders that were open in it.

    Most of the rooms are not loaded until somebody asks for them, or `loading` is started.

    Args:
        neighbours: the other servers, where there are some.

    Raises:
        StoreError: if the log cannot be read.
        WrongClock: if it is more than a day ahead of the machine's clock.
    """
    far, _, room_numbers, numbers = neighbours or (None, None, None, None)
    clock = WallClock(loop, store.last_at)
    lobby = LobbyState(read_sessions(store), clock.now(), config.rooms_per_session, numbers)
    hints = Hints(lobby, clock, config.advice_ms, config.analysis_delay_ms)
    invitations, times = Invitations(lobby, clock, config), MoveTimes()
    rooms = RoomDirectory(
        store, config, clock, lobby, times=times, invite=invitations.invite,
        ask_hint=hints.ask, numbers=room_numbers,
    )  # fmt: skip
    feed = LobbyFeed(lobby, clock, config, rooms, far)
    reads = LogReads(store, loop, config.reads_waiting, config.reads_per_session)
    kept = KeptAnalyses(store, config)
    analyses = Analyses(
        lobby, clock, config.analysis_ms, reads, rooms, config.analyses,
        config.analysis_delay_ms, kept,
    )  # fmt: skip
    considerations = Considerations(lobby, clock, config.analysis_ms, rooms)
    admission = Admission(rooms, config)
    ladders = LadderService(store, clock, lobby, rooms, config, admission)
    outage = Outage(store, clock, rooms, config.retry_ms)
    rater = PeopleRater(reads, config, loop)
    indexing = Indexing(store, reads, loop, rater.indexed)
    past = PastService(lobby, reads, rater, indexing, config)
    services = Services(
        feed, invitations, hints, analyses, considerations, ladders, reads, Drawings(rooms), past,
        Seeking(lobby, rooms, rater),
    )  # fmt: skip
    rules = read_rules(store)
    sessions = Sessions(config, store, lobby, rooms, services, rules, neighbours)
    hub = Hub(config, lobby, rooms, admission, services, sessions, rules, times)
    _subscribe(hub, outage, rater)
    loading = Loading(store, rooms, ladders, clock)
    loading.open()
    indexing.start()
    return Assembly(hub, outage, clock, loading)


def _subscribe(hub: Hub, outage: Outage, rater: PeopleRater) -> None:
    """Have the parts hear of each other's news; those of one list in this order."""
    lobby, rooms, admission, sessions = hub.lobby, hub.rooms, hub.admission, hub.sessions
    feed, ladders, seeking = hub.services.lobby_feed, hub.services.ladders, hub.services.seeking
    invitations, presences = hub.services.invitations, Presences(lobby, rooms)
    news = rooms.announcements
    news.listed += [presences.listed, admission.listed, feed.listed, seeking.listed]
    news.changed += [feed.changed, rater.changed]
    news.reseated += [
        presences.reseated, invitations.reseated, ladders.reseated, admission.reseated,
        seeking.reseated,
    ]  # fmt: skip
    news.shown += [presences.shown, feed.shown, sessions.shown]
    news.leg_changed += [ladders.leg_changed]
    news.removed += [
        presences.removed, outage.forget, feed.removed, invitations.removed, ladders.removed,
        admission.removed, seeking.removed,
    ]  # fmt: skip
    news.stalled += [outage.begin]
    invitations.held += [feed.slot_held]
    rooms.clock.stepped += [rooms.step, lobby.step, invitations.step]
    lobby.names.holders += [ladders.sessions]
    lobby.names.never_again(hub.rules.last_released)
