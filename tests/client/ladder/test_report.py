"""The report: what is in the folder, and that nothing is written where there is nothing to say."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

import plyhouse
from client.ladder import page, plots, report
from client.ladder.plots import LIGHT
from protocol import ladder
from protocol.errors import Code
from protocol.messages import Error, History, HistoryPage, Push, Request
from protocol.records import record
from tests.client.conftest import Run
from tests.client.fake_server import Answer, HostedServer, reply
from tests.client.ladder import states
from tests.client.records.played import FIVE_PLUS_THREE, Played

SVG = "{http://www.w3.org/2000/svg}"


def hosted(server: HostedServer, *pages: ladder.PairPage) -> None:
    """A server with the ladder, whose match 639.1 can be read and no other."""
    told = {page.pairs[0].pair if i else 0: page for i, page in enumerate(pages)}

    def asked_pairs(request: Request) -> list[Push]:
        assert isinstance(request, ladder.LadderPairs)
        return [replace(told[request.since], re=request.id)]

    def asked_events(request: Request) -> list[Push]:
        assert isinstance(request, History)
        if request.room != 639:
            return [Error(code=Code.LOBBY_NO_ROOM, text="no such room", re=request.id)]
        won = Played("connect_four", FIVE_PLUS_THREE, match="639.1")
        events = tuple(won.plays("4", "3", "4", "3", "4", "3", "4").events)
        return [HistoryPage(room=639, events=events, re=request.id)]

    server.answers |= {
        ladder.LadderStatus: reply(states.state()),
        ladder.LadderHistory: reply(states.history()),
        ladder.LadderPairs: asked_pairs,
        ladder.LadderCompare: reply(states.differences()),
        History: asked_events,
    }


class Links(HTMLParser):
    """What a page refers to, and whether its tags are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes |= {key for key, _ in attrs}
        self.found |= {value for key, value in attrs if key in ("href", "src") and value}
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


