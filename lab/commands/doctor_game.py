"""`plyhouse doctor game FILE|NAME`: holds a game to the laws of games, and measures it.

The laws are those that the tests hold the house's own games to (games/laws).
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from bots.engine import compiled
from bots.engine.tree import Tree
from games import registry
from games.game import Game
from games.laws import check, kernels, playing
from games.laws.check import Law, LawResult
from games.laws.perft import perft as plain_perft
from games.laws.sample import Breach, Sample
from games.laws.texts import size_of_drawing
from games.own_files import BrokenFile
from lab.doctor.comparison import agree, perft

NARROW: Final = 60  # columns of a small terminal
PERFT_S: Final = 1.0
SPEED_S: Final = 0.5
DEEPEST: Final = 30  # plies of perft
BEFORE_SEARCH: Final = frozenset(
    law for law in check.LAWS if law.__module__ in (playing.__name__, kernels.__name__)
)  # who breaks one of these may hang or crash machine code


@dataclass
class Findings:
    """What was found out about a game; a number is None where it was not measured."""

    game: Game
    file: Path
    verdicts: list[LawResult] = field(default_factory=list)
    untried: dict[str, str] = field(default_factory=dict)  # what was not tried: why
    perft: dict[str, list[int]] = field(default_factory=dict)  # plain, compiled: by depth from 1
    simulations: dict[str, int] = field(default_factory=dict)  # a second
    drawing: tuple[int, int] | None = None  # lines, columns

    @property
    def broken(self) -> list[LawResult]:
        return [verdict for verdict in self.verdicts if verdict.what is not None]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse doctor game`."""
    parser.add_argument("game", metavar="FILE|NAME", help="a file, a folder with __init__.py, or "
                        "a game by its name")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--quick", action="store_true", help="the laws alone: nothing is compiled "
                        "or measured")  # fmt: skip
    parser.epilog = "exit code: 0 all laws hold, 1 one is broken, 2 there is no such game"


def run(args: argparse.Namespace) -> int:
    """Find out and print.

    Returns:
        0 if all laws hold, 1 if one is broken, 2 if there is no such game.
    """
    logging.basicConfig(stream=sys.stderr, format="%(message)s")
    try:
        with redirect_stdout(sys.stderr):  # what the game's own file prints is no finding
            file = _file(args.game)
            findings = Findings(registry.read(file), file)
    except (registry.UnknownGame, BrokenFile) as error:
        print(f"plyhouse: {error}", file=sys.stderr)
        return 2
    if not args.json:
        print(f"{findings.game.title} ({findings.game.name}), {file}\n", flush=True)
    for verdict in _look(findings, args.quick):
        if not args.json:
            print("\n".join(_rows(verdict)), flush=True)
    if args.json:
        print(json.dumps(_report(findings), indent=1))
    else:
        print("\n".join(_measured(findings)))
    return 1 if findings.broken else 0


def _file(text: str) -> Path:
    """The file of a game, given by its path or its name.

    Raises:
        UnknownGame: with the names that exist.
        BrokenFile: what looks like a path leads nowhere.
    """
    path = Path(text)
    if path.suffix == ".py" or path.parent != Path() or path.exists():
        return path / "__init__.py" if path.is_dir() else path
    return registry.source(text)


def _look(findings: Findings, quick: bool) -> Iterator[LawResult]:
    """Hold the game to each law, and measure it if it can be played."""
    sample = Sample(findings.game)
    sound = True
    for law in check.LAWS:
        verdict = _held(findings, law, sample)
        sound = sound and (verdict.what is None or law not in BEFORE_SEARCH)
        yield verdict
        if verdict.endless:  # and so would most of those that follow be
            sound = False
            findings.untried["laws"] = "the others: the one above came to no end"
            break
    reason = "--quick" if quick else "" if sound else "the laws above come first"
    if reason:
        findings.untried |= dict.fromkeys(("compiled", "perft", "speed"), reason)
    elif compiled.available():
        yield _compiled(findings, sample)
    else:
        why = "PLYHOUSE_PLAIN is set" if not compiled.missing() else "numba is not installed"
        findings.untried["compiled"] = why
    if not reason and not (findings.broken and findings.broken[-1].law == check.title(agree)):
        _measure(findings)
    if "laws" in findings.untried:
        return
    try:
        findings.drawing = size_of_drawing(sample)
    except Exception:  # noqa: BLE001 - the rules may be anybody's; a law has told of it
        findings.untried["drawing"] = "it could not be drawn"


def _held(findings: Findings, law: Law, sample: Sample) -> LawResult:
    with redirect_stdout(sys.stderr):
        verdict = check.check(law, sample)
    findings.verdicts.append(verdict)
    return verdict


