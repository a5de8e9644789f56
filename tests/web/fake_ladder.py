"""A made-up ladder as a page gets it: messages, and a server's socket that sends them."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Page, WebSocketRoute

from games import registry
from protocol import codec, ladder
from protocol.messages import Error, Push, Welcome
from protocol.parts import ClockOptions, Result

NAME = "spring"
NOW = 1_760_000_000_000
HOUR = 3_600_000
NAMES = ["ann/deep@3", "house/mcts@8-levels", "bob/fork@0.2.1", "house/minimax@1", "house/random@1"]


def line(**more: Any) -> ladder.LadderLine:
    """The ladder in a line."""
    given: dict[str, Any] = {
        "name": NAME, "game": "connect_four", "format": "endless", "owner": "ann",
        "at": NOW - 9 * HOUR, "state": "running",
        "clock": ClockOptions(base_ms=10_000, increment_ms=100),
        "players": 5, "here": 4, "pairs": 128,
    }  # fmt: skip
    return ladder.LadderLine(**(given | more))


def standing(rank: int, rating: float, **more: Any) -> ladder.Standing:
    """A row of the standings."""
    given: dict[str, Any] = {
        "player": NAMES[rank - 1], "rank": rank, "rating": rating, "error": 21.0 + 6 * rank,
        "pairs": 50,
        "score": 75.5 - 11 * rank, "wins": 60 - 9 * rank, "draws": 3, "losses": 37 + 9 * rank,
        "move_ms": 8.25 * rank**3, "slots": 2, "busy": 1,
    }  # fmt: skip
    return ladder.Standing(**(given | more))


def leg(match: str | None, winner: int | None = None, how: str | None = "rules") -> ladder.PairLeg:
    """A leg that is over; how None: it goes on."""
    if match is None:
        return ladder.PairLeg()
    if how is None:
        return ladder.PairLeg(match=match, plies=7)
    points = (0.0, 0.0) if winner is None else (1.0, -1.0) if winner == 0 else (-1.0, 1.0)
    reason = how if how != "rules" else "line" if winner is not None else "full"
    result = Result(winner=winner, returns=points, how=how, reason=reason)  # type: ignore[arg-type]
    return ladder.PairLeg(match=match, result=result, plies=23)


def pair(number: int, one: int, two: int, *legs: ladder.PairLeg, **more: Any) -> ladder.PairLine:
    """A pair of two players of NAMES."""
    at = NOW - (200 - number) * 60_000
    return ladder.PairLine(pair=number, one=NAMES[one], two=NAMES[two], at=at, legs=legs, **more)


def state(seq: int = 900, **more: Any) -> ladder.LadderState:
    """A standing with everything in it."""
    given: dict[str, Any] = {
        "ladder": line(), "seq": seq, "rated": 128, "pinned": NAMES[4], "field": 366.7,
        "first_move": 31.4,
        "first_move_error": 12.2,
        "standings": (
            standing(1, 602.0),
            standing(2, 512.4, anchor=True),
            standing(3, 498.1, slots=0, busy=0, lost_by={"flag": 2, "crash": 1}, voids=1),
            standing(4, 220.9, anchor=True, suspended="a tenth of the last 50 were forfeits"),
            standing(5, 0.0, anchor=True, error=88.0, pairs=28, score=1.5),
        ),
        "cross": tuple(
            ladder.Cross(one=a, two=b, pairs=12, score=12.0 + 3.5 * (b - a), exact=(a, b) == (3, 4))
            for a in range(5) for b in range(a + 1, 5)
        ),
        "live": (
            pair(130, 0, 1, leg("17.1", 0), leg("18.1", how=None), opening=("4", "3"),
                 why="closest rivals: 63 % of what is to be learnt"),
            pair(129, 2, 3, leg("19.1", how=None), leg(None), opening=("1", "7"), why="few pairs"),
        ),
        "recent": (
            pair(128, 1, 0, leg("13.1", 0), leg("14.1"), opening=("4", "4"), why="fewest pairs"),
            pair(127, 3, 4, leg("11.1", 0), leg("12.1", 1, "flag"), opening=("2", "6")),
            pair(126, 2, 4, leg("9.1", how="void"), leg("10.1", 1), void="both away"),
        ),
    }  # fmt: skip
    return ladder.LadderState(**(given | more))


def differences(player: str) -> ladder.LadderDifferences:
    """How one player differs from all others, as the server answers."""
    rated = {row.player: row.rating or 0.0 for row in state().standings}
    players = (player, *(name for name in NAMES if name != player))
    return ladder.LadderDifferences(
        ladder=NAME,
        rated=128,
        players=players,
        differences=tuple(
            ladder.Difference(
                one=0, two=two, elo=rated[player] - rated[other], error=30.0 + two,
                los=0.9712 if rated[player] > rated[other] else 0.0288,
            )
            for two, other in enumerate(players) if two
        ),
    )  # fmt: skip


def history(points: int = 30) -> ladder.RatingHistory:
    """Ratings that settle."""

    def rating(player: int, n: int) -> ladder.RatingOf:
        final = (602.0, 512.4, 498.1, 220.9, 0.0)[player]
        drift = ((n * 7919 + player * 104_729) % 61 - 30) * (1 - n / points) if player < 4 else 0.0
        error = 0.0 if player == 4 else 160 / (1 + n / 4)
        return ladder.RatingOf(player=NAMES[player], rating=final + drift * 3, error=error)

    return ladder.RatingHistory(
        ladder=NAME,
        points=tuple(
            ladder.RatingPoint(
                at=NOW - (points - n) * HOUR // 4,
                pairs=4 * n + 4,
                ratings=tuple(rating(p, n) for p in range(5) if p != 2 or n > points // 3),
            )
            for n in range(points)
        ),
    )


def replay(game: str = "connect_four", plies: int = 12) -> dict[str, Any]:
    """A match as the server would tell it: each time the first legal action, then a resignation."""
    position = registry.game(game).initial()
    moments: list[dict[str, Any]] = [moment(position, None)]
    for ply in range(plies):
        action = position.legal_notation()[ply * 5 % len(position.legal_notation())]
        seat = position.to_move
        kind = "roll" if seat == -1 else "opening" if ply < 2 else "play"
        event = {"seq": ply + 9, "kind": kind, "ply": ply, "seat": seat, "action": action}
        if kind == "play":
            event |= {"spent_ms": 120 * ply, "note": f"value 0.{ply}"}
        position = position.apply(position.legal_actions()[position.legal_notation().index(action)])
        moments.append(moment(position, event))
    seats = [{"name": "ann", "program": "deep"}, {"name": "house", "program": "mcts"}]
    result = {"winner": 0, "returns": [1.0, -1.0], "how": "resign", "reason": "resign"}
    return {
        "match": "13.1", "room": 13, "game": game, "seats": seats, "at": NOW, "result": result,
        "options": {"clock": {"base_ms": 10_000, "increment_ms": 100}}, "moments": moments,
    }  # fmt: skip


def moment(position: Any, event: dict[str, Any] | None) -> dict[str, Any]:
    """A moment of a replay."""
    written = position.game.format_position(position)
    bare = {"position": written, "to_move": position.to_move}
    return bare if event is None else bare | {"event": event}


def json_of(message: Push) -> dict[str, Any]:
    """A message as it stands in a text frame; one that is not of the protocol is an error."""
    payload = codec.encode(message, text=True)
    codec.decode_reply(payload, text=True)
    written: dict[str, Any] = json.loads(payload)
    return written


class FakeServer:
    """The server's side of a page's socket, as a test wants it: answers by a request's type."""

    def __init__(self, page: Page, **answers: Push) -> None:
        self.answers = answers
        self.silent: set[str] = set()  # the types of requests that get no answer
        self.received: list[dict[str, Any]] = []
        self._route: WebSocketRoute | None = None
        page.route_web_socket("**/ws", self._opened)

    def drop(self) -> None:
        """Hang up, as a server does that goes down."""
        assert self._route is not None
        self._route.close(code=1001)

    def count(self, kind: str) -> int:
        """How often the page has sent such a request."""
        return sum(request["type"] == kind for request in self.received)

    def push(self, message: Push) -> None:
        """Send something that nobody has asked for."""
        assert self._route is not None
        self._route.send(json.dumps(json_of(message)))

    def _opened(self, route: WebSocketRoute) -> None:
        self._route = route
        route.on_message(lambda text: self._answer(json.loads(text)))

    def _answer(self, request: dict[str, Any]) -> None:
        assert self._route is not None
        self.received.append(request)
        kind = request["type"]
        if kind in self.silent:
            return
        if kind == "hello":
            answer: Push = Welcome(version=1, server="s", name="guest", now=NOW, token="t")
        elif kind == "ladder_compare":
            answer = differences(request["players"][0])
        else:
            answer = self.answers.get(kind) or Error(code="ladder/unknown", text="no such ladder")
        self._route.send(json.dumps(json_of(answer) | {"re": request["id"]}))
