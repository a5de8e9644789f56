"""gammon: what it plays within its nodes and its time, what it says, and damaged nets."""

from __future__ import annotations

import logging
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bots import compiled, judge, registry, weights
from bots.bot import NOTE_BYTES, Bot, Budget
from bots.handmade import Handmade
from bots.judge import Judge
from bots.roster import gammon
from bots.roster.gammon import Gammon
from bots.search.backgammon.inputs import INPUTS, MEANING
from bots.search.backgammon.net import size
from bots.weights import FILE, Weights
from games import registry as games
from games.game import CHANCE, END, Position
from games.rng import below, seeded

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


def walk(plies: int, seed: int) -> list[Position]:
    """Positions of a random match in which a seat is to move."""
    rng, found, position = seeded(seed), [], GAME.initial()
    while position.to_move != END and len(found) < plies:
        if position.to_move != CHANCE:
            found.append(position)
        actions = position.legal_actions()
        position = position.apply(actions[below(rng, len(actions))])
    return found


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


# ---------------------------------------------------------------- nodes


def test_the_shipped_nets_are_played_by_and_know_an_opening() -> None:
    choice = registry.bot("gammon").choose(FIRST, Budget(nodes=40))
    assert GAME.format_action(FIRST, choice.action) == "8/5 6/5"
    assert choice.nodes == len(FIRST.legal_actions())
    told = turns(choice.note)
    assert told[0][0] == "8/5 6/5"
    assert abs(told[0][1] / 3 - choice.value) < 0.001
    assert told == sorted(told, key=lambda turn: -turn[1])
    assert {plies for _, _, plies in told} == {0}


def test_nodes_are_never_exceeded(small: Path) -> None:
    bot = registry.bot("gammon", seed=1)
    for position in (ENDING, *walk(3, seed=9)):
        for nodes in (1, 7, 60, 300, 700):
            assert 1 <= bot.choose(position, Budget(nodes=nodes)).nodes <= nodes


def test_too_few_nodes_for_all_turns_judge_some_of_them_by_chance(small: Path) -> None:
    actions = list(FIRST.legal_actions())
    bots = [registry.bot("gammon", seed=seed) for seed in range(12)]
    chosen = [bot.choose(FIRST, Budget(nodes=3)) for bot in bots]
    assert all(choice.nodes == 3 and len(turns(choice.note)) == 3 for choice in chosen)
    places = [actions.index(choice.action) for choice in chosen]
    assert min(places) < len(actions) // 3
    assert max(places) > len(actions) // 2
    assert registry.bot("gammon", seed=0).choose(FIRST, Budget(nodes=3)) == chosen[0]


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_it_looks_as_far_ahead_as_it_is_told_and_its_nodes_last(small: Path, plies: int) -> None:
    bot = registry.bot("gammon", plies=plies)
    choice = bot.choose(ENDING, Budget(nodes=PLENTY))
    assert turns(choice.note)[0][2] == plies
    assert (choice.nodes > 100) == (plies > 0)
    assert turns(bot.choose(ENDING, Budget(nodes=8)).note)[0][2] == 0


def test_nodes_that_end_between_two_turns_leave_the_first_ones_looked_at(small: Path) -> None:
    teller = Judge()
    statically = teller.turns(ENDING)
    whole = teller.turns(ENDING, 1)
    after = [ENDING.apply(rated.action) for rated in statically]
    replies = [
        sum(len(left.apply(roll).legal_actions()) for roll in left.legal_actions())
        for left in after
    ]
    before = teller.spent
    cut = teller.turns(ENDING, 1, nodes=len(statically) + replies[0] + replies[1] - 1)
    assert teller.spent - before == len(statically) + replies[0]
    assert [rated.plies for rated in cut] == [1] + [0] * (len(cut) - 1)
    assert cut[0] in whole
    assert cut[0].action == statically[0].action


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


# ---------------------------------------------------------------- time


class After(list[int]):
    """A flag that is raised once it has been looked at so often."""

    def __init__(self, looks: int) -> None:
        super().__init__([0])
        self.looks = looks

    def __getitem__(self, i: int) -> int:  # type: ignore[override]
        self.looks -= 1
        return int(self.looks < 0)


def test_a_flag_that_was_raised_before_leaves_any_legal_turn(small: Path) -> None:
    choice = registry.bot("gammon").choose(FIRST, Budget(nodes=PLENTY), stop=[1])
    assert (choice.action, choice.nodes, choice.note) == (FIRST.legal_actions()[0], 0, "")


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
    monkeypatch.setattr(teller, "_flag", lambda given: [0])

    def one_ply(s: list[int], average: list[float], *given: object) -> bool:
        looked.append(list(s))
        average[:] = [0.5, 0.0, 0.0, 0.0, 0.0]
        stop[0] = len(looked) == 2
        return True

    monkeypatch.setattr(teller._code, "one_ply", one_ply)
    found = teller.turns(FIRST, 1, stop=stop)
    assert len(looked) == 2
    assert [rated.plies for rated in found[:3]] == [1, 1, 0]


