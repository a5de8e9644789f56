"""`plyhouse verify` and `plyhouse export`: arguments in, an exit code out.

A match is named by its id, such as 17.2, and asked of the server; or it is the file that `export
--format json` wrote, and then nobody is asked.
Exit codes: 0 it holds; 1 it does not; 2 asked wrongly: no such match, not over, not for us, no
record, no server; of export also: no such format, or not of this game.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from client.connection import DEFAULT_PORT, Unreachable
from client.records import fetch, mat, record, sgf, text
from client.records.record import Altered, NotARecord, Record
from client.records.story import Story, Untold, tell
from client.records.verify import Unknown, Verdict, verify
from client.terminal.lines import clean
from client.terminal.person import Door, enter
from client.terminal.terms import BadTerm
from client.terminal.wording import full_title
from protocol.errors import Refusal

DEFAULT_URL = f"127.0.0.1:{DEFAULT_PORT}"


class NotOver(Exception):
    """The match is still on."""


class BadFormat(Exception):
    """A format that is none, or none of this game."""


@dataclass(frozen=True, slots=True)
class Found:
    """A record, or what is wrong with its file already."""

    record: Record | None
    altered: Altered | None = None


def add_verify_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse verify`."""
    add_match(parser)
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")


def add_match(parser: argparse.ArgumentParser) -> None:
    """How a match is named, and where it is looked for."""
    parser.add_argument("match", metavar="MATCH", help="such as 17.2; or a file that export wrote")
    parser.add_argument("--code", help="of a private room, if you have not played there")
    group = parser.add_argument_group("who and where (not for a file)")
    group.add_argument("--name", help="your name there (default: the last one)")
    group.add_argument(
        "--url",
        default=os.environ.get("PLYHOUSE_URL") or DEFAULT_URL,
        help=f"the server's address (default: PLYHOUSE_URL, or {DEFAULT_URL})",
    )


def run_verify(args: argparse.Namespace) -> int:
    """Verify: the exit code."""
    return guarded(lambda: _verify(args))


def _verify(args: argparse.Namespace) -> int:
    found = find(args)
    if found.record is None:
        assert found.altered is not None, "a record, or why there is none"
        return _say(args, found.altered.seq, str(found.altered), {"line": found.altered.line})
    verdict = verify(found.record)
    if verdict.wrong is not None:
        where = f"event {verdict.seq}: " if verdict.seq is not None else ""
        return _say(args, verdict.seq, f"{where}{verdict.wrong}", _facts(verdict))
    if args.json:
        print(json.dumps({"match": verdict.match, "ok": True, **_facts(verdict)}))
    else:
        print("\n".join(account(verdict, tell(found.record.events))))
    return 0


def _say(args: argparse.Namespace, seq: int | None, why: str, facts: dict[str, object]) -> int:
    if args.json:
        print(json.dumps({"match": args.match, "ok": False, "event": seq, "why": why, **facts}))
    else:
        print(f"not ok: {clean(why)}")
    return 1


def _facts(verdict: Verdict) -> dict[str, object]:
    return {
        "game": verdict.game,
        "players": msgspec.to_builtins(verdict.players),
        "actions": verdict.actions,
        "rolls": verdict.rolls,
        "timed": verdict.timed,
        "commitment": verdict.commitment,
        "salts": verdict.salts,
        "result": msgspec.to_builtins(verdict.result),
    }


def account(verdict: Verdict, story: Story) -> list[str]:
    """What was played and what was looked at, in a few lines."""
    names = " against ".join(full_title(player) for player in verdict.players)
    looked = [f"{verdict.actions} actions by the rules"]
    if verdict.rolls:
        looked.append(f"{verdict.rolls} rolls from the promised secret and both salts")
    if verdict.timed:
        looked.append("the clocks")
    lines = [
        f"ok: match {verdict.match} of {verdict.game}, {names}: {text.result_text(story)}",
        f"checked: {', '.join(looked)}, and the result",
    ]
    if verdict.salts is not None:
        one, two = (salt or "none" for salt in verdict.salts)
        lines.append(f"commitment: {verdict.commitment}")
        lines.append(f"salts: {one}, {two}")
    return [clean(line) for line in lines]


