"""Clocks of a match as values, in integer milliseconds.  No clock here ever asks what time it is.

Three kinds, by what is set: `base` and `increment` (Fischer: the increment is added after each
action), `per_move` (that much for every action, anew), or neither (time is measured but never runs
out).

A clock that has been started does not run before its position was shown: `since` is None until
then.  And with a time to begin (`begin`) none runs before both seats have acted: until then an
action costs what it takes beyond that time.  What happens to a match that is not begun in time is
not said here.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Millis: TypeAlias = int
PauseReason: TypeAlias = Literal["pair", "server", "store"]  # see docs/reference/rooms.md

LAG_PER_MOVE: Millis = 200  # a slow connection is forgiven this much an action ...
LAG_PER_MATCH: Millis = 5_000  # ... and this much a match, so that no player gains by lag ...
LAG_SHARE = 20  # ... and no more than one in so many of a clock: a peer may be late on purpose

BEGIN: Millis = 40_000  # to make a first move: to see that one's opponent is there, and to think
BEGIN_SHARE = 20  # ... and at least one in so many of a clock of hours, which nobody sits before
BOTH = 3

DAY: Millis = 24 * 3_600_000
LONG_SUGGESTED: Millis = 30_000  # of a clock of days: to think longer finds little, and costs much


class Clock(NamedTuple):
    """Clock of two seats.  remaining[s] is exact while s is not running.

    `begin`: the time to begin, 0 for none; `acted`: which seats have, seat s as the bit 1 << s.

    >>> clock = fischer(60_000, increment=1_000).start(0).shown(now=0)
    >>> clock.left(0, now=4_000), clock.fallen(now=60_001, lag=0)
    (56000, True)
    >>> clock.press(spent=4_000, lag=0).remaining
    (57000, 60000)
    """

    remaining: tuple[Millis, Millis] = (0, 0)
    increment: Millis = 0
    per_move: Millis = 0
    timed: bool = False
    running: int | None = None
    since: Millis | None = None
    lag_left: tuple[Millis, Millis] = (LAG_PER_MATCH, LAG_PER_MATCH)
    paused: PauseReason | None = None
    used: Millis = 0  # for this action, before a pause
    begin: Millis = 0
    acted: int = 0

    @property
    def is_long(self) -> bool:
        """Whether each action has a day or more, so that nobody sits before it."""
        return self.per_move >= DAY

    @property
    def free(self) -> Millis:
        """How much of the action that is due costs nothing."""
        return 0 if self.acted == BOTH else self.begin

    def to_begin(self, now: Millis) -> Millis:
        """How much of that is left at `now`."""
        return max(0, self.free - self.thought(now))

    def begin_until(self) -> Millis | None:
        """When that is over; None where there is none, or it does not pass yet."""
        if not self.free or self.running is None or self.since is None:
            return None
        return self.since + self.free - self.used

    def left(self, seat: int, now: Millis) -> Millis:
        """Time that `seat` has left at `now`, never below 0."""
        return max(0, self.remaining[seat] - max(0, self.spent(seat, now) - self.free))

    def spent(self, seat: int, now: Millis) -> Millis:
        """Time that `seat` has used for the action it is thinking about."""
        if seat != self.running:
            return 0
        return self.used if self.since is None else self.used + max(0, now - self.since)

    def thought(self, now: Millis) -> Millis:
        """Time that whoever is to act has used for it."""
        return 0 if self.running is None else self.spent(self.running, now)

    def credit(self, seat: int, lag: Millis) -> Millis:
        """Return how much of a measured `lag` this seat is forgiven now."""
        if not lag:
            return 0
        most = min(LAG_PER_MOVE, self.per_move // LAG_SHARE) if self.per_move else LAG_PER_MOVE
        return max(0, min(lag, most, self.lag_left[seat]))

    def forgiving(self, is_ladder: bool) -> Clock:
        """Return this clock at a match's start, with what lag both seats are forgiven in all.

        On a ladder there is none: programs run where they like, and their ratings are at stake.
        """
        most = 0 if is_ladder else LAG_PER_MATCH
        if self.timed and not self.per_move:
            most = min(most, *(each // LAG_SHARE for each in self.remaining))
        return self._replace(lag_left=(most, most))

    def deadline(self, lag: Millis) -> Millis | None:
        """When the running seat's flag falls, lag credit included; None while nothing runs out."""
        if not self.timed or self.running is None or self.since is None:
            return None
        left = self.remaining[self.running] + self.free - self.used
        return self.since + left + self.credit(self.running, lag)

    def lasts(self, until: Millis) -> bool:
        """Whether it runs, and no flag falls before `until`, whatever lag is forgiven."""
        if not self.timed or self.running is None or self.since is None:
            return False
        if self.acted != BOTH and self.begin:
            return False
        if self.per_move >= DAY:  # other things are due before
            return False
        return until <= self.since + self.remaining[self.running] - self.used

    def fallen(self, now: Millis, lag: Millis) -> bool:
        """Whether the running seat's flag has fallen; an action *at* the deadline is in time.

        A pause does not lift a flag that fell before it.
        """
        if not self.timed or self.running is None:
            return False
        late = self.used - self.remaining[self.running]
        if self.since is not None:
            late += now - self.since
        return late > 0 and late - self.free > self.credit(self.running, lag)

    def suggested(self, seat: int) -> Millis:
        """A sensible time for the next action.

        A thirtieth of what remains plus 0.8 of the increment, or 0.9 of the time for each action,
        but of a day or more half a minute; at most 100 ms less than what remains, at least 1 ms.
        """
        remaining = self.remaining[seat]
        share = remaining * 9 // 10 if self.per_move else remaining // 30 + self.increment * 4 // 5
        share = min(share, LONG_SUGGESTED) if self.is_long else share
        return max(1, min(share, remaining - 100))

    def later(self, ms: Millis, now: Millis) -> Clock:
        """Return this clock after a time of `ms`, until `now`, that no player used."""
        if self.since is None:
            return self
        return self._replace(since=max(self.since, min(now, self.since + ms)))

    def start(self, seat: int | None) -> Clock:
        """Give the turn to `seat` (None: to neither); time passes once the position is shown.

        Nothing is used for its action yet, and no pause lasts.
        """
        return _clock(self, self.remaining, seat, None, self.lag_left, None)

    def wait(self) -> Clock:
        """Return this clock as it was started: what was used of the time to begin is given back."""
        return self._replace(since=None, used=0)

    def shown(self, now: Millis) -> Clock:
        """Start the running seat's time: its position was sent at `now`."""
        if self.running is None or self.since is not None or self.paused is not None:
            return self
        return tuple.__new__(Clock, (*self[:5], now, *self[6:]))  # see hand_over

    def press(self, spent: Millis, lag: Millis) -> Clock:
        """Stop the running seat's time: it has acted after `spent`; a pause ends as well.

        Of `spent`, `lag` is forgiven (see `credit`), but never more than all of it.
        """
        if self.running is None:
            return self
        remaining, lag_left = self._pressed(self.running, spent, lag)
        new = _clock(self, remaining, None, None, lag_left, None)
        return new if new.acted == BOTH else new._replace(acted=new.acted | 1 << self.running)

    def hand_over(self, spent: Millis, lag: Millis, seat: int | None) -> Clock:
        """Return the same as `press`, and then `start` of the next seat, in one step."""
        (one, two), increment, per_move, timed, running, _, lag_left, _, _, begin, acted = self
        if running is None or lag or acted != BOTH:
            return self.press(spent, lag).start(seat)
        mine = per_move or max(0, (two if running else one) - spent) + increment
        remaining = (one, mine) if running else (mine, two)
        new = (remaining, increment, per_move, timed, seat, None, lag_left, None, 0, begin, acted)
        return tuple.__new__(Clock, new)  # as Clock(...) does, in a third of the time

    def back_to(
        self,
        remaining: tuple[Millis, Millis],
        lag_left: tuple[Millis, Millis],
        moved: tuple[int, int],
        seat: int | None,
    ) -> Clock:
        """Return what `start` of a clock with these times would: an action is taken back.

        `moved`: how many actions of each seat are left.
        """
        acted = (moved[0] > 0) + 2 * (moved[1] > 0)
        return _clock(self, remaining, seat, None, lag_left, None)._replace(acted=acted)

    def _pressed(
        self, seat: int, spent: Millis, lag: Millis
    ) -> tuple[tuple[Millis, Millis], tuple[Millis, Millis]]:
        """Return what remains, and what lag is left to forgive, after an action of `seat`."""
        (one, two), increment, per_move, _, _, _, lag_left, _, _, _, _ = self
        spent = max(0, spent - self.free)
        if lag:
            lag, (first, second) = min(lag, spent), lag_left
            lag_left = (first, second - lag) if seat else (first - lag, second)
        left = (two if seat else one) - spent + lag
        mine = per_move or max(0, left) + increment
        return ((one, mine) if seat else (mine, two)), lag_left

    def stop(self, spent: Millis) -> Clock:
        """Stop for good: charge the running seat the `spent` time and add no increment."""
        seat = self.running
        if seat is None:
            return self
        mine = max(0, self.remaining[seat] - max(0, spent - self.free))
        pair = (mine, self.remaining[1]) if seat == 0 else (self.remaining[0], mine)
        return _clock(self, pair, None, None, self.lag_left, None)

    def pause(self, why: PauseReason, now: Millis | None = None) -> Clock:
        """Stop for a reason that is no player's fault; what was used until `now` counts, or
        nothing.

        `remaining` stays what it was: it changes with the action alone, by the whole time spent.
        """
        used = 0 if now is None or self.running is None else self.spent(self.running, now)
        return _clock(self, self.remaining, self.running, None, self.lag_left, why, used)

    def resume(self) -> Clock:
        """Go on after a pause, from the moment the position is shown again."""
        return _clock(self, self.remaining, self.running, None, self.lag_left, None, self.used)


def _clock(
    old: Clock,
    remaining: tuple[Millis, Millis],
    running: int | None,
    since: Millis | None,
    lag_left: tuple[Millis, Millis],
    paused: PauseReason | None,
    used: Millis = 0,
) -> Clock:
    new = (remaining, *old[1:4], running, since, lag_left, paused, used, old.begin, old.acted)
    return tuple.__new__(Clock, new)  # see hand_over


def time_to_begin(clock: Clock) -> Millis:
    """Return what such a clock has as its time to begin, where that is not said."""
    return max(BEGIN, clock.per_move or clock.remaining[0] // BEGIN_SHARE)


def untimed() -> Clock:
    """Return a clock that measures and never runs out."""
    return Clock()


def fischer(base: Millis, increment: Millis = 0) -> Clock:
    """Return a clock with `base` for the match and `increment` after each action."""
    return Clock((base, base), increment=increment, timed=True)


def each_move(limit: Millis) -> Clock:
    """Return a clock with `limit` for every action."""
    return Clock((limit, limit), per_move=limit, timed=True)
