"""Writes bots.jsonl beside this file anew: what a server does to a bot, and what a good one says.

    python tests/vectors/record_bots.py

One JSON object a line for each case of `plyhouse doctor bot`: `case`, a sentence, and `steps` in
order.  A step is `{"server": message}`, `{"bot": message}`, or what happens to the connection:
`{"connection": "opened"}`, `"cut"`, `"closed 1012"` (the close code) or `"refused"`, an attempt to
connect that gets nowhere.  Each case begins with a bot that has no token yet.  The bot here answers
at once and always plays the first of `legal`; whoever tests a client in another language lets it do
the same, and compares what it sends but for `id` and `re`.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILE = HERE / "bots.jsonl"
if __name__ == "__main__":
    os.environ.pop("PLYHOUSE_GAMES", None)
    sys.path.insert(0, str(HERE.parents[1]))

from lab.doctor.cases import CASES, Case, title  # noqa: E402 - run as a script, see above
from lab.doctor.checklist import examine  # noqa: E402
from lab.doctor.script import Guest  # noqa: E402
from tests.lab.doctor.memory_wire import FirstBot, Json, MemoryWire  # noqa: E402


def lines() -> Iterator[str]:
    """The cases, a line each."""
    for case in CASES:
        steps = asyncio.run(_played(case))
        yield json.dumps({"case": title(case), "steps": steps}, ensure_ascii=False) + "\n"


async def _played(case: Case) -> list[Json]:
    wire = MemoryWire(FirstBot())
    await wire.reopen(1)
    results = [result async for result in examine(wire, Guest(), cases=[case])]
    assert [result.state for result in results] == ["ok", "ok"], results
    return wire.transcript


if __name__ == "__main__":
    text = "".join(lines())
    FILE.write_text(text, encoding="utf-8")
    print(f"{FILE.name}: {len(CASES)} cases, {len(text.encode()) // 1000} kB")
