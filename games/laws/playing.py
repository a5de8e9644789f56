"""Laws of positions and their actions: who is to move, what is legal, how a game ends."""

from __future__ import annotations

import copy
from itertools import pairwise

from games.game import CHANCE, END, IllegalAction, NotationError, Position, replay
from games.laws.sample import Place, Sample, require, some


def sizes(sample: Sample) -> None:
    """Its sizes and names make sense."""
    game = sample.game
    sample.tried = 1
    require(bool(game.title), "it has no title")
    require(game.seats[0] != game.seats[1], f"both seats are called {game.seats[0]!r}")
    for name in ("state_size", "max_legal", "max_plies", "max_return", "rules_version"):
        value = getattr(game, name)
        require(type(value) is int and value > 0, f"{name} is {value!r}; it is an int from 1 on")
    require(type(game.scratch) is int and game.scratch >= 0, f"scratch is {game.scratch!r}")


def ends(sample: Sample) -> None:
    """A game ends within max_plies, and until then its rules say who is to move."""
    most = sample.game.max_plies
    for walk in sample.walks:
        last = Place(walk, len(walk.positions) - 1) if walk.positions else None
        sample.here, sample.tried = last, sample.tried + len(walk.positions)
        require(not walk.trouble, walk.trouble)
        if last is None:
            continue
        count, over = len(walk.actions), last.position.to_move == END
        require(over or count < most, f"it is not over after {count} plies; max_plies is {most}")
        require(count <= most, f"it took {count} plies to its end; max_plies is {most}")


def movers(sample: Sample) -> None:
    """Both seats get to move, and the first position is not the end."""
    sample.tried = sum(len(walk.positions) for walk in sample.walks)
    if not any(walk.trouble for walk in sample.walks):
        require(sample.game.initial().to_move != END, "it is over before it has begun")
        for seat in (0, 1):
            require(seat in sample.movers, f"seat {seat} never got to move")


def legal(sample: Sample) -> None:
    """Legal actions are ascending, distinct, at most max_legal, and none exactly at the end."""
    for place in sample.places():
        position, most = place.position, sample.game.max_legal
        actions = position.legal_actions()
        require(len(actions) <= most, f"{len(actions)} actions are legal; max_legal is {most}")
        if position.to_move == END:
            require(not actions, f"the game is over, and {len(actions)} actions are legal")
        else:
            require(bool(actions), "the game goes on, and no action is legal")
        for one, other in pairwise(actions):
            require(one < other, f"legal() writes {one} before {other}; they shall ascend")
        odd = [a for a in actions if not (type(a) is int and 0 <= a < 2**31)]
        require(not odd, f"{odd[:1]} is no action: one is an int from 0 up, below 2**31")


def values(sample: Sample) -> None:
    """A position is a value: it shows itself, can be copied and not be changed."""
    game = sample.game
    require(repr(game) == f"<Game {game.name}>", f"it shows itself as {game!r}")
    require(game.initial() == game.initial(), "two first positions differ")
    for place in sample.places(most=20):
        p = place.position
        again = Position(game, p.state)
        same = again == p and hash(again) == hash(p) and copy.copy(p) == p and p != p.state
        require(same, "a copy of it is not equal to it")
        require(again.to_move == p.to_move, "a copy of it has another seat to move")
        require(type(p.state) is tuple, "its state is no tuple")
        require(repr(p) == f"<Position {game.name} {game.format_position(p)!r}>", f"it is {p!r}")
        for name in ("state", "to_move"):
            require(_is_frozen(p, name), f"its {name} can be set or deleted")


def _is_frozen(position: Position, name: str) -> bool:
    try:
        setattr(position, name, getattr(position, name))
    except AttributeError:
        pass
    else:
        return False
    try:
        delattr(position, name)
    except AttributeError:
        return True
    return False


def applied(sample: Sample) -> None:
    """An action leaves the old position as it was, also to be taken back and played again."""
    for place in sample.places(most=40):
        p = place.position
        state, actions, mover = p.state, p.legal_actions(), p.to_move
        for action in some(actions, 5):
            written = sample.game.format_action(p, action)
            after = p.apply(action)
            require(after != p, f"after {written} nothing has changed")
            again = Position(sample.game, state)
            require(
                (again.to_move, again.legal_actions(), p.state) == (mover, actions, state),
                f"after {written} was taken back, other actions are legal than before",
            )
            require(again.apply(action) == after, f"{written}, played again, leads elsewhere")


