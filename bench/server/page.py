"""`plyhouse bench page`: how soon the page is there, near and over a phone's line, and its bytes.

A headless Chromium (playwright, which is no dependency) visits a server through a line of ours
(bench/support/slow_link.py): a first visit with nothing kept, up to the moment when one can type a
name; a second one; then a match in progress by its link; then a reload there.  What went over the
line is counted on the line.  Besides: what 100 spectators do to the time of a move.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from rich.console import Console

from bench.attacks.campaign import BesiegedServer
from bench.attacks.control import ControlMatch
from bench.server.server import UNLIMITED
from bench.support.process import cores
from bench.support.report import (
    Missing,
    Report,
    Spread,
    complain,
    load_average,
    output,
    print_load,
    progress,
    slim_table,
    spread,
)
from bench.support.slow_link import Line, SlowLink, Traffic
from bench.support.wire import Wire, WireError
from bots.arena.local_server import ROOT, ServerFailed
from protocol.messages import Create, Join, MatchState, Ready, RoomState
from protocol.parts import Options

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

GAME: Final = "backgammon"  # whose board is the largest
LINES: Final = {
    "loopback": Line(0.0, None),
    "50 ms, 1.6 Mbit/s": Line(0.050, 1_600_000),
}
FLAGS: Final = (
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
PATIENCE_S: Final = 60.0
SETTLED_S: Final = 1.0  # without a byte: a page has all that it wanted
SAMPLE_S: Final = 0.1
POLL_S: Final = 0.02
DOOR: Final = "#main input, #main button"
BOARD: Final = "#main .board svg, #main .board [role=grid], #main .board button"
# Notes when something is there for the first time, in ms since the page was asked for.
NOTES: Final = f"""
addEventListener("DOMContentLoaded", () => {{
  const wanted = {{ door: {DOOR!r}, board: {BOARD!r} }};
  globalThis.seen = {{}};
  const look = () => {{
    for (const [name, selector] of Object.entries(wanted)) {{
      if (!(name in seen) && document.querySelector(selector)) seen[name] = performance.now();
    }}
  }};
  new MutationObserver(look).observe(document, {{ childList: true, subtree: true }});
  look();
}});
"""
PACE: Final = 60.0  # moves a second of the match that is watched
OVER: Final = 1.2  # times the p99 without spectators, at most

PROMISES: Final = {"first_s": 1.0, "second_s": 0.5}  # over the slow line
MOST_REQUESTS: Final = 3  # of a second visit


class VisitFigures(msgspec.Struct, kw_only=True):
    """One line, over several rounds: seconds until something is there, bytes, requests.

    The door: one can type a name.  The board: of a match that was begun, by its link, in the same
    tab; `reload_s`: the same after a reload.
    """

    line: str
    first_s: Spread
    first_bytes: int
    first_requests: int
    first_connections: int
    second_s: Spread
    second_bytes: int
    second_requests: int
    board_s: Spread
    reload_s: Spread


class CrowdFigures(msgspec.Struct, kw_only=True):
    """Moves of one match with spectators and without, ms until they are stored; `ratio` of p99."""

    spectators: int
    moves: int
    p50_alone_ms: float
    p50_ms: float
    p99_alone_ms: float
    p99_ms: float
    ratio: float


class PageReport(Report, kw_only=True):
    """Everything that was measured."""

    browser: str
    rounds: int
    load: float | None
    visits: list[VisitFigures]
    crowd: CrowdFigures | None
    broken: list[str]  # what is beyond what is promised


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench page`."""
    parser.add_argument("--rounds", type=int, default=3, help="visits over each line (default 3)")
    parser.add_argument(
        "--port", type=int, default=0, help="of a server that runs here, in place of one's own"
    )
    parser.add_argument("--spectators", type=int, default=100, help="0: do not measure them")
    parser.add_argument("--seconds", type=float, default=8.0, help="of the match that is watched")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print; 1 if a promise was broken, 2 if it could not be measured."""
    if args.rounds < 1 or args.seconds <= 0 or args.spectators < 0:
        return complain("page", "rounds start at 1, seconds above 0, spectators at 0")
    folder = Path(tempfile.mkdtemp(prefix="plyhouse-bench-"))
    load = load_average()
    server = BesiegedServer(folder / "data", UNLIMITED)
    try:
        if not args.port:
            server.start()
        browser, visits = asyncio.run(_visit_all(args.port or server.port, args.rounds))
        own_crowd = args.spectators and not args.port
        crowd = watched(server, args.spectators, args.seconds, args.rounds) if own_crowd else None
    except (Missing, ServerFailed, WireError, OSError) as error:
        return complain("page", error)
    finally:
        server.stop()
        shutil.rmtree(folder)
    broken = [*_broken(visits), *_crowded(crowd)]
    report = PageReport(
        browser=browser, rounds=args.rounds, load=load, visits=visits, crowd=crowd, broken=broken
    )
    output(report, args.json, show)
    return 1 if broken else 0


# ------------------------------------------------------------ visits


async def _visit_all(port: int, rounds: int) -> tuple[str, list[VisitFigures]]:
    """Visit over each line; the browser's version, and the figures."""
    try:
        from playwright.async_api import Error, async_playwright
    except ImportError:
        raise Missing("needs playwright: pip install playwright") from None
    match = OpenMatch(port)
    try:
        async with async_playwright() as playwright:
            try:
                browser = await playwright.chromium.launch(
                    executable_path=_chromium(), args=list(FLAGS)
                )
            except Error as error:
                why = str(error).strip().splitlines()[0]
                raise Missing(f"needs Chromium: playwright install chromium ({why})") from None
            figures = []
            for name, line in LINES.items():
                rows = [await _visit(browser, port, line, match.room) for _ in range(rounds)]
                figures.append(_figures(name, rows))
                progress(f"{name}: door after {figures[-1].first_s.median:.2f} s")
            version = f"Chromium {browser.version}"
            await browser.close()
            return version, figures
    finally:
        match.close()


