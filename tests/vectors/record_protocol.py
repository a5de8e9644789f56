"""Writes protocol.jsonl beside this file: what every speaker of the protocol reads and writes.

    python tests/vectors/record_protocol.py

One JSON object a line.  A valid vector holds `name`, `direction` (request or reply), `message` and
the two payloads that this house writes for it: `msgpack` in hex and `json` as text.  An invalid
one holds `name`, `direction`, `frame` (binary or text), its `bytes` in hex, and what the reader
must say of it: `error`, `fatal` and `re`.  Change it only together with SPEC.md and VERSION.
"""

from __future__ import annotations

import json
import math
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import msgspec

HERE = Path(__file__).resolve().parent
FILE = HERE / "protocol.jsonl"
if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1]))

from protocol import analysis as a  # noqa: E402 - run as a script, the house must be found first
from protocol import codec  # noqa: E402
from protocol import ladder as n  # noqa: E402
from protocol import messages as m  # noqa: E402

BLITZ = m.Options(
    clock=m.ClockOptions(base_ms=180_000, increment_ms=2_000), public=False, rated=True
)
ANN = m.Player(name="ann")
BOT = m.Player(name="ann", program="mcts", absent=True)
LINE = m.Result(winner=1, returns=(-1.0, 1.0), how="rules", reason="line")
STRENGTH = m.Strength(level=3, nodes=5_000, ms=250, set={"exploration": "1.4"})
SECRET = bytes(range(32)).hex()
COMMITMENT = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
PLAYED = m.Event(
    seq=14,
    kind="play",
    ply=5,
    seat=1,
    action="7",
    spent_ms=812,
    lag_ms=31,
    note="+0.42 1,200 nodes",
)
ROLLED = m.Event(seq=15, kind="roll", ply=6, seat=-1, action="31")
FACT = m.Event(
    seq=6, kind="started", match="17.1", at=1_700_000_000_000, player=ANN, players=(ANN, BOT),
    game="backgammon", rules_version=1, options=BLITZ, offer="takeback", accept=False, text="hello",
    commitment=COMMITMENT, salts=("00ff", ""), secret=SECRET, result=LINE,
    deal="L12.34", ladder="knights", pair=34, leg=1,
)  # fmt: skip
PAIR = n.PairLine(
    pair=34, one="ann/mcts@2", two="house/random@1", at=1_700_000_000_000,
    legs=(n.PairLeg(match="18.1", result=LINE, plies=7), n.PairLeg(match="19.1")),
    opening=("5", "1"), why="ann/mcts@2 has fewest pairs (33)", void="both away",
)  # fmt: skip
LADDER = n.LadderLine(
    name="knights", game="tic_tac_toe", format="sprt:new,old",
    clock=m.ClockOptions(base_ms=10_000), state="running", owner="ann", at=1_700_000_000_000,
    players=3, here=2, pairs=33,
)  # fmt: skip
STANDING = n.Standing(
    player="ann/mcts@2", rank=1, rating=112.5, error=30.25, group=1, pairs=33, score=40.5, wins=36,
    draws=9, losses=21, lost_by={"flag": 2}, voids=1, points=0.25, points_error=0.125, move_ms=12.5,
    slots=4, busy=2, anchor=True, suspended="6 of its last 50 matches were lost by flag",
)  # fmt: skip
RATED = n.RatingPoint(
    at=1_700_000_000_000, pairs=33,
    ratings=(n.RatingOf(player="ann/mcts@2", rating=112.5, error=30.25),),
)  # fmt: skip
TOTAL = a.AnalysedTotal(
    plays=21, forced=2, unknown=1, loss=0.375, doubtful=1, blunders=2, luck=-0.125,
)  # fmt: skip
PLAY = a.AnalysedPlay(
    ply=3, seat=1, action="24/18 13/11", loss=0.0625, error=0.03125, doubtful=True, blunder=False,
    best=[
        a.AnalysedOption(action="24/16", value=0.25, note="54.1 % 15.2 % 0.5 %"),
        a.AnalysedOption(action="24/18 13/11", value=0.1875),
    ],
)  # fmt: skip
ANALYSIS = a.MatchAnalysis(
    game="backgammon", by="gammon, 1 ply", unit="points", totals=(TOTAL, TOTAL), blunder=0.08,
    plays=[PLAY, a.AnalysedPlay(ply=5, seat=0, action="6/off(2)", loss=0.5, blunder=True)],
    rolls=[a.AnalysedRoll(ply=4, seat=0, roll="66", luck=0.75)], left=[40, 41], partial=True,
)  # fmt: skip
NOTHING = a.MatchAnalysis(
    game="", by="", unit="score", totals=(a.AnalysedTotal(), a.AnalysedTotal())
)
CLOCKS = m.Clocks(
    remaining=(179_020, 180_000), increment_ms=2_000, per_move_ms=30_000, running=0,
    paused="server", suggested_ms=7_567,
)  # fmt: skip

