"""gammon: what it plays within its nodes and its time, what it says, and damaged nets."""

from __future__ import annotations

import logging
import random
import re
from pathlib import Path

import pytest

from bots import registry
from bots.backgammon import judge, weights
from bots.backgammon.handmade import Handmade
from bots.backgammon.judge import Judge
from bots.backgammon.kernels import lookahead
from bots.backgammon.kernels.net import size
from bots.backgammon.weights import FILE, Weights
from bots.bot import NOTE_BYTES, BadSetting, Bot, Budget
from bots.engine import compiled
from bots.engine.compiled_bot import first_decision
from bots.engine.kernels import expect
from bots.online.entry import make_entry
from bots.roster import gammon
from bots.roster.gammon import Gammon
from games import registry as games

GAME = games.game("backgammon")
FIRST = GAME.parse_position("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
ENDING = GAME.parse_position("XGID=-AB-------------A--b--a---:0:0:1:21:0:0:0:0:10")
FORCED = GAME.parse_position("XGID=-------A------------a---a-:0:0:1:21:0:0:0:0:10")
PLENTY = 30_000
TURN = re.compile(r"(.+) ([+-]\d\.\d{3})( W \d+\.\d G \d+\.\d LG \d+\.\d)?( [012]-ply)?")


def save(path: Path, hidden: tuple[int, ...] = (2, 2, 2), seed: int = 1) -> Path:
    """A file of small nets that know nothing."""
    rng = random.Random(seed)
    values = [rng.uniform(-0.3, 0.3) for _ in range(sum(map(size, hidden)))]
    weights.save(path, Weights(hidden, values, {}))
    return path


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Small nets, which are quickly asked, in place of the shipped ones."""
    path = save(tmp_path / "small.nets")
    monkeypatch.setenv("PLYHOUSE_NETS", str(path))
    return path


def turns(note: str) -> list[tuple[str, float, int]]:
    """What a note says of each turn: notation, equity, plies."""
    told: list[tuple[str, float, int]] = []
    for item in note.split(" | "):
        found = TURN.fullmatch(item)
        assert found, item
        assert (found[3] is None) == bool(told), "the chances are those of the first"
        plies = int(found[4][1]) if found[4] else told[-1][2]
        told.append((found[1], float(found[2]), plies))
    return told


def test_the_shipped_nets_are_played_by_and_know_an_opening() -> None:
    choice = registry.bot("gammon").choose(FIRST, Budget(nodes=40))
    assert GAME.format_action(FIRST, choice.action) == "8/5 6/5"
    assert choice.nodes == len(FIRST.legal_actions())
    told = turns(choice.note)
    assert told[0][0] == "8/5 6/5"
    assert abs(told[0][1] / 3 - choice.value) < 0.001
    assert told == sorted(told, key=lambda turn: -turn[1])
    assert {plies for _, _, plies in told} == {0}


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_it_looks_as_far_ahead_as_it_is_told_and_its_nodes_last(small: Path, plies: int) -> None:
    bot = registry.bot("gammon", plies=plies)
    choice = bot.choose(ENDING, Budget(nodes=PLENTY))
    assert turns(choice.note)[0][2] == plies
    assert (choice.nodes > 100) == (plies > 0)
    assert turns(bot.choose(ENDING, Budget(nodes=8)).note)[0][2] == 0


def test_a_choice_is_cut_where_the_nodes_end_before_the_plies_that_are_asked(small: Path) -> None:
    position = first_decision(games.game("backgammon"))
    for plies, nodes, cut in ((0, 900, False), (0, 3, True), (1, 60, True), (-1, 60, False)):
        choice = registry.bot("gammon", plies=plies).choose(position, Budget(nodes=nodes))
        assert choice.cut is cut, (plies, nodes)


def test_with_a_single_turn_value_and_note_cost_one_node(small: Path) -> None:
    assert len(FORCED.legal_actions()) == 1
    choice = registry.bot("gammon").choose(FORCED, Budget(nodes=PLENTY))
    assert choice.nodes == 1
    assert len(turns(choice.note)) == 1
    assert choice.value != 0


def test_a_won_game_is_worth_its_points(small: Path) -> None:
    position = GAME.parse_position("XGID=-A------------------baaab-:0:0:1:21:0:0:0:0:10")
    choice = registry.bot("gammon").choose(position, Budget(nodes=PLENTY))
    assert choice.value == 0.3333
    assert " W 100.0 " in choice.note


def test_a_note_fits_where_turns_are_many_and_long(small: Path) -> None:
    position = GAME.parse_position("XGID=-b-AAAAAAAAAAAAAAA------b-:0:0:1:11:0:0:0:0:10")
    choice = registry.bot("gammon", plies=0).choose(position, Budget(nodes=900))
    assert len(choice.note.encode()) <= NOTE_BYTES
    assert len(turns(choice.note)) > 3


class After(list[int]):
    """A flag that is raised once it has been looked at so often."""

    def __init__(self, looks: int) -> None:
        super().__init__([0])
        self.looks = looks

    def __getitem__(self, i: int) -> int:  # type: ignore[override]
        self.looks -= 1
        return int(self.looks < 0)


def test_a_flag_that_is_raised_while_turns_are_judged_leaves_the_best_of_those(small: Path) -> None:
    choice = registry.bot("gammon").choose(FIRST, Budget(nodes=PLENTY), stop=After(5))
    assert choice.nodes == 5
    [first, *_] = found = Judge().turns(FIRST)
    judged = set(FIRST.legal_actions()[:5])
    assert choice.action == next(rated.action for rated in found if rated.action in judged)
    assert first.plies == 0
    assert len(turns(choice.note)) == 5


def test_a_flag_that_is_raised_later_ends_it_between_two_turns(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also a list, which compiled code does not see."""
    stop, looked = [0], []
    teller = Judge()
    monkeypatch.setattr(teller, "stop_flag", lambda given: [0])

    def one_ply(s: list[int], average: list[float], *given: object) -> bool:
        looked.append(list(s))
        average[:] = [0.5, 0.0, 0.0, 0.0, 0.0]
        stop[0] = len(looked) == 2
        return True

    monkeypatch.setattr(teller._code, "one_ply", one_ply)
    found = teller.turns(FIRST, 1, stop=stop)
    assert len(looked) == 2
    assert [rated.plies for rated in found[:3]] == [1, 1, 0]


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is not there yet, and that PLYHOUSE_NETS names."""
    path = tmp_path / "my.nets"
    monkeypatch.setenv("PLYHOUSE_NETS", str(path))
    monkeypatch.setattr(gammon, "_warnings", set())
    return path


def a_bot() -> Bot:
    return registry.bot("gammon", seed=3)


def test_where_nets_cannot_be_read_the_hand_made_evaluation_plays_and_says_so(
    mine: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """tests/bots/backgammon/test_weights.py has the other ways, and their sentences."""
    sentence = "there are no weights in my.nets: No such file or directory"
    with caplog.at_level(logging.WARNING, "plyhouse.bots"):
        choices = [a_bot().choose(position, Budget(nodes=30)) for position in (FIRST, FIRST)]
    wanted = Handmade(GAME, 3).choose(FIRST, 30, [0])
    for choice in choices:
        assert choice.note == f"hand-made evaluation: {sentence} | {wanted.note}"
        assert (choice.action, choice.value, choice.nodes) == (
            wanted.action, wanted.value, wanted.nodes,
        )  # fmt: skip
    [record] = caplog.records
    whole = sentence.replace("my.nets", str(mine))
    assert (record.levelname, record.name) == ("WARNING", "plyhouse.bots")
    assert record.getMessage() == f"plyhouse: {whole}; gammon plays by a hand-made evaluation"


def test_whoever_names_nets_that_are_not_there_is_told_before_a_match(mine: Path) -> None:
    with pytest.raises(BadSetting, match=r"PLYHOUSE_NETS: there are no weights in .*my\.nets"):
        make_entry("gammon", seed=3)
    save(mine)
    assert make_entry("gammon", seed=3).games == ("backgammon", "backgammon_cube")


def test_nets_that_vanish_after_they_were_looked_at_are_no_crash(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gammon, "_sound", {mine})
    assert a_bot().choose(FIRST, Budget(nodes=30)).note.startswith("hand-made evaluation: there")


def test_nets_that_are_there_again_are_played_by_in_the_next_match(mine: Path) -> None:
    assert Gammon.searches() == (expect,)
    assert a_bot().choose(FIRST, Budget(nodes=30)).note.startswith("hand-made")
    save(mine)
    assert Gammon.searches() == (lookahead,)
    assert turns(a_bot().choose(FIRST, Budget(nodes=30)).note)


def test_another_file_of_nets_is_played_by_if_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = a_bot().choose(FIRST, Budget(nodes=30))
    monkeypatch.setenv("PLYHOUSE_NETS", str(save(tmp_path / "other.nets", (3, 2, 1))))
    assert Judge().nets.hidden == (3, 2, 1)
    assert a_bot().choose(FIRST, Budget(nodes=30)).note != ours.note
    monkeypatch.setenv("PLYHOUSE_NETS", "")
    assert judge.nets_file() == FILE
    assert a_bot().choose(FIRST, Budget(nodes=30)) == ours


def test_what_is_compiled_for_the_one_evaluation_is_not_enough_for_the_other(
    mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "available", lambda: True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(Gammon, "warm_up", lambda position: None)
    assert not Gammon.ready(GAME)
    Gammon.prepare(GAME)
    assert Gammon.ready(GAME)
    save(mine)
    assert not Gammon.ready(GAME)
    Gammon.prepare(GAME)
    assert Gammon.ready(GAME)


def test_it_is_warmed_up_by_thinking(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[type] = []

    def note(kind: type, name: str) -> None:
        think = getattr(kind, name)

        def noted(*given: object, **named: object) -> object:
            asked.append(kind)
            return think(*given, **named)

        monkeypatch.setattr(kind, name, noted)

    note(Handmade, "think")
    note(Judge, "turns")
    Gammon.warm_up(ENDING)
    save(mine)
    Gammon.warm_up(ENDING)
    assert asked == [Handmade, Judge]


def test_what_it_expects_of_a_position_is_in_points_and_of_the_seat_to_move() -> None:
    bot = Gammon()
    level = bot.expected_points(FIRST)
    assert level is not None
    assert abs(level) < 0.5
    assert bot.expected_points(ENDING) is not None
