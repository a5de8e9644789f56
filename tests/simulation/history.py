"""The plays of a run as a history of calls and returns, for a linearizability checker from outside.

One JSON object a line, in the order in which things happened, with the fields of an Event of
porcupine's (github.com/anishathalye/porcupine): see docs/ideas/log.md, which also has the model.
"""

from __future__ import annotations

import json
from typing import Any, TextIO


class History:
    """What was called, and what came of it."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self._calls = 0

    def call(self, client: int, match: str, turn: int, action: str, name: str) -> int:
        """Note that a client plays; return the number of this call."""
        self._calls += 1
        value = {"match": match, "turn": turn, "action": action, "name": name}
        self._note(client, "call", value, self._calls)
        return self._calls

    def returned(self, client: int, number: int, outcome: str) -> None:
        """Note what came of a call: "granted", "refused", or "unknown" where the line was lost."""
        self._note(client, "return", {"outcome": outcome}, number)

    def _note(self, client: int, kind: str, value: dict[str, Any], number: int) -> None:
        self.events.append({"ClientId": client, "Kind": kind, "Value": value, "Id": number})

    def write(self, file: TextIO) -> None:
        """Write it down; a call that has not returned by now never does, and is unknown."""
        file.writelines(json.dumps(event) + "\n" for event in self.events)
        over = {event["Id"] for event in self.events if event["Kind"] == "return"}
        for event in [e for e in self.events if e["Kind"] == "call" and e["Id"] not in over]:
            last = {**event, "Kind": "return", "Value": {"outcome": "unknown"}}
            file.write(json.dumps(last) + "\n")
