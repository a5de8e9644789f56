"""The lobby's list by its changes: what is told makes the next list of the last one."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from protocol import parts
from protocol.lobby import applied, bot_key, difference, is_news, lines_of, person_order
from protocol.messages import LobbyList

ANN = parts.Player(name="ann")


def room(number: int, state: str = "waiting", ply: int = 0) -> parts.RoomLine:
    """A room of ann's."""
    return parts.RoomLine(
        room=number, game="tic_tac_toe", state=state, seats=(ANN, None), options=parts.Options(),
        ply=ply, position="./." if ply else None,
    )  # fmt: skip


def bot(name: str, program: str, free: int) -> parts.BotLine:
    """A bot that plays everything."""
    return parts.BotLine(name=name, program=program, version="1", games=[], levels=0, free=free)


def listed(
    rooms: Sequence[parts.RoomLine] = (),
    bots: Sequence[parts.BotLine] = (),
    people: Sequence[parts.PersonLine] = (),
    seq: int | None = None,
) -> LobbyList:
    """A list in the order in which servers send it."""
    return LobbyList(
        rooms=tuple(sorted(rooms, key=lambda line: -line.room)),
        bots=tuple(sorted(bots, key=lambda line: (line.name != "house", bot_key(line)))),
        total=len(rooms) + 3,
        people=tuple(sorted(people, key=person_order)),
        seq=seq,
    )


ROOMS = st.builds(
    room, st.integers(1, 6), st.sampled_from(["waiting", "playing"]), st.integers(0, 2)
)
BOTS = st.builds(
    bot, st.sampled_from(["ann", "house"]), st.sampled_from(["mcts", "x"]), st.integers(0, 2)
)
PEOPLE = st.builds(
    lambda name, playing: parts.PersonLine(name=name, playing=playing),
    st.sampled_from(["ann", "Ann", "bob", "eve"]), st.booleans(),
)  # fmt: skip
LISTS = st.builds(
    listed,
    st.lists(ROOMS, max_size=5, unique_by=lambda line: line.room),
    st.lists(BOTS, max_size=4, unique_by=bot_key),
    st.lists(PEOPLE, max_size=4, unique_by=lambda line: line.name),
)


@settings(max_examples=25, deadline=None)
@given(LISTS, LISTS)
def test_a_change_makes_the_next_list_of_the_last_one(old: LobbyList, new: LobbyList) -> None:
    old = replace(old, seq=7)
    change = difference(old, new)
    if change is None:
        assert old == replace(new, seq=7)
        return
    made = applied(old, change)
    assert sorted(made.bots, key=bot_key) == sorted(new.bots, key=bot_key)
    assert [line.name for line in made.bots] == [line.name for line in new.bots]
    assert replace(made, bots=new.bots) == replace(new, seq=8)


@settings(max_examples=25, deadline=None)
@given(LISTS, LISTS)
def test_what_is_left_out_is_told_with_the_next_change(old: LobbyList, new: LobbyList) -> None:
    old = replace(old, seq=7)
    some = difference(old, new, small=False)
    made = old if some is None else applied(old, some)
    rest = difference(made, new)
    for line in rest.rooms if rest is not None else ():
        before = next(each for each in made.rooms if each.room == line.room)
        assert replace(before, ply=line.ply, position=line.position) == line
    assert rest is None or (rest.people, rest.rooms_gone, rest.bots_gone) == ((), (), ())


def test_only_what_has_changed_is_told() -> None:
    old = listed([room(n) for n in range(1, 100)], [bot("house", "mcts", 3)], seq=1)
    new = listed([room(n) for n in range(2, 101)], [bot("house", "mcts", 3)])
    change = difference(old, new)
    assert change is not None
    assert (change.rooms, change.rooms_gone, change.seq) == ((room(100),), (1,), 2)
    assert lines_of(change) == 2


def test_the_last_free_slot_of_a_bot_is_news_and_the_one_before_is_not() -> None:
    assert not is_news(bot("house", "mcts", 3), bot("house", "mcts", 2))
    assert is_news(bot("house", "mcts", 1), bot("house", "mcts", 0))
    assert is_news(bot("house", "mcts", 0), bot("house", "mcts", 1))
    assert is_news(bot("house", "mcts", 2), replace(bot("house", "mcts", 1), version="2"))
