"""A match that was played, position by position: as text, and where one steps through it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from client.records.story import Story, tell
from client.terminal import retold
from client.terminal.lines import Line
from client.terminal.stepper import Stepper
from tests.client.records.played import ANN, FIVE_PLUS_THREE, Played
from tests.client.terminal.scenes import texts
from tests.client.terminal.test_screen import Paper


def story() -> Story:
    """Ann and a bot; the bot's first answer was taken back; then ann resigned."""
    played = Played("tic_tac_toe", FIVE_PLUS_THREE).plays("5")
    played.plays("1", note="mcts 812 nodes 0.30 s | 1 +0.2").takes_back(1, 1)
    played.plays("9", note="mcts 800 nodes 0.30 s | 9 +0.1").plays("2").gives_up(0)
    return tell(played.events)


def shown(lines: list[Line]) -> list[str]:
    return texts(lines).split("\n")


# ---------------------------------------------------------------- in a pipe


def test_every_position_is_printed_with_what_led_to_it() -> None:
    blocks = texts(retold.plain(story())).split("\n\n")
    assert [block.split("\n")[0] for block in blocks] == [
        "ply 0 of 3", "ply 1 of 3: X 5", "ply 2 of 3: O 9", "ply 3 of 3: X 2",
    ]  # fmt: skip
    assert blocks[2].split("\n")[1:] == [
        " 1 │ 2 │ 3",
        "───┼───┼───",
        " 4 │ X │ 6",
        "───┼───┼───",
        " 7 │ 8 │ O",
        "ann (X) to move.",
        "X 5:01   O 5:01",
        "mcts: 800 nodes 0.30 s | 9 +0.1",
    ]
    assert blocks[3].endswith("ann resigns: mcts wins.")


def test_what_was_taken_back_is_told_where_it_was_tried() -> None:
    blocks = texts(retold.plain(story())).split("\n\n")
    assert blocks[1].endswith("\nTaken back here: O 1")
    assert "Taken back" not in blocks[0] + blocks[2] + blocks[3]


def test_the_dice_are_a_ply_of_their_own() -> None:
    text = texts(retold.plain(tell(Played("backgammon").plays_on(seed=3, most=2).events)))
    assert "\nply 1 of 5" not in text.partition("ply 1 of 5: dice 32\n")[2]
    assert "ann (X) to move. Rolled: 32." in text


def test_the_board_is_drawn_from_either_side() -> None:
    told = tell(Played("backgammon").plays_on(seed=3, most=2).events)
    assert retold.plain(told, flip=True) != retold.plain(told)
    for flip, last in ((False, "X"), (True, "O")):
        board = shown(retold.lines(told, 3, 100, 24, flip))
        assert f"{last}  1" in next(row for row in reversed(board) if "pips" in row)


# ---------------------------------------------------------------- one position in a terminal


def test_a_position_has_players_clocks_and_the_moves_so_far() -> None:
    rows = shown(retold.lines(story(), 2, 80, 24))
    assert rows[0] == "Tic-tac-toe   room 17, match 17.2, 5+3"
    text = "\n".join(rows)
    assert "X  ann      5:01" in text
    assert "  1. X 5\n" in text
    assert "  2. O 9  800 nodes 0.30 s" in text
    assert "X 2" not in text


def test_how_it_ended_is_said_at_the_last_position_only() -> None:
    assert "resigns" in texts(retold.lines(story(), 3, 80, 24))
    assert "resigns" not in texts(retold.lines(story(), 2, 80, 24))


@pytest.mark.parametrize(("wide", "rows"), [(80, 24), (40, 10), (20, 6)])
def test_a_position_fits_into_the_terminal(wide: int, rows: int) -> None:
    for ply in range(4):
        lines = shown(retold.lines(story(), ply, wide, rows))
        assert len(lines) <= rows
        assert max(map(len, lines)) <= wide


def test_a_name_that_is_no_room_s_is_shown_all_the_same() -> None:
    told = tell(Played("tic_tac_toe", match="a match", players=(ANN, ANN)).events)
    assert "match a match" in texts(retold.lines(told, 0, 80, 24))


# ---------------------------------------------------------------- stepping


class Walk:
    """A stepper on a pretended terminal of 80 x 24."""

    def __init__(self, keys: PipeInput, out: Paper) -> None:
        self.keys, self.out = keys, out
        self.stepper = Stepper(story(), every=0.01)
        self.walking = asyncio.create_task(self.stepper.run())

    async def press(self, keys: str, bar: str) -> str:
        """Press keys and wait until the toolbar says so: what was drawn since."""
        self.out.seek(0)
        self.out.truncate()
        self.keys.send_text(keys)
        async with asyncio.timeout(5):
            while bar not in self.out.getvalue():
                self.out.written.clear()
                await self.out.written.wait()
        return self.out.getvalue()


@pytest.fixture
async def walk(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Walk]:
    monkeypatch.setenv("PROMPT_TOOLKIT_NO_CPR", "1")
    out = Paper()
    output = Vt100_Output(out, lambda: Size(rows=24, columns=80), term="xterm-256color")
    with create_pipe_input() as keys, create_app_session(input=keys, output=output):
        walking = Walk(keys, out)
        await walking.press("", "ply 0 of 3")
        yield walking
        if not walking.walking.done():
            keys.send_text("q")
        async with asyncio.timeout(5):
            await walking.walking


RIGHT, LEFT, HOME, END = "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F"
PAGE_UP, PAGE_DOWN = "\x1b[5~", "\x1b[6~"


async def test_keys_step_and_stop_at_both_ends(walk: Walk) -> None:
    stepper = walk.stepper
    for keys, ply in ((RIGHT, 1), (RIGHT, 2), (LEFT, 1), (END, 3), (RIGHT, 3), (HOME, 0), (LEFT, 0),
                      ("+", 3), ("-", 0), (PAGE_DOWN, 3), (PAGE_UP, 0), (RIGHT, 1)):  # fmt: skip
        walk.keys.send_text(keys)
        async with asyncio.timeout(5):
            while stepper.ply != ply:  # noqa: ASYNC110  (nobody tells)
                await asyncio.sleep(0.001)


async def test_what_is_shown_is_the_position(walk: Walk) -> None:
    drawn = await walk.press(END, "resigns")
    assert "mcts wins" in drawn


async def test_space_plays_to_the_end_and_again_from_the_start(walk: Walk) -> None:
    await walk.press(" ", "resigns")
    async with asyncio.timeout(5):
        while walk.stepper.playing:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
    walk.keys.send_text(" ")
    async with asyncio.timeout(5):
        while walk.stepper.ply == 3:  # noqa: ASYNC110
            await asyncio.sleep(0.001)


async def test_a_step_or_space_stops_the_playing(walk: Walk) -> None:
    stop: Callable[[], None]
    for stop in (walk.stepper.toggle, lambda: walk.stepper.go(0)):
        walk.stepper.toggle()
        assert walk.stepper.playing
        stop()
        assert not walk.stepper.playing


@pytest.mark.parametrize("key", ["q", "\x03", "\x04"])
async def test_it_is_quit_and_the_board_stays(walk: Walk, key: str) -> None:
    walk.keys.send_text(f"f{RIGHT}{key}")
    async with asyncio.timeout(5):
        await walk.walking
    assert "\x1b[?1049" not in walk.out.getvalue()  # no other screen that would be taken away


async def test_a_terminal_that_is_gone_ends_it(walk: Walk) -> None:
    walk.keys.close()
    async with asyncio.timeout(5):
        await walk.walking
