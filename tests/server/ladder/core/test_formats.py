"""The formats of a ladder: read from text and written again, and whom they let meet."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from protocol.ladder import FORMATS, Hypotheses
from server.ladder.core.formats import BadLadderFormat, Format, names_player, parse_format
from tests.protocol.pages import ROOT

TITLES = ("house/random@1", "house/mcts@1", "ann/mcts@1", "ann/mcts@2", "bob/mcts@2", "bob/nim@2")


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("endless", Format("endless")),
        ("roundrobin:1", Format("roundrobin", pairs=1)),
        ("roundrobin:100000", Format("roundrobin", pairs=100_000)),
        ("gauntlet:mcts", Format("gauntlet", bots=("mcts",))),
        ("gauntlet:ann/mcts@1.0:beta", Format("gauntlet", bots=("ann/mcts@1.0:beta",))),
        ("gauntlet:ann the great/mcts", Format("gauntlet", bots=("ann the great/mcts",))),
        ("sprt:mcts@2,mcts@1", Format("sprt", bots=("mcts@2", "mcts@1"))),
        (
            "sprt:mcts@2,mcts@1,elo1=50,beta=0.1",
            Format("sprt", bots=("mcts@2", "mcts@1"), test=Hypotheses(elo1=50, beta=0.1)),
        ),
        ("sprt:ann/mcts,bob/mcts@2", Format("sprt", bots=("ann/mcts", "bob/mcts@2"))),
    ],
)
def test_a_format_is_read_and_written(text: str, form: Format) -> None:
    assert parse_format(text) == form
    assert str(form) == text


def test_spaces_and_zeros_do_not_matter() -> None:
    assert str(parse_format(" endless\n")) == "endless"
    assert str(parse_format("roundrobin : 010")) == "roundrobin:10"
    text = " sprt: ann/mcts@2 , ann/mcts@1 "
    assert str(parse_format(text)) == "sprt:ann/mcts@2,ann/mcts@1"


@pytest.mark.parametrize(
    "text",
    [
        *("", ":", "swiss", "Endless", "endless:", "endless:3", "roundrobin", "roundrobin:"),
        *("roundrobin:0", "roundrobin:-1", "roundrobin:1.5", "roundrobin:many", "roundrobin:1,2"),
        *("roundrobin:100001", "roundrobin:" + "9" * 5_000, "roundrobin:٣", "roundrobin:²"),
        *("gauntlet", "gauntlet:", "gauntlet:a,b", "gauntlet:ann/", "gauntlet:/mcts"),
        *("gauntlet:a/b/c", "gauntlet:mcts@", "gauntlet:@2", "gauntlet:mcts@2@3", "gauntlet:a@b/c"),
        *("sprt", "sprt:mcts", "sprt:mcts,", "sprt:a,b,c", "sprt:mcts,mcts", "sprt:mcts, mcts"),
        *("sprt:a,b,elo2=3", "sprt:a,b,elo1=0", "sprt:a,b,elo1=x", "sprt:a,b,elo1=5,elo1=6"),
    ],
)
def test_what_is_no_format_is_told_those_there_are(text: str) -> None:
    with pytest.raises(BadLadderFormat) as caught:
        parse_format(text)
    sentence = str(caught.value)
    described = [f"{kind.usage}{kind.detail}" for kind in FORMATS.values()]
    assert all(kind.usage in sentence for kind in FORMATS.values())
    assert len(sentence) < 130 + len("".join(described))  # no more than 60 characters of the text


@pytest.mark.parametrize(
    ("pattern", "named"),
    [
        ("mcts", ["house/mcts@1", "ann/mcts@1", "ann/mcts@2", "bob/mcts@2"]),
        ("ann/mcts", ["ann/mcts@1", "ann/mcts@2"]),
        ("ann/mcts@2", ["ann/mcts@2"]),
        ("mcts@2", ["ann/mcts@2", "bob/mcts@2"]),
        ("ann", []),
        ("mct", []),
        ("MCTS", []),
        ("ann/mcts@", []),
        ("bob/random@1", []),
    ],
)
def test_a_bot_is_named_by_what_is_written_of_its_title(pattern: str, named: list[str]) -> None:
    assert [title for title in TITLES if names_player(pattern, title)] == named


def couples(text: str) -> list[str]:
    """Who meets in a format, of TITLES."""
    form = parse_format(text)
    return [f"{a} {b}" for a, b in combinations(TITLES, 2) if form.pairs_up(a, b)]


def test_all_meet_in_a_round_robin_one_in_a_gauntlet_and_two_in_a_test() -> None:
    assert len(couples("endless")) == len(couples("roundrobin:3")) == 15
    assert couples("gauntlet:bob/nim") == [f"{title} bob/nim@2" for title in TITLES[:-1]]
    assert couples("gauntlet:eve/nim") == []
    assert couples("sprt:ann/mcts@2,ann/mcts@1") == ["ann/mcts@1 ann/mcts@2"]
    assert couples("sprt:ann/mcts@1,ann/mcts@2") == ["ann/mcts@1 ann/mcts@2"]
    assert couples("sprt:nim,ann/mcts") == ["ann/mcts@1 bob/nim@2", "ann/mcts@2 bob/nim@2"]


@pytest.mark.parametrize("text", ["gauntlet:bob/nim", "sprt:nim,random", "sprt:mcts,ann/mcts@2"])
def test_who_meets_does_not_depend_on_the_order(text: str) -> None:
    form = parse_format(text)
    for a, b in combinations(TITLES, 2):
        assert form.pairs_up(a, b) == form.pairs_up(b, a)


TEXTS = [f"client/web/texts/ladders/{language}.js" for language in ("de", "en")]
WORDS = re.compile("|".join([*(f'"{name}"' for name in FORMATS if name != "endless"),
                             "gauntlet", "roundrobin"]))  # fmt: skip


def test_what_knows_a_format_by_its_name_is_its_row_and_its_words_on_the_page() -> None:
    product = [
        path.relative_to(ROOT).as_posix()
        for folder in ("protocol", "server", "client")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".js") and WORDS.search(path.read_text("utf-8"))
    ]
    assert set(product) == {"protocol/ladder.py", *TEXTS}


@pytest.mark.parametrize("text", TEXTS)
def test_every_format_has_its_words_in_each_language(text: str) -> None:
    _, _, words = (ROOT / text).read_text("utf-8").partition("\n  formats: {\n")
    named = re.findall(r"^    (\w+):", words.partition("\n  },")[0], re.MULTILINE)
    assert sorted(named) == sorted(FORMATS)


@pytest.mark.parametrize("page", ["ladder.md", "reference/ladders.md"])
def test_the_pages_of_ladders_name_every_format(page: str) -> None:
    text = (ROOT / "docs" / page).read_text("utf-8")
    assert [kind.usage for kind in FORMATS.values() if f"`{kind.usage}`" not in text] == []
