"""The cases: what may happen to a bot at a server, and what a bot does then that behaves.

Each takes a Script with a room of its own, and raises CaseFailed or NotTried.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Final, TypeAlias

from games import registry
from games.game import Game
from games.registry import UnknownGame
from lab.doctor.script import ANSWER_S, PLAY_S, CaseFailed, NotTried, Script
from lab.doctor.wire import GOING_AWAY, POLICY
from protocol import messages
from protocol.errors import Code
from protocol.parts import ClockOptions, Clocks, Offer_

Case: TypeAlias = Callable[[Script], Awaitable[None]]  # its first line says what it expects

COMES_BACK_S: Final = 20.0  # a pause is 15 s at most
# Seat 1 is to roll with a checker on the bar, before a home board that is closed.
SHUT_OUT: Final = "XGID=aBBBBBB-C----------eed----:0:0:-1:00:0:0:0:0:10"
LITTLE_MS: Final = 1_000
FLOOD: Final = 100
TURNED_AWAY: Final = 4
SHORTEST_FIRST: Final = ("tic_tac_toe", "connect_four", "ultimate_tic_tac_toe", "backgammon")
STRANGE: Final = {"mood": "sunny", "weather": {"wind": [1, 2, {"deep": None}]}, "then": [[]]}


async def whole_match(script: Script) -> None:
    """It joins and is ready when it is invited, and plays a match to its end."""
    await _begin(script)
    await script.play_out()
    _no_strays(script)


async def first_seat(script: Script) -> None:
    """It looks where it sits: on seat 0 it begins."""
    _choose(script)
    script.seat = 0
    await script.sit()
    await script.start()
    await script.play_out()
    _no_strays(script)


async def private_room(script: Script) -> None:
    """It hands on the code of a private room."""
    _choose(script)
    script.code = "QK7PDM"
    await script.sit()
    await script.start()
    await script.one_turn()


async def dice(script: Script) -> None:
    """With dice it plays each roll, and asks for none."""
    _choose(script, dice=True)
    await script.sit()
    await script.start()
    for _ in range(4):
        if script.result is None:
            await script.one_turn()
    _no_strays(script)


async def forced_pass(script: Script) -> None:
    """It plays nothing where it can only pass: the server does that."""
    _choose(script, name="backgammon")
    await script.sit()
    await script.start(SHUT_OUT)
    assert any(event.kind == "pass" for event in script.events), "there is nothing but to pass"
    await script.quiet(0.3)
    _no_strays(script)
    await script.play_out(3)
    _no_strays(script)


async def nearly_no_time(script: Script) -> None:
    """It plays in time with a second on its clock."""
    _choose(script)
    await script.sit(ClockOptions(base_ms=60_000))
    script.clocks = _clock(script, 60_000)
    await script.start()
    if script.at().to_move != script.seat:
        script.opponent()
    script.clocks = _clock(script, LITTLE_MS)
    await script.show()
    await script.take(await script.hear_play(LITTLE_MS / 1_000))


async def cut_in_mid_match(script: Script) -> None:
    """It comes back after a lost connection, with its token, and answers what is still asked."""
    await _begin(script)
    await script.one_turn()
    while script.at().to_move != script.seat and script.result is None:
        script.opponent()
    await script.show()
    await script.hear_play()  # which is lost with the connection
    await script.wire.cut()
    await script.back(COMES_BACK_S)
    await script.take(await script.hear_play())
    await script.play_out()


async def restart(script: Script) -> None:
    """It comes back after a restart of the server, with growing pauses, and plays on."""
    await _begin(script)
    await script.one_turn()
    text = "the server starts again; come back in a moment"
    await script.send(messages.Bye(code=str(Code.SERVER_CLOSING), text=text))
    await script.wire.cut(GOING_AWAY)
    what = f"{TURNED_AWAY} attempts to connect again"
    try:
        pauses = await script.wire.turn_away(TURNED_AWAY, COMES_BACK_S * script.patience)
    except TimeoutError:
        seconds = COMES_BACK_S * script.patience
        raise CaseFailed(what, f"there were fewer within {seconds:g} s") from None
    if pauses[-1] <= pauses[0]:
        shown = ", ".join(f"{pause:.2f}" for pause in pauses)
        raise CaseFailed("growing pauses between attempts", f"they were {shown} s")
    await script.back(COMES_BACK_S)
    await script.play_out()


async def takeback(script: Script) -> None:
    """It plays on after a takeback: another turn, and a position from before."""
    await _begin(script)
    await script.one_turn()
    first = await script.one_turn()
    script.offers = (Offer_("takeback", script.other),)
    script.seq += 1
    await script.show()
    await script.quiet(0.3, "its answer to a takeback, or none")
    ply = max(i for i, (p, _) in enumerate(script.past) if p.to_move == 1 - script.seat)
    while script.past[ply][0].to_move != script.seat:
        ply -= 1
    script.position = script.past[ply][0]
    del script.past[ply:]
    script.events = [event for event in script.events if (event.ply or 0) < ply]
    script.seq += 1
    script.turn, script.offers, script.result, script.state = script.seq, (), None, "playing"
    await script.show()
    again = await script.hear_play()
    if again.turn == first.turn:
        raise CaseFailed(f"the new turn {script.turn}", f"it was {again.turn}")
    await script.take(again)


async def same_question(script: Script) -> None:
    """Asked the same turn again, because of an offer, it says the same or nothing."""
    await _begin(script)
    if script.at().to_move != script.seat:
        script.opponent()
    await script.show()
    play = await script.hear_play()
    script.seq += 1
    script.offers = (Offer_("draw", script.other),)
    await script.show()
    for other in await script.quiet(0.5):
        if isinstance(other, messages.Play) and other.action != play.action:
            what = f"no other answer to turn {play.turn} than {play.action}"
            raise CaseFailed(what, f"it was {other.action}")
    script.strays.clear()
    await script.take(play)


async def too_early(script: Script) -> None:
    """A play that was not carried out is sent again, and not before `retry_ms` have passed."""
    await _begin(script)
    await script.one_turn()
    while script.at().to_move != script.seat and script.result is None:
        script.opponent()
    await script.show()
    first = await script.hear_play()
    text = "too much is asked for at once; wait a moment"
    await script.refuse(first, Code.SESSION_FLOOD, text, retry_ms=400, match=script.match)
    at = script.wire.now()
    again = await script.hear_play(ANSWER_S)
    if again.action != first.action:
        raise CaseFailed(f"the same play again, {first.action}", f"it was {again.action}")
    waited = script.wire.now() - at
    if waited < 0.35:
        raise CaseFailed("400 ms of `retry_ms` waited for", f"it came after {waited * 1000:.0f} ms")
    await script.take(again)


async def refused_action(script: Script) -> None:
    """After `match/illegal-action` it plays another of `legal`, or resigns."""
    await _begin(script)
    if script.at().to_move != script.seat:
        script.opponent()
    await script.show()
    play = await script.hear_play()
    others = tuple(text for text in script.at().legal_notation() if text != play.action)
    text = f"{play.action!r} is not legal here"
    await script.refuse(play, Code.MATCH_ILLEGAL_ACTION, text, legal=others)
    what = "another action of `legal`, or a `resign`"
    answer = await script.expect(
        messages.Request, what, PLAY_S,
        lambda r: isinstance(r, messages.Play | messages.Resign | messages.Abort),
    )  # fmt: skip
    match answer:
        case messages.Play(action=action) if action not in others:
            raise CaseFailed(what, f"it played {action!r} again")
        case messages.Play():
            await script.take(answer)
        case _:
            script.give_up("resign")
            await script.answer(answer)
            await script.show()


async def opponent_away(script: Script) -> None:
    """While its opponent is away it stays in the match, and plays when that is back."""
    await _begin(script)
    await script.one_turn()
    script.absent, script.seq = True, script.seq + 1
    await script.show_room()
    await script.show()
    for request in await script.quiet(0.5, "the bot to wait"):
        if isinstance(request, messages.Leave | messages.Resign):
            raise CaseFailed("the bot to wait", f"it sent `{request.__struct_config__.tag}`")
    script.absent, script.seq = False, script.seq + 1
    await script.show_room()
    await script.one_turn()


async def opponent_gone(script: Script) -> None:
    """It gets up when its opponent has left after the match: a seat costs a slot."""
    await _begin(script)
    await script.play_out()
    await script.quiet(0.2)
    script.gone, script.ready, script.seq = True, [False, False], script.seq + 1
    await script.show_room()
    if not script.left:
        leave = await script.expect(messages.Leave, "a `leave`", 2 * ANSWER_S)
        await script.otherwise(leave)


async def unknown_things(script: Script) -> None:
    """Fields and messages that it does not know change nothing."""
    _choose(script)
    script.extra = STRANGE
    await script.wire.send({"type": "weather", "re": None, "room": script.room, "sky": "clear"})
    await script.sit()
    await script.start()
    await script.wire.send({"type": "match_mood", "match": script.match, "turn": script.turn})
    await script.wire.send({"type": "ladder_told_otherwise", **STRANGE})
    await script.one_turn()
    await script.send(messages.Error(code="match/never-heard-of", text="a refusal from later on"))
    await script.play_out()
    _no_strays(script)


async def ready_once(script: Script) -> None:
    """It says `ready` once, whatever else happens in the room."""
    _choose(script)
    await script.sit()
    for watching in range(5):
        script.seq += 1
        await script.send(script.room_state(), watching=watching)
    script.ready[1 - script.seat], script.seq = True, script.seq + 1
    await script.show_room()
    heard = await script.quiet(0.5)
    again = sum(1 for r in heard if isinstance(r, messages.Ready) and r.room == script.room)
    if again:
        raise CaseFailed("one `ready`", f"there were {again} more")
    await script.start()
    await script.one_turn()


async def flood(script: Script) -> None:
    """A hundred messages at once are read, and answered with one play at most for a turn."""
    await _begin(script)
    if script.at().to_move != script.seat:
        script.opponent()
    for number in range(FLOOD):
        said = messages.Said(room=script.room, seq=script.seq, name="eve", text="hey", at=number)
        await script.send(said)
        await script.send(script.room_state(), watching=number)
        if number % 4 == 0:
            await script.show()
    play = await script.hear_play()
    heard = [play, *(r for r in await script.quiet(0.5) if isinstance(r, messages.Play))]
    if len({r.action for r in heard if r.turn == play.turn}) > 1:
        raise CaseFailed("the same answer to the same turn", "it was answered in several ways")
    script.strays.clear()
    others = len(heard)
    if others > FLOOD:
        raise CaseFailed(f"fewer than {FLOOD} plays", f"there were {others}")
    await script.take(play)


async def replaced(script: Script) -> None:
    """It does not come back after `session/replaced`: another program plays on in its place."""
    text = "another connection of this program plays on"
    await script.send(messages.Bye(code=str(Code.SESSION_REPLACED), text=text))
    await script.wire.cut(POLICY)
    try:
        await script.wire.reopen(2.0 * script.patience)
    except TimeoutError:
        return
    raise CaseFailed("no further connection", "it came back")


CASES: Final[tuple[Case, ...]] = (
    whole_match, first_seat, private_room, dice, forced_pass, nearly_no_time, takeback,
    same_question, too_early, refused_action, opponent_away, opponent_gone, unknown_things,
    ready_once, flood, cut_in_mid_match, restart, replaced,
)  # fmt: skip


def title(case: Case) -> str:
    return (case.__doc__ or "").strip().split("\n")[0].rstrip(".")


async def _begin(script: Script) -> None:
    """Have the bot sit down to a game that it plays, and begin."""
    _choose(script)
    await script.sit()
    await script.start()


def _choose(script: Script, *, dice: bool = False, name: str | None = None) -> None:
    """Choose a game that the bot plays, the shortest of the house's first.

    Raises:
        NotTried: it plays none that will do.
    """
    wanted = script.guest.games or registry.names()
    games = _known(wanted)
    if name is not None or dice:
        games = [game for game in games if game.has_chance and name in (None, game.name)]
        kind = name or "a game with dice"
    else:
        kind = f"a game that is known here, but only {', '.join(wanted)}"
    if not games:
        raise NotTried(f"it does not play {kind}")
    script.game = games[0]


def _known(wanted: Collection[str]) -> list[Game]:
    """Those games that are known here, the shortest of the house's first."""
    games = []
    for name in dict.fromkeys((*SHORTEST_FIRST, *wanted)):
        if name in wanted:
            try:
                games.append(registry.game(name))
            except UnknownGame:
                continue  # it cannot be refereed here
    return games


def games_for(wanted: Collection[str]) -> list[str]:
    """Which of these games the cases will be played in."""
    games = _known(wanted)
    dice = [game for game in games if game.has_chance]
    passes = [game for game in dice if game.name == "backgammon"]
    return list(dict.fromkeys(game.name for game in (*games[:1], *dice[:1], *passes)))


def _clock(script: Script, left: int) -> Clocks:
    """A minute for the opponent, and so much for the bot."""
    remaining = (60_000, left) if script.seat == 1 else (left, 60_000)
    return Clocks(remaining=remaining, running=script.seat, suggested_ms=max(1, left // 30))


def _no_strays(script: Script) -> None:
    if script.strays:
        play = script.strays[0]
        raise CaseFailed(
            "a `play` only where `legal` is there",
            f"it played {play.action!r} at turn {play.turn}, unasked",
        )
