"""kill -9 while a ladder is on: every pair counts once, as it was shown, and it all goes on."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace

from bench.support.players import BACKOFF
from bench.support.process import UNLIMITED
from bench.support.transcript import Transcript
from client.connection import connect
from lab.arena.local_server import ServerProcess
from protocol.ladder import LadderState
from protocol.parts import ClockOptions, Event
from server.ladder.core.events import LadderEvent, Scored
from tests.chaos.account import LadderTranscript, Log, judge, read_log, recount
from tests.chaos.bots import LadderBot, Owner, patiently, seat
from tests.support.serving import serving

pytestmark = [pytest.mark.chaos, pytest.mark.socket]

LADDER = "daily"
TIME_LIMIT = 120.0


@dataclass(frozen=True)
class Plan:
    """What to do.  `every`: moves of all bots from one kill to the next, on average."""

    game: str
    bots: int
    pairs: int  # that must be over after the last kill
    kills: int
    every: int
    slots: int = 1
    think: float = 0.005
    seed: int = 1


@dataclass
class Outcome:
    """What came of it, and what was looked at."""

    log: Log
    shown: LadderTranscript
    transcripts: dict[int, list[Transcript]]
    problems: list[str]
    pairs: int
    begun_before: int  # matches that a kill found under way ...
    played_on: int  # ... and that were played to their end after it


async def kill_often(plan: Plan, server: ServerProcess, bots: Sequence[LadderBot]) -> set[str]:
    """Kill and restart whenever the bots have moved so often; the matches that this cut in two."""
    draw, cut = random.Random(plan.seed), set[str]()
    for _ in range(plan.kills):
        target = sum(bot.moves for bot in bots) + plan.every * (0.5 + draw.random())
        while True:
            await asyncio.sleep(0.001)
            if sum(bot.moves for bot in bots) >= target:
                break
        await asyncio.to_thread(server.kill)
        cut |= set().union(*(bot.under_way() for bot in bots))
        await asyncio.to_thread(server.start)
    return cut


async def climb(plan: Plan, server: ServerProcess) -> tuple[Owner, list[LadderBot], set[str]]:
    """Make a ladder, play on it through all kills, and stop it when that is enough."""
    address = server.address
    clock = ClockOptions(base_ms=600_000, increment_ms=100)
    owner = Owner(await connect(address, name="host", backoff=BACKOFF), LADDER)
    await owner.connection.ladder_create(LADDER, plan.game, clock, seed=plan.seed)
    bots = [
        await seat(address, LADDER, number, plan.game, plan.think, plan.slots)
        for number in range(plan.bots)
    ]
    async with asyncio.TaskGroup() as group:
        group.create_task(owner.follow())
        for bot in bots:
            group.create_task(bot.play())
        cut = await kill_often(plan, server, bots)
        before = (await owner.until(lambda _: True)).ladder.pairs
        await owner.until(lambda state: state.ladder.pairs >= before + plan.pairs)
        await patiently(lambda: owner.connection.ladder_stop(LADDER))
        await owner.until(_finished)
        await owner.read_pairs()
        for connection in (owner.connection, *(bot.connection for bot in bots)):
            await connection.close()
    return owner, bots, cut


def _finished(state: LadderState) -> bool:
    return state.ladder.state == "finished"


async def carry_out(plan: Plan, folder: Path) -> Outcome:
    """Do it all, and judge what is left."""
    with serving(folder / "data", UNLIMITED) as server:
        async with asyncio.timeout(TIME_LIMIT):
            owner, bots, cut = await climb(plan, server)
    transcripts: dict[int, list[Transcript]] = {}
    for bot in bots:
        for room, transcript in bot.transcripts.items():
            transcripts.setdefault(room, []).append(transcript)
    log = read_log(server.data / "plyhouse.db")
    problems = judge(log, owner.transcript, transcripts)
    problems += [problem for bot in bots for problem in bot.problems]
    account = recount(log)
    ends = {f"{scored.room}.1": scored.result.how for scored in account.scored.values()}
    played_on = sum(ends.get(match) == "rules" for match in cut)
    counted = len(account.counted())
    return Outcome(log, owner.transcript, transcripts, problems, counted, len(cut), played_on)


@pytest.mark.parametrize(
    "plan",
    [
        Plan("tic_tac_toe", bots=4, pairs=4, kills=1, every=60),
        pytest.param(
            Plan("tic_tac_toe", bots=10, pairs=100, kills=6, every=700, slots=2, seed=2),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            Plan("backgammon", bots=8, pairs=8, kills=5, every=600, slots=2, seed=3),
            marks=pytest.mark.slow,
        ),
    ],
    ids=lambda plan: f"{plan.game}-{plan.kills}",
)
async def test_a_ladder_survives_kills(tmp_path: Path, plan: Plan) -> None:
    outcome = await carry_out(plan, tmp_path)
    assert outcome.problems == []
    assert outcome.pairs >= plan.pairs
    assert outcome.begun_before > 0, "the kills fell in mid-match"
    assert outcome.played_on > 0, "matches that a kill cut in two were played to their end"
    if plan.kills == 1:
        for what, problem in tampered(outcome):
            assert any(problem in said for said in judge(*what)), problem


Told = tuple[Log, LadderTranscript, dict[int, list[Transcript]]]


def tampered(outcome: Outcome) -> Iterator[tuple[Told, str]]:
    """What the judge is given where something was lost, doubled or changed, and what it says."""
    log, shown, transcripts = outcome.log, outcome.shown, outcome.transcripts
    at, score = next((i, e) for i, (_, e) in enumerate(log.ladder) if isinstance(e, Scored))
    seq, room = log.ladder[at][0], log.rooms[score.room]

    def ladder(*events: tuple[int, LadderEvent]) -> Told:
        return (
            Log([*log.ladder[:at], *events, *log.ladder[at + 1 :]], log.rooms),
            shown,
            transcripts,
        )

    def match(events: list[Event]) -> Told:
        return Log(log.ladder, {**log.rooms, score.room: events}), shown, transcripts

    yield ladder(), "the seqs of the ladder are not"
    yield ladder(), "was not scored"
    yield ladder((seq, score), (seq, score)), "out of its turn, or twice"
    lost = replace(score.result, winner=None, returns=(0.0, 0.0))
    yield ladder((seq, replace(score, result=lost))), "and is noted as"
    yield ladder((seq, replace(score, room=score.room + 1))), "is not that of leg"
    play = next(i for i, event in enumerate(room) if event.kind == "play")
    yield match([*room[:play], *room[play + 1 :]]), f"the seqs of room {score.room}"
    yield match([*room[:play], *room[play + 1 :]]), "does not hold"
    yield match([*room[:play], replace(room[play], action="0"), *room[play + 1 :]]), "logged is"
    over = {**shown.over, score.pair + 1000: None}
    more = LadderTranscript(shown.seq, shown.pairs, shown.results, over, shown.last)
    yield (log, more, transcripts), "was shown as over"
