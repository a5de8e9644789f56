"""`plyhouse matches`: matches that are over, of oneself, of somebody else or of everybody.

Exit codes: 0 they were listed; 2 they cannot be: nobody has that name, no server.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from datetime import UTC, datetime

import msgspec

from client.commands.arguments import add_person, complain, guarded
from client.names.sign_in import sign_in
from client.styled_text import clean, pad, width
from client.words import full_title, game_title, known_game, mark, result_text
from protocol.parts import Result, Series
from protocol.past import MAX_MATCHES, MatchLine, MatchPage
from protocol.records.plain_text import clean_json
from protocol.series import number_of_last

_HELP = """\
  plyhouse matches                    your own; then `plyhouse replay 17.2`, `analyse`, `export`
  plyhouse matches ann --limit 50     ann's, as far as they are public
  plyhouse matches house/mcts         those of a bot"""
LAST_MS = 253_402_300_799_000  # the end of the year 9999


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _HELP
    parser.add_argument("who", nargs="?", metavar="WHO", help="a name, or a bot as name/program")
    parser.add_argument("--all", action="store_true", help="of everybody, as far as public")
    parser.add_argument("--before", metavar="MATCH", help="only older ones than this, such as 17.2")
    parser.add_argument(
        "--limit", type=int, default=20, help=f"how many at most, 1 to {MAX_MATCHES} (default: 20)"
    )
    parser.add_argument("--json", action="store_true", help="as JSON, as the server sends it")
    add_person(parser)


def run(args: argparse.Namespace) -> int:
    if not 1 <= args.limit <= MAX_MATCHES:
        return complain(f"--limit takes 1 to {MAX_MATCHES}")
    if args.all and args.who is not None:
        return complain("--all lists everybody's matches: leave out the name")
    return guarded(lambda: asyncio.run(_list(args)))


async def _list(args: argparse.Namespace) -> int:
    async with await sign_in(
        args.url, args.name, args.link, text=args.encoding == "json"
    ) as connection:
        who = None if args.all else args.who or connection.name
        page = await connection.matches(who, args.before, args.limit)
        code = connection.welcome.recovery
        if code is not None:
            complain(f"keep this code; it brings {connection.name} back the next time: {code}")
    if args.json:
        print(clean_json(json.dumps(msgspec.to_builtins(page), ensure_ascii=False)))
    elif not page.matches:
        print("No public match is over yet." if who is None else f"No match of {who} is over.")
    else:
        print("\n".join(_table(page)))
    return 0


def _table(page: MatchPage) -> list[str]:
    """Return a line for each match, in columns, and how to go on."""
    rows = [_cells(line) for line in page.matches]
    wide = [max(width(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = [
        "  ".join([*(pad(c, w) for c, w in zip(row, wide, strict=False)), row[-1]]).rstrip()
        for row in rows
    ]
    if page.more:
        lines.append(f"There are older ones: --before {page.matches[-1].match}")
    return lines


def _cells(line: MatchLine) -> list[str]:
    game = known_game(line.game)
    names = tuple(map(full_title, line.seats))
    result = result_text(line.result, line.game, (names[0], names[1]))
    day = datetime.fromtimestamp(min(line.at, LAST_MS) / 1000, UTC)
    marks = [name for name, holds in (("rated", line.rated), ("private", line.code)) if holds]
    if line.series is not None:
        result += f" ({_standing(line.series, line.result)})"
    plies = f"{line.plies} {'ply' if line.plies == 1 else 'plies'}"
    return [
        line.match, f"{day:%Y-%m-%d %H:%M}", clean(game_title(line.game)),
        " - ".join(
            f"{clean(name)} ({mark(game, seat)}{', former name' if seat in line.former else ''})"
            for seat, name in enumerate(names)
        ),
        clean(result), ", ".join([plies, *marks]),
    ]  # fmt: skip


def _standing(series: Series, result: Result) -> str:
    """Return which game of a match to points it was, and the score it led to."""
    one, two = series.score
    number = number_of_last(series, result)
    return f"game {number} of a match to {series.points}, now {one} – {two}"
