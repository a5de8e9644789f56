"""What a host does about ladders: opens one that no limit holds for, stops, removes, drops a bot.

All is checked when it is asked for, so that a wrong verb is no act and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple, assert_never

import msgspec

from protocol.errors import Refusal
from protocol.ladder import LadderCreate
from protocol.notation import BadNotation, parse_clock
from server.admin.core.events import LadderOrdered
from server.admin.core.requests import BAD_FIELD, LADDER_FLAGS, Fields
from server.core.room import HOUSE
from server.ladder.core import comparing
from server.ladder.service import LadderService

NO_SERVER: Final = "admin/no-server"  # of several, another one has what is meant
# Of a ladder that is opened.
TERMS: Final = ("game", "clock", "format", "quota", "members", "code", *LADDER_FLAGS)


class LadderAct(NamedTuple):
    """What is to be stored, what is to be done then, and what came of it, in words."""

    event: LadderOrdered
    carry_out: Callable[[], None]
    done: str

    def perform(self) -> str:
        """Carry it out, and say so."""
        self.carry_out()
        return self.done


class LadderDesk:
    """The host's verb `ladder`."""

    def __init__(self, ladders: LadderService) -> None:
        self._ladders = ladders

    def decide(self, fields: Fields, by: str, now: int) -> LadderAct:
        """Return what is to be done.

        Raises:
            Refusal: admin/bad-field, admin/no-server, or why it cannot be.
        """
        ladders, act, name = self._ladders, fields.act(), fields.ladder()
        if not ladders.here:
            raise Refusal(NO_SERVER, "the ladders are on another server: `nodes` says on which")
        _check_given(fields)
        if act == "open":
            made = ladders.made(_request(name, fields), HOUSE, now)
            event = LadderOrdered(now, by, act, made.name)
            return LadderAct(event, partial(ladders.open, made), f"the ladder {made.name} is open")
        actor = ladders.find(name)
        ladder, name = actor.ladder, actor.ladder.made.name
        event = LadderOrdered(now, by, act, name)
        match act:
            case "remove":
                return LadderAct(
                    event, partial(ladders.remove, actor), f"the ladder {name} is removed"
                )
            case "stop":
                ladder.check_owner(HOUSE, "stop")
                stop = partial(ladders.stop_for, HOUSE, actor)
                return LadderAct(event, stop, f"the ladder {name} is stopped")
            case "drop":
                ladder.check_owner(HOUSE, "drop a bot of")
                player = ladder.players[comparing.find(ladder, fields.option("player"))].title
                return LadderAct(
                    LadderOrdered(now, by, act, name, player),
                    partial(ladders.drop_for, HOUSE, actor, player),
                    f"{player} begins no more pairs on {name}",
                )
            case _:
                assert_never(act)


def _check_given(fields: Fields) -> None:
    """Refuse an act that lacks a field, or has one that means nothing there."""
    act = fields.act()
    needed = {"open": ("game", "clock"), "drop": ("player",)}.get(act, ())
    allowed = TERMS if act == "open" else needed
    for field in ("player", *TERMS):
        if field in needed and not fields.option(field):
            raise Refusal(BAD_FIELD, f"`ladder {act}` needs `{field}`")
        if field not in allowed and fields.option(field):
            raise Refusal(BAD_FIELD, f"`ladder {act}` has no `{field}`")


def _request(name: str, fields: Fields) -> LadderCreate:
    """Return what is asked for as if a visitor did."""
    try:
        clock = parse_clock(fields.option("clock"))
    except BadNotation as error:
        raise Refusal(BAD_FIELD, str(error)) from None
    if clock is None:
        raise Refusal(BAD_FIELD, "a ladder needs a clock, such as 10s+0.1s")
    given: dict[str, object] = {f: fields.option(f) for f in TERMS if fields.option(f)}
    given["clock"] = msgspec.to_builtins(clock)
    if members := fields.option("members"):
        given["members"] = [each.strip() for each in members.split(",")]
    wanted = {"type": "ladder_create", "name": name} | given
    try:
        return msgspec.convert(wanted, LadderCreate, strict=False)
    except msgspec.ValidationError as error:
        raise Refusal(BAD_FIELD, f"no ladder can be like that: {error}") from None
