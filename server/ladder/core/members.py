"""Who may be on a ladder, who is not any more, and for whom it waits.

All of it follows from the ladder and from who is connected, which is an argument: a sentence says
why nothing happens, so that no owner has to guess it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import Final

from protocol import ladder as wire
from protocol.errors import Code, Refusal
from server.core.events import Who
from server.core.names.text import clean
from server.core.room import HOUSE
from server.ladder.core import comparing, events
from server.ladder.core.formats import Format, names_player
from server.ladder.core.ladder import Ladder
from server.ladder.core.players import LadderPlayer

CODE: Final = (6, 64)  # characters of the code of a ladder: at least so many, and at most
MAX_NAMED: Final = 8  # players in a sentence, and owners of whom there is one
MAX_EXAMINED: Final = 100  # members, among whom two that could play are looked for: 5 ms


def invited(request: wire.LadderCreate) -> tuple[tuple[str, ...], str | None]:
    """Return who may join a new ladder: its members, and its code.

    Raises:
        Refusal: ladder/bad-option.
    """
    members = tuple(filter(None, (clean(name).strip() for name in request.members)))
    code = request.code
    if code is not None:
        code = clean(code).strip()
        if not CODE[0] <= len(code) <= CODE[1]:
            raise Refusal(
                Code.LADDER_BAD_OPTION, f"a ladder's code has {CODE[0]} to {CODE[1]} characters"
            )
    return members, code


def drop(ladder: Ladder, who: Who, name: str, now: int) -> list[events.LadderEvent]:
    """Return the event by which the ladder's owner, or the host, ends a player's pairs for good.

    It is as with one that the ladder suspends: another version of it may come.

    Raises:
        Refusal: ladder/finished, ladder/not-owner or ladder/no-player.
    """
    ladder.check_owner(who, "drop a bot of")
    player = ladder.players[comparing.find(ladder, name)]
    if player.suspended is not None:
        return []
    by = "the host" if who.session == HOUSE.session else f"{who.name}, the ladder's owner"
    return [events.Suspended(now, player.number, f"dropped by {by}")]


def siblings(ladder: Ladder, form: Format, player: LadderPlayer) -> str | None:
    """Return the sentence that says which other bots of its owner a player does not meet."""
    if form.kind.tests:
        return None
    others = [
        other
        for other in sorted(ladder.players.of_owner(player.who.session), key=lambda p: p.number)
        if other.member
        and other.suspended is None
        and other is not player
        and not ladder.may_meet(player.number, other.number)
    ]
    return _of_one_owner([player, *others]) if others else None


def waits(
    ladder: Ladder,
    form: Format,
    free: Mapping[int, int] | None,
    missing: int,
    meet: Callable[[int, int], bool],
) -> tuple[wire.LadderWait, ...]:
    """Return what a ladder that is not over waits for, and who never meets on it.

    `free`: slots left of the members that are here, by number; None while a pair is on, as it waits
    for nothing then.  `missing`: how many have to join before it begins; `meet`: whether two have
    anything to play, ever.
    """
    reason = _reason(ladder, form, free, missing, meet) if free is not None else None
    kin = () if form.kind.tests else islice(_kin(ladder), MAX_NAMED)
    return (*((reason,) if reason is not None else ()), *kin)


def _reason(
    ladder: Ladder,
    form: Format,
    free: Mapping[int, int],
    missing: int,
    meet: Callable[[int, int], bool],
) -> wire.LadderWait | None:
    if missing > 0:
        bots = "1 more bot" if missing == 1 else f"{missing} more bots"
        return wire.LadderWait(why="players", count=missing, text=f"waits for {bots} to join")
    members = list(islice(_active(ladder), MAX_EXAMINED))
    named = [n for n in form.bots if not any(names_player(n, p.title) for p in members)]
    if named:
        return _waiting("joining", named, "waits for {}, not joined yet")
    couples = [
        couple
        for couple in combinations(members, 2)
        if _has_pairs_left(ladder, form, *couple) and meet(couple[0].number, couple[1].number)
    ]
    here = [couple for couple in couples if all(p.number in free for p in couple)]
    if here:
        busy = [[p for p in couple if free[p.number] <= 0] for couple in here]
        if not all(busy):
            return None  # a pair begins at any moment
        return _waiting("busy", _titles(p for each in busy for p in each), "waits for a slot of {}")
    away = _titles(p for couple in couples for p in couple if p.number not in free)
    if away:
        return _waiting("away", away, "waits for {}, not connected")
    text = "waits for another bot to join"
    if len(members) > 1:
        text += ": of those that have, no two have anything left to play"
    return wire.LadderWait(why="opponents", text=text)


def _has_pairs_left(ladder: Ladder, form: Format, one: LadderPlayer, two: LadderPlayer) -> bool:
    if (one.anchor and two.anchor) or not form.pairs_up(one.title, two.title):
        return False
    return not form.pairs or ladder.played(one.number, two.number) < form.pairs


def _active(ladder: Ladder) -> Iterator[LadderPlayer]:
    return ladder.players.active()


def _kin(ladder: Ladder) -> Iterator[wire.LadderWait]:
    """Yield, for each owner with several bots that do not meet, which those are."""
    if ladder.made.siblings:
        return
    families: dict[int, list[LadderPlayer]] = {}
    for player in _active(ladder):
        families.setdefault(player.who.session, []).append(player)
    for family in families.values():
        if len(family) > 1 and not ladder.may_meet(family[0].number, family[1].number):
            titles = _titles(family)
            yield wire.LadderWait(
                why="siblings", players=tuple(titles[:MAX_NAMED]), count=len(titles),
                text=_of_one_owner(family),
            )  # fmt: skip


def _of_one_owner(family: Sequence[LadderPlayer]) -> str:
    return (
        f"{_listed(_titles(family))} are of one owner and do not meet here: that takes a ladder"
        " made with --siblings"
    )


def _titles(players: Iterable[LadderPlayer]) -> list[str]:
    return list(dict.fromkeys(player.title for player in players))


def _waiting(why: str, names: Sequence[str], text: str) -> wire.LadderWait:
    return wire.LadderWait(
        why=why,
        players=tuple(names[:MAX_NAMED]),
        count=len(names),
        text=text.format(_listed(names)),
    )


def _listed(names: Sequence[str]) -> str:
    """Return names in a sentence; of many some, and how many more there are."""
    if len(names) > MAX_NAMED:
        return f"{', '.join(names[:MAX_NAMED])} and {len(names) - MAX_NAMED} more"
    *some, last = names
    return f"{', '.join(some)} and {last}" if some else last
