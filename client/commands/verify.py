"""`plyhouse verify`: arguments in, an exit code out.

A match is named by its id, such as 17.2, and asked of the server; or it is a file, and then no
server is asked: of one that `export --format json` wrote all is checked, of any other what it says.
Exit codes: 0 it holds; 1 it does not; 2 it cannot be said: no such match, not over, not for us, no
record, no server.
"""

from __future__ import annotations

import argparse
import json
from typing import Final

import msgspec

from client import words
from client.commands.arguments import add_match, guarded, record_source
from client.records.series import is_of_series, verify_series
from client.records.source import find_match
from client.records.verify import Verification, verify
from client.styled_text import clean
from protocol.reading.files import ReadMatch
from protocol.records.record import Altered, MatchRecord
from protocol.records.replay import Replay, replay_events

NOT_PROMISED: Final = (
    "not checked: dice, times and names; no dice were promised beforehand, so only this file says"
    " how they fell"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_match(parser)
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")


def run(args: argparse.Namespace) -> int:
    return guarded(lambda: _verify(args))


def _verify(args: argparse.Namespace) -> int:
    try:
        match = find_match(record_source(args))
    except Altered as error:
        return _report_fault(args, error.seq, str(error), {"line": error.line})
    games = match.games
    record = games[-1]
    verification = verify(record, promised=match.promised)
    if match.fault is not None:
        return _report_fault(args, None, match.fault, _facts(verification))
    if verification.wrong is not None:
        where = f"event {verification.seq}: " if verification.seq is not None else ""
        why = f"{where}{verification.wrong}"
        return _report_fault(args, verification.seq, why, _facts(verification))
    fault = next(iter(match.remarks), None) or _fault_of_games(match)
    if fault is not None:
        return _report_fault(args, None, fault, _facts(verification))
    if args.json:
        print(json.dumps({"match": verification.match, "ok": True, **_facts(verification)}))
    else:
        lines = account(verification, replay_events(record.events))
        lines += _series_lines(verification, len(games))
        print("\n".join([*lines, *([] if match.promised else [NOT_PROMISED])]))
    return 0


def _fault_of_games(match: ReadMatch) -> str | None:
    """Return why the games before the last one do not hold, or make no series; None: they do."""
    games = match.games
    if len(games) < 2:
        return None
    if all(is_of_series(game) for game in games) or match.promised:
        return _fault_of_series(games, match.promised)
    for game in games[:-1]:
        found = verify(game, promised=match.promised)
        if found.wrong is not None:
            return f"match {game.match}, a game before it, event {found.seq}: {found.wrong}"
    return None


def _fault_of_series(games: list[MatchRecord], promised: bool) -> str | None:
    """Return why the games of a series do not follow from each other, the last one aside."""
    checked, wrong = verify_series(games, promised=promised)
    last = checked[-1]
    if last.wrong is not None:
        wrong = f"match {last.match}, a game before it, event {last.seq}: {last.wrong}"
    return f"the series: {wrong}" if wrong is not None else None


def _series_lines(verification: Verification, games: int) -> list[str]:
    """Return what is to be said of the series of which the match is a game."""
    series = verification.series
    if series is None:
        return []
    one, two = series.score
    line = f"series: game {series.game} of a match to {series.points} points, at {one} to {two}"
    if series.game == 1:
        return [line]
    if games == 1:
        return [f"{line}; the games before it are not in this file"]
    return [f"{line}, as the games before it make it, each of which holds"]


def _report_fault(
    args: argparse.Namespace, seq: int | None, why: str, facts: dict[str, object]
) -> int:
    if args.json:
        print(json.dumps({"match": args.match, "ok": False, "event": seq, "why": why, **facts}))
    else:
        print(f"not ok: {clean(why)}")
    return 1


def _facts(verification: Verification) -> dict[str, object]:
    return {
        "game": verification.game,
        "players": msgspec.to_builtins(verification.players),
        "actions": verification.actions,
        "rolls": verification.rolls,
        "timed": verification.timed,
        "commitment": verification.commitment,
        "salts": verification.salts,
        "result": msgspec.to_builtins(verification.result),
        "series": msgspec.to_builtins(verification.series),
    }


def account(verification: Verification, replay: Replay) -> list[str]:
    """Return what was played and what was checked, in a few lines."""
    names = " against ".join(words.full_title(player) for player in verification.players)
    checked = [f"{verification.actions} actions by the rules"]
    if verification.rolls and verification.commitment is not None:
        checked.append(f"{verification.rolls} rolls from the promised secret and both salts")
    if verification.timed:
        checked.append("the clocks")
    result = words.result_text(replay.result, replay.game.name, replay.game.seats)
    lines = [
        f"ok: match {verification.match} of {verification.game}, {names}: {result}",
        f"checked: {', '.join(checked)}, and the result",
    ]
    if verification.salts is not None:
        one, two = (salt or "none" for salt in verification.salts)
        lines.append(f"commitment: {verification.commitment}")
        lines.append(f"salts: {one}, {two}")
    return [clean(line) for line in lines]
