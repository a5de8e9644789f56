"""Ways to break what the README promises, and the check that must notice each.

A mutant is one place of the source that is written otherwise, in a copy of the tree.  `PROMISES`
are those of the README's table, in its order and words; each has two mutants or more.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Mutant(NamedTuple):
    """`old` stands once in `file`, and `new` takes its place; `check`: what pytest is given, files
    and before them `-m slow`, where their tests are.
    """

    name: str
    file: str
    old: str
    new: str
    check: str


SYNCS: Final = "tests/server/store/sqlite/test_syncs.py"
ACTOR: Final = "tests/server/rooms/test_actor.py"
MATCH: Final = "tests/server/core/test_match.py"
CLOCKS: Final = "tests/server/core/test_clocks.py"
CHAOS: Final = "tests/chaos/test_proxy.py"
VERIFY: Final = "tests/client/records/test_verify.py"
RATING: Final = "tests/server/ladder/core/test_rating.py"
PLUG: Final = "-m slow tests/bench/plug/test_house.py"
SENT_TO_ALL: Final = "everybody = self.peers[:AT_ONCE]\n"

PROMISES: Final[dict[str, tuple[Mutant, ...]]] = {
    "Nothing that anybody was shown is lost": (
        Mutant(
            "unsynced-after-moves",
            "server/store/sqlite/newest.py",
            "        moved = 0\n",
            '        moved = 0\n        db.execute("PRAGMA synchronous = NORMAL")\n',
            SYNCS,
        ),
        Mutant(
            "unsynced",
            "server/store/sqlite/opening.py",
            '    is_synced = checkpoint(db)\n    db.execute("PRAGMA synchronous = FULL")',
            "    is_synced = checkpoint(db)",
            SYNCS,
        ),
        Mutant(
            "unsynced-after-rest",
            "server/store/sqlite/opening.py",
            '        db.execute("PRAGMA busy_timeout = 5000")\n    return not busy',
            '        db.execute("PRAGMA busy_timeout = 5000")\n'
            '        db.execute("PRAGMA synchronous = NORMAL")\n    return not busy',
            SYNCS,
        ),
        Mutant(
            "shown-before-stored",
            "server/rooms/actor.py",
            "        times, done = self.host.times, self._stored",
            "        times, done = self.host.times, lambda error: None\n        self._stored(None)",
            ACTOR,
        ),
        Mutant(
            "unsynced-when-the-power-goes",
            "server/store/sqlite/opening.py",
            '    is_synced = checkpoint(db)\n    db.execute("PRAGMA synchronous = FULL")',
            "    is_synced = checkpoint(db)",
            PLUG,
        ),
        Mutant(
            "shown-before-stored-when-the-power-goes",
            "server/rooms/actor.py",
            "        times, done = self.host.times, self._stored",
            "        times, done = self.host.times, lambda error: None\n        self._stored(None)",
            PLUG,
        ),
        Mutant(
            "mark-before-commit",
            "server/store/sqlite/store.py",
            "        if len(events) == len(rows) and len(rows) in CHUNKS:",
            "        from server.store.checksums import event_sum\n"
            "        for row in events:\n"
            "            last = row.room, row.seq, event_sum(*row)\n"
            "            self._mark.note(HighWaterMark(*self._newest[:3], *last))\n"
            "        if len(events) == len(rows) and len(rows) in CHUNKS:",
            PLUG,
        ),
        Mutant(
            "folder-not-synced",
            "server/store/files.py",
            "                sync(each.parent)",
            "                pass",
            PLUG,
        ),
        Mutant(
            "restored-names-not-synced",
            "server/store/sqlite/copies.py",
            "            files.sync(folder)",
            "            pass",
            PLUG,
        ),
        Mutant(
            "folder-of-what-was-before-not-synced",
            "server/store/sqlite/copies.py",
            "    files.sync(folder.parent)  # what",
            "    # what",
            "tests/server/store/sqlite/test_files.py",
        ),
        Mutant(
            "only-the-first-of-a-batch",
            "server/store/sqlite/writing.py",
            "self._commit([row for rows, _ in batch for row in rows])",
            "self._commit([row for rows, _ in batch[:1] for row in rows])",
            "tests/server/store/sqlite/test_store.py tests/server/store/test_contract.py",
        ),
        Mutant(
            "damage-is-believed",
            "server/store/checksums.py",
            "    return bool(row_sum(row[:-1]) == row[-1])",
            "    return True",
            "tests/server/store/sqlite/test_damage.py tests/server/store/sqlite/test_newest.py",
        ),
    ),
    "An action happens exactly once": (
        Mutant(
            "an-old-turn-is-played",
            "server/core/match.py",
            "    if turn != match.turn:\n        if plies",
            "    if turn > match.turn:\n        if plies",
            MATCH,
        ),
        Mutant(
            "a-repeated-play-is-refused",
            "server/core/match.py",
            "        if plies.answered_before(match.last, match.game, seat, turn, text):",
            "        if False:",
            f"{ACTOR} {MATCH}",
        ),
        Mutant(
            "a-request-is-sent-again-as-another",
            "server/core/past/plies.py",
            "    return text == action.action or _means",
            "    return True or _means",
            MATCH,
        ),
    ),
    "All see the same": (
        Mutant(
            "spectators-miss-results",
            "server/rooms/actor.py",
            SENT_TO_ALL,
            SENT_TO_ALL.replace(
                "self.peers",
                "[p for p in self.peers if self.room.playing() or p.who in self.room.seats]",
            ),
            CHAOS,
        ),
        Mutant(
            "spectators-miss-a-message-now-and-then",
            "server/rooms/actor.py",
            SENT_TO_ALL,
            SENT_TO_ALL.replace(
                "self.peers",
                "[p for p in self.peers if self.room.seq % 9 or p.who in self.room.seats]",
            ),
            CHAOS,
        ),
    ),
    "No clock runs while the server is away": (
        Mutant(
            "a-restart-does-not-stop-the-clock",
            "server/core/playing.py",
            '        pause(work, replace(match, clock=clock), "server", work.now)',
            "        work.room = replace(work.room, match=replace(match, clock=clock))",
            CLOCKS,
        ),
        Mutant(
            "a-failing-log-does-not-stop-the-clock",
            "server/core/playing.py",
            '        pause(work, match, "store", work.now)',
            "        pass",
            CLOCKS,
        ),
    ),
    "No stranger stops a match": (
        Mutant(
            "nothing-is-charged-to-an-address",
            "server/net/addresses.py",
            "            costs.level -= micros",
            "            costs.level -= 0",
            "tests/server/net/test_addresses.py tests/server/test_allowances.py",
        ),
        Mutant(
            "no-address-rests",
            "server/net/addresses.py",
            "TokenBucket(share, config.pace_micros, ",
            "TokenBucket(share, 1000 * config.pace_micros, ",
            "tests/server/net/test_addresses.py tests/server/test_allowances.py",
        ),
        Mutant(
            "rooms-without-end",
            "server/rooms/admission.py",
            "        full = self._by_address.full(",
            "        full = None and self._by_address.full(",
            "tests/server/rooms/test_admission.py",
        ),
    ),
    "Every refusal says why": (
        Mutant(
            "legal-actions-are-kept-back",
            "server/core/match.py",
            "    return Refusal(code, why, legal=position.legal_notation())",
            "    return Refusal(code, why)",
            MATCH,
        ),
        Mutant(
            "silence-in-place-of-a-refusal",
            "server/rooms/peers.py",
            "            self.peer.refuse(no, request.id)",
            "            pass",
            f"{ACTOR} tests/server/test_answers.py",
        ),
    ),
    "The dice can be checked": (
        Mutant(
            "dice-without-salts",
            "games/dice.py",
            "{self.salts[0]}",
            "",
            "tests/games/test_dice.py",
        ),
        Mutant(
            "other-dice-than-the-secrets",
            "server/core/playing.py",
            "match.deal.roll(match.ply, ",
            "match.deal.roll(match.ply + 1, ",
            "tests/server/core/test_dice.py",
        ),
        Mutant(
            "the-secret-is-told-too-soon",
            "server/core/match.py",
            "        secret=None if result is None else _secret(match),",
            "        secret=match.deal.secret.hex() if match.deal else None,",
            "tests/server/core/test_dice.py",
        ),
        Mutant(
            "another-secret-is-not-found-out",
            "client/records/verify.py",
            "    if event.commitment != hashlib.sha256(secret).hexdigest():",
            "    if False:",
            VERIFY,
        ),
        Mutant(
            "another-roll-is-not-found-out",
            "client/records/verify.py",
            "        _check_roll(match, event, action)",
            "        pass",
            VERIFY,
        ),
    ),
    "Ratings say how sure they are": (
        Mutant(
            "intervals-of-68-percent",
            "server/ladder/core/rating.py",
            "NORMAL = 1.959964",
            "NORMAL = 1.0",
            RATING,
        ),
        Mutant(
            "differences-without-covariance",
            "server/ladder/core/rating.py",
            "rows[i][i] + rows[j][j] - 2 * rows[i][j]",
            "rows[i][i]",
            f"{RATING} tests/server/ladder/core/test_intervals.py",
        ),
    ),
}
MUTANTS: Final = {each.name: each for mutants in PROMISES.values() for each in mutants}
