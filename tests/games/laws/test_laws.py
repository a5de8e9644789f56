"""What holds in every game, along random walks: positions, notation, drawing, outcomes."""

from __future__ import annotations

import copy
import random
from itertools import pairwise

import pytest

from games import registry
from games.game import CHANCE, END, Game, IllegalAction, NotationError, Position, replay
from tests.games.laws.walks import positions, some, walks


@pytest.fixture(params=registry.names())
def game(request: pytest.FixtureRequest) -> Game:
    return registry.game(request.param)


def decisions(game: Game) -> list[Position]:
    return [p for p in positions(game.name) if p.to_move >= 0]


def rolls(game: Game) -> list[Position]:
    return [p for p in positions(game.name) if p.to_move == CHANCE]


def test_sizes_and_names_make_sense(game: Game) -> None:
    assert registry.game(game.name) is game
    assert game.title
    assert game.seats[0] != game.seats[1]
    assert min(game.state_size, game.max_legal, game.max_plies, game.max_return) > 0
    assert game.scratch >= 0
    assert game.rules_version >= 1
    assert game.has_chance == (game.weight is not None)


def test_both_seats_get_to_move_and_the_walks_end(game: Game) -> None:
    assert game.initial() == game.initial()
    assert game.initial().to_move != END
    assert {p.to_move for p in positions(game.name)} >= {0, 1, END}
    assert bool(rolls(game)) == game.has_chance
    assert all(len(w.actions) <= game.max_plies for w in walks(game.name))


def test_a_game_and_its_positions_show_what_they_are(game: Game) -> None:
    assert repr(game) == f"<Game {game.name}>"
    for p in positions(game.name)[:5]:
        assert repr(p) == f"<Position {game.name} {game.format_position(p)!r}>"


def test_a_game_is_its_actions(game: Game) -> None:
    for walk in walks(game.name):
        assert replay(game, walk.actions) == walk.positions[-1]


def test_a_position_is_a_value(game: Game) -> None:
    for p in positions(game.name)[:20]:
        again = Position(game, p.state)
        assert again == p
        assert hash(again) == hash(p)
        assert copy.copy(p) == p
        assert p != p.state
        with pytest.raises(AttributeError, match="immutable"):
            p.state = (0,) * game.state_size
        with pytest.raises(AttributeError, match="immutable"):
            del p.to_move


def test_applying_an_action_leaves_the_old_position_alone(game: Game) -> None:
    for p in positions(game.name)[:20]:
        state, legal = p.state, p.legal_actions()
        for a in some(legal, 5):
            assert p.apply(a) != p
        assert (p.state, p.legal_actions()) == (state, legal)
        assert type(p.state) is tuple


def test_legal_actions_are_ascending_distinct_and_none_only_at_the_end(game: Game) -> None:
    for p in positions(game.name):
        legal = p.legal_actions()
        assert list(legal) == sorted(set(legal))
        assert len(legal) <= game.max_legal
        assert (len(legal) == 0) == (p.to_move == END)
        assert p.to_move in (0, 1, CHANCE, END)


def test_an_illegal_action_is_refused_and_both_are_named(game: Game) -> None:
    for p in positions(game.name):
        wrong = max(p.legal_actions(), default=0) + 1
        for action in (wrong, -1):
            with pytest.raises(IllegalAction) as caught:
                p.apply(action)
            assert str(action) in str(caught.value)
            assert str(p) in str(caught.value)
            assert (caught.value.position, caught.value.action) == (p, action)
            assert not isinstance(caught.value, NotationError)


def test_actions_and_rolls_survive_their_notation(game: Game) -> None:
    for p in positions(game.name):
        for a in some(p.legal_actions()):
            text = game.format_action(p, a)
            assert game.parse_action(p, text) == a
            assert text == text.strip()
            assert text.isprintable()
            assert 0 < len(text) <= 64
        assert len(set(p.legal_notation())) == len(p.legal_actions()), "no two share a notation"


def test_nonsense_is_no_action(game: Game) -> None:
    for p in (game.initial(), decisions(game)[0]):
        for text in ("", " ", "nonsense", "-1", "0x1", "²", "1 ", "\n", "9" * 5000):
            with pytest.raises(NotationError):
                game.parse_action(p, text)


