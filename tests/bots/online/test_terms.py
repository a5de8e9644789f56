"""Entries, the terms of a match, and what a command line may ask for."""

from __future__ import annotations

import pytest

from bots import registry
from bots.bot import NO_LIMIT, BadBudget, BadSetting, Budget, Value, format_value
from bots.commands import arguments
from bots.commands.arguments import BadOption
from bots.online import terms
from bots.online.entry import BadTerms, make_entry
from protocol.parts import Clocks, Strength

ENTRY = make_entry("mcts", seed=1, settings={"exploration": "2"})


def test_an_entry_plays_all_games_in_which_its_settings_are_possible_or_those_it_is_given() -> None:
    assert set(ENTRY.games) >= {"tic_tac_toe", "connect_four"}
    lines = {"evaluation": "lines"}
    assert make_entry("minimax", seed=1, settings=lines).games == ("ultimate_tic_tac_toe",)
    with pytest.raises(BadSetting, match="evaluation=lines is not possible: connect_four has"):
        make_entry("minimax", seed=1, only=("connect_four",), settings=lines)
    only = make_entry("random", seed=1, only=("tic_tac_toe",), slots=3)
    info = only.info()
    assert (info.program, info.games, info.levels, info.slots) == ("random", ["tic_tac_toe"], 0, 3)
    with pytest.raises(BadTerms, match="does not play connect_four here; it plays tic_tac_toe"):
        terms.agree(only, "connect_four", Strength())


def test_an_invitation_adds_to_what_the_owner_has_set() -> None:
    agreed = terms.agree(ENTRY, "tic_tac_toe", Strength(set={"playouts": "3"}))
    asked = {"exploration": 2.0, "playouts": 3}
    assert agreed.settings == registry.bot_class("mcts").defaults() | asked
    assert agreed.bot("1.1").settings == agreed.settings


@pytest.mark.parametrize("program", ["mcts", "minimax"])
def test_an_invitation_may_ask_for_less_of_what_is_costly_but_not_for_more(program: str) -> None:
    entry = make_entry(program, seed=1, settings={"megabytes": "20"})
    for most in ("20", "2"):
        agreed = terms.agree(entry, "connect_four", Strength(set={"megabytes": most}))
        assert agreed.settings["megabytes"] == int(most)
    with pytest.raises(BadSetting, match=r"megabytes=21 is more than this .* allows: at most 20"):
        terms.agree(entry, "connect_four", Strength(set={"megabytes": "21"}))


def test_an_owner_who_says_nothing_gives_one_thread() -> None:
    with pytest.raises(BadSetting, match=r"mcts: threads=8 is more than .* allows: at most 1"):
        terms.agree(ENTRY, "tic_tac_toe", Strength(set={"threads": "8"}))


def test_a_setting_of_a_guest_does_not_make_a_choice_take_for_ever() -> None:
    def agreed(budget: Budget | None, clocks: Clocks | None = None) -> Budget:
        entry = make_entry("mcts", seed=1, budget=budget)
        playouts = Strength(set={"playouts": "100"})
        return terms.agree(entry, "tic_tac_toe", playouts).budget_at(clocks)

    assert agreed(None) == Budget(nodes=500, ms=terms.GUEST_MS)
    assert agreed(Budget(nodes=10**6)) == Budget(nodes=10**6, ms=terms.GUEST_MS)
    assert agreed(Budget(ms=10**6)) == Budget(ms=10**6)
    assert agreed(Budget(ms=10**6), Clocks(remaining=(9, 9), suggested_ms=33)) == Budget(ms=33)