def _chromium() -> str | None:
    """The system's Chromium; None: that of playwright."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class OpenMatch:
    """A match between two programs that has begun and goes no further."""

    def __init__(self, port: int) -> None:
        self._players = [Wire("127.0.0.1", port), Wire("127.0.0.1", port)]
        first, second = self._players
        first.hello()
        second.hello()
        self.room = first.ask(Create(id=1, game=GAME, options=Options()), RoomState).room
        second.ask(Join(id=1, room=self.room), RoomState)
        for player in self._players:
            player.send(Ready(room=self.room))
        first.wait_for(MatchState)

    def close(self) -> None:
        """Hang up."""
        for player in self._players:
            player.close()


class Timings(msgspec.Struct):
    """One round over one line."""

    first: float
    first_traffic: Traffic
    second: float
    second_traffic: Traffic
    board: float
    reload: float


async def _visit(browser: Browser, port: int, line: Line, room: int) -> Timings:
    """Come for the first time, again, and to a match."""
    link = SlowLink(port, line)
    await link.start()
    context = await browser.new_context()
    try:
        await context.add_init_script(NOTES)
        page = await context.new_page()
        url = f"http://127.0.0.1:{link.port}/"
        first = await _seen(page, url, "door")
        await _settled(link)
        first_traffic = link.traffic
        await page.close()
        page = await context.new_page()
        second = await _seen(page, url, "door")
        await _settled(link)
        second_traffic = link.traffic.since(first_traffic)
        await page.locator("#main input").first.fill(f"visitor {time.monotonic_ns() % 10**9}")
        await page.keyboard.press("Enter")
        await page.locator("#me").get_by_text("visitor").first.wait_for()
        await _settled(link)
        begin = await page.evaluate(f"location.hash = 'room={room}', performance.now()")
        board = await _noted(page, "board") - begin / 1000
        await _settled(link)
        await page.reload(wait_until="commit")
        reload = await _noted(page, "board")
        return Timings(first, first_traffic, second, second_traffic, board, reload)
    finally:
        await context.close()
        await link.stop()


async def _seen(page: Page, url: str, name: str) -> float:
    """Go somewhere; seconds until something of NOTES is there."""
    await page.goto(url, wait_until="commit", timeout=PATIENCE_S * 1000)
    return await _noted(page, name)


async def _noted(page: Page, name: str) -> float:
    """Seconds since the page was asked for until something of NOTES was there."""
    deadline = time.monotonic() + PATIENCE_S
    while (at := await page.evaluate(f"globalThis.seen?.{name}")) is None:
        if time.monotonic() > deadline:
            raise Missing(f"expects a {name} on this page, and does not see one")
        await asyncio.sleep(POLL_S)  # the page tells nobody when it can be used
    return float(at) / 1000


async def _settled(link: SlowLink) -> None:
    """Wait until nothing has come for a while."""
    last, since = link.traffic, time.monotonic()
    while time.monotonic() - since < SETTLED_S:
        await asyncio.sleep(SAMPLE_S)  # quiet is when nothing came for a while
        if link.traffic != last:
            last, since = link.traffic, time.monotonic()


def _figures(line: str, rows: Sequence[Timings]) -> VisitFigures:
    def middle(values: Sequence[int]) -> int:
        return round(statistics.median(values))

    return VisitFigures(
        line=line,
        first_s=spread([row.first for row in rows]),
        first_bytes=middle([row.first_traffic.bytes_down for row in rows]),
        first_requests=middle([row.first_traffic.requests for row in rows]),
        first_connections=middle([row.first_traffic.connections for row in rows]),
        second_s=spread([row.second for row in rows]),
        second_bytes=middle([row.second_traffic.bytes_down for row in rows]),
        second_requests=middle([row.second_traffic.requests for row in rows]),
        board_s=spread([row.board for row in rows]),
        reload_s=spread([row.reload for row in rows]),
    )


# ------------------------------------------------------------ spectators


def watched(server: BesiegedServer, spectators: int, seconds: float, rounds: int) -> CrowdFigures:
    """Play a match at a fixed pace, by turns alone and before a crowd.

    Raises:
        WireError: the match or the crowd does not come about.
    """
    server.move_bots(cores()[1])
    control = ControlMatch("127.0.0.1", server.port, PACE)
    control.start()
    times: Mapping[bool, list[tuple[float, float, int]]] = {False: [], True: []}
    try:
        for number in range(2 * rounds):
            before_crowd = number % 2 == 1
            crowd = _crowd(server.port, control.room, spectators) if before_crowd else None
            begin = time.monotonic()
            time.sleep(seconds)  # the control plays in a thread of its own: this is the span
            figures = control.figures(begin, time.monotonic())
            times[before_crowd].append((figures.p50_ms, figures.p99_ms, figures.made))
            if crowd is not None:
                _send_away(crowd)
            progress(f"{spectators if before_crowd else 0} spectators: p99 {figures.p99_ms:.1f} ms")
    finally:
        control.stop()
    alone, crowded = (
        [statistics.median(row[n] for row in times[kind]) for n in (0, 1)] for kind in (False, True)
    )
    return CrowdFigures(
        spectators=spectators,
        moves=sum(row[2] for row in times[True]),
        p50_alone_ms=alone[0],
        p50_ms=crowded[0],
        p99_alone_ms=alone[1],
        p99_ms=crowded[1],
        ratio=crowded[1] / max(alone[1], 1e-9),
    )


def _crowd(port: int, room: int, count: int) -> subprocess.Popen[bytes]:
    """Start the spectators, and return once all watch."""
    words = [sys.executable, "-m", "bench.server.spectators", str(port), str(room), str(count)]
    crowd = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
    assert crowd.stdout is not None  # a pipe was asked for
    if crowd.stdout.readline() != b"ready\n":
        crowd.kill()
        crowd.wait()
        raise WireError("the spectators did not come")
    return crowd


def _send_away(crowd: subprocess.Popen[bytes]) -> None:
    try:
        crowd.communicate(timeout=PATIENCE_S)  # which closes its standard input
    except subprocess.TimeoutExpired:
        crowd.kill()
        crowd.wait()


# ------------------------------------------------------------ what comes of it


def _broken(visits: Sequence[VisitFigures]) -> list[str]:
    """What a line is too slow with, in sentences."""
    slow = visits[-1]
    sentences = []
    if slow.first_s.median > PROMISES["first_s"]:
        sentences.append(f"the door takes {slow.first_s.median:.2f} s over a slow line, not 1.0")
    if slow.second_s.median > PROMISES["second_s"]:
        sentences.append(f"a second visit takes {slow.second_s.median:.2f} s, not 0.5")
    if slow.second_requests > MOST_REQUESTS:
        sentences.append(f"a second visit makes {slow.second_requests} requests, not 3")
    return sentences


def _crowded(crowd: CrowdFigures | None) -> list[str]:
    if crowd is None or crowd.ratio <= OVER:
        return []
    return [f"with {crowd.spectators} spectators a move's p99 is {crowd.ratio:.2f} times as long"]


def show(report: PageReport) -> None:
    """Print the report for people."""
    console = Console()
    table = slim_table("The page", [""], [figures.line for figures in report.visits])
    rows: tuple[tuple[str, Callable[[VisitFigures], str]], ...] = (
        ("door on the first visit, s", lambda f: _seconds(f.first_s)),
        ("its bytes, compressed and with headers", lambda f: f"{f.first_bytes:,}"),
        ("its requests, over connections", lambda f: f"{f.first_requests}, {f.first_connections}"),
        ("door on the second visit, s", lambda f: _seconds(f.second_s)),
        ("its bytes", lambda f: f"{f.second_bytes:,}"),
        ("its requests", lambda f: f"{f.second_requests}"),
        ("board of a match, from the lobby, s", lambda f: _seconds(f.board_s)),
        ("board after a reload, s", lambda f: _seconds(f.reload_s)),
    )
    for name, text in rows:
        table.add_row(name, *(text(figures) for figures in report.visits))
    console.print(table)
    if (crowd := report.crowd) is not None:
        console.print(
            f"A move with {crowd.spectators} spectators, ms: p50 {crowd.p50_ms:.1f}, p99"
            f" {crowd.p99_ms:.1f}; without {crowd.p50_alone_ms:.1f} and {crowd.p99_alone_ms:.1f}:"
            f" p99 {crowd.ratio:.2f} times as long ({crowd.moves:,} moves)."
        )
    console.print(f"{report.browser}, {report.rounds} rounds. {report.place}.")
    print_load(console, report.load, 1.0)
    for sentence in report.broken:
        console.print(f"BROKEN: {sentence}.")


def _seconds(figure: Spread) -> str:
    return f"{figure.median:.2f} ({figure.low:.2f} to {figure.high:.2f})"
