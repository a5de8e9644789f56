"""`plyhouse bench chaos`: thousands of matches through a network that does all that a network can.

People, programs of the client library, one of the house's own bots, and spectators play and watch
all games through a proxy that delays, throttles, drops, repeats, goes silent and cuts in mid-frame
(bench/support/proxy.py).  Then each room plays one match more while nobody is cut: every message of
it must reach everybody, spectators and results included.  In the end everybody's transcript,
everybody's replica, the history that the server gives and the log on the disk must tell one story,
in which each action stands once; before all are cut once more, and after.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Final

from bench.support.log_place import add_argument, log_place
from bench.support.players import BACKOFF, Participant, PlayedRoom, RandomClient
from bench.support.process import UNLIMITED, raise_file_limit
from bench.support.proxy import Faults, Proxy
from bench.support.report import BadPlan, progress
from bench.support.story import StoryReport, TrialOutcome, figures, judge, try_server
from bench.support.transcript import check_told
from bots.online.entry import make_entry
from bots.online.reviewer import introduce
from bots.online.runner import Runner
from client.connection import Connection, connect
from lab.arena.local_server import SETTINGS, ServerProcess
from protocol.codec import decode_request
from protocol.errors import PlyhouseError
from protocol.history import ACTIONS
from protocol.messages import History, MatchState, Play, Ready, RoomState, Watch, Welcome
from protocol.notation import format_match
from protocol.parts import BotInfo, ClockOptions, Options

# How many of ten rooms play it; a match of backgammon at random takes hundreds of plies.
GAMES: Final = (
    "tic_tac_toe", "connect_four", "tic_tac_toe", "ultimate_tic_tac_toe", "connect_four",
    "tic_tac_toe", "connect_four", "tic_tac_toe", "ultimate_tic_tac_toe", "backgammon",
)  # fmt: skip
LONG: Final = {"backgammon": 8, "ultimate_tic_tac_toe": 2}  # of so many matches elsewhere, one
CLOCK: Final = ClockOptions(base_ms=24 * 3_600_000)  # no flag falls, and nobody may be told to go
SECONDS_A_MATCH: Final = 0.6  # on a slow machine; and a minute for the rest
SYNC_S: Final = 20.0  # for everybody to be shown the last message, once the network is good
HOUSE_BOT: Final = "random"


class ChaosReport(StoryReport, kw_only=True):
    """What a run showed: how many matches by game, who played, which faults there were."""

    matches: dict[str, int]
    players: dict[str, int]  # seats and places, by who had them
    faults: dict[str, int]


@dataclass(frozen=True)
class ChaosPlan:
    """What to do: `matches` over the bad network, at least; `rooms` at once; `life`: see Faults."""

    matches: int = 200
    rooms: int = 40
    seed: int = 1
    life: int = 20_000
    think: float = 0.0
    database: str | None = None  # see bench/support/log_place.py

    @property
    def limit(self) -> float:
        return 60.0 + SECONDS_A_MATCH * self.matches


def add_arguments(parser: argparse.ArgumentParser) -> None:
    plan = ChaosPlan()
    parser.add_argument(
        "--matches", type=int, default=plan.matches, help="while all goes wrong (default 200)"
    )
    parser.add_argument("--rooms", type=int, default=plan.rooms, help="at once (default 40)")
    parser.add_argument("--seed", type=int, default=plan.seed, help="of actions and faults")
    parser.add_argument(
        "--life", type=int, default=plan.life, help="bytes that a connection lives for, on average"
    )
    add_argument(parser)


def measure(args: argparse.Namespace, folder: Path) -> ChaosReport:
    if min(args.matches, args.rooms, args.life) < 1:
        raise BadPlan("matches, rooms and life start at 1")
    plan = ChaosPlan(args.matches, args.rooms, args.seed, args.life, database=args.database)
    raise_file_limit(20 * plan.rooms + 200)
    return asyncio.run(carry_out(plan, folder))


def matches_of_rooms(plan: ChaosPlan) -> list[tuple[str, int]]:
    """The game of each room, and how many matches of it are played there one after the other."""
    games = list(islice(cycle(GAMES), plan.rooms))
    weights = [1 / LONG.get(game, 1) for game in games]
    each = plan.matches / sum(weights)
    rooms = [(game, max(1, int(each * w))) for game, w in zip(games, weights, strict=True)]
    missing = plan.matches - sum(count for _, count in rooms)
    return [(game, n + (at < missing)) for at, (game, n) in enumerate(rooms)]


def may_come_twice(payload: bytes) -> bool:
    """Whether a client may send this request again when it does not know if the first arrived."""
    try:
        request = decode_request(payload)
    except PlyhouseError:
        return False  # a pong, or the client's goodbye
    return isinstance(request, Play | Ready | Watch | History)


class ChaosRoom(PlayedRoom):
    """A room with a game, and how many matches are to be played in it while all goes wrong."""

    def __init__(
        self, number: int, players: Sequence[RandomClient], spectators: Sequence[Participant],
        bots: Sequence[Runner], game: str, matches: int,
    ) -> None:  # fmt: skip
        super().__init__(number, players, spectators)
        self.bots, self.game, self.matches = bots, game, matches

    @property
    def connections(self) -> list[Connection]:
        ours = [member.connection for member in self.members]
        return ours + [bot.connection for bot in self.bots]


async def carry_out(plan: ChaosPlan, folder: Path) -> ChaosReport:
    """Play, compare.  `folder` is where data and log of the server go."""
    rooms, problems, proxies = list[ChaosRoom](), list[str](), list[Proxy]()

    async def play() -> None:
        proxies.append(Proxy(server.port, plan.seed, None, may_come_twice))
        await proxies[0].start()
        await _play(plan, proxies[0], rooms, problems)

    async def leave() -> None:
        for proxy in proxies:
            await proxy.stop()

    with log_place(plan.database) as place:
        command, settings = ("serve", *place.words), {**SETTINGS, **UNLIMITED}
        server = ServerProcess(folder / "data", settings, command=command)
        outcome = await try_server(server, place, plan.limit, play, leave)
    problems += judge(rooms, outcome, plan.limit)
    ended = _ended(rooms, outcome)
    if outcome.over is None:
        problems += [
            f"room {room.number}: {ended[room.number]} matches of {room.matches + 1} are over"
            for room in rooms
            if ended[room.number] <= room.matches
        ]
    matches: dict[str, int] = {}
    for room in rooms:
        matches[room.game] = matches.get(room.game, 0) + ended[room.number]
    faults = {fault.value: n for proxy in proxies for fault, n in sorted(proxy.count.items())}
    report = ChaosReport(
        **figures(rooms, outcome.log), seed=plan.seed, seconds=outcome.seconds,
        matches=matches, players=_players(rooms), faults=faults, problems=problems,
        verdict="players, spectators, their replicas, the server's history and its log tell one"
        " story; nothing was lost and nothing happened twice",
    )  # fmt: skip
    games = ", ".join(f"{count:,} of {game}" for game, count in report.matches.items())
    report.tell(
        f"{sum(report.matches.values()):,} matches: {games}",
        ", ".join(f"{count} {who}" for who, count in report.players.items()),
        "faults: " + ", ".join(f"{count:,} x {fault}" for fault, count in report.faults.items()),
    )
    return report


def _ended(rooms: Sequence[ChaosRoom], outcome: TrialOutcome) -> dict[int, int]:
    log = outcome.log
    return {r.number: sum(e.kind == "ended" for e in log.get(r.number, [])) for r in rooms}


def _players(rooms: Sequence[ChaosRoom]) -> dict[str, int]:
    players = {"people": 0, "programs": 0, "our bot": 0, "spectators": 0}
    for room in rooms:
        players["spectators"] += len(room.spectators)
        for seat in room.players[0].seats:
            kind = "people" if seat.program is None else "programs"
            players["our bot" if seat.program == HOUSE_BOT else kind] += 1
    return players


async def _play(plan: ChaosPlan, proxy: Proxy, rooms: list[ChaosRoom], problems: list[str]) -> None:
    """Seat everybody over a good network, play over a bad one, compare over a good one."""
    address = f"127.0.0.1:{proxy.port}"
    async with asyncio.TaskGroup() as group:
        for number, (game, matches) in enumerate(matches_of_rooms(plan)):
            rooms.append(await _open(address, number, game, matches, plan))
        watching = [group.create_task(s.watch()) for room in rooms for s in room.spectators]
        watching += [group.create_task(runner.serve()) for room in rooms for runner in room.bots]
        await asyncio.gather(*(_wait_for_bot(room) for room in rooms if room.bots))
        proxy.faults = Faults(life=plan.life)
        proxy.cut_all()
        await asyncio.gather(*(room.play(room.matches) for room in rooms))
        progress(f"{sum(room.matches for room in rooms)} matches are over")
        proxy.faults = None
        problems += await _cut(proxy, rooms)
        problems += await _play_uncut(rooms)
        for cut in (False, True):
            problems += await _cut(proxy, rooms) if cut else []
            problems += await _settle(rooms)
            for room in rooms:
                await room.history()
            problems += await _compare_replicas(address, rooms)
        for room in rooms:
            for connection in room.connections:
                await connection.close()
        await asyncio.gather(*watching)


async def _cut(proxy: Proxy, rooms: Sequence[ChaosRoom]) -> list[str]:
    """Cut everybody, and wait until all are back, and who watches is shown its room again."""
    before = [_welcomes(room) for room in rooms]
    proxy.cut_all()
    deadline, away = time.monotonic() + SYNC_S, list(zip(rooms, before, strict=True))
    while away and time.monotonic() < deadline:
        await asyncio.sleep(0.05)  # no event tells that the last of so many is back
        away = [(room, old) for room, old in away if not _is_back(room, old)]
    return [f"room {room.number}: not all have come back" for room, _ in away]


def _welcomes(room: ChaosRoom) -> list[Welcome]:
    return [connection.welcome for connection in room.connections]


def _is_back(room: ChaosRoom, old: Sequence[Welcome]) -> bool:
    return all(new is not each for new, each in zip(_welcomes(room), old, strict=True)) and all(
        spectator.shown_by is spectator.connection.welcome for spectator in room.spectators
    )


async def _play_uncut(rooms: Sequence[ChaosRoom]) -> list[str]:
    """Play one match more in each room; nobody resumes, so each message of it must arrive."""
    before = [_welcomes(room) for room in rooms]
    await asyncio.gather(*(room.play(room.matches + 1) for room in rooms))
    problems = await _settle(rooms)
    for room, old in zip(rooms, before, strict=True):
        match = format_match(room.number, room.matches + 1)
        told = check_told([member.transcript for member in room.members], match)
        if any(new is not each for new, each in zip(_welcomes(room), old, strict=True)):
            told = ["somebody was cut off, though the network was good"]
        problems += [f"room {room.number}: {problem}" for problem in told]
    return problems


async def _open(address: str, number: int, game: str, matches: int, plan: ChaosPlan) -> ChaosRoom:
    """Seat two: people, programs of the library and bots of ours meet in turn."""
    info = BotInfo(program=f"program-{number}", games=[game])
    first = await connect(address, backoff=BACKOFF, bot=info if number % 4 == 1 else None)
    room = (await first.create(game, Options(clock=CLOCK))).room
    players = [RandomClient(first, room, 2 * number + plan.seed, plan.think)]
    bots = []
    if number % 4 == 2:
        bots.append(await _bring_bot(address, number))
        bot = bots[0].connection
        await first.invite(room, f"{bot.name}/{bots[0].entry.name}")
    else:
        second = await connect(address, backoff=BACKOFF, bot=info if number % 4 == 3 else None)
        await second.join(room)
        players.append(RandomClient(second, room, 2 * number + 1 + plan.seed, plan.think))
    spectators = []
    if number % 2 == 0:
        connection = await connect(address, backoff=BACKOFF)
        await connection.watch(room)
        spectators.append(Participant(connection, room, sits=False))
    return ChaosRoom(room, players, spectators, bots, game, matches)


async def _wait_for_bot(room: ChaosRoom) -> None:
    """Return once the invited bot sits there: an invitation may get lost with a connection."""
    async for message in room.players[0].connection:
        if isinstance(message, RoomState) and all(message.seats):
            room.players[0].note(message)
            return


async def _bring_bot(address: str, seed: int) -> Runner:
    """One of the house's bots, as anybody may bring it; it plays from when `serve` is called."""
    entry = make_entry(HOUSE_BOT, seed=seed)
    return Runner(await connect(address, backoff=BACKOFF, bot=introduce(entry)), entry)


