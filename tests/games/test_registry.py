"""Games are found by listing folders, and whoever asks for none that exists is told which do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from games import own_files, registry
from games.laws import check, sample
from games.own_files import BrokenFile

PEBBLES = Path(__file__).parents[1] / "extra_games" / "pebbles.py"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which PLYHOUSE_GAMES names."""
    monkeypatch.setenv("PLYHOUSE_GAMES", str(tmp_path))
    for name in [n for n in sys.modules if n.startswith("plyhouse_games_")]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path


def renamed(name: str, title: str = "Pebbles") -> str:
    """The source of pebbles under another name."""
    source = PEBBLES.read_text("utf-8").replace('name="pebbles"', f'name="{name}"')
    return source.replace('title="Pebbles"', f'title="{title}"')


def test_names_are_in_alphabetical_order_and_hold_only_games() -> None:
    names = registry.names()
    assert list(names) == sorted(names)
    assert {"connect_four", "pebbles", "tic_tac_toe"} <= set(names)
    assert not {"game", "kernel", "rng", "dice", "clock", "registry", "__init__"} & set(names)


def test_every_name_gives_the_game_of_that_name_and_always_the_same() -> None:
    for name in registry.names():
        assert registry.game(name).name == name
        assert registry.game(name) is registry.game(name)


@pytest.mark.parametrize(
    "name", ["chess", "", "game", "registry", "../tic_tac_toe", "Tic_Tac_Toe", "__init__"]
)
def test_an_unknown_name_is_answered_with_those_that_exist(name: str) -> None:
    for ask in (registry.game, registry.source):
        with pytest.raises(registry.UnknownGame) as caught:
            ask(name)
        assert str(caught.value).startswith(f"no game is called {name!r}; there are ")
        assert ", ".join(registry.names()) in str(caught.value)


def test_the_source_of_a_game_is_its_file() -> None:
    assert registry.source("tic_tac_toe") == Path(registry.__file__).parent / "tic_tac_toe.py"
    assert registry.source("pebbles") == PEBBLES


def test_without_the_variable_only_the_house_s_games_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLYHOUSE_GAMES")
    assert "tic_tac_toe" in registry.names()
    assert "pebbles" not in registry.names()


@pytest.mark.parametrize("file", ["marbles.py", "marbles/__init__.py"])
def test_a_file_or_a_folder_with_an_init_in_a_named_folder_is_a_game(
    folder: Path, file: str
) -> None:
    for name in ("marbles", "no_game"):
        (folder / name).mkdir()
    (folder / file).write_text(renamed("marbles"), "utf-8")
    (folder / "_draft.py").write_text("raise RuntimeError", "utf-8")
    assert "marbles" in registry.names()
    assert not {"no_game", "_draft"} & set(registry.names())
    assert registry.source("marbles") == folder / file
    game = registry.game("marbles")
    assert game.initial().legal_notation() == ("white", "black")
    assert game.setup.__module__ == "plyhouse_games_marbles"


@pytest.mark.parametrize("more", ["", "raise RuntimeError"], ids=["sound", "broken"])
def test_another_file_of_a_name_takes_nothing_from_the_first(tmp_path: Path, more: str) -> None:
    first = registry.game("pebbles")
    module = sys.modules[first.setup.__module__]
    (tmp_path / "pebbles.py").write_text(f"{renamed('pebbles')}\n{more}\n", "utf-8")
    with suppress(BrokenFile):
        assert registry.read(tmp_path / "pebbles.py").setup.__module__ != module.__name__
    assert sys.modules[first.setup.__module__] is module


def test_several_folders_are_separated_as_in_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"game_{name}.py").write_text(renamed(f"game_{name}"), "utf-8")
    both = os.pathsep.join([str(tmp_path / "one"), "", str(tmp_path / "two")])
    monkeypatch.setenv("PLYHOUSE_GAMES", both)
    assert {"game_one", "game_two", "tic_tac_toe"} <= set(registry.names())


def test_two_folders_may_hold_different_games_of_one_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    titles = []
    for title in ("First", "Second"):
        (tmp_path / title).mkdir()
        (tmp_path / title / "marbles.py").write_text(renamed("marbles", title), "utf-8")
        monkeypatch.setenv("PLYHOUSE_GAMES", str(tmp_path / title))
        titles.append(registry.game("marbles").title)
    assert titles == ["First", "Second"]


def test_nobody_s_file_takes_the_place_of_the_house_s_game(folder: Path) -> None:
    (folder / "tic_tac_toe.py").write_text(renamed("tic_tac_toe"), "utf-8")
    assert registry.game("tic_tac_toe").title == "Tic-tac-toe"


def test_a_folder_that_is_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = tmp_path / "missing"
    monkeypatch.setenv("PLYHOUSE_GAMES", str(missing))
    for ask in (registry.names, lambda: registry.game("tic_tac_toe")):
        with pytest.raises(FileNotFoundError, match="PLYHOUSE_GAMES") as caught:
            ask()
        assert str(missing) in str(caught.value)


