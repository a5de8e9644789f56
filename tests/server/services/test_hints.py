"""Hints: which bot is asked, who may answer, and how long somebody waits."""

from __future__ import annotations

from protocol import messages, parts
from protocol.hints import AdviceWanted, Advise, DelayAdvice, Hint, Hinted, HintWaits
from tests.server.scene import Scene

SHRUG = parts.BotInfo(program="shrug", games=["tic_tac_toe"], slots=2)
PRIVATE = parts.Options(public=False)


def test_a_hint_comes_from_the_strongest_bot_of_the_house(scene: Scene) -> None:
    at = scene.match()
    evil = scene.enter("evil", bot=parts.BotInfo(program="mcts", levels=8, slots=1_000))
    scene.house(SHRUG)
    bot = scene.house(parts.BotInfo(program="mcts", levels=7))
    at.ann.send(Hint(id=4, match=at.name))
    wanted = bot.last(AdviceWanted)
    assert (wanted.game, wanted.position, len(wanted.legal)) == ("tic_tac_toe", "3/3/3 x", 9)
    bot.ask(Advise(id=1, ask=wanted.ask, action="5", note="the middle"), messages.Ok)
    assert at.ann.last(Hinted) == Hinted(
        re=4, match=at.name, turn=at.turn, action="5", by="house/mcts", note="the middle"
    )
    assert bot.refused(Advise(id=2, ask=wanted.ask, action="5")) == "match/no-offer"
    at.ann.send(Hint(id=5, match=at.name))
    at.ann.go()  # which disturbs nobody
    bot.ask(Advise(id=3, ask=bot.last(AdviceWanted).ask, action="5"), messages.Ok)
    assert evil.heard() == []
    scene.wait(31_000)
    assert scene.loop.pending() == 0


def test_where_the_house_has_no_bot_one_s_own_is_asked_for_a_hint_and_then_the_oldest_name_s(
    scene: Scene,
) -> None:
    at = scene.match()
    older = scene.enter("greta", bot=SHRUG)
    younger = scene.enter("evil", bot=parts.BotInfo(program="mcts", levels=8))
    own = scene.enter(token=at.ann.token, bot=SHRUG)
    for bot in (own, older):
        at.ann.send(Hint(id=4, match=at.name))
        bot.say(Advise(ask=bot.last(AdviceWanted).ask, action="5"))
        own.go()
    assert younger.heard_of(AdviceWanted) == []


def test_among_equals_a_hint_comes_from_who_plays_fewer_games(scene: Scene) -> None:
    at = scene.match()
    games = ["connect_four", "tic_tac_toe"]
    for_all = scene.house(parts.BotInfo(program="mcts", levels=8, slots=9))
    for_two = scene.house(parts.BotInfo(program="solver", levels=8, games=games))
    at.ann.send(Hint(id=4, match=at.name))
    assert for_two.last(AdviceWanted).game == "tic_tac_toe"
    assert for_all.heard_of(AdviceWanted) == []


def test_who_waits_for_a_hint_asks_for_no_other_and_a_bot_is_asked_by_two_at_most(
    scene: Scene,
) -> None:
    at, bot = scene.match(), scene.house(SHRUG)
    at.ann.send(Hint(id=1, match=at.name))
    for number in range(2, 9):
        assert at.ann.refused(Hint(id=number, match=at.name)) == "hint/busy"
    others = [scene.enter(name) for name in ("cat", "dan")]
    for player in others:
        room = scene.room(player)
        at.bob.say(messages.Join(room=room, seat=1))
        for who in (player, at.bob):
            who.say(messages.Ready(room=room))
        player.heard()
        player.send(Hint(id=9, match=f"{room}.1"))
    assert [player.refusals() for player in others] == [[], [("hint/busy", 9)]]
    asks = bot.heard_of(AdviceWanted)
    assert len(asks) == 2
    bot.say(Advise(ask=asks[0].ask, action="5"))
    assert at.ann.last(Hinted).action == "5"
    at.ann.send(Hint(id=10, match=at.name))
    assert bot.last(AdviceWanted).ask > asks[1].ask


