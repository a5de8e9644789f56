"""Guards of the house that can be taken out, to see that a run notices.

A guard is a few words of one function, and what stands in their place where it is out.  The code of
the function is replaced in this process, as long as it lasts, whoever holds the function.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple


class Guard(NamedTuple):
    """`where`: a function, as module:path; `old` stands once in it."""

    where: str
    old: str
    new: str


GUARDS: Final[dict[str, Guard]] = {
    "turn": Guard("server.core.match:check_play", "if turn != match.turn:", "if False:"),
    "seat": Guard("server.core.match:check_play", "if position.to_move != seat:", "if False:"),
    "legal": Guard(
        "server.core.match:check_play", "if text in position.legal_notation():", "if text != '?':"
    ),
    "repeated play": Guard(
        "server.core.past.plies:answered_before",
        "return text == action.action or",
        "return text == action.note or action.seat != seat and",
    ),
    "busy flag": Guard(
        "server.rooms.actor:RoomActor.commit",
        "self.busy, self.pending = True,",
        "self.busy, self.pending = False,",
    ),
    "stored before shown": Guard(
        "server.rooms.actor:RoomActor.commit",
        "self.host.store.append(rows, done if times.begun is None else times.measured(rows, done))",
        "self.host.store.append(rows, lambda error: None); done(None)",
    ),
    "answer after commit": Guard(
        "tests.simulation.log:SimulatedLog._send", "if disk.acknowledges_early:", "if True:"
    ),
    "store error": Guard(
        "server.rooms.actor:RoomActor._stored", "if error is not None:", "if False:"
    ),
    "whole append": Guard(
        "server.store.batching:GroupCommit.sent", "if self._waiting:", "if len(self._waiting) > 1:"
    ),
    "inbox": Guard(
        "server.rooms.peers:check_inbox", "if len(inbox) >= config.inbox or", "if False and"
    ),
    "inbox goes on": Guard(
        "server.rooms.actor:RoomActor._stored",
        "if self.inbox or self.leaving is not None:",
        "if self.leaving is not None:",
    ),
    "outage retries": Guard(
        "server.rooms.outage:Outage._tried",
        "self._try_later(min(wait_ms * 2, MAX_RETRY_MS))",
        "pass",
    ),
    "outage tells": Guard("server.rooms.outage:Outage._tried", "actor.unstall()", "pass"),
    "resend": Guard("client.ledger:Ledger.lost", "again.append(waiting.request)", "pass"),
    "interrupted": Guard(
        "client.ledger:Ledger.lost", "_reject(waiting, Interrupted(_tag(waiting.request)))", "pass"
    ),
    "takeback turn": Guard("server.core.match:taken_back", "turn=seq,", "turn=match.turn,"),
    "takeback position": Guard(
        "server.core.match:taken_back", "if action.ply == event.ply:", "if action.kind == 'play':"
    ),
    "ending": Guard("server.hub:Hub.close", "actor.tell(Stalled(), None, now)", "pass"),
    "time stands still": Guard(
        "server.rooms.wall_clock:WallClock.now",
        "if seconds - self._asked > self._away_s:",
        "if False:",
    ),
    "step": Guard(
        "server.rooms.directory:RoomDirectory.step",
        "actor.tell(Stepped(ms), None, self.now())",
        "pass",
    ),
    "lost connection": Guard("server.hub:Hub.lost", "self.sessions.lost(peer)", "pass"),
    "back to rooms": Guard(
        "server.sessions:Sessions.return_to_rooms", "actor.follow(peer)", "pass"
    ),
    "session stored": Guard(
        "server.sessions:Sessions.store_session",
        "self.store.append(rows, stored)",
        "self.store.append(rows, _ignore); stored(None)",
    ),
    "ladder stored first": Guard(
        "server.ladder.actor:LadderActor._store",
        "append(rows, lambda error: self._stored(events, decision, error))",
        "append(rows, lambda error: None); self._stored(events, decision, None)",
    ),
    "ladder store error": Guard(
        "server.ladder.actor:LadderActor._stored", "if error is None:", "if True:"
    ),
    "ladder looks again": Guard(
        "server.ladder.actor:LadderActor.resume", "self.leg_changed(actor, leg)", "pass"
    ),
    "rated again": Guard(
        "server.ladder.rater:Rater.changed", "self._stale = True", "self._stale = not self.rated"
    ),
    "one end": Guard("server.core.playing:play", "if match.result is not None:", "if False:"),
}


@contextlib.contextmanager
def without(name: str, among: Mapping[str, Guard] = GUARDS) -> Iterator[None]:
    """Have a guard be out as long as this lasts."""
    guard = among[name]
    function, code = _function(guard), changed(guard)
    before = function.__code__
    function.__code__ = code
    try:
        yield
    finally:
        function.__code__ = before


def _function(guard: Guard) -> Any:
    module, _, path = guard.where.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


def changed(guard: Guard) -> Any:
    """Return the code of the function without its guard."""
    function = _function(guard)
    source = textwrap.dedent(inspect.getsource(function))
    # What a formatter has broken into lines is one line here, as the guard is written.
    if source.count(guard.old) != 1:
        raise AssertionError(f"{guard.where} has {guard.old!r} {source.count(guard.old)} times")
    text = "from __future__ import annotations\n" + source.replace(guard.old, guard.new)
    names = dict(vars(importlib.import_module(guard.where.partition(":")[0])))
    exec(compile(text, inspect.getfile(function), "exec"), names)
    return names[function.__name__].__code__