async def _settle(rooms: Sequence[ChaosRoom]) -> list[str]:
    """Wait until everybody has been shown the same newest event of each room."""
    deadline = time.monotonic() + SYNC_S
    for room in rooms:
        for player in room.players:  # whose own loop has ended with the last match
            player.go_on_listening()
    behind = list(rooms)
    while behind and time.monotonic() < deadline:
        await asyncio.sleep(0.05)
        behind = [room for room in behind if len({_newest(m) for m in room.members}) > 1]
    return [
        f"room {room.number}: the newest that its members were shown is"
        f" {[_newest(member) for member in room.members]}"
        for room in behind
    ]


def _newest(member: Participant) -> int | None:
    state = member.replica.rooms.get(member.room)
    return None if state is None else state.seq


async def _compare_replicas(address: str, rooms: Sequence[ChaosRoom]) -> list[str]:
    """Hold every replica against what the server shows somebody who comes now."""
    problems: list[str] = []
    async with connect(address) as stranger:
        for room in rooms:
            truth = await stranger.watch(room.number)
            match = await _match_shown(stranger, room.number)
            for member in room.members:
                with suppress(PlyhouseError):
                    await member.fill_gaps()
                problems += [
                    f"room {room.number}, {member.transcript.name}: {problem}"
                    for problem in _differences(member, truth, match, room)
                ]
            await stranger.leave(room.number)
    return problems


async def _match_shown(stranger: Connection, room: int) -> MatchState:
    """The match message that follows on a `watch`."""
    async for message in stranger:
        if isinstance(message, MatchState) and message.room == room:
            return message
    raise TimeoutError


def _differences(
    member: Participant, truth: RoomState, match: MatchState, room: ChaosRoom
) -> list[str]:
    """What a member's replica says otherwise than the server."""
    replica = member.replica
    mine = replica.matches.get(match.match)
    problems = [
        *_unequal(
            replica.rooms.get(truth.room),
            truth,
            ("seq", "state", "owner", "ready", "score", "match"),
        ),
        *_unequal(mine, match, ("seq", "turn", "ply", "position", "result", "secret", "events")),
    ]
    course = [event.action for event in replica.actions(match.match)]
    true = [e.action for e in room.events if e.match == match.match and e.kind in ACTIONS]
    if course != true:
        problems.append(f"the course of {match.match} is {course}, not {true}")
    return problems


def _unequal(mine: object, truth: object, names: Sequence[str]) -> list[str]:
    pairs = [(name, getattr(mine, name, None), getattr(truth, name)) for name in names]
    return [f"{name} is {value}, not {true}" for name, value, true in pairs if value != true]
