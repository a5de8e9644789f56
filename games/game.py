"""The contract between the rules of a game and everything that uses them.

A game file holds kernels (see games/kernel.py), its notation and its drawing, and ends in
`GAME = Game(...)`.  Over the kernels stands one generic, immutable Position, written here once.
Points of view: `points` and `Outcome.returns[0]` are seat 0's; `to_move` is a seat, CHANCE or END.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn, TypeAlias

CHANCE: Final = -1
END: Final = -2

Ints: TypeAlias = MutableSequence[int]


class IllegalAction(ValueError):
    """An action that the rules do not allow in this position; names both.

    `action` is None if it is written like an action, but stands for none; `text` is how it was
    written.  `why`, if the game can tell, is half a sentence that says what is in the way.
    """

    def __init__(
        self, position: Position, action: int | None, text: str | None = None, why: str = ""
    ) -> None:
        self.position = position
        self.action = action
        self.why = why
        written = text if text is not None else str(action)
        super().__init__(f"{written} is not legal in {position}" + (f": {why}" if why else ""))


class NotationError(ValueError):
    """A text that is no action, or no position, of this game."""


class UnplayableTerms(ValueError):
    """Terms by which this game is not played; the message says why, in a sentence."""


class BrokenRules(RuntimeError):
    """The rules of a game do not keep to their contract; the message says how, in a sentence.

    What a kernel or a notation raises is one of these, with the line of the game's file.
    """


def describe(error: BaseException) -> str:
    """Return what was raised in the rules of a game, and in which line, in a sentence."""
    if isinstance(error, BrokenRules):
        return str(error)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
    where = f"{frames[-1].filename}, line {frames[-1].lineno}: " if frames else ""
    what = str(error).strip().partition("\n")[0]
    if not isinstance(error, Exception):  # own_files.TookTooLong, a sentence
        return f"{where}{what}"
    return f"{where}{type(error).__name__}{': ' if what else ''}{what}"


def _broken(game: Game, kernel: str, error: Exception) -> BrokenRules:
    return BrokenRules(f"{kernel} of {game.name} failed: {describe(error)}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the rules say at the end.  `returns`: points of seat 0 and of seat 1, their sum 0."""

    returns: tuple[float, float]
    reason: str


@dataclass(frozen=True, slots=True)
class MatchTerms:
    """By what a match is played, in games where that can be chosen; the first position holds it.

    `start`: the name of a start, empty for the usual one; `points`: the length of the series that
    this match is a game of, 0 for a game by itself, and then `score`: what both sides have, and
    `crawford`: whether doubling is off in this one; `cube`: whether it is played with a cube;
    `jacoby`, `beavers`: rules of games by themselves.
    """

    start: str = ""
    cube: bool = True
    points: int = 0
    score: tuple[int, int] = (0, 0)
    crawford: bool = False
    jacoby: bool = False
    beavers: bool = False


USUAL: Final = MatchTerms()