IDLE = [
    ("flat", "tic_tac_toe", "plies=3", "plies end in an evaluation, and tic_tac_toe has none"),
    ("flat", "connect_four", "hit=900", "hit weighs a feature of backgammon, and connect_four has"),
    ("hybrid", "connect_four", "form=classic exploration=2", "form=classic grows no tree"),
    ("hybrid", "connect_four", "switch=0 form=classic", "form has no effect: switch=0"),
    ("mcts", "backgammon", "decisive=on", "decisive=on has no effect: backgammon"),
    ("minimax", "backgammon", "megabytes=8", "backgammon is searched without a table"),
    ("minimax", "connect_four", "pruning=off megabytes=8", "only pruning=on keeps a table"),
    ("solver", "tic_tac_toe", "book=off", "book=off has no effect in tic_tac_toe"),
]


@pytest.mark.parametrize(("program", "game", "wish", "sentence"), IDLE)
def test_a_setting_that_does_nothing_is_refused(
    program: str, game: str, wish: str, sentence: str
) -> None:
    settings = arguments.parse_settings(wish.split())
    with pytest.raises(BadSetting, match=f"{program}: .*{sentence}"):
        make_entry(program, seed=1, only=(game,), settings=settings)
    invitation = Strength(set={name: str(value) for name, value in settings.items()})
    with pytest.raises(BadSetting, match=f"{program}: .*{sentence}"):
        terms.agree(make_entry(program, seed=1), game, invitation)


@pytest.mark.parametrize("program", registry.own_names())
def test_a_default_is_never_refused_for_doing_nothing(program: str) -> None:
    entry = make_entry(program, seed=1, settings=registry.bot_class(program).defaults())
    asked = Strength(set={name: format_value(value) for name, value in entry.settings.items()})
    for game in entry.games:
        assert terms.agree(entry, game, asked).settings == entry.settings


def test_what_an_owner_has_set_for_all_games_need_not_do_something_in_each() -> None:
    entry = make_entry("minimax", seed=1, settings={"megabytes": "64"})
    assert terms.agree(entry, "backgammon", Strength(set={"depth": "2"})).settings["depth"] == 2
    assert terms.agree(entry, "connect_four", Strength(set={"pruning": "off"}))
    entry = make_entry("flat", seed=1, settings={"hit": "900", "plies": "4"})
    assert terms.agree(entry, "tic_tac_toe", Strength()).settings["hit"] == 900
    assert terms.agree(entry, "tic_tac_toe", Strength(set={"exploration": "2"}))
    with pytest.raises(BadSetting, match="blots weighs"):
        terms.agree(entry, "tic_tac_toe", Strength(set={"blots": "9"}))


def test_a_guest_s_wish_may_silence_a_setting_of_the_owner_s_but_not_the_other_way() -> None:
    tree, classic = {"exploration": "2"}, {"form": "classic"}
    entry = make_entry("hybrid", seed=1, settings=tree)
    assert terms.agree(entry, "connect_four", Strength(set=classic))
    entry = make_entry("hybrid", seed=1, settings=classic)
    with pytest.raises(BadSetting, match="form=classic grows no tree"):
        terms.agree(entry, "connect_four", Strength(set=tree))


@pytest.mark.parametrize("only", [(), ("connect_four", "tic_tac_toe")])
@pytest.mark.parametrize(
    ("program", "wish", "sentence"),
    [
        ("mcts", {"ponder": "on", "keep": "off"}, "ponder=on needs keep=on"),
        ("hybrid", {"form": "classic", "exploration": "2"}, "form=classic grows no tree"),
    ],
)
def test_settings_that_make_sense_in_no_game_are_refused_at_once(
    only: tuple[str, ...], program: str, wish: dict[str, Value], sentence: str
) -> None:
    with pytest.raises(BadSetting, match=sentence):
        make_entry(program, seed=1, only=only, settings=wish)


def test_settings_of_owner_and_guest_must_be_possible_together() -> None:
    entry = make_entry("mcts", seed=1, settings={"keep": "off"})
    with pytest.raises(BadSetting, match="ponder=on needs keep=on"):
        terms.agree(entry, "connect_four", Strength(set={"ponder": "on"}))


