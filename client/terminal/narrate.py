"""What happened between two states of a room or a match, as lines for the log.

A server sends whole truths; people want to hear what is new in them.
"""

from __future__ import annotations

from client.terminal.board import known_game
from client.terminal.lines import Line, line
from client.terminal.moves import move_line, moves
from client.terminal.wording import (
    full_title,
    game_title,
    mark,
    offer_text,
    result_text,
    title,
)
from protocol.messages import Event, Invited, MatchState, Player, RoomState, Said

LOG_WIDTH = 100  # columns that a line about an action may fill


def room_news(old: RoomState | None, new: RoomState, me: str) -> list[Line]:
    """Who else came, went, got ready; nothing where the room was not known before."""
    if old is None:
        return []
    before, after = _others(old, me), _others(new, me)
    gone = [player for name, (player, _) in before.items() if name not in after]
    found = [line(("event", f"{title(player)} got up.")) for player in gone]
    for name, (player, ready) in after.items():
        known = before.get(name)
        if known is None:
            found.append(line(("event", f"{title(player)} sat down.")))
        elif known[0].absent != player.absent:
            found.append(line(("event", f"{title(player)} is {_presence(player)}.")))
        if ready and not (known and known[1]) and new.state == "waiting":
            found.append(line(("event", f"{title(player)} is ready.")))
    return found


def _others(room: RoomState, me: str) -> dict[str, tuple[Player, bool]]:
    """Who else sits there, and whether they are ready; a bot of one's own is somebody else."""
    return {
        full_title(player): (player, room.ready[seat])
        for seat, player in enumerate(room.seats)
        if player is not None and full_title(player) != me
    }


def _presence(player: Player) -> str:
    return "away: the connection is gone" if player.absent else "back"


def came(old: RoomState | None, new: RoomState, me: str) -> bool:
    """Whether somebody else sat down."""
    return old is not None and bool(_others(new, me).keys() - _others(old, me).keys())


def match_news(
    old: MatchState | None, new: MatchState, seat: int | None, told: bool = False
) -> list[Line]:
    """That a match began or ended, and what became of offers.

    Actions are told by `action_news`, an end only where the scene does not tell it (`told`).
    """
    found: list[Line] = []
    if old is None and new.result is None and new.ply <= _opening(new.events):
        found.append(_begins(new, seat))
    if old is not None:
        found += _offer_news(old, new, seat)
        if new.ply < old.ply:
            found.append(line(("event", "The last action was taken back.")))
    if new.result is not None and not told and (old is None or old.result is None):
        found.append(line(("event", result_text(new, seat))))
    return found


def _opening(events: tuple[Event, ...]) -> int:
    """How many plies at the start are nobody's decision."""
    return sum(event.kind in ("roll", "opening") for event in events)


def _begins(new: MatchState, seat: int | None) -> Line:
    game = known_game(new.game)
    who = [
        f"{'you are' if s == seat else f'{title(player)} is'} {mark(game, s)}"
        for s, player in enumerate(new.seats)
    ]
    head = f"Match {new.match} of {game_title(new.game, game)} begins: "
    return line(("event", f"{head}{', '.join(who)}."))


def _offer_news(old: MatchState, new: MatchState, seat: int | None) -> list[Line]:
    """Offers that others made, and those that came to nothing."""
    if new.result is not None:
        return []
    made = [offer for offer in new.offers if offer not in old.offers]
    theirs = [offer for offer in made if offer.seat != seat]
    found = [line(("offer", offer_text(o.kind, o.seat, new, seat))) for o in theirs]
    gone = [offer for offer in old.offers if offer not in new.offers]
    if new.ply == old.ply:
        found += [line(("event", f"The {offer.kind} offer is off.")) for offer in gone]
    return found


def action_news(events: tuple[Event, ...], old: MatchState | None, new: MatchState) -> list[Line]:
    """The decisions since `old`, numbered; `events`: all of the match."""
    game = known_game(new.game)
    seen = old.ply if old is not None else 0
    before = sum(1 for e in events if e.kind != "roll" and (e.ply or 0) < seen)
    fresh = moves(events)[before:]
    return [move_line(move, new.seats, game, LOG_WIDTH) for move in fresh]


def said(message: Said) -> Line:
    """A line of chat."""
    return line(("chat", f"<{message.name}> "), message.text)


def invited(message: Invited) -> Line:
    """An invitation, and how to accept it."""
    game = game_title(message.game, known_game(message.game))
    key = message.code or str(message.room)
    return line(
        ("offer", f"{message.by} invites you to {game}: /join {key} within "),
        ("offer", f"{message.expires_ms // 1000} s"),
    )
