"""Analyses: who may have one made, of what, by which bot, and how it ends."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec import structs

from games import registry
from protocol import analysis, messages, parts
from protocol.notation import MatchName
from server.config import Config
from server.past.kept_analyses import KeptReport
from server.services import analyses, history
from tests.server.ladder.scene import LadderScene, first
from tests.server.memory_store import MemoryStore
from tests.server.scene import Player, Scene, SceneMatch

GAMES = ["connect_four", "tic_tac_toe"]
JUDGE = parts.BotInfo(program="judge", analyses=["tic_tac_toe"])
TOTALS = (analysis.AnalysedTotal(plays=1), analysis.AnalysedTotal())
FOUND = analysis.MatchAnalysis(
    game="tic_tac_toe", by="judge", unit="value", blunder=0.2, totals=TOTALS,
    plays=[analysis.AnalysedPlay(ply=0, seat=0, action="5", loss=0.0)],
)  # fmt: skip


def over(scene: Scene, *actions: str, options: parts.Options | None = None) -> SceneMatch:
    """A match that ann has resigned after these actions."""
    at = scene.match(options=options)
    players = (at.ann, at.bob)
    for n, action in enumerate(actions):
        players[n % 2].say(at.play(action))
        at.turn = at.ann.last(messages.MatchState).turn
    at.ann.say(messages.Resign(match=at.name))
    for player in players:
        player.heard()
    return at


def refused(player: Player, match: str, code: str | None = None) -> str:
    return player.refused(analysis.Analyse(id=5, match=match, code=code))


def sent(bot: Player, asker: Player, match: str) -> tuple[str, ...]:
    """The actions that a bot is sent when this is asked for."""
    asker.say(analysis.Analyse(match=match))
    return wanted(bot).actions


def wanted(bot: Player) -> analysis.AnalysisWanted:
    return bot.last(analysis.AnalysisWanted)


def test_a_bot_is_sent_the_actions_and_its_report_is_handed_on(scene: Scene) -> None:
    at, bot = over(scene, "5", "1", "3"), scene.enter("greta", bot=JUDGE)
    at.ann.say(analysis.Analyse(id=4, match=at.name))
    ask = wanted(bot)
    assert (ask.game, ask.actions, ask.given) == ("tic_tac_toe", ("5", "1", "3"), 0)
    assert ask.resignations == (analysis.Resignation(ply=3, seat=0, points=1),)
    assert ask.expires_ms == 60_000
    bot.ask(analysis.ReportAnalysis(id=1, ask=ask.ask, analysis=FOUND), messages.Ok)
    answer = at.ann.last(analysis.Analysed)
    assert answer == analysis.Analysed(re=4, match=at.name, bot="greta/judge", analysis=FOUND)
    assert refused(bot, at.name) == "analysis/no-bot"  # nobody is asked by itself
    late = bot.ask(analysis.ReportAnalysis(id=2, ask=ask.ask, analysis=FOUND), messages.Error)
    assert late.code == "match/no-offer"
    scene.wait(61_000)
    assert (at.ann.heard(), bot.heard(), scene.loop.pending()) == ([], [], 0)


def test_who_would_have_given_up_is_told_with_the_answer(scene: Scene) -> None:
    at = scene.match(game="backgammon")
    at.ann.say(messages.Resign(match=at.name, points=1))
    at.bob.say(messages.Answer(match=at.name, kind="resign", accept=False))
    at.bob.say(messages.Resign(match=at.name))
    at.ann.heard()
    bot = scene.house(parts.BotInfo(program="judge", analyses=["backgammon"]))
    at.ann.say(analysis.Analyse(match=at.name))
    assert wanted(bot).resignations == (
        analysis.Resignation(ply=1, seat=0, points=1, accepted=False),
        analysis.Resignation(ply=1, seat=1, points=3),
    )


def test_by_what_it_was_played_is_told_but_neither_how_fast_nor_who_may_look(scene: Scene) -> None:
    clock = parts.ClockOptions(base_ms=300_000)
    options = parts.Options(points=3, start="nackgammon", public=False, clock=clock)
    at = scene.match(options=options, game="backgammon_cube")
    at.ann.say(messages.Resign(match=at.name))
    at.ann.heard()
    bot = scene.house(parts.BotInfo(program="judge", analyses=["backgammon_cube"]))
    at.ann.say(analysis.Analyse(match=at.name))
    ask = wanted(bot)
    assert ask.options == parts.Options(points=3, start="nackgammon")
    assert ask.series == parts.Series(points=3)
    told = analysis.MatchAnalysis(
        game="backgammon_cube", by="judge", unit="chance", totals=(TOTALS[1], TOTALS[1])
    )
    no = bot.ask(analysis.ReportAnalysis(id=1, ask=ask.ask, analysis=told), messages.Error)
    assert no.code == "analysis/bad-report"
    own = structs.replace(told, series=ask.series)
    bot.ask(analysis.ReportAnalysis(id=2, ask=ask.ask, analysis=own), messages.Ok)
    assert at.ann.last(analysis.Analysed).analysis == own


def test_what_was_taken_back_is_not_in_it(scene: Scene) -> None:
    at, bot = scene.match(), scene.enter("greta", bot=JUDGE)
    at.ann.say(at.play("5"))
    at.ann.say(messages.Offer(match=at.name, kind="takeback"))
    at.bob.say(messages.Answer(match=at.name, kind="takeback", accept=True))
    at.turn = at.ann.last(messages.MatchState).turn
    at.ann.say(at.play("1"))
    at.bob.say(messages.Resign(match=at.name))
    assert sent(bot, at.ann, at.name) == ("1",)


def test_the_bot_with_the_shortest_list_is_asked_and_others_while_it_is_busy(scene: Scene) -> None:
    at = over(scene, "5")
    wide = scene.house(parts.BotInfo(program="a", levels=8, analyses=GAMES))
    slim = scene.house(parts.BotInfo(program="z", analyses=["tic_tac_toe"]))
    none = scene.enter("ivo", bot=parts.BotInfo(program="none", levels=8))
    at.ann.say(analysis.Analyse(match=at.name))
    assert (wanted(slim).actions, wide.heard()) == (("5",), [])
    assert sent(wide, at.bob, at.name) == ("5",)
    assert refused(scene.enter("eve"), at.name) == "analysis/busy"
    assert none.heard() == []


HOUSE = parts.BotInfo(program="judge", analyses=["tic_tac_toe"])


def made(scene: Scene, at: SceneMatch, bot: Player, **more: bool) -> analysis.Analysed:
    """What ann is answered, by this bot if it is asked."""
    at.ann.say(analysis.Analyse(id=4, match=at.name, **more))
    asked = bot.heard_of(analysis.AnalysisWanted)
    for ask in asked:
        bot.say(analysis.ReportAnalysis(ask=ask.ask, analysis=FOUND))
    (answer,) = at.ann.heard_of(analysis.Analysed)
    return answer


def test_what_the_house_s_bot_has_said_stays_also_without_it(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.house(HOUSE)
    first = made(scene, at, bot)
    assert made(scene, at, bot) == first  # and the bot was asked once
    bot.go()
    assert made(scene, at, bot) == first
    later = scene.again()
    eve = later.enter("eve")
    eve.say(analysis.Analyse(id=4, match=at.name))
    later.wait(1_000)
    assert eve.last(analysis.Analysed) == first
    eve.say(analysis.Analyse(id=4, match=at.name, anew=True))
    assert eve.last(messages.Error).code == "analysis/no-bot"


def test_what_is_asked_anew_takes_the_older_one_s_place(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.house(HOUSE)
    made(scene, at, bot)
    at.ann.say(analysis.Analyse(id=4, match=at.name, anew=True))
    ask = wanted(bot)
    better = structs.replace(FOUND, by="judge, deeper")
    bot.say(analysis.ReportAnalysis(ask=ask.ask, analysis=better))
    assert at.ann.last(analysis.Analysed).analysis == better
    assert made(scene, at, bot).analysis == better
    assert len(scene.store.analyses) == 1


def test_what_a_stranger_s_bot_says_is_not_kept(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    made(scene, at, bot)
    bot.go()
    assert refused(at.bob, at.name) == "analysis/no-bot"
    assert scene.store.analyses == {}


def test_a_kept_analysis_of_a_private_match_is_for_who_may_read_it(scene: Scene) -> None:
    at, bot = over(scene, "5", options=parts.Options(public=False)), scene.house(HOUSE)
    first = made(scene, at, bot)
    eve, code = scene.enter("eve"), scene.rooms.actors[at.room].room.code
    assert refused(eve, at.name) == "room/wrong-code"
    scene.wait(1_000)
    eve.say(analysis.Analyse(id=4, match=at.name, code=code))
    assert eve.last(analysis.Analysed) == first


def test_the_oldest_analyses_go_first() -> None:
    scene = Scene(Config(analyses_kept=2))
    bot, at = scene.house(HOUSE), []
    for n in range(3):
        scene.wait(1_000)
        at.append(over(scene, "5") if not n else again(scene, at[0]))
        made(scene, at[-1], bot)
    assert [kept.match for kept in scene.store.kept_analyses()] == [2, 3]
    small = Scene(Config(analyses_kept_bytes=150), scene.store)
    kept, report = small.hub.services.analyses.kept, KeptReport("house/judge", FOUND)
    kept.keep(MatchName(99, 1), report, 5)
    scene.store.settle()
    assert [each.room for each in scene.store.kept_analyses()] == [99]
    kept.keep(MatchName(99, 2), structs.replace(report, bot="x" * 200), 6)  # which never fits
    assert kept.has(MatchName(99, 1))


def again(scene: Scene, at: SceneMatch) -> SceneMatch:
    """The next match in that room, which ann resigns."""
    number = int(at.scene.rooms.actors[at.room].room.played) + 1
    for player in (at.ann, at.bob):
        player.say(messages.Ready(room=at.room))
    name = f"{at.room}.{number}"
    turn = at.ann.last(messages.MatchState).turn
    mover = scene.rooms.actors[at.room].room.match.position.to_move  # type: ignore[union-attr]
    first = scene.rooms.actors[at.room].room.match.players[mover]  # type: ignore[union-attr]
    player = at.ann if first.name == "ann" else at.bob
    player.say(messages.Play(match=name, turn=turn, action="5"))
    at.ann.say(messages.Resign(match=name))
    for each in (at.ann, at.bob):
        each.heard()
    after = SceneMatch(scene, at.room, at.ann, at.bob, None, turn)
    after.name = name
    return after


def test_a_kept_analysis_that_cannot_be_read_is_made_once_more(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    at, bot = over(scene, "5"), scene.house(HOUSE)
    first = made(scene, at, bot)
    (key,) = scene.store.analyses
    scene.store.analyses[key] = scene.store.analyses[key]._replace(body=b"\xc1")
    assert refused(at.ann, at.name) == "server/not-stored"
    assert "cannot be read" in caplog.text
    scene.wait(1_000)
    assert made(scene, at, bot) == first


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
    scene.enter("greta", bot=parts.BotInfo(program="judge", games=games, analyses=analyses))
    [line] = scene.enter("ann").ask(messages.Lobby(id=1), messages.LobbyList).bots
    assert line.analyses == shown


def test_anybody_may_ask_about_a_public_match_and_after_its_room_has_closed(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    eve = scene.enter("eve")
    assert sent(bot, eve, at.name) == ("5",)
    eve.go()
    for player in (at.ann, at.bob):
        player.say(messages.Leave(room=at.room))
    assert at.room not in scene.rooms.actors
    zoe = scene.enter("zoe")
    assert sent(bot, zoe, at.name) == ("5",)


def test_a_private_match_is_for_its_players_and_who_knows_the_code(scene: Scene) -> None:
    at = over(scene, "5", options=parts.Options(public=False))
    eve, code = scene.enter("eve"), scene.rooms.actors[at.room].room.code
    assert refused(eve, at.name) == "room/wrong-code"
    assert refused(eve, at.name, "AAAAAA") == "room/wrong-code"
    assert refused(eve, at.name, code) == "analysis/no-bot"
    stranger = scene.enter("greta", bot=JUDGE)
    assert refused(at.bob, at.name) == "analysis/no-bot"
    at.bob.say(messages.Leave(room=at.room))
    own = scene.enter(token=at.ann.token, bot=JUDGE)
    assert sent(own, at.bob, at.name) == ("5",)
    assert sent(scene.house(JUDGE), at.ann, at.name) == ("5",)
    assert stranger.heard() == []


def test_a_stranger_s_bot_is_asked_about_a_public_match_after_the_house_s(scene: Scene) -> None:
    at = over(scene, "5")
    older, younger = (scene.enter(name, bot=JUDGE) for name in ("greta", "hugo"))
    wide = scene.house(parts.BotInfo(program="mcts", analyses=GAMES))
    askers = (at.ann, at.bob, scene.enter("eve"))
    for bot, asker in zip((wide, older, younger), askers, strict=True):
        assert sent(bot, asker, at.name) == ("5",)


def test_who_has_left_a_private_room_cannot_ask_about_what_came_later(scene: Scene) -> None:
    at = over(scene, "5", options=parts.Options(public=False))
    cat, code = scene.enter("cat"), scene.rooms.actors[at.room].room.code
    at.bob.say(messages.Leave(room=at.room))
    cat.say(messages.Join(room=at.room, code=code))
    for player in (at.ann, cat):
        player.say(messages.Ready(room=at.room))
    cat.say(messages.Resign(match=f"{at.room}.2"))
    assert refused(at.bob, f"{at.room}.2") == "room/wrong-code"
    assert refused(cat, f"{at.room}.1") == "analysis/no-bot"  # none is here, but it might ask one


def test_a_match_that_goes_on_or_never_was_is_not_over(scene: Scene) -> None:
    at = scene.match()
    scene.enter("greta", bot=JUDGE)
    for match in (at.name, f"{at.room}.2", f"{at.room}.01"):
        assert refused(at.ann, match) == "analysis/not-over"
    for match in ("9.1", "0.1", "x", "1", "1.", "٣.1", f"{at.room}.x", f"{at.room}.-1"):
        assert refused(at.ann, match) == "lobby/no-room"


def test_of_a_ladder_s_match_the_opening_is_given() -> None:
    stage = LadderScene(Scene())
    stage.run(stage.bots(first, first), stage.pairs_over(1))
    [pair, *_] = stage.page().pairs
    bot, eve = stage.scene.enter("greta", bot=JUDGE), stage.scene.enter("eve")
    eve.say(analysis.Analyse(match=pair.legs[0].match or ""))
    asked = wanted(bot)
    assert (asked.given, asked.actions[: asked.given]) == (len(pair.opening), pair.opening)
    assert 0 < asked.given < len(asked.actions)


@pytest.mark.parametrize("kind", ["started", "play"])
def test_a_log_or_a_row_that_cannot_be_read_is_said_so(scene: Scene, kind: str) -> None:
    at = over(scene, "5")
    scene.enter("greta", bot=JUDGE)
    for player in (at.ann, scene.enter("eve")):
        scene.store.broken = True
        assert refused(player, at.name) == "server/not-stored"
        scene.store.broken = False
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
    ("where", "most", "value"),
    [(history, "MAX_ROWS", 3), (analyses, "MAX_SERVER_LIST", 2), (analyses, "MAX_BYTES", 2)],
)
def test_a_match_that_fits_into_no_message_is_not_sent_to_a_bot(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, where: object, most: str, value: int
) -> None:
    at, bot = over(scene, "5", "1", "3"), scene.enter("greta", bot=JUDGE)
    monkeypatch.setattr(where, most, value)
    error = at.ann.ask(analysis.Analyse(id=5, match=at.name), messages.Error)
    assert (error.code, error.text) == ("analysis/no-bot", "this match is too long for any bot")
    assert bot.heard() == []


def test_a_session_has_one_analysis_made_at_a_time(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    scene.enter("hugo", bot=JUDGE)
    at.ann.send(analysis.Analyse(id=1, match=at.name))
    at.ann.send(analysis.Analyse(id=2, match=at.name))  # the first is still being read
    scene.store.settle()
    assert refused(at.ann, at.name) == "analysis/busy"
    tab = scene.enter(token=at.ann.token)
    assert refused(tab, at.name) == "analysis/busy"
    bot.say(analysis.ReportAnalysis(ask=wanted(bot).ask, analysis=FOUND))
    tab.say(analysis.Analyse(id=3, match=at.name))
    assert wanted(bot).actions == ("5",)


def test_the_server_has_a_bounded_number_of_them_made_at_once() -> None:
    scene = Scene(Config(analyses=2), MemoryStore())
    at = over(scene, "5")
    for name in ("greta", "hugo", "ivo"):
        scene.enter(name, bot=JUDGE)
    eve = scene.enter("eve")
    at.ann.say(analysis.Analyse(match=at.name))
    at.bob.send(analysis.Analyse(match=at.name))  # and it is being read
    assert refused(eve, at.name) == "analysis/busy"


def test_a_bot_may_decline_and_say_why(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    for error, text in (("no \x1b[2Jtime", "no [2Jtime"), (None, "it does not say why")):
        at.ann.say(analysis.Analyse(id=4, match=at.name))
        bot.ask(analysis.ReportAnalysis(id=1, ask=wanted(bot).ask, error=error), messages.Ok)
        no = at.ann.last(messages.Error)
        assert (no.re, no.code) == (4, "analysis/no-bot")
        assert no.text == f"greta/judge has no analysis: {text}"


def test_a_bot_that_does_not_answer_is_told_that_it_is_too_late(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    at.ann.say(analysis.Analyse(id=4, match=at.name))
    ask = wanted(bot).ask
    scene.wait(60_010)
    assert at.ann.refusals() == [("analysis/no-bot", 4)]
    assert bot.heard() == [analysis.AnalysisUnwanted(ask=ask)]
    at.ann.say(analysis.Analyse(id=5, match=at.name))
    assert wanted(bot).ask != ask


def test_a_bot_that_had_no_answer_is_asked_after_others_for_a_while(scene: Scene) -> None:
    at = over(scene, "5")
    slim = scene.enter("greta", bot=JUDGE)
    wide = scene.enter("hugo", bot=parts.BotInfo(program="mcts", analyses=GAMES))
    at.ann.say(analysis.Analyse(match=at.name))
    slim.say(analysis.ReportAnalysis(ask=wanted(slim).ask, error="not now"))
    at.ann.say(analysis.Analyse(match=at.name))
    wide.say(analysis.ReportAnalysis(ask=wanted(wide).ask, analysis=FOUND))
    scene.wait(60_010)
    assert sent(slim, at.ann, at.name) == ("5",)
    scene.wait(60_010)
    wide.go()
    assert sent(slim, at.ann, at.name) == ("5",)


def test_a_bot_that_goes_or_comes_anew_ends_it(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    at.ann.say(analysis.Analyse(id=4, match=at.name))
    bot.heard()
    again = scene.enter(token=bot.token, bot=JUDGE)
    assert at.ann.refusals() == [("analysis/no-bot", 4)]
    at.ann.say(analysis.Analyse(id=5, match=at.name))
    assert wanted(again).actions == ("5",)
    again.go()
    assert at.ann.refusals() == [("analysis/no-bot", 5)]
    assert scene.loop.pending() == 0


def test_who_asked_and_went_frees_the_bot(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    eve, zoe = scene.enter("eve"), scene.enter("zoe")
    zoe.send(analysis.Analyse(id=4, match=at.name))
    zoe.go()  # while the match is read
    assert bot.heard() == []
    eve.say(analysis.Analyse(id=4, match=at.name))
    ask = wanted(bot).ask
    eve.go()
    assert bot.heard() == [analysis.AnalysisUnwanted(ask=ask)]
    assert sent(bot, at.ann, at.name) == ("5",)


def test_only_who_was_asked_may_report_and_only_what_fits(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    at.ann.say(analysis.Analyse(id=4, match=at.name))
    ask = wanted(bot).ask
    stranger = at.bob.ask(analysis.ReportAnalysis(id=1, ask=ask, analysis=FOUND), messages.Error)
    assert stranger.code == "match/no-offer"
    wrong = analysis.MatchAnalysis(game="connect_four", by="judge", unit="value", totals=TOTALS)
    error = bot.ask(analysis.ReportAnalysis(id=1, ask=ask, analysis=wrong), messages.Error)
    assert error.code == "analysis/bad-report"
    assert error.text == "game: this is a match of tic_tac_toe"
    bot.say(analysis.ReportAnalysis(ask=ask, analysis=FOUND))
    assert at.ann.last(analysis.Analysed).analysis == FOUND


def test_a_bot_that_has_to_get_ready_is_waited_for_and_whoever_asked_hears_how_long(
    scene: Scene,
) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    at.ann.say(analysis.Analyse(id=4, match=at.name))
    ask = wanted(bot).ask
    bot.ask(analysis.DelayAnalysis(id=1, ask=ask, wait_ms=30_000), messages.Ok)
    waits = analysis.AnalysisWaits(match=at.name, bot="greta/judge", wait_ms=30_000)
    assert at.ann.heard_of(analysis.AnalysisWaits) == [waits]
    scene.wait(200_000)
    bot.say(analysis.DelayAnalysis(ask=ask, wait_ms=2**40))  # the time of the first one counts
    assert at.ann.last(analysis.AnalysisWaits).wait_ms == scene.config.analysis_delay_ms
    bot.ask(analysis.ReportAnalysis(id=2, ask=ask, analysis=FOUND), messages.Ok)
    assert at.ann.last(analysis.Analysed).re == 4
    late = bot.ask(analysis.DelayAnalysis(id=3, ask=ask, wait_ms=1), messages.Error)
    assert late.code == "match/no-offer"
    assert scene.loop.pending() == 0


def test_a_delay_is_no_reason_to_wait_for_ever(scene: Scene) -> None:
    at, bot = over(scene, "5"), scene.enter("greta", bot=JUDGE)
    at.ann.say(analysis.Analyse(id=4, match=at.name))
    ask = wanted(bot).ask
    for _ in range(8):
        bot.say(analysis.DelayAnalysis(ask=ask, wait_ms=60_000))
        scene.wait(50_000)
    assert ("analysis/no-bot", 4) in at.ann.refusals()
    assert bot.refusals() == []
