"""Files of matches, as many programs and clubs write them, read turn by turn."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import pytest

from client.records.series import games_of
from protocol.parts import Options, Result, Series
from protocol.reading import files
from protocol.reading.written import MAX_TURNS, Unreadable, WrittenGame, WrittenMatch
from protocol.records import formats, mat
from protocol.records.record import Altered, MatchRecord, NotARecord
from protocol.records.replay import Replay, replay_events
from tests.client.records.played import Played
from tests.support.series_played import played, records

TERMS = {
    "3 points": Options(points=3),
    "1 point": Options(points=1),
    "nackgammon": Options(points=5, start="nackgammon"),
    "hypergammon": Options(points=5, start="hypergammon"),
    "money with beavers": Options(beavers=True),
    "no cube": Options(points=3, cube=False),
}


class Read(NamedTuple):
    """What counts of a game: who did what, how it ended, and where its match stood before."""

    actions: list[tuple[int | None, str | None]]
    result: Result | None
    series: Series | None


def told(record: MatchRecord) -> Read:
    replay = replay_events(record.events)
    steps = [step.last for step in replay.steps[1:]]
    actions = [(event.seat, event.action) for event in steps if event is not None]
    return Read(actions, replay.result, replay.series)


def of_a_series(options: Options, seed: int = 0) -> list[MatchRecord]:
    return games_of(records(played(options, seed, most=99 if options.points else 1)))


def without_last_roll(game: Read) -> Read:
    """The same without dice that nobody played: match text and SGF leave them out."""
    actions = list(game.actions)
    while game.result is not None and game.result.how == "resign" and actions[-1][0] == -1:
        actions.pop()
        if actions[-1][1] == "roll":
            actions.pop()
    return game._replace(actions=actions)


@pytest.mark.parametrize("terms", TERMS)
def test_a_match_is_read_as_we_write_it(terms: str) -> None:
    games = of_a_series(TERMS[terms])
    for name in ("json", "mat", "sgf", "text"):
        read = files.read(formats.write(games[-1], name, games[:-1], whole=True))
        assert (read.fault, list(read.remarks), read.promised) == (None, [], name == "json")
        expected = [told(game) for game in games]
        if name in ("mat", "sgf"):
            expected = [without_last_roll(game) for game in expected]
        assert [told(game) for game in read.games] == expected


@pytest.mark.parametrize(
    "game", ["connect_four", "tic_tac_toe", "ultimate_tic_tac_toe", "backgammon"]
)
def test_the_text_of_every_game_is_read(game: str) -> None:
    won = Played(game).plays_on(seed=4)
    given_up = Played(game).plays_on(seed=5, most=3).gives_up(1, "flag")
    for one in (won, given_up):
        record = MatchRecord("17.2", tuple(one.events))
        read = files.read(formats.write(record, "text"))
        assert [told(found) for found in read.games] == [told(record)]


# Every quirk that was counted in 116 files of clubs and programs, each as a change of our own text.
BASE = of_a_series(Options(points=3), seed=11)


def replays() -> list[Replay]:
    return [replay_events(game.events) for game in BASE]


def text_of(games: list[MatchRecord]) -> str:
    return mat.write([replay_events(game.events) for game in games])


def joined(text: str) -> str:
    """Turns with runs joined and moves counted: `13/7(2)`, `24/18/13`, `bar/22`."""
    for game in replays():
        for turn in game.turns():
            cell = mat._cell(turn) if turn.answer is not None else ""
            if "/" in cell:
                text = text.replace(cell, turn.text())
    return text


def rows_of_results(text: str) -> str:
    return re.sub(r"^( {6,})Wins", lambda m: " 94)" + m[1][4:] + "Wins", text, flags=re.MULTILINE)


def named(one: str, two: str) -> Callable[[str], str]:
    return lambda text: text.replace(" ann : ", f" {one} : ").replace(" bob : ", f" {two} : ")


QUIRKS: dict[str, Callable[[str], str]] = {
    "no blank in front": lambda text: text.replace("\n ", "\n"),
    "one point is two": lambda text: re.sub(r"points?\b(?! match)", "point", text),
    "the match is not told": lambda text: text.replace(" and the match", ""),
    "the result in a row": rows_of_results,
    "bar and off": lambda text: re.sub(r"/0\b", "/off", text.replace(" 25/", " bar/")),
    "Bar and Off": lambda text: re.sub(r"/0\b", "/Off", text.replace(" 25/", " Bar/")),
    "a blank dance": lambda text: text.replace(" Cannot Move", ""),
    "joined and counted": joined,
    "no stars": lambda text: text.replace("*", ""),
    "the lower die first": lambda text: re.sub(r"\b(\d)(\d):", r"\2\1:", text),
    "names with blanks": named("Anna Maria von S.", "Bo  B"),
    "a rating in the name": named("anna,1673", "bo,1838"),
    "a country in the name": named("anna (GER)", "bo [DEN]"),
    "a script in the name": named("<script>alert(1)</script>", "\x1b[31mbo"),
    "free text in front": lambda text: f"Final of the club\n\n{text}",
    "no comments": lambda text: re.sub(r"^;.*\n", "", text, flags=re.MULTILINE),
    "tabs": lambda text: text.replace("        ", "\t"),
    "blanks behind": lambda text: text.replace("\n", "   \n"),
    "no blank lines": lambda text: re.sub(r"\n+", "\n", text),
    "all at once": lambda text: rows_of_results(joined(text).replace(" Cannot Move", "")),
}  # fmt: skip


@pytest.mark.parametrize("quirk", QUIRKS)
def test_every_dialect_of_match_text_is_the_same_match(quirk: str) -> None:
    """Each in a game that has what it is about, and all at once in the whole match."""
    change = QUIRKS[quirk]
    some = [[game] for game in BASE] if quirk != "all at once" else [BASE]
    games = next(each for each in some if change(text_of(each)) != text_of(each))
    read = files.read(change(text_of(games)).encode())
    assert (read.fault, list(read.remarks)) == (None, [])
    assert [told(game) for game in read.games] == [without_last_roll(told(g)) for g in games]


@pytest.mark.parametrize(
    "encoded",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.encode("utf-16"),
        lambda text: text.encode("utf-16-be"),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("\n", "\r").encode(),
        lambda text: text.replace(" ann ", " Ren\xe9 ").encode("cp1252"),
    ],
    ids=["mark", "UTF-16", "UTF-16 without a mark", "CRLF", "CR", "a code page"],
)
def test_whatever_a_shell_or_a_mail_makes_of_a_file_it_is_read(
    encoded: Callable[[str], bytes],
) -> None:
    data = formats.write(BASE[0], "mat")
    read = files.read(encoded(data.decode()))
    assert read.fault is None
    assert told(read.games[0]).actions == told(files.read(data).games[0]).actions


HEAD = " 5 point match\n\n Game 1\n anna : 0                       bo : 0\n"
OPENING = "  1) 31: 8/5 6/5                 64: 24/14\n"


WON = "      Wins 1 point\n"


def row(text: str) -> bytes:
    return (HEAD + OPENING + text).encode()


@pytest.mark.parametrize(
    ("last", "points", "how"),
    [
        ("  2) 43: ????\n                                 Wins 1 point", 1, "resign"),
        ("  2) 43:\n                                 Wins 2 points", 2, "resign"),
        ("  2) 43: Concedes               Wins 3 points and the match", 3, "resign"),
        ("  2) 00: ????                   Wins 1 point", 1, "resign"),
        ("  2)                             Wins 1 point", 1, "resign"),
        ("  2)  Doubles => 2               Drops\n      Wins 1 point", -1, "rules"),
        ("  2)  Doubles => 2               Drops  Wins 1 point", -1, "rules"),
        ("  2)  Doubles => 2               Takes\n  3) 43: ????\n"
         "                                 Wins 4 points", 4, "resign"),
        ("  2)  Doubles => 2\n      Wins 1 point", -1, "resign"),
    ],
)  # fmt: skip
def test_a_game_that_is_given_up_ends_with_the_points_of_the_file(
    last: str, points: int, how: str
) -> None:
    read = files.read(row(last + "\n"))
    assert (read.fault, list(read.remarks)) == (None, [])
    result = told(read.games[0]).result
    assert result is not None
    assert (result.returns, result.how) == ((-points, points), how)


def test_more_points_than_can_be_lost_are_remarked() -> None:
    read = files.read(row("  2) 43: ????\n      Wins 1004 points\n"))
    result = told(read.games[0]).result
    assert result is not None
    assert (result.winner, result.returns) == (0, (3.0, -3.0))
    assert list(read.remarks) == ["line 7: the file says 1004 points, and 3 can be lost"]


def test_the_crawford_game_is_counted_and_a_double_says_that_it_is_over() -> None:
    text = " 3 point match\n\n Game 4\n anna : 2                       bo : 1\n"
    first = "  1)                             31: 8/5 6/5\n"
    games = {
        True: text + first + "  2) 64: 24/14                   Wins 1 point\n",
        False: text + first + "  2) 64: 24/14                    Doubles => 2\n  3)  Drops\n",
    }
    for crawford, written in games.items():
        series = told(files.read(written.encode()).games[0]).series
        assert series == Series(points=3, score=(2, 1), game=4, crawford=crawford)


def test_a_session_of_money_by_the_jacoby_rule_is_known_by_its_points() -> None:
    game = of_a_series(Options(start="hypergammon"), seed=7)[0]  # a gammon, and nobody doubled
    text = formats.write(game, "mat").decode()
    silent = re.sub(r"; \[Jacoby.*\n", "", text)
    for written, points in ((silent, 2), (silent.replace("Wins 2 points", "Wins 1 point"), 1)):
        read = files.read(written.encode())
        assert list(read.remarks) == []
        assert told(read.games[0]).result is not None
        assert replay_events(read.games[0].events).options.jacoby == (points == 1)
        assert max(replay_events(read.games[0].events).result.returns) == points  # type: ignore[union-attr]
    lying = text.replace("Wins 2 points", "Wins 1 point")
    assert len(files.read(lying.encode()).remarks) == 1


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("  2) 77: 8/1", 6, "a roll such as `31:`, Doubles, Takes, Drops or Wins was expected"),
        ("  2) 43: 24/20 13/11", 6, "43: 24/20 13/11 cannot be played:"),
        ("  2) 43: 24/20 13/10*           52: 13/8 24/22", 6, "nothing is hit on"),
        ("  2) 43: Cannot Move", 6, "cannot be played: something can be moved"),
        ("  2) 43:                        52: 13/8 24/22", 6, "a turn for the roll 43 was"),
        ("  2)                             52: 13/8 24/22", 6, "it is the turn of anna"),
        ("  2)  Doubles => 2               52: 13/8 24/22", 6, "take or drop was expected"),
        ("  2)  Takes", 6, "nobody has doubled"),
        ("  2)  Doubles many", 6, "is no decision about the cube"),
        ("      Wins a lot", 6, "`Wins 2 points` was expected"),
        ("      Wins 1 point\n  3) 43: 24/20 13/10", 7, "so `Game` and its number were expected"),
        ("<script>alert(1)</script>", 6, "was expected, not '<script>alert(1)</script>'"),
        (f"{WON} Game 2\n  1) 31: 8/5 6/5", 8, "the names and the score were expected"),
        (f"{WON} Game 2", 8, "the names and the score were expected"),
        (" Game 2\n anna : 0       bo : 0", 5, "the game is not over: `Wins` was expected"),
        ("x" * 1_001, 6, "1,000 characters at most"),
    ],
)  # fmt: skip
def test_a_broken_file_is_read_as_far_as_it_goes_and_says_what_was_expected(
    text: str, line: int, expected: str
) -> None:
    read = files.read(row(text + "\n"))
    assert read.fault is not None
    assert read.fault.startswith(f"line {line}: ")
    assert expected in read.fault
    assert told(read.games[0]).actions[:4] == [(-1, "31"), (0, "8/5 6/5"), (1, "roll"), (-1, "64")]


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        (";B[77hefe])", "line 4: B[31hefe], [double], [take] or [drop] was expected, not '77hefe'"),
        (";W[43hefe]", "line 4: 43: 8/5 6/5 cannot be played"),
        (";B[43", "line 4: a property such as `W[31hefe]` was expected, not '[43'"),
        (";AE[a][b])", "line 4: a game that begins from a position of its own is not read"),
        ("))", "line 4: a bracket is closed that was never opened"),
        ("", "line 4: the file ends within a game: `)` was expected"),
    ],
)
def test_a_broken_tree_is_read_as_far_as_it_goes(tail: str, expected: str) -> None:
    head = "(;FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]PW[anna]PB[bo]\n;W[31hefe]\n;B[64agga]\n"
    head = head.replace(";B[64agga]", ";B[64aggk]")
    read = files.read((head + tail).encode())
    assert read.fault is not None
    assert expected in read.fault
    assert told(read.games[0]).actions[:3] == [(-1, "13"), (1, "8/5 6/5"), (0, "roll")]


def test_of_a_tree_the_first_branch_is_read_and_notes_are_passed_over() -> None:
    text = (
        "(;FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]PW[a\\]nna]PB[bo]C[a (note\\] ; here)]\n"
        ";W[31hefe]A[3][E ver 3 0.1](;B[64aggk]LU[0.1](;W[51xwmh])(;W[51xwxs]))(;B[double]))"
    )
    read = files.read(text.encode())
    assert read.fault is None
    assert [action for _, action in told(read.games[0]).actions][-1] == "24/23 13/8"
    assert read.games[0].events[0].players is not None
    assert read.games[0].events[0].players[1].name == "a]nna"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"x" * (files.MAX_BYTES + 1), "a file of a match has 8 MiB at most"),
        (b"", "it begins with ''; JSON, text, SGF or match text"),
        (b"\x89PNG\r\n\x1a\n\x00\x01\x02\x03\xff", "this is no text"),
        (b"hello", "this is no record of a match, it begins with 'hello'"),
        (b"<script>alert(1)</script>", "JSON, text, SGF or match text (.mat) of a match"),
        (b"(;GM[1]SZ[19];B[aa])", "line 1: GM[1] is another game"),
        (b"Chess, match 1.1\n", "line 1: no game here is called 'Chess'"),
        (b" 99 point match\n Game 1\n a : 0   b : 0\n 1) 31: 8/5 6/5\n", "a match is to 1 to 25"),
        (b" 5 point match\n Game 1\n a : 9   b : 0\n 1) 31: 8/5 6/5\n", "at 9 to 0 a match to 5"),
        (b" 5 point match\n", "`Game 1` was expected, and the file ends"),
    ],
)
def test_what_holds_no_match_is_refused_in_a_sentence(data: bytes, why: str) -> None:
    with pytest.raises(NotARecord) as no:
        files.read(data)
    assert why in str(no.value)


def test_a_match_of_a_hundred_thousand_turns_is_read_no_further_than_a_file_may_go() -> None:
    rows = b"  2) 66:                         66:\n" * 50_000
    read = files.read(row("  2) 43: 24/20 13/10\n") + rows)
    assert read.fault is not None
    assert len(read.games[0].events) < 10
    read = files.read(b"(;GM[6]" + b";W[66];B[66]" * 50_000 + b")")
    assert read.fault is not None
    match = WrittenMatch(games=[WrittenGame(1)])
    for line in range(MAX_TURNS):
        match.add(line, 0, "66", "")
    with pytest.raises(Unreadable, match="6,000 turns at most"):
        match.add(MAX_TURNS, 0, "66", "")


def test_of_several_records_in_a_file_each_byte_counts() -> None:
    data = formats.write(BASE[-1], "json", BASE[:-1], whole=True)
    assert files.read(data).games == BASE
    lines = data.split(b"\n")
    at = next(n for n, line in enumerate(lines) if n > 3 and line.startswith(b'{"plyhouse')) + 2
    lines[at] = lines[at].replace(b'"seq"', b'"Seq"')
    with pytest.raises(Altered) as altered:
        files.read(b"\n".join(lines))
    assert altered.value.line == at + 1
    other = formats.write(
        MatchRecord("17.2", tuple(Played("tic_tac_toe").plays("5").events)), "json"
    )
    with pytest.raises(NotARecord, match="are of one game"):
        files.read(data + other)