@pytest.mark.parametrize(
    ("strength", "budget"),
    [
        (Strength(), None),
        (Strength(nodes=7), Budget(nodes=7, ms=terms.GUEST_MS)),
        (Strength(ms=70), Budget(ms=70)),
        (Strength(ms=10**6), Budget(ms=terms.GUEST_MS)),
        (Strength(level=1), Budget(nodes=10, ms=terms.GUEST_MS)),
        (Strength(level=1, ms=70), Budget(nodes=10, ms=70)),
    ],
)
def test_an_invitation_decides_the_budget_within_a_guests_limit(
    strength: Strength, budget: Budget | None
) -> None:
    assert terms.agree(ENTRY, "tic_tac_toe", strength).budget == budget


def test_without_a_budget_the_clock_decides_and_without_a_clock_level_four() -> None:
    agreed = terms.agree(ENTRY, "tic_tac_toe", Strength())
    timed = Clocks(remaining=(9, 9), suggested_ms=33)
    assert agreed.budget_at(timed) == Budget(ms=33)
    assert agreed.budget_at(Clocks(remaining=(9, 9))) == Budget(nodes=500)
    assert agreed.budget_at(None) == Budget(nodes=500)
    simple = terms.agree(make_entry("random", seed=1), "tic_tac_toe", Strength())
    assert simple.budget_at(None) == Budget(nodes=1)
    capped = terms.agree(ENTRY, "tic_tac_toe", Strength(nodes=9))
    assert capped.budget_at(timed) == Budget(nodes=9, ms=33)


@pytest.mark.parametrize(
    ("program", "wish"), [("minimax", {"depth": "9"}), ("gammon", {"plies": "2"})]
)
def test_where_it_is_said_how_far_to_look_no_default_level_ends_it_before(
    program: str, wish: dict[str, Value]
) -> None:
    game = "backgammon"
    owners = terms.agree(make_entry(program, seed=1, settings=wish), game, Strength())
    assert owners.budget_at(None) == NO_LIMIT
    assert owners.budget_at(Clocks(remaining=(9, 9), suggested_ms=90)) == Budget(ms=90)
    entry = make_entry(program, seed=1)
    guests = terms.agree(entry, game, Strength(set=wish))
    assert guests.budget_at(None) == NO_LIMIT.within(terms.GUEST_MS)
    level = terms.agree(entry, game, Strength(level=1, set=wish)).budget_at(None)
    assert level.nodes == registry.bot_class(program).LEVELS[0]


def test_seeds_differ_by_match_and_by_owner_and_stay() -> None:
    seeds = {terms.match_seed(seed, match) for seed in (1, 2) for match in ("1.1", "1.2", "11.1")}
    assert len(seeds) == 6
    assert terms.match_seed(1, "1.1") == terms.match_seed(1, "1.1")


def test_the_command_line_gives_a_budget_or_none() -> None:
    assert arguments.parse_budget("mcts") is None
    assert arguments.parse_budget("mcts", nodes=5, ms=6) == Budget(5, 6)
    assert arguments.parse_budget("mcts", level=2, ms=6) == Budget(40, 6)
    assert arguments.parse_budget("random", level=2) is None
    for program, words, error, sentence in (
        ("random", {"level": 2, "alone": True}, BadTerms, "random has no levels"),
        ("mcts", {"level": 9}, BadTerms, "mcts has levels 1 to 8, not 9"),
        ("mcts", {"nodes": -3}, BadBudget, "nodes must be 1 or more, not -3"),
        ("mcts", {"nodes": 3, "level": 3}, BadBudget, "give a level or nodes, not both"),
    ):
        with pytest.raises(error, match=sentence):
            arguments.parse_budget(program, **words)  # type: ignore[arg-type]


def test_settings_of_the_command_line_need_both_halves() -> None:
    assert arguments.parse_settings(["a=1", "b = x=y"]) == {"a": "1", "b": "x=y"}
    for wrong in ("a", "=1"):
        with pytest.raises(BadOption, match=r"is not a setting; write one as exploration=1\.4"):
            arguments.parse_settings([wrong])
