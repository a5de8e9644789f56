"""Analyses: who may have one made, of what, by which bot, and how it ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games import registry
from protocol.analysis import (
    Analyse,
    Analysed,
    AnalysedPlay,
    AnalysedTotal,
    AnalysisUnwanted,
    AnalysisWanted,
    MatchAnalysis,
    ReportAnalysis,
)
from protocol.messages import (
    Answer,
    BotInfo,
    Error,
    Join,
    Leave,
    Lobby,
    LobbyList,
    MatchState,
    Offer,
    Ok,
    Options,
    Ready,
    Resign,
)
from server import analyses, archive
from server.config import Config
from tests.server.ladder_scene import Stage, first
from tests.server.scene import BLITZ, MemoryStore, Player, Scene, Table

GAMES = ["connect_four", "tic_tac_toe"]
JUDGE = BotInfo(program="judge", analyses=["tic_tac_toe"])
TOTALS = (AnalysedTotal(plays=1), AnalysedTotal())
FOUND = MatchAnalysis(
    game="tic_tac_toe", by="judge", unit="value", blunder=0.2, totals=TOTALS,
    plays=[AnalysedPlay(ply=0, seat=0, action="5", loss=0.0)],
)  # fmt: skip


def over(scene: Scene, *actions: str, options: Options | None = None) -> Table:
    """A match that ann has resigned after these actions."""
    at = scene.match(options=options)
    players = (at.ann, at.bob)
    for n, action in enumerate(actions):
        players[n % 2].say(at.play(action))
        at.turn = at.ann.last(MatchState).turn
    at.ann.say(Resign(match=at.name))
    for player in players:
        player.heard()
    return at


def refused(player: Player, match: str, code: str | None = None) -> str:
    return player.ask(Analyse(id=5, match=match, code=code), Error).code


def wanted(bot: Player) -> AnalysisWanted:
    return bot.last(AnalysisWanted)


def test_a_bot_is_sent_the_actions_and_its_report_is_handed_on(scene: Scene) -> None:
    at, bot = over(scene, "5", "1", "3"), scene.enter("greta", bot=JUDGE)
    at.ann.say(Analyse(id=4, match=at.name))
    ask = wanted(bot)
    assert (ask.game, ask.actions, ask.given) == ("tic_tac_toe", ("5", "1", "3"), 0)
    assert ask.expires_ms == 60_000
    bot.ask(ReportAnalysis(id=1, ask=ask.ask, analysis=FOUND), Ok)
    answer = at.ann.last(Analysed)
    assert answer == Analysed(re=4, match=at.name, bot="greta/judge", analysis=FOUND)
    late = bot.ask(ReportAnalysis(id=2, ask=ask.ask, analysis=FOUND), Error)
    assert late.code == "match/no-offer"
    scene.wait(61_000)
    assert (at.ann.heard(), bot.heard(), scene.loop.pending()) == ([], [], 0)


def test_what_was_taken_back_is_not_in_it(scene: Scene) -> None:
    at, bot = scene.match(), scene.enter("greta", bot=JUDGE)
    at.ann.say(at.play("5"))
    at.ann.say(Offer(match=at.name, kind="takeback"))
    at.bob.say(Answer(match=at.name, kind="takeback", accept=True))
    at.turn = at.ann.last(MatchState).turn
    at.ann.say(at.play("1"))
    at.bob.say(Resign(match=at.name))
    at.ann.say(Analyse(match=at.name))
    assert wanted(bot).actions == ("1",)


def test_a_match_without_a_single_action_can_be_asked_about(scene: Scene) -> None:
    at, bot = over(scene), scene.enter("greta", bot=JUDGE)
    at.ann.say(Analyse(match=at.name))
    assert wanted(bot).actions == ()


def test_the_bot_with_the_shortest_list_is_asked_and_others_while_it_is_busy(scene: Scene) -> None:
    at = over(scene, "5")
    wide = scene.enter("greta", bot=BotInfo(program="a", levels=8, analyses=GAMES))
    slim = scene.enter("hugo", bot=BotInfo(program="z", analyses=["tic_tac_toe"]))
    none = scene.enter("ivo", bot=BotInfo(program="none", levels=8))
    at.ann.say(Analyse(match=at.name))
    assert (wanted(slim).actions, wide.heard()) == (("5",), [])
    at.bob.say(Analyse(match=at.name))
    assert wanted(wide).actions == ("5",)
    assert refused(scene.enter("eve"), at.name) == "analysis/busy"
    assert none.heard() == []


def test_a_bot_is_not_asked_by_itself(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    assert refused(bot, at.name) == "analysis/no-bot"


@pytest.mark.parametrize(
    ("games", "analyses", "shown"),
    [
        ([], ["tic_tac_toe", "chess"], ["tic_tac_toe"]),
        (["connect_four"], GAMES, ["connect_four"]),
        (GAMES, [], []),
    ],
)
def test_the_lobby_shows_which_games_a_bot_analyses(
    scene: Scene, games: list[str], analyses: list[str], shown: list[str]
) -> None:
    scene.enter("greta", bot=BotInfo(program="judge", games=games, analyses=analyses))
    [line] = scene.enter("ann").ask(Lobby(id=1), LobbyList).bots
    assert line.analyses == shown


# ---------------------------------------------------------------- who may ask, and about what


def test_anybody_may_ask_about_a_public_match_and_after_its_room_has_closed(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    eve = scene.enter("eve")
    eve.say(Analyse(match=at.name))
    assert wanted(bot).actions == ("5",)
    eve.go()
    for player in (at.ann, at.bob):
        player.say(Leave(room=at.room))
    assert at.room not in scene.house.rooms
    zoe = scene.enter("zoe")
    zoe.say(Analyse(match=at.name))
    assert wanted(bot).actions == ("5",)


def test_a_private_match_is_for_its_players_and_who_knows_the_code(scene: Scene) -> None:
    at = over(scene, "5", options=Options(public=False))
    eve, code = scene.enter("eve"), scene.house.rooms[at.room].room.code
    assert refused(eve, at.name) == "room/wrong-code"
    assert refused(eve, at.name, "AAAAAA") == "room/wrong-code"
    assert refused(eve, at.name, code) == "analysis/no-bot"
    bot = scene.enter("greta", bot=JUDGE)
    at.bob.say(Leave(room=at.room))
    at.bob.say(Analyse(match=at.name))
    assert wanted(bot).actions == ("5",)


def test_who_has_left_a_private_room_cannot_ask_about_what_came_later(scene: Scene) -> None:
    at = over(scene, "5", options=Options(public=False))
    cat, code = scene.enter("cat"), scene.house.rooms[at.room].room.code
    at.bob.say(Leave(room=at.room))
    cat.say(Join(room=at.room, code=code))
    for player in (at.ann, cat):
        player.say(Ready(room=at.room))
    cat.say(Resign(match=f"{at.room}.2"))
    assert refused(at.bob, f"{at.room}.2") == "room/wrong-code"
    assert refused(cat, f"{at.room}.1") == "analysis/no-bot"  # none is here, but it might ask one


def test_a_match_that_goes_on_or_never_was_is_not_over(scene: Scene) -> None:
    at = scene.match()
    scene.enter("greta", bot=JUDGE)
    for match in (at.name, f"{at.room}.2", f"{at.room}.01", f"{at.room}.x", f"{at.room}.-1"):
        assert refused(at.ann, match) == "analysis/not-over"
    for match in ("9.1", "0.1", "x", "1", "1.", "٣.1"):
        assert refused(at.ann, match) == "lobby/no-room"


def test_a_rated_match_can_be_asked_about_once_it_is_over(scene: Scene) -> None:
    rated = Options(clock=BLITZ.clock, rated=True)
    at, bot = over(scene, "5", "1", options=rated), scene.enter("greta", bot=JUDGE)
    scene.enter("eve").say(Analyse(match=at.name))
    assert wanted(bot).actions == ("5", "1")


def test_of_a_ladder_s_match_the_opening_is_given() -> None:
    stage = Stage(Scene())
    stage.run(stage.bots(first, first), stage.pairs_over(1))
    [pair, *_] = stage.page().pairs
    bot, eve = stage.scene.enter("greta", bot=JUDGE), stage.scene.enter("eve")
    eve.say(Analyse(match=pair.legs[0].match or ""))
    asked = wanted(bot)
    assert (asked.given, asked.actions[: asked.given]) == (len(pair.opening), pair.opening)
    assert 0 < asked.given < len(asked.actions)


def test_a_log_that_cannot_be_read_is_said_so(scene: Scene) -> None:
    at = over(scene, "5")
    scene.enter("greta", bot=JUDGE)
    for eve in (at.ann, scene.enter("eve")):
        scene.store.broken = True
        assert refused(eve, at.name) == "server/not-stored"
        scene.store.broken = False


@pytest.mark.parametrize("kind", ["started", "play"])
def test_a_row_that_cannot_be_read_is_said_so(scene: Scene, kind: str) -> None:
    at = over(scene, "5")
    scene.enter("greta", bot=JUDGE)
    for key, row in scene.store.events.items():
        if row.kind == kind:
            scene.store.events[key] = row._replace(body=b"\xc1")
    assert refused(at.ann, at.name) == "server/not-stored"


def test_a_match_whose_rules_have_changed_is_not_sent_to_a_bot(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = over(scene, "5")
    scene.enter("greta", bot=JUDGE)
    newer = replace(registry.game("tic_tac_toe"), rules_version=99)
    monkeypatch.setattr(registry, "game", lambda name: newer)
    assert refused(at.ann, at.name) == "analysis/no-bot"


@pytest.mark.parametrize(
    ("where", "most"),
    [
        (archive, {"MOST_ROWS": 3}),
        (analyses, {"MAX_SERVER_LIST": 2}),
        (analyses, {"MOST_BYTES": 2}),
    ],
)
def test_a_match_that_fits_into_no_message_is_not_sent_to_a_bot(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, where: object, most: dict[str, int]
) -> None:
    at, bot = over(scene, "5", "1", "3"), scene.enter("greta", bot=JUDGE)
    for name, value in most.items():
        monkeypatch.setattr(where, name, value)
    error = at.ann.ask(Analyse(id=5, match=at.name), Error)
    assert (error.code, error.text) == ("analysis/no-bot", "this match is too long for any bot")
    assert bot.heard() == []


# ---------------------------------------------------------------- one at a time


def test_a_session_has_one_analysis_made_at_a_time(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    scene.enter("hugo", bot=JUDGE)
    at.ann.send(Analyse(id=1, match=at.name))
    at.ann.send(Analyse(id=2, match=at.name))  # the first is still being read
    scene.store.settle()
    assert refused(at.ann, at.name) == "analysis/busy"
    tab = scene.enter(token=at.ann.token)
    assert refused(tab, at.name) == "analysis/busy"
    bot.say(ReportAnalysis(ask=wanted(bot).ask, analysis=FOUND))
    tab.say(Analyse(id=3, match=at.name))
    assert wanted(bot).actions == ("5",)


def test_the_server_has_a_bounded_number_of_them_made_at_once() -> None:
    scene = Scene(Config(analyses=2), MemoryStore())
    at = over(scene, "5")
    for name in ("greta", "hugo", "ivo"):
        scene.enter(name, bot=JUDGE)
    at.ann.say(Analyse(match=at.name))
    at.bob.send(Analyse(match=at.name))
    eve = scene.enter("eve")
    assert refused(eve, at.name) == "analysis/busy"


# ---------------------------------------------------------------- how it ends


def test_a_bot_may_decline_and_say_why(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    for error, text in (("no \x1b[2Jtime", "no [2Jtime"), (None, "it does not say why")):
        at.ann.say(Analyse(id=4, match=at.name))
        bot.ask(ReportAnalysis(id=1, ask=wanted(bot).ask, error=error), Ok)
        no = at.ann.last(Error)
        assert (no.re, no.code) == (4, "analysis/no-bot")
        assert no.text == f"greta/judge has no analysis: {text}"


def test_a_bot_that_does_not_answer_is_told_that_it_is_too_late(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    at.ann.say(Analyse(id=4, match=at.name))
    ask = wanted(bot).ask
    scene.wait(60_010)
    assert [(e.code, e.re) for e in at.ann.heard_of(Error)] == [("analysis/no-bot", 4)]
    assert bot.heard() == [AnalysisUnwanted(ask=ask)]
    at.ann.say(Analyse(id=5, match=at.name))
    assert wanted(bot).ask != ask


def test_a_bot_that_had_no_answer_is_asked_after_others_for_a_while(scene: Scene) -> None:
    at = over(scene, "5")
    slim = scene.enter("greta", bot=JUDGE)
    wide = scene.enter("hugo", bot=BotInfo(program="mcts", analyses=GAMES))
    at.ann.say(Analyse(match=at.name))
    slim.say(ReportAnalysis(ask=wanted(slim).ask, error="not now"))
    at.ann.say(Analyse(match=at.name))
    wide.say(ReportAnalysis(ask=wanted(wide).ask, analysis=FOUND))
    scene.wait(60_010)
    at.ann.say(Analyse(match=at.name))
    assert wanted(slim).actions == ("5",)
    scene.wait(60_010)
    wide.go()
    at.ann.say(Analyse(match=at.name))
    assert wanted(slim).actions == ("5",)


def test_a_bot_that_goes_or_comes_anew_ends_it(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    at.ann.say(Analyse(id=4, match=at.name))
    bot.heard()
    again = scene.enter(token=bot.token, bot=JUDGE)
    assert [(e.code, e.re) for e in at.ann.heard_of(Error)] == [("analysis/no-bot", 4)]
    at.ann.say(Analyse(id=5, match=at.name))
    assert wanted(again).actions == ("5",)
    again.go()
    assert [(e.code, e.re) for e in at.ann.heard_of(Error)] == [("analysis/no-bot", 5)]
    assert scene.loop.pending() == 0


def test_who_asked_and_went_frees_the_bot(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    eve = scene.enter("eve")
    eve.say(Analyse(id=4, match=at.name))
    ask = wanted(bot).ask
    eve.go()
    assert bot.heard() == [AnalysisUnwanted(ask=ask)]
    at.ann.say(Analyse(id=5, match=at.name))
    assert wanted(bot).actions == ("5",)


def test_who_goes_while_the_match_is_read_is_not_asked_for(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    eve = scene.enter("eve")
    eve.send(Analyse(id=4, match=at.name))
    eve.go()
    assert bot.heard() == []
    at.ann.say(Analyse(match=at.name))
    assert wanted(bot).actions == ("5",)


def test_only_who_was_asked_may_report_and_only_what_fits(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    at.ann.say(Analyse(id=4, match=at.name))
    ask = wanted(bot).ask
    stranger = at.bob.ask(ReportAnalysis(id=1, ask=ask, analysis=FOUND), Error)
    assert stranger.code == "match/no-offer"
    wrong = MatchAnalysis(game="connect_four", by="judge", unit="value", totals=TOTALS)
    error = bot.ask(ReportAnalysis(id=1, ask=ask, analysis=wrong), Error)
    assert (error.code, error.text) == (
        "analysis/bad-report",
        "game: this is a match of tic_tac_toe",
    )
    bot.say(ReportAnalysis(ask=ask, analysis=FOUND))
    assert at.ann.last(Analysed).analysis == FOUND
