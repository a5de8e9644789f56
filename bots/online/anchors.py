"""The house's anchors: bots of fixed strength on every ladder, so that ladders can be compared.

One of them, `random`, is where ratings begin: its rating is 0 by definition.  The others are given
by program and level.  They join every ladder whose game they play and whose clock ends a match
within minutes, the host's first, and go when no such ladder is open, so that no one sees bots in
the lobby who only decline; they take no invitations, and share a thread, so that many ladders do
not take the whole machine.  The strongest has a thread of its own and plays one pair at a time, or
its thinking would make the others, and itself, lose on time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from typing import Final

from bots.online.entry import Entry, level_budget, make_entry
from bots.online.runner import Runner
from games import registry as games
from protocol.errors import PlyhouseError, Refusal
from protocol.ladder import LadderLine

ZERO: Final = "random"
HOUSE: Final = "house"  # the owner of the host's own ladders
LEVELS: Final = (("minimax", 2), ("minimax", 4), ("mcts", 2), ("mcts", 4), ("mcts", 6))
SLOW: Final = "mcts-6"  # half a second for a turn of backgammon; the others take 20 ms
SLOTS: Final = 2  # of each other anchor
MAX_BASE_MS: Final = 600_000  # of a clock: a bot that does not move holds a slot for so long ...
MAX_MOVE_MS: Final = 30_000  # ... or, if it moves late each time, for some of these
LOOK_S: Final = 3.0  # between two looks at the list of ladders

log = logging.getLogger("plyhouse.bots")


def entries(seed: int) -> list[Entry]:
    """The anchors, `random` first; `mcts-4` has the nodes of mcts at level 4."""
    zero = make_entry(ZERO, seed=seed, slots=SLOTS, invited=False)
    others = [
        make_entry(
            program,
            seed=seed,
            budget=level_budget(program, level),
            slots=1 if f"{program}-{level}" == SLOW else SLOTS,
            alias=f"{program}-{level}",
            invited=False,
        )
        for program, level in LEVELS
    ]
    return [zero, *others]


class Anchors:
    """The anchors at one server.  `bring` connects an entry that thinks on the given threads."""

    def __init__(
        self,
        seed: int,
        bring: Callable[[Entry, Executor], Awaitable[Runner]],
        zero: Runner | None = None,
    ) -> None:
        """`zero`: the runner of `random`, where that is among the house's bots already."""
        self.entries = entries(seed)
        self._bring = bring
        self._runners = {ZERO: zero} if zero is not None else {}
        self._asked: set[tuple[str, str]] = set()  # (anchor, ladder), granted or not
        self._workers = ThreadPoolExecutor(1, thread_name_prefix="anchors")
        self._slow_worker = ThreadPoolExecutor(1, thread_name_prefix=SLOW)
        self._serving: set[asyncio.Task[None]] = set()
        self._stopped = asyncio.Event()

    def stop(self) -> None:
        """Join no more ladders; a runner that is drained leaves its own."""
        self._stopped.set()

    async def run(self) -> None:
        """Follow the ladders until stopped, or until the connection is over; then play on until all
        runners have ended.

        Raises:
            Refusal: the server does not let an anchor in.
        """
        try:
            runner = await self._runner(self.entries[0])
            while not (self._stopped.is_set() or runner.connection.closed):
                await self._look(runner)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stopped.wait(), LOOK_S)
            await asyncio.gather(*self._serving)  # all there will be: only a look brings more
        finally:
            for task in self._serving:
                task.cancel()
            await asyncio.gather(*self._serving, return_exceptions=True)
            for workers in (self._workers, self._slow_worker):
                workers.shutdown(wait=False, cancel_futures=True)

    async def _look(self, runner: Runner) -> None:
        """See which ladders there are, and join those that are new."""
        try:
            ladders = (await runner.connection.ladders()).ladders
        except PlyhouseError as error:  # the next look may do better
            log.debug("anchors: %s", error)
            return
        running = [each for each in ladders if each.state == "running" and _ends_soon(each)]
        running.sort(key=lambda ladder: not _is_of_host(ladder))
        for ladder in running:
            for entry in self.entries:
                await self._consider(entry, ladder)
        names = {ladder.name for ladder in running}
        self._asked = {(entry, ladder) for entry, ladder in self._asked if ladder in names}
        self._let_go(runner, names)

    def _let_go(self, looking: Runner, running: set[str]) -> None:
        """Have those go whose ladders are all over; they come back with the next one."""
        for name, runner in list(self._runners.items()):
            if runner is not looking and running.isdisjoint(runner.ladders):
                runner.drain()
                del self._runners[name]

    async def _consider(self, entry: Entry, ladder: LadderLine) -> None:
        """Join a ladder of a game it plays, once, and not before its code is compiled."""
        key = (entry.name, ladder.name)
        if ladder.game not in entry.games or key in self._asked:
            return
        if await self._is_ready(entry, ladder.game) and not self._stopped.is_set():
            self._asked.add(key)
            await self._join(entry, ladder)

    async def _is_ready(self, entry: Entry, game: str) -> bool:
        """Whether its code is compiled; then load it, which must not happen on a clock."""
        played = games.game(game)
        if not entry.bot_class.ready(played):
            return False
        if not entry.bot_class.loaded(played):
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(None, entry.bot_class.prepare, played)
        return True

    async def _join(self, entry: Entry, ladder: LadderLine) -> None:
        try:
            runner = await self._runner(entry)
            await runner.enlist(ladder.name, entry.slots)
        except Refusal as refusal:
            log.info("%s is not on the ladder %s: %s", entry.name, ladder.name, refusal.text)
        except PlyhouseError as error:
            log.info("%s: %s", entry.name, error)

    async def _runner(self, entry: Entry) -> Runner:
        """The runner of an anchor, which is connected when it is first needed."""
        runner = self._runners.get(entry.name)
        if runner is None:
            workers = self._slow_worker if entry.name == SLOW else self._workers
            runner = self._runners[entry.name] = await self._bring(entry, workers)
            task = asyncio.create_task(runner.serve())
            self._serving.add(task)
            task.add_done_callback(self._serving.discard)
        return runner


def _is_of_host(ladder: LadderLine) -> bool:
    return ladder.owner == HOUSE


def _ends_soon(ladder: LadderLine) -> bool:
    """Return whether no one can hold an anchor's slot there for long, unless the host lets them."""
    clock = ladder.clock
    move = max(clock.increment_ms, clock.each_ms or 0)
    soon = (clock.base_ms or 0) <= MAX_BASE_MS and move <= MAX_MOVE_MS
    return soon or _is_of_host(ladder)


def to_compile() -> list[Entry]:
    """One entry for each program among the anchors that is compiled before they come."""
    return [make_entry(program, seed=0) for program in dict.fromkeys(p for p, _ in LEVELS)]
