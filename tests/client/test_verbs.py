"""The requests as methods."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from client.verbs import Verbs, answer_type
from protocol.analysis import (
    ANALYSIS_REQUESTS,
    Analyse,
    Analysed,
    AnalysedTotal,
    MatchAnalysis,
    ReportAnalysis,
)
from protocol.ladder import (
    LADDER_REQUESTS,
    LadderCreate,
    LadderHistory,
    LadderJoin,
    LadderLeave,
    LadderLine,
    LadderPairs,
    Ladders,
    LadderState,
    LadderStatus,
    LadderStop,
    PairPage,
    RatingHistory,
)
from protocol.messages import (
    REQUESTS,
    Abort,
    Advise,
    Answer,
    Claim,
    ClockOptions,
    Create,
    Hello,
    Hint,
    Hinted,
    History,
    HistoryPage,
    Invite,
    Join,
    Kick,
    Leave,
    Link,
    Linked,
    Lobby,
    Offer,
    Ok,
    Options,
    Play,
    Push,
    Ready,
    Request,
    Resign,
    Say,
    Strength,
    Watch,
)
from tests.client.fake_house import lobby, room

CLOCK = ClockOptions(base_ms=10_000, increment_ms=100)
LINE = LadderLine(
    name="four", game="x", format="endless", clock=CLOCK, state="running", owner="ann", at=1
)
ANALYSIS = MatchAnalysis(
    game="x", by="mcts", unit="value", totals=(AnalysedTotal(), AnalysedTotal())
)
REPLIES: list[Push] = [
    Ok(),
    room(),
    lobby(),
    HistoryPage(room=1, events=()),
    Linked(code="L", expires_ms=1),
    Hinted(match="1.1", turn=3, action="5", by="ann/mcts"),
    LadderState(ladder=LINE, seq=1),
    Ladders(ladders=(LINE,)),
    PairPage(ladder="four", pairs=()),
    RatingHistory(ladder="four", points=()),
    Analysed(match="1.1", bot="ann/mcts", analysis=ANALYSIS),
]


class Asked(Verbs):
    """Notes what is asked for, and grants it."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    async def request(self, request: Request) -> Push:
        self.requests.append(request)
        return next(reply for reply in REPLIES if isinstance(reply, answer_type(request)))


CASES: list[tuple[Callable[[Asked], Awaitable[Push]], Request]] = [
    (lambda h: h.lobby(), Lobby(follow=True)),
    (lambda h: h.lobby(follow=False), Lobby(follow=False)),
    (lambda h: h.create("x"), Create(game="x", options=Options(), seat=0)),
    (
        lambda h: h.create("x", Options(public=False), seat=None),
        Create(game="x", options=Options(public=False), seat=None),
    ),
    (lambda h: h.join(17, seat=1), Join(room=17, seat=1)),
    (lambda h: h.join(code="QF7KDM"), Join(code="QF7KDM")),
    (lambda h: h.watch(17, code="QF7KDM"), Watch(room=17, code="QF7KDM")),
    (lambda h: h.leave(17), Leave(room=17)),
    (lambda h: h.ready(17, salt="ab"), Ready(room=17, salt="ab")),
    (lambda h: h.invite(17, "mcts"), Invite(room=17, who="mcts")),
    (
        lambda h: h.invite(17, "mcts", Strength(level=3)),
        Invite(room=17, who="mcts", strength=Strength(level=3)),
    ),
    (lambda h: h.kick(17, 1), Kick(room=17, seat=1)),
    (lambda h: h.say(17, "hm"), Say(room=17, text="hm")),
    (lambda h: h.history(17, 9, "QF7KDM"), History(room=17, since=9, code="QF7KDM")),
    (lambda h: h.link(), Link()),
    (lambda h: h.play("1.1", 3, "5", "n"), Play(match="1.1", turn=3, action="5", note="n")),
    (lambda h: h.resign("1.1"), Resign(match="1.1")),
    (lambda h: h.resign("1.1", crashed=True), Resign(match="1.1", crashed=True)),
    (lambda h: h.abort("1.1"), Abort(match="1.1")),
    (lambda h: h.claim("1.1"), Claim(match="1.1")),
    (lambda h: h.offer("1.1", "draw"), Offer(match="1.1", kind="draw")),
    (
        lambda h: h.answer("1.1", "draw", accept=False),
        Answer(match="1.1", kind="draw", accept=False),
    ),
    (lambda h: h.hint("1.1"), Hint(match="1.1")),
    (lambda h: h.advise(4, "5", "n"), Advise(ask=4, action="5", note="n")),
    (
        lambda h: h.ladder_create("four", "x", CLOCK, "sprt:a,b", quota=3, seed=4, players=5),
        LadderCreate(
            name="four", game="x", clock=CLOCK, format="sprt:a,b", quota=3, seed=4, players=5
        ),
    ),
    (
        lambda h: h.ladder_join("four", "ab", 2),
        LadderJoin(ladder="four", salt="ab", slots=2),
    ),
    (lambda h: h.ladder_leave("four"), LadderLeave(ladder="four")),
    (
        lambda h: h.ladder_status("four", follow=True),
        LadderStatus(ladder="four", follow=True),
    ),
    (lambda h: h.ladders(), LadderStatus()),
    (lambda h: h.ladder_pairs("four", 7), LadderPairs(ladder="four", since=7)),
    (lambda h: h.ladder_history("four"), LadderHistory(ladder="four")),
    (lambda h: h.ladder_stop("four"), LadderStop(ladder="four")),
    (lambda h: h.analyse("1.1", "QF7KDM"), Analyse(match="1.1", code="QF7KDM")),
    (lambda h: h.report_analysis(4, ANALYSIS), ReportAnalysis(ask=4, analysis=ANALYSIS)),
    (lambda h: h.report_analysis(4, None, "no"), ReportAnalysis(ask=4, error="no")),
]


@pytest.mark.parametrize(
    ("ask", "request_"), CASES, ids=[str(r.__struct_config__.tag) for _, r in CASES]
)
async def test_verb_sends_its_request_and_returns_its_reply(
    ask: Callable[[Asked], Awaitable[Push]], request_: Request
) -> None:
    house = Asked()
    assert isinstance(await ask(house), answer_type(request_))
    assert house.requests == [request_]


def test_every_request_but_hello_has_a_verb() -> None:
    asked = {type(request) for _, request in CASES}
    assert asked == {*REQUESTS, *LADDER_REQUESTS, *ANALYSIS_REQUESTS} - {Hello}