@pytest.mark.parametrize("source", ["", "GAME = 3\n", renamed("marmots")])
def test_a_file_without_its_game_says_what_it_must_end_in(folder: Path, source: str) -> None:
    (folder / "marbles.py").write_text(source, "utf-8")
    with pytest.raises(
        registry.BrokenGame, match=r"must end in GAME = Game\(name='marbles'"
    ) as said:
        registry.game("marbles")
    assert str(folder / "marbles.py") in str(said.value)


@pytest.mark.parametrize(
    ("source", "line", "why"),
    [
        ("\nGAME = 1 // 0\n", 2, "ZeroDivisionError: integer division or modulo by zero"),
        ("GAME =\n", 1, "invalid syntax"),
        ("\n\nimport no_such_module\n", 3, "No module named 'no_such_module'"),
    ],
)
def test_a_broken_file_is_a_sentence_with_its_line_and_all_other_games_are_there(
    folder: Path, source: str, line: int, why: str
) -> None:
    (folder / "marbles.py").write_text(source, "utf-8")
    (folder / "pebbles.py").write_text(renamed("pebbles"), "utf-8")
    for _ in range(2):
        assert {"pebbles", "tic_tac_toe"} <= set(registry.names())
        assert "marbles" not in registry.names()
        with pytest.raises(registry.UnknownGame) as said:
            registry.game("marbles")
        sentence = str(said.value)
        assert sentence.startswith("the game 'marbles' cannot be loaded: ")
        assert f"{folder / 'marbles.py'}, line {line}: " in sentence
        assert sentence.endswith(why)
        assert registry.broken() == {"marbles": sentence.partition("loaded: ")[2]}
    assert "plyhouse_games_marbles" not in sys.modules


@pytest.mark.parametrize("aside", [False, True], ids=["main thread", "another thread"])
@pytest.mark.parametrize(
    ("old", "new", "loop"),
    [
        ("STATE, MAX", "while True:\n    pass\n\nSTATE, MAX", "    pass"),
        (
            "        return s[5]\n",
            "        while s[8] == 3:\n            pass\n        return s[5]\n",
            "            pass",
        ),
    ],
    ids=["at import", "in a rule"],
)
def test_a_file_that_comes_to_no_end_is_left_out_with_its_line_and_waited_for_once(
    folder: Path, old: str, new: str, loop: str, aside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_files, "LOAD_S", 0.1)
    monkeypatch.setattr(check, "QUICK_S", 0.1)
    source, file = renamed("marbles").replace(old, new, 1), folder / "marbles.py"
    file.write_text(source, "utf-8")
    ask = registry.broken
    if aside:
        with ThreadPoolExecutor(1) as pool:
            reasons = pool.submit(ask).result()
    else:
        reasons = ask()
    line = source.splitlines().index(loop)  # the one before it, counted from 1
    words = rf"{re.escape(str(file))}, line ({line}|{line + 1}): .*it has no end, or takes too long"
    assert re.search(words, reasons["marbles"])
    assert ("(A game ends within max_plies" in reasons["marbles"]) == (loop != "    pass")
    for module in (own_files, check, sample):
        monkeypatch.setattr(module, "within", None)
    assert registry.broken() == reasons
    assert "marbles" not in registry.names()


def test_an_interruption_that_is_late_hits_nobody_else() -> None:
    for _ in range(200):
        with suppress(own_files.TookTooLong):
            own_files.within(0.0005, lambda: [None for _ in range(30_000)])
        assert len([None for _ in range(5_000)]) == 5_000


def test_a_thread_that_has_loaded_a_file_in_time_can_be_traced_afterwards() -> None:
    """Not so in CPython 3.11 once an interruption is taken back that was never sent."""
    code = "import sys\nfrom games import own_files\nown_files.within(60, list)\n"
    code += "sys.setprofile(lambda *_: None)\nprint((lambda: 5)())"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "5\n"


def test_a_field_of_an_older_house_is_answered_with_its_new_name(folder: Path) -> None:
    source = renamed("marbles").replace("format_state=", "format_position=")
    (folder / "marbles.py").write_text(source, "utf-8")
    with pytest.raises(registry.BrokenGame, match="'format_position'; it is format_state now"):
        registry.game("marbles")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("= 9, 3000, 0, 41, 3, 1", "= 9, 3000, 0, 11, 3, 1", "max_plies is 11"),
        ("        return s[5]\n", "        return s[5] + 2\n", "says 2, which is nobody"),
        ('if a else "pass"', 'if a else "0-0-1"', "'0-0-1' is action 0, and read as 1"),
        ("return 3 if a == 4 else 1\n", "return 3 if a == 4 else 0\n", "the weight of 7 is 0"),
    ],
)  # fmt: skip
def test_a_game_that_breaks_a_law_is_left_out_with_a_sentence(
    folder: Path, old: str, new: str, why: str
) -> None:
    source = renamed("marbles")
    assert old in source
    (folder / "marbles.py").write_text(source.replace(old, new), "utf-8")
    assert "marbles" not in registry.names()
    with pytest.raises(registry.BrokenGame, match="breaks a law of games") as said:
        registry.game("marbles")
    assert str(folder / "marbles.py") in str(said.value)
    assert why in str(said.value)
    assert registry.read(folder / "marbles.py").name == "marbles"
