"""Programs of others: asked, dead, silent, late, and their standard error."""

from __future__ import annotations

import signal
import subprocess
import sys
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


def test_a_line_that_nobody_asked_for_is_thrown_away_and_told_once(
    make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    program = make(engines.TWICE)
    for number in range(1, 4):
        assert program.ask("x", LONG_S, [0]) == str(number)
        engines.wait_until(lambda: not program._lines._queue.empty())
    assert not program.is_idle, "its next match would hear what belongs to this one"
    assert [record.getMessage() for record in caplog.records] == [
        f"{program.name} wrote '1', which nobody had asked for; such lines are thrown away"
    ]


def test_empty_lines_are_no_answers(make: Make) -> None:
    program = make(engines.BLANKS)
    assert [program.ask("x", LONG_S, [0]) for _ in range(3)] == ["0", "1", "2"]
    assert program.is_idle


def test_what_a_program_says_before_its_first_answer_is_a_greeting(make: Make) -> None:
    program = make(engines.GREETS)
    fits = ["a", "b"].__contains__
    assert program.ask('{"legal":["a","b"]}', LONG_S, [0], fits, LONG_S) == "b"
    assert program.ask('{"legal":["a"]}', LONG_S, [0], fits, LONG_S) == "a"


def test_a_first_answer_that_does_not_fit_is_told_when_no_other_comes(make: Make) -> None:
    program = make(engines.COUNTING)
    assert program.ask("x", LONG_S, [0], ["a"].__contains__, 0.1) == "1"


def test_an_end_is_noticed_where_a_helper_holds_the_output(make: Make, tmp_path: Path) -> None:
    with pytest.raises(CannotPlay, match="ended with code 7 both times"):
        make(engines.HELPER, str(tmp_path / "pid")).ask("x", LONG_S, [0])
    engines.wait_until(lambda: engines.has_ended(int((tmp_path / "pid").read_text())))


def test_half_a_line_is_told(make: Make) -> None:
    with pytest.raises(CannotPlay, match="wrote '5' without a line end in 0 s"):
        make(engines.HALF).ask("{}", 0.4, [0])


def test_a_program_is_killed_when_we_are(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys\n"
        "from bots.outside.program import Program\n"
        "program = Program(sys.argv[1:])\n"
        "print(program.ask('x', 60, [0]), flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    thinks_on = "import os, time; input(); print(os.getpid(), flush=True); time.sleep(600)"
    words = engines.command(tmp_path, thinks_on)
    run = subprocess.run([sys.executable, "-c", code, *words], stdout=subprocess.PIPE, check=False)
    assert run.returncode == -signal.SIGKILL
    engines.wait_until(lambda: engines.has_ended(int(run.stdout)))


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
    [("", "needs a command"), ("A=1", "needs a command"), ("python3 'x", "No closing quotation")],
)
def test_what_is_no_command_is_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(CannotPlay, match=sentence):
        split_command(text)


def test_variables_stand_in_front_and_windows_paths_keep_their_backslashes(make: Make) -> None:
    program = make(engines.VARIABLE)
    with_variable = Program(["DEPTH=5", *program.command])
    assert with_variable.name == program.name
    assert with_variable.ask("x", LONG_S, [0]) == "5"
    with_variable.close()
    words = [r"C:\engines\mine.exe", r"D:\my nets", "x"]
    assert split_command(r"C:\engines\mine.exe 'D:\my nets' x") == words
    assert split_command(r"./my\ engine") == ["./my engine"]


def test_a_program_that_is_not_there_is_a_sentence() -> None:
    with pytest.raises(CannotPlay, match=r"\./no-such-engine -x cannot be started: No such file"):
        Program(["./no-such-engine", "-x"]).start()