# Of each class the fullest message, and below the least one.
FULL: tuple[m.Request | m.Push, ...] = (
    m.Hello(
        id=0, version=1, name="ann", token="T" * 43, link="K7QD2M", client="plyhouse 0.1.0",
        bot=m.BotInfo(
            program="mcts", version="2", games=["tic_tac_toe"], levels=8, slots=4,
            analyses=["tic_tac_toe"],
        ),
    ),
    m.Lobby(id=1, follow=False),
    m.Create(id=2, game="tic_tac_toe", options=BLITZ, seat=None),
    m.Join(id=3, room=17, code="QF7KDM", seat=1),
    m.Watch(id=4, room=17, code="QF7KDM"),
    m.Leave(id=5, room=17),
    m.Ready(id=6, room=17, salt="00ff"),
    m.Invite(id=7, room=17, who="ann/mcts", strength=STRENGTH),
    m.Kick(id=8, room=17, seat=1),
    m.Play(id=9, match="17.2", turn=12, action="4", note="+0.13 Zug um Zug 🎲"),
    m.Resign(id=10, match="17.2", crashed=True),
    m.Abort(id=11, match="17.2"),
    m.Claim(id=12, match="17.2"),
    m.Offer(id=13, match="17.2", kind="draw"),
    m.Answer(id=14, match="17.2", kind="takeback", accept=True),
    m.Say(id=15, room=17, text="¡buena jugada!"),
    m.Hint(id=16, match="17.2"),
    m.Advise(id=17, ask=3, action="4", note="wins"),
    m.History(id=18, room=17, since=200, code="QF7KDM"),
    m.Link(id=m.MAX_INT),
    n.LadderCreate(
        id=20, name="knights", game="backgammon", clock=m.ClockOptions(per_move_ms=5_000),
        format="roundrobin:10", quota=8, seed=7, players=4,
    ),
    n.LadderJoin(id=21, ladder="knights", salt="00ff", slots=4),
    n.LadderLeave(id=22, ladder="knights"),
    n.LadderStatus(id=23, ladder="knights", follow=True),
    n.LadderPairs(id=24, ladder="knights", since=100),
    n.LadderHistory(id=25, ladder="knights"),
    n.LadderStop(id=26, ladder="knights"),
    a.Analyse(id=27, match="17.2", code="QF7KDM"),
    a.ReportAnalysis(id=28, ask=3, analysis=ANALYSIS, error="no time"),
    m.Ok(re=0, seq=13),
    m.Error(
        re=9, code="match/illegal-action", text="'4' is not legal here", legal=("1", "9"),
        suggestion="1",
    ),
    m.Bye(re=1, code="session/replaced", text="another copy of ann/mcts has connected"),
    m.Welcome(
        re=0, version=1, server="k3v9", name="ann", now=1_700_000_000_000, token="T" * 43,
        rooms=(17, 4), matches=("17.2",), games=("connect_four", "tic_tac_toe"),
    ),
    m.LobbyList(
        re=1, total=1,
        rooms=(m.RoomLine(
            room=17, game="tic_tac_toe", state="playing", seats=(ANN, None), options=m.Options(),
            match="17.2", ply=5, score=(0.5, 1.5), ladder="knights",
        ),),
        bots=(m.BotLine(
            name="ann", program="mcts", version="2", games=["tic_tac_toe"], levels=8, free=3,
            analyses=["tic_tac_toe"],
        ),),
    ),
    m.RoomState(
        re=2, room=17, seq=9, game="backgammon", state="waiting", owner="ann", seats=(ANN, BOT),
        ready=(True, False), options=BLITZ, score=(1.0, 0.0), match="17.1", code="QF7KDM",
        commitment=COMMITMENT, seat=0, watching=2, ladder="knights", pair=34, leg=1,
    ),
    m.MatchState(
        re=9, match="17.2", room=17, seq=15, turn=15, game="backgammon", ply=7,
        position="-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", seats=(ANN, BOT), to_move=0,
        events=(PLAYED, ROLLED),
        legal=("8/5 6/5", "24/20"), clocks=CLOCKS, offers=(m.Offer_("draw", 1),), result=LINE,
        secret=SECRET,
    ),
    m.Said(re=15, room=17, seq=16, name="ann", text="¡buena jugada!", at=1_700_000_000_000),
    m.Invited(
        re=1, room=17, game="tic_tac_toe", options=BLITZ, by="ann", expires_ms=10_000,
        code="QF7KDM", strength=STRENGTH,
    ),
    m.AdviceWanted(re=1, ask=3, game="tic_tac_toe", position="3/1x1/3 o", legal=("1", "2")),
    m.Hinted(re=16, match="17.2", turn=12, action="1", by="ann/mcts", note="+0.02"),
    m.HistoryPage(re=18, room=17, events=(FACT,), next=206),
    m.Linked(re=19, code="K7QD2M", expires_ms=120_000),
    n.Ladders(re=23, ladders=(LADDER,)),
    n.LadderState(
        re=23, ladder=LADDER, seq=101, standings=(STANDING,),
        cross=(n.Cross(one=0, two=1, pairs=33, score=40.5, exact=True),), live=(PAIR,),
        recent=(PAIR,), rated=32, pinned="house/random@1", first_move=21.5, first_move_error=8.5,
        verdict=n.Verdict(
            word="better", text="new is better than old", pairs=33, llr=2.97, lower=-2.94,
            upper=2.94, more=12,
        ),
    ),
    n.PairPage(re=24, ladder="knights", pairs=(PAIR,), next=200),
    n.RatingHistory(re=25, ladder="knights", points=(RATED,)),
    n.LadderTold(re=21, ladder="knights", code="ladder/suspended", text="too many flags"),
    a.AnalysisWanted(
        re=1, ask=3, game="backgammon", actions=("31", "8/5 6/5"), expires_ms=60_000, given=2
    ),
    a.AnalysisUnwanted(re=1, ask=3),
    a.Analysed(re=27, match="17.2", bot="ann/mcts", analysis=ANALYSIS),
)  # fmt: skip

