"""Games that are broken in one way each, by the law that has to find it: the laws' own test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple

from games import registry
from games.game import END, Game, Ints, Position
from games.kernel import kernel
from games.laws import kernels, playing, playouts, source, texts
from games.laws.check import Law
from games.rng import below, seeded

TIC = registry.game("tic_tac_toe")
PEBBLES = registry.game("pebbles")
_ticks = count()
_dice = seeded(3)


class BrokenOne(NamedTuple):
    """`words`: in the sentence that tells of it."""

    game: Game
    law: Law
    words: str


def _tic(**instead: Any) -> Game:
    return replace(TIC, **instead)


@kernel
def mover_seven(s: Ints) -> int:
    """Nobody that there is, once it is over."""
    m = TIC.mover(s)
    return 7 if m == END else m


@kernel
def one_mover(s: Ints) -> int:
    """Seat 0 plays alone."""
    return 0 if TIC.mover(s) == 1 else TIC.mover(s)


@kernel
def two_ends(s: Ints) -> int:
    """It is over as soon as five stones stand, and cells are free."""
    return END if s[2] >= 5 else TIC.mover(s)


@kernel
def legal_at_the_end(s: Ints, out: Ints, tmp: Ints) -> int:
    """A full board has an action left."""
    out[0] = 0
    return TIC.legal(s, out, tmp) or 1


@kernel
def legal_twice(s: Ints, out: Ints, tmp: Ints) -> int:
    """The last cell comes a second time."""
    n = TIC.legal(s, out, tmp)
    if 0 < n < 9:
        out[n] = out[n - 1]
        n += 1
    return n


@kernel
def legal_that_plays(s: Ints, out: Ints, tmp: Ints) -> int:
    """It notes in the state that it was asked."""
    s[2] |= 16
    return TIC.legal([s[0], s[1], s[2] & 15], out, tmp)


@kernel
def play_on_the_neighbour(s: Ints, a: int) -> None:
    """Now and then a stone that no line has comes or goes."""
    s[s[2] & 1] |= 1 << a
    s[2] += 1
    s[0] ^= below(_dice, 2) << 9


@kernel
def play_beyond(s: Ints, a: int) -> None:
    """It writes behind its state."""
    TIC.play(s, a)
    if len(s) > 3:
        s[3] = a


@kernel
def play_raises(s: Ints, a: int) -> None:
    """Cell 5 is not thought of."""
    TIC.play(s, {cell: cell for cell in range(9) if cell != 4}[a])


@kernel
def play_nothing(s: Ints, a: int) -> None:
    """Whoever moves, nothing changes but the mover."""
    s[2] += 1


@kernel
def points_of_three(s: Ints) -> int:
    """A line is worth more than the game says."""
    return 3 * TIC.points(s)


@kernel
def no_points(s: Ints) -> int:
    """A result that neither side has won."""
    return 0


@kernel
def half_points(s: Ints) -> float:
    """A result that no kernel can say."""
    return TIC.points(s) / 2


@kernel
def big_key(s: Ints) -> int:
    """It does not fit."""
    return TIC.key(s) << 61


@kernel
def same_key(s: Ints) -> int:
    """All positions look the same."""
    return 1


@kernel
def evaluate_much(s: Ints) -> int:
    """More than a value may be."""
    return 10_001


@kernel
def playout_first(s: Ints, rng: Ints, out: Ints, tmp: Ints) -> int:
    """It prefers the first action."""
    while TIC.mover(s) != END:
        n = TIC.legal(s, out, tmp)
        TIC.play(s, out[min(below(rng, n), below(rng, n))])
    return TIC.points(s)


@kernel
def playout_half(s: Ints, rng: Ints, out: Ints, tmp: Ints) -> int:
    """It stops before the end."""
    return 0


@kernel
def tactic_everything(s: Ints, out: Ints, tmp: Ints) -> int:
    """Each action wins, it says."""
    return TIC.legal(s, out, tmp)


@kernel
def weights_of_chances(s: Ints, a: int) -> float:
    """Chances, as fractions, and not summing to 1."""
    return 0.3


@kernel
def no_weight(s: Ints, a: int) -> int:
    """One roll never falls."""
    return a


@kernel
def setup_half(s: Ints) -> None:
    """It trusts that the rest is 0."""
    s[2] = 0


@kernel
def mover_with_list(s: Ints) -> int:
    """It allocates."""
    return TIC.mover([*s])


def unmarked(s: Ints) -> int:
    """It forgot its mark."""
    return TIC.key(s)


def _wide(p: Position, seat: int = 0) -> str:
    return TIC.draw(p, seat) + "\n" + "-" * 80


def _format_rotated(s: Sequence[int]) -> str:
    return TIC.format_state(s)[::-1]


def _parse_any(s: str) -> tuple[int, ...]:
    return TIC.initial().state


def _int_action(p: Position, text: str) -> int:
    return int(text) - 1


def _next_action(p: Position, text: str) -> int:
    return (TIC.parse_action(p, text) + 1) % 9


def _loose_state(text: str) -> tuple[int, ...]:
    return TIC.parse_state(text.strip())


def _turns(p: Position, seat: int = 0) -> str:
    return TIC.draw(p, seat) + "\n" + str(next(_ticks))


def broken_games() -> dict[str, BrokenOne]:
    """By what is broken."""
    return {
        "wrong bound": BrokenOne(_tic(max_plies=5), playing.ends, "max_plies is 5"),
        "too few legal": BrokenOne(_tic(max_legal=8), playing.ends, "IndexError"),
        "no legal bound": BrokenOne(_tic(max_legal=0), playing.sizes, "max_legal is 0"),
        "wrong points": BrokenOne(_tic(points=points_of_three), playing.outcomes, "max_return"),
        "half points": BrokenOne(_tic(points=half_points), playing.outcomes, "no whole number"),
        "no reason": BrokenOne(_tic(reason=lambda p: ""), playing.outcomes, "its reason is ''"),
        "bad mover": BrokenOne(_tic(mover=mover_seven), playing.ends, "says 7, which is nobody"),
        "one mover": BrokenOne(_tic(mover=one_mover), playing.movers, "seat 1 never"),
        "end before the end": BrokenOne(_tic(mover=two_ends), playing.legal, "the game is over"),
        "legal at the end": BrokenOne(_tic(legal=legal_at_the_end), playing.legal, "game is over"),
        "legal twice": BrokenOne(_tic(legal=legal_twice), playing.legal, "they shall ascend"),
        "legal that plays": BrokenOne(_tic(legal=legal_that_plays), kernels.in_place, "legal()"),
        "play raises": BrokenOne(_tic(play=play_raises), playing.ends, "KeyError: 4"),
        "play does nothing": BrokenOne(_tic(play=play_nothing), texts.different_drawings, "after"),
        "not deterministic": BrokenOne(_tic(play=play_on_the_neighbour), playing.same_again, ""),
        "taken back": BrokenOne(_tic(play=play_on_the_neighbour), playing.applied, "leads else"),
        "play beyond": BrokenOne(_tic(play=play_beyond), kernels.memory, "beyond the end of `s`"),
        "half a setup": BrokenOne(_tic(setup=setup_half), kernels.whole_setup, "what was there"),
        "text twice": BrokenOne(
            _tic(format_action=lambda p, a: "x"), texts.actions, "actions 0 and 1 are both written"
        ),
        "action misread": BrokenOne(_tic(parse_action=_next_action), texts.actions, "read as 1"),
        "int of text": BrokenOne(
            _tic(parse_action=_int_action), texts.nonsense_as_action, "ValueError"
        ),
        "position backwards": BrokenOne(
            _tic(format_state=_format_rotated), texts.positions, "NotationError"
        ),
        "position not read": BrokenOne(
            _tic(parse_state=_parse_any), texts.positions, "is read as another position"
        ),
        "nonsense read": BrokenOne(
            _tic(parse_state=_loose_state), texts.nonsense_as_position, "is read as a position"
        ),
        "any position read": BrokenOne(
            _tic(parse_state=_parse_any), texts.changed_positions, "and written"
        ),
        "too wide": BrokenOne(_tic(draw=_wide), texts.drawings, "80 columns wide; 79 fit"),
        "never the same": BrokenOne(_tic(draw=_turns), texts.drawings, "differ"),
        "no drawing": BrokenOne(_tic(draw=lambda p, seat=0: ""), texts.drawings, "in 1 lines"),
        "crooked symmetry": BrokenOne(
            _tic(symmetries=("123456789", "213456789")), texts.symmetries, "image"
        ),
        "same names": BrokenOne(_tic(seats=("X", "X")), playing.sizes, "both seats"),
        "drawn after all": BrokenOne(
            _tic(draws=False, points=no_points), playing.outcomes, "it is a draw"
        ),
        "cheap forfeit": BrokenOne(
            _tic(forfeit_points=lambda p, seat: 0), playing.forfeits, "costs seat 0 0"
        ),
        "unmarked kernel": BrokenOne(_tic(key=unmarked), kernels.marked, "key is not marked"),
        "a list in a kernel": BrokenOne(
            _tic(mover=mover_with_list), source.compilable, "not for kernels"
        ),
        "key too large": BrokenOne(_tic(key=big_key), kernels.keys, "below 2**62"),
        "key of nothing": BrokenOne(_tic(key=same_key), kernels.keys, "have 1 keys"),
        "value too large": BrokenOne(
            _tic(evaluate=evaluate_much), kernels.static_values, "evaluate() says 10001"
        ),
        "preferring playout": BrokenOne(_tic(playout=playout_first), playouts.fair, "prefers"),
        "unended playout": BrokenOne(_tic(playout=playout_half), kernels.playouts, "not over"),
        "tactic of all": BrokenOne(_tic(tactic=tactic_everything), kernels.tactics, "tactic()"),
        "chances of 1": BrokenOne(
            replace(PEBBLES, weight=weights_of_chances), playing.chance, "is 0.3; it is an int"
        ),
        "roll of weight 0": BrokenOne(
            replace(PEBBLES, weight=no_weight), playing.chance, "the weight of white is 0"
        ),
        "dice forgotten": BrokenOne(replace(PEBBLES, weight=None), playing.chance, "no weight()"),
        "weights, no dice": BrokenOne(_tic(weight=no_weight), playing.chance, "chance never moves"),
        "answers no int": BrokenOne(_tic(key=half_points), kernels.questions, "which is no int"),
        "copied badly": BrokenOne(
            _tic(format_state=lambda s: str(next(_ticks))), playing.values, "it is <Position"
        ),
    }
