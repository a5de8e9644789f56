"""The tests of rooms, services, sessions and ladders once more, through the wrong server.

They are the same functions, run in a FarScene.  Left out is what looks into one server for what is
in two, with the reason.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

from tests.server import test_answers, test_names, test_sessions
from tests.server.cluster.far_scene import FarScene
from tests.server.ladder import test_comparing, test_pairs, test_service
from tests.server.past import test_service as test_past
from tests.server.rooms import test_actor, test_failures, test_match_view
from tests.server.services import (
    test_analyses,
    test_considering,
    test_drawings,
    test_hints,
    test_meeting,
    test_placed,
    test_slots,
)

pytestmark = pytest.mark.slow

MODULES: tuple[ModuleType, ...] = (
    test_actor, test_failures, test_match_view, test_analyses, test_drawings, test_hints,
    test_considering, test_placed, test_meeting, test_slots, test_answers, test_names,
    test_sessions, test_past, test_comparing, test_pairs, test_service,
)  # fmt: skip
TIMERS = "it counts timers, and a server that is not alone has one for the lobby's rows"
LATER = "the lobby's rows of rooms elsewhere come a quarter of a second later"
INSIDE = "it looks into the server where its players are for what is in the other one"
EXCUSED = {
    "test_a_bot_that_gets_ready_first_is_waited_for_and_a_newer_question_takes_its_place": TIMERS,
    "test_a_bot_that_goes_or_comes_anew_ends_it": TIMERS,
    "test_many_changes_are_one_list_for_who_follows": TIMERS,
    "test_a_new_room_is_seen_by_who_follows_the_lobby": LATER,
    "test_the_lobby_shows_how_far_a_match_is": LATER,
    "test_the_lobby_shows_the_name_of_a_room": LATER,
    "test_the_lobby_shows_bots_and_their_free_slots": LATER,
    "test_an_answer_is_never_replaced_by_a_newer_list": LATER,
    "test_the_lobby_shows_where_a_match_stands_until_a_while_after_its_end": LATER,
    "test_positions_are_few_and_short": LATER,
    "test_who_waits_for_a_room_that_closes_is_told_so": INSIDE,
    "test_who_comes_back_while_its_room_closes_leaves_no_trace_of_it": INSIDE,
    "test_who_is_back_before_its_join_is_stored_is_shown_the_room": INSIDE,
    "test_a_watcher_that_goes_meanwhile_is_not_followed_up": INSIDE,
    "test_who_takes_a_name_that_was_free_begins_without_a_past": INSIDE,
    "test_a_log_of_which_nobody_knows_stops_all_clocks_but_those_that_wait_for_it": (
        "it looks at what the store's word leads to before a line has carried it"
    ),
    "test_a_room_that_could_not_be_stored_was_never_there": (
        "others hear of a room once it is stored, so until then there is none"
    ),
}


def cases() -> Iterator[tuple[str, Callable[[FarScene], None]]]:
    """The tests that need a scene and nothing else."""
    for module in MODULES:
        for name, test in vars(module).items():
            is_test = name.startswith("test_") and inspect.isfunction(test)
            if is_test and list(inspect.signature(test).parameters) == ["scene"]:
                yield name, test


@pytest.mark.parametrize(
    "test", [pytest.param(test, id=name) for name, test in cases() if name not in EXCUSED]
)
def test_what_holds_at_one_server_holds_through_another(test: Callable[[FarScene], None]) -> None:
    test(FarScene())


def test_only_tests_that_exist_are_left_out() -> None:
    assert EXCUSED.keys() <= {name for name, _ in cases()}