def _compiled(findings: Findings, sample: Sample) -> LawResult:
    """Compare with machine code; that there is none is what breaks this law, too."""

    def held(sample: Sample) -> None:
        try:
            agree(sample)
        except compiled.refusals() as error:
            raise Breach(compiled.refuse(sample.game, error)) from error

    held.__doc__ = agree.__doc__
    print("plyhouse: compiling", file=sys.stderr, flush=True)
    return _held(findings, held, sample)


def _measure(findings: Findings) -> None:
    """Perft to the depth that takes about a second, and simulations a second."""
    game = findings.game
    kinds = ["plain", *(["compiled"] if "compiled" not in findings.untried else [])]
    for kind in kinds:
        plain = kind == "plain"
        findings.perft[kind] = _perft(partial(perft, game, plain=plain))
        findings.simulations[kind] = _speed(game, plain)
    own, other = findings.perft["plain"], findings.perft.get("compiled", [])
    pairs = list(zip(own, other, strict=False))
    depth = next((i for i, (one, two) in enumerate(pairs, 1) if one != two), None)
    if plain_perft(game, 1) != own[:1] or depth is not None:
        what = f"to depth {depth} perft counts {own[: depth or 1]}, compiled {other[: depth or 1]}"
        findings.verdicts.append(LawResult("Perft counts the same", len(pairs), what))


def _perft(count: Callable[[int], int]) -> list[int]:
    """The counts by depth, as long as the next one will take about a second at most."""
    count(1)  # which compiles
    counts: list[int] = []
    growth, took = 1.0, 0.0
    while len(counts) < DEEPEST and took * growth < PERFT_S:
        begin = time.perf_counter()
        counts.append(count(len(counts) + 1))
        took = time.perf_counter() - begin
        if counts[-1] == 0:
            return counts[:-1]
        growth = counts[-1] / counts[-2] if len(counts) > 1 else float(counts[-1])
    return counts


def _speed(game: Game, plain: bool) -> int:
    """Simulations of `mcts` a second from the first position, on one core."""
    done, spent, nodes = 0, 0.0, 1
    Tree(game, seed=1, plain=plain, proofs=False).think(game.initial(), 1, [0])  # which compiles
    while spent < SPEED_S:
        tree = Tree(game, seed=1, plain=plain, proofs=False)
        begin = time.process_time()
        made = tree.think(game.initial(), nodes, [0])
        spent, done = time.process_time() - begin, made
        nodes *= 2
    return round(done / spent)


def _rows(verdict: LawResult) -> Iterator[str]:
    """A law as lines of the table."""
    if verdict.what is not None:
        yield f"failed  {verdict.law}"
        yield f"        {verdict.what}"
        if verdict.position is not None:
            yield f"        in {verdict.position}"
        if verdict.path:
            yield f"        after {' '.join(verdict.path)}"
    elif verdict.tried == 0:
        yield f"-       {verdict.law} (there is nothing to try)"
    else:
        yield f"ok      {verdict.law} ({verdict.tried:,})"


def _measured(findings: Findings) -> Iterator[str]:
    """What was measured, and the sum of it all."""
    yield ""
    for what, why in findings.untried.items():
        yield f"{what:8} not tried: {why}"
    for kind, counts in findings.perft.items():
        yield f"perft    {kind}, to depth {len(counts)}: {' '.join(f'{n:,}' for n in counts)}"
    for kind, speed in findings.simulations.items():
        yield f"speed    {kind}: {speed:,} simulations a CPU second from the first position"
    if findings.drawing is not None:
        lines, columns = findings.drawing
        fit = "fits" if columns <= NARROW else "is cut by"
        yield f"drawing  {lines} lines of {columns} columns: it {fit} a terminal of {NARROW}"
    broken, count = len(findings.broken), len(findings.verdicts)
    yield f"\n{broken} of {count} laws are broken" if broken else f"\nall {count} laws hold"


def _report(findings: Findings) -> dict[str, Any]:
    """All of it as JSON."""
    laws = [
        {
            "law": v.law, "ok": v.what is None, "tried": v.tried, "what": v.what,
            "position": v.position, "actions": list(v.path),
        }
        for v in findings.verdicts
    ]  # fmt: skip
    lines, columns = findings.drawing or (None, None)
    return {
        "game": findings.game.name, "title": findings.game.title, "file": str(findings.file),
        "ok": not findings.broken, "laws": laws, "not_tried": findings.untried,
        "perft": findings.perft, "simulations_a_second": findings.simulations,
        "drawing": {"lines": lines, "columns": columns},
    }  # fmt: skip
