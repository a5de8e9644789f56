"""What a member knows of the house: a copy that is fed with messages.  Sans-I/O.

    replica = Replica()
    async for message in house:
        replica.feed(message, now=...)     # replies of requests are fed, too

A message older than what is known never overwrites it: a room's `seq` never goes back.  A match
message brings only its last eight actions; `actions` puts them together into the whole line of the
match, and where some are missing `gap` says from which seq on `history` has them:

    while (since := replica.gap(match)) is not None:
        replica.fill(await house.history(room, since))

A line is a stack.  An action at ply p stands on those below it and removes what stood at p and
above, which is what a takeback comes to.  Times are the caller's milliseconds, of any clock that
never goes back.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from protocol.messages import (
    Event,
    HistoryPage,
    Invited,
    LobbyList,
    MatchState,
    Player,
    Push,
    RoomState,
    Said,
    Welcome,
)

CHAT_LINES = 200  # of a room; older ones are in `history`
MATCHES = 4  # of a room, the newest; older ones are in `history`
CLOSED_ROOMS = 16  # the last ones; who leaves a room that goes on says `forget`
ACTIONS = frozenset({"play", "pass", "roll", "opening"})  # the kinds of event that are a ply


@dataclass(slots=True)
class _Line:
    """The actions of a match as known: all that happened up to `seq` is in `stack`."""

    stack: list[Event] = field(default_factory=list)
    seq: int = 0


class Replica:
    """The newest of everything a member was told.

    Of whom it is the copy is needed only to find one's own seat: `name` is taken from the welcome
    where it is not given, `program` is a bot's.
    """

    def __init__(self, name: str | None = None, program: str | None = None) -> None:
        self.name = name
        self.program = program
        self.welcome: Welcome | None = None
        self.lobby: LobbyList | None = None
        self.rooms: dict[int, RoomState] = {}
        self.matches: dict[str, MatchState] = {}
        self.chat: dict[int, deque[Said]] = {}
        self.invitations: dict[int, Invited] = {}
        self._expiry: dict[int, int] = {}
        self._heard: dict[str, int] = {}
        self._lines: dict[str, _Line] = {}

    def feed(self, message: Push, now: int = 0) -> None:
        """Learn from a message that came at `now`; one that tells nothing lasting is ignored."""
        match message:
            case Welcome():
                self._welcomed(message)
            case LobbyList():
                self.lobby = message
            case RoomState():
                self._room(message)
            case MatchState():
                self._match(message, now)
            case Said():
                self._said(message)
            case Invited():
                self.invitations[message.room] = message
                self._expiry[message.room] = now + message.expires_ms
            case HistoryPage():
                self.fill(message)
            case _:
                pass

    def forget(self, room: int) -> None:
        """Drop a room with its matches and chat, as after leaving it."""
        self.rooms.pop(room, None)
        self.chat.pop(room, None)
        self._uninvite(room)
        for match in [m for m, state in self.matches.items() if state.room == room]:
            self._forget_match(match)

    def current(self, room: int) -> MatchState | None:
        """The room's match that is on, or was last, as far as it was told."""
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
        """Whether an action of this member is awaited."""
        state = self.matches.get(match)
        return state is not None and state.legal is not None and state.result is None

    def invited(self, now: int) -> list[Invited]:
        """The invitations that have not run out."""
        for room in [r for r, until in self._expiry.items() if until <= now]:
            self._uninvite(room)
        return list(self.invitations.values())

    def time_left(self, match: str, seat: int, now: int) -> int | None:
        """Milliseconds that `seat` has left at `now`; None: no clock, or no such match."""
        state = self.matches.get(match)
        if state is None or state.clocks is None:
            return None
        clocks = state.clocks
        runs = clocks.running == seat and clocks.paused is None and state.result is None
        spent = max(0, now - self._heard[match]) if runs else 0
        return max(0, clocks.remaining[seat] - spent)

    def actions(self, match: str) -> tuple[Event, ...]:
        """The actions from ply 0 on, rolls included; not all of them while there is a `gap`.

        Those that came with `history` carry `match` and `at`, too.
        """
        line = self._lines.get(match)
        return () if line is None else tuple(line.stack)

    def gap(self, match: str) -> int | None:
        """The seq from which on `history` is to be asked for; None where no action is missing.

        It is the same for all matches of a room, so that a page serves each that has a gap.
        """
        state = self.matches.get(match)
        if state is None or self._lines[match].seq == state.seq:
            return None
        return min(line.seq for line, _ in self._open_lines(state.room))

    def fill(self, page: HistoryPage) -> None:
        """Take in a page of history that was asked for with `since` = `gap`."""
        for line, state in self._open_lines(page.room):
            self._fill_line(line, state, page)

    def _welcomed(self, welcome: Welcome) -> None:
        """Another server, or the same with another log, counts afresh: nothing known holds."""
        if self.welcome is not None and self.welcome.server != welcome.server:
            self.lobby = None
            for room in {*self.rooms, *self.chat, *(m.room for m in self.matches.values())}:
                self.forget(room)
            self.invitations.clear()
            self._expiry.clear()
        self.welcome = welcome
        self.name = welcome.name
        seated = [room for room, state in self.rooms.items() if state.seat is not None]
        for room in seated:
            if room not in welcome.rooms:
                self.forget(room)

    def _room(self, state: RoomState) -> None:
        known = self.rooms.get(state.room)
        if known is None or known.seq <= state.seq:
            self.rooms[state.room] = state
        if state.seat is not None:
            self._uninvite(state.room)
        closed = [room for room, state in self.rooms.items() if state.state == "closed"]
        for room in closed[:-CLOSED_ROOMS]:
            self.forget(room)

    def _match(self, state: MatchState, now: int) -> None:
        known = self.matches.get(state.match)
        if known is not None and known.seq > state.seq:
            return
        if known is None:
            self._make_way(state.room)
            self._lines[state.match] = _Line()
        self.matches[state.match] = state
        self._heard[state.match] = now
        self._join_line(state)

    def _make_way(self, room: int) -> None:
        """Forget the room's oldest matches, so that a bot may play in it for months."""
        old = [match for match, state in self.matches.items() if state.room == room]
        for match in old[: max(0, len(old) - MATCHES + 1)]:
            self._forget_match(match)

    def _forget_match(self, match: str) -> None:
        del self.matches[match], self._heard[match], self._lines[match]

    def _said(self, said: Said) -> None:
        lines = self.chat.setdefault(said.room, deque(maxlen=CHAT_LINES))
        if not lines or lines[-1].seq < said.seq:
            lines.append(said)

    def _uninvite(self, room: int) -> None:
        self.invitations.pop(room, None)
        self._expiry.pop(room, None)

    def _is_me(self, player: Player) -> bool:
        return player.name == self.name and player.program == self.program

    def _open_lines(self, room: int) -> list[tuple[_Line, MatchState]]:
        """The lines of a room's matches that end before the match does as it is known."""
        states = [state for state in self.matches.values() if state.room == room]
        lines = [(self._lines[state.match], state) for state in states]
        return [(line, state) for line, state in lines if line.seq < state.seq]

    def _join_line(self, state: MatchState) -> None:
        """Put the message's actions onto what is known, if it is certain that nothing is between.

        That is so where they begin at ply 0, and where one of them is known already, by its seq:
        whatever stood below it then stands there still, for a stack cannot change below an element
        that stays.
        """
        line = self._lines[state.match]
        recent = _stacked(state.events, state.ply)
        known = {event.seq: index for index, event in enumerate(line.stack)}
        for index, event in enumerate(recent):
            if event.ply == 0 or event.seq in known:
                below = known.get(event.seq, 0)
                line.stack[below:] = recent[index:]
                break
        else:
            if state.ply > 0:
                return
            line.stack.clear()
        line.seq = state.seq

    def _fill_line(self, line: _Line, state: MatchState, page: HistoryPage) -> None:
        """Replay the page's actions onto the line; it ends where the message's own actions do."""
        for event in page.events:
            is_ours = event.match == state.match and event.kind in ACTIONS
            if is_ours and line.seq < event.seq <= state.seq:
                _put(line.stack, event)
        end = max([page.next or 0, *(event.seq for event in page.events)])
        if page.next is None and end <= line.seq:
            line.seq = state.seq  # the server has no more; what is missing stays so
        line.seq = max(line.seq, min(end, state.seq))
        self._join_line(state)


def _stacked(events: tuple[Event, ...], ply: int) -> list[Event]:
    """What is left of `events` when each removes those at its ply and above; below `ply` only."""
    stack: list[Event] = []
    for event in events:
        while stack and _ply(stack[-1]) >= _ply(event):
            stack.pop()
        stack.append(event)
    return [event for event in stack if _ply(event) < ply]


def _put(stack: list[Event], event: Event) -> None:
    """Put an action at its place in a line; one that would leave a hole is no part of it."""
    if _ply(event) <= len(stack):
        stack[_ply(event) :] = [event]


def _ply(action: Event) -> int:
    return action.ply or 0  # every action has one
