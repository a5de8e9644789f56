"""The difference between two states of a room or a match, as lines for the log.

A server sends whole truths; people want to hear what is new in them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, TypeAlias, assert_never

from client import words
from client.styled_text import StyledText, styled
from client.terminal.shown.interface import LOG_WIDTH
from client.terminal.shown.moves import is_move, move_line, moves
from protocol.analysis import AnalysisWaits
from protocol.devices import DeviceNews
from protocol.hints import HintWaits
from protocol.messages import Declined, Invited, MatchState, RoomState, Said
from protocol.parts import Event, GameInfo, Player

Catalog: TypeAlias = Collection[GameInfo]  # the server's games
UNNAMED_DEVICE: Final = "a device that says nothing of itself"
_NUMBERS: Final = {2: "two", 3: "three", 4: "four"}
_WHY_NOT: Final = {
    "no": "does not want to play now",
    "busy": "is busy",
    "game": "does not play that game",
    "terms": "does not play by these terms",
}


def room_news(old: RoomState | None, new: RoomState, me: str) -> list[StyledText]:
    """Return who else came, left or got ready; nothing if the room is new."""
    if old is None:
        return []
    named = [styled(("event", f"The room is called {new.name}."))] if new.name != old.name else []
    before, after = _others(old, me), _others(new, me)
    gone = [player for name, (player, _) in before.items() if name not in after]
    lines = [*named, *(styled(("event", f"{words.title(player)} got up.")) for player in gone)]
    for name, (player, ready) in after.items():
        earlier = before.get(name)
        if earlier is None:
            lines.append(styled(("event", f"{words.title(player)} sat down.")))
        elif earlier[0].absent != player.absent:
            lines.append(styled(("event", f"{words.title(player)} is {_presence(player)}.")))
        if ready and not (earlier and earlier[1]) and new.state == "waiting":
            lines.append(styled(("event", f"{words.title(player)} is ready.")))
    return lines


def _others(room: RoomState, me: str) -> dict[str, tuple[Player, bool]]:
    """Who else sits there, and whether they are ready; a bot of one's own is somebody else."""
    return {
        words.full_title(player): (player, room.ready[seat])
        for seat, player in enumerate(room.seats)
        if player is not None and words.full_title(player) != me
    }


def _presence(player: Player) -> str:
    return "away: the connection is gone" if player.absent else "back"


def came(old: RoomState | None, new: RoomState, me: str) -> bool:
    """Return whether somebody else sat down."""
    return old is not None and bool(_others(new, me).keys() - _others(old, me).keys())


def match_news(
    old: MatchState | None,
    new: MatchState,
    seat: int | None,
    shown_in_view: bool = False,
    catalog: Catalog = (),
) -> list[StyledText]:
    """Return the beginning and end of a match, and changes of its offers.

    Actions are in `action_news`, an end only where the view does not show it (`shown_in_view`).
    """
    lines: list[StyledText] = []
    if old is None and new.result is None and new.ply <= _opening(new.events):
        lines.append(_begins(new, seat, catalog))
    if old is not None:
        lines += _offer_news(old, new, seat)
        if new.ply < old.ply:
            lines.append(styled(("event", _taken_back(old, new))))
    if new.result is not None and not shown_in_view and (old is None or old.result is None):
        lines.append(styled(("event", words.match_result_text(new, seat))))
    return lines


def _taken_back(old: MatchState, new: MatchState) -> str:
    """Return how many decisions were taken back; rolls are none, and forced passes are."""
    gone = [e for e in old.events if (e.ply or 0) >= new.ply and e.kind != "roll"]
    if len(gone) < 2:
        return "The last action was taken back."
    return f"The last {_NUMBERS.get(len(gone), len(gone))} actions were taken back."


def _opening(events: tuple[Event, ...]) -> int:
    """Return how many plies at the start are no player's decision."""
    return sum(event.kind in ("roll", "opening") for event in events)


def _begins(new: MatchState, seat: int | None, catalog: Catalog) -> StyledText:
    game = words.named_game(new.game, catalog)
    who = [
        f"{'you are' if s == seat else f'{words.title(player)} is'} {words.mark(game, s)}"
        for s, player in enumerate(new.seats)
    ]
    head = f"Match {new.match} of {words.game_title(new.game, catalog)} begins: "
    return styled(("event", f"{head}{', '.join(who)}."))


def _offer_news(old: MatchState, new: MatchState, seat: int | None) -> list[StyledText]:
    """Offers that others made, and those that came to nothing."""
    if new.result is not None:
        return []
    fresh = [offer for offer in new.offers if offer not in old.offers]
    theirs = [offer for offer in fresh if offer.seat != seat]
    lines = [styled(("offer", words.offer_text(o, new, seat))) for o in theirs]
    gone = [offer for offer in old.offers if offer not in new.offers]
    if new.ply == old.ply:
        lines += [styled(("event", f"The {offer.kind} offer is off.")) for offer in gone]
    return lines


def action_news(
    events: tuple[Event, ...],
    old: MatchState | None,
    new: MatchState,
    notes: bool = True,
    catalog: Catalog = (),
) -> list[StyledText]:
    """Return the decisions since `old`, numbered; `events`: all of the match."""
    game = words.named_game(new.game, catalog)
    seen = old.ply if old is not None else 0
    before = sum(1 for e in events if is_move(e) and (e.ply or 0) < seen)
    fresh = moves(events, notes)[before:]
    return [move_line(move, new.seats, game, LOG_WIDTH) for move in fresh]


def said(message: Said) -> StyledText:
    return styled(("chat", f"<{message.name}> "), message.text)


def invited(message: Invited, catalog: Catalog = ()) -> StyledText:
    """Return an invitation, and how to accept it."""
    chosen = words.terms_text(message.options)
    game = ", ".join([words.game_title(message.game, catalog), *chosen])
    key = message.code or str(message.room)
    return styled(
        ("offer", f"{message.by} invites you to {game}: /join {key} within "),
        ("offer", f"{message.expires_ms // 1000} s"),
    )


def declined(message: Declined) -> str:
    return f"{message.by} {_WHY_NOT[message.why]}{f': {message.text}' if message.text else '.'}"


def waits(message: AnalysisWaits | HintWaits) -> str:
    """Return why an analysis or a hint takes longer than usual, and about how much."""
    seconds = words.count(max(1, round(message.wait_ms / 1000)), "second")
    what = "hint" if isinstance(message, HintWaits) else "analysis"
    return f"{message.bot} is getting ready, which takes about {seconds}; the {what} comes then."


def device_news(message: DeviceNews) -> str:
    """Return what was done with one's devices, on another one of them."""
    device = message.device or UNNAMED_DEVICE
    match message.news:
        case "linked":
            return (
                f"Your name is on one more device: {device}. /devices cuts off what is not yours."
            )
        case "cut":
            return f"A device was cut off from your name: {device}."
        case "recovery":
            return "Your name has a new recovery code, made on another device; the old one is void."
        case _:
            assert_never(message.news)