def test_the_folder_holds_all_that_its_page_refers_to(
    server: HostedServer, run: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    hosted(server, *states.pages())
    out = tmp_path / "new" / "report"
    code, said, err = run("report", "daily", "--out", out)
    assert (code, err) == (0, "the server has no record of 637.1, 638.1, 640.1\n")
    assert said.startswith(f"wrote {out / 'index.html'}, with 8 files beside it")
    links = Links((out / "index.html").read_text())
    assert links.open == []
    assert links.found >= {"ratings.svg", "history.svg", "standings.csv", "matches.jsonl"}
    assert all((out / name).is_file() for name in links.found)
    pairs = list(csv.DictReader(io.StringIO((out / "pairs.csv").read_text())))
    assert [(row["pair"], row["score"]) for row in pairs] == [
        ("310", ""), ("311", "1.0"), ("312", "1.5"),
    ]  # fmt: skip
    differ = list(csv.DictReader(io.StringIO((out / "differences.csv").read_text())))
    assert differ[0] == {
        "one": states.MCTS, "two": states.MINE, "difference": "72.4", "error": "51.2",
        "los": "0.9972",
    }  # fmt: skip
    assert {"+72 ±51", "−72 ±51", "99.7 %", "0.3 %", "> 99.9 %"} <= set(links.texts)
    whole = json.loads((out / "ladder.json").read_text())
    assert len(whole["differences"]["differences"]) == 3
    assert (whole["ladder"]["ladder"]["name"], len(whole["pairs"])) == ("daily", 3)
    assert "Connect four, match 639.1" in (out / "matches.txt").read_text()
    [line] = map(json.loads, (out / "matches.jsonl").read_text().splitlines())
    assert (line["match"], line["actions"]) == ("639.1", ["4", "3", "4", "3", "4", "3", "4"])
    assert len(line["players"]) == 2
    assert len([1 for request in server.heard if isinstance(request, History)]) == 4  # a room each
    assert len(list(out.iterdir())) == 9  # however many matches there are
    [alone] = (out / "matches.jsonl").read_bytes().splitlines()
    match = record.read_line(alone.partition(b', "record": ')[2][:-1])
    assert match.over
    assert record.write(match).splitlines()[0] == b'{"plyhouse-record":1,"match":"639.1","events":['
    kept = str(out / "639.1")
    for verb in ("replay", "verify", "export"):
        assert plyhouse.main([verb, kept]) == 0
    assert "ok: match 639.1" in capfd.readouterr().out
    assert plyhouse.main(["verify", str(out / "640.1")]) == 2
    assert "holds no match 640.1" in capfd.readouterr().err
    assert plyhouse.main(["verify", str(out / "matches.jsonl")]) == 2
    assert f"one of them is named by its folder, such as {out / '17.2'}" in capfd.readouterr().err


def test_a_record_in_a_report_that_was_altered_is_found(
    server: HostedServer, run: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    hosted(server, *states.pages())
    out = tmp_path / "report"
    assert run("report", "daily", "--out", out)[0] == 0
    file = out / "matches.jsonl"
    whole = file.read_bytes()
    begun = whole.index(b'"kind":"play"')
    file.write_bytes(whole[:begun] + whole[begun:].replace(b'"action":"3"', b'"action":"5"', 1))
    assert plyhouse.main(["verify", str(out / "639.1")]) == 1
    assert "its hash does not fit" in capfd.readouterr().out


def test_a_long_report_says_in_a_pipe_how_far_it_is(
    server: HostedServer, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosted(server, *states.pages())
    monkeypatch.setattr(report, "EVERY", 2)
    code, _, err = run("report", "daily", "--out", tmp_path / "report")
    assert (code, err.splitlines()[:3]) == (
        0, ["pairs: 2 of 312", "records: 2 of 4", "records: 4 of 4"],
    )  # fmt: skip


def test_whoever_asks_for_much_waits_as_the_server_says(
    server: HostedServer, run: Run, tmp_path: Path
) -> None:
    hosted(server, *states.pages())
    refused: list[type[Request]] = []

    def busy(told: Answer) -> Answer:
        def asked(request: Request) -> list[Push]:
            if refused.count(type(request)) < 2:
                refused.append(type(request))
                return [Error(code=Code.SESSION_FLOOD, text="too much", retry_ms=1, re=request.id)]
            return told(request)

        return asked

    server.answers = {kind: busy(told) for kind, told in server.answers.items()}
    assert run("report", "daily", "--out", tmp_path / "all")[0] == 0
    assert b'"639.1"' in (tmp_path / "all" / "matches.jsonl").read_bytes()
    assert len(refused) == 2 * len(server.answers)  # pairs, ratings and the rest as well as records
    assert run("report", "daily", "--matches", "0", "--out", tmp_path / "none")[0] == 0
    assert (tmp_path / "none" / "matches.txt").read_text() == ""
    assert run("report", "daily", "--matches", "-1", "--out", tmp_path / "less")[0] == 2


def test_a_ladder_without_a_pair_writes_nothing(
    server: HostedServer, run: Run, tmp_path: Path
) -> None:
    out = tmp_path / "report"
    hosted(server, ladder.PairPage(ladder="daily", pairs=()))
    code, said, err = run("report", "daily", "--out", out)
    assert (code, said) == (2, "")
    assert err == "plyhouse: no pair of daily is over yet, so there is nothing to report\n"
    assert not out.exists()
    hosted(
        server, ladder.PairPage(ladder="daily", pairs=(states.RECENT[2],))
    )  # a void pair is none
    assert run("report", "daily", "--out", out)[0] == 2


def test_a_folder_that_cannot_be_written_into_is_left_alone(
    server: HostedServer, run: Run, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.txt"
    kept.write_text("mine")
    for out, why in ((tmp_path, "is not empty"), (kept, "is a file")):
        code, said, err = run("report", "daily", "--out", out)
        assert (code, said, err) == (2, "", f"plyhouse: {out} {why}; name a new folder\n")
    assert server.heard == []
    hosted(server, *states.pages())
    code, said, err = run("report", "daily", "--out", kept / "below")
    assert (code, said, err.count("Not a directory")) == (2, "", 1)
    assert kept.read_text() == "mine"


def test_names_are_text_and_nothing_else() -> None:
    evil = "<script>alert('1')</script>&\"' onload='/b@1"
    rows = (replace(states.standings()[0], player=evil), *states.standings()[1:])
    pair = replace(states.RECENT[0], one=evil, why=f"'{evil}'", opening=(evil,))
    state = states.state(standings=rows, pinned=evil)
    state = replace(state, ladder=replace(state.ladder, name=evil, owner=evil))
    known = states.differences()
    apart = replace(known, players=(evil, *known.players[1:]))
    kept = {leg.match: "moves" for leg in pair.legs if leg.match}
    plain = Links(page.write(states.state(), known, (states.RECENT[0],), kept))
    hostile = Links(page.write(state, apart, (pair,), dict.fromkeys(kept, evil) | {evil: evil}))
    assert hostile.open == []
    assert hostile.attributes == plain.attributes
    assert hostile.texts.count(evil) >= 6
    state = states.state(pinned="a\x1b\u202eb")
    assert "ab is 0" in page.write(state, known, (), {})
    for drawn in (plots.ratings(rows, evil), plots.over_time(history_of((evil, 5.0)), rows, evil)):
        assert evil in "".join(ET.fromstring(drawn).itertext())


def history_of(
    *rated: tuple[str, float], pairs: Sequence[int] = (10, 20)
) -> list[ladder.RatingPoint]:
    """Ratings that never change, with shrinking errors."""
    return [
        ladder.RatingPoint(
            at=states.START + n,
            pairs=n,
            ratings=tuple(ladder.RatingOf(player=p, rating=r, error=400 / n) for p, r in rated),
        )
        for n in pairs
    ]


def inside(drawn: str) -> ET.Element:
    """The picture, no number of which is outside of it but what is clipped."""
    root = ET.fromstring(drawn)
    wide, high = float(root.get("width", "")), float(root.get("height", ""))
    assert "nan" not in drawn
    clipped = {e for g in root.iter(f"{SVG}g") for e in g.iter()}
    for element in root.iter():
        numbers = [float(n) for n in re.findall(r"-?[0-9]+\.[0-9]", element.get("d", ""))]
        if element not in clipped:
            assert all(-1 <= x <= wide + 1 for x in numbers[::2])
            assert all(-1 <= y <= high + 1 for y in numbers[1::2])
    return root


@pytest.mark.parametrize("count", [0, 1, 2, 60])
def test_plots_hold_as_many_players_as_there_are(count: int) -> None:
    rows = tuple(
        ladder.Standing(
            player=f"ann/bot@{i}", rank=i + 1, rating=900.0 - 31 * i, error=20.0, pairs=9
        )
        for i in range(count)
    )
    dots = list(inside(plots.ratings(rows, "x")).iter(f"{SVG}circle"))
    assert len(dots) == min(count, plots.MAX_BARS)
    history = history_of(*((row.player, row.rating or 0.0) for row in rows))
    drawn = inside(plots.over_time(history, rows, "x"))
    words = [e.text for e in drawn.iter(f"{SVG}text") if "word" in e.get("class", "")]
    assert words == [row.player for row in rows[: len(LIGHT)]]


def test_who_is_unconnected_is_in_no_plot_and_a_plot_of_one_moment_is_one() -> None:
    rows = states.standings()
    history = history_of(*((row.player, 5.0) for row in rows))
    for drawn in (plots.ratings(rows, "x"), plots.over_time(history, rows, "x")):
        assert states.MCTS in drawn
        assert "eve/odd@2" not in drawn
    for points in ([], history_of((states.MCTS, 612.0), pairs=[1])):
        inside(plots.over_time(points, rows, "x"))


def test_files_of_the_same_ladder_are_the_same() -> None:
    gathered = report.Gathered(
        states.state(), states.history(), states.RECENT, (), states.differences()
    )
    assert report.files(gathered) == report.files(gathered)