class ActionNames(tuple[str, ...]):
    """The `format_action` of a game whose actions are called the same in every position.

    It holds their names by number, so that a position looks all of its actions up at once.
    """

    __slots__ = ()

    def __call__(self, position: Position, action: int) -> str:
        return self[action]


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """The rules of one game: its kernels and sizes, its notation, its drawing.

    >>> from games import registry
    >>> game = registry.game("tic_tac_toe")
    >>> position = game.parse_position("xx1/oo1/3 x")
    >>> position.read("3"), position.legal_notation()
    (2, ('3', '6', '7', '8', '9'))
    >>> game.format_position(position.after("3"))
    'xxx/oo1/3 o'

    Kernels (`s`: the state, `state_size` ints; `out`: `max_legal` ints; `tmp`: `scratch` ints):
        setup(s)                     write the first state
        mover(s)                     0, 1, CHANCE or END
        legal(s, out, tmp) -> n      the n distinct actions, ascending, into out; 0 exactly at END
        play(s, a)                   in place, unchecked
        points(s)                    at END: seat 0's points
        key(s)                       0 <= key < 2**62; equal states have equal keys
        weight(s, a)                 of a chance action; only games with dice have it
        evaluate(s)                  optional: static value, mover's view, |v| <= 10_000
        features(s, out)             optional: six counts that a value can be summed up from, the
                                     mover's minus the other's, for weights of one's own
        tactic(s, out, tmp)          optional: actions that win now, else forced blocks
        playout(s, rng, out, tmp)    optional: points of a random game, faster than the generic one

    `evaluations`: where there are several, all of them by name, `evaluate` among them.

    `draw` puts the line that has won in brackets, where there is one: `[X]`.  `draw_over`, where
    `draw` shows what could be played next: the same without it, for a match that was given up.

    `symmetries`: the ways to turn and mirror the board that the rules do not notice, as digits of
    the notation: digit `symmetries[0][i]` of every action becomes `symmetries[k][i]`.  The first
    entry is the board as it is; a game without symmetries has none.

    `draws`: whether a match of it can be drawn; only then may a draw be offered.

    `begin`: the first state by these terms, or UnplayableTerms; without it there is one start.
    `trials`: the terms, beside the usual ones, by which the laws try it.
    `special`: it is for bots that name it only: a search that knows nothing of it would play it
    without sense.

    `earlier`: the rules as they once were, each with a `rules_version` of its own: matches that
    were begun by them are played, replayed and verified by them.
    """

    name: str
    title: str
    seats: tuple[str, str]  # what the field calls the two sides, such as ("X", "O")
    state_size: int
    max_legal: int
    scratch: int
    max_plies: int  # where a match is void and a playout counts 0
    max_return: int
    rules_version: int  # a match is replayed by the version that it was played by
    setup: Callable[[Ints], None]
    mover: Callable[[Ints], int]
    legal: Callable[[Ints, Ints, Ints], int]
    play: Callable[[Ints, int], None]
    points: Callable[[Ints], int]
    key: Callable[[Ints], int]
    reason: Callable[[Position], str]
    format_action: Callable[[Position, int], str]
    parse_action: Callable[[Position, str], int]
    format_state: Callable[[Sequence[int]], str]
    parse_state: Callable[[str], tuple[int, ...]]  # NotationError if no game can reach it
    draw: Callable[..., str]  # draw(position, seat=0): the board as text, seen from that seat
    weight: Callable[[Ints, int], int] | None = None
    evaluate: Callable[[Ints], int] | None = None
    evaluations: Mapping[str, Callable[[Ints], int]] = field(default_factory=dict)
    features: Callable[[Ints, Ints], None] | None = None
    tactic: Callable[[Ints, Ints, Ints], int] | None = None
    playout: Callable[[Ints, Ints, Ints, Ints], int] | None = None
    forfeit_points: Callable[[Position, int], int] | None = None
    resign_points: Callable[[Position, int], tuple[int, ...]] | None = None
    symmetries: tuple[str, ...] = ()
    begin: Callable[[MatchTerms], Sequence[int]] | None = None
    trials: tuple[MatchTerms, ...] = ()
    special: bool = False
    draws: bool = True
    earlier: tuple[Game, ...] = ()
    draw_over: Callable[..., str] | None = None

    def __repr__(self) -> str:
        return f"<Game {self.name}>"

    @property
    def has_chance(self) -> bool:
        """Whether any ply of this game is decided by dice."""
        return self.weight is not None

    def initial(self, terms: MatchTerms = USUAL) -> Position:
        """Return the first position, by the usual terms or by these.

        Raises:
            UnplayableTerms: this game is not played by them.
        """
        if terms != USUAL:
            if self.begin is None:
                raise UnplayableTerms(
                    f"{self.title} has one start, and no cube, points, Jacoby rule or beavers"
                )
            return Position(self, tuple(self.begin(terms)))
        state = [0] * self.state_size
        self.setup(state)
        return Position(self, tuple(state))

    def format_position(self, position: Position) -> str:
        """Return the position in the game's notation.

        Raises:
            BrokenRules: the game's own function failed.
        """
        try:
            return self.format_state(position.state)
        except Exception as error:  # the rules may be anybody's
            raise _broken(self, "format_state()", error) from error

    def parse_position(self, text: str) -> Position:
        """Read what `format_position` writes.

        Raises:
            NotationError: it is no position of this game.
        """
        return Position(self, self.parse_state(text))

    def drawing(self, position: Position, seat: int = 0, over: bool = False) -> str:
        """Return the board as text, seen from `seat`; `over`: of a match that has ended."""
        write = self.draw_over if over and self.draw_over is not None else self.draw
        try:
            return str(write(position, seat))
        except Exception as error:  # the rules may be anybody's
            raise _broken(self, "draw()", error) from error

    def images(self, actions: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        """These actions in notation as each symmetry shows them, first as they are."""
        digits = self.symmetries or ("",)
        tables = [str.maketrans(digits[0], image) for image in digits]
        return tuple([tuple([action.translate(t) for action in actions]) for t in tables])

    def resignations(self, position: Position, seat: int) -> tuple[int, ...]:
        """The points that `seat` may resign for here, ascending; the last is what a forfeit costs.

        Fewer than that only with the other side's consent.
        """
        if self.resign_points is not None:
            try:
                return self.resign_points(position, seat)
            except Exception as error:  # the rules may be anybody's
                raise _broken(self, "resign_points()", error) from error
        return (round(max(self.forfeit(position, seat))),)

    def forfeit(self, position: Position, seat: int) -> tuple[float, float]:
        """The returns when `seat` resigns, flags or abandons: one point, or what the game says."""
        try:
            lost = float(self.forfeit_points(position, seat)) if self.forfeit_points else 1.0
        except Exception as error:  # the rules may be anybody's
            raise _broken(self, "forfeit_points()", error) from error
        return (-lost, lost) if seat == 0 else (lost, -lost)


# The eight symmetries of a square whose cells are numbered 1 to 9, row by row.
SQUARE: Final = (
    "123456789", "741852963", "987654321", "369258147",  # a quarter turn each
    "321654987", "147258369", "789456123", "963852741",  # mirrored, and turned
)  # fmt: skip


class Position:
    """One moment of a game: immutable, hashable, with its legal actions cached.

    >>> from games import registry
    >>> position = registry.game("tic_tac_toe").initial()
    >>> position.to_move, position.legal_actions()
    (0, (0, 1, 2, 3, 4, 5, 6, 7, 8))
    >>> position = position.apply(4)
    >>> str(position), position.outcome()
    ("tic_tac_toe '3/1x1/3 o'", None)
    >>> position.apply(4)
    Traceback (most recent call last):
    games.game.IllegalAction: ...
    """

    __slots__ = ("_legal", "_notation", "game", "state", "to_move")

    game: Game
    state: tuple[int, ...]
    to_move: int  # 0, 1, CHANCE or END
    _legal: tuple[int, ...] | None
    _notation: tuple[str, ...] | None

    def __init__(self, game: Game, state: tuple[int, ...]) -> None:
        """Only a game file calls this, with a state that its rules or its notation can reach."""
        _put_game(self, game)
        _put_state(self, state)
        try:
            mover = game.mover(state)  # type: ignore[arg-type]  # it only reads
            known = END <= mover <= 1
        except Exception as error:  # the rules may be anybody's
            raise _broken(game, "mover()", error) from error
        if not known:
            raise BrokenRules(
                f"mover() of {game.name} says {mover!r}, which is nobody; a mover is 0, 1, "
                f"CHANCE (-1) or END (-2)"
            )
        _put_to_move(self, mover)
        _put_legal(self, None)
        _put_notation(self, None)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a position is immutable; {name} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a position is immutable; {name} cannot be deleted")

    def __reduce__(self) -> tuple[type[Position], tuple[Game, tuple[int, ...]]]:
        return Position, (self.game, self.state)

    def legal_actions(self) -> tuple[int, ...]:
        """Return the legal actions, ascending; the chance actions at CHANCE, none at END."""
        legal = self._legal
        if legal is None:
            game = self.game
            try:
                out = [0] * game.max_legal
                n = game.legal(list(self.state), out, [0] * game.scratch)
                none, over = n == 0, self.to_move == END
            except Exception as error:  # the rules may be anybody's
                raise _broken(game, "legal()", error) from error
            if none != over:
                state = "is over" if over else "goes on"
                raise BrokenRules(f"legal() of {game.name} says {n}, and the game {state}")
            legal = tuple(out[:n])
            _put_legal(self, legal)
        return legal

    def legal_notation(self) -> tuple[str, ...]:
        """Return the legal actions in notation, in the order of `legal_actions`."""
        texts = self._notation
        if texts is None:
            write, legal = self.game.format_action, self.legal_actions()
            try:
                if isinstance(write, ActionNames):
                    texts = tuple([write[a] for a in legal])
                else:
                    texts = tuple([write(self, a) for a in legal])
                twice = len(set(texts)) != len(texts)
            except Exception as error:  # the rules may be anybody's
                raise _broken(self.game, "format_action()", error) from error
            if twice:
                text = next(text for text in texts if texts.count(text) > 1)
                raise BrokenRules(f"{self.game.name} writes two actions as {text!r}")
            _put_notation(self, texts)
        return texts

    @property
    def seat(self) -> int | None:
        """The seat to move; None at CHANCE and END."""
        return self.to_move if self.to_move >= 0 else None

    def read(self, text: str) -> int:
        """Return the action that `text` means here; one in canonical notation is only looked up.

        Raises:
            NotationError, IllegalAction: it means none; see the game's `parse_action`.
        """
        written = self.legal_notation()
        if text in written:
            return self.legal_actions()[written.index(text)]
        try:
            return self.game.parse_action(self, text)
        except (NotationError, IllegalAction):
            raise
        except Exception as error:  # the rules may be anybody's, and so may the text
            raise NotationError(f"{text[:40]!r} cannot be read: {describe(error)}") from error

    def apply(self, action: int) -> Position:
        """Return the position after `action`.

        Raises:
            IllegalAction: if it is not one of `legal_actions()`.
        """
        if action not in self.legal_actions():
            raise IllegalAction(self, action)
        return self._played(action)

    def after(self, text: str) -> Position:
        """Return the position after an action as it is written.

        Raises:
            NotationError, IllegalAction: it means none; see `read`.
        """
        written, legal = self._notation, self._legal
        if written is not None and legal is not None and text in written:
            return self._played(legal[written.index(text)])
        return self.apply(self.read(text))

    def _played(self, action: int) -> Position:
        state = list(self.state)
        try:
            self.game.play(state, action)
        except Exception as error:  # the rules may be anybody's
            raise _broken(self.game, f"play() of {action}", error) from error
        return Position(self.game, tuple(state))

    def outcome(self) -> Outcome | None:
        """Return what the rules say, or None while the game goes on."""
        if self.to_move != END:
            return None
        try:
            points = float(self.game.points(list(self.state)))
            reason = self.game.reason(self)
        except Exception as error:  # the rules may be anybody's
            raise _broken(self.game, "points() or reason()", error) from error
        returns = (points, 0.0 - points)  # subtracted, so that a draw is 0.0 and not -0.0
        return Outcome(returns, reason)

    def chance(self) -> tuple[tuple[int, int], ...]:
        """At CHANCE: each chance action with its weight, ascending; elsewhere nothing."""
        if self.to_move != CHANCE or self.game.weight is None:
            return ()
        state, weight, legal = list(self.state), self.game.weight, self.legal_actions()
        try:
            return tuple([(a, weight(state, a)) for a in legal])
        except Exception as error:  # the rules may be anybody's
            raise _broken(self.game, "weight()", error) from error

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and (self.game, self.state) == (other.game, other.state)

    def __hash__(self) -> int:
        return hash((self.game.name, self.state))

    def __str__(self) -> str:
        return f"{self.game.name} {self.game.format_position(self)!r}"

    def __repr__(self) -> str:
        return f"<Position {self}>"


# What an immutable position is made with, quicker than by object.__setattr__ and a name.
_put_game, _put_state, _put_to_move, _put_legal, _put_notation = (
    vars(Position)[name].__set__ for name in ("game", "state", "to_move", "_legal", "_notation")
)


def replay(game: Game, actions: Sequence[int], first: Position | None = None) -> Position:
    """Return the position after `actions` from the start, or from `first`.

    >>> from games import registry
    >>> replay(registry.game("tic_tac_toe"), [0, 3, 1, 4, 2]).outcome()
    Outcome(returns=(1.0, -1.0), reason='line')

    Raises:
        IllegalAction: one of them is not legal where it is to be played.
    """
    position = first or game.initial()
    for action in actions:
        position = position.apply(action)
    return position
