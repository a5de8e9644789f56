"""`plyhouse bench store`: how fast appends become durable, in a file and in a PostgreSQL.

Rooms append in a closed loop, each when its last event is stored, as rooms do.  All stores are
measured in turn, in each round in another order, on the same machine: compare their ratio.  An
append alone is measured on one and then the other, again and again.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console

from bench.support.log_place import HERE, LogPlace, log_place
from bench.support.report import Report, Spread, complain, output, progress, slim_table, spread
from bots.arena.local_server import ServerFailed
from server.store import open_store_at
from server.store.contract import EventRow, Store, StoreError

BODY: Final = bytes(60)  # about what a play is
WARM_UP_S: Final = 0.3
PAUSE_S: Final = 0.002


class StoreFigures(msgspec.Struct, kw_only=True):
    """What one store did.  Times are milliseconds, CPU microseconds an event."""

    name: str
    events_per_s: Spread
    p50_ms: Spread
    p99_ms: Spread
    client_cpu_us: Spread  # of this process, which is the server's part
    database_cpu_us: Spread | None
    lonely_p50_ms: Spread  # an append when nothing else goes on
    lonely_p99_ms: Spread


class StoreReport(Report, kw_only=True):
    """Everything that was measured; ratios are those of the second store to the first."""

    rooms: int
    seconds: float
    rounds: int
    stores: list[StoreFigures]
    rate_ratio: Spread
    lonely_ratio: Spread


class StoreRound(msgspec.Struct):
    """One store in one round; times in seconds."""

    rate: float
    times: list[float]
    client_cpu: float
    database_cpu: float | None
    lonely: list[float]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench store`."""
    parser.add_argument("--rooms", type=int, default=200, help="that append at once (default 200)")
    parser.add_argument("--seconds", type=float, default=3.0, help="measured, each round")
    parser.add_argument("--rounds", type=int, default=3, help="of all stores")
    parser.add_argument(
        "--database", default=HERE, metavar="URL",
        help=f"an empty PostgreSQL; `{HERE}` (default): one that is started for it",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print; 2 if it could not be measured."""
    if min(args.rooms, args.rounds) < 1 or args.seconds <= 0:
        return complain("store", "rooms and rounds start at 1, seconds above 0")
    try:
        with log_place(args.database) as place:
            report = measure(args.rooms, args.seconds, args.rounds, place)
    except (ServerFailed, StoreError, OSError) as error:
        return complain("store", error)
    output(report, args.json, show)
    return 0


def measure(rooms: int, seconds: float, rounds: int, place: LogPlace) -> StoreReport:
    """Measure both stores, `rounds` times."""
    places = [LogPlace(), place]
    results: list[list[StoreRound]] = [[], []]
    for number in range(rounds):
        order = [0, 1] if number % 2 else [1, 0]
        alone = asyncio.run(lonely_round(places, seconds))
        for which in order:
            result = asyncio.run(one_round(places[which], rooms, seconds))
            result.lonely = alone[which]
            results[which].append(result)
        rates = [f"{results[n][-1].rate:,.0f} ({places[n].name})" for n in (0, 1)]
        progress(f"round {number + 1} of {rounds}: {' and '.join(rates)} events/s")
    return StoreReport(
        rooms=rooms,
        seconds=seconds,
        rounds=rounds,
        stores=[_figures(each.name, result) for each, result in zip(places, results, strict=True)],
        rate_ratio=spread([b.rate / a.rate for a, b in zip(*results, strict=True)]),
        lonely_ratio=spread(
            [_part(b.lonely, 0.5) / _part(a.lonely, 0.5) for a, b in zip(*results, strict=True)]
        ),
    )


async def one_round(place: LogPlace, rooms: int, seconds: float) -> StoreRound:
    """Load a fresh store with many rooms."""
    async with _opened(place) as store:
        await _load(store, rooms, WARM_UP_S, first=10)
        database, cpu = _cpu(place), time.process_time()
        began = time.perf_counter()
        times = await _load(store, rooms, seconds, first=10 + rooms)
        took = time.perf_counter() - began
        used = time.process_time() - cpu
        after = _cpu(place)
    each = None if database is None or after is None else (after - database) / len(times)
    return StoreRound(len(times) / took, times, used / len(times), each, [])


async def lonely_round(places: Sequence[LogPlace], seconds: float) -> list[list[float]]:
    """Append to one store and then the other, with a pause, and return how long each took."""
    times: list[list[float]] = [[] for _ in places]
    async with AsyncExitStack() as stack:
        stores = [await stack.enter_async_context(_opened(place)) for place in places]
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            for which, store in enumerate(stores):
                times[which] += await _load(store, 1, 0.0, first=1 + len(times[which]))
                await asyncio.sleep(PAUSE_S)  # as people think: what was written is at rest
    return times


@asynccontextmanager
async def _opened(place: LogPlace) -> AsyncIterator[Store]:
    with tempfile.TemporaryDirectory(prefix="plyhouse-bench-") as folder:
        if place.database is not None:
            import asyncpg

            db = await asyncpg.connect(place.database)
            await db.execute("DROP SCHEMA IF EXISTS plyhouse CASCADE")
            await db.close()
        store = await open_store_at(Path(folder), place.database, None)
        try:
            yield store
        finally:
            await store.aclose()


def _cpu(place: LogPlace) -> float | None:
    return None if place.own is None else place.own.cpu_s()


async def _load(store: Store, rooms: int, seconds: float, first: int) -> list[float]:
    """Let so many rooms append for so long, and return how long each append took, in seconds."""
    loop = asyncio.get_running_loop()
    end = time.perf_counter() + seconds
    times: list[float] = []
    left, over = rooms, loop.create_future()

    def stored(room: int, seq: int, sent: float, error: Exception | None) -> None:
        nonlocal left
        now = time.perf_counter()
        times.append(now - sent)
        if error is not None and not over.done():
            over.set_exception(error)
        elif now < end:
            append(room, seq + 1)
        else:
            left -= 1
            if not left and not over.done():
                over.set_result(None)

    def append(room: int, seq: int) -> None:
        row = EventRow(room, seq, store.epoch, "play", 1, BODY)
        store.append([row], partial(stored, room, seq, time.perf_counter()))

    numbers = list(range(first, first + rooms))
    random.Random(first).shuffle(numbers)
    for number in numbers:
        append(number, 1)
    await over
    return times


def _part(times: list[float], share: float) -> float:
    return sorted(times)[int(share * (len(times) - 1))]


def _figures(name: str, rounds: list[StoreRound]) -> StoreFigures:
    database = [each.database_cpu for each in rounds if each.database_cpu is not None]
    return StoreFigures(
        name=name,
        events_per_s=spread([each.rate for each in rounds]),
        p50_ms=spread([1e3 * _part(each.times, 0.5) for each in rounds]),
        p99_ms=spread([1e3 * _part(each.times, 0.99) for each in rounds]),
        client_cpu_us=spread([1e6 * each.client_cpu for each in rounds]),
        database_cpu_us=spread([1e6 * cpu for cpu in database]) if database else None,
        lonely_p50_ms=spread([1e3 * _part(each.lonely, 0.5) for each in rounds]),
        lonely_p99_ms=spread([1e3 * _part(each.lonely, 0.99) for each in rounds]),
    )


def show(report: StoreReport) -> None:
    """Print the report for people."""
    title = f"{report.rooms} rooms append at once, {report.seconds:g} s a round"
    table = slim_table(title, [""], [store.name for store in report.stores])
    lines: list[tuple[str, str, str]] = [
        ("durable events a second", "events_per_s", ",.0f"),
        ("an append, p50 ms", "p50_ms", ".2f"),
        ("the same, p99 ms", "p99_ms", ".2f"),
        ("CPU of the server an event, us", "client_cpu_us", ".1f"),
        ("CPU of the database an event, us", "database_cpu_us", ".1f"),
        ("an append alone, p50 ms", "lonely_p50_ms", ".2f"),
        ("the same, p99 ms", "lonely_p99_ms", ".2f"),
    ]
    for name, field, style in lines:
        figures: list[Spread | None] = [getattr(store, field) for store in report.stores]
        table.add_row(name, *("" if f is None else format(f.median, style) for f in figures))
    console = Console()
    console.print(table)
    rate, lonely = report.rate_ratio, report.lonely_ratio
    console.print(
        f"PostgreSQL's rate is {_times(rate)} SQLite's, and an append alone takes {_times(lonely)}"
        " as long."
    )
    console.print(f"{report.place}.")


def _times(ratio: Spread) -> str:
    return f"{ratio.median:.2f} ({ratio.low:.2f} to {ratio.high:.2f}) times"