LEAST: tuple[m.Request | m.Push, ...] = (
    m.Hello(version=1),
    m.Lobby(),
    m.Create(game="tic_tac_toe"),
    m.Join(),
    m.Watch(),
    m.Leave(room=0),
    m.Ready(room=127),
    m.Invite(room=128, who="ann"),
    m.Kick(room=255, seat=0),
    m.Play(match="1.1", turn=256, action="1"),
    m.Resign(match="1.1"),
    m.Abort(match="1.1"),
    m.Claim(match="1.1"),
    m.Offer(match="1.1", kind="takeback"),
    m.Answer(match="1.1", kind="draw", accept=False),
    m.Say(room=65_535, text=""),
    m.Hint(match="1.1"),
    m.Advise(ask=65_536, action="pass"),
    m.History(room=m.MAX_INT),
    m.Link(),
    n.LadderCreate(name="a", game="tic_tac_toe", clock=m.ClockOptions()),
    n.LadderJoin(ladder="a"),
    n.LadderLeave(ladder="a"),
    n.LadderStatus(),
    n.LadderPairs(ladder="a"),
    n.LadderHistory(ladder="a"),
    n.LadderStop(ladder="a"),
    a.Analyse(match="1.1"),
    a.ReportAnalysis(ask=0),
    m.Ok(),
    m.Error(code="room/busy", text=""),
    m.Bye(code="server/closing", text=""),
    m.Welcome(version=1, server="", name="", now=2**32),
    m.LobbyList(rooms=(), bots=(), total=0),
    m.RoomState(
        room=1, seq=1, game="tic_tac_toe", state="waiting", owner="ann", seats=(None, None),
        ready=(False, False), options=m.Options(),
    ),
    m.MatchState(
        match="1.1", room=1, seq=7, turn=7, game="tic_tac_toe", ply=0, position="3/3/3 x",
        seats=(ANN, ANN), to_move=-2, events=(),
    ),
    m.Said(room=1, seq=1, name="", text="", at=0),
    m.Invited(room=1, game="", options=m.Options(), by="", expires_ms=0),
    m.AdviceWanted(ask=0, game="", position="", legal=()),
    m.Hinted(match="", turn=0, action="", by=""),
    m.HistoryPage(room=1, events=()),
    m.Linked(code="", expires_ms=0),
    n.Ladders(ladders=()),
    n.LadderState(
        ladder=n.LadderLine(
            name="a", game="", format="endless", clock=m.ClockOptions(), state="finished", owner="",
            at=0,
        ),
        seq=1,
    ),
    n.PairPage(ladder="a", pairs=()),
    n.RatingHistory(ladder="a", points=()),
    n.LadderTold(ladder="a", code="", text=""),
    a.AnalysisWanted(ask=0, game="", actions=(), expires_ms=0),
    a.AnalysisUnwanted(ask=0),
    a.Analysed(match="", bot="", analysis=NOTHING),
)  # fmt: skip