def test_positions_survive_their_notation(game: Game) -> None:
    for p in positions(game.name):
        text = game.format_position(p)
        again = game.parse_position(text)
        assert again == p
        assert again.to_move == p.to_move
        assert game.format_position(again) == text
        assert text == text.strip()
        assert text.isascii()
        assert text.isprintable()
        assert text in str(p)


def test_nonsense_is_no_position(game: Game) -> None:
    start = game.format_position(game.initial())
    for text in ("", " ", "nonsense", start + " ", " " + start, start + "x", start[:-1], "²" * 9):
        with pytest.raises(NotationError):
            game.parse_position(text)


def test_a_position_with_one_character_changed_is_read_as_written_or_refused(game: Game) -> None:
    for p in positions(game.name)[::25]:
        text = game.format_position(p)
        changed = [
            text[:i] + other + text[i + 1 :] for i in range(len(text)) for other in "019xo-/ "
        ]
        for wrong in changed:
            if read := _read(game, wrong):
                assert game.format_position(read) == wrong
                read.legal_actions()


def _read(game: Game, text: str) -> Position | None:
    try:
        return game.parse_position(text)
    except NotationError:
        return None


def test_chance_has_weights_and_nothing_else_has(game: Game) -> None:
    for p in positions(game.name):
        chances = p.chance()
        if p.to_move != CHANCE:
            assert chances == ()
            continue
        assert tuple(a for a, _ in chances) == p.legal_actions()
        assert all(type(w) is int and w > 0 for _, w in chances)


def test_the_outcome_comes_at_the_end_and_sums_to_nothing(game: Game) -> None:
    for p in positions(game.name):
        outcome = p.outcome()
        assert (outcome is not None) == (p.to_move == END)
        if outcome:
            assert outcome.returns[0] + outcome.returns[1] == 0
            assert abs(outcome.returns[0]) <= game.max_return
            assert str(outcome.returns[0]) != "-0.0" != str(outcome.returns[1])
            assert outcome.reason.isascii()
            assert outcome.reason.islower()


def test_giving_up_loses_what_a_loss_can_cost(game: Game) -> None:
    for p in positions(game.name):
        for seat in (0, 1):
            returns = game.forfeit(p, seat)
            assert sum(returns) == 0
            assert 1 <= returns[1 - seat] <= game.max_return


def test_a_resignation_costs_up_to_what_giving_up_does(game: Game) -> None:
    for p in decisions(game)[::5]:
        for seat in (0, 1):
            prices = game.resignations(p, seat)
            assert list(prices) == sorted(set(prices))
            assert prices[0] >= 1
            assert prices[-1] == max(game.forfeit(p, seat))


def test_a_board_is_drawn_for_either_seat_in_eighty_columns(game: Game) -> None:
    for p in positions(game.name)[::3]:
        for seat in (0, 1):
            picture = game.draw(p, seat)
            assert picture == game.draw(p, seat=seat)
            lines = picture.split("\n")
            assert 1 < len(lines) <= 40
            assert max(map(len, lines)) < 80
            assert all(line.isprintable() for line in lines)
            assert lines[-1].strip()
        assert game.draw(p) == game.draw(p, 0)


def test_a_different_position_is_drawn_differently(game: Game) -> None:
    for walk in walks(game.name)[:2]:
        for (before, after), action in zip(pairwise(walk.positions), walk.actions, strict=True):
            if before.to_move >= 0 and game.format_action(before, action) != "pass":
                assert game.draw(before) != game.draw(after)


def test_symmetries_rename_one_to_one_and_differ(game: Game) -> None:
    digits = game.symmetries
    assert len(set(digits)) == len(digits)
    assert all(sorted(image) == sorted(set(digits[0])) for image in digits)


def test_a_symmetry_changes_nothing_but_names(game: Game) -> None:
    """Matches at random, each played on all boards that the symmetries make of one at once."""
    rng = random.Random(4)
    boards = [game.initial() for _ in game.images(())]
    while game.symmetries and boards[0].to_move != END:
        images = game.images(boards[0].legal_notation())
        for board, legal in zip(boards, images, strict=True):
            assert set(board.legal_notation()) == set(legal)
        i = rng.randrange(len(images[0]))
        boards = [
            board.apply(game.parse_action(board, legal[i]))
            for board, legal in zip(boards, images, strict=True)
        ]
    assert len({board.outcome() for board in boards}) == 1