# ---------------------------------------------------------------- nets that cannot be read


def missing(path: Path) -> None:
    pass


def truncated(path: Path) -> None:
    path.write_bytes(FILE.read_bytes()[:-1000])


def flipped(path: Path) -> None:
    data = bytearray(FILE.read_bytes())
    data[-5000] ^= 4
    path.write_bytes(data)


def foreign(path: Path) -> None:
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(500))


def of_another_game(path: Path) -> None:
    weights.write(path, {"nets": "chess", "inputs": INPUTS, "meaning": MEANING}, [0.5], "e")


def for_other_inputs(path: Path) -> None:
    weights.write(
        path, {"nets": "backgammon", "inputs": INPUTS + 1, "meaning": MEANING}, [0.5], "e"
    )


def of_other_sizes(path: Path) -> None:
    heading = {"nets": "backgammon", "inputs": INPUTS, "meaning": MEANING, "hidden": [2, 2, 3]}
    weights.write(path, heading, [0.5] * sum(map(size, (2, 2, 2))), "e")


DAMAGED: list[tuple[Callable[[Path], None], str]] = [
    (missing, "there are no weights in my.nets: No such file or directory"),
    (truncated, "my.nets is damaged, or not all there"),
    (flipped, "my.nets is damaged, or not all there"),
    (foreign, "my.nets is no file of weights"),
    (of_another_game, "my.nets holds no nets for backgammon"),
    (for_other_inputs, "my.nets holds nets for other inputs than those of this version"),
    (of_other_sizes, "my.nets does not hold 3 whole nets"),
]


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is not there yet, and that PLYHOUSE_NETS names."""
    path = tmp_path / "my.nets"
    monkeypatch.setenv("PLYHOUSE_NETS", str(path))
    monkeypatch.setattr(gammon, "_told", set())
    return path


def a_bot() -> Bot:
    return registry.bot("gammon", seed=3)


@pytest.mark.parametrize(("damage", "sentence"), DAMAGED)
def test_where_nets_cannot_be_read_the_hand_made_evaluation_plays_and_says_so(
    damage: Callable[[Path], None], sentence: str, mine: Path, caplog: pytest.LogCaptureFixture
) -> None:
    damage(mine)
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


def test_it_says_so_too_where_there_was_no_time_to_judge_anything(mine: Path) -> None:
    choice = a_bot().choose(FIRST, Budget(nodes=30), stop=[1])
    assert choice.note == (
        "hand-made evaluation: there are no weights in my.nets: No such file or directory"
    )


def test_nets_that_vanish_after_they_were_looked_at_are_no_crash(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gammon, "_sound", {mine})
    assert a_bot().choose(FIRST, Budget(nodes=30)).note.startswith("hand-made evaluation: there")


def test_nets_that_are_there_again_are_played_by_in_the_next_match(mine: Path) -> None:
    assert Gammon.searches() == ("expect",)
    assert a_bot().choose(FIRST, Budget(nodes=30)).note.startswith("hand-made")
    save(mine)
    assert Gammon.searches() == ("backgammon.lookahead",)
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


def test_it_plays_backgammon_only() -> None:
    assert Gammon.plays(GAME)
    assert not Gammon.plays(games.game("connect_four"))


# ---------------------------------------------------------------- compiled


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


@pytest.mark.parametrize("damage", [save, missing])
def test_it_is_warmed_up_by_thinking(damage: Callable[[Path], object], mine: Path) -> None:
    damage(mine)
    Gammon.warm_up(ENDING)


@pytest.mark.slow
def test_plain_and_compiled_find_the_same_and_spend_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """But for rounding: compiled code counts in single precision."""
    pytest.importorskip("numba")
    plain = Judge(plain=True)
    monkeypatch.setattr(compiled, "available", lambda: True)
    fast = Judge()
    assert not fast.nets.plain
    for position in walk(4, seed=4):
        for nodes in (6, 1_500):
            one, other = (teller.turns(position, 1, nodes=nodes) for teller in (plain, fast))
            assert [r.action for r in one] == [r.action for r in other]
            assert [r.plies for r in one] == [r.plies for r in other]
            for here, there in zip(one, other, strict=True):
                assert here.estimate.equity == pytest.approx(there.estimate.equity, abs=1e-4)
        assert plain.spent == fast.spent