def _kick(**fields: Any) -> dict[str, Any]:
    return {"type": "kick", "id": 5, "room": 1, "seat": 1} | fields


def _report(**fields: Any) -> dict[str, Any]:
    play = {"ply": 0, "seat": 0, "action": "5", "loss": 0.5} | fields
    analysis = {"game": "", "by": "", "unit": "value", "totals": [{}, {}], "plays": [play]}
    return {"type": "report_analysis", "id": 5, "ask": 3, "analysis": analysis}


BAD_FRAME, BAD_MESSAGE = "protocol/bad-frame", "protocol/bad-message"
UNKNOWN = "protocol/unknown-type"

# name, the frame (bytes: binary, str: text, else a value for both), the error, the id still read
INVALID: tuple[tuple[str, object, str, int | None], ...] = (
    ("nothing at all, binary", b"", BAD_FRAME, None),
    ("nothing at all, text", "", BAD_FRAME, None),
    ("a message cut short", msgpack.packb(_kick())[:-1], BAD_FRAME, None),
    ("a message cut short, text", '{"type":"link"', BAD_FRAME, None),
    ("two messages in a frame", msgpack.packb({"type": "link"}) * 2, BAD_FRAME, None),
    ("two messages in a frame, text", '{"type":"link"}{"type":"link"}', BAD_FRAME, None),
    ("a byte order mark", '\ufeff{"type":"link"}', BAD_FRAME, None),
    ("a byte that msgpack never uses", b"\xc1", BAD_FRAME, None),
    ("a list said to be 4 G long", b"\xdd\xff\xff\xff\xff", BAD_FRAME, None),
    ("lists said to be long, nested", (b"\xdd" + struct.pack(">I", 60_000)) * 99, BAD_FRAME, None),
    ("a map said to be 4 G long", b"\xdf\xff\xff\xff\xff", BAD_FRAME, None),
    ("a text said to be 4 G long", b"\xdb\xff\xff\xff\xff", BAD_FRAME, None),
    ("2,000 lists in one another", b"\x91" * 2_000, BAD_FRAME, None),
    ("an extension", b"\x82\xa4type\xa4link\xa1x\xd4\x07x", BAD_FRAME, None),
    ("an empty extension", b"\x82\xa4type\xa4link\xa1x\xc7\x00\x07", BAD_FRAME, None),
    ("a timestamp", msgpack.packb({"type": "link", "x": msgpack.Timestamp(1)}), BAD_FRAME, None),
    ("binary in place of text", msgpack.packb({"type": b"link"}), BAD_FRAME, None),
    ("a key that is a number", msgpack.packb({"type": "link", 1: 1}), BAD_FRAME, None),
    ("text that is not UTF-8", b"\x81\xa4type\xa2\xc3\x28", BAD_FRAME, None),
    ("half a surrogate pair", '{"type":"say","room":1,"text":"\\ud83c"}', BAD_FRAME, None),
    ("no number", '{"type":"kick","room":NaN,"seat":1}', BAD_FRAME, None),
    ("a number that no float holds", '{"type":"link","x":1e999}', BAD_FRAME, None),
    ("a raw line feed in text", '{"type":"say","room":1,"text":"a\nb"}', BAD_FRAME, None),
    ("a list", [1, 2], BAD_MESSAGE, None),
    ("a number", 7, BAD_MESSAGE, None),
    ("no type", {"id": 5}, BAD_MESSAGE, 5),
    ("a type that is a number", {"type": 7, "id": 5}, BAD_MESSAGE, 5),
    ("a field missing", {"type": "kick", "id": 5, "room": 1}, BAD_MESSAGE, 5),
    ("a field of the wrong type", _kick(room="1"), BAD_MESSAGE, 5),
    ("null where a number must be", _kick(room=None), BAD_MESSAGE, 5),
    ("a boolean as a number", _kick(seat=True), BAD_MESSAGE, 5),
    ("a number as a boolean", {"type": "lobby", "id": 5, "follow": 1}, BAD_MESSAGE, 5),
    ("a fraction of nothing", _kick(room=1.0), BAD_MESSAGE, 5),
    ("a number below its range", _kick(room=-1), BAD_MESSAGE, 5),
    ("a number above 2^53", _kick(room=2**53), BAD_MESSAGE, 5),
    ("a number of 64 bits", _kick(room=2**64 - 1), BAD_MESSAGE, 5),
    ("a seat that is none", _kick(seat=2), BAD_MESSAGE, 5),
    ("a word that is none", {"type": "offer", "id": 5, "match": "", "kind": "tea"}, BAD_MESSAGE, 5),
    ("a text too long", {"type": "resign", "id": 5, "match": "1" * 257}, BAD_MESSAGE, 5),
    ("an id that is negative", {"type": "link", "id": -1}, BAD_MESSAGE, None),
    ("an id that is a boolean", {"type": "link", "id": True}, BAD_MESSAGE, None),
    ("a loss that is no number", msgpack.packb(_report(loss=math.nan)), BAD_MESSAGE, 5),
    ("a loss without end", msgpack.packb(_report(error=math.inf)), BAD_MESSAGE, 5),
    ("a loss below its range", _report(loss=-0.5), BAD_MESSAGE, 5),
    ("a loss above its range", _report(loss=1_000_001), BAD_MESSAGE, 5),
    ("more options than are told", _report(best=[{"action": "1"}] * 6), BAD_MESSAGE, 5),
    ("an unknown type", {"type": "dance", "id": 5}, UNKNOWN, 5),
    ("a reply in place of a request", {"type": "welcome", "id": 5}, UNKNOWN, 5),
)  # fmt: skip