def test_a_bot_that_gets_ready_first_is_waited_for_and_a_newer_question_takes_its_place(
    scene: Scene,
) -> None:
    at, bot = scene.match(), scene.house(SHRUG)
    at.ann.send(Hint(id=1, match=at.name))
    ask = bot.last(AdviceWanted).ask
    bot.ask(DelayAdvice(id=1, ask=ask, wait_ms=40_000), messages.Ok)
    waits = HintWaits(match=at.name, bot="house/shrug", wait_ms=40_000)
    assert at.ann.heard_of(HintWaits) == [waits]
    scene.wait(100_000)
    assert at.ann.refused(Hint(id=2, match=at.name)) == "hint/busy"  # the same position
    at.ann.say(at.play("1"))
    at.bob.say(messages.Play(match=at.name, turn=at.turn + 1, action="2"))
    at.ann.send(Hint(id=3, match=at.name))
    assert ("match/stale-turn", 1) in at.ann.refusals()
    newer = bot.last(AdviceWanted).ask
    assert bot.refused(Advise(id=2, ask=ask, action="5")) == "match/no-offer"
    assert bot.refused(DelayAdvice(id=3, ask=ask, wait_ms=1)) == "match/no-offer"
    ask = newer
    bot.say(DelayAdvice(ask=ask, wait_ms=2**40))
    assert at.ann.last(HintWaits).wait_ms == scene.config.analysis_delay_ms
    bot.say(Advise(ask=ask, action="5"))
    assert (at.ann.last(Hinted).re, scene.loop.pending()) == (3, 0)


def test_a_private_match_is_shown_to_bots_of_the_house_and_of_its_players_alone(
    scene: Scene,
) -> None:
    at = scene.match(options=PRIVATE)
    evil = scene.enter("evil", bot=parts.BotInfo(program="mcts", levels=8))
    assert at.ann.refused(Hint(id=1, match=at.name)) == "hint/no-bot"
    for title in ("bob/shrug", "house/shrug"):
        of_bob = title == "bob/shrug"
        bot = scene.enter(token=at.bob.token, bot=SHRUG) if of_bob else scene.house(SHRUG)
        at.ann.say(Hint(id=2, match=at.name))
        bot.say(Advise(ask=bot.last(AdviceWanted).ask, action="5"))
        assert at.ann.last(Hinted).by == title
    assert evil.heard() == []


def test_only_the_bot_that_was_asked_may_answer_and_only_as_is_legal(scene: Scene) -> None:
    at = scene.match()
    bot = scene.enter("greta", bot=SHRUG)
    at.ann.send(Hint(id=4, match=at.name))
    ask = bot.last(AdviceWanted).ask
    assert at.bob.refused(Advise(id=1, ask=ask, action="5")) == "match/no-offer"
    error = bot.ask(Advise(id=1, ask=ask, action="\x1b[2J"), messages.Error)
    assert (error.code, len(error.legal or ())) == ("match/illegal-action", 9)
    error = bot.ask(Advise(id=2, ask=ask, action="5", note="x" * 600), messages.Error)
    assert error.code == "match/bad-note"
    bot.say(Advise(ask=ask, action="5"))
    assert at.ann.last(Hinted).action == "5"


def test_a_hint_that_nobody_can_give_is_refused(scene: Scene) -> None:
    at = scene.match()
    assert at.ann.refused(Hint(id=1, match=at.name)) == "hint/no-bot"
    bot = scene.enter("greta", bot=SHRUG)
    at.ann.send(Hint(id=2, match=at.name))
    scene.wait(30_010)
    assert at.ann.refusals() == [("hint/no-bot", 2)]
    at.ann.send(Hint(id=3, match=at.name))
    bot.go()
    assert at.ann.refusals() == [("hint/no-bot", 3)]