# ---------------------------------------------------------------- export


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse export`."""
    add_match(parser)
    names = "json (default), text; of backgammon also sgf, mat"
    parser.add_argument("--format", default="json", help=names)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write it there; default: print")


def run_export(args: argparse.Namespace) -> int:
    """Export: the exit code."""
    return guarded(lambda: _export(args))


def _export(args: argparse.Namespace) -> int:
    write = FORMATS.get(args.format)
    if write is None:
        raise BadFormat(f"there is no format {args.format!r}; there are {', '.join(FORMATS)}")
    data = write(record_of(args))
    if args.out is None:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    else:
        args.out.write_bytes(data)
        print(f"wrote {args.out}, {len(data):,} bytes")
    return 0


def _as_text(found: Record) -> bytes:
    return text.write(tell(found.events)).encode()


def _of_backgammon(name: str, write: Callable[[Story], str]) -> Callable[[Record], bytes]:
    """A format that only backgammon has."""

    def as_file(found: Record) -> bytes:
        story = tell(found.events)
        if story.game.name != "backgammon":
            raise BadFormat(f"{name} is for backgammon; {story.game.name} goes into json or text")
        return write(story).encode()

    return as_file


FORMATS: dict[str, Callable[[Record], bytes]] = {
    "json": record.write,
    "text": _as_text,
    "sgf": _of_backgammon("sgf", sgf.write),
    "mat": _of_backgammon("mat", mat.write),
}


# ---------------------------------------------------------------- which match is meant


def record_of(args: argparse.Namespace) -> Record:
    """The match that is meant, where there is no use for one that was altered.

    Raises:
        NotARecord: a file was altered; and what `find` raises.
    """
    found = find(args)
    if found.record is None:
        raise NotARecord(f"{args.match} is not as it was written: {found.altered}")
    return found.record


def finished(args: argparse.Namespace) -> Story:
    """The story of the match that is meant, which has ended.

    Raises:
        NotOver: it has not; Untold: it cannot be told here; and what `record_of` raises.
    """
    story = tell(record_of(args).events)
    if story.result is None:
        raise NotOver(f"match {story.match} is not over in {args.match}")
    return story


def find(args: argparse.Namespace) -> Found:
    """The match that is meant, from the server or from a file.

    Raises:
        NotOver: it is still on, or has its dice in common with one that is.
        Refusal, Unreachable: the server does not give it.
        NotARecord, OSError: the file is none.
    """
    if fetch.NAME.fullmatch(args.match) and not Path(args.match).exists():
        found = asyncio.run(_ask(args))
        if not found.over:
            raise NotOver(
                f"match {args.match} is still on, and there is a record of it once it is over;"
                f" `plyhouse watch {args.match}` shows it"
            )
        if found.sealed:
            raise NotOver(
                f"match {args.match} is over, but the other match of its pair has the same dice and"
                " is still on: there is a record once that is over, too"
            )
        return Found(found)
    if not Path(args.match).exists():
        raise NotARecord(f"{args.match!r} is neither a match, such as 17.2, nor a file")
    try:
        return Found(record.read(Path(args.match).read_bytes()))
    except Altered as error:
        return Found(None, error)


async def _ask(args: argparse.Namespace) -> Record:
    door = Door(args.url, text=False, on_link=lambda up: None)
    async with await enter(door, args.name) as house:
        return await fetch.fetch(house, args.match, args.code)


def guarded(work: Callable[[], int]) -> int:
    """What `work` returns; of what cannot be done a sentence on stderr, and 2."""
    try:
        return work()
    except Unreachable as error:
        start = "; `plyhouse up` starts one" if error.code == "client/unreachable" else ""
        return _sorry(error.text + start)
    except Refusal as error:
        return _sorry(error.text)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        return _sorry(f"{error.filename}: {error.strerror}")
    except (NotARecord, NotOver, BadFormat, BadTerm, Untold, Unknown) as error:
        return _sorry(str(error))


def _sorry(text: str) -> int:
    print(f"plyhouse: {clean(text)}", file=sys.stderr)
    return 2
