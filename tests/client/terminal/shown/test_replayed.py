"""A match that was played, position by position: as text, and where one steps through it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from prompt_toolkit.input import PipeInput

from client.styled_text import StyledText
from client.terminal.shown import replayed
from client.terminal.shown.stepper import Stepper
from protocol.records.replay import Replay, replay_events
from tests.client.records.played import ANN, FIVE_PLUS_THREE, Played
from tests.client.terminal.fakes import Paper
from tests.client.terminal.states import texts


def replay() -> Replay:
    """Ann and a bot; the bot's first answer was taken back; then ann resigned."""
    played = Played("tic_tac_toe", FIVE_PLUS_THREE).plays("5")
    played.plays("1", note="mcts 812 nodes 0.30 s | 1 +0.2").takes_back(1, 1)
    played.plays("9", note="mcts 800 nodes 0.30 s | 9 +0.1").plays("2").gives_up(0)
    return replay_events(played.events)


def shown(lines: list[StyledText]) -> list[str]:
    return texts(lines).split("\n")


def test_every_position_is_printed_with_what_led_to_it() -> None:
    blocks = texts(replayed.plain(replay())).split("\n\n")
    assert [block.split("\n")[0] for block in blocks] == [
        "ply 0 of 3", "ply 1 of 3: X 5", "ply 2 of 3: O 9", "ply 3 of 3: X 2",
    ]  # fmt: skip
    assert blocks[2].split("\n")[5:] == [
        " 7 │ 8 │ O",
        "ann (X) to move.",
        "X 5:01   O 5:01",
        "mcts: 800 nodes 0.30 s | 9 +0.1",
    ]
    assert blocks[1].endswith("\nTaken back here: O 1")
    assert "Taken back" not in blocks[0] + blocks[2] + blocks[3]
    assert blocks[3].endswith("mcts won: ann resigned.")


def test_the_dice_are_a_ply_of_their_own_and_the_board_has_two_sides() -> None:
    told = replay_events(Played("backgammon").plays_on(seed=3, most=2).events)
    text = texts(replayed.plain(told))
    assert "\nply 1 of 5" not in text.partition("ply 1 of 5: dice 32\n")[2]
    assert "ann (X) to move. Rolled: 32." in text
    assert replayed.plain(told, flip=True) != replayed.plain(told)
    for flip, last in ((False, "X"), (True, "O")):
        board = shown(replayed.lines(told, 3, 100, 24, flip))
        assert f"{last}  1" in next(row for row in reversed(board) if "pips" in row)


def test_a_position_has_players_clocks_and_the_moves_so_far() -> None:
    text = texts(replayed.lines(replay(), 2, 80, 24))
    assert text.startswith("Tic-tac-toe   room 17, match 17.2, 5 min + 3 s\n")
    for part in ("X  ann      5:01", "  1. X 5\n", "  2. O 9  9 +0.1 | 800 nodes 0.30 s"):
        assert part in text
    assert "X 2" not in text
    assert "resigned" not in text
    assert "resigned" in texts(replayed.lines(replay(), 3, 80, 24))


@pytest.mark.parametrize(("wide", "rows"), [(80, 24), (40, 10), (20, 6)])
def test_a_position_fits_into_the_terminal(wide: int, rows: int) -> None:
    for ply in range(4):
        lines = shown(replayed.lines(replay(), ply, wide, rows))
        assert len(lines) <= rows
        assert max(map(len, lines)) <= wide


def test_a_name_that_is_no_room_s_is_shown_all_the_same() -> None:
    told = replay_events(Played("tic_tac_toe", match="a match", players=(ANN, ANN)).events)
    assert "match a match" in texts(replayed.lines(told, 0, 80, 24))


class Walk:
    """A stepper on a pretended terminal of 80 x 24."""

    def __init__(self, keys: PipeInput, out: Paper) -> None:
        self.keys, self.out = keys, out
        self.stepper = Stepper([replay()], every=0.01)
        self.walking = asyncio.create_task(self.stepper.run())

    async def press(self, keys: str, bar: str) -> None:
        """Press keys and wait until the toolbar says so."""
        self.out.seek(0)
        self.out.truncate()
        self.keys.send_text(keys)
        await self.out.until(bar)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the stepper is so."""
        async with asyncio.timeout(60):
            while not condition():  # noqa: ASYNC110  (nobody tells)
                await asyncio.sleep(0.001)


@pytest.fixture
async def walk(keys: PipeInput, paper: Paper) -> AsyncIterator[Walk]:
    walking = Walk(keys, paper)
    await walking.press("", "ply 0 of 3")
    yield walking
    if not walking.walking.done():
        keys.send_text("q")
    async with asyncio.timeout(60):
        await walking.walking


RIGHT, LEFT, HOME, END = "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F"
PAGE_UP, PAGE_DOWN = "\x1b[5~", "\x1b[6~"


async def test_keys_step_and_stop_at_both_ends(walk: Walk) -> None:
    for keys, ply in ((RIGHT, 1), (RIGHT, 2), (LEFT, 1), (END, 3), (RIGHT, 3), (HOME, 0), (LEFT, 0),
                      ("+", 3), ("-", 0), (PAGE_DOWN, 3), (PAGE_UP, 0), (RIGHT, 1)):  # fmt: skip
        walk.keys.send_text(keys)
        await walk.until(lambda ply=ply: walk.stepper.ply == ply)


async def test_space_plays_to_the_end_and_again_from_the_start(walk: Walk) -> None:
    await walk.press(" ", "mcts won: ann resigned")
    await walk.until(lambda: not walk.stepper.playing)
    walk.keys.send_text(" ")
    await walk.until(lambda: walk.stepper.ply != 3)


async def test_a_step_or_space_stops_the_playing(walk: Walk) -> None:
    stop: Callable[[], None]
    for stop in (walk.stepper.toggle, lambda: walk.stepper.go(0)):
        walk.stepper.toggle()
        assert walk.stepper.playing
        stop()
        assert not walk.stepper.playing


@pytest.mark.parametrize("key", ["q", "\x03", "\x04", None])
async def test_it_is_quit_or_the_terminal_gone_and_the_board_stays(
    walk: Walk, key: str | None
) -> None:
    if key is None:
        walk.keys.close()
    else:
        walk.keys.send_text(f"f{RIGHT}{key}")
    async with asyncio.timeout(60):
        await walk.walking
    assert "\x1b[?1049" not in walk.out.getvalue()  # no other screen that would be taken away