def same_again(sample: Sample) -> None:
    """The same actions lead to the same position."""
    for walk in sample.walks:
        if not walk.positions:
            continue
        sample.here = Place(walk, len(walk.positions) - 1)
        sample.tried += len(walk.positions)
        final = replay(sample.game, walk.actions, walk.positions[0])
        require(final == walk.positions[-1], "the same actions, played again, lead elsewhere")
        require(final.to_move == walk.positions[-1].to_move, "... and to another seat's turn")


def illegal(sample: Sample) -> None:
    """An illegal action is refused, and the refusal names it and the position."""
    for place in sample.places():
        p = place.position
        for action in (max(p.legal_actions(), default=0) + 1, -1):
            try:
                p.apply(action)
            except IllegalAction as error:
                named = str(action) in str(error) and str(p) in str(error)
                require(named, f"the refusal of {action} does not name both")
                require(not isinstance(error, NotationError), "it is a NotationError, too")
                require((error.position, error.action) == (p, action), "it holds others")
            else:
                require(False, f"{action} is not legal and was played")


def chance(sample: Sample) -> None:
    """Chance has whole weights above 0 with a sum below 2**30, and nothing else has any."""
    has = sample.game.has_chance
    for place in sample.places():
        p = place.position
        if p.to_move != CHANCE:
            require(p.chance() == (), "somebody is to move, and there are weights")
            continue
        require(has, "chance is to move, and the game has no weight()")
        rolls = p.chance()
        require(tuple(a for a, _ in rolls) == p.legal_actions(), "not every roll has a weight")
        for action, weight in rolls:
            written = sample.game.format_action(p, action)
            require(
                type(weight) is int and weight > 0,
                f"the weight of {written} is {weight!r}; it is an int above 0, since what are "
                "written as chances, summing to 1, would be compiled as ints",
            )
        require(sum(w for _, w in rolls) < 2**30, "the weights' sum is 2**30 or more")
    sample.here = None
    if not any(walk.trouble for walk in sample.walks):
        require(has == (CHANCE in sample.movers), "it has a weight(), and chance never moves")


def outcomes(sample: Sample) -> None:
    """The outcome comes at the end, is within max_return, and has a reason."""
    most = sample.game.max_return
    for place in sample.places():
        p = place.position
        outcome = p.outcome()
        require((outcome is not None) == (p.to_move == END), "it has a result before its end")
        if outcome is None:
            continue
        one, two = outcome.returns
        require(one + two == 0, f"returns {one:+g} and {two:+g} do not sum to 0")
        require(abs(one) <= most, f"it is worth {abs(one):g} points; max_return is {most}")
        require(sample.game.draws or one != 0, "it is a draw; `draws` says that there are none")
        require(one == int(one), f"it is worth {one!r} points, which are no whole number")
        require("-0.0" not in (str(one), str(two)), "a draw is -0.0")
        reason = outcome.reason
        good = reason.isascii() and reason.islower()
        require(good, f"its reason is {reason!r}; one is a lower-case word or a few")


def forfeits(sample: Sample) -> None:
    """Giving up costs 1 to max_return points, and a resignation up to as many."""
    game = sample.game
    for place in sample.places():
        p = place.position
        for seat in (0, 1):
            returns = game.forfeit(p, seat)
            require(sum(returns) == 0, f"returns {returns} do not sum to 0")
            lost = returns[1 - seat]
            good = 1 <= lost <= game.max_return
            require(good, f"to give up costs seat {seat} {lost:g}; max_return is {game.max_return}")
            prices = game.resignations(p, seat) if p.to_move >= 0 else ()
            require(list(prices) == sorted(set(prices)), f"prices {prices} do not ascend")
            require(
                not prices or (prices[0] >= 1 and prices[-1] == lost),
                f"seat {seat} may resign for {prices}; the last is what giving up costs, {lost:g}",
            )
