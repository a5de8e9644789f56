"""Each case finds the bot that does not behave so, and lets the one pass that does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

import pytest

from lab.doctor import cases
from lab.doctor.cases import CASES, Case, games_for, title
from lab.doctor.checklist import INTRODUCTION, CaseResult, examine
from lab.doctor.script import Guest
from tests.lab.doctor.memory_wire import FirstBot, Json, MemoryWire


def examined(bot: FirstBot, *only: Case) -> list[CaseResult]:
    """What becomes of a bot in some cases, or all."""

    async def all_of_them() -> list[CaseResult]:
        wire = MemoryWire(bot)
        await wire.reopen(1)
        return [result async for result in examine(wire, Guest(), cases=only or CASES)]

    return asyncio.run(all_of_them())


def verdict(bot: FirstBot, case: Case) -> CaseResult:
    """What becomes of a bot in one case."""
    return examined(bot, case)[1]


def test_a_bot_that_behaves_passes_them_all() -> None:
    results = examined(FirstBot())
    assert [r.case for r in results] == [INTRODUCTION, *map(title, CASES)]
    assert {r.state for r in results} == {"ok"}, [r for r in results if r.state != "ok"]


def test_titles_are_sentences_of_their_own() -> None:
    titles = [title(case) for case in CASES]
    assert len(set(titles)) == len(titles)


class Silent(FirstBot):
    def connected(self) -> list[Json]:
        return []


class Spaced(FirstBot):
    def connected(self) -> list[Json]:
        return [self.ask(type="hello", version=1, name="greta", bot={"program": "my bot"})]


class Gibberish(FirstBot):
    def connected(self) -> list[Json]:
        return [{"type": "hello", "version": "one"}]


class Tongue(FirstBot):
    def connected(self) -> list[Json]:
        return [self.ask(type="lobby")]


@pytest.mark.parametrize(
    ("bot", "seen"),
    [
        (Silent, "nothing came"),
        (Spaced, "my bot"),
        (Gibberish, "protocol/bad-message"),
        (Tongue, "it was `lobby`"),
    ],
)
def test_a_bot_that_introduces_itself_badly_is_not_let_in(bot: type[FirstBot], seen: str) -> None:
    first, *others = examined(bot())
    assert first.state == "failed"
    assert seen in first.seen
    assert {(r.state, r.why) for r in others} == {("not tried", "the bot is not in")}


class Absent(FirstBot):
    def on_invited(self, said: Json, request: Json) -> Iterable[Json]:
        return ()


class Unready(FirstBot):
    def on_room(self, said: Json, request: Json) -> Iterable[Json]:
        return ()


class Codeless(FirstBot):
    def on_invited(self, said: Json, request: Json) -> Iterable[Json]:
        return [self.ask(type="join", room=said["room"])]


class Always1(FirstBot):
    """It takes itself for seat 1, whatever the room says."""

    def on_match(self, said: Json, request: Json) -> Iterable[Json]:
        return super().on_match(said, request) if said["to_move"] == 1 else ()


class Illegal(FirstBot):
    def choose(self, said: Json) -> str:
        return "no such action"


class Eager(FirstBot):
    """It plays whenever it is shown a match."""

    def on_match(self, said: Json, request: Json) -> Iterable[Json]:
        if "result" in said:
            return ()
        return super().on_match({**said, "legal": said.get("legal", ["pass"])}, request)


class Slow(FirstBot):
    def on_match(self, said: Json, request: Json) -> Iterable[Any]:
        return [(1.5, play) for play in super().on_match(said, request)]


class Random(FirstBot):
    """It thinks anew whenever it is asked."""

    times = count()

    def on_match(self, said: Json, request: Json) -> Iterable[Json]:
        self.plays.clear()
        return list(super().on_match(said, request))

    def choose(self, said: Json) -> str:
        return str(said["legal"][next(self.times) % len(said["legal"])])


class Forgetful(FirstBot):
    """It begins as somebody new after a lost connection."""

    def connected(self) -> list[Json]:
        self.token = None
        return super().connected()


class Gone(FirstBot):
    """It does not come back."""

    def pauses(self) -> Iterable[float]:
        return () if self.token else (1.0,)


class Hasty(FirstBot):
    """It hammers at the door."""

    def pauses(self) -> Iterable[float]:
        return [0.01] * 9


class OneTurn(FirstBot):
    """It answers each ply of a match once."""

    def on_match(self, said: Json, request: Json) -> Iterable[Json]:
        key = (said["match"], said["ply"])
        if key in self.done:
            return ()
        if said.get("legal"):
            self.done.add(key)
        return super().on_match(said, request)

    def __init__(self) -> None:
        super().__init__()
        self.done: set[tuple[str, int]] = set()


class GivesUp(FirstBot):
    def on_error(self, said: Json, request: Json) -> Iterable[Any]:
        return ()


class Impatient(FirstBot):
    def on_error(self, said: Json, request: Json) -> Iterable[Any]:
        return [self.ask(**request)] if request else ()


class Leaver(FirstBot):
    """It goes when its opponent is away for a moment."""

    def on_match(self, said: Json, request: Json) -> Iterable[Json]:
        if said["seats"][0].get("absent"):
            return [self.ask(type="resign", match=said["match"])]
        return super().on_match(said, request)


class Sticky(FirstBot):
    """It never gets up."""

    def on_room(self, said: Json, request: Json) -> Iterable[Json]:
        return [r for r in super().on_room(said, request) if r["type"] != "leave"]


class Strict(FirstBot):
    """It breaks at a field that it does not know."""

    def take(self, said: Json) -> Iterable[Any]:
        return () if "mood" in said or said["type"] == "weather" else super().take(said)


class Insistent(FirstBot):
    """It says `ready` at each look at the room."""

    def on_room(self, said: Json, request: Json) -> Iterable[Json]:
        self.rooms.clear()
        return list(super().on_room(said, request))


class Undead(FirstBot):
    def on_bye(self, said: Json, request: Json) -> Iterable[Json]:
        return ()


class Crashing(FirstBot):
    def on_match(self, said: Json, request: Json) -> Iterable[Json]:
        return [self.ask(type="resign", match=said["match"], crashed=True)]


BAD: list[tuple[Callable[[], FirstBot], Case, str]] = [
    (Absent, cases.whole_match, "nothing of it came"),
    (Unready, cases.whole_match, "nothing of it came"),
    (Crashing, cases.whole_match, "gave the match up, because its program had failed"),
    (Always1, cases.first_seat, "nothing of it came"),
    (Codeless, cases.private_room, "it was None"),
    (Illegal, cases.dice, "no such action"),
    (Eager, cases.forced_pass, "unasked"),
    (Slow, cases.nearly_no_time, "within 1 s"),
    (OneTurn, cases.takeback, "nothing of it came"),
    (Random, cases.same_question, "it was "),
    (GivesUp, cases.too_early, "nothing of it came"),
    (Impatient, cases.too_early, "it came after"),
    (GivesUp, cases.refused_action, "nothing of it came"),
    (Impatient, cases.refused_action, "again"),
    (Leaver, cases.opponent_away, "it sent `resign`"),
    (Sticky, cases.opponent_gone, "nothing of it came"),
    (Strict, cases.unknown_things, "nothing of it came"),
    (Insistent, cases.ready_once, "more"),
    (Random, cases.flood, "several ways"),
    (Forgetful, cases.cut_in_mid_match, "`name` 'greta'"),
    (Gone, cases.cut_in_mid_match, "it did not within 20 s"),
    (Hasty, cases.restart, "0.01, 0.01"),
    (Undead, cases.replaced, "it came back"),
]


@pytest.mark.parametrize(("bot", "case", "seen"), BAD, ids=lambda x: getattr(x, "__name__", ""))
def test_a_case_finds_the_bot_that_does_otherwise(
    bot: Callable[[], FirstBot], case: Case, seen: str
) -> None:
    result = verdict(bot(), case)
    assert result.state == "failed"
    assert seen in result.seen
    assert result.expected


def test_there_is_a_bad_bot_for_every_case() -> None:
    assert {case for _, case, _ in BAD} == set(CASES)


def test_what_does_not_apply_is_not_tried_and_says_why() -> None:
    class OneGame(FirstBot):
        games = ("tic_tac_toe",)

    assert verdict(OneGame(), cases.dice) == CaseResult(
        title(cases.dice), "not tried", why="it does not play a game with dice"
    )

    class Foreign(FirstBot):
        games = ("go",)

    result = verdict(Foreign(), cases.whole_match)
    assert result.why == "it does not play a game that is known here, but only go"


def test_after_a_bot_that_does_not_come_back_nothing_is_tried() -> None:
    results = examined(Gone(), cases.cut_in_mid_match, cases.whole_match)
    assert [r.state for r in results] == ["ok", "failed", "not tried"]


def test_after_a_failure_the_next_case_begins_anew() -> None:
    results = examined(Illegal(), *CASES[:5])
    assert [r.state for r in results] == ["ok", *["failed"] * 5]
    results = examined(GivesUp(), cases.refused_action, cases.whole_match)
    assert [r.state for r in results] == ["ok", "failed", "ok"]


def test_games_are_chosen_that_show_most() -> None:
    every = ("backgammon", "connect_four", "pebbles", "tic_tac_toe")
    assert games_for(every) == ["tic_tac_toe", "backgammon"]
    assert games_for(("pebbles", "connect_four")) == ["connect_four", "pebbles"]
    assert games_for(("go",)) == []
