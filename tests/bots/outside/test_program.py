"""Programs of others: asked, dead, silent, late, and their standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bots.bot import CannotPlay
from bots.outside.program import Program, split_command
from tests.bots.outside import engines

LONG_S = 20.0  # patience that no test uses up
Make = Callable[..., Program]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Programs that are ended afterwards."""
    made: list[Program] = []

    def program(code: str, *words: str, log: Path | None = None) -> Program:
        made.append(Program(engines.command(tmp_path, code, *words), log))
        return made[-1]

    yield program
    for each in made:
        each.close()


def test_one_process_answers_one_line_after_the_other(make: Make) -> None:
    program = make(engines.COUNTING)
    assert [program.ask("x", LONG_S, [0]) for _ in range(3)] == ["1", "2", "3"]
    assert program.is_idle
    program.close()
    assert not program.is_idle
    assert program.ask("x", LONG_S, [0]) == "1", "asked again it is started again"


def test_one_that_dies_is_started_again_once_for_a_question(make: Make, tmp_path: Path) -> None:
    program = make(engines.DIES_ONCE, str(tmp_path / "mark"))
    assert program.ask('{"legal":["a","b"]}', LONG_S, [0]) == "b"
    with pytest.raises(CannotPlay, match=r"ended with code 7 both times.*it wrote: no luck"):
        make(engines.DIES).ask("{}", LONG_S, [0])


def test_one_that_says_nothing_is_killed(make: Make) -> None:
    program = make(engines.SILENT)
    with pytest.raises(CannotPlay, match="said nothing for 0 s"):
        program.ask("{}", 0.3, [0])
    assert not program.is_idle


def test_an_answer_that_nobody_waits_for_is_dropped(make: Make) -> None:
    program = make(engines.SLOW)
    assert program.ask("one", LONG_S, [1]) is None
    assert not program.is_idle, "it owes an answer"
    assert program.ask("two", LONG_S, [0]) == "two"
    assert program.is_idle


def test_what_it_complains_of_goes_into_a_file_and_not_here(
    make: Make, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "engine.log"
    program = make(engines.DIES, log=log)
    with pytest.raises(CannotPlay):
        program.ask("{}", LONG_S, [0])
    assert capfd.readouterr() == ("", "")
    assert set(log.read_text("utf-8").splitlines()) == {"no luck"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("", "needs a command"), ("python3 'x", "No closing quotation")],
)
def test_what_is_no_command_is_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(CannotPlay, match=sentence):
        split_command(text)


def test_a_program_that_is_not_there_is_a_sentence() -> None:
    with pytest.raises(CannotPlay, match=r"\./no-such-engine -x cannot be started: No such file"):
        Program(["./no-such-engine", "-x"]).start()
