"""A member's copy of rooms, matches, chat and lobby, which is fed with messages.  Sans-I/O.

    replica = Replica()
    async for message in connection:
        replica.feed(message, now=...)     # replies of requests are fed, too

An older message never overwrites a newer one: a room's `seq` never goes back.  A match message
brings only its last eight actions; `actions` puts them together into the whole course of the match,
and where some are missing `gap` says from which seq on `history` has them:

    while (since := replica.gap(match)) is not None:
        replica.fill(await connection.history(room, since))

A course is a stack.  An action at ply p stands on those below it and removes what stood at p and
above: that is also what a takeback does.  Times are the caller's milliseconds, of any clock that
never goes back.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from protocol import lobby, parts
from protocol import messages as wire
from protocol.history import ACTIONS

CHAT_LINES = 200  # of a room; older ones are in `history`
MATCHES = 4  # of a room, the newest; older ones are in `history`
CLOSED_ROOMS = 16  # the last ones; a room that one leaves is dropped by `forget`
REACH = 200  # events before a match's newest action, beside its actions, to look for its start in
WIDER = 4  # times as many, where they do not hold it: a room may have had a million events
EARLY = 64  # changes of the lobby that may come before the list that they belong to


@dataclass(slots=True)
class _Course:
    """The actions of a match as known: all that happened up to `seq` is in `actions`, if the match
    began after `since`.
    """

    since: int
    seq: int
    actions: list[parts.Event] = field(default_factory=list)


class Replica:
    """The newest state of everything that the server has sent to a member.

    >>> replica = Replica(name="ann")
    >>> replica.feed(wire.Said(room=17, seq=5, name="bob", text="hello", at=0))
    >>> [line.text for line in replica.chat[17]]
    ['hello']

    Of whom it is the copy is needed only to find one's own seat: `name` is taken from the welcome
    where it is not given, `program` is a bot's.
    """

    def __init__(self, name: str | None = None, program: str | None = None) -> None:
        self.name = name
        self.program = program
        self.welcome: wire.Welcome | None = None
        self.lobby: wire.LobbyList | None = None
        self.rooms: dict[int, wire.RoomState] = {}
        self.matches: dict[str, wire.MatchState] = {}
        self.chat: dict[int, deque[wire.Said]] = {}
        self.invitations: dict[int, wire.Invited] = {}
        self.declined: dict[int, wire.Declined] = {}  # by room: who did not want to come last
        self._expiry: dict[int, int] = {}
        self._heard_at: dict[str, int] = {}
        self._courses: dict[str, _Course] = {}
        self._early: dict[int, wire.LobbyChanged] = {}  # by `seq`
        self._unheard: set[int] = set()  # rooms of which nothing has come since the welcome

    def feed(self, message: wire.Push, now: int = 0) -> None:
        """Store what a message that came at `now` says; others are ignored."""
        match message:
            case wire.Welcome():
                self._take_welcome(message)
            case wire.LobbyList():
                self._take_lobby(message)
            case wire.LobbyChanged():
                self._early[message.seq] = message
                self._change_lobby()
            case wire.RoomState():
                self._take_room(message)
            case wire.MatchState():
                self._take_match(message, now)
            case wire.Said():
                self._take_said(message)
            case wire.Invited():
                self.invited(now)  # which forgets those that have run out
                self.invitations[message.room] = message
                self._expiry[message.room] = now + message.expires_ms
            case wire.Declined():
                self.declined[message.room] = message
            case wire.HistoryPage():
                self.fill(message)
            case _:
                pass

    def forget(self, room: int) -> None:
        """Drop a room with its matches and chat, as after leaving it."""
        self.rooms.pop(room, None)
        self.chat.pop(room, None)
        self.declined.pop(room, None)
        self.uninvite(room)
        for match in [m for m, state in self.matches.items() if state.room == room]:
            self._forget_match(match)

    def current(self, room: int) -> wire.MatchState | None:
        """Return the room's match that is on, or the last one."""
        state = self.rooms.get(room)
        return None if state is None or state.match is None else self.matches.get(state.match)

    def my_seat(self, where: int | str) -> int | None:
        """The seat of this member in a room (an int) or a match (its id); None: it has none."""
        if isinstance(where, int):
            return self.rooms[where].seat if where in self.rooms else None
        state = self.matches.get(where)
        if state is None:
            return None
        mine = [seat for seat, player in enumerate(state.seats) if self._is_me(player)]
        if len(mine) == 2:  # against oneself: only the room knows, of its newest match
            room = self.rooms.get(state.room)
            return room.seat if room is not None and room.match == where else None
        return mine[0] if mine else None

    def my_turn(self, match: str) -> bool:
        state = self.matches.get(match)
        return state is not None and state.legal is not None and state.result is None

    def invited(self, now: int) -> list[wire.Invited]:
        """Return the invitations that have not run out."""
        for room in [r for r, until in self._expiry.items() if until <= now]:
            self.uninvite(room)
        return list(self.invitations.values())

    def time_left(self, match: str, seat: int, now: int) -> int | None:
        """Milliseconds that `seat` has left at `now`; None: no clock, or no such match."""
        state = self.matches.get(match)
        if state is None or state.clocks is None:
            return None
        clocks = state.clocks
        runs = clocks.running == seat and clocks.paused is None and state.result is None
        spent = max(0, now - self._heard_at[match] - (clocks.begin_ms or 0)) if runs else 0
        return max(0, clocks.remaining[seat] - spent)

    def to_begin(self, match: str, now: int) -> int | None:
        """Milliseconds that the player to move has to begin; None: the match has begun."""
        state = self.matches.get(match)
        if state is None or state.clocks is None or state.clocks.begin_ms is None:
            return None
        passes = state.clocks.paused is None and not any(player.absent for player in state.seats)
        spent = max(0, now - self._heard_at[match]) if passes else 0
        return max(0, state.clocks.begin_ms - spent)

    def actions(self, match: str) -> tuple[parts.Event, ...]:
        """Return the actions from ply 0 on, rolls included; not all of them while there is a `gap`.

        Those that came with `history` carry `match` and `at`, too.
        """
        course = self._courses.get(match)
        return () if course is None else tuple(course.actions)

    def gap(self, match: str) -> int | None:
        """The seq from which on `history` is to be asked for; None where no action is missing.

        It is the same for all matches of a room, so that a page serves each that has a gap.
        """
        state = self.matches.get(match)
        if state is None or self._courses[match].seq == state.seq:
            return None
        return min(course.seq for course, _ in self._incomplete(state.room))

    def fill(self, page: wire.HistoryPage) -> None:
        """Take in a page of history that was asked for with `since` = `gap`."""
        for course, state in self._incomplete(page.room):
            self._fill_course(course, state, page)

    def _take_welcome(self, welcome: wire.Welcome) -> None:
        """Another server, or the same with another log, counts afresh: forget everything."""
        if self.welcome is not None and self.welcome.server != welcome.server:
            self.lobby = None
            self._early.clear()
            for room in {*self.rooms, *self.chat, *(m.room for m in self.matches.values())}:
                self.forget(room)
            self.invitations.clear()
            self._expiry.clear()
        self.welcome = welcome
        self.name = welcome.name
        self._unheard = {*self.rooms, *(match.room for match in self.matches.values())}
        seated = [room for room, state in self.rooms.items() if state.seat is not None]
        for room in seated:
            if room not in welcome.rooms:
                self.forget(room)

    def _take_lobby(self, lobby_list: wire.LobbyList) -> None:
        """Take a list, unless it is the answer that some changes, which came after it, overtook."""
        known = None if self.lobby is None else self.lobby.seq
        late = 0 if known is None or lobby_list.seq is None else known - lobby_list.seq
        if not 0 < late <= EARLY:
            self.lobby = lobby_list
            self._change_lobby()

    def _change_lobby(self) -> None:
        """Apply the changes that are next.  A reply may be read after what was pushed behind it, so
        those of a list that has not come yet wait for it.
        """
        while self.lobby is not None and self.lobby.seq is not None:
            change = self._early.pop(self.lobby.seq + 1, None)
            if change is None:
                break
            self.lobby = lobby.applied(self.lobby, change)
        known = (self.lobby.seq if self.lobby is not None else None) or 0
        waiting = [seq for seq in self._early if seq > known][-EARLY:]
        self._early = {seq: self._early[seq] for seq in waiting}

    def _take_room(self, state: wire.RoomState) -> None:
        before = self.rooms.get(state.room)
        if state.room in self._unheard:
            self._unheard.discard(state.room)
            known = [
                before,
                *[match for match in self.matches.values() if match.room == state.room],
            ]
            if any(each is not None and each.seq > state.seq for each in known):
                self.forget(state.room)  # its server has lost the last moments
                before = None
        if before is None or before.seq <= state.seq:
            self.rooms[state.room] = state
        if state.seat is not None:
            self.uninvite(state.room)
        closed = [room for room, state in self.rooms.items() if state.state == "closed"]
        for room in closed[:-CLOSED_ROOMS]:
            self.forget(room)

    def _take_match(self, state: wire.MatchState, now: int) -> None:
        before = self.matches.get(state.match)
        if before is not None and before.seq > state.seq:
            return
        if before is None:
            self._make_way(state.room)
            since = max(0, state.seq - state.ply - REACH)
            self._courses[state.match] = _Course(since, since)
        self.matches[state.match] = state
        self._heard_at[state.match] = now
        self._join_recent(state)

    def _make_way(self, room: int) -> None:
        """Forget the room's oldest matches, so that a bot may play in it for months."""
        old = [match for match, state in self.matches.items() if state.room == room]
        for match in old[: max(0, len(old) - MATCHES + 1)]:
            self._forget_match(match)

    def _forget_match(self, match: str) -> None:
        del self.matches[match], self._heard_at[match], self._courses[match]

    def _take_said(self, message: wire.Said) -> None:
        chat = self.chat.setdefault(message.room, deque(maxlen=CHAT_LINES))
        if not chat or chat[-1].seq < message.seq:
            chat.append(message)

    def uninvite(self, room: int) -> None:
        self.invitations.pop(room, None)
        self._expiry.pop(room, None)

    def _is_me(self, player: parts.Player) -> bool:
        return player.name == self.name and player.program == self.program

    def _incomplete(self, room: int) -> list[tuple[_Course, wire.MatchState]]:
        """Return the courses of a room's matches that end before the newest message does."""
        states = [state for state in self.matches.values() if state.room == room]
        courses = [(self._courses[state.match], state) for state in states]
        return [(course, state) for course, state in courses if course.seq < state.seq]

    def _join_recent(self, state: wire.MatchState) -> None:
        """Put the message's actions onto what is known, if it is certain that nothing is between.

        That is so where they begin at ply 0, and where one of them is known already, by its seq:
        whatever stood below it then stands there still, for a stack cannot change below an element
        that stays.
        """
        course = self._courses[state.match]
        recent = _stacked(state.events, state.ply)
        indices = {event.seq: index for index, event in enumerate(course.actions)}
        for index, event in enumerate(recent):
            if event.ply == 0 or event.seq in indices:
                below = indices.get(event.seq, 0)
                course.actions[below:] = recent[index:]
                break
        else:
            if state.ply > 0:
                return
            course.actions.clear()
        course.seq = state.seq

    def _fill_course(self, course: _Course, state: wire.MatchState, page: wire.HistoryPage) -> None:
        """Replay the page's actions onto the course; it ends where the message's own actions do."""
        for event in page.events:
            is_ours = event.match == state.match and event.kind in ACTIONS
            if is_ours and course.seq < event.seq <= state.seq:
                _put(course.actions, event)
        end = max([page.next or 0, *(event.seq for event in page.events)])
        if page.next is None and end <= course.seq:
            course.seq = state.seq  # the server has no more; what is missing stays so
        course.seq = max(course.seq, min(end, state.seq))
        self._join_recent(state)
        if course.seq == state.seq and len(course.actions) != state.ply and course.since:
            reach = WIDER * (state.seq - course.since)  # the match began before that
            course.since = course.seq = max(0, state.seq - reach)
            course.actions.clear()


def _stacked(events: tuple[parts.Event, ...], ply: int) -> list[parts.Event]:
    """What is left of `events` when each removes those at its ply and above; below `ply` only."""
    stack: list[parts.Event] = []
    for event in events:
        while stack and _ply(stack[-1]) >= _ply(event):
            stack.pop()
        stack.append(event)
    return [event for event in stack if _ply(event) < ply]


def _put(stack: list[parts.Event], event: parts.Event) -> None:
    """Put an action at its place in a course; one that would leave a hole is left out."""
    if _ply(event) <= len(stack):
        stack[_ply(event) :] = [event]


def _ply(action: parts.Event) -> int:
    return action.ply or 0  # every action has one
