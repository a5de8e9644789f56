"""Matches that begin in a chosen position: played, analysed, and written as files."""

from __future__ import annotations

import pytest

from games import registry
from protocol import analysis, messages, parts
from protocol.records import formats
from protocol.records.record import MatchRecord
from tests.client.records.played import Played
from tests.server.scene import BLITZ, Scene

FORK = "3/1x1/3 o"
AT_SCORE = "XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:2:4:0:7:10"


@pytest.mark.parametrize(
    ("game", "position"),
    [("tic_tac_toe", FORK), ("connect_four", "7/7/7/7/3o3/3x3 x"), ("backgammon_cube", AT_SCORE)],
)
def test_a_match_begins_there_and_so_does_the_next_one(
    scene: Scene, game: str, position: str
) -> None:
    at = scene.match(game=game, options=parts.Options(position=position))
    match = scene.rooms.actors[at.room].room.match
    assert match is not None
    rules = registry.game(game)
    assert rules.format_position(match.position) == position
    mover = (at.ann, at.bob)[match.position.to_move]
    mover.say(at.play(match.position.legal_notation()[0]))
    assert mover.last(messages.MatchState).events[-1].kind in ("play", "roll", "pass")
    at.ann.say(messages.Resign(match=at.name))
    for player in (at.ann, at.bob):
        player.say(messages.Ready(room=at.room))
    again = scene.rooms.actors[at.room].room.match
    assert again is not None
    assert (again.number, rules.format_position(again.position)) == (2, position)


@pytest.mark.parametrize(
    ("game", "options", "why"),
    [
        ("tic_tac_toe", parts.Options(position="xxx/oo1/3 o"), "over"),
        ("tic_tac_toe", parts.Options(position="xxx/3/3 o"), "alternate"),
        ("tic_tac_toe", parts.Options(position=FORK, rated=True, clock=BLITZ.clock), "rated"),
        ("backgammon_cube", parts.Options(position=AT_SCORE, points=7), "no other terms"),
        ("backgammon_cube", parts.Options(position=AT_SCORE, start="nackgammon"), "no other"),
    ],
)
def test_what_cannot_be_played_from_is_refused(
    scene: Scene, game: str, options: parts.Options, why: str
) -> None:
    no = scene.enter("ann").ask(messages.Create(id=1, game=game, options=options), messages.Error)
    assert (no.code, why in no.text) == ("lobby/bad-option", True)


def test_it_is_analysed_from_there(scene: Scene) -> None:
    options = parts.Options(position=AT_SCORE)
    at = scene.match(game="backgammon_cube", options=options)
    at.ann.say(messages.Resign(match=at.name))
    at.ann.heard()
    bot = scene.house(parts.BotInfo(program="judge", analyses=["backgammon_cube"]))
    at.ann.say(analysis.Analyse(match=at.name))
    ask = bot.last(analysis.AnalysisWanted)
    assert ask.options == options
    empty = analysis.AnalysedTotal()
    found = analysis.MatchAnalysis(
        game="backgammon_cube", by="judge", unit="chance", totals=(empty, empty)
    )
    bot.ask(analysis.ReportAnalysis(id=1, ask=ask.ask, analysis=found), messages.Ok)


def test_formats_of_others_have_no_such_match() -> None:
    played = Played("backgammon_cube", parts.Options(position=AT_SCORE)).gives_up(0)
    record = MatchRecord("17.2", tuple(played.events))
    assert "begins" in formats.write(record, "text").decode()
    with pytest.raises(formats.UnknownFormat, match="position"):
        formats.write(record, "mat")
