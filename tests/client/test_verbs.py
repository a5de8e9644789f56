"""The requests as methods."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from client.verbs import Verbs, answer_type
from protocol import analysis, codec, ladder, messages, parts, past
from protocol.devices import DeviceList, Devices, KeptSettings, Settings
from protocol.hints import Advise, DelayAdvice, Hint, Hinted
from tests.client.fake_server import lobby, room

CLOCK = parts.ClockOptions(base_ms=10_000, increment_ms=100)
LINE = ladder.LadderLine(
    name="four", game="x", format="endless", clock=CLOCK, state="running", owner="ann", at=1
)
ANALYSIS = analysis.MatchAnalysis(
    game="x", by="mcts", unit="value", totals=(analysis.AnalysedTotal(), analysis.AnalysedTotal())
)
CONSIDERATION = analysis.Consideration(
    by="mcts", unit="value", options=[analysis.AnalysedOption(action="5")]
)
REPLIES: list[messages.Push] = [
    messages.Ok(),
    room(),
    lobby(),
    messages.HistoryPage(room=1, events=()),
    messages.Linked(code="L", expires_ms=1),
    DeviceList(devices=()),
    KeptSettings(kept="{}"),
    Hinted(match="1.1", turn=3, action="5", by="ann/mcts"),
    messages.Drawn(match="1.1", turn=3, lines=("x",)),
    ladder.LadderState(ladder=LINE, seq=1),
    ladder.Ladders(ladders=(LINE,)),
    ladder.PairPage(ladder="four", pairs=()),
    ladder.RatingHistory(ladder="four", points=()),
    ladder.LadderDifferences(ladder="four", rated=0, players=(), differences=()),
    analysis.Analysed(match="1.1", bot="ann/mcts", analysis=ANALYSIS),
    analysis.Tried(game="x", position="p", to_move=0),
    analysis.Considered(game="x", position="p", bot="ann/mcts", consideration=CONSIDERATION),
    past.MatchPage(matches=()),
    past.PersonPage(name="ann"),
    past.RatingTable(game="go"),
]


class Asked(Verbs):
    """Notes what is asked for, and grants it."""

    def __init__(self) -> None:
        self.requests: list[messages.Request] = []

    async def request(self, request: messages.Request) -> messages.Push:
        self.requests.append(request)
        return next(reply for reply in REPLIES if isinstance(reply, answer_type(request)))


CASES: list[tuple[Callable[[Asked], Awaitable[messages.Push]], messages.Request]] = [
    (lambda h: h.lobby(), messages.Lobby(follow=True)),
    (lambda h: h.lobby(follow=False), messages.Lobby(follow=False)),
    (lambda h: h.create("x"), messages.Create(game="x", options=parts.Options(), seat=0)),
    (
        lambda h: h.create("x", parts.Options(public=False), seat=None),
        messages.Create(game="x", options=parts.Options(public=False), seat=None),
    ),
    (lambda h: h.join(17, seat=1), messages.Join(room=17, seat=1)),
    (lambda h: h.join(code="QF7KDM"), messages.Join(code="QF7KDM")),
    (lambda h: h.watch(17, code="QF7KDM"), messages.Watch(room=17, code="QF7KDM")),
    (lambda h: h.leave(17), messages.Leave(room=17)),
    (lambda h: h.ready(17, salt="ab"), messages.Ready(room=17, salt="ab")),
    (lambda h: h.invite(17, "mcts"), messages.Invite(room=17, who="mcts")),
    (
        lambda h: h.invite(17, "mcts", parts.Strength(level=3)),
        messages.Invite(room=17, who="mcts", strength=parts.Strength(level=3)),
    ),
    (lambda h: h.kick(17, 1), messages.Kick(room=17, seat=1)),
    (lambda h: h.say(17, "hm"), messages.Say(room=17, text="hm")),
    (lambda h: h.history(17, 9, "QF7KDM"), messages.History(room=17, since=9, code="QF7KDM")),
    (lambda h: h.link(), messages.Link()),
    (lambda h: h.devices(cut=2), Devices(cut=2)),
    (lambda h: h.settings("{}"), Settings(keep="{}")),
    (
        lambda h: h.play("1.1", 3, "5", "n"),
        messages.Play(match="1.1", turn=3, action="5", note="n"),
    ),
    (
        lambda h: h.decline(7, "busy", "Later."),
        messages.Decline(room=7, why="busy", text="Later."),
    ),
    (lambda h: h.resign("1.1"), messages.Resign(match="1.1")),
    (lambda h: h.resign("1.1", points=2), messages.Resign(match="1.1", points=2)),
    (lambda h: h.resign("1.1", crashed=True), messages.Resign(match="1.1", crashed=True)),
    (lambda h: h.abort("1.1"), messages.Abort(match="1.1")),
    (lambda h: h.claim("1.1"), messages.Claim(match="1.1")),
    (lambda h: h.offer("1.1", "draw"), messages.Offer(match="1.1", kind="draw")),
    (
        lambda h: h.answer("1.1", "draw", accept=False),
        messages.Answer(match="1.1", kind="draw", accept=False),
    ),
    (lambda h: h.hint("1.1"), Hint(match="1.1")),
    (lambda h: h.draw("1.1"), messages.Draw(match="1.1")),
    (lambda h: h.advise(4, "5", "n"), Advise(ask=4, action="5", note="n")),
    (lambda h: h.delay_advice(4, 9), DelayAdvice(ask=4, wait_ms=9)),
    (
        lambda h: h.ladder_create("four", "x", CLOCK, "sprt:a,b", quota=3, seed=4, players=5),
        ladder.LadderCreate(
            name="four", game="x", clock=CLOCK, format="sprt:a,b", quota=3, seed=4, players=5
        ),
    ),
    (
        lambda h: h.ladder_join("four", "ab", 2),
        ladder.LadderJoin(ladder="four", salt="ab", slots=2),
    ),
    (lambda h: h.ladder_leave("four"), ladder.LadderLeave(ladder="four")),
    (
        lambda h: h.ladder_status("four", follow=True),
        ladder.LadderStatus(ladder="four", follow=True),
    ),
    (lambda h: h.ladders(), ladder.LadderStatus()),
    (lambda h: h.ladder_pairs("four", 7), ladder.LadderPairs(ladder="four", since=7)),
    (lambda h: h.ladder_history("four"), ladder.LadderHistory(ladder="four")),
    (
        lambda h: h.ladder_compare("four", "a", "b"),
        ladder.LadderCompare(ladder="four", players=("a", "b")),
    ),
    (lambda h: h.ladder_drop("four", "b"), ladder.LadderDrop(ladder="four", player="b")),
    (lambda h: h.ladder_stop("four"), ladder.LadderStop(ladder="four")),
    (lambda h: h.analyse("1.1", "QF7KDM"), analysis.Analyse(match="1.1", code="QF7KDM")),
    (lambda h: h.analyse("1.1", anew=True), analysis.Analyse(match="1.1", anew=True)),
    (lambda h: h.report_analysis(4, ANALYSIS), analysis.ReportAnalysis(ask=4, analysis=ANALYSIS)),
    (lambda h: h.delay_analysis(4, 9), analysis.DelayAnalysis(ask=4, wait_ms=9)),
    (lambda h: h.report_analysis(4, None, "no"), analysis.ReportAnalysis(ask=4, error="no")),
    (
        lambda h: h.try_action("x", "p", "5"),
        analysis.Try(game="x", position="p", action="5"),
    ),
    (lambda h: h.consider("x", "p", 2), analysis.Consider(game="x", position="p", effort=2)),
    (
        lambda h: h.report_considered(4, CONSIDERATION),
        analysis.ReportConsidered(ask=4, consideration=CONSIDERATION),
    ),
    (lambda h: h.matches(), past.Matches()),
    (lambda h: h.seek("go"), messages.Seek(game="go")),
    (lambda h: h.matches("ann", "17.2", 50), past.Matches(who="ann", before="17.2", limit=50)),
    (lambda h: h.person("house/mcts"), past.Person(name="house/mcts")),
    (lambda h: h.ratings("go", ["ann"]), past.PeopleRatings(game="go", of=("ann",))),
]


@pytest.mark.parametrize(
    ("ask", "request_"), CASES, ids=[str(r.__struct_config__.tag) for _, r in CASES]
)
async def test_verb_sends_its_request_and_returns_its_reply(
    ask: Callable[[Asked], Awaitable[messages.Push]], request_: messages.Request
) -> None:
    connection = Asked()
    assert isinstance(await ask(connection), answer_type(request_))
    assert connection.requests == [request_]


def test_every_request_but_hello_has_a_verb_or_is_known_to_need_none() -> None:
    asked = {type(request) for _, request in CASES}
    # Those that few programs need are asked by `request`.
    by_request = {messages.RoomRename, analysis.AnalyseOwn}
    assert asked == {*codec.REQUESTS.values()} - {messages.Hello} - by_request, (
        "each has a verb, with a row in CASES, or stands in `by_request`"
    )