def lines() -> Iterator[str]:
    """The vectors, a line each."""
    for name, samples in (("full", FULL), ("least", LEAST)):
        for message in samples:
            yield _line(_valid(name, message))
    for title, frame, error, number in INVALID:
        for kind, data in _frames(frame):
            yield _line(
                {"name": title, "direction": "request", "frame": kind, "bytes": data.hex(),
                 "error": error, "fatal": error != UNKNOWN, "re": number}
            )  # fmt: skip


def _valid(name: str, message: m.Request | m.Push) -> dict[str, object]:
    plain = msgspec.to_builtins(message)
    return {
        "name": f"{plain['type']}, {name}",
        "direction": "request" if isinstance(message, m.Request) else "reply",
        "message": plain,
        "msgpack": codec.encode(message).hex(),
        "json": codec.encode(message, text=True).decode(),
    }


def _frames(frame: object) -> Iterator[tuple[str, bytes]]:
    if isinstance(frame, bytes):
        yield "binary", frame
    elif isinstance(frame, str):
        yield "text", frame.encode()
    else:
        yield "binary", msgpack.packb(frame)
        yield "text", json.dumps(frame).encode()


def _line(vector: dict[str, object]) -> str:
    return json.dumps(vector, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text("".join(lines()), encoding="utf-8")
    print(f"{FILE.name}: {sum(1 for _ in lines())} vectors")
