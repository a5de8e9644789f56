"""The house's anchors: bots of fixed strength on every ladder, so that ladders compare.

One of them, `random`, is where ratings begin: its rating is 0 by definition.  The others are given
by program and level.  They come to a ladder by themselves as soon as one is open whose game they
play, take no invitations, and share a thread, so that many ladders do not eat the machine; the
strongest has one of its own and plays one pair at a time, or it would make others, and itself, lose
on time while it thinks.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from typing import Final

from bots import terms
from bots.runner import Runner
from bots.terms import Entry
from games import registry as games
from protocol.errors import PlyhouseError, Refusal
from protocol.ladder import LadderLine

ZERO: Final = "random"
LEVELS: Final = (("minimax", 2), ("minimax", 4), ("mcts", 2), ("mcts", 4), ("mcts", 6))
SLOW: Final = "mcts-6"  # half a second for a turn of backgammon; the others take 20 ms
SLOTS: Final = 2  # of each other anchor
LOOK_S: Final = 3.0  # between two looks at the list of ladders

log = logging.getLogger("plyhouse.bots")


def entries(seed: int) -> list[Entry]:
    """The anchors as entries, `random` first; `mcts-4` has the nodes of mcts at level 4."""
    zero = terms.entry(ZERO, seed=seed, slots=SLOTS, invited=False)
    others = [
        terms.entry(
            program,
            seed=seed,
            budget=terms.level_budget(program, level),
            slots=1 if f"{program}-{level}" == SLOW else SLOTS,
            alias=f"{program}-{level}",
            invited=False,
        )
        for program, level in LEVELS
    ]
    return [zero, *others]


class Anchors:
    """The anchors at one house.  `bring` connects an entry that thinks on the given threads."""

    def __init__(
        self,
        seed: int,
        bring: Callable[[Entry, Executor], Awaitable[Runner]],
        zero: Runner | None = None,
    ) -> None:
        """`zero`: the runner of `random`, where the house has that among its bots already."""
        self.entries = entries(seed)
        self._bring = bring
        self._here = {ZERO: zero} if zero is not None else {}
        self._asked: set[tuple[str, str]] = set()  # (anchor, ladder), granted or not
        self._workers = ThreadPoolExecutor(1, thread_name_prefix="anchors")
        self._slow_worker = ThreadPoolExecutor(1, thread_name_prefix=SLOW)
        self._serving: list[asyncio.Task[None]] = []
        self._stopped = asyncio.Event()

    def stop(self) -> None:
        """Join no more ladders; whose runner is drained leaves those that it is on."""
        self._stopped.set()

    async def run(self) -> None:
        """Follow the ladders until stopped, or until the connection is over; then play on until
        all runners have ended.

        Raises:
            Refusal: the house does not let an anchor in.
        """
        try:
            scout = await self._runner(self.entries[0])
            while not (self._stopped.is_set() or scout.house.closed):
                await self._look(scout)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stopped.wait(), LOOK_S)
            await asyncio.gather(*self._serving)
        finally:
            for task in self._serving:
                task.cancel()
            await asyncio.gather(*self._serving, return_exceptions=True)
            for workers in (self._workers, self._slow_worker):
                workers.shutdown(wait=False, cancel_futures=True)

    async def _look(self, scout: Runner) -> None:
        """See which ladders there are, and join those that are new."""
        try:
            found = await scout.house.ladders()
        except PlyhouseError as error:  # the next look may do better
            log.debug("anchors: %s", error)
            return
        for line in found.ladders:
            if line.state == "running":
                for entry in self.entries:
                    await self._consider(entry, line)

    async def _consider(self, entry: Entry, line: LadderLine) -> None:
        """Join if it plays that and has not tried before; not before its code is compiled."""
        key = (entry.name, line.name)
        if line.game not in entry.games or key in self._asked:
            return
        if await self._is_ready(entry, line.game) and not self._stopped.is_set():
            self._asked.add(key)
            await self._join(entry, line)

    async def _is_ready(self, entry: Entry, game: str) -> bool:
        """Whether its code is compiled; then it is loaded, which is not to happen on a clock."""
        played = games.game(game)
        if not entry.kind.ready(played):
            return False
        if not entry.kind.loaded(played):
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(None, entry.kind.prepare, played)
        return True

    async def _join(self, entry: Entry, line: LadderLine) -> None:
        try:
            runner = await self._runner(entry)
            await runner.enlist(line.name, entry.slots)
        except Refusal as no:
            log.info("%s is not on the ladder %s: %s", entry.name, line.name, no.text)
        except PlyhouseError as error:
            log.info("%s: %s", entry.name, error)

    async def _runner(self, entry: Entry) -> Runner:
        """The runner of an anchor, which is connected when it is first needed."""
        runner = self._here.get(entry.name)
        if runner is None:
            workers = self._slow_worker if entry.name == SLOW else self._workers
            runner = self._here[entry.name] = await self._bring(entry, workers)
            self._serving.append(asyncio.create_task(runner.serve()))
        return runner


def prepared() -> list[Entry]:
    """One entry for each program among the anchors, to be compiled before they come."""
    return [terms.entry(program, seed=0) for program in dict.fromkeys(p for p, _ in LEVELS)]
