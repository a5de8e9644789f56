"""The formats that a match is written in, whole, and the steps that a turn is made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from games import registry
from protocol.parts import Options, Player, Result
from protocol.records import checkers, mat, sgf, text
from protocol.records.replay import Replay, replay_events
from protocol.records.results import result_text
from tests.client.records.played import ANN, FIVE_PLUS_THREE, Played, won_at_connect_four

VECTORS = Path(__file__).parents[2] / "vectors" / "records"
BACKGAMMON = registry.game("backgammon")


def shown(played: Played) -> str:
    return text.write(replay_events(played.events))


def test_a_match_as_text() -> None:
    assert text.write(replay_events(won_at_connect_four())) == (
        "Connect four, match 17.2\n"
        "\n"
        "X       ann\n"
        "O       house/mcts\n"
        "clock   5 min + 3 s\n"
        "played  2026-11-12 16:13 UTC\n"
        "result  X won: four in a row\n"
        "\n"
        "  1. 4   3\n"
        "  2. 4   3\n"
        "  3. 4   3\n"
        "  4. 4\n"
    )


def test_what_was_taken_back_stands_below() -> None:
    played = Played("tic_tac_toe").plays("5", "1").takes_back(0, 0).plays("9", "1")
    moves = shown(played).partition("result")[2].split("\n")
    assert moves[2:] == ["  1. 9   1", "", "Taken back:", "  at ply 1: X 5, O 1", ""]


def test_dice_stand_before_their_turn_and_columns_are_aligned() -> None:
    rows = text.move_list(replay_events(Played("backgammon").plays_on(seed=3, most=11).events))
    assert re.fullmatch(r"  1\. \d\d: [^:]*   \d\d: [^:]*", rows[0])
    assert len({row.rfind(":") for row in rows if row.count(":") == 2}) == 1


def test_who_does_not_start_on_the_left_leaves_a_gap() -> None:
    starts = (Played("backgammon", match=f"17.{n}").plays_on(1, 2) for n in range(1, 99))
    played = next(p for p in starts if p.history[1].to_move == 1)
    first, second = text.move_list(replay_events(played.events))[:2]
    assert re.fullmatch(r"  1\. {10,}\d\d: .*", first)
    assert re.fullmatch(r"  2\. \d\d: .*", second)


@pytest.mark.parametrize(
    ("winner", "points", "how", "reason", "words"),
    [
        (1, -2.0, "rules", "gammon", "O won 2 points: gammon"),
        (0, 1.0, "resign", "resign", "X won: O resigned"),
        (1, -1.0, "flag", "flag", "O won: X ran out of time"),
        (None, 0.0, "rules", "full", "a draw: the board is full"),
        (None, 0.0, "abort", "abort", "called off: nobody won"),
        (None, 0.0, "void", "both players left", "void: both players left"),
    ],
)
def test_each_way_to_end_has_its_words(
    winner: int | None, points: float, how: str, reason: str, words: str
) -> None:
    result = Result(winner=winner, returns=(points, -points), how=how, reason=reason)  # type: ignore[arg-type]
    assert f"\nresult  {words}\n" in shown(Played("tic_tac_toe").plays("5").ends(result))
    assert "result  not over\n" in shown(Played("tic_tac_toe", Options()))


def test_what_others_wrote_cannot_disturb_a_terminal() -> None:
    evil = Player(name="\x1b[31mred\u202e")
    assert not set(shown(Played("tic_tac_toe", players=(ANN, evil)))) & {"\x1b", "\u202e"}


@pytest.mark.parametrize(
    ("dice", "action", "steps"),
    [
        ("1:31", "8/5 6/5", "8/5 6/5"),
        ("-1:61", "13/7 8/7", "13/7 8/7"),
        ("1:65", "24/13", "24/18 18/13"),
        ("1:66", "24/18(2) 13/7(2)", "24/18 24/18 13/7 13/7"),
    ],
)
def test_a_turn_is_so_many_steps(dice: str, action: str, steps: str) -> None:
    at = BACKGAMMON.parse_position(f"XGID=-b----E-C---eE---c-e----B-:0:0:{dice}:0:0:0:0:10")
    turn = checkers.steps(at, BACKGAMMON.parse_action(at, action))
    assert " ".join(f"{s.source}/{s.target}{'*' if s.hit else ''}" for s in turn) == steps


def test_every_turn_s_steps_lead_where_the_rules_do() -> None:
    for seed in range(4):
        for position in Played("backgammon").plays_on(seed).history:
            if position.to_move >= 0:
                for action in position.legal_actions()[:40]:
                    _follow(position, action)


def _follow(position: object, action: int) -> None:
    """Make the steps of a turn one by one, and compare."""
    s = list(position.state)  # type: ignore[attr-defined]
    base = 26 * s[52]
    for source, target, hit in checkers.steps(position, action):  # type: ignore[arg-type]
        other = 51 - base - target
        assert s[base + source] > 0
        assert (target > 0 and s[other] == 1) == hit
        s[base + source] -= 1
        s[base + target] += 1
        if hit:
            s[other] = 0
            s[51 - base] += 1
    assert s[:52] == list(position.apply(action).state[:52])  # type: ignore[attr-defined]


PLAYED_TO_THE_END = Played("backgammon", FIVE_PLUS_THREE, match="17.2").plays_on(seed=2).events


@pytest.mark.parametrize(
    ("write", "name"), [(mat.write, "backgammon.mat"), (sgf.write, "backgammon.sgf")]
)
def test_the_file_is_the_one_that_gnu_backgammon_has_read(
    write: Callable[[Sequence[Replay]], str], name: str
) -> None:
    """GNU Backgammon 1.07.001 imports these two, with passes, hits and a gammon, alike."""
    expected = (VECTORS / name).read_text(encoding="utf-8")
    assert write([replay_events(PLAYED_TO_THE_END)]) == expected


def test_who_wins_on_the_right_is_said_on_the_right() -> None:
    left = mat.write([replay_events(Played("backgammon").plays_on(1, 4).gives_up(1).events)])
    right = mat.write([replay_events(Played("backgammon").plays_on(1, 4).gives_up(0).events)])
    ends = [re.search(r"^( +)Wins", written, re.MULTILINE) for written in (left, right)]
    assert all(ends)
    assert [len(found[1]) for found in ends if found] == [6, mat.WIDE + 6]


def test_no_turn_is_too_wide_for_its_column() -> None:
    rows = mat.write([replay_events(PLAYED_TO_THE_END)]).split("\n")
    assert max(len(row.partition(")")[2][: mat.WIDE + 1].rstrip()) for row in rows) <= mat.WIDE


def test_a_match_without_a_winner_has_no_last_line_and_who_gives_up_is_marked() -> None:
    called_off = Result(winner=None, returns=(0.0, 0.0), how="abort", reason="abort")
    replay = replay_events(Played("backgammon").ends(called_off).events)
    assert "Wins" not in mat.write([replay])
    assert "RE[" not in sgf.write([replay])
    replay = replay_events(Played("backgammon").gives_up(0, "flag").events)
    assert "RE[W+3R]" in sgf.write([replay])  # two stand in the winner's home


def test_a_file_that_says_nonsense_of_its_date_or_name_is_written_all_the_same() -> None:
    events = [replace(event, at=2**53 - 1, match="1.1\n\x1b[2J") for event in PLAYED_TO_THE_END]
    replay = replay_events(events)
    for found in (text.write(replay), mat.write([replay]), sgf.write([replay])):
        assert "9999" in found
    assert "\x1b" not in text.write(replay)
    assert '; [Match ID "1.1__[2J"]' in mat.write([replay]).replace("\x1b", "_")


def test_names_cannot_break_a_format() -> None:
    players = (Player(name='a: "b"  ;c'), Player(name="d]\\e"))
    replay = replay_events(Played("backgammon", players=players).events)
    assert "\n a___b____c : 0" in mat.write([replay])
    assert "PW[d\\]\\\\e]" in sgf.write([replay])


@pytest.mark.parametrize("game", ["connect_four", "tic_tac_toe", "ultimate_tic_tac_toe"])
def test_no_code_of_the_rules_is_shown_for_words(game: str) -> None:
    won = Result(winner=0, returns=(1.0, -1.0), how="rules", reason="line")
    assert result_text(won, game, ("ann", "bob")).startswith("ann won: ")
    assert result_text(won, game, ("ann", "bob"), 0).endswith(" in a row")
    assert result_text(won, game, ("ann", "bob"), 1).endswith(" in a row for ann")
    full = Result(winner=None, returns=(0.0, 0.0), how="rules", reason="full")
    assert result_text(full, game, ("ann", "bob")) in (
        "a draw: the board is full", "a draw: all boards are closed",
    )  # fmt: skip


def test_a_loser_of_several_points_hears_how_many() -> None:
    for how, reason, words in (
        ("rules", "gammon", "you lost 2 points: a gammon for ann"),
        ("resign", "resign", "you resigned: ann won 2 points"),
        ("flag", "flag", "you lost 2 points to ann: your time ran out"),
    ):
        lost = Result(winner=0, returns=(2.0, -2.0), how=how, reason=reason)  # type: ignore[arg-type]
        assert result_text(lost, "backgammon", ("ann", "bob"), 1) == words
