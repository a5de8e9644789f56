"""Rules that fail in mid-match void that match: all else goes on, and the log can be read again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from games import registry
from games.game import END, Game, Position
from protocol import messages
from tests.server.scene import Scene, SceneMatch

TIC = registry.game("tic_tac_toe")


def late(kernel: Callable[..., Any], wrong: Callable[..., Any], ply: int = 3) -> Any:
    """A kernel of tic-tac-toe that is another one from the third ply on."""

    def mixed(s: Any, *rest: Any) -> Any:
        plies = (s.state if isinstance(s, Position) else s)[2]
        return (wrong if plies >= ply else kernel)(s, *rest)

    return mixed


def raising(*_: Any) -> Any:
    """What rules do that were not thought through."""
    raise IndexError("list index out of range")


def large(s: Any, action: int) -> None:
    """A play that writes what no array of 64-bit numbers holds."""
    TIC.play(s, action)
    s[2] |= 1 << 70


def no_more_than_five_plies(s: Any) -> int:
    return END if s[2] == 5 else TIC.mover(s)


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "mover": ({"mover": late(TIC.mover, lambda s: 7)}, "says 7, which is nobody"),
    "mover raises": ({"mover": late(TIC.mover, raising)}, "IndexError"),
    "legal raises": ({"legal": late(TIC.legal, raising)}, "IndexError"),
    "nothing legal": ({"legal": late(TIC.legal, lambda *_: 0)}, "says 0, and the game goes on"),
    "play raises": ({"play": late(TIC.play, raising, 2)}, "play() of 2"),
    "a large number": ({"play": late(TIC.play, large, 2)}, "no whole number of 64 bits"),
    "text twice": (
        {"format_action": late(TIC.format_action, lambda p, a: "x")}, "writes two actions as 'x'"
    ),
    "points raise": ({"mover": no_more_than_five_plies, "points": raising}, "points() or reason()"),
}  # fmt: skip


@pytest.fixture
def swap(monkeypatch: pytest.MonkeyPatch) -> Callable[[Game], None]:
    """Has the server play tic-tac-toe by other rules."""
    honest = registry.game

    def begin(game: Game) -> None:
        games = {TIC.name: game}
        monkeypatch.setattr(
            registry, "game", lambda name, version=None: games.get(name) or honest(name)
        )

    return begin


def play_on(at: SceneMatch, *texts: str) -> None:
    """Play actions in turn; what is refused is heard by who played it."""
    for ply, text in enumerate(texts):
        player = (at.ann, at.bob)[ply % 2]
        at.turn = at.scene.rooms.actors[at.room].room.match.turn  # type: ignore[union-attr]
        player.say(at.play(text, id=ply + 1))


@pytest.mark.parametrize("what", BROKEN)
def test_rules_that_fail_void_their_match_and_nothing_else(
    scene: Scene, swap: Callable[[Game], None], caplog: pytest.LogCaptureFixture, what: str
) -> None:
    changes, why = BROKEN[what]
    swap(replace(TIC, **changes))
    at, other = scene.match(watcher=True), scene.room(scene.enter("fay"))
    play_on(at, "1", "2", "3", "4", "5")
    for player in (at.ann, at.bob, at.eve):
        result = player.result()
        assert (result.how, result.winner) == ("void", None)
        assert result.reason == "the rules failed"
    assert f"match {at.name} is void: " in caplog.text
    assert why in caplog.text
    assert scene.store.kinds(at.room)[-1] == "ended"
    room = scene.rooms.actors[at.room].room
    assert room.state == "waiting"
    swap(TIC)
    for player in (at.ann, at.bob):
        player.ask(messages.Ready(id=9, room=at.room), messages.Ok)
    assert scene.rooms.actors[at.room].room.state == "playing"
    again = scene.again()
    assert set(again.rooms.actors) == {at.room, other}


def test_who_plays_the_action_that_breaks_them_is_told(
    scene: Scene, swap: Callable[[Game], None]
) -> None:
    swap(replace(TIC, play=late(TIC.play, raising, 2)))
    at = scene.match()
    play_on(at, "1", "2")
    at.ann.heard()
    at.turn = at.scene.rooms.actors[at.room].room.match.turn  # type: ignore[union-attr]
    assert at.ann.refused(at.play("3", id=3)) == "match/over"


def test_a_resignation_whose_price_fails_ends_the_match_too(
    scene: Scene, swap: Callable[[Game], None]
) -> None:
    swap(replace(TIC, forfeit_points=late(lambda p, seat: 1, raising, 2)))
    at = scene.match()
    play_on(at, "1", "2")
    at.ann.say(messages.Resign(id=1, match=at.name))
    assert at.ann.result().how == "void"


def test_a_text_that_the_rules_stumble_over_is_only_refused(
    scene: Scene, swap: Callable[[Game], None]
) -> None:
    swap(replace(TIC, parse_action=lambda p, text: int(text) - 1))
    at = scene.match()
    assert at.ann.refused(at.play("five", id=1)) == "match/bad-notation"
    at.ann.ask(at.play("5", id=2), messages.Ok)


def test_a_position_that_cannot_be_written_closes_its_room_with_a_sentence(
    scene: Scene, swap: Callable[[Game], None], caplog: pytest.LogCaptureFixture
) -> None:
    swap(replace(TIC, format_state=late(TIC.format_state, raising)))
    at, other = scene.match(watcher=True), scene.room(scene.enter("fay"))
    play_on(at, "1", "2", "3")
    error = at.eve.last(messages.Error)
    assert error.text == "the rules of tic_tac_toe failed, so this room was closed"
    assert list(scene.rooms.actors) == [other]
    assert "format_state() of tic_tac_toe failed" in caplog.text
