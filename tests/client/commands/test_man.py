"""The manual page: made from the parsers, whole, and readable for `man` and `mandoc`."""

from __future__ import annotations

import argparse
import io
import re
import shutil
import subprocess
from contextlib import redirect_stdout

import pytest

import plyhouse
from client.commands import man


@pytest.fixture(scope="module")
def page() -> str:
    with redirect_stdout(io.StringIO()) as out:
        assert plyhouse.main(["man", "--print"]) == 0
    return out.getvalue()


def test_every_command_and_option_is_on_the_page(page: str) -> None:
    plain = page.replace("\\-", "-")
    for name, command in plyhouse.COMMANDS.items():
        assert f".SS plyhouse {name}\n" in plain
        parser = argparse.ArgumentParser()
        plyhouse._fill(parser, command)
        for action in parser._actions[1:]:  # all but --help
            for option in action.option_strings:
                assert option in plain
    assert ".SS plyhouse ladder create\n" in plain
    assert all(f'"{name}"' in plain for name in plyhouse._ENVIRONMENT)


def test_what_roff_would_read_as_a_request_is_text() -> None:
    parser = argparse.ArgumentParser(prog="x", description="'quoted. Then\\more", epilog=".dot -9")
    parser.add_argument("--say", help='100 %% of a "word"', metavar='"A B"')
    lines = man.roff(man.Manual("1.0", ".begins", [parser], [])).splitlines()
    assert {"\\&.begins", "\\(aqquoted.", "Then\\emore", "\\&.dot \\-9"} <= set(lines)
    assert '.B "\\-\\-say \\(dqA B\\(dq"' in lines
    assert '100 % of a "word"' in lines
    assert not [
        line for line in lines if re.match(r"\.(?!TH|SH|SS|B|P$|TP|EX|EE|I|RI|nh|ad)", line)
    ]


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="needs mandoc")
def test_mandoc_finds_no_fault(page: str) -> None:
    done = subprocess.run(
        ["mandoc", "-Tlint", "-W", "warning"],
        input=page,
        capture_output=True,
        text=True,
        check=False,
    )
    faults = [line for line in done.stdout.splitlines() if "missing date" not in line]
    assert faults == []


@pytest.mark.skipif(shutil.which("man") is None, reason="needs man")
def test_man_shows_it(page: str) -> None:
    done = subprocess.run(
        ["man", "--warnings", "-l", "-"], input=page, capture_output=True, text=True, check=False,
        env={**plyhouse.os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "plyhouse ladder create" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 110, "examples are kept as they are"
