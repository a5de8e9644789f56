"""What is seen of backgammon on the page, one after the other, and what is read out of it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.web.boards.gammon import BAR, HIT, START, Board, after, events, plain

pytestmark = pytest.mark.browser


def test_a_side_that_cannot_move_is_told(board: Board) -> None:
    passed = events(
        ("play", 0, "13/7"), ("roll", -1, "66"), ("pass", 1, "pass"), ("roll", -1, "31")
    )
    board.show(START, events=passed)
    expect(board.page.locator(".passed")).to_have_text("No move")
    far = board.page.locator(".die.dark")
    assert [each.get_attribute("data-used") for each in far.all()] == ["true"] * 4
    assert board.label("far-dice") == "Bert’s dice: 6 and 6"
    expect(board.page.locator("p.unseen").first).to_contain_text(
        "Bert\u2069 could not move with 6 and 6."
    )


# Notes each checker that flies, each roll that tumbles and each sign, with when it was seen.
WATCH = """() => {
  window.seen = [];
  const note = (text) => seen.push([Date.now(), text]);
  new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
      if (!(node instanceof Element)) continue;
      const { side, from, to } = node.dataset;
      if (from !== undefined) note(`${side}: ${from} to ${to}`);
      if (node.matches(".passed")) note("no move");
      const tumbles = node.matches(".die") && node.getAnimations({ subtree: true }).length > 0;
      if (tumbles) note(`die ${node.dataset.die}`);
    }
  }).observe(document.querySelector(".backgammon"), { childList: true, subtree: true });
}"""


def seen(board: Board) -> list[tuple[int, str]]:
    """Let time pass until nothing moves any more: what was seen since last asked, and when (ms)."""
    board.page.clock.run_for(10_000)
    assert board.page.locator(".flying > *").count() == 0
    noted: list[tuple[int, str]] = board.page.evaluate("seen.splice(0)")
    return noted


MOVE_MS, PASS_MS = 180, 1600  # what a checker's way takes, and how long a pass is seen
BERT = "XGID=-b----E-C---eD---c-eA---B-:0:0:-1:31:0:0:0:0:10"  # Bert can hit on his 5


@pytest.fixture
def moving(door: Page) -> Board:
    """A board on which things move, while Bert is to play; what is seen is noted.

    Its clock stands still but in `seen`: a busy machine is no slower than an idle one.
    """
    door.clock.install(time=0)
    door.clock.pause_at(3_600)  # in seconds; later than the page can have come to by itself
    board = Board(door, motion="no-preference")
    board.show(BERT, seat=0, legal=None, events=events(("roll", -1, "31")))
    door.evaluate(WATCH)
    return board


def test_checkers_go_one_after_the_other_and_a_hit_one_flies_to_the_bar(moving: Board) -> None:
    turn = (("play", 1, "8/5* 6/5"), ("roll", -1, "42"))
    moving.show(after(BERT, "8/5* 6/5", "42"), seat=0, events=events(("roll", -1, "31"), *turn))
    assert moving.label(20) == "point 20: two of Bert’s"  # at once, for whoever does not see it
    noted = seen(moving)
    assert [text for _, text in noted] == [
        "1: 8 to 5",
        "0: 20 to 25",
        "1: 6 to 5",
        "die 4",
        "die 2",
    ]
    times = [ms for ms, _ in noted]
    assert [later - earlier for earlier, later in pairwise(times)] == [MOVE_MS] * 3 + [0]
    assert (moving.count(1, 5), moving.count(0, BAR)) == (2, 1)


SHUT = "XGID=aBBBBBB-----C------eed----:0:0:1:21:0:0:0:0:10"  # Bert cannot enter


def test_a_pass_stays_to_be_seen_before_the_next_dice_roll(moving: Board) -> None:
    rolled = ("roll", -1, "21")
    moving.show(SHUT, events=events(rolled, first=20))
    seen(moving)
    passed = (
        rolled,
        ("play", 0, "12/9"),
        ("roll", -1, "65"),
        ("pass", 1, "pass"),
        ("roll", -1, "31"),
    )
    moving.type("12/9")
    moving.show(after(SHUT, "12/9", "65", "pass", "31"), events=events(*passed, first=20))
    noted = seen(moving)
    assert [text for _, text in noted] == [
        "0: 12 to 10",
        "0: 10 to 9",
        *("die 6", "die 5", "no move"),
        *("die 3", "die 1", "no move"),  # and it stands there while one thinks
    ]
    (passed_at, _), (rolled_at, _) = noted[4:6]
    assert rolled_at - passed_at == PASS_MS


def test_of_what_happened_while_one_was_away_the_last_turn_is_seen(moving: Board) -> None:
    turns = [("play", 1, "8/5* 6/5"), ("roll", -1, "61"), ("play", 0, "bar/18"), ("roll", -1, "31")]
    turns += [("play", 1, "24/20"), ("roll", -1, "64")]
    xgid = after(BERT, *(action for _, _, action in turns))
    moving.show(xgid, seat=0, events=events(("roll", -1, "31"), *turns))
    by_which = ["die 3", "die 1"]  # fall first
    assert [text for _, text in seen(moving)] == [*by_which, "1: 24 to 20", "die 6", "die 4"]


def test_who_steps_on_fast_is_not_kept_waiting(moving: Board) -> None:
    plies = [("play", 1, "8/5* 6/5"), ("roll", -1, "61"), ("play", 0, "bar/18"), ("roll", -1, "31")]
    plies += [("play", 1, "24/20"), ("roll", -1, "64"), ("play", 0, "24/14")]
    done = [("roll", -1, "31")]
    for ply in plies:
        done.append(ply)
        xgid = after(BERT, *(action for _, _, action in done[1:]))
        moving.show(xgid, seat=0, legal=None, events=events(*done))
    now = moving.page.evaluate("Date.now()")
    last, text = seen(moving)[-1]
    assert text == "0: 24 to 14"
    assert last - now < 1000  # of nearly three seconds that all would take
    assert moving.count(0, 14) == 1


@pytest.mark.parametrize("how", ["the board", "the system", "a press"])
def test_all_is_there_at_once_where_nothing_may_move(moving: Board, how: str) -> None:
    if how == "the system":
        moving.page.emulate_media(reduced_motion="reduce")
    turn = (("play", 1, "8/5* 6/5"), ("roll", -1, "42"))
    rolled = events(("roll", -1, "31"), *turn)
    xgid = after(BERT, "8/5* 6/5", "42")
    moving.show(xgid, seat=0, events=rolled, motion=how != "the board")
    if how == "a press":
        moving.tap(BAR)  # whoever plays on need not wait
        assert moving.targets() != []
    else:
        assert moving.page.evaluate("seen") == []
    assert (moving.count(1, 5), moving.count(0, BAR)) == (2, 1)


def test_own_checkers_fly_and_what_they_hit(moving: Board) -> None:
    moving.show(HIT)
    seen(moving)
    moving.tap(8, 4)  # by the 3, which hits, and on by the 1
    assert [text for _, text in seen(moving)] == ["0: 8 to 5", "1: 20 to 25", "0: 5 to 4"]
    assert (moving.count(0, 4), moving.count(1, BAR)) == (1, 1)
    moving.press("undo-all")
    seen(moving)
    moving.drag(8, 5)  # it is there already
    assert [text for _, text in seen(moving)] == ["1: 20 to 25"]


def test_what_is_pointed_out_of_a_turn_is_what_is_left_of_it(board: Board) -> None:
    board.show(START, marks=[{"action": "8/5 6/5", "kind": "best"}])
    arrows = board.page.locator(".arrow.best")
    expect(arrows).to_have_count(2)
    board.tap(8, 5)
    expect(arrows).to_have_count(1)
    board.press("undo")
    expect(arrows).to_have_count(2)


def test_the_board_fits_any_box_and_its_cells_a_finger(board: Board) -> None:
    lay = """([width, height]) => {
      const { style } = document.querySelector(".backgammon").parentNode;
      Object.assign(style, { width, maxWidth: width, height });
    }"""
    size = """() => {
      const boxOf = (node) => node.getBoundingClientRect();
      const { width, height } = boxOf(document.querySelector(".backgammon svg"));
      const zones = [...document.querySelectorAll(".zone[data-point]")].map(boxOf);
      const least = (name) => Math.min(...zones.map((zone) => zone[name]));
      return [width, height, least("width"), least("height")];
    }"""
    board.page.set_viewport_size({"width": 1000, "height": 800})
    for width, height in [(360, None), (360, 420), (410, 340), (870, 720)]:
        for coordinates in (True, False):
            board.page.evaluate(lay, [f"{width}px", f"{height}px" if height else "auto"])
            board.show(START, coordinates=coordinates, flip=coordinates)
            across, down, wide, high = board.page.evaluate(size)
            assert across == width
            assert down == height if height else 290 < down < 340
            assert wide >= 24
            assert high >= 100
            assert board.page.locator(".number").count() == (24 if coordinates else 0)
    board.show(START, flip=True)
    assert board.middle(24)["y"] > board.middle(1)["y"]
    board.tap(8, 5, 6, 5)
    board.press("done")
    assert board.played() == ["8/5 6/5"]


def test_stacks_of_more_than_five_are_counted_and_a_variant_has_its_own_number(
    board: Board,
) -> None:
    board.show("XGID=a--a-CG-----B-----eecA--A-:0:0:1:41:0:0:0:0:10")
    expect(board.page.locator(".many")).to_have_text("7")
    variant = """async () => {
      const { boardFor } = await import("/boards/backgammon.js");
      const host = document.createElement("div");
      document.body.prepend(host);
      window.board = boardFor(3)(host, () => null); // as many as in hypergammon
    }"""
    board.page.evaluate(variant)
    board.page.evaluate(
        "view => board.show(view)",
        {
            "position": "XGID=-aaa-------------------AB-:0:0:1:31:0:0:0:0:10",
            "legal": None, "seat": 0, "toMove": 0,
            "last": None, "events": [], "over": False, "marks": [],
        },
    )  # fmt: skip
    assert board.page.locator("[data-cell='0']").first.get_attribute("aria-label") == (
        "borne off: none of yours; 71 pips to go"
    )


def test_each_cell_says_what_is_there_and_what_pressing_does(board: Board) -> None:
    board.show("XGID=a--a-CG-----B-----eecA--A-:0:0:1:41:0:0:0:0:10")
    assert (
        board.label(6) == "point 6: seven of yours. Press to pick one up; it can go to 5, 2, or 1"
    )
    assert board.label(3) == "point 3: one of Bert’s"
    assert board.label(4) == "point 4: empty"
    assert board.label("far-bar") == "bar: one of Bert’s"
    assert board.label(25) == "bar: none of yours"
    board.tap(6)
    assert board.label(6) == (
        "point 6: seven of yours, one picked up; it can go to 5, 2, or 1. Press to put it down here"
    )
    assert board.label(2) == "point 2: empty. Press to move here from 6"
    assert board.label(0) == "borne off: one of yours; 126 pips to go"
    focusable = board.page.locator(".backgammon [tabindex='0']")
    expect(focusable).to_have_count(1)


SPEAK = """async ([xgid, other]) => {
  const { boardOf } = await import("/boards/registry.js");
  const { picture, read, say, why } = await boardOf("backgammon");
  const view = { position: xgid, seat: 0, toMove: 0, legal: null, last: null, events: [] };
  const actions = ["13/9 8/7*", "24/18*/13", "8/7(2) 6/5*(2)", "bar/22", "6/off(4)", "pass", "31"];
  return {
    says: actions.map((action) => say(action, view)),
    whys: ["single", "gammon", "backgammon", "flag"].map(why),
    read: read({ ...view, ...other }),
    drawn: picture(xgid).querySelectorAll(".checker").length,
  };
}"""


def test_a_turn_a_win_and_a_whole_position_are_put_in_words(door: Page) -> None:
    xgid = "XGID=a--a-CG-----B-----eecA--A-:0:0:1:41:0:0:0:0:10"
    spoken = door.evaluate(SPEAK, [xgid, {"names": ["Anna", "Bert"]}])
    assert spoken["says"] == [
        "13 to 9, 8 to 7, hitting",
        "24 to 18, hitting, to 13",
        "8 to 7 twice, 6 to 5, hitting twice",
        "bar to 22",
        "6 off four times",
        "nothing: no move was possible",
        "3 and 1",
    ]
    assert spoken["whys"] == ["bearing off all checkers", "a gammon", "a backgammon", "flag"]
    assert plain(spoken["read"]) == (
        "You play the light checkers, Bert the dark ones; points are numbered as you play. "
        "Your turn, with 4 and 1. "
        "Yours: one on 24, one on 21, two on 12, seven on 6, and three on 5; "
        "one borne off, 126 pips to go. "
        "Bert’s: three on 20, five on 19, five on 18, one on 3, and one on the bar; "
        "none borne off, 127 pips to go."
    )
    assert spoken["drawn"] > 20
