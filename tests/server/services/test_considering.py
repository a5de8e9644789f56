"""Positions and matches of no room: what the rules say of them, and which bot considers them."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from games import registry
from protocol import messages, parts
from protocol.analysis import (
    Analysed,
    AnalysedOption,
    AnalysedTotal,
    AnalyseOwn,
    AnalysisWanted,
    Consider,
    Consideration,
    Considered,
    ConsiderUnwanted,
    ConsiderWanted,
    CourseAction,
    MatchAnalysis,
    ReportAnalysis,
    ReportConsidered,
    Tried,
    Try,
)
from server.services.analyses import MAX_POSITIONS
from tests.server.scene import Player, Scene

JUDGE = parts.BotInfo(program="judge", considers=["tic_tac_toe", "backgammon"])
ANALYST = parts.BotInfo(program="judge", analyses=["tic_tac_toe"])
FOUND = MatchAnalysis(
    game="tic_tac_toe", by="judge", unit="value", totals=(AnalysedTotal(), AnalysedTotal())
)
SEEN = Consideration(by="judge", unit="value", options=[AnalysedOption(action="5", value=0.5)])


def tried(player: Player, game: str, position: str | None = None, **more: Any) -> Tried:
    return player.ask(Try(id=7, game=game, position=position, **more), Tried)


def consider(position: str = "3/3/3 x", **more: Any) -> Consider:
    return Consider(id=4, game="tic_tac_toe", position=position, **more)


@pytest.mark.parametrize("game", registry.names())
def test_any_game_can_be_played_through_from_its_first_position(scene: Scene, game: str) -> None:
    ann, rules = scene.enter("ann"), registry.game(game)
    position, state = rules.initial(), tried(scene.enter("bob"), game)
    for _ in range(6):
        assert state.position == rules.format_position(position)
        assert (state.to_move, state.legal) == (position.to_move, position.legal_notation())
        action = state.legal[0]
        state, position = tried(ann, game, state.position, action=action), position.after(action)


def test_the_end_is_told_and_drawn(scene: Scene) -> None:
    ann = scene.enter("ann")
    over = tried(ann, "tic_tac_toe", "xx1/oo1/3 x", action="3", draw=True)
    assert (over.position, over.to_move, over.legal) == ("xxx/oo1/3 o", -2, ())
    assert (over.winner, over.reason) == (0, "line")
    assert "X" in "".join(over.lines)
    assert tried(ann, "tic_tac_toe", "xox/xxo/oxo o").winner is None


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (Try(id=1, game="chess"), "lobby/unknown-game"),
        (Try(id=1, game="tic_tac_toe", position="xxx/3/3 o"), "match/bad-notation"),
        (Try(id=1, game="backgammon", position="<script>" * 400), "match/bad-notation"),
        (Try(id=1, game="tic_tac_toe", action="10"), "match/bad-notation"),
        (Try(id=1, game="tic_tac_toe", position="3/1x1/3 o", action="5"), "match/illegal-action"),
        (Try(id=1, game="tic_tac_toe", position="xxx/oo1/3 o", action="9"), "match/over"),
        (consider("xxx/oo1/3 o"), "match/over"),
        (consider("nonsense"), "match/bad-notation"),
        (consider(), "analysis/no-bot"),
    ],
)
def test_what_cannot_be_is_refused_in_a_short_sentence(
    scene: Scene, request_: messages.Request, code: str
) -> None:
    no = scene.enter("ann").ask(request_, messages.Error)
    assert no.code == code
    assert len(no.text) <= 200
    assert scene.enter("bob").heard() == []


def test_broken_rules_cost_an_answer(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> int:
        raise ZeroDivisionError

    rules = dataclasses.replace(registry.game("tic_tac_toe"), legal=broken)
    monkeypatch.setattr(registry, "game", lambda name: rules)
    assert scene.enter("ann").refused(Try(id=1, game="tic_tac_toe")) == "match/no-drawing"
    assert "failed at" in caplog.text


def test_the_house_s_bot_is_asked_and_its_answer_handed_on(scene: Scene) -> None:
    stranger = scene.enter("evil", bot=JUDGE)
    bot, ann = scene.house(JUDGE), scene.enter("ann")
    ann.send(consider(effort=2))
    wanted = bot.last(ConsiderWanted)
    assert (wanted.game, wanted.position, wanted.effort) == ("tic_tac_toe", "3/3/3 x", 2)
    bot.ask(ReportConsidered(id=1, ask=wanted.ask, consideration=SEEN), messages.Ok)
    assert ann.last(Considered) == Considered(
        re=4, game="tic_tac_toe", position="3/3/3 x", bot="house/judge", consideration=SEEN
    )
    late = ReportConsidered(id=2, ask=wanted.ask, consideration=SEEN)
    assert bot.refused(late) == "match/no-offer"
    scene.wait(61_000)
    assert (stranger.heard(), ann.heard(), scene.loop.pending()) == ([], [], 0)


@pytest.mark.parametrize("action", ["10", "1"])
def test_a_report_about_another_position_is_refused(scene: Scene, action: str) -> None:
    bot, ann = scene.house(JUDGE), scene.enter("ann")
    ann.send(consider("x2/3/3 o"))
    ask = bot.last(ConsiderWanted).ask
    wrong = Consideration(by="me", unit="value", options=[AnalysedOption(action=action)])
    twice = Consideration(by="me", unit="value", options=[AnalysedOption(action="5")] * 2)
    none = Consideration(by="me", unit="value", options=[])
    for each in (
        wrong,
        twice,
        none,
        Consideration(by="\u202e", unit="value", options=SEEN.options),
    ):
        no = bot.refused(ReportConsidered(id=1, ask=ask, consideration=each))
        assert no == "analysis/bad-report"
    bot.say(ReportConsidered(ask=ask, error="too hard"))
    assert ann.last(messages.Error).text == "house/judge: too hard"


def test_a_newer_position_takes_the_older_one_s_place_and_who_leaves_asks_no_more(
    scene: Scene,
) -> None:
    bot, ann = scene.house(JUDGE), scene.enter("ann")
    ann.send(consider())
    first = bot.last(ConsiderWanted).ask
    ann.send(Consider(id=5, game="tic_tac_toe", position="3/1x1/3 o"))
    assert ann.refusals() == [("match/stale-turn", 4)]
    unwanted, newer = bot.heard()
    assert unwanted == ConsiderUnwanted(ask=first)
    assert isinstance(newer, ConsiderWanted)
    ann.go()
    assert bot.heard() == [ConsiderUnwanted(ask=newer.ask)]
    assert scene.loop.pending() == 0


def test_a_bot_is_asked_about_a_few_at_once_and_given_up_in_time(scene: Scene) -> None:
    bot = scene.house(JUDGE)
    people = [scene.enter(f"p{n}") for n in range(MAX_POSITIONS + 1)]
    for one in people:
        one.send(consider())
    assert [one.refusals() for one in people] == [[]] * MAX_POSITIONS + [[("analysis/busy", 4)]]
    own = scene.enter(token=people[0].token, bot=JUDGE)
    people[0].send(consider())
    asked = len(bot.heard_of(ConsiderWanted)) + len(own.heard_of(ConsiderWanted))
    assert asked == MAX_POSITIONS + 1
    scene.wait(61_000)
    for one in people[:-1]:
        assert ("analysis/no-bot", 4) in one.refusals()
    assert len(bot.heard_of(ConsiderUnwanted)) >= MAX_POSITIONS - 1
    people[1].send(consider())
    bot.go()
    assert people[1].refusals() == [("analysis/no-bot", 4)]


def test_neither_beside_a_rated_match_nor_before_a_roll(scene: Scene) -> None:
    scene.house(JUDGE)
    clock = parts.ClockOptions(base_ms=60_000)
    at = scene.match(options=parts.Options(rated=True, clock=clock))
    assert at.ann.refused(consider()) == "match/not-allowed"
    at.ann.say(messages.Resign(match=at.name))
    at.ann.heard()
    first = registry.game("backgammon").format_position(registry.game("backgammon").initial())
    roll = Consider(id=4, game="backgammon", position=first)
    assert at.ann.refused(roll) == "match/not-allowed"
    at.ann.send(consider())
    assert at.ann.refusals() == []


def test_a_match_of_no_room_is_for_the_house_s_bots_and_one_s_own_and_is_not_kept(
    scene: Scene,
) -> None:
    ann = scene.enter("ann")
    cells = ((0, "5"), (1, "2"))
    actions = tuple(CourseAction(seat=seat, action=cell) for seat, cell in cells)
    own = AnalyseOwn(id=7, name="0.2", game="tic_tac_toe", actions=actions)
    stranger = scene.enter("zoe", bot=ANALYST)
    assert ann.refused(own) == "analysis/no-bot"
    house = scene.house(ANALYST)
    ann.say(own)
    ask = house.last(AnalysisWanted)
    assert (ask.game, ask.actions) == ("tic_tac_toe", ("5", "2"))
    assert ann.refused(own) == "analysis/busy"
    house.ask(ReportAnalysis(id=1, ask=ask.ask, analysis=FOUND), messages.Ok)
    answer = ann.last(Analysed)
    assert (answer.re, answer.match, answer.bot) == (7, "0.2", "house/judge")
    assert not stranger.heard_of(AnalysisWanted)
    assert not scene.hub.services.analyses.kept._sizes
